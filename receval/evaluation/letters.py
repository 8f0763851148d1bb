"""The table of means, with letters where systems differ significantly."""

from __future__ import annotations

from itertools import chain, count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import pandas as pd

from receval._checks import input_error
from receval.evaluation import notes as lines
from receval.evaluation.report import ComparisonTable, check_digits
from receval.evaluation.settings import WORDS
from receval.evaluation.verdicts import outcome

if TYPE_CHECKING:
    from receval.evaluation.comparison import Comparison


def table(self: Comparison, digits: int = 3, *, intervals: bool = False) -> ComparisonTable:
    """The means of all systems, marked where they differ significantly from a baseline.

    Parameters
    ----------
    digits : int, default 3
        Decimals.
    intervals : bool, default False
        Whether each mean has its bootstrap interval beside it.

    Returns
    -------
    Table
        ▲a: the verdict is "better" than the baseline lettered a; ▼a: "worse". In LaTeX the
        letters are superscripts and subscripts. Where all pairs are compared only ▲ is
        shown. The best value of each measure is bold.
    """
    check_digits(digits)
    evaluation, settings, results = self.evaluation, self.settings, self.results
    compared = list(results.index.unique("measure"))
    shown = {*compared, *self.not_compared}
    means = evaluation.summary[[name for name in evaluation.summary if name in shown]]
    letters = chain(ascii_lowercase, (f"[{place}]" for place in count(27)))
    letter = dict(zip(self.baselines, letters, strict=False))
    spans, better, worse = (pd.DataFrame("", means.index, means.columns, object) for _ in range(3))
    for (measure, system, base), verdict in zip(results.index, results["verdict"], strict=True):
        found = outcome(verdict)
        if found > 0:
            better.loc[system, measure] += letter[base]
        elif found < 0 and len(letter) == len(means):
            better.loc[base, measure] += letter[system]
        elif found < 0:
            worse.loc[system, measure] += letter[base]
    notes = [WORDS["notes"]["legend"]]
    if intervals:
        if settings.level is None:
            raise input_error(
                "intervals", "be drawn to be shown", "a comparison with interval=False"
            )
        how: Any = {"rng": settings.seed, "n_resamples": settings.n_resamples}
        spanned = evaluation.interval(settings.level, measures=compared, **how)
        spanned = spanned[~spanned.index.isin(evaluation._of_all, level="measure")]
        for (measure, system), low, high in spanned[["low", "high"]].itertuples():
            spans.loc[system, measure] = f"[{low:.{digits}f}, {high:.{digits}f}]"
        notes += [f"brackets: {100 * settings.level:g}% bootstrap interval of each mean by itself"]
    *choices, users = self.notes()
    fewer = lines.on_users(evaluation.n.filter(list(means)), evaluation.counts, evaluation._each)
    names = {base: f"{base} ({mark})" for base, mark in letter.items()}
    told = (*notes, *choices, *fewer, users)
    beside = tuple(marks.rename(index=names) for marks in (spans, better, worse))
    return ComparisonTable(means.rename(index=names), digits, True, told, evaluation._lower, beside)
