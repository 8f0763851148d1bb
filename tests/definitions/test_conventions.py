"""Conventions compared with their tools, ties with all orders, ladders between conventions."""

import itertools
import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path

import amount
import numpy as np
import pandas as pd
import pytest
from differential.peers import COMPARISONS
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, conventions, evaluate
from receval.definitions import Convention, convention, measure
from receval.definitions.convention import CONVENTIONS, FIELDS, TIES
from receval.evaluation import explain_difference
from receval.metrics import (
    binary_gain,
    clipped_log2,
    exponential_gain,
    linear_gain,
    relison_gain,
    shifted_log2,
)

RECORDED = Path(__file__).parents[1] / "recorded"


def tables(seed, full=False, users=60, items=14):
    """Return tables with ties, grades of 0, and users in one table or without relevant items."""
    rng = np.random.default_rng(seed)
    user, item = (place.ravel() for place in np.indices((users, items)))
    pairs = pd.DataFrame({"user": [f"u{u}" for u in user], "item": [f"i{i}" for i in item]})
    # The shares of the items that users have in their lists, and have judged; a few have none.
    listed, judged = rng.random((2, users)) * (rng.random((2, users)) < 0.85)
    in_list = full | (rng.random(user.size) < listed[user])
    in_truth = rng.random(user.size) < (0.5 if full else judged[user])
    grades = rng.choice(4, user.size, p=(0.5, 0.3, 0.1, 0.1)) * (rng.random(users) < 0.9)[user]
    recs = pairs.assign(score=rng.integers(0, 5, user.size) / 4)[in_list]
    return recs.sample(frac=1, random_state=seed), pairs.assign(relevance=grades)[in_truth]


# Live: `tests/differential` compares the values of each user ------------------------------------


def test_working_and_difference_use_the_order_of_equal_scores_that_the_cut_off_asks_for():
    """RR@k of ir_measures sorts equal scores by text, and all its other measures do the reverse."""
    truth = {"ann": {"x": 2, "y": 1}}
    lists = {
        "tied": {"ann": {"z": 1.0, "y": 1.0, "x": 1.0}},
        "sorted": {"ann": {"z": 3.0, "x": 2.0}},
    }
    expected = {"MRR": ("z", 0.5), "MRR@3": ("x", 1.0), "MRR(rel=2)@3": ("x", 1.0)}
    result = evaluate(lists, truth, [*expected], convention="ir_measures")
    assert "for MRR@k: equal scores by item id as text" in result.methods()
    for name, (first, value) in expected.items():
        table = result.explain("ann", name, system="tied").table
        assert (table["item"].iloc[0], table.iloc[-1, -1]) == (first, value)
        assert result.per_user.loc[("tied", "ann"), name] == value
    difference = result.diff("sorted", "tied", measure="MRR@3").loc["ann"]
    assert difference[["difference", "gains", "losses"]].tolist() == [0.5, 0.5, 0]


# Recorded --------------------------------------------------------------------------------------


RECORDED_TOOLS = ["rectools", "replay", "lenskit"]
"""Conventions recorded by ``tests/recorded/record.py``."""

RECORDED_ON_MANY_LISTS = {
    "recommenders": "many_recommendations",
    "cornac": "many_rankings",
    "recbole": "many_rankings",
    "elliot": "many_recommendations",
}
"""Conventions recorded by ``tests/recorded/record_many.py``, with the table of their lists."""

RECORDED_OPTIONS = {
    "achievable": {"ideal": "relevant"},
    "divide_by_k": {"average_precision": "cutoff"},
    "graded": {"gain": linear_gain},
    "relevant": {"average_precision": "relevant"},
    "raw": {"gain": linear_gain},
    "exp": {"gain": exponential_gain},
    "threshold=2": {"gain": relison_gain(threshold=2), "threshold": 2},
    "binary": {"gain": binary_gain},
}
"""Options of the tools in the names of recorded values, as changes of the convention."""


def lists_and_record(tool):
    """Return the lists, the truth and the record of a tool."""
    names = ("recommendations", "relevance")
    if tool in RECORDED_ON_MANY_LISTS:
        names = (RECORDED_ON_MANY_LISTS[tool], "many_relevance")
    lists, truth = (pd.read_csv(RECORDED / f"{name}.csv") for name in names)
    return lists, truth, json.loads((RECORDED / f"{tool}.json").read_text(encoding="utf-8"))


