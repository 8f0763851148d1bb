"""Measures of the lists of all users together: they take item codes and return one number."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from receval._arrays import as_array, as_codes, as_counts, as_flags, check_no_repeats, divide_or_nan
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_count,
    check_number,
    check_that,
)
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel


def prediction_coverage_terms(items: npt.ArrayLike) -> FloatArray:
    """Return 1 for each list that is not empty, else 0; the mean is `prediction_coverage`.

    See `prediction_coverage` for parameters and errors.

    Examples
    --------
    >>> prediction_coverage_terms([[4, 2], [-1, -1]])
    array([1., 0.])
    """
    return np.asarray((_read_lists(items) >= 0).any(axis=1), np.float64)


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
        In [0, 1]; NaN if there are no lists.

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
    is_answered = prediction_coverage_terms(items)
    return float(divide_or_nan(is_answered.sum(), is_answered.size))


PC = MeasureSpec(
    name="PC",
    title="prediction coverage",
    formula=r"[R_u \ne \varnothing]",
    source="@herlocker2004; document 000",
    computation=PerListFunction(
        prediction_coverage_terms,
        lambda lists, _k: {"items": np.where(lists.length > 0, 0, -1)[:, np.newaxis]},
    ),
    depends_on=(),
    takes_cutoff=False,
)


def catalog_coverage(items: npt.ArrayLike, n_items: int) -> float:
    r"""Share of the catalogue's items that are in at least one list (CC).

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
        If the catalogue is empty, a code lies outside it or is not whole, an item occurs twice in
        a list, or there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", CC@10.

    Examples
    --------
    >>> catalog_coverage([[4, 2], [2, -1]], 8)
    0.25
    """
    size = check_count(n_items, "n_items")
    lists = _read_lists(items, n_items=size)
    return float(_distinct_items(lists).size / size)


def _distinct_items(codes: IntArray) -> IntArray:
    """Return the item codes without the -1 of empty ranks, each once."""
    return np.unique(codes[codes >= 0])


CC = MeasureSpec(
    name="CC",
    title="catalogue coverage",
    formula=r"\frac{|\bigcup_u R_u@k|}{|B|}",
    source="@ge2010; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _distinct_items(lists.top(k)),
        combine=lambda states: np.unique(np.concatenate(states)),
        finish=lambda items, facts: float(divide_or_nan(items.size, facts.n_items)),
        has_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
)


def short_head(awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside") -> BoolArray:
    r"""Return the most awarded items that together hold ``share`` of all awards.

    With items in descending order of awards, the short head is :math:`(b_1, \dots, b_e)` with

    .. math:: \sum_{k=1}^{e-1} \mathit{awards}(b_k) < s \cdot |C|
              \le \sum_{k=1}^{e} \mathit{awards}(b_k)

    Parameters
    ----------
    awards : array_like of int, shape (..., items)
        Number of awards of each item.
    share : float, default 0.2
        The share s, in (0, 1]. It means exactly the decimal number that you write: 0.2 is 1/5.
    crossing : {"inside", "outside"}, default "inside"
        ``"inside"``: the item with which the sum reaches the share belongs to the head, as in the
        formula. ``"outside"``: that item belongs to the tail unless it reaches the share exactly,
        as in both of document 000's programs.

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
    n_awards = as_counts(as_array(awards, "awards"), "awards")
    share = check_number(share, "share", "a number in (0, 1]", lambda s: 0 < s <= 1)
    check_choice(crossing, "crossing", ("inside", "outside"))
    # Python's integers are unbounded, so sums of them cannot overflow.
    total = n_awards.astype(object).sum(axis=-1, keepdims=True)
    if not (total > 0).all():
        raise InputError("awards must hold at least one award; got none")
    # Add up the awards, most awarded item first.
    order = np.argsort(-n_awards, axis=-1, kind="stable")
    n_awards_in_order = np.take_along_axis(n_awards.astype(object), order, axis=-1)
    n_through_item = np.cumsum(n_awards_in_order, axis=-1)
    n_before_item = n_through_item - n_awards_in_order
    # The limit is a fraction, because 0.07 * 100 in floating point is not 7. The sums are whole
    # numbers, so they are below the limit if and only if they are below the limit rounded up, and
    # at most the limit if and only if they are at most the limit rounded down.
    limit = Fraction(str(share)) * total
    is_head_in_order: BoolArray = n_before_item < np.ceil(limit)
    if crossing == "outside":
        is_head_in_order &= n_through_item <= np.floor(limit)
    # Back to the order in which the items came.
    is_head = np.empty_like(is_head_in_order)
    np.put_along_axis(is_head, order, is_head_in_order, axis=-1)
    return is_head


