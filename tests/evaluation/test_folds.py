"""Pooled folds: all users' values, the spread over folds, the corrected resampled t-test."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from receval import InputError, evaluate, load, pooled
from receval.evaluation import Evaluation
from receval.evaluation.folds import by_person
from receval.evaluation.values import SystemResult
from receval.significance import paired_t, resampled_t, wilcoxon

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
FOLDS = {f"f{n}": WHOLE.where(range(n, N, 5)) for n in range(5)}


def test_all_folds_together_are_the_evaluation_of_all_users():
    result = pooled(FOLDS, set_level="union")
    pd.testing.assert_frame_equal(result.per_user, WHOLE.per_user, check_exact=True)
    pd.testing.assert_frame_equal(result.summary, WHOLE.summary, check_exact=True)
    pd.testing.assert_frame_equal(result.counts, WHOLE.counts)
    assert result.ties().empty  # only the folds know their lists
    assert result.compare().results.equals(WHOLE.compare().results)
    assert result.interval().equals(WHOLE.interval())
    means = pd.DataFrame({name: fold.summary["CC@1"] for name, fold in FOLDS.items()}).T
    assert_allclose(result.spread["CC@1"], means.std())
    assert_allclose(pooled(FOLDS).summary["CC@1"], means.mean())


def test_the_corrected_test_by_its_formula():
    result = pooled(FOLDS)
    found = result.resampled_t("A", test_to_train=1 / 4, correction="bh")
    assert found.index.tolist() == [(name, "B", "A") for name in MEASURES]
    by_fold = result.by_fold["nDCG@3"].xs("B", level="system")
    d = by_fold - result.by_fold["nDCG@3"].xs("A", level="system")
    t = d.mean() / np.sqrt((1 / 5 + 1 / 4) * d.var())
    row = found.loc[("nDCG@3", "B", "A")]
    assert_allclose(row[["difference", "spread", "t"]].tolist(), [d.mean(), d.std(), t])
    assert_allclose(row["p"], 2 * stats.t.sf(abs(t), 4))
    assert_allclose(found["corrected"], stats.false_discovery_control(found["p"]))


def test_less_is_found_than_by_students_test():
    a, b = RNG.random((2, 10))
    plain = stats.ttest_rel(a, b)
    found = resampled_t(a, b, test_to_train=1 / 9)
    assert_allclose(found.statistic, plain.statistic / np.sqrt(1 + 10 / 9))
    assert found.p > plain.pvalue
    assert_allclose(resampled_t(a, b, test_to_train=1e-12).p, plain.pvalue)


def of_one_user_a_fold(values):
    """Return folds with these values of MRR by system, fold and user; None if undefined."""
    folds = {}
    for fold in {fold for by_fold in values.values() for fold in by_fold}:
        systems = {}
        truth = {}
        for system, by_fold in values.items():
            systems[system] = {}
            for user, value in by_fold[fold].items():
                truth[user] = ["hit"]
                rank = round(1 / value)
                systems[system][user] = [f"miss {n}" for n in range(1, rank)] + ["hit"]
        folds[fold] = evaluate(systems, truth, ["MRR", "PC"])
    return dict(sorted(folds.items()))


VALUES = {
    "A": {1: {"ann": 1, "ben": 0.5}, 2: {"ann": 0.5}, 3: {"ann": 0.25, "cem": 1}},
    "B": {1: {"ann": 0.5, "ben": 1}, 2: {"ann": 0.5}, 3: {"ann": 0.5, "cem": 0.5}},
}


def test_a_person_in_one_fold_counts_as_much_as_one_in_three():
    result = pooled(of_one_user_a_fold(VALUES))
    ann = (1 + 0.5 + 0.25) / 3
    assert result.values("A")["MRR"].to_dict() == {"ann": ann, "ben": 0.5, "cem": 1}
    assert_allclose(result.summary["MRR"], [(ann + 1.5) / 3, (0.5 + 1.5) / 3])
    assert_allclose(result.interval().loc["MRR", "mean"], result.summary["MRR"])
    row = result.compare("B").results.iloc[0]
    assert_allclose(row["difference"], result.summary["MRR"].diff().iloc[1] * -1)
    assert row[["better", "same", "worse", "compared"]].tolist() == [2, 0, 1, 3]
    rows = [1, 0.5, 0.5, 0.25, 1]
    by_fold = result.by_fold["MRR"].xs("A", level="system")
    assert by_fold.tolist() == [0.75, 0.5, 0.625]
    assert result.per_row.loc["A", "MRR"].tolist() == rows


def test_counts_means_notes_and_methods_say_people_and_rows():
    result = pooled(of_one_user_a_fold(VALUES))
    assert result.counts[["judged", "rows"]].to_numpy().tolist() == [[3, 5], [3, 5]]
    assert result.n["MRR"].tolist() == [3, 3]
    assert result.interval()["users"].tolist() == [3] * 4
    assert "means over persons: 3 people, 5 rows of 3 folds" in repr(result.table())
    for text in (result.compare().methods(), repr(result.compare())):
        assert "other people, but not to other training sets" in text
        assert "resampled_t" in text
    assert "3 people, 5 rows" in result.methods()
    assert "users: 3 judged, 5 rows" in repr(result.compare())


def truth_and_scores(n_folds, rng):
    """Return folds in which random users have no AUC under one of the systems."""
    folds = {}
    for fold in range(n_folds):
        truth = {user: ["x", "y"] for user in range(12)}
        systems = {
            name: {
                user: ["x", "q"] if rng.random() < 0.7 else ["x"] for user in rng.permutation(12)
            }
            for name in "AB"
        }
        orders = {
            name: {user: items[:: rng.choice([-1, 1])] for user, items in lists.items()}
            for name, lists in systems.items()
        }
        folds[fold] = evaluate(orders, truth, "AUC")
    return folds


def test_a_pair_of_systems_is_compared_over_folds_where_both_have_a_value(tmp_path):
    folds = truth_and_scores(4, np.random.default_rng(3))
    result = pooled(folds)
    a, b = (
        pd.concat({fold: one.values(name)["AUC"] for fold, one in folds.items()}) for name in "AB"
    )
    both = a.notna() & b.notna()
    assert (a.notna() & ~b.notna()).any()
    wanted = (a - b)[both].groupby(level=1).mean()
    found = result.compare("B")
    row = found.results.iloc[0]
    assert_allclose(row["difference"], wanted.mean())
    assert_allclose(row["p"], stats.ttest_1samp(wanted, 0).pvalue)
    assert row["compared"] == wanted.size
    persons = result.per_user.index.unique("user")
    halves = result.by(pd.Series(np.where(persons < 6, "low", "high"), persons))
    for half, is_half in (("low", wanted.index < 6), ("high", wanted.index >= 6)):
        difference = halves[half].compare("B").results["difference"].item()
        assert_allclose(difference, wanted[is_half].mean())
    result.save(tmp_path / "folds.receval")
    assert load(tmp_path / "folds.receval").compare("B").results.equals(found.results)


def test_the_order_of_folds_changes_no_bit_and_equal_values_stay_as_they_are():
    rows = [0.1, 0.2, 0.7, 1 / 3, 1e-17, 0.9]
    for order in (rows, rows[::-1], rows[3:] + rows[:3]):
        index = pd.MultiIndex.from_product([range(6), ["ann"]], names=["fold", "user"])
        found = by_person(pd.DataFrame({"x": order, "same": 0.1, "none": np.nan}, index))
        assert found["x"].item() == by_person(pd.DataFrame({"x": rows}, index))["x"].item()
        assert found["same"].item() == 0.1
        assert np.isnan(found["none"].item())


def test_some_persons_of_pooled_folds_keep_their_folds():
    folds = of_one_user_a_fold(VALUES)
    some = pooled(folds).where(["ann", "cem"])
    alone = pooled({fold: one.where([u for u in ("ann", "cem") if u in one.values("A").index])
                    for fold, one in folds.items()})  # fmt: skip
    assert some.per_row["MRR"].equals(alone.per_row["MRR"])
    assert some.summary["MRR"].equals(alone.summary["MRR"])
    assert some.by_fold["MRR"].equals(alone.by_fold["MRR"])
    assert some.counts.loc["A", ["judged", "rows"]].tolist() == [2, 4]
    assert pooled(folds).where(["ben"]).counts.loc["A", "judged"] == 1
    with pytest.raises(InputError, match=r"^evaluation must have its lists.* ask the evaluation"):
        some.explain("ann", "MRR", system="A")


def test_measures_of_all_lists_are_means_over_folds_unless_the_union_is_asked_for(tmp_path):
    catalogue = pd.DataFrame(index=list("abcd"))
    lists = {1: {1: ["a"], 2: ["a"]}, 2: {1: ["b"], 2: [], 3: ["c"]}}
    truth = {1: ["a"], 2: ["a"], 3: ["a"]}
    folds = {
        fold: evaluate(recs, truth, ["CC@1", "PC", "Gini@1", "HR@1"], items=catalogue)
        for fold, recs in lists.items()
    }
    result = pooled(folds)
    assert result.summary["CC@1"].tolist() == [(1 / 4 + 2 / 4) / 2]
    assert result.summary[["CC@1", "Gini@1"]].equals(
        result.by_fold.groupby("system")[["CC@1", "Gini@1"]].mean()
    )
    # PC has a value for each user, so it is a mean over persons.
    assert result.summary["PC"].item() == (1 + 1 / 2 + 1 / 2) / 3
    union = pooled(folds, set_level="union")
    assert union.summary["CC@1"].tolist() == [3 / 4]
    assert union.summary["HR@1"].equals(result.summary["HR@1"])
    assert [one.get_title() for one in result.plot()]
    told = "CC@1, Gini@1 of all lists of a fold: mean over 2 folds, without an interval"
    assert told in repr(result.table())
    assert told in result.methods()
    assert "computed once over 2 folds together, without an interval" in repr(union.table())
    assert "CC@1" not in result.interval().index
    with pytest.raises(InputError, match="measures must have a value for each user"):
        result.interval(measures="CC@1")
    with pytest.raises(InputError, match="set_level must be one of 'mean', 'union'; got 'micro'"):
        pooled(folds, set_level="micro")
    for one in (result, union):
        one.save(tmp_path / "one.receval")
        assert load(tmp_path / "one.receval") == one
    assert result != union


def test_equal_scores_of_somebody_in_several_folds_are_left_to_the_folds():
    tied = WHOLE.ties()["users"].sum()
    assert tied > 0
    twice = pooled({1: WHOLE, 2: WHOLE.where([2, 3])})
    assert twice.ties().empty
    assert "means depend on the order of equal scores in " in repr(twice.table())
    assert "means depend on the order of equal scores in 5 of 5" in repr(pooled(FOLDS).table())


def test_folds_of_a_random_split_are_tested_by_person():
    """A short version of the long simulation, under the same null hypothesis."""
    rng = np.random.default_rng(5)
    by_rows = by_persons = 0
    for _ in range(40):
        rows, persons = p_values_without_difference(rng, n_persons=60, n_folds=5, test="wilcoxon")
        by_rows += rows <= 0.05
        by_persons += persons <= 0.05
    assert by_persons <= 6  # of 40 at 0.05 more than 6 have a probability of 0.3 %
    assert by_rows >= 7


def p_values_without_difference(rng, *, n_persons, n_folds, test):
    """Return the p-values, by rows and by persons, of two systems that are equally good on average.

    A third of the people prefer one of the systems; over all people, the mean preference is 0. The
    others never see a difference. Each person is in each fold with a probability of 0.8, as in a
    random 80/20 split, so 943 people have about 3,772 rows. A person with a preference sees a
    difference in seven of ten rows.
    """
    taste = rng.normal(0, 0.25, n_persons)
    has_taste = rng.random(n_persons) < 1 / 3
    parts = {"A": {}, "B": {}}
    for fold in range(n_folds):
        users = np.flatnonzero(rng.random(n_persons) < 0.8)
        noise = rng.normal(0, 0.1, users.size)
        differs = has_taste[users] & (rng.random(users.size) < 0.7)
        difference = np.where(differs, taste[users] + noise, 0)
        parts["A"][fold] = pd.DataFrame({"MRR": 0.5 + difference / 2}, users)
        parts["B"][fold] = pd.DataFrame({"MRR": 0.5 - difference / 2}, users)
    folds = {
        fold: Evaluation(
            TASK,
            {name: SystemResult(frames[fold], {}, "integer") for name, frames in parts.items()},
        )
        for fold in range(n_folds)
    }
    rows = [pd.concat(frames.values())["MRR"].to_numpy() for frames in parts.values()]
    plain = {"wilcoxon": wilcoxon, "t": paired_t}[test](*rows).p
    result = pooled(folds).compare(test=test, correction="none").results
    return plain, result["p"].item()


TASK = evaluate(SYSTEMS, TRUTH, "MRR")._options


@pytest.mark.long
@pytest.mark.parametrize("test", ["wilcoxon", "t"])
@pytest.mark.parametrize("n_persons", [60, 943])
def test_pooled_holds_its_level_where_rows_do_not(test, n_persons):
    """Two equally good systems on five folds that share people: 2,000 experiments, level 5 %.

    The rows of one person agree, so a test by rows finds a difference in far more than 5 %: with
    943 people and about four rows each, Wilcoxon's test finds one in about 27 %.
    """
    rng = np.random.default_rng(28)
    found = np.array([
        p_values_without_difference(rng, n_persons=n_persons, n_folds=5, test=test)
        for _ in range(2_000)
    ])  # fmt: skip
    by_rows, by_persons = (found <= 0.05).sum(axis=0)
    low, high = stats.binom.ppf([0.005, 0.995], 2_000, 0.05)
    assert low <= by_persons <= high
    assert 0.24 * 2_000 <= by_rows <= 0.30 * 2_000


def test_methods_and_notes_say_so_and_a_file_keeps_it(tmp_path):
    dates = pd.date_range("2026-01-01", periods=5)
    of_days = pooled(dict(zip(dates, FOLDS.values(), strict=True)))
    of_days.save(tmp_path / "days.receval")
    assert load(tmp_path / "days.receval") == of_days
    result = pooled(FOLDS)
    text = result.methods()
    assert "Means over persons: 60 people, 60 rows of 5 folds;" in text
    assert "CC@1 of all lists of a fold: mean over 5 folds, without" in text
    low, high = sorted(f"{one:.2f}" for one in result.spread["MRR"])
    assert f"MRR {low} to {high}" in repr(result.table())
    result.save(tmp_path / "folds.receval")
    again = load(tmp_path / "folds.receval")
    assert again == result
    tested, tested_again = (one.resampled_t(test_to_train=1 / 4) for one in (result, again))
    pd.testing.assert_frame_equal(tested_again, tested, check_exact=True)
    assert pooled(FOLDS, set_level="union") != result


def test_the_spread_below_a_table_is_sorted_as_numbers():
    truth = {1: {"a": 1}, 2: {"a": 14, "b": 16}}
    systems = {name: {1: ["c"], 2: [item]} for name, item in zip("AB", "ab", strict=True)}
    whole = evaluate(systems, truth, "DCG@1")
    result = pooled({fold: whole.where([fold]) for fold in (1, 2)})
    assert "over 2 folds: DCG@1 9.90 to 11.31" in repr(result.table())  # 14 and 16 / sqrt 2


def test_a_measure_without_a_value_in_folds_is_not_tested():
    nothing = evaluate(SYSTEMS, TRUTH.assign(relevance=1), ["AUC", "MRR"])
    result = pooled({1: nothing.where([1]), 2: nothing.where([2])})
    found = result.resampled_t(test_to_train=1 / 9)
    assert found.loc["AUC", ["difference", "t", "p"]].isna().all(axis=None)
    assert found.loc["MRR", "difference"].item() == 0


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize(
    ("name", "choice"),
    [("seen", "drop"), ("duplicates", "first"), ("users", [1, 2, 99])],
)
def test_folds_that_were_asked_something_else_are_not_pooled(name, choice, last):
    given = {"history": {1: {"a"}}, name: choice}
    both = [evaluate({1: ["a"]}, {1: ["a"]}, "MRR", **how) for how in (given, {})]
    with pytest.raises(InputError, match=f"folds must have the same {name}; got .* in 1 and"):
        pooled({1: both[last], 2: both[1 - last]})


def test_of_folds_the_counts_that_all_have_are_kept(tmp_path):
    whole = evaluate(SYSTEMS, TRUTH, "MRR")
    whole.save(tmp_path / "whole.receval")
    few = load(tmp_path / "whole.receval").where([1, 2])
    for folds in ({1: few, 2: whole}, {2: whole, 1: few}):
        assert pooled(folds).counts.loc["A"].to_dict() == {"judged": N, "rows": N + 2}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pooled(WHOLE), "folds must be a dict from the name .* got Evaluation"),
        (
            lambda: pooled({1: WHOLE, "1": WHOLE}),
            "names of folds must hold each name, as text, once",
        ),
        (lambda: pooled(FOLDS).resampled_t("C", test_to_train=1), "baseline must be one of .* got"),
        (
            lambda: pooled(FOLDS).resampled_t(test_to_train=0),
            "test_to_train must be a number above",
        ),
        (lambda: resampled_t([1, 2], [2, 2], test_to_train=0), "test_to_train must be a number ab"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_folds_of_a_convention_with_parameters_come_back_from_a_file(tmp_path):
    folds = {
        user: evaluate({user: ["x"]}, {user: ["x"]}, "nDCG", convention="ranksys")
        for user in (1, 2)
    }
    pooled(folds).save(tmp_path / "folds.receval")
    assert load(tmp_path / "folds.receval") == pooled(folds)
