"""The popularity of recommended items, and the evenness of exposure in the catalogue."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import as_codes, divide_or_nan
from receval._checks import AnyArray, FloatArray, IntArray, check_count, check_none
from receval.metrics.beyond_accuracy.item_lists import as_non_negative, mean_over_items
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel


def inverse_user_frequency_terms(users: npt.ArrayLike, n_users: int) -> FloatArray:
    """Return ``log2(n_users / users)`` of each item, and 0 at empty ranks; the mean is MIUF.

    See `inverse_user_frequency` for parameters and errors.

    Examples
    --------
    >>> inverse_user_frequency_terms([4, 1, 0], 8)
    array([1., 3., 3.])
    """
    n_users = check_count(n_users, "n_users")
    counts = as_non_negative(users, "users")
    check_none(counts, counts > n_users, "users", f"be at most n_users, {n_users}")
    return np.nan_to_num(np.log2(n_users / np.maximum(counts, 1)))


def inverse_user_frequency(users: npt.ArrayLike, n_users: int) -> FloatArray:
    r"""Mean inverse user frequency (MIUF): high if few users know the recommended items.

    .. math:: \mathrm{MIUF} = \frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}

    Parameters
    ----------
    users : array_like, shape (..., n)
        Number of users who know the item at each rank; NaN marks an empty rank at the tail. An
        item that nobody knows counts as known to one user, as in RecTools.
    n_users : int
        Number of all users, at least 1.

    Returns
    -------
    ndarray of float, shape (...)
        In bits, from 0 (everybody knows all items) to log2 n_users; NaN for an empty list.

    Raises
    ------
    InputError
        If a number is negative, infinite or above ``n_users``, or ``n_users`` is not a positive
        integer.

    References
    ----------
    Zhou et al. (2010), PNAS 107(10), doi:10.1073/pnas.1000488107, as RecTools 0.19.0 computes it.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)
    np.float64(2.0)
    """
    return mean_over_items(inverse_user_frequency_terms(users, n_users), users)


MIUF = MeasureSpec(
    name="MIUF",
    title="mean inverse user frequency",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}",
    source="@zhou2010",
    computation=PerListFunction(
        inverse_user_frequency,
        lambda lists, k: {"users": lists.users_of(k), "n_users": lists.history.n_users},
    ),
    needs=("history",),
    methods_note="an item that no user has in the history counts as known to one user",
)


def average_popularity_terms(interactions: npt.ArrayLike) -> FloatArray:
    """Return the popularity of each item, 0 at an empty rank; the mean is `average_popularity`.

    See `average_popularity` for parameters and errors.

    Examples
    --------
    >>> average_popularity_terms([4, 1, float("nan")])
    array([4., 1., 0.])
    """
    return np.nan_to_num(as_non_negative(interactions, "interactions"))


def average_popularity(interactions: npt.ArrayLike) -> FloatArray:
    r"""Average recommendation popularity (ARP): the mean number of earlier interactions.

    .. math:: \mathrm{ARP} = \frac{1}{|R_u|} \sum_{o \in R_u} \phi(o)

    Parameters
    ----------
    interactions : array_like, shape (..., n)
        Number of interactions with the item at each rank; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        Interactions per item, at least 0; NaN for an empty list.

    Raises
    ------
    InputError
        If a number is negative or infinite.

    References
    ----------
    Yin et al. (2012), Challenging the long tail recommendation, PVLDB 5(9), as RecTools 0.19.0
    computes it.

    Examples
    --------
    >>> average_popularity([4, 1])
    np.float64(2.5)
    """
    return mean_over_items(average_popularity_terms(interactions), interactions)


ARP = MeasureSpec(
    name="ARP",
    title="average recommendation popularity",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \phi(o)",
    source="@yin2012",
    computation=PerListFunction(
        average_popularity, lambda lists, k: {"interactions": lists.interactions(k)}
    ),
    needs=("history",),
    higher_is_better=False,
)


def exposure_gini_terms(items: npt.ArrayLike, n_items: int) -> FloatArray:
    """Return the terms :math:`(2i - n - 1) x_i` of the sum in `exposure_gini`, one per item.

    Parameters
    ----------
    items, n_items
        As in `exposure_gini`.

    Returns
    -------
    ndarray of float, shape (n,)
        Terms in the order of the item codes. If several items are in the same number of lists, the
        order of their codes decides their places i.

    Examples
    --------
    >>> exposure_gini_terms([[0, 1], [0, 2]], 4)
    array([ 6., -1.,  1.,  0.])
    """
    n_items = check_count(n_items, "n_items")
    codes = as_codes(items, n_items=n_items)
    n_lists = np.bincount(codes[codes >= 0], minlength=n_items)
    place = np.argsort(np.argsort(n_lists, kind="stable")) + 1
    return np.asarray((2.0 * place - n_items - 1) * n_lists + 0.0)  # + 0.0 turns -0 into 0


def exposure_gini(items: npt.ArrayLike, n_items: int) -> float:
    r"""Gini index of exposure: high if few items of the catalogue get most recommendations.

    :math:`x_1 \le \dots \le x_n` are the numbers of lists that hold each item, in ascending order:

    .. math:: G = \frac{\sum_{i=1}^{n} (2 i - n - 1) \, x_i}{n \sum_{i=1}^{n} x_i}

    Parameters
    ----------
    items : array_like of int, shape (..., rank)
        Item codes 0 … n_items - 1, -1 for an empty rank.
    n_items : int
        Size n of the catalogue, at least 1. Items that are in no list have an x of 0.

    Returns
    -------
    float
        From 0 (all items equally often) to 1 - 1/n (one item only); NaN if nothing is recommended
        at all.

    Raises
    ------
    InputError
        If the catalogue is empty, or a code lies outside it or is not whole.

    Notes
    -----
    Castells et al. (2022), RankSys and RELISON divide by n - 1 instead of n.

    References
    ----------
    Fleder and Hosanagar (2009), Management Science 55(5), doi:10.1287/mnsc.1080.0974.

    Examples
    --------
    >>> exposure_gini([[0, 1], [0, 2]], 4)
    0.375
    """
    n_items = check_count(n_items, "n_items")
    return _gini(_count_exposure(as_codes(items, n_items=n_items))[1], n_items)


def _count_exposure(codes: IntArray) -> IntArray:
    """Return two rows: the codes of the recommended items, and their numbers of lists."""
    return np.array(np.unique(codes[codes >= 0], return_counts=True))


def _add_exposure(states: list[AnyArray]) -> AnyArray:
    """Add up arrays of items and counts, as `_count_exposure` returns them.

    The items may be ids, so the dtype may be object.
    """
    items, counts = np.concatenate(states, axis=1)
    items, item_index = np.unique(items, return_inverse=True)
    total = np.bincount(item_index, counts.astype(np.int64)).astype(np.int64)
    return np.array([items, total], dtype=states[0].dtype)


def _gini(counts: AnyArray, n_items: int) -> float:
    """Return the Gini index of a catalogue of ``n_items``; items without a count have 0."""
    counts = np.sort(np.asarray(counts, np.int64))
    # Items in no list come first and add nothing.
    place = np.arange(n_items - counts.size, n_items) + 1
    return float(divide_or_nan(((2 * place - n_items - 1) * counts).sum(), n_items * counts.sum()))


GINI = MeasureSpec(
    name="Gini",
    title="Gini index of exposure",
    formula=r"\frac{\sum_i (2i - n - 1)\, x_i}{n \sum_i x_i},\quad x_i = |\{u : b_i \in R_u@k\}|",
    source="@fleder2009",
    computation=SetLevel(
        partial=lambda lists, k: _count_exposure(lists.top(k)),
        combine=_add_exposure,
        finish=lambda state, facts: _gini(state[1], facts.n_items),
        has_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
    higher_is_better=False,
)
