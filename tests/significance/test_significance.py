"""Paired tests, effect sizes, intervals and comparisons: SciPy, statsmodels and brute force."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import receval
from receval import InputError, evaluate
from receval import significance as sig
from receval._files import KEY
from receval.evaluation.notes import WORDS
from receval.significance import intervals
from receval.significance.paired import CORRECTIONS

COUNTS = ("better", "same", "worse", "compared", "left_out")


def columns(n, seed=0, levels=None):
    """Draw two columns of values. With levels, they are on a grid, with many ties and zeros."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    return (a, b) if levels is None else (np.round(a * levels) / 8, np.round(b * levels) / 8)


# Tests against SciPy ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "levels", "options"),
    [
        *((n, None, {"method": "exact"}) for n in (2, 3, 8, 20, 50)),
        *((300, levels, {"method": "approx", "correction": False}) for levels in (1, 4, None)),
    ],
)
def test_wilcoxon_is_scipys(n, levels, options):
    a, b = columns(n, seed=n, levels=levels)
    ours, theirs = sig.wilcoxon(a, b), stats.wilcoxon(a, b, **options)
    assert_allclose([ours.statistic, ours.p], [theirs.statistic, theirs.pvalue], rtol=1e-12)


def test_more_ways_than_resamples_are_drawn_from():
    a, b = columns(8)
    by_all_ways = sig.permutation(a, b, n_resamples=256).p
    first, second = (sig.permutation(a, b, n_resamples=255, rng=seed) for seed in (1, 2))
    assert by_all_ways * 256 % 2 == 0
    assert first != second
    assert abs(first.p - by_all_ways) < 0.1


@pytest.mark.parametrize("levels", [None, 2])
def test_random_permutations_come_near_the_t_test_and_never_to_zero(levels):
    a, b = columns(200, seed=3, levels=levels)
    found = sig.permutation(a, b - 0.05, n_resamples=4_000, rng=1)
    p = sig.paired_t(a, b - 0.05).p
    assert abs(found.p - p) < 4 * np.sqrt(p * (1 - p) / 4_000) + 0.002
    assert found == sig.permutation(a, b - 0.05, n_resamples=4_000, rng=1)
    assert sig.permutation(a + 9, b, n_resamples=400).p == 1 / 401


def test_random_permutations_do_not_depend_on_the_size_of_blocks(monkeypatch):
    a, b = columns(60, seed=5, levels=4)
    whole = sig.permutation(a, b, n_resamples=500)
    monkeypatch.setattr(intervals, "MAX_DRAWN", 7)
    assert sig.permutation(a, b, n_resamples=500) == whole


# Oracles of tests, effect sizes and corrections --------------------------------------------------
#
# A test or correction that is added to the package needs an entry here.


def signed_ranks(a, b):
    """Return the ranks of the differences that are not 0, with their signs."""
    difference = np.round(a - b, 9)
    difference = difference[difference != 0]
    return np.sign(difference) * stats.rankdata(np.abs(difference))


def p_by_enumeration(numbers):
    """Count the ways to sign numbers whose sum is at least as far from 0 as the observed one."""
    ways = np.array(list(product([-1, 1], repeat=len(numbers)))) @ numbers
    return np.mean(abs(ways) >= abs(numbers.sum()) - 1e-9)


def rank_biserial(a, b):
    ranks = signed_ranks(a, b)
    return ranks.sum() / abs(ranks).sum()


def cohens_d(a, b):
    return np.mean(a - b) / np.std(a - b, ddof=1)


def p_of_permutations(a, b):
    def difference(x, y):
        return np.mean(x - y)

    return stats.permutation_test((a, b), difference, permutation_type="samples").pvalue


