"""Files: reading returns what was written, without guesses."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate
from receval._files import write_atomically
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


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


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
    ],
)
def test_csv_keeps_what_is_written(file, content, expected):
    table = read_table(file("t.csv", content))
    assert table.to_dict("list") == expected


def test_an_empty_field_is_missing(file):
    recs = file("recs.csv", "user,item,score\n1,,0.5\n2,3,1\n")
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    with pytest.raises(InputError, match=r"item of recommendations must not be missing.* row 0"):
        evaluate(recs, truth, "MRR")


def test_a_gap_among_numbers_is_nan_and_later_named_by_its_line(file):
    recs = file("recs.csv", "user,item,score\n1,a,0.5\n1,b,\n")
    assert read_table(recs)["score"].dtype == np.float64
    truth = pd.DataFrame({"user": [1], "item": ["a"], "relevance": [1]})
    with pytest.raises(InputError, match=r"score of recommendations must not be .* row 1"):
        evaluate(recs, truth, "MRR")


def test_numbers_that_a_gap_would_round_stay_text(file):
    table = read_table(file("t.csv", "user,x\n9007199254740993,1\n,2\n"))
    assert table["user"].tolist()[0] == "9007199254740993"


def test_infinite_scores_are_numbers(file):
    table = read_table(file("t.csv", "score\n1.5\ninf\n-inf\n"))
    assert table["score"].tolist() == [1.5, np.inf, -np.inf]


def test_numbers_that_float64_lacks_stay_text(file):
    for beyond in ("1e999", "-1e400", "9" * 5000):
        assert read_table(file("t.csv", f"score\n{beyond}\n"))["score"].tolist() == [beyond]


def test_numbers_with_thousands_of_leading_zeros_are_read(file):
    zeros = "0" * 5000
    run = read_run(file("run", f"q1 Q0 a 1 {zeros}7 bm25\nq1 Q0 b 2 {zeros} bm25\n"))
    assert run["score"].tolist() == [7, 0]


def test_an_id_of_fifty_digits_stays_text_and_minus_zero_a_number(file):
    table = read_table(file("t.csv", f"user,score\n{'12345' * 10},-0\n7,3\n"))
    assert table["user"].tolist() == ["12345" * 10, "7"]
    assert table["score"].tolist() == [0, 3]


LONG_ROWS = """
import sys
from receval.tables import read_table
for number in range(100):
    read_table(sys.argv[1])
