"""The comparison of a printed figure with the value computed for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from receval._checks import Record
from receval._escape import for_attribute, for_html, for_terminal, lines_for_terminal
from receval.ledger.reading import COLOURS, html_row, verdict_html

__all__ = ["Check", "Checks", "TableChecks"]

MIME = "application/vnd.receval.check+json"
MAX_VALUES = 12  # largest number of values to show for a figure
MARKS = {True: "", False: " !"}  # put after a cell of a text table, by whether it is as expected


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

    def _repr_mimebundle_(self, **_: object) -> Record:
        """Return the contents by MIME type, as `Checks` does."""
        return Checks([self])._repr_mimebundle_()


class Checks(tuple[Check, ...]):
    """Several checks, which a notebook shows as one table: ``Checks([check(…), check(…)])``.

    Examples
    --------
    >>> from receval import published
    >>> check = published.check
    >>> Checks([check("001/cg", 28, quiet=True), check("001/dcg", 23.785578, quiet=True)])
    001/cg: printed 31, computed 28 -> erratum
    001/dcg: printed 25.29, computed 23.7856 -> erratum
    """

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))

    def _repr_html_(self) -> str:
        names = ("figure", "printed", "computed", "verdict")
        head = "".join(f'<th style="text-align: left">{name}</th>' for name in names)
        rows = "".join(map(_html, self))
        return f"<table><tr>{head}</tr>{rows}</table>"

    def _repr_mimebundle_(self, **_: object) -> Record:
        """Return the contents by MIME type, for Jupyter.

        They are text and HTML for people, and a list of records in JSON that the ledger reads from
        the notebook.
        """
        records = json.dumps([asdict(check) for check in self])
        return {"text/plain": repr(self), "text/html": self._repr_html_(), MIME: records}


class TableChecks(Checks):
    """The checks of a printed table, shown as a table with the colour of the verdict in each cell.

    Attributes
    ----------
    cells : DataFrame
        The check of each cell, with the labels of the printed table; None where nothing is printed.
    """

    cells: pd.DataFrame

    @classmethod
    def of_cells(cls, cells: pd.DataFrame) -> TableChecks:
        """Return the checks of a table from a frame of them, with None for empty cells."""
        checks = cells.to_numpy(dtype=object).ravel()
        result = cls(check for check in checks if check is not None)
        result.cells = cells
        return result

    @property
    def verdicts(self) -> pd.DataFrame:
        """Return the verdict of each cell; "" where nothing is printed."""
        return self.cells.map(lambda check: "" if check is None else check.verdict)

    def __repr__(self) -> str:
        """Return the printed table, with a mark and a line below for each unexpected cell."""

        def show(check: Check | None) -> str:
            """Return what is printed in a cell, with a mark if its verdict is unexpected."""
            if check is None:
                return ""
            return " ".join(check.printed) + MARKS[check.as_expected]

        table = lines_for_terminal(self.cells.map(show).to_string())
        unexpected = [repr(check) for check in self if not check.as_expected]
        return "\n".join([table, summary_line(self), *unexpected])

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th style="text-align: left">{for_html(name)}</th>' for name in self.cells.columns
        )
        lines = [f"<tr><th></th>{head}</tr>"]
        for row, checks in zip(self.cells.index, self.cells.to_numpy(dtype=object), strict=True):
            cells = "".join(map(_cell_html, checks))
            lines.append(f'<tr><th style="text-align: left">{for_html(row)}</th>{cells}</tr>')
        verdicts = dict.fromkeys(check.verdict for check in self)
        legend = " &nbsp; ".join(map(verdict_html, verdicts))
        summary = f"<p>{for_html(summary_line(self))}<br>{legend}</p>"
        others = Checks(check for check in self if not check.as_expected)
        if others:
            summary += others._repr_html_()
        return f"<table>{''.join(lines)}</table>{summary}"


def summary_line(checks: Iterable[Check]) -> str:
    """Return a sentence such as "40 cells: 39 reproduced, 1 erratum; 1 not as recorded"."""
    every_check = list(checks)
    counts = Counter(check.verdict for check in every_check)
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    n_unexpected = sum(not check.as_expected for check in every_check)
    line = f"{len(every_check)} cells: {text}"
    if n_unexpected:
        line += f"; {n_unexpected} not as recorded"
    return line


def _cell_html(check: Check | None) -> str:
    """Return a cell of a printed table in the colour of its verdict."""
    if check is None:
        return "<td></td>"
    colour = COLOURS.get(check.verdict, "#000000")
    style = (
        f"text-align: left; border-left: 0.5em solid {colour}; background: {colour}22; "
        "white-space: nowrap"
    )
    printed = for_html(format_values(check.printed))
    if not check.as_expected:
        printed = f"<b>{printed}</b>"
    computed = for_html(format_values(check.computed))
    tip = for_attribute(f"{check.id}: {check.verdict}. {check.reason}")
    return f'<td style="{style}" title="{tip}">{printed}<br><small>{computed}</small></td>'


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


def format_values(values: Sequence[str]) -> str:
    """Return values in one line; a long list is cut, with the number of its values at the end."""
    text = " ".join(values[:MAX_VALUES])
    if len(values) > MAX_VALUES:
        text += f" … ({len(values)} values)"
    return text
