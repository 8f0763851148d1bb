"""Metrics of pairs of cases: correctness, completeness and Kendall's correlation.

A pair is concordant if both rankings order it the same way, discordant if they order it in
opposite ways, and neither if its cases are equally similar in one of them. Similarities that differ
by rounding only, by less than a relative 1e-12, are equal. Pairs consist of cases that both
rankings hold after the cut at ``k``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from receval._arrays import divide_or_nan
from receval._checks import IntArray, check_choice
from receval.metrics.retrieval.ranking import RankingLike, common_similarities, cut_rankings


class PairCounts(NamedTuple):
    """The numbers of concordant, discordant and tied pairs of common cases.

    Attributes
    ----------
    concordant, discordant : int
        Pairs that both rankings order, in the same or in opposite ways.
    tied_truth : int
        Pairs tied in the truth, whether or not the retrieved ranking ties them.
    tied_retrieved : int
        Pairs tied in the retrieved ranking, whether or not the truth ties them.
    pairs : int
        All pairs.
    """

    concordant: int
    discordant: int
    tied_truth: int
    tied_retrieved: int
    pairs: int


def pair_counts(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> PairCounts:
    """Count concordant, discordant and tied pairs, without a loop over all pairs (Knight's method).

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.

    Returns
    -------
    PairCounts
        Named whole numbers, exact for any number of pairs.

    Raises
    ------
    InputError
        As in `hits`.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> pair_counts(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    PairCounts(concordant=2, discordant=1, tied_truth=0, tied_retrieved=0, pairs=3)
    """
    # The similarity of each common case in the truth, and in the retrieved ranking.
    x, y = common_similarities(*cut_rankings(truth, retrieved, k))
    n_pairs = x.size * (x.size - 1) // 2
    _, x_codes, x_times = np.unique(x, return_inverse=True, return_counts=True)
    _, y_codes, y_times = np.unique(y, return_inverse=True, return_counts=True)
    xy_codes = x_codes * y_codes.size + y_codes  # equal only if x and y are equal
    _, xy_times = np.unique(xy_codes, return_counts=True)
    n_tied_x = _count_tied_pairs(x_times)
    n_tied_y = _count_tied_pairs(y_times)
    n_tied_both = _count_tied_pairs(xy_times)
    # Sort the cases by x, and by y if x ties. Then a pair is discordant if and only if its first
    # case has the larger y: this is an inversion of y. The permutation that sorts y has just as
    # many inversions.
    y_in_order = y_codes[np.lexsort((y_codes, x_codes))]
    n_discordant = _count_inversions(np.argsort(y_in_order, kind="stable"))
    # The other pairs are concordant or tied; those tied in both are subtracted twice, so add them.
    n_concordant = n_pairs - n_tied_x - n_tied_y + n_tied_both - n_discordant
    return PairCounts(n_concordant, n_discordant, n_tied_x, n_tied_y, n_pairs)


def correctness(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Correctness: concordant minus discordant pairs, divided by their sum.

    .. math:: \frac{|C| - |D|}{|C| + |D|}

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.

    Returns
    -------
    float
        From -1 (all pairs reversed) to 1 (all pairs concordant). NaN if every pair is tied in
        either ranking, or there is no pair.

    Raises
    ------
    InputError
        As in `hits`.

    References
    ----------
    Document 003, section "Correctness", in which the image of the formula is lost.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> round(correctness(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}), 4)
    0.3333
    """
    counts = pair_counts(truth, retrieved, k=k)
    difference = counts.concordant - counts.discordant
    return float(divide_or_nan(difference, counts.concordant + counts.discordant))


def completeness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairs: str = "all"
) -> float:
    r"""Completeness: share of the comparisons that both rankings decide.

    .. math:: \frac{|C| + |D|}{|\succ|}

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.
    pairs : {"all", "untied_truth"}, default "all"
        The comparisons: every pair of common cases (3 in the document's example), or only pairs
        that the truth orders, so that ties in the truth do not lower the value.

    Returns
    -------
    float
        From 0 to 1; 1 without ties. NaN if there is no comparison.

    Raises
    ------
    InputError
        As in `hits`, or if ``pairs`` is unknown.

    References
    ----------
    Document 003, section "Completeness".

    Examples
    --------
    >>> truth, retrieved = {"a": 0.9, "b": 0.5, "c": 0.5}, {"a": 0.9, "b": 0.9, "c": 0.1}
    >>> [round(completeness(truth, retrieved, pairs=p), 4) for p in ("all", "untied_truth")]
    [0.3333, 0.5]
    """
    check_choice(pairs, "pairs", ("all", "untied_truth"))
    counts = pair_counts(truth, retrieved, k=k)
    n_comparisons = counts.pairs
    if pairs == "untied_truth":
        n_comparisons -= counts.tied_truth
    return float(divide_or_nan(counts.concordant + counts.discordant, n_comparisons))


def kendall(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, variant: str = "a"
) -> float:
    r"""Kendall's rank correlation.

    .. math:: \tau_a = \frac{|C| - |D|}{\binom{n}{2}}, \qquad
              \tau_b = \frac{|C| - |D|}
              {\sqrt{(\binom{n}{2} - t_T)(\binom{n}{2} - t_R)}}

    where :math:`t_T` and :math:`t_R` are the numbers of pairs that are tied in the truth T and in
    the retrieved ranking R.

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.
    variant : {"a", "b"}, default "a"
        The document's tau-a, in which ties bring the value nearer to 0, or tau-b, which
        statistical libraries compute. Without ties the two are equal.

    Returns
    -------
    float
        From -1 (reversed) to 1 (same order). NaN if there is no pair; tau-b is also NaN if one
        ranking ties every pair.

    Raises
    ------
    InputError
        As in `hits`, or if ``variant`` is unknown.

    References
    ----------
    Document 003, section "Kendall"; Kendall (1945), The treatment of ties in ranking problems.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> round(kendall(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}), 4)
    0.3333
    """
    counts = pair_counts(truth, retrieved, k=k)
    return float(
        divide_or_nan(counts.concordant - counts.discordant, kendall_divisor(counts, variant))
    )


def kendall_divisor(counts: PairCounts, variant: str) -> float:
    """Return the divisor of Kendall's tau.

    For tau-a (``variant`` "a") it is the number of pairs. For tau-b it is the geometric mean of two
    numbers: of the pairs that the truth orders, and of the pairs that the retrieved ranking orders.
    """
    check_choice(variant, "variant", ("a", "b"))
    if variant == "a":
        return counts.pairs
    n_ordered_truth = counts.pairs - counts.tied_truth
    n_ordered_retrieved = counts.pairs - counts.tied_retrieved
    return math.sqrt(n_ordered_truth * n_ordered_retrieved)


def _count_tied_pairs(times: IntArray) -> int:
    """Return the number of pairs of equal values. ``times`` says how often each value occurs."""
    return int((times * (times - 1) // 2).sum())


def _count_inversions(order: IntArray) -> int:
    """Count the inversions of a permutation of 0, …, n-1: pairs whose first number is the larger.

    Sort the permutation by one binary digit after the other, the highest first. Numbers that agree
    in the digits so far form a block. All smaller numbers are in earlier blocks, so the block
    starts at the position that equals its smallest number. Within a block, each digit 1 before a
    digit 0 is an inversion.

    For example, 2, 0, 1 are 10, 00, 01 in binary. By the first digit, 2 is before 0 and before 1:
    two inversions. Sorted by this digit, the order is 0, 1, 2. By the second digit, no 1 is before
    a 0 within the block 0, 1.

    >>> _count_inversions(np.array([2, 0, 1]))
    2
    """
    inversions = 0
    n_digits = max(order.size - 1, 0).bit_length()  # binary digits of the largest number
    for digit in reversed(range(n_digits)):
        # In the smallest number of a block, this digit and all lower ones are 0. Shifting to the
        # right and back replaces the digits of a number by zeros.
        block_start = order >> (digit + 1) << (digit + 1)
        digits = order >> digit & 1  # this digit of each number
        n_ones_before = np.cumsum(digits) - digits
        n_ones_before_in_block = n_ones_before - n_ones_before[block_start]
        inversions += int(n_ones_before_in_block[digits == 0].sum())
        # The sort is stable: numbers that agree in the digits so far keep their order.
        order = order[np.argsort(order >> digit, kind="stable")]
    return inversions
