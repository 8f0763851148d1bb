"""Compare many pairs of columns at once: tests, effect sizes and intervals as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from receval._arrays import batches_of_equal_length
from receval._checks import (
    FloatArray,
    Seed,
    check_choice,
    check_integer,
    check_not_empty,
    check_number,
    input_error,
    shorten,
)
from receval._exact import mean
from receval._progress import progress_bar
from receval.significance.effects import EFFECTS
from receval.significance.intervals import MAX_SHARED_VALUES, check_resamples, intervals_at
from receval.significance.paired import ZEROS, TestResult
from receval.significance.pairs import Pairs, stack_pairs
from receval.significance.registry import TESTS, TestOptions
from receval.significance.resampling import MAX_DRAWN

__all__ = ["compare_pairs"]

PROGRESS_BAR_VALUES = 10_000_000
"""With at least this many values, a progress bar is shown by default."""


def check_options_used(test: str, *, intervals: bool, **options: object) -> None:
    """Refuse options that nothing uses.

    Parameters
    ----------
    test : str
        The test that is run, a key of ``TESTS``.
    intervals : bool
        Whether intervals are drawn.
    **options
        Any of ``zeros``, ``n_resamples``, ``n_permutations`` and ``rng``; None if the user did
        not give them.

    Raises
    ------
    InputError
        If an option was given and neither the test nor the intervals use it.
    """
    used = set(TESTS[test].options)
    draws_permutations = "n_permutations" in used
    if intervals:
        used |= {"n_resamples", "rng"}
    # A message says that an unused option "must be left out when …".
    rules = {
        "zeros": f"be left out when test is {test!r}",
        "n_resamples": "be left out when no interval is drawn",
        "n_permutations": f"be left out when test is {test!r}",
        "rng": f"be left out when test is {test!r} and no interval is drawn",
    }
    # The message ends with a hint: "…, because n_permutations is the number of draws of the test".
    # The user may have meant these draws.
    if draws_permutations:
        rules["n_resamples"] += ", because n_permutations is the number of draws of the test"
    for name, value in options.items():
        if value is not None and name not in used:
            raise input_error(name, rules[name], shorten(value))


def compare_pairs(
    pairs: Sequence[Pairs],
    *,
    test: str = "t",
    effect: str = "cohens_d",
    level: float | None = 0.95,
    zeros: str | None = None,
    n_resamples: int | None = None,
    n_permutations: int | None = None,
    alpha: float | None = None,
    rng: Seed | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compute test, effect size and interval of many pairs of columns from the same draws of users.

    Parameters
    ----------
    pairs : sequence of Pairs
        Pairs of columns, as `paired` returns them; at least one.
    test : {"t", "wilcoxon", "sign", "permutation"}, default "t"
        The paired test.
    effect : {"rank_biserial", "cohens_d", "mann_whitney"}, default "cohens_d"
        The effect size.
    level, n_resamples
        As in `difference_interval`. If the level is None there are no intervals. Only intervals
        use ``n_resamples``; its default is 2,000.
    n_permutations : int, default 9999
        Number of draws of the permutation test, for that test only. `permutation` calls it
        ``n_resamples``.
    alpha : float, optional
        Adds a column ``beside 0``: whether the interval of level 1 - alpha excludes 0, whatever
        the ``level`` is.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers for intervals and permutations, or a seed.
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        As in `wilcoxon`, for that test only.
    progress : bool, optional
        Whether to show a progress bar. Default: only when it takes long.

    Returns
    -------
    DataFrame
        A row per pair. The columns are the ``difference`` of the means, ``low``, ``high``, ``p``
        and ``effect``; the numbers of users for whom the first column is ``better``, the ``same``
        or ``worse``; the numbers of users ``compared`` and ``left out``; and the ``direction`` of
        the test: 1, 0 or -1. With a seed, a row has exactly the numbers that the functions for one
        pair return; the other pairs do not change them. If all differences of a pair are equal,
        both ends of its interval are the mean.

    Raises
    ------
    InputError
        If there is no pair, or an option is not one of those above or has no effect: ``zeros`` with
        a test other than Wilcoxon's, ``n_permutations`` with a test other than the permutation
        test, ``n_resamples`` without intervals, ``rng`` if nothing is drawn.

    Examples
    --------
    >>> from receval.significance import paired
    >>> table = compare_pairs([paired([1, 2, 3], [0, 0, 1]), paired([1, 2, 3], [1, 3, 2])])
    >>> table[["difference", "p", "better", "same", "worse"]].round(2)
       difference     p  better  same  worse
    0        1.67  0.04       3     0      0
    1        0.00  1.00       1     1      1
    """
    check_not_empty(pairs, "pairs", "hold at least one pair of columns")
    test_spec = TESTS[check_choice(test, "test", TESTS)]
    # None means that the user did not give an option, so this check comes before the defaults.
    check_options_used(
        test,
        intervals=level is not None or alpha is not None,
        zeros=zeros,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        rng=rng,
    )
    zeros = check_choice("wilcox" if zeros is None else zeros, "zeros", ZEROS)
    n_resamples = check_resamples(2_000 if n_resamples is None else n_resamples)
    n_permutations = 9_999 if n_permutations is None else n_permutations
    n_permutations = check_integer(n_permutations, "n_permutations", 100, 10**9)
    if rng is None:
        rng = 0
    if alpha is not None:
        alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    if level is not None:
        level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    options = TestOptions(zeros=zeros, n_permutations=n_permutations, rng=rng)
    compute_effect = EFFECTS[check_choice(effect, "effect", EFFECTS)]

    def compute_test(stacked: Pairs) -> TestResult:
        return test_spec.compute(stacked, options)

    n_compared = [pair.compared for pair in pairs]
    takes_long = sum(n_compared) >= PROGRESS_BAR_VALUES
    tables = []
    with progress_bar(progress, shown_by_default=takes_long, total=len(pairs), unit="pair") as bar:
        # Pairs over equally many users share the draws of users for their intervals.
        for positions in batches_of_equal_length(n_compared, MAX_SHARED_VALUES):
            batch = [pairs[position] for position in positions]
            differences = _difference_table(batch, level, alpha, n_resamples, rng)
            # The index of a row is the position of its pair in ``pairs``.
            differences.index = pd.Index(positions)
            # Tests need more memory per value, so they go through the batch in smaller parts.
            sizes = [pair.compared for pair in batch]
            for rows in batches_of_equal_length(sizes, MAX_DRAWN):
                stacked = stack_pairs([batch[row] for row in rows])
                tests = _test_table(stacked, compute_test, compute_effect)
                differences_of_part = differences.iloc[rows]
                tests.index = differences_of_part.index
                tables.append(differences_of_part.join(tests))
                bar.update(len(rows))
    # Batches hold pairs of equal size; put the rows back into the order of ``pairs``.
    return pd.concat(tables).sort_index().rename(columns={"left_out": "left out"})


