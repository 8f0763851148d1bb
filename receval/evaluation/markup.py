"""Write cells of tables as LaTeX, and counts of users and names of measures as text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

import pandas as pd

from receval._escape import (
    for_latex,
)

NUMBER = r"[-+<]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?(?:nan|inf)"
IN_MATHEMATICS = re.compile(rf"[-+<](?:{NUMBER})|\[(?:{NUMBER}), (?:{NUMBER})\]")
"""Signed numbers, small p-values and intervals, which LaTeX sets with a proper minus sign."""


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
