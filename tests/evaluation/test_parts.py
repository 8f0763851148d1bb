"""Parquet files in parts, and Dask frames: the same bits as in memory, and the same refusals."""

import re

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scale_data import MEASURES, WITH_ITEMS, assert_same, evaluate_in_parts, tables

from receval import EvaluationWarning, InputError, evaluate, load
from receval.evaluation import parts, pooled

ORDERS = {
    "sorted": lambda frame: frame.sort_values("user", kind="stable"),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=3),
}


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
    frames = {**systems, "truth": truth}
    if history is not None:
        frames["history"] = history

    def call(run, tables, **more):
        given = {name: tables[name] for name in systems}
        return run(
            given if isinstance(recs, dict) else given["recs"],
            tables["truth"],
            measures,
            history=tables.get("history"),
            **options,
            **more,
        )

    results = [call(evaluate, frames)]
    paths = write(folder, **frames)
    results.append(call(evaluate_in_parts, paths, part_rows=part_rows))
    assert is_in_parts(results[1])
    if options.get("convention") != "ranx" and options.get("ties") != "input":
        by_dask = {
            name: dd.from_pandas(frame, npartitions=1 + number % 3, sort=False)
            for number, (name, frame) in enumerate(frames.items(), 2)
        }
        with dask.config.set(scheduler="synchronous"):
            results.append(call(evaluate, by_dask))
    return results


def check_same(*arguments, **options):
    """Check that parts and Dask give what memory gives; return the results of all."""
    results = results_of_all(*arguments, **options)
    expected = results[0]
    system = expected.systems[-1]
    user = expected.per_user.index.get_level_values("user")[-3]
    name = next(measure.name for measure in expected.measures if measure.per_user)
    with dask.config.set(scheduler="synchronous"):
        for result in results[1:]:
            assert_same(result, expected)
            assert repr(result) == repr(expected)
            assert result.methods() == expected.methods()
            explained = [each.explain(user, name, system=system) for each in (result, expected)]
            assert repr(explained[0]) == repr(explained[1])
    return results


# The same values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("text", [False, True], ids=["integers", "text"])
def test_parts_and_dask_give_what_memory_gives(tmp_path, order, text):
    recs, truth, seen, items = tables(text=text)
    frames = [ORDERS[order](frame) for frame in (recs, truth)]
    results = check_same(tmp_path, *frames, WITH_ITEMS, history=seen, items=items)
    for result in results:
        result.save(tmp_path / "out.receval")
        assert load(tmp_path / "out.receval") == result


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.integers(1, 60), st.integers(1, 400), st.booleans(), st.sampled_from([20, 500]))
def test_any_size_of_row_groups_and_parts(tmp_path_factory, users, row_groups, text, part_rows):
    recs, truth, _, _ = tables(text=text, users=users, seed=row_groups)
    if truth.empty or not recs["user"].isin(truth["user"]).any():
        return
    folder = tmp_path_factory.mktemp("any")
    paths = write(folder, row_groups, recs=ORDERS["shuffled"](recs), truth=truth)
    result = evaluate_in_parts(*paths.values(), MEASURES, part_rows=part_rows)
    assert_same(result, evaluate(recs, truth, MEASURES))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"convention": "trec_eval"}, id="trec_eval"),
        pytest.param({"ties": "average"}, id="mean over ties"),
        pytest.param({"ties": "input"}, id="ties in the order of the rows"),
        pytest.param({"users": "both"}, id="users without answer left out"),
        pytest.param({"relevance_column": None}, id="no grades"),
        pytest.param({"seen": "drop"}, id="seen items dropped"),
    ],
)
def test_choices_are_those_of_memory(tmp_path, options):
    recs, truth, seen, _ = tables(text=True, seed=2)
    check_same(tmp_path, ORDERS["shuffled"](recs), truth, history=seen, **options)


def test_ranks_and_repeated_items(tmp_path):
    recs, truth, _, _ = tables()
    recs["place"] = recs.groupby("user").cumcount() + 1
    again = recs[recs["place"] == 1].assign(place=99, score=-1.0)
    both = pd.concat([recs, again]).sample(frac=1, random_state=0)
    for frame, options in [(recs, {"rank": "place"}), (both, {"duplicates": "first"})]:
        check_same(tmp_path, frame, truth, **options)


