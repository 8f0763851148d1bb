"""Figures of the fuzzy framework: they draw the numbers that they are given."""

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
    assert shown == ["0.50", "1.00", "0.75"]


def test_heatmaps_carry_the_ranks():
    matrices = {name: implication_matrix(OFFLINE, ONLINE, f) for name, f in (("G", goedel),)}
    (ax,) = plots.rank_heatmaps(matrices, cmap="RdYlGn_r")
    ranks = implication_ranks(matrices["G"]).T.to_numpy()
    assert [float(text.get_text()) for text in ax.texts] == ranks.ravel().tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == ONLINE.columns.tolist()


def test_intervals_and_advice():
    stability = rank_stability(OFFLINE, ONLINE, goedel, n_resamples=20, rng=0)
    ax = plots.rank_intervals(stability)
    assert [label.get_text() for label in ax.get_yticklabels()][::-1] == stability.index.tolist()
    assert_array_equal(ax.lines[0].get_xdata()[::-1], stability["rank"])
    advice = metric_advice(OFFLINE, ONLINE)
    ax = plots.advice_map(advice)
    points = np.asarray(ax.collections[0].get_offsets())
    assert_array_equal(points, advice[["selection", "exclusion"]])
    assert sorted(text.get_text() for text in ax.texts) == sorted(OFFLINE.columns)


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
        pytest.param(
            lambda: plots.rank_heatmaps({"G": OFFLINE}, axes=plt.subplots(2)[1]),
            "axes must hold one Axes per matrix, 1; got 2",
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
