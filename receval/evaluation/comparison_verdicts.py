"""Verdicts of comparisons: which system is better, or which condition for this is not met."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import BoolArray
from receval.evaluation.settings import WORDS, Settings
from receval.significance.paired import MAX_EXACT

VERDICTS = WORDS["verdicts"]
"""The text of each verdict."""


def outcome(verdict: str) -> int:
    """Return 1 for a verdict "better", -1 for "worse", and 0 for an undecided one."""
    return {"better": 1, "worse": -1}.get(verdict.partition(" (")[0], 0)


def verdicts(
    results: pd.DataFrame, is_lower_better: BoolArray, settings: Settings, row_name: str
) -> list[str]:
    """Return the verdict of each comparison.

    Parameters
    ----------
    results : DataFrame
        The results, with a row for each comparison. The column ``direction`` has the direction of
        the test (1, 0 or -1). If there are intervals, ``low`` and ``high`` are their ends.
    is_lower_better : ndarray of bool
        Whether lower values of the measure are better.
    settings : Settings
        The choices of the comparison.
    row_name : str
        "users" or "queries".
    """
    n_differing = results["better"] + results["worse"]
    n_corrected = int((n_differing > 0).sum())  # the others are not corrected
    found = []
    rows = zip(results.to_dict("records"), n_differing, is_lower_better, strict=True)
    for row, n, lower_is_better in rows:
        missing = _missing_condition(row, settings)
        n_needed = _users_needed(settings, n_corrected if n > 0 else 1)
        if missing == "p" and _is_bounded(settings.test, n) and n < n_needed:
            found.append(VERDICTS["users"].format(f"{n:,}", row_name, f"{n_needed:,}"))
        elif missing:
            found.append(VERDICTS[missing].format(f"{settings.alpha:g}"))
        else:
            is_better = (row["difference"] > 0) != lower_is_better
            verdict = VERDICTS["better" if is_better else "worse"]
            if settings.level is None:  # there are no intervals, so only the test decides
                verdict += f" {VERDICTS['alone']}"
            found.append(verdict)
    return found


def _is_bounded(test: str, n_differing: int) -> bool:
    """Return whether the p-value of a test can't be below 2^(1 - d), for d users who differ.

    These are tests that sign the differences: of the 2^d ways to do so, the two with equal signs
    are the most extreme. The t-test and the approximation of Wilcoxon's test have no such bound.
    """
    if test == "wilcoxon":
        return n_differing <= MAX_EXACT
    return test in ("sign", "permutation")


def _users_needed(settings: Settings, n_corrected: int) -> int:
    """Return how many users must differ so that some outcome of their signs could be significant.

    The smallest p-value of d users, 2^(1 - d), has to be at most alpha, or alpha / m under Holm's
    correction of m comparisons.
    """
    bound = settings.alpha
    if settings.correction == "holm":
        bound /= n_corrected
    return 1 + math.ceil(-math.log2(bound))


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
    if settings.level is not None and row["low"] <= 0 <= row["high"]:
        return "interval"
    return ""
