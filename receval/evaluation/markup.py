"""Tables of text as HTML and LaTeX, and the sentence on users that goes with each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import pandas as pd

TEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "_%&#${}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        **dict.fromkeys("\r\n\t", " "),
    }
)


def html(head: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]) -> str:
    """An HTML table; the cells of rows are HTML already, but for the first, a name."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    below = "<br>".join(map(escape, notes))
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"


def latex(
    head: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str], columns: str
) -> str:
    """A LaTeX tabular (booktabs); the cells of rows are LaTeX already; notes in comments."""
    return "\n".join(
        [
            *(f"% {' '.join(note.split())}" for note in notes),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(tex, head)) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def tex(text: object) -> str:
    """Text as LaTeX prints it."""
    return str(text).translate(TEX)


def users(counts: pd.DataFrame, each: str = "users") -> str:
    """The counts of users in words; one sentence if all systems have the same."""
    if len(counts.drop_duplicates()) == 1:
        return f"{each}: {in_words(counts.iloc[0])}"
    return f"{each}: " + "; ".join(f"{name}: {in_words(row)}" for name, row in counts.iterrows())


def in_words(row: pd.Series) -> str:
    """One system's counts: "3 judged, 2 answered, …"."""
    return ", ".join(f"{count} {what}" for what, count in row.items())
