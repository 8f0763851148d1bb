"""receval accepts the tables of users, or names the argument that would make it accept them."""

import gzip

import dask.dataframe as dd
import duckdb
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from scale_data import evaluate_in_parts

from receval import InputError, evaluate
from receval.fuzzy import attribute_clicks, attribute_visits

RECS = pd.DataFrame(
    {
        "user": [1, 1, 1, 2, 2, 3],
        "item": ["a", "b", "c", "b", "c", "d"],
        "score": [0.9, 0.7, 0.4, 0.8, 0.7, 0.1],
    }
)
TRUTH = pd.DataFrame(
    {"user": [1, 1, 2, 4], "item": ["b", "c", "b", "a"], "relevance": [2, 1, 1, 1]}
)
MEASURES = ["nDCG@2", "MRR", "Precision@2"]
SCORES = {1: {"c": 0.4, "a": 0.9, "b": 0.7}, 2: {"b": 0.8, "c": 0.7}, 3: {"d": 0.1}}
LISTS = {1: ["a", "b", "c"], 2: ["b", "c"], 3: ["d"]}
GRADES = {1: {"b": 2, "c": 1}, 2: {"b": 1}, 4: {"a": 1}}
RELEVANT = {1: {"b", "c"}, 2: {"b"}, 4: {"a"}}
WHOLE = evaluate(RECS, TRUTH, MEASURES)
BINARY = evaluate(RECS, TRUTH, MEASURES, relevance_column=None)


OF_THESE = pd.DataFrame({"user": ["user", "score"], "item": "x", "score": 1})
NAMED_LIKE_COLUMNS = {"user": {"x": 1}, "score": {"y": 1}}
PAST = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "c"]})


def same(found, wanted=WHOLE):
    assert_frame_equal(found.per_user, wanted.per_user)
    assert_frame_equal(found.counts, wanted.counts)


# Dicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("recs", [SCORES, LISTS, {u: np.array(i) for u, i in LISTS.items()}])
def test_a_dict_of_users(recs):
    same(evaluate(recs, GRADES, MEASURES))
    same(evaluate(recs, RELEVANT, MEASURES), BINARY)
    same(evaluate(recs, {u: sorted(i) for u, i in RELEVANT.items()}, MEASURES), BINARY)
    same(evaluate(recs, RELEVANT, MEASURES, relevance_column=None), BINARY)


@pytest.mark.parametrize("name", ["product", "user"])  # may be called as columns are
def test_dicts_of_dicts_and_of_tables_are_systems(name, tmp_path):
    tables = [RECS, pl.from_pandas(RECS), written(RECS, tmp_path, "recs"), SCORES, LISTS]
    for table in tables:
        for other in ("item", "mine"):
            found = evaluate({name: table, other: {1: [], 2: ["c"]}}, TRUTH, MEASURES)
            assert found.systems == [name, other]
            assert_frame_equal(found.per_user.loc[name], WHOLE.per_user)
            assert found.counts["answered"].tolist() == [2, 1]
    same(evaluate({"": SCORES}, GRADES, MEASURES))


@pytest.mark.parametrize(
    ("given", "same_as"),
    [
        pytest.param([LISTS | {4: []}, TRUTH, MEASURES], [LISTS, TRUTH, MEASURES], id="empty"),
        pytest.param(
            [{1: [], 2: []}, TRUTH, MEASURES], [RECS[:0], TRUTH, MEASURES], id="all empty"
        ),
        pytest.param(
            [{"user": {"x": 1}, "score": {"x": 1}}, NAMED_LIKE_COLUMNS, "MRR"],
            [OF_THESE, NAMED_LIKE_COLUMNS, "MRR"],
            id="users called as columns",
        ),
    ],
)
def test_dicts_of_users(given, same_as):
    same(evaluate(*given), evaluate(*same_as))


def test_a_history_may_be_a_dict_of_users():
    wanted = evaluate(RECS, TRUTH, "nov_u@2", history=PAST)
    same(evaluate(RECS, TRUTH, "nov_u@2", history={1: {"a", "b"}, 2: ["c"]}), wanted)


# Tables of other libraries ---------------------------------------------------------------------

LIBRARIES = {
    "Polars": pl.from_pandas,
    "Polars, lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "DuckDB": duckdb.from_df,
    "a stream": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "batch": lambda frame: pa.RecordBatch.from_pandas(frame),
    "narwhals": lambda frame: narwhals.from_native(pl.from_pandas(frame)),
    "narwhals, lazy": lambda frame: narwhals.from_native(pl.from_pandas(frame).lazy()),
}


