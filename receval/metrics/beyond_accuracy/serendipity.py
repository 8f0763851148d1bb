"""Serendipity: relevant items that popularity alone would not have put so high."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, check_choice, check_count, check_none
from receval._lists import (
    as_gains,
    as_tailed,
    broadcast_leading_axes,
    check_cutoff,
    check_same_labels,
    check_same_length,
)
from receval._types import Options
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction

__all__ = ["serendipity", "serendipity_terms"]

DENOMINATORS = ("retrieved", "cutoff")


def serendipity_terms(gains: npt.ArrayLike, popularity: npt.ArrayLike, n_items: int) -> FloatArray:
    """Return the surprise of each relevant item, 0 elsewhere; their mean is `serendipity`.

    See `serendipity` for parameters and errors.

    Examples
    --------
    >>> serendipity_terms([1, 1, 0], [1, 3, 2], 4)
    array([0.  , 0.25, 0.  ])
    """
    n_items = check_count(n_items, "n_items")
    check_same_labels(gains=gains, popularity=popularity)
    gains = as_gains(gains)
    places = as_tailed(popularity, "popularity")
    check_same_length(gains, places, "gains popularity")
    broadcast_leading_axes("gains popularity", gains.shape[:-1], places.shape[:-1])  # or raise
    is_wrong = (places < 0) | ((places > 0) & (places < 1))
    check_none(places, is_wrong, "popularity", "be a place of at least 1, or 0 for a cold item")
    ranks = np.arange(1, gains.shape[-1] + 1)
    for_user = (n_items + 1 - ranks) / n_items
    # Popularity alone would never recommend an item that nobody knows.
    for_anybody = np.where(places == 0, 0.0, (n_items + 1 - places) / n_items)
    surprise = np.maximum(for_user - for_anybody, 0.0)
    return np.where(gains > 0, surprise, 0.0)


def serendipity(
    gains: npt.ArrayLike,
    popularity: npt.ArrayLike,
    n_items: int,
    *,
    k: int | None = None,
    denominator: str = "retrieved",
) -> FloatArray:
    r"""Serendipity: how much higher relevant items are in a list than in a list by popularity.

    Place p in a list of all N items has the score :math:`(N + 1 - p) / N`. The surprise of an item
    is the score of its rank i minus the score of its popularity rank :math:`\pi_i`, and at least 0:

    .. math:: \mathrm{Serendipity@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)}
              \max\left(\frac{N + 1 - i}{N} - \frac{N + 1 - \pi_i}{N}, 0\right) [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    popularity : array_like, shape (..., n)
        For each rank, the item's place in the order of popularity: 1 for the most popular items.
        Equally popular items share a place, and there are no gaps between places. 0 marks a cold
        item, which nobody knows; its popularity has the score 0. NaN marks an empty rank at the
        tail.
    n_items : int
        Size N of the catalogue.
    k : int, optional
        Cut-off rank.
    denominator : {"retrieved", "cutoff"}, default "retrieved"
        The divisor D. ``"retrieved"`` is the number of items retrieved, at most k, as in the code
        of RecTools. ``"cutoff"`` is k, as in the formula of its documentation. Without ``k``, both
        are the length of the list.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], or above 1 if the history has items that the catalogue lacks. NaN for an
        empty list, unless the divisor D is k.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists, and if a place is negative or between 0
        and 1, ``n_items`` is not a positive integer, or ``denominator`` is unknown.

    Notes
    -----
    If the history has items that the catalogue lacks, popularity places can exceed the size of the
    catalogue. This is why values can exceed 1.

    References
    ----------
    RecTools 0.19.0, `rectools.metrics.serendipity`, https://github.com/MobileTeleSystems/RecTools.

    Examples
    --------
    >>> serendipity([1, 1, 0], [1, 3, 2], 4)
    np.float64(0.08333333333333333)
    >>> serendipity([1, 1], [1, 3], 4, k=4, denominator="cutoff")
    np.float64(0.0625)
    """
    check_choice(denominator, "denominator", DENOMINATORS)
    k = check_cutoff(k)
    terms = serendipity_terms(gains, popularity, n_items)[..., :k]
    n_retrieved = np.count_nonzero(~np.isnan(as_gains(gains)[..., :k]), axis=-1)
    divisor = n_retrieved
    if denominator == "cutoff" and k is not None:
        divisor = np.full_like(n_retrieved, k)
    return divide_or_nan(sum_over_ranks(terms), divisor)


def _arguments(lists: ListsWithFacts, k: int | None, denominator: str = "retrieved") -> Options:
    """Return the keyword arguments of `serendipity` for some lists."""
    return {
        "gains": lists.grades[:, :k],
        "popularity": lists.popularity(k),
        "n_items": lists.n_items,
        "k": k,
        "denominator": denominator,
    }


def _check_options(denominator: str) -> str:
    """Return the divisor's name; raise if there is no such divisor."""
    return check_choice(denominator, "denominator", DENOMINATORS)


SERENDIPITY = MeasureSpec(
    name="Serendipity",
    title="serendipity",
    formula=r"\frac{1}{D_u} \sum_{i \le k} \max\left(\frac{\pi_{ui} - i}{N}, 0\right) [g_{ui} > 0]",
    source="@rectools2026",
    computation=PerListFunction(serendipity, _arguments, check_options=_check_options),
    options=("denominator",),
    depends_on=("relevant", "ties"),
    needs=("catalogue", "history"),
    methods_note="the catalogue of Serendipity has {n_items} items",
)
