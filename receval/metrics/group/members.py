"""The satisfaction of each member with the group's list, and its spread over the members."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    as_gains,
    as_list_codes,
    broadcast_leading_axes,
    check_cutoff,
)
from receval._checks import FloatArray, check_choice, check_none
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group.orders import members_by_items
from receval.metrics.ranking import ndcg


def satisfaction(
    group_order: npt.ArrayLike,
    ratings: npt.ArrayLike,
    *,
    k: int | None,
    discount: Discount = clipped_log2,
) -> FloatArray:
    r"""Satisfaction of each member with the group's list: its nDCG under the member's ratings.

    .. math:: \mathrm{sat}(u) =
              \frac{\mathrm{DCG@}k \text{ of the group's list by } u\text{'s ratings}}
              {\mathrm{DCG@}k \text{ of } u\text{'s own best list}}

    Parameters
    ----------
    group_order : array_like of int, shape (..., n)
        The list for the group: 0-based column indices, best first, each at most once; -1 for
        empty ranks at its end, as in `rank_items`.
    ratings : array_like, shape (..., members, items)
        Ratings (or Borda points) of the members, at least 0; NaN where a member did not rate.
    k : int or None
        Cut-off rank; None takes the whole list.
    discount : callable, default `clipped_log2`
        A function that maps ranks to weights; the default is the discount of the document.

    Returns
    -------
    ndarray of float, shape (..., members)
        Values in [0, 1]. NaN for a member who rates everything 0, and for a member who did not
        rate all items among the first k of the list. A member's own best list consists of the
        items that she rated.

    Raises
    ------
    InputError
        If an index is not a column of ``ratings`` or occurs twice in a list, a list has an empty
        rank before its end, a rating is negative or infinite, or ``k`` is not a positive integer.

    References
    ----------
    Document 001, section on nDCG: the satisfaction of a user in a group.

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> satisfaction([0, 1, 2], ratings, k=2).round(4)
    array([1.    , 0.5714])
    >>> satisfaction([0, 1, 2], [[5, 3, 1], [1, float("nan"), 4]], k=2)
    array([ 1., nan])
    """
    ratings = as_gains(members_by_items(ratings, "ratings"), "ratings", by_rank=False)
    n_items = ratings.shape[-1]
    order = as_list_codes(group_order, "group_order")
    check_none(
        order,
        order >= n_items,
        "group_order",
        f"hold column indices of ratings (0 to {n_items - 1})",
    )
    leading = broadcast_leading_axes("group_order ratings", order.shape[:-1], ratings.shape[:-2])
    ratings = np.broadcast_to(ratings, (*leading, *ratings.shape[-2:]))
    # Every member of a group gets the same list, so its axis of members has the length 1.
    order = np.broadcast_to(order, (*leading, order.shape[-1]))[..., np.newaxis, :]
    # Read each member's rating of the item at each rank. The -1 of an empty rank isn't an index,
    # so read column 0 there; its rating is overwritten below.
    ratings_by_rank = np.take_along_axis(ratings, np.maximum(order, 0), axis=-1)
    is_empty_rank = order < 0
    is_unrated = np.isnan(ratings_by_rank) & ~is_empty_rank
    has_unrated = is_unrated[..., : check_cutoff(k)].any(axis=-1)
    # nDCG takes NaN at empty ranks only, so unrated items get 0. They either rank after the cut-off
    # or make the value NaN anyway.
    gains = np.where(is_empty_rank, np.nan, np.nan_to_num(ratings_by_rank))
    return np.where(has_unrated, np.nan, ndcg(gains, ratings, k=k, discount=discount))


SPREADS: dict[str, Callable[..., FloatArray]] = {"range": np.ptp, "deviation": np.std}


def spread(satisfaction: npt.ArrayLike, *, kind: str = "range") -> FloatArray:
    """Return the inequality of satisfaction among the members of a group.

    Parameters
    ----------
    satisfaction : array_like, shape (..., members)
        Satisfaction of each member, as `satisfaction` returns it.
    kind : {"range", "deviation"}, default "range"
        ``"range"`` is the best minus the worst satisfaction, and ``"deviation"`` is the population
        standard deviation.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0; 0 if all members are equally satisfied. NaN without members.

    Raises
    ------
    InputError
        If a value is NaN or infinite, or ``kind`` is unknown.

    Examples
    --------
    >>> spread([1.0, 0.75, 0.5]), spread([1.0, 0.75, 0.5], kind="deviation").round(2)
    (np.float64(0.5), np.float64(0.2))
    """
    values = as_finite(satisfaction, "satisfaction")
    check_choice(kind, "kind", SPREADS)
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.nan)[()]
    return np.asarray(SPREADS[kind](values, axis=-1))[()]
