"""Read a printed number: its value, the unit of its last digit, and what is printed with it.

`read_printed` lists the forms. Other forms raise an error, because receval doesn't guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from html import unescape

from receval._checks import InputError, check_flag, check_integer, input_error, shorten

__all__ = ["Printed", "read_printed"]

MAX_LENGTH = 100  # largest number of characters in a printed number
MAX_EXPONENT = 300  # larger numbers do not fit into float64
NUMPY_DECIMALS = 8  # NumPy's default precision: it rounds to this many decimals, then drops zeros

# What tables print in place of a number.
STATEMENTS = {
    "n.s.", "N.S.", "ns", "n.a.", "N.A.", "n/a", "N/A", "NA", "—", "–", "―", "-", "−", "--", "---",
    "not significant", "not reported", "not available",
}  # fmt: skip

POWER_OF_SCALE = {
    "k": 3, "K": 3, "thousand": 3, "M": 6, "million": 6, "B": 9, "bn": 9, "billion": 9,
}  # fmt: skip

# Ways of writing a sign in LaTeX, each with the sign.
SIGN_BY_COMMAND = {
    r"\%": "%", r"\pm": "±", r"\times": "×", r"\cdot": "·", r"\dagger": "†", r"\ddagger": "‡",
    r"\ast": "*", r"\star": "*", r"\ldots": "…", r"\dots": "…", r"\leq": "≤", r"\le": "≤",
    r"\geq": "≥", r"\ge": "≥", r"\textless": "<", r"\textgreater": ">", r"\uparrow": "↑",
    r"\downarrow": "↓", r"\S": "§", r"\P": "¶", r"\#": "#", r"\,": " ", r"\;": " ", r"\:": " ",
    r"\ ": " ", r"\!": "", r"\thinspace": " ", r"\quad": " ", r"\textpm": "±",
    r"\textdagger": "†", r"\textasteriskcentered": "*",
}  # fmt: skip
SIMPLE = re.compile(r"[-+0-9.,%]+")
COMMAND = re.compile(r"\\(?:[A-Za-z]+|[%,;:!# ])")
BOLD_COMMANDS = re.compile(r"\\(?:textbf|mathbf|boldsymbol|bm)\s*\{([^{}]*)\}")
BOLD_GROUP = re.compile(r"\{\s*\\(?:bf|bfseries)\b\s*([^{}]*)\}")
STYLE_COMMANDS = re.compile(
    r"\\(?:textit|emph|underline|mathrm|textrm|mathit|text|num|ensuremath|mbox)\s*\{([^{}]*)\}"
)
SUPERSCRIPT_COMMAND = re.compile(r"\\textsuperscript\s*\{([^{}]*)\}|<sup>([^<]*)</sup>")
SUBSCRIPT_SPREAD = re.compile(r"_(?:\{\s*(±[^{}]*)\}|\s*(±.*)$)")
BARE_SUPERSCRIPT = re.compile(r"\^([^{}\s])")
MARKDOWN_BOLD = re.compile(r"^(?:\*\*([^*]+)\*\*|__([^_]+)__|<b>([^<]+)</b>)")
MARKDOWN_ITALIC = re.compile(r"^(?:\*([^*]+)\*|_([^_]+)_|<i>([^<]+)</i>)")

# Superscripts of Unicode, and the signs that they raise.
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
UNRAISED = "0123456789+-abcdefghijklmnoprstuvwxyz"
RAISED_RUN = re.compile(f"[{RAISED}]+")
UNRAISE = str.maketrans(RAISED, UNRAISED)
RAISE = str.maketrans(UNRAISED, RAISED)

# The forms, after superscripts have become ^{...}. Only ASCII digits are digits. A group of three
# digits follows a comma, or a blank: ordinary, no-break, thin or narrow.
MINUS = "[-−–‐‑]"
BLANK = "[ \u00a0\u2009\u202f]"
ARROW = "[↑↓▲▼△▽▴▾]"  # may also come before the number
MARK = r"[*∗⋆†‡§¶#↑↓▲▼△▽▴▾•°]"
RAISED_MARKS = r"\^\{[^{}]*\}"


def _number_pattern(name: str, *, decimal_comma: bool) -> str:
    """Return the regular expression of a number without sign, as groups named after ``name``."""
    group, point = ",", r"\."
    # NumPy prints 1. for 1.00000000. Don't take the first dot of an ellipsis for such a point.
    trailing_point = rf"(?P<{name}_trailing_point>\.)(?!\.)"
    if decimal_comma:
        group, point = r"\.", ","
        trailing_point = f"(?P<{name}_trailing_point>(?!))"  # never: NumPy prints no commas
    groups = rf"[1-9][0-9]{{0,2}}(?:(?:{group}[0-9]{{3}})+|(?:{BLANK}[0-9]{{3}})+)"
    return (
        rf"(?:(?P<{name}_whole>{groups}|[0-9]+)"
        rf"(?:{point}(?P<{name}_decimals>[0-9]+)|{trailing_point})?"
        rf"|{point}(?P<{name}_only_decimals>[0-9]+))"
        rf"(?:[eE](?P<{name}_e>[-−+]?[0-9]{{1,3}})"
        rf"|{BLANK}?[×·]{BLANK}?10\^\{{(?P<{name}_power>[-−+]?[0-9]{{1,3}})\}})?"
    )


def _form(*, decimal_comma: bool) -> re.Pattern[str]:
    """Return the regular expression of all forms with a number."""
    value = _number_pattern("value", decimal_comma=decimal_comma)
    spread = _number_pattern("spread", decimal_comma=decimal_comma)
    bracket = _number_pattern("bracket", decimal_comma=decimal_comma)
    marks = rf"(?:\s*{MARK}|{RAISED_MARKS})*"
    scales = "|".join(sorted(POWER_OF_SCALE, key=len, reverse=True))
    return re.compile(
        rf"(?P<arrow>{ARROW})?\s*(?P<relation><|>|≤|≥|±)?\s*(?P<sign>{MINUS}|\+)?\s?{value}"
        rf"(?P<ellipsis>…|\.\.\.)?(?:{BLANK}?(?P<scale>{scales})\b)?"
        rf"(?P<early_marks>{marks})(?:{BLANK}?(?P<percent>%))?(?P<marks>{marks})"
        rf"(?:\s*(?:(?:±|\+/-|\+-)\s*{spread}"
        rf"|\((?:±\s*)?{bracket}(?:{BLANK}?(?P<inner_percent>%))?\))"
        rf"(?:{BLANK}?(?P<outer_percent>%))?(?P<more_marks>{marks}))?"
    )


FORM_WITH_POINT = _form(decimal_comma=False)
FORM_WITH_COMMA = _form(decimal_comma=True)


@dataclass(frozen=True)
class Printed:
    """A printed number, or a statement in its place.

    Attributes
    ----------
    text : str
        The text as printed.
    value : Decimal or None
        The number; None for a statement. "39.6 %" is 0.396.
    unit : Decimal or None
        The unit of the last digit, which sets the precision: 0.001 for "39.6 %".
    percent : bool
        Whether the number is in percent.
    spread, spread_unit : Decimal or None
        The number after ± or in parentheses, and the unit of its last digit.
    is_truncated : bool
        Whether an ellipsis says that further digits follow.
    letters, marks : str
        Superscript letters ("ab") and other signs after the number ("*", "†", "1").
    relation : str
        "<", ">", "≤" or "≥" of a bound; "±" of a spread that is printed alone; otherwise "".
    scale : str
        The word after the number, such as "M"; value and unit include it.
    statement : str
        The text if there is no number, such as "n.s."; otherwise "".
    is_bold : bool
        Whether the text is marked as bold.
    is_negative : bool
        Whether a minus is printed, even before a zero as in "-0.00".
    """

    text: str
    value: Decimal | None = None
    unit: Decimal | None = None
    percent: bool = False
    spread: Decimal | None = None
    spread_unit: Decimal | None = None
    is_truncated: bool = False
    letters: str = ""
    marks: str = ""
    relation: str = ""
    scale: str = ""
    statement: str = ""
    is_bold: bool = False
    is_negative: bool = False

    @property
    def is_statement(self) -> bool:
        """Return whether there is no number, so that nothing can be checked."""
        return self.value is None

    @property
    def is_whole(self) -> bool:
        """Return whether this is a plain whole number, such as a count.

        Percentages, truncated numbers, spreads, and numbers with a word such as "M" are not.
        """
        is_plain = not (self.percent or self.scale or self.is_truncated)
        return self.unit == 1 and is_plain and self.relation != "±"

    @property
    def plain(self) -> str:
        r"""Return the text without markup: "0.396*" for ``\textbf{0.396}$^*$``."""
        text, _ = _without_markup(self.text)

        def raise_content(match: re.Match[str]) -> str:
            """Return the content of ^{...} in raised characters, if Unicode has all of them."""
            content = match.group()[2:-1]
            if re.fullmatch(rf"(?:{MARK}|[{re.escape(UNRAISED)}])+", content):
                return content.translate(RAISE)
            return match.group()

        return re.sub(RAISED_MARKS, raise_content, text)


def read_printed(
    text: str,
    *,
    decimal_comma: bool = False,
    percent: bool = False,
    decimals: int | None = None,
    where: str = "",
) -> Printed:
    r"""Read a printed number.

    Parameters
    ----------
    text : str
        The number as printed, in one of the forms in the notes.
    decimal_comma : bool, default False
        Whether the source prints 0,396 for 0.396. Points then separate groups of three digits.
    percent : bool, default False
        Whether numbers without a percent sign are percentages too, such as "±0.010" next to
        "0.35%".
    decimals : int, optional
        Number of decimals to which the source rounds, if it drops trailing zeros and prints "0" for
        0.000. If the number has a trailing point, as in NumPy's "1.", pass NumPy's precision.
        Default: 8 for such a number.
    where : str, optional
        The place of the text, such as file and line, with which error messages begin.

    Returns
    -------
    Printed

    Raises
    ------
    InputError
        If the text has another form, is not a string, or prints more decimals than ``decimals``.

    Notes
    -----
    The digits set the precision: "0.50" is not "0.5". receval reads these forms, and refuses all
    others instead of guessing.

    =========================================== ==================================================
    printed                                     read as
    =========================================== ==================================================
    ``0.396``, ``.396``, ``-0.2``, ``−0.2``     a number, with the hyphen or the true minus
    ``1,374,327``, ``1 508``                    a whole number in groups of three digits
    ``0,396``, ``1.374.327``                    the same with ``decimal_comma=True``
    ``39.6 %``                                  0.396; the unit of the last digit is 0.001
    ``26M``, ``1.2k``, ``3 million``            26,000,000 in units of a million
    ``3.2e-4``, ``3.2 × 10⁻⁴``                  0.00032
    ``1.198126...``, ``1.198126…``              a number whose further digits are cut off
    ``0.``, ``1.``, ``1.e-05``                  a number as NumPy prints it in an array, without the
                                                zeros at its end: 0.00000000 by default
    ``0.396±0.002``, ``0.396 (0.002)``          a number and its spread
    ``$0.396_{\pm 0.002}$``                     the same, set smaller in LaTeX
    ``±0.010``                                  a spread alone
    ``0.396*``, ``0.396†``, ``0.396¹``          a number with marks
    ``0.451ᵃᵇ``                                 a number with letters, often of a significance test
    ``< 0.001``, ``≥ 0.5``                      a bound
    ``**0.396**``, ``\textbf{0.396}``           a number in bold
    ``n.s.``, ``—``, ``n/a``                    a statement without a number
    =========================================== ==================================================

    Examples
    --------
    >>> share = read_printed("39.6 %")
    >>> share.value, share.unit
    (Decimal('0.396'), Decimal('0.001'))
    >>> read_printed("0.396 (0.002)").spread
    Decimal('0.002')
    >>> read_printed("0.451ᵃᵇ").letters, read_printed("n.s.").statement
    ('ab', 'n.s.')
    >>> read_printed("1.").unit, read_printed("1.", decimals=3).unit  # of a NumPy array
    (Decimal('1E-8'), Decimal('0.001'))
    >>> read_printed("0,396", where="figures.toml, line 12")
    Traceback (most recent call last):
        ...
    receval.InputError: figures.toml, line 12: printed must be a number in a form that receval
    reads, such as 0.396, 39.6 % or 0.396 ± 0.002; got '0,396'. If the source prints decimal
    commas, state decimal_comma = true
    """
    check_flag(decimal_comma, "decimal_comma")
    check_flag(percent, "percent")
    if decimals is not None:
        check_integer(decimals, "decimals", 0, MAX_LENGTH)
    try:
        if not isinstance(text, str):
            advice = "Quote it: 0.50 is not 0.5, so that only a text keeps the digits"
            raise input_error("printed", "be a text", shorten(text), advice)
        return _read(text, decimals, decimal_comma=bool(decimal_comma), percent=bool(percent))
    except InputError as error:
        if where:
            raise InputError(f"{where}: {error}") from None
        raise


@lru_cache(maxsize=20_000)
def _read(text: str, decimals: int | None, *, decimal_comma: bool, percent: bool) -> Printed:
    """Return the result of `read_printed`; results are cached."""
    if len(text) > MAX_LENGTH:
        raise input_error("printed", f"have at most {MAX_LENGTH} characters", shorten(text))
    plain, is_bold = _without_markup(text)
    if plain in STATEMENTS:
        return Printed(text, statement=plain, is_bold=is_bold)
    form = FORM_WITH_COMMA if decimal_comma else FORM_WITH_POINT
    match = form.fullmatch(plain)
    if match is None:
        raise _not_understood(text, plain, decimal_comma=decimal_comma)
    parts = match.groupdict()
    is_percent = percent or any(
        parts[name] for name in ("percent", "inner_percent", "outer_percent")
    )
    power = 0
    if is_percent:
        power = -2
    if parts["scale"]:
        if is_percent:
            raise input_error("printed", "have a percent sign or a word of size", shorten(text))
        power = POWER_OF_SCALE[parts["scale"]]
    sign = ""
    if parts["sign"] not in (None, "+"):
        sign = "-"
    value, unit = _decimal(parts, "value", sign, power, decimals, text)
    spread_name = "bracket" if _has_number(parts, "bracket") else "spread"
    spread: Decimal | None = None
    spread_unit: Decimal | None = None
    if _has_number(parts, spread_name):
        spread, spread_unit = _decimal(parts, spread_name, "", power, None, text)
        _check_spread(parts, spread_name, text)
    letters, marks = _letters_and_marks(parts, text)
    return Printed(
        text=text,
        value=value,
        unit=unit,
        percent=is_percent,
        spread=spread,
        spread_unit=spread_unit,
        is_truncated=parts["ellipsis"] is not None,
        letters=letters,
        marks=marks,
        relation=parts["relation"] or "",
        scale=parts["scale"] or "",
        is_bold=is_bold,
        is_negative=sign == "-",
    )


def _without_markup(text: str) -> tuple[str, bool]:
    """Return a text without LaTeX, Markdown and HTML, and whether it is bold.

    Superscripts of every kind become ``^{...}``.
    """
    if SIMPLE.fullmatch(text):  # most cells are simple, and need no search for markup
        return text, False
    text = unescape(text).strip().replace("{,}", ",").replace("$", "").replace("~", " ")
    text = SUPERSCRIPT_COMMAND.sub(lambda match: f"^{{{match[1] or match[2]}}}", text)
    text = COMMAND.sub(lambda match: SIGN_BY_COMMAND.get(match.group(), match.group()), text)
    text = SUBSCRIPT_SPREAD.sub(lambda match: f" {match[1] or match[2]}", text)
    is_bold = False
    # Styles may be nested, so remove the innermost ones until none is left.
    previous = ""
    while text != previous:
        previous = text
        text = STYLE_COMMANDS.sub(r"\1", text)
        without_bold = BOLD_GROUP.sub(r"\1", BOLD_COMMANDS.sub(r"\1", text))
        without_bold = MARKDOWN_BOLD.sub(_content, without_bold)
        is_bold = is_bold or without_bold != text
        text = MARKDOWN_ITALIC.sub(_content, without_bold).strip()
    text = BARE_SUPERSCRIPT.sub(r"^{\1}", text)
    text = RAISED_RUN.sub(lambda match: f"^{{{match.group().translate(UNRAISE)}}}", text)
    return text, is_bold


def _content(match: re.Match[str]) -> str:
    """Return the text between marks of Markdown or HTML, which is the only group that matched."""
    return next(group for group in match.groups() if group is not None)


def _has_number(parts: dict[str, str | None], name: str) -> bool:
    """Return whether the part ``name`` of a form matched a number."""
    return bool(parts[f"{name}_whole"] or parts[f"{name}_only_decimals"])


def _decimal(
    parts: dict[str, str | None],
    name: str,
    sign: str,
    power: int,
    decimals: int | None,
    text: str,
) -> tuple[Decimal, Decimal]:
    """Return the number of a form and the unit of its last digit.

    ``name`` is the part of the form, ``power`` the power of ten that both are multiplied by, and
    ``decimals`` the argument of `read_printed`. ``text`` is for the error message.
    """
    integer_digits = re.sub("[^0-9]", "", parts[f"{name}_whole"] or "0")
    fraction = parts[f"{name}_decimals"] or parts[f"{name}_only_decimals"] or ""
    if parts[f"{name}_trailing_point"]:
        _check_trailing_point(parts, name, text)
        if decimals is None:
            decimals = NUMPY_DECIMALS
    if decimals is not None:
        if len(fraction) > decimals:
            rule = f"have at most {decimals} decimals, as the key decimals states"
            raise input_error("printed", rule, shorten(text))
        fraction = fraction.ljust(decimals, "0")  # the zeros that the source dropped
    exponent = parts[f"{name}_e"] or parts[f"{name}_power"] or "0"
    power += int(exponent.replace("−", "-")) - len(fraction)
    if abs(power) > MAX_EXPONENT:
        raise input_error("printed", f"have an exponent up to {MAX_EXPONENT}", shorten(text))
    # Decimal reads a text exactly, whatever precision the current context has.
    return Decimal(f"{sign}{integer_digits}{fraction}E{power}"), Decimal(f"1E{power}")


def _check_trailing_point(parts: dict[str, str | None], name: str, text: str) -> None:
    """Raise if NumPy doesn't print such a number with a trailing point, as in "1,508."."""
    has_groups = not (parts[f"{name}_whole"] or "").isdigit()
    has_unit = (
        parts["scale"] or parts["percent"] or parts["inner_percent"] or parts["outer_percent"]
    )
    if has_groups or has_unit:
        advice = "If it is the full stop of a sentence, leave it out"
        rule = "have a trailing point only after digits without a unit, as NumPy prints it"
        raise input_error("printed", rule, shorten(text), advice)


