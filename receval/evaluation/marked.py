"""The table of means, marked where systems differ significantly."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

import pandas as pd

from receval.evaluation import notes as lines
from receval.evaluation.report import Table

if TYPE_CHECKING:
    from receval.evaluation.comparison import Comparison

LEGEND = (
    "▲a significantly better than the system marked (a), ▼a worse; in LaTeX superscript and "
    "subscript"
)


def marked_table(comparison: Comparison, digits: int, intervals: bool) -> Table:
    """The means with a letter for each baseline that a system differs from significantly."""
    evaluation, settings = comparison.evaluation, comparison.settings
    means = _means(comparison)
    letter = {base: _letter(place) for place, base in enumerate(comparison.baselines)}
    better, worse = _marks(comparison, letter)
    spans = pd.DataFrame("", index=means.index, columns=means.columns, dtype=object)
    notes = [LEGEND, *comparison.notes()]
    fewer = lines.on_users(
        evaluation.n[evaluation.n.columns.intersection(means.columns)],
        evaluation.counts,
        evaluation._each,
    )
    if intervals:
        found = evaluation.interval(
            settings.level,
            rng=settings.seed,
            n_resamples=settings.n_resamples,
            measures=list(comparison.results.index.unique("measure")),
        )
        ends = zip(found.index, found["low"], found["high"], strict=True)
        for (measure, system), low, high in ends:
            spans.loc[system, measure] = f"[{low:.{digits}f}, {high:.{digits}f}]"
        notes.insert(
            1, f"brackets: {100 * settings.level:g}% bootstrap interval of each mean by itself"
        )
    names = {base: f"{base} ({mark})" for base, mark in letter.items()}
    beside = {
        "text": _around(" ", spans, "") + _around(" ▲", better, "") + _around(" ▼", worse, ""),
        "html": _around(" <small>", spans, "</small>")
        + _around(" <sup>▲", better, "</sup>")
        + _around(" <sub>▼", worse, "</sub>"),
        "latex": _around(r" {\scriptsize ", spans, "}")
        + _around("$^{", better, "}$")
        + _around("$_{", worse, "}$"),
    }
    return Table(
        means.rename(index=names),
        evaluation.counts,
        digits,
        bold=True,
        beside={form: cells.rename(index=names) for form, cells in beside.items()},
        notes=(*notes[:-1], *fewer),  # the last one, on users, is the table's own
        each=evaluation._each,
        lower=evaluation._lower,
    )


def _means(comparison: Comparison) -> pd.DataFrame:
    """Of the measures compared, and of those that cannot be but were wanted."""
    shown = {*comparison.results.index.unique("measure"), *comparison.not_compared}
    means: pd.DataFrame = comparison.evaluation.summary
    return means[[name for name in means.columns if name in shown]]


def _marks(comparison: Comparison, letter: dict[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """For each mean the letters of those it is significantly better and worse than.

    Where every system is a baseline, the better one of a pair is marked only.
    """
    means = _means(comparison)
    better = pd.DataFrame("", index=means.index, columns=means.columns, dtype=object)
    worse = better.copy()
    results = comparison.results
    for (measure, system, base), verdict in zip(results.index, results["verdict"], strict=True):
        if verdict == "better":
            better.loc[system, measure] += letter[base]
        elif verdict == "worse" and len(letter) == len(means):
            better.loc[base, measure] += letter[system]
        elif verdict == "worse":
            worse.loc[system, measure] += letter[base]
    return better, worse


def _around(before: str, cells: pd.DataFrame, after: str) -> pd.DataFrame:
    return cells.map(lambda cell: f"{before}{cell}{after}" if cell else "")


def _letter(place: int) -> str:
    """a, b, …, z, then numbers in brackets."""
    return ascii_lowercase[place] if place < len(ascii_lowercase) else f"[{place + 1}]"
