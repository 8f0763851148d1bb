"""Tables of document 002."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, datasets
from receval import ledger as published


def test_both_offline_runs():
    notebook, table = (datasets.fuzzy_offline_results(run=run) for run in ("notebook", "table"))
    assert notebook.shape == (12, 17)
    assert table.columns.tolist() == [c for c in notebook if c not in ("p5", "p10", "r5")]
    assert_allclose(notebook.loc[1, "1-MAE"], 1 - 0.292326)
    assert_allclose(notebook.loc[6, "p10"] * 570 * 10, 236)
    shared = published.load("002")["inputs"]["table2_metrics"]
    assert published.check("002/table2_offline", table[shared].to_numpy()).as_expected
    with pytest.raises(InputError, match="run must be one of 'notebook', 'table'"):
        datasets.fuzzy_offline_results(run="HT2020")


@pytest.mark.parametrize(
    ("unit", "raw"),
    [
        (datasets.fuzzy_unit_vectors()[0], datasets.fuzzy_offline_results()),
        (datasets.fuzzy_unit_vectors()[1], datasets.fuzzy_online_results()),
    ],
    ids=["off-line", "on-line"],
)
def test_unit_vectors_are_those_of_the_raw_values(unit, raw):
    assert unit.columns.tolist() == raw.columns.tolist()
    assert_allclose(np.sqrt((unit**2).sum()), 1, atol=3e-6)
    assert_allclose(unit, raw / np.sqrt((raw**2).sum()), rtol=0, atol=2.5e-5)


@pytest.mark.parametrize(
    "read", [datasets.fuzzy_online_results, datasets.fuzzy_algorithms, datasets.borda_example]
)
def test_tables_are_fresh_each_time(read):
    first = read()
    before = first.copy()
    first.iloc[0, 0] = first.iloc[-1, 0]  # another value
    pd.testing.assert_frame_equal(read(), before)
