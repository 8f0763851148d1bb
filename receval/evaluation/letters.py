"""Letters for a table of means: a baseline's letter marks systems that beat it or lose to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count
from string import ascii_lowercase
from typing import NamedTuple

import pandas as pd

from receval._types import Id
from receval.evaluation.comparison_verdicts import outcome


class VerdictMarks(NamedTuple):
    """Two tables shaped like the means: letters of baselines that a system beats, or loses to."""

    better: pd.DataFrame
    worse: pd.DataFrame


def letter_by_baseline(baselines: Iterable[Id]) -> dict[Id, str]:
    """Return a letter for each baseline; after "z" come "[27]", "[28]", …."""
    numbers = (f"[{number}]" for number in count(27))
    return dict(zip(baselines, chain(ascii_lowercase, numbers), strict=False))


def verdict_marks(
    results: pd.DataFrame, letters: Mapping[Id, str], means: pd.DataFrame
) -> VerdictMarks:
    """Return the letters of the verdicts "better" and "worse" for each cell of a table of means.

    For each cell, there is a text such as "ac" with the letters of the baselines that the system
    beats under the measure, and another text for the baselines that it loses to.

    Parameters
    ----------
    results : DataFrame
        Indexed by (measure, system, baseline), with the column ``verdict``.
    letters : mapping
        The letter of each baseline. If every system has a letter, all pairs are compared. A verdict
        "worse" then appears as "better" in the row of the baseline.
    means : DataFrame
        The table to be marked, with systems in rows and measures in columns.
    """
    better = empty_texts(means)
    worse = empty_texts(means)
    all_pairs_are_compared = len(letters) == len(means)
    for (measure, system, baseline), verdict in zip(results.index, results["verdict"], strict=True):
        sign = outcome(verdict)  # 1 for "better", -1 for "worse", 0 for an undecided verdict
        if sign > 0:
            better.loc[system, measure] += letters[baseline]
        elif sign < 0 and all_pairs_are_compared:
            # Here the baseline beats the system, and the system has a letter, too.
            better.loc[baseline, measure] += letters[system]
        elif sign < 0:
            worse.loc[system, measure] += letters[baseline]
    return VerdictMarks(better, worse)


def empty_texts(means: pd.DataFrame) -> pd.DataFrame:
    """Return a table of empty texts with the rows and columns of ``means``."""
    return pd.DataFrame("", means.index, means.columns, object)
