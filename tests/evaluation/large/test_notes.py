"""Notes on legal but doubtful input are the same for tables in parts and in memory."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from receval import EvaluationWarning, evaluate


@pytest.mark.usefixtures("small_parts")
def test_notes_are_those_of_memory_in_parts_and_on_dask(tmp_path):
    users = np.arange(400)
    recs = pd.DataFrame({"user": users.repeat(2), "item": list("ab") * 400, "score": [2, 1] * 400})
    odd = recs[recs["user"] % 7 == 0]
    recs.loc[:1, "score"] = [1, 2]  # rising in one list alone: ranks, perhaps
    # No part has all five grades: each user has one, and the first users low ones.
    truth = pd.DataFrame({"user": users, "item": "x", "relevance": 1 + users // 80})
    seen = odd[["user", "item"]]
    tables = {"recs": recs, "odd": odd.assign(item="b").drop_duplicates("user"), "truth": truth}
    for name, table in (tables | {"seen": seen}).items():
        table.to_parquet(tmp_path / f"{name}.parquet")
    paths = [str(tmp_path / f"{name}.parquet") for name in (*tables, "seen")]
    frames = [dd.from_pandas(table, npartitions=3) for table in (*tables.values(), seen)]
    noted = []
    for (first, second, judged, past), how in (
        ((*tables.values(), seen), {}),
        (paths, {"output": tmp_path / "out.receval"}),
        (frames, {}),
    ):
        systems = {"recs": first, "odd": second}
        with pytest.warns(EvaluationWarning, match="0 of 2 recommended items of 'recs'"):
            found = evaluate(systems, judged, ["AUC", "HR@5"], history=past, **how)
        noted.append(found.notes())
    assert noted[0] == noted[1] == noted[2]
    for words in (
        "0 of 1 recommended items of 'odd'",
        "400 relevant items are in no list: longer lists could change HR@5",
        "only lists of all items give the AUC",
        "116 recommended items of 'recs' are in the history",
        "scores of 'recs' are 1, 2, …, n in every list",
        "every grade from 1 to 5 counts as relevant",
    ):
        assert sum(words in note for note in noted[0]) == 1, words


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("convention", ["ranx", "receval"])
def test_counts_of_doubts_in_parts_and_on_dask_are_those_of_memory(convention, tmp_path):
    users = np.arange(200)

    def lists_of(length, scores, users):
        columns = {"user": np.repeat(users, length), "item": np.tile(np.arange(length), users.size)}
        return pd.DataFrame({**columns, "score": np.tile(scores, users.size)})

    tables = {
        "long": lists_of(18, [9.0] * 16 + [-np.inf] * 2, users),
        "short": lists_of(4, [4.0, 3.0, 2.0, 1.0], users[::3]),
    }
    truth = pd.DataFrame({"user": users.repeat(2), "item": [2, 30] * 200, "relevance": 1})
    history = truth.loc[truth["user"] % 5 == 0, ["user", "item"]]
    every = {**tables, "truth": truth, "history": history}
    paths = {name: str(tmp_path / f"{name}.parquet") for name in every}
    for name, table in every.items():
        table.to_parquet(paths[name])
    options = {"measures": ["Recall@20", "HR(rel=3)@2"], "convention": convention}
    sources = [(every, {}), (paths, {"output": tmp_path / "out.receval"})]
    if convention != "ranx":  # which keeps the order of rows, and Dask does not
        frames = {name: dd.from_pandas(table, npartitions=3) for name, table in every.items()}
        sources.append((frames, {}))
    noted = []
    for source, output in sources:
        systems = {name: source[name] for name in tables}
        history_given = {"history": source["history"]}
        result = evaluate(systems, source["truth"], **history_given, **output, **options)
        noted.append(result.notes())
    assert all(notes == noted[0] for notes in noted[1:])
    unstable = "of 'long' have more than 15 items and equal scores"
    assert sum(unstable in note for note in noted[0]) == (convention == "ranx")
    for words in (
        "no list of 'short' is longer than 4, and another system lists up to 18 items",
        "400 recommended items of 'long' have a score of -inf",
        "80 of 400 relevant items are in the history",
        "nobody has a relevant item for HR(rel=3)@2",
    ):
        assert sum(words in note for note in noted[0]) == 1, words
