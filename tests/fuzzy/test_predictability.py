"""Off-line to on-line: the published matrices, cases by hand, properties, refusals."""

import itertools
import tracemalloc

import amount
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, datasets
from receval import ledger as published
from receval.fuzzy import (
    agreement_matrix,
    dcg_scaling,
    goedel,
    implication_matrix,
    implication_ranks,
    lukasiewicz,
    metric_advice,
    predictability_test,
    product,
    scaled,
)

OFFLINE = datasets.fuzzy_offline_results()
ONLINE = datasets.fuzzy_online_results()
THREE = {"goedel": goedel, "product": product, "lukasiewicz": lukasiewicz}


# Published values -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", THREE)
def test_implication_matrices_also_of_raw_values(name):
    raw = implication_matrix(OFFLINE, ONLINE, THREE[name])
    printed = published.figure(f"002/implications_{name}")["printed"]
    assert_allclose(raw, np.array(printed, float), rtol=0, atol=1.5e-5)


def taus(results):
    """Return Kendall's tau of each pair of the eight measures."""
    return agreement_matrix(results, results).to_numpy()[np.triu_indices(8, k=1)]


RANKS, TAU = implication_ranks(ONLINE), taus(ONLINE)
UNIT, BEFORE_R5 = datasets.fuzzy_unit_vectors(), OFFLINE.drop(columns="r5")


@pytest.mark.parametrize(
    ("figure", "value", "verdict"),
    [
        *(
            (f"implications_{name}", implication_matrix(*UNIT, function, normalize=None), None)
            for name, function in THREE.items()
        ),
        *(
            (
                f"implications_unnormalised_{name}",
                implication_matrix(BEFORE_R5, ONLINE, THREE[name], normalize=None),
                "reproduced",
            )
            for name in ("goedel", "product")
        ),
        ("online_ranks", RANKS, "reproduced"),
        ("online_mean_ranks", RANKS.mean(axis=1), "reproduced"),
        ("kendall", TAU, "reproduced"),
        ("kendall_mean_median", [TAU.mean(), np.median(TAU)], "reproduced"),
    ],
)
def test_figures_of_document_002(figure, value, verdict):
    checked = published.check(f"002/{figure}", np.asarray(value).tolist())
    assert checked.as_expected, checked
    assert verdict in (None, checked.verdict)


# By hand and against slow oracles -------------------------------------------------------------

SIDES = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        *[
            st.lists(
                st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any),
                min_size=1,
                max_size=3,
            )
            for _ in range(2)
        ]
    )
)


def tables(sides):
    offline, online = (np.array(columns, float).T for columns in sides)
    index = [f"s{i}" for i in range(len(offline))]
    return pd.DataFrame(offline, index=index), pd.DataFrame(online, index=index)


@given(SIDES)
@settings(max_examples=amount.of(25, 1_000))
def test_matrix_is_the_mean_of_the_definition(sides):
    offline, online = tables(sides)
    matrices = {i: implication_matrix(offline, online, i) for i in THREE.values()}
    for p, q in itertools.product(offline, online):
        b = offline[p] / np.sqrt((offline[p] ** 2).sum())
        h = online[q] / np.sqrt((online[q] ** 2).sum())
        b = b.where(~np.isclose(b, h, rtol=1e-12, atol=0), h)  # equal but for rounding
        for implicator, matrix in matrices.items():
            expected = np.mean([float(implicator(*pair)) for pair in zip(b, h, strict=True)])
            assert_allclose(matrix.loc[p, q], expected, rtol=1e-9)


@given(SIDES, st.just(1.0) | st.floats(0.001, 1000))
@settings(max_examples=amount.of(25, 1_000))
def test_a_metric_and_its_multiple_imply_each_other(sides, factor):
    """Gödel must not take a rounding error for a broken claim."""
    offline, _ = tables(sides)
    for one, other in ((offline, offline * factor), (offline * factor, offline)):
        for implicator in THREE.values():
            assert_array_equal(np.diag(implication_matrix(one, other, implicator)), 1)


@pytest.mark.parametrize("factor", [1 / 3, 0.1, 7])
def test_a_metric_of_many_systems_and_its_multiple_imply_each_other(factor):
    metric = pd.DataFrame({"x": np.random.default_rng(0).random(20_000)})
    assert implication_matrix(metric, metric * factor, goedel).loc["x", "x"] == 1


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (scaled(goedel, f=dcg_scaling(2), g=np.square), (0.25 + 0.0625) / 2),
        # The scaling maps 1 to 1, and 0.5 to 1/log2(3).
        (scaled(lukasiewicz, f=dcg_scaling(2)), (0.5 + 1 - 1 / np.log2(3) + 0.25) / 2),
    ],
)
def test_scaled_matrix_by_hand(judged, expected):
    offline, online = pd.DataFrame({"x": [1.0, 0.5]}), pd.DataFrame({"y": [0.5, 0.25]})
    matrix = implication_matrix(offline, online, judged, normalize=None)
    assert_allclose(matrix.loc["x", "y"], expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("column", "tau"),
    [
        pytest.param([0.1 + 0.2, 0.3], np.nan, id="rounding errors"),
        pytest.param([4e12 + 1, 4e12], -1, id="counts"),
        pytest.param([2.0**52 + 1, 2.0**52], -1, id="large counts"),
        pytest.param([1e12 + 0.1, 1e12], -1, id="amounts of money"),
        pytest.param([1e-15, 0.0], -1, id="tiny values"),
        pytest.param([1e13 + 0.5, 2.0, 1.0], -1, id="values beside a much larger one"),
    ],
)
def test_only_rounding_errors_are_ties(column, tau):
    offline = pd.DataFrame({"metric": column})
    online = pd.DataFrame({"measure": range(len(column))})
    assert_array_equal(agreement_matrix(offline, online), tau)
    assert_array_equal(agreement_matrix(online, offline), tau)
    ranks = [1.5, 1.5] if np.isnan(tau) else online["measure"] + 1
    assert_array_equal(implication_ranks(offline)["metric"], ranks)


