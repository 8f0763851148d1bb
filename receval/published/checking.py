"""A printed figure beside the value computed for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from html import escape
from typing import Any

import numpy as np

from receval._checks import InputError, as_float
from receval.published.agreement import agrees
from receval.published.figures import expected, figure, flat, reason

__all__ = ["Check", "check"]

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
        line = f"{self.id}: printed {row(self.printed)}, computed {row(self.computed)}"
        line += f" -> {self.verdict}"
        if not self.as_expected:
            line += f" (on record: {self.expected})"
        return line + (f"\n  {self.reason}" if self.reason else "")

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Text and HTML for people, and a record that `ledger` finds in the notebook."""
        cells = (self.id, self.what, row(self.printed), row(self.computed), self.verdict)
        html = (
            "<table><tr><th>figure</th><th>what</th><th>printed</th><th>computed</th>"
            "<th>verdict</th></tr><tr>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "</tr></table>"
            + (f"<p>{escape(self.reason)}</p>" if self.reason else "")
        )
        return {"text/plain": repr(self), "text/html": html, MIME: json.dumps(asdict(self))}


def check(id: str, value: object = None, *, variant: str | None = None) -> Check:
    """Compare a computed value with the printed figure.

    Parameters
    ----------
    id : str
        Identifier of the figure, ``document/name``.
    value : float, str, or a sequence of them
        What was computed; as many values as the figure has. A figure that is not computable
        goes without, unless an ``expected_value`` is on record: then what is computed in its
        place is given, and has to be that.
    variant : str, optional
        The variant of the definition that the value was computed under, where it is not the
        document's stated one. It must be the one on record.

    Returns
    -------
    Check
        With the verdict; a notebook that shows it has it collected by `ledger`.

    Raises
    ------
    InputError
        If there is no such figure, no value is given although one can be computed, or one
        although none is on record, the number of values is another one, or the variant is not
        the one on record.

    Examples
    --------
    >>> check("001/cg", 28)
    001/cg: printed 31, computed 28 -> erratum
      The example takes 7 for U1's rating of M2, the table says 4 (7 is the rating of M7).
    """
    entry = figure(id)
    printed = flat(entry["printed"])
    values = _values(id, entry, value, variant)
    how = {key: entry[key] for key in ("kind", "input_digits", "decimals") if key in entry}

    def gives(key: str) -> bool:
        return key in entry and all(
            agrees(v, str(f), **how) for v, f in zip(values, flat(entry[key]), strict=True)
        )

    if "not_computable" in entry:
        as_on_record = value is None or gives("expected_value")
        verdict = "not computable" if as_on_record else "unexplained"
    elif gives("printed"):
        verdict = "reproduced" if variant is None else "reproduced under a variant"
    else:
        verdict = "erratum" if gives("corrected") else "unexplained"
    least = entry.get("decimals", 0)
    return Check(
        id=id,
        where=entry["where"],
        what=entry["what"],
        printed=tuple(map(str, printed)),
        computed=tuple(shown(v, str(p), least) for v, p in zip(values, printed, strict=True)),
        verdict=verdict,
        expected=expected(entry),
        reason=reason(entry),
    )


def _values(id: str, entry: dict[str, Any], value: object, variant: str | None) -> list[Any]:
    """The given values, as many as are printed; a dash for each where nothing is computable."""
    comparable = "not_computable" not in entry or "expected_value" in entry
    if value is None and comparable:
        raise InputError(f"value must be given; {id} can be computed, or what stands beside it")
    if value is not None and not comparable:
        raise InputError(
            f"value must be left out; {id} is not computable, and no expected_value is on record"
        )
    n = len(flat(entry["printed"]))
    values = flat(value) if comparable else ["–"] * n
    if len(values) != n:
        raise InputError(f"value must hold {n} values, as many as {id} prints; got {len(values)}")
    if variant is not None and variant != entry.get("variant"):
        raise InputError(
            f"variant must be the one on record for {id}, {entry.get('variant')!r}; got {variant!r}"
        )
    return values


def shown(value: object, printed: str, least: int = 0) -> str:
    """A computed value with two decimals more than the figure has: as printed, or ``least``."""
    if isinstance(value, (int, np.integer, str)):
        return str(value)
    number = as_float(value)
    if number is None or number.is_integer():  # no number, and no agreement either; or a whole one
        return str(value if number is None else int(number))
    try:
        decimals = max(least, -int(Decimal(printed).as_tuple().exponent))
    except InvalidOperation:
        decimals = 2
    return f"{number:.{decimals + 2}f}"


def row(values: tuple[str, ...], longest: int = 12) -> str:
    if len(values) <= longest:
        return " ".join(values)
    return " ".join(values[:longest]) + f" … ({len(values)} values)"
