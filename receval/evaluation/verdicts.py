"""Verdicts of comparisons: which system is better, or what is missing to say so."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import BoolArray, FloatArray, IntArray
from receval.evaluation.settings import WORDS, Settings
from receval.significance.reach import (
    largest_useful_p,
    permutations_needed,
    smallest_p,
    users_needed,
)

VERDICTS = WORDS["verdicts"]
"""The text of each verdict."""


def outcome(verdict: str) -> int:
    """Return 1 for a verdict "better", -1 for "worse", and 0 for an undecided one."""
    return {"better": 1, "worse": -1}.get(verdict.partition(" (")[0], 0)


def verdicts(
    results: pd.DataFrame,
    families: IntArray,
    is_lower_better: BoolArray,
    settings: Settings,
    row_name: str,
) -> list[str]:
    """Return the verdict of each comparison.

    Parameters
    ----------
    results : DataFrame
        The results, with the ``direction`` of the test and, if there are intervals, whether the
        interval that decides is ``beside 0``, that is, excludes 0.
    families : ndarray
        The family that each comparison is corrected with.
    is_lower_better : ndarray of bool
        Whether lower values of the measure are better.
    settings : Settings
        The choices of the comparison.
    row_name : str
        "users" or "queries".
    """
    n_differing = (results["better"] + results["worse"]).to_numpy()
    smallest = smallest_p(settings.test, n_differing, settings.n_permutations)
    useful = _largest_useful_p(smallest, families, settings)
    # Records, because the names of some columns are no identifiers.
    rows = results.to_dict("records")
    return [
        _verdict(
            row,
            settings,
            n_differing=int(n_differing[i]),
            smallest_p=smallest[i],
            useful_p=useful[i],
            lower_is_better=bool(is_lower_better[i]),
            row_name=row_name,
        )
        for i, row in enumerate(rows)
    ]


def _largest_useful_p(smallest: FloatArray, families: IntArray, settings: Settings) -> FloatArray:
    """Return the largest p-value with which each comparison could still be decided.

    It depends on the smallest p-values that the other comparisons of its family can reach.
    """
    useful = np.empty(len(smallest))
    for family in pd.unique(families):
        is_member = families == family
        useful[is_member] = largest_useful_p(
            smallest[is_member], settings.correction, settings.alpha
        )
    return useful


def _verdict(
    row: Mapping[Hashable, Any],
    settings: Settings,
    *,
    n_differing: int,
    smallest_p: float,
    useful_p: float,
    lower_is_better: bool,
    row_name: str,
) -> str:
    """Return the verdict of one comparison, a row of the results.

    If even ``smallest_p``, the smallest p-value that can be reached, is above ``useful_p``, then
    no values of the users could have decided it.
    """
    missing = _missing_condition(row, settings)
    if missing == "p" and smallest_p > useful_p:
        return _cannot_decide(n_differing, useful_p, settings, row_name)
    if missing:
        return VERDICTS[missing].format(f"{settings.alpha:g}")
    is_better = (row["difference"] > 0) != lower_is_better
    verdict = VERDICTS["better" if is_better else "worse"]
    if "beside 0" not in row:
        return f"{verdict} {VERDICTS['alone']}"
    return verdict


def _missing_condition(row: Mapping[Hashable, Any], settings: Settings) -> str:
    """Return the first condition of a decision that is not met, "" if all are met."""
    if np.isnan(row["p"]):
        return "spread"
    # A corrected p-value of NaN is not significant either.
    if not row["corrected"] <= settings.alpha:
        return "p"
    if row["direction"] != np.sign(row["difference"]):
        return "direction"
    if not row.get("beside 0", True):
        return "interval"
    return ""


def _cannot_decide(n_differing: int, useful_p: float, settings: Settings, row_name: str) -> str:
    """Return the verdict that there are too few users or permutations, and how many it takes."""
    n_users_needed = users_needed(useful_p)
    if n_differing < n_users_needed:
        return VERDICTS["users"].format(f"{n_differing:,}", row_name, f"{n_users_needed:,}")
    n_permutations_needed = permutations_needed(useful_p)
    return VERDICTS["permutations"].format(
        f"{settings.n_permutations:,}", f"{n_permutations_needed:,}"
    )