@pytest.mark.parametrize("made", LIBRARIES.values(), ids=LIBRARIES)
def test_tables_of_other_libraries(made):
    two = evaluate({"one": made(RECS), "two": made(RECS)}, made(TRUTH), [*MEASURES, "ERR@3"])
    assert_frame_equal(two.per_user.loc["two"][MEASURES], WHOLE.per_user)
    named = RECS.rename(columns={"user": "uid"})
    same(evaluate(made(named), made(TRUTH), MEASURES))
    with pytest.raises(InputError, match=r"must have one column 'user'; .* Perhaps user="):
        evaluate(made(named.assign(qid=1)), made(TRUTH), "MRR")


@pytest.mark.parametrize("made", LIBRARIES.values(), ids=LIBRARIES)
def test_logs_of_other_libraries(made):
    shown = pd.DataFrame({"user": 1, "item": ["a", "b"], "time": [10, 10]})
    later = pd.DataFrame({"user": [1], "item": ["b"], "time": [12]})
    assert attribute_clicks(made(shown), made(later))["clicked"].tolist() == [False, True]
    assert attribute_visits(made(shown), made(later))["visited"].tolist() == [False, True]


def test_compressed_trec_text(file):
    run = "".join(f"{user} Q0 {item} 1 {score} x\n" for user, item, score in RECS.to_numpy())
    qrels = "".join(f"{user} 0 {item} {grade}\n" for user, item, grade in TRUTH.to_numpy())
    files = [
        file("a.run.gz", gzip.compress(run.encode())),
        file("t.qrels.gz", gzip.compress(qrels.encode())),
    ]
    text = evaluate(RECS.astype({"user": str}), TRUTH.astype({"user": str}), MEASURES)
    same(evaluate(*files, MEASURES), text)


# Names -----------------------------------------------------------------------------------------