"""


def test_errors_in_threads_of_arrow_do_not_hang_later_reads(file):
    # Arrow first fails because the row is longer than a block. Until version 23, it then hung.
    path = file("t.csv", f"user,score\n{'u' * 5_000_000},1\n")
    command = [sys.executable, "-c", LONG_ROWS, str(path)]
    subprocess.run(command, check=True, timeout=600)


def test_an_id_may_hold_a_blank_that_only_unicode_knows(file):
    odd = "d\u00a01\u2028\x85"
    run = read_run(file("run", f"q1 Q0 {odd} 1 2.5 bm25\n"))
    assert run["item"].tolist() == [odd]
    assert read_ratings(file("r", f"1,{odd},3\n"))["item"].tolist() == [odd]


def test_tsv_parquet_and_compressed(file, tmp_path):
    frame = pd.DataFrame({"user": ["a", "b"], "x": [1, 2]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    file("t.tsv", "user\tx\na\t1\nb\t2\n")
    frame.to_parquet(tmp_path / "t.PQ")
    frame.to_csv(tmp_path / "t.csv.bz2", index=False)
    for name in ("t.parquet", "t.PQ", "t.csv.gz", "t.csv.bz2", "t.tsv"):
        assert read_table(tmp_path / name).to_dict("list") == frame.to_dict("list")


@pytest.mark.parametrize(("ending", "kind"), [("xz", "an xz file"), ("zip", "a zip file")])
def test_other_packings_are_refused(tmp_path, ending, kind):
    packed, renamed = tmp_path / f"t.csv.{ending}", tmp_path / "t.csv"
    pd.DataFrame({"user": ["a"]}).to_csv(packed, index=False)
    renamed.write_bytes(packed.read_bytes())
    with pytest.raises(InputError, match=rf"path must end in .*; got t.csv.{ending}.* Unpack"):
        read_table(packed)
    for read, path in ((read_run, packed), (read_ratings, packed), (read_table, renamed)):
        with pytest.raises(
            InputError, match=rf"^{path.name} must be UTF-8 text; got {kind}; unpack"
        ):
            read(path)


def test_a_decimal_comma_is_no_number(file):
    recs = file("recs.tsv", "user\titem\tscore\n1\t2\t1,5\n")
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    with pytest.raises(InputError, match=r"score of recommendations must hold numbers.*'1,5'"):
        evaluate(recs, truth, "MRR")


def test_paths_of_csv_and_parquet_evaluate(file, tmp_path):
    recs = file("recs.csv", "user,item,score\n7,a,0.5\n7,b,0.25\n")
    pd.DataFrame({"user": [7], "item": ["b"], "relevance": [1]}).to_parquet(tmp_path / "t.parquet")
    assert evaluate(recs, str(tmp_path / "t.parquet"), "MRR").summary.iloc[0, 0] == 0.5


def test_trec_files_with_comments_tabs_and_blanks(file):
    run = read_run(
        file("run", "# a comment\nq1 Q0 d1 1 2.5 bm25\r\n\nq1\tQ0\td2\t2\t1e-3\tbm25  \n")
    )
    assert run["item"].tolist() == ["d1", "d2"]
    assert run["score"].tolist() == [2.5, 0.001]
    assert run["rank"].tolist() == [1, 2]
    qrels = read_qrels(file("qrels", "q1 0 d2 3\n"))
    result = evaluate(run, qrels, ["MRR", "nDCG@2"], convention="trec_eval")
    np.testing.assert_allclose(result.summary.iloc[0], [0.5, 1 / np.log2(3)])


def test_trec_files_round_trip(tmp_path):
    recs = pd.DataFrame(
        {"user": ["b", "a", "a"], "item": ["x", "y", "x"], "score": [0.1, 1 / 3, 2.0]}
    )
    write_run(recs, tmp_path / "run", tag="mine")
    back = read_run(tmp_path / "run")
    assert back[["user", "item"]].to_numpy().tolist() == [["a", "x"], ["a", "y"], ["b", "x"]]
    assert back["score"].tolist() == [2.0, 1 / 3, 0.1]
    assert set(back["system"]) == {"mine"}
    truth = pd.DataFrame({"user": ["a"], "item": ["x"], "relevance": [2.0]})
    write_qrels(truth, tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text(encoding="utf-8") == "a 0 x 2\n"
    pd.testing.assert_frame_equal(read_qrels(tmp_path / "qrels"), truth)


def test_grades_round_trip_with_every_digit(tmp_path):
    grades = [1234567.0, 0.1 + 0.2, 1 / 3, 2.0, 0.0, 1e-7]
    truth = pd.DataFrame({"user": "a", "item": list("uvwxyz"), "relevance": grades})
    write_qrels(truth, tmp_path / "qrels")
    assert read_qrels(tmp_path / "qrels")["relevance"].tolist() == grades
    assert (tmp_path / "qrels").read_text(encoding="utf-8").splitlines()[0] == "a 0 u 1234567"


def test_scores_of_every_numeric_type_are_written_as_plain_numbers(tmp_path):
    for dtype in ("float64", "float32", "int64", "Float64"):
        scores = pd.Series([3, 1], dtype=dtype)
        recs = pd.DataFrame({"user": [7, 7], "item": [2, 1], "score": scores})
        write_run(recs, tmp_path / "run")
        text = (tmp_path / "run").read_text(encoding="utf-8")
        assert text.replace(".0 ", " ") == "7 Q0 2 1 3 receval\n7 Q0 1 2 1 receval\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [np.nan]}, r"score of recommendations must not be missing; got nan in row 0"),
        ({"score": np.array([np.float64(0.1)], object)}, r"score of rec.* must hold numbers"),
        ({"user": ["a b"]}, r"user of recommendations must be text without blanks.* got 'a b' in"),
        ({"item": ["x\ny"]}, r"item of recommendations must be text without blanks"),
        ({"item": [""]}, r"item of recommendations must be .* not empty; got '' in row 0"),
        ({"item": [None]}, r"item of recommendations must not be missing"),
        ({"user": ["#"]}, r"user of recommendations must be .* not '#' .*; got '#' in row 0"),
    ],
)
def test_refuses_to_write_what_a_run_cannot_hold(tmp_path, change, message):
    recs = pd.DataFrame({"user": ["a"], "item": ["x"], "score": [1.0]} | change)
    with pytest.raises(InputError, match=message):
        write_run(recs, tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_refuses_to_write_incomplete_tables(tmp_path):
    recs = pd.DataFrame({"user": ["a"], "item": ["x"]})
    with pytest.raises(InputError, match=r"recommendations must have one column 'score'"):
        write_run(recs, tmp_path / "run")
    with pytest.raises(InputError, match=r"relevance must have one column 'relevance'"):
        write_qrels(recs, tmp_path / "qrels")
    with pytest.raises(InputError, match=r"item of relevance must be text without blanks"):
        write_qrels(recs.assign(item="x y", relevance=1), tmp_path / "qrels")
    with pytest.raises(InputError, match=r"tag must be text without blanks"):
        write_run(recs.assign(score=1), tmp_path / "run", tag="my run")


def test_json_has_null_for_nan_and_iso_dates(tmp_path):
    table = pd.DataFrame(
        {"x": [np.nan, 1.5], "n": [1, 2], "day": [pd.Timestamp("2020-02-03"), pd.NaT]}
    )
    write_table(table, tmp_path / "t.json")
    first, second = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert first == {"x": None, "n": 1, "day": "2020-02-03T00:00:00"}
    assert second == {"x": 1.5, "n": 2, "day": None}
    for value, message in (
        (np.inf, "must hold .*finite numbers"),
        (object(), "finite numbers or dates"),
    ):
        with pytest.raises(InputError, match=message):
            write_table(pd.DataFrame({"x": [value]}), tmp_path / "no.json")


def test_broken_parquet_and_an_empty_separator(file):
    with pytest.raises(InputError, match=r"x.parquet must be a whole Parquet file"):
        read_table(file("x.parquet", b"PAR1 broken"))
    with pytest.raises(InputError, match=r"separator must be a text of at least one character"):
        read_ratings(file("r.csv", "1,2,3\n"), separator="")


def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    write_table(pd.DataFrame({"x": [1]}), tmp_path / "t.csv")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_ratings(file):
    table = read_ratings(file("u.dat", "1::10::4.5::99\n2::10::3::98\n"), separator="::")
    assert table.columns.tolist() == ["user", "item", "relevance", "time"]
    assert table["relevance"].tolist() == [4.5, 3]
    quoted = read_ratings(file("r.csv", '1,"a,b",4\n"2","c ""d""",5\n'))
    assert quoted.to_dict("list") == {"user": [1, 2], "item": ["a,b", 'c "d"'], "relevance": [4, 5]}
    as_letters = read_ratings(file("r.dat", '1::a "b::4\n'), separator="::")
    assert as_letters["item"].tolist() == ['a "b']
    with_header = read_ratings(file("r.csv", "u,i,r\n1,10,4\n"), header=True)
    assert with_header.to_dict("list") == {"user": [1], "item": [10], "relevance": [4]}


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
        (read_run, b"q\xe9 Q0 d 1 1 t\n", r"x.csv must be UTF-8 text; got the byte 0xe9 in line 1"),
        (read_qrels, b"q\xe9 0 d 1\n", r"x.csv must be UTF-8 text; got the byte 0xe9 in line 1"),
        (read_ratings, b"1,\xe9,3\n", r"x.csv must be UTF-8 text; got the byte 0xe9 in line 1"),
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
    ],
)
def test_refuses_files(file, call, content, message):
    with pytest.raises(InputError, match=message):
        call(file("x.csv", content))


