"""Reading any file gives a table or an `InputError`."""

from contextlib import nullcontext, suppress

import numpy as np
import pandas as pd
import pytest
from fuzzing import damage
from fuzzing.aside import counts_and_means, value_or_input_error
from fuzzing.damage import files, fuzzed
from hypothesis import given
from hypothesis import strategies as st

from receval.people.grid import read_grid
from receval.retrieval import read_ground_truth
from receval.tables import read_qrels, read_ratings, read_run, read_table


def is_run(run):
    texts = run[["user", "item", "system"]].to_numpy().ravel()
    is_text = all(isinstance(text, str) and text for text in texts)
    return is_text and run["score"].notna().all() and run["rank"].dtype == np.int64


def is_ratings(ratings):
    return list(ratings.columns) in (RATED, [*RATED, "time"])


def is_grid(grid):
    names = [*grid.labels, *grid.measures]
    return len(set(grid.labels)) == len(grid.algorithms) and len(set(names)) == len(names)


def read_truth(path):
    return read_ground_truth(path, ["q1", "q2"], ["a", "b"])


RATED = ["user", "item", "relevance"]
OF_TABLES = files(damage.RECS, damage.RECS.replace(b",", b"\t"), damage.GZIPPED)
OF_RATINGS = files(damage.RATINGS, damage.RATINGS.replace(b"::", b","))
SEPARATORS = st.sampled_from(["::", ",", "\t", " ", "\n", "\x1c", "1"])
PLAIN = st.just({})
READERS = {
    "run": (read_run, files(damage.RUN), PLAIN, is_run),
    "qrels": (
        read_qrels,
        files(damage.QRELS),
        PLAIN,
        lambda qrels: np.isfinite(qrels["relevance"]).all(),
    ),
    "ratings": (
        read_ratings,
        OF_RATINGS,
        st.fixed_dictionaries({"separator": SEPARATORS, "header": st.booleans()}),
        is_ratings,
    ),
    **{
        name: (read_table, OF_TABLES, PLAIN, lambda table: table.columns.is_unique)
        for name in ("t.csv", "t.tsv", "t.csv.gz", "t.csv.bz2")
    },
    "t.parquet": (read_table, files(damage.PARQUET), PLAIN, lambda table: True),
    "truth.csv": (
        read_truth,
        files(damage.GROUND),
        PLAIN,
        lambda truth: (
            set(truth["query"]) == {"q1", "q2"} and np.isfinite(truth["similarity"]).all()
        ),
    ),
    "grid.yml": (read_grid, files(damage.GRID), PLAIN, is_grid),
}
"""By the name of the file: its reader, its contents, options, and what is true of what is read."""


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@fuzzed
def test_a_damaged_file_gives_a_value_or_is_refused(file, name, data):
    read, contents, options, is_valid = READERS[name]
    path, options = file(name, data.draw(contents)), data.draw(options)
    with suppress(MemoryError) if name == "t.parquet" else nullcontext():  # a page claims any size
        found = value_or_input_error(read, path, **options)
        assert found is None or is_valid(found)


JUDGED = pd.DataFrame({"user": ["007", "8"], "item": ["NA", "é"], "relevance": [1, 2]})
LISTED = pd.DataFrame({"user": ["007", "8"], "item": ["NA", "a"], "score": [1.0, 2.0]})


@given(content=files(damage.RECS, damage.TRUTH), is_truth=st.booleans())
@fuzzed
def test_evaluating_a_damaged_table(file, content, is_truth):
    path = file("table.csv", content)
    tables = (LISTED, path) if is_truth else (path, JUDGED)
    found = value_or_input_error(counts_and_means, *tables, ["MRR", "nDCG@2", "MAP"])
    if found is not None:
        counts, means = found
        assert is_truth or counts.loc["", "judged"] == 2
        assert means.iloc[0].between(0, 1).all()
