"""Parquet files in parts, and Dask frames: the same bits as in memory, and the same refusals."""

import pickle
import sys
from pathlib import Path
from unittest.mock import Mock

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from dask.distributed import Client, LocalCluster
from scale_data import MEASURES, WITH_ITEMS, assert_same, evaluate_in_parts, tables

from receval import EvaluationWarning, InputError, evaluate, load
from receval.evaluation import parts, pooled

ORDERS = {
    "sorted": lambda frame: frame.sort_values("user", kind="stable"),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=3),
}


@pytest.fixture(autouse=True)
def _synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def is_in_parts(result):
    """Check whether the tables were evaluated in parts."""
    return all(system.lists is None for system in result._systems.values())


def write(folder, row_groups=97, **frames):
    """Write one Parquet file per frame; return the paths by name."""
    folder.mkdir(exist_ok=True, parents=True)
    paths = {name: folder / f"{name}.parquet" for name in frames}
    for name, frame in frames.items():
        frame.to_parquet(paths[name], index=False, row_group_size=row_groups)
    return paths


def dask_frames(*frames, partitions=4):
    """Return Dask frames of shuffled rows."""
    return [
        dd.from_pandas(frame.sample(frac=1, random_state=1), npartitions=partitions, sort=False)
        for frame in frames
    ]


def results_of_all(
    folder, recs, truth, measures=MEASURES, *, history=None, part_rows=500, **options
):
    """Return the results of memory and of parts, and of Dask unless the order of rows matters.

    ``recs`` is a frame, or a dict of frames by system.
    """
    systems = recs if isinstance(recs, dict) else {"recs": recs}
    seen = {} if history is None else {"history": history}
    frames = {**systems, "truth": truth, **seen}

    def call(run, tables, **more):
        chosen = {name: tables[name] for name in systems}
        return run(
            chosen if isinstance(recs, dict) else chosen["recs"],
            tables["truth"],
            measures,
            history=tables.get("history"),
            **options,
            **more,
        )

    in_parts = call(evaluate_in_parts, write(folder, **frames), part_rows=part_rows)
    assert is_in_parts(in_parts)
    results = [call(evaluate, frames), in_parts]
    if options.get("convention") != "ranx" and options.get("ties") != "input":
        by_dask = {
            name: dd.from_pandas(frame, npartitions=1 + number % 3, sort=False)
            for number, (name, frame) in enumerate(frames.items(), 2)
        }
        results.append(call(evaluate, by_dask))
    return results


def check_same(*arguments, **options):
    """Check that parts and Dask give what memory gives; return the results of all."""
    results = results_of_all(*arguments, **options)
    expected = results[0]
    system = expected.systems[-1]
    user = expected.per_user.index.get_level_values("user")[-3]
    name = next(measure.name for measure in expected.measures if measure.per_user)

    def texts(result):
        explained = result.explain(user, name, system=system)
        return repr(result), result.methods(), repr(explained)

    for result in results[1:]:
        assert_same(result, expected)
        assert texts(result) == texts(expected)
        mixed, plain = (pooled({1: one, 2: expected}, "union") for one in (result, expected))
        pd.testing.assert_frame_equal(mixed.summary, plain.summary, check_exact=True)
    return results


# The same values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "text"), [("sorted", True), ("shuffled", False)])
def test_parts_and_dask_give_what_memory_gives(tmp_path, order, text):
    recs, truth, seen, items = tables(text=text)
    frames = [ORDERS[order](frame) for frame in (recs, truth)]
    results = check_same(tmp_path, *frames, WITH_ITEMS, history=seen, items=items)
    for result in results:
        result.save(tmp_path / "out.receval")
        assert load(tmp_path / "out.receval") == result


@pytest.mark.parametrize(
    ("row_groups", "part_rows", "text"), [(1, 500, True), (7, 20, False), (400, 20, True)]
)
def test_any_size_of_row_groups_and_parts(tmp_path, row_groups, part_rows, text):
    recs, truth, _, _ = tables(text=text, users=40, seed=row_groups)
    paths = write(tmp_path, row_groups, recs=ORDERS["shuffled"](recs), truth=truth)
    result = evaluate_in_parts(*paths.values(), MEASURES, part_rows=part_rows)
    assert_same(result, evaluate(recs, truth, MEASURES))


def repeated(frame):
    """Return recommendations that hold the first item of each list twice."""
    again = frame[frame["place"] == 1].assign(place=99, score=-1.0)
    return pd.concat([frame, again]).sample(frac=1, random_state=0)


