"""The programming task of lesson 15: Łukasiewicz's implicator of a list with clicks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from receval import fuzzy

Clicks = Sequence[int]


def right(clicks: Clicks) -> float:
    """Return the mean of Łukasiewicz's implicator over the places."""
    places = np.arange(1, len(clicks) + 1)
    return float(np.mean(fuzzy.lukasiewicz(1 / np.log2(places + 1), clicks)))


def _mean(clicks: Clicks, promise: Callable[[int], float]) -> float:
    """Return the mean of Łukasiewicz's implicator if ``promise`` gives the promise of a place."""
    terms = [min(1, 1 - promise(place) + click) for place, click in enumerate(clicks, start=1)]
    return sum(terms) / len(terms)


def _promise(place: int) -> float:
    """Return the right promise of a place."""
    return 1 / math.log2(place + 1)


def not_limited(clicks: Clicks) -> float:
    """Make a slip: let values be above 1."""
    terms = [1 - _promise(place) + click for place, click in enumerate(clicks, start=1)]
    return sum(terms) / len(terms)


def log_of_one(clicks: Clicks) -> float:
    """Divide by log2(place), which fails at the first place."""
    return _mean(clicks, lambda place: 1 / math.log2(place))


def total(clicks: Clicks) -> float:
    """Make a slip: return the sum over the places."""
    return right(clicks) * len(clicks)


def goedel(clicks: Clicks) -> float:
    """Return the share of clicked places, which is Gödel's implicator."""
    return sum(clicks) / len(clicks)


INPUTS = [
    ([1, 0],),
    ([0, 1, 0],),
    ([0, 0, 0],),
    ([0, 0, 1, 1],),
    ([1],),
    ([1, 1, 1, 1, 1],),
    ([1, 1, 0, 1, 0, 1, 0, 0],),
]
"""Short lists without and with clicks, and two random lists."""