def long_tail_percentage_terms(items: npt.ArrayLike, in_head: npt.ArrayLike) -> FloatArray:
    """Return the number of long-tail items in each list, the numerator of `long_tail_percentage`.

    See `long_tail_percentage` for parameters and errors.

    Examples
    --------
    >>> long_tail_percentage_terms([[0, 2], [3, -1]], [True, False, False, False])
    array([1., 1.])
    """
    is_tail = _tail_mask(in_head)  # one entry longer than the catalogue
    lists = _read_lists(items, n_items=is_tail.size - 1)
    return np.asarray(np.count_nonzero(is_tail[lists], axis=1), np.float64)


def _tail_mask(in_head: npt.ArrayLike) -> BoolArray:
    """Return a mask of the long-tail items, with False appended.

    An empty rank has the code -1. If you use it as an index, you get the appended False.
    """
    is_head = as_flags(in_head, "in_head")
    is_complete = is_head.ndim == 1 and not np.isnan(is_head).any()
    check_that(is_complete, "in_head", "be True or False for every item", is_head.shape)
    return np.append(is_head == 0, False)


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
        In [0, 1]; NaN if nothing is recommended at all.

    Raises
    ------
    InputError
        If a code lies outside the catalogue or is not whole, an item occurs twice in a list, or
        there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", LTP@10.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False]).__round__(4)
    0.6667
    """
    n_tail_by_list = long_tail_percentage_terms(items, in_head)
    n_recommended = np.count_nonzero(_read_lists(items) >= 0)
    return float(divide_or_nan(n_tail_by_list.sum(), n_recommended))


def _count_tail(lists: IntArray, is_tail: BoolArray) -> IntArray:
    """Return the number of long-tail items in all lists, and the number of all items."""
    return np.array([np.count_nonzero(is_tail[lists]), np.count_nonzero(lists >= 0)])


LTP = MeasureSpec(
    name="LTP",
    title="long-tail percentage",
    formula=r"\frac{\sum_u |R_u@k \cap LT|}{\sum_u |R_u@k|}",
    source="@adomavicius2012; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _count_tail(lists.top(k), _tail_mask(lists.run.context.in_head)),
        combine=lambda states: np.sum(states, axis=0),
        finish=lambda counts, _facts: float(divide_or_nan(*counts)),
    ),
    depends_on=("ties", "short head"),
    needs=("awards",),
)


def _read_lists(items: npt.ArrayLike, *, n_items: int | None = None) -> IntArray:
    """Return item codes of shape (lists, rank); -1 marks an empty rank.

    An array with one axis is a single list, but an empty array (``[]``) holds no list. Raise if
    there are more than two axes. With the size of a catalogue, ``n_items``, also raise if a code
    lies outside it, or if an item occurs twice in a list.
    """
    codes = as_codes(items, n_items=n_items)
    check_that(codes.ndim <= 2, "items", "have the axes (lists, rank)", codes.shape)
    lists = np.atleast_2d(codes)
    if codes.ndim == 1 and codes.size == 0:
        lists = codes.reshape(0, 0)
    if n_items is not None:
        check_no_repeats(lists, "items")
    return lists
