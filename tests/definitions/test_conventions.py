"""Conventions compared with their tools, ties with all orders, ladders between conventions."""

import inspect
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
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, conventions, evaluate
from receval.definitions import Convention, convention, measure
from receval.definitions.convention import FIELDS, TIES
from receval.definitions.names import CONVENTIONS
from receval.evaluation import explain_difference
from receval.metrics import binary_gain, exponential_gain, linear_gain, relison_gain

RECORDED = Path(__file__).parents[1] / "recorded"
BY_HAND = {
    "ranksys": "test_the_program_of_ranksys_line_by_line",
    "relison": "test_the_formulas_of_relison",
    "relison_program": "test_the_program_of_relison_line_by_line",
    "matchmaking": "test_the_formulas_of_matchmaking",
    "satisfaction": "test_the_example_of_satisfaction",
    "fuzzy": "test_the_program_of_fuzzy_line_by_line",
}
"""Conventions verified from source, formulas or an example, with the test that does it here."""


def tables(seed, users=60, items=14, longest=12, full=False):
    """Return tables with ties, grades of 0, and users in one table or without relevant items."""
    rng = np.random.default_rng(seed)
    recs, truth = [], []
    for user in range(users):
        length = items if full else rng.integers(1, longest + 1)
        if full or rng.random() < 0.85:
            shown = rng.permutation(items)[:length]
            scores = rng.integers(0, 5, length) / 4
            recs += [(f"u{user}", f"i{i}", s) for i, s in zip(shown, scores, strict=True)]
        if full or rng.random() < 0.85:
            judged = rng.permutation(items)[: rng.integers(1, items)]
            grades = rng.choice(4, judged.size, p=(0.5, 0.3, 0.1, 0.1)) * (rng.random() < 0.9)
            truth += [(f"u{user}", f"i{i}", int(g)) for i, g in zip(judged, grades, strict=True)]
    recs = [recs[i] for i in rng.permutation(len(recs))]
    return (
        pd.DataFrame(recs, columns=["user", "item", "score"]),
        pd.DataFrame(truth, columns=["user", "item", "relevance"]),
    )


def as_dicts(frame, value):
    return {
        user: dict(zip(rows["item"], rows[value], strict=True))
        for user, rows in frame.groupby("user")
    }


