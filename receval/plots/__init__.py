"""Figures with seaborn and matplotlib; each function draws one and returns the Axes of its panels.

``pip install "receval[plots]"`` installs both.
"""

from receval.plots.axes import BLUE, GREEN, GREY, ORANGE, set_theme
from receval.plots.fuzzy import connective_maps, reduction_diagram
from receval.plots.heatmaps import group_map, heatmap, metric_heatmap
from receval.plots.lists import link_ring, slope_chart, term_bars, waterfall
from receval.plots.systems import online_intervals_map, system_means, trade_off

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "connective_maps",
    "group_map",
    "heatmap",
    "link_ring",
    "metric_heatmap",
    "online_intervals_map",
    "reduction_diagram",
    "set_theme",
    "slope_chart",
    "system_means",
    "term_bars",
    "trade_off",
    "waterfall",
]
