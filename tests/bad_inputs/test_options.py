"""Rules of `evaluate` for its options, its catalogue and its systems; also rows 50, 51 and 54."""

import pandas as pd
import pytest
from bad_inputs.cases import RECS, TRUTH

from receval import InputError, evaluate, measures
from receval.definitions import measure
from receval.definitions.names import STATED
from receval.evaluation import pooled

ITEMS = pd.DataFrame({"awards": [3, 1, 1]}, index=[10, 11, 12])

BAD = {
    "complex scores": (
        lambda: evaluate(RECS.assign(score=RECS["score"] + 1j), TRUTH, "MRR"),
        r"score of recommendations must hold numbers; got complex128",
    ),
    "an item twice in the catalogue": (
        lambda: evaluate(RECS, TRUTH, "CC", items=pd.concat([ITEMS, ITEMS.iloc[:1]])),
        r"items must hold each item once in its index; got \[10\] twice",
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
        r"items must have one column 'awards' for LTP; got the columns \['wins'\]",
    ),
    "awards twice": (
        lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS[["awards", "awards"]]),
        r"items must have one column 'awards' for LTP; got the columns",
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
    "no features": (
        lambda: evaluate(RECS, TRUTH, "ILD", items=ITEMS),
        r"items must have feature columns for ILD",
    ),
    "no history": (
        lambda: evaluate(RECS, TRUTH, "nov_u"),
        r"history must be given for nov_u",
    ),
    "an unknown convention": (
        lambda: evaluate(RECS, TRUTH, "MRR", convention="treceval"),
        r"convention must be one of .*; got 'treceval'. Did you mean 'trec_eval'\?",
    ),
    "an unknown tie rule": (
        lambda: evaluate(RECS, TRUTH, "MRR", ties="random"),
        r"ties must be one of 'item', 'trec_eval'",
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
        r"measure must be one of 'MRR'; got 'MAP'",
    ),
    "a set-level measure to explain": (
        lambda: evaluate(RECS, TRUTH, "CC", items=ITEMS).explain(1, "CC"),
        r"measure must have a value for each user; got 'CC'. It is of all users together",
    ),
    "one of several systems to explain": (
        lambda: evaluate({"A": RECS, "B": RECS}, TRUTH, "MRR").explain(1, "MRR"),
        r"system must be one of \['A', 'B'\]; got None",
    ),
    "no fold": (lambda: pooled({}), r"folds must be a dict .* at least one; got none"),
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
        ("NDGC@10", r"got 'NDGC@10'. Similar names: .*nDCG"),
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
    more = "RBP ERR bpref ARP Gini MIUF MAE MSE RMSE"
    listed = measures().index
    assert {*wanted.split(), *more.split()} <= set(listed)
    assert listed.tolist() == [spec.name for spec in STATED]


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
