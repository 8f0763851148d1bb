"""Recommendation to a group: one order from many members' ratings, and each member's benefit.

Ratings and Borda points have the axes (members, items); leading axes are independent groups.
NaN is a missing rating. Orders are 0-based column indices, best first, with -1 at the
ranks of items that are not listed. If two items tie, the one in the earlier column comes first,
unless you pass a ``tie_break``.
"""

from receval.metrics.group.members import satisfaction, spread
from receval.metrics.group.orders import (
    borda_count,
    borda_points,
    group_ranking,
    rank_items,
)
from receval.metrics.group.strategies import aggregate, aggregate_terms

__all__ = [
    "aggregate",
    "aggregate_terms",
    "borda_count",
    "borda_points",
    "group_ranking",
    "rank_items",
    "satisfaction",
    "spread",
]
