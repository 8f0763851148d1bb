"""The test of predictability: oracles, properties, document 002's figures, refusals."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, datasets
from receval.fuzzy import (
    agreement_matrix,
    dcg_scaling,
    goedel,
    implication_matrix,
    lukasiewicz,
    predictability_test,
    product,
    scaled,
)
from receval.fuzzy.testing import critical_value

OFFLINE, ONLINE = datasets.fuzzy_offline_results(), datasets.fuzzy_online_results()
FAMILIES = datasets.fuzzy_algorithms()["algorithm"]
MEASURES = {"kendall": "kendall", "goedel": goedel, "product": product, "luk": lukasiewicz}


def small_tables(seed=0, n=5):
    rng = np.random.default_rng(seed)
    index = [*"abcdefgh"][:n]
    offline = pd.DataFrame(rng.integers(1, 6, (n, 3)), index, ["AUC", "MAP", "ILD"])
    online = pd.DataFrame(rng.integers(1, 6, (n, 2)) / 10, index, ["CTR", "VRR"])
    return offline.astype(float), online


def statistic(measure, offline, online):
    if measure == "kendall":
        return agreement_matrix(offline, online)
    return implication_matrix(offline, online, measure)


def values_under_all_permutations(measure, offline, online, families):
    """Return the values of the cells, in a row for each permutation within families."""
    is_within_families = [
        all(families[i] == families[j] for i, j in enumerate(order)) for order in ALL_ORDERS
    ]
    orders = [list(order) for order in itertools.compress(ALL_ORDERS, is_within_families)]
    tables = [
        statistic(measure, offline, online.iloc[order].set_axis(online.index)) for order in orders
    ]
    return np.reshape(tables, (len(orders), -1))


def family_wise(statistics):
    """Return p-values by the definition of step-down max-T, for the first row of statistics."""
    observed = statistics[0] - 1e-9
    strongest_first = np.argsort(-observed)
    # The maxima of the cells that remain, from the strongest cell on.
    maxima = [statistics[:, strongest_first[i:]].max(axis=1) for i in range(len(observed))]
    shares = np.mean(np.array(maxima) >= observed[strongest_first, np.newaxis], axis=1)
    return pd.Series(np.maximum.accumulate(shares), strongest_first).sort_index()


# Against slow oracles -------------------------------------------------------------------------

ALL_ORDERS = [*itertools.permutations(range(5))]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize("families", ["xxxxx", "xxyyy", "xyyxz"])
def test_chance_and_p_values_are_those_of_all_permutations(measure, families):
    """The p-values, up to what 9,999 random permutations may differ."""
    offline, online = small_tables(seed=2)
    everything = values_under_all_permutations(measure, offline, online, families)
    by_chance, sd = everything.mean(axis=0), everything.std(axis=0)
    z = (everything - by_chance) / sd
    groups = dict(zip(offline.index, families, strict=True))
    table = predictability_test(offline, online, measure, groups=groups, rng=1).table
    assert_array_equal(table["value"], everything[0])
    assert_allclose(table["by_chance"], by_chance, atol=1e-12)
    assert_allclose(table["lift"], table["value"] - table["by_chance"])
    assert_allclose(table["p"], (z >= z[0] - 1e-9).mean(axis=0), atol=0.015)
    assert_allclose(table["p_family"], family_wise(z), atol=0.03)
    # Kendall's standard deviation within families is estimated.
    is_estimated = measure == "kendall" and len(set(families)) > 1
    assert_allclose(table["z"] * sd, table["lift"], rtol=0.03 if is_estimated else 1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [(0.2, 5), (0.39, 5), (0.4, 4), (0.05, np.inf)],  # 4 is reached by 4 of 10
)
def test_the_critical_value_is_the_smallest_significant_one(alpha, expected):
    assert critical_value(np.array([1.0, 2, 2, 3, 3, 3, 4, 4, 5, 6]), alpha) == expected


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@pytest.mark.parametrize(("strength", "expected"), [(0.01, False), (0.02, True)])
def test_a_cell_is_significant_from_the_critical_lift_on(alternative, strength, expected):
    offline, online = small_tables(seed=1, n=8)
    noise = np.array([0, 0.01, 0.02, 0, 0, 0, 0.03, 0])
    online["CTR"] = offline["AUC"] * strength + noise
    test = predictability_test(offline, online, alternative=alternative, rng=0)
    strongest = test.table["p_family"].idxmin()
    is_reached = test.table["lift"].abs()[strongest] >= test.critical_lift[strongest] - 1e-9
    assert (test.global_p <= 0.05, is_reached) == (expected, expected)


# Properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [FAMILIES.to_dict(), FAMILIES[::-1]], ids=["dict", "reversed"])
def test_the_order_of_systems_and_the_form_of_groups_change_nothing(groups):
    first = predictability_test(OFFLINE, ONLINE, product, groups=FAMILIES, rng=0)
    shuffled = ONLINE.sample(frac=1, random_state=1)
    again = predictability_test(OFFLINE, shuffled, product, groups=groups, rng=0)
    pd.testing.assert_frame_equal(first.table, again.table)


def test_columns_that_no_permutation_changes_decide_nothing():
    offline = OFFLINE[["AUC", "MAP"]].assign(constant=0.5)
    options = {"rng": 0, "n_permutations": 99}
    test = predictability_test(offline, ONLINE, **options)
    assert test.table.loc["constant"].isna().all(axis=None)
    without = predictability_test(offline[["AUC", "MAP"]], ONLINE, **options)
    pd.testing.assert_frame_equal(test.table.loc[["AUC", "MAP"]], without.table)
    by_product = predictability_test(offline, ONLINE, product, **options)
    table = by_product.table.join(by_product.detectable["rho"]).loc["constant"]
    assert (table[["p", "p_family"]] == 1).all(axis=None)
    assert table[["z", "rho"]].isna().all(axis=None)


def test_a_test_of_a_scaled_implicator_can_be_pickled():
    judged = scaled(goedel, f=dcg_scaling(6))
    test = predictability_test(OFFLINE, ONLINE[["IGc"]], judged, rng=0, n_permutations=20)
    again = pickle.loads(pickle.dumps(test))
    pd.testing.assert_series_equal(again.power(0.9), test.power(0.9))


# What could be found --------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["kendall", lukasiewicz])
def test_detectable_depends_on_the_design_only(measure):
    """Any order of the outcomes has the same power, whatever it says about the metrics."""
    rng = np.random.default_rng(0)
    offline = pd.DataFrame(rng.standard_normal((12, 3)), columns=[*"xyz"]).abs()
    outcomes = rng.random(12)
    # With ranks, outcomes like those of a metric count as another order, too.
    others = [rng.permutation(outcomes), *([offline["x"]] if measure == "kendall" else [])]
    first, *tables = (
        predictability_test(offline, pd.DataFrame({"CTR": order}), measure, rng=1).detectable
        for order in [outcomes, *others]
    )
    for table in tables:
        assert_allclose(table["rho"], first["rho"], atol=0.02)
    if measure == "kendall":
        assert_allclose(first["tau"], 2 / np.pi * np.arcsin(first["rho"]))


def test_power_rises_with_the_correlation_and_the_reliability():
    test = predictability_test(OFFLINE, ONLINE[["IGc"]], rng=0, reliability=0.3)
    powers = [test.power(rho).mean() for rho in (0, 0.4, 0.8, 1)]
    assert powers == sorted(powers)
    assert (powers[0] < 0.05, powers[-1]) == (True, 1)
    assert_allclose(test.power(0.8, 0.25), test.power(0.4))
    rho = test.detectable["rho"]
    assert (test.power(rho.max() + 1e-6) >= 0.8).all()
    assert (test.power(rho.min() - 0.002) < 0.8).any()


def test_detectable_with_a_good_log_divides_by_the_root_of_the_reliability():
    reliability = pd.Series({"IGc": 0.9, "IGv": 0.0})
    test = predictability_test(OFFLINE, ONLINE[["IGv", "IGc"]], rng=0, reliability=reliability)
    clicks, visits = (test.detectable.xs(name, level="measure") for name in ("IGc", "IGv"))
    assert_allclose(clicks["rho_measured"], clicks["rho"] / np.sqrt(0.9))
    assert visits["rho_measured"].isna().all()
    assert_allclose(test.ceiling["AUC"], [0, 2 / np.pi * np.arcsin(np.sqrt(0.9))])


def test_the_ceiling_of_an_implicator_is_the_lift_of_a_perfect_predictor():
    perfect = predictability_test(OFFLINE, ONLINE[["IGc"]], product, rng=0, reliability=1.0)
    in_order = OFFLINE["AUC"].rank().astype(int) - 1
    same_order = ONLINE[["IGc"]].assign(IGc=np.sort(ONLINE["IGc"])[in_order])
    lift = predictability_test(OFFLINE[["AUC"]], same_order, product, rng=0).table["lift"].iloc[0]
    # Two systems have the same AUC, so there are two perfect orders.
    assert_allclose(perfect.ceiling[("AUC", "IGc")], lift, atol=0.002)
    assert (perfect.ceiling > perfect.table["lift"]).all()


def test_too_few_permutations_can_find_nothing():
    test = predictability_test(OFFLINE, ONLINE[["IGc"]], rng=0, n_permutations=9)
    assert test.ceiling is None
    assert (test.critical_lift == np.inf).all()
    assert test.detectable["rho"].isna().all()


# Simulations ----------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("measure", ["kendall", product], ids=["kendall", "product"])
def test_at_most_5_percent_of_null_tables_are_rejected(measure):
    """At most 69 of 1,000: more than that has a chance of 0.3 % if the level is 5 %."""
    rng = np.random.default_rng(2026)
    n_rejected = 0
    for _ in range(1000):
        offline = pd.DataFrame(rng.random((12, 6)))
        online = pd.DataFrame(rng.random((12, 2)))
        online[2] = online[0] + 0.1 * online[1]  # measures that depend on each other
        test = predictability_test(offline, online, measure, n_permutations=999, rng=rng)
        n_rejected += test.global_p <= 0.05
    assert n_rejected <= 69
    assert n_rejected > 20  # and not far below the level


@pytest.mark.long
@pytest.mark.parametrize("reliability", [1.0, 0.8])
def test_a_true_predictor_is_found_at_the_stated_power(reliability):
    """Draw metric, true outcome and measured outcome; how often is the cell significant?"""
    rng = np.random.default_rng(7)
    rho, n = 0.85, 20
    n_found, stated = 0, []
    for _ in range(400):
        metric, noise, error = rng.standard_normal((3, n))
        outcome = rho * metric + np.sqrt(1 - rho**2) * noise
        measured = np.sqrt(reliability) * outcome + np.sqrt(1 - reliability) * error
        offline = pd.DataFrame(rng.standard_normal((n, 5))).assign(good=metric)
        online = pd.DataFrame({"CTR": measured})
        test = predictability_test(offline, online, n_permutations=999, rng=rng)
        n_found += test.table.loc[("good", "CTR"), "p_family"] <= 0.05
        if len(stated) < 10:
            stated.append(test.power(rho, reliability)[("good", "CTR")])
    interval = scipy.stats.binomtest(n_found, 400).proportion_ci(0.999)
    assert interval.low < np.mean(stated) < interval.high


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"offline": OFFLINE.iloc[:1], "online": ONLINE.iloc[:1]}, "at least two systems"),
        ({"measure": "tau"}, "measure must be one of 'kendall'"),
        ({"alternative": "less"}, "alternative must be one of 'greater', 'two-sided'"),
        ({"n_permutations": 0}, "n_permutations must be a positive integer"),
        (
            {"groups": FAMILIES + ONLINE.index.map(str)},
            "groups must have a family of two systems or more; got 1",
        ),
        (
            {"groups": FAMILIES.tolist()},
            r"groups must be a Series or mapping .* into pd.Series\(groups, offline.index\)",
        ),
        (
            {"groups": {1: "a", 2: "a"}},
            r"groups must have a family for each system; got \[3",
        ),
        (
            {"groups": FAMILIES.mask(FAMILIES.index == 1)},
            r"have a family for each system; got \[1\]",
        ),
        ({"reliability": 1.5}, r"reliability must be in \[0, 1\]; got 1.5"),
        ({"reliability": {"IGc": 0.4}}, "reliability must be finite; got nan at index 1"),
        ({"reliability": dict.fromkeys(ONLINE, -0.1)}, r"reliability must be in \[0, 1\]"),
    ],
    ids=lambda argument: argument if isinstance(argument, str) else "",
)
def test_refuses(arguments, message):
    with pytest.raises(InputError, match=message):
        predictability_test(**{"offline": OFFLINE, "online": ONLINE, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((2,), r"rho must be in \[0, 1\]; got 2"), ((0.5, -1), r"reliability .* \[0, 1\]; got -1")],
)
def test_power_refuses(arguments, message):
    test = predictability_test(OFFLINE, ONLINE[["IGc"]], rng=0, n_permutations=99)
    with pytest.raises(InputError, match=message):
        test.power(*arguments)
