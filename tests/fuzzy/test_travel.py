"""The travel agency: generated data of the same shape, and its public files if available."""

import gzip
import hashlib
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from receval import InputError, datasets
from receval import ledger as published
from receval.datasets import downloads
from receval.datasets.downloads import Source
from receval.datasets.public import TRAVEL_FILES
from receval.fuzzy import attribute_clicks, attribute_visits

SHAPE = published.load("002")["inputs"]

# Seeded ----------------------------------------------------------------------------------------


def test_the_log_has_the_published_shape():
    log = datasets.travel_log(seed=2)
    shown = attribute_visits(attribute_clicks(log.impressions, log.clicks), log.visits)
    numbers = {**shown[["user", "session"]].nunique(), "pairs": len(shown)}
    published_names = {"user": "users", "session": "sessions", "pairs": "recommended_pairs"}
    assert numbers == {name: SHAPE["log"][key] for name, key in published_names.items()}
    clicks, visits = (
        np.bincount(shown.loc[shown[name], "position"], minlength=21)[1:]
        for name in ("clicked", "visited")
    )
    assert clicks.tolist() == SHAPE["positions"]["clicks"]
    assert visits.reshape(10, 2).sum(axis=1).tolist() == SHAPE["positions"]["visits"]
    assert shown.attrs["counts"]["visits"]["never_shown"] == 3000


def test_the_log_is_a_log():
    log = datasets.travel_log().impressions
    assert not log.duplicated(["session", "position"]).any()
    by_session = log.groupby("session")[["user", "system", "time", "known"]].nunique()
    assert (by_session == 1).all(axis=None)
    assert (log["system"] == log["user"] % 12 + 1).all()
    assert log["known"].between(1, 50).all()


@pytest.mark.parametrize(
    "make",
    [datasets.travel_log, partial(datasets.travel_data, n_users=60, n_items=40)],
    ids=["log", "data"],
)
def test_seeded_data_repeat_and_differ_by_seed(make):
    first, again, other = make(seed=3), make(seed=3), make(seed=4)
    assert all(table.equals(same) for table, same in zip(first, again, strict=True))
    assert not first[0].equals(other[0])


def test_tours_are_visited_once_by_a_user_and_described_in_their_kind():
    data = datasets.travel_data(n_users=60, n_items=40)
    assert not data.visits.duplicated(["user", "item"]).any()
    assert data.visits["time"].is_monotonic_increasing
    assert data.visits["item"].isin(data.attributes.index).all()
    assert (data.dates < data.visits["time"].min()).all()
    kinds = data.attributes["kind"]
    of_words = {word: set(kinds[data.texts.str.contains(word)]) for word in ("sand", "snow")}
    assert of_words == {"sand": {"beach"}, "snow": {"ski"}}
    with pytest.raises(InputError, match="n_items must be a whole number from 20 to"):
        datasets.travel_data(n_items=5)


# Files -----------------------------------------------------------------------------------------


CONTENT = b"id;userID\n1;2\n" * 99
ZIPPED = gzip.compress(CONTENT, mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"id;userID\n3;4\n", mtime=0), "have the checksum sha256:"),
        (ZIPPED[:-9], ".*Replace it"),
        (CONTENT, ".*Replace it"),
        (b"", ".*Replace it"),
    ],
)
def test_a_wrong_or_broken_gzipped_file_is_refused_by_its_name(file, monkeypatch, content, message):
    source = Source("a/b", "c" * 40, "x", f"sha256:{hashlib.sha256(CONTENT).hexdigest()}")
    monkeypatch.setattr(downloads, "sources", lambda: {"t.csv": source})
    zipped = file("t.csv.gz", ZIPPED)
    monkeypatch.setenv("RECEVAL_DATA", str(zipped.parent))
    assert downloads.fetch("t.csv") == zipped
    zipped.write_bytes(content)
    with pytest.raises(InputError, match=f"t.csv in RECEVAL_DATA must {message}"):
        downloads.fetch("t.csv")


# Real ------------------------------------------------------------------------------------------


def needs(*names):
    files = [TRAVEL_FILES[name] for name in names]
    if not datasets.available(*files):
        pytest.skip(f"{', '.join(files)}: neither in RECEVAL_DATA nor to be downloaded here")


@pytest.mark.parametrize(
    ("second", "files", "n_events"),
    [
        (False, ("events", "feedback"), 131_348),
        (True, ("second_events", "second_feedback"), 114_925),
    ],
    ids=["first test", "second test"],
)
def test_all_events_are_read(second, files, n_events):
    """What is counted in them is checked by the study of the A/B tests."""
    needs(*files)
    events = datasets.travel_events(second=second)
    feedback = datasets.travel_feedback(second=second)
    assert len(events) == n_events
    assert events["system"].isin(range(6) if second else range(1, 13)).all()
    assert {"user", "item", "event", "time"} <= {*feedback}
    assert not second or (feedback["event"] == "pageview").sum() == 11_189


def test_offline_files_hold_what_they_should():
    needs("offline", "histories", "test", "dates", "features")
    histories, test = datasets.travel_histories(), datasets.travel_test_histories()
    assert [(len(lists), lists.map(len).sum()) for lists in (histories, test)] == [
        (69_504, 250_368), (610, 2_089),
    ]  # fmt: skip
    dates, features = datasets.travel_dates(), datasets.travel_features()
    assert (dates.shape, features.shape) == ((3150, 2), (3150, 299))
    assert set(dates.index) == set(features.index)
    assert datasets.travel_offline_results().shape == (800, 12)


# Studies without data --------------------------------------------------------------------------


def test_without_its_data_a_notebook_says_so_and_runs_no_more_cells(monkeypatch, capsys):
    cells = TransformerManager()
    shell = SimpleNamespace(input_transformers_cleanup=cells.cleanup_transforms)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr(downloads, "available", lambda name: False)
    datasets.study_needs("cars/cars-1k.csv")
    assert "cars/cars-1k.csv: neither in the folder RECEVAL_DATA" in capsys.readouterr().out
    assert cells.transform_cell("1 / 0\nprint('never')") == ""
    monkeypatch.setattr("IPython.get_ipython", lambda: None)  # outside of notebooks
    with pytest.raises(datasets.DataUnavailable, match="neither in the folder"):
        datasets.study_needs("cars/cars-1k.csv")