# Live ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("interpreted_ranx")
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_rank_biased_precision_of_ranx_where_grades_are_yes_and_no():
    """It multiplies by the grade, though its documentation says that r is 0 or 1."""
    from ranx import Qrels, Run
    from ranx import evaluate as theirs

    recs, truth = tables(5)
    truth["relevance"] = truth["relevance"].clip(upper=1)
    run, qrels = Run(as_dicts(recs, "score")), Qrels(as_dicts(truth, "relevance"))
    found = theirs(qrels, run, ["rbp.80", "rbp.50"], make_comparable=True)
    ours = evaluate(recs, truth, ["RBP", "RBP(p=0.5)"], convention="ranx").summary.loc[""]
    assert_allclose(ours, list(found.values()), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_ir_measures_with_its_two_rules_for_ties(seed):
    import ir_measures
    from ir_measures import AP, RR, P, R, Rprec, Success, nDCG

    recs, truth = tables(10 + seed)
    recs["score"] += np.random.default_rng(seed).choice([0, 1e-9], len(recs))
    names = {
        Success @ 3: "HR@3",
        RR: "MRR",
        RR @ 3: "MRR@3",
        RR @ 5: "MRR@5",
        RR(rel=2) @ 3: "MRR(rel=2)@3",
        AP @ 3: "MAP@3",
        nDCG @ 3: "nDCG@3",
        P @ 3: "Precision@3",
        R @ 3: "Recall@3",
        Rprec: "R-Precision",
    }
    run = recs.set_axis(["query_id", "doc_id", "score"], axis=1)
    qrels = truth.set_axis(["query_id", "doc_id", "relevance"], axis=1)
    result = evaluate(recs, truth, list(names.values()), convention="ir_measures")
    compared = 0
    for found in ir_measures.iter_calc(list(names), qrels, run):
        ours = result.per_user.loc[found.query_id, names[found.measure]]
        assert_allclose(ours, found.value, atol=1e-12, err_msg=str(found))
        compared += 1
    assert compared == result.per_user.size
    means = ir_measures.calc_aggregate(list(names), qrels, run)
    for one, name in names.items():
        assert_allclose(result.summary.loc["", name], means[one], atol=1e-12)
    plain = evaluate(recs, truth, ["MRR@3"], convention="trec_eval")
    assert (plain.per_user["MRR@3"] != result.per_user["MRR@3"]).any()
    assert "for MRR@k: equal scores by item id as text" in result.methods()


def test_working_and_difference_use_the_order_of_equal_scores_that_the_cut_off_asks_for():
    """RR@k of ir_measures sorts equal scores by text, and all its other measures do the reverse."""
    truth = {"ann": {"x": 2, "y": 1}}
    lists = {
        "tied": {"ann": {"z": 1.0, "y": 1.0, "x": 1.0}},
        "sorted": {"ann": {"z": 3.0, "x": 2.0}},
    }
    measures = ["MRR", "MRR@3", "MRR(rel=2)@3"]
    result = evaluate(lists, truth, measures, convention="ir_measures")
    assert_array_equal(result.per_user.loc["tied"].to_numpy(), [[0.5, 1.0, 1.0]])
    for name, first in (("MRR", "z"), ("MRR@3", "x"), ("MRR(rel=2)@3", "x")):
        table = result.explain("ann", name, system="tied").table
        assert table["item"].iloc[0] == first
        assert table.iloc[-1, -1] == result.per_user.loc[("tied", "ann"), name]
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


@pytest.mark.parametrize("tool", RECORDED_ON_MANY_LISTS)
def test_the_many_lists_tell_a_tool_from_receval_itself(tool):
    lists, truth, _ = lists_and_record(tool)
    measures = [f"{name}@10" for name in ("nDCG", "Precision", "Recall")]
    ours = evaluate(lists, truth, measures).summary.loc[""]
    theirs = evaluate(lists, truth, measures, convention=tool).summary.loc[""]
    assert (abs(ours - theirs) > 1e-3).all()


def test_the_map_of_elliot_is_the_mean_of_the_precisions_at_all_ranks():
    lists, truth, record = lists_and_record("elliot")
    for k in (1, 3, 10, 20):
        precisions = [f"Precision@{rank}" for rank in range(1, k + 1)]
        means = evaluate(lists, truth, precisions, convention="elliot").summary.loc[""]
        recorded = record["measures"][f"MAP@{k} refused"]["mean"]
        assert_allclose(means.mean(), recorded, atol=1e-12, rtol=0)


def test_the_r_precision_of_recommenders_leaves_out_users_without_a_hit():
    lists, truth, record = lists_and_record("recommenders")
    values = evaluate(lists, truth, "R-Precision", ties="input").per_user["R-Precision"]
    recorded = record["measures"]["R-Precision refused"]["mean"]
    assert_allclose(values[values > 0].mean(), recorded, atol=1e-12, rtol=0)


def test_recommenders_averages_ndcg_over_more_users_than_other_measures():
    lists, truth, _ = lists_and_record("recommenders")
    names = ["nDCG@10", "nDCG(rel=2)@10", "MAP@10"]
    result = evaluate(lists, truth, names, convention="recommenders")
    n_users = result.per_user.notna().sum()
    assert n_users["nDCG@10"] > n_users["MAP@10"]
    assert "for nDCG: judged users without recommendations count as 0" in result.methods()
    assert "for nDCG: judged users with a relevant item" in result.methods()
    # The way from one convention to another only has choices that matter for the measure.
    for measure_name, has_step in {"nDCG@10": False, "MAP@10": True}.items():
        steps = explain_difference(lists, truth, measure_name, "rectools", "recommenders")
        assert ("missing" in steps.index) == has_step
    # An argument of `evaluate` holds for all measures.
    skipping = evaluate(lists, truth, names, convention="recommenders", users="both")
    assert skipping.per_user["nDCG@10"].notna().sum() == n_users["MAP@10"]
    everybody = evaluate(lists, truth, names, convention="recommenders", users=range(1, 241))
    assert (everybody.per_user.notna().sum() == 240).all()


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


def test_a_difference_is_not_explained_for_measures_that_a_tool_computes_in_another_way():
    lists, truth = {"ann": ["y", "x"]}, {"ann": {"x": 1}}
    for a, b in (("recommenders", "elliot"), ("elliot", "recommenders")):
        with pytest.raises(
            InputError, match=r"the convention 'elliot' has; got MAP@2\. Elliot's MAP"
        ):
            explain_difference(lists, truth, "MAP@2", a, b)


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
    ],
)  # fmt: skip
def test_choices_of_own_conventions_are_checked(field, value, message):
    with pytest.raises(InputError, match=message):
        replace(CONVENTIONS["recommenders"], name="mine", **{field: value})


