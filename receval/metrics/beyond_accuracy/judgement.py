"""The share of a list that is judged, and how much unjudged items could change the value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import count_retrieved
from receval._checks import FloatArray, check_number
from receval._lists import as_flags, check_cutoff
from receval._types import Options
from receval.metrics.beyond_accuracy.item_lists import mean_over_items
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction

__all__ = ["judged_share", "judged_share_terms", "rbp_residual", "rbp_residual_terms"]


def judged_share_terms(judged: npt.ArrayLike) -> FloatArray:
    """Return 1 at each judged item, 0 elsewhere; the mean is `judged_share`.

    See `judged_share` for parameters and errors.

    Examples
    --------
    >>> judged_share_terms([True, False, True])
    array([1., 0., 1.])
    """
    return np.asarray(as_flags(judged, "judged") == 1, np.float64)


def judged_share(judged: npt.ArrayLike) -> FloatArray:
    r"""Share of the recommended items that are judged, relevant or not.

    .. math:: \mathrm{judged} = \frac{|\{o \in R_u : o \text{ judged by } u\}|}{|R_u|}

    Parameters
    ----------
    judged : array_like of bool, shape (..., n)
        True if the item at this rank is judged; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for an empty list.

    Raises
    ------
    InputError
        If a value is not True, False or NaN.

    Notes
    -----
    Measures count unjudged items as irrelevant. If the lists of two systems are judged to different
    degrees, you can't compare their values, because the system with fewer judged items is at a
    disadvantage.

    References
    ----------
    Buckley, Dimmick, Soboroff and Voorhees (2007), Information Retrieval 10(6),
    doi:10.1007/s10791-007-9032-x; ir_measures calls it Judged.

    Examples
    --------
    >>> judged_share([True, False, True, False])
    np.float64(0.5)
    """
    return mean_over_items(judged_share_terms(judged), judged)


def rbp_residual_terms(judged: npt.ArrayLike, *, p: float = 0.8) -> FloatArray:
    """Return the weight (1 - p) p^(i - 1) of each unjudged item, 0 elsewhere.

    See `rbp_residual` for parameters and errors.

    Examples
    --------
    >>> rbp_residual_terms([True, False, False], p=0.5)
    array([0.   , 0.25 , 0.125])
    """
    return _weights_of_unjudged(as_flags(judged, "judged"), _check_persistence(p))


def rbp_residual(judged: npt.ArrayLike, *, k: int | None = None, p: float = 0.8) -> FloatArray:
    r"""Residual of RBP: how much higher RBP would be if all unknown items were relevant.

    Two kinds of items are unknown: those that are not judged, and all those below the cut-off or
    the end of the list:

    .. math:: \mathrm{residual@}k = (1 - p) \sum_{i=1}^{\min(k, n)} p^{i-1} \,
              [\text{item } i \text{ unjudged}] + p^{\min(k, n)}

    Parameters
    ----------
    judged : array_like of bool, shape (..., n)
        True if the item at this rank is judged; NaN marks an empty rank at the tail.
    k : int, optional
        Cut-off rank.
    p : float, default 0.8
        Probability of going on to the next rank, in [0, 1), as in `receval.metrics.ranking.rbp`.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 1 for an empty list. The true RBP lies between the computed value and that
        value plus the residual.

    Raises
    ------
    InputError
        If a value is not True, False or NaN, ``p`` lies outside [0, 1), or ``k`` is not a positive
        integer.

    References
    ----------
    Moffat and Zobel (2008), ACM Transactions on Information Systems 27(1),
    doi:10.1145/1416950.1416952.

    Examples
    --------
    >>> rbp_residual([True, False, True], p=0.5)
    np.float64(0.375)
    """
    p = _check_persistence(p)
    k = check_cutoff(k)
    flags = as_flags(judged, "judged")[..., :k]
    unjudged = sum_over_ranks(_weights_of_unjudged(flags, p))
    return np.asarray(unjudged + p ** count_retrieved(flags))[()]


def _weights_of_unjudged(flags: FloatArray, p: float) -> FloatArray:
    """Return the terms of `rbp_residual_terms` from checked arguments."""
    ranks = np.arange(1, flags.shape[-1] + 1)
    return np.asarray((flags == 0) * ((1 - p) * p ** (ranks - 1)))


def _check_persistence(p: float) -> float:
    """Return the persistence; raise unless it lies in [0, 1)."""
    return check_number(p, "p", "a number of at least 0 and below 1", lambda p: 0 <= p < 1)


def _judged_arguments(lists: ListsWithFacts, k: int | None) -> Options:
    """Return the keyword arguments of `judged_share` for some lists."""
    return {"judged": lists.judged[:, :k]}


def _residual_arguments(lists: ListsWithFacts, k: int | None, p: float = 0.8) -> Options:
    """Return the keyword arguments of `rbp_residual` for some lists."""
    return {"judged": lists.judged[:, :k], "k": k, "p": p}


JUDGED = MeasureSpec(
    name="judged",
    title="share of judged items",
    formula=r"\frac{|\{o \in R_u@k : o \text{ judged}\}|}{|R_u@k|}",
    source="@buckley2007",
    computation=PerListFunction(judged_share, _judged_arguments),
)

RBP_RESIDUAL = MeasureSpec(
    name="RBP-residual",
    title="residual of rank-biased precision",
    formula=r"(1 - p) \sum_{i \le k} p^{i-1}\, [o_{ui} \text{ unjudged}] + p^{|R_u@k|}",
    source="@moffat2008",
    computation=PerListFunction(
        rbp_residual, _residual_arguments, check_options=_check_persistence
    ),
    options=("p",),
    higher_is_better=False,
)