TEST_ORACLES = {
    sig.wilcoxon: lambda a, b: [
        stats.wilcoxon(a, b).statistic,
        p_by_enumeration(signed_ranks(a, b)),
        rank_biserial(a, b),
    ],
    sig.paired_t: lambda a, b: [*stats.ttest_rel(a, b), cohens_d(a, b)],
    sig.sign_test: lambda a, b: [
        sum(a > b),
        stats.binomtest(sum(a > b), sum(a != b)).pvalue,
        rank_biserial(a, b),
    ],
    sig.permutation: lambda a, b: [np.mean(a - b), p_of_permutations(a, b), cohens_d(a, b)],
}
"""The statistic, the p-value and the effect size of each test."""
CORRECTION_ORACLES = {
    "holm": lambda p: multipletests(p, method="holm")[1],
    "bh": lambda p: multipletests(p, method="fdr_bh")[1],
    "none": lambda p: p,
}


@pytest.mark.parametrize("levels", [None, 4])
@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("test", TEST_ORACLES)
def test_statistics_p_values_and_effect_sizes_agree_with_the_oracle(test, n, levels):
    a, b = columns(n, seed=n, levels=levels)
    found = test(a, b)
    assert_allclose([found.statistic, found.p, found.effect], TEST_ORACLES[test](a, b), rtol=1e-9)


@pytest.mark.parametrize(
    ("test", "oracle"),
    [
        (sig.wilcoxon, lambda a, b: p_by_enumeration(signed_ranks(a, b))),
        (sig.permutation, lambda a, b: p_by_enumeration(a - b)),
    ],
)
@settings(max_examples=30)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_ties_and_zeros_of_a_few_users_count_all_signs(test, oracle, differences):
    differences = np.array(differences) / 10
    zeros = np.zeros_like(differences)
    assert_allclose(test(differences, zeros).p, oracle(differences, zeros), rtol=1e-12)


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=40)
@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02]), min_size=1, max_size=8))
def test_corrected_p_values_agree_with_the_oracle(correction, p):
    assert_allclose(sig.adjust(p, correction=correction), CORRECTION_ORACLES[correction](p))


# Alignment, ties, zeros -------------------------------------------------------------------------


SERIES = pd.Series({"u": 1.0, "v": 2.0, "w": 3.0, "x": np.nan, "only a": 9.0})


@pytest.mark.parametrize(
    "a", [SERIES, SERIES.astype("Float64"), SERIES.astype(object).mask(SERIES.isna(), None)]
)
def test_series_are_aligned_by_user_and_the_others_counted(a):
    b = pd.Series({"w": 1.0, "v": 2.0, "u": 2.0, "x": 1.0, "only b": 9.0, "nor this": np.nan})
    found = sig.paired_t(a, b)
    assert [getattr(found, name) for name in COUNTS] == [1, 1, 1, 3, 4]
    assert found.statistic == sig.paired_t([1, 2, 3], [2, 2, 1]).statistic


def test_rounding_noise_neither_breaks_ties_nor_makes_differences():
    a, b = np.array([0.3, 0.2, 0.7, 0.1 + 0.2]), np.array([0.1, 0.0, 0.9, 0.3])
    assert len(np.unique(np.abs(a - b))) == 4  # 0.2 in three ways, and 5.6e-17
    found = sig.wilcoxon(a, b)
    assert (found.better, found.same, found.worse, found.direction) == (2, 1, 1, 1)
    assert found.statistic == 2  # ranks 2, 2, 2
    assert sig.wilcoxon(b, a).direction == -1
    assert_allclose(found.effect, 1 / 3, rtol=1e-12)


def test_a_huge_value_does_not_hide_the_differences_of_others():
    a, b = np.array([2.0**45, 2, 3, 4, 5]), np.array([2.0**45, 1, 2.5, 4.5, 3])
    found = sig.paired_t(a, b)
    assert (found.better, found.same, found.worse) == (3, 1, 1)
    assert_allclose(found.statistic, stats.ttest_rel(a, b).statistic, rtol=1e-12)
    assert sig.wilcoxon(a, b).statistic == 1.5  # the ranks of 0.5, -0.5, 1 and 2


