"""The comparison of a printed figure with the value computed for it, as text and as HTML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from receval._checks import Record
from receval._escape import for_html, for_terminal
from receval._files import read_toml

MIME = "application/vnd.receval.check+json"
MAX_VALUES = 12  # largest number of values to show for a figure
COLOURS = read_toml("ledger/verdicts.toml")["colours"]


@dataclass(frozen=True)
class Check:
    """A printed figure and the value computed for it.

    Attributes
    ----------
    id, where, what : str
        The identifier of the figure, where it is printed, and a description.
    printed, computed : tuple of str
        The figure and the value, which has two decimals more than the figure.
    verdict, expected : str
        The verdict of the comparison, and the recorded verdict; they should be the same.
    reason : str
        Why the two differ, or which variant of the definition gives the figure.
    entry : dict
        What the ledger's file states about the figure at the time of the check.
    """

    id: str
    where: str
    what: str
    printed: tuple[str, ...]
    computed: tuple[str, ...]
    verdict: str
    expected: str
    reason: str = ""
    entry: Record = field(default_factory=dict, repr=False, compare=False)

    @property
    def as_expected(self) -> bool:
        """Return whether the verdict is the recorded one."""
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

    def _repr_mimebundle_(self, **_: object) -> tuple[Record, Record]:
        """Return the contents by MIME type, and their metadata, as `Checks` does."""
        return Checks([self])._repr_mimebundle_()


def record_of(check: Check) -> Record:
    """Return a check as the ledger reads it, with a fingerprint in place of its figure's entry."""
    return asdict(check) | {"entry": fingerprint(check.entry)}


def fingerprint(entry: Record) -> str:
    """Return a short text that changes if somebody edits the entry of a figure."""
    content = json.dumps(entry, sort_keys=True, default=str)  # TOML has dates, too
    return hashlib.sha256(content.encode()).hexdigest()[:16]


class Checks(tuple[Check, ...]):
    """Several checks, which a notebook shows as one table: ``Checks([check(…), check(…)])``.

    Examples
    --------
    >>> from receval import published
    >>> check = published.check
    >>> Checks([check("001/cg", 28), check("001/dcg", 23.785578)])
    001/cg: printed 31, computed 28 -> erratum
      The example takes 7 as U1's rating of M2, but the table says 4 (7 is the rating of M7).
    001/dcg: printed 25.29, computed 23.7856 -> erratum
      The error follows from the fourth term, which is 3.5 instead of 2.
    """

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))

    def _repr_mimebundle_(self, **_: object) -> tuple[Record, Record]:
        """Return the contents by MIME type, and their metadata, for Jupyter.

        The contents are text and HTML for people, and a list of records in JSON that the ledger
        reads from the notebook. The metadata hold the fingerprints of the figures' entries, by
        which the ledger sees whether somebody edited an entry after the check.
        """
        html = html_table(("figure", "printed", "computed", "verdict"), map(_html_cells, self))
        records = [record_of(check) for check in self]
        entries = [record.pop("entry") for record in records]
        contents = {"text/plain": repr(self), "text/html": html, MIME: json.dumps(records)}
        return contents, {MIME: {"entries": entries}}


def _html_cells(check: Check) -> list[str]:
    """Return the cells of a check's row in a table of HTML."""
    name = f"{for_html(check.id)}<br><small>{for_html(check.what)}</small>"
    if check.reason:
        name += f"<br><small><i>{for_html(check.reason)}</i></small>"
    verdict = verdict_html(check.verdict)
    if not check.as_expected:
        verdict += f"<br><small>on record: {for_html(check.expected)}</small>"
    printed, computed = format_values(check.printed), format_values(check.computed)
    return [name, for_html(printed), for_html(computed), verdict]


def verdict_html(verdict: str) -> str:
    """Return a verdict as HTML, with a bar of its colour before the word."""
    colour = COLOURS.get(verdict, "#000000")
    mark = f"border-left: 0.7em solid {colour}; padding-left: 0.4em; white-space: nowrap"
    return f'<span style="{mark}">{for_html(verdict)}</span>'


def html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of HTML from cells of HTML; they are text, so they are aligned to the left."""
    style = "text-align: left"
    lines = ["".join(f'<th style="{style}">{cell}</th>' for cell in head)]
    for row in rows:
        lines.append(
            "".join(f'<td style="{style}; vertical-align: top">{cell}</td>' for cell in row)
        )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def format_values(values: Sequence[str]) -> str:
    """Return values in one line; a long list is cut, with the number of its values at the end."""
    text = " ".join(values[:MAX_VALUES])
    if len(values) > MAX_VALUES:
        text += f" … ({len(values)} values)"
    return text
