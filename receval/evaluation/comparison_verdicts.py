"""Verdicts of comparisons: which system is better, or which condition for this is not met."""

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
        The results, with a row for each comparison. The column ``direction`` has the direction of
        the test (1, 0 or -1). If there are intervals, the column ``beside 0`` says whether the
        interval of the level 1 - alpha excludes 0.
    families : ndarray
        The number of each comparison's family. The comparisons of a family are corrected together.
    is_lower_better : ndarray of bool
        Whether lower values of the measure are better.
    settings : Settings
        The choices of the comparison.
    row_name : str
        "users" or "queries".
    """
    # ``smallest`` has the smallest p-value that each comparison can reach, and ``useful`` the
    # largest one that would decide it. If the smallest is above the useful one, no data could have
    # decided the comparison, and its verdict says so.
    n_differing = (results["better"] + results["worse"]).to_numpy()
    smallest = smallest_p(settings.test, n_differing, settings.n_permutations)
    useful = np.full(len(smallest), settings.alpha)
    # Only comparisons in which users differ are corrected together.
    is_corrected = n_differing > 0
    useful[is_corrected] = _useful_p_by_family(
        smallest[is_corrected], families[is_corrected], settings
    )
    # Use dicts, because itertuples would rename the column "beside 0".
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


def _useful_p_by_family(smallest: FloatArray, families: IntArray, settings: Settings) -> FloatArray:
    """Return the largest uncorrected p-value with which each comparison could still be decided.

    ``smallest`` has the smallest p-value that each comparison can reach. ``families`` has the
    number of its family, which is a set of comparisons that are corrected together. The result
    depends on the smallest p-values of all comparisons in the family, and on the correction.
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
    """Return the verdict of one comparison.

    Parameters
    ----------
    row : mapping
        The comparison's row of the results, with ``p``, ``corrected``, ``difference``,
        ``direction`` and, if there are intervals, ``beside 0``; see `verdicts`.
    settings : Settings
        The choices of the comparison.
    n_differing : int
        The number of users whose values differ.
    smallest_p : float
        The smallest p-value that this number of users can reach, whatever their values are.
    useful_p : float
        The largest p-value with which the comparison could be decided. If ``smallest_p`` is larger,
        no values could have decided the comparison.
    lower_is_better : bool
        Whether lower values of the measure are better.
    row_name : str
        "users" or "queries".
    """
    # The first condition that is not met makes the verdict undecided.
    missing = _missing_condition(row, settings)
    if missing == "p" and smallest_p > useful_p:
        return _cannot_decide(n_differing, useful_p, settings, row_name)
    if missing:
        return VERDICTS[missing].format(f"{settings.alpha:g}")
    is_better = (row["difference"] > 0) != lower_is_better
    verdict = VERDICTS["better" if is_better else "worse"]
    if "beside 0" not in row:  # there are no intervals, so only the test decides
        return f"{verdict} {VERDICTS['alone']}"
    return verdict


def _missing_condition(row: Mapping[Hashable, Any], settings: Settings) -> str:
    """Return the key in `VERDICTS` of the first condition that is not met; "" if all are met.

    These are the conditions for a verdict "better" or "worse" (see `Evaluation.compare`).
    """
    # The t-test has no p-value if all differences are equal but not 0: they have no spread.
    if np.isnan(row["p"]):
        return "spread"
    # Write "not … <=" instead of ">", so that a corrected p-value of NaN is not significant either.
    if not row["corrected"] <= settings.alpha:
        return "p"
    if row["direction"] != np.sign(row["difference"]):
        return "direction"
    if not row.get("beside 0", True):  # without intervals, this condition doesn't apply
        return "interval"
    return ""


def _cannot_decide(n_differing: int, useful_p: float, settings: Settings, row_name: str) -> str:
    """Return the verdict that there are too few users or permutations, and how many are needed.

    There are too few if no data could give a p-value of at most ``useful_p``. ``n_differing`` is
    the number of users whose values differ. If there are enough such users, there are too few
    permutations. An example of a verdict is "cannot decide: 5 users differ, 13 are needed".
    ``row_name`` is "users" or "queries".
    """
    n_users_needed = users_needed(useful_p)
    if n_differing < n_users_needed:
        return VERDICTS["users"].format(f"{n_differing:,}", row_name, f"{n_users_needed:,}")
    n_permutations_needed = permutations_needed(useful_p)
    return VERDICTS["permutations"].format(
        f"{settings.n_permutations:,}", f"{n_permutations_needed:,}"
    )
