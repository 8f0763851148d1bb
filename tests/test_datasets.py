"""Examples, and downloads that are checked."""

import hashlib
import shutil

import pooch
import pytest

from receval import InputError, datasets
from receval import _downloads as downloads


def test_the_example_of_document_001_is_fresh_each_time():
    first = datasets.borda_example()
    assert first.shape == (5, 10)
    first.loc["U1", "M1"] = 99
    assert datasets.borda_example().loc["U1", "M1"] == 2


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """A source of one small file that is in the folder RECEVAL_DATA."""
    content = b"a,b\n1,2\n"
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "table.csv").write_bytes(content)
    source = downloads.Source("owner/name", "c" * 40, "x.csv", hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(downloads, "sources", lambda: {"set/table.csv": source})
    monkeypatch.setenv("RECEVAL_DATA", str(tmp_path))
    monkeypatch.setattr(downloads, "_unreachable", set())
    return tmp_path / "set" / "table.csv"


def test_a_local_file_is_checked_and_used(one_file):
    assert downloads.fetch("set/table.csv") == one_file
    assert downloads.available("set/table.csv")


def test_a_local_file_of_another_content_is_refused(one_file):
    one_file.write_bytes(b"changed")
    with pytest.raises(InputError, match=r"set/table.csv in RECEVAL_DATA must have the SHA-256"):
        downloads.fetch("set/table.csv")


def test_without_network_the_message_says_what_to_do(one_file, monkeypatch):
    shutil.rmtree(one_file.parent)

    def refuse(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setattr(pooch, "retrieve", refuse)
    assert not downloads.available("set/table.csv")
    with pytest.raises(datasets.DataUnavailable, match=r"owner/name .* set RECEVAL_DATA to that"):
        downloads.fetch("set/table.csv")


def test_a_host_without_answer_is_asked_once(one_file, monkeypatch):
    shutil.rmtree(one_file.parent)
    asked = []

    def refuse(url, **_):
        asked.append(url)
        raise ConnectionError("no route")

    monkeypatch.setattr(pooch, "retrieve", refuse)
    assert not downloads.available("set/table.csv")
    assert not downloads.available("set/table.csv")
    assert len(asked) == 1


def test_the_download_asks_for_the_fixed_commit_and_digest(one_file, monkeypatch):
    shutil.rmtree(one_file.parent)
    asked = {}

    def retrieve(url, **options):
        asked.update(options, url=url)
        return one_file

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    assert downloads.fetch("set/table.csv") == one_file
    assert asked["url"].endswith(f"/owner/name/{'c' * 40}/x.csv")
    assert asked["known_hash"].startswith("sha256:")


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match=r"name must be one of .*Did you mean 'cars/cars-1k.csv'"):
        datasets.fetch("cars/cars-1k")


@pytest.mark.parametrize("name", datasets.sources())
def test_every_source_is_pinned(name):
    source = datasets.sources()[name]
    assert len(source.commit) == 40
    assert len(source.sha256) == 64
