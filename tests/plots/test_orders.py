"""The slope chart and the heatmap of metrics draw the orders and the values that you pass."""

import matplotlib as mpl
import numpy as np
import pandas as pd

from receval import plots

TRUTH = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
RETRIEVED = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
VALUES = pd.DataFrame({"right": [3, 0.0, 1], "reversed": [3, 1e-17, -1]}, ["hits", "MAE", "tau"])


def slopes(axes):
    """Return the colour and the places of each line of a slope chart, by its places."""
    return [(line.get_color(), *line.get_ydata()) for line in axes.lines]


def labels(axes):
    """Return the labels of the true order and those of the retrieved order."""
    left = [label.get_text() for label in axes.get_yticklabels()]
    return left, [text.get_text() for text in axes.texts]


def colours(axes):
    """Return the numbers behind the colours of a heatmap, by row."""
    return axes.collections[0].get_array().reshape(len(axes.get_yticklabels()), -1)


def test_a_slope_chart_marks_the_cases_that_keep_their_place():
    axes = plots.slope_chart(TRUTH, pd.Series(RETRIEVED))
    assert slopes(axes) == [(plots.GREEN, 1, 1), (plots.ORANGE, 2, 3), (plots.ORANGE, 3, 2)]
    assert axes.yaxis_inverted()  # place 1 is on top
    assert labels(axes) == (
        ["1. G2 (0.5)", "2. G3 (0.3)", "3. G4 (0.2)"],
        ["1. G2 (0.5)", "2. G4 (0.3)", "3. G3 (0.2)"],
    )
    assert [text.xy for text in axes.texts] == [(1, 1), (1, 2), (1, 3)]
    assert axes.get_title(loc="left") == "Cases in the right place: 1 of 3"


def test_a_case_of_one_ranking_has_a_dot_without_a_line():
    axes = plots.slope_chart({"a": 3, "b": 2}, {"c": 3, "a": 2, "d": 1})
    places = {tuple(np.nan_to_num(line.get_ydata())) for line in axes.lines}  # 0: it has no place
    assert places == {(1, 2), (2, 0), (0, 1), (0, 3)}
    assert {line.get_color() for line in axes.lines} == {plots.ORANGE}
    assert axes.get_title(loc="left") == "Cases in the right place: 0 of 2"


def test_a_slope_chart_draws_a_line_below_place_k():
    *lines, border = slopes(plots.slope_chart(TRUTH, RETRIEVED, k=2))
    assert border[1:] == (2.5, 2.5)
    assert lines == slopes(plots.slope_chart(TRUTH, RETRIEVED))


def test_a_metric_heatmap_colours_each_row_by_the_distance_from_the_reference():
    values = VALUES.assign(swapped=[2, 0.5, 0.333], missing=[3, np.nan, 0])
    axes = plots.metric_heatmap(values, "right")
    # 1e-17 is an error of rounding, and a missing value has no colour.
    expected = np.ma.masked_invalid([[1, 1, 0, 1], [1, 1, 0, np.nan], [1, 0, 0.6665, 0.5]])
    assert np.allclose(colours(axes), expected)
    assert (colours(axes).mask == expected.mask).all()
    written = [text.get_text() for text in axes.texts]
    assert written == ["3", "3", "2", "3", "0", "0", "0.5", "1", "-1", "0.33", "0"]
    assert axes.collections[0].get_cmap().name == "cividis"
    ticks = axes.collections[0].colorbar.ax.get_yticklabels()
    assert [tick.get_text() for tick in ticks] == ["worst of\nits row", "as good as\nright"]


def test_a_metric_heatmap_frames_columns():
    axes = plots.metric_heatmap(VALUES, "right", framed=["reversed"])
    (frame,) = axes.patches
    assert (frame.get_x(), frame.get_width(), frame.get_height()) == (1, 1, 3)
    assert mpl.colors.to_hex(frame.get_edgecolor()) == plots.ORANGE
    assert not plots.metric_heatmap(VALUES, "right").patches
