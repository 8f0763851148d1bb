"""Pooled folds: all users' values, the spread over folds, the corrected resampled t-test."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from receval import InputError, evaluate, load, pooled
from receval.evaluation.folds import by_person
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


RANKS = {
    "A": {1: {"ann": 1, "ben": 2}, 2: {"ann": 2}, 3: {"ann": 4, "cem": 1}},
    "B": {1: {"ann": 2, "ben": 1}, 2: {"ann": 2}, 3: {"ann": 2, "cem": 2}},
}


def people_in_folds():
    """Return three folds, in which the relevant item has these ranks by system, fold and user."""
    folds = {}
    for fold, users in RANKS["A"].items():
        systems = {
            system: {
                user: [*(f"miss {n}" for n in range(1, rank)), "hit"]
                for user, rank in by_fold[fold].items()
            }
            for system, by_fold in RANKS.items()
        }
        folds[fold] = evaluate(systems, {user: {"hit"} for user in users}, ["MRR", "PC"])
    return folds


def test_a_person_in_one_fold_counts_as_much_as_one_in_three():
    result = pooled(people_in_folds())
    ann = (1 + 0.5 + 0.25) / 3
    assert result.per_user.loc["A"]["MRR"].to_dict() == {"ann": ann, "ben": 0.5, "cem": 1}
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
    result = pooled(people_in_folds())
    assert result.counts[["judged", "rows"]].to_numpy().tolist() == [[3, 5], [3, 5]]
    assert result.interval()["users"].tolist() == [3] * 4
    assert "means over persons: 3 people, 5 rows of 3 folds" in repr(result.table())
    for text in (result.compare().methods(), repr(result.compare())):
        assert "other people, but not to other training sets" in text
    assert "use resampled_t for these" in repr(result.compare())
    assert "resampled_t" not in result.compare().methods()
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
        pd.concat({fold: one.per_user.loc[name]["AUC"] for fold, one in folds.items()})
        for name in "AB"
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
    folds = people_in_folds()
    some = pooled(folds).where(["ann", "cem"])
    alone = pooled({fold: one.where([u for u in ("ann", "cem") if u in one.per_user.loc["A"].index])
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
    assert "set_level" in repr(result.table())
    assert "set_level" not in result.methods()
    assert "computed once over 2 folds together, without an interval" in repr(union.table())
    assert "CC@1" not in result.interval().index
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


def test_methods_and_notes_say_so_and_a_file_keeps_it(tmp_path):
    dates = pd.date_range("2026-01-01", periods=5)
    of_days = pooled(dict(zip(dates, FOLDS.values(), strict=True)))
    by_ranksys = evaluate({1: ["x"]}, {1: ["x"]}, "nDCG", convention="ranksys")
    for folds in (of_days, pooled({"a": by_ranksys, "b": by_ranksys})):
        folds.save(tmp_path / "other.receval")
        assert load(tmp_path / "other.receval") == folds
    result = pooled(FOLDS)
    text = result.methods()
    assert "Means over persons: 60 people, 60 rows of 5 folds;" in text
    assert "CC@1 of all lists of a fold: mean over 5 folds, without" in text
    result.save(tmp_path / "folds.receval")
    tested, again = (
        one.resampled_t(test_to_train=1 / 4) for one in (result, load(tmp_path / "folds.receval"))
    )
    pd.testing.assert_frame_equal(again, tested, check_exact=True)


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


RECS = pd.DataFrame({"user": [1, 1, 2], "item": list("pqq"), "score": [2.0, 1.0, 2.0]})
JUDGED = pd.DataFrame({"user": [1, 2], "item": list("qq"), "relevance": 1})
ITEMS = pd.DataFrame(index=list("pqr"))
IN_NUMBERS = [table.assign(item=table["item"].map({"p": 1, "q": 2})) for table in (RECS, JUDGED)]
OF_TEXT = evaluate(RECS, JUDGED, "MRR")


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
        (lambda: pooled(FOLDS, set_level="micro"), "set_level must be one of 'mean', 'union'; got"),
        (
            lambda: pooled(FOLDS).interval(measures="CC@1"),
            "measures must have a value for each user",
        ),
        (lambda: pooled([1]), "folds must be a dict .*; got list"),
        (lambda: pooled({1: RECS}), "folds must be a dict .*; got DataFrame"),
        (
            lambda: pooled({1: OF_TEXT, 2: evaluate(RECS, JUDGED, "MRR", ties="input")}),
            "folds must have the same convention; got .* in 1 and .* in 2",
        ),
        (
            lambda: pooled(
                {
                    1: evaluate(RECS, JUDGED, "CC", items=ITEMS),
                    "late": evaluate(RECS, JUDGED, "CC", items=ITEMS.iloc[:2]),
                }
            ),
            "folds must have the same size of the catalogue; got 3 in 1 and 2 in 'late'",
        ),
        (
            lambda: pooled({1: OF_TEXT, 2: evaluate(*IN_NUMBERS, "MRR")}),
            "folds must have the same kind of item ids; got 'text' in 1 and 'integer' in 2",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
