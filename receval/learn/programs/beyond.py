"""The programming task of lesson 12: the catalogue coverage of lists with empty places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import catalog_coverage, prediction_coverage

__all__ = ["CODE"]

Lists = Sequence[Sequence[int]]


def right(lists: Lists, n_items: int) -> float:
    """Return the catalogue coverage."""
    return float(catalog_coverage(lists, n_items))


def _shown(lists: Lists) -> list[int]:
    """Return the item of each place that is not empty."""
    return [item for items in lists for item in items if item >= 0]


def places_counted(lists: Lists, n_items: int) -> float:
    """Make a slip: count an item as often as it is shown."""
    return len(_shown(lists)) / n_items


def empty_places_counted(lists: Lists, n_items: int) -> float:
    """Make a slip: count -1 as an item."""
    return len({item for items in lists for item in items}) / n_items


def item_zero_left_out(lists: Lists, n_items: int) -> float:
    """Make a slip: leave out item 0."""
    return len({item for item in _shown(lists) if item > 0}) / n_items


def not_divided(lists: Lists, n_items: int) -> float:  # noqa: ARG001
    """Make a slip: return the number of items shown."""
    return len(set(_shown(lists)))


def divided_by_places(lists: Lists, n_items: int) -> float:  # noqa: ARG001
    """Make a slip: divide by the number of places."""
    return len(set(_shown(lists))) / sum(len(items) for items in lists)


def divided_by_shown(lists: Lists, n_items: int) -> float:  # noqa: ARG001
    """Make a slip: divide by the number of places that are not empty."""
    return len(set(_shown(lists))) / max(len(_shown(lists)), 1)


def highest_number(lists: Lists, n_items: int) -> float:
    """Make a slip: count the items shown as the highest item number plus one."""
    return (max(_shown(lists), default=-1) + 1) / n_items


def prediction_share(lists: Lists, n_items: int) -> float:  # noqa: ARG001
    """Return the share of readers with a list, which is prediction coverage."""
    return float(prediction_coverage(lists))


def mean_of_lists(lists: Lists, n_items: int) -> float:
    """Make a slip: return the mean coverage of the single lists."""
    return sum(right([items], n_items) for items in lists) / len(lists)


def first_list(lists: Lists, n_items: int) -> float:
    """Make a slip: return after the first list."""
    return right(lists[:1], n_items)


def last_list(lists: Lists, n_items: int) -> float:
    """Make a slip: start again with each list."""
    return right(lists[-1:], n_items)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return a few short lists first; some have empty places, and one shows nothing at all."""
    first = [rng.permutation(8)[:3].tolist() for _ in range(4)]
    second = [[*rng.permutation(12)[:2].tolist(), -1] for _ in range(6)]
    return [
        ([[0, 1], [0, 2]], 6),
        ([[0, 1], [0, 2], [-1, -1]], 6),
        ([[4, 3], [5, -1]], 8),
        ([[-1, -1], [-1, -1]], 5),
        ([[1, 2], [2, 1], [1, 7], [0, 2]], 10),
        ([[6, 2, 1]], 9),
        (first, 9),
        (second, 15),
    ]


CODE = Program(
    right,
    inputs,
    {
        "places_counted": places_counted,
        "empty_places_counted": empty_places_counted,
        "item_zero_left_out": item_zero_left_out,
        "not_divided": not_divided,
        "divided_by_places": divided_by_places,
        "divided_by_shown": divided_by_shown,
        "highest_number": highest_number,
        "prediction_share": prediction_share,
        "mean_of_lists": mean_of_lists,
        "first_list": first_list,
        "last_list": last_list,
    },
)
"""The task "beyond.code"."""
