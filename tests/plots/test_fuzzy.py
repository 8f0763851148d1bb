"""Figures of the fuzzy framework draw the numbers that you pass."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from numpy.testing import assert_allclose

from receval import datasets, plots
from receval.fuzzy import (
    Reduction,
    Situation,
    goedel,
    goedel_conjunctor,
    lukasiewicz,
    predictability_test,
    product,
)

OFFLINE, ONLINE = datasets.fuzzy_offline_results(), datasets.fuzzy_online_results()


@pytest.mark.parametrize(
    ("connective", "options", "labels"),
    [
        (lukasiewicz, {}, ("Łukasiewicz", "body b", "head h")),
        (
            goedel_conjunctor,
            {"operands": ("body b", "rule r")},
            ("Gödel conjunctor", "body b", "rule r"),
        ),
    ],
)
def test_maps_name_their_connectives_and_operands(connective, options, labels):
    (ax,) = plots.connective_maps([connective], **options)
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == labels


def isolines(ax):
    """Return the corners of a map's white lines of equal truth, one array for each degree."""
    (lines,) = (part for part in ax.collections if isinstance(part, ContourSet))
    corners = [path.vertices for path in lines.get_paths()]
    return dict(zip(lines.levels.round(6), corners, strict=True))


def test_maps_share_their_colours_and_their_colour_bar():
    maps = plots.connective_maps([lukasiewicz, product, goedel])
    images = [ax.images[0] for ax in maps]
    assert {(image.get_clim(), image.get_cmap().name) for image in images} == {((0, 1), "cividis")}
    (bar,) = set(maps[0].figure.axes) - set(maps)
    assert "yellow = 1" in bar.get_ylabel()
    # A row of the picture is an outcome, a column a promise.
    axis = (np.arange(400) + 0.5) / 400
    for image, implicator in zip(images, [lukasiewicz, product, goedel], strict=True):
        assert_allclose(image.get_array(), implicator(axis, axis[:, np.newaxis]))


def test_lines_of_equal_truth_stop_at_the_cliff_of_goedel():
    sloping, ax = plots.connective_maps([lukasiewicz, goedel])
    for degree, corners in isolines(sloping).items():
        assert_allclose(lukasiewicz(*corners.T), degree, atol=1e-6)
        assert len(corners) > 10
    lines = isolines(ax)
    assert [*lines] == [0.1, 0.3, 0.5, 0.7, 0.9]
    for degree, corners in lines.items():
        # A line at the height of its degree, from the diagonal to the right edge. A contour through
        # the cliff would continue along the diagonal, at other heights.
        assert_allclose(corners[:, 1], degree, atol=1e-6)
        assert_allclose([corners[:, 0].min(), corners[:, 0].max()], [degree, 1], atol=0.005)
    assert ax.images[0].get_interpolation() == "nearest"


def test_maps_mark_points_and_show_their_truth():
    maps = plots.connective_maps([lukasiewicz, product], points=[(0.9, 0.5), (1, 0)])
    assert [[text.get_text() for text in ax.texts] for ax in maps] == [
        ["0.600", "0.000"],
        ["0.556", "0.000"],
    ]
    dots = [line.get_xydata().tolist() for line in maps[0].lines if line.get_marker() == "o"]
    assert dots == [[[0.9, 0.5]], [[1, 0]]]
    maps[0].figure.draw_without_rendering()
    # The text at a corner of the map is inside the map.
    box, frame = maps[0].texts[1].get_window_extent(), maps[0].get_window_extent()
    assert box.x1 <= frame.x1
    assert box.y0 >= frame.y0


def test_a_lift_map_has_a_row_for_each_metric_and_marks_the_ceiling():
    test = predictability_test(OFFLINE, ONLINE, rng=0, n_permutations=99, reliability=0.5)
    ax = test.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == list(OFFLINE)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(ONLINE)
    dots = np.concatenate([part.get_offsets() for part in ax.collections])
    ends = np.concatenate([test.table["lift"], test.ceiling])
    assert_allclose(np.sort(dots[:, 0]), np.sort(ends))


def test_a_lift_map_divides_lifts_where_cells_need_different_ones():
    cells = pd.MultiIndex.from_product([["AUC", "MAP"], ["CTR"]], names=["metric", "measure"])
    table = pd.DataFrame({"lift": [0.3, 0.3], "critical": [0.2, 0.6]}, index=cells)
    ax = plots.systems.lift_map(table, two_sided=True)
    dots = np.concatenate([part.get_offsets() for part in ax.collections])
    assert_allclose(np.sort(dots[:, 0]), [0.5, 1.5])
    right, left = (patch.get_x() for patch in ax.patches)
    assert (right, left + ax.patches[1].get_width()) == (1, -1)
    assert ax.get_xlabel().endswith("divided by the lift that is significant")


def test_the_reduction_diagram_joins_what_is_acceptable():
    model = Situation(["a", "b"], [1, 2], [[1.0, np.nan], [np.nan, 0.63]])
    real = Situation(["x", "y"], [1, 2], [[1, 1], [0, 0]])
    reduction = Reduction(real, model, challenge_map={"x": "a", "y": "b"})
    assert reduction.maps() == ({"x": "a", "y": "b"}, {1: 1, 2: 2})
    ax = plots.reduction_diagram(real.table, model.table, *reduction.maps())
    assert [line.get_alpha() for line in ax.lines] == [1.0, 1.0, 1.0, 0.63]
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    arrows = [text for text in ax.texts if text.get_text() == ""]
    spans = [(arrow.xyann[1], arrow.xy[1]) for arrow in arrows]
    assert spans[:2] == [(heights["x"], heights["a"]), (heights["y"], heights["b"])]
    assert [start < end for start, end in spans] == [False, False, True, True]  # responses lead up
