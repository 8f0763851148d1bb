"""Many pairs of columns at once: tests, effect sizes and intervals as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from receval._checks import Seed, check_choice
from receval.significance.effects import EFFECTS
from receval.significance.intervals import check_resamples, mean_intervals
from receval.significance.paired import ZEROS, Found, ranked, signs, students
from receval.significance.pairs import Pairs, of_one_length, stacked
from receval.significance.permuting import permuted

__all__ = ["compare_pairs"]


def compare_pairs(
    pairs: Sequence[Pairs],
    *,
    test: str = "wilcoxon",
    effect: str = "rank_biserial",
    level: float = 0.95,
    zeros: str = "wilcox",
    n_resamples: int = 2_000,
    rng: Seed = 0,
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
        As in `difference_interval`; of the permutation test too.
    zeros
        As in `wilcoxon`.

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
        If an option is not one of those above.

    Examples
    --------
    >>> from receval.significance import paired
    >>> found = compare_pairs([paired([1, 2, 3], [0, 0, 1]), paired([1, 2, 3], [1, 3, 2])])
    >>> found[["difference", "p", "better", "same", "worse"]].round(2)
       difference     p  better  same  worse
    0        1.67  0.25       3     0      0
    1        0.00  1.00       1     1      1
    """
    check_choice(zeros, "zeros", ZEROS)
    draws = check_resamples(n_resamples)
    tests: dict[str, Callable[[Pairs], Found]] = {
        "wilcoxon": lambda some: ranked(some, zeros),
        "t": students,
        "sign": signs,
        "permutation": lambda some: permuted(some, draws, rng),
    }
    testing = tests[check_choice(test, "test", tests)]
    sizing = EFFECTS[check_choice(effect, "effect", EFFECTS)]
    differences = [one.difference for one in pairs]
    ends = mean_intervals(differences, level=level, n_resamples=draws, rng=rng)
    parts = []
    for places in of_one_length([one.compared for one in pairs]):
        some = stacked([pairs[place] for place in places])
        _, p, leaning, _ = testing(some)
        direction = np.sign(leaning).astype(int)
        columns = {"p": p, "effect": sizing(some), **some.users, "direction": direction}
        parts.append(pd.DataFrame(columns, index=places))
    found = pd.DataFrame(ends, columns=["mean", "low", "high"]).join(pd.concat(parts))
    return found.rename(columns={"mean": "difference", "left_out": "left out"})
