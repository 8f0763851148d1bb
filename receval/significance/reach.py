"""Compute which p-values a test can reach, and what it takes to get below a bound."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.significance.corrections import CORRECTIONS
from receval.significance.registry import TESTS

MIN_PERMUTATIONS = 9_999
MAX_PERMUTATIONS = 10_000_000
"""The smallest and the largest default number of permutations."""


def default_permutations(comparisons: int, alpha: float) -> int:
    """Return the default number of permutations for ``comparisons`` that are corrected together.

    A p-value needs a certain number of permutations to be significant after Bonferroni's
    correction. The default is twenty times that number, so a p-value near the bound rests on about
    twenty draws that are as extreme as the observed one.
    """
    # Use the decimal number that the user wrote: the float 0.05 can give a result that is one too
    # large.
    n_permutations = math.ceil(20 * comparisons / Fraction(str(alpha))) - 1
    return min(max(MIN_PERMUTATIONS, n_permutations), MAX_PERMUTATIONS)


def smallest_p(test: str, differing: IntArray, permutations: int) -> FloatArray:
    """Return the smallest p-value that each comparison can reach.

    Parameters
    ----------
    test : str
        A key of `TESTS`.
    differing : ndarray of int
        Number of users with a difference, for each comparison.
    permutations : int
        Number of random permutations, which bounds the permutation test only.
    """
    return TESTS[test].smallest_p(np.asarray(differing), permutations)


def largest_useful_p(smallest: FloatArray, correction: str, alpha: float) -> FloatArray:
    """Return the bound that the smallest p-value of each comparison must not exceed.

    If a smallest p-value is above the bound, no data can bring the corrected p-value down to alpha.
    The bound is alpha / m for Holm and Bonferroni, and alpha without a correction. For Benjamini
    and Hochberg it is alpha j / m, for the largest j for which j - 1 other comparisons can also
    reach it.

    Parameters
    ----------
    smallest : ndarray of float, shape (m,)
        The smallest p-value that each comparison of one family can reach.
    correction : str
        A key of `CORRECTIONS`.
    alpha : float
        Level of the comparisons.
    """
    return CORRECTIONS[correction].largest_useful_p(smallest, alpha)


def users_needed(bound: float) -> int:
    """Return how many users must differ so that a test of signs can reach a p-value of ``bound``.

    The smallest p-value of n users is 2^(1 - n); see `smallest_sign_p`.
    """
    n_users = 1
    while math.ldexp(1.0, 1 - n_users) > bound:
        n_users += 1
    return n_users


def permutations_needed(bound: float) -> int:
    """Return the smallest number of random permutations whose p-value can be at most ``bound``.

    The smallest p-value of n permutations is 1 / (n + 1).
    """
    # Start at the number or just below it, because 1 / bound is rounded.
    n_permutations = max(1, math.floor(1 / bound) - 1)
    while 1 / (n_permutations + 1) > bound:
        n_permutations += 1
    return n_permutations
