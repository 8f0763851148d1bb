"""The ledger as people read it: in a terminal, and in a notebook."""

from __future__ import annotations

from textwrap import wrap

import pandas as pd

from receval._escape import (
    for_attribute,
    for_html,
    for_link,
    frame_for_terminal,
    without_mathematics,
)
from receval._files import read_toml

__all__ = ["LedgerTable"]

WIDTH = 100  # columns of a terminal
FOLD = 90  # characters; longer values are folded in a notebook
COLOURS = read_toml("published/verdicts.toml")["colours"]
CLAIMS = set(read_toml("published/verdicts.toml")["claims"].values())
COLUMNS = ["what", "where", "printed", "computed", "verdict", "expected", "reason", "cell"]


class LedgerTable(pd.DataFrame):
    """A table of figures that shows itself as a ledger while it has the columns of one."""

    @property
    def _constructor(self) -> type[LedgerTable]:
        return LedgerTable

    def __repr__(self) -> str:
        if not {*COLUMNS} <= {*self.columns}:
            return repr(frame_for_terminal(pd.DataFrame(self)))
        shown = frame_for_terminal(pd.DataFrame(self))
        ids = max([len("figure"), *map(len, shown.index)])
        words = max([len("verdict"), *shown["verdict"].map(len)])
        values = (WIDTH - ids - words - 6) // 2
        widths = [ids, words, values, values]
        lines = [_line(["figure", "verdict", "printed", "computed"], widths)]
        for figure, row in shown.iterrows():
            lines += [_line([str(figure), row["verdict"], row["printed"], row["computed"]], widths)]
            claim = f'"{row["printed"]}"' if row["expected"] in CLAIMS else ""
            for text in (claim, f"{row['what']} [{row['where']}]", row["reason"]):
                lines += wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not {*COLUMNS} <= {*self.columns}:
            plain = frame_for_terminal(pd.DataFrame(self))
            return without_mathematics(str(plain._repr_html_()))  # type: ignore[operator]
        head = "".join(f"<th>{name}</th>" for name in ("figure", "verdict", "printed", "computed"))
        rows = "".join(_html(str(figure), row) for figure, row in self.iterrows())
        return f'<table style="text-align: left"><tr>{head}</tr>{rows}</table>'


def _line(cells: list[str], widths: list[int]) -> str:
    cut = [c if len(c) <= w else c[: w - 1] + "…" for c, w in zip(cells, widths, strict=True)]
    return "  ".join(c.ljust(w) for c, w in zip(cut, widths, strict=True)).rstrip()


def _html(figure: str, row: pd.Series) -> str:
    name = for_html(figure)
    if row["cell"]:
        name = f'<a href="{for_link(row["cell"])}" title="{for_attribute(figure)}">{name}</a>'
    about = f"{for_html(row['what'])}<br><small>{for_html(row['where'])}</small>"
    if row["reason"]:
        about += f"<br><small><i>{for_html(row['reason'])}</i></small>"
    values = _folded(row["printed"]), _folded(row["computed"])
    return html_row(f"{name}<br>{about}", coloured(row["verdict"]), *values)


def coloured(verdict: str) -> str:
    """A verdict as HTML, with a bar of its colour before the word."""
    colour = COLOURS.get(verdict, "#000000")
    mark = f"border-left: 0.7em solid {colour}; padding-left: 0.4em; white-space: nowrap"
    return f'<span style="{mark}">{for_html(verdict)}</span>'


def html_row(*cells: str) -> str:
    """A row of a table of verdicts: text, which is not numbers to be aligned to the right."""
    style = "text-align: left; vertical-align: top"
    return "<tr>" + "".join(f'<td style="{style}">{cell}</td>' for cell in cells) + "</tr>"


def _folded(text: str) -> str:
    if len(text) <= FOLD:
        return for_html(text)
    first = for_html(text[: FOLD // 2].rpartition(" ")[0])
    return f"<details><summary>{first} …</summary>{for_html(text)}</details>"
