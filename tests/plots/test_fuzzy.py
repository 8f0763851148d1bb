"""Figures of the fuzzy framework draw the numbers that you pass."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, datasets, plots
from receval.fuzzy import (
    Reduction,
    Situation,
    dcg_scaling,
    goedel,
    goedel_conjunctor,
    implication_matrix,
    implication_ranks,
    lukasiewicz,
    metric_advice,
    predictability_test,
    product,
)

mpl.use("agg")
OFFLINE, ONLINE = datasets.fuzzy_offline_results(), datasets.fuzzy_online_results()


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_connectives_as_maps_and_surfaces():
    flat, solid = plots.connective_map(goedel), plots.connective_map(goedel, kind="surface")
    assert (flat.get_ylabel(), solid.get_zlim()) == ("head h", (0, 1))
    assert plots.connective_map(goedel_conjunctor).get_ylabel() == "rule r"
    assert plots.connective_map(lukasiewicz).get_title() == "Łukasiewicz"


def test_steps_include_their_right_ends():
    ax = plots.scaling_steps(dcg_scaling(4))
    open_ends, closed_ends = (np.array(line.get_data()) for line in ax.lines)
    assert_allclose(closed_ends[1], [0, *(1 / np.log2([5, 4, 3, 2]))])
    assert_allclose(closed_ends[0], [0, 0.25, 0.5, 0.75, 1])
    assert_array_equal(open_ends[0], closed_ends[0][:-1])
    assert_array_equal(open_ends[1], closed_ends[1][1:])


def test_reductions_show_every_implication():
    model = Situation(["a", "b"], ["x", "y"], [[1.0, np.nan], [0.5, 0.25]])
    real = Situation(["a", "b"], ["x", "y"], [[0.5, 0.5], [0.5, 0.0]])
    ax = plots.reduction_map(Reduction(real, model), lukasiewicz)
    assert_allclose([bar.get_width() for bar in ax.patches], [0.5, 1, 0.75])
    assert [text.get_text() for text in ax.texts] == ["0.50", "1.00", "0.75"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a: x", "b: x", "b: y"]


def test_a_surface_keeps_its_cliff():
    above, below = plots.connective_map(goedel, kind="surface").collections
    assert (above.get_array() == 1).all()
    # Below the diagonal, the truth is the head. A cell of the surface has the mean of its corners.
    heads = below.get_array()
    assert heads.max() < 1
    assert_allclose(heads.mean(), 1 / 4, atol=0.01)


def isolines(ax):
    """Return the corners of a map's white lines of equal truth, one array for each degree."""
    (lines,) = (part for part in ax.collections if isinstance(part, ContourSet))
    corners = [path.vertices for path in lines.get_paths()]
    return dict(zip(lines.levels.round(6), corners, strict=True))


def test_maps_share_their_colours_and_their_colour_bar():
    maps = plots.implicator_maps([lukasiewicz, product, goedel])
    images = [ax.images[0] for ax in maps]
    assert {image.get_clim() for image in images} == {(0, 1)}
    assert {image.get_cmap().name for image in images} == {"cividis"}
    (bar,) = set(maps[0].figure.axes) - set(maps)
    assert "yellow = 1" in bar.get_ylabel()
    # A row of the picture is an outcome, a column a promise.
    axis = (np.arange(400) + 0.5) / 400
    for image, implicator in zip(images, [lukasiewicz, product, goedel], strict=True):
        assert_allclose(image.get_array(), implicator(axis, axis[:, np.newaxis]))


def test_goedels_cliff_is_sharp():
    (ax,) = plots.implicator_maps([goedel])
    lines = isolines(ax)
    assert [*lines] == [0.1, 0.3, 0.5, 0.7, 0.9]
    for degree, corners in lines.items():
        # A line at the height of its degree, from the diagonal to the right edge. A contour through
        # the cliff would continue along the diagonal, at other heights.
        assert_allclose(corners[:, 1], degree, atol=1e-6)
        assert_allclose([corners[:, 0].min(), corners[:, 0].max()], [degree, 1], atol=0.005)
    assert ax.images[0].get_interpolation() == "nearest"


