"""Binary preference: relevant items against those judged irrelevant; the unjudged do not count."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import FloatArray, IntArray
from receval._lists import (
    as_counts,
    as_flags,
    as_gains,
    check_leading,
    check_same_length,
)
from receval.metrics.formula import cumulative, sum_over_ranks
from receval.metrics.ranking.binary_counts import known_counts
from receval.metrics.spec import MeasureSpec, PerListFunction

__all__ = ["bpref", "bpref_terms"]


def bpref_terms(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    n_irrelevant: npt.ArrayLike,
) -> FloatArray:
    """For each relevant item the share of irrelevant ones that it is not below, 0 elsewhere.

    Their sum over ``n_relevant`` is `bpref`, whose parameters and errors these are.

    Examples
    --------
    >>> bpref_terms([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)
    array([0. , 0.5, 0. , 0.5])
    """
    gains, flags = as_gains(gains), as_flags(judged, "judged")
    check_same_length(gains, flags, "gains judged")
    counts = as_counts(n_relevant, "n_relevant"), as_counts(n_irrelevant, "n_irrelevant")
    leading = gains.shape[:-1], flags.shape[:-1], *map(np.shape, counts)
    check_leading("gains judged n_relevant n_irrelevant", *leading)
    missed = (gains == 0) & (flags == 1)
    relevant = known_counts(counts[0], gains > 0, "n_relevant", "relevant items")
    irrelevant = known_counts(counts[1], missed, "n_irrelevant", "items judged irrelevant")
    return (gains > 0) * _preferred(cumulative(missed), relevant, irrelevant)


def _preferred(above: Any, relevant: Any, irrelevant: Any) -> FloatArray:
    """What an item is worth with so many irrelevant ones above, counted up to ``relevant``."""
    most = np.maximum(np.minimum(relevant, irrelevant), 1.0)[..., np.newaxis]
    return np.asarray(1 - np.minimum(above, np.asarray(relevant, float)[..., np.newaxis]) / most)


def bpref(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    n_irrelevant: npt.ArrayLike,
) -> FloatArray:
    r"""Binary preference (bpref): how seldom irrelevant items stand above relevant ones.

    Items without judgement count neither way. With R relevant items and N judged irrelevant ones,
    :math:`n_r` of which stand above the relevant item r:

    .. math:: \mathrm{bpref} = \frac{1}{R} \sum_{r} 1 - \frac{\min(n_r, R)}{\min(N, R)}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank, 0 where an item is irrelevant or was not judged.
    judged : array_like of bool, shape (..., n)
        Whether the item at each rank was judged, which a relevant one is in any case.
    n_relevant, n_irrelevant : array_like of int, shape (...)
        Number of relevant items, and of items judged irrelevant, retrieved or not.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN for a list without relevant items.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`; if more items of a list are judged irrelevant than
        ``n_irrelevant`` says.

    Notes
    -----
    This is trec_eval's definition, which divides by min(N, R) where the paper has R. In `evaluate`
    the rows of relevance with the grade 0 are the judged irrelevant items; without any, bpref is
    the recall of the whole list.

    References
    ----------
    Buckley and Voorhees (2004), SIGIR, doi:10.1145/1008992.1009000; trec_eval 9, m_bpref.c.

    Examples
    --------
    >>> bpref([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)
    np.float64(0.5)
    """
    terms = bpref_terms(gains, judged, n_relevant, n_irrelevant)
    return ratio(sum_over_ranks(terms), as_counts(n_relevant, "n_relevant"))


def _of_lists(lists: Any, _: int | None) -> dict[str, Any]:
    given = {"n_relevant": lists.n_relevant, "n_irrelevant": lists.n_irrelevant}
    judged = lists.ratings >= 0 if lists.n_irrelevant.any() else lists.grades > 0
    return {"gains": lists.grades, "judged": judged, **given}


def _over_ties(lists: Any, _: int | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lowest, mean and highest value over all orders.

    Of the irrelevant items of its run each number from none to all is as likely above an item.
    """
    relevant, irrelevant, hits = lists.n_relevant, lists.n_irrelevant, lists.grades > 0
    missed = (lists.ratings >= 0) & (lists.grades == 0)
    before, through = lists.ties.sums_around(missed)

    def up_to(n: IntArray) -> IntArray:
        """The sum of the numbers below n, each at most that of the relevant items."""
        counted = np.minimum(n, relevant[:, np.newaxis] + 1)
        return np.asarray(counted * (counted - 1) // 2 + (n - counted) * relevant[:, np.newaxis])

    mean = (up_to(through + 1) - up_to(before)) / (through - before + 1)

    def value(above: Any) -> FloatArray:
        return ratio(sum_over_ranks(hits * _preferred(above, relevant, irrelevant)), relevant)

    return value(through), value(mean), value(before)


BPREF = MeasureSpec(
    name="bpref",
    function=bpref,
    title="binary preference",
    formula=r"\frac{1}{R_u} \sum_r 1 - \frac{\min(n_r, R_u)}{\min(N_u, R_u)}",
    source="@buckley2004, as in trec_eval",
    computation=PerListFunction(bpref, _of_lists, _over_ties),
    depends_on=("relevant", "ties", "missing", "no relevant item"),
    takes_cutoff=False,
    methods_note="for bpref the items of grade 0 in the truth are those judged irrelevant",
)
