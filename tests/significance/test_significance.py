"""Paired tests, effect sizes, intervals and comparisons: SciPy, statsmodels and brute force."""

import re
import tracemalloc
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import receval
from receval import EvaluationWarning, Measure, _threads, evaluate
from receval import significance as sig
from receval._references import KEY
from receval.evaluation.settings import WORDS
from receval.significance import intervals, resampling
from receval.significance.corrections import CORRECTIONS

TESTS = [sig.wilcoxon, sig.paired_t, sig.sign_test, sig.permutation]
EFFECTS = [sig.rank_biserial, sig.cohens_d]
COUNTS = ("better", "same", "worse", "compared", "left_out")


def columns(n, seed=0, levels=None):
    """Draw two columns of values. With levels, they are on a grid, with many ties and zeros."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    return (a, b) if levels is None else (np.round(a * levels) / 8, np.round(b * levels) / 8)


# Tests against SciPy ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8, 20, 50])
def test_wilcoxon_is_exact_as_in_scipy(n):
    a, b = columns(n, seed=n)
    ours, theirs = sig.wilcoxon(a, b), stats.wilcoxon(a, b, method="exact")
    assert_allclose([ours.statistic, ours.p], [theirs.statistic, theirs.pvalue], rtol=1e-12)
    assert ours.method == "exact"


@pytest.mark.parametrize("levels", [1, 4, None])
def test_wilcoxon_of_many_users_is_scipys_approximation(levels):
    a, b = columns(300, levels=levels)
    ours = sig.wilcoxon(a, b)
    theirs = stats.wilcoxon(a, b, correction=False, method="approx")
    assert_allclose([ours.statistic, ours.p], [theirs.statistic, theirs.pvalue], rtol=1e-12)
    assert ours.method == "normal approximation"


@settings(max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9))
def test_wilcoxon_with_ties_and_zeros_counts_all_signs(differences):
    d = np.array(differences, float)
    ours = sig.wilcoxon(d, np.zeros_like(d))
    kept = d[d != 0]
    ranks = stats.rankdata(np.abs(kept))

    def smaller(signs):
        up = ranks[np.array(signs, bool)].sum()
        return min(up, ranks.sum() - up)

    seen = smaller(kept > 0)
    every = [smaller(signs) for signs in product([0, 1], repeat=ranks.size)]
    assert ours.statistic == seen
    assert_allclose(ours.p, np.mean(np.array(every) <= seen), rtol=1e-12)


def test_paired_t_and_sign_test_as_in_scipy():
    a, b = columns(40, levels=4)
    ours, theirs = sig.paired_t(a, b), stats.ttest_rel(a, b)
    assert_allclose([ours.statistic, ours.p], [theirs.statistic, theirs.pvalue], rtol=1e-12)
    better, worse = (a > b).sum(), (a < b).sum()
    ours = sig.sign_test(a, b)
    assert ours.statistic == better
    assert_allclose(ours.p, stats.binomtest(better, better + worse).pvalue, rtol=1e-12)


@settings(max_examples=40)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_permutation_goes_through_all_swaps_of_a_few_users(differences):
    d = np.array(differences, float) / 10
    every = [abs(np.dot(signs, d)) for signs in product([-1, 1], repeat=d.size)]
    expected = np.mean(np.array(every) >= abs(d.sum()) - 1e-9)
    found = sig.permutation(d, np.zeros_like(d))
    assert_allclose(found.p, expected, rtol=1e-12)
    assert found.method == "all permutations"


def test_more_ways_than_resamples_are_drawn_from():
    a, b = columns(8)
    assert sig.permutation(a, b, n_resamples=255).method == "255 random permutations"
    assert sig.permutation(a, b, n_resamples=256).method == "all permutations"


def test_permutation_as_in_scipy():
    a, b = columns(9, seed=4)

    def mean_difference(x, y):
        return np.mean(x - y)

    theirs = stats.permutation_test((a, b), mean_difference, permutation_type="samples")
    assert_allclose(sig.permutation(a, b).p, theirs.pvalue, rtol=1e-12)


@pytest.mark.parametrize("levels", [None, 2])
def test_random_permutations_come_near_the_t_test_and_never_to_zero(levels):
    a, b = columns(200, seed=3, levels=levels)
    found = sig.permutation(a, b - 0.05, n_resamples=4_000, rng=1)
    p = sig.paired_t(a, b - 0.05).p
    assert abs(found.p - p) < 4 * np.sqrt(p * (1 - p) / 4_000) + 0.002
    assert found == sig.permutation(a, b - 0.05, n_resamples=4_000, rng=1)
    assert found.p != sig.permutation(a + 0.001, b, n_resamples=4_000, rng=2).p
    assert sig.permutation(a + 9, b, n_resamples=400).p == 1 / 401


def test_random_permutations_do_not_depend_on_the_size_of_blocks(monkeypatch):
    a, b = columns(60, seed=5, levels=4)
    whole = sig.permutation(a, b, n_resamples=500)
    monkeypatch.setattr(resampling, "MAX_DRAWN", 7)
    assert sig.permutation(a, b, n_resamples=500) == whole


# Oracles of tests, effect sizes and corrections --------------------------------------------------
#
# A test or correction that is added to the package needs an entry here.


def wilcoxon_p_by_enumeration(a, b):
    """Count the ways to sign the ranks whose smaller sum is at most the observed one."""
    difference = np.round(a - b, 9)
    difference = difference[difference != 0]
    ranks = stats.rankdata(np.abs(difference))

    def smaller_sum(is_positive):
        return min(ranks[is_positive].sum(), ranks[~is_positive].sum())

    ways = [smaller_sum(np.array(way)) for way in product([False, True], repeat=ranks.size)]
    return np.mean(np.array(ways) <= smaller_sum(difference > 0) + 1e-9)


def scipy_sign_p(a, b):
    n_better, n_worse = np.count_nonzero(a > b), np.count_nonzero(a < b)
    return stats.binomtest(n_better, n_better + n_worse).pvalue


def scipy_permutation_p(a, b):
    def mean_difference(x, y):
        return np.mean(x - y)

    return stats.permutation_test((a, b), mean_difference, permutation_type="samples").pvalue


def rank_biserial_by_hand(a, b):
    difference = np.round(a - b, 9)
    difference = difference[difference != 0]
    ranks = stats.rankdata(np.abs(difference))
    return np.sum(np.sign(difference) * ranks) / ranks.sum()


def cohens_d_by_hand(a, b):
    return np.mean(a - b) / np.std(a - b, ddof=1)


def correction_in_statsmodels(method):
    from statsmodels.stats.multitest import multipletests

    return lambda p: multipletests(p, method=method)[1]


TEST_ORACLES = {
    sig.wilcoxon: wilcoxon_p_by_enumeration,
    sig.paired_t: lambda a, b: stats.ttest_rel(a, b).pvalue,
    sig.sign_test: scipy_sign_p,
    sig.permutation: scipy_permutation_p,
}
EFFECT_ORACLES = {
    sig.rank_biserial: rank_biserial_by_hand,
    sig.cohens_d: cohens_d_by_hand,
}
CORRECTION_ORACLES = {
    "holm": correction_in_statsmodels("holm"),
    "bh": correction_in_statsmodels("fdr_bh"),
    "none": lambda p: p,
}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_each_correction_has_an_oracle_and_words(correction):
    assert correction in CORRECTION_ORACLES
    if correction != "none":  # its sentence is "not corrected"
        assert correction in WORDS["corrections"]


@pytest.mark.parametrize("levels", [None, 4])
@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("test", TEST_ORACLES)
def test_p_values_agree_with_the_oracle(test, n, levels):
    a, b = columns(n, seed=n, levels=levels)
    assert_allclose(test(a, b).p, TEST_ORACLES[test](a, b), rtol=1e-9)


@pytest.mark.parametrize("levels", [None, 4])
@pytest.mark.parametrize("effect", EFFECT_ORACLES)
def test_effect_sizes_agree_with_the_oracle(effect, levels):
    a, b = columns(40, seed=2, levels=levels)
    assert_allclose(effect(a, b), EFFECT_ORACLES[effect](a, b), rtol=1e-9)


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=40)
@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02]), min_size=1, max_size=8))
def test_corrected_p_values_agree_with_the_oracle(correction, p):
    assert_allclose(sig.adjust(p, correction=correction), CORRECTION_ORACLES[correction](p))


# Alignment, ties, zeros -------------------------------------------------------------------------


def test_series_are_aligned_by_user_and_the_others_counted():
    a = pd.Series({"u": 1.0, "v": 2.0, "w": 3.0, "x": np.nan, "only a": 9.0})
    b = pd.Series({"w": 1.0, "v": 2.0, "u": 2.0, "x": 1.0, "only b": 9.0, "nor this": np.nan})
    found = sig.sign_test(a, b)
    assert [getattr(found, name) for name in COUNTS] == [1, 1, 1, 3, 4]
    plain = sig.paired_t([1, 2, 3], [2, 2, 1])
    assert sig.paired_t(a, b).statistic == plain.statistic
    assert sig.paired_t(a.astype("Float64"), b).statistic == plain.statistic


@pytest.mark.parametrize("test", TESTS)
def test_swapping_the_systems_turns_the_result_round(test):
    a, b = columns(30, seed=2, levels=4)
    one, two = test(a, b), test(b, a)
    assert_allclose(one.p, two.p, rtol=1e-12)
    assert (one.better, one.worse, one.direction) == (two.worse, two.better, -two.direction)


@pytest.mark.parametrize("effect", EFFECTS)
def test_swapping_the_systems_turns_the_effect_round(effect):
    a, b = columns(30, seed=2, levels=4)
    assert_allclose(effect(a, b), -effect(b, a), rtol=1e-12)


def test_rounding_noise_neither_breaks_ties_nor_makes_differences():
    a, b = np.array([0.3, 0.2, 0.7, 0.1 + 0.2]), np.array([0.1, 0.0, 0.9, 0.3])
    assert len(np.unique(np.abs(a - b))) == 4  # 0.2 in three ways, and 5.6e-17
    found = sig.wilcoxon(a, b)
    assert (found.better, found.same, found.worse) == (2, 1, 1)
    assert found.statistic == 2  # ranks 2, 2, 2
    assert_allclose(sig.rank_biserial(a, b), 1 / 3, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_values_changes_no_test(scale):
    a, b = columns(25, seed=6, levels=4)
    for test in TESTS:
        assert_allclose(test(a * scale, b * scale).p, test(a, b).p, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_at_all(test):
    found = test([0.5, 0.25, 0.0], [0.5, 0.25, 0.0])
    assert (found.p, found.direction, found.same) == (1, 0, 3)


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_effects_without_difference(value):
    same = np.full(5, value)
    assert np.isnan([effect(same, same) for effect in EFFECTS]).all()
    assert np.isnan(sig.minimum_detectable_difference(same, same))


def test_equal_differences_have_no_t():
    a = np.array([0.3, 0.2, 0.7])
    found = sig.paired_t(a + 0.1, a)
    assert np.isnan([found.statistic, found.p, sig.cohens_d(a + 0.1, a)]).all()
    assert sig.wilcoxon(a + 0.1, a).p == 0.25


# Effect sizes -----------------------------------------------------------------------------------


def test_effects_by_hand_and_by_their_tests():
    a, b = columns(60, seed=8, levels=3)
    d = (a - b)[a != b]
    ranks = stats.rankdata(np.abs(d))
    assert_allclose(
        sig.rank_biserial(a, b), (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum()
    )
    assert_allclose(sig.cohens_d(a, b), sig.paired_t(a, b).statistic / np.sqrt(60), rtol=1e-12)


def test_tests_and_effects_if_all_users_gain():
    a, b = np.arange(5.0), np.arange(5.0) - [1, 2, 3, 4, 5]
    assert sig.rank_biserial(a, b) == 1
    assert sig.sign_test(a, b).p == 2 / 32
    assert sig.wilcoxon(a, b).p == 2 / 32


# Corrections ------------------------------------------------------------------------------------


def test_undefined_p_values_do_not_count():
    assert_allclose(sig.adjust([0.02, np.nan, 0.03]), [0.04, np.nan, 0.04])
    assert np.isnan(sig.adjust([np.nan])).all()
    assert_allclose(sig.adjust([0.01, 0.9], correction=None), [0.01, 0.9])


# Intervals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("levels", [None, 3])
def test_an_interval_is_scipys_with_the_same_draws(level, levels):
    values = np.sort(columns(50, seed=1, levels=levels)[0] ** 2)
    found = sig.mean_interval(values[::-1], level=level)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=2_000,
        rng=np.random.default_rng(0),
        confidence_level=level,
        method="BCa",
    ).confidence_interval
    assert_allclose([found.low, found.high], theirs, rtol=1e-9)


@pytest.mark.parametrize("users_per_value", [1, resampling.MIN_REPEATS])
@pytest.mark.parametrize("distinct", [2, 11, None])
def test_resampled_means_have_the_right_mean_and_spread(distinct, users_per_value, monkeypatch):
    monkeypatch.setattr(resampling, "MIN_REPEATS", users_per_value)
    rng = np.random.default_rng(2)
    values = np.sort(rng.random(400) if distinct is None else rng.integers(distinct, size=400) / 7)
    means = resampling.sums_of_rows(values[None], 5_000, rng)[0] / 400
    error = values.std() / np.sqrt(400)
    assert abs(means.mean() - values.mean()) < 4 * error / np.sqrt(5_000)
    assert abs(means.std() / error - 1) < 0.05
    skew = stats.skew(values) / np.sqrt(400)
    assert abs(stats.skew(means) - skew) < 0.15


def test_threads_share_columns_only_with_a_seed(monkeypatch):
    monkeypatch.setattr(resampling, "MIN_REPEATS", 1)
    rows = np.sort(np.random.default_rng(4).integers(5, size=(12, 300)).astype(float))
    each_alone = [resampling.sums_of_rows(row[None], 500, 6)[0] for row in rows]
    in_turn = np.random.default_rng(6)
    one_after_another = [resampling.sums_of_rows(row[None], 500, in_turn)[0] for row in rows]

    monkeypatch.setattr(_threads, "THREADS", 4)
    monkeypatch.setattr(_threads.os, "cpu_count", lambda: 4)
    assert_array_equal(resampling.sums_of_rows(rows, 500, 6), each_alone)
    generator = np.random.default_rng(6)
    assert_array_equal(resampling.sums_of_rows(rows, 500, generator), one_after_another)


def test_columns_with_and_without_repeats_are_drawn_side_by_side(monkeypatch):
    monkeypatch.setattr(resampling, "MIN_REPEATS", 50)
    monkeypatch.setattr(_threads, "THREADS", 4)
    monkeypatch.setattr(_threads.os, "cpu_count", lambda: 4)
    rng = np.random.default_rng(5)
    rows = np.sort([rng.integers(2**bits, size=300).astype(float) for bits in (2, 40, 2, 1, 40)])
    each_alone = [resampling.sums_of_rows(row[None], 500, 6)[0] for row in rows]
    assert_array_equal(resampling.sums_of_rows(rows, 500, 6), each_alone)
    # A generator first draws the columns with repeats, in turn, and then all others together.
    in_turn = np.random.default_rng(6)
    with_repeats = [resampling.sums_of_rows(rows[[row]], 500, in_turn)[0] for row in (0, 2, 3)]
    others = resampling.sums_of_rows(rows[[1, 4]], 500, in_turn)
    sums = resampling.sums_of_rows(rows, 500, np.random.default_rng(6))
    assert_array_equal(sums[[0, 2, 3]], with_repeats)
    assert_array_equal(sums[[1, 4]], others)


def test_intervals_hold_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(3)
    held = [
        found.low <= 1 <= found.high
        for found in (sig.mean_interval(rng.gamma(1, size=60), n_resamples=400) for _ in range(300))
    ]
    assert 0.90 <= np.mean(held) <= 0.98


@pytest.mark.parametrize("cells", [16, 100, 1_000])
def test_neither_blocks_nor_orders_nor_other_columns_change_a_bit_of_an_interval(
    cells, monkeypatch
):
    columns = [np.arange(64) / 7, np.arange(64.0) ** 2, np.arange(600) % 2, np.arange(30) / 3, [1]]
    whole = [sig.mean_interval(values, n_resamples=150) for values in columns]
    monkeypatch.setattr(resampling, "MAX_DRAWN", cells)
    parts = sig.mean_intervals([values[::-1] for values in columns], n_resamples=150)
    assert_array_equal([vars(one) for one in parts], [vars(one) for one in whole])


@pytest.mark.parametrize("distinct", [1, 2, 11, 400, None])
def test_sums_of_powers_are_those_of_each_value_to_the_last_bit(distinct):
    rng = np.random.default_rng(8)
    values = rng.random(3_000) if distinct is None else rng.integers(distinct, size=3_000) / 7
    values = np.rint(np.sort(values) * 2**30)
    centred = values - values.sum() / values.size
    expected = ((centred**2).sum(), (centred**3).sum())
    assert intervals._sums_of_centred_powers(values) == expected


def test_columns_over_the_same_users_are_paired_like_columns_that_need_a_join():
    rng = np.random.default_rng(9)
    users = [f"u{n}" for n in range(50)]
    a = pd.Series(np.where(rng.random(50) < 0.1, np.nan, rng.random(50)), users)
    b = pd.Series(np.where(rng.random(50) < 0.1, np.nan, rng.random(50)), users)
    without_join = sig.paired(a, b)
    joined = sig.paired(a, b[::-1])
    assert_array_equal(
        np.sort(without_join.a + 1j * without_join.b), np.sort(joined.a + 1j * joined.b)
    )
    assert without_join.left_out == joined.left_out > 0
    with pytest.raises(receval.InputError, match="hold each user once; got 'u0' 2 times"):
        sig.paired(pd.concat([a, a[:1]]), pd.concat([b, b[:1]]))


@pytest.mark.parametrize("distinct", [10, None])
def test_intervals_need_no_table_of_users_by_resamples(distinct):
    rng = np.random.default_rng(6)
    values = rng.random(200_000) if distinct is None else rng.integers(distinct, size=200_000) / 7
    tracemalloc.start()
    sig.mean_interval(values, n_resamples=150)  # such a table: 240 MB
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6


def test_equal_means_are_equal_whatever_rounding_says():
    values = np.rint(np.repeat([[0.1, 0.3]], [50, 50], axis=1) * 2**40)
    means = np.repeat([[0.2 - 4e-13, 0.2, 0.2 + 4e-13]], 100, axis=1)
    found = intervals.bca_percentiles(values, means * 100 * 2**40, 0.9)
    assert_allclose(found, [[0.05, 0.95]], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e100, 1e300])
def test_the_unit_of_the_values_changes_no_interval(scale):
    values = columns(30)[0]
    one, other = sig.mean_interval(values), sig.mean_interval(values * scale)
    assert_allclose([other.low / scale, other.high / scale], [one.low, one.high], rtol=1e-9)


def test_intervals_of_few_or_equal_values():
    assert np.isnan(sig.mean_interval([0.4, np.nan]).low)
    assert sig.mean_interval([0.4, np.nan]).users == 1
    assert np.isnan(sig.mean_interval([np.nan]).mean)
    with pytest.warns(EvaluationWarning, match=r"1 of 1 means .* all values are equal \(0\.3\)"):
        noisy = sig.mean_interval([0.3, 0.1 + 0.2])
    assert np.isnan([noisy.low, noisy.high]).all()
    one = sig.mean_interval([1, 3, 1, 6], rng=5)
    assert one == sig.mean_interval([1, 3, 1, 6], rng=np.random.default_rng(5))


@pytest.mark.parametrize("n", [2, 50])
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_proportion_without_success_or_failure_has_wilsons_interval(n, value, level):
    from statsmodels.stats.proportion import proportion_confint

    expected = proportion_confint(value * n, n, alpha=1 - level, method="wilson")
    for values in (np.full(n, value), np.full(n, bool(value)), np.full(n, value * 0.1 * 3 / 0.3)):
        found = sig.mean_interval(values, level=level)
        assert_allclose([found.low, found.high], expected, rtol=1e-12, atol=1e-15)
    (again,) = sig.mean_intervals([np.full(n, value)], level=level)
    assert (again.low, again.high) == (found.low, found.high)


def test_an_evaluation_is_not_certain_from_nothing():
    truth = pd.DataFrame({"user": range(50), "item": "x", "relevance": 1})
    hits = pd.DataFrame({"user": range(50), "item": "x", "score": 1.0})
    misses = hits.assign(item="y")
    result = evaluate({"hits": hits, "misses": misses}, truth, ["HR@1", "Precision@2"])
    with pytest.warns(EvaluationWarning, match=r"no interval for \('Precision@2', 'hits'\)"):
        table = result.interval()
    of_misses = sig.mean_interval([0] * 50)
    assert of_misses.high > 0.05
    for name in ("HR@1", "Precision@2"):
        ends = table.loc[(name, "misses"), ["low", "high"]]
        assert ends.tolist() == [of_misses.low, of_misses.high]
    of_hits = sig.mean_interval([1] * 50)
    assert of_hits.low < 0.95
    assert table.loc[("HR@1", "hits"), ["low", "high"]].tolist() == [of_hits.low, of_hits.high]
    assert table.loc[("Precision@2", "hits"), ["low", "high"]].isna().all()


def test_a_ratio_is_bootstrapped_by_its_sums_as_in_scipy():
    clicks, shown = np.random.default_rng(7).poisson((2, 9), (40, 2)).T + 1.0
    sums = sig.resampled_sums(np.stack([clicks, shown], axis=1), 500, np.random.default_rng(0))
    theirs = stats.bootstrap(
        (clicks, shown),
        lambda x, y: np.sum(x) / np.sum(y),
        paired=True,
        vectorized=False,
        n_resamples=500,
        rng=np.random.default_rng(0),
        method="percentile",
    )
    assert_allclose(sums[:, 0] / sums[:, 1], theirs.bootstrap_distribution, rtol=1e-12)


# Errors of the first kind, power ----------------------------------------------------------------


@pytest.mark.parametrize("test", [sig.wilcoxon, sig.paired_t, sig.sign_test])
def test_equal_systems_are_told_apart_no_more_often_than_alpha(test):
    rng = np.random.default_rng(4)
    shared = rng.random((600, 40))
    found = [
        test(users + rng.normal(0, 0.1, 40), users + rng.normal(0, 0.1, 40)).p <= 0.05
        for users in shared
    ]
    assert 0.01 <= np.mean(found) <= 0.075


@pytest.mark.parametrize("n", [2, 3, 10, 40, 1_000])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_the_detectable_difference_has_the_stated_power_in_statsmodels(n, power, alpha):
    from statsmodels.stats.power import TTestPower

    a, b = columns(n, seed=n)
    smallest = sig.minimum_detectable_difference(a, b, alpha=alpha, power=power)
    effect = smallest / (a - b).std(ddof=1)
    right_way = TTestPower().power(effect, nobs=n, alpha=alpha / 2, alternative="larger")
    assert_allclose(right_way, power, atol=1e-3 if power == 0.5 else 1e-5)
    if n > 3 and alpha == 0.05:  # elsewhere statsmodels gives NaN
        assert_allclose(TTestPower().power(effect, nobs=n, alpha=alpha), power, atol=1e-8)


def test_the_detectable_difference_is_detected():
    a, b = columns(40, seed=9)
    smallest = sig.minimum_detectable_difference(a, b, alpha=0.02, power=0.7)
    spread = (a - b).std(ddof=1)
    rng = np.random.default_rng(5)
    samples = rng.normal(smallest, spread, (1_000, 40))
    assert abs(np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.02) - 0.7) < 0.05


# Comparisons ------------------------------------------------------------------------------------


def tables(systems=3, users=60, seed=0):
    """Return systems of rising skill. Every user has two relevant items of twelve."""
    rng = np.random.default_rng(seed)
    relevant = [set(rng.permutation(12)[:2].tolist()) for _ in range(users)]
    truth = [(f"u{u:02}", f"i{i:02}", 1) for u, items in enumerate(relevant) for i in items]
    recs = {}
    for place in range(systems):
        noise = rng.normal(size=(users, 12))
        recs[f"s{place}"] = pd.DataFrame(
            [
                (f"u{u:02}", f"i{i:02}", noise[u, i] + place * (i in relevant[u]))
                for u in range(users)
                for i in range(12)
            ],
            columns=["user", "item", "score"],
        )
    return recs, pd.DataFrame(truth, columns=["user", "item", "relevance"])


ITEMS = pd.DataFrame({"awards": range(12)}, index=[f"i{i:02}" for i in range(12)])
RECS, TRUTH = tables()
EVALUATION = evaluate(RECS, TRUTH, ["MRR", "nDCG@5", "CC@3"], items=ITEMS)
FUNCTIONS = {
    "wilcoxon": (sig.wilcoxon, sig.rank_biserial),
    "sign": (sig.sign_test, sig.rank_biserial),
    "t": (sig.paired_t, sig.cohens_d),
    "permutation": (lambda a, b: sig.permutation(a, b, n_resamples=300, rng=7), sig.cohens_d),
}


@pytest.mark.parametrize("test", FUNCTIONS)
def test_a_comparison_is_what_the_functions_say(test):
    permutations = {"n_permutations": 300} if test == "permutation" else {}
    found = EVALUATION.compare(
        "s0", test=test, rng=7, n_resamples=300, alpha=0.1, **permutations
    ).results
    assert found.index.tolist() == [(m, s, "s0") for m in ("MRR", "nDCG@5") for s in ("s1", "s2")]
    for (name, system, base), row in found.iterrows():
        a, b = EVALUATION.values(system)[name], EVALUATION.values(base)[name]
        function, effect = FUNCTIONS[test]
        one = function(a, b)
        ends = sig.mean_interval(a - b, level=0.9, rng=7, n_resamples=300)
        expected = [ends.mean, ends.low, ends.high, one.p, effect(a, b)]
        assert row[["difference", "low", "high", "p", "effect"]].tolist() == expected
        counts = [getattr(one, name) for name in COUNTS]
        assert row[["better", "same", "worse", "compared", "left out"]].tolist() == counts
    assert_array_equal(found["corrected"], sig.adjust(found["p"]))
    assert found["verdict"].tolist() == ["better"] * 4


@pytest.mark.parametrize(
    ("baseline", "pairs"),
    [
        (None, [("s1", "s0"), ("s2", "s0"), ("s2", "s1")]),
        ("s1", [("s0", "s1"), ("s2", "s1")]),
        (["s2", "s0"], [("s0", "s2"), ("s1", "s2"), ("s1", "s0")]),
    ],
)
def test_which_pairs_are_compared(baseline, pairs):
    found = EVALUATION.compare(baseline, measures="MRR")
    assert [key[1:] for key in found.results.index] == pairs
    assert len(found.results) == len(pairs)


def test_a_comparison_does_not_depend_on_the_others_nor_on_the_order_of_rows():
    whole = EVALUATION.compare(correction="none", test="permutation").results
    alone = EVALUATION.compare("s0", measures=["ndcg@5"], correction="none", test="permutation")
    pd.testing.assert_frame_equal(alone.results, whole.loc[alone.results.index])
    shuffled = {name: recs.sample(frac=1, random_state=1) for name, recs in RECS.items()}
    again = evaluate(shuffled, TRUTH.sample(frac=1, random_state=2), ["MRR", "nDCG@5"])
    one, two = EVALUATION.compare().results, again.compare().results
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_a_generator_gives_a_seed_that_is_stated():
    one = EVALUATION.compare(rng=np.random.default_rng(3))
    again = EVALUATION.compare(rng=one.settings.seed)
    pd.testing.assert_frame_equal(one.results, again.results)
    assert f"seed {one.settings.seed}" in repr(one)


def test_users_without_a_value_are_left_out_and_counted():
    fewer = {"s0": RECS["s0"], "s2": RECS["s2"][RECS["s2"]["user"] > "u09"]}
    skip = evaluate(fewer, TRUTH, "MRR", users="both").compare("s0")
    assert skip.results[["compared", "left out"]].to_numpy().tolist() == [[50, 10]]
    zero = evaluate(fewer, TRUTH, "MRR").compare("s0")
    assert zero.results[["compared", "left out"]].to_numpy().tolist() == [[60, 0]]
    assert skip.results["difference"].item() > zero.results["difference"].item()
    assert skip.users("MRR")["difference"].isna().sum() == 10


def test_the_results_as_text_html_and_latex():
    found = EVALUATION.compare("s0")
    methods = found.methods()
    assert "corrected by Holm (Holm, 1979) over all" in methods
    for text in (*(repr(found), found._repr_html_(), found.to_latex()), "".join(found.notes())):
        assert "60 judged, 60 answered, 0 without truth, 0 ignored" in text
        assert "Holm over all 4 comparisons" in text
        assert "CC@3" in text
    assert "<0.001" in repr(found)
    assert "&lt;0.001" in found._repr_html_()
    assert r"95\% interval (not adjusted)" in found.to_latex()
    assert "$<0.001$" in found.to_latex()
    assert found.to_frame(digits=1)["difference"].tolist() == [
        f"{value:+.1f}" for value in found.results["difference"]
    ]
    cited = f"receval {receval.__version__} (The receval developers, 2026) and SciPy (Virtanen et"
    assert cited in methods
    keys = re.findall(r"@\w+\{(\w+),", found.methods(bibtex=True))
    first = ["receval2026", "virtanen2020", "efron1987", "student1908", "holm1979", "lakens2013"]
    assert keys[:6] == first
    assert {"ihemelandu2023", "parapar2021"} < {*keys[6:]}
    for choices in ("tests", "corrections", "effects"):
        assert all(KEY.search(str(words)) for words in WORDS[choices].values())
    shown = EVALUATION.compare("s1", measures="MRR")
    expected = [f"{p:.3f}" if p >= 0.0005 else "<0.001" for p in shown.results["p"]]
    assert shown.to_frame()["p"].tolist() == expected
    assert "0.0" in expected[1]


def test_the_verdict_is_by_the_corrected_p_value():
    plain = EVALUATION.compare(correction="none").results["p"]
    alpha = plain.max()
    verdicts = EVALUATION.compare(correction="none", alpha=alpha).results["verdict"]
    # The t-test may be surer than the interval of so high a level.
    assert {*verdicts} <= {"better", "undecided: interval includes 0"}
    assert verdicts.tolist().count("better") >= 3
    alpha = 0.99 * sig.adjust(plain).max()
    corrected = EVALUATION.compare(alpha=alpha).results["verdict"]
    above = f"undecided: corrected p above {alpha:g}"
    assert_array_equal(corrected == above, sig.adjust(plain) > alpha)
    assert above in corrected.tolist()


def test_marks_say_which_systems_beat_the_baseline():
    one = EVALUATION.compare("s1").table(digits=2)
    frame = one.to_frame()
    assert frame["nDCG@5"].str.partition(" ")[2].tolist() == ["▼", "", "▲"]
    assert "▲" not in frame["CC@3"].str.cat()
    assert "better than 's1'" in repr(one)
    assert " ▲</td>" in one._repr_html_()
    assert r"$^{\uparrow}$" in one.to_latex()
    assert r"$_{\downarrow}$" in one.to_latex()
    assert EVALUATION.compare(measures="MRR").table().to_frame().columns.tolist() == ["MRR"]
    every = EVALUATION.compare().table(digits=2)
    assert "▲" not in repr(every)
    assert "60 judged" in every.to_latex()


def test_ranks_and_means_that_disagree_are_pointed_out():
    truth = pd.DataFrame({"user": range(40), "item": 0, "relevance": 1})
    place = {"steady": np.repeat([2, 9], [32, 8]), "daring": np.repeat([3, 1], [32, 8])}
    recs = {
        name: pd.DataFrame({"user": range(40), "item": 0, "score": 1.0}).merge(
            pd.DataFrame(
                [(u, -i, 2.0) for u, p in enumerate(places) for i in range(1, p)],
                columns=["user", "item", "score"],
            ),
            how="outer",
        )
        for name, places in place.items()
    }
    both = evaluate(recs, truth, "MRR")
    by_sign = both.compare("daring", test="sign")
    row = by_sign.results.iloc[0]
    assert row["corrected"] < 0.001
    assert row["difference"] < 0 < row["better"] - row["worse"]
    assert row["verdict"] == "undecided: test and mean disagree"
    bare = both.compare("daring", test="sign", interval=False)
    assert bare.results["verdict"].item() == "undecided: test and mean disagree"
    assert not re.search("[▲▼]", by_sign.table().to_frame().to_string())
    open_by_mean = "undecided: corrected p above 0.05"
    assert both.compare("daring").results["verdict"].item() == open_by_mean
    # Of a measure whose lower values are the better ones the same data say the opposite.
    falling = Measure(
        "late", per_list=lambda lists, _: lists.scores[:, 0], source="here", higher_is_better=False
    )
    values = {"A": [0.9] * 34 + [0.3] * 6, "B": [0.8] * 40}
    recs = {
        name: pd.DataFrame({"user": range(40), "item": 0, "score": score})
        for name, score in values.items()
    }
    lower = evaluate(recs, truth, falling)
    assert lower.compare("B").results["verdict"].item() == "undecided: corrected p above 0.05"
    by_ranks = lower.compare("B", test="sign").results.iloc[0]
    assert (by_ranks["better"], by_ranks["worse"]) == (6, 34)
    assert by_ranks["verdict"] == "undecided: interval includes 0"


def test_names_with_special_characters_in_latex():
    recs = {"a_b & 50%": RECS["s0"], "c$": RECS["s2"]}
    text = evaluate(recs, TRUTH, "MRR").compare("a_b & 50%").to_latex()
    assert r"a\_b \& 50\%" in text
    assert r"c\$" in text


def test_users_where_a_system_loses_come_first():
    users = EVALUATION.compare("s0").users("mrr", "s2")
    assert users.columns.tolist() == ["s0", "s2", "difference"]
    assert_array_equal(users["difference"], users["s2"] - users["s0"])
    assert all(x <= y for x, y in pairwise(users["difference"]))
    first = users.index[0]
    values = EVALUATION.values("s2")["MRR"] - EVALUATION.values("s0")["MRR"]
    assert values[first] == values.min()


def test_intervals_of_means():
    found = EVALUATION.interval(0.9, rng=2, n_resamples=200)
    assert found.index.tolist() == [(m, s) for m in ("MRR", "nDCG@5") for s in ("s0", "s1", "s2")]
    for (name, system), row in found.iterrows():
        one = sig.mean_interval(EVALUATION.values(system)[name], level=0.9, rng=2, n_resamples=200)
        assert row[["mean", "low", "high", "users"]].tolist() == [
            one.mean,
            one.low,
            one.high,
            one.users,
        ]
    assert_array_equal(found["mean"].xs("s1", level="system"), EVALUATION.summary.loc["s1"][:2])
    assert found.columns[4:].tolist() == ["judged", "answered", "without truth", "ignored"]


def test_all_pairs_share_one_drawing(monkeypatch):
    """A program that resamples users for each pair or measure would draw more often."""
    drawn = []
    draw = resampling.draw_counts
    monkeypatch.setattr(resampling, "draw_counts", lambda *given: drawn.append(1) or draw(*given))
    found = EVALUATION.compare(test="wilcoxon", n_resamples=200, rng=4)
    assert len(drawn) == 1
    assert len(found.results) == 6
    monkeypatch.undo()
    alone = EVALUATION.compare("s0", measures="MRR", test="wilcoxon", n_resamples=200, rng=4)
    rows = alone.results[["difference", "low", "high", "p"]]
    pd.testing.assert_frame_equal(rows, found.results.loc[rows.index, list(rows)])


def test_without_intervals_nothing_else_changes(monkeypatch):
    whole = EVALUATION.compare("s0")
    monkeypatch.setattr("receval.evaluation.comparing.bootstrap", None)  # is not called
    bare = EVALUATION.compare("s0", interval=False)
    expected = whole.results.drop(columns=["low", "high"])
    expected["verdict"] = expected["verdict"].replace(
        {name: f"{name} (test alone)" for name in ("better", "worse")}
    )
    pd.testing.assert_frame_equal(bare.results, expected)
    assert not any("interval" in name for name in bare.to_frame())
    assert "by the test alone" in bare.methods()
    assert "bootstrap" not in bare.methods()
    assert "95% paired bootstrap interval" in whole.methods()
    assert bare.table().to_frame().equals(whole.table().to_frame())
    with pytest.raises(receval.InputError, match="plot must have intervals to draw"):
        bare.plot()


def test_progress_is_shown_on_request(capsys):
    EVALUATION.compare(n_resamples=100, progress=True)
    assert "6/6" in capsys.readouterr().err
    EVALUATION.compare(n_resamples=100)
    assert capsys.readouterr().err == ""


def test_figures_draw_the_results():
    import matplotlib.pyplot as plt

    found = EVALUATION.compare("s0")
    for panel, (measure, rows) in zip(found.plot(), found.results.groupby(level=0), strict=True):
        assert panel.get_title() == measure
        drawn = [(y, x) for bar in panel.containers for x, y in bar.lines[0].get_xydata()]
        assert_allclose([x for _, x in sorted(drawn)], rows["difference"])
    assert [text.get_text() for text in found.plot()[0].get_yticklabels()] == ["s1", "s2"]
    labels = EVALUATION.compare().plot()[0].get_yticklabels()
    assert [text.get_text() for text in labels] == ["s1 - s0", "s2 - s0", "s2 - s1"]
    plt.close("all")


# Refusals ---------------------------------------------------------------------------------------

ALONE = evaluate(RECS["s0"], TRUTH, "MRR")
REFUSED = {
    "one system": (lambda: ALONE.compare(), "compare must be given at least two systems; got one"),
    "unknown baseline": (
        lambda: EVALUATION.compare("s9"),
        r"baseline must be one of \['s0', 's1', 's2'\]; got \['s9'\]",
    ),
    "no baseline": (lambda: EVALUATION.compare([]), "baseline must be one of"),
    "set-level measure": (
        lambda: EVALUATION.compare(measures=["MRR", "CC@3"]),
        r"measures must have a value for each user.*got \['CC@3'\], of all users together",
    ),
    "set-level interval": (
        lambda: EVALUATION.interval(measures="CC@3"),
        "measures must have a value for each user",
    ),
    "other measure": (
        lambda: EVALUATION.compare(measures="MAP"),
        r"measures must be among .*; got \['MAP'\]",
    ),
    "unknown measure": (lambda: EVALUATION.compare(measures="MRP"), "known names.*MRR"),
    "alpha 0": (lambda: EVALUATION.compare(alpha=0), r"alpha must be a number in \(0, 1\); got 0"),
    "alpha 5 %": (lambda: EVALUATION.compare(alpha=5), r"alpha must be a number in \(0, 1\)"),
    "interval 95": (
        lambda: EVALUATION.compare(interval=0.95),
        "interval must be True or False; got 0.95. The level of intervals is 1 - alpha",
    ),
    "level 1": (lambda: EVALUATION.interval(1), r"level must be a number in \(0, 1\); got 1"),
    "test": (
        lambda: EVALUATION.compare(test="wilcoxn"),
        "test must be one of .*Did you mean 'wilcoxon'",
    ),
    "correction": (lambda: EVALUATION.compare(correction="home"), "correction must be one of"),
    "permutations": (
        lambda: EVALUATION.compare(test="permutation", n_permutations=99),
        "n_permutations must be .*; got 99",
    ),
    "resamples": (lambda: EVALUATION.compare(n_resamples=10), "n_resamples must be .*; got 10"),
    "seed": (lambda: EVALUATION.compare(rng=-1), "rng must be a numpy.random.Generator or a seed"),
    "one user": (
        lambda: evaluate(RECS, TRUTH[TRUTH["user"] == "u03"], "MRR").compare(),
        "MRR of 's1' and 's0' cannot be compared: .*at least 2 users in common; got 1",
    ),
    "which comparison": (
        lambda: EVALUATION.compare("s0").users("MRR"),
        "must name one comparison; got .*fits 2 of",
    ),
    "power": (
        lambda: sig.minimum_detectable_difference([1, 2], [0, 0], power=0.01),
        r"power must be .*\(0.05, 1\)",
    ),
    "lengths": (lambda: sig.wilcoxon([1, 2], [1, 2, 3]), "a and b must have the same length"),
    "array and Series": (lambda: sig.wilcoxon([1, 2], pd.Series([1, 2])), "must both be Series"),
    "strangers": (
        lambda: sig.paired_t(pd.Series([1, 2], ["a", "b"]), pd.Series([1, 2], ["c", "d"])),
        r"of at least 2 users in common; got 0 .*, of users \['a', 'b'\] and \['c', 'd'\]",
    ),
    "a user twice": (
        lambda: sig.paired_t(pd.Series([1, 2], ["a", "a"]), pd.Series([1, 2], ["a", "b"])),
        r"a must hold each user once; got 'a' 2 times",
    ),
    "one value": (lambda: sig.sign_test([1, np.nan], [0, 0]), "got 1 \\(1 left out\\)"),
    "infinite": (
        lambda: sig.sign_test([1, np.inf], [0, 0]),
        "a must be finite; got inf at index 1",
    ),
    "text": (lambda: sig.sign_test(["1", "2"], [0, 0]), "a must hold numbers"),
    "matrix": (lambda: sig.sign_test([[1, 2]], [[0, 0]]), "a must have one value per user"),
    "p above 1": (lambda: sig.adjust([0.1, 1.1]), r"p must lie in \[0, 1\]; got 1.1 at index 1"),
    "seed of one value": (lambda: sig.mean_interval([1], rng="x"), "rng must be a numpy.random"),
    "no users": (
        lambda: sig.resampled_sums(np.empty(0), 100, np.random.default_rng(0)),
        "values must belong to at least one user; got none",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(call, message):
    with pytest.raises(receval.InputError, match=message):
        call()


def test_inputs_are_left_alone():
    a, b = columns(80, levels=3)
    before = a.copy(), b.copy()
    for array in (a, b):
        array.flags.writeable = False
    for function in (*TESTS, *EFFECTS, sig.minimum_detectable_difference):
        function(a, b)
    p = np.array([0.1, 0.01])
    p.flags.writeable = False
    sig.adjust(p)
    assert_array_equal(a, before[0])
    assert_array_equal(b, before[1])
