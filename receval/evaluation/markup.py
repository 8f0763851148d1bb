"""Tables of text as HTML and LaTeX, and the sentence on users that goes with each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

import pandas as pd

from receval.evaluation.settings import WORDS

TEX = str.maketrans(WORDS["tex"])


def html(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """An HTML table of cells that are HTML already; ``head`` stands over the names of rows."""
    names = "".join(f"<th>{escape(name)}</th>" for name in (*head, *cells))
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for name, *row in _rows(head, cells, in_html)
    )
    below = "<br>".join(map(escape, notes))
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"


def latex(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """A LaTeX tabular (booktabs) of cells that are LaTeX already; notes in comments."""
    comments = [f"% {' '.join(note.split())}" for note in notes]
    begin = rf"\begin{{tabular}}{{{'l' * len(head) + 'r' * cells.shape[1]}}}"
    rows = [map(tex, (*head, *cells)), *_rows(head, cells, tex)]
    top, *body = (" & ".join(row) + r" \\" for row in rows)
    table = [begin, r"\toprule", top, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*comments, *table])


def markdown(head: Sequence[str], cells: pd.DataFrame, notes: Iterable[str]) -> str:
    """A Markdown table of cells that are Markdown already, notes in a paragraph below."""
    rule = ["---"] * len(head) + ["---:"] * cells.shape[1]
    lines = [[*head, *map(str, cells)], rule, *_rows(head, cells, in_markdown)]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", "; ".join(notes)])


def in_html(text: object) -> str:
    """Text as HTML shows it."""
    return escape(str(text))


def in_markdown(text: object) -> str:
    """Text as Markdown shows it."""
    return re.sub(r"([\\`*_|<>\[\]#])", r"\\\1", " ".join(str(text).split()))


def _rows(
    head: Sequence[str], cells: pd.DataFrame, shown: Callable[[object], str]
) -> Iterator[list[str]]:
    """Each row: its names as they are ``shown``, and its cells."""
    for key, row in zip(cells.index, cells.to_numpy(), strict=True):
        yield [*map(shown, key if len(head) > 1 else [key]), *row]


def tex(text: object) -> str:
    """Text as LaTeX prints it."""
    return str(text).translate(TEX)


def tex_cell(text: object) -> str:
    """A cell in LaTeX, signs and brackets in mathematics."""
    return f"${text}$" if str(text).startswith(("+", "-", "[", "<")) else tex(text)


def in_words(counts: pd.DataFrame) -> str:
    """The counts of each system: "A: 3 judged, 2 answered, …; B: …"; once if all have the same."""
    rows = [row.items() for _, row in counts.iterrows()]
    told = [", ".join(f"{count} {what}" for what, count in row) for row in rows]
    if len({*told}) == 1:
        return told[0]
    return "; ".join(f"{name}: {one}" for name, one in zip(counts.index, told, strict=True))


def listed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names with commas between them, each once, by what stands before them in ``pairs``."""
    found: dict[str, dict[str, None]] = {}
    for shared, name in pairs:
        found.setdefault(shared, {})[name] = None
    return {shared: ", ".join(names) for shared, names in found.items()}
