"""The figure of on-line measures: its content, and its refusals."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from receval.plots import online_intervals_map

VALUE = np.array([0.2, 0.5, 0.3, 0.6])
INTERVALS = pd.DataFrame(
    {"value": VALUE, "low": VALUE - 0.1, "high": VALUE + 0.05},
    pd.MultiIndex.from_product([["A", "B"], ["IG", "IL"]], names=["arm", "measure"]),
)


def test_points_and_bars_are_the_table():
    ax = online_intervals_map(INTERVALS, measures=["IG", "IL"])
    for container, name in zip(ax.containers, ("IG", "IL"), strict=True):
        points, _, (bars,) = container.lines
        part = INTERVALS.xs(name, level="measure")
        assert_allclose(points.get_xdata(), part["value"])
        ends = np.array([segment[:, 0] for segment in bars.get_segments()])
        assert_allclose(ends, part[["low", "high"]])
        assert container.get_label() == name
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A", "B"]
    assert ax.get_ylabel() == "arm"
    assert ax.yaxis_inverted()


def test_one_measure_labels_the_axis_and_may_be_drawn_into_an_axes():
    _, ax = plt.subplots()
    assert online_intervals_map(INTERVALS, ax=ax) is ax
    assert ax.get_xlabel() == "IG"
    assert len(ax.get_legend().get_texts()) == 1