@pytest.mark.parametrize("test", TEST_ORACLES)
def test_no_difference_at_all(test):
    found = test([0.5, 0.25, 0.0], [0.5, 0.25, 0.0])
    assert (found.p, found.direction, found.same) == (1, 0, 3)
    assert np.isnan(found.effect)


def test_equal_differences_have_no_t():
    a = np.array([0.3, 0.2, 0.7])
    found = sig.paired_t(a + 0.1, a)
    assert np.isnan([found.statistic, found.p, found.effect]).all()
    assert sig.wilcoxon(a + 0.1, a).p == 0.25


@pytest.mark.parametrize("call", [*TEST_ORACLES, lambda a, b: sig.mean_interval(a - b)])
@pytest.mark.parametrize("scale", [1e160, 1e307])
def test_refuses_values_whose_squares_are_no_numbers(call, scale):
    a, b = np.array([3, 5, 4, 9.0]), np.array([1, 2, 2, 2.0])
    with pytest.raises(InputError, match="which float64 can square"):
        call(a * scale, b * scale)


# RBP(p=0.5) of a hit at rank 600 is as small as the first of these. Its square is 0.
@pytest.mark.parametrize("scale", [2.0**-660, 2.0**-530, 1e-9, 1e9, 1e100])
def test_the_unit_of_the_values_changes_no_test_effect_or_interval(scale):
    a, b = columns(25, seed=6, levels=4)
    scaled = a * scale, b * scale
    for test in TEST_ORACLES:
        plain, same = test(a, b), test(*scaled)
        assert_allclose([same.p, same.effect], [plain.p, plain.effect], rtol=1e-9)
    small, large = sig.mean_interval((a - b) * scale), sig.mean_interval(a - b)
    assert_allclose([small.low / scale, small.high / scale], [large.low, large.high], rtol=1e-9)


# Corrections ------------------------------------------------------------------------------------


def test_undefined_p_values_do_not_count():
    assert_allclose(sig.adjust([0.02, np.nan, 0.03]), [0.04, np.nan, 0.04])
    assert np.isnan(sig.adjust([np.nan])).all()
    assert sig.adjust([]).size == sig.adjust([], correction="bh").size == 0


# Intervals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("levels", [None, 3])
def test_an_interval_is_scipys(level, levels):
    values = columns(50, seed=1, levels=levels)[0] ** 2
    found = sig.mean_interval(values, level=level)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(level)
    assert_allclose([found.low, found.high], theirs, rtol=1e-12)


@pytest.mark.parametrize("n", [2, 50])
@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.98, 1])
@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("values_of", [np.array, np.int64, lambda hits: hits * 0.1 * 3 / 0.3])
def test_the_interval_of_a_proportion_is_wilsons(n, share, level, values_of):
    hits = np.arange(n) < n * share
    expected = proportion_confint(hits.sum(), n, alpha=1 - level, method="wilson")
    found = sig.mean_interval(values_of(hits), level=level)
    assert_allclose([found.low, found.high], expected, rtol=1e-12, atol=1e-15)


def test_intervals_of_few_or_equal_values():
    one, noisy = sig.mean_interval([0.4, np.nan]), sig.mean_interval([0.3, 0.1 + 0.2])
    assert one.users == 1
    assert np.isnan([one.low, noisy.low, noisy.high, sig.mean_interval([np.nan]).mean]).all()


def test_an_evaluation_is_not_certain_from_nothing():
    truth = pd.DataFrame({"user": range(50), "item": "x", "relevance": 1})
    hits = pd.DataFrame({"user": range(50), "item": "x", "score": 1.0})
    misses = hits.assign(item="y")
    result = evaluate({"hits": hits, "misses": misses}, truth, ["HR@1", "Precision@2"])
    table = result.interval()
    # Two items of each list are counted, of which one can be relevant.
    ends = {
        ("HR@1", "hits"): [1] * 50,
        ("HR@1", "misses"): [0] * 50,
        ("Precision@2", "misses"): [0] * 50,
    }
    for key, values in ends.items():
        interval = sig.mean_interval(values)
        assert table.loc[key, ["low", "high"]].tolist() == [interval.low, interval.high]
        assert interval.high - interval.low > 0.05
    assert table.loc[("Precision@2", "hits"), ["low", "high"]].isna().all()


