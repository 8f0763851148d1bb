"""Many systems and their parameters."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, evaluate, load
from receval.plots import parameter_curves

RNG = np.random.default_rng(3)
N = 50
USERS, ITEMS = np.repeat(np.arange(N), 5), np.tile(np.arange(5), N)
TRUTH = pd.DataFrame({"user": USERS, "item": ITEMS, "relevance": RNG.integers(0, 3, 5 * N)})
GRID = pd.DataFrame(
    [(f"k{k} {loss}", k, loss) for k in (8, 16, 32) for loss in ("bpr", "warp")],
    columns=["system", "factors", "loss"],
).set_index("system")
SYSTEMS = {
    name: TRUTH[["user", "item"]].assign(score=RNG.random(5 * N) + k / 40 * TRUTH["relevance"])
    for name, k in GRID["factors"].items()
}
RESULT = evaluate(SYSTEMS, TRUTH, ["nDCG@3", "MRR"], systems=GRID[::-1])


def test_parameters_stay_with_the_systems(tmp_path):
    pd.testing.assert_frame_equal(RESULT.parameters, GRID)
    shown = RESULT.table().to_frame()
    assert shown["factors"].tolist() == list(map(str, GRID["factors"]))
    assert shown["loss"].tolist() == GRID["loss"].tolist()
    RESULT.save(tmp_path / "grid.receval")
    loaded = load(tmp_path / "grid.receval")
    assert loaded == RESULT
    pd.testing.assert_frame_equal(loaded.parameters, GRID)
    assert evaluate(SYSTEMS, TRUTH, ["nDCG@3", "MRR"]) != RESULT
    assert RESULT.methods().count("judged, 50 answered") == 1  # not once for each system
    pd.testing.assert_frame_equal(RESULT.where([1, 2]).parameters, GRID)


def test_a_parameter_that_some_systems_do_not_have(tmp_path):
    some = GRID.assign(factors=pd.array([8, 8, 16, 16, None, None], "Int64"), lr=[0.1, np.nan] * 3)
    result = evaluate(SYSTEMS, TRUTH, "MRR", systems=some)
    result.save(tmp_path / "some.receval")
    assert load(tmp_path / "some.receval") == result
    pd.testing.assert_frame_equal(load(tmp_path / "some.receval").parameters, some)
    ax = result.sweep("factors", "MRR")
    assert ax.containers[0].lines[0].get_xdata().tolist() == [8, 8, 16, 16]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["8", "16"]


def test_a_curve_of_each_value_goes_through_the_means_in_order():
    ax = RESULT.sweep("factors", "nDCG@3", by="loss")
    means = RESULT.summary["nDCG@3"]
    for line, loss in zip(ax.containers, ("bpr", "warp"), strict=True):
        assert line.get_label() == loss
        x, y = line.lines[0].get_data()
        assert x.tolist() == [8, 16, 32]
        assert y.tolist() == means[[f"k{k} {loss}" for k in x]].tolist()
        low, high = np.array(line.lines[2][0].get_segments())[:, :, 1].T
        found = RESULT.interval(measures="nDCG@3").loc["nDCG@3"].loc[[f"k{k} {loss}" for k in x]]
        assert_allclose(low, found["low"])
        assert_allclose(high, found["high"])
    assert ax.get_title() == "nDCG@3 by factors and loss (bars: 95 % bootstrap intervals)"
    plain = parameter_curves(GRID.assign(mean=means), "factors").containers[0].lines[0]
    assert len(plain.get_xdata()) == 6
    assert plain.get_linestyle() == "None"  # two means of each number are no curve


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (GRID.iloc[1:], "systems must have a row for each .* on one side only 'k8 bpr'"),
        (pd.concat([GRID, GRID.iloc[:1]]), "systems must be a DataFrame indexed by system"),
        ({"k8 bpr": 8}, "systems must be a DataFrame indexed by system"),
        (GRID.rename(columns={"loss": 1}), "systems must be .* a text over each column"),
        (GRID.assign(loss=[["bpr"]] * 6), r"systems must hold text, numbers, .*got \['bpr'\]"),
        (
            GRID.rename(columns={"loss": "MRR"}),
            r"columns of systems must differ from names .*got \['MRR'\]",
        ),
    ],
)
def test_refuses_parameters(systems, message):
    with pytest.raises(InputError, match=message):
        evaluate(SYSTEMS, TRUTH, ["nDCG@3", "MRR"], systems=systems)


def test_refuses_sweeps_of_what_is_not_there():
    with pytest.raises(InputError, match="parameter must be one of 'factors', 'loss'; got 'k'"):
        RESULT.sweep("k", "MRR")
    with pytest.raises(InputError, match="parameter must be one of 'factors', 'loss'; got None"):
        RESULT.sweep(None, "MRR")
    with pytest.raises(InputError, match="by must be one of 'factors', 'loss'; got 'k'"):
        RESULT.sweep("factors", "MRR", by="k")
    with pytest.raises(InputError, match=r"sweep must .* got none. Give evaluate\(systems"):
        evaluate(SYSTEMS, TRUTH, "MRR").sweep("factors", "MRR")
