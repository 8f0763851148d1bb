"""Figures of systems draw the numbers that you pass, and name every point once."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import plots


def texts(axes):
    """Return the texts that are written into the axes."""
    return [text.get_text() for text in axes.texts]


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
    assert place[:, 0].min() - 0.2 < low < high < place[:, 0].max() + 0.2


LONG_NAME = "the $x$ of a film"
NUMBERS = pd.DataFrame({"a": [1, 2], LONG_NAME: [2, 1], "b": [3, 3]}, index=["ann", "ben"])
ANSWERS = NUMBERS.assign(**{f"{LONG_NAME} {part}": part for part in (2, 3)})


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda: plots.group_map(NUMBERS, [LONG_NAME])[1], id="group_map"),
        pytest.param(lambda: plots.metric_heatmap(ANSWERS, LONG_NAME), id="metric_heatmap"),
    ],
)
def test_long_names_of_columns_do_not_overlap(draw):
    axes = draw()
    axes.figure.draw_without_rendering()
    labels = axes.get_xticklabels()
    shown = [label.get_text().replace(r"\$", "$").replace("\n", " ") for label in labels]
    assert LONG_NAME in shown
    assert axes.get_window_extent().height > 40  # the names leave room for the cells
    boxes = [label.get_window_extent() for label in labels]
    assert not any(box.count_overlaps(boxes[:n]) for n, box in enumerate(boxes))


def test_points_have_the_names_of_their_rows_and_nothing_without_a_value():
    table = pd.DataFrame({"x": [1, 1.01, 2, np.nan], "y": [3, 3, 4, 5]}, index=list("abcd"))
    axes = plots.trade_off(table, "x", "y")
    names = {text.get_text(): text.xy for text in axes.texts}
    assert names == {"a": (1, 3), "b": (1.01, 3), "c": (2, 4)}
    assert overlaps(axes) == 0


def test_points_can_have_a_colour_by_a_column():
    table = pd.DataFrame({"x": [1, 2], "y": [3, 4], "kendall": [-1, 1]}, index=list("ab"))
    axes = plots.trade_off(table, "x", "y", hue="kendall", palette="PuOr", hue_norm=(-1, 1))
    ends = mpl.colormaps["PuOr"]([0.0, 1.0])
    assert_allclose(axes.collections[0].get_facecolors(), ends, atol=0.01)


def test_rows_have_values_and_a_dash_where_there_is_none():
    table = pd.DataFrame({"RMSE": [0.5, np.nan]}, index=["a", "b"])
    (panel,) = plots.system_means(table, lower=["RMSE"])
    assert (panel.get_title(), texts(panel)) == ("RMSE (lower is better)", ["0.500", "–"])


def test_a_pair_that_lacks_a_measure_keeps_its_row():
    keys = [("MRR", "b", "a"), ("MRR", "c", "a"), ("MAP", "c", "a")]
    index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    numbers = {"difference": [1.0, 2, 3], "low": 0.0, "high": 4.0}
    verdicts = ["better", "undecided: corrected p above 0.05", "better"]
    table = pd.DataFrame(numbers, index).assign(verdict=verdicts)
    first, second = plots.systems.difference_intervals(table)
    assert (texts(first), texts(second)) == (["+1.000", "+2.000"], ["–", "+3.000"])
    assert second.containers[0].lines[0].get_xydata().tolist() == [[3, 1]]
    is_hollow = [bar.lines[0].get_markerfacecolor() == "white" for bar in first.containers]
    assert is_hollow == [False, True]


def test_a_heatmap_writes_chosen_cells_in_bold():
    table = pd.DataFrame({"cold": [0.1, 0.2], "heavy": [0.4, np.nan]}, index=["a", "b"])
    options = {"fmt": ".3f", "vmin": -1, "vmax": 1}
    axes = plots.heatmap(table, label="nDCG", bold=table == table.max(), **options)
    written = {text.get_text(): text.get_fontweight() for text in axes.texts}
    assert written == {"0.100": "normal", "0.400": "bold", "0.200": "bold"}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["cold", "heavy"]
    assert axes.collections[0].get_clim() == (-1, 1)
    shades = axes.collections[0].get_facecolors()[:, :3].sum(axis=1)
    assert shades[1] < shades[0]  # darker means more, as notebooks say
    assert axes.collections[0].colorbar.ax.get_ylabel() == "nDCG"
    assert texts(plots.heatmap(table, label="nDCG", bold=table > 0.1, annot=False)) == []


def test_numbers_stand_out_from_their_shades():
    axes = plots.heatmap(pd.DataFrame([np.linspace(0, 1, 21)]), label="", cmap="gray")
    shades = axes.collections[0].get_facecolors()[:, 0]
    luminances = ((shades + 0.055) / 1.055) ** 2.4 + 0.05  # WCAG's contrast is their quotient
    colours = np.where(luminances / 0.05 > 1.05 / luminances, "black", "white")
    assert [text.get_color() for text in axes.texts] == colours.tolist()


def test_a_waterfall_goes_from_value_to_value():
    ladder = pd.DataFrame(
        {"value": [0.3, 0.5, 0.5, 0.4, 0.4], "change": [np.nan, 0.2, 0.0, -0.1, np.nan]},
        index=["A", "gain", "ties", "discount", "B"],
    )
    axes = plots.waterfall(ladder)
    spans = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert_allclose(spans, [(0.3, 0), (0.3, 0.2), (0.5, -0.1), (0.4, 0)])
    assert texts(axes) == ["0.300", "+0.200", "-0.100", "0.400"]
    assert axes.get_title() == "From A to B, choice by choice"


def test_bars_of_several_lists_stand_side_by_side_at_their_ranks():
    first = pd.DataFrame({"rank": [1, 2, 3], "term": [3.0, 2.0, 1.0], "item": ["x", "y", "z"]})
    second = pd.DataFrame({"rank": [2, 5], "term": [0.5, np.nan]})
    axes = plots.term_bars({"a": first, "b": second})
    drawn = [
        (bar.get_x(), bar.get_height(), bar.get_width()) for bars in axes.containers for bar in bars
    ]  # a bar without a height is not drawn
    assert_allclose(drawn, [(-0.4, 3, 0.4), (0.6, 2, 0.4), (1.6, 1, 0.4), (1.0, 0.5, 0.4)])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "5"]
    assert texts(axes) == ["x", "y", "z"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
