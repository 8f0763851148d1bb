"""One call for each refusal, and one for each value that a careless program gets wrong.

A case names its row in the list of bad inputs, if it has one.
"""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from bad_inputs.calls import TIMES
from bad_inputs.cases import MEASURES, RECS, TRUTH, grades, ids
from numpy.testing import assert_array_equal

from receval import (
    InputError,
    auc,
    datasets,
    evaluate,
    fuzzy,
    groups,
    metrics,
    pooled,
    significance,
    splitting,
)
from receval.definitions import measure
from receval.metrics import hits
from receval.tables.columns import read_column


def case(row, name, call, expected):
    """Return a call with its expected message or value; ``row`` may be None."""
    marks = pytest.mark.row(row) if row else ()
    return pytest.param(call, expected, id=f"row {row}: {name}", marks=marks)


ITEMS = pd.DataFrame({"awards": [3, 1, 1]}, index=[10, 11, 12])
TEXTS = RECS.astype({"user": str, "item": str})
RATINGS = RECS.rename(columns={"score": "rating"})
NUMBERED = RECS.set_axis(range(RECS.shape[1]), axis=1)
UNKNOWN = pd.Series(pd.to_datetime([None] * 4))
ONE_KIND = r"ids (of|by ids of) one (kind|type)|of one type"
HALF = "\ud800"  # half a surrogate pair
HALVES = pd.Series([HALF] * 3, dtype=object)
RESULT = evaluate({"x": ["a"]}, {"x": ["a"]}, "MRR")
TIED = {"a": 1.0, "b": 1.0}
NOTHING_PREDICTED = [[4, 0], [3, 0]]
INFINITE = pd.DataFrame({"user": 1, "item": ["a", "b"], "score": [2.0, -np.inf]})
IN_DOUBT = ids([1, 1, 3], [10, 11, 10]), grades([1, 2, 3], [10, 10, 10])
TWO_ARRAYS = {
    "mae": metrics.prediction.mae,
    "mse": metrics.prediction.mse,
    "rmse": metrics.rmse,
    "r_squared": metrics.prediction.r_squared,
    "confusion_matrix": metrics.confusion_matrix,
    "auc": lambda one, other: metrics.auc(one, scores=other),
}
ACCURACY = ["Precision@3", "Recall@3", "nDCG@3", "MAP", "MRR", "F1@3", "HR", "DCG", "R-Precision"]
ONE_ANSWERED = ids([1], [10]), grades([1, 2], [10, 10]), ACCURACY

ODD_NAMES = [("a", 1), None, 1.5, b"x", math.nan, True, frozenset([1]), pd.NA, pd.Timestamp(0), int]
NOT_A_NAME = r"keys of recommendations must name each system by text or a whole number; got"
CODED = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["a", "b", None]))
NO_IDS = {
    "decimals": ([2101.0001, 2101.001], "read the column as text"),
    "a large one": ([1.0, 1e17], "read the column as text"),
    "a number and its text": (
        [7, "7"],
        "if that made ids equal, such as 7 and '7', correct them in the",
    ),
    "a decimal and text": ([7, 2101.1, "b"], "read the column as text"),
}
HUGE_GRADES = pd.DataFrame({"user": 1, "item": [10, 11], "relevance": 1.5e308})
NAMES = ["it's", "b\\c", 2020]
NAMED_AS_IN_ARROW = RECS.assign(column_names=0), TRUTH.assign(column_names=0)

