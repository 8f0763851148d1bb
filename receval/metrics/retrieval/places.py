"""Metrics of the places of cases: Stromer's quality, distance, Spearman's correlation."""

from __future__ import annotations

import math

import numpy as np

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, check_choice, check_that, is_integer
from receval.metrics.formula import sum_over_ranks
from receval.metrics.retrieval.ranking import (
    Ranking,
    RankingLike,
    common_similarities,
    cut_rankings,
    find_common_cases,
    mean,
)
from receval.metrics.ties import mean_ranks


def quality_stromer_weights(n_cases: int) -> FloatArray:
    """Return the weights 2 + n - i of the places i = 1, 2, …, n, which `quality_stromer` uses.

    Parameters
    ----------
    n_cases : int
        The number of places, n.

    Returns
    -------
    ndarray of float, shape (n_cases,)

    Raises
    ------
    InputError
        If ``n_cases`` is not a whole number of at least 0.

    Examples
    --------
    >>> quality_stromer_weights(3)
    array([4., 3., 2.])
    """
    check_that(is_integer(n_cases), "n_cases", "be a whole number of at least 0", n_cases)
    return np.arange(n_cases + 1.0, 1.0, -1.0)


def quality_stromer_terms(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
) -> FloatArray:
    """Return the weight of every counted place of the truth, and 0 for every other place.

    See `quality_stromer` for parameters and errors.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> quality_stromer_terms(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    array([4., 0., 0.])
    """
    check_choice(count, "count", ("matches", "misses"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    n_places = len(true_ranking)
    # A place matches if both rankings have the same case there. These are the positions of the
    # common cases in each ranking, counted from 0.
    in_truth, in_retrieved = find_common_cases(true_ranking, ranking)
    matching_places = in_truth[in_truth == in_retrieved]
    is_counted = np.isin(np.arange(n_places), matching_places, invert=count == "misses")
    return is_counted * quality_stromer_weights(n_places)


def quality_stromer(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
) -> float:
    r"""Stromer's quality of a MAC/FAC retrieval: weighted share of the matching places.

    .. math:: \frac{\sum_{i=1}^{k} \mathrm{err}(i)\,(2 + k - i)}{\sum_{i=1}^{k} (2 + k - i)}

    where err(i) is 1 if both rankings have the same case at place i. The document's text says
    the opposite, 1 for a case that is missing there, but its example and its range (1 is best)
    need this definition.

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`. The places are those of the truth; if the retrieved ranking ends early, the
        remaining places are misses.
    k : int, optional
        Cuts both rankings. If it is above the number of cases in the truth, and by default, the k
        of the formula is this number.
    count : {"matches", "misses"}, default "matches"
        ``"matches"``: err(i) is 1 for a match. ``"misses"``: it is 1 for a miss, as in the
        document's text.

    Returns
    -------
    float
        From 0 to 1. NaN if the truth is empty.

    Raises
    ------
    InputError
        As in `hits`, or if ``count`` is unknown.

    References
    ----------
    Document 003, section "Quality Stromer".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> round(quality_stromer(truth, retrieved), 4), quality_stromer(truth, retrieved, k=2)
    (0.4444, 0.6)
    >>> round(quality_stromer(truth, retrieved, count="misses"), 4)
    0.5556
    """
    terms = quality_stromer_terms(truth, retrieved, k=k, count=count)
    return float(divide_or_nan(sum_over_ranks(terms), quality_stromer_weights(terms.size).sum()))


def distance_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> FloatArray:
    """Return the difference of the two places of each common case; the mean is `distance`.

    The cases are in retrieved order. See `distance` for parameters and errors.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> distance_terms(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    array([0., 1., 1.])
    """
    in_truth, in_retrieved = find_common_cases(*cut_rankings(truth, retrieved, k))
    return np.asarray(np.abs(in_truth - in_retrieved), np.float64)


def distance(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Mean distance between the two places of a case.

    .. math:: \frac{1}{|R|} \sum_{c \in R} |\mathrm{index}_R(c) - \mathrm{index}_T(c)|

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`. Cases that only one ranking has do not count.
    k : int, optional
        Cuts both rankings.

    Returns
    -------
    float
        At least 0, in places. It is not normalised: for two orders of n cases it is at most
        floor(n²/2)/n. NaN if no case is common.

    Raises
    ------
    InputError
        As in `hits`.

    References
    ----------
    Document 003, section "Distance", whose formula writes the same index twice.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> round(distance(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}), 4)
    0.6667
    """
    return mean(distance_terms(truth, retrieved, k=k))


def spearman(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Spearman's rank correlation of the two similarities.

    .. math:: r_s = \frac{\mathrm{cov}(\mathrm{rg}_X, \mathrm{rg}_Y)}
              {\sigma_{\mathrm{rg}_X} \, \sigma_{\mathrm{rg}_Y}}

    where X and Y are the true and the predicted similarities of the cases that both rankings
    hold, and rg their ranks among these; equal similarities share the mean rank.

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`.
    k : int, optional
        Cuts both rankings; the correlation is over the cases that are left in both.

    Returns
    -------
    float
        From -1 (reversed) to 1 (same order). NaN if the rankings have fewer than two cases in
        common, or one of them ties all these cases.

    Raises
    ------
    InputError
        As in `hits`.

    References
    ----------
    Document 003, section "Spearman".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> spearman(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    0.5
    """
    x, y = rank_deviations(*cut_rankings(truth, retrieved, k))
    # Take the root of the product, so that two equal sums of squares give exactly 1.
    norm = math.sqrt(sum_over_ranks(x * x) * sum_over_ranks(y * y))
    return float(divide_or_nan(sum_over_ranks(x * y), norm))


def rank_deviations(truth: Ranking, retrieved: Ranking) -> tuple[FloatArray, FloatArray]:
    """Return the ranks of the common cases among themselves, minus their mean (n + 1) / 2.

    The first array is for the truth, the second for the retrieved ranking.
    """
    x, y = common_similarities(truth, retrieved)
    mean_rank = (x.size + 1) / 2
    return mean_ranks(-x) - mean_rank, mean_ranks(-y) - mean_rank
