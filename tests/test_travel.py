"""The travel agency: seeded data in its shape, and its public files where they are at hand."""

import gzip
import hashlib
import tarfile

import numpy as np
import pandas as pd
import pytest

from receval import InputError, datasets, published
from receval.datasets import downloads
from receval.datasets.archives import ArchiveUnreadable, extract
from receval.fuzzy.online import attribute_clicks, attribute_visits, impression_of

SHAPE = published.load("002")["inputs"]

# Seeded ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_log_has_the_published_shape(seed):
    log = datasets.travel_log(seed=seed)
    shown = attribute_visits(attribute_clicks(log.impressions, log.clicks), log.visits)
    wanted = SHAPE["log"]
    assert shown["user"].nunique() == wanted["users"]
    assert shown["session"].nunique() == wanted["sessions"]
    assert len(shown) == wanted["recommended_pairs"]
    assert shown.loc[shown["clicked"], "session"].nunique() == wanted["sessions_with_click"]
    assert shown.loc[shown["visited"], "session"].nunique() == wanted["sessions_with_visit"]
    clicks = np.bincount(shown.loc[shown["clicked"], "position"], minlength=21)[1:]
    assert clicks.tolist() == SHAPE["positions"]["clicks"]
    visits = np.bincount(shown.loc[shown["visited"], "position"], minlength=21)[1:]
    assert visits.reshape(10, 2).sum(axis=1).tolist() == SHAPE["positions"]["visits"]
    assert shown.attrs["counts"]["visits"]["never_shown"] == 3000


def test_the_log_is_a_log():
    log = datasets.travel_log().impressions
    assert not log.duplicated(["session", "position"]).any()
    assert not log.duplicated(["session", "item"]).any()
    assert not log.duplicated(["user", "item", "time"]).any()
    one = log.groupby("session")[["user", "system", "time", "known"]].nunique()
    assert (one == 1).all(axis=None)
    assert (log["system"] == log["user"] % 12 + 1).all()
    assert log["known"].between(1, 50).all()


def test_seeded_data_repeat_and_differ_by_seed():
    for make in (datasets.travel_log, datasets.travel_data):
        one, again, other = make(seed=3), make(seed=3), make(seed=4)
        for first, second in zip(one, again, strict=True):
            assert first.equals(second)
        assert not one[0].equals(other[0])


def test_tours_are_visited_once_by_a_user_and_described_in_their_kind():
    data = datasets.travel_data(n_users=60, n_items=40)
    assert not data.visits.duplicated(["user", "item"]).any()
    assert data.visits["time"].is_monotonic_increasing
    assert data.visits["item"].isin(data.attributes.index).all()
    assert (data.dates < data.visits["time"].min()).all()
    kinds = data.attributes["kind"]
    for word, kind in (("sand", "beach"), ("snow", "ski")):
        assert set(kinds[data.texts.str.contains(word)]) == {kind}
    with pytest.raises(InputError, match="n_items must be at least 20"):
        datasets.travel_data(n_items=5)


# Archives and gzipped files --------------------------------------------------------------------

CONTENT = b"id;userID\n1;2\n"


@pytest.fixture
def archive(tmp_path):
    inside = tmp_path / "table.csv"
    inside.write_bytes(CONTENT)
    path = tmp_path / "results.tar"
    with tarfile.open(path, "w") as file:
        file.add(inside, arcname="AllData/table.csv")
    return path


def test_a_member_is_taken_out_and_checked(archive, tmp_path):
    pytest.importorskip("libarchive")
    target, right = tmp_path / "out.csv", hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(ArchiveUnreadable, match="must have the SHA-256 0000"):
        extract(archive, "AllData/table.csv", target, sha256="0000")
    with pytest.raises(ArchiveUnreadable, match=r"results.tar does not hold table.csv"):
        extract(archive, "table.csv", target, sha256=right)
    assert not target.exists()
    assert extract(archive, "AllData/table.csv", target, sha256=right) == target
    assert target.read_bytes() == CONTENT


