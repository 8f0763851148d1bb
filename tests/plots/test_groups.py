"""The figure of a group draws the totals, the points and the satisfaction that you pass."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from receval import datasets, metrics, plots

POINTS = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]}, index=["ann", "ben"])


def colours_of(bars):
    return [mpl.colors.to_hex(bar.get_facecolor()) for bar in bars]


def test_a_group_map_marks_the_groups_list_and_the_worst_off_member():
    points = datasets.borda_example()
    order = metrics.group_ranking(points)[:4]
    values = pd.Series(metrics.satisfaction(order, points, k=4), points.index)
    totals, heatmap, members = plots.group_map(points, points.columns[order], satisfaction=values)
    is_marked = [colour == plots.ORANGE for colour in colours_of(totals.patches)]
    assert list(points.columns[is_marked]) == ["M2", "M4", "M8", "M10"]
    assert [bar.get_height() for bar in totals.patches] == points.sum().tolist()
    places = {text.get_text(): text.get_position()[0] for text in totals.texts[-4:]}
    assert places == {"1.": 7.5, "2.": 3.5, "3.": 9.5, "4.": 1.5}
    assert [int(text.get_text()) for text in heatmap.texts] == points.to_numpy().ravel().tolist()
    assert sorted(frame.get_x() for frame in heatmap.patches) == [1, 3, 7, 9]
    assert [bar.get_width() for bar in members.patches] == values.tolist()
    assert colours_of(members.patches) == [*[plots.BLUE] * 3, plots.ORANGE, plots.BLUE]
    assert members.get_ylim() == heatmap.get_ylim()  # a bar is in its member's row
    assert heatmap.collections[0].get_cmap().name == "cividis"
    labels = [axes.get_xlabel() for axes in heatmap.figure.axes]
    assert "points (yellow = likes it more)" in labels


@pytest.mark.parametrize(
    ("points", "written", "sums"),
    [
        pytest.param(
            POINTS / 3,
            ["0.3", "0.7", "1", "0.7", "0.3", "1"],
            ["1", "1", "2", "1."],
            id="rounded to one decimal",
        ),
        pytest.param(
            POINTS.replace({"a": {1: np.nan}}),
            ["2", "3", "2", "1", "3"],
            ["2", "3", "6", "1."],
            id="missing points",
        ),
    ],
)
def test_a_group_map_writes_points_and_their_sums(points, written, sums):
    # The member of the first row has no satisfaction, and that of the second one is in orange.
    satisfaction = pd.Series([0.5, np.nan], index=["ben", "ann"])
    totals, heatmap, members = plots.group_map(points, ["a"], satisfaction=satisfaction)
    assert [text.get_text() for text in heatmap.texts] == written
    assert [text.get_text() for text in totals.texts] == sums
    assert members.patches[1].get_width() == 0.5
    assert colours_of(members.patches)[1] == plots.ORANGE
