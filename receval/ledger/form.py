"""The form of a ledger's TOML file: its keys, and checks that find what breaks the form."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from receval._checks import InputError, did_you_mean, input_error, is_integer, shorten
from receval._types import Options, Record
from receval.ledger.agreement import (
    FORM_KEYS,
    KINDS,
    ROUNDINGS,
    check_rules,
    is_excluded,
    printed_interval,
)
from receval.ledger.counts import check_count
from receval.ledger.entries import CLAIMS, VERDICT_KEYS, flatten
from receval.ledger.evidence import read_bound, read_consistent
from receval.ledger.places import line_of
from receval.ledger.printed import read_printed

__all__: list[str] = []

MAX_PROBLEMS = 5  # largest number of problems that a message shows
FILE_KEYS = {"title", "source", "forms", "inputs", "figures", "tables", "run"}
TABLES_OF_FILE = ("forms", "inputs", "figures", "tables")
VALUE_KEYS = ("printed", "corrected", "stated", "expected_value")
CELL_KEYS = ("table", "row", "column")
# The keys that the cells of a table take from it.
SHARED_KEYS = (*FORM_KEYS, "inputs", "multiple_of")
READING_KEYS = ("decimal_comma", "percent", "decimals")  # how to read a number
SEEN = ("first-hand", "in an image", "by OCR", "second-hand")


def _is_text(value: object) -> bool:
    """Return whether a value is text."""
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_quoted(value: object) -> bool:
    """Return whether a value is text, or a list or several rows of texts."""
    return all(isinstance(item, str) for item in flatten(value))


def _are_checksums(value: object) -> bool:
    """Return whether a value is a table of SHA-256 checksums by file name."""
    return isinstance(value, dict) and all(
        re.fullmatch("[0-9a-f]{64}", str(checksum)) for checksum in value.values()
    )


@dataclass(frozen=True)
class Rule:
    """The rule that the value of a key must follow, in code and in words."""

    holds: Callable[[object], bool]
    words: str
    choices: Collection[str] = ()


def _one_of(choices: Collection[str]) -> Rule:
    """Return the rule that a value is one of several texts."""
    return Rule(
        lambda value: value in tuple(choices), f"be one of {', '.join(map(repr, choices))}", choices
    )


TEXT = Rule(_is_text, "be text")
TEXTS = Rule(_are_texts, "be a list of texts")
QUOTED = Rule(_is_quoted, "be in quotes, because 0.50 is not 0.5")
DIGITS = Rule(is_integer, "be a number of digits")
FLAG = Rule(lambda value: isinstance(value, bool), "be true or false")

FORM_RULES = {
    "kind": _one_of(KINDS),
    "rounding": _one_of(ROUNDINGS),
    "input_digits": DIGITS,
    "decimals": DIGITS,
    "decimal_comma": FLAG,
    "percent": FLAG,
}
FIGURE_RULES = {
    **FORM_RULES,
    **dict.fromkeys(VALUE_KEYS, QUOTED),
    "where": TEXT,
    "what": TEXT,
    "table": TEXT,
    "row": TEXT,
    "column": TEXT,
    "bold": FLAG,
    "inputs": TEXTS,
    "variant": TEXT,
    "transcribed": TEXT,
    "consistent": Rule(lambda value: isinstance(value, (str, dict)), "be text or a table"),
    "claim": _one_of(CLAIMS),
    "not_computable": TEXT,
    "bound": QUOTED,
    "impossible": TEXT,
    "left_open": TEXT,
    "multiple_of": TEXT,
    "reason": TEXT,
    "step": TEXT,
    "cause": TEXT,
    "does_not_distinguish": TEXT,
}
TABLE_RULES = {
    **FORM_RULES,
    "where": TEXT,
    "what": TEXT,
    "file": TEXT,
    "inputs": TEXTS,
    "multiple_of": TEXT,
}
SOURCE_RULES = {
    **dict.fromkeys(("title", "venue", "doi", "url", "commit", "place", "licence", "note"), TEXT),
    "authors": TEXTS,
    "year": Rule(is_integer, "be a whole number"),
    "seen": _one_of(("", *SEEN)),
    "seen_on": Rule(lambda value: isinstance(value, (str, date)), "be a date"),
    "may_be_copied": FLAG,
    "sha256": Rule(_are_checksums, "be a table of 64 hexadecimal digits by name of the file"),
}
# If an entry has a key, it must also have at least one of the keys listed for it.
NEEDED_KEYS = {
    "corrected": {"reason"},
    "step": {"corrected"},
    "stated": {"variant"},
    "expected_value": {"not_computable", "claim", "left_open"},
    "left_open": {"expected_value"},
    "bound": {"reason"},
    "cause": {"corrected"},
    "impossible": {"multiple_of"},
}


@dataclass(frozen=True)
class Problem:
    """A part of a file that breaks the form.

    ``keys`` is the path of the part in the file, such as ``("figures", "cg", "printed")``.
    """

    keys: tuple[str, ...]
    text: str


def form_error(path: Path, text: str, problems: list[Problem]) -> InputError:
    """Return the error for a file that breaks the form: a line for each of the first problems."""
    lines = [
        f"  line {line_of(text, problem.keys)}: {problem.text}"
        for problem in problems[:MAX_PROBLEMS]
    ]
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"  and {len(problems) - MAX_PROBLEMS} more")
    return InputError(f"{path.name} must have the form of a ledger; got\n" + "\n".join(lines))


def problems_of_file(content: Record, csv_names: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with the content of a file, except for its cells and inputs.

    ``csv_names`` are the names of the CSV files in its folder.
    """
    yield from _unknown_keys(content, FILE_KEYS, (), "the file")
    not_tables = [key for key in TABLES_OF_FILE if not isinstance(content.get(key, {}), dict)]
    if not_tables:
        key = not_tables[0]
        yield Problem((key,), f"{key} must be a table; got {shorten(content[key])}")
        return
    yield from _wrong_values(content, {"title": TEXT, "run": TEXTS}, (), "the file")
    source = content.get("source", "")
    if isinstance(source, dict):
        yield from _problems_of_keys(source, SOURCE_RULES, ("source",), "the source")
    elif not isinstance(source, str):
        yield Problem(("source",), f"source must be text or a table; got {shorten(source)}")
    yield from _problems_of_keys(content.get("forms", {}), FORM_RULES, ("forms",), "the file")
    if not content.get("figures") and not content.get("tables"):
        yield Problem((), "the file has no figures. Add a table such as [figures.ease_ndcg]")
    for name, table in content.get("tables", {}).items():
        yield from _problems_of_table(name, table, csv_names)
    for name, entry in content.get("figures", {}).items():
        yield from _problems_of_figure(name, entry)


