"""Many pairs of columns at once: tests, effect sizes and intervals as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval._arrays import of_one_length
from receval._checks import Seed, check_choice, require
from receval._exact import mean
from receval._progress import progress_bar
from receval.significance.effects import EFFECTS
from receval.significance.intervals import TOGETHER, check_resamples, mean_intervals
from receval.significance.paired import ZEROS, Found, ranked, signs, students
from receval.significance.pairs import Pairs, stacked
from receval.significance.permuting import permuted
from receval.significance.resampling import CELLS

__all__ = ["compare_pairs"]

LONG = 10_000_000  # values from which a progress bar is shown unasked


def check_used(test: str, level: float | None, **options: Any) -> None:
    """Refuse options, None where they are not given, that this test and level don't use."""
    used = set()
    if test == "wilcoxon":
        used.add("zeros")
    if test == "permutation" or level is not None:
        used |= {"n_resamples", "rng"}
    reasons = {
        "zeros": f"be left out when test is {test!r}",
        "n_resamples": f"be left out when test is {test!r} and no interval is drawn",
        "rng": f"be left out when test is {test!r} and no interval is drawn",
    }
    for name, value in options.items():
        require(value is None or name in used, name, reasons[name], value)


def compare_pairs(
    pairs: Sequence[Pairs],
    *,
    test: str = "wilcoxon",
    effect: str = "rank_biserial",
    level: float | None = 0.95,
    zeros: str | None = None,
    n_resamples: int | None = None,
    rng: Seed | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Test, effect size and interval of many pairs of columns, from one drawing of users.

    Parameters
    ----------
    pairs : sequence of Pairs
        As `paired` makes them.
    test : {"wilcoxon", "t", "sign", "permutation"}, default "wilcoxon"
        Which paired test.
    effect : {"rank_biserial", "cohens_d", "mann_whitney"}, default "rank_biserial"
        Which effect size.
    level, n_resamples, rng
        As in `difference_interval`; of the permutation test too. Without a level (None) there are
        no intervals.
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
        another test than Wilcoxon's, ``n_resamples`` or ``rng`` where nothing is drawn.

    Examples
    --------
    >>> from receval.significance import paired
    >>> found = compare_pairs([paired([1, 2, 3], [0, 0, 1]), paired([1, 2, 3], [1, 3, 2])])
    >>> found[["difference", "p", "better", "same", "worse"]].round(2)
       difference     p  better  same  worse
    0        1.67  0.25       3     0      0
    1        0.00  1.00       1     1      1
    """
    check_used(test, level, zeros=zeros, n_resamples=n_resamples, rng=rng)
    zeros = check_choice("wilcox" if zeros is None else zeros, "zeros", ZEROS)
    draws = check_resamples(2_000 if n_resamples is None else n_resamples)
    rng = 0 if rng is None else rng
    tests: dict[str, Callable[[Pairs], Found]] = {
        "wilcoxon": lambda some: ranked(some, zeros),
        "t": students,
        "sign": signs,
        "permutation": lambda some: permuted(some, draws, rng),
    }
    testing = tests[check_choice(test, "test", tests)]
    sizing = EFFECTS[check_choice(effect, "effect", EFFECTS)]
    sizes, parts = [one.compared for one in pairs], []
    with progress_bar(progress, unasked=sum(sizes) >= LONG, total=len(pairs), unit="pair") as bar:
        for drawn in of_one_length(sizes, TOGETHER):
            columns = [pairs[place].difference for place in drawn]
            found = pd.DataFrame({"difference": list(map(mean, columns))}, index=drawn)
            if level is not None:
                ends = mean_intervals(columns, level=level, n_resamples=draws, rng=rng)
                found[["low", "high"]] = [(one.low, one.high) for one in ends]
            for few in of_one_length([sizes[place] for place in drawn], CELLS):
                some = stacked([pairs[drawn[place]] for place in few])
                _, p, leaning, _ = testing(some)
                direction = np.sign(leaning).astype(int)
                tested = {"p": p, "effect": sizing(some), **some.users, "direction": direction}
                rows = found.iloc[few]
                parts.append(rows.join(pd.DataFrame(tested, index=rows.index)))
                bar.update(len(few))
    return pd.concat(parts).sort_index().rename(columns={"left_out": "left out"})
