"""Verdicts of comparisons: which system is better, or which condition for this is not met."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import BoolArray, FloatArray, IntArray
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
    n_differing = (results["better"] + results["worse"]).to_numpy()
    smallest = _smallest_p(settings.test, n_differing)
    is_corrected = n_differing > 0  # only comparisons in which users differ
    texts = []
    for position, row in enumerate(results.to_dict("records")):
        is_other = is_corrected & (np.arange(len(results)) != position)
        useful = settings.alpha
        if is_corrected[position]:
            useful = _largest_useful_p(smallest[is_other], settings)
        missing = _missing_condition(row, settings)
        if missing == "p" and smallest[position] > useful:
            n_needed = 1 + math.ceil(-math.log2(useful))  # the smallest p-value halves with each
            n = int(n_differing[position])
            texts.append(VERDICTS["users"].format(f"{n:,}", row_name, f"{n_needed:,}"))
        elif missing:
            texts.append(VERDICTS[missing].format(f"{settings.alpha:g}"))
        else:
            is_better = (row["difference"] > 0) != is_lower_better[position]
            verdict = VERDICTS["better" if is_better else "worse"]
            if settings.level is None:  # there are no intervals, so only the test decides
                verdict += f" {VERDICTS['alone']}"
            texts.append(verdict)
    return texts


def _smallest_p(test: str, n_differing: IntArray) -> FloatArray:
    """Return the smallest p-value that each comparison can reach, 0 if nothing bounds it.

    Tests that sign the differences can't go below 2^(1 - d), for d users who differ: of the 2^d
    ways to sign them, the two with equal signs are the most extreme. The t-test and the
    approximation of Wilcoxon's test have no such bound.
    """
    if test == "t":
        return np.zeros(n_differing.size)
    smallest: FloatArray = np.minimum(np.exp2(1.0 - n_differing), 1.0)
    if test == "wilcoxon":
        smallest[n_differing > MAX_EXACT] = 0.0
    return smallest


def _largest_useful_p(smallest_of_others: FloatArray, settings: Settings) -> float:
    """Return the largest p-value with which a comparison could still be decided.

    ``smallest_of_others`` has the smallest p-value that each of the other comparisons can reach.
    """
    ranks = np.arange(1, smallest_of_others.size + 2)
    bounds = settings.alpha * ranks / ranks.size
    if settings.correction == "holm":
        return float(bounds[0])
    if settings.correction == "bh":
        # The p-value at rank j is significant if it and j - 1 others are at most alpha j / m.
        n_reaching = np.searchsorted(np.sort(smallest_of_others), bounds, side="right")
        return float(bounds[n_reaching >= ranks - 1].max())
    return settings.alpha


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
