"""How each member fares with the group's list, and how unequally they do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import FloatArray, check_choice, check_none
from receval._lists import as_finite, as_gains, as_list_codes, check_cutoff, check_leading
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
    r"""How well the group's list serves each member: the nDCG of the list by their own ratings.

    .. math:: \mathrm{sat}(u) =
              \frac{\mathrm{DCG@}k \text{ of the group's list by } u\text{'s ratings}}
              {\mathrm{DCG@}k \text{ of } u\text{'s own best list}}

    Parameters
    ----------
    group_order : array_like of int, shape (..., n)
        The list for the group: 0-based column indices, best first, each at most once; -1 for
        ranks left empty at its end, as `rank_items` leaves them.
    ratings : array_like, shape (..., members, items)
        Ratings (or Borda points) of the members, at least 0; NaN where a member did not rate.
    k : int or None
        Cut-off rank; None takes the whole list.
    discount : callable, default `clipped_log2`
        Ranks to weights; the default is the document's.

    Returns
    -------
    ndarray of float, shape (..., members)
        Values in [0, 1]; NaN for a member who rates everything 0, and for one who did not rate
        all items among the first k of the list. Her own best list is of what she rated.

    Raises
    ------
    InputError
        If an index is not a column of ``ratings`` or stands twice in a list, a list has an
        empty rank before its end, a rating is negative or infinite, or ``k`` is not a positive
        integer.

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
    r = as_gains(members_by_items(ratings, "ratings"), "ratings", by_rank=False)
    order = as_list_codes(group_order, "group_order")
    rule = f"hold column indices of ratings (0 to {r.shape[-1] - 1})"
    check_none(order, order >= r.shape[-1], "group_order", rule)
    lead = check_leading("group_order ratings", order.shape[:-1], r.shape[:-2])
    r = np.broadcast_to(r, (*lead, *r.shape[-2:]))
    shown = np.broadcast_to(order, (*lead, order.shape[-1]))[..., np.newaxis, :]
    gains = np.take_along_axis(r, np.maximum(shown, 0), axis=-1)
    unrated = (np.isnan(gains) & (shown >= 0))[..., : check_cutoff(k)].any(axis=-1)
    gains = np.where(shown < 0, np.nan, np.nan_to_num(gains))
    return np.where(unrated, np.nan, ndcg(gains, r, k=k, discount=discount))


def spread(satisfaction: npt.ArrayLike, *, kind: str = "range") -> FloatArray:
    """How unequally the members of a group are served.

    Parameters
    ----------
    satisfaction : array_like, shape (..., members)
        Satisfaction of each member, as `satisfaction` answers it.
    kind : {"range", "deviation", "ratio"}, default "range"
        Best minus worst member; population standard deviation; or worst over best member.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0; 0 (for ``"ratio"`` 1) when all members fare alike. NaN without members, and
        for ``"ratio"`` where the best member has 0 or less.

    Raises
    ------
    InputError
        If a value is NaN or infinite, or ``kind`` is unknown.

    Examples
    --------
    >>> spread([1.0, 0.75, 0.5]), spread([1.0, 0.75, 0.5], kind="ratio")
    (np.float64(0.5), np.float64(0.5))
    """
    s = as_finite(satisfaction, "satisfaction")
    check_choice(kind, "kind", ("range", "deviation", "ratio"))
    if s.shape[-1] == 0:
        return np.full(s.shape[:-1], np.nan)[()]
    if kind == "deviation":
        return np.asarray(s.std(axis=-1))[()]
    best, worst = np.asarray(s.max(axis=-1)), np.asarray(s.min(axis=-1))
    return ratio(worst, np.maximum(best, 0)) if kind == "ratio" else (best - worst)[()]