def recorded_values(record):
    """Yield the name of each recorded measure, the values of its users, and their mean."""
    for name, values in record.get("values", {}).items():
        of_users = pd.Series(values).rename(index=int)
        yield name, of_users, of_users.mean()
    for name, recorded in record.get("measures", {}).items():
        # NaN: the users whom the mean leaves out.
        of_users = pd.Series(recorded["values"], record["users"], dtype=float).dropna()
        yield name, of_users, recorded["mean"]


@pytest.mark.parametrize("tool", [*RECORDED_TOOLS, *RECORDED_ON_MANY_LISTS])
def test_recorded_values_of(tool):
    """The scripts in ``tests/recorded`` say how the values were recorded."""
    lists, truth, record = lists_and_record(tool)
    rules = convention(tool)
    assert next(iter(record["versions"].values())) in rules.source
    refused = dict(rules.refused)
    keys = set()
    for name, of_users, mean in recorded_values(record):
        measure_name, *options = name.split(" ")
        key = measure_name.partition("@")[0]
        if "refused" in options:
            with pytest.raises(InputError, match=re.escape(refused[key])):
                evaluate(lists, truth, measure_name, convention=tool)
            continue
        keys.add(key)
        changed = rules
        for option in options:
            changed = replace(changed, **RECORDED_OPTIONS[option])
        ours = evaluate(lists, truth, measure_name, convention=changed)
        own = ours.per_user[measure_name].dropna()
        assert set(own.index) == set(of_users.index), "the users whom the mean covers"
        assert_allclose(own, of_users[own.index], atol=1e-12, rtol=0, err_msg=name)
        assert_allclose(ours.summary[measure_name], mean, atol=1e-12, rtol=0, err_msg=name)
    assert keys == set(rules.measures.split())


def test_the_map_of_elliot_is_the_mean_of_the_precisions_at_all_ranks():
    lists, truth, record = lists_and_record("elliot")
    precisions = [f"Precision@{rank}" for rank in range(1, 21)]
    means = evaluate(lists, truth, precisions, convention="elliot").summary.loc[""]
    recorded = {k: record["measures"][f"MAP@{k} refused"]["mean"] for k in (1, 3, 10, 20)}
    assert_allclose([means[:k].mean() for k in recorded], [*recorded.values()], atol=1e-12, rtol=0)


def test_the_r_precision_of_recommenders_leaves_out_users_without_a_hit():
    lists, truth, record = lists_and_record("recommenders")
    values = evaluate(lists, truth, "R-Precision", ties="input").per_user["R-Precision"]
    recorded = record["measures"]["R-Precision refused"]["mean"]
    assert_allclose(values[values > 0].mean(), recorded, atol=1e-12, rtol=0)


def test_recommenders_averages_ndcg_over_more_users_than_other_measures():
    lists, truth, _ = lists_and_record("recommenders")
    names = ["nDCG@10", "nDCG(rel=2)@10", "MAP@10"]
    result = evaluate(lists, truth, names, convention="recommenders")
    n_users = result.per_user["MAP@10"].notna().sum()  # fewer than have a value of nDCG@10
    assert "for nDCG: judged users without recommendations count as 0" in result.methods()
    assert "for nDCG: judged users with a relevant item" in result.methods()
    # The way from one convention to another only has choices that matter for the measure.
    for measure_name, has_step in {"nDCG@10": False, "MAP@10": True}.items():
        steps = explain_difference(lists, truth, measure_name, "rectools", "recommenders")
        assert ("missing" in steps.index) == has_step
    # An argument of `evaluate` holds for all measures.
    for users, expected in (("both", n_users), (range(1, 241), 240)):
        told = evaluate(lists, truth, names, convention="recommenders", users=users)
        assert (told.per_user[["nDCG@10", "MAP@10"]].notna().sum() == expected).all()