# The table -------------------------------------------------------------------------------------


def values_by_hand(recs, truth, k, of_user):
    """Return the mean of a function of each user's grades by rank and relevant grades.

    It is called with the first k grades and with the grades of the relevant items. A user without
    relevant items counts as 0, and so does one without a list.
    """
    lists = recs.sort_values("score", ascending=False, kind="stable").groupby("user")["item"]
    listed = {user: items.tolist() for user, items in lists}
    rows = []
    for user, judged in truth.groupby("user"):
        grade = dict(zip(judged["item"], judged["relevance"], strict=True))
        relevant = [g for g in grade.values() if g > 0]
        gains = [grade.get(item, 0) for item in listed.get(user, [])[:k]]
        rows.append(of_user(gains, relevant) if relevant and gains else 0 * of_user([1], [1]))
    return np.mean(rows, axis=0)


def hits_and_precisions(gains):
    """The number of hits, and the sum of the precisions at their ranks."""
    hits, total = 0, 0.0
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            hits += 1
            total += hits / rank
    return hits, total


def dcg_by_hand(grades, discount, gain=lambda g: g):
    return sum(gain(g) * discount(rank) for rank, g in enumerate(grades, 1))


def shifted(rank):
    return 1 / np.log2(rank + 1)


def clipped(rank):
    return 1 / max(np.log2(rank), 1)


NAMES = ["MAP@4", "nDCG@4", "Precision@4", "Recall@4"]


def program_gain(grade):
    """The gain of RankSys and RELISON, whose threshold is 0.5."""
    return 2 ** (grade - 0.5 + 1) - 1 if grade > 0 else 0.0


def test_the_program_of_relison_line_by_line():
    """TRECAveragePrecision and AverageRecommendationMetric of RELISON; the rest is RankSys's."""
    recs, truth = tables(70)
    truth["relevance"] /= 2  # some grades are the gain's threshold, 0.5
    with_links = truth[truth.groupby("user")["relevance"].transform("max") > 0]

    def of_user(gains, relevant):
        hits, precisions = hits_and_precisions(gains)
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], shifted, program_gain)
        dcg = dcg_by_hand(gains, shifted, program_gain)
        n = len(relevant)
        return np.array([precisions / n, dcg / ideal, hits / 4, hits / n])

    ours = evaluate(recs, with_links, NAMES, convention="relison_program").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, with_links, 4, of_user), atol=1e-12)
    others = evaluate(recs, with_links, "MAP@4", convention="ranksys").summary
    assert abs(ours["MAP@4"] - others.iloc[0, 0]) > 1e-3


def test_the_program_of_ranksys_line_by_line():
    """AP divides by the relevant items or k, if that is less; grades below 0.5 are not relevant."""
    recs, truth = tables(71)
    truth["relevance"] /= 4  # some grades are below the threshold of 0.5, some are equal to it

    def of_user(gains, relevant):
        hits, precisions = hits_and_precisions(gains)
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], shifted, program_gain)
        dcg = dcg_by_hand(gains, shifted, program_gain)
        n = len(relevant)
        return np.array([precisions / min(4, n), dcg / ideal, hits / 4, hits / n])

    strict = truth.assign(relevance=truth["relevance"].where(truth["relevance"] >= 0.5, 0))
    ours = evaluate(recs, truth, NAMES, convention="ranksys").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, strict, 4, of_user), atol=1e-12)


