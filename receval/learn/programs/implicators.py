"""The programming task of lesson 15: Łukasiewicz's implicator of a list with clicks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from receval import fuzzy
from receval.learn.program import Inputs, Program

__all__ = ["CODE"]

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


def infinite_promise(clicks: Clicks) -> float:  # noqa: ARG001
    """Return minus infinity, as NumPy does if the first promise is 1 / log2(1)."""
    return -math.inf


def one_place_late(clicks: Clicks) -> float:
    """Make a slip: divide by log2(place + 2)."""
    return _mean(clicks, lambda place: _promise(place + 1))


def linear_promise(clicks: Clicks) -> float:
    """Make a slip: let the promise fall by equal steps."""
    return _mean(clicks, lambda place: float(fuzzy.linear_score(place, len(clicks))))


def reciprocal(clicks: Clicks) -> float:
    """Make a slip: promise one over the place."""
    return _mean(clicks, lambda place: 1 / place)


def natural_logarithm(clicks: Clicks) -> float:
    """Make a slip: use the natural logarithm."""
    return _mean(clicks, lambda place: 1 / math.log(place + 1))


def total(clicks: Clicks) -> float:
    """Make a slip: return the sum over the places."""
    return right(clicks) * len(clicks)


def goedel(clicks: Clicks) -> float:
    """Return the share of clicked places, which is Gödel's implicator."""
    return sum(clicks) / len(clicks)


def promise_kept(clicks: Clicks) -> float:
    """Make a slip: count the promise of a place without a click."""
    return _mean(clicks, lambda place: 1 - _promise(place))


def clicks_weighted(clicks: Clicks) -> float:
    """Make a slip: return the click-through rate weighted by place."""
    weights = [_promise(place) for place in range(1, len(clicks) + 1)]
    clicked = [weight for weight, click in zip(weights, clicks, strict=True) if click]
    return sum(clicked) / sum(weights)


def body_and_head_exchanged(clicks: Clicks) -> float:
    """Make a slip: return the implication from the click to the promise."""
    terms = [min(1, 1 - click + _promise(place)) for place, click in enumerate(clicks, start=1)]
    return sum(terms) / len(terms)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists without and with clicks, and two random lists."""
    lists = [[1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1, 1], [1]]
    lists += [rng.integers(0, 2, size=n_places).tolist() for n_places in (5, 8)]
    return [(clicks,) for clicks in lists]


CODE = Program(
    right,
    inputs,
    {
        "not_limited": not_limited,
        "log_of_one": log_of_one,
        "infinite_promise": infinite_promise,
        "one_place_late": one_place_late,
        "linear_promise": linear_promise,
        "reciprocal": reciprocal,
        "natural_logarithm": natural_logarithm,
        "sum": total,
        "goedel": goedel,
        "promise_kept": promise_kept,
        "clicks_weighted": clicks_weighted,
        "body_and_head_exchanged": body_and_head_exchanged,
    },
)
"""The task "implicators.code"."""
