"""Tables for people, with notes, in text, HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._escape import (
    for_html,
    for_latex,
    for_markdown,
    for_terminal,
    lines_for_terminal,
    one_line,
)

ADVICE = "[advice]"
"""What separates the fact in a note from the advice to the user."""


def with_advice(notes: Iterable[str]) -> list[str]:
    """Return notes as tables show them, without the marks that separate facts from advice."""
    return [note.replace(ADVICE, "") for note in notes]


def without_advice(notes: Iterable[str]) -> list[str]:
    """Return the facts of notes, for a paper, without the advice to users."""
    return [note.partition(ADVICE)[0] for note in notes]


# Tables -------------------------------------------------------------------------------------------

NUMBER = r"[-+<]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?(?:nan|inf)"
IN_MATHEMATICS = re.compile(rf"[-+<](?:{NUMBER})|\[(?:{NUMBER}), (?:{NUMBER})\]")
"""Signed numbers, small p-values and intervals, which LaTeX sets with a proper minus sign."""


def tex_cell(text: object) -> str:
    """Return a cell in LaTeX, with signed numbers and intervals in mathematics ("$-1.5$")."""
    cell = str(text)
    if IN_MATHEMATICS.fullmatch(cell):
        return f"${cell}$"
    return for_latex(cell)


class CellFormat(NamedTuple):
    """Format of the cells of a table in one language.

    Attributes
    ----------
    escape : callable
        Function that makes text safe in the language.
    best, second : str
        The templates of the best and the second-best value; "{}" stands for the value.
    signs : dict
        What stands for the signs "▲", "▼" and "±" after a value.
    """

    escape: Callable[[object], str]
    best: str
    second: str
    signs: Mapping[str, str] = {"▲": " ▲", "▼": " ▼"}


FORMATS = {
    "text": CellFormat(str, "{}", "{}"),
    "html": CellFormat(for_html, "<b>{}</b>", "<u>{}</u>"),
    "markdown": CellFormat(for_markdown, "**{}**", "*{}*"),
    "latex": CellFormat(
        tex_cell,
        r"\textbf{{{}}}",
        r"\underline{{{}}}",
        {"▲": r"$^{\uparrow}$", "▼": r"$_{\downarrow}$", "±": r"$\pm$"},
    ),
}
"""The format of cells by language."""


@dataclass(frozen=True, eq=False)
class ComparisonTable:
    """A table with notes below it, such as a table of means with counts of users.

    Attributes
    ----------
    summary : DataFrame
        The values: systems in rows, measures in columns.
    digits : dict of int
        Number of decimals by column; columns of text and of whole numbers need none.
    marked : int
        How many values of each column are marked if there are several rows: 0, 1 (the best, in
        bold) or 2 (also the second-best, which is underlined).
    notes : tuple of str
        Lines below the table.
    lower : collection of str
        The columns whose lowest value is the best.
    marks : DataFrame or None
        Texts after the values, in the shape of ``summary``: the marks ▲ and ▼ of systems that are
        significantly better or worse than the baseline, or how much the values spread, or "".
    is_transposed : bool
        Whether the rows of ``summary`` are shown as columns.
    """

    summary: pd.DataFrame
    digits: Mapping[str, int]
    marked: int
    notes: tuple[str, ...]
    lower: Collection[str] = ()
    marks: pd.DataFrame | None = None
    is_transposed: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return the cells as text: values with the table's decimals, each with its added texts."""
        return self._cells("text")

    def to_latex(self) -> str:
        """Return a LaTeX tabular (booktabs), with best values in bold and notes in comments."""
        rows = self._rows("latex")
        heading, *body = (" & ".join(row) + r" \\" for row in rows)
        # Names are aligned left, cells right.
        alignment = "".join(["l"] * self._n_names + ["r"] * (len(rows[0]) - self._n_names))
        comments = [f"% {one_line(note)}" for note in self.notes]
        begin = rf"\begin{{tabular}}{{{alignment}}}"
        end = r"\end{tabular}"
        lines = [begin, r"\toprule", heading, r"\midrule", *body, r"\bottomrule", end]
        return "\n".join([*comments, *lines])

    def to_markdown(self) -> str:
        """Return a table in Markdown, with best values in bold and notes below."""
        heading, *rows = self._rows("markdown")
        # The line below the headings aligns names left and cells right.
        rule = ["---"] * self._n_names + ["---:"] * (len(heading) - self._n_names)
        lines = [f"| {' | '.join(row)} |" for row in (heading, rule, *rows)]
        # A backslash keeps notes that begin with "- " or "1." from becoming a list.
        below = re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", for_markdown("; ".join(self.notes)))
        return "\n".join([*lines, "", below])

    def __repr__(self) -> str:
        table = lines_for_terminal(self.to_frame().to_string())
        return "\n".join([table, *map(for_terminal, self.notes)])

    def _repr_html_(self) -> str:
        heading, *rows = self._rows("html")
        head = "".join(f"<th>{name}</th>" for name in heading)
        body = ""
        # The first name of a row is its header; further names are cells.
        for name, *cells in rows:
            columns = "".join(f"<td>{cell}</td>" for cell in cells)
            body += f"<tr><th>{name}</th>{columns}</tr>"
        below = "<br>".join(map(for_html, self.notes))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"

    @property
    def _n_names(self) -> int:
        """Return how many columns the names of rows take."""
        if self.is_transposed:
            return 1
        return self.summary.index.nlevels

    def _rows(self, language: str) -> list[list[str]]:
        """Return the rows of the table in a markup language; the first one has the headings."""
        cells = self._cells(language)
        escape = FORMATS[language].escape
        rows = [[escape(name or "") for name in (*cells.index.names, *cells)]]
        for key, row in zip(cells.index, cells.to_numpy(), strict=True):
            names = [key]
            if self._n_names > 1:
                names = list(key)
            rows.append([*map(escape, names), *row])
        return rows

    def _cells(self, language: str) -> pd.DataFrame:
        """Return the values as text in a markup language, with the best ones and ``marks`` marked.

        ``language`` is a key of `FORMATS`. The result has the rows and columns of ``summary``, or
        its rows as columns.
        """
        cell_format = FORMATS[language]
        templates = [cell_format.best, cell_format.second][: self.marked]
        columns = {}
        for name, values in self.summary.items():
            digits = self.digits.get(str(name), 0)
            texts = [_format_value(value, digits, cell_format) for value in values]
            if len(texts) > 1:
                texts = _mark_best(values, texts, templates, lower_is_better=name in self.lower)
            columns[name] = texts
        cells = pd.DataFrame(columns, self.summary.index, self.summary.columns, dtype=object)
        if self.marks is not None:
            signs = str.maketrans(dict(cell_format.signs))
            cells += self.marks.map(lambda mark: mark.translate(signs))
        if self.is_transposed:
            return cells.T.rename_axis(index="measure")
        return cells


def _format_value(value: object, digits: int, cell_format: CellFormat) -> str:
    """Return a cell's value as text: numbers with some decimals, "–" for NaN.

    Text and whole numbers are only escaped.
    """
    if not isinstance(value, float):
        return cell_format.escape(value)
    if np.isnan(value):
        return "–"
    return f"{value:.{digits}f}"


def _mark_best(
    values: pd.Series, texts: list[str], templates: list[str], *, lower_is_better: bool
) -> list[str]:
    """Return the texts of a column's values, of which the best ones are put into templates.

    The first template is for the best value, the second one for the second-best. Values whose texts
    are equal are marked alike.
    """
    # Sort the places of the values, the best first, and take each text once.
    places = values.reset_index(drop=True).dropna().sort_values(ascending=lower_is_better).index
    best_texts = pd.Series(texts)[places].unique()
    template_by_text = dict(zip(best_texts, templates, strict=False))
    return [template_by_text.get(text, "{}").format(text) for text in texts]
