"""Ids in files are exactly what is written, and a row is never taken for a comment."""

import pytest

from receval import InputError, evaluate
from receval.tables import (
    read_qrels,
    read_run,
    read_table,
)

# Queries that begin with "#" ----------------------------------------------------------------------

RUN = "q1 Q0 a 1 2 bm25\n#2 Q0 b 1 2 bm25\n#2 Q0 a 2 1 bm25\n#2b Q0 b 1 2 bm25\n#2b Q0 a 2 1 bm25\n"
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


# Ids that look like decimals ----------------------------------------------------------------------

PAPERS = ["2101.00010", "2101.0001", "2101.00100", "2101.001"]
"""Four arXiv-like ids, of which floats distinguish two."""
LOOK_LIKE_DECIMALS = [
    PAPERS,
    ["1e5", "100000.0", "1e05", "1E5"],
    ["+7.0", "7.0", "7.00", "07.0"],
    ["1.5", "1.50", "2", "-0"],
]


def written(file, name, label, rows, columns):
    lines = [",".join([*columns, label]), *(f"0,{id},{number}" for id, number in rows)]
    return file(f"{name}.csv", "\n".join(lines))


@pytest.mark.parametrize("ids", LOOK_LIKE_DECIMALS, ids=str)
@pytest.mark.parametrize("columns", [("user", "item"), ("user_id", "docid"), ("a", "b")])
def test_ids_like_decimals_stay_text(file, ids, columns):
    recs = written(file, "recs", "score", zip(ids, (9, 8, 7, 6), strict=True), columns)
    truth = written(file, "truth", "relevance", [(ids[1], 1)], columns)
    result = evaluate(recs, truth, "MRR", user=columns[0], item=columns[1])
    assert result.summary.iloc[0, 0] == 0.5


def test_numbers_that_may_be_ids_are_refused_beside_text(file):
    columns = ("reader", "paper")
    recs = written(file, "recs", "score", [(PAPERS[0], 9), (PAPERS[1], 8)], columns)
    # Nothing shows that the one id in this table isn't a number, so no number comes of it.
    truth = written(file, "truth", "relevance", [(PAPERS[1], 1)], columns)
    with pytest.raises(InputError, match=r"paper of relevance .* read the column as text"):
        evaluate(read_table(recs), read_table(truth), "MRR", user="reader", item="paper")
