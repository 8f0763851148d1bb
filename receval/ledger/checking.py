"""The comparison of a printed figure with the value computed for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from receval._checks import InputError, as_float, check_choice, check_that, input_error
from receval._escape import for_html, for_terminal
from receval._types import Record
from receval.ledger.agreement import agrees
from receval.ledger.figures import CLAIMS, expected_verdict, figure, flatten, recorded_fields
from receval.ledger.reading import html_row, verdict_html

__all__ = ["Check", "Checks", "check"]

MIME = "application/vnd.receval.check+json"
MAX_VALUES = 12  # shown at most, if a figure consists of many


@dataclass(frozen=True)
class Check:
    """A published figure and the value computed for it.

    Attributes
    ----------
    id, where, what : str
        The identifier of the figure, where it is printed, and a description.
    printed, computed : tuple of str
        The figure and the value, which has two decimals more than the figure.
    verdict, expected : str
        The verdict of the comparison, and the one on record; they should be the same.
    reason : str
        Why the two differ, or which variant of the definition gives the figure.
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
        """Return whether the verdict is the one on record."""
        return self.verdict == self.expected

    def __repr__(self) -> str:
        """Return printed and computed values with the verdict, and the reason in a second line."""
        verdict = self.verdict
        if not self.as_expected:
            verdict += f" (on record: {self.expected})"
        values = f"printed {format_values(self.printed)}, computed {format_values(self.computed)}"
        text = for_terminal(f"{self.id}: {values} -> {verdict}")
        if self.reason:
            text += f"\n  {for_terminal(self.reason)}"
        return text

    def _repr_mimebundle_(self, **_: object) -> Record:
        """Return the contents by MIME type, as `Checks` does."""
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

    def _repr_mimebundle_(self, **_: object) -> Record:
        """Return the contents by MIME type, for Jupyter.

        They are text and HTML for people, and a list of records in JSON that `ledger` reads from
        the notebook.
        """
        names = ("figure", "printed", "computed", "verdict")
        head = "".join(f'<th style="text-align: left">{name}</th>' for name in names)
        rows = "".join(map(_html, self))
        html = f"<table><tr>{head}</tr>{rows}</table>"
        records = json.dumps([asdict(check) for check in self])
        return {"text/plain": repr(self), "text/html": html, MIME: records}


