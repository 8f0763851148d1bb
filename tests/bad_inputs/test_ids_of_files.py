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


def write_tables(folder, ids, columns=("user", "item"), n_rows=1):
    """Write a list with every id but the best, which is relevant, at the first place."""
    recs, truth = folder / "recs.csv", folder / "truth.csv"
    rows = [f"{nth},{id},{9 - rank}" for nth in range(n_rows) for rank, id in enumerate(ids)]
    recs.write_text("\n".join([",".join([*columns, "score"]), *rows]), "utf-8")
    rows = [f"{nth},{ids[1]},1" for nth in range(n_rows)]
    truth.write_text("\n".join([",".join([*columns, "relevance"]), *rows]), "utf-8")
    return recs, truth


@pytest.mark.parametrize("ids", LOOK_LIKE_DECIMALS, ids=str)
@pytest.mark.parametrize("columns", [("user", "item"), ("user_id", "docid"), ("a", "b")])
@pytest.mark.parametrize("n_rows", [1, 2_000], ids=["short", "long"])
def test_ids_like_decimals_stay_text(tmp_path, ids, columns, n_rows):
    recs, truth = write_tables(tmp_path, ids, columns, n_rows)
    user, item = columns
    result = evaluate(recs, truth, "MRR", user=user, item=item)
    assert result.summary.iloc[0, 0] == 0.5
    assert result.explain(0, "MRR").table["item"].tolist()[:2] == ids[:2]


def test_ids_in_a_column_of_any_name_stay_text_or_are_refused(tmp_path):
    recs, truth = write_tables(tmp_path, PAPERS, ("reader", "paper"))
    columns = {"user": "reader", "item": "paper"}
    assert read_table(recs)["paper"].tolist() == PAPERS
    assert evaluate(recs, truth, "MRR", **columns).summary.iloc[0, 0] == 0.5
    # Nothing shows that the one id in this table isn't a number, so no number comes of it.
    with pytest.raises(InputError, match=r"paper of relevance .* read the column as text"):
        evaluate(read_table(recs), read_table(truth), "MRR", **columns)
    truth.write_text(f"{truth.read_text('utf-8')}\n1,{PAPERS[0]},1", "utf-8")
    tables = read_table(recs), read_table(truth)
    assert evaluate(*tables, "MRR", **columns, users=[0]).summary.iloc[0, 0] == 0.5
