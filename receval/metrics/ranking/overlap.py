"""Rank-biased overlap: how alike two rankings are, the top counting most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, IntArray, check_number
from receval._lists import as_list_codes, check_cutoff, check_leading

__all__ = ["rbo", "rbo_terms"]


def rbo_terms(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> FloatArray:
    """Agreement at each depth times its weight; their sum is `rbo`.

    The depths below the longer list are extrapolated: their weight is that of its last rank.
    Parameters and errors are those of `rbo`.

    Examples
    --------
    >>> rbo_terms([4, 2, 7], [2, 4, 9], p=0.5).round(4)
    array([0.    , 0.25  , 0.1667])
    """
    p = check_number(p, "p", "a number of at least 0 and below 1", lambda p: 0 <= p < 1)
    k = check_cutoff(k)
    a, b = as_list_codes(first, "first", k), as_list_codes(second, "second", k)
    lead = check_leading("first second", a.shape[:-1], b.shape[:-1])
    a, b = (np.broadcast_to(one, (*lead, one.shape[-1])) for one in (a, b))
    shorter, longer = np.sort([(a >= 0).sum(axis=-1), (b >= 0).sum(axis=-1)], axis=0)[..., None]
    shared = _shared(a, b)
    depth = np.arange(1.0, shared.shape[-1] + 1)
    at_end = np.take_along_axis(shared, np.maximum(shorter - 1, 0), axis=-1)
    beyond = np.maximum(depth - shorter, 0) / np.where(shorter > 0, shorter, np.nan)
    weight = p ** (depth - 1) * ((depth <= longer) - p * (depth < longer))
    return np.asarray((shared + beyond * at_end) / depth * weight)


def rbo(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> FloatArray:
    r"""Rank-biased overlap (RBO) of two rankings, extrapolated beyond their ends.

    With the shorter list of s and the longer one of l items, and X_d items that are among the
    first d of both:

    .. math:: \mathrm{RBO} = (1 - p) \sum_{d=1}^{l} p^{d-1} A_d + p^l A_l, \qquad
              A_d = \frac{1}{d} \left(X_d + X_s \frac{\max(d - s, 0)}{s}\right)

    Parameters
    ----------
    first, second : array_like of int, shape (..., n) and (..., m)
        Item codes by rank, best first; -1 marks an empty rank at the tail.
    p : float, default 0.9
        Probability of going on to the next rank, in [0, 1): 0.9 puts 86 % of the weight on the
        first ten ranks.
    k : int, optional
        Cut-off rank of both.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 1 for equal rankings, 0 for rankings that share no item. NaN where one
        is empty.

    Raises
    ------
    InputError
        If a code is below -1 or not whole, an item stands twice in a list, -1 stands before an
        item, leading axes differ, ``p`` lies outside [0, 1), or ``k`` is not a positive integer.

    Notes
    -----
    This is the extrapolated variant, RBO_EXT: the agreement at the end of the lists is taken to
    go on. The truncated sum stays below 1 - p^k even for equal lists, so that its values cannot be
    compared between lists of unlike length. Rankings have no ties here; equal scores must have
    been put in order.

    References
    ----------
    Webber, Moffat and Zobel (2010), ACM Transactions on Information Systems 28(4), eq. 32,
    doi:10.1145/1852102.1852106.

    Examples
    --------
    >>> rbo([4, 2, 7], [2, 4, 9], p=0.5).round(4)
    np.float64(0.4167)
    >>> rbo([4, 2, 7], [4, 2, 7])
    np.float64(1.0)
    """
    return np.asarray(np.cumsum(rbo_terms(first, second, p=p, k=k), axis=-1)[..., -1])[()]


def _shared(a: IntArray, b: IntArray) -> IntArray:
    """How many items the first d ranks of both have in common, for each depth d."""
    n, lead = max(a.shape[-1], b.shape[-1], 1), a.shape[:-1]
    both = np.concatenate([a, b], axis=-1)
    items = both.reshape(int(np.prod(lead)), both.shape[-1])
    rank = np.concatenate([np.arange(a.shape[-1]), np.arange(b.shape[-1])])
    order = np.argsort(items, axis=-1, kind="stable")
    items, rank = np.take_along_axis(items, order, axis=-1), rank[order]
    line, place = np.nonzero((items[:, 1:] == items[:, :-1]) & (items[:, 1:] >= 0))
    depth = np.maximum(rank[line, place], rank[line, place + 1])
    met = np.bincount(line * n + depth, minlength=len(items) * n)
    return np.cumsum(met.reshape(*lead, n), axis=-1)