def test_refuses_paths(tmp_path):
    with pytest.raises(InputError, match=r"path must be an existing file; got 'none.csv'"):
        read_table(tmp_path / "none.csv")
    for name, advice in (("x.xlsx", "pandas.read_excel"), ("x.txt", "TREC .*read_run")):
        (tmp_path / name).touch()
        rule = r"path must end in .csv, .tsv, .parquet or .pq, .*"
        with pytest.raises(InputError, match=rf"{rule}; got {name}\. .*{advice}"):
            read_table(tmp_path / name)


def test_a_failing_write_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old", encoding="utf-8")

    def fails(file):
        file.write("half")
        raise OSError("no space left")

    with pytest.raises(InputError, match=r"out.csv must be .* no space left"):
        write_atomically(target, fails)
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_long_separator_needs_a_file_without_control_characters(tmp_path):
    path = tmp_path / "ratings.dat"
    path.write_bytes(b"u\x1e::i::3\n")
    assert read_ratings(path, separator="::")["user"].tolist() == ["u\x1e"]
    path.write_bytes(b"u\x1f::i::3\n")
    with pytest.raises(InputError, match=r"^ratings.dat must be text without control characters"):
        read_ratings(path, separator="::")


def test_exponents_beyond_those_of_decimal_are_read(tmp_path):
    zeros = ["0e99999999999999999999999", "0e-9999999999999999999999999"]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["score", *zeros]), encoding="utf-8")
    assert read_table(path)["score"].tolist() == [0, 0]
    path.write_text(f"1,1,{zeros[0]}\n1,2,inf\n1,3,\n", encoding="utf-8")
    assert read_ratings(path)["relevance"].fillna(-1).tolist() == [0, np.inf, -1]
