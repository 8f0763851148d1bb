"""The programming task of lesson 15: Łukasiewicz's implicator of a list with clicks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval import fuzzy
from receval._checks import FloatArray
from receval.metrics import shifted_log2


def right(clicks: Sequence[int]) -> float:
    """Return the mean of Łukasiewicz's implicator over the places."""
    return float(np.mean(fuzzy.lukasiewicz(_promises(clicks), clicks)))


def _promises(clicks: Sequence[int]) -> FloatArray:
    """Return what each place promises."""
    return shifted_log2(np.arange(1, len(clicks) + 1))


def not_limited(clicks: Sequence[int]) -> float:
    """Make a slip: let values be above 1."""
    return float(np.mean(1 - _promises(clicks) + clicks))


def total(clicks: Sequence[int]) -> float:
    """Make a slip: return the sum over the places."""
    return right(clicks) * len(clicks)


def goedel(clicks: Sequence[int]) -> float:
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
