"""Folds pooled: all users' values, spread over folds, and the corrected resampled t-test."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from receval import InputError, evaluate, load, pooled
from receval.significance import resampled_t

N = 60
RNG = np.random.default_rng(8)
USERS = np.repeat(np.arange(N), 6)
TRUTH = pd.DataFrame(
    {"user": USERS, "item": np.tile(np.arange(6), N), "relevance": RNG.integers(0, 3, 6 * N)}
)
SYSTEMS = {
    name: TRUTH[["user", "item"]].assign(score=RNG.integers(0, 4, 6 * N) + gain * TRUTH.relevance)
    for name, gain in (("A", 0), ("B", 1))
}
MEASURES = ["nDCG@3", "MRR", "CC@1"]
WHOLE = evaluate(SYSTEMS, TRUTH, MEASURES, items=pd.DataFrame(index=range(9)))
TUNED = evaluate(
    SYSTEMS, TRUTH, MEASURES, items=pd.DataFrame(index=range(9)),
    systems=pd.DataFrame({"gain": [0, 1]}, index=list("AB")),
)  # fmt: skip
FOLDS = {f"f{n}": WHOLE.where(lambda user, n=n: user % 5 == n) for n in range(5)}
SIZES = dict.fromkeys(FOLDS, 48)


def test_all_folds_together_are_the_evaluation_of_all_users():
    result = pooled(FOLDS)
    pd.testing.assert_frame_equal(result.per_user, WHOLE.per_user, check_exact=True)
    pd.testing.assert_frame_equal(result.summary, WHOLE.summary, check_exact=True)
    pd.testing.assert_frame_equal(result.counts, WHOLE.counts)
    pd.testing.assert_frame_equal(result.ties(), WHOLE.ties(), rtol=1e-14)
    assert result.compare().results.equals(WHOLE.compare().results)
    means = pd.DataFrame({name: fold.summary["CC@1"] for name, fold in FOLDS.items()}).T
    assert_allclose(result.spread["CC@1"], means.std())
    assert_allclose(result.means["CC@1"].xs("macro", level="mean"), means.mean())


def test_the_corrected_test_by_its_formula():
    result = pooled(FOLDS, SIZES)
    assert result.test_to_train == 12 / 48
    found = result.resampled_t("A", correction="bonferroni")
    assert found.index.tolist() == [(name, "B", "A") for name in MEASURES]
    by_fold = result.by_fold["nDCG@3"].xs("B", level="system")
    d = by_fold - result.by_fold["nDCG@3"].xs("A", level="system")
    t = d.mean() / np.sqrt((1 / 5 + 12 / 48) * d.var())
    row = found.loc[("nDCG@3", "B", "A")]
    assert_allclose(row[["difference", "spread", "t"]].tolist(), [d.mean(), d.std(), t])
    assert_allclose(row["p"], 2 * stats.t.sf(abs(t), 4))
    assert_allclose(row["corrected"], min(1, 3 * row["p"]))
    rows = pooled(FOLDS, dict.fromkeys(FOLDS, (4_000, 1_000)))
    pd.testing.assert_frame_equal(rows.resampled_t("A", correction="bonferroni"), found)


def test_less_is_found_than_by_students_test():
    a, b = RNG.random((2, 10))
    plain = stats.ttest_rel(a, b)
    found = resampled_t(a, b, test_to_train=1 / 9)
    assert_allclose(found.statistic, plain.statistic / np.sqrt(1 + 10 / 9))
    assert found.p > plain.pvalue
    assert_allclose(resampled_t(a, b, test_to_train=1e-12).p, plain.pvalue)


def test_a_user_of_several_folds_stands_once_in_each():
    twice = pooled({1: WHOLE.where([1, 2]), 2: WHOLE.where([2, 3])})
    assert twice.values("A").index.tolist() == ["1/1", "1/2", "2/2", "2/3"]
    assert twice.counts["judged"].tolist() == [4, 4]
    values = WHOLE.values("A")["MRR"].loc[[1, 2, 2, 3]]
    assert_allclose(twice.summary.loc["A", "MRR"], values.mean())
    assert len(twice.compare(measures="MRR").results) == 1


def test_methods_and_notes_say_so_and_a_file_keeps_it(tmp_path):
    dates = pd.date_range("2026-01-01", periods=5)
    of_days = pooled(dict(zip(dates, FOLDS.values(), strict=True)))
    of_days.save(tmp_path / "days.receval")
    assert load(tmp_path / "days.receval") == of_days
    result = pooled(FOLDS, SIZES)
    text = result.methods()
    assert "Users of 5 folds are pooled (micro means)." in text
    assert "resampled t-test (Nadeau and Bengio, 2003), test over training size 0.25." in text
    assert "Nadeau" not in pooled(FOLDS).methods()
    low, high = sorted(f"{one:.2f}" for one in result.spread["MRR"])
    assert f"MRR {low} to {high}" in repr(result.table())
    result.save(tmp_path / "folds.receval")
    again = load(tmp_path / "folds.receval")
    assert again == result
    pd.testing.assert_frame_equal(again.resampled_t(), result.resampled_t(), check_exact=True)
    pd.testing.assert_frame_equal(again.means, result.means, check_exact=True)
    assert pooled(FOLDS) != result


def test_the_spread_below_a_table_is_sorted_as_numbers():
    truth = {1: {"a": 1}, 2: {"a": 14, "b": 16}}
    systems = {name: {1: ["c"], 2: [item]} for name, item in zip("AB", "ab", strict=True)}
    whole = evaluate(systems, truth, "DCG@1")
    result = pooled({fold: whole.where([fold]) for fold in (1, 2)})
    assert "over 2 folds: DCG@1 9.90 to 11.31" in repr(result.table())  # 14 and 16 / sqrt 2


def test_a_measure_without_a_value_in_folds_is_not_tested():
    nothing = evaluate(SYSTEMS, TRUTH.assign(relevance=1), ["AUC", "MRR"])
    found = pooled({1: nothing.where([1]), 2: nothing.where([2])}, {1: 9, 2: 9}).resampled_t()
    assert found.loc["AUC", ["difference", "t", "p"]].isna().all(axis=None)
    assert found.loc["MRR", "difference"].item() == 0


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize(
    ("name", "choice"),
    [("auc_catalogue", 1000), ("seen", "drop"), ("duplicates", "first"), ("users", [1, 2, 99])],
)
def test_folds_that_were_asked_something_else_are_not_pooled(name, choice, last):
    given = {"history": {1: {"a"}}, name: choice}
    measures = ["AUC", "MRR"] if name == "auc_catalogue" else "MRR"
    both = [evaluate({1: ["a"]}, {1: ["a"]}, measures, **how) for how in (given, {})]
    with pytest.raises(InputError, match=f"folds must have the same {name}; got .* in 1 and"):
        pooled({1: both[last], 2: both[1 - last]})


def test_of_folds_the_counts_that_all_have_are_kept(tmp_path):
    WHOLE.save(tmp_path / "whole.receval")
    few = load(tmp_path / "whole.receval").where([1, 2])
    for folds in ({1: few, 2: WHOLE}, {2: WHOLE, 1: few}):
        assert pooled(folds).counts.loc["A"].to_dict() == {"judged": N + 2}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pooled({1: WHOLE}, {1: 3}).resampled_t(), "must have at least two folds; got 1"),
        (lambda: pooled({1: WHOLE, "1": WHOLE}), "names of folds must be .* differ as text"),
        (lambda: pooled({(1, 2): WHOLE}), "names of folds must be text, numbers or dates"),
        (lambda: pooled({1: WHOLE, 2: TUNED}), "folds must have the same parameters of systems"),
        (lambda: pooled(FOLDS).resampled_t(), "resampled_t must have the sizes .* got none. Say"),
        (lambda: pooled(FOLDS, {"f0": 3}), "train_sizes must be a dict from each fold"),
        (lambda: pooled(FOLDS, 48), "train_sizes must be a dict from each fold .* got 48"),
        (lambda: pooled(FOLDS, dict.fromkeys(FOLDS, 0)), "train_sizes of 'f0' must be a number ab"),
        (lambda: pooled(FOLDS, SIZES).resampled_t("C"), "baseline must be one of .* got"),
        (lambda: resampled_t([1, 2], [2, 2], test_to_train=0), "test_to_train must be a number ab"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