@pytest.mark.parametrize(
    ("measure", "treatment", "users"),
    [
        ("nDCG@2", "count as 0", "judged users with a relevant item"),
        ("MAP@2", "are left out", "judged users with an answer and a relevant item"),
    ],
)
def test_methods_and_working_leave_out_exceptions_for_other_measures(measure, treatment, users):
    truth = {"ann": {"x": 1}, "bob": {"y": 1}}
    result = evaluate({"ann": ["y", "x"]}, truth, measure, convention="recommenders")
    assert f"Judged users without recommendations {treatment}. " in result.methods()
    assert f"Means are over {users}: 2 judged, 1 answered" in result.methods()
    choices = result.explain("bob", measure).choices
    assert choices["missing"] == f"judged users without recommendations {treatment}"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("missing", "zeros", r"missing must be one of 'zero', .*; got 'zeros'"),
        ("ties", "items", "ties must be one of 'item'"),
        ("ideal", "best", "ideal must be one of 'relevant'"),
        ("no_truth", None, "no_truth must be one of 'zero', 'skip'; got None"),
        ("negative", "skip", "negative must be one of 'error', 'zero'"),
        ("precision", "k", "precision must be one of 'cutoff'"),
        ("threshold", "4", "threshold must be a number; got '4'"),
        ("cut_ties", (("MRR", "items"),), "cut_ties of MRR must be one of 'item'"),
        ("missing_exceptions", (("nDCG", "zeros"),), "of nDCG must be one of 'zero'"),
        ("missing_exceptions", (("nDCG@10", "zero"),), "must name measures without parameters"),
        ("missing_exceptions", "nDCG", "missing_exceptions must be a tuple of pairs"),
        ("refused", (("AUC",),), "refused must be a tuple of pairs"),
        ("gain", "linear", "gain must be a function such as .*linear_gain; got 'linear'"),
        ("discount", None, "discount must be a function such as"),
    ],
)  # fmt: skip
def test_choices_of_own_conventions_are_checked(field, value, message):
    with pytest.raises(InputError, match=message):
        replace(CONVENTIONS["recommenders"], name="mine", **{field: value})


# The table -------------------------------------------------------------------------------------


# Each formula takes the grades of the first four ranks, and the grades of the relevant items.


def dcg_by_hand(grades, discount, gain=lambda grade: grade):
    return sum(gain(g) * discount(rank) for rank, g in enumerate(grades, 1))


def ndcg_with(discount, gain=lambda grade: grade):
    def ndcg(grades, relevant):
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], discount, gain)
        return dcg_by_hand(grades, discount, gain) / ideal

    return ndcg


def hits(grades):
    return [rank for rank, grade in enumerate(grades, 1) if grade > 0]


def average_precision_over(divisor):
    """Return the formula of AP; ``divisor`` takes the numbers of hits and of relevant items."""

    def average_precision(grades, relevant):
        total = sum(n / rank for n, rank in enumerate(hits(grades), 1))
        return total / divisor(len(hits(grades)), len(relevant)) if total else 0.0

    return average_precision


def program_gain(grade):
    """The gain of RankSys and RELISON, whose threshold is 0.5."""
    return 2 ** (grade - 0.5 + 1) - 1 if grade > 0 else 0.0


BY_HAND = {
    # TRECAveragePrecision and AverageRecommendationMetric of RELISON; the rest is RankSys's.
    "relison_program": {
        "MAP@4": average_precision_over(lambda n_hits, n_relevant: n_relevant),
        "nDCG@4": ndcg_with(shifted_log2, program_gain),
        "Precision@4": lambda grades, relevant: len(hits(grades)) / 4,
        "Recall@4": lambda grades, relevant: len(hits(grades)) / len(relevant),
    },
    # AP divides by the relevant items or k, if that is less.
    "ranksys": {
        "MAP@4": average_precision_over(lambda n_hits, n_relevant: min(4, n_relevant)),
        "nDCG@4": ndcg_with(shifted_log2, program_gain),
        "Precision@4": lambda grades, relevant: len(hits(grades)) / 4,
        "Recall@4": lambda grades, relevant: len(hits(grades)) / len(relevant),
    },
    # Precision divides by the items retrieved, AP by all relevant ones.
    "relison": {
        "MAP@4": average_precision_over(lambda n_hits, n_relevant: n_relevant),
        "nDCG@4": ndcg_with(shifted_log2),
        "Precision@4": lambda grades, relevant: len(hits(grades)) / len(grades),
        "Recall@4": lambda grades, relevant: len(hits(grades)) / len(relevant),
        "MRR@4": lambda grades, relevant: max((1 / rank for rank in hits(grades)), default=0),
    },
    "matchmaking": {
        "HR@4": lambda grades, relevant: float(len(hits(grades)) > 0),
        "MRR@4": lambda grades, relevant: max((1 / rank for rank in hits(grades)), default=0),
    },
    # The first two ranks have the same weight, as in the document's example.
    "satisfaction": {
        "CG@4": lambda grades, relevant: sum(grades),
        "DCG@4": lambda grades, relevant: dcg_by_hand(grades, clipped_log2),
        "nDCG@4": ndcg_with(clipped_log2),
    },
    # rank_metrics.py on lists of all objects: AP is the mean of the precisions at the hits.
    "fuzzy": {
        "MAP@4": average_precision_over(lambda n_hits, n_relevant: n_hits),
        "nDCG@4": ndcg_with(clipped_log2),
        "Precision@4": lambda grades, relevant: len(hits(grades)) / 4,
        "Recall@4": lambda grades, relevant: len(hits(grades)) / len(relevant),
        "MRR@4": lambda grades, relevant: max((1 / rank for rank in hits(grades)), default=0),
    },
}
"""Conventions verified from source, formulas or an example: their formulas in plain Python."""