def test_a_ratio_is_bootstrapped_by_its_sums_as_in_scipy():
    clicks, shown = np.random.default_rng(7).poisson((2, 9), (40, 2)).T + 1.0
    sums = intervals.resampled_sums(
        np.stack([clicks, shown], axis=1), 500, np.random.default_rng(0)
    )
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


# Comparisons ------------------------------------------------------------------------------------


RNG = np.random.default_rng(0)
IDS = [[f"u{user:02}" for user in range(60)], [f"i{item:02}" for item in range(12)]]
PAIRS = pd.MultiIndex.from_product(IDS, names=["user", "item"]).to_frame(index=False)
IS_RELEVANT = RNG.random((60, 12)).argsort(axis=1).ravel() < 2
TRUTH = PAIRS[IS_RELEVANT].assign(relevance=1)
# Systems of rising skill. Every user has two relevant items of twelve.
RECS = {
    f"s{place}": PAIRS.assign(score=RNG.normal(size=720) + place * IS_RELEVANT)
    for place in range(3)
}
ITEMS = pd.DataFrame({"awards": range(12)}, index=IDS[1])
EVALUATION = evaluate(RECS, TRUTH, ["MRR", "nDCG@5", "CC@3"], items=ITEMS)
FUNCTIONS = {
    "wilcoxon": sig.wilcoxon,
    "sign": sig.sign_test,
    "t": sig.paired_t,
    "permutation": sig.permutation,
}


@pytest.mark.parametrize("test", FUNCTIONS)
def test_a_comparison_is_what_the_functions_say(test):
    found = EVALUATION.compare("s0", test=test, alpha=0.1).results
    assert found.index.tolist() == [(m, s, "s0") for m in ("MRR", "nDCG@5") for s in ("s1", "s2")]
    for (name, system, base), row in found.iterrows():
        a, b = EVALUATION.per_user.loc[system][name], EVALUATION.per_user.loc[base][name]
        one = FUNCTIONS[test](a, b)
        ends = sig.mean_interval(a - b, level=0.9)
        expected = [ends.mean, ends.low, ends.high, one.p, one.effect]
        assert_allclose(row[["difference", "low", "high", "p", "effect"]].tolist(), expected)
        counts = [getattr(one, name) for name in COUNTS]
        assert row[["better", "same", "worse", "compared", "left out"]].tolist() == counts
    assert_array_equal(found["corrected"], sig.adjust(found["p"]))
    assert found["verdict"].tolist() == ["better"] * 4


def test_a_comparison_does_not_depend_on_the_others_nor_on_the_order_of_rows():
    whole = EVALUATION.compare(correction="none", test="permutation").results
    alone = EVALUATION.compare("s0", measures=["ndcg@5"], correction="none", test="permutation")
    pd.testing.assert_frame_equal(alone.results, whole.loc[alone.results.index])
    shuffled = {name: recs.sample(frac=1, random_state=1) for name, recs in RECS.items()}
    again = evaluate(shuffled, TRUTH.sample(frac=1, random_state=2), ["MRR", "nDCG@5"])
    one, two = EVALUATION.compare().results, again.compare().results
    pd.testing.assert_frame_equal(one, two, check_exact=True)


LATE = {"s0": RECS["s0"], "s2": RECS["s2"][RECS["s2"]["user"] > "u09"]}


@pytest.mark.parametrize(("users", "counts"), [("both", [50, 10]), ("judged", [60, 0])])
def test_users_without_a_value_are_left_out_and_counted(users, counts):
    result = evaluate(LATE, TRUTH, "MRR", users=users)
    row = result.compare("s0").results.iloc[0]
    assert row[["compared", "left out"]].tolist() == counts
    values = result.per_user["MRR"]
    assert_allclose(row["difference"], (values.loc["s2"] - values.loc["s0"]).mean())


