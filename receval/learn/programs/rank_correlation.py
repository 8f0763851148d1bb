"""The programming task of lesson 6: Kendall's tau-a of two lists of points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import retrieval

__all__ = ["CODE"]

Points = Sequence[float]


def right(first: Points, second: Points) -> float:
    """Return tau-a."""
    return retrieval.kendall(dict(enumerate(first)), dict(enumerate(second)), variant="a")


def _signs(first: Points, second: Points) -> list[int]:
    """Return 1 for each concordant pair, -1 for each discordant one, and 0 for each tied one."""
    pairs = combinations(range(len(first)), 2)
    return [int(np.sign((first[i] - first[j]) * (second[i] - second[j]))) for i, j in pairs]


def not_divided(first: Points, second: Points) -> float:
    """Make a slip: return the difference of the numbers of pairs."""
    return sum(_signs(first, second))


def share_of_pairs(first: Points, second: Points) -> float:
    """Make a slip: return the share of concordant pairs."""
    signs = _signs(first, second)
    return signs.count(1) / len(signs)


def ties_concordant(first: Points, second: Points) -> float:
    """Make a slip: count tied pairs as concordant."""
    signs = _signs(first, second)
    return (len(signs) - 2 * signs.count(-1)) / len(signs)


def ties_discordant(first: Points, second: Points) -> float:
    """Make a slip: count tied pairs as discordant."""
    signs = _signs(first, second)
    return (2 * signs.count(1) - len(signs)) / len(signs)


def equal_signs(first: Points, second: Points) -> float:
    """Make a slip: compare the signs, so that a pair that both judges tie is concordant."""
    pairs = list(combinations(range(len(first)), 2))
    n_equal = sum(np.sign(first[i] - first[j]) == np.sign(second[i] - second[j]) for i, j in pairs)
    return float(2 * n_equal - len(pairs)) / len(pairs)


def ties_left_out(first: Points, second: Points) -> float:
    """Divide by the pairs without a tie, which is Goodman and Kruskal's gamma."""
    signs = _signs(first, second)
    n_untied = signs.count(1) + signs.count(-1)
    return sum(signs) / n_untied if n_untied else 0.0


def variant_b(first: Points, second: Points) -> float:
    """Return tau-b, which is another variant."""
    return retrieval.kendall(dict(enumerate(first)), dict(enumerate(second)), variant="b")


def pairs_with_itself(first: Points, second: Points) -> float:
    """Make a slip: count the pair of each thing with itself in the denominator."""
    signs = _signs(first, second)
    return sum(signs) / (len(signs) + len(first))


def half_of_pairs(first: Points, second: Points) -> float:
    """Divide by n (n - 1), which is twice the number of pairs."""
    return right(first, second) / 2


def number_of_things(first: Points, second: Points) -> float:
    """Make a slip: divide by the number of things."""
    return sum(_signs(first, second)) / len(first)


def squared(first: Points, second: Points) -> float:
    """Make a slip: divide by the square of the number of things."""
    return sum(_signs(first, second)) / len(first) ** 2


def counted_twice(first: Points, second: Points) -> float:
    """Make a slip: count each pair in both directions, but divide by the number of pairs."""
    return 2 * right(first, second)


def all_places(first: Points, second: Points) -> float:
    """Let both loops go through all things, and divide by the square of their number."""
    return 2 * squared(first, second)


def without_signs(first: Points, second: Points) -> float:
    """Make a slip: add up the products of the differences in place of their signs."""
    pairs = list(combinations(range(len(first)), 2))
    products = [(first[i] - first[j]) * (second[i] - second[j]) for i, j in pairs]
    return sum(products) / len(pairs)


def neighbours(first: Points, second: Points) -> float:
    """Make a slip: look only at pairs of neighbours in the lists."""
    places = range(len(first) - 1)
    signs = [sum(_signs(first[i : i + 2], second[i : i + 2])) for i in places]
    return sum(signs) / len(signs)


def sign(first: Points, second: Points) -> float:
    """Make a slip: subtract the concordant pairs from the discordant ones."""
    return -right(first, second)


def spearman(first: Points, second: Points) -> float:
    """Return Spearman's rho, which is another correlation."""
    return retrieval.spearman(dict(enumerate(first)), dict(enumerate(second)))


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists first; some have ties in the first list, the second, or both."""
    order = rng.permutation(6).tolist()
    tied = rng.integers(1, 4, size=5).tolist()
    return [
        ([3, 2, 1], [2, 3, 1]),
        ([9, 7, 6, 4], [8, 3, 9, 5]),
        ([3, 2, 1], [2, 1, 1]),  # a tie of the second judge
        ([5, 5, 2, 1], [9, 8, 8, 4]),  # ties of both judges
        ([4, 4, 1], [7, 7, 2]),  # a pair that both judges tie
        ([1, 2], [8, 6]),
        ([4, 3, 2, 1, 5], [1, 2, 2, 4, 3]),
        ([6, 5, 4, 3, 2, 1], order),
        ([7, 3, 8, 1, 5], tied),
    ]


CODE = Program(
    right,
    inputs,
    {
        "not_divided": not_divided,
        "share_of_pairs": share_of_pairs,
        "ties_concordant": ties_concordant,
        "ties_discordant": ties_discordant,
        "equal_signs": equal_signs,
        "ties_left_out": ties_left_out,
        "variant_b": variant_b,
        "pairs_with_itself": pairs_with_itself,
        "half_of_pairs": half_of_pairs,
        "number_of_things": number_of_things,
        "squared": squared,
        "counted_twice": counted_twice,
        "all_places": all_places,
        "without_signs": without_signs,
        "neighbours": neighbours,
        "sign": sign,
        "spearman": spearman,
    },
)
"""The task "rank_correlation.code"."""