PARTS_OF_GRADES = {"relison_program": 2, "ranksys": 4}
"""Divisors of the grades: some are then the threshold of the gain, 0.5, or below it."""


@pytest.mark.parametrize("name", BY_HAND)
def test_formulas_by_hand(name):
    """A user without relevant items counts as 0, and so does one without a list."""
    recs, truth = tables(70 + list(BY_HAND).index(name), full=name == "fuzzy")
    truth["relevance"] /= PARTS_OF_GRADES.get(name, 1)
    if name == "relison_program":  # its users all have a link
        truth = truth[truth.groupby("user")["relevance"].transform("max") > 0]
    ordered = recs.sort_values("score", ascending=False, kind="stable")
    lists = ordered.groupby("user")["item"].agg(list)
    lowest = 0.5 if name == "ranksys" else 0.0  # grades below are not relevant
    rows = []
    for user, judged in truth[truth["relevance"] >= lowest].groupby("user"):
        grade = dict(zip(judged["item"], judged["relevance"], strict=True))
        relevant = [g for g in grade.values() if g > 0]
        grades = [grade.get(item, 0) for item in lists.get(user, [])[:4]]
        is_answered = len(relevant) > 0 and len(grades) > 0
        rows.append([f(grades, relevant) if is_answered else 0.0 for f in BY_HAND[name].values()])
    ours = evaluate(recs, truth, [*BY_HAND[name]], convention=name).summary.loc[""]
    assert_allclose(ours, np.sum(rows, axis=0) / truth["user"].nunique(), atol=1e-12)


def test_measures_of_items_in_matchmaking():
    recs, truth = tables(73)
    # The first of 20 items has most of the awards, and is the short head.
    items = pd.DataFrame({"awards": [100] + 19 * [1]}, index=[f"i{i}" for i in range(20)])
    names = ["PC", "CC", "LTP"]
    ours = evaluate(recs, truth, names, items=items, convention="matchmaking").summary.loc[""]
    shown = recs[recs["user"].isin(truth["user"])]
    answered = shown["user"].nunique() / truth["user"].nunique()
    assert_allclose(ours, [answered, shown["item"].nunique() / 20, (shown["item"] != "i0").mean()])


TESTED = {
    "live": ["receval", *(comparison.convention.name for comparison in COMPARISONS.values())],
    "recorded values": [*RECORDED_TOOLS, *RECORDED_ON_MANY_LISTS],
}
"""Conventions with values of the tool, by what they claim; the others are in `BY_HAND`."""


@pytest.mark.parametrize("rules", CONVENTIONS.values(), ids=CONVENTIONS)
def test_a_test_verifies_what_a_convention_claims(rules):
    tested = TESTED.get(rules.verified.partition(":")[0], BY_HAND)
    assert rules.name in tested, (
        f"convention {rules.name!r} claims {rules.verified!r}: add it to COMPARISONS in "
        f"tests/differential/peers.py, or record tests/recorded/{rules.name}.json and add it to "
        "RECORDED_ON_MANY_LISTS, or add its formulas to BY_HAND"
    )