def test_the_formulas_of_relison():
    """Precision divides by the items retrieved, AP by all relevant ones."""
    recs, truth = tables(72)

    def of_user(gains, relevant):
        hits, precisions = hits_and_precisions(gains)
        first = next((1 / rank for rank, g in enumerate(gains, 1) if g > 0), 0.0)
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], shifted)
        shares = [precisions / len(relevant), dcg_by_hand(gains, shifted) / ideal]
        return np.array([*shares, hits / len(gains), hits / len(relevant), first])

    ours = evaluate(recs, truth, [*NAMES, "MRR@4"], convention="relison").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, truth, 4, of_user), atol=1e-12)


def test_the_formulas_of_matchmaking():
    """Hit rate and reciprocal rank of the first k; equal scores stay in the order of the rows."""
    recs, truth = tables(73)

    def of_user(gains, _):
        first = next((1 / rank for rank, g in enumerate(gains, 1) if g > 0), 0.0)
        return np.array([float(first > 0), first])

    ours = evaluate(recs, truth, ["HR@4", "MRR@4"], convention="matchmaking").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, truth, 4, of_user), atol=1e-12)
    # The first of 20 items has most of the awards, and is the short head.
    items = pd.DataFrame({"awards": [100] + 19 * [1]}, index=[f"i{i}" for i in range(20)])
    names = ["PC", "CC", "LTP"]
    ours = evaluate(recs, truth, names, items=items, convention="matchmaking").summary.loc[""]
    shown = recs[recs["user"].isin(truth["user"])]
    answered = shown["user"].nunique() / truth["user"].nunique()
    assert_allclose(ours, [answered, shown["item"].nunique() / 20, (shown["item"] != "i0").mean()])


def test_the_example_of_satisfaction():
    """The first two ranks have the same weight, as in the document's example."""
    recs, truth = tables(74)

    def of_user(gains, relevant):
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], clipped)
        dcg = dcg_by_hand(gains, clipped)
        return np.array([sum(gains), dcg, dcg / ideal])

    names = ["CG@4", "DCG@4", "nDCG@4"]
    ours = evaluate(recs, truth, names, convention="satisfaction").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, truth, 4, of_user), atol=1e-12)


def test_the_program_of_fuzzy_line_by_line():
    """rank_metrics.py on lists of all objects: AP is the mean of the precisions at the hits."""
    recs, truth = tables(75, full=True)

    def of_user(gains, relevant):
        hits, precisions = hits_and_precisions(gains)
        first = next((1 / rank for rank, g in enumerate(gains, 1) if g > 0), 0.0)
        ideal = dcg_by_hand(sorted(relevant, reverse=True)[:4], clipped)
        average = precisions / hits if hits else 0.0
        ndcg = dcg_by_hand(gains, clipped) / ideal
        return np.array([average, ndcg, hits / 4, hits / len(relevant), first])

    ours = evaluate(recs, truth, [*NAMES, "MRR@4"], convention="fuzzy").summary.loc[""]
    assert_allclose(ours, values_by_hand(recs, truth, 4, of_user), atol=1e-12)


LIVE = Path(__file__).parents[1] / "differential" / "peers.py"
ALSO_LIVE = {
    "receval": "tests/differential/test_peers.py"
}  # equals ranx and trec_eval without ties


def verification_gap(rules):
    """Say which test is missing for a convention's ``verified``; "" if none is."""
    kind = rules.verified.partition(":")[0]
    name = rules.name
    here = "tests/definitions/test_conventions.py"
    if kind == "live":
        is_tested = f'convention("{name}")' in LIVE.read_text(encoding="utf-8") or name in ALSO_LIVE
        advice = "add it to COMPARISONS in tests/differential/peers.py"
    elif kind == "recorded values":
        is_tested = name in RECORDED_TOOLS or name in RECORDED_ON_MANY_LISTS
        advice = (
            f"record tests/recorded/{name}.json with tests/recorded/record_many.py, and add "
            f"{name!r} to RECORDED_ON_MANY_LISTS in {here}"
        )
    else:
        test = globals().get(BY_HAND.get(name, ""))
        code = inspect.getsource(test).replace(test.__doc__ or "", "") if test else ""
        is_tested = f'convention="{name}"' in code
        advice = f"write a test of it in {here}, and add its name to BY_HAND there"
    return "" if is_tested else f"convention {name!r} claims {rules.verified!r}: {advice}"