def test_several_systems_in_files_of_their_own_or_in_one(tmp_path):
    recs, truth, _, _ = tables()
    other = recs.assign(score=-recs["score"])[recs["user"] % 3 != 0]
    expected, result, _ = check_same(tmp_path, {"A": recs, "B": ORDERS["shuffled"](other)}, truth)
    pd.testing.assert_frame_equal(result.compare().results, expected.compare().results)

    # A part can lack rows of a system.
    both = pd.concat([recs.assign(system="A"), other.assign(system="B")])
    of_one_table = check_same(tmp_path, ORDERS["sorted"](both), truth, part_rows=100)[0]
    pd.testing.assert_frame_equal(of_one_table.per_user, expected.per_user)
    paths = write(tmp_path, both=both, A=recs, truth=truth)
    with pytest.raises(InputError, match=r"recommendations must hold each system once; got 'x/A'"):
        evaluate_in_parts({"x": paths["both"], "x/A": paths["A"]}, paths["truth"], "MRR")


def test_folders_and_patterns_of_files(tmp_path):
    recs, truth, _, _ = tables()
    write(tmp_path / "recs", a=recs[:700], b=recs[700:])
    truth_path = write(tmp_path, truth=truth)["truth"]
    expected = evaluate(recs, truth, MEASURES)
    for paths in (tmp_path / "recs", str(tmp_path / "recs" / "*.parquet")):
        assert_same(evaluate_in_parts(paths, truth_path, MEASURES), expected)
    for second in (truth_path, truth):
        in_memory = evaluate(tmp_path / "recs", second, MEASURES)
        assert not is_in_parts(in_memory)
        assert_same(in_memory, expected)