def _html(check: Check) -> str:
    """Return a check as a row of a table in HTML."""
    about = f"{for_html(check.id)}<br><small>{for_html(check.what)}</small>"
    if check.reason:
        about += f"<br><small><i>{for_html(check.reason)}</i></small>"
    verdict = verdict_html(check.verdict)
    if not check.as_expected:
        verdict += f"<br><small>on record: {for_html(check.expected)}</small>"
    printed = for_html(format_values(check.printed))
    computed = for_html(format_values(check.computed))
    return html_row(about, printed, computed, verdict)


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
        The computed value or values, as many as the figure has. If the figure is on record as
        consistent with a random process or a bound, give two for each, the ends of the interval.
        With a claim, or for a figure that is not computable, give the value that belongs to the
        ``expected_value`` on record, or nothing if there is none.
    variant : str, optional
        The variant of the definition that the value was computed under, if it is not the
        document's stated one. It must be the one on record.
    holds : bool or {"not established", "by construction"}, optional
        Needed for a claim, and only for a claim: whether it holds on the document's data.
        ``"not established"`` if these data or the test cannot decide it; the power then belongs
        among the values. ``"by construction"`` if the data were made up so that it is true.
    quiet : bool, default False
        Whether to leave out the reason, so that learners can find it.

    Returns
    -------
    Check
        The comparison with its verdict. `ledger` collects those that notebooks show.

    Raises
    ------
    InputError
        If there is no such figure; if there is no value although one can be computed, or a value
        although none is on record; if the number of values or the variant is not the one on
        record; or if ``holds`` is missing for a claim, is given for another figure, or is none of
        the four above.

    Examples
    --------
    >>> check("001/cg", 28)
    001/cg: printed 31, computed 28 -> erratum
      The example takes 7 for U1's rating of M2, the table says 4 (7 is the rating of M7).
    >>> check("001/cg", 31, quiet=True)
    001/cg: printed 31, computed 31 -> reproduced (on record: erratum)
    """
    entry = figure(id)
    is_claim = "claim" in entry
    if is_claim != (holds is not None):
        raise input_error("holds", "be given of a claim, and of nothing else", f"{holds} of {id}")
    # The values to compare with. What is printed of a claim is a sentence, so its record may have
    # an ``expected_value``; so may that of a figure that cannot be computed.
    if is_claim or "not_computable" in entry:
        figures = flatten(entry.get("expected_value", []))
    else:
        figures = flatten(entry["printed"])
    values = _check_values(id, value, len(figures), intervals="consistent" in entry)
    rule = f"be the one on record for {id}, {entry.get('variant')!r}"
    check_that(variant in (None, entry.get("variant")), "variant", rule, variant)

    if not _all_agree(values, figures, entry):
        corrected = flatten(entry.get("corrected", []))
        if _all_agree(values, corrected, entry):
            verdict = "erratum"
        else:
            verdict = "unexplained"
    elif holds is not None:
        verdict = _verdict_on_claim(holds)
    elif variant is None and ("corrected" in entry or "variant" in entry):
        # The record says that the stated definition does not give the printed value, but it does.
        verdict = "reproduced"
    else:
        # The values agree as the record says they do: by the stated definition, under its variant,
        # with the authors' values, with a random process, or with the expected value.
        verdict = expected_verdict(entry)

    decimals = entry.get("decimals", 0)
    computed = tuple(
        format_computed(value, str(printed), decimals)
        for value, printed in zip(values, figures, strict=True)
    )
    fields = recorded_fields(entry)
    if quiet:
        fields["reason"] = ""
    if not computed:
        computed = ("–",)  # for a claim or figure without any value to compute
    return Check(id=id, computed=computed, verdict=verdict, **fields)


def _verdict_on_claim(holds: object) -> str:
    """Return the verdict on a claim; ``holds`` is that of `check`."""
    if isinstance(holds, str):
        # "not established" and "by construction"; True and False stand for "holds" and "fails".
        answers_in_words = [name for name in CLAIMS if " " in name]
        return CLAIMS[check_choice(holds, "holds", answers_in_words)]
    if holds:
        return CLAIMS["holds"]
    return CLAIMS["fails"]


def _check_values(id: str, value: object, n: int, *, intervals: bool) -> list[object]:
    """Return the n values of a figure as a flat list, or n pairs of values if they are intervals.

    ``value`` is that of `check`, and n the number of values on record; 0 if none is expected.
    Raises if there are more or fewer values.
    """
    if value is None:
        if n:
            raise InputError(f"value must be given; {id} can be computed, or what stands beside it")
        return []
    if not n:
        raise InputError(f"value must be left out; no expected_value is on record for {id}")
    values = flatten(value)
    if not intervals:
        if len(values) != n:
            rule = f"hold {n} values, as many as {id} prints"
            raise input_error("value", rule, len(values))
        return values
    if len(values) != 2 * n:
        rule = f"hold {n} intervals, each a low and a high end, as many as {id} prints"
        raise input_error("value", rule, len(values))
    return list(zip(values[::2], values[1::2], strict=True))


def _all_agree(values: list[object], figures: list[object], entry: Record) -> bool:
    """Return whether there are as many values as figures, and each agrees with its figure.

    A value that is a pair, the ends of an interval, agrees with a figure inside the interval.
    """
    if len(figures) != len(values):
        return False
    options = {key: entry[key] for key in ("kind", "input_digits", "decimals") if key in entry}
    return all(
        agrees(_nearest(value, printed), str(printed), **options)
        for value, printed in zip(values, figures, strict=True)
    )


def _nearest(value: object, printed: object) -> object:
    """Return the value, or, if it is an interval, the number in it nearest to the printed one."""
    if isinstance(value, tuple):
        low, high = value
        return min(max(float(str(printed)), low), high)
    return value


def format_computed(value: object, printed: str, least: int = 0) -> str:
    """Return a computed value as text, with two decimals more than the printed figure has.

    ``least`` is the number of decimals that the figure counts as having, if it has fewer. Whole
    numbers get no decimals, and an interval is shown by both ends.
    """
    if isinstance(value, tuple):
        return " to ".join(format_computed(end, printed, least) for end in value)
    number = as_float(value)
    if number is None:  # text, for example
        return str(value)
    if number.is_integer():
        return str(int(number))
    decimals = max(least, len(printed.partition(".")[2]))
    return f"{number:.{decimals + 2}f}"


def format_values(values: Sequence[str]) -> str:
    """Return values in one line; of more than twelve, the first twelve and the number of all."""
    text = " ".join(values[:MAX_VALUES])
    if len(values) > MAX_VALUES:
        text += f" … ({len(values)} values)"
    return text
