"""Bootstrap: sums over users drawn with replacement, with the same draws for all columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from receval._checks import FloatArray, check_not_empty

MAX_DRAWN = 2**20
"""The most random numbers that are drawn at a time."""


def batch_sizes(n: int, size: int) -> Iterator[int]:
    """Split ``n`` resamples into batches and yield the number of resamples in each.

    Each resample needs ``size`` numbers; a batch needs at most `MAX_DRAWN` numbers, unless a
    single resample needs more.
    """
    # Use at least 1 twice, so that no batch is empty and we never divide by 0.
    most_per_batch = max(1, MAX_DRAWN // max(1, size))
    for start in range(0, n, most_per_batch):
        yield min(most_per_batch, n - start)


def resampled_sums(values: FloatArray, n_resamples: int, rng: Generator) -> FloatArray:
    """Sum columns over users drawn with replacement, the same users for all columns.

    A mean is such a sum divided by the number of users, and a ratio of means is one sum divided
    by another. To bootstrap any statistic that is a function of sums, apply that function to
    these sums.

    Parameters
    ----------
    values : ndarray of float, shape (n,) or (n, columns)
        Values of each user.
    n_resamples : int
        How many times the users are resampled.
    rng : numpy.random.Generator
        Source of random numbers.

    Returns
    -------
    ndarray of float, shape (n_resamples,) or (n_resamples, columns)

    Raises
    ------
    InputError
        If there is no user.

    Notes
    -----
    The sums are matrix products of values and of counts, how often each user is drawn, for about
    10^6 counts at a time.

    Examples
    --------
    Twelve clicks on forty impressions, by user; the interval of the click-through rate:

    >>> log = np.array([[5.0, 10.0], [4.0, 10.0], [2.0, 10.0], [1.0, 10.0]])
    >>> clicks, impressions = resampled_sums(log, 2_000, np.random.default_rng(0)).T
    >>> np.quantile(clicks / impressions, [0.025, 0.975]).round(2).tolist()
    [0.15, 0.45]
    """
    check_not_empty(values, "values", "belong to at least one user")
    n_users = len(values)
    sums = []
    for n_batch in batch_sizes(n_resamples, n_users):
        drawn = rng.integers(n_users, size=(n_batch, n_users))
        # Shifting the indices of resample r by r * n_users lets one bincount count all resamples.
        drawn += np.arange(0, n_batch * n_users, n_users)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n_batch * n_users)
        sums.append(counts.reshape(n_batch, n_users) @ values)
    return np.concatenate(sums)
