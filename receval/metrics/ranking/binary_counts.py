"""Metrics that count the relevant items (grade above 0) among the first, and what divides them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_none,
    check_that,
    input_error,
    shorten,
)
from receval._lists import (
    as_counts,
    as_gains,
    check_cutoff,
    check_leading,
    of_any_shape,
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


def known_counts(counts: object, listed: BoolArray, name: str, what: str) -> IntArray:
    """How many there are for each list of what it has ``listed``: never fewer than these."""
    if isinstance(counts, np.ndarray) and counts.ndim == 0:
        counts = counts.item()
    total = np.asarray(as_counts(counts, name))
    check_leading(f"{name} gains", total.shape, listed.shape[:-1])
    total, found = np.broadcast_arrays(total, np.count_nonzero(listed, axis=-1))
    rule, advice = f"be at least the number of {what} in the list", f"It counts all {what}"
    check_none(total, total < found, name, rule, f"{advice}, retrieved or not")
    return total


def counted(gains: npt.ArrayLike, n_relevant: object) -> ArrayLists:
    """Lists, and the number of relevant items of each."""
    grades = as_gains(gains)
    total = known_counts(n_relevant, grades > 0, "n_relevant", "relevant items")
    return ArrayLists(np.broadcast_to(grades, (*total.shape, grades.shape[-1])), total)


# What hits are divided by: of lists and a cut-off, where 0 leaves a value undefined.


def cutoff(lists: RankedLists, k: int | None) -> Any:
    return lists.length if k is None else k


def retrieved(lists: RankedLists, k: int | None) -> Any:
    return lists.length if k is None else np.minimum(lists.length, k)


def relevant(lists: RankedLists, _: int | None) -> Any:
    return lists.n_relevant


def reachable(lists: RankedLists, k: int | None) -> Any:
    return np.minimum(cutoff(lists, k), lists.n_relevant)


PRECISION_DIVISORS = {one.__name__: one for one in (cutoff, retrieved, reachable)}
RECALL_DIVISORS = {one.__name__: one for one in (relevant, reachable)}


@dataclass(frozen=True)
class MeanDivisor:
    """The mean of two: H / mean(A, B) is the harmonic mean of H / A and H / B."""

    parts: dict[str, Divisor]

    def __call__(self, lists: RankedLists, k: int | None) -> Any:
        one, other = (divisor(lists, k) for divisor in self.parts.values())
        return np.where((one > 0) & (other > 0), (one + other) / 2, 0)


def precision_form(denominator: str = "cutoff") -> RankFormula:
    return RankFormula(
        HITS, PRECISION_DIVISORS[check_choice(denominator, "denominator", PRECISION_DIVISORS)]
    )


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
        What D is. ``"cutoff"``: k, even where the list is shorter (trec_eval, RankSys).
        ``"retrieved"``: the number of items retrieved, at most k (document 004's text).
        ``"reachable"``: min(k, n_relevant), so that a perfect list scores 1.
    n_relevant : array_like of int, shape (...), optional
        Number of relevant items of each list; needed, and used, by ``"reachable"`` only.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where D is 0: an empty list without cut-off or under
        ``"retrieved"``; nothing relevant under ``"reachable"``.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`.

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
    form, k = precision_form(denominator), check_cutoff(k)
    if denominator != "reachable":
        lists = ArrayLists(as_gains(gains))
        if n_relevant is not None:
            counted(gains, n_relevant)  # what is wrong with it is said first
            rule = f"be left out when denominator is {denominator!r}"
            raise input_error("n_relevant", rule, shorten(n_relevant))
        return form(lists, k)
    rule = "be given when denominator is 'reachable'"
    check_that(n_relevant is not None, "n_relevant", rule, n_relevant)
    return form(counted(gains, n_relevant), k)


PRECISION = MeasureSpec(
    name="Precision",
    function=precision,
    label="precision",
    title="precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
    source="@manning2008; document 004",
    computation=precision_form,
    choices={"denominator": "precision"},
    aliases=("p", "prec"),
)


def recall_form(denominator: str = "relevant") -> RankFormula:
    return RankFormula(
        HITS, RECALL_DIVISORS[check_choice(denominator, "denominator", RECALL_DIVISORS)]
    )


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
        What D is: n_relevant, or min(k, n_relevant) as LensKit has it.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where D is 0.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`.

    References
    ----------
    Document 004, Recall; document 001, eq. of recall.

    Examples
    --------
    >>> recall([1, 0, 1], 4)
    np.float64(0.5)
    """
    return recall_form(denominator)(counted(gains, n_relevant), check_cutoff(k))


RECALL = MeasureSpec(
    name="Recall",
    function=recall,
    label="recall",
    title="recall",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
    source="@manning2008; document 004",
    computation=recall_form,
    choices={"denominator": "recall"},
    aliases=("r",),
)


def f1_form(precision: str = "cutoff", recall: str = "relevant") -> RankFormula:
    """The hits over the mean of what precision and recall divide them by."""
    return RankFormula(
        HITS,
        MeanDivisor(
            {"precision": PRECISION_DIVISORS[precision], "recall": RECALL_DIVISORS[recall]}
        ),
    )


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
        Values in [0, 1]; 0 where both are 0; NaN where either is NaN.

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
    p, r = _as_share(precision, "precision"), _as_share(recall, "recall")
    check_leading("precision recall", p.shape, r.shape)
    return np.asarray(2 * p * r / np.where((p == 0) & (r == 0), 1.0, p + r))[()]


def _as_share(values: npt.ArrayLike, name: str) -> FloatArray:
    share = of_any_shape(values, name)
    check_none(share, (share < 0) | (share > 1), name, "be between 0 and 1")
    return share


F1 = MeasureSpec(
    name="F1",
    function=f1,
    title="harmonic mean of precision and recall",
    formula=r"\frac{2 P_u R_u}{P_u + R_u}",
    source="@vanrijsbergen1979; document 001",
    computation=f1_form,
    choices={"precision": "precision", "recall": "recall"},
    aliases=("f",),
)
