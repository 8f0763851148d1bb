"""Metrics of the set of retrieved cases: hits and Müller's quality."""

from __future__ import annotations

import numpy as np

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, check_choice
from receval.metrics.formula import sum_over_ranks
from receval.metrics.retrieval.ranking import RankingLike, cut_rankings, find_places


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
