"""Serendipity as RecTools computes it, the share of judged items, and the residual of RBP."""

import json
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, evaluate, working
from receval.metrics.beyond_accuracy import judged_share, rbp_residual, serendipity
from receval.metrics.ranking import rbp

RECORDED = Path(__file__).parents[1] / "recorded"
RECS = pd.read_csv(RECORDED / "recommendations.csv")
TRUTH = pd.read_csv(RECORDED / "relevance.csv")
HISTORY = TRUTH[TRUTH["item"] % 2 == 0]  # as in tests/recorded/serendipity.py
ITEMS = pd.DataFrame(index=pd.Index(range(100, 130), name="item"))


def test_serendipity_has_the_recorded_values_of_rectools():
    record = json.loads((RECORDED / "serendipity.json").read_text(encoding="utf-8"))
    assert record["versions"]["RecTools"] == "0.19.0"
    names = list(record["values"])
    result = evaluate(RECS, TRUTH, names, items=ITEMS, history=HISTORY, ties="input")
    for name in names:
        theirs = pd.Series(record["values"][name]).rename(index=int)
        ours = result.per_user[name].dropna()
        # RecTools has values for users without relevance, too.
        assert set(ours.index) == set(theirs.index) & set(TRUTH["user"])
        assert_allclose(ours, theirs[ours.index], atol=1e-12)
        assert (ours > 0).any()


def test_both_divisors_of_serendipity_by_name():
    recs = pd.DataFrame({"user": 1, "item": [101, 102], "score": [2.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": [102], "relevance": 1})
    past = pd.DataFrame({"user": [1, 2, 2], "item": [101, 101, 103]})
    names = ["Serendipity@4", "Serendipity(denominator=cutoff)@4"]
    result = evaluate(recs, truth, names, items=ITEMS, history=past)
    surprise = 29 / 30  # a cold item at rank 2 of 30 items
    assert_allclose(result.per_user.loc[1], [surprise / 2, surprise / 4])
    for name, value in zip(names, result.per_user.loc[1], strict=True):
        assert result.explain(1, name).table["Serendipity"].iloc[-1] == pytest.approx(value)
    assert "catalogue of Serendipity has 30 items" in result.methods()
    with pytest.raises(InputError, match="denominator must be one of 'retrieved', 'cutoff'"):
        evaluate(recs, truth, "Serendipity(denominator=k)@4", items=ITEMS, history=past)
    with pytest.raises(InputError, match=r"Serendipity takes \(only denominator"):
        evaluate(recs, truth, "Serendipity(p=1)@4", items=ITEMS, history=past)


def test_serendipity_by_hand():
    # Items of places 1, 3, 2 in a catalogue of 4; the second and the third are relevant.
    assert serendipity([0, 1, 1], [1, 3, 2], 4) == pytest.approx((0.75 - 0.5) / 3)
    assert np.isnan(serendipity([np.nan], [np.nan], 4))
    assert serendipity([np.nan], [np.nan], 4, k=2, denominator="cutoff") == 0
    for places in ([-1], [0.5]):
        with pytest.raises(InputError, match="popularity must be a"):
            serendipity([1], places, 4)


def test_judged_share_is_that_of_ir_measures():
    measures = [ir_measures.Judged @ k for k in (1, 3, 10)]
    distinct = RECS.assign(score=np.arange(len(RECS), 0.0, -1))  # it orders equal scores by id
    run = distinct.astype({"user": str, "item": str})
    qrels = TRUTH.astype({"user": str, "item": str})
    names = {"user": "query_id", "item": "doc_id"}
    theirs = ir_measures.iter_calc(measures, qrels.rename(columns=names), run.rename(columns=names))
    ours = evaluate(distinct, TRUTH, ["judged@1", "judged@3", "judged@10"]).per_user
    n_compared = 0
    for metric in theirs:
        if int(metric.query_id) not in set(RECS["user"]):  # it gives 0 to users without a list
            continue
        name = str(metric.measure).replace("Judged", "judged")
        assert ours.loc[int(metric.query_id), name] == pytest.approx(metric.value)
        n_compared += 1
    assert n_compared == ours.notna().to_numpy().sum() > 60


def test_rbp_lies_between_its_value_and_that_plus_the_residual():
    judged = np.array([[1, 0, 1, 0, 1], [1, 1, 0, np.nan, np.nan]])
    gains = np.array([[1, 0, 0, 0, 1], [0, 1, 0, np.nan, np.nan]])
    # The best case: all unjudged items are relevant, and so are many items behind the list.
    best = np.where(np.isnan(judged) | (judged == 0), 1, gains)
    best = np.hstack([best, np.ones((2, 200))])
    for p in (0.5, 0.8):
        assert_allclose(rbp(gains, p=p) + rbp_residual(judged, p=p), rbp(best, p=p), atol=1e-12)
    assert rbp_residual([np.nan]) == 1


def test_residual_and_judged_share_in_evaluate():
    recs = {1: ["a", "b", "c"], 2: ["b"]}
    truth = {1: {"a": 1, "b": 0}, 2: {"a": 1}, 3: {"a": 1}}
    names = ["judged@2", "judged", "RBP-residual(p=0.5)@2", "RBP-residual(p=0.5)"]
    values = evaluate(recs, truth, names).per_user
    assert values.loc[1].tolist() == [1, 2 / 3, 0.25, 0.25]
    assert values.loc[2].tolist() == [0, 0, 1, 1]
    assert values.loc[3].isna().tolist() == [True, True, False, False]
    assert values.loc[3, "RBP-residual(p=0.5)"] == 1
    with pytest.raises(InputError, match="p must be a number of at least 0 and below 1"):
        evaluate(recs, truth, "RBP-residual(p=1)")


def test_workings_end_in_the_value():
    judged = [True, False, True]
    assert working.judged_share(judged)["judged"].iloc[-1] == judged_share(judged)
    table = working.rbp_residual(judged, p=0.5, k=2)
    assert table["RBP-residual"].iloc[-1] == rbp_residual(judged, p=0.5, k=2)


def test_a_note_says_that_systems_are_judged_to_different_degrees():
    truth = {1: {"a": 1, "b": 0}, 2: {"a": 1}}
    systems = {"A": {1: ["a", "b"], 2: ["a"]}, "B": {1: ["a", "c"], 2: ["a"]}}
    notes = evaluate(systems, truth, ["MRR", "judged@2"]).notes()
    assert any("judged@2 from 0.75 ('B') to 1.00 ('A')" in note for note in notes)
    for names in ("MRR", ["MRR", "judged@1"]):  # not asked for, or equal
        assert not any("judged to" in note for note in evaluate(systems, truth, names).notes())
