"""Bad tables: every one is answered with a clear error or a documented value.

The numbers are rows of the project's list of bad inputs, where the same fault has one.
"""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate, measures
from receval.evaluation import measure, pooled

RECS = pd.DataFrame({"user": [1, 1, 2], "item": [10, 11, 10], "score": [2.0, 1.0, 1.0]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [11, 10, 12], "relevance": [1, 2, 1]})
ITEMS = pd.DataFrame({"awards": [3, 1, 1]}, index=[10, 11, 12])


def with_value(frame, column, row, value):
    changed = frame.astype({column: object})
    changed.loc[row, column] = value
    return changed.infer_objects() if isinstance(value, float) else changed


BAD = {
    "1 no score column": (
        lambda: evaluate(RECS[["user", "item"]], TRUTH, "MRR"),
        r"recommendations must have one column 'score'; got the columns \['user', 'item'\]",
    ),
    "1 no rank column": (
        lambda: evaluate(RECS, TRUTH, "MRR", rank="rank"),
        r"recommendations must have one column 'rank'",
    ),
    "2 no item column": (
        lambda: evaluate(RECS, TRUTH.drop(columns="item"), "MRR"),
        r"relevance must have one column 'item'",
    ),
    "3 a column twice": (
        lambda: evaluate(RECS[["user", "item", "score", "score"]], TRUTH, "MRR"),
        r"recommendations must have one column 'score'; it is there twice",
    ),
    "4 columns of different lengths": (
        lambda: evaluate({"user": [1, 2], "item": [1], "score": [1.0]}, TRUTH, "MRR"),
        r"recommendations must have columns of one length",
    ),
    "5 a generator": (
        lambda: evaluate((row for row in [1]), TRUTH, "MRR"),
        r"recommendations must be a table \(a DataFrame\); got generator",
    ),
    "7 nobody judged": (
        lambda: evaluate(RECS, TRUTH.iloc[:0], "MRR"),
        r"relevance must hold at least one row; got none, so nobody is judged",
    ),
    "8 a 2-D column": (
        lambda: evaluate({"user": np.ones((2, 2)), "item": [1, 1], "score": [1, 1]}, TRUTH, "MRR"),
        r"column 'user' of recommendations must have one axis; got shape \(2, 2\)",
    ),
    "10 user ids of two kinds": (
        lambda: evaluate(RECS, TRUTH.astype({"user": str}), "MRR"),
        r"user of recommendations and of relevance must be ids of one kind; got int64 \(integer\)",
    ),
    "11 numbers and text as objects": (
        lambda: evaluate(RECS.astype({"item": object}), TRUTH.astype({"item": str}), "MRR"),
        r"item of recommendations and of relevance must be ids of one kind; got object \(integer\)",
    ),
    "11 numbers and text in a dict": (
        lambda: evaluate({"user": [1, 1], "item": [10, "11"], "score": [2.0, 1.0]}, TRUTH, "MRR"),
        r"item of recommendations must hold ids, all integers or all text; got mixed-integer",
    ),
    "20 truth values in a dict": (
        lambda: evaluate({"user": [True, 2], "item": [1, 2], "score": [2.0, 1.0]}, TRUTH, "MRR"),
        r"user of recommendations must hold ids, all integers or all text; got",
    ),
    "complex scores": (
        lambda: evaluate(RECS.assign(score=RECS["score"] + 1j), TRUTH, "MRR"),
        r"score of recommendations must hold numbers; got complex128",
    ),
    "12 no shared user": (
        lambda: evaluate(RECS, TRUTH.assign(user=[7, 8, 9]), "MRR"),
        r"must have users that are judged; got 0 of 2 users in relevance: \[1, 2\] against \[7,",
    ),
    "13 floating-point ids": (
        lambda: evaluate(RECS, TRUTH.astype({"user": float}), "MRR"),
        r"user of relevance must hold ids, all integers or all text; got float64, such as 1.0",
    ),
    "14 a NaN id": (
        lambda: evaluate(RECS, with_value(TRUTH, "user", 1, np.nan), "MRR"),
        r"user of relevance must not be missing; got nan in row 1",
    ),
    "14 a None id": (
        lambda: evaluate(with_value(RECS, "item", 2, None), TRUTH, "MRR"),
        r"item of recommendations must not be missing; got None in row 2",
    ),
    "14 a missing nullable id": (
        lambda: evaluate(RECS.assign(item=pd.array([10, None, 10], "Int64")), TRUTH, "MRR"),
        r"item of recommendations must not be missing; got <NA> in row 1",
    ),
    "14 a missing category": (
        lambda: evaluate(RECS.assign(item=pd.Categorical([10, None, 10])), TRUTH, "MRR"),
        r"item of recommendations must not be missing",
    ),
    "20 bool ids": (
        lambda: evaluate(RECS.assign(item=[True, False, True]), TRUTH, "MRR"),
        r"item of recommendations must hold ids, all integers or all text; got boolean",
    ),
    "20 mixed ids": (
        lambda: evaluate(RECS.assign(item=[1, "b", 2]), TRUTH, "MRR"),
        r"item of recommendations must hold ids, all integers or all text; got mixed-integer",
    ),
    "20 dates as ids": (
        lambda: evaluate(RECS.assign(item=pd.Timestamp("2020-01-01")), TRUTH, "MRR"),
        r"item of recommendations must hold ids, all integers or all text; got datetime64",
    ),
    "21 an item twice in a list": (
        lambda: evaluate(RECS.assign(item=[10, 10, 10]), TRUTH, "MRR"),
        r"recommendations must hold each item of a user at most once; got twice user 1 with",
    ),
    "22 an item twice in the truth": (
        lambda: evaluate(RECS, pd.concat([TRUTH, TRUTH.iloc[:1].assign(relevance=3)]), "MRR"),
        r"relevance must hold each item .*; got twice user 1 with item 11 \(graded 1 and 3\)",
    ),
    "23 two items on one rank": (
        lambda: evaluate(RECS.assign(rank=[1, 1, 1]), TRUTH, "MRR", rank="rank"),
        r"ranks of recommendations must be 1, 2, 3, .*; got 1 for user 1 where 2 belongs",
    ),
    "27 ranks from 0": (
        lambda: evaluate(RECS.assign(rank=[0, 1, 0]), TRUTH, "MRR", rank="rank"),
        r"rank of recommendations must hold ranks 1, 2, 3, …; got 0 in row 0, 0 in row 2",
    ),
    "28 a fractional rank": (
        lambda: evaluate(RECS.assign(rank=[1, 1.5, 1]), TRUTH, "MRR", rank="rank"),
        r"rank of recommendations must hold ranks 1, 2, 3, …; got 1.5 in row 1",
    ),
    "28 a NaN rank": (
        lambda: evaluate(RECS.assign(rank=[1, np.nan, 1]), TRUTH, "MRR", rank="rank"),
        r"rank of recommendations must not be missing; got nan in row 1",
    ),
    "28 a gap in the ranks": (
        lambda: evaluate(RECS.assign(rank=[1, 3, 1]), TRUTH, "MRR", rank="rank"),
        r"got 3 for user 1 where 2 belongs. To order by a number with ties or gaps, pass it as",
    ),
    "29 a NaN score": (
        lambda: evaluate(RECS.assign(score=[1, np.nan, 1]), TRUTH, "MRR"),
        r"score of recommendations must not be missing; got nan in row 1",
    ),
    "77 scores as text": (
        lambda: evaluate(RECS.assign(score=["1,5", "2", "3"]), TRUTH, "MRR"),
        r"score of recommendations must hold numbers; got .*'1,5'.*mind decimal commas",
    ),
    "34 a negative grade": (
        lambda: evaluate(RECS, TRUTH.assign(relevance=[1, -1, 1]), "nDCG"),
        r"relevance of relevance must be at least 0; got -1 in row 1",
    ),
    "35 a NaN grade": (
        lambda: evaluate(RECS, TRUTH.assign(relevance=[1, np.nan, 1]), "nDCG"),
        r"relevance of relevance must not be missing; got nan in row 1",
    ),
    "35 an infinite grade": (
        lambda: evaluate(RECS, TRUTH.assign(relevance=[1, np.inf, 1]), "nDCG"),
        r"relevance of relevance must be finite; got inf in row 1",
    ),
    "50 a catalogue that lacks items": (
        lambda: evaluate(RECS, TRUTH, "CC", items=ITEMS.drop(index=11)),
        r"items must hold every recommended item; got no row for 11",
    ),
    "51 an empty catalogue": (
        lambda: evaluate(RECS, TRUTH, "CC", items=ITEMS.iloc[:0]),
        r"items must hold at least one item; got an empty catalogue",
    ),
    "an item twice in the catalogue": (
        lambda: evaluate(RECS, TRUTH, "CC", items=pd.concat([ITEMS, ITEMS.iloc[:1]])),
        r"items must hold each item once in its index; got twice \[10\]",
    ),
    "a catalogue that is no frame": (
        lambda: evaluate(RECS, TRUTH, "CC", items=[10, 11]),
        r"items must be a DataFrame indexed by item; got list",
    ),
    "no catalogue": (
        lambda: evaluate(RECS, TRUTH, "CC@5"),
        r"items must be given for CC@5: a frame of the whole catalogue, indexed by item id",
    ),
    "no awards": (
        lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS.rename(columns={"awards": "wins"})),
        r"items must have one column 'awards' for LTP; got \['wins'\]",
    ),
    "awards twice": (
        lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS[["awards", "awards"]]),
        r"items must have one column 'awards' for LTP; it is there twice",
    ),
    "no day": (
        lambda: evaluate(
            RECS, TRUTH, "nov_t", items=ITEMS.assign(novelty_date=pd.Timestamp(0)), now="abc"
        ),
        r"now must be a date; got 'abc'",
    ),
    "a missing day": (
        lambda: evaluate(
            RECS, TRUTH, "nov_t", items=ITEMS.assign(novelty_date=pd.Timestamp(0)), now=pd.NaT
        ),
        r"now must be a date; got NaT",
    ),
    "a day of another zone": (
        lambda: evaluate(
            RECS,
            TRUTH,
            "nov_t",
            items=ITEMS.assign(novelty_date=pd.Timestamp(0, tz="UTC")),
            now="2021-01-01",
        ),
        r"must both have a time zone, or both none",
    ),
    "a history of strangers": (
        lambda: evaluate(RECS, TRUTH, "nov_u", history={"user": [77], "item": [10]}),
        r"history must have users that are judged; got 0 of 1 users in relevance",
    ),
    "awards that are no counts": (
        lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS / 2),
        r"awards of items must be whole numbers",
    ),
    "no dates": (
        lambda: evaluate(RECS, TRUTH, "nov_t", items=ITEMS.assign(novelty_date="2020")),
        r"novelty_date of items must hold dates",
    ),
    "a day before the items": (
        lambda: evaluate(
            RECS,
            TRUTH,
            "nov_t",
            items=ITEMS.assign(novelty_date=pd.Timestamp("2020-01-02")),
            now="2020-01-01",
        ),
        r"now must not lie before a novelty_date",
    ),
    "no features": (
        lambda: evaluate(RECS, TRUTH, "ILD", items=ITEMS),
        r"items must have feature columns for ILD",
    ),
    "no history": (
        lambda: evaluate(RECS, TRUTH, "nov_u"),
        r"history must be given for nov_u",
    ),
    "an unanswered user": (
        lambda: evaluate(RECS, TRUTH, "MRR", missing="error"),
        r"recommendations must answer every judged user .*; got none for \[3\]",
    ),
    "an unknown convention": (
        lambda: evaluate(RECS, TRUTH, "MRR", convention="treceval"),
        r"convention must be one of .*; got 'treceval'. Did you mean 'trec_eval'\?",
    ),
    "an unknown tie rule": (
        lambda: evaluate(RECS, TRUTH, "MRR", ties="random"),
        r"ties must be one of 'item', 'trec_eval'",
    ),
    "an unknown rule for missing users": (
        lambda: evaluate(RECS, TRUTH, "MRR", missing="drop"),
        r"missing must be one of 'zero', 'skip', 'error'; got 'drop'",
    ),
    "no measure": (
        lambda: evaluate(RECS, TRUTH, []),
        r"measures must name at least one measure",
    ),
    "no system": (
        lambda: evaluate({}, TRUTH, "MRR"),
        r"recommendations must hold at least one system; got an empty dict",
    ),
    "two systems of one name": (
        lambda: evaluate(
            {"A/1": RECS.assign(s="x"), "A": RECS.assign(s="1/x")}, TRUTH, "MRR", system="s"
        ),
        r"recommendations must hold each system once; got 'A/1/x' twice",
    ),
    "no row to name a system": (
        lambda: evaluate(RECS.iloc[:0].assign(s=[]), TRUTH, "MRR", system="s"),
        r"s of recommendations must name a system; got no row",
    ),
    "rows of no system": (
        lambda: evaluate(RECS.assign(s=["A", None, "A"]), TRUTH, "MRR", system="s"),
        r"s of recommendations must not be missing",
    ),
    "a fault in one of several systems": (
        lambda: evaluate({"A": RECS, "B": RECS.assign(item=10)}, TRUTH, "MRR"),
        r"recommendations of system .*B.* must hold each item of a user at most once",
    ),
    "an unknown user to explain": (
        lambda: evaluate(RECS, TRUTH, "MRR").explain(9, "MRR"),
        r"user must be a judged user, such as \[1, 2, 3\]; got 9",
    ),
    "a measure that was not evaluated": (
        lambda: evaluate(RECS, TRUTH, "MRR").explain(1, "MAP"),
        r"measure must be one of \['MRR'\]; got 'MAP'",
    ),
    "a set-level measure to explain": (
        lambda: evaluate(RECS, TRUTH, "CC", items=ITEMS).explain(1, "CC"),
        r"measure must have a value for each user; CC is of all users together",
    ),
    "one of several systems to explain": (
        lambda: evaluate({"A": RECS, "B": RECS}, TRUTH, "MRR").explain(1, "MRR"),
        r"system must be one of \['A', 'B'\]; got None",
    ),
    "no fold": (lambda: pooled({}), r"folds must hold at least one evaluation"),
    "folds of different measures": (
        lambda: pooled({1: evaluate(RECS, TRUTH, "MRR"), 2: evaluate(RECS, TRUTH, "MAP")}),
        r"folds must have the same systems and measures; got .*'MRR'.* in 1 and .*'MAP'.* in 2",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NDGC@10", r"got 'NDGC@10'. Near or known: .*nDCG"),
        ("nDCG@0", r"the cut-off of 'nDCG@0' must be a positive integer; got 0"),
        ("nDCG@-1", r"must be a positive integer; got -1"),
        ("nDCG@2.5", r"must be a positive integer; got '2.5'"),
        ("nDCG@", r"measures must be known names"),
        ("nDCG 10", r"measures must be known names"),
        ("", r"measures must be known names"),
        ("AUC@10", r"measures must name AUC without a cut-off; got 'AUC@10'"),
        (10, r"measures must be known names such as 'nDCG@10'; got 10"),
    ],
)
def test_refuses_measure_names(name, message):
    with pytest.raises(InputError, match=message):
        measure(name)


