"""Pooled folds: all users' values, the spread over folds, the corrected resampled t-test."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from receval import InputError, evaluate, load, pooled
from receval.definitions import convention
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
    assert result.compare().results.equals(WHOLE.compare().results)
    assert result.interval().equals(WHOLE.interval())
    means = pd.DataFrame({name: fold.summary["CC@1"] for name, fold in FOLDS.items()}).T
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
    1: {"A": {"ann": 1, "ben": 2}, "B": {"ann": 2, "ben": 1}},
    2: {"A": {"ann": 2}, "B": {"ann": 2}},
    3: {"A": {"ann": 4, "cem": 1}, "B": {"ann": 2, "cem": 2}},
}


def with_hits_at(ranks):
    """Evaluate systems that have the relevant item, 0, at these ranks, by system and user."""
    systems = {
        system: {user: [*range(1, rank), 0] for user, rank in rank_by_user.items()}
        for system, rank_by_user in ranks.items()
    }
    return evaluate(systems, {user: {0} for user in ranks["A"]}, ["MRR", "PC"])


PEOPLE = pooled({fold: with_hits_at(ranks) for fold, ranks in RANKS.items()})


def test_a_person_in_one_fold_counts_as_much_as_one_in_three():
    ann = (1 + 0.5 + 0.25) / 3
    assert PEOPLE.per_user.loc["A"]["MRR"].to_dict() == {"ann": ann, "ben": 0.5, "cem": 1}
    means = np.array([(ann + 1.5) / 3, (0.5 + 1.5) / 3])
    assert_allclose(PEOPLE.summary["MRR"], means)
    assert_allclose(PEOPLE.interval().loc["MRR", "mean"], means)
    row = PEOPLE.compare("B").results.iloc[0]
    assert_allclose(row["difference"], means[0] - means[1])
    assert row[["better", "same", "worse", "compared"]].tolist() == [2, 0, 1, 3]
    assert PEOPLE.by_fold["MRR"].xs("A", level="system").tolist() == [0.75, 0.5, 0.625]
    assert PEOPLE.per_row.loc["A", "MRR"].tolist() == [1, 0.5, 0.5, 0.25, 1]
    assert PEOPLE.counts[["judged", "rows"]].to_numpy().tolist() == [[3, 5], [3, 5]]
    assert PEOPLE.interval()["users"].tolist() == [3] * 4


AUCS = [
    {"A": [1, 1, 0, None, None], "B": [0, None, 0, 1, 1]},
    {"A": [1, None, 1, 1, None], "B": [1, 1, 0, 1, 1]},
    {"A": [0, 1, None, None, None], "B": [0, 0, 1, None, 1]},
]
"""The AUC of five users in three folds, by system; None if there is no irrelevant item."""

LIST_BY_AUC = {1: ["x", "q"], 0: ["q", "x"], None: ["x"]}


def with_aucs(aucs):
    """Evaluate systems with these values of AUC, by system, for the users 0, 1, …"""
    systems = {
        system: {user: LIST_BY_AUC[auc] for user, auc in enumerate(auc_of_users)}
        for system, auc_of_users in aucs.items()
    }
    return evaluate(systems, {user: ["x", "y"] for user in systems["A"]}, "AUC")


def test_a_pair_of_systems_is_compared_over_folds_where_both_have_a_value(tmp_path):
    result = pooled(dict(enumerate(map(with_aucs, AUCS))))
    wanted = [1 / 3, 1, 1 / 2, 0]  # the last user never has both
    found = result.compare("B").results
    expected = [np.mean(wanted), stats.ttest_1samp(wanted, 0).pvalue, 4]
    assert_allclose(found[["difference", "p", "compared"]].to_numpy(), [expected])
    halves = result.by(pd.Series(["low", "low", "high", "high", "high"]))
    differences = [halves[half].compare("B").results["difference"].item() for half in halves]
    assert_allclose(sorted(differences), [1 / 4, 2 / 3])
    result.save(tmp_path / "folds.receval")
    assert load(tmp_path / "folds.receval").compare("B").results.equals(found)


ROWS = [0.1, 0.2, 0.7, 1 / 3, 1e-17, 0.9]


@pytest.mark.parametrize("order", [ROWS, ROWS[::-1], ROWS[3:] + ROWS[:3]])
def test_the_order_of_folds_changes_no_bit_and_equal_values_stay_as_they_are(order):
    index = pd.MultiIndex.from_product([range(6), ["ann"]], names=["fold", "user"])
    columns = {"x": order, "y": ROWS, "same": 0.1, "none": np.nan}
    found = by_person(pd.DataFrame(columns, index)).loc["ann"]
    assert found["x"] == found["y"]
    assert found["same"] == 0.1
    assert np.isnan(found["none"])


def test_some_persons_of_pooled_folds_keep_their_folds():
    some = PEOPLE.where(["ann", "cem"])
    users = {1: ["ann"], 2: ["ann"], 3: ["ann", "cem"]}
    alone = pooled({name: fold.where(users[name]) for name, fold in PEOPLE.folds.items()})
    for table in ("per_row", "summary", "by_fold"):
        assert getattr(some, table).equals(getattr(alone, table))
    assert some.counts.loc["A", ["judged", "rows"]].tolist() == [2, 4]
    assert PEOPLE.where(["ben"]).counts.loc["A", "judged"] == 1  # in one fold only


OF_LISTS = {
    fold: evaluate(
        recs,
        {user: ["a"] for user in (1, 2, 3)},
        ["CC@1", "PC", "Gini@1", "HR@1"],
        items=pd.DataFrame(index=list("abcd")),
    )
    for fold, recs in {1: {1: ["a"], 2: ["a"]}, 2: {1: ["b"], 2: [], 3: ["c"]}}.items()
}
MEAN, UNION = pooled(OF_LISTS), pooled(OF_LISTS, set_level="union")


def test_measures_of_all_lists_are_means_over_folds_unless_the_union_is_asked_for():
    # PC and HR have a value for each user, so they are means over persons.
    expected = {
        "CC@1": (1 / 4 + 2 / 4) / 2,
        "PC": (1 + 1 / 2 + 1 / 2) / 3,
        "HR@1": (1 / 2 + 1 / 2) / 3,
    }
    assert MEAN.summary[[*expected]].iloc[0].to_dict() == expected
    assert MEAN.summary["Gini@1"].item() == MEAN.by_fold["Gini@1"].mean()
    assert UNION.summary[[*expected]].iloc[0].to_dict() == expected | {"CC@1": 3 / 4}
    assert MEAN.interval().index.get_level_values(0).tolist() == ["PC", "HR@1"]
    assert len(MEAN.plot()) == 4
    assert MEAN != UNION


OF_DAYS = pooled(dict(zip(pd.date_range("2026-01-01", periods=5), FOLDS.values(), strict=True)))
BY_RANKSYS = evaluate({1: ["x"]}, {1: ["x"]}, "nDCG", convention="ranksys")
ALIKE = [replace(convention("ranx"), name="mine", threshold=1) for _ in range(2)]
OF_OWN = {
    n: evaluate({1: ["x"]}, {1: ["x"]}, "MRR", convention=rules) for n, rules in enumerate(ALIKE)
}


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(MEAN, id="means"),
        pytest.param(UNION, id="union"),
        pytest.param(OF_DAYS, id="days"),
        pytest.param(pooled({"a": BY_RANKSYS, "b": BY_RANKSYS}), id="a convention"),
        pytest.param(pooled(OF_OWN), id="a convention of one's own"),
    ],
)
def test_a_file_keeps_pooled_folds(result, tmp_path):
    result.save(tmp_path / "folds.receval")
    assert load(tmp_path / "folds.receval") == result


def test_a_loaded_result_is_tested_over_folds_and_has_no_lists(tmp_path):
    PEOPLE.save(tmp_path / "folds.receval")
    loaded = load(tmp_path / "folds.receval")
    tested, again = (result.resampled_t(test_to_train=1 / 4) for result in (PEOPLE, loaded))
    pd.testing.assert_frame_equal(again, tested, check_exact=True)


TWICE = pooled({1: WHOLE, 2: WHOLE.where([2, 3])})
OVER_FOLDS = pooled(FOLDS)
OF_ALL_LISTS = "CC@1, Gini@1 of all lists of a fold: mean over 2 folds, without an interval"
TEXTS = [
    (PEOPLE.table(), "means over persons: 3 people, 5 rows of 3 folds", True),
    (PEOPLE.methods(), "3 people, 5 rows", True),
    (PEOPLE.compare(), "other people, but not to other training sets", True),
    (PEOPLE.compare(), "use resampled_t for these", True),
    (PEOPLE.compare(), "users: 3 judged, 5 rows", True),
    (PEOPLE.compare().methods(), "other people, but not to other training sets", True),
    (PEOPLE.compare().methods(), "resampled_t", False),
    (MEAN.table(), OF_ALL_LISTS, True),
    (MEAN.table(), "set_level", True),
    (MEAN.methods(), OF_ALL_LISTS, True),
    (MEAN.methods(), "set_level", False),
    (UNION.table(), "computed once over 2 folds together, without an interval", True),
    (TWICE.table(), "means depend on the order of equal scores in ", True),
    (OVER_FOLDS.table(), "means depend on the order of equal scores in 5 of 5", True),
    (OVER_FOLDS.methods(), "Means over persons: 60 people, 60 rows of 5 folds;", True),
    (OVER_FOLDS.methods(), "CC@1 of all lists of a fold: mean over 5 folds, without", True),
]


@pytest.mark.parametrize(("shown", "part", "is_said"), TEXTS)
def test_texts_of_pooled_folds(shown, part, is_said):
    assert (part in str(shown)) == is_said


def test_only_the_folds_know_their_ties():
    assert WHOLE.ties()["users"].sum() > 0
    assert OVER_FOLDS.ties().empty
    assert TWICE.ties().empty


def test_a_measure_without_a_value_in_folds_is_not_tested():
    nothing = evaluate(SYSTEMS, TRUTH.assign(relevance=1), ["AUC", "MRR"])
    result = pooled({1: nothing.where([1]), 2: nothing.where([2])})
    found = result.resampled_t(test_to_train=1 / 9)
    assert found.loc["AUC", ["difference", "t", "p"]].isna().all(axis=None)
    assert found.loc["MRR", "difference"].item() == 0


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
        (
            lambda: PEOPLE.explain("ann", "MRR", system="A"),
            r"^evaluation must have its lists.* ask the evaluation",
        ),
        *(
            (
                lambda folds=folds: pooled(dict(enumerate(folds, 1))),
                f"folds must have the same {name}; got .* in 1 and",
            )
            for name, choice in (("seen", "drop"), ("duplicates", "first"), ("users", [1, 2, 99]))
            for folds in permutations(
                evaluate({1: ["a"]}, {1: ["a"]}, "MRR", **options)
                for options in ({"history": {1: {"a"}}, name: choice}, {})
            )
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