# fmt: off
TABLES = [
    *(case(4, name, lambda metric=metric: metric([1, 0], [1, 0, 1]), "must have the same length; got 2 and 3") for name, metric in TWO_ARRAYS.items()),
    *(case(None, f"the label {label!r}", lambda label=label: read_column(NUMBERED, label, "t"), r"t must have one column .*; got the columns .0, 1, 2") for label in (True, np.True_, 1 + 0j, (1,), slice(1), [1])),
    *(case(5, f"a generator of {table}", lambda table=table: evaluate(**{"recommendations": RECS, "relevance": TRUTH, table: (row for row in [1])}, measures="MRR"), f"{table} must be a table") for table in ("recommendations", "relevance", "history")),
    *(case(8, f"users of shape {shape}", lambda shape=shape: splitting.hold_out_per_user(np.ones(shape, int)), "users must (have one axis|be a list or an array)") for shape in ((3, 1), (1, 3), (3, 2), ())),
    *(case(8, f"items of shape {shape}", lambda shape=shape: evaluate({1: np.ones(shape, int)}, TRUTH, "MRR"), "recommendations must have a list of items, or numbers by item, for every user") for shape in ((3, 1), (1, 3), (3, 2))),
    case(8, "a matrix of lists", lambda: metrics.catalog_coverage(np.zeros((2, 2, 2), int), 3), "items must have the axes"),
    *(case(None, f"{kind.__name__} itself as {table}", lambda kind=kind, table=table: evaluate(**{"recommendations": RECS, "relevance": TRUTH, table: kind}, measures="MRR"), f"{table} must (be a table|share its columns).* got type") for kind in (pd.DataFrame, dict, list, int) for table in ("recommendations", "relevance", "history")),
]
IDS = [
    case(10, "leakage", lambda: splitting.leakage(RECS, TEXTS), ONE_KIND),
    case(10, "warm_users", lambda: splitting.warm_users(RECS, TEXTS), ONE_KIND),
    case(10, "clean_links", lambda: datasets.clean_links(RECS, TEXTS), ONE_KIND),
    case(10, "rankings", lambda: hits(dict.fromkeys(RECS["item"], 1), dict.fromkeys(TEXTS["item"], 1)), ONE_KIND),
    case(10, "folds", lambda: pooled({"first": RESULT, "second": evaluate({1: ["a"]}, {1: ["a"]}, "MRR")}), "folds must have the same kind of user ids; got 'text'"),
    case(12, "strangers of one system", lambda: evaluate({"A": RECS, "B": RECS.assign(user=[8, 8, 9])}, TRUTH, "MRR"), "system 'B' must have users that are judged"),
    *(case(14, f"{missing!r} in a ranking", lambda missing=missing: hits({"a": 1.0}, [("a", 0.5), (missing, 0.4)]), "must have an id for every case; got none at place") for missing in (None, math.nan, pd.NaT, pd.NA)),
    *(case(14, f"{missing!r} in a split", lambda missing=missing: splitting.hold_out_per_user(["a", missing, "b"]), r"must not be missing; got .* in row 1") for missing in (None, math.nan, pd.NaT, pd.NA)),
    *(case(20, f"{one!r} in a split", lambda one=one: splitting.hold_out_per_user([one, one]), "must hold ids, all integers or all text") for one in (True, (1,), b"a", 1.5)),
    case(21, "a case twice", lambda: hits({"a": 1.0}, [("a", 0.5), ("b", 0.4), ("a", 0.3)]), "retrieved must hold each case once; got 'a' 2 times"),
    case(21, "in one of several systems", lambda: evaluate({"A": RECS, "B": RECS.assign(item=10)}, TRUTH, "MRR"), "of system 'B' must hold each item of a user at most"),
    *(case(21, f"{item!r} twice", lambda item=item: evaluate(RECS.assign(user="u", item=["a", item, item]), TRUTH.assign(user="u", item=list("xyz")), "MRR"), f"got user 'u' with item '{item}' twice. duplicates='first'") for item in ("7", "äö", "aX", "12345678", "of any length")),
    case(23, "a rank twice", lambda: metrics.satisfaction([0, 0, 1], [[1, 2, 3]], k=2), r"group_order must .*; got"),
    *(
        case(None, f"half a pair {where}", call, r"must .*\\ud800")
        for where, call in {
            "as a user": lambda: evaluate({HALF: ["a"]}, {1: ["a"]}, "MRR"),
            "as an item": lambda: evaluate({"x": [HALF]}, {"x": ["a"]}, "MRR"),
            "as an item with a score": lambda: evaluate({"x": {HALF: 1.0}}, {"x": ["a"]}, "MRR"),
            "as a judged user": lambda: evaluate({"x": ["a"]}, {HALF: ["a"]}, "MRR"),
            "as a relevant item": lambda: evaluate({"x": ["a"]}, {"x": [HALF]}, "MRR"),
            "in users=": lambda: evaluate({"x": ["a"]}, {"x": ["a"]}, "MRR", users=[HALF]),
            "as a system": lambda: evaluate(RECS.assign(s=HALVES), TRUTH, "MRR", system="s"),
            "in where": lambda: RESULT.where([HALF]),
            "as all of where": lambda: RESULT.where(HALF),
            "to be explained": lambda: RESULT.explain(HALF, "MRR"),
            "as a measure": lambda: RESULT.explain("x", HALF),
            "as a system to look up": lambda: RESULT.lists(system=HALF),
        }.items()
    ),
]
NUMBERS = [
    *(case(27, discount.__name__, lambda discount=discount: discount([0, 1]), r"rank must be at least 1; got 0.0") for discount in (metrics.shifted_log2, metrics.clipped_log2, metrics.reciprocal)),
    *(case(29, f"the similarity {score!r}", lambda score=score: hits({"a": 1.0, "b": 0.5}, {"a": 0.3, "b": score}), r"retrieved must have finite numbers as similarities") for score in (math.nan, None, "0.5", 1j, True)),
    case(29, "a score in an array", lambda: auc([1, 0], scores=[0.5, np.nan]), "scores must not be NaN where there is an item; got nan"),
    case(None, "an infinite score as an object", lambda: evaluate(INFINITE.astype({"score": object}), {1: ["a"]}, "MRR"), r"score of .* must hold numbers; got object, .*to_numeric"),
    *(case(59, f"{metric.__name__} with {value}", lambda metric=metric, value=value: metric({"a": 3.0, "b": 2.0}, {"a": 1.0, "b": value}), "retrieved must have finite numbers") for metric in (metrics.kendall, metrics.spearman, metrics.correctness) for value in (math.nan, math.inf)),
    *(case(59, f"a matrix with {value}", lambda value=value: fuzzy.agreement_matrix(pd.DataFrame({"x": [1.0, value], "y": [1.0, 2.0]}), pd.DataFrame({"X": [1.0, 2.0]})), r"must .*finite|must hold|must not") for value in (math.nan, math.inf)),
]
PARAMETERS = [
    *(case(row, f"nDCG@{k[:9]}", lambda k=k: measure(f"nDCG@{k}"), "must be (a positive|known names|at most)") for row, k in ((46, "0"), (46, "-1"), *((47, k) for k in ("2.5", "1e3", "nan", "True", "", "x", "1_0", "+5", "٣", "10@5", "9" * 5000)))),
    case(47, "NDGC@10", lambda: measure("NDGC@10"), r"got 'NDGC@10'. Similar names: .*nDCG"),
    case(46, "nDCG@0 in full", lambda: measure("nDCG@0"), "the cut-off of 'nDCG@0' must be a positive integer; got 0"),
    case(46, "nDCG@-1 in full", lambda: measure("nDCG@-1"), "must be a positive integer; got -1"),
    case(47, "nDCG@2.5 in full", lambda: measure("nDCG@2.5"), "must be a positive integer; got '2.5'"),
    *(case(47, repr(name), lambda name=name: measure(name), "measures must be known names") for name in ("nDCG@", "nDCG 10", "")),
    case(47, "AUC@10", lambda: measure("AUC@10"), "measures must name AUC without a cut-off; got 'AUC@10'"),
    case(47, "10", lambda: measure(10), "measures must be known names such as 'nDCG@10'; got 10"),
    case(50, "a code outside", lambda: metrics.catalog_coverage([[0, 2]], 2), r"items must lie in the catalogue of 2 items.*got 2 at"),
    case(50, "a code outside the head", lambda: metrics.long_tail_percentage([[0, 5]], [True, False]), r"items must lie in the catalogue of 2 items \(0 to 1\); got 5 at"),
    case(51, "no items", lambda: metrics.catalog_coverage([[-1]], 0), "n_items must be a positive integer; got 0"),
    case(51, "no awards", lambda: metrics.short_head([]), "awards must hold at least one award; got none"),
    *(
        case(52, message, lambda scaling=scaling: fuzzy.scaled(fuzzy.goedel, **scaling), message)
        for scaling, message in (
            ({"f": lambda x: 1 - x}, "f must be 0 at 0; got 1"),
            ({"f": lambda x: x / 2 + 0.5}, "f must be 0 at 0; got 0.5"),
            ({"g": lambda x: x / 2}, "g must be 1 at 1; got 0.5"),
            ({"f": lambda x: 4 * x * (1 - x) + (x == 1)}, "f must never fall"),
            ({"g": lambda x: 2 * x}, r"g must stay in \[0, 1\]"),
            ({"f": lambda x: x * np.nan}, r"f must stay in \[0, 1\]; got .*nan"),
            ({"f": lambda x: x[:1]}, "f must return one number per value"),
        )
    ),
    case(53, "5 folds of 4 rows", lambda: splitting.k_fold(4, 5), "k must be at most the number of rows, 4; got 5"),
    case(53, "one fold", lambda: splitting.k_fold(4, 1), "k must be a whole number from 2"),
    case(53, "folds of no row", lambda: splitting.k_fold(0, 2), "k must be at most the number of rows, 0; got 2"),
    case(53, "9 folds of 4 times", lambda: splitting.time_series_folds(TIMES, 9), "k must be at most the number of rows"),
    case(53, "one fold of times", lambda: splitting.time_series_folds(TIMES, 1), "k must be a whole number from 2"),
    case(53, "folds of unknown times", lambda: splitting.time_series_folds(UNKNOWN, 2), "must have a known one; got 4 unknown"),
    case(53, "unknown dates to fill", lambda: splitting.fill_missing_dates(UNKNOWN), "must have a known one; got 4 unknown"),
    case(53, "a fixed time", lambda: splitting.fixed_time(UNKNOWN, "2020"), "times must be known"),
    case(53, "the last of unknown times", lambda: splitting.leave_last_out([1] * 4, UNKNOWN), "times must be known"),
    *(case(54, f"{option}={value!r}", lambda option=option, value=value: evaluate(RECS, TRUTH, "MRR", **{option: value}), f"{option} must be one of .*; got ") for option in ("convention", "ties", "duplicates") for value in ("", "Receval", 5, [], ["item"], True)),
    *(case(47, f"{option}={value!r}", lambda option=option, value=value: evaluate(RECS, TRUTH, "MRR", **{option: value}), f"^{option} must be the name of a column") for option in ("user", "item", "score", "relevance_column") for value in ([1], {}, np.array(["user"]))),
    *(
        case(None, f"{name}: {n}", lambda call=call, n=n: call(n), message)
        for n in (10**8 + 1, 2**53, np.int64(10**12))
        for name, call, message in (
            ("rows of folds", lambda n: splitting.k_fold(n, 2), "n must be .* to 100,000,000"),
            ("folds", lambda n: splitting.k_fold(10**8, n), "k must be .* to 100,000,000"),
            ("rotations", splitting.rotation, "k must be .* to 100,000,000"),
            ("rows to hold out of", splitting.hold_out, "n must be .* to 100,000,000"),
            ("factors", lambda n: groups.factorize(RATINGS, n), "factors must be at most .* for 3 ratings"),
            ("users of a journey", lambda n: datasets.travel_data(n_users=n), "n_users must be .* to 100,000;"),
            ("items of a journey", lambda n: datasets.travel_data(n_items=n), "n_items must be .* to 100,000;"),
            ("contracts", datasets.procurement, "n_contracts must be .* to 500,000;"),
        )
    ),
    case(None, "too many pairs", lambda: datasets.travel_data(n_users=90_000, n_items=90_000), "n_users times n_items must be at most 100,000,000 pairs"),
]
OPTIONS = [
    case(None, "an object that is no table", lambda: evaluate(object(), TRUTH, "MRR"), r"must be a table .*; got object.* run\.to_dict\(\)"),
    *(case(None, f"the system {name!r}", lambda name=name, more=more: evaluate({name: RECS, **more}, TRUTH, "MRR"), NOT_A_NAME) for name in ODD_NAMES for more in ({}, {"B": RECS})),
    *(case(None, f"lists of the system {name!r}", lambda name=name: evaluate({name: {1: ["a"]}}, TRUTH, "MRR"), NOT_A_NAME) for name in ODD_NAMES),
    *(case(None, f"the system {name!r} in a column", lambda name=name: evaluate(RECS.assign(s=pd.Series([name] * 3, dtype=object)), TRUTH, "MRR", system="s"), "s of recommendations must (hold ids|not be missing)") for name in ODD_NAMES),
    case(None, "codes of Arrow that pandas cannot hold", lambda: evaluate(pa.table({"user": [1, 1, 2], "item": CODED, "score": [2.0, 1.0, 1.0]}), TRUTH, "MRR"), "item of recommendations must be a column that pandas"),
    *(case(None, f"no ids: {name}", lambda ids=ids: evaluate(pd.DataFrame({"user": 1, "item": pd.Series(ids), "score": range(len(ids))}), {1: {"7"}}, "MRR"), f"item of recommendations must hold ids.*{advice}") for name, (ids, advice) in NO_IDS.items()),
    case(None, "missing ids of two tables", lambda: evaluate(RECS.assign(user=["a", None, "b"]), TRUTH.assign(user=[None, "b", "c"]), "MRR"), "user of recommendations must not be missing"),
    *(case(None, f"grades beyond float64 for {name}", lambda name=name: evaluate(RECS, HUGE_GRADES, name), "^relevance must be small enough to be added up") for name in ("DCG", "DCG@3", "CG", "nDCG@2")),
    *(case(None, f"awards beyond exact integers as {dtype}", lambda dtype=dtype: evaluate(RECS, TRUTH, "LTP@2", items=ITEMS.assign(awards=np.array([2, 2**63, 1], dtype))), r"^awards of items must be whole .* 2\*\*53; got 9\.?22.* in row 1") for dtype in ("float64", "uint64")),
    case(None, "an item twice in the catalogue", lambda: evaluate(RECS, TRUTH, "CC", items=pd.concat([ITEMS, ITEMS.iloc[:1]])), r"items must hold each item once in its index; got \[10\] twice"),
    case(None, "a catalogue that is no frame", lambda: evaluate(RECS, TRUTH, "CC", items=[10, 11]), "items must be a pandas DataFrame; got list"),
    case(None, "an empty history", lambda: evaluate(RECS, TRUTH, ["HR", "MIUF", "ARP"], history={}), "history must hold at least one row for MIUF, ARP; got none"),
    case(None, "recommendations in no file", lambda: evaluate("no.csv", TRUTH, "HR"), r"recommendations must be an existing file; got 'no\.csv'"),
    case(None, "relevance in no file", lambda: evaluate(RECS, "no.csv", "HR"), r"relevance must be an existing file; got 'no\.csv'"),
    case(None, "no catalogue", lambda: evaluate(RECS, TRUTH, "CC@5"), "items must be given for CC@5: a frame of the whole catalogue, indexed by item id"),
    case(None, "no awards", lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS.rename(columns={"awards": "wins"})), r"items must have one column 'awards' for LTP; got the columns \['wins'\]"),
    case(12, "a history of strangers", lambda: evaluate(RECS, TRUTH, "nov_u", history={77: [10]}), "history must have users that are judged; got 0 of 1 users in relevance"),
    case(None, "awards that are no counts", lambda: evaluate(RECS, TRUTH, "LTP", items=ITEMS / 2), "awards of items must be whole numbers"),
    case(None, "a missing date", lambda: evaluate(RECS, TRUTH, "nov_t", items=ITEMS.assign(novelty_date=pd.to_datetime([None, "2020", "2020"]))), "novelty_date of items must not be missing; got NaT in row 0"),
    case(None, "no dates", lambda: evaluate(RECS, TRUTH, "nov_t", items=ITEMS.assign(novelty_date="2020")), "novelty_date of items must hold dates"),
    case(None, "no features", lambda: evaluate(RECS, TRUTH, "ILD", items=ITEMS), "items must have feature columns for ILD"),
    case(None, "text as a feature", lambda: evaluate(RECS, TRUTH, "ILD@2", items=ITEMS.assign(title=["x", "y", "x"])), r"^title of items must hold numbers, as a feature for ILD@2; got .*str\.get_dummies"),
    case(None, "no history", lambda: evaluate(RECS, TRUTH, "nov_u"), "history must be given for nov_u"),
    case(None, "an unknown convention", lambda: evaluate(RECS, TRUTH, "MRR", convention="treceval"), r"convention must be one of .*; got 'treceval'. Did you mean 'trec_eval'\?"),
    case(None, "an unknown tie rule", lambda: evaluate(RECS, TRUTH, "MRR", ties="random"), "ties must be one of 'item', 'trec_eval'"),
    case(None, "no measure", lambda: evaluate(RECS, TRUTH, []), "measures must name at least one measure"),
    case(None, "no system", lambda: evaluate({}, TRUTH, "MRR"), "recommendations must hold at least one system; got an empty dict"),
    case(None, "two systems of one name", lambda: evaluate({"A/1": RECS.assign(s="x"), "A": RECS.assign(s="1/x")}, TRUTH, "MRR", system="s"), "recommendations must hold each system once; got 'A/1/x' twice"),
    case(None, "no row to name a system", lambda: evaluate(RECS.iloc[:0].assign(s=[]), TRUTH, "MRR", system="s"), "s of recommendations must name a system; got no row"),
    case(None, "rows of no system", lambda: evaluate(RECS.assign(s=["A", None, "A"]), TRUTH, "MRR", system="s"), "s of recommendations must not be missing"),
    case(None, "an unknown user to explain", lambda: evaluate(RECS, TRUTH, "MRR").explain(9, "MRR"), r"user must be a judged user, such as \[1, 2, 3\]; got 9"),
    case(None, "a measure that was not evaluated", lambda: evaluate(RECS, TRUTH, "MRR").explain(1, "MAP"), r"measure must be one of 'MRR'; got 'MAP'"),
    case(None, "a set-level measure to explain", lambda: evaluate(RECS, TRUTH, "CC", items=ITEMS).explain(1, "CC"), "measure must have a value for each user; got 'CC'. It is of all users together"),
    case(None, "one of several systems to explain", lambda: evaluate({"A": RECS, "B": RECS}, TRUTH, "MRR").explain(1, "MRR"), r"system must be one of \['A', 'B'\]; got None"),
    case(None, "no fold", lambda: pooled({}), "folds must be a dict .* at least one; got none"),
    case(None, "folds of different measures", lambda: pooled({1: evaluate(RECS, TRUTH, "MRR"), 2: evaluate(RECS, TRUTH, "MAP")}), "folds must have the same systems and measures; got .*'MRR'.* in 1 and .*'MAP'.* in 2"),
]
# fmt: on