def _difference_table(
    pairs: Sequence[Pairs],
    level: float | None,
    alpha: float | None,
    n_resamples: int,
    rng: Seed,
) -> pd.DataFrame:
    """Return mean differences and, if asked for, intervals of several pairs, a row per pair.

    A ``level`` adds the columns ``low`` and ``high``. An ``alpha`` adds the column ``beside 0``,
    which is True if the interval of level 1 - alpha excludes 0. If both are None, the table has the
    differences only. All pairs must have equally many users; both intervals come from the same
    draws of users.
    """
    columns = [pair.difference for pair in pairs]
    # The level to show and the level of the verdicts, 1 - alpha, are often the same.
    levels = []
    if level is not None:
        levels.append(level)
    if alpha is not None and 1 - alpha not in levels:
        levels.append(1 - alpha)
    if len(levels) == 0:
        return pd.DataFrame({"difference": [mean(column) for column in columns]})
    # Each level has a list of intervals, one for each pair.
    intervals = intervals_at(levels, columns, n_resamples=n_resamples, rng=rng)
    intervals_by_level = dict(zip(levels, intervals, strict=True))
    table = pd.DataFrame({"difference": [interval.mean for interval in intervals[0]]})
    if level is not None:
        table[["low", "high"]] = [
            (interval.low, interval.high) for interval in intervals_by_level[level]
        ]
    if alpha is not None:
        table["beside 0"] = [
            interval.low > 0 or interval.high < 0 for interval in intervals_by_level[1 - alpha]
        ]
    return table


def _test_table(
    pairs: Pairs,
    compute_test: Callable[[Pairs], TestResult],
    compute_effect: Callable[[Pairs], FloatArray],
) -> pd.DataFrame:
    """Return p-value, effect size, counts of users and direction, with a row for each stacked pair.

    The counts are those of `Pairs.users`. The direction is 1 if the test favours the first column
    of a pair, -1 if it favours the second one, else 0.
    """
    result = compute_test(pairs)
    columns = {
        "p": result.p,
        "effect": compute_effect(pairs),
        **pairs.users,
        "direction": np.sign(result.advantage).astype(int),
    }
    return pd.DataFrame(columns)
