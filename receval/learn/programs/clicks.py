"""The programming task of lesson 14: the click-through rate weighted by place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.metrics import shifted_log2


def right(clicks: Sequence[int], k: int) -> float:
    """Return the click-through rate of the first k places, weighted by place."""
    places = np.arange(1, len(clicks[:k]) + 1)
    return float(np.average(clicks[:k], weights=shifted_log2(places)))


def not_weighted(clicks: Sequence[int], k: int) -> float:
    """Make a slip: return the plain click-through rate."""
    return float(np.mean(clicks[:k]))


def weights_not_cut(clicks: Sequence[int], k: int) -> float:
    """Make a slip: divide by the weights of the whole list."""
    first_clicks = [*clicks[:k], *[0] * len(clicks[k:])]
    return right(first_clicks, len(clicks))


def divided_by_places(clicks: Sequence[int], k: int) -> float:
    """Make a slip: divide by the number of places."""
    places = np.arange(1, len(clicks[:k]) + 1)
    return float(np.mean(shifted_log2(places) * clicks[:k]))


INPUTS = [
    ([0, 1, 1], 3),
    ([1, 0, 0], 2),
    ([0, 1, 0, 1, 1], 3),
    ([1, 0, 1], 5),
    ([0, 0, 1, 1], 3),
    ([0, 0, 1], 2),
    ([1, 0, 0, 0, 0, 1], 4),
    ([0, 1, 1, 1, 0, 0, 0, 0], 6),
]
"""Lists that are longer and shorter than the cut-off, and two random ones."""