def test_conventions_is_one_table_with_sources_and_verification():
    table = conventions()
    assert set(table.index) == set(CONVENTIONS)
    assert (table.drop(columns=["note", "refused"]) != "").all(axis=None)
    assert table.loc["recbole", "refused"].startswith("AUC: RecBole's AUC compares the items")
    shown = table.loc[["lenskit", "ranx"], "mean over"]
    assert shown.tolist() == ["judged users with an answer and a relevant item", "judged users"]
    for rules in CONVENTIONS.values():
        assert {measure(name).key for name in rules.measures.split()} == set(rules.measures.split())


def test_every_choice_has_words_and_fields():
    assert list(FIELDS) == list(convention("receval").words())
    bundled = {name for names in FIELDS.values() for name in names}
    described = {"name", "source", "verified", "measures", "refused", "note"}
    assert bundled | described == {field.name for field in fields(Convention)}


def test_a_convention_of_ones_own():
    recs, truth = tables(1)
    mine = replace(convention("ranx"), name="mine", threshold=3.0)
    result = evaluate(recs, truth, "HR@3", convention=mine)
    strict = truth.assign(relevance=truth["relevance"] >= 3)
    assert_array_equal(result.per_user, evaluate(recs, strict, "HR@3", convention="ranx").per_user)
    assert "'mine'" in result.methods()
    with pytest.raises(InputError, match=r"convention must be one of .*Did you mean 'ranx'"):
        evaluate(recs, truth, "HR@3", convention="rankx")


# Ties ------------------------------------------------------------------------------------------

TIED = ["HR@3", "MRR@3", "MRR", "MAP@3", "MAP", "nDCG@3", "nDCG", "Precision@3", "Recall@3"]
TIED += ["F1@3", "R-Precision", "DCG@3", "DCG", "CG@3", "ERR@3", "ERR"]


def orders(scores):
    """Yield every order of equal scores, as positions by rank."""
    runs = [np.flatnonzero(scores == score) for score in np.unique(scores)[::-1]]
    for parts in itertools.product(*map(itertools.permutations, runs)):
        yield np.concatenate(parts).astype(int)


@pytest.mark.parametrize("rules", ["receval", "lenskit", "rectools", "fuzzy", "ranksys"])
def test_ties_against_all_orders(rules):
    recs, truth = tables(50, users=amount.of(50, 1_000), items=6)
    recs["score"] = recs["score"].round()  # more ties
    copies = pd.concat(
        own.iloc[order].assign(order=number, rank=np.arange(1, len(own) + 1))
        for _, own in recs.groupby("user")
        for number, order in enumerate(orders(own["score"].to_numpy()))
    )
    of_users = copies[["user", "order"]].drop_duplicates()
    judged = truth.merge(of_users, how="left").fillna({"order": 0})  # 0: users without a list
    copies, judged = (
        table.assign(user=table["user"] + "/" + table["order"].astype(int).astype(str))
        for table in (copies, judged)
    )
    names = [*TIED, "bpref"]
    everything = evaluate(copies, judged, names, rank="rank", convention=rules).per_user
    by_user = everything.groupby(lambda copy: copy.partition("/")[0])
    averaged = evaluate(recs, truth, names, convention=rules, ties="average").per_user
    assert_allclose(averaged, by_user.mean(), atol=1e-12)
    result = evaluate(recs, truth, names, convention=rules)
    found = result.ties()
    assert_allclose(found["value"], result.summary.loc[""], atol=0)
    bounds = {"pessimistic": by_user.min(), "expected": by_user.mean(), "optimistic": by_user.max()}
    for column, values in bounds.items():
        assert_allclose(found.loc[TIED, column], values[TIED].mean(), atol=1e-12)
    spread = by_user.max() - by_user.min()
    assert_array_equal(found.loc[TIED, "users"], (spread[TIED] > 1e-12).sum())


