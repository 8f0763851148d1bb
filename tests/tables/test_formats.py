"""Files: reading returns what was written, without guesses."""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.tables import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

TINY = "1e-99999999999999999999999"
"""A number above 0 that float64 makes 0, and whose exponent `decimal.Decimal` cannot hold."""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("user,x\n007,1\n", {"user": ["007"], "x": [1]}, id="leading zeros"),
        pytest.param("user,x\nNA,1\nnull,2\n", {"user": ["NA", "null"], "x": [1, 2]}, id="NA"),
        pytest.param(
            "user,x\n9007199254740993,1\n", {"user": [9007199254740993], "x": [1]}, id="2^53 + 1"
        ),
        pytest.param(
            "user,x\n99999999999999999999,1\n",
            {"user": ["99999999999999999999"], "x": [1]},
            id="beyond 64 bits stays text",
        ),
        pytest.param("user,x\n1,0.5\n2,1e-3\n", {"user": [1, 2], "x": [0.5, 0.001]}, id="decimals"),
        pytest.param("user,x\na,1\nb,z\n", {"user": ["a", "b"], "x": ["1", "z"]}, id="mixed"),
        pytest.param("\ufeffuser,x\r\n1,2\r\n", {"user": [1], "x": [2]}, id="BOM and CRLF"),
        pytest.param('user,x\n"a,b",2\n', {"user": ["a,b"], "x": [2]}, id="quoted"),
        pytest.param(
            '"user","x"\n"7","0.5"\n"8",1\n', {"user": [7, 8], "x": [0.5, 1]}, id="all quoted"
        ),
    ],
)
def test_csv_keeps_what_is_written(file, content, expected):
    table = read_table(file("t.csv", content))
    assert table.to_dict("list") == expected


LONG_ROWS = """
import sys
from receval.tables import read_table
for number in range(50):
    read_table(sys.argv[1])
"""


def test_errors_in_threads_of_arrow_do_not_hang_later_reads(file):
    # Arrow first fails because the row is longer than a block. Until version 23, it then hung.
    path = file("t.csv", f"user,score\n{'u' * 3_000_000},1\n")
    command = [sys.executable, "-c", LONG_ROWS, str(path)]
    subprocess.run(command, check=True, timeout=600)


def test_long_zeros_and_blanks_of_unicode_in_a_run(file):
    odd = "d\u00a01\u2028\x85"
    run = read_run(file("run", f"q1 Q0 {odd} 1 {'0' * 5000}7 bm25\n"))
    assert run[["item", "score"]].to_numpy().tolist() == [[odd, 7]]


def test_tsv_parquet_and_compressed(file, tmp_path):
    frame = pd.DataFrame({"user": ["a", "b"], "x": [1, 2]})
    file("t.tsv", "user\tx\na\t1\nb\t2\n")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_parquet(tmp_path / "t.PQ")
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_csv(tmp_path / "t.csv.bz2", index=False)
    for path in tmp_path.iterdir():
        assert read_table(path).to_dict("list") == frame.to_dict("list")


@pytest.mark.parametrize(("ending", "kind"), [("xz", "an xz file"), ("zip", "a zip file")])
def test_other_packings_are_refused(tmp_path, ending, kind):
    packed, renamed = tmp_path / f"t.csv.{ending}", tmp_path / "t.csv"
    pd.DataFrame({"user": ["a"]}).to_csv(packed, index=False)
    renamed.write_bytes(packed.read_bytes())
    text = f"must be UTF-8 text; got {kind}; unpack"
    for read, path, message in (
        (read_table, packed, f"path must end in .*; got t.csv.{ending}.* Unpack"),
        (read_run, packed, f"{packed.name} {text}"),
        (read_ratings, packed, f"{packed.name} {text}"),
        (read_table, renamed, f"t.csv {text}"),
    ):
        with pytest.raises(InputError, match=f"^{message}"):
            read(path)


RUN = pd.DataFrame({"user": ["b", "a", "a"], "item": ["x", "y", "x"], "score": [0.1, 1 / 3, 2.0]})
PAIR = pd.DataFrame({"user": [7, 7], "item": [2, 1], "score": [3, 1]})
GRADES = pd.DataFrame({"user": "a", "item": list("uvw"), "relevance": [1234567.0, 0.1 + 0.2, 1e-7]})