def test_every_measure_is_listed():
    wanted = "HR MRR MAP nDCG Precision Recall F1 R-Precision AUC DCG CG PC CC LTP ILD nov_t nov_u"
    assert measures().index.tolist() == wanted.split()


# What looks odd and has a documented value ------------------------------------------------------


@pytest.mark.parametrize(
    "empty",
    [
        RECS.iloc[:0],
        {"user": [], "item": [], "score": []},
        RECS.iloc[:0].astype(object),
        pd.DataFrame(),
        [],
    ],
    ids=["frame", "lists", "objects", "no columns", "empty list"],
)
def test_6_no_recommendations_at_all_count_0(empty):
    result = evaluate(empty, TRUTH, ["MRR", "nDCG@3", "Precision@3", "PC"])
    assert (result.summary == 0).all(axis=None)
    assert result.counts.iloc[0].tolist() == [3, 0, 0, 0]


def test_30_infinite_scores_come_first_and_last():
    recs = RECS.assign(user=1, item=[10, 11, 12], score=[-np.inf, 0, np.inf])
    values = [
        evaluate(recs, TRUTH.iloc[:1].assign(item=item), "MRR").summary.iloc[0, 0]
        for item in (12, 11, 10)
    ]
    assert values == [1, 1 / 2, 1 / 3]


