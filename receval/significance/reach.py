"""What a test can reach: the smallest p-value, and what it takes to get below a bound."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.significance.paired import EXACT
from receval.significance.permuting import all_ways

LEAST_DRAWN = 9_999
MOST_DRAWN = 10_000_000  # permutations that are drawn unasked, at most


def permutations_for(comparisons: int, alpha: float) -> int:
    """How many permutations to draw for a family of so many comparisons.

    Twenty times as many as it takes for a p-value that survives Bonferroni's correction, so that
    a p-value near the bound rests on some twenty draws that are as extreme.
    """
    needed = math.ceil(20 * comparisons / Fraction(str(alpha))) - 1
    return min(max(LEAST_DRAWN, needed), MOST_DRAWN)


def smallest_p(test: str, differing: IntArray, permutations: int) -> FloatArray:
    """The smallest p-value that each comparison can reach, with so many users who differ.

    The tests that go by signs count d signs that are all alike among 2^d, in two directions. Ties
    among the sizes change nothing in that. Nothing bounds the t-test, nor Wilcoxon's where it is
    approximated by the normal distribution.
    """
    differing = np.asarray(differing)
    by_signs = np.minimum(np.exp2(1.0 - differing), 1.0)
    if test == "t":
        return np.zeros(differing.shape)
    if test == "wilcoxon":
        return np.asarray(np.where(differing <= EXACT, by_signs, 0.0))
    if test == "permutation":
        by_draws = np.where(all_ways(differing, permutations), 0.0, 1 / (permutations + 1))
        return np.asarray(np.maximum(by_signs, by_draws))
    return np.asarray(by_signs)


def largest_useful_p(smallest: FloatArray, correction: str, alpha: float) -> FloatArray:
    """For each comparison of a family, the p-value that its smallest one must not exceed.

    Holm and Bonferroni: alpha / m, so that a comparison can be decided by itself. Benjamini and
    Hochberg: alpha j / m, with the largest j for which j - 1 others can reach as small a value:
    above that no data let the comparison be among the findings. Without correction: alpha.
    """
    m = len(smallest)
    if correction == "none":
        return np.full(m, alpha)
    if correction not in ("bh", "benjamini-hochberg"):
        return np.full(m, alpha / m)
    bounds = alpha * np.arange(1, m + 1) / m
    reached = np.searchsorted(np.sort(smallest), bounds, side="right")  # comparisons up to each
    useful = np.empty(m)
    for place, own in enumerate(smallest):
        others = reached - (own <= bounds)
        useful[place] = bounds[np.flatnonzero(others >= np.arange(m))[-1]]
    return useful


def users_needed(bound: float) -> int:
    """The smallest number of users who differ with which a p-value by signs can be so small."""
    users = 1
    while math.ldexp(1.0, 1 - users) > bound:
        users += 1
    return users


def permutations_needed(bound: float) -> int:
    """The smallest number of random permutations with which a p-value can be so small."""
    needed = max(1, math.floor(1 / bound) - 1)
    while 1 / (needed + 1) > bound:
        needed += 1
    return needed
