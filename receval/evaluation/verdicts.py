"""What a comparison comes to: which system is better, or what is missing for saying so."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval.evaluation.settings import WORDS
from receval.significance.reach import (
    largest_useful_p,
    permutations_needed,
    smallest_p,
    users_needed,
)

if TYPE_CHECKING:
    from receval.evaluation.settings import Settings

VERDICTS = WORDS["verdicts"]


def outcome(verdict: str) -> int:
    """1 for a verdict "better", -1 for "worse", and 0 for one that leaves it open."""
    return {"better": 1, "worse": -1}.get(verdict.partition(" (")[0], 0)


def verdicts(
    results: pd.DataFrame,
    families: np.ndarray,
    lower: np.ndarray,
    settings: Settings,
    each: str,
) -> list[str]:
    """The verdict of each comparison.

    Parameters
    ----------
    results : DataFrame
        The results, with the ``direction`` of the test and, if there are intervals, whether the
        one that decides is ``beside 0``.
    families : ndarray
        The family that each comparison is corrected with.
    lower : ndarray of bool
        Whether lower is better.
    settings : Settings
        The choices of the comparison.
    each : str
        What users are called.
    """
    differing = (results["better"] + results["worse"]).to_numpy()
    smallest = smallest_p(settings.test, differing, settings.n_permutations)
    useful = np.empty(len(results))
    for family in pd.unique(families):
        members = families == family
        useful[members] = largest_useful_p(smallest[members], settings.correction, settings.alpha)

    told = []
    for place, row in enumerate(results.to_dict("records")):
        missing = _missing(row, settings)
        if missing == "p" and smallest[place] > useful[place]:
            told.append(_cannot(int(differing[place]), useful[place], settings, each))
        elif missing:
            told.append(VERDICTS[missing].format(f"{settings.alpha:g}"))
        else:
            is_better = (row["difference"] > 0) != lower[place]
            verdict = VERDICTS["better" if is_better else "worse"]
            told.append(verdict if "beside 0" in row else f"{verdict} {VERDICTS['alone']}")
    return told


def _missing(row: Mapping[Hashable, Any], settings: Settings) -> str:
    """The first thing that a verdict lacks; "" if there is everything."""
    if np.isnan(row["p"]):
        return "spread"
    if not row["corrected"] <= settings.alpha:
        return "p"
    if row["direction"] != np.sign(row["difference"]):
        return "direction"
    if not row.get("beside 0", True):
        return "interval"
    return ""


def _cannot(differing: int, bound: float, settings: Settings, each: str) -> str:
    """That a comparison could not be decided whatever the values are, and what it would take."""
    needed = users_needed(bound)
    if differing < needed:
        return VERDICTS["users"].format(f"{differing:,}", each, f"{needed:,}")
    drawn, needed = settings.n_permutations, permutations_needed(bound)
    return VERDICTS["permutations"].format(f"{drawn:,}", f"{needed:,}")