def test_31_tiny_differences_count_but_for_trec_eval():
    recs = RECS.assign(user=1, item=[10, 11, 12], score=[1, 1 + 1e-9, 0.5])
    truth = TRUTH.iloc[:1].assign(item=11)
    assert evaluate(recs, truth, "MRR").summary.iloc[0, 0] == 1
    truth = TRUTH.iloc[:1].assign(item=10)
    assert evaluate(recs, truth, "MRR", convention="trec_eval").summary.iloc[0, 0] == 1 / 2


@pytest.mark.parametrize("kind", ["float16", "float32", "int8", "Float64", "bool"])
def test_32_scores_of_any_numeric_type(kind):
    recs = RECS.assign(score=pd.Series([1, 0, 1]).astype(kind))
    truth = TRUTH.iloc[:2]
    assert evaluate(recs, truth, "MRR").per_user["MRR"].tolist() == [0.5, 1]


def test_33_zero_and_negative_scores_are_scores():
    recs = RECS.assign(score=[-1.0, 0.0, -5.0])
    assert evaluate(recs, TRUTH, "MRR").per_user["MRR"].tolist() == [1, 1, 0]


@pytest.mark.parametrize("convention", ["trec_eval", "ir_measures", "ranx"])
def test_34_negative_grades_count_0_where_the_tool_has_it_so(convention):
    truth = TRUTH.assign(relevance=[-1, 2, 1])
    result = evaluate(RECS, truth, ["nDCG@3", "MAP"], convention=convention)
    assert result.per_user.loc[1].tolist() == [0, 0]
    assert result.counts.loc["", "without truth"] == 1


