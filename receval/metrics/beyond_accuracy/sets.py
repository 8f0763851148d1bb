"""Measures of the lists of all users together; item codes in, one number out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_count,
    check_number,
)
from receval._lists import as_array, as_codes, as_counts, as_flags, check_no_repeats
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel


def prediction_coverage_terms(items: npt.ArrayLike) -> FloatArray:
    """1 for each list that is not empty, else 0; their mean is `prediction_coverage`.

    Parameters and errors are those of `prediction_coverage`.

    Examples
    --------
    >>> prediction_coverage_terms([[4, 2], [-1, -1]])
    array([1., 0.])
    """
    return np.asarray((_lists(items, once=False) >= 0).any(axis=1), np.float64)


def prediction_coverage(items: npt.ArrayLike) -> float:
    r"""Share of lists that are not empty (PC).

    .. math:: \mathrm{PC} = \frac{|\{c \in C : \mathit{match}(c) \ne \varnothing\}|}{|C|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes, -1 for an empty rank.

    Returns
    -------
    float
        In [0, 1]; NaN without any list.

    Raises
    ------
    InputError
        If a code is below -1 or not whole, or there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", PC.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])
    0.5
    """
    answered = prediction_coverage_terms(items)
    return float(ratio(answered.sum(), answered.size))


PC = MeasureSpec(
    name="PC",
    title="prediction coverage",
    formula=r"[R_u \ne \varnothing]",
    source="@herlocker2004; document 000",
    computation=PerListFunction(
        prediction_coverage_terms,
        lambda lists, _: {"items": np.where(lists.length > 0, 0, -1)[:, np.newaxis]},
    ),
    depends_on=(),
    takes_cutoff=False,
)


def catalog_coverage(items: npt.ArrayLike, n_items: int) -> float:
    r"""Distinct items in all lists together, over the size of the catalogue (CC).

    .. math:: \mathrm{CC} = \frac{\left|\bigcup_{c \in C} \mathit{match}(c)\right|}{|B|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes 0 … n_items - 1, -1 for an empty rank.
    n_items : int
        Size of the catalogue B, at least 1.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        If the catalogue is empty, a code lies outside it or is not whole, an item stands twice
        in a list, or there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", CC@10.

    Examples
    --------
    >>> catalog_coverage([[4, 2], [2, -1]], 8)
    0.25
    """
    size = check_count(n_items, "n_items")
    return float(_distinct(_lists(items, n_items=size)).size / size)


def _distinct(items: IntArray) -> IntArray:
    return np.unique(items[items >= 0])


CC = MeasureSpec(
    name="CC",
    title="catalogue coverage",
    formula=r"\frac{|\bigcup_u R_u@k|}{|B|}",
    source="@ge2010; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _distinct(lists.top(k)),
        combine=np.union1d,
        finish=lambda items, known: float(ratio(items.size, known.n_items)),
        of_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
)


def short_head(awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside") -> BoolArray:
    r"""The most awarded items that together hold ``share`` of all awards.

    With items in descending order of awards, the short head is :math:`(b_1, \dots, b_e)` with

    .. math:: \sum_{k=1}^{e-1} \mathit{awards}(b_k) < s \cdot |C|
              \le \sum_{k=1}^{e} \mathit{awards}(b_k)

    Parameters
    ----------
    awards : array_like of int, shape (..., items)
        Number of awards of each item.
    share : float, default 0.2
        s, in (0, 1]. Taken as the decimal number that is written: 0.2 is exactly 1/5.
    crossing : {"inside", "outside"}, default "inside"
        Whether the item whose awards reach the share belongs to the head, as the formula
        says, or not, as both of document 000's programs have it (unless it reaches the share
        exactly).

    Returns
    -------
    ndarray of bool, shape (..., items)
        True for items of the short head; the others are the long tail. Items with equal awards
        keep their order.

    Raises
    ------
    InputError
        If an award count is negative or not whole, there is no award at all, ``share`` lies
        outside (0, 1], or ``crossing`` is unknown.

    References
    ----------
    Document 000, section "Evaluated metrics", SH; its programs differ (see ``crossing``).

    Examples
    --------
    >>> short_head([1, 5, 2, 2], share=0.6)
    array([False,  True,  True, False])
    >>> short_head([1, 5, 2, 2], share=0.6, crossing="outside")
    array([False,  True, False, False])
    """
    counts = as_counts(as_array(awards, "awards"), "awards")
    share = check_number(share, "share", "a number in (0, 1]", lambda s: 0 < s <= 1)
    check_choice(crossing, "crossing", ("inside", "outside"))
    if counts.sum(dtype=float) >= 2.0**62:
        counts = counts.astype(object)  # Python's unbounded integers, exact and slower
    total = counts.sum(axis=-1, keepdims=True).astype(object)
    if not (total > 0).all():
        raise InputError("awards must hold at least one award; got none")
    order = np.argsort(-counts, axis=-1, kind="stable")
    falling = np.take_along_axis(counts, order, axis=-1)
    held = np.cumsum(falling, axis=-1)
    # Whole numbers and fractions throughout: 0.07 * 100 in floating point is not 7.
    limit = Fraction(str(share)) * total
    in_order: BoolArray = held - falling < np.ceil(limit).astype(counts.dtype)
    if crossing == "outside":
        in_order &= held <= np.floor(limit).astype(counts.dtype)
    head = np.empty_like(in_order)
    np.put_along_axis(head, order, in_order, axis=-1)
    return head


def long_tail_percentage_terms(items: npt.ArrayLike, in_head: npt.ArrayLike) -> FloatArray:
    """Number of long-tail items in each list; the numerator of `long_tail_percentage`.

    Parameters and errors are those of `long_tail_percentage`.

    Examples
    --------
    >>> long_tail_percentage_terms([[0, 2], [3, -1]], [True, False, False, False])
    array([1., 1.])
    """
    tail = _tail(in_head)
    lists = _lists(items, n_items=tail.size - 1)
    return np.asarray(np.count_nonzero(tail[lists], axis=1), np.float64)


def _tail(in_head: npt.ArrayLike) -> BoolArray:
    """Whether each item is in the long tail; and last False, which the code -1 finds."""
    head = as_flags(in_head, "in_head")
    if head.ndim != 1 or np.isnan(head).any():
        raise InputError(f"in_head must say True or False of every item; got shape {head.shape}")
    return np.append(head == 0, False)


def long_tail_percentage(items: npt.ArrayLike, in_head: npt.ArrayLike) -> float:
    r"""Share of all recommendations that go to long-tail items (LTP).

    .. math:: \mathrm{LTP} = \frac{\sum_{c \in C} |\mathit{match}(c) \cap LT|}
              {\sum_{c \in C} |\mathit{match}(c)|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes, -1 for an empty rank.
    in_head : array_like of bool, shape (items,)
        True for the items of the `short_head`; the others are the long tail LT.

    Returns
    -------
    float
        In [0, 1]; NaN where nothing is recommended at all.

    Raises
    ------
    InputError
        If a code lies outside the catalogue or is not whole, an item stands twice in a list, or
        there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", LTP@10.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False]).__round__(4)
    0.6667
    """
    tail = _tail(in_head)
    return float(ratio(*_tail_counts(_lists(items, n_items=tail.size - 1), tail)))


def _tail_counts(lists: IntArray, tail: BoolArray) -> IntArray:
    return np.array([np.count_nonzero(tail[lists]), np.count_nonzero(lists >= 0)])


LTP = MeasureSpec(
    name="LTP",
    title="long-tail percentage",
    formula=r"\frac{\sum_u |R_u@k \cap LT|}{\sum_u |R_u@k|}",
    source="@adomavicius2012; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _tail_counts(lists.top(k), _tail(lists.known.in_head)),
        combine=np.add,
        finish=lambda counts, _: float(ratio(*counts)),
    ),
    depends_on=("ties", "short head"),
    needs=("awards",),
)


def _lists(items: npt.ArrayLike, *, n_items: int | None = None, once: bool = True) -> IntArray:
    codes = as_codes(items, n_items=n_items)
    if codes.ndim > 2:
        raise InputError(f"items must have the axes (lists, rank); got shape {codes.shape}")
    lists = np.atleast_2d(codes) if codes.ndim == 2 or codes.size else codes.reshape(0, 0)
    if once:
        check_no_repeats(lists, "items")
    return lists
