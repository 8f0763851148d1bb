"""Metrics that only ask whether an item is relevant: its grade is above 0.

They look for the first relevant item, or count the relevant items among the first k and divide the
count, or use the precision at several ranks.
"""

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
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_none,
    check_that,
)
from receval.metrics.discounts import reciprocal
from receval.metrics.formula import (
    ArrayLists,
    Divisor,
    RankedLists,
    RankFormula,
    Terms,
    is_relevant,
    sum_over_ranks,
)
from receval.metrics.spec import MeasureSpec
from receval.metrics.ties import precision_so_far

# The first relevant item --------------------------------------------------------------------------


def hit(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""Return 1 if a relevant item is among the first k, else 0; the mean is the hit rate (HR).

    .. math:: \mathrm{hit@}k = [\exists\, i \le k : g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        1 or 0; 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 000, section "Evaluated metrics", HR@10.

    Examples
    --------
    >>> hit([[0, 1, 0], [0, 0, 1]], k=2)
    array([1., 0.])
    """
    top = as_gains(gains)[..., : check_cutoff(k)]
    return np.asarray((top > 0).any(axis=-1), np.float64)[()]


HR = MeasureSpec(
    name="HR",
    function=hit,
    label="hit",
    title="hit rate",
    formula=r"[\exists\, i \le k : g_{ui} > 0]",
    source="@deshpande2004; document 000",
    computation=RankFormula(Terms(is_relevant, above="unstopped")),
    aliases=("hit", "hits", "hitrate", "hit_rate", "success"),
)


def reciprocal_rank(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""One over the rank of the first relevant item; its mean over lists is the MRR.

    .. math:: \mathrm{RR@}k = \begin{cases} 1 / \min \{ i \le k : g_i > 0 \} \\
              0 & \text{without a relevant item among the first } k \end{cases}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank. Default: the whole list, as in document 002; document 000 cuts at 10.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 000, section "Evaluated metrics", mir and MRR@10.

    Examples
    --------
    >>> reciprocal_rank([[0, 1, 1], [0, 0, 1]], k=2)
    array([0.5, 0. ])
    """
    top = as_gains(gains)[..., : check_cutoff(k)]
    ranks = np.arange(1, top.shape[-1] + 1)
    return np.asarray(((top > 0) / ranks).max(axis=-1, initial=0.0))[()]


MRR = MeasureSpec(
    name="MRR",
    function=reciprocal_rank,
    label="reciprocal rank",
    title="mean reciprocal rank",
    formula=r"\frac{1}{\min \{i \le k : g_{ui} > 0\}}",
    source="@craswell2009; document 000",
    computation=RankFormula(Terms(is_relevant, reciprocal, above="unstopped")),
    aliases=("rr", "reciprocal_rank", "recip_rank"),
)


# Numbers of relevant items ------------------------------------------------------------------------


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

    @property
    def functions(self) -> dict[str, Divisor]:
        """Return the functions that compute the divisor, by what they compute."""
        parts = {f"divisor of {name}": divisor for name, divisor in self.parts.items()}
        return {"divisor": self, **parts}

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
    return 2 * p * r / np.where(both_are_0, 1.0, p + r)


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


# R-precision --------------------------------------------------------------------------------------


def r_precision(gains: npt.ArrayLike, n_relevant: npt.ArrayLike) -> FloatArray:
    r"""Precision at rank R, where R is the number of relevant items.

    .. math:: \mathrm{R\text{-}Precision} = \frac{1}{R} \sum_{i=1}^{R} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        R, the number of relevant items.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)
    np.float64(0.5)
    """
    lists = lists_with_counts(gains, n_relevant)
    ranks = np.arange(1, lists.grades.shape[-1] + 1)
    is_hit = (lists.grades > 0) & (ranks <= lists.n_relevant[..., np.newaxis])
    return divide_or_nan(np.count_nonzero(is_hit, axis=-1), lists.n_relevant)


R_PRECISION = MeasureSpec(
    name="R-Precision",
    function=r_precision,
    label="R-precision",
    title="precision at the number of relevant items",
    formula=r"\frac{1}{R_u} \sum_{i \le R_u} [g_{ui} > 0]",
    source="@manning2008",
    computation=RankFormula(HITS, relevant_divisor, list_cutoff=lambda lists: lists.n_relevant),
    takes_cutoff=False,
    aliases=("rprec", "r_precision", "rprecision"),
)

# Average precision --------------------------------------------------------------------------------

PRECISIONS = Terms(is_relevant, above="precision")


def listed_divisor(lists: RankedLists, k: int | None) -> AnyArray:
    """Return the number of relevant or of retrieved items, whichever is smaller, and at most k."""
    return np.minimum(retrieved_divisor(lists, k), lists.n_relevant)


def found_divisor(lists: RankedLists, k: int | None) -> AnyArray:
    """Return the number of relevant items among the first k."""
    return lists.sum(HITS, k)


@dataclass(frozen=True)
class RelevantHitsDivisor:
    """A divisor of AP that leaves the value undefined only if nothing is relevant.

    If something is relevant but ``divisor`` is 0, AP is 0: there is nothing to sum.
    """

    divisor: Divisor

    @property
    def functions(self) -> dict[str, Divisor]:
        """Return the function that computes the divisor, by what it computes."""
        return {"divisor": self.divisor}

    def __call__(self, lists: RankedLists, k: int | None) -> AnyArray:
        """Return the divisor of each list."""
        return np.where(lists.n_relevant > 0, np.maximum(self.divisor(lists, k), 1), 0)


class FoundHitsDivisor(RelevantHitsDivisor):
    """The number of hits among the first k as the divisor of AP; it can depend on tied scores."""

    def bounds(
        self, lists: RankedLists, k: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the lowest, mean and highest AP of each list over all orders of tied scores.

        AP is the sum of the precisions at the hits, divided by their number. One more hit among
        the first k can lower it, so the best order is not simply the one with the most hits on
        top. But once we know how many hits are among the first k, the divisor is fixed, and AP is
        highest if the hits come first within each run of tied scores. So this method computes the
        AP for each possible number of hits, and combines the results.

        receval asks only for lists with tied scores, so there is at least one rank.
        """
        depth = lists.grades[:, :k].shape[-1]  # the number of ranks that count
        hits = np.asarray(is_relevant(lists.grades), np.float64)
        lowest = np.full(len(hits), np.inf)
        mean = np.zeros(len(hits))
        highest = np.zeros(len(hits))
        # `best_first` has the hits first within each run, with the shape (lists, depth).
        for chance, best_first, ties in lists.ties.cases_at_cutoff(hits, depth):
            # Reverse the order within each run.
            reversed_index = ties.first + ties.last - np.arange(depth)
            worst_first = np.take_along_axis(best_first, reversed_index, axis=-1)
            divisor = np.maximum(best_first.sum(axis=-1), 1)  # without a hit, the value is 0 / 1
            lowest_of_case = sum_over_ranks(PRECISIONS.columns(worst_first).terms) / divisor
            highest_of_case = sum_over_ranks(PRECISIONS.columns(best_first).terms) / divisor
            mean_of_case = sum_over_ranks(precision_so_far(best_first, ties)) / divisor
            # A case can be impossible in some of the lists; its chance is 0 there.
            is_possible = chance > 0
            lowest = np.where(is_possible, np.minimum(lowest, lowest_of_case), lowest)
            mean += chance * mean_of_case
            highest = np.where(is_possible, np.maximum(highest, highest_of_case), highest)
        return lowest, mean, highest


AP_DIVISORS: dict[str, Divisor] = {
    "relevant": RelevantHitsDivisor(relevant_divisor),
    "reachable": RelevantHitsDivisor(reachable_divisor),
    "listed": RelevantHitsDivisor(listed_divisor),
    "cutoff": RelevantHitsDivisor(cutoff_divisor),
    "found": FoundHitsDivisor(found_divisor),
}


def average_precision_formula(denominator: str = "relevant") -> RankFormula:
    """Return the formula of AP for a divisor, given by its name."""
    return RankFormula(PRECISIONS, AP_DIVISORS[denominator])


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "relevant",
) -> FloatArray:
    r"""Average of the precisions at the relevant ranks (AP); its mean over lists is the MAP.

    .. math:: \mathrm{AP@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0] \, \mathrm{P@}i

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        Number of relevant items.
    k : int, optional
        Cut-off rank.
    denominator : {"relevant", "reachable", "listed", "cutoff", "found"}, default "relevant"
        The divisor D. ``"relevant"``: n_relevant (document 004, trec_eval, ranx).
        ``"reachable"``: min(k, n_relevant) (RankSys, RePlay). ``"listed"``: the smaller of
        n_relevant and the number of items retrieved, at most k (LensKit). ``"cutoff"``: k.
        ``"found"``: the number of relevant items among the first k (document 002's program). If
        this number is 0 although something is relevant, the value is 0.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    Notes
    -----
    With a cut-off, ``"relevant"`` cannot reach 1 if more than k items are relevant; ``"found"``
    can fall when a further relevant item is found.

    References
    ----------
    Document 004, Average precision.

    Examples
    --------
    >>> average_precision([1, 0, 1], 4).round(4)
    np.float64(0.4167)
    >>> average_precision([1, 0, 1], 4, denominator="found").round(4)
    np.float64(0.8333)
    """
    check_choice(denominator, "denominator", AP_DIVISORS)
    lists = lists_with_counts(gains, n_relevant)
    precisions = PRECISIONS.columns(lists.grades[..., : check_cutoff(k)]).terms
    return divide_or_nan(sum_over_ranks(precisions), AP_DIVISORS[denominator](lists, k))


MAP = MeasureSpec(
    name="MAP",
    function=average_precision,
    label="AP",
    title="mean average precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]\, P@i(u)",
    source="@buckley2000; document 004",
    computation=average_precision_formula,
    choices={"denominator": "average_precision"},
    aliases=("ap", "average_precision"),
)