@pytest.mark.parametrize(("call", "message"), [*TABLES, *IDS, *NUMBERS, *PARAMETERS, *OPTIONS])
def test_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


# fmt: off
VALUES = [
    case(5, "a generator of measures", lambda: evaluate(RECS, TRUTH, (name for name in MEASURES)).per_user, evaluate(RECS, TRUTH, MEASURES).per_user),
    case(5, "a generator of pairs", lambda: metrics.hits({"a": 0.9, "b": 0.5}, (pair for pair in [("a", 0.9), ("b", 0.5)])), 2),
    case(8, "leading axes", lambda: [metric([[[1.0, 0.0], [0.0, 1.0]]]).shape for metric in (metrics.dcg, metrics.auc)], [(1, 2), (1, 2)]),
    case(15, "text by code point and not by language", lambda: evaluate(ids("u", ["é", "z", "Z", "e\u0301"], [1.0] * 4), grades("u", ["é"]), "MRR").per_user, [[1 / 4]]),
    case(17, "the ends of int64", lambda: next(iter(splitting.leave_last_out([2**63 - 1, -(2**63), 2**63 - 1, -(2**63)], [1, 2, 3, 4]))), [[0, 1], [2, 3]]),
    case(19, "systems that differ by a null byte", lambda: evaluate(RECS.assign(user=1, who=pd.Series(["b\0", "b", "a"], dtype=object)), TRUTH, "MRR", system="who").systems == ["b\0", "b", "a"], True),
    *(case(25, f"the first place in the order {order}", lambda order=order: evaluate(RECS.assign(user=1, item=[10, 11, 10], score=[1.0, 2.0, 3.0]).iloc[order], TRUTH, "MRR", duplicates="first").per_user.loc[1], [1 / 2]) for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2])),
    case(25, "the count of repeats", lambda: evaluate(RECS.assign(user=1, item=[10, 11, 10]), TRUTH, "MRR", duplicates="first").counts.loc["", "repeated"], 1),
    *(case(26, f"rows in the order {order}", lambda order=order: evaluate(RECS.iloc[order], TRUTH.iloc[order], MEASURES).per_user, evaluate(RECS, TRUTH, MEASURES).per_user) for order in ([2, 1, 0], [1, 0, 2], [1, 2, 0])),
    case(30, "an infinite score first", lambda: auc([1, 0, 0], scores=[np.inf, 0.0, -np.inf]), 1),
    case(30, "an infinite score last", lambda: auc([1, 0, 0], scores=[-np.inf, 0.0, np.inf]), 0),
    case(30, "infinite scores tied", lambda: auc([1, 0, 0], scores=[np.inf, np.inf, 0.0]), 0.75),
    case(30, "an infinite score in a table", lambda: evaluate(INFINITE, {1: ["a"]}, "MRR").per_user, [[1]]),
    *(case(31, f"a gap of {tiny}", lambda tiny=tiny: [auc([1, 0], scores=[1 + tiny, 1.0]), hits({"a": 1.0, "b": 0.5}, {"b": 1.0, "a": 1 + tiny}, k=1)], [1, 1]) for tiny in (1e-9, 1e-13, np.spacing(1.0))),
    *(case(32, dtype, lambda dtype=dtype: auc([0, 1, 0], scores=np.array([1, 3, 2], dtype)), 1) for dtype in ("float16", "float32", "int8", "uint64")),
    case(32, "a sum beyond 2048", lambda: metrics.cumulative_gain(np.ones(5000, np.float16)), 5000),
    case(32, "a count beyond 2048", lambda: metrics.ranking.precision(np.ones(5000, np.float16)), 1),
    case(40, "a user without an answer", lambda: evaluate(*ONE_ANSWERED).per_user.loc[2], np.zeros(len(ACCURACY))),
    case(40, "a user left out", lambda: evaluate(*ONE_ANSWERED, users="both").per_user.loc[2], np.full(len(ACCURACY), np.nan)),
    case(40, "AUC without a pair", lambda: evaluate(*IN_DOUBT, "AUC").per_user["AUC"], [1, np.nan, np.nan]),
    case(40, "the mean of AUC without a pair", lambda: evaluate(*IN_DOUBT, "AUC").summary, [[1]]),
    case(40, "AUC of empty lists", lambda: metrics.auc(np.empty((2, 0))), [np.nan, np.nan]),
    case(41, "AP of nothing found", lambda: metrics.average_precision([0, 0], 3, k=2), 0),
    case(41, "nDCG of nothing found", lambda: metrics.ndcg([0, 0], [1, 1, 1], k=2), 0),
    case(42, "nDCG of more than k", lambda: metrics.ndcg([1, 1], [1, 1, 1], k=2), 1),
    case(42, "AP of more than k", lambda: metrics.average_precision([1, 1], 4, k=2, denominator="reachable"), 1),
    case(45, "MSE of int8", lambda: metrics.prediction.mse(np.array([120], np.int8), np.array([-120], np.int8)), 57600),
    case(45, "MAE of int8", lambda: metrics.prediction.mae(np.array([-120], np.int8), np.array([120], np.int8)), 240),
    case(45, "RMSE of uint8", lambda: metrics.rmse(np.array([0], np.uint8), np.array([255], np.uint8)), 255),
    case(49, "a cut-off of a million", lambda: measure("nDCG@1000000").k, 10**6),
    case(53, "folds of unordered times", lambda: sorted([*splitting.time_series_folds(TIMES, 2)][-1][1]), [0, 3]),
    case(53, "a fixed time among unordered ones", lambda: list(map(sorted, next(iter(splitting.fixed_time(TIMES, "2020-01-03"))))), [[1, 2], [0, 3]]),
    case(57, "precision of nothing predicted", lambda: metrics.classification.precision(NOTHING_PREDICTED), np.nan),
    case(57, "F1 of nothing predicted", lambda: metrics.classification.f1(NOTHING_PREDICTED), np.nan),
    case(57, "precision where 0 is asked for", lambda: metrics.classification.precision(NOTHING_PREDICTED, undefined=0), 0),
    case(57, "F1 where 0 is asked for", lambda: metrics.classification.f1(NOTHING_PREDICTED, undefined=0), 0),
    case(57, "F1 of NaN", lambda: metrics.ranking.f1(math.nan, 0.5), np.nan),
    case(57, "precision of empty lists", lambda: metrics.ranking.precision(np.empty((2, 0)), k=3), [0, 0]),
    case(57, "precision of nothing retrieved", lambda: metrics.ranking.precision([], denominator="retrieved"), np.nan),
    *(case(58, f"{function.__name__} of {len(other)} equal", lambda function=function, other=other, options=options: function({name: ord(name) for name in other}, other, **options), np.nan) for function, options in ((metrics.kendall, {"variant": "b"}), (metrics.spearman, {})) for other in (dict.fromkeys("abc", 1.0), {"a": 1.0}, {})),
    case(58, "a constant column among others", lambda: fuzzy.agreement_matrix(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": 1.0}), pd.DataFrame({"X": [1.0, 2.0, 3.0], "Y": 1.0}))["Y"], [np.nan] * 2),
    case(58, "a test without a difference", lambda: significance.wilcoxon([1, 2, 3], [1, 2, 3]).p, 1),
    case(58, "the interval of one user", lambda: significance.mean_interval([0.5]).low, np.nan),
    case(61, "correctness of a tied truth", lambda: metrics.correctness(TIED, {"a": 0.5, "b": 0.1}), np.nan),
    case(61, "correctness of a tied ranking", lambda: metrics.correctness({"a": 1.0, "b": 0.5}, TIED), np.nan),
    case(61, "LTP of an empty list", lambda: metrics.long_tail_percentage([[-1, -1]], [True, False]), np.nan),
    case(61, "Mueller of empty rankings", lambda: metrics.quality_mueller({}, {}), np.nan),
    case(61, "LTP and CC of nobody", lambda: evaluate(RECS.iloc[:0], TRUTH, ["LTP", "CC"], items=ITEMS).summary, [[np.nan, 0]]),
    case(None, "the sum of one huge grade", lambda: evaluate(RECS, HUGE_GRADES, "DCG@1").summary, [[1.5e308]]),
    case(None, "big-endian columns", lambda: evaluate(RECS.astype({name: RECS[name].dtype.newbyteorder(">") for name in RECS}), TRUTH, "nDCG").per_user, evaluate(RECS, TRUTH, "nDCG").per_user),
    case(None, "names of systems", lambda: evaluate(dict.fromkeys(NAMES, RECS), TRUTH, "MRR").systems == NAMES, True),
    case(None, "a year as the name of a system", lambda: evaluate(dict.fromkeys(NAMES, RECS), TRUTH, "MRR").per_user.loc[2020]["MRR"], [0.5, 1, 0]),
    case(None, "years in a column", lambda: evaluate(pd.concat([RECS.assign(year=2020), RECS.assign(year=2021)]), TRUTH, "MRR", system="year").systems, [2020, 2021]),
    case(None, "relevance without grades", lambda: evaluate(RECS, TRUTH[["user", "item"]], "MRR", relevance_column=None).per_user["MRR"], [0.5, 1, 0]),
    case(None, "a column called as Arrow calls its columns", lambda: evaluate(*NAMED_AS_IN_ARROW, "MRR").per_user["MRR"], [0.5, 1, 0]),
    case(None, "an empty system counts 0", lambda: evaluate({"A": RECS, "B": []}, TRUTH, "MRR").summary["MRR"], [0.5, 0]),
    case(None, "a column of features", lambda: evaluate(RECS, TRUTH, "ILD@2", items=ITEMS.assign(blue=[1, 0, 1])).interval()["users"], [1]),
    case(None, "contracts up to the limit follow the curve", lambda: datasets.procurement(500_000)["contract"].nunique() > 500_000, True),
]
# fmt: on


@pytest.mark.parametrize(("call", "expected"), VALUES)
def test_value(call, expected):
    value = call()
    assert np.shape(value) == np.shape(expected)  # or one number would equal any array of it
    assert_array_equal(value, expected)
