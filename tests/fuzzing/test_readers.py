"""Reading any file gives a table or an `InputError`."""

from contextlib import suppress

import numpy as np
import pandas as pd
from fuzzing import damage
from fuzzing.aside import counts_and_means, value_or_input_error
from fuzzing.damage import files, fuzzed
from hypothesis import given
from hypothesis import strategies as st

from receval.people.grid import read_grid
from receval.retrieval import read_ground_truth
from receval.tables import read_qrels, read_ratings, read_run, read_table


@given(content=files(damage.RUN))
@fuzzed
def test_run(file, content):
    run = value_or_input_error(read_run, file("run", content))
    if run is not None:
        assert run["score"].dtype == np.float64
        assert not run["score"].isna().any()
        assert run["rank"].dtype == np.int64
        for name in ("user", "item", "system"):
            assert all(isinstance(text, str) and text for text in run[name])


@given(content=files(damage.QRELS))
@fuzzed
def test_qrels(file, content):
    qrels = value_or_input_error(read_qrels, file("qrels", content))
    if qrels is not None:
        assert np.isfinite(qrels["relevance"]).all()


@given(
    content=files(damage.RATINGS, damage.RATINGS.replace(b"::", b",")),
    separator=st.sampled_from(["::", ",", "\t", " ", "\n", "\x1c", "1"]),
    header=st.booleans(),
)
@fuzzed
def test_ratings(file, content, separator, header):
    path = file("ratings", content)
    read = value_or_input_error(read_ratings, path, separator=separator, header=header)
    if read is not None:
        assert list(read.columns) in (
            ["user", "item", "relevance"],
            ["user", "item", "relevance", "time"],
        )


@given(
    content=files(damage.RECS, damage.RECS.replace(b",", b"\t"), damage.GZIPPED),
    name=st.sampled_from(["t.csv", "t.tsv", "t.csv.gz", "t.CSV", "t.csv.zip", "t.csv.bz2"]),
)
@fuzzed
def test_tables(file, content, name):
    table = value_or_input_error(read_table, file(name, content))
    if table is not None:
        assert isinstance(table, pd.DataFrame)
        assert table.columns.is_unique


@given(content=files(damage.PARQUET))
@fuzzed
def test_parquet(file, content):
    with suppress(MemoryError):  # a damaged page can claim any size
        value_or_input_error(read_table, file("t.parquet", content))


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


@given(content=files(damage.GROUND))
@fuzzed
def test_ground_truth(file, content):
    path = file("truth.csv", content)
    table = value_or_input_error(read_ground_truth, path, ["q1", "q2"], ["a", "b"])
    if table is not None:
        assert set(table["query"]) == {"q1", "q2"}
        assert np.isfinite(table["similarity"]).all()


@given(content=files(damage.GRID))
@fuzzed
def test_read_grid_returns_a_grid_or_refuses(file, content):
    grid = value_or_input_error(read_grid, file("grid.yml", content))
    if grid is not None:
        assert len(set(grid.labels)) == len(grid.algorithms)
        assert len(set(grid.measures)) == len(grid.measures)