ALL_PAIRS = EVALUATION.compare()
WITH_S0, WITH_S1 = EVALUATION.compare("s0"), EVALUATION.compare("s1")
EVERYWHERE = [
    "60 judged, 60 answered, 0 without truth, 0 ignored",
    "Holm over all 4 comparisons",
    "CC@3",
]
CITED = f"receval {receval.__version__} (The receval developers, 2026) and SciPy (Virtanen et"


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        (repr(WITH_S0), [*EVERYWHERE, "<0.001"]),
        (WITH_S0._repr_html_(), [*EVERYWHERE, "&lt;0.001"]),
        (WITH_S0.to_latex(), [*EVERYWHERE, r"95\% interval (not adjusted)", "$<0.001$"]),
        ("".join(WITH_S0.notes()), EVERYWHERE),
        (
            WITH_S0.methods(),
            [
                "two-sided; p is corrected by Holm (Holm, 1979) over all",
                "The interval is Student's (Student, 1908), at 95%, not adjusted",
                CITED,
            ],
        ),
        (
            repr(WITH_S1.table(digits=2)),
            [
                "▲: better than 's1', ▼: worse, if corrected p is at most 0.05",
                "t-test, two-sided; p is corrected by Holm over all 4",
            ],
        ),
        (WITH_S1.table(digits=2)._repr_html_(), [" ▲</td>"]),
        (WITH_S1.table(digits=2).to_latex(), [r"$^{\uparrow}$", r"$_{\downarrow}$"]),
        (ALL_PAIRS.table(digits=2).to_latex(), ["60 judged"]),
    ],
)
def test_the_results_as_text_html_and_latex(shown, parts):
    assert [part for part in parts if part not in shown] == []


SAME = evaluate(RECS | {"same": RECS["s0"]}, TRUTH, ["MRR", "CC@3"], items=ITEMS)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("test", WORDS["tests"])
def test_methods_are_sentences(test, correction):
    text = SAME.compare("s0", test=test, correction=correction).methods()
    text = re.sub(r" \([^)]+\)", "", text)  # without citations
    sentences = re.split(r"(?<=[^.]\.) (?=[A-Z])", text)
    assert len(sentences) == 10
    assert [part for part in sentences if not re.search(r" (is|are|were|differ) ", part)] == []


def test_numbers_of_a_comparison_are_rounded():
    differences = [f"{value:+.1f}" for value in WITH_S0.results["difference"]]
    assert WITH_S0.to_frame(digits=1)["difference"].tolist() == differences
    shown = EVALUATION.compare("s1", measures="MRR")
    expected = [f"{p:.3f}" if p >= 0.0005 else "<0.001" for p in shown.results["p"]]
    assert shown.to_frame()["p"].tolist() == expected
    assert "0.0" in expected[1]


def test_every_choice_is_cited_and_no_entry_is_repeated():
    keys = re.findall(r"@\w+\{(\w+),", WITH_S0.methods(bibtex=True))
    first = ["receval2026", "virtanen2020", "student1908", "holm1979", "lakens2013"]
    assert keys[:5] == first
    assert {"ihemelandu2023", "parapar2021"} < {*keys[5:]}
    texts = (EVALUATION.methods(bibtex=True), WITH_S0.methods(bibtex=True))
    entries = {entry for text in texts for entry in text.split("\n\n")}
    keys_of_both = [re.match(r"@\w+\{(\w+),", entry)[1] for entry in entries]
    assert len({*keys_of_both}) == len(keys_of_both)
    cited = [*WORDS["tests"].values(), *WORDS["effects"].values()]
    cited += [WORDS["corrections"][name] for name in CORRECTIONS if name != "none"]
    assert [words for words in cited if not KEY.search(words)] == []


