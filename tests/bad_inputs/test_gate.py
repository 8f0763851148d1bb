"""Every error from a file, an archive or a column becomes an `InputError` that names it."""

import gzip
from functools import partial

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from bad_inputs.cases import RECS, TRUTH
from scale_data import evaluate_in_parts

from receval import InputError, evaluate
from receval.tables import read_run, read_table, write_qrels, write_run, write_table

HALF = pd.Series(["a", "b\ud800", "c"], dtype=object)  # half of a pair, which UTF-8 cannot write

CUT = gzip.compress(b"user,item,score\n" + b"1,2,3\n" * 1000, mtime=0)[:40]


def file(path, content):
    path.write_bytes(content)
    return path


def parquet(path, table=TRUTH, size=None):
    """Write a table, or only the start of its file. The metadata is at the end."""
    table.to_parquet(path)
    return file(path, path.read_bytes()[:size])


def corrupt(path):
    """Write a Parquet file with intact metadata and a damaged last page of scores."""
    many = pd.DataFrame({"user": np.arange(9000), "item": 1, "score": np.random.rand(9000)})  # noqa: NPY002
    many.to_parquet(path, write_page_checksum=True)
    start = pq.read_metadata(path).row_group(0).column(2).data_page_offset
    content = path.read_bytes()
    return file(path, content[: start + 60] + bytes(30) + content[start + 90 :])


@pytest.mark.row(78)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda d: read_table(file(d / "x.csv.gz", CUT)),
            "x.csv.gz must be a whole file .*; Compressed",
        ),
        (
            lambda d: read_run(file(d / "x.run.gz", CUT)),
            "x.run.gz must be a whole file .*; Compressed",
        ),
        (lambda d: read_table(corrupt(d / "x.pq")), "x.pq must be a whole Parquet file"),
        (lambda d: evaluate(corrupt(d / "x.pq"), TRUTH, "MRR"), "x.pq must be a whole Parquet"),
        (
            lambda d: evaluate_in_parts(corrupt(d / "x.pq"), parquet(d / "truth.parquet"), "MRR"),
            "x.pq must be a whole Parquet file",
        ),
        *(
            (
                lambda d, damaged=damaged: evaluate(
                    damaged(d / "x.pq"), dd.read_parquet(parquet(d / "truth.parquet")), "MRR"
                ),
                "x.pq must be a whole Parquet file",
            )
            for damaged in (corrupt, partial(parquet, size=500))
        ),
        (
            lambda d: write_table(HALF.to_frame("x"), d / "x.csv"),
            r"x.csv .* UTF-8 .*'\\ud800'",
        ),
        (lambda d: write_run(RECS.assign(user=HALF), d / "x"), r"got 'b\\ud800' in row 1"),
        (
            lambda d: write_run(RECS, d / "x", tag="\ud800"),
            "x must hold text that UTF-8",
        ),
        (lambda d: write_qrels(TRUTH.assign(item=HALF), d / "x"), r"got 'b\\ud800' in row 1"),
        (lambda d: evaluate({"\ud800": RECS}, TRUTH, "MRR"), r"the keys of .* got '\\ud800'"),
        (
            lambda d: evaluate(RECS.assign(who=HALF), TRUTH, "MRR", system="who"),
            r"who of recommendations must hold text that UTF-8 can write; got 'b\\ud800' in row 1",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask, with pandas 3.1
def test_calls_are_refused_and_leave_no_file(tmp_path, call, message):
    with pytest.raises(InputError, match=message):
        call(tmp_path)
    assert not list(tmp_path.glob(".*"))
