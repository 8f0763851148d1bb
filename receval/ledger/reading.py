"""The display of a ledger in a terminal and in a notebook."""

from __future__ import annotations

from textwrap import wrap
from urllib.parse import quote

import pandas as pd

from receval._escape import (
    for_attribute,
    for_html,
    lines_for_terminal,
    without_mathematics,
)
from receval._files import read_toml

__all__ = ["LedgerTable"]

WIDTH = 100  # columns of a terminal
MAX_UNFOLDED = 90  # characters; a notebook folds longer values
COLOURS = read_toml("ledger/verdicts.toml")["colours"]
CLAIM_VERDICTS = set(read_toml("ledger/verdicts.toml")["claims"].values())
COLUMNS = ["what", "where", "printed", "computed", "verdict", "expected", "reason", "cell"]


class LedgerTable(pd.DataFrame):
    """A table of figures, which is shown as a ledger if it has all columns of a ledger."""

    @property
    def _constructor(self) -> type[LedgerTable]:
        return LedgerTable

    def __repr__(self) -> str:
        """Return a line per published figure, and below it its description and reason.

        A claim, whose printed text is a sentence, is also quoted there in full. If the table lacks
        a column of a ledger, it is shown as pandas shows it.
        """
        frame = pd.DataFrame(self)
        if not self._is_ledger():
            return lines_for_terminal(repr(frame))
        id_width = max([len("figure"), *map(len, frame.index)])
        verdict_width = max([len("verdict"), *frame["verdict"].map(len)])
        # The columns "printed" and "computed" share the rest of the width, minus three gaps of two
        # blanks.
        value_width = (WIDTH - id_width - verdict_width - 6) // 2
        widths = [id_width, verdict_width, value_width, value_width]
        lines = []
        for source in self.attrs.get("sources", []):
            lines += _wrap(source, indent="")
        lines.append(_line(["figure", "verdict", "printed", "computed"], widths))
        for figure, row in zip(map(str, frame.index), records_of(frame), strict=True):
            lines.append(_line([figure, row["verdict"], row["printed"], row["computed"]], widths))
            description = row["what"]
            if row["where"]:
                description = f"{description} [{row['where']}]".lstrip()
            texts = [description, row["reason"]]
            # The verdict on record says whether the figure is a claim. Its sentence is mostly too
            # long for the column.
            if row["expected"] in CLAIM_VERDICTS:
                texts.insert(0, f'"{row["printed"]}"')
            for text in texts:
                lines += _wrap(text, indent="    ")
        return lines_for_terminal("\n".join(lines))

    def _is_ledger(self) -> bool:
        """Return whether the table has all columns of a ledger; a selection may lack some."""
        return set(COLUMNS) <= set(self.columns)

    def _repr_html_(self) -> str:
        """Return a table in HTML with links to the cells of the notebooks.

        If the table lacks a column of a ledger, it is shown as pandas shows it.
        """
        if not self._is_ledger():
            html = str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
            return without_mathematics(lines_for_terminal(html))
        head = "".join(f"<th>{name}</th>" for name in ("figure", "verdict", "printed", "computed"))
        rows = "".join(
            _html(figure, row)
            for figure, row in zip(map(str, self.index), records_of(self), strict=True)
        )
        sources = "<br>".join(for_html(source) for source in self.attrs.get("sources", []))
        if sources:
            sources = f"<p>{sources}</p>"
        return f'{sources}<table style="text-align: left"><tr>{head}</tr>{rows}</table>'


def records_of(frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return the rows of a ledger as dicts, which are much faster to read than rows of a frame."""
    texts = pd.DataFrame(frame)[COLUMNS].to_numpy(dtype=object).tolist()
    return [dict(zip(COLUMNS, row, strict=True)) for row in texts]


def _wrap(text: str, *, indent: str) -> list[str]:
    """Return a text as indented lines of at most `WIDTH` columns; none if it is empty."""
    if len(text) + len(indent) <= WIDTH and "\n" not in text and "  " not in text:
        # Most texts fit into a line, and the check is much faster than textwrap.
        return [indent + text.strip()] if text.strip() else []
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _line(cells: list[str], widths: list[int]) -> str:
    """Return cells as a line of columns with these widths; longer cells are cut."""
    padded_cells = []
    for cell, width in zip(cells, widths, strict=True):
        text = cell
        if len(cell) > width:
            text = cell[: width - 1] + "…"
        padded_cells.append(text.ljust(width))
    return "  ".join(padded_cells).rstrip()


def _html(figure: str, row: dict[str, str]) -> str:
    """Return a row of the ledger as a row of a table in HTML; ``figure`` is its id."""
    name = for_html(figure)
    if row["cell"]:
        link = quote(row["cell"], safe="/#=", errors="replace")
        name = f'<a href="{link}" title="{for_attribute(figure)}">{name}</a>'
    about = f"{for_html(row['what'])}<br><small>{for_html(row['where'])}</small>"
    if row["reason"]:
        about += f"<br><small><i>{for_html(row['reason'])}</i></small>"
    printed, computed = _fold(row["printed"]), _fold(row["computed"])
    return html_row(f"{name}<br>{about}", verdict_html(row["verdict"]), printed, computed)


def verdict_html(verdict: str) -> str:
    """Return a verdict as HTML, with a bar of its colour before the word."""
    colour = COLOURS.get(verdict, "#000000")
    mark = f"border-left: 0.7em solid {colour}; padding-left: 0.4em; white-space: nowrap"
    return f'<span style="{mark}">{for_html(verdict)}</span>'


def html_row(*cells: str) -> str:
    """Return a table row of HTML; its cells are text, so they are aligned to the left."""
    style = "text-align: left; vertical-align: top"
    return "<tr>" + "".join(f'<td style="{style}">{cell}</td>' for cell in cells) + "</tr>"


def _fold(text: str) -> str:
    """Return a text as HTML; a long one shows its beginning until the reader unfolds it."""
    if len(text) <= MAX_UNFOLDED:
        return for_html(text)
    beginning = for_html(text[: MAX_UNFOLDED // 2].rpartition(" ")[0])  # cut between two words
    return f"<details><summary>{beginning} …</summary>{for_html(text)}</details>"