def _unknown_keys(
    table: Record, keys: Collection[str], place: tuple[str, ...], description: str
) -> Iterator[Problem]:
    """Yield a problem for each key of a table that is not among ``keys``.

    ``place`` is the path of the table in the file, and ``description`` names it in the message.
    """
    for key in table:
        if key not in keys:
            advice = did_you_mean(key, sorted(keys)) or f"It may have {', '.join(sorted(keys))}"
            yield Problem((*place, key), f"{description} has the unknown key {key!r}. {advice}")


def _wrong_values(
    table: Record, rules: dict[str, Rule], place: tuple[str, ...], description: str
) -> Iterator[Problem]:
    """Yield a problem for each key of a table whose value breaks its rule.

    ``place`` is the path of the table in the file, and ``description`` names it in the message.
    """
    for key, value in table.items():
        rule = rules.get(key)
        if rule is not None and not rule.holds(value):
            text = f"{key} of {description} must {rule.words}; got {shorten(value)}"
            advice = did_you_mean(value, rule.choices)
            if advice:
                text += f". {advice}"
            yield Problem((*place, key), text)


def _problems_of_keys(
    table: Record, rules: dict[str, Rule], place: tuple[str, ...], description: str
) -> Iterator[Problem]:
    """Yield the unknown keys of a table, and those whose values break their rules."""
    yield from _unknown_keys(table, rules, place, description)
    yield from _wrong_values(table, rules, place, description)