NOT_THE_BOUND = [("fuzzy", "optimistic"), ("fuzzy", "pessimistic")]
"""The best order for average precision over the hits found can leave a hit below the cut-off."""


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("rules", ["receval", "pytrec_eval", "ir_measures", "fuzzy"])
def test_every_value_lies_in_its_interval(rules, ties):
    recs, truth = tables(40, users=120)
    both = {"A": recs, "B": recs.assign(score=-recs["score"])}
    names = [*TIED, "bpref"]
    found = evaluate(both, truth, names, convention=rules, ties=ties).ties()
    assert found.index.tolist() == [(system, name) for system in both for name in names]
    assert (found["pessimistic"] <= found["value"] + 1e-12).all()
    assert (found["value"] <= found["optimistic"] + 1e-12).all()
    assert (found["users"] > 0).all()
    column = "expected" if ties == "average" else ties
    if column in found and (rules, ties) not in NOT_THE_BOUND:
        assert_allclose(found[column], found["value"], atol=1e-12)


@pytest.mark.parametrize("rules", ["trec_eval", "pytrec_eval", "ir_measures", "receval"])
def test_bounds_are_over_scores_that_the_convention_takes_as_equal(rules):
    # The two scores are equal as float32, and trec_eval puts b, the later id, first.
    recs = pd.DataFrame({"user": 1, "item": ["a", "b"], "score": [1 + 1e-9, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": ["a"], "relevance": 1})
    result = evaluate(recs, truth, ["MRR", "MRR@5", "nDCG", "bpref"], convention=rules)
    columns = ["pessimistic", "expected", "value", "optimistic", "users"]
    is_open, closed = rules != "receval", [1, 1, 1, 1, 0]
    expected = [0.5, 0.75, 0.5, 1, 1] if is_open else closed
    assert result.ties().loc["MRR", columns].tolist() == expected
    # MS MARCO's program, which has MRR@k of ir_measures, compares scores as float64.
    expected = closed if rules == "ir_measures" else expected
    assert result.ties().loc["MRR@5", columns].tolist() == expected
    for name, column in {"optimistic": "optimistic", "average": "expected"}.items():
        by_order = evaluate(recs, truth, "MRR", convention=rules, ties=name)
        assert by_order.summary.loc["", "MRR"] == result.ties().loc["MRR", column]
        assert ("scores compared as float32" in by_order.methods()) == is_open
    assert ("MRR 0.5" in repr(result)) == is_open  # the note under the table


def test_ties_are_told_where_they_show():
    recs = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": 1.0})
    truth = pd.DataFrame({"user": [1, 2], "item": ["b", "a"], "relevance": 1})
    result = evaluate(recs, truth, ["MRR", "HR@2"])
    note = "means depend on the order of equal scores: MRR 0.75 to 1.00 (expected 0.88); see ties()"
    assert note in repr(result.table(digits=2)).splitlines()
    assert note in result.table(digits=2)._repr_html_()
    assert f"% {note}" in result.to_latex()
    assert result.ties().loc["MRR"].tolist() == [0.75, 0.875, 0.75, 1.0, 1]
    assert result.ties().loc["HR@2", "users"] == 0
    apart = evaluate(recs.assign(score=[2.0, 1.0, 1.0]), truth, ["MRR", "HR@2"])
    averaged = evaluate(recs, truth, ["MRR", "HR@2"], ties="average")
    assert "equal scores" not in repr(apart) + repr(averaged)
    assert (apart.ties()["users"] == 0).all()
    assert (apart.ties()["expected"] == apart.ties()["value"]).all()
    several = evaluate({"A": recs, "B": recs}, truth, "MRR")
    assert "A MRR 0.7500 to 1.0000 (expected 0.8750), B MRR" in repr(several)


def test_ties_below_the_cutoff_and_among_ranks_are_no_ties():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [2.0, 1.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    assert evaluate(recs, truth, "MRR@1")._systems[""].lists.is_tied.tolist() == [False]
    assert evaluate(recs, truth, "MRR@2")._systems[""].lists.is_tied.tolist() == [True]
    ranked = evaluate(recs.assign(rank=[1, 2, 3]), truth, "MRR", rank="rank")
    assert (ranked.ties()["users"] == 0).all()
    coverage = evaluate(recs, truth, "CC", items=pd.DataFrame(index=[1, 2, 3]))
    assert coverage.ties().empty
    assert "equal scores" not in repr(coverage)


@pytest.mark.parametrize("scores", [1.0, [2.0, 1.0]])
def test_the_working_under_averaged_ties_shows_the_scores_of_ties(scores):
    recs = pd.DataFrame({"user": 1, "item": ["a", "b"], "score": scores})
    truth = pd.DataFrame({"user": [1], "item": ["b"], "relevance": [1]})
    result = evaluate(recs, truth, "nDCG@5", ties="average")
    explained = result.explain(1, "nDCG@5")
    assert explained.value == result.summary.iloc[0, 0]
    assert ("score" in explained.table) == (scores == 1.0)


# Ladders ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("nDCG@5", "sklearn", "ranksys"),
        ("nDCG@5", "fuzzy", "ir_measures"),
        ("MAP@5", "fuzzy", "ir_measures"),
        ("Precision@5", "ranx", "lenskit"),
        ("MRR@3", "fuzzy", "ir_measures"),
        ("F1@3", "ranx", "lenskit"),
        ("DCG", "sklearn", "ranksys"),
        ("CG", "ranx", "lenskit"),
    ],
)
def test_the_steps_add_up(name, a, b):
    recs, truth = tables(60)
    ladder = explain_difference(recs, truth, name, a, b)
    ends = {one: evaluate(recs, truth, name, convention=one).summary.iloc[0, 0] for one in (a, b)}
    assert ladder["value"].iloc[[0, -1]].to_dict() == ends
    steps = ladder.iloc[1:-1]
    assert_allclose(steps["change"].sum(), ends[b] - ends[a], atol=1e-12)
    assert_allclose(ladder["change"].iloc[-1], ends[b] - ends[a], atol=0)
    assert_allclose(ladder["value"].diff().iloc[1:-1], steps["change"], atol=0)
    assert (steps["from"] != steps["to"]).all()
    assert set(steps.index) <= set(measure(name).choices)


def test_a_ladder_says_which_choice_it_is():
    recs, truth = tables(61)
    ladder = explain_difference(recs, truth, "ndcg@5", "rectools", "replay")
    assert ladder.index.tolist() == ["rectools", "ideal list", "ties", "replay"]
    assert ladder.loc["ideal list", "change"] > 0.02
    assert_allclose(ladder.loc["ideal list", "alone"], ladder.loc["ideal list", "change"])
    same = explain_difference(recs, truth, "HR@3", "trec_eval", "ir_measures")
    assert same["change"].dropna().to_dict() == {"ties": 0, "ir_measures": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "MAP@2", "b": "elliot"}, r"'elliot' has; got MAP@2\. Elliot's MAP"),
        ({"measure": "MAP@2", "a": "elliot"}, r"'elliot' has; got MAP@2\. Elliot's MAP"),
        ({"ties": "item"}, r"options must leave the choices to a and b; got \['ties'\]"),
        ({"a": "rank"}, r"convention must be one of"),
        ({"system": "item"}, r"recommendations must be of one system; got "),
        ({"measure": "nDGC"}, r"measures must be known names"),
    ],
)
def test_explain_difference_rejects(options, message):
    recs, truth = tables(62)
    given = {"measure": "nDCG", "a": "ranx", "b": "lenskit"} | options
    with pytest.raises(InputError, match=message):
        explain_difference(recs, truth, **given)