def test_only_large_files_are_read_in_parts(tmp_path, monkeypatch):
    recs, truth, _, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth)
    assert not is_in_parts(evaluate(*paths.values(), "MRR"))
    monkeypatch.setattr(parts, "STREAM_ROWS", 1000)
    assert is_in_parts(evaluate(*paths.values(), "MRR"))
    assert not is_in_parts(evaluate(paths["recs"], truth, "MRR"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recs.parquet", "truth.parquet"]


def test_folds_are_pooled_from_files_as_in_memory(tmp_path):
    folds = {}
    for fold in (1, 2):
        recs, truth, _, items = tables(seed=fold)
        folds[fold] = results_of_all(tmp_path, recs, truth, ["MRR", "CC@3"], items=items)
    for set_level in ("mean", "union"):
        summary, *others = (
            pooled({fold: results[place] for fold, results in folds.items()}, set_level).summary
            for place in range(3)
        )
        for other in others:
            pd.testing.assert_frame_equal(other, summary, check_exact=True)


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
    other, truth = recs.astype(types), truth.rename(columns={"user": "who"})
    check_same(tmp_path, other, truth, user=("user", "who"))
    if not text:  # one table in files of two types
        truth_path = write(tmp_path, truth=truth)["truth"]
        half = len(recs) // 2
        write(tmp_path / "recs", a=other[:half], b=recs[half:])
        found = evaluate_in_parts(tmp_path / "recs", truth_path, MEASURES, user=("user", "who"))
        assert_same(found, evaluate(tmp_path / "recs", truth, MEASURES, user=("user", "who")))


def test_ids_near_the_ends_of_64_bits(tmp_path):
    recs, truth, _, _ = tables(users=120)
    far = np.uint64(2**64 - 500)
    frames = [
        frame.assign(user=np.where(frame["user"] > 60, far, 0) + frame["user"].astype("uint64"))
        for frame in (recs, truth)
    ]
    expected, *others = results_of_all(tmp_path, *frames)
    for result in others:
        pd.testing.assert_frame_equal(result.summary, expected.summary, check_exact=True)
        assert result.per_user.index.tolist() == expected.per_user.index.tolist()


def test_explains_a_user_whom_the_type_of_the_recommendations_cannot_hold(tmp_path):
    """No recommendation has the user -1 if their users are unsigned."""
    recs = pd.DataFrame({"user": np.array([1, 2], np.uint64), "item": [1, 2], "score": 0.5})
    truth = pd.DataFrame({"user": [-1, 1], "item": [1, 2], "relevance": 1})
    expected, result, _ = results_of_all(tmp_path, recs, truth, "MRR")
    assert repr(result.explain(-1, "MRR")) == repr(expected.explain(-1, "MRR"))


def test_partitions_without_rows_do_not_say_what_kind_the_ids_are(tmp_path):
    recs = pd.DataFrame({"item": ["a", "b"], "score": [2.0, 1.0]})
    for user in "abc":  # of the partitions one holds the user, mostly not the first
        frame = recs.assign(user=user)
        results = results_of_all(tmp_path, frame, frame.assign(relevance=1), "MRR")
        pooled(dict(enumerate(results)))


# Notes --------------------------------------------------------------------------------------------


def check_notes(results, texts):
    """Check that all results have the same notes, and each text is in one of them."""
    notes = [result.notes() for result in results]
    assert all(other == notes[0] for other in notes[1:])
    for text in texts:
        assert sum(text in note for note in notes[0]) == 1, text


def test_notes_are_those_of_memory_in_parts_and_on_dask(tmp_path):
    users = np.arange(400)
    recs = pd.DataFrame({"user": users.repeat(2), "item": list("ab") * 400, "score": [2, 1] * 400})
    odd = recs[recs["user"] % 7 == 0]
    recs.loc[:1, "score"] = [1, 2]  # rising in one list alone: ranks, perhaps
    # No part has all five grades: each user has one, and the first users low ones.
    truth = pd.DataFrame({"user": users, "item": "x", "relevance": 1 + users // 80})
    systems = {"recs": recs, "odd": odd.assign(item="b").drop_duplicates("user")}
    history = odd[["user", "item"]]
    with pytest.warns(EvaluationWarning, match="no recommended item of 'recs' is in relevance"):
        results = results_of_all(tmp_path, systems, truth, ["AUC", "HR@5"], history=history)
    texts = [
        "no recommended item of 'odd' is in relevance",
        "400 relevant items are in no list: longer lists could change HR@5",
        "only lists of all items give the AUC",
        "recommended items of 'recs' in the history of their user: 116",
        "scores of 'recs' are 1, 2, …, n in every list",
        "every grade from 1 to 5 counts as relevant",
    ]
    check_notes(results, texts)


@pytest.mark.parametrize("convention", ["ranx", "receval"])
def test_counts_of_doubts_are_those_of_memory(convention, tmp_path):
    users = np.arange(200)

    def lists_of(length, scores, users):
        columns = {"user": np.repeat(users, length), "item": np.tile(np.arange(length), users.size)}
        return pd.DataFrame({**columns, "score": np.tile(scores, users.size)})

    systems = {
        "long": lists_of(18, [9.0] * 16 + [-np.inf] * 2, users),
        "short": lists_of(4, [4.0, 3.0, 2.0, 1.0], users[::3]),
    }
    truth = pd.DataFrame({"user": users.repeat(2), "item": [2, 30] * 200, "relevance": 1})
    options = {"history": truth.loc[truth["user"] % 5 == 0, ["user", "item"]]}
    measures = ["Recall@20", "HR(rel=3)@2"]
    results = results_of_all(tmp_path, systems, truth, measures, convention=convention, **options)
    texts = [
        "no list of 'short' is longer than 4, and another system lists up to 18 items",
        "relevant items in the history of their user: 80 of 400",
        "nobody has a relevant item for HR(rel=3)@2",
    ]
    check_notes(results, texts)


@pytest.mark.filterwarnings("ignore:no recommended item")
@pytest.mark.parametrize("is_shared", [False, True])
def test_signs_of_slips_are_those_of_the_whole_and_not_of_a_part(tmp_path, is_shared):
    recs, truth, _, _ = tables()
    # Each item is relevant for users of other parts only, or for nobody.
    recs = recs.assign(item=recs["item"] + 100, score=recs.groupby("user").cumcount() + 1.0)
    relevance = truth.assign(item=truth["item"] + 500)
    if is_shared:
        late = truth.assign(user=truth["user"] + 1000, item=truth["item"] + 100)
        relevance = pd.concat([relevance, late])
    results = check_same(tmp_path, recs, relevance, "MRR")
    check_notes(results, ["if they are ranks"] + ["is in relevance"] * (not is_shared))
    assert ("is in relevance" in repr(results[0])) == (not is_shared)


def test_an_item_is_shared_also_in_the_list_of_a_user_who_is_not_judged(tmp_path):
    recs = pd.DataFrame({"user": range(100), "item": 7, "score": 1.0})
    recs.loc[:9, "item"] = 8
    truth = pd.DataFrame({"user": range(10), "item": 7, "relevance": 1})
    for result in results_of_all(tmp_path, recs, truth, "HR@1", part_rows=2):
        assert not any("is in relevance" in note for note in result.notes())


# What the scores of a random table are like, as functions of a generator, a number of rows and the
# place of each row in its list, counted from 0.
SCORES = {
    "whole": lambda rng, n, place: rng.integers(0, 6, n),
    "ranks": lambda rng, n, place: place + 1,
    "log-likelihoods": lambda rng, n, place: -rng.lognormal(5, 2, n),
    "below zero": lambda rng, n, place: -rng.integers(0, 200, n),
    "infinite": lambda rng, n, place: rng.choice([np.inf, 1, 0], n),
}
MARKS = [-90.0, -500.0, -999.0, -1e9, -np.inf]


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    scores=st.sampled_from(list(SCORES)),
    marks=st.lists(st.sampled_from(MARKS), max_size=2),
    fraction=st.sampled_from([0, 0.3, 0.5]),
    cutoff=st.sampled_from([2, 9]),
    seen=st.sampled_from(["note", "drop"]),
)
def test_notes_on_random_tables_are_those_of_memory(
    tmp_path_factory, seed, scores, marks, fraction, cutoff, seen
):
    rng = np.random.default_rng(seed)
    n_users = 60
    lengths = rng.integers(1, 6, n_users)
    recs = pd.DataFrame({"user": np.arange(n_users).repeat(lengths)})
    place = recs.groupby("user").cumcount()
    recs["item"] = place + rng.integers(0, 3, n_users).repeat(lengths)
    recs["score"] = SCORES[scores](rng, len(recs), place).astype(float)
    for mark in marks:  # programs set the score of an item to a mark, or add the mark to it
        row = rng.integers(len(recs))
        score = recs["score"][row]
        recs.loc[row, "score"] = mark
        if np.isfinite(score) and rng.random() < 0.5:
            recs.loc[row, "score"] = mark + score
    truth = pd.DataFrame({"user": np.arange(5, n_users + 5), "item": 1})
    truth["relevance"] = rng.integers(1, rng.integers(2, 13), len(truth)).astype(float)
    truth.loc[rng.integers(len(truth)), "relevance"] += fraction  # in a single grade
    history = recs.sample(5, random_state=seed)[["user", "item"]]
    options = {"history": history, "seen": seen, "part_rows": 40}
    measures = [f"HR@{cutoff}", f"nDCG@{cutoff}"]
    results = results_of_all(tmp_path_factory.mktemp("any"), recs, truth, measures, **options)
    check_notes(results, [])


def test_one_part_says_what_the_other_parts_do_not_show(tmp_path):
    users = np.arange(80)
    recs = pd.DataFrame({"user": users, "item": 1, "score": 2.0})
    truth = recs.rename(columns={"score": "relevance"})
    fraction = truth.assign(relevance=np.where(users == 7, 0.3, 1))
    check_notes(
        results_of_all(tmp_path, recs, fraction, "MRR", part_rows=20),
        ["were the two tables swapped?"],
    )
    others = recs.assign(item=2, score=np.select([users == 3, users == 50], [-1e9, -999], 5))
    scores = pd.concat([recs.assign(score=5.0), others])
    check_notes(
        results_of_all(tmp_path, scores, truth, "MRR", part_rows=20),
        ["with a score of -1e+09, which count like all others: 1;"],
    )


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
    ],
)
def test_refuses_what_no_part_alone_shows(tmp_path, table, change, message):
    recs, truth, seen, items = tables()
    frames = {"recs": recs, "truth": truth, "seen": seen}
    frames[table] = change(frames[table])
    paths = write(tmp_path, **frames)
    by_dask = {name: dd.from_pandas(frame, npartitions=3) for name, frame in frames.items()}
    for call, form in ((evaluate_in_parts, paths), (evaluate, by_dask)):
        options = {"items": items, "history": form["seen"]}
        with dask.config.set(scheduler="synchronous"), pytest.raises(InputError, match=message):
            call(form["recs"], form["truth"], WITH_ITEMS, **options)


def test_refuses_what_needs_an_order_of_rows():
    with pytest.raises(InputError, match="ties must not be 'input' on Dask"):
        evaluate(*dask_frames(*tables()[:2]), "MRR", ties="input")


def test_names_the_row_in_the_whole_table(tmp_path):
    recs, truth, _, _ = tables()
    write(tmp_path / "recs", a=recs[:700], b=recs[700:].assign(score=np.nan))
    truth_path = write(tmp_path, truth=truth)["truth"]
    with pytest.raises(InputError, match=r"got nan in row [789]\d\d, nan in row [789]\d\d"):
        evaluate_in_parts(tmp_path / "recs", truth_path, "MRR")


@pytest.mark.parametrize(
    ("recommendations", "message"),
    [
        pytest.param("nothing.parquet", "recommendations must name Parquet files", id="not there"),
        pytest.param(
            "recs.cs*",
            r"got 'recs.cs\*'. Pass CSV files one by one, or several in a dict",
            id="systems",
        ),
        pytest.param("broken.parquet", "broken.parquet must be a whole Parquet file", id="broken"),
        pytest.param(
            "*e[cx]*s.parquet",
            "each column of recommendations must have one type in all files; got .*user",
            id="types",
        ),
    ],
)
def test_refuses_other_files(tmp_path, monkeypatch, recommendations, message):
    monkeypatch.chdir(tmp_path)
    recs, truth, _, _ = tables()
    write(tmp_path, recs=recs, texts=recs.assign(user="u"), truth=truth)
    (tmp_path / "recs.csv").write_text("user,item,score\n", encoding="utf-8")
    whole = (tmp_path / "truth.parquet").read_bytes()
    (tmp_path / "broken.parquet").write_bytes(whole[: len(whole) // 2])
    for call in (evaluate, evaluate_in_parts):
        with pytest.raises(InputError, match=message):
            call(recommendations, "truth.parquet", "MRR")


def test_explains_judged_users_only(tmp_path):
    recs, truth, _, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth)
    result = evaluate_in_parts(*paths.values(), "MRR")
    for user in (4711, "u1"):
        with pytest.raises(InputError, match="user must be a judged user, such as"):
            result.explain(user, "MRR")
    user = result.per_user.index.tolist()[3]
    write(tmp_path, truth=truth[truth["user"] != user])
    with pytest.raises(InputError, match=f"relevance must hold user {user}, who was judged"):
        result.explain(user, "MRR")


def test_lists_that_changed_are_not_called_means_over_orders(tmp_path):
    recs = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
    truth = pd.DataFrame({"user": [1, 2], "item": "a", "relevance": 1})
    paths = write(tmp_path, recs=recs, truth=truth)
    result = evaluate_in_parts(*paths.values(), "MRR")
    write(tmp_path, recs=recs.assign(item=["b", "a", "a"]))
    message = (
        "MRR must give user 1 the value 1 of the evaluation; got 0.5. "
        "Evaluate again: its input has changed"
    )
    for call in (lambda: result.terms(user=1), lambda: result.explain(np.int64(1), "MRR")):
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            call()


def test_a_folder_without_room_for_the_parts_is_named(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    def fail(*_):
        raise OSError(28, "No space left on device")

    recs, truth, _, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(InputError, match=r"the folder of temporary files must .*No space left"):
        evaluate_in_parts(*paths.values(), "MRR")


@pytest.mark.parametrize("measure", ["MRR", "ERR@2"])  # ERR needs the largest grade
@pytest.mark.parametrize("truth_is_dask", [False, True])
def test_nobody_judged_on_dask(measure, truth_is_dask):
    recs, truth, _, _ = tables()
    no_truth = truth[:0]
    if truth_is_dask:
        no_truth = dd.from_pandas(no_truth, npartitions=1)
    with pytest.raises(InputError, match="relevance must hold at least one row"):
        evaluate(dd.from_pandas(recs, npartitions=2), no_truth, measure)


def test_refuses_an_empty_history_in_parts(tmp_path):
    recs, truth, seen, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth, seen=seen[:0])
    with pytest.raises(InputError, match="history must hold at least one row for nov_u; got none"):
        evaluate_in_parts(paths["recs"], paths["truth"], ["HR", "nov_u"], history=paths["seen"])


# Dask's schedulers --------------------------------------------------------------------------------


def test_dask_uses_the_cluster_of_the_user(tmp_path):
    recs, truth, seen, items = tables(text=True)
    expected = evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster):
        frames = dask_frames(recs, truth, seen)
        result = evaluate(*frames[:2], WITH_ITEMS, items=items, history=frames[2])
        assert_same(result, expected)
        user = expected.per_user.index[5]
        assert repr(result.explain(user, "MAP")) == repr(expected.explain(user, "MAP"))


def test_dask_reads_files_beside_its_frames(tmp_path):
    recs, truth, _, _ = tables()
    truth.to_csv(tmp_path / "truth.csv", index=False)
    write(tmp_path, a=truth[:300], b=truth[300:])
    (frame,) = dask_frames(recs)
    expected = evaluate(recs, truth, MEASURES)
    with dask.config.set(scheduler="threads", num_workers=2):
        assert_same(evaluate(frame, tmp_path / "truth.csv", MEASURES), expected)
        assert_same(evaluate(frame, str(tmp_path / "*.parquet"), MEASURES), expected)