def test_the_verdict_is_by_the_corrected_p_value():
    plain = EVALUATION.compare(correction="none").results["p"]
    alpha = plain.max()
    verdicts = EVALUATION.compare(correction="none", alpha=alpha).results["verdict"]
    assert {*verdicts} == {"better"}
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
    every = ALL_PAIRS.table(digits=2)
    for absent in ("▲", "p: "):
        assert absent not in repr(every)
    for table in (one, every):  # they have no such columns
        starts = {note.partition(":")[0] for note in table.notes}
        assert starts.isdisjoint({"difference", "interval", "verdict", "effect"})


def test_names_of_systems_of_two_types_have_marks():
    systems = dict(zip([1, "s", 0], RECS.values(), strict=True))
    named = evaluate(systems, TRUTH, ["MRR", "nDCG@5"]).compare("s").table().to_frame()
    marked = EVALUATION.compare("s1", measures=["MRR", "nDCG@5"]).table().to_frame()
    assert named.to_numpy().tolist() == marked.to_numpy().tolist()


def test_intervals_of_means():
    found = EVALUATION.interval(0.9)
    assert found.index.tolist() == [(m, s) for m in ("MRR", "nDCG@5") for s in ("s0", "s1", "s2")]
    for (name, system), row in found.iterrows():
        one = sig.mean_interval(EVALUATION.per_user.loc[system][name], level=0.9)
        expected = [one.mean, one.low, one.high, one.users]
        assert row[["mean", "low", "high", "users"]].tolist() == expected
    assert_array_equal(found["mean"].xs("s1", level="system"), EVALUATION.summary.loc["s1"][:2])


def test_figures_draw_the_results():
    found = WITH_S0
    for panel, (measure, rows) in zip(found.plot(), found.results.groupby(level=0), strict=True):
        assert panel.get_title() == measure
        drawn = [(y, x) for bar in panel.containers for x, y in bar.lines[0].get_xydata()]
        assert_allclose([x for _, x in sorted(drawn)], rows["difference"])
    labels = [text.get_text() for text in ALL_PAIRS.plot()[0].get_yticklabels()]
    assert labels == ["s1 - s0", "s2 - s0", "s2 - s1"]


# Refusals ---------------------------------------------------------------------------------------

ALONE = evaluate(RECS["s0"], TRUTH, "MRR")
REFUSED = {
    "one system": (lambda: ALONE.compare(), r"compare must be given at least two systems; got 1"),
    "unknown baseline": (
        lambda: EVALUATION.compare("s9"),
        r"baseline must be one of \['s0', 's1', 's2'\]; got 's9'",
    ),
    "several baselines": (lambda: EVALUATION.compare(["s0", "s1"]), "baseline must be one of"),
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
        r"measures must be one of .*; got 'MAP'",
    ),
    "unknown measure": (lambda: EVALUATION.compare(measures="MRP"), "known names.*MRR"),
    "alpha 0": (lambda: EVALUATION.compare(alpha=0), r"alpha must be a number in \(0, 1\); got 0"),
    "alpha 5 %": (lambda: EVALUATION.compare(alpha=5), r"alpha must be a number in \(0, 1\)"),
    "level 1": (lambda: EVALUATION.interval(1), r"level must be a number in \(0, 1\); got 1"),
    "test": (
        lambda: EVALUATION.compare(test="wilcoxn"),
        "test must be one of .*Did you mean 'wilcoxon'",
    ),
    "correction": (lambda: EVALUATION.compare(correction="home"), "correction must be one of"),
    "one user": (
        lambda: evaluate(RECS, TRUTH[TRUTH["user"] == "u03"], "MRR").compare(),
        "at least 2 users with MRR under 's1' and 's0' in common; got 1",
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
    "seed": (lambda: sig.permutation([1, 2], [0, 0], rng="x"), "rng must be a numpy.random"),
    "no users": (
        lambda: intervals.resampled_sums(np.empty(0), 100, np.random.default_rng(0)),
        "values must belong to at least one user; got none",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(call, message):
    with pytest.raises(receval.InputError, match=message):
        call()