def test_systems_keep_their_names():
    odd = ["it's", "b\\c", 2020]
    result = evaluate(dict.fromkeys(odd, RECS), TRUTH, "MRR")
    assert result.systems == odd
    assert result.values(2020)["MRR"].tolist() == [0.5, 1, 0]
    tall = pd.concat([RECS.assign(year=2020), RECS.assign(year=2021)])
    by_column = evaluate(tall, TRUTH, "MRR", system="year")
    assert by_column.systems == [2020, 2021]


def test_an_empty_system_among_several_counts_0():
    result = evaluate({"A": RECS, "B": []}, TRUTH, "MRR")
    assert result.summary["MRR"].tolist() == [0.5, 0]


def test_36_fractional_grades_are_gains():
    truth = TRUTH.assign(relevance=[0.4, 1.5, 1])
    result = evaluate(RECS, truth, ["DCG@2", "HR@2"])
    assert result.per_user["DCG@2"].tolist() == [0.4 / np.log2(3), 1.5, 0]
    assert result.per_user["HR@2"].tolist() == [1, 1, 0]


def test_37_a_huge_grade_is_still_relevant():
    result = evaluate(RECS, TRUTH.assign(relevance=2**40), ["HR@2", "DCG@2"])
    assert result.per_user["DCG@2"].tolist()[1] == 2.0**40
    assert result.summary.loc["", "HR@2"] == 2 / 3


