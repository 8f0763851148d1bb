"""The paired permutation test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from receval._checks import FloatArray, InputError, Seed, as_generator, shorten
from receval.significance.paired import PairedTest, result
from receval.significance.pairs import paired

__all__ = ["permutation"]

CELLS = 2**20  # numbers drawn at a time
MOST = 10**9  # resamples


def permutation(a: Any, b: Any, *, n_resamples: int = 9_999, rng: Seed = 0) -> PairedTest:
    r"""The paired permutation (randomisation) test of the mean difference.

    If the systems were exchangeable, each user's two values could be swapped; the p-value is the
    share of all ways to swap them whose mean difference is at least as far from 0 as the one
    seen.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.
    n_resamples : int, default 9999
        Random swaps. If there are no more ways than that (2 to the number of users with a
        difference), all are gone through.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    PairedTest
        ``statistic`` is the mean difference. All differences zero: p = 1.

    Raises
    ------
    InputError
        As `wilcoxon`; or if ``n_resamples`` is below 100, or ``rng`` is neither a generator nor
        a seed.

    Notes
    -----
    At random, p = (1 + number as extreme) / (1 + n_resamples): never 0, and never too small.
    Users with differences of one size are signed together by one binomial number, which is the
    same experiment and needs no table of users by resamples.

    References
    ----------
    R. A. Fisher: The design of experiments, 1935, section 21. B. Phipson, G. K. Smyth:
    Permutation p-values should never be zero, SAGMB 9(1), 2010.

    Examples
    --------
    Only signing all four alike is as extreme: 2 of 16 ways.

    >>> permutation([1, 2, 3, 4], [0, 0, 0, 0]).p
    0.125
    """
    draws, generator = check_resamples(n_resamples), as_generator(rng)
    pairs = paired(a, b)
    level = pairs.level[pairs.level != 0]
    seen = abs(level.sum())
    close = 1e-9 * np.abs(level).sum()  # sums in another order are still the same sum
    if level.size <= math.log2(draws):
        sums = np.zeros(1)
        for size in level:
            sums = np.concatenate([sums + size, sums - size])
        p, method = float(np.mean(np.abs(sums) >= seen - close)), "all permutations"
    else:
        extreme = sum(
            int(np.count_nonzero(np.abs(sums) >= seen - close))
            for sums in _signed_sums(level, draws, generator)
        )
        p, method = (1 + extreme) / (1 + draws), f"{draws} random permutations"
    return result("paired permutation test", pairs.mean, p, pairs.mean, method, pairs)


def check_resamples(value: object) -> int:
    """A number of resamples that percentiles can be taken of."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and 100 <= cast(int, value) <= MOST:
        return int(cast(int, value))
    raise InputError(
        f"n_resamples must be a whole number from 100 to {MOST:,}; got {shorten(value)}"
    )


def _signed_sums(
    level: FloatArray, draws: int, generator: np.random.Generator
) -> Iterator[FloatArray]:
    """Sums of the differences under random signs, some resamples at a time."""
    sizes, count = np.unique(np.abs(level), return_counts=True)
    rows = max(1, CELLS // sizes.size)
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), sizes.size)
        yield (2 * generator.binomial(count, 0.5, shape) - count) @ sizes
