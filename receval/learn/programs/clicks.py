"""The programming task of lesson 14: the click-through rate weighted by place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from receval import fuzzy

Clicks = Sequence[int]


def _weights(n_places: int) -> list[float]:
    """Return the weights of the first places."""
    return [1 / math.log2(place + 1) for place in range(1, n_places + 1)]


def _collected(clicks: Clicks) -> float:
    """Return the sum of the weights of the clicked places."""
    pairs = zip(_weights(len(clicks)), clicks, strict=True)
    return sum(weight * click for weight, click in pairs)


def right(clicks: Clicks, k: int) -> float:
    """Return the click-through rate of the first k places, weighted by place."""
    shown = clicks[:k]
    impressions = {"position": range(1, len(shown) + 1), "clicked": shown}
    log = {**impressions, "system": ["A"] * len(shown), "session": [1] * len(shown)}
    return float(fuzzy.online_measures(pd.DataFrame(log), k=k)["IG_pos"].iloc[0])


def _with_weight(clicks: Clicks, k: int, weight: Callable[[int], float]) -> float:
    """Return the rate for other weights of the places."""
    weights = [weight(place) for place in range(1, len(clicks[:k]) + 1)]
    pairs = zip(weights, clicks[:k], strict=True)
    return sum(place_weight * click for place_weight, click in pairs) / sum(weights)


def not_weighted(clicks: Clicks, k: int) -> float:
    """Make a slip: return the plain click-through rate."""
    return _with_weight(clicks, k, lambda place: 1.0)  # noqa: ARG005


def weights_not_cut(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by the weights of the whole list."""
    return _collected(clicks[:k]) / sum(_weights(len(clicks)))


def divided_by_places(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by the number of places."""
    return _collected(clicks[:k]) / len(clicks[:k])


def log_of_one(clicks: Clicks, k: int) -> float:
    """Divide by log2(place), which fails at the first place."""
    return _with_weight(clicks, k, lambda place: 1 / math.log2(place))


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
