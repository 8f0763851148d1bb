"""The paired tests that comparisons offer.

To add a test, write its functions in ``paired.py`` (or a module of its own) and put it into
`TESTS`. Add its name in words to ``receval/evaluation/words.toml``, and an oracle (an independent
computation) to ``tests/significance/test_significance.py``. A test of the package fails as long as
one of the two is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from receval._checks import FloatArray, IntArray, Seed
from receval.significance.paired import (
    TestResult,
    sign_of_pairs,
    smallest_sign_p,
    smallest_t_p,
    smallest_wilcoxon_p,
    t_of_pairs,
    wilcoxon_of_pairs,
)
from receval.significance.pairs import Pairs
from receval.significance.permuting import permute_pairs, smallest_permutation_p


class TestOptions(NamedTuple):
    """Options of all tests; each test reads only those that it lists in its specification."""

    zeros: str
    n_permutations: int
    rng: Seed


@dataclass(frozen=True)
class TestSpec:
    """A paired test as comparisons run it.

    Attributes
    ----------
    compute : callable
        Runs the test on several pairs of columns at once.
    smallest_p : callable
        Takes the number of users who differ in each comparison and the number of permutations.
        Returns the smallest p-value that each comparison can reach, 0 if nothing bounds it.
    options : frozenset of str
        The fields of `TestOptions` that the test reads; comparisons refuse all others.
    """

    compute: Callable[[Pairs, TestOptions], TestResult]
    smallest_p: Callable[[IntArray, int], FloatArray]
    options: frozenset[str] = frozenset()


TESTS: dict[str, TestSpec] = {
    "wilcoxon": TestSpec(
        compute=lambda pairs, options: wilcoxon_of_pairs(pairs, options.zeros),
        smallest_p=lambda n_differing, _: smallest_wilcoxon_p(n_differing),
        options=frozenset({"zeros"}),
    ),
    "t": TestSpec(
        compute=lambda pairs, _: t_of_pairs(pairs),
        smallest_p=lambda n_differing, _: smallest_t_p(n_differing),
    ),
    "sign": TestSpec(
        compute=lambda pairs, _: sign_of_pairs(pairs),
        smallest_p=lambda n_differing, _: smallest_sign_p(n_differing),
    ),
    "permutation": TestSpec(
        compute=lambda pairs, options: permute_pairs(pairs, options.n_permutations, options.rng),
        smallest_p=smallest_permutation_p,
        options=frozenset({"n_permutations", "rng"}),
    ),
}
"""The tests of `compare_pairs` and `Evaluation.compare`, by the name that users type."""
