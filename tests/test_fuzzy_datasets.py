"""Tables of document 002 and the ledger's figures that need a download."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, datasets, published


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


def test_unit_vectors_are_those_of_the_raw_values():
    offline, online = datasets.fuzzy_unit_vectors()
    for unit, raw in (
        (offline, datasets.fuzzy_offline_results()),
        (online, datasets.fuzzy_online_results()),
    ):
        assert unit.columns.tolist() == raw.columns.tolist()
        assert_allclose(np.sqrt((unit**2).sum()), 1, atol=3e-6)
        assert_allclose(unit, raw / np.sqrt((raw**2).sum()), rtol=0, atol=2.5e-5)


def test_tables_are_fresh_each_time():
    for read in (datasets.fuzzy_online_results, datasets.fuzzy_algorithms):
        first, before = read(), read()
        first.iloc[0, 0] = first.iloc[1, 0]
        pd.testing.assert_frame_equal(read(), before)


def test_sums_of_the_published_histograms():
    positions = published.load("002")["inputs"]["positions"]
    for name, places in positions.items():
        assert published.check(f"002/{name}", sum(places)).verdict == "transcribed"
    assert sum(positions["clicks"][6:]) == 26  # below the places that were displayed


def test_a_figure_that_needs_a_download_may_be_unchecked(tmp_path, monkeypatch):
    (tmp_path / "900_test.toml").write_text(
        """
title = "A test"
source = "nowhere"
[figures.here]
where = "a"
what = "b"
printed = "1"
[figures.there]
where = "a"
what = "b"
printed = ["1", "2"]
inputs = ["cars/cars-1k.csv"]
""",
        encoding="utf-8",
    )
    monkeypatch.setattr("receval.published.figures.published_folder", lambda: tmp_path)

    def nowhere(name):
        raise datasets.DataUnavailable(name)

    monkeypatch.setattr("receval._downloads.fetch", nowhere)
    table = published.ledger([])
    assert table["verdict"].tolist() == ["not checked", "data not here"]
    assert table["expected"].tolist() == ["reproduced", "data not here"]
    assert "cars/cars-1k.csv" in table.loc["900/there", "reason"]
    assert published.check("900/there", [1, 2]).as_expected
    assert not published.check("900/there", [1, 3]).as_expected


def test_corrected_figures_have_as_many_values_as_printed_ones():
    for name, entry in published.load("002")["figures"].items():
        if "corrected" in entry:
            assert np.shape(entry["corrected"]) == np.shape(entry["printed"]), name