def test_lines_of_equal_truth_are_where_the_implicator_has_that_value():
    (ax,) = plots.implicator_maps([lukasiewicz])
    for degree, corners in isolines(ax).items():
        assert_allclose(lukasiewicz(*corners.T), degree, atol=1e-6)
        assert len(corners) > 10


def test_maps_mark_points_and_show_their_truth():
    maps = plots.implicator_maps([lukasiewicz, product], points=[(0.9, 0.5), (1, 0)])
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


def test_heatmaps_carry_the_ranks():
    matrices = {name: implication_matrix(OFFLINE, ONLINE, f) for name, f in (("G", goedel),)}
    (ax,) = plots.rank_heatmaps(matrices)
    ranks = implication_ranks(matrices["G"]).T.to_numpy()
    assert [float(text.get_text()) for text in ax.texts] == ranks.ravel().tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == ONLINE.columns.tolist()


def test_intervals_and_advice():
    ranks = implication_ranks(implication_matrix(OFFLINE, ONLINE, goedel))
    stability = ranks.agg(["mean", "min", "max"], axis=1).sort_values("mean", kind="stable")
    stability = stability.set_axis(["rank", "low", "high"], axis=1)
    ax = plots.rank_intervals(stability)
    assert [label.get_text() for label in ax.get_yticklabels()] == stability.index.tolist()
    assert_array_equal(ax.lines[0].get_xdata(), stability["rank"])
    advice = metric_advice(OFFLINE, ONLINE)
    ax = plots.advice_map(advice)
    points = np.asarray(ax.collections[0].get_offsets())
    assert_array_equal(points, advice[["selection", "exclusion"]])
    assert sorted(text.get_text() for text in ax.texts) == sorted(OFFLINE.columns)