@pytest.mark.parametrize(
    ("write", "table", "text"),
    [
        (
            write_run,
            RUN,
            "a Q0 x 1 2.0 receval\na Q0 y 2 0.3333333333333333 receval\nb Q0 x 1 0.1 receval\n",
        ),
        (partial(write_run, tag="mine"), RUN[:1], "b Q0 x 1 0.1 mine\n"),
        (write_run, PAIR, "7 Q0 2 1 3 receval\n7 Q0 1 2 1 receval\n"),
        *(
            (
                write_run,
                PAIR.astype({"score": dtype}),
                "7 Q0 2 1 3.0 receval\n7 Q0 1 2 1.0 receval\n",
            )
            for dtype in ("float64", "float32", "Float64")
        ),
        (write_qrels, GRADES, "a 0 u 1234567\na 0 v 0.30000000000000004\na 0 w 1e-07\n"),
    ],
)
def test_trec_files_have_every_digit(tmp_path, write, table, text):
    write(table, tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == text


ROW = pd.DataFrame({"user": ["a"], "item": ["x"], "score": [1.0], "relevance": [1]})


@pytest.mark.parametrize(
    ("write", "change", "message"),
    [
        (
            write_run,
            {"score": [np.nan]},
            "score of recommendations must not be missing; got nan in row 0",
        ),
        (
            write_run,
            {"score": np.array([np.float64(0.1)], object)},
            "score of rec.* must hold numbers",
        ),
        pytest.param(
            write_run,
            {"score": np.array([np.longdouble(1) / 3])},
            "score of recommendations must hold numbers; got float",
            marks=pytest.mark.skipif(np.finfo(np.longdouble).nmant == 52, reason="it is float64"),
            id="more digits than float64 has",
        ),
        (
            write_run,
            {"user": ["a b"]},
            "user of recommendations must be text without blanks.* got 'a b' in",
        ),
        (write_run, {"item": ["x\ny"]}, "item of recommendations must be text without blanks"),
        (
            write_run,
            {"item": [""]},
            "item of recommendations must be .* not empty; got '' in row 0",
        ),
        (write_run, {"item": [None]}, "item of recommendations must not be missing"),
        (
            write_run,
            {"user": ["#"]},
            "user of recommendations must be .* not '#' .*; got '#' in row 0",
        ),
        (write_run, None, "recommendations must have one column 'score'"),
        (write_qrels, None, "relevance must have one column 'relevance'"),
        (write_qrels, {"item": ["x y"]}, "item of relevance must be text without blanks"),
        *(
            (partial(write_run, tag=tag), {}, "tag must be text without blanks")
            for tag in ("my run", None, 5, "\ufeff x", "")
        ),
    ],
)
def test_refuses_to_write_what_trec_cannot_hold(tmp_path, write, change, message):
    table = ROW[["user", "item"]] if change is None else ROW.assign(**change)
    with pytest.raises(InputError, match=message):
        write(table, tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_json_has_null_for_nan_and_iso_dates(tmp_path):
    table = pd.DataFrame(
        {"x": [np.nan, 1.5], "n": [1, 2], "day": [pd.Timestamp("2020-02-03"), pd.NaT]}
    )
    write_table(table, tmp_path / "t.json")
    (tmp_path / "plain").touch()  # a file that is written has the permissions of any new file
    assert len({path.stat().st_mode for path in tmp_path.iterdir()}) == 1
    first, second = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert first == {"x": None, "n": 1, "day": "2020-02-03T00:00:00"}
    assert second == {"x": 1.5, "n": 2, "day": None}


COLONS = {"separator": "::"}


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (
            "1::10::4.5::99\n2::10::3::98\n",
            COLONS,
            {"user": [1, 2], "item": [10, 10], "relevance": [4.5, 3], "time": [99, 98]},
        ),
        (
            '1,"a,b",4\n"2","c ""d""",5\n',
            {},
            {"user": [1, 2], "item": ["a,b", 'c "d"'], "relevance": [4, 5]},
        ),
        (
            "9007199254740993,007,1\n9007199254740992,7,2\n",
            {},
            {"user": [2**53 + 1, 2**53], "item": ["007", "7"], "relevance": [1, 2]},
        ),
        (
            "1,2101.00010,4.50\n1,2101.0001,4.50\n",
            {},
            {"user": [1, 1], "item": ["2101.00010", "2101.0001"], "relevance": [4.5, 4.5]},
        ),
        ('1::a "b::4\n', COLONS, {"user": [1], "item": ['a "b'], "relevance": [4]}),
        ("u,i,r\n1,10,4\n", {"header": True}, {"user": [1], "item": [10], "relevance": [4]}),
        (
            "1,d\u00a01\u2028\x85,3\n",
            {},
            {"user": [1], "item": ["d\u00a01\u2028\x85"], "relevance": [3]},
        ),
        ("u\x1e::i::3\n", COLONS, {"user": ["u\x1e"], "item": ["i"], "relevance": [3]}),
        (
            "1,1,0e99999999999999999999999\n1,2,inf\n",
            {},
            {"user": [1, 1], "item": [1, 2], "relevance": [0, np.inf]},
        ),
    ],
)
def test_ratings(file, content, options, expected):
    assert read_ratings(file("ratings", content), **options).to_dict("list") == expected


