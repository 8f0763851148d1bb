"""Letters for a table of means: each baseline has one, and marks show which verdicts it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count
from string import ascii_lowercase
from typing import NamedTuple

import pandas as pd

from receval._types import Id
from receval.evaluation.comparison_verdicts import outcome


class VerdictMarks(NamedTuple):
    """Texts in the shape of the table of means: letters of systems beaten, and of those lost to."""

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

    A cell has a text such as "ac", the letters of the baselines that the system beats under the
    measure, and another text for the baselines that it loses to.

    Parameters
    ----------
    results : DataFrame
        Indexed by (measure, system, baseline), with the column ``verdict``.
    letters : mapping
        The letter of each baseline. If every system has one, then all pairs are compared, and a
        verdict "worse" shows as "better" in the row of the baseline.
    means : DataFrame
        The table that is marked: systems in rows, measures in columns.
    """
    better = empty_texts(means)
    worse = empty_texts(means)
    all_pairs_are_compared = len(letters) == len(means)
    for (measure, system, baseline), verdict in zip(results.index, results["verdict"], strict=True):
        sign = outcome(verdict)  # 1 for "better", -1 for "worse", 0 for an undecided verdict
        if sign > 0:
            better.loc[system, measure] += letters[baseline]
        elif sign < 0 and all_pairs_are_compared:
            # The baseline beats the system, which has a letter too.
            better.loc[baseline, measure] += letters[system]
        elif sign < 0:
            worse.loc[system, measure] += letters[baseline]
    return VerdictMarks(better, worse)


def empty_texts(means: pd.DataFrame) -> pd.DataFrame:
    """Return a table of empty texts with the rows and columns of another."""
    return pd.DataFrame("", means.index, means.columns, object)
