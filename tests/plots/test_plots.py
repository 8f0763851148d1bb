"""Figures of systems draw the numbers that you pass, and name every point once."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from receval import plots


def overlaps(axes):
    """Return the number of pairs of names that overlap in the figure."""
    axes.figure.draw_without_rendering()
    boxes = [mpl.text.Text.get_window_extent(text) for text in axes.texts]
    return sum(box.count_overlaps(boxes[:n]) for n, box in enumerate(boxes))


def test_names_of_many_points_do_not_collide():
    place = np.random.default_rng(0).random((20, 2))
    table = pd.DataFrame(place, [f"system {i}" for i in range(20)], ["nDCG@10", "CC@10"])
    axes = plots.trade_off(table, "nDCG@10", "CC@10")
    assert overlaps(axes) == 0
    low, high = axes.get_xlim()
    assert low > place[:, 0].min() - 0.2
    assert high < place[:, 0].max() + 0.2


def test_points_have_the_names_of_their_rows_and_nothing_without_a_value():
    table = pd.DataFrame({"x": [1, 1.01, 2, np.nan], "y": [3, 3, 4, 5]}, index=list("abcd"))
    axes = plots.trade_off(table, "x", "y")
    names = {text.get_text(): text.xy for text in axes.texts}
    assert names == {"a": (1, 3), "b": (1.01, 3), "c": (2, 4)}
    assert overlaps(axes) == 0


def test_points_can_have_a_colour_by_a_column():
    table = pd.DataFrame({"x": [1, 2], "y": [3, 4], "kendall": [-1, 1]}, index=list("ab"))
    axes = plots.trade_off(table, "x", "y", hue="kendall", palette="PuOr", hue_norm=(-1, 1))
    low, high = axes.collections[0].get_facecolors()
    assert_allclose(low, mpl.colormaps["PuOr"](0.0), atol=0.01)
    assert_allclose(high, mpl.colormaps["PuOr"](1.0), atol=0.01)


def test_rows_have_values_and_a_dash_where_there_is_none():
    table = pd.DataFrame({"RMSE": [0.5, np.nan]}, index=["a", "b"])
    (panel,) = plots.system_means(table, lower=["RMSE"])
    assert [text.get_text() for text in panel.texts] == ["0.500", "–"]
    assert panel.get_title() == "RMSE (lower is better)"


def test_a_pair_that_lacks_a_measure_keeps_its_row():
    keys = [("MRR", "b", "a"), ("MRR", "c", "a"), ("MAP", "c", "a")]
    index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    numbers = {"difference": [1.0, 2, 3], "low": 0.0, "high": 4.0}
    numbers["verdict"] = ["better", "undecided: corrected p above 0.05", "better"]
    first, second = plots.difference_intervals(pd.DataFrame(numbers, index))
    assert [text.get_text() for text in first.texts] == ["+1.000", "+2.000"]
    assert [text.get_text() for text in second.texts] == ["–", "+3.000"]
    points = second.containers[0].lines[0]
    assert points.get_xydata().tolist() == [[3, 1]]
    assert [one.lines[0].get_markerfacecolor() == "white" for one in first.containers] == [0, 1]


def test_a_heatmap_writes_chosen_cells_in_bold():
    table = pd.DataFrame({"cold": [0.1, 0.2], "heavy": [0.4, np.nan]}, index=["a", "b"])
    texts = plots.heatmap(table, label="nDCG", fmt=".3f", bold=table == table.max()).texts
    assert [text.get_text() for text in texts] == ["0.100", "0.400", "0.200"]
    bold = [text.get_text() for text in texts if text.get_fontweight() == "bold"]
    assert bold == ["0.400", "0.200"]


def test_a_heatmap_without_numbers_has_none_in_bold():
    table = pd.DataFrame({"cold": [0.1, 0.2]}, index=["a", "b"])
    assert len(plots.heatmap(table, label="nDCG", bold=table > 0.1, annot=False).texts) == 0


def test_the_colour_bar_of_a_heatmap_says_what_its_colours_mean():
    axes = plots.heatmap(pd.DataFrame({"x": [0.1, 0.2]}), label="RMSE (dark = worse)")
    assert axes.collections[0].colorbar.ax.get_ylabel() == "RMSE (dark = worse)"


def test_a_waterfall_goes_from_value_to_value():
    ladder = pd.DataFrame(
        {"value": [0.3, 0.5, 0.5, 0.4, 0.4], "change": [np.nan, 0.2, 0.0, -0.1, np.nan]},
        index=["A", "gain", "ties", "discount", "B"],
    )
    axes = plots.waterfall(ladder)
    spans = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert_allclose(spans, [(0.3, 0), (0.3, 0.2), (0.5, -0.1), (0.4, 0)])
    assert [text.get_text() for text in axes.texts] == ["0.300", "+0.200", "-0.100", "0.400"]
    assert axes.get_title() == "From A to B, choice by choice"


def test_bars_of_several_lists_stand_side_by_side_at_their_ranks():
    first = pd.DataFrame({"rank": [1, 2, 3], "term": [3.0, 2.0, 1.0], "item": ["x", "y", "z"]})
    second = pd.DataFrame({"rank": [2, 5], "term": [0.5, np.nan]})
    axes = plots.term_bars({"a": first, "b": second})
    left, right = axes.containers
    assert_allclose([bar.get_x() for bar in left], [-0.4, 0.6, 1.6])
    assert_allclose([bar.get_x() for bar in right], [1.0])  # a bar without a height is not drawn
    assert_allclose([bar.get_width() for bar in [*left, *right]], 0.4)
    assert_allclose([bar.get_height() for bar in right], [0.5])
    assert_allclose([bar.get_height() for bar in left], [3, 2, 1])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "5"]
    assert [text.get_text() for text in axes.texts] == ["x", "y", "z"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