@pytest.mark.parametrize(
    ("call", "content", "message"),
    [
        (
            read_run,
            "q1 Q0 d1 1 2.5\n",
            r"a file of lines 'query .*'; .* Row #1: Expected 6 columns, got 5: q1 Q0 d1 1 2.5$",
        ),
        (
            read_run,
            "q1 Q0 d1 one 2.5 t\n",
            r"rank in x.csv must be whole numbers of .*; got 'one' in row 0$",
        ),
        (read_run, "q1 Q0 d1 1 2,5 t\n", r"score in x.csv must be numbers .*; got '2,5'"),
        (
            read_run,
            f"q1 Q0 d1 {10**20} 2.5 t\n",
            r"rank in x.csv must be whole numbers of at most 15 digits",
        ),
        (read_run, "q1 Q0 d1 1_0 2.5 t\n", r"rank in x.csv must be .*; got '1_0'"),
        (read_run, "q1 Q0 d1 1 1_000.5 t\n", r"score in x.csv must be numbers .*; got '1_000.5'"),
        (
            read_run,
            "q1 Q0 d1 1 1e999 t\n",
            r"score in x.csv must be .* of float64; got '1e999'",
        ),
        (
            read_qrels,
            "q1 0 d1 1e999\n",
            r"relevance in x.csv must be .* of float64; got '1e999'",
        ),
        (read_qrels, "q1 0 d1 inf\n", r"relevance in x.csv must be numbers .*; got 'inf'"),
        (
            read_qrels,
            f"q1 0 d1 {TINY}\n",
            r"relevance in x.csv must be .* of float64; got '1e-9",
        ),
        (
            read_run,
            f"q1 Q0 d1 1 {TINY} t\n",
            r"score in x.csv must be .* of float64; got '1e-9",
        ),
        (
            read_ratings,
            "1,2,1e999\n",
            r"rating in x.csv must be .* of float64; got '1e999' in",
        ),
        (
            read_ratings,
            f"1,2,{TINY}\n",
            r"rating in x.csv must be .* of float64; got '1e-9",
        ),
        (read_table, "user,score,score\n1,2,3\n", r"each column once; got 'score' 2 times"),
        (read_table, "user;item;score\n1;2;0,5\n", r"by ','; got .*read_csv\(path, sep=';'\)$"),
        (
            read_qrels,
            "# all\r\n\rq1 0 d1 1\n\t#q\nq1 0 d2 yes\nq1 0 d3 no\n",
            r"relevance in x.csv must be numbers .*; got 'yes' in row 1, 'no' in row 2$",
        ),
        (read_ratings, "1,2\n", r"must have user, item, rating and perhaps a time"),
        (
            read_ratings,
            "1,2,3\n1,2,3,4\n",
            r"as many fields .*; .* Row #2: Expected 3 columns, got 4: 1,2,3,4$",
        ),
        (
            read_ratings,
            "u,i,r\n1,2,3\n",
            r"rating in x.csv must be .*; got 'r' in row 0. If",
        ),
        (
            read_ratings,
            "1,2,1_0\n1,2,nan\n",
            r"rating in x.csv must be .*; got '1_0' in row",
        ),
        (read_ratings, "", "x.csv must be a table; got none"),
        (read_table, b"user\n\xff\n", r"x.csv must be UTF-8 text; got the byte 0xff in line 2"),
        (
            read_table,
            "a,b\n1,2,3\n1,2\n",
            r"mind decimal commas.*Row #2: Expected 2 columns, got 3: 1,2,3$",
        ),
        (read_table, "a,b\n\n1,2\n\n3\n", r"first .* Row #3: Expected 2 columns, got 1: 3$"),
        (read_table, "a,b\n1,2\n  \n", r"first .* Row #3: Expected 2 columns, got 1:   $"),
        (
            read_table,
            'a,b\n"1\n\n",2\n3\n',
            r"first .* Row #3: Expected 2 columns, got 1: 3$",
        ),
        (read_table, ",Unnamed: 0\n1,2\n", r"each column once; got 'Unnamed: 0' 2 times"),
        (read_table, "", r"x.csv must be a table"),
        (
            lambda path: read_table(path.with_name("none.csv")),
            "",
            "path must be an existing file; got 'none.csv'",
        ),
        (
            lambda path: read_table(path.rename(path.with_name("x.xlsx"))),
            "",
            r"path must end in .csv, .tsv, .parquet or .pq, .*; got x.xlsx\. .*pandas.read_excel",
        ),
        (
            lambda path: read_table(path.rename(path.with_name("x.txt"))),
            "",
            r"path must end in .csv, .tsv, .parquet or .pq, .*; got x.txt\. .*TREC .*read_run",
        ),
        (
            lambda path: read_table(path.rename(path.with_name("x.parquet"))),
            "PAR1 broken",
            "x.parquet must be a whole Parquet file",
        ),
        *(
            (read_table, text.encode(encoding), r"x.csv must be .*UTF-8 text")
            for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")
            for text in ("user,item\n1,é\n", "user,item\n1,2\n")
        ),
        (
            read_run,
            "# a comment\n#1 Q0 a 1 0,5 x\n",
            r"score in x\.csv must be numbers .*; got '0,5' in row 0",
        ),
        (
            partial(read_ratings, separator=""),
            "1,2,3\n",
            "separator must be a text of at least one character",
        ),
        (
            partial(read_ratings, separator="::"),
            "u\x1f::i::3\n",
            "^x.csv must be text without control characters",
        ),
    ],
)
def test_refuses_files(file, call, content, message):
    with pytest.raises(InputError, match=message):
        call(file("x.csv", content))
