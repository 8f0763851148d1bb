"""Results on their way out: Markdown, flat names and Arrow."""

import pandas as pd

from receval import evaluate

RECS = pd.DataFrame({"user": list("aab"), "item": list("pqq"), "score": [2.0, 1.0, 2.0]})
TRUTH = pd.DataFrame({"user": list("ab"), "item": list("qp"), "relevance": [1, 2]})
BOTH = evaluate({"A|1": RECS, "B": RECS.iloc[::2]}, TRUTH, ["nDCG@10", "HR(rel=2)@5"])


def test_markdown_has_every_value_and_escapes_names():
    lines = BOTH.to_markdown().splitlines()
    assert lines[:3] == [
        "| system | nDCG@10 | HR(rel=2)@5 |",
        "| --- | ---: | ---: |",
        r"| A\|1 | **0.32** | **0.00** |",
    ]
    assert "2 judged, 2 answered" in lines[-1]
    assert lines[-2] == ""


def test_flat_names_of_means():
    means = BOTH.summary.loc["B"].tolist()
    found = BOTH.to_dict()
    assert list(found) == ["A|1/ndcg_at_10", "A|1/hr_rel_2_at_5", "B/ndcg_at_10", "B/hr_rel_2_at_5"]
    assert list(found.values())[2:] == means
    one = evaluate(RECS, TRUTH, ["R-Precision", "RBP(p=0.9)@10"]).to_dict()
    assert list(one) == ["r_precision", "rbp_p_0.9_at_10"]
    assert {type(value) for value in one.values()} == {float}
