"""Strategies by which a group's ratings become one score per item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    check_choice,
    check_none,
    check_number,
    check_shape,
    check_that,
)
from receval._lists import as_gains, check_leading, in_range
from receval.metrics.group.orders import borda_points, members_by_items, totals


def aggregate(
    ratings: npt.ArrayLike,
    *,
    strategy: str = "average",
    threshold: float | None = None,
    trust: npt.ArrayLike | None = None,
    ties: str | None = None,
) -> FloatArray:
    r"""One score per item for the whole group.

    ========================== ==========================================================
    strategy                   score of item i, of the ratings r that it has
    ========================== ==========================================================
    ``average``                mean: :math:`\frac{1}{n_i} \sum_u r_{ui}`
    ``additive``               sum (with all ratings there, the order of the average)
    ``multiplicative``         product, of ratings of at least 0: :math:`\prod_u r_{ui}`
    ``least_misery``           lowest rating: nobody is very unhappy
    ``most_pleasure``          highest rating: somebody is very happy
    ``average_without_misery`` mean; items with a rating below ``threshold`` are out
    ``approval``               number of members whose rating is at least ``threshold``
    ``borda``                  sum of the members' `borda_points`
    ``copeland``               items that it beats less items that beat it. Of two items
                               the one that more members rate higher wins; only pairs that
                               more than half of the members have rated are compared
    ``plurality``              rounds: each member has one vote, shared among her best items
                               that are left; the item with most votes is taken
    ``fairness``               turns in the order of members: each takes the best item left
                               to her; of equal ones, what the member prefers whose ratings
                               of items taken so far add up to least, then the next such
    ``most_respected``         rating of the member whom most others in the group trust,
                               the first such in the order of members
    ========================== ==========================================================

    Parameters
    ----------
    ratings : array_like, shape (..., members, items)
        Ratings, higher is better; NaN where a member did not rate the item.
    strategy : str, default "average"
        One of the above. Document 001 says "chosen by average" and shows a Borda count.
    threshold : float, optional
        Needed, and used, by ``"approval"`` and ``"average_without_misery"`` only.
    trust : array_like, shape (..., members, members), optional
        How much the member of the row trusts the one of the column, at least 0; the diagonal
        does not count. Needed, and used, by ``"most_respected"`` only.
    ties : {"lowest", "mean"}, optional
        The places of items that a member rates alike, as in `borda_points`. Used by ``"borda"``
        only, where the default is ``"lowest"``: a member with many ties then gives fewer points.

    Returns
    -------
    ndarray of float, shape (..., items)
        Scores, higher is better for the group; of rounds and turns, the number of items less
        those taken before. Equal scores are a tie, which `rank_items` breaks. NaN for an item
        that nobody rated, that is out, or that the most respected member did not rate:
        `rank_items` leaves it off the list.

    Raises
    ------
    InputError
        If a rating is infinite, there is no member, the strategy is unknown, a rating is
        negative under ``"multiplicative"``, a sum or product overflows, ``ties`` is unknown,
        ``threshold`` or ``trust`` is missing where it is needed, or one of the three is given
        to a strategy that does not use it.

    Notes
    -----
    Without a rating a member neither votes nor averages; sums, products and counts then favour
    what many rated (products: if ratings are above 1).

    References
    ----------
    Document 001; Masthoff (2011), Group Recommender Systems, in Recommender Systems Handbook,
    where items that tie in a member's turn of ``fairness`` go by "the others' opinions".

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> aggregate(ratings, strategy="least_misery")
    array([1., 3., 1.])
    >>> aggregate(ratings, strategy="approval", threshold=3)
    array([1., 2., 1.])
    >>> aggregate(ratings, strategy="fairness")
    array([3., 1., 2.])
    """
    return _aggregated(ratings, strategy, threshold, trust, ties)[1]


def aggregate_terms(
    ratings: npt.ArrayLike, *, strategy: str = "average", **options: Any
) -> FloatArray:
    """What each member, round or opponent contributes to the scores of `aggregate`.

    Rows are members, with the ratings, points or votes that count; under ``"copeland"`` items,
    with 1 where the column's item wins, -1 where it loses and NaN without comparison; under
    ``"plurality"`` rounds with the votes, under ``"fairness"`` turns with the ratings of the
    member whose turn it is. Parameters and errors are those of `aggregate`.

    Examples
    --------
    >>> aggregate_terms([[5, 3, 1], [1, 3, 4]], strategy="borda")
    array([[3., 2., 1.],
           [1., 2., 3.]])
    """
    return _aggregated(ratings, strategy, **options)[0]


Scored = tuple[FloatArray, FloatArray]
RoundState = tuple[FloatArray, Any]


def _aggregated(
    ratings: npt.ArrayLike,
    strategy: str,
    threshold: Any = None,
    trust: Any = None,
    ties: Any = None,
) -> Scored:
    """The terms of a strategy, and what they come to."""
    r = members_by_items(ratings, "ratings")
    check_choice(strategy, "strategy", STRATEGIES)
    used, when = OPTIONS.get(strategy), f"when strategy is {strategy!r}"
    for name, value in (("threshold", threshold), ("trust", trust), ("ties", ties)):
        if value is not None and name != used:
            raise InputError(f"{name} must be left out {when}")
    option: list[Any] = []
    if used == "threshold":
        option = [check_number(threshold, used, f"a number {when}")]
    elif used == "trust":
        check_that(trust is not None, used, f"be given {when}", trust)
        option = [_most_respected(trust, r)]
    elif used == "ties" and ties is not None:
        option = [ties]
    terms, scores = STRATEGIES[strategy](r, *option)
    return terms, np.where(np.isnan(r).all(axis=-2), np.nan, scores)


def _average(r: FloatArray, threshold: float = -np.inf) -> Scored:
    """The mean of those who rated, where none of them is below the threshold."""
    kept = np.where((r < threshold).any(axis=-2, keepdims=True), np.nan, r)
    return kept, ratio(totals(kept, "ratings"), np.count_nonzero(~np.isnan(kept), axis=-2))


def _product(r: FloatArray) -> Scored:
    """Products over the members, in ascending order so that the same ratings tie."""
    check_none(r, r < 0, "ratings", "be at least 0 when strategy is 'multiplicative'")
    with np.errstate(over="ignore"):
        ascending = np.sort(np.where(np.isnan(r), 1, r), axis=-2)
        so_far = in_range(ascending.cumprod(axis=-2), "ratings")
    lost = (so_far < np.finfo(float).tiny) & (ascending.min(axis=-2, keepdims=True) > 0)
    rule = "be large enough to be multiplied in float64 (above about 1e-308)"
    check_none(
        so_far, lost, "products of ratings", rule, "Multiply all of them by one number first"
    )
    return r, so_far[..., -1, :]


def _totalled(points: FloatArray) -> Scored:
    return points, totals(points, "ratings")


def _borda(r: FloatArray, ties: str = "lowest") -> Scored:
    return _totalled(borda_points(r, ties=ties))


def _copeland(r: FloatArray) -> Scored:
    """Rows are the items that each item is compared with."""
    net, both = np.zeros((2, *r.shape[:-2], r.shape[-1], r.shape[-1]))
    for own in np.moveaxis(r, -2, 0):
        prefers = np.sign(own[..., np.newaxis, :] - own[..., :, np.newaxis])
        both += ~np.isnan(prefers)
        net += np.nan_to_num(prefers)
    return _totalled(np.where(2 * both > r.shape[-2], np.sign(net), np.nan))


def _most_respected(trust: npt.ArrayLike, r: FloatArray) -> BoolArray:
    """Whether a member is the first of those whom most others in the group trust."""
    members = r.shape[-2]
    links = as_gains(trust, "trust", by_rank=False)
    check_shape(links, (..., members, members), "trust")
    check_leading("trust ratings", links.shape[:-2], r.shape[:-2])
    incoming = totals(np.where(np.eye(members), 0, links), "trust")
    first = incoming.argmax(axis=-1)[..., np.newaxis, np.newaxis]
    return np.asarray(first == np.arange(members)[:, np.newaxis])


def _in_turns(turns: Callable[[FloatArray], Iterator[RoundState]], r: FloatArray) -> Scored:
    """Takes one item after the other, group by group."""
    n, lead = r.shape[-1], r.shape[:-2]
    terms, scores = np.full((*lead, n, n), np.nan), np.full((*lead, n), np.nan)
    for group in np.ndindex(lead):
        for turn, (votes, item) in enumerate(turns(r[group])):
            terms[group][turn], scores[group][item] = votes, n - turn
    return terms, scores


def _plurality(ratings: FloatArray) -> Iterator[RoundState]:
    left = np.where(np.isnan(ratings), -np.inf, ratings)
    while (open_items := (left > -np.inf).any(axis=0)).any():
        best = (left == left.max(axis=-1, keepdims=True)) & (left > -np.inf)
        votes = totals(best / np.maximum(best.sum(axis=-1, keepdims=True), 1), "ratings")
        item = votes.argmax()
        yield np.where(open_items, votes, np.nan), item
        left[:, item] = -np.inf


def _fairness(ratings: FloatArray) -> Iterator[RoundState]:
    left, taken = np.where(np.isnan(ratings), -np.inf, ratings), np.zeros(len(ratings))
    for own in cycle(left):
        if (left == -np.inf).all():
            return
        if own.max() == -np.inf:
            continue  # she has rated nothing that is left
        best = np.flatnonzero(own == own.max())
        by_need = np.argsort(taken, kind="stable")
        item = best[np.lexsort(-left[by_need[::-1]][:, best])[0]]
        yield np.where(own > -np.inf, own, np.nan), item
        taken += np.nan_to_num(ratings[:, item])
        left[:, item] = -np.inf


STRATEGIES: dict[str, Callable[..., Scored]] = {
    "average": _average,
    "additive": _totalled,
    "multiplicative": _product,
    "least_misery": lambda r: (r, np.where(np.isnan(r), np.inf, r).min(axis=-2)),
    "most_pleasure": lambda r: (r, np.where(np.isnan(r), -np.inf, r).max(axis=-2)),
    "average_without_misery": _average,
    "approval": lambda r, threshold: _totalled(np.where(np.isnan(r), np.nan, r >= threshold)),
    "borda": _borda,
    "copeland": _copeland,
    "plurality": partial(_in_turns, _plurality),
    "fairness": partial(_in_turns, _fairness),
    "most_respected": lambda r, first: _average(np.where(first, r, np.nan)),
}
OPTIONS = {
    "approval": "threshold",
    "average_without_misery": "threshold",
    "most_respected": "trust",
    "borda": "ties",
}
"""The one option that a strategy uses; every other one is refused."""
