"""Figures of the fuzzy framework draw the numbers that you pass."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
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
    rank_stability,
)
from receval.plots.fuzzy import surface_corners

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
    shown = [text.get_text() for text in ax.texts]
    assert shown == ["0.50", "1.00", "0.75", "–"]


def test_a_reduction_of_single_pairs_is_bars():
    alone = Situation(["a", "b"], ["x", "y"], [[0.5, np.nan], [np.nan, 0.2]])
    sure = Situation(["a", "b"], ["x", "y"], [[1.0, 1.0], [1.0, 1.0]])
    ax = plots.reduction_map(Reduction(alone, sure), lukasiewicz)
    assert_allclose([bar.get_width() for bar in ax.patches], [0.5, 0.2])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a: x", "b: y"]


def test_a_surface_keeps_its_cliff():
    plots.connective_map(goedel, kind="surface")  # can be drawn
    b, h, truth = surface_corners(goedel).T
    is_above_h = truth > h + 0.01
    assert is_above_h.any()
    assert (truth[is_above_h] == 1).all()
    assert b.min() < 0.01
    assert b.max() > 0.99


def test_heatmaps_carry_the_ranks():
    matrices = {name: implication_matrix(OFFLINE, ONLINE, f) for name, f in (("G", goedel),)}
    (ax,) = plots.rank_heatmaps(matrices, cmap="RdYlGn_r")
    ranks = implication_ranks(matrices["G"]).T.to_numpy()
    assert [float(text.get_text()) for text in ax.texts] == ranks.ravel().tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == ONLINE.columns.tolist()


def test_intervals_and_advice():
    stability = rank_stability(OFFLINE, ONLINE, goedel, n_resamples=20, rng=0)
    ax = plots.rank_intervals(stability)
    assert [label.get_text() for label in ax.get_yticklabels()] == stability.index.tolist()
    assert_array_equal(ax.lines[0].get_xdata(), stability["rank"])
    advice = metric_advice(OFFLINE, ONLINE)
    ax = plots.advice_map(advice)
    points = np.asarray(ax.collections[0].get_offsets())
    assert_array_equal(points, advice[["selection", "exclusion"]])
    assert sorted(text.get_text() for text in ax.texts) == sorted(OFFLINE.columns)


def test_numbers_stand_out_from_their_shades():
    (ax,) = plots.rank_heatmaps({"G": implication_matrix(OFFLINE, ONLINE, goedel)}, cmap="cividis")
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
        pytest.param(
            lambda: plots.connective_map(goedel, kind="surface", ax=plt.subplots()[1]),
            "ax must have projection='3d'",
            id="flat",
        ),
        pytest.param(lambda: plots.scaling_steps(np.sqrt), "scaling must be a Step", id="steps"),
        pytest.param(lambda: plots.rank_heatmaps({}), "matrices must hold at least", id="none"),
        pytest.param(lambda: plots.rank_heatmaps(None), "matrices must .* got None", id="no dict"),
        pytest.param(
            lambda: plots.rank_heatmaps({"G": OFFLINE}, axes=plt.subplots(2)[1]),
            "axes must hold one Axes per panel, 1; got 2",
            id="axes",
        ),
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
