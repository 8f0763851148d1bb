"""Files in and out: what is written is what is read, and nothing is guessed."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate
from receval.evaluation import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
)
from receval.evaluation.formats import write_atomically


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
    recs = file("recs.csv", "user,item,score\n1,,0.5\n2\n")
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    with pytest.raises(InputError, match=r"item of recommendations must not be missing.* row 0"):
        evaluate(recs, truth, "MRR")


def test_tsv_parquet_and_compressed(file, tmp_path):
    frame = pd.DataFrame({"user": ["a", "b"], "x": [1, 2]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    file("t.tsv", "user\tx\na\t1\nb\t2\n")
    for name in ("t.parquet", "t.csv.gz", "t.tsv"):
        assert read_table(tmp_path / name).to_dict("list") == frame.to_dict("list")


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
    assert (tmp_path / "qrels").read_text() == "a 0 x 2\n"
    pd.testing.assert_frame_equal(read_qrels(tmp_path / "qrels"), truth)


def test_ratings(file):
    table = read_ratings(file("u.dat", "1::10::4.5::99\n2::10::3::98\n"), separator="::")
    assert table.columns.tolist() == ["user", "item", "relevance", "time"]
    assert table["relevance"].tolist() == [4.5, 3]
    with_header = read_ratings(file("r.csv", "u,i,r\n1,10,4\n"), header=True)
    assert with_header.to_dict("list") == {"user": [1], "item": [10], "relevance": [4]}


@pytest.mark.parametrize(
    ("call", "content", "message"),
    [
        (read_run, "q1 Q0 d1 1 2.5\n", r"lines of the form 'query Q0 .*'; got .* in line 1"),
        (read_run, "q1 Q0 d1 one 2.5 t\n", r"rank in x.csv must be numbers; got 'one'"),
        (read_run, "q1 Q0 d1 1 2,5 t\n", r"score in x.csv must be numbers; got '2,5'"),
        (read_qrels, "q1 0 d1 yes\n", r"relevance in x.csv must be numbers; got 'yes'"),
        (read_ratings, "1,2\n", r"must have user, item, rating and perhaps a time"),
        (read_ratings, "1,2,3\n1,2,3,4\n", r"in every line, separated by ','; got \['1', '2'"),
        (read_table, b"user\n\xff\n", r"x.csv must be UTF-8 text; got the byte 0xff"),
        (read_table, "a,b\n1,2,3\n1,2\n", r"x.csv must be a table"),
        (read_table, "", r"x.csv must be a table"),
    ],
)
def test_refuses_files(file, call, content, message):
    with pytest.raises(InputError, match=message):
        call(file("x.csv", content))


def test_refuses_paths(tmp_path):
    with pytest.raises(InputError, match=r"path must be an existing file; got none.csv"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "x.xlsx").touch()
    with pytest.raises(InputError, match=r"path must end in .csv, .tsv or .parquet; got x.xlsx"):
        read_table(tmp_path / "x.xlsx")


def test_a_failing_write_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")

    def fails(file):
        file.write("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        write_atomically(target, fails)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