@pytest.mark.parametrize("rules", CONVENTIONS.values(), ids=CONVENTIONS)
def test_a_test_verifies_what_a_convention_claims(rules):
    assert verification_gap(rules) == ""


@pytest.mark.parametrize(
    ("verified", "file"),
    [
        ("live: ranx", "tests/differential/peers.py"),
        ("recorded values: Tool 1.0", "tests/recorded/new.json"),
        ("from source", "tests/definitions/test_conventions.py"),
    ],
)
def test_a_claim_without_a_test_is_named_with_the_file(verified, file):
    gap = verification_gap(replace(convention("receval"), name="new", verified=verified))
    assert f"convention 'new' claims {verified!r}" in gap
    assert file in gap


def test_conventions_is_one_table_with_sources_and_verification():
    table = conventions()
    assert set(table.index) == set(CONVENTIONS)
    assert (table.drop(columns=["note", "refused"]) != "").all(axis=None)
    assert table.loc["recbole", "refused"].startswith("AUC: RecBole's AUC compares the items")
    assert table.loc["lenskit", "refused"] == ""
    assert table.loc["lenskit", "mean over"] == "judged users with an answer and a relevant item"
    assert table.loc["ranx", "mean over"] == "judged users"
    assert table.loc["rectools", "ideal list"].startswith("k relevant items")
    for rules in CONVENTIONS.values():
        assert {measure(name).key for name in rules.measures.split()} == set(rules.measures.split())


def test_relison_averages_over_judged_users_and_its_note_names_the_network():
    card = conventions().loc["relison"]
    assert card["mean over"] == "judged users"
    assert "users in the network, whom you can pass as users=" in card["note"]
    recs, truth = tables(2)
    judged = evaluate(recs, truth, "MAP@4", convention="relison")
    judged_users = truth["user"].unique()
    network = [*judged_users, *(f"elsewhere {number}" for number in range(7))]
    of_network = evaluate(recs, truth, "MAP@4", convention="relison", users=network)
    share = len(judged_users) / len(network)
    assert_allclose(of_network.summary, judged.summary * share, rtol=1e-12)
    assert len(of_network.per_user) == len(network)


def test_every_choice_has_words_and_fields():
    assert list(FIELDS) == list(convention("receval").words())
    bundled = {name for names in FIELDS.values() for name in names}
    described = {"name", "source", "verified", "measures", "refused", "note"}
    assert bundled | described == {field.name for field in fields(Convention)}


def test_a_convention_of_ones_own():
    recs, truth = tables(1)
    mine = replace(convention("ranx"), name="mine", threshold=3.0)
    result = evaluate(recs, truth, "HR@3", convention=mine)
    strict = truth.assign(relevance=truth["relevance"].where(truth["relevance"] >= 3, 0))
    assert_array_equal(result.per_user, evaluate(recs, strict, "HR@3", convention="ranx").per_user)
    assert "'mine'" in result.methods()
    with pytest.raises(InputError, match=r"convention must be one of .*Did you mean 'ranx'"):
        evaluate(recs, truth, "HR@3", convention="rankx")


# Ties ------------------------------------------------------------------------------------------

TIED = ["HR@3", "MRR@3", "MRR", "MAP@3", "MAP", "nDCG@3", "nDCG", "Precision@3", "Recall@3"]
TIED += ["F1@3", "R-Precision", "DCG@3", "DCG", "CG@3"]


def orders(scores):
    """Yield every order of equal scores, as positions by rank."""
    runs = [np.flatnonzero(scores == score) for score in np.unique(scores)[::-1]]
    for parts in itertools.product(*map(itertools.permutations, runs)):
        yield np.concatenate(parts).astype(int)


