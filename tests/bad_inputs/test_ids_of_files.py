"""Ids in files are exactly what is written, and a row is never taken for a comment."""

import pandas as pd
import pytest

from receval import InputError, evaluate
from receval.tables import read_qrels, read_run, write_qrels, write_run


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


# Queries that begin with "#" ----------------------------------------------------------------------

RUN = "q1 Q0 a 1 2 bm25\n#2 Q0 b 1 2 bm25\n#2 Q0 a 2 1 bm25\n#2b Q0 b 1 2 x\n#2b Q0 a 2 1 x\n"
QRELS = "q1 0 a 1\n#2 0 a 1\n#2b 0 a 1\n"


@pytest.mark.parametrize("separator", [" ", "\t", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_queries_may_begin_with_a_hash(file, separator, end):
    run = file("a.run", RUN.replace(" ", separator).replace("\n", end))
    qrels = file("a.qrels", QRELS.replace(" ", separator).replace("\n", end))
    result = evaluate(run, qrels, "MRR")
    assert result.summary.iloc[0, 0] == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert result.per_user.index.get_level_values("user").tolist() == ["#2", "#2b", "q1"]


@pytest.mark.parametrize(
    "comment",
    [
        "# q1 Q0 c 1 9 bm25",
        "# q1 0 c 1",
        "#",
        "#comment",
        "# of topics 50",
        "#made with bm25 on monday",
        "  # indented",
    ],
)
def test_lines_that_are_not_rows_are_comments(file, comment):
    run = read_run(file("a.run", f"{comment}\n{RUN}{comment}"))
    assert run["user"].tolist() == ["q1", "#2", "#2", "#2b", "#2b"]
    qrels = read_qrels(file("a.qrels", f"{comment}\n{QRELS}{comment}"))
    assert qrels["user"].tolist() == ["q1", "#2", "#2b"]


def test_a_wrong_number_of_a_query_with_a_hash_is_named(file):
    with pytest.raises(InputError, match=r"score in a\.run must be numbers; got '0,5' in line 2"):
        read_run(file("a.run", "# a comment\n#1 Q0 a 1 0,5 x\n"))


def test_queries_with_a_hash_come_back_from_trec_files(tmp_path):
    recs = pd.DataFrame({"user": ["#1", "##"], "item": ["#a", "b"], "score": [2.0, 1.0]})
    write_run(recs, tmp_path / "a.run")
    assert sorted(read_run(tmp_path / "a.run")["user"]) == ["##", "#1"]
    truth = recs.assign(relevance=1.0)[["user", "item", "relevance"]]
    write_qrels(truth, tmp_path / "a.qrels")
    assert read_qrels(tmp_path / "a.qrels").to_dict("list") == truth.to_dict("list")
