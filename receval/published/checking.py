"""A printed figure beside the value computed for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from receval._checks import InputError, as_float, check_choice, check_that, input_error
from receval._escape import for_html, for_terminal
from receval.published.agreement import agrees
from receval.published.figures import CLAIMS, expected, figure, flat, recorded
from receval.published.reading import coloured, html_row

__all__ = ["Check", "Checks", "check"]

MIME = "application/vnd.receval.check+json"


@dataclass(frozen=True)
class Check:
    """A published figure beside the value computed for it.

    Attributes
    ----------
    id, where, what : str
        Which figure, where it is printed, and what it is.
    printed, computed : tuple of str
        The figure and the value, the latter with the decimals of the former and two more.
    verdict, expected : str
        What the comparison says, and what is on record; they should be the same.
    reason : str
        Why they differ, or which variant it takes.
    """

    id: str
    where: str
    what: str
    printed: tuple[str, ...]
    computed: tuple[str, ...]
    verdict: str
    expected: str
    reason: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one on record."""
        return self.verdict == self.expected

    def __repr__(self) -> str:
        verdict = self.verdict + ("" if self.as_expected else f" (on record: {self.expected})")
        values = f"printed {row(self.printed)}, computed {row(self.computed)}"
        line = for_terminal(f"{self.id}: {values} -> {verdict}")
        return f"{line}\n  {for_terminal(self.reason)}" if self.reason else line

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Text and HTML for people, and a record that `ledger` finds in the notebook."""
        return Checks([self])._repr_mimebundle_()


class Checks(tuple[Check, ...]):
    """Several checks, which a notebook shows as one table: ``Checks([check(…), check(…)])``.

    Examples
    --------
    >>> Checks([check("001/cg", 28, quiet=True), check("001/dcg", 23.785578, quiet=True)])
    001/cg: printed 31, computed 28 -> erratum
    001/dcg: printed 25.29, computed 23.7856 -> erratum
    """

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        names = ("figure", "printed", "computed", "verdict")
        head = "".join(f'<th style="text-align: left">{name}</th>' for name in names)
        html = f"<table><tr>{head}</tr>{''.join(map(_html, self))}</table>"
        records = json.dumps([asdict(one) for one in self])
        return {"text/plain": repr(self), "text/html": html, MIME: records}


def _html(one: Check) -> str:
    about = f"{for_html(one.id)}<br><small>{for_html(one.what)}</small>"
    about += f"<br><small><i>{for_html(one.reason)}</i></small>" if one.reason else ""
    verdict = coloured(one.verdict)
    verdict += "" if one.as_expected else f"<br><small>on record: {for_html(one.expected)}</small>"
    return html_row(about, for_html(row(one.printed)), for_html(row(one.computed)), verdict)


def check(
    id: str,
    value: object = None,
    *,
    variant: str | None = None,
    holds: bool | str | None = None,
    quiet: bool = False,
) -> Check:
    """Compare a computed value with the printed figure.

    Parameters
    ----------
    id : str
        Identifier of the figure, ``document/name``.
    value : float, str, or a sequence of them
        What was computed; as many values as the figure has. For a figure that is on record as
        consistent with a random process or a bound: two values for each, the ends of the
        interval. Beside a claim, or in place of a figure that is not computable: the
        ``expected_value`` on record, and nothing without one.
    variant : str, optional
        The variant of the definition that the value was computed under, where it is not the
        document's stated one. It must be the one on record.
    holds : bool or {"not established", "by construction"}, optional
        Only for a claim, which needs it: whether the claim holds on the document's data.
        ``"not established"`` if these data or the test cannot decide it, so that the power
        belongs among the values; ``"by construction"`` if the data were made up so that it is true.
    quiet : bool, default False
        Whether to leave out the reason, for learners who are to find it.

    Returns
    -------
    Check
        With the verdict; a notebook that shows it has it collected by `ledger`.

    Raises
    ------
    InputError
        If there is no such figure, no value is given although one can be computed, or one
        although none is on record, the number of values is another one, the variant is not
        the one on record, or ``holds`` is given although the figure is no claim, is missing
        although it is one, or is none of the four above.

    Examples
    --------
    >>> check("001/cg", 28)
    001/cg: printed 31, computed 28 -> erratum
      The example takes 7 for U1's rating of M2, the table says 4 (7 is the rating of M7).
    >>> check("001/cg", 31, quiet=True)
    001/cg: printed 31, computed 31 -> reproduced (on record: erratum)
    """
    entry = figure(id)
    if ("claim" in entry) != (holds is not None):
        raise input_error("holds", "be given of a claim, and of nothing else", f"{holds} of {id}")
    beside = "claim" in entry or "not_computable" in entry
    record = flat(entry.get("expected_value", []) if beside else entry["printed"])
    values = _values(id, value, len(record), intervals="consistent" in entry)
    rule = f"be the one on record for {id}, {entry.get('variant')!r}"
    check_that(variant in (None, entry.get("variant")), "variant", rule, variant)
    how = {key: entry[key] for key in ("kind", "input_digits", "decimals") if key in entry}

    def gives(figures: list[Any]) -> bool:
        return len(figures) == len(values) and all(
            agrees(_nearest(v, f), str(f), **how) for v, f in zip(values, figures, strict=True)
        )

    if not gives(record):
        verdict = "erratum" if gives(flat(entry.get("corrected", []))) else "unexplained"
    elif holds is not None:
        verdict = _verdict_on_claim(holds)
    elif variant is None and {"corrected", "variant"} & entry.keys():
        verdict = "reproduced"  # by what the document states, after all
    else:
        verdict = expected(entry)
    show = [shown(v, str(p), entry.get("decimals", 0)) for v, p in zip(values, record, strict=True)]
    told = recorded(entry) | ({"reason": ""} if quiet else {})
    return Check(id=id, computed=tuple(show) or ("–",), verdict=verdict, **told)


def _verdict_on_claim(holds: bool | str) -> str:
    """The verdict that an answer to "does the claim hold?" means."""
    if isinstance(holds, str):
        return CLAIMS[check_choice(holds, "holds", [name for name in CLAIMS if " " in name])]
    return CLAIMS["holds" if holds else "fails"]


def _values(id: str, value: object, n: int, *, intervals: bool) -> list[Any]:
    """The given values, as many as are on record; pairs where they are intervals."""
    if value is None and n:
        raise InputError(f"value must be given; {id} can be computed, or what stands beside it")
    if value is not None and not n:
        raise InputError(f"value must be left out; no expected_value is on record for {id}")
    values = [] if value is None else flat(value)
    if len(values) != (2 * n if intervals else n):
        wanted = f"{n} intervals, each a low and a high end" if intervals else f"{n} values"
        raise input_error("value", f"hold {wanted}, as many as {id} prints", len(values))
    return list(zip(values[::2], values[1::2], strict=True)) if intervals else values


def _nearest(value: Any, printed: Any) -> Any:
    """The value, or what of an interval lies nearest to the printed figure."""
    return min(max(float(printed), value[0]), value[1]) if isinstance(value, tuple) else value


def shown(value: object, printed: str, least: int = 0) -> str:
    """A computed value with two decimals more than the figure has: as printed, or ``least``."""
    if isinstance(value, tuple):
        return " to ".join(shown(end, printed, least) for end in value)
    number = as_float(value)
    if number is None or number.is_integer():  # no number, and no agreement either; or a whole one
        return str(value if number is None else int(number))
    decimals = max(least, len(printed.partition(".")[2]))
    return f"{number:.{decimals + 2}f}"


def row(values: tuple[str, ...]) -> str:
    """The first twelve of many."""
    more = f" … ({len(values)} values)" if len(values) > 12 else ""
    return " ".join(values[:12]) + more
