"""Metrics that count the relevant items (grade above 0) among the first k, and divide the count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_counts,
    as_gains,
    broadcast_leading_axes,
    check_any_shape,
    check_cutoff,
    check_same_labels,
    divide_or_nan,
    lists_of,
)
from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_none,
    check_that,
)
from receval.metrics.formula import (
    ArrayLists,
    Divisor,
    RankedLists,
    RankFormula,
    Terms,
    is_relevant,
)
from receval.metrics.spec import MeasureSpec

HITS = Terms(is_relevant)


def known_counts(counts: object, is_listed: BoolArray, name: str, what: str) -> IntArray:
    """Check the totals that the user passed for a kind of items, and return one per list.

    A total counts all items of the kind, whether they are in the list or not.

    Parameters
    ----------
    counts : array_like of int
        The totals as the user passed them.
    is_listed : ndarray of bool, shape (..., n)
        True at the ranks that hold such an item.
    name, what : str
        The name of ``counts`` and the kind of items, for messages.

    Raises
    ------
    InputError
        If a total is smaller than the number of listed items, or the shapes do not broadcast.
    """
    total = np.asarray(as_counts(counts, name))
    broadcast_leading_axes(f"{name} gains", total.shape, is_listed.shape[:-1])  # or raise
    total, n_listed = np.broadcast_arrays(total, np.count_nonzero(is_listed, axis=-1))
    check_none(
        total,
        total < n_listed,
        name,
        f"be at least the number of {what} in the list",
        f"It counts all {what}, retrieved or not",
    )
    return total


def lists_with_counts(gains: npt.ArrayLike, n_relevant: object) -> ArrayLists:
    """Build lists from grades and the number of relevant items of each list."""
    check_same_labels(gains=lists_of(gains), n_relevant=n_relevant)
    grades = as_gains(gains)
    total = known_counts(n_relevant, grades > 0, "n_relevant", "relevant items")
    grades = np.broadcast_to(grades, (*total.shape, grades.shape[-1]))
    return ArrayLists(grades, n_relevant=total)


def _hits(lists: ArrayLists, k: int | None) -> IntArray:
    """Return the number of relevant items among the first k."""
    return np.asarray(np.count_nonzero(lists.grades[..., :k] > 0, axis=-1))


# Divisors of the hits: functions of lists and cut-off. A divisor of 0 makes a value undefined. ---


def cutoff_divisor(lists: RankedLists, k: int | None) -> IntArray:
    """Return k, even if a list is shorter, or the length of each list if k is None."""
    return np.asarray(lists.length if k is None else k)


def retrieved_divisor(lists: RankedLists, k: int | None) -> IntArray:
    """Return the number of retrieved items, at most k."""
    return np.asarray(np.minimum(lists.length, cutoff_divisor(lists, k)))


def relevant_divisor(lists: RankedLists, _k: int | None) -> IntArray:
    """Return the number of relevant items, retrieved or not."""
    return lists.n_relevant


def reachable_divisor(lists: RankedLists, k: int | None) -> IntArray:
    """Return the number of relevant items that a perfect list has among its first k."""
    return np.minimum(cutoff_divisor(lists, k), lists.n_relevant)


PRECISION_DIVISORS: dict[str, Divisor] = {
    "cutoff": cutoff_divisor,
    "retrieved": retrieved_divisor,
    "reachable": reachable_divisor,
}
RECALL_DIVISORS: dict[str, Divisor] = {
    "relevant": relevant_divisor,
    "reachable": reachable_divisor,
}


@dataclass(frozen=True)
class MeanDivisor:
    """The mean of two divisors A and B of the same sum H.

    H / mean(A, B) is the harmonic mean of H / A and H / B. If A or B is 0, the mean is set to 0,
    which makes the value undefined. The working has a column for each of the ``parts``, which shows
    H divided by this part.
    """

    parts: dict[str, Divisor]

    def __call__(self, lists: RankedLists, k: int | None) -> FloatArray:
        """Return the mean divisor of each list."""
        first, second = (np.asarray(divisor(lists, k)) for divisor in self.parts.values())
        return np.where((first > 0) & (second > 0), (first + second) / 2, 0)


# Precision ----------------------------------------------------------------------------------------


def precision_formula(denominator: str = "cutoff") -> RankFormula:
    """Return the formula of precision for a divisor, given by its name."""
    return RankFormula(HITS, PRECISION_DIVISORS[denominator])


def precision(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
    n_relevant: npt.ArrayLike | None = None,
) -> FloatArray:
    r"""Share of relevant items among the first k.

    .. math:: \mathrm{P@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.
    denominator : {"cutoff", "retrieved", "reachable"}, default "cutoff"
        The divisor D. ``"cutoff"``: k, even if the list is shorter (trec_eval, RankSys).
        ``"retrieved"``: the number of items retrieved, at most k (document 004's text).
        ``"reachable"``: min(k, n_relevant), so that a perfect list scores 1.
    n_relevant : array_like of int, shape (...), optional
        Number of relevant items of each list. Pass it with ``"reachable"``, and only then.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if the divisor D is 0. With ``"reachable"``, this happens if nothing
        is relevant. With ``"retrieved"``, it happens if the list is empty. Without ``k``, it
        happens with any choice if the list is empty.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 004, Precision; document 001, eq. of precision (there TP + FP is the number
    retrieved); document 002, section IV-A, p5 and p10.

    Examples
    --------
    A list of two, cut at 4:

    >>> precision([1, 0], k=4), precision([1, 0], k=4, denominator="retrieved")
    (np.float64(0.25), np.float64(0.5))
    """
    check_choice(denominator, "denominator", PRECISION_DIVISORS)
    k = check_cutoff(k)
    lists = ArrayLists(as_gains(gains))
    # Only the divisor "reachable" depends on the number of relevant items.
    is_needed = denominator == "reachable"
    check_that(
        (n_relevant is not None) == is_needed,
        "n_relevant",
        "be given when denominator is 'reachable', and only then",
        n_relevant,
    )
    if is_needed:
        lists = lists_with_counts(gains, n_relevant)
    return divide_or_nan(_hits(lists, k), PRECISION_DIVISORS[denominator](lists, k))


PRECISION = MeasureSpec(
    name="Precision",
    function=precision,
    label="precision",
    title="precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
    source="@manning2008; document 004",
    computation=precision_formula,
    choices={"denominator": "precision"},
    aliases=("p", "prec"),
)


# Recall -------------------------------------------------------------------------------------------


def recall_formula(denominator: str = "relevant") -> RankFormula:
    """Return the formula of recall for a divisor, given by its name."""
    return RankFormula(HITS, RECALL_DIVISORS[denominator])


def recall(
    gains: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "relevant",
) -> FloatArray:
    r"""Share of the relevant items that are among the first k.

    .. math:: \mathrm{R@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        Number of relevant items.
    k : int, optional
        Cut-off rank.
    denominator : {"relevant", "reachable"}, default "relevant"
        The divisor D: n_relevant, or min(k, n_relevant) as in LensKit.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if the divisor D is 0.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 004, Recall; document 001, eq. of recall.

    Examples
    --------
    >>> recall([1, 0, 1], 4)
    np.float64(0.5)
    """
    check_choice(denominator, "denominator", RECALL_DIVISORS)
    k = check_cutoff(k)
    lists = lists_with_counts(gains, n_relevant)
    return divide_or_nan(_hits(lists, k), RECALL_DIVISORS[denominator](lists, k))


RECALL = MeasureSpec(
    name="Recall",
    function=recall,
    label="recall",
    title="recall",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
    source="@manning2008; document 004",
    computation=recall_formula,
    choices={"denominator": "recall"},
    aliases=("r",),
)


# F1 -----------------------------------------------------------------------------------------------


def f1_formula(precision: str = "cutoff", recall: str = "relevant") -> RankFormula:
    """Return the formula of F1: the hits over the mean of the two divisors with these names."""
    parts = {"precision": PRECISION_DIVISORS[precision], "recall": RECALL_DIVISORS[recall]}
    return RankFormula(HITS, MeanDivisor(parts))


def f1(precision: npt.ArrayLike, recall: npt.ArrayLike) -> FloatArray:
    r"""Harmonic mean of precision and recall.

    .. math:: F_1 = 2 \cdot \frac{P \cdot R}{P + R}

    Parameters
    ----------
    precision, recall : array_like
        Values in [0, 1], of shapes that broadcast; NaN where undefined.

    Returns
    -------
    ndarray of float
        Values in [0, 1]; 0 if precision and recall are both 0; NaN if either is NaN.

    Raises
    ------
    InputError
        If a value lies outside [0, 1].

    References
    ----------
    Document 001, eq. of :math:`F_1`.

    Examples
    --------
    >>> f1([0.5, 0.0], [1.0, 0.0]).round(4)
    array([0.6667, 0.    ])
    """
    check_same_labels(precision=precision, recall=recall)
    p = _as_share(precision, "precision")
    r = _as_share(recall, "recall")
    broadcast_leading_axes("precision recall", p.shape, r.shape)
    both_are_0 = (p == 0) & (r == 0)
    return np.asarray(2 * p * r / np.where(both_are_0, 1.0, p + r))[()]


def _as_share(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return the values as floats; raise if one lies outside [0, 1]."""
    share = check_any_shape(values, name)
    check_none(share, (share < 0) | (share > 1), name, "be between 0 and 1")
    return share


F1 = MeasureSpec(
    name="F1",
    function=f1,
    title="harmonic mean of precision and recall",
    formula=r"\frac{2 P_u R_u}{P_u + R_u}",
    source="@vanrijsbergen1979; document 001",
    computation=f1_formula,
    choices={"precision": "precision", "recall": "recall"},
    aliases=("f",),
)
