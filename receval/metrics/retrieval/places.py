"""Metrics of the places of cases: Stromer's quality, distance, Spearman's correlation."""

from __future__ import annotations

import math

import numpy as np

from receval._arrays import as_counts, check_cutoff, without_rounding_noise
from receval._checks import AnyArray, FloatArray, check_choice
from receval.metrics.formula import sum_over_ranks
from receval.metrics.retrieval.ranking import (
    Ranking,
    RankingLike,
    common_similarities,
    cut_rankings,
    find_common_cases,
    mean,
    share,
)
from receval.metrics.ties import mean_ranks


def quality_stromer_weights(n_cases: int, *, k: int | None = None) -> FloatArray:
    """Return the weights 2 + k - i of the places i = 1, 2, …, which `quality_stromer` uses.

    Parameters
    ----------
    n_cases : int
        Number of places.
    k : int, optional
        The k of the weight; it may exceed the number of places. Default: ``n_cases``.

    Returns
    -------
    ndarray of float, shape (min(n_cases, k),)

    Raises
    ------
    InputError
        If ``n_cases`` is not a whole number of at least 0, or ``k`` not a positive integer.

    Examples
    --------
    >>> quality_stromer_weights(3)
    array([4., 3., 2.])
    >>> quality_stromer_weights(3, k=5)
    array([6., 5., 4.])
    """
    n_cases = int(as_counts(n_cases, "n_cases"))
    k = check_cutoff(k)
    if k is None:
        k = n_cases
    return 2.0 + k - np.arange(1.0, min(n_cases, k) + 1)


def total_weight(n_cases: int, k: int | None) -> float:
    """Return the sum of the weights 2, 3, …, k + 1, including places without a case."""
    if k is None:
        k = n_cases
    return k * (k + 3) / 2


def quality_stromer_terms(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
    cutoff: str = "capped",
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
    check_choice(cutoff, "cutoff", ("capped", "literal"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    n_places = len(true_ranking)
    # A place matches if both rankings have the same case there. These are the positions of the
    # common cases in each ranking, counted from 0.
    in_truth, in_retrieved = find_common_cases(true_ranking, ranking)
    matching_places = in_truth[in_truth == in_retrieved]
    is_counted = np.isin(np.arange(n_places), matching_places, invert=count == "misses")
    return is_counted * quality_stromer_weights(n_places, k=_k_of_weights(k, cutoff))


def _k_of_weights(k: int | None, cutoff: str) -> int | None:
    """Return the k of the weights; None means the number of places in the truth."""
    if cutoff == "literal":
        return k
    return None


def quality_stromer(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
    cutoff: str = "capped",
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
        Cuts both rankings. Default: the number of cases in the truth.
    count : {"matches", "misses"}, default "matches"
        ``"matches"``: err(i) is 1 for a match. ``"misses"``: it is 1 for a miss, as in the
        document's text.
    cutoff : {"capped", "literal"}, default "capped"
        If ``k`` is above the number of cases in the truth: ``"capped"`` uses that number;
        ``"literal"`` uses ``k``, so that places without a case count in the denominator only.

    Returns
    -------
    float
        From 0 to 1. NaN if the truth is empty, unless ``cutoff`` is "literal".

    Raises
    ------
    InputError
        As in `hits`, or if ``count`` or ``cutoff`` is unknown.

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
    terms = quality_stromer_terms(truth, retrieved, k=k, count=count, cutoff=cutoff)
    return share(sum_over_ranks(terms), total_weight(terms.size, _k_of_weights(k, cutoff)))


def distance_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, ranks: str = "place"
) -> FloatArray:
    """Return the rank difference of each common case, in retrieved order; the mean is `distance`.

    See `distance` for parameters and errors.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> distance_terms(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    array([0., 1., 1.])
    """
    check_choice(ranks, "ranks", ("place", "tied"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    true_ranks, retrieved_ranks = common_ranks(true_ranking, ranking, ranks)
    return np.asarray(np.abs(true_ranks - retrieved_ranks), np.float64)


def common_ranks(truth: Ranking, retrieved: Ranking, ranks: str) -> tuple[AnyArray, AnyArray]:
    """Return the ranks of the common cases in the truth, and in the retrieved ranking.

    The cases are in the order of ``retrieved``. If ``ranks`` is "place", a rank is the place,
    counted from 1; if it is "tied", equal similarities share the mean of their places.
    """
    in_truth, in_retrieved = find_common_cases(truth, retrieved)
    if ranks == "place":
        return in_truth + 1, in_retrieved + 1
    true_ranks = mean_ranks(without_rounding_noise(-truth.similarities))
    retrieved_ranks = mean_ranks(without_rounding_noise(-retrieved.similarities))
    return true_ranks[in_truth], retrieved_ranks[in_retrieved]


def distance(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, ranks: str = "place"
) -> float:
    r"""Mean distance between the two ranks of a case.

    .. math:: \frac{1}{|R|} \sum_{c \in R} |\mathrm{index}_R(c) - \mathrm{index}_T(c)|

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`. Cases that only one ranking has do not count.
    k : int, optional
        Cuts both rankings.
    ranks : {"place", "tied"}, default "place"
        The rank of a case is its place in the ranking, or the mean place of all cases that have the
        same similarity.

    Returns
    -------
    float
        At least 0, in ranks. It is not normalised: for two orders of n cases it is at most
        floor(n²/2)/n. NaN if no case is common.

    Raises
    ------
    InputError
        As in `hits`, or if ``ranks`` is unknown.

    References
    ----------
    Document 003, section "Distance", whose formula writes the same index twice.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> round(distance(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}), 4)
    0.6667
    """
    return mean(distance_terms(truth, retrieved, k=k, ranks=ranks))


def spearman_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> FloatArray:
    """Return, for each common case, the product of its two rank deviations, in retrieved order.

    The sum of these products, divided by the square root of the product of the two sums of squared
    deviations, is `spearman`. See `spearman` for parameters and errors.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> spearman_terms(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    array([1., 0., 0.])
    """
    x, y = rank_deviations(truth, retrieved, k=k)
    return x * y


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
    x, y = rank_deviations(truth, retrieved, k=k)
    # Take the root of the product, so that two equal sums of squares give exactly 1.
    norm = math.sqrt(sum_over_ranks(x * x) * sum_over_ranks(y * y))
    return share(sum_over_ranks(x * y), norm)


def rank_deviations(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the ranks of the common cases among themselves, minus their mean (n + 1) / 2.

    The first array is for the truth, the second for the retrieved ranking.
    """
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    x, y = common_similarities(true_ranking, ranking)
    mean_rank = (x.size + 1) / 2
    return mean_ranks(-x) - mean_rank, mean_ranks(-y) - mean_rank