def test_goedel_distinguishes_counts_that_differ_by_one():
    online, offline = pd.DataFrame({"x": [4e12, 4e12 + 1]}), pd.DataFrame({"x": [4e12 + 1, 4e12]})
    assert implication_matrix(offline, online, goedel).loc["x", "x"] < 0.9


@given(SIDES)
@settings(max_examples=amount.of(25, 1_000))
def test_correlations_are_those_of_scipy(sides):
    offline, online = tables(sides)
    kendall = agreement_matrix(offline, online)
    for p, q in itertools.product(offline, online):
        is_constant = np.ptp(offline[p]) == 0 or np.ptp(online[q]) == 0
        expected = np.nan if is_constant else scipy.stats.kendalltau(offline[p], online[q])[0]
        assert_allclose(kendall.loc[p, q], expected, atol=1e-12)


# Advice ---------------------------------------------------------------------------------------


def test_truth_values_name_systems():
    offline = pd.DataFrame({"AUC": [1, 2]}, index=[True, False])
    online = pd.DataFrame({"CTR": [1, 2]}, index=[False, True])
    assert agreement_matrix(offline, online).loc["AUC", "CTR"] == -1


def test_advice_of_the_document():
    advice = metric_advice(OFFLINE, ONLINE)
    assert advice.index[:2].tolist() == ["nov5_t", "nov10_t"]
    assert advice["exclusion"].nsmallest(2).index.tolist() == ["nDCG10", "MAP"]
    for column, implicator in (("exclusion", goedel), ("selection", product)):
        ranks = implication_ranks(implication_matrix(OFFLINE, ONLINE, implicator)).mean(axis=1)
        assert_allclose(advice[column], ranks[advice.index])
    mean = agreement_matrix(OFFLINE, ONLINE).mean(axis=1)
    assert_allclose(advice["kendall"], mean[advice.index])
    mixed = metric_advice(OFFLINE.sample(frac=1, random_state=1), ONLINE)
    pd.testing.assert_frame_equal(advice, mixed, check_exact=True)


def test_advice_tells_the_lift_above_chance():
    advice = metric_advice(OFFLINE, ONLINE)
    test = predictability_test(OFFLINE, ONLINE, product, rng=0, n_permutations=2)
    means = test.table.groupby("metric")[["by_chance", "lift"]].mean().loc[advice.index]
    assert_allclose(advice[["selection_by_chance", "selection_lift"]], means, atol=1e-12)


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: implication_matrix(OFFLINE.drop(3), ONLINE.drop([5, 7]), goedel),
            "must have the same systems as index; got 5, 7 only off-line, 3 only on-line",
            id="other systems",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE.iloc[[0, 0]], ONLINE, goedel),
            "offline must hold each row once; got 1 2 times",
            id="system twice",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE, ONLINE[["IGc", "IGc"]], goedel),
            "online must hold each column once; got 'IGc' 2 times",
            id="column twice",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE * -1, ONLINE, goedel),
            r"offline\['1-MAE'\] must be at least 0, higher is better; got -0.7.* 1 - MAE",
            id="negative",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE, ONLINE * 0, goedel),
            r"online\['IGc'\] must not be all zero",
            id="all zero",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE * 3, ONLINE, goedel, normalize=None),
            r"offline\['1-MAE'\] must be in \[0, 1\] when normalize is None; got 2.1",
            id="above 1",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE, ONLINE.replace(0.005201, np.nan), goedel),
            r"online\['IGv'\] must be finite; got nan at index 0",
            id="NaN",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE.assign(AUC="high"), ONLINE, goedel),
            r"offline\['AUC'\] must hold numbers",
            id="text",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE, ONLINE, goedel, normalize="L2"),
            "normalize must be one of 'l2'; got 'L2'",
            id="normalize",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE.to_numpy(), ONLINE, goedel),
            "offline must be a pandas DataFrame; got numpy.ndarray",
            id="array",
        ),
        pytest.param(
            lambda: implication_matrix(OFFLINE[[]], ONLINE, goedel),
            "offline must have rows and columns",
            id="no columns",
        ),
        pytest.param(
            lambda: implication_ranks(ONLINE.replace(0.005201, np.nan)),
            r"matrix\['IGv'\] must be finite; got nan at index 0",
            id="ranks of NaN",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_correlation_of_many_systems_takes_no_memory_for_pairs_of_them():
    results = pd.DataFrame(np.random.default_rng(1).integers(0, 900, (3000, 2)), columns=[*"xy"])
    tracemalloc.start()
    agreement_matrix(results, results)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000  # a byte for each pair of systems
