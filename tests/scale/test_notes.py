"""What is legal but doubtful is told of tables in parts as of those in memory."""

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
        "no list is longer than 2, and 400 relevant items are in none: HR@5",
        "auc_catalogue=n",
        "116 recommended items of 'recs' are in the history",
        "scores of 'recs' are 1, 2, …, n in every list",
        "every grade, 1 to 5, counts as relevant",
    ):
        assert sum(words in note for note in noted[0]) == 1, words
