"""Recommending to a group: one order from many members' ratings, and how each member fares.

Ratings and Borda points have the axes (members, items); leading axes are independent groups.
Orders are 0-based column indices, best first. Wherever two items tie, the one in the earlier
column comes first, unless a ``tie_break`` says otherwise.
"""

from receval.metrics.group.members import satisfaction, spread
from receval.metrics.group.orders import (
    aggregate,
    borda_count,
    borda_points,
    group_ranking,
    rank_items,
)

__all__ = [
    "aggregate",
    "borda_count",
    "borda_points",
    "group_ranking",
    "rank_items",
    "satisfaction",
    "spread",
]