@pytest.mark.parametrize(
    ("change", "options"),
    [
        pytest.param(ORDERS["shuffled"], {"convention": "trec_eval"}, id="trec_eval"),
        pytest.param(ORDERS["shuffled"], {"ties": "average"}, id="mean over ties"),
        pytest.param(ORDERS["shuffled"], {"ties": "input"}, id="ties in the order of the rows"),
        pytest.param(ORDERS["shuffled"], {"users": "both"}, id="users without answer left out"),
        pytest.param(ORDERS["shuffled"], {"relevance_column": None}, id="no grades"),
        pytest.param(ORDERS["shuffled"], {"seen": "drop"}, id="seen items dropped"),
        pytest.param(ORDERS["sorted"], {"rank": "place"}, id="ranks"),
        pytest.param(repeated, {"duplicates": "first"}, id="repeated items"),
    ],
)
def test_choices_are_those_of_memory(tmp_path, change, options):
    recs, truth, seen, _ = tables(text=True, seed=2, users=100)
    recs["place"] = recs.groupby("user").cumcount() + 1
    check_same(tmp_path, change(recs), truth, history=seen, part_rows=200, **options)


def test_several_systems_in_files_of_their_own_or_in_one(tmp_path):
    recs, truth, _, _ = tables(users=100)
    other = recs.assign(score=-recs["score"])[recs["user"] % 3 != 0]
    expected, result, _ = check_same(
        tmp_path, {"A": recs, "B": ORDERS["shuffled"](other)}, truth, part_rows=200
    )
    pd.testing.assert_frame_equal(result.compare().results, expected.compare().results)

    # A part can lack rows of a system.
    both = pd.concat([recs.assign(system="A"), other.assign(system="B")])
    of_one_table = check_same(tmp_path, ORDERS["sorted"](both), truth, part_rows=100)[0]
    pd.testing.assert_frame_equal(of_one_table.per_user, expected.per_user)


def test_folders_and_patterns_of_files_of_different_types(tmp_path):
    recs, truth, _, _ = tables()
    recs["score"] = (recs["score"] * 7).round()  # which float32 holds
    small = recs[700:].astype({"user": "int16", "item": "uint8", "score": "float32"})
    write(tmp_path / "recs", a=recs[:700], b=small)
    truth_path = write(tmp_path, truth=truth)["truth"]
    expected = evaluate(recs, truth, MEASURES)
    in_memory = [evaluate(tmp_path / "recs", second, MEASURES) for second in (truth_path, truth)]
    in_parts = [
        evaluate_in_parts(paths, truth_path, MEASURES)
        for paths in (tmp_path / "recs", str(tmp_path / "recs" / "*.parquet"))
    ]
    assert list(map(is_in_parts, in_memory + in_parts)) == [False, False, True, True]
    for result in in_memory + in_parts:
        assert_same(result, expected)


def test_only_large_files_are_read_in_parts(tmp_path, monkeypatch):
    recs, truth, _, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth)
    assert not is_in_parts(evaluate(*paths.values(), "MRR"))
    monkeypatch.setattr(parts, "STREAM_ROWS", 1000)
    assert is_in_parts(evaluate(*paths.values(), "MRR"))
    assert not is_in_parts(evaluate(paths["recs"], truth, "MRR"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recs.parquet", "truth.parquet"]


# Ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (False, {"user": "int16", "item": "uint8", "score": "float32"}),
        (True, {"user": "category", "item": "category"}),
    ],
)
def test_types_and_names_of_columns_may_differ_where_the_ids_are_the_same(tmp_path, text, types):
    recs, truth, _, _ = tables(text=text)
    check_same(
        tmp_path, recs.astype(types), truth.rename(columns={"user": "who"}), user=("user", "who")
    )


def test_explains_a_user_whom_the_type_of_the_recommendations_cannot_hold(tmp_path):
    """No recommendation has the user -1 if their users are unsigned."""
    recs = pd.DataFrame({"user": np.array([1, 2], np.uint64), "item": [1, 2], "score": 0.5})
    truth = pd.DataFrame({"user": [-1, 1], "item": [1, 2], "relevance": 1})
    expected, result, _ = results_of_all(tmp_path, recs, truth, "MRR")
    assert repr(result.explain(-1, "MRR")) == repr(expected.explain(-1, "MRR"))