def test_both_means_of_lenskit_with_lists_of_users_without_test_data():
    # As in the source of LensKit 2025.8.1: metrics/ranking/*.py for one list, and metrics/bulk.py,
    # whose list_summary() fills missing values with 0.
    lists = {"ann": ["a", "b"], "bob": ["x", "y", "z"], "dan": ["a"]}
    test = {"ann": {"a", "c"}, "bob": {"z"}, "cem": {"q"}}
    nan, log2_of_3 = math.nan, math.log2(3)
    list_metrics = pd.DataFrame(
        {
            "HR@3": [1, 1, nan],
            "MRR@3": [1, 1 / 3, nan],
            "nDCG@3": [1 / 2, 1 / log2_of_3, nan],  # ranks 1 and 2 count fully
            # LensKit's precision of a list without test data is 0, also if it doesn't fill missing
            # values.
            "Precision@3": [1 / 2, 1 / 3, 0],
        },
        index=[*lists],
    )
    left_out, counted = (
        evaluate(lists, test, [*list_metrics], convention="lenskit", **options).summary.iloc[0]
        for options in ({}, {"users": "answered"})
    )
    assert_allclose(left_out[:3], list_metrics.mean()[:3])
    assert_allclose(counted, list_metrics.fillna(0).mean(), rtol=1e-14)
    assert left_out["Precision@3"] > counted["Precision@3"]
