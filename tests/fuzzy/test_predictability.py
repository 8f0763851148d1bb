"""Off-line to on-line: the published matrices, cases by hand, properties, refusals."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
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
    kendall_matrix,
    lukasiewicz,
    metric_advice,
    predictability_test,
    product,
    scaled,
)

OFFLINE = datasets.fuzzy_offline_results()
ONLINE = datasets.fuzzy_online_results()
THREE = {"goedel": goedel, "product": product, "lukasiewicz": lukasiewicz}


def printed(figure):
    return np.array(published.figure(f"002/{figure}")["printed"], float)


# Published values -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", THREE)
def test_implication_matrices(name):
    unit = datasets.fuzzy_unit_vectors()
    matrix = implication_matrix(*unit, THREE[name], normalize=None)
    assert published.check(f"002/implications_{name}", matrix.to_numpy()).as_expected
    assert_allclose(matrix, printed(f"implications_{name}"), rtol=0, atol=1e-6)
    raw = implication_matrix(OFFLINE, ONLINE, THREE[name])
    assert_allclose(raw, printed(f"implications_{name}"), rtol=0, atol=1.5e-5)
    assert raw.index.tolist() == published.load("002")["inputs"]["offline_metrics"]
    assert raw.columns.tolist() == published.load("002")["inputs"]["online_measures"]


@pytest.mark.parametrize("source", ["printed unit vectors", "raw values"])
def test_mean_ranks(source):
    given_unit = source == "printed unit vectors"
    tables = datasets.fuzzy_unit_vectors() if given_unit else (OFFLINE, ONLINE)
    normalize = None if given_unit else "l2"
    ranks = [
        implication_ranks(implication_matrix(*tables, i, normalize=normalize)).mean(axis=1)
        for i in THREE.values()
    ]
    found = published.check("002/mean_ranks", np.column_stack(ranks))
    assert found.verdict == "reproduced", found


def test_online_ranks_kendall_and_the_best():
    ranks = implication_ranks(ONLINE)
    tau = kendall_matrix(ONLINE).to_numpy()[np.triu_indices(8, k=1)]
    mean = ranks.mean(axis=1)
    for id, value in (
        ("online_ranks", ranks.to_numpy()),
        ("online_mean_ranks", mean.to_numpy()),
        ("top_three", mean.nsmallest(3).index.tolist()),
        ("kendall", tau),
        ("kendall_mean_median", [tau.mean(), np.median(tau)]),
    ):
        found = published.check(f"002/{id}", value)
        assert found.verdict == "reproduced", found


def test_the_click_column_from_the_slip_and_without_it():
    discounts = (1 / np.log2(np.arange(2, 8))).sum() / 6
    slip = discounts * (1 + ONLINE["IGc_pos"])
    assert_allclose(slip, ONLINE["ILc"], rtol=0, atol=6e-7)
    corrected = ONLINE.assign(ILc=1 - discounts + discounts * ONLINE["IGc_pos"])
    found = published.check("002/table2_lukasiewicz_clicks", corrected["ILc"].to_numpy())
    assert found.verdict == "erratum", found
    tau = kendall_matrix(corrected)
    assert tau.loc["ILc", "IGc_pos"] == 1
    assert_array_equal(tau, kendall_matrix(ONLINE))


def corrected_visits():
    """Return eq. 12 with lists of ten for the five algorithms that users saw."""
    k = np.where(np.isin(ONLINE.index, [1, 5, 6, 7, 10]), 10, 20)
    discounts = np.array([(1 / np.log2(np.arange(2, n + 2))).sum() for n in k])
    counts = {name: ONLINE[name] * 20 / k for name in ("IGv", "IGv_nov")}
    return ONLINE.assign(**counts, ILv=1 - discounts / k * (1 - ONLINE["IGv_pos"]))


def test_the_visit_columns_by_the_lists_that_were_served():
    visits = corrected_visits()
    for name in ("IGv", "IGv_nov", "lukasiewicz_visits"):
        column = visits[name.replace("lukasiewicz_visits", "ILv")]
        found = published.check(f"002/table2_{name}", column)
        assert found.verdict == "erratum", found
    tau = kendall_matrix(visits).to_numpy()[np.triu_indices(8, k=1)]
    assert (round(tau.mean(), 3), round(np.median(tau), 3)) == (0.289, 0.333)
    best = implication_ranks(visits).mean(axis=1).nsmallest(3)
    assert best.index.tolist() == [10, 3, 5]
    changed = [
        (implication_ranks(implication_matrix(OFFLINE, visits, i)) != before).sum().sum()
        for i in THREE.values()
        for before in [implication_ranks(implication_matrix(OFFLINE, ONLINE, i))]
    ]
    assert changed == [51, 44, 41]


def test_remarks_on_figure_2_fit_the_run_behind_table_2():
    table = datasets.fuzzy_offline_results(run="table").join(OFFLINE[["p5", "p10", "r5"]])
    for figure, run in (("printed", table), ("stated", OFFLINE)):
        ranks = implication_ranks(implication_matrix(run, ONLINE, goedel)).mean(axis=1)
        named = published.figure("002/figure2_exclusion")[figure]
        assert sorted(ranks.nsmallest(6).index) == named


def test_without_normalisation_as_printed():
    for name in ("goedel", "product"):
        matrix = implication_matrix(OFFLINE.drop(columns="r5"), ONLINE, THREE[name], normalize=None)
        found = published.check(f"002/implications_unnormalised_{name}", matrix.to_numpy())
        assert found.verdict == "reproduced", found


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
def test_matrix_is_the_mean_of_the_definition(sides):
    offline, online = tables(sides)
    for implicator in THREE.values():
        matrix = implication_matrix(offline, online, implicator)
        for p in offline:
            for q in online:
                b = offline[p] / np.sqrt((offline[p] ** 2).sum())
                h = online[q] / np.sqrt((online[q] ** 2).sum())
                b = b.where(~np.isclose(b, h, rtol=1e-12, atol=0), h)  # equal but for rounding
                expected = np.mean([float(implicator(*pair)) for pair in zip(b, h, strict=True)])
                assert_allclose(matrix.loc[p, q], expected, rtol=1e-9)


@given(SIDES, st.randoms(use_true_random=False))
def test_the_order_of_the_systems_changes_no_bit(sides, random):
    offline, online = tables(sides)
    mixed, other = list(offline.index), list(offline.index)
    random.shuffle(mixed)
    random.shuffle(other)
    for implicator in THREE.values():
        here = implication_matrix(offline, online, implicator)
        there = implication_matrix(offline.loc[mixed], online.loc[other], implicator)
        pd.testing.assert_frame_equal(here, there, check_exact=True)
    here = agreement_matrix(offline, online)
    there = agreement_matrix(offline.loc[mixed], online.loc[other])
    assert_allclose(here, there, rtol=0, atol=1e-14)


@given(SIDES)
def test_scale_of_a_column_does_not_matter(sides):
    offline, online = tables(sides)
    for implicator in THREE.values():
        pd.testing.assert_frame_equal(
            implication_matrix(offline * 2.0**40, online * 2.0**-60, implicator),
            implication_matrix(offline, online, implicator),
            check_exact=True,
        )


@given(SIDES)
def test_a_measure_implies_itself(sides):
    offline, _ = tables(sides)
    for implicator in THREE.values():
        assert_array_equal(np.diag(implication_matrix(offline, offline, implicator)), 1)


@given(SIDES, st.floats(0.001, 1000))
def test_a_metric_and_its_multiple_imply_each_other(sides, factor):
    """Gödel must not take a rounding error for a broken claim."""
    offline, _ = tables(sides)
    for one, other in ((offline, offline * factor), (offline * factor, offline)):
        for implicator in THREE.values():
            assert_array_equal(np.diag(implication_matrix(one, other, implicator)), 1)


def test_scaled_matrix_by_hand():
    offline = pd.DataFrame({"x": [1.0, 0.5]})
    online = pd.DataFrame({"y": [0.5, 0.25]})
    f = dcg_scaling(2)  # 1 -> 1, 0.5 -> 1/log2(3)
    judged = scaled(goedel, f=f, g=np.square)
    matrix = implication_matrix(offline, online, judged, normalize=None)
    assert matrix.loc["x", "y"] == (0.25 + 0.0625) / 2
    matrix = implication_matrix(offline, online, scaled(lukasiewicz, f=f), normalize=None)
    assert_allclose(matrix.loc["x", "y"], (0.5 + 1 - 1 / np.log2(3) + 0.25) / 2, rtol=1e-14)


@given(SIDES)
def test_correlations_are_those_of_scipy(sides):
    offline, online = tables(sides)
    kendall = agreement_matrix(offline, online)
    for p in offline:
        for q in online:
            x, y = offline[p], online[q]
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                assert np.isnan(kendall.loc[p, q])
            else:
                assert_allclose(kendall.loc[p, q], scipy.stats.kendalltau(x, y)[0], atol=1e-12)


# Advice ---------------------------------------------------------------------------------------


def test_advice_of_the_document():
    advice = metric_advice(OFFLINE, ONLINE)
    assert advice.index[:2].tolist() == ["nov5_t", "nov10_t"]
    assert advice["exclusion"].nsmallest(2).index.tolist() == ["nDCG10", "MAP"]
    ranks = implication_ranks(implication_matrix(OFFLINE, ONLINE, goedel)).mean(axis=1)
    assert_allclose(advice["exclusion"], ranks[advice.index])
    mean = agreement_matrix(OFFLINE, ONLINE).mean(axis=1)
    assert_allclose(advice["kendall"], mean[advice.index])


def test_advice_tells_the_lift_above_chance():
    advice = metric_advice(OFFLINE, ONLINE, reliability=pd.Series(0.3, [*ONLINE]))
    test = predictability_test(OFFLINE, ONLINE, product, rng=0, n_permutations=2)
    means = test.table.groupby("metric")[["by_chance", "lift"]].mean().loc[advice.index]
    assert_allclose(advice["selection_by_chance"], means["by_chance"])
    assert_allclose(advice["selection_lift"], means["lift"], atol=1e-12)
    assert_allclose(advice["ceiling"], 2 / np.pi * np.arcsin(np.sqrt(0.3)))
    matrix = implication_matrix(OFFLINE, ONLINE, product)
    ranks = implication_ranks(matrix).mean(axis=1)
    assert_allclose(advice["selection"], ranks[advice.index])


def test_the_order_of_the_systems_changes_no_bit_of_the_advice():
    advice = metric_advice(OFFLINE, ONLINE)
    mixed = metric_advice(OFFLINE.sample(frac=1, random_state=1), ONLINE)
    pd.testing.assert_frame_equal(advice, mixed, check_exact=True)


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
            "offline must be a pandas DataFrame; got ndarray",
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
    try:
        tau = kendall_matrix(results).loc["x", "y"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000  # a byte for each pair of systems
    assert_allclose(tau, scipy.stats.kendalltau(results["x"], results["y"])[0], atol=1e-12)