@pytest.mark.parametrize("user", list("abc"))
def test_partitions_without_rows_do_not_say_what_kind_the_ids_are(tmp_path, user):
    """One partition holds the user, for most users not the first one."""
    recs = pd.DataFrame({"item": ["a", "b"], "score": [2.0, 1.0], "user": user})
    pooled(dict(enumerate(results_of_all(tmp_path, recs, recs.assign(relevance=1), "MRR"))))


# Notes --------------------------------------------------------------------------------------------


def check_notes(results, texts):
    """Check that all results have the same notes, and each text is in one of them."""
    expected, *others = [result.notes() for result in results]
    assert others == [expected] * len(others)
    assert {text: sum(text in note for note in expected) for text in texts} == dict.fromkeys(
        texts, 1
    )


@pytest.mark.parametrize("convention", ["ranx", "receval"])
def test_notes_are_those_of_memory_in_parts_and_on_dask(tmp_path, convention):
    users = np.arange(400)
    recs = pd.DataFrame({"user": users.repeat(2), "item": list("ab") * 400, "score": [2, 1] * 400})
    odd = recs[recs["user"] % 7 == 0]
    recs.loc[:1, "score"] = [1, 2]  # rising in one list alone: ranks, perhaps
    truth = pd.DataFrame({"user": users, "item": "x", "relevance": 1 + users // 80})
    marked = odd.assign(item="b", score=-np.inf).drop_duplicates("user")
    history = pd.concat([odd, truth[users % 5 == 0]])[["user", "item"]]
    options = {"history": history, "convention": convention}
    systems, measures = {"recs": recs, "odd": marked}, ["HR@5", "HR(rel=9)@2"]
    with pytest.warns(EvaluationWarning, match="no recommended item of 'recs' is in relevance"):
        results = results_of_all(tmp_path, systems, truth, measures, **options)
    texts = [
        "no recommended item of 'odd' is in relevance",
        "400 relevant items are in no list: longer lists could change HR@5",
        "recommended items of 'recs' in the history of their user: 116",
        "scores of 'recs' are 1, 2, …, n in every list",
        "recommended items of 'odd' with a score of -inf, which count like all others: 58",
        "no list of 'odd' is longer than 1, and another system lists up to 2 items",
        "relevant items in the history of their user: 80 of 400",
        "nobody has a relevant item for HR(rel=9)@2",
        "every grade from 1 to 5 counts as relevant",
    ]
    check_notes(results, texts)


USERS = np.arange(100)
LIKED = pd.DataFrame({"user": USERS, "item": 1, "score": 2.0, "relevance": 1.0})
RATED = LIKED.assign(relevance=np.select([n == USERS for n in (3, 20, 50, 80)], [2, 3, 4, 5], 1))
SWAPPED = "were the two tables swapped?"
GRADES_OF_ONE = LIKED.assign(relevance=np.where(USERS == 7, 0.3, 1))
"""One grade has a fraction, as scores have."""


def with_scores(of_user_3, of_user_50):
    """Return two items for each user: the second has the score 1 for all users but two."""
    scores = np.select([USERS == 3, USERS == 50], [of_user_3, of_user_50], 1)
    return pd.concat([LIKED, LIKED.assign(item=2, score=scores)])


@pytest.mark.parametrize(
    ("recs", "truth", "text", "is_noted"),
    [
        pytest.param(LIKED, GRADES_OF_ONE, SWAPPED, True, id="a fraction among grades"),
        pytest.param(with_scores(1.5, 1), GRADES_OF_ONE, SWAPPED, False, id="and among scores"),
        pytest.param(with_scores(11, 1), GRADES_OF_ONE, SWAPPED, False, id="a score above grades"),
        pytest.param(
            LIKED.assign(score=1), GRADES_OF_ONE, SWAPPED, False, id="as many scores 1 as grades"
        ),
        pytest.param(
            LIKED.assign(score=1),
            pd.concat([GRADES_OF_ONE, LIKED.assign(item=9)]),
            SWAPPED,
            True,
            id="less scores 1 than grades",
        ),
        pytest.param(
            with_scores(3, 1).assign(score=lambda table: 3 - table["score"]),
            LIKED,
            "if they are ranks",
            False,
            id="a list whose scores are no ranks",
        ),
        pytest.param(
            LIKED, RATED, "every grade from 1 to 5 counts as relevant", True, id="five grades"
        ),
        pytest.param(
            pd.concat([LIKED, LIKED.assign(item=2, score=1)[60:61]]),
            pd.concat([LIKED, LIKED.assign(item=9)]),
            "no list is longer than 2, and 100 relevant items",
            True,
            id="a longer list",
        ),
        pytest.param(
            with_scores(-1e9, -999),
            LIKED,
            "with a score of -1e+09, which count like all others: 1;",
            True,
            id="the lower of two marks",
        ),
        pytest.param(
            with_scores(-999, -999),
            LIKED,
            "with a score of -999, which count like all others: 2;",
            True,
            id="a mark of two users",
        ),
        pytest.param(
            with_scores(-999, -200), LIKED, "count like all", False, id="one low score of many"
        ),
        pytest.param(
            pd.concat([with_scores(-1e9, -5.1e8), LIKED.assign(item=3, score=-3e8)[60:61]]),
            LIKED,
            "count like all",
            False,
            id="three low scores of many",
        ),
        pytest.param(
            LIKED.assign(item=np.where(USERS == 3, 5, 8)),
            LIKED.assign(item=np.where(USERS == 50, 5, 9)),
            "is in relevance",
            False,
            id="an item shared by users of two parts",
        ),
        pytest.param(
            LIKED.assign(item=np.where(USERS < 10, 8, 1)),
            LIKED[:10],
            "is in relevance",
            False,
            id="an item shared in the list of a user who is not judged",
        ),
        pytest.param(
            LIKED,
            LIKED.assign(relevance=np.where(USERS == 3, 1, 0)),
            "nobody has a relevant item",
            False,
            id="one grade above 0",
        ),
    ],
)
def test_one_part_says_what_the_other_parts_do_not_show(tmp_path, recs, truth, text, is_noted):
    results = results_of_all(tmp_path, recs, truth, ["MRR", "HR@3"], part_rows=10)
    check_notes(results, [text] * is_noted)
    assert (text in " ".join(results[0].notes())) == is_noted


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        pytest.param(
            "recs",
            lambda frame: frame.assign(user=frame["user"] + 10_000),
            r"users that are judged; got 0 of \d+ users in relevance",
            id="disjoint",
        ),
        pytest.param(
            "truth",
            lambda frame: frame[:0],
            "relevance must hold at least one row; got none",
            id="nobody judged",
        ),
        pytest.param(
            "truth",
            lambda frame: frame.assign(relevance=frame["relevance"].where(frame.index != 905, -1)),
            "must be at least 0; got -1 in row 905",
            id="the row in the whole table",
        ),
        pytest.param(
            "recs",
            lambda frame: frame.replace({"item": {7: 4711}}),
            "items must hold every recommended item; got no row for 4711",
            id="outside",
        ),
        pytest.param(
            "seen",
            lambda frame: frame.assign(user=frame["user"] + 10_000),
            r"history must have users that are judged; got 0 of \d+ users",
            id="history",
        ),
        pytest.param(
            "seen",
            lambda frame: frame[:0],
            "history must hold at least one row for nov_u@3; got none",
            id="no history",
        ),
    ],
)
def test_refuses_what_no_part_alone_shows(tmp_path, table, change, message):
    recs, truth, seen, items = tables()
    frames = {"recs": recs, "truth": truth, "seen": seen}
    frames[table] = change(frames[table])
    by_dask = {name: dd.from_pandas(frame, npartitions=3) for name, frame in frames.items()}
    for call, form in ((evaluate_in_parts, write(tmp_path, **frames)), (evaluate, by_dask)):
        with pytest.raises(InputError, match=message):
            call(form["recs"], form["truth"], WITH_ITEMS, items=items, history=form["seen"])