def _check_spread(parts: dict[str, str | None], name: str, text: str) -> None:
    """Raise if a number in parentheses may count units of the last digit: "0.396 (2)"."""
    value_has_decimals = parts["value_decimals"] or parts["value_only_decimals"]
    spread_has_decimals = parts[f"{name}_decimals"] or parts[f"{name}_only_decimals"]
    if name == "bracket" and value_has_decimals and not spread_has_decimals:
        advice = "In parentheses it may also be a count, or units of the last digit"
        raise input_error("printed", "have a spread with decimals", shorten(text), advice)
    if parts["ellipsis"] or parts["scale"] or parts["relation"]:
        rule = "have a spread only after a plain number"
        raise input_error("printed", rule, shorten(text))


def _letters_and_marks(parts: dict[str, str | None], text: str) -> tuple[str, str]:
    """Return the raised letters of a number, and the other marks."""
    signs = "".join(parts[name] or "" for name in ("arrow", "early_marks", "marks", "more_marks"))
    letters = marks = ""
    for raised, mark in re.findall(rf"\^\{{([^{{}}]*)\}}|({MARK})", signs):
        content = raised.strip()
        if content.replace(",", "").isascii() and content.replace(",", "").isalpha():
            letters += content.replace(",", "")
        elif re.fullmatch(rf"(?:{MARK}|[,\s])+", content):
            marks += content
        elif re.fullmatch(r"[0-9,]+", content):
            # 0.396¹ has a footnote, but 10² may be a power.
            if not (parts["value_decimals"] or parts["value_only_decimals"]):
                advice = "Leave out the mark of a footnote"
                rule = "have no raised digit after a whole number, which may be a power"
                raise input_error("printed", rule, shorten(text), advice)
            marks += content
        elif raised:
            raise input_error("printed", "have letters or marks as superscripts", shorten(text))
        marks += mark
    return letters, marks


def _not_understood(text: str, plain: str, *, decimal_comma: bool) -> InputError:
    """Return the error for a text that has none of the forms, with advice that fits it."""
    rule = "be a number in a form that receval reads, such as 0.396, 39.6 % or 0.396 ± 0.002"
    advice = 'If it is a label, state kind = "exact"'
    other_form = FORM_WITH_POINT if decimal_comma else FORM_WITH_COMMA
    if other_form.fullmatch(plain):
        advice = "If the source prints decimal commas, state decimal_comma = true"
        if decimal_comma:
            advice = "The file states decimal_comma = true, but this has a decimal point"
    return input_error("printed", rule, shorten(text), advice)
