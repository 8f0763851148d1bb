"""The programming task of lesson 16: the click-through rate weighted by place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from receval import fuzzy
from receval.learn.program import Inputs, Program

__all__ = ["CODE"]

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
    return float(fuzzy.online_measures(log, k=k)["IG_pos"].iloc[0])


def _with_weight(clicks: Clicks, k: int, weight: Callable[[int], float]) -> float:
    """Return the rate for other weights of the places."""
    weights = [weight(place) for place in range(1, len(clicks[:k]) + 1)]
    pairs = zip(weights, clicks[:k], strict=True)
    return sum(place_weight * click for place_weight, click in pairs) / sum(weights)


def not_weighted(clicks: Clicks, k: int) -> float:
    """Make a slip: return the plain click-through rate."""
    return _with_weight(clicks, k, lambda place: 1.0)  # noqa: ARG005


def no_cutoff(clicks: Clicks, k: int) -> float:  # noqa: ARG001
    """Make a slip: return the rate of the whole list."""
    return right(clicks, len(clicks))


def weights_not_cut(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by the weights of the whole list."""
    return _collected(clicks[:k]) / sum(_weights(len(clicks)))


def divided_by_k_weights(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by the weights of k places, even if fewer were shown."""
    return _collected(clicks[:k]) / sum(_weights(k))


def cutoff_one_short(clicks: Clicks, k: int) -> float:
    """Make a slip: return the rate of k - 1 places."""
    return right(clicks, k - 1)


def divided_by_places(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by the number of places."""
    return _collected(clicks[:k]) / len(clicks[:k])


def divided_by_clicks(clicks: Clicks, k: int) -> float:
    """Divide by the number of clicks, which is wrong and fails without clicks."""
    return _collected(clicks[:k]) / sum(clicks[:k])


def not_divided(clicks: Clicks, k: int) -> float:
    """Make a slip: return the sum of the weights of the clicked places."""
    return _collected(clicks[:k])


def log_of_one(clicks: Clicks, k: int) -> float:
    """Divide by log2(place), which fails at the first place."""
    return _with_weight(clicks, k, lambda place: 1 / math.log2(place))


def infinite_weight(clicks: Clicks, k: int) -> float:  # noqa: ARG001
    """Return NaN, as NumPy does if the first weight is 1 / log2(1)."""
    return math.nan


def one_place_late(clicks: Clicks, k: int) -> float:
    """Make a slip: divide by log2(place + 2)."""
    return _with_weight(clicks, k, lambda place: 1 / math.log2(place + 2))


def first_place_skipped(clicks: Clicks, k: int) -> float:
    """Take the click of place p at index p instead of p - 1, which is wrong or fails."""
    weights = _weights(k)
    return sum(weights[place - 1] * clicks[place] for place in range(1, k + 1)) / sum(weights)


def logarithm(clicks: Clicks, k: int) -> float:
    """Make a slip: use log2(place + 1) instead of its reciprocal."""
    return _with_weight(clicks, k, lambda place: math.log2(place + 1))


def reciprocal(clicks: Clicks, k: int) -> float:
    """Make a slip: use one over the place."""
    return _with_weight(clicks, k, lambda place: 1 / place)


def attractiveness(clicks: Clicks, k: int) -> float:
    """Divide each click by its weight, which is another measure."""
    shown = clicks[:k]
    pairs = zip(_weights(len(shown)), shown, strict=True)
    return sum(click / weight for weight, click in pairs) / len(shown)


def implicator(clicks: Clicks, k: int) -> float:
    """Return the mean of Łukasiewicz's implicator, which is another measure."""
    shown = clicks[:k]
    return float(np.mean(fuzzy.lukasiewicz(_weights(len(shown)), shown)))


def inputs(rng: np.random.Generator) -> Inputs:
    """Return lists that are longer and shorter than the cut-off, and two random ones."""
    return [
        ([0, 1, 1], 3),
        ([1, 0, 0], 2),
        ([0, 1, 0, 1, 1], 3),
        ([1, 0, 1], 5),  # a list that is shorter than the cut-off
        ([0, 0, 1, 1], 3),  # clicked at the cut-off and below it
        ([0, 0, 1], 2),  # nothing is clicked within the cut-off
        ([1, *rng.integers(0, 2, size=5).tolist()], 4),
        ([0, 1, *rng.integers(0, 2, size=6).tolist()], 6),
    ]


CODE = Program(
    right,
    inputs,
    {
        "not_weighted": not_weighted,
        "no_cutoff": no_cutoff,
        "weights_not_cut": weights_not_cut,
        "divided_by_k_weights": divided_by_k_weights,
        "cutoff_one_short": cutoff_one_short,
        "divided_by_places": divided_by_places,
        "divided_by_clicks": divided_by_clicks,
        "not_divided": not_divided,
        "log_of_one": log_of_one,
        "infinite_weight": infinite_weight,
        "one_place_late": one_place_late,
        "first_place_skipped": first_place_skipped,
        "logarithm": logarithm,
        "reciprocal": reciprocal,
        "attractiveness": attractiveness,
        "implicator": implicator,
    },
)
"""The task "clicks.code"."""
