"""Rank-biased overlap: the similarity of two rankings, in which the top counts most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_list_codes,
    broadcast_leading_axes,
    check_cutoff,
    check_same_labels,
    lists_of,
)
from receval._checks import FloatArray, IntArray
from receval.metrics.ranking.rank_biased import check_persistence


def rbo_terms(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> FloatArray:
    """Return the agreement at each depth times its weight; their sum is `rbo`.

    The agreement at depth d is the share of items that the first d ranks of both lists have in
    common. receval assumes that it stays the same after the end of the longer list, so the last
    rank of that list also carries the weights of all depths after it. See `rbo` for parameters and
    errors.

    Examples
    --------
    >>> rbo_terms([4, 2, 7], [2, 4, 9], p=0.5).round(4)
    array([0.    , 0.25  , 0.1667])
    """
    p = check_persistence(p)
    k = check_cutoff(k)
    check_same_labels(first=lists_of(first), second=lists_of(second))
    first_codes = as_list_codes(first, "first", k)
    second_codes = as_list_codes(second, "second", k)
    leading = broadcast_leading_axes(
        "first second", first_codes.shape[:-1], second_codes.shape[:-1]
    )
    first_codes = np.broadcast_to(first_codes, (*leading, first_codes.shape[-1]))
    second_codes = np.broadcast_to(second_codes, (*leading, second_codes.shape[-1]))
    lengths = [(first_codes >= 0).sum(axis=-1), (second_codes >= 0).sum(axis=-1)]
    # Sort each pair of lengths; the new last axis is for the depths.
    length_of_shorter, length_of_longer = np.sort(lengths, axis=0)[..., np.newaxis]
    # The items that the lists share up to each depth 1, 2, …, shape (..., depths).
    n_shared = _count_shared(first_codes, second_codes)
    depth = np.arange(1.0, n_shared.shape[-1] + 1)
    # After the end of the shorter list, assume that its further items would be shared at the same
    # rate as those up to its end. The rate is NaN, and so is the value, if the list is empty.
    end = np.maximum(length_of_shorter - 1, 0)
    n_shared_at_end = np.take_along_axis(n_shared, end, axis=-1)
    n_after_end = np.maximum(depth - length_of_shorter, 0)
    factor = n_after_end / np.where(length_of_shorter > 0, length_of_shorter, np.nan)
    # The weight of depth d is (1 - p) p^(d - 1). At the end of the longer list it is p^(d - 1), the
    # sum of the weights of this depth and all later ones. After the end it is 0.
    reach = p ** (depth - 1)
    is_before_end, is_end = depth < length_of_longer, depth == length_of_longer
    weight = np.select([is_before_end, is_end], [(1 - p) * reach, reach], 0.0)
    return np.asarray((n_shared + factor * n_shared_at_end) / depth * weight)


def rbo(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> FloatArray:
    r"""Rank-biased overlap (RBO) of two rankings, extrapolated beyond their ends.

    The shorter list has s items and the longer one l; X_d items are among the first d of both:

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
        Cut-off rank of both rankings.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 1 for equal rankings, 0 for rankings that share no item. NaN if a ranking
        is empty.

    Raises
    ------
    InputError
        If a code is below -1 or not whole, an item occurs twice in a list, -1 comes before an
        item, leading axes differ, ``p`` lies outside [0, 1), or ``k`` is not a positive integer.

    Notes
    -----
    This is the extrapolated variant, RBO_EXT, which assumes that the agreement at the end of the
    lists continues. The truncated sum stays below 1 - p^k even for equal lists, so its values
    cannot be compared between lists of different lengths. Rankings have no ties here: decide the
    order of equal scores first.

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
    terms = rbo_terms(first, second, p=p, k=k)
    return np.cumsum(terms, axis=-1)[..., -1][()]


def _count_shared(first: IntArray, second: IntArray) -> IntArray:
    """Count the items that the first d ranks of both lists have in common, for d = 1, 2, ….

    ``first`` and ``second`` hold item codes, -1 at empty ranks. Their leading axes are equal, but
    their numbers of ranks may differ. The result has the larger number of ranks, at least 1.
    """
    n_depths = max(first.shape[-1], second.shape[-1], 1)
    n_shared = np.zeros((*first.shape[:-1], n_depths), np.int64)
    for place in np.ndindex(first.shape[:-1]):  # the place of a pair of lists among the pairs
        index_in_second = {item: index for index, item in enumerate(second[place].tolist())}
        for index, item in enumerate(first[place].tolist()):
            if item >= 0 and item in index_in_second:
                # Both lists hold the item from the lower of its two ranks on.
                n_shared[(*place, max(index, index_in_second[item]))] += 1
    return n_shared.cumsum(axis=-1)
