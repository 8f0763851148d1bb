"""Figures with seaborn and matplotlib; each function draws one and returns the Axes of its panels.

``pip install "receval[plots]"`` installs both.
"""

from receval.plots.difference import waterfall
from receval.plots.fuzzy import (
    connective_map,
    connective_maps,
    implicator_maps,
    reduction_diagram,
    reduction_map,
    scaling_steps,
)
from receval.plots.groups import group_heatmap, group_map, satisfaction_map
from receval.plots.long_tail import long_tail
from receval.plots.network import link_ring
from receval.plots.predictability import (
    advice_map,
    lift_heatmap,
    lift_map,
    online_intervals_map,
    rank_heatmaps,
    rank_intervals,
)
from receval.plots.ranking import discount_curves, term_bars
from receval.plots.retrieval import metric_heatmap, quality_time, slope_chart
from receval.plots.systems import difference_intervals, system_means, trade_off
from receval.plots.theme import BLUE, GREEN, GREY, ORANGE, set_theme

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "advice_map",
    "connective_map",
    "connective_maps",
    "difference_intervals",
    "discount_curves",
    "group_heatmap",
    "group_map",
    "implicator_maps",
    "lift_heatmap",
    "lift_map",
    "link_ring",
    "long_tail",
    "metric_heatmap",
    "online_intervals_map",
    "quality_time",
    "rank_heatmaps",
    "rank_intervals",
    "reduction_diagram",
    "reduction_map",
    "satisfaction_map",
    "scaling_steps",
    "set_theme",
    "slope_chart",
    "system_means",
    "term_bars",
    "trade_off",
    "waterfall",
]
