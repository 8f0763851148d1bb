"""Metrics that ask of every pair of cases whether both rankings order it alike.

A pair is concordant if both order it the same way, discordant if they order it in opposite
ways, and neither if its cases are equally similar in one of them. Only cases that both
rankings hold, cut at ``k``, make pairs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, IntArray, check_choice
from receval.metrics.retrieval.ranking import RankingLike, cut, share, shared_similarities


class PairCounts(NamedTuple):
    """How many pairs of common cases there are of each kind; exact whole numbers."""

    concordant: int
    discordant: int
    tied_truth: int  # in the truth, whatever the retrieved ranking says of them
    tied_retrieved: int
    pairs: int


def pair_counts(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> PairCounts:
    """Concordant, discordant and tied pairs, counted without going through them one by one.

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
    return counted(*shared_similarities(*cut(truth, retrieved, k)))


def correctness(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Correctness: the balance of concordant and discordant pairs.

    .. math:: \frac{|C| - |D|}{|C| + |D|}

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.

    Returns
    -------
    float
        From -1 (all pairs reversed) to 1 (all pairs alike). NaN if every pair is tied in
        either ranking, or there is no pair.

    Raises
    ------
    InputError
        As in `hits`.

    References
    ----------
    Document 003, section "Correctness", whose formula is a lost image.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> round(correctness(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}), 4)
    0.3333
    """
    n = pair_counts(truth, retrieved, k=k)
    return share(n.concordant - n.discordant, n.concordant + n.discordant)


def completeness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairs: str = "all"
) -> float:
    r"""Completeness: share of the comparisons that are decided at all.

    .. math:: \frac{|C| + |D|}{|\succ|}

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.
    pairs : {"all", "untied_truth"}, default "all"
        What counts as a comparison: every pair of common cases (3 in the document's example),
        or only pairs that the truth orders, so that its own ties cost nothing.

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
    n = pair_counts(truth, retrieved, k=k)
    return share(n.concordant + n.discordant, compared(n, pairs))


def kendall(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, variant: str = "a"
) -> float:
    r"""Kendall's rank correlation.

    .. math:: \tau_a = \frac{|C| - |D|}{\binom{n}{2}}, \qquad
              \tau_b = \frac{|C| - |D|}
              {\sqrt{(\binom{n}{2} - t_T)(\binom{n}{2} - t_R)}}

    with the pairs t tied in the truth T and in the retrieved ranking R.

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.
    variant : {"a", "b"}, default "a"
        The document's tau-a, in which ties bring the value nearer to 0, or tau-b, which
        statistical libraries compute. Without ties they are one.

    Returns
    -------
    float
        From -1 (reversed) to 1 (same order). NaN if there is no pair; tau-b also if one side
        ties every pair.

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
    n = pair_counts(truth, retrieved, k=k)
    return share(n.concordant - n.discordant, kendall_divisor(n, variant))


def compared(n: PairCounts, pairs: str) -> int:
    """How many pairs `completeness` asks about."""
    return n.pairs - (n.tied_truth if pairs == "untied_truth" else 0)


def kendall_divisor(n: PairCounts, variant: str) -> float:
    """All pairs; for tau-b the geometric mean of those that either side orders."""
    if check_choice(variant, "variant", ("a", "b")) == "a":
        return n.pairs
    return math.sqrt((n.pairs - n.tied_truth) * (n.pairs - n.tied_retrieved))


def counted(x: FloatArray, y: FloatArray) -> PairCounts:
    """Pairs by Knight's method: sort by x, then the inversions of y are the discordant ones."""
    pairs = x.size * (x.size - 1) // 2
    xs, ys = (np.unique(side, return_inverse=True)[1] for side in (x, y))
    tied_x, tied_y, tied_both = (_tied(codes) for codes in (xs, ys, xs * ys.size + ys))
    discordant = _inversions(np.argsort(ys[np.lexsort((ys, xs))], kind="stable"))
    # A pair is tied in x, tied in y, or in both; what is left is ordered twice.
    concordant = pairs - tied_x - tied_y + tied_both - discordant
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)


def _tied(codes: npt.NDArray[Any]) -> int:
    """Pairs of equal values."""
    _, times = np.unique(codes, return_counts=True)
    return int((times * (times - 1) // 2).sum())


def _inversions(order: IntArray) -> int:
    """Pairs of a permutation of 0, …, n-1 that stand in falling order.

    The permutation is sorted by one binary digit after the other, the highest first. Numbers
    that agree in the digits so far form a block, which starts at the place its own number
    tells; within a block, each 1 before a 0 is an inversion.

    >>> _inversions(np.array([2, 0, 1]))
    2
    """
    inversions = 0
    for digit in reversed(range(max(order.size - 1, 0).bit_length())):
        block, ones = order >> (digit + 1) << (digit + 1), order >> digit & 1
        ones_before = np.cumsum(ones) - ones
        ones_before -= ones_before[block]
        inversions += int(ones_before[ones == 0].sum())
        order = order[np.argsort(order >> digit, kind="stable")]
    return inversions
