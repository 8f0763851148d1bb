"""How popular the recommended items are, and how evenly the catalogue is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import FloatArray, IntArray, check_count, check_none
from receval._lists import as_codes
from receval.metrics.beyond_accuracy.item_lists import at_least_0, mean_of_items
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel

__all__ = [
    "average_popularity",
    "average_popularity_terms",
    "exposure_gini",
    "exposure_gini_terms",
    "inverse_user_frequency",
    "inverse_user_frequency_terms",
]


def inverse_user_frequency_terms(users: npt.ArrayLike, n_users: int) -> FloatArray:
    """``log2(n_users / users)`` of each item, 0 at an empty rank; their mean is the novelty.

    Parameters and errors are those of `inverse_user_frequency`.

    Examples
    --------
    >>> inverse_user_frequency_terms([4, 1, 0], 8)
    array([1., 3., 3.])
    """
    n, counts = check_count(n_users, "n_users"), at_least_0(users, "users")
    check_none(counts, counts > n, "users", f"be at most n_users, {n}")
    return np.nan_to_num(np.log2(n / np.maximum(counts, 1)))


def inverse_user_frequency(users: npt.ArrayLike, n_users: int) -> FloatArray:
    r"""Mean inverse user frequency (MIUF): how few users know the recommended items.

    .. math:: \mathrm{MIUF} = \frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}

    Parameters
    ----------
    users : array_like, shape (..., n)
        Number of users who know the item at each rank; NaN marks an empty rank at the tail. An
        item that nobody knows counts as known to one, as RecTools has it.
    n_users : int
        Number of all users, at least 1.

    Returns
    -------
    ndarray of float, shape (...)
        In bits, from 0 (everybody knows all items) to log2 n_users; NaN for an empty list.

    Raises
    ------
    InputError
        If a number is negative, infinite or above ``n_users``, or that is no positive integer.

    References
    ----------
    Zhou et al. (2010), PNAS 107(10), doi:10.1073/pnas.1000488107, as RecTools 0.19.0 computes it.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)
    np.float64(2.0)
    """
    return mean_of_items(inverse_user_frequency_terms(users, n_users), users)


MIUF = MeasureSpec(
    name="MIUF",
    title="mean inverse user frequency",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}",
    source="@zhou2010",
    computation=PerListFunction(
        inverse_user_frequency,
        lambda lists, k: {"users": lists.users_of(k), "n_users": lists.past.n_users},
    ),
    needs=("history",),
    methods_note="an item of no user in the history counts as one of a single user",
)


def average_popularity_terms(interactions: npt.ArrayLike) -> FloatArray:
    """Popularity of each item, 0 at an empty rank; their mean is `average_popularity`.

    Parameters and errors are those of `average_popularity`.

    Examples
    --------
    >>> average_popularity_terms([4, 1, float("nan")])
    array([4., 1., 0.])
    """
    return np.nan_to_num(at_least_0(interactions, "interactions"))


def average_popularity(interactions: npt.ArrayLike) -> FloatArray:
    r"""Average recommendation popularity (ARP): how often the recommended items occurred before.

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
    return mean_of_items(average_popularity_terms(interactions), interactions)


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
    """Terms :math:`(2i - n - 1) x_i` of the sum in `exposure_gini`, one for each item, shape (n,).

    Parameters
    ----------
    items, n_items
        As in `exposure_gini`.

    Returns
    -------
    ndarray of float, shape (n,)
        Of the items in the order of their codes; places i go to equal numbers in this order too.

    Examples
    --------
    >>> exposure_gini_terms([[0, 1], [0, 2]], 4)
    array([ 6., -1.,  1.,  0.])
    """
    n = check_count(n_items, "n_items")
    codes = as_codes(items, n_items=n)
    shown = np.bincount(codes[codes >= 0], minlength=n)
    place = np.argsort(np.argsort(shown, kind="stable")) + 1
    return np.asarray((2.0 * place - n - 1) * shown + 0.0)  # no -0


def exposure_gini(items: npt.ArrayLike, n_items: int) -> float:
    r"""Gini index of exposure: how unevenly recommendations fall on the catalogue.

    With the numbers of lists that hold each item, in ascending order :math:`x_1 \le \dots \le x_n`:

    .. math:: G = \frac{\sum_{i=1}^{n} (2 i - n - 1) \, x_i}{n \sum_{i=1}^{n} x_i}

    Parameters
    ----------
    items : array_like of int, shape (..., rank)
        Item codes 0 … n_items - 1, -1 for an empty rank.
    n_items : int
        Size n of the catalogue, at least 1; items in no list count 0.

    Returns
    -------
    float
        From 0 (all items equally often) to 1 - 1/n (one item only); NaN where nothing is
        recommended at all.

    Raises
    ------
    InputError
        If the catalogue is empty, or a code lies outside it or is not whole.

    Notes
    -----
    Castells et al. (2022), RankSys and RELISON divide by n - 1 in place of n.

    References
    ----------
    Fleder and Hosanagar (2009), Management Science 55(5), doi:10.1287/mnsc.1080.0974.

    Examples
    --------
    >>> exposure_gini([[0, 1], [0, 2]], 4)
    0.375
    """
    n = check_count(n_items, "n_items")
    return _gini(_exposure(as_codes(items, n_items=n))[1], n)


def _exposure(codes: IntArray) -> IntArray:
    """The codes of the items in lists, and in how many."""
    return np.array(np.unique(codes[codes >= 0], return_counts=True))


def _both(one: Any, other: Any) -> Any:
    """Items and their numbers of lists, of two states together."""
    (items, counts), kind = np.concatenate([one, other], axis=1), one.dtype
    items, place = np.unique(items, return_inverse=True)
    total = np.bincount(place, counts.astype(np.int64)).astype(np.int64)
    return np.array([items, total], dtype=kind)


def _gini(counts: Any, n: int) -> float:
    """Of a catalogue of n items of which some are in lists."""
    found = np.sort(np.asarray(counts, np.int64))
    place = np.arange(n - found.size, n) + 1
    return float(ratio(((2 * place - n - 1) * found).sum(), n * found.sum()))


GINI = MeasureSpec(
    name="Gini",
    title="Gini index of exposure",
    formula=r"\frac{\sum_i (2i - n - 1)\, x_i}{n \sum_i x_i},\quad x_i = |\{u : b_i \in R_u@k\}|",
    source="@fleder2009",
    computation=SetLevel(
        partial=lambda lists, k: _exposure(lists.top(k)),
        combine=_both,
        finish=lambda state, known: _gini(state[1], known.n_items),
        of_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
    higher_is_better=False,
)