def written(frame, folder, name):
    frame.to_parquet(folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


WAYS = {
    "memory": (lambda frame, *_: frame, evaluate),
    "Parquet": (written, evaluate),
    "in parts": (written, evaluate_in_parts),
    "Dask": (lambda frame, *_: dd.from_pandas(frame, npartitions=2), evaluate),
}


@pytest.mark.parametrize(("made", "call"), WAYS.values(), ids=WAYS)
def test_names_that_differ(made, call, tmp_path):
    # A column with the common name is another one.
    recs = RECS.rename(columns={"user": "uid"}).assign(user="nobody")
    truth = TRUTH.rename(columns={"user": "user_id", "item": "thing"})
    past = pd.DataFrame({"user_id": [1, 1], "thing": ["a", "b"]})
    tables = [made(table, tmp_path, str(place)) for place, table in enumerate((recs, truth, past))]
    names = {"user": ("uid", "user_id"), "item": ("item", "thing")}
    found = call(*tables[:2], [*MEASURES, "nov_u@2"], history=tables[2], **names)
    plain = past.set_axis(["user", "item"], axis=1)
    wanted = evaluate(RECS, TRUTH, [*MEASURES, "nov_u@2"], history=plain)
    assert_frame_equal(found.per_user, wanted.per_user)


@pytest.mark.parametrize(("made", "call"), WAYS.values(), ids=WAYS)
def test_numbers_beside_text_become_text_as_the_advice_says(made, call, tmp_path):
    truth = made(TRUTH.astype({"user": str}), tmp_path, "truth")
    with pytest.raises(InputError, match=r"of one kind.*text: frame\['user'\].astype\(str\)\."):
        call(made(RECS, tmp_path, "recs"), truth, MEASURES)
    recs = made(RECS.assign(user=RECS["user"].astype(str)), tmp_path, "recs")
    assert call(recs, truth, MEASURES).per_user.index.tolist() == ["1", "2", "4"]


TOOLS = {
    "rectools": ["user_id", "item_id", "rank", "weight"],
    "lenskit": ["user_id", "item_id", "score", "rating"],
    "pyterrier": ["qid", "docno", "score", "label"],
    "ir_measures": ["query_id", "doc_id", "score", "relevance"],
    "ranx": ["q_id", "doc_id", "score", "relevance"],
    "recommenders": ["userID", "itemID", "prediction", "rating"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_names_of_a_tool_are_found(tool):
    user, item, value, grade = TOOLS[tool]
    recs = RECS.assign(rank=[1, 2, 3, 1, 2, 1]).rename(
        columns={"user": user, "item": item, "score": "other" if value == "rank" else value}
    )
    same(evaluate(recs, TRUTH.set_axis([user, item, grade], axis=1), MEASURES))
    mine = TRUTH.set_axis([user, item, "mine"], axis=1)
    same(evaluate(recs, mine, MEASURES, relevance_column="mine"))


# Refusals --------------------------------------------------------------------------------------

RATINGS = pd.DataFrame({"a": [0.5, 0.1], "b": [0.2, 0.3]}, index=[1, 2])
ROWS = (
    r"There must be a row for each user and item\..*lists_from_scores and receval.lists_from_items"
)
REFUSED = {
    "a set of items": (RELEVANT, LISTS, {}, r"recommendations must have the items of a user in order, best first; got a set for 1. The truth may be a set"),
    "a column of grades beside grades by item": (SCORES, GRADES, {"relevance_column": None}, "relevance_column must be left out with grades by item"),
    "a user without relevant items": (SCORES, {1: ["b"], 2: []}, {}, "relevance must have an item for every user; got none for 2. Leave such users out, or judge an item 0"),
    "a list and numbers": ({1: ["a"], 2: {"b": 1}}, TRUTH, {}, "recommendations must have lists of items or numbers by item, not both; got a list for 1, and numbers for 2"),
    "a set and numbers": (SCORES, {1: ["a"], 2: {"b": 1}}, {}, "relevance must have lists of items or numbers by item, not both"),
    "an item twice": ({1: ["a", "a"]}, TRUTH, {}, "'a'"),
    "a decimal comma": ({1: {"a": "0,5"}}, TRUTH, {}, "score of recommendations must hold numbers"),
    "a missing score": ({1: {"a": None, "b": 1}}, TRUTH, {}, "score of recommendations must not be missing"),
    "an array without axes": ({1: np.array("a")}, TRUTH, {}, "recommendations must have a list of items, or numbers by item, for every user; got array.* for 1"),
    "lists as items": ({1: [["a"], ["b"]]}, TRUTH, {}, r"recommendations must have a list of items, or numbers by item, for every user; got \[\['a'\], \['b'\]\] for 1. Make a table"),
    "tuples as items": ({1: [("a", "x"), ("a", "y")]}, TRUTH, {}, "^(?!.*join the parts).* a list of items, or numbers by item, for every user; got .*'x'.* for 1"),
    "tuples as ids": (RECS.assign(item=[("a", 1)] * 6), TRUTH, {}, "join the parts of an id to one text"),
    "sets as items": ({1: [{"a"}, {"b"}]}, TRUTH, {}, "item of recommendations must hold ids"),
    "lists as predictions": (LISTS, TRUTH, {"measures": "RMSE"}, "score must be given for RMSE"),
    "scores as ranks": ({1: {"a": 5, "b": 3}}, TRUTH, {"rank": "rank"}, r"must have one column 'rank'.*Leave out rank"),
    "two other names": (RECS.rename(columns={"user": "user_id"}).assign(uid=1), TRUTH, {}, r"recommendations must have one column 'user'; got the columns \['user_id', .*\. Perhaps user='user_id' or user='uid'\. If relevance has another name"),
    "two other names of the truth": (RECS, TRUTH.rename(columns={"item": "movieId"}).assign(doc="x"), {}, r"relevance must have .* Perhaps item='movieId' or item='doc'\. If relevance"),
    "columns": (RECS.to_dict("list"), TRUTH, {}, r"^recommendations must be a table, or a dict of users; got a dict of columns. Make a table: pd.DataFrame"),
    "columns of the truth": (RECS, TRUTH.to_dict("list"), {}, "^relevance must be a table, or a dict of users; got a dict of columns"),
    "columns of a system": ({"A": RECS.to_dict("list")}, TRUTH, {}, "^recommendations of 'A' must be .*; got a dict of columns"),
    "columns with names": ({"uid": [1], "thing": ["a"], "score": [1]}, TRUTH, {"item": "thing"}, "got a dict of columns"),
    "one known column": ({"reader": [1], "docno": ["a"], "score": [1]}, TRUTH, {}, "got a dict of columns"),
    "arrays as columns": ({name: RECS[name].to_numpy() for name in RECS}, TRUTH, {}, "got a dict of columns"),
    "no grade": (RECS, TRUTH.drop(columns="relevance"), {}, "relevance must have one column 'relevance'.*Otherwise pass relevance_column= with .*, or relevance_column=None if every row is relevant"),
    "two other grades": (RECS, TRUTH.rename(columns={"relevance": "rating"}).assign(weight=1), {}, "Perhaps relevance_column='rating' or relevance_column='weight'"),
    "grade called score": (RECS, TRUTH.rename(columns={"relevance": "score"}), {}, "Recommendations come first. Perhaps relevance_column='score'\\.?$"),
    "no score": (RECS.drop(columns="score"), TRUTH, {}, "Otherwise pass rank= with the name of a column of ranks 1, 2, 3, …, or lists of items, best first"),
    "rank and no score": (RECS.rename(columns={"score": "rank"}), TRUTH, {}, "rank of recommendations must hold ranks.*If the highest is the best, pass score='rank'$"),
    "other scores": (RECS.rename(columns={"score": "prediction"}).assign(sim=1), TRUTH, {}, "Perhaps score='prediction' or score='sim'"),
    "swapped": (TRUTH, RECS, {}, "If these are the relevant items: recommendations come first"),
    "ranks from 0": (RECS.assign(rank=[0, 1, 2, 0, 1, 0]), TRUTH, {"rank": "rank"}, r"rank of recommendations must hold ranks 1, 2, 3, …; got 0 in row 0, .*Ranks from 0: table\['rank'\] \+ 1$"),
    "swapped, with ranks": (TRUTH.assign(rank=1), RECS, {}, "relevance must have .* Recommendations come first"),
    "place and no score": (RECS.rename(columns={"score": "place"}), TRUTH, {}, "Perhaps rank='place'"),
    "wide": (RATINGS.rename_axis("user").reset_index(), TRUTH, {}, f"Pass item= with the name of the column of items.* {ROWS}"),
    "wide, users in the index": (RATINGS, TRUTH, {}, r"one column 'user'.*, or table\.reset_index\(names='user'\) if"),
    "wide truth": (RECS, RATINGS.rename_axis("user").reset_index(), {}, ROWS),
    "users in the index": (RECS.set_index("user"), TRUTH, {}, r"or table\.reset_index\(names='user'\) if the index has the users"),
    "lists as ids": (pl.DataFrame({"user": [["a"]], "item": ["b"], "score": [1.0]}), TRUTH, {}, "^user of recommendations must be a column that pandas can hold; got large_list"),
    "three names": (RECS, TRUTH, {"user": ("a", "b", "c")}, "user must be the name of a column, or two"),
    "a list as a name": (LISTS, TRUTH, {"user": ["user"]}, r"^user must be the name of a column, or two.*; got \['user'\]"),
    "no name": (LISTS, TRUTH, {"item": None}, "^item must be the name of a column, or two"),
    "two names of scores": (RECS, TRUTH, {"score": ["a", "b"]}, "^score must be the name of a column; got"),
    "no system": (RECS, TRUTH, {"system": "run"}, r"If each system has its own table: evaluate\({'A': first, 'B'"),
    "a name of no column": (RECS, TRUTH, {"user": "user_id"}, "Perhaps user='user'. If relevance has another name"),
    "frames in a list": ([RECS, RECS], TRUTH, {}, r"recommendations must be a table, or for several systems a dict {name: recommendations}; got list\. Pass {'A': first, 'B'"),
    "dicts of users in a tuple": ((SCORES, SCORES), TRUTH, {}, "for several systems a dict {name: recommendations}; got tuple"),
    "rows in a list": ([(1, "a", 0.5)], TRUTH, {}, r"must be a table \(a DataFrame\); got list\. Make a table: pd.DataFrame\(rows"),
    "a frame as a dict": (RECS.to_dict(), TRUTH, {}, "recommendations must be a table, or a dict of users; got a dict of columns"),
}  # fmt: skip


@pytest.mark.parametrize(("recs", "truth", "how", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_what_to_pass(recs, truth, how, message):
    with pytest.raises(InputError, match=message):
        evaluate(recs, truth, **{"measures": "MRR", **how})


def test_errors_about_files_name_the_argument_to_pass(tmp_path):
    recs = written(RECS.rename(columns={"user": "user_id"}).assign(uid=1), tmp_path, "recs")
    with pytest.raises(InputError, match=r"Perhaps user='user_id' or user='uid'"):
        evaluate_in_parts(recs, written(TRUTH, tmp_path, "truth"), "MRR")