def _problems_of_table(name: str, table: object, csv_names: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with the entry of a printed table."""
    place = ("tables", name)
    if not isinstance(table, dict):
        yield Problem(place, f"the table {name!r} must be a TOML table; got {shorten(table)}")
        return
    yield from _problems_of_keys(table, TABLE_RULES, place, f"the table {name!r}")
    if "file" in table and table["file"] not in csv_names:
        advice = did_you_mean(table["file"], csv_names) or "Put it into the folder of the ledger"
        text = f"file must be a CSV file in the same folder; got {shorten(table['file'])}. {advice}"
        yield Problem((*place, "file"), text)


def _problems_of_figure(name: str, entry: object) -> Iterator[Problem]:
    """Yield what is wrong with the keys of a figure."""
    place = ("figures", name)
    description = f"the figure {name!r}"
    if not isinstance(entry, dict):
        yield Problem(place, f"{description} must be a TOML table; got {shorten(entry)}")
        return
    yield from _problems_of_keys(entry, FIGURE_RULES, place, description)
    verdict_keys = [key for key in entry if key in VERDICT_KEYS]
    if len(verdict_keys) > 1:
        text = f"{description} has several verdicts: {', '.join(verdict_keys)}. Keep one of them"
        yield Problem((*place, verdict_keys[1]), text)
    for key in NEEDED_KEYS.keys() & entry.keys():
        if not NEEDED_KEYS[key] & entry.keys():
            needed = " or ".join(map(repr, sorted(NEEDED_KEYS[key])))
            yield Problem((*place, key), f"{description} has {key!r}, which needs {needed} too")
    missing_keys = [key for key in CELL_KEYS if key not in entry]
    if 0 < len(missing_keys) < len(CELL_KEYS):
        yield Problem(
            place, f"{description} is a cell of a table, and lacks {', '.join(missing_keys)}"
        )
    elif missing_keys and "printed" not in entry:
        yield Problem(place, f"{description} lacks 'printed', the figure as printed")
    if "printed" in entry and not flatten(entry["printed"]):
        yield Problem((*place, "printed"), f"printed of {description} must have a value; got none")


def problems_of_numbers(name: str, entry: Record) -> Iterator[Problem]:
    """Yield what is wrong with the values of a figure: how many there are, or the form of a number.

    ``entry`` also has what the figure takes from its table and file. Labels (with the kind "exact")
    and sentences (with a claim) may be any text.
    """
    if "claim" in entry:
        return
    place = ("figures", name)
    n_printed = len(flatten(entry["printed"]))
    for key in VALUE_KEYS:
        if key in entry and len(flatten(entry[key])) != n_printed:
            n_values = len(flatten(entry[key]))
            text = f"{key} of {name!r} must have {n_printed} values, as printed; got {n_values}"
            yield Problem((*place, key), text)
    try:
        check_rules(entry.get("kind", "rounded"), entry.get("rounding"), entry.get("input_digits"))
    except InputError as error:
        yield Problem((*place, "kind"), f"{name!r}: {error}")
        return
    if entry.get("kind") == "exact":
        if "multiple_of" in entry:
            text = f"{name!r} must be a rounded figure to be a multiple_of; got kind = 'exact'"
            yield Problem((*place, "multiple_of"), text)
        return
    problems = list(_problems_of_forms(name, entry))
    yield from problems
    if not problems and "corrected" in entry and not _is_correction(entry):
        text = f"corrected of {name!r} must exclude the printed value; got {entry['corrected']!r}"
        yield Problem(("figures", name, "corrected"), text)
    try:
        _check_evidence(entry)
    except InputError as error:
        yield Problem(place, f"{name!r}: {error}")


def _problems_of_forms(name: str, entry: Record) -> Iterator[Problem]:
    """Yield the first value of a figure that isn't a number in a form that receval reads."""
    options = {key: entry[key] for key in READING_KEYS if key in entry}
    for key in VALUE_KEYS:
        values = flatten(entry.get(key, []))
        for printed in values:
            try:
                figure = read_printed(str(printed), **options)
            except InputError as error:
                yield Problem(("figures", name, key), f"{name!r}: {error}")
                return
            if figure.is_statement and len(values) > 1:
                text = f"{name!r}: {printed!r} has no number, so it needs its own entry"
                yield Problem(("figures", name, key), text)
                return


def _is_correction(entry: Record) -> bool:
    """Return whether a corrected value of a figure differs from what is printed.

    It doesn't differ if it is the printed number with fewer or more digits, such as 0.3 for 0.300.
    """
    forms = {key: entry[key] for key in FORM_KEYS if key in entry}
    forms.pop("input_digits", None)  # no tolerance for rounded inputs here
    for corrected, printed in zip(
        flatten(entry["corrected"]), flatten(entry["printed"]), strict=True
    ):
        if not _is_same_number(str(corrected), str(printed), forms):
            return True
    return False


def _is_same_number(first: str, second: str, forms: Options) -> bool:
    """Return whether one of two printed texts is the other with fewer or more digits.

    ``forms`` are options of `printed_interval`. Texts with a spread, or without a number, are the
    same only if they are equal.
    """
    reading = {key: forms[key] for key in READING_KEYS if key in forms}
    first_number, second_number = read_printed(first, **reading), read_printed(second, **reading)
    values = (first_number.value, second_number.value)
    has_spread = first_number.spread is not None or second_number.spread is not None
    if values[0] is None or values[1] is None or has_spread:
        return first == second
    first_interval = printed_interval(first, **forms)
    return first_interval.contains(values[1]) or printed_interval(second, **forms).contains(
        values[0]
    )


def _check_evidence(entry: Record) -> None:
    """Raise if receval can't read the bound, the random process or the count of a figure.

    Also raises if the bound doesn't exclude the printed value, because it then proves nothing.
    """
    forms = {key: entry[key] for key in FORM_KEYS if key in entry}
    end_forms = {key: entry[key] for key in ("decimal_comma", "percent") if key in entry}
    if "consistent" in entry:
        read_consistent(entry["consistent"], **end_forms)
    if "bound" in entry:
        bound = read_bound(entry["bound"], **end_forms)
        for printed in flatten(entry["printed"]):
            if not is_excluded(bound, str(printed), **forms):
                advice = "A bound is for a figure that lies outside it; give it enough digits"
                raise input_error("bound", f"exclude {printed}", bound.short, advice)
    if "multiple_of" in entry:
        forms.pop("input_digits", None)  # a count has no rounded inputs
        for printed in flatten(entry["printed"]):
            check_count(str(printed), entry["multiple_of"], **forms)
