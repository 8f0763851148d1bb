"""The bad tables of `bad_inputs.cases`, read in parts: the same results and errors."""

from functools import partial

import dask
import pandas as pd
import pytest
from bad_inputs.cases import CASES, put_through, table_cases

from receval import evaluate
from receval.evaluation.large import dispatch as large

STORED = table_cases(forms=("Parquet",))


@pytest.mark.parametrize(("case", "form"), STORED)
@pytest.mark.usefixtures("small_parts")
def test_files_part_by_part(case, form, tmp_path):
    put_through(case, form, tmp_path, run=partial(evaluate, output=tmp_path / "out.receval"))


@pytest.mark.parametrize(("case", "form"), STORED)
def test_files_streamed_unasked(case, form, tmp_path, monkeypatch):
    monkeypatch.setattr(large, "STREAM_ROWS", 0)
    put_through(case, form, tmp_path)


def is_for_dask(case):
    """Check whether Dask supports a case. It has no multi-level indexes or duplicate columns."""
    tables = (case.recommendations, case.relevance, *case.options.values())
    frames = [one for one in tables if isinstance(one, pd.DataFrame)]
    return "frame" in case.forms and all(
        one.columns.is_unique and one.index.nlevels == one.columns.nlevels == 1 for one in frames
    )


@pytest.mark.parametrize("case", list(filter(is_for_dask, CASES)), ids=str)
def test_dask_frames(case, tmp_path):
    with dask.config.set(scheduler="synchronous"):
        put_through(case, "Dask", tmp_path)