def test_38_a_truth_of_zeros_counts_0_and_is_reported():
    result = evaluate(RECS, TRUTH.assign(relevance=[0, 2, 1]), ["nDCG@3", "MAP", "Recall@3"])
    assert result.per_user.loc[1].tolist() == [0, 0, 0]
    assert result.counts.loc["", "without truth"] == 1


def test_42_more_relevant_items_than_k():
    recs = pd.DataFrame({"user": 1, "item": [1, 2], "score": [2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": [1, 2, 3, 4], "relevance": 1})
    result = evaluate(recs, truth, ["nDCG@2", "MAP@2"])
    assert result.summary.loc[""].tolist() == [1, 0.5]


def test_43_one_item_in_list_and_catalogue():
    one = pd.DataFrame({"user": [1], "item": [1], "score": [1.0]})
    truth = pd.DataFrame({"user": [1], "item": [1], "relevance": [1]})
    result = evaluate(one, truth, ["nDCG@1", "CC@1"], items=pd.DataFrame(index=[1]))
    assert result.summary.loc[""].tolist() == [1, 1]


def test_49_a_cutoff_far_below_the_list():
    assert evaluate(RECS, TRUTH, "Recall@1000000").summary.iloc[0, 0] == 2 / 3


def test_62_the_same_object_gives_the_same_twice():
    first = evaluate(RECS, TRUTH, "MRR")
    evaluate(RECS.assign(score=-1.0), TRUTH, "MAP")
    pd.testing.assert_frame_equal(first.per_user, evaluate(RECS, TRUTH, "MRR").per_user)
