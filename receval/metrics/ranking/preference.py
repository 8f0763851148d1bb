"""Binary preference (bpref): relevant items against items judged irrelevant.

Items without judgment do not count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_counts,
    as_flags,
    as_gains,
    broadcast_leading_axes,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    lists_of,
)
from receval._checks import AnyArray, FloatArray, IntArray, Options
from receval.metrics.formula import cumulative, sum_over_ranks
from receval.metrics.ranking.binary_counts import known_counts
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction


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
    broadcast_leading_axes(  # or raise
        "gains judged n_relevant n_irrelevant",
        gains.shape[:-1],
        is_judged.shape[:-1],
        np.shape(as_counts(n_relevant, "n_relevant")),
        np.shape(as_counts(n_irrelevant, "n_irrelevant")),
    )
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


def _bpref_arguments(lists: ListsWithFacts, _k: int | None) -> Options:
    """Return the keyword arguments of `bpref` for some lists; bpref takes no cut-off."""
    return {
        "gains": lists.grades,
        # A rating is the grade in the table of relevance, NaN if the item is not in it.
        "judged": lists.ratings >= 0,
        "n_relevant": lists.n_relevant,
        "n_irrelevant": lists.n_irrelevant,
    }


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
    computation=PerListFunction(bpref, _bpref_arguments, _bounds_over_ties),
    depends_on=("relevant", "ties", "missing", "no relevant item"),
    takes_cutoff=False,
    methods_note="for bpref the items of grade 0 in the truth are those judged irrelevant",
)