REFUSED = {
    "an order of rows": (
        lambda recs, truth: evaluate(*dask_frames(recs, truth), "MRR", ties="input"),
        "ties must not be 'input' on Dask",
    ),
    "nobody judged in a frame beside Dask": (
        lambda recs, truth: evaluate(*dask_frames(recs), truth[:0], "MRR"),
        "relevance must hold at least one row",
    ),
    "values of the second file, by their row in the whole table": (
        lambda recs, truth: evaluate_in_parts("folder", "truth.parquet", "MRR"),
        r"got nan in row [789]\d\d, nan in row [789]\d\d",
    ),
    "a system twice": (
        lambda recs, truth: evaluate_in_parts(
            {"x": "both.parquet", "x/A": "recs.parquet"}, "truth.parquet", "MRR"
        ),
        r"recommendations must hold each system once; got 'x/A'",
    ),
    **{
        f"{name} by {call.__name__}": (
            lambda recs, truth, call=call, name=name: call(name, "truth.parquet", "MRR"),
            message,
        )
        for call in (evaluate, evaluate_in_parts)
        for name, message in {
            "nothing.parquet": "recommendations must name Parquet files",
            "recs.cs*": r"got 'recs.cs\*'. Pass CSV files one by one, or several in a dict",
            "broken.parquet": "broken.parquet must be a whole Parquet file",
            "*e[cx]*s.parquet": "each column of recommendations must have one type .* got .*user",
        }.items()
    },
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(tmp_path, monkeypatch, call, message):
    monkeypatch.chdir(tmp_path)
    recs, truth, _, _ = tables()
    both = pd.concat([recs.assign(system="A"), recs.assign(system="B")])
    write(tmp_path, recs=recs, texts=recs.assign(user="u"), both=both, truth=truth)
    write(tmp_path / "folder", a=recs[:700], b=recs[700:].assign(score=np.nan))
    Path("recs.csv").write_text("user,item,score\n", encoding="utf-8")
    Path("broken.parquet").write_bytes(Path("truth.parquet").read_bytes()[:2000])
    with pytest.raises(InputError, match=message):
        call(recs, truth)


LISTS = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
LIKES = pd.DataFrame({"user": [1, 2], "item": "a", "relevance": 1})
CHANGED = r"^MRR must give user 1 the value 1 of the evaluation; got {}. Evaluate again: its input "


@pytest.mark.parametrize(
    ("changes", "call", "message"),
    [
        ({}, lambda result: result.explain(4711, "MRR"), "user must be a judged user, such as"),
        ({}, lambda result: result.explain("u1", "MRR"), "user must be a judged user, such as"),
        (
            {"truth": LIKES[1:]},
            lambda result: result.explain(1, "MRR"),
            "relevance must hold user 1, who was judged",
        ),
        (
            {"truth": LIKES.assign(item="c")},
            lambda result: result.explain(1, "MRR"),
            CHANGED.format("0.0"),
        ),
        (
            {"recs": LISTS.assign(item=["b", "a", "a"])},
            lambda result: result.explain(np.int64(1), "MRR"),
            CHANGED.format("0.5"),
        ),
        (
            {"recs": LISTS.assign(item=["b", "a", "a"])},
            lambda result: result.terms(user=1),
            CHANGED.format("0.5"),
        ),
        (
            {"recs": LISTS.assign(item=["b", "a", "a"])},
            lambda result: result.lists(1),
            CHANGED.format("0.5"),
        ),
    ],
)
def test_explains_judged_users_whose_rows_are_as_they_were(tmp_path, changes, call, message):
    paths = write(tmp_path, recs=LISTS, truth=LIKES)
    result = evaluate_in_parts(*paths.values(), "MRR")
    write(tmp_path, **changes)
    with pytest.raises(InputError, match=message):
        call(result)


def test_a_result_of_parts_comes_back_from_a_pickle(tmp_path):
    result = evaluate_in_parts(*write(tmp_path, recs=LISTS, truth=LIKES).values(), "MRR")
    again = pickle.loads(pickle.dumps(result))
    pd.testing.assert_frame_equal(again.lists(1), result.lists(1))


def test_a_folder_without_room_for_the_parts_is_named(tmp_path, monkeypatch):
    paths = write(tmp_path, recs=LISTS, truth=LIKES)
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(InputError, match=r"the folder of temporary files must .*No space left"):
        evaluate_in_parts(*paths.values(), "MRR")


# Dask's schedulers --------------------------------------------------------------------------------


def test_dask_uses_the_cluster_of_the_user():
    recs, truth, seen, items = tables(text=True)
    expected = evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    own = dask.config.set(scheduler=None)
    with own, LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        *frames, history = dask_frames(recs, truth, seen)
        result = evaluate(*frames, WITH_ITEMS, items=items, history=history)
        assert_same(result, expected)
        assert [*client.run(lambda: "receval" in sys.modules).values()] == [True]


def test_dask_reads_files_beside_its_frames(tmp_path):
    recs, truth, _, _ = tables()
    truth.to_csv(tmp_path / "truth.csv", index=False)
    write(tmp_path, a=truth[:300], b=truth[300:])
    (frame,) = dask_frames(recs)
    expected = evaluate(recs, truth, MEASURES)
    with dask.config.set(scheduler="threads", num_workers=2):
        for paths in (tmp_path / "truth.csv", str(tmp_path / "*.parquet")):
            assert_same(evaluate(frame, paths, MEASURES), expected)
