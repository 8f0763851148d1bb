"""Write tables of text as HTML, LaTeX and Markdown, and counts of users as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import pandas as pd

from receval._escape import (
    for_html,
    for_latex,
    for_markdown,
    one_line,
)

NUMBER = r"[-+<]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?(?:nan|inf)"
IN_MATHEMATICS = re.compile(rf"[-+<](?:{NUMBER})|\[(?:{NUMBER}), (?:{NUMBER})\]")
"""Signed numbers, small p-values and intervals, which LaTeX sets with a proper minus sign."""


def html(index_names: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """Return an HTML table with notes below.

    ``cells`` are HTML already. The notes and the names of rows and columns are plain text.
    ``index_names`` are the headings over the names of rows.
    """
    heading = "".join(f"<th>{for_html(name)}</th>" for name in (*index_names, *cells))
    lines = []
    # The first name of a row is its header; further names are cells.
    for name, *row in _rows(index_names, cells, for_html):
        columns = "".join(f"<td>{cell}</td>" for cell in row)
        lines.append(f"<tr><th>{name}</th>{columns}</tr>")
    body = "".join(lines)
    below = "<br>".join(map(for_html, notes))
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"


def latex(index_names: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """Return a LaTeX tabular (booktabs) with notes in comments.

    ``cells`` are LaTeX already. The notes and the names of rows and columns are plain text.
    ``index_names`` are the headings over the names of rows. The first row of the tabular
    has the headings.
    """
    comments = [f"% {one_line(note)}" for note in notes]
    # Names are aligned left, cells right.
    alignment = "".join(["l"] * len(index_names) + ["r"] * cells.shape[1])
    heading = [for_latex(name) for name in (*index_names, *cells)]
    rows = [heading, *_rows(index_names, cells, for_latex)]
    heading_line, *body = (" & ".join(row) + r" \\" for row in rows)
    table = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        heading_line,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*comments, *table])


def markdown(index_names: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """Return a Markdown table with notes in a paragraph below.

    ``cells`` are Markdown already. The notes and the names of rows and columns are plain text.
    ``index_names`` are the headings over the names of rows.
    """
    # The line below the headings aligns names left and cells right.
    rule = ["---"] * len(index_names) + ["---:"] * cells.shape[1]
    heading = [for_markdown(name) for name in (*index_names, *cells)]
    rows = [heading, rule, *_rows(index_names, cells, for_markdown)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    # A backslash keeps notes that begin with "- " or "1." from becoming a list.
    below = re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", for_markdown("; ".join(notes)))
    return "\n".join([*lines, "", below])


def _rows(
    index_names: Sequence[str], cells: pd.DataFrame, escape: Callable[[object], str]
) -> Iterator[list[str]]:
    """Yield the texts of each row: first its names, escaped, and then its cells, unchanged.

    A row has a name for each of the ``index_names``. If there are several, the frame's index has
    tuples.
    """
    for key, row in zip(cells.index, cells.to_numpy(), strict=True):
        names = key if len(index_names) > 1 else [key]
        yield [*map(escape, names), *row]


def tex_cell(text: object) -> str:
    """Return a cell in LaTeX, with signed numbers and intervals in mathematics ("$-1.5$")."""
    cell = str(text)
    if IN_MATHEMATICS.fullmatch(cell):
        return f"${cell}$"
    return for_latex(cell)


def format_counts(counts: pd.DataFrame) -> str:
    """Return the counts of each system as text: "A: 3 judged, 2 answered, …; B: …".

    ``counts`` has a row for each system and a column for each count, such as "judged". If all
    systems have the same counts, they appear once and without a name.
    """
    text_by_system: dict[Hashable, str] = {}
    for system, row in counts.iterrows():
        text_by_system[system] = ", ".join(f"{count} {name}" for name, count in row.items())
    if len({*text_by_system.values()}) == 1:
        return next(iter(text_by_system.values()))
    return "; ".join(f"{system}: {text}" for system, text in text_by_system.items())


def join_names(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Group pairs (key, name) by key and join the names of each key with commas.

    Each name of a key appears once, in the order of the pairs.
    """
    names_by_key: dict[str, dict[str, None]] = {}  # the inner dicts serve as ordered sets
    for key, name in pairs:
        names_by_key.setdefault(key, {})[name] = None
    return {key: ", ".join(names) for key, names in names_by_key.items()}
