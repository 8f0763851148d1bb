"""The programming task of lesson 13: the catalogue coverage of lists with empty places."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import catalog_coverage


def right(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """Return the catalogue coverage."""
    return float(catalog_coverage(lists, n_items))


def places_counted(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """Make a slip: count an item as often as it is shown."""
    return sum(item >= 0 for items in lists for item in items) / n_items


def empty_places_counted(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """Make a slip: count -1 as an item."""
    return len({item for items in lists for item in items}) / n_items


def not_divided(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """Make a slip: return the number of items shown."""
    return right(lists, n_items) * n_items


def mean_of_lists(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """Make a slip: return the mean coverage of the single lists."""
    return sum(right([items], n_items) for items in lists) / len(lists)


INPUTS = [
    ([[0, 1], [0, 2]], 6),
    ([[0, 1], [0, 2], [-1, -1]], 6),
    ([[4, 3], [5, -1]], 8),
    ([[-1, -1], [-1, -1]], 5),
    ([[1, 2], [2, 1], [1, 7], [0, 2]], 10),
    ([[6, 2, 1]], 9),
    ([[1, 3, 7], [5, 4, 0], [5, 0, 2], [1, 2, 3]], 9),
    ([[4, 11, -1], [7, 10, -1], [9, 4, -1], [9, 10, -1], [3, 7, -1], [5, 0, -1]], 15),
]
"""A few short lists first; some have empty places, and one shows nothing at all."""
