"""Examples, and downloads that are checked."""

import hashlib
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pooch
import pytest

from receval import InputError, datasets
from receval.datasets import downloads
from receval.datasets.public import AWARD_COLUMNS

AWARDS = "procurement_kenya/contract_awards.csv"
FILMTRUST = [name for name in datasets.sources() if name.startswith("filmtrust/")]


def test_the_example_of_document_001_is_fresh_each_time():
    first = datasets.borda_example()
    assert first.shape == (5, 10)
    first.loc["U1", "M1"] = 99
    assert datasets.borda_example().loc["U1", "M1"] == 2


def put_source(monkeypatch, *arguments):
    source = downloads.Source("owner/name", "c" * 40, "x.csv", *arguments)
    monkeypatch.setattr(downloads, "sources", lambda: {"set/table.csv": source})


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """A source of one small file that is in the folder RECEVAL_DATA."""
    content = b"a,b\n1,2\n"
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "table.csv").write_bytes(content)
    checksum = f"sha256:{hashlib.sha256(content).hexdigest()}"
    put_source(monkeypatch, checksum)
    monkeypatch.setenv("RECEVAL_DATA", str(tmp_path))
    return tmp_path / "set" / "table.csv"


def test_a_local_file_is_checked_and_used(one_file):
    assert downloads.fetch("set/table.csv") == one_file
    assert downloads.available("set/table.csv")


@pytest.mark.parametrize("function", [downloads.fetch, downloads.available])
def test_a_local_file_of_another_content_is_refused(one_file, function):
    one_file.write_bytes(b"changed")
    message = r"set/table.csv in RECEVAL_DATA must have the checksum sha256:"
    with pytest.raises(InputError, match=message):
        function("set/table.csv")


class Server(BaseHTTPRequestHandler):
    """A source of files: answers and redirects by path, and a list of the requests."""

    answers: ClassVar[dict[str, bytes]] = {}
    redirects: ClassVar[dict[str, str]] = {}
    requests: ClassVar[list[str]] = []

    def do_GET(self):
        self.requests.append(self.path)
        if self.path in self.redirects:
            self.send_response(302)
            self.send_header("Location", self.redirects[self.path])
        else:
            self.send_response(200 if self.path in self.answers else 404)
        self.end_headers()
        self.wfile.write(self.answers.get(self.path, b""))

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server in place of the public one, and an empty cache."""
    monkeypatch.setattr(Server, "answers", {"/x.csv": b"a,b\n1,2\n"})
    monkeypatch.setattr(Server, "redirects", {})
    monkeypatch.setattr(Server, "requests", [])
    monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path / "cache")
    with HTTPServer(("127.0.0.1", 0), Server) as http_server:
        threading.Thread(target=http_server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{http_server.server_port}"
        url = property(lambda source: f"{address}/{source.path}")
        monkeypatch.setattr(downloads.Source, "url", url)
        yield Server
        http_server.shutdown()


@pytest.fixture
def cached(one_file, server, tmp_path):
    """The cache path of the file that `fetch` has to download."""
    shutil.rmtree(one_file.parent)
    return tmp_path / "cache" / "set-table.csv"


def test_without_network_the_message_says_what_to_do(cached, monkeypatch):
    def refuse(self, url, output_file, pooch):
        raise ConnectionError("no route")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", refuse)
    assert not downloads.available("set/table.csv")
    message = r"set/table.csv could not .* http://.*/x.csv .* set RECEVAL_DATA to that folder"
    with pytest.raises(datasets.DataUnavailable, match=message):
        downloads.fetch("set/table.csv")


def test_the_address_names_the_fixed_commit():
    source = downloads.Source("owner/name", "c" * 40, "x.csv", "sha256:000")
    assert source.url.endswith(f"/owner/name/{'c' * 40}/x.csv")


def test_a_file_is_downloaded_once(cached, server):
    for _ in range(2):
        assert downloads.fetch("set/table.csv") == cached
    assert cached.read_bytes() == b"a,b\n1,2\n"
    assert server.requests == ["/x.csv"]
    assert [path.name for path in cached.parent.iterdir()] == ["set-table.csv"]


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match=r"name must be one of .*Did you mean 'cars/cars-1k.csv'"):
        datasets.fetch("cars/cars-1k")


@pytest.mark.parametrize("name", datasets.sources())
def test_every_source_is_pinned(name):
    source = datasets.sources()[name]
    assert re.fullmatch("[0-9a-f]{40}", source.commit)
    assert re.fullmatch("sha256:[0-9a-f]{64}", source.checksum)
    assert not source.member or re.fullmatch("sha256:[0-9a-f]{64}", source.archive_checksum)


def test_a_redirect_is_not_followed(cached, server, monkeypatch):
    monkeypatch.setattr(server, "answers", {"/elsewhere": b"a,b\n1,2\n"})
    monkeypatch.setattr(server, "redirects", {"/x.csv": "/elsewhere"})
    with pytest.raises(datasets.DataUnavailable, match=r"set/table.csv could not be fetched"):
        downloads.fetch("set/table.csv")
    assert server.requests == ["/x.csv"]
    assert not cached.exists()


def test_a_download_with_another_checksum_is_not_kept(cached, monkeypatch):
    put_source(monkeypatch, "sha256:000")
    with pytest.raises(datasets.DataUnavailable, match=r"table.csv .*000"):
        downloads.fetch("set/table.csv")
    assert list(cached.parent.iterdir()) == []


def test_a_file_in_an_archive_is_not_downloaded_and_the_message_says_where_to_put_it(
    cached, server, monkeypatch
):
    put_source(monkeypatch, "sha256:111", "*.csv", "sha256:000")
    message = (
        r"set/table.csv is in the archive .*/x.csv, .* sha256:000. Take \*.csv out of it, put it at"
    )
    with pytest.raises(datasets.DataUnavailable, match=message):
        downloads.fetch("set/table.csv")
    assert server.requests == []


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


def needs(*names):
    if not datasets.available(*names):
        pytest.skip(f"{', '.join(names)}: neither in RECEVAL_DATA nor to be downloaded here")


def test_the_real_ratings_and_trust():
    needs(*FILMTRUST)
    ratings, report = datasets.filmtrust()
    assert (report.given, len(ratings)) == (35_497, 35_494)
    assert (ratings["user"].nunique(), ratings["item"].nunique()) == (1_508, 2_071)
    assert sorted(ratings["rating"].unique()) == [i / 2 for i in range(1, 9)]
    again = ratings[(ratings["user"] == 308) & ratings["item"].isin([12, 207, 235])]
    assert again["rating"].tolist() == [3.5, 4, 4]
    assert datasets.trust().shape == (1_853, 3)


def test_the_real_awards():
    needs(AWARDS)
    table, report = datasets.awards_kenya()
    assert report.given == 2_549
    assert (table["authority"].nunique(), table["supplier"].nunique()) == (177, 2_147)
    years = table["date"].dt.year
    assert (years.min(), years.max(), years.isna().sum()) == (2011, 2016, 3)
    assert table["amount"].gt(0).all()
