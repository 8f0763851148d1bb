"""Numbers that differ by rounding only, such as 0.1 + 0.2 and 0.3, are ties everywhere."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import receval
from receval import fuzzy, metrics, significance

NOISY = 0.1 + 0.2  # 0.30000000000000004
assert NOISY != 0.3


def systems(values):
    return pd.DataFrame({"x": values}, index=[*"abcd"])


TIED = systems([0.3, 0.3, 0.5, 0.1])
"""Systems a and b are tied."""
NOISY_TIES = {
    "sum": systems([0.3, NOISY, 0.5, 0.1]),
    "sum, the other way": systems([NOISY, 0.3, 0.5, 0.1]),
    "difference near 0": systems([0.0, NOISY - 0.3, 0.5, -0.1]),
    "merit of an error": systems([1 - 0.9, 0.1, 0.5, 0.05]),
    "large": systems([3e15, 3e15 + 0.5, 5e15, 1e15]),
}
"""Values that differ from those of `TIED` by scale and rounding."""
BEST_IS_A = systems([1.0, 0.0, 0.0, 0.0])
IMPLIED = pd.DataFrame({"CTR": [0.3, NOISY, 0.5]}, index=["MAP", "AUC", "ILD"])
CASES, NOISY_CASES = {"a": 0.3, "b": 0.3, "c": 0.5}, {"a": 0.3, "b": NOISY, "c": 0.5}
OPPOSITE = {"a": 0.9, "b": 0.8, "c": 1.0}
FAR_APART = {"a": 1e-300, "b": 2e-300, "c": 1.0}  # similarities may span many magnitudes
RATINGS = [[0.1, 0.2], [0.5, 0.4]]  # means (0.1 + 0.5) / 2 and (0.2 + 0.4) / 2
THIRDS = [[0.1, 0.3], [0.2, 0.0]]


@pytest.mark.parametrize("table", NOISY_TIES.values(), ids=NOISY_TIES)
def test_noise_orders_no_systems(table):
    assert_allclose(fuzzy.agreement_matrix(table, TIED), 1)
    assert_allclose(fuzzy.agreement_matrix(TIED, table), 1)
    found, expected = (
        fuzzy.predictability_test(offline, TIED, n_permutations=99, rng=0).table
        for offline in (table, TIED)
    )
    assert_allclose(found, expected)
    # Of the two tied systems, one is among the two best.
    assert_allclose(fuzzy.selection_regret(table, BEST_IS_A, top=2)["regret"], 0.5)


@pytest.mark.parametrize(
    ("truth", "retrieved"), [(CASES, NOISY_CASES), (NOISY_CASES, CASES)], ids=["noise", "swapped"]
)
def test_noise_orders_no_cases(truth, retrieved):
    assert metrics.kendall(truth, retrieved, variant="b") == 1
    assert receval.working.retrieval.kendall(truth, retrieved, variant="b").iloc[-1, -1] == 1
    assert metrics.spearman(truth, retrieved) == pytest.approx(1)
    assert metrics.correctness(truth, OPPOSITE) == 1  # a and b are not compared
    assert metrics.completeness(truth, OPPOSITE) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(
            lambda: fuzzy.agreement_matrix(systems([0.3, NOISY, 0.3, NOISY]), TIED),
            [[np.nan]],
            id="constant",
        ),
        pytest.param(
            lambda: fuzzy.agreement_matrix(systems([0.3, 0.3 + 1e-10, 0.5, 0.1]), TIED) < 1,
            [[True]],
            id="a difference that is real",
        ),
        pytest.param(
            lambda: fuzzy.implication_ranks(IMPLIED)["CTR"], [2.5, 2.5, 1.0], id="implications"
        ),
        *(
            pytest.param(
                lambda strategy=strategy: np.ptp(metrics.aggregate(RATINGS, strategy=strategy)),
                0,
                id=strategy,
            )
            for strategy in ("average", "additive")
        ),
        pytest.param(lambda: np.ptp(metrics.borda_count(THIRDS)), 0, id="totals"),
        pytest.param(
            lambda: metrics.rank_items(metrics.borda_count(THIRDS), tie_break=[0, 1]),
            [1, 0],
            id="tie break",
        ),
        pytest.param(
            lambda: metrics.kendall(FAR_APART, {"a": 1, "b": 2, "c": 3}), 1, id="small similarities"
        ),
    ],
)
def test_noise_orders_nothing_else(call, expected):
    assert_array_equal(call(), expected)


def test_noise_orders_no_systems_in_draws_of_a_log():
    # Both systems have a value of 0.3 in every draw: one as 0.3 / 1, the other as (0.1 + 0.2) / 1.
    log = pd.DataFrame({"system": [*"aaaabbbb"], "user": range(8), "shown": 1.0})
    log["clicks"] = [0.3] * 4 + [NOISY] * 4
    ratio = {"CTR": ("clicks", "shown")}
    draws = fuzzy.online_draws(log, ratios=ratio, n_resamples=50, rng=0)
    assert_array_equal(draws.draws[:, 0], draws.draws[:, 1])
    assert draws.ceiling[["r_halves", "tau_halves"]].isna().all(axis=None)  # no system differs


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
