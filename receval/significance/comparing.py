"""Many pairs of columns at once: tests, effect sizes and intervals as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval._arrays import batches_of_equal_length
from receval._checks import Seed, check_choice, check_integer, check_number, check_that
from receval._exact import mean
from receval._progress import progress_bar
from receval.significance.effects import EFFECTS
from receval.significance.intervals import TOGETHER, check_resamples, intervals_at
from receval.significance.paired import (
    ZEROS,
    TestResult,
    _sign_columns,
    _t_columns,
    _wilcoxon_columns,
)
from receval.significance.pairs import Pairs, stacked
from receval.significance.permuting import permuted
from receval.significance.resampling import CELLS

__all__ = ["compare_pairs"]

LONG = 10_000_000  # values from which a progress bar is shown unasked


def check_used(test: str, intervals: bool, **options: Any) -> None:
    """Refuse options, None where they are not given, that nothing here uses.

    Parameters
    ----------
    test : str
        The test that is run.
    intervals : bool
        Whether intervals are drawn.
    **options
        Any of ``zeros``, ``n_resamples``, ``n_permutations`` and ``rng``.
    """
    used = set()
    if test == "wilcoxon":
        used.add("zeros")
    if test == "permutation":
        used |= {"n_permutations", "rng"}
    if intervals:
        used |= {"n_resamples", "rng"}
    reasons = {
        "zeros": f"be left out when test is {test!r}",
        "n_resamples": "be left out when no interval is drawn",
        "n_permutations": f"be left out when test is {test!r}",
        "rng": f"be left out when test is {test!r} and no interval is drawn",
    }
    if test == "permutation":
        reasons["n_resamples"] += ", the draws of the test being n_permutations"
    for name, value in options.items():
        check_that(value is None or name in used, name, reasons[name], value)


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
    """Test, effect size and interval of many pairs of columns, from one drawing of users.

    Parameters
    ----------
    pairs : sequence of Pairs
        As `paired` makes them.
    test : {"t", "wilcoxon", "sign", "permutation"}, default "t"
        Which paired test.
    effect : {"rank_biserial", "cohens_d", "mann_whitney"}, default "cohens_d"
        Which effect size.
    level, n_resamples
        As in `difference_interval`. Without a level (None) there are no intervals. Only intervals
        use ``n_resamples``, by default 2,000.
    n_permutations : int, default 9999
        Draws of the permutation test, for that test only; the ``n_resamples`` of `permutation`.
    alpha : float, optional
        Asks for one more column, ``beside 0``: whether the (1 - alpha) interval excludes 0,
        whatever the ``level`` is.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers of intervals and permutations, or a seed.
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        As in `wilcoxon`, for that test only.
    progress : bool, optional
        Whether to show a progress bar. Default: only when it takes long.

    Returns
    -------
    DataFrame
        A row per pair: ``difference`` of the means, ``low``, ``high``, ``p``, ``effect``, users
        for whom the first column is ``better``, the ``same`` and ``worse``, users ``compared``
        and ``left out``, and the ``direction`` of the test: 1, 0 or -1. With a seed, a row is
        what the functions for one pair find, whatever the other pairs are.

    Raises
    ------
    InputError
        If an option is not one of those above, or is given where nothing uses it: ``zeros`` for
        another test than Wilcoxon's, ``n_permutations`` for another than the permutation test,
        ``n_resamples`` where no interval is drawn, ``rng`` where nothing is drawn.

    Examples
    --------
    >>> from receval.significance import paired
    >>> found = compare_pairs([paired([1, 2, 3], [0, 0, 1]), paired([1, 2, 3], [1, 3, 2])])
    >>> found[["difference", "p", "better", "same", "worse"]].round(2)
       difference     p  better  same  worse
    0        1.67  0.04       3     0      0
    1        0.00  1.00       1     1      1
    """
    check_used(
        test,
        level is not None or alpha is not None,
        zeros=zeros,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        rng=rng,
    )
    zeros = check_choice("wilcox" if zeros is None else zeros, "zeros", ZEROS)
    draws = check_resamples(2_000 if n_resamples is None else n_resamples)
    permutations = 9_999 if n_permutations is None else n_permutations
    permutations = check_integer(permutations, "n_permutations", 100, 10**9)
    rng = 0 if rng is None else rng
    if alpha is not None:
        alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    if level is not None:
        level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    tests: dict[str, Callable[[Pairs], TestResult]] = {
        "wilcoxon": lambda some: _wilcoxon_columns(some, zeros),
        "t": _t_columns,
        "sign": _sign_columns,
        "permutation": lambda some: permuted(some, permutations, rng),
    }
    testing = tests[check_choice(test, "test", tests)]
    sizing = EFFECTS[check_choice(effect, "effect", EFFECTS)]
    levels = [] if level is None else [level]  # both intervals come from one drawing of users
    if alpha is not None and 1 - alpha not in levels:
        levels.append(1 - alpha)
    sizes, parts = [one.compared for one in pairs], []
    with progress_bar(progress, unasked=sum(sizes) >= LONG, total=len(pairs), unit="pair") as bar:
        for drawn in batches_of_equal_length(sizes, TOGETHER):
            columns = [pairs[place].difference for place in drawn]
            found = pd.DataFrame({"difference": list(map(mean, columns))}, index=drawn)
            if levels:
                of_level = dict(
                    zip(
                        levels,
                        intervals_at(levels, columns, n_resamples=draws, rng=rng),
                        strict=True,
                    )
                )
            if level is not None:
                found[["low", "high"]] = [(one.low, one.high) for one in of_level[level]]
            if alpha is not None:
                decisive = of_level[1 - alpha]
                found["beside 0"] = [one.low > 0 or one.high < 0 for one in decisive]
            for few in batches_of_equal_length([sizes[place] for place in drawn], CELLS):
                some = stacked([pairs[drawn[place]] for place in few])
                _, p, leaning, _ = testing(some)
                direction = np.sign(leaning).astype(int)
                tested = {"p": p, "effect": sizing(some), **some.users, "direction": direction}
                rows = found.iloc[few]
                parts.append(rows.join(pd.DataFrame(tested, index=rows.index)))
                bar.update(len(few))
    return pd.concat(parts).sort_index().rename(columns={"left_out": "left out"})
