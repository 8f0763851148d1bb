"""Tables of text as HTML, LaTeX and Markdown, and the sentence on users that goes with each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pandas as pd

from receval._escape import (
    for_html,
    for_latex,
    for_latex_comment,
    for_markdown,
    for_markdown_paragraph,
    latex_definitions,
)

NUMBER = r"[-+<]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?(?:nan|inf)"
IN_MATHEMATICS = re.compile(rf"[-+<](?:{NUMBER})|\[(?:{NUMBER}), (?:{NUMBER})\]")
"""Signed numbers, small p-values and intervals, which LaTeX sets with a proper minus sign."""


def html(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """An HTML table of cells that are HTML already; ``head`` stands over the names of rows."""
    names = "".join(f"<th>{for_html(name)}</th>" for name in (*head, *cells))
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for name, *row in _rows(head, cells, for_html)
    )
    below = "<br>".join(map(for_html, notes))
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"


def latex(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """A LaTeX tabular (booktabs) of cells that are LaTeX already; notes in comments.

    Characters that pdfLaTeX may lack are declared in front of the tabular.
    """
    comments = [f"% {for_latex_comment(note)}" for note in notes]
    begin = rf"\begin{{tabular}}{{{'l' * len(head) + 'r' * cells.shape[1]}}}"
    rows = [[*map(for_latex, (*head, *cells))], *_rows(head, cells, for_latex)]
    definitions = latex_definitions(cell for row in rows for cell in row)
    top, *body = (" & ".join(row) + r" \\" for row in rows)
    table = [begin, r"\toprule", top, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*comments, *definitions, *table])


def markdown(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """A Markdown table of cells that are Markdown already, notes in a paragraph below."""
    rule = ["---"] * len(head) + ["---:"] * cells.shape[1]
    names = [for_markdown(name) for name in (*head, *cells)]
    lines = [names, rule, *_rows(head, cells, for_markdown)]
    below = for_markdown_paragraph("; ".join(notes))
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", below])


def _rows(
    head: Sequence[str], cells: pd.DataFrame, shown: Callable[[object], str]
) -> Iterator[list[str]]:
    """Each row: its names as they are ``shown``, and its cells."""
    for key, row in zip(cells.index, cells.to_numpy(), strict=True):
        yield [*map(shown, key if len(head) > 1 else [key]), *row]


def tex_cell(text: object) -> str:
    """A cell in LaTeX, signed numbers and intervals in mathematics."""
    cell = str(text)
    return f"${cell}$" if IN_MATHEMATICS.fullmatch(cell) else for_latex(cell)


def format_counts(counts: pd.DataFrame) -> str:
    """The counts of each system: "A: 3 judged, 2 answered, …; B: …"; once if all have the same."""
    rows = [row.items() for _, row in counts.iterrows()]
    told = [", ".join(f"{count} {what}" for what, count in row) for row in rows]
    if len({*told}) == 1:
        return told[0]
    return "; ".join(f"{name}: {one}" for name, one in zip(counts.index, told, strict=True))


def join_names(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names with commas between them, each once, by what stands before them in ``pairs``."""
    found: dict[str, dict[str, None]] = {}
    for shared, name in pairs:
        found.setdefault(shared, {})[name] = None
    return {shared: ", ".join(names) for shared, names in found.items()}
