"""Bootstrap: sums over users drawn with replacement, with the same draws for all columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from receval._arrays import run_starts
from receval._checks import FloatArray, IntArray, Seed, as_generator, input_error
from receval._threads import map_in_threads

__all__ = ["resampled_rows", "resampled_sums"]

MAX_DRAWN = 2**20
"""The most random numbers that are drawn at a time."""

MIN_REPEATS = 256
"""With at least this many users per distinct value, drawing counts of values is faster."""


def batch_sizes(n: int, size: int) -> Iterator[int]:
    """Split ``n`` resamples into batches and yield the number of resamples in each.

    Each resample needs ``size`` numbers; a batch needs at most `MAX_DRAWN` numbers, unless a
    single resample needs more.
    """
    # Use at least 1 twice, so that no batch is empty and we never divide by 0.
    most_per_batch = max(1, MAX_DRAWN // max(1, size))
    for start in range(0, n, most_per_batch):
        yield min(most_per_batch, n - start)


def resampled_rows(
    n: int, n_resamples: int, rng: Generator, *, size: int | None = None
) -> Iterator[IntArray]:
    """Repeatedly draw as many rows as there are, with replacement.

    The resamples come in blocks, so that memory stays bounded.

    Parameters
    ----------
    n : int
        Number of rows.
    n_resamples : int
        How often the rows are drawn.
    rng : numpy.random.Generator
        Source of random numbers.
    size : int, optional
        How many numbers you compute from one resample; it determines the size of blocks.
        Default: n.

    Yields
    ------
    ndarray of int, shape (resamples, n)
        Indices of the drawn rows, for some resamples at a time.

    Examples
    --------
    >>> [rows.shape for rows in resampled_rows(3, 10, np.random.default_rng(0), size=2**18)]
    [(4, 3), (4, 3), (2, 3)]
    """
    if size is None:
        size = n
    for n_batch in batch_sizes(n_resamples, size):
        yield rng.integers(n, size=(n_batch, n))


def draw_counts(rng: Generator, resamples: int, count: IntArray) -> IntArray:
    """Draw users with replacement and count how often each row of the data is drawn.

    Row i of the data represents ``count[i]`` users, possibly 0. All rows together represent at
    least one user. The result has the shape (resamples, rows); the counts of each resample add up
    to the number of users.
    """
    n_users = int(count.sum())
    is_one_user_per_row = bool((count == 1).all())
    if not is_one_user_per_row:
        share_of_users = count / n_users
        return rng.multinomial(n_users, share_of_users, resamples)
    # Drawing indices is faster than a multinomial draw, and they are the indices that
    # `resampled_rows` draws.
    drawn = rng.integers(n_users, size=(resamples, n_users))
    # Shifting the indices of resample r by r * n_users lets one bincount count all resamples.
    drawn += np.arange(0, resamples * n_users, n_users)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * n_users)
    return counts.reshape(resamples, n_users)


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
    The sums are matrix products of values and of counts, how often each row is drawn, for about
    10^6 counts at a time.

    Examples
    --------
    Twelve clicks on forty impressions, by user; the interval of the click-through rate:

    >>> log = np.array([[5.0, 10.0], [4.0, 10.0], [2.0, 10.0], [1.0, 10.0]])
    >>> clicks, impressions = resampled_sums(log, 2_000, np.random.default_rng(0)).T
    >>> np.quantile(clicks / impressions, [0.025, 0.975]).round(2).tolist()
    [0.15, 0.45]
    """
    if len(values) == 0:
        raise input_error("values", "belong to at least one user", "none")
    batches = _count_batches(n_resamples, rng, np.ones(len(values), np.int64))
    return np.concatenate([batch @ values for batch in batches])


def _count_batches(n_resamples: int, rng: Generator, count: IntArray) -> Iterator[IntArray]:
    """Yield how often each row is drawn, for all resamples, in batches (resamples, rows)."""
    for n_batch in batch_sizes(n_resamples, count.size):
        yield draw_counts(rng, n_batch, count)


def sums_of_rows(rows: FloatArray, draws: int, rng: Seed) -> FloatArray:
    """Return the sums of several columns over users drawn with replacement.

    Each row of ``rows`` holds the values of one column in ascending order, one per user. The result
    has the shape (columns, draws). All columns share the same draws of users, except columns with
    few distinct values that repeat often. For these, it is faster to draw directly how many times
    each value occurs.
    """
    sums = np.empty((len(rows), draws))
    n_users = rows.shape[-1]
    # In ascending order, each distinct value is one run of equal neighbours.
    starts_by_row = [run_starts(row) for row in rows]
    n_distinct = np.array([starts.size for starts in starts_by_row])
    has_repeats = n_distinct * MIN_REPEATS <= n_users

    def draw_sums(values: FloatArray, count: IntArray) -> FloatArray:
        """Return the drawn sums of one or several columns; a seed restarts the drawing.

        The last axis of ``values`` has an entry for each group of users with equal values, and
        ``count`` has the number of users in each group.
        """
        batches = _count_batches(draws, as_generator(rng), count)
        # This order of the factors takes half the time of (batch @ values.T).T.
        return np.hstack([values @ batch.T for batch in batches])

    def draw_sums_of(part: IntArray) -> FloatArray:
        """Return the drawn sums of one column with few distinct values, or of all other columns."""
        row = part[0]
        if not has_repeats[row]:
            return draw_sums(rows[part], np.ones(n_users, np.int64))
        starts = starts_by_row[row]
        count = np.diff(starts, append=n_users)
        return draw_sums(rows[row, starts], count)

    # Each part has the row numbers of the columns that are drawn together.
    parts = [np.array([row]) for row in np.flatnonzero(has_repeats)]
    if not has_repeats.all():
        parts.append(np.flatnonzero(~has_repeats))
    sums_of_parts: Iterator[FloatArray]
    if isinstance(rng, Generator):  # it continues from part to part
        sums_of_parts = map(draw_sums_of, parts)
    else:
        # A seed restarts the drawing for each part, so threads can share the parts. Begin with the
        # columns without repeats, which take longest.
        parts.reverse()
        sums_of_parts = map_in_threads(draw_sums_of, parts)
    for part, sums_of_part in zip(parts, sums_of_parts, strict=True):
        sums[part] = sums_of_part
    return sums