def test_numbers_stand_out_from_their_shades():
    (ax,) = plots.rank_heatmaps({"G": implication_matrix(OFFLINE, ONLINE, goedel)})
    back = np.asarray(ax.collections[0].get_facecolors())[:, :3]
    front = np.array([mpl.colors.to_rgb(text.get_color()) for text in ax.texts])

    def luminance(rgb):
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    light = np.sort([luminance(back), luminance(front)], axis=0) + 0.05
    assert (light[1] / light[0]).min() > 4.5  # WCAG's contrast for text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: plots.connective_map(goedel, kind="3d"), "kind must be", id="kind"),
        pytest.param(lambda: plots.implicator_maps([]), "implicators must hold", id="no map"),
        pytest.param(
            lambda: plots.implicator_maps([lambda b, h: h - b]),
            r"value of function must be in \[0, 1\]",
            id="no degree",
        ),
        pytest.param(
            lambda: plots.implicator_maps([goedel], points=[(0.5, 0), (1.2, 1)]),
            r"points must be in \[0, 1\]; got 1.2 at index",
            id="off the map",
        ),
        pytest.param(
            lambda: plots.implicator_maps([goedel], points=[0.5]),
            r"points must have the shape \(1, 2\); got \(1,\)",
            id="not a pair",
        ),
        pytest.param(lambda: plots.scaling_steps(np.sqrt), "scaling must be a Step", id="steps"),
        pytest.param(lambda: plots.rank_heatmaps({}), "matrices must hold at least", id="none"),
        pytest.param(lambda: plots.rank_heatmaps(None), "matrices must .* got None", id="no dict"),
        pytest.param(
            lambda: plots.rank_intervals(pd.DataFrame({"rank": [1]})),
            "stability must have the columns rank, low, high; got no",
            id="columns",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


# Chance, ceiling and groups ---------------------------------------------------------------------

KINDS = {name: "novelty" if name.startswith("nov") else "ranking" for name in OFFLINE}


def test_advice_has_the_same_colours_whatever_the_correlations():
    advice = metric_advice(OFFLINE, ONLINE, reliability=0.4)
    ax = plots.advice_map(advice, metric_groups=KINDS)
    assert [points.get_clim() for points in ax.collections] == [(-1, 1)] * 2
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(legend) == ["novelty", "ranking"]
    bar = ax.figure.axes[-1]
    assert_allclose(bar.lines[-1].get_ydata(), 2 / np.pi * np.arcsin(np.sqrt(0.4)))


def test_rank_heatmaps_group_the_metrics_and_show_the_ranks_by_chance():
    test = predictability_test(OFFLINE, ONLINE, goedel, rng=0, n_permutations=9)
    matrix = implication_matrix(OFFLINE, ONLINE, goedel)
    (ax,) = plots.rank_heatmaps(
        {"Gödel": matrix}, by_chance={"Gödel": test.matrix("by_chance")}, metric_groups=KINDS
    )
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names[-4:] == ["nov5_t", "nov10_t", "nov5_u", "nov10_u"]
    assert ax.get_yticklabels()[-1].get_text() == "mean by chance"
    by_chance = test.matrix("by_chance").rank(ascending=False).mean(axis=1)
    assert ax.texts[-1].get_text() == f"{by_chance['nov10_u']:.3g}"
    assert ax.lines[0].get_xdata() == [13, 13]


def test_the_lift_heatmap_shows_shares_of_the_ceiling():
    test = predictability_test(OFFLINE, ONLINE, rng=0, n_permutations=99, reliability=0.5)
    ax = test.plot(kind="heatmap", metric_groups=KINDS)
    shown = [float(text.get_text()) for text in ax.texts]
    share = test.table["lift"] / test.ceiling
    order = [m for m in OFFLINE if KINDS[m] == "ranking"]
    order += [m for m in OFFLINE if KINDS[m] == "novelty"]
    assert_allclose(shown, share.loc[order], atol=0.005)
    assert ax.collections[0].get_clim() == (-1, 1)
    with pytest.raises(InputError, match="metric_groups must have a group for each metric"):
        test.plot(metric_groups={"AUC": "ranking"})


def test_connective_maps_share_a_colour_bar_and_show_the_cut():
    *maps, cut = plots.connective_maps([lukasiewicz, goedel], b=0.9, other=0.5)
    assert [ax.get_title() for ax in maps] == ["Łukasiewicz", "Gödel"]
    assert len(cut.figure.axes) == 4  # two maps, the cut, and one colour bar
    points = [tuple(np.ravel(line.get_data())) for line in cut.lines if line.get_marker() == "o"]
    assert_allclose(points, [(0.9, 0.6), (0.9, 0.5)])
    curve = cut.lines[2]  # of Gödel: 1 up to the head, a gap, then the head
    body, truth = curve.get_data()
    assert np.isnan(truth).sum() == 1
    assert_allclose(truth[body > 0.5], 0.5)
    conjunctors = plots.connective_maps([goedel_conjunctor])
    assert conjunctors[0].get_ylabel() == "rule r"


def test_the_reduction_diagram_joins_what_is_acceptable():
    model = Situation(["a", "b"], [1, 2], [[1.0, np.nan], [np.nan, 0.63]])
    real = Situation(["x", "y"], [1, 2], [[1, 1], [0, 0]])
    reduction = Reduction(real, model, challenge_map={"x": "a", "y": "b"})
    ax = plots.reduction_diagram(reduction)
    assert [line.get_alpha() for line in ax.lines] == [1.0, 1.0, 1.0, 0.63]
    assert reduction.maps() == ({"x": "a", "y": "b"}, {1: 1, 2: 2})
    labels = [text.get_text() for text in ax.texts]
    assert {"a", "b", "x", "y", "1", "2"} <= {*labels}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.connective_maps([]), "functions must hold at least one connective"),
        (lambda: plots.connective_maps([goedel], b=2), r"b must be in \[0, 1\]; got 2"),
    ],
)
def test_maps_of_connectives_refuse(call, message):
    with pytest.raises(InputError, match=message):
        call()