def test_without_libarchive_the_extra_is_named(archive, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "libarchive", None)
    with pytest.raises(ArchiveUnreadable, match=r'pip install "receval\[study\]"'):
        extract(archive, "AllData/table.csv", tmp_path / "out.csv", sha256="0")


def test_a_file_of_an_archive_is_fetched_once(archive, tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch")
    pytest.importorskip("libarchive")
    source = downloads.Source(
        "a/b",
        "c" * 40,
        "results.tar",
        hashlib.sha256(CONTENT).hexdigest(),
        "AllData/table.csv",
        "0",
    )
    asked = []

    def retrieve(url, known_hash, fname, path):
        asked.append((url, known_hash, fname))
        path.mkdir(parents=True, exist_ok=True)
        return str(archive)

    monkeypatch.setattr(downloads, "sources", lambda: {"some/table.csv": source})
    monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path / "cache")
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.delenv("RECEVAL_DATA", raising=False)
    for _ in range(2):
        assert downloads.fetch("some/table.csv").read_bytes() == CONTENT
    assert asked == [(source.url, "sha256:0", "some-table.csv.archive")]


def test_a_gzipped_file_will_do_and_is_checked_uncompressed(tmp_path, monkeypatch):
    source = downloads.Source("a/b", "c" * 40, "t.csv", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(downloads, "sources", lambda: {"t.csv": source})
    monkeypatch.setenv("RECEVAL_DATA", str(tmp_path))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(CONTENT))
    assert downloads.fetch("t.csv") == path
    path.write_bytes(gzip.compress(CONTENT + b"3;4\n"))
    with pytest.raises(InputError, match=r"t.csv in RECEVAL_DATA must have the SHA-256"):
        downloads.fetch("t.csv")


# Real ------------------------------------------------------------------------------------------


def needs(*names):
    files = [datasets.TRAVEL_FILES[name] for name in names]
    if not datasets.available(*files):
        pytest.skip(f"{', '.join(files)}: neither in RECEVAL_DATA nor to be downloaded here")


def test_events_count_as_published():
    needs("events", "feedback")
    events, figures = datasets.travel_events(), published.load("002")["figures"]
    assert len(events) == 131_348
    opened = events[events["event"] == "object_opened_from_list"]
    clicks = opened.drop_duplicates(["user", "item", "known"]).groupby("system").size()
    assert clicks.tolist() == [int(n) for n in figures["events_clicks"]["printed"]]
    shown = events[events["event"] == "object_shown_in_list"].reset_index(drop=True)
    feedback = datasets.travel_feedback()
    views = feedback[feedback["event"] == "pageview"].reset_index(drop=True)
    latest = impression_of(shown, views, min_delay=5, duplicates="last")
    program = impression_of(shown, views, rule="program", duplicates="last")
    for owner in (latest, program):
        visits = views[owner >= 0]
        counts = visits.groupby(visits["user"] % 12 + 1).size().tolist()
        assert counts == [int(n) for n in figures["events_visits"]["printed"]]
    assert (latest != program).sum() == 34
    known = shown["known"].to_numpy()[program[program >= 0]]
    groups = pd.cut(known, [0, 2, 5, 15, np.inf]).value_counts()
    assert groups.tolist() == [1241, 354, 301, 206]
    early = attribute_visits(shown, views, duplicates="last").attrs["counts"]["visits"]
    assert early["attributed"] - (latest >= 0).sum() == 460


def test_offline_files_hold_what_they_should():
    needs("offline", "histories", "test", "dates", "features")
    histories, test = datasets.travel_histories(), datasets.travel_test_histories()
    assert (len(histories), histories.map(len).sum()) == (69_504, 250_368)
    assert (len(test), test.map(len).sum()) == (610, 2_089)
    assert histories.map(len).between(2, 150).all()
    dates, features = datasets.travel_dates(), datasets.travel_features()
    assert dates.shape == (3150, 2)
    assert features.shape == (3150, 299)
    assert set(dates.index) == set(features.index)
    assert datasets.travel_offline_results().shape == (800, 12)