@pytest.mark.parametrize("rules", ["receval", "lenskit", "rectools", "fuzzy", "ranksys"])
@settings(max_examples=amount.of(20, 1_000))
@given(data=st.data())
def test_ties_against_all_orders(rules, data):
    n = data.draw(st.integers(1, 6))
    scores = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), float)
    grades = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    elsewhere = data.draw(st.lists(st.integers(1, 2), max_size=3))
    recs = pd.DataFrame({"user": 1, "item": np.arange(n), "score": scores})
    truth = pd.DataFrame(
        {"user": 1, "item": np.arange(n + len(elsewhere)), "relevance": [*grades, *elsewhere]}
    )
    result = evaluate(recs, truth, TIED, convention=rules)
    shuffled = [recs.iloc[order].assign(user=i) for i, order in enumerate(orders(scores))]
    ranked = pd.concat(shuffled).assign(rank=np.tile(np.arange(1, n + 1), len(shuffled)))
    judged = pd.concat([truth.assign(user=i) for i in range(len(shuffled))])
    everything = evaluate(ranked, judged, TIED, rank="rank", convention=rules).per_user
    found = result.ties()
    assert found.index.tolist() == TIED
    assert_allclose(found["pessimistic"], everything.min(), atol=1e-12)
    assert_allclose(found["optimistic"], everything.max(), atol=1e-12)
    assert_allclose(found["expected"], everything.mean(), atol=1e-12)
    assert_allclose(found["value"], result.summary.loc[""], atol=0)
    assert_array_equal(found["users"] == 1, everything.max() - everything.min() > 1e-12)
    averaged = evaluate(recs, truth, TIED, convention=rules, ties="average").summary.loc[""]
    assert_allclose(averaged, everything.mean(), atol=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("rules", ["receval", "pytrec_eval", "ir_measures", "fuzzy"])
def test_every_value_lies_in_its_interval(rules, ties):
    recs, truth = tables(40, users=200)
    result = evaluate(
        {"A": recs, "B": recs.assign(score=-recs["score"])},
        truth,
        TIED,
        convention=rules,
        ties=ties,
    )
    found = result.ties()
    assert found.index.names == ["system", "measure"]
    assert len(found) == 2 * len(TIED)
    assert (found["pessimistic"] <= found["value"] + 1e-12).all()
    assert (found["value"] <= found["optimistic"] + 1e-12).all()
    assert (found["users"] > 0).all()
    if ties == "average":
        assert_allclose(found["expected"], found["value"], atol=1e-12)
    for name in ("pessimistic", "optimistic") if rules != "fuzzy" else ():
        by_order = evaluate(recs, truth, TIED, convention=rules, ties=name).summary.loc[""]
        assert_allclose(found.loc["A", name], by_order, atol=1e-12)


@pytest.mark.parametrize("rules", ["trec_eval", "pytrec_eval", "ir_measures", "receval"])
def test_bounds_are_over_scores_that_the_convention_takes_as_equal(rules):
    # The two scores are equal as float32, and trec_eval puts b, the later id, first.
    recs = pd.DataFrame({"user": 1, "item": ["a", "b"], "score": [1 + 1e-9, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": ["a"], "relevance": 1})
    result = evaluate(recs, truth, ["MRR", "MRR@5", "nDCG", "bpref"], convention=rules)
    columns = ["pessimistic", "expected", "value", "optimistic", "users"]
    is_open = rules != "receval"
    expected = [0.5, 0.75, 0.5, 1, 1] if is_open else [1, 1, 1, 1, 0]
    assert result.ties().loc["MRR", columns].tolist() == expected
    if rules == "ir_measures":  # MS MARCO's program, which has MRR@k, compares them as float64
        expected = [1, 1, 1, 1, 0]
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
    for silent in (apart, averaged):
        assert "equal scores" not in repr(silent)
    assert (apart.ties()["users"] == 0).all()
    assert (apart.ties()["expected"] == apart.ties()["value"]).all()
    several = evaluate({"A": recs, "B": recs}, truth, "MRR")
    assert "A MRR 0.7500 to 1.0000 (expected 0.8750), B MRR" in repr(several)


def test_ties_below_the_cutoff_and_among_ranks_are_no_ties():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [2.0, 1.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    assert evaluate(recs, truth, "MRR@1")._systems[""].lists.is_tied.tolist() == [False]
    assert evaluate(recs, truth, "MRR@2")._systems[""].lists.is_tied.tolist() == [True]
    ranked = recs.assign(rank=[1, 2, 3])
    assert (evaluate(ranked, truth, "MRR", rank="rank").ties()["users"] == 0).all()
    coverage = evaluate(recs, truth, "CC", items=pd.DataFrame(index=[1, 2, 3]))
    assert coverage.ties().empty
    assert "equal scores" not in repr(coverage)


def test_the_working_under_averaged_ties_shows_the_scores():
    recs, truth = tables(50)
    result = evaluate(recs, truth, ["nDCG@5"], ties="average")
    for user in result.per_user.index:
        found = result.explain(user, "nDCG@5")
        assert_array_equal(found.value, result.per_user.loc[user, "nDCG@5"])
    shown = [result.explain(user, "nDCG@5").table for user in result.per_user.index]
    assert any("score" in table for table in shown)
    assert any("score" not in table for table in shown)


# Ladders ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nDCG@5", "MAP@5", "Precision@5", "MRR@3", "F1@3", "DCG", "CG"])
@pytest.mark.parametrize(
    ("a", "b"), [("ranx", "lenskit"), ("sklearn", "ranksys"), ("fuzzy", "ir_measures")]
)
def test_the_steps_add_up(name, a, b):
    recs, truth = tables(60)
    ladder = explain_difference(recs, truth, name, a, b)
    ends = [
        evaluate(recs, truth, name, convention=one).summary[measure(name).name].iloc[0]
        for one in (a, b)
    ]
    assert ladder.index[0] == a
    assert ladder.index[-1] == b
    assert_allclose(ladder["value"].iloc[[0, -1]], ends, atol=0)
    steps = ladder.iloc[1:-1]
    assert_allclose(steps["change"].sum(), ends[1] - ends[0], atol=1e-12)
    assert_allclose(ladder["change"].iloc[-1], ends[1] - ends[0], atol=0)
    assert_allclose(ladder["value"].diff().iloc[1:-1], steps["change"], atol=0)
    assert (steps["from"] != steps["to"]).all()
    assert set(steps.index) <= set(measure(name).choices)


def test_a_ladder_says_which_choice_it_is():
    recs, truth = tables(61)
    ladder = explain_difference(recs, truth, "ndcg@5", "rectools", "replay")
    assert ladder.index.tolist() == ["rectools", "ideal list", "ties", "replay"]
    assert ladder.loc["ideal list", "change"] > 0.03
    assert_allclose(ladder.loc["ideal list", "alone"], ladder.loc["ideal list", "change"])
    assert ladder.loc["ideal list", "from"].startswith("k relevant items of grade 1")
    same = explain_difference(recs, truth, "HR@3", "trec_eval", "ir_measures")
    assert same["change"].iloc[-1] == 0
    assert same.index.tolist() == ["trec_eval", "ties", "ir_measures"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "item"}, r"options must leave the choices to a and b; got ties"),
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

    def measured(user):
        hits = [item in test.get(user, set()) for item in lists[user]]
        precision = sum(hits) / len(hits)
        if user not in test:
            return {"Precision@3": precision}  # the others are missing
        gain = sum(hit / max(1, math.log2(rank)) for rank, hit in enumerate(hits, 1))
        ideal = sum(1 / max(1, math.log2(rank)) for rank in range(1, len(test[user]) + 1))
        rank = hits.index(True) + 1
        return {"Precision@3": precision, "HR@3": 1, "MRR@3": 1 / rank, "nDCG@3": gain / ideal}

    list_metrics = pd.DataFrame([measured(user) for user in lists])
    names = ["HR@3", "MRR@3", "nDCG@3"]
    left_out = evaluate(lists, test, [*names, "Precision@3"], convention="lenskit")
    assert_allclose(left_out.summary[names].iloc[0], list_metrics[names].mean())
    counted = evaluate(lists, test, [*names, "Precision@3"], convention="lenskit", users="answered")
    means = list_metrics.fillna(0).mean()
    assert_allclose(counted.summary.iloc[0], means[counted.summary.columns])
    # LensKit's precision of a list without test data is 0, also if it doesn't fill missing values.
    precision = list_metrics["Precision@3"].mean()
    assert_allclose(counted.summary["Precision@3"].iloc[0], precision, rtol=1e-14)
    assert left_out.summary["Precision@3"].iloc[0] > precision
    note = conventions().loc["lenskit", "note"]
    for part in ("list_metrics(fill_missing=False)", "list_summary()", "users='answered'"):
        assert part in note
