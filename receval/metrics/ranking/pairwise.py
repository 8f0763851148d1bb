"""Metrics of pairs of a relevant and an irrelevant item: AUC, and binary preference (bpref)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_array,
    as_counts,
    as_flags,
    as_gains,
    as_numbers,
    broadcast_leading_axes,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    lists_of,
)
from receval._checks import AnyArray, FloatArray, IntArray, check_none, check_shape
from receval.metrics.formula import cumulative, sum_over_ranks
from receval.metrics.ranking.binary import known_counts
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction
from receval.metrics.ties import tied_ranks

# The area under the ROC curve ---------------------------------------------------------------------


def auc_terms(gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> FloatArray:
    """Return how many irrelevant items each relevant item beats; a tie counts half.

    Irrelevant items and empty ranks have the term 0.

    The terms are in the order of ``gains``; their sum is the numerator of `auc`. See `auc` for
    parameters and errors.

    Examples
    --------
    >>> auc_terms([1, 0, 1, 0])
    array([2., 0., 1., 0.])
    """
    check_same_labels(gains=gains, scores=scores)
    gains = as_gains(gains)
    if scores is None:
        # Count the irrelevant items at the ranks below each relevant item.
        n_irrelevant = cumulative(gains == 0)
        return np.where(gains > 0, n_irrelevant[..., -1:] - n_irrelevant, 0.0)
    numbers = as_array(scores, "scores")
    if numbers.dtype.kind not in "iu":  # large integers would not be exact as floats
        numbers = as_numbers(numbers, "scores")
    check_pairs(gains, numbers, "gains scores")
    check_shape(numbers, gains.shape, "scores")
    check_none(
        numbers, np.isnan(numbers) & ~np.isnan(gains), "scores", "not be NaN where there is an item"
    )
    return _terms_by_scores(gains, numbers)


def _terms_by_scores(gains: FloatArray, scores: AnyArray) -> FloatArray:
    """Return how many irrelevant items each relevant item beats by its score.

    Irrelevant items with an equal score count half. Irrelevant items and empty ranks (gains of NaN)
    have the term 0. The arrays have the shape (..., n_ranks), and so has the result.
    """
    # Number the distinct scores in ascending order and compare these numbers, which are exact as
    # floats; large integer scores would be rounded.
    score_numbers = np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(float)
    # An item's rank counts the items with a lower score, and half of those with an equal score. So
    # the difference of its two ranks counts the irrelevant items among them.
    rank_among_all = tied_ranks(np.where(np.isnan(gains), np.nan, score_numbers))
    rank_among_relevant = tied_ranks(np.where(gains > 0, score_numbers, np.nan))
    return np.where(gains > 0, rank_among_all - rank_among_relevant, 0.0)


def auc(gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> FloatArray:
    r"""Area under the ROC curve of a full ranking (AUC).

    The probability that a relevant item ranks above an irrelevant one, both drawn at
    random; equal scores count one half.

    .. math:: \mathrm{AUC} = \frac{\#\{(r, q) : r \text{ before } q\}
              + \tfrac12 \#\{(r, q) : \text{tied}\}}{R \, (N - R)}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades of *all* candidates, best first; NaN marks an empty rank at the tail.
    scores : array_like, shape (..., n), optional
        Score of each candidate, higher is better. If you pass scores, they decide the order in
        place of the rank, and ties count one half. Scores are compared as they are, never
        subtracted.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], on average 0.5 for a random order. NaN if no candidate or every
        candidate is relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, ``scores`` has another shape
        or contains NaN.

    References
    ----------
    Document 002, section IV-A. The value is Mann and Whitney's U divided by its maximum.

    Examples
    --------
    >>> auc([1, 0, 1, 0])
    np.float64(0.75)
    >>> auc([1, 0, 1, 0], scores=[0.9, 0.9, 0.4, 0.1])
    np.float64(0.625)
    """
    n_won = sum_over_ranks(auc_terms(gains, scores=scores))
    grades = as_gains(gains)
    n_pairs = (grades > 0).sum(axis=-1) * (grades == 0).sum(axis=-1)
    return divide_or_nan(n_won, n_pairs)


AUC = MeasureSpec(
    name="AUC",
    function=auc,
    title="area under the ROC curve",
    formula=r"\frac{\#\{r \text{ before } q\} + \frac12 \#\{\text{tied}\}}"
    r"{R_u (N_u - R_u)}",
    source="@hanley1982; document 002",
    computation=PerListFunction(
        auc,
        # Without ties the order of the list says all that the scores say.
        lambda lists, _k: {
            "gains": lists.grades,
            "scores": lists.scores if lists.tied.any() else None,
        },
    ),
    depends_on=("relevant",),
    takes_cutoff=False,
    methods_note="users without both relevant and irrelevant recommendations have no AUC",
)


# Binary preference: items without judgment do not count -------------------------------------------


def bpref_terms(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    n_irrelevant: npt.ArrayLike,
) -> FloatArray:
    """Return, for each relevant item, the share of irrelevant items that are not above it.

    R items are relevant and N are judged irrelevant, retrieved or not; n of the N are above the
    item. The share is then 1 minus min(n, R) / min(N, R). So at most R of the items above it count.
    All other ranks have the term 0. The sum divided by ``n_relevant`` is `bpref`. See `bpref` for
    parameters and errors.

    Examples
    --------
    >>> bpref_terms([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)
    array([0. , 0.5, 0. , 0.5])
    """
    check_same_labels(gains=gains, judged=judged)
    check_same_labels(
        gains=lists_of(gains),
        judged=lists_of(judged),
        n_relevant=n_relevant,
        n_irrelevant=n_irrelevant,
    )
    gains = as_gains(gains)
    is_judged = as_flags(judged, "judged") == 1
    shapes = [
        gains.shape[:-1],
        is_judged.shape[:-1],
        np.shape(as_counts(n_relevant, "n_relevant")),
        np.shape(as_counts(n_irrelevant, "n_irrelevant")),
    ]
    broadcast_leading_axes("gains judged n_relevant n_irrelevant", *shapes)  # or raise
    check_pairs(gains, is_judged, "gains judged")
    is_relevant = gains > 0
    is_irrelevant = (gains == 0) & is_judged
    relevant_counts = known_counts(n_relevant, is_relevant, "n_relevant", "relevant items")
    irrelevant_counts = known_counts(
        n_irrelevant, is_irrelevant, "n_irrelevant", "items judged irrelevant"
    )
    return is_relevant * _preference(cumulative(is_irrelevant), relevant_counts, irrelevant_counts)


def _preference(n_above: AnyArray, n_relevant: IntArray, n_irrelevant: IntArray) -> FloatArray:
    """Return 1 - min(n_above, R) / min(N, R), the term of a relevant item at each rank.

    ``n_above`` is the number of irrelevant items above, of shape (..., n_ranks). R and N are the
    numbers of relevant and irrelevant items of each list. The term is 1 if N is 0.
    """
    divisor = np.maximum(np.minimum(n_relevant, n_irrelevant), 1.0)[..., np.newaxis]
    most_counted = np.asarray(n_relevant, float)[..., np.newaxis]
    return np.asarray(1 - np.minimum(n_above, most_counted) / divisor)


def bpref(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    n_irrelevant: npt.ArrayLike,
) -> FloatArray:
    r"""Binary preference (bpref): high if few irrelevant items rank above relevant ones.

    Unjudged items do not count. R items are relevant and N are judged irrelevant; :math:`n_r`
    irrelevant items rank above the relevant item r:

    .. math:: \mathrm{bpref} = \frac{1}{R} \sum_{r} 1 - \frac{\min(n_r, R)}{\min(N, R)}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank, 0 where an item is irrelevant or was not judged.
    judged : array_like of bool, shape (..., n)
        True if the item at each rank was judged. Relevant items always count as judged.
    n_relevant, n_irrelevant : array_like of int, shape (...)
        Number of relevant items, and of items judged irrelevant, retrieved or not.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists, and if a list holds more items judged
        irrelevant than ``n_irrelevant``.

    Notes
    -----
    This is trec_eval's definition, which divides by min(N, R) instead of the paper's R. In
    `evaluate` the items of grade 0 in the relevance table are the items judged irrelevant; without
    such items, bpref is the recall of the whole list.

    References
    ----------
    Buckley and Voorhees (2004), SIGIR, doi:10.1145/1008992.1009000; trec_eval 9, m_bpref.c.

    Examples
    --------
    >>> bpref([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)
    np.float64(0.5)
    """
    terms = bpref_terms(gains, judged, n_relevant, n_irrelevant)
    return divide_or_nan(sum_over_ranks(terms), as_counts(n_relevant, "n_relevant"))


def _bounds_over_ties(
    lists: ListsWithFacts, _k: int | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the lowest, mean and highest bpref of each list over all orders of tied scores.

    A run is a sequence of items with equal scores. If a run has m irrelevant items, then in a
    random order a relevant item of the run is equally likely to be below 0, 1, … or m of them.
    """
    is_relevant = lists.grades > 0
    is_irrelevant = (lists.ratings >= 0) & (lists.grades == 0)  # judged, and of grade 0
    # For each rank, count the irrelevant items above its run, and those up to the end of its run.
    n_above_run, n_through_run = lists.ties.sums_around(is_irrelevant)

    def value(n_above: AnyArray) -> FloatArray:
        """Return bpref from the number of irrelevant items above each rank."""
        terms = is_relevant * _preference(n_above, lists.n_relevant, lists.n_irrelevant)
        return divide_or_nan(sum_over_ranks(terms), lists.n_relevant)

    # The number of irrelevant items above a relevant one is equally likely to be any number i from
    # `n_above_run` to `n_through_run`. A term counts at most R of them, the number of relevant
    # items; take the mean of min(i, R).
    most_counted = lists.n_relevant[:, np.newaxis]
    sum_through_run = _sum_of_capped_numbers(n_through_run + 1, most_counted)
    sum_above_run = _sum_of_capped_numbers(n_above_run, most_counted)
    mean_above = (sum_through_run - sum_above_run) / (n_through_run - n_above_run + 1)
    # In the worst order, the irrelevant items of a run are above its relevant ones.
    return value(n_through_run), value(mean_above), value(n_above_run)


def _sum_of_capped_numbers(n: AnyArray, cap: IntArray) -> AnyArray:
    """Return the sum of min(i, cap) for the numbers i = 0, 1, …, n - 1."""
    n_below_cap = np.minimum(n, cap + 1)
    sum_below_cap = n_below_cap * (n_below_cap - 1) // 2
    return np.asarray(sum_below_cap + (n - n_below_cap) * cap)


BPREF = MeasureSpec(
    name="bpref",
    function=bpref,
    title="binary preference",
    formula=r"\frac{1}{R_u} \sum_r 1 - \frac{\min(n_r, R_u)}{\min(N_u, R_u)}",
    source="@buckley2004, as in trec_eval",
    computation=PerListFunction(
        bpref,
        lambda lists, _k: {
            "gains": lists.grades,
            # A rating is the grade in the table of relevance, NaN if the item is not in it.
            "judged": lists.ratings >= 0,
            "n_relevant": lists.n_relevant,
            "n_irrelevant": lists.n_irrelevant,
        },
        _bounds_over_ties,
    ),
    depends_on=("relevant", "ties", "missing", "no relevant item"),
    takes_cutoff=False,
    methods_note="for bpref the items of grade 0 in the truth are those judged irrelevant",
)
