"""Examples, and downloads that are checked."""

import hashlib
import re
from pathlib import Path
from unittest.mock import Mock

import pooch
import pytest

from receval import InputError, datasets
from receval.datasets import downloads
from receval.datasets.public import AWARD_COLUMNS

AWARDS = "procurement_kenya/contract_awards.csv"
CONTENT = b"a,b\n1,2\n"
CHECKSUM = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


def put_source(monkeypatch, *arguments):
    source = downloads.Source("owner/name", "c" * 40, "x.csv", *arguments)
    monkeypatch.setattr(downloads, "sources", lambda: {"set/table.csv": source})


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """A source of one small file that is in the folder RECEVAL_DATA."""
    put_source(monkeypatch, CHECKSUM)
    monkeypatch.setenv("RECEVAL_DATA", str(tmp_path))
    path = tmp_path / "set" / "table.csv"
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    return path


def test_a_local_file_is_checked_and_used(one_file):
    assert downloads.fetch("set/table.csv") == one_file
    assert downloads.available("set/table.csv")


@pytest.mark.parametrize("function", [downloads.fetch, downloads.available])
def test_a_local_file_of_another_content_is_refused(one_file, function):
    one_file.write_bytes(b"changed")
    message = r"set/table.csv in RECEVAL_DATA must have the checksum sha256:"
    with pytest.raises(InputError, match=message):
        function("set/table.csv")


@pytest.fixture
def requested(one_file, tmp_path, monkeypatch):
    """The addresses that were requested, each with the small file, which is nowhere else."""
    addresses = []

    def download(downloader, url, output_file, _pooch):
        assert downloader.kwargs["allow_redirects"] is False  # they would lead to other files
        addresses.append(url)
        Path(output_file).write_bytes(CONTENT)

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", download)
    monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path / "cache")
    one_file.unlink()
    return addresses


def test_a_file_is_downloaded_once_from_a_fixed_commit(requested, tmp_path):
    cached = tmp_path / "cache" / "set-table.csv"
    for _ in range(2):
        assert downloads.fetch("set/table.csv") == cached
    assert cached.read_bytes() == CONTENT
    assert requested == [f"https://raw.githubusercontent.com/owner/name/{'c' * 40}/x.csv"]
    assert list(cached.parent.iterdir()) == [cached]


def test_without_network_the_message_says_what_to_do(requested, monkeypatch):
    refuse = Mock(side_effect=ConnectionError("no route"))
    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", refuse)
    assert not downloads.available("set/table.csv")
    message = r"set/table.csv could not .* https://.*/x.csv .* set RECEVAL_DATA to that folder"
    with pytest.raises(datasets.DataUnavailable, match=message):
        downloads.fetch("set/table.csv")


def test_a_download_with_another_checksum_is_not_kept(requested, tmp_path, monkeypatch):
    put_source(monkeypatch, "sha256:000")
    with pytest.raises(datasets.DataUnavailable, match=r"table.csv .*000"):
        downloads.fetch("set/table.csv")
    assert requested
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_file_in_an_archive_is_not_downloaded_and_the_message_says_where_to_put_it(
    requested, monkeypatch
):
    put_source(monkeypatch, "sha256:111", "*.csv", "sha256:000")
    message = (
        r"set/table.csv is in the archive .*/x.csv, .* sha256:000. Take \*.csv out of it, put it at"
    )
    with pytest.raises(datasets.DataUnavailable, match=message):
        downloads.fetch("set/table.csv")
    assert requested == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: datasets.fetch("cars/cars-1k"),
            r"name must be one of .*Did you mean 'cars/cars-1k.csv'",
        ),
        (lambda: datasets.open_bandit("women"), "campaign must be one of 'all', 'men'"),
        (lambda: datasets.open_bandit_policy("women"), "campaign must be one of 'all', 'men'"),
    ],
)
def test_an_unknown_name_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("name", datasets.sources())
def test_every_source_is_pinned(name):
    source = datasets.sources()[name]
    assert re.fullmatch("[0-9a-f]{40}", source.commit)
    assert re.fullmatch("sha256:[0-9a-f]{64}", source.checksum)
    assert not source.member or re.fullmatch("sha256:[0-9a-f]{64}", source.archive_checksum)


# FilmTrust and the awards of Kenya, made small --------------------------------------------------


def put(folder, monkeypatch, **contents):
    """Replace real files by small ones, and skip the checks."""
    monkeypatch.setattr(downloads, "_check_local_file", lambda *_: None)
    monkeypatch.setenv("RECEVAL_DATA", str(folder))
    for name, content in contents.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def test_ratings_in_four_parts_some_with_other_line_ends(tmp_path, monkeypatch):
    parts = [b"1 2 3\r\n1 3 0.5\r\n", b"2 2 4\n", b"1 2 1\r\n", b"3 9 2\n"]
    files = {f"filmtrust/ratings_{i}.txt": part for i, part in enumerate(parts)}
    put(tmp_path, monkeypatch, **files, **{"filmtrust/trust.txt": b"1 3 1\r\n"})
    ratings, report = datasets.filmtrust()
    assert ratings.to_numpy().tolist() == [[1, 2, 3], [1, 3, 0.5], [2, 2, 4], [3, 9, 2]]
    assert report.changes["removed: film rated again"].tolist() == [3]
    assert datasets.trust().to_numpy().tolist() == [[1, 3, 1]]


def test_made_up_ratings_are_in_the_scale_and_no_film_is_rated_twice():
    ratings = datasets.film_ratings(rng=1)
    assert set(ratings["rating"]) == {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}
    assert not ratings.duplicated(["user", "item"]).any()
    assert (ratings[["user", "item"]].max() <= [1500, 2000]).all()
    assert not ratings.equals(datasets.film_ratings())


def test_awards_are_folded_and_impossible_days_unknown(tmp_path, monkeypatch):
    head = ",".join([*AWARD_COLUMNS, "tenders_sold", "bids_received", "page"])
    rows = [
        'A,r1,works,Dawa Ltd.,"1,000.50",Open,1/2/2014,2/3/2014,3/4/2014,5/6/2022,,,1',
        'A,r1,works,Dawa Ltd.,"1,000.50",Open,1/2/2014,2/3/2014,3/4/2014,5/6/2022,,,2',
        "A,r1,lot 2,DAWA  Limited,7,Open,1/2/2014,2/3/2029,3/4/1936,5/6/2015,,,1",
        "B,r1,goods,Ltd & Co,7,Open,1/2/2019,2/3/2014,3/4/2014,5/6/2015,3,2,1",
        "B,r2,goods,Company Ltd,7,Open,1/2/2014,2/3/2014,3/4/2014,5/6/2015,3,2,1",
    ]
    content = "\n".join([head, *rows]).encode()
    put(tmp_path, monkeypatch, **{AWARDS: content})
    table, report = datasets.awards_kenya()
    assert table["contract"].tolist() == [0, 2, 3, 4]
    assert table["bidder"].tolist() == ["DAWA", "DAWA", "AND", "Company Ltd"]
    assert table["amount"].tolist() == [1000.5, 7, 7, 7]
    assert table["date"].isna().tolist() == [False, True, False, False]
    assert table["completed"].notna().all()
    found = {what: rows.tolist() for what, rows in report.changes.items()}
    assert list(found.values()) == [[1], [3], [2], [2], [], [0, 1, 2], [0, 2]]
    assert (report.given, report.kept) == (5, 4)
