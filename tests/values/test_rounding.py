"""Numbers that differ by rounding only, such as 0.1 + 0.2 and 0.3, are ties everywhere."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import receval
from receval import fuzzy, metrics, significance

NOISY = 0.1 + 0.2  # 0.30000000000000004
assert NOISY != 0.3

SYSTEMS = [*"abcd"]
TIED = pd.DataFrame({"x": [0.3, 0.3, 0.5, 0.1]}, index=SYSTEMS)
"""Systems a and b are tied."""

COLUMNS = {
    "sum": [0.3, NOISY, 0.5, 0.1],
    "sum, the other way": [NOISY, 0.3, 0.5, 0.1],
    "difference near 0": [0.0, NOISY - 0.3, 0.5, -0.1],
    "merit of an error": [1 - 0.9, 0.1, 0.5, 0.05],
    "large": [3e15, 3e15 + 0.5, 5e15, 1e15],
}


def noisy(name):
    """Return the systems with values that differ from those of `TIED` by scale and rounding."""
    return pd.DataFrame({"x": COLUMNS[name]}, index=SYSTEMS)


@pytest.mark.parametrize("name", COLUMNS)
def test_noise_orders_no_systems_in_correlations(name):
    table = noisy(name)
    assert_allclose(fuzzy.agreement_matrix(table, TIED).to_numpy(), 1)
    assert_allclose(fuzzy.agreement_matrix(TIED, table).to_numpy(), 1)


@pytest.mark.parametrize("name", COLUMNS)
def test_noise_orders_no_systems_in_the_test_of_predictability(name):
    expected = fuzzy.predictability_test(TIED, TIED, n_permutations=99, rng=0)
    found = fuzzy.predictability_test(noisy(name), TIED, n_permutations=99, rng=0)
    assert_allclose(found.table.to_numpy(), expected.table.to_numpy())


@pytest.mark.parametrize("name", COLUMNS)
def test_noise_selects_no_systems(name):
    # Of the two tied systems, one is among the two best.
    outcomes = pd.DataFrame({"y": [1.0, 0.0, 0.0, 0.0]}, index=SYSTEMS)
    regret = fuzzy.selection_regret(noisy(name), outcomes, top=2)
    assert_allclose(regret["regret"], 0.5)


def test_a_noisy_column_without_two_different_values_has_no_correlation():
    constant = pd.DataFrame({"x": [0.3, NOISY, 0.3, NOISY]}, index=SYSTEMS)
    assert np.isnan(fuzzy.agreement_matrix(constant, TIED).to_numpy()).all()


def test_small_differences_that_are_real_remain():
    table = pd.DataFrame({"x": [0.3, 0.3 + 1e-10, 0.5, 0.1]}, index=SYSTEMS)
    assert fuzzy.agreement_matrix(table, TIED).to_numpy() < 1
    ranking = {"a": 1e-300, "b": 2e-300, "c": 1.0}  # similarities may span many magnitudes
    assert metrics.kendall(ranking, {"a": 1, "b": 2, "c": 3}) == 1


def test_noise_orders_no_metrics_in_ranks_of_implications():
    matrix = pd.DataFrame({"CTR": [0.3, NOISY, 0.5]}, index=["MAP", "AUC", "ILD"])
    assert fuzzy.implication_ranks(matrix)["CTR"].tolist() == [2.5, 2.5, 1.0]


def test_noise_orders_no_systems_in_draws_of_a_log():
    # Both systems have a value of 0.3 in every draw: one as 0.3 / 1, the other as (0.1 + 0.2) / 1.
    log = pd.DataFrame({"system": [*"aaaabbbbcccc"], "user": [*range(12)], "shown": 1.0})
    log["clicks"] = [0.3] * 4 + [NOISY] * 4 + [0.5] * 4
    ratio = {"CTR": ("clicks", "shown")}
    draws = fuzzy.online_draws(log, ratios=ratio, n_resamples=50, rng=0)
    ranks = draws.ranks()
    assert_array_equal(ranks.loc[["a", "b"], ["rank", "low", "high"]], 2.5)
    offline = pd.DataFrame({"x": [0.3, 0.3, 0.5]}, index=[*"abc"])
    assert_allclose(draws.agreement(offline).to_numpy(), 1)
    two = log[log["system"] != "c"]
    halves = fuzzy.online_draws(two, ratios=ratio, n_resamples=50, rng=0).ceiling
    assert halves[["r_halves", "tau_halves"]].isna().all(axis=None)  # no system differs


@pytest.mark.parametrize(("truth", "retrieved"), [(0.3, NOISY), (NOISY, 0.3)])
def test_noise_orders_no_cases(truth, retrieved):
    tied = {"a": 0.3, "b": 0.3, "c": 0.5}
    similarities = {"a": truth, "b": retrieved, "c": 0.5}
    assert metrics.kendall(tied, similarities, variant="b") == 1
    assert metrics.kendall(similarities, tied, variant="b") == 1
    assert metrics.spearman(tied, similarities) == pytest.approx(1)
    working = receval.working.retrieval.kendall(tied, similarities, variant="b")
    assert working.iloc[-1, -1] == 1
    opposite = {"a": 0.9, "b": 0.8, "c": 1.0}
    assert metrics.correctness(similarities, opposite) == 1  # a and b are not compared
    assert metrics.completeness(similarities, opposite) == pytest.approx(2 / 3)


def test_noise_orders_no_items_of_a_group():
    # Both items have a mean of 0.3, as (0.1 + 0.5) / 2 and as (0.2 + 0.4) / 2.
    ratings = [[0.1, 0.2], [0.5, 0.4]]
    for strategy in ("average", "additive"):
        first, second = metrics.aggregate(ratings, strategy=strategy)
        assert first == second
    # Totals of thirds: 1/3 + 2/3 + 1/3 + 2/3 and so on.
    thirds = [[0.1, 0.3], [0.2, 0.0]]
    totals = metrics.borda_count(thirds)
    assert totals[0] == totals[1]
    assert metrics.rank_items(totals, tie_break=[0, 1]).tolist() == [1, 0]


def test_differences_are_equal_wherever_they_lie_on_a_grid():
    # All differences are one number, which lies between two multiples of 2^-40.
    difference = 0.25 + 2**-41
    low = np.arange(1, 41) / 100
    high = low + difference
    assert np.unique(high - low).size > 1  # noise
    t_test = significance.paired_t(high, low)
    assert np.isnan([t_test.p, t_test.effect]).all()  # no spread
    # Forty users gain and ten lose as much, so their ranks are equal: (40 - 10) / 50.
    a, b = np.append(high, low[:10]), np.append(low, high[:10])
    ranks = significance.wilcoxon(a, b)
    assert ranks.effect == pytest.approx(0.6)
    assert ranks.statistic == 10 * 51 / 2


def test_noise_decides_no_note_on_repeated_responses():
    # If all responses count, both systems have 0.3: A as 0.1 + 0.2, from two clicks on one item.
    log = pd.DataFrame(
        {
            "system": [*"AAABB"],
            "user": [1, 1, 2, 3, 4],
            "item": [*"xxyxy"],
            "weight": [0.1, 0.2, 0.7, 0.3, 0.7],
            "clicked": [1, 1, 0, 1, 0],
            "position": 1,
        }
    )
    with pytest.warns(receval.EvaluationWarning, match="IG is best for 'A' if repeated"):
        measures = fuzzy.online_measures(log, k=1, weight="weight")
    assert measures["IG_nov"].nunique() == 2
    assert not [note for note in measures.attrs["notes"] if note.startswith("IG_nov")]
