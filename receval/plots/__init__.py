"""Figures with seaborn; each function draws one and returns its Axes."""
