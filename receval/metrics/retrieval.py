"""Retrieval metrics: they compare one ranking of cases with the ground-truth ranking.

Questions
---------
`hits`, `hits_normalized`, `quality_mueller`
    Which of the best cases were retrieved?
`quality_stromer`, `distance`, `spearman`
    At which places are they?
`correctness`, `completeness`, `kendall`
    How many pairs are in the right order?
`mae`, `mse`
    How far off are the similarities themselves?

You call every metric as ``metric(truth, retrieved, *, k=None)``, and it returns one float. A
ranking is anything with ``.items()`` (a dict, a Series) or pairs of case and similarity. receval
sorts it by descending similarity; equal similarities keep their order. ``k`` cuts both rankings. If
document 003's text, formula and example disagree, a named argument selects which of them applies;
the defaults reproduce the document's table. A value that cannot be computed is NaN, as "-" in the
document.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, IntArray, check_choice, check_that, is_integer
from receval.metrics.case_ranking import (
    Ranking,
    RankingLike,
    common_similarities,
    cut_rankings,
    find_common_cases,
    find_places,
    mean,
)
from receval.metrics.formula import sum_over_ranks
from receval.metrics.ties import tied_ranks

__all__ = [
    "completeness",
    "correctness",
    "distance",
    "distance_terms",
    "hits",
    "hits_normalized",
    "kendall",
    "mae",
    "mae_terms",
    "mse",
    "mse_terms",
    "pair_counts",
    "quality_mueller",
    "quality_mueller_terms",
    "quality_stromer",
    "quality_stromer_terms",
    "quality_stromer_weights",
    "spearman",
]


# Which cases were retrieved -----------------------------------------------------------------------


def hits(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Count the cases that both rankings hold among their first k.

    .. math:: \mathrm{hits@}k = |T_k \cap R_k|

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        The ground-truth ranking and the one to evaluate. Cases are sorted by descending similarity;
        equal similarities keep their order.
    k : int, optional
        Cuts both rankings. Default: the whole rankings.

    Returns
    -------
    float
        A whole number from 0 to the length of the shorter ranking; 0 for an empty one.

    Raises
    ------
    InputError
        If a ranking holds a case twice or a similarity that is not finite, or ``k`` is not a
        positive integer.

    References
    ----------
    Document 003, section "Hits".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> hits(truth, retrieved), hits(truth, retrieved, k=2)
    (3.0, 1.0)
    """
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    return float(len(set(true_ranking.cases) & set(ranking.cases)))


