"""Figures are drawn without a screen. The `conftest.py` of the checkout closes them."""

import matplotlib as mpl

mpl.use("agg")
