"""The bad tables of `bad_inputs.cases`, read in parts and by Dask: the same results and errors."""

import dask
import pandas as pd
import pytest
from bad_inputs.cases import CASES, put_through, table_cases
from scale_data import evaluate_in_parts


@pytest.mark.parametrize(("case", "form"), table_cases(forms=("Parquet",)))
def test_files_in_parts(case, form, tmp_path):
    put_through(case, form, tmp_path, run=evaluate_in_parts)


def is_for_dask(case):
    """Check whether Dask supports a case. It has no multi-level indexes or duplicate columns."""
    tables = (case.recommendations, case.relevance, *case.options.values())
    frames = [table for table in tables if isinstance(table, pd.DataFrame)]
    return "frame" in case.forms and all(
        frame.columns.is_unique and frame.index.nlevels == frame.columns.nlevels == 1
        for frame in frames
    )


@pytest.mark.parametrize("case", list(filter(is_for_dask, CASES)), ids=str)
def test_dask_frames(case, tmp_path):
    with dask.config.set(scheduler="synchronous"):
        put_through(case, "Dask", tmp_path)