def hits_normalized(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, denominator: str = "cutoff"
) -> float:
    r"""`hits` as a share of the ranking.

    .. math:: \mathrm{hits}_{norm}\mathrm{@}k = |T_k \cap R_k| \,/\, k

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.
    denominator : {"cutoff", "length"}, default "cutoff"
        Divide by ``k``, even if the retrieved ranking is shorter, or by the number of retrieved
        cases, at most ``k``. The document allows both; without ``k`` they are the same.

    Returns
    -------
    float
        From 0 to 1. NaN if the denominator is 0: nothing was retrieved, and either ``k`` is None
        or the length is the denominator.

    Raises
    ------
    InputError
        As in `hits`, or if ``denominator`` is unknown.

    References
    ----------
    Document 003, section "Hits", last paragraph.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> hits_normalized(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}, k=2)
    0.5
    >>> [hits_normalized(truth, truth, k=6, denominator=d) for d in ("cutoff", "length")]
    [0.5, 1.0]
    """
    check_choice(denominator, "denominator", ("cutoff", "length"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    divisor = len(ranking)
    if k is not None and denominator == "cutoff":
        divisor = k
    return float(divide_or_nan(hits(true_ranking, ranking), divisor))


def quality_mueller_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> FloatArray:
    """Return, for each of the first n cases of the truth, its similarity, or 0 if retrieved.

    n is the number of retrieved cases, at most ``k``; `quality_mueller` is 1 minus the mean.
    See `quality_mueller` for parameters and errors.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> quality_mueller_terms(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}, k=2)
    array([0. , 0.3])
    """
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    wanted = true_ranking.first(len(ranking))
    return np.where(find_places(wanted.cases, ranking) < 0, wanted.similarities, 0.0)


def quality_mueller(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> float:
    r"""Müller's retrieval quality: 1 minus the mean true similarity of the missing cases.

    .. math:: 1 - \frac{1}{n} \sum_{c \in T_n \setminus R_n} \mathrm{sim}(c),
              \qquad n = \min(k, |R|)

    The true similarity itself is the discount: the more similar a missing case is, the more it
    weighs. The places of the missing cases and the order of the others do not matter.

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`. The truth is cut to as many cases as were retrieved.
    k : int, optional
        Cuts both rankings.

    Returns
    -------
    float
        From 0 to 1 if similarities are from 0 to 1. NaN if nothing was retrieved.

    Raises
    ------
    InputError
        As in `hits`.

    Notes
    -----
    The image of the document's formula is lost; this formula follows its text and its two examples.
    Because n is the length of the retrieved ranking, a short ranking is not penalised.

    References
    ----------
    Document 003, section "Quality Mueller".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> quality_mueller(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}, k=2)
    0.85
    """
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    terms = quality_mueller_terms(true_ranking, ranking)
    return 1.0 - float(divide_or_nan(sum_over_ranks(terms), len(ranking)))


# At which places they are -------------------------------------------------------------------------


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
    return tied_ranks(-x) - mean_rank, tied_ranks(-y) - mean_rank


# Pairs in the right order -------------------------------------------------------------------------


class PairCounts(NamedTuple):
    """The numbers of concordant, discordant and tied pairs of common cases; see `pair_counts`."""

    concordant: int
    discordant: int
    tied_truth: int
    tied_retrieved: int
    pairs: int


def pair_counts(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> PairCounts:
    """Count concordant, discordant and tied pairs, without a loop over all pairs.

    Parameters
    ----------
    truth, retrieved, k
        As in `hits`.

    Returns
    -------
    PairCounts
        The whole numbers ``concordant`` and ``discordant`` (pairs that both rankings order, in the
        same or in opposite ways), ``tied_truth`` and ``tied_retrieved`` (pairs that this ranking
        ties, whether or not the other one does) and ``pairs`` (all pairs). They are exact.

    Raises
    ------
    InputError
        As in `hits`.

    Notes
    -----
    Pairs consist of cases that both rankings hold after the cut at ``k``. A pair is concordant if
    both rankings order it the same way, discordant if they order it in opposite ways, and neither
    if its cases are equally similar in one of them. Similarities that differ by less than a
    relative 1e-12 are equal.

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
    # case has the larger y.
    n_discordant = _count_inversions(y_codes[np.lexsort((y_codes, x_codes))])
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


def _count_inversions(numbers: IntArray) -> int:
    """Count the pairs of numbers whose first one is larger.

    >>> _count_inversions(np.array([2, 0, 1]))
    2
    """
    if len(numbers) <= 64:  # so few that all pairs can be compared
        return int(np.triu(numbers[:, np.newaxis] > numbers).sum())
    left, right = np.array_split(numbers, 2)
    # For each number of the right half, count the larger ones of the left half.
    n_larger = len(left) - np.searchsorted(np.sort(left), right, side="right")
    return _count_inversions(left) + _count_inversions(right) + int(n_larger.sum())


# The similarities themselves ----------------------------------------------------------------------


def similarity_errors(
    truth: RankingLike, retrieved: RankingLike, k: int | None, pairing: str
) -> FloatArray:
    """Return true minus predicted similarity, by place or by case, in retrieved order.

    The arguments are those of `mae`. There is one error per place that both rankings have, or per
    case that both hold.
    """
    check_choice(pairing, "pairing", ("position", "case"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    in_truth, in_retrieved = pair_places(true_ranking, ranking, pairing)
    return true_ranking.similarities[in_truth] - ranking.similarities[in_retrieved]


def pair_places(truth: Ranking, retrieved: Ranking, pairing: str) -> tuple[IntArray, IntArray]:
    """Return the places to compare in truth and retrieved ranking, counted from 0.

    If ``pairing`` is "case", they are the places of the common cases. If it is "position", they are
    the places that both rankings have.
    """
    if pairing == "case":
        return find_common_cases(truth, retrieved)
    common_places = np.arange(min(len(truth), len(retrieved)))
    return common_places, common_places


def mae_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> FloatArray:
    """Return the absolute `similarity_errors`; the mean is the `mae`.

    Examples
    --------
    >>> mae_terms({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")
    array([0.25, 0.25])
    """
    return np.abs(similarity_errors(truth, retrieved, k, pairing))


def mae(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> float:
    r"""Mean absolute error (MAE) of the predicted similarities.

    .. math:: \frac{1}{|R|} \sum_{c \in R} |\mathrm{sim}(c) - \mathrm{fsim}(c)|

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`: sim is the true similarity, fsim the predicted one.
    k : int, optional
        Cuts both rankings.
    pairing : {"position", "case"}, default "position"
        Compare the similarities at the same place, as in the document's text and example, or the
        similarities of the same case, as in its formula. By position, the metric compares only the
        sorted numbers, so it does not notice if two cases are swapped.

    Returns
    -------
    float
        At least 0, at most 1 if similarities are from 0 to 1. The mean is over the places
        that both rankings have, or over the cases that both hold; NaN if there are none.

    Raises
    ------
    InputError
        As in `hits`, or if ``pairing`` is unknown.

    References
    ----------
    Document 003, section "Mean Absolute Error".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> mae(truth, retrieved), round(mae(truth, retrieved, pairing="case"), 4)
    (0.0, 0.0667)
    """
    return mean(mae_terms(truth, retrieved, k=k, pairing=pairing))


def mse_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> FloatArray:
    """Return the squared `similarity_errors`; the mean is the `mse`.

    Examples
    --------
    >>> mse_terms({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")
    array([0.0625, 0.0625])
    """
    return similarity_errors(truth, retrieved, k, pairing) ** 2


def mse(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> float:
    r"""Mean squared error (MSE) of the predicted similarities.

    .. math:: \frac{1}{|R|} \sum_{c \in R} (\mathrm{sim}(c) - \mathrm{fsim}(c))^2

    Parameters
    ----------
    truth, retrieved, k
        As in `mae`.
    pairing : {"position", "case"}, default "position"
        As in `mae`.

    Returns
    -------
    float
        At least 0; as for `mae`, but in squared units. NaN if nothing can be compared.

    Raises
    ------
    InputError
        As in `mae`.

    References
    ----------
    Document 003, section "Mean Squared Error", whose example divides 0 by 150 instead of 3.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> mse(truth, retrieved), round(mse(truth, retrieved, pairing="case"), 4)
    (0.0, 0.0067)
    """
    return mean(mse_terms(truth, retrieved, k=k, pairing=pairing))
