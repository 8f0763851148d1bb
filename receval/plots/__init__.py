"""Figures with seaborn; each function draws one and returns its Axes."""

from receval.plots.ranking import discount_curves, satisfaction_map, term_bars

__all__ = ["discount_curves", "satisfaction_map", "term_bars"]
