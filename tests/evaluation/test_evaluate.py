"""Evaluation of tables: compared with a slow evaluation; names of columns, systems, the table."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scale_data import tables

from receval import evaluate, metrics

MEASURES = ["HR@3", "MRR@3", "MRR", "MAP@3", "MAP", "nDCG@3", "nDCG", "Precision@3", "Recall@3"]
MEASURES += ["F1@3", "R-Precision", "DCG@3", "CG@3", "PC"]


def slowly(recs, truth, key):
    """Compute gains and relevant grades of every judged user, with dictionaries and ``sorted``."""
    for user, rows in truth.groupby("user"):
        grade = dict(zip(rows["item"], rows["relevance"], strict=True))
        own = recs[recs["user"] == user]
        ordered = sorted(zip(own["item"], own["score"], range(len(own)), strict=True), key=key)
        gains = [grade.get(item, 0) for item, *_ in ordered]
        yield user, np.array(gains, float), [g for g in grade.values() if g > 0]


def expected(gains, relevance):
    n = len(relevance)
    p, r = metrics.ranking.precision(gains, k=3), metrics.ranking.recall(gains, n, k=3)
    values = {
        "HR@3": metrics.hit(gains, k=3),
        "MRR@3": metrics.reciprocal_rank(gains, k=3),
        "MRR": metrics.reciprocal_rank(gains),
        "MAP@3": metrics.average_precision(gains, n, k=3),
        "MAP": metrics.average_precision(gains, n),
        "nDCG@3": metrics.ndcg(gains, relevance, k=3),
        "nDCG": metrics.ndcg(gains, relevance),
        "Precision@3": p,
        "Recall@3": r,
        "F1@3": metrics.ranking.f1(p, r),
        "R-Precision": metrics.r_precision(gains, n),
        "DCG@3": metrics.dcg(gains, k=3),
        "CG@3": metrics.cumulative_gain(gains, k=3),
        "PC": float(len(gains) > 0),
    }
    return {name: 0.0 if np.isnan(value) else value for name, value in values.items()}


ORDERS = {
    "item": lambda row: (-row[1], row[0]),
    "input": lambda row: (-row[1], row[2]),
    "trec_eval": lambda row: (-np.float32(row[1]), [-byte for byte in row[0].encode()] + [0]),
}


@pytest.mark.parametrize("ties", ORDERS)
@pytest.mark.parametrize("seed", range(8))
def test_against_a_slow_evaluation(ties, seed):
    recs, truth, _, _ = tables(text=True, users=40, seed=seed)
    recs, truth = (table.sample(frac=1, random_state=seed) for table in (recs, truth))
    result = evaluate(recs, truth, MEASURES, ties=ties)
    by_hand = {
        user: expected(gains, relevance)
        for user, gains, relevance in slowly(recs, truth, ORDERS[ties])
    }
    assert_allclose(
        result.per_user[MEASURES],
        pd.DataFrame.from_dict(by_hand, orient="index", dtype=float).loc[
            result.per_user.index, MEASURES
        ],
        rtol=1e-13,
    )
    assert_allclose(result.summary.iloc[0], result.per_user.mean(), rtol=1e-13)
    judged, shown = set(truth["user"]), set(recs["user"])
    liked = set(truth.loc[truth["relevance"] > 0, "user"])
    assert result.counts.iloc[0].to_dict() == {
        "judged": len(judged),
        "answered": len(judged & shown),
        "without truth": len(judged - liked),
        "ignored": len(shown - judged),
    }


# Options ---------------------------------------------------------------------------------------

RECS = pd.DataFrame(
    {"user": list("aabbx"), "item": list("pqqrp"), "score": [2.0, 1.0, 2.0, 1.0, 1.0]}
)
TRUTH = pd.DataFrame({"user": list("abcd"), "item": list("qqpp"), "relevance": [1, 1, 1, 0]})


def test_options_are_keyword_only():
    with pytest.raises(TypeError, match="positional"):
        evaluate(RECS, TRUTH, "MRR", "user")


def test_several_systems_by_dict_and_by_column():
    worse = RECS.assign(score=-RECS["score"])
    both = evaluate({"A": RECS, "B": worse}, TRUTH, ["MRR", "PC"]).per_user
    tall = pd.concat([RECS.assign(system="A"), worse.assign(system="B")])
    by_column = evaluate(tall.sample(frac=1, random_state=1), TRUTH, ["MRR", "PC"], system="system")
    alone = evaluate(RECS, TRUTH, ["MRR", "PC"]).per_user
    assert both["MRR"].tolist() == [1 / 2, 1, 0, 0, 1, 1 / 2, 0, 0]
    assert both.index.names == ["system", "user"]
    pd.testing.assert_frame_equal(both, by_column.per_user.loc[["A", "B"]])
    pd.testing.assert_frame_equal(both.loc["A"], alone)


CATALOGUE = pd.DataFrame(
    {
        "awards": [6, 2, 1, 1],
        "novelty_date": pd.to_datetime(["2020-01-01", "2020-01-08", "2020-01-31", "2020-01-31"]),
        "blue": [1, 0, 1, 0],
        "red": [0, 1, 1, 0],
    },
    index=list("pqrs"),
)


def test_measures_beyond_accuracy_by_hand():
    history = pd.DataFrame({"user": ["a", "x"], "item": ["p", "q"]})
    names = ["CC@1", "CC", "LTP@2", "ILD", "nov_t", "nov_u"]
    result = evaluate(RECS, TRUTH, names, items=CATALOGUE, history=history)
    values = result.summary.loc[""]
    # Judged lists: a: p q; b: q r. The head is p (6 of 10 awards reach 20 %).
    assert values[["CC@1", "CC", "LTP@2"]].tolist() == [2 / 4, 3 / 4, 3 / 4]
    assert_allclose(result.per_user["ILD"], [1, 1 - np.sqrt(0.5), np.nan, np.nan])
    new = [1 / np.log(d + 2.72) for d in (30, 23, 0)]
    by_list = [(new[0] + new[1]) / 2, (new[1] + new[2]) / 2, np.nan, np.nan]
    assert_allclose(result.per_user["nov_t"], by_list)
    assert_allclose(values["nov_t"], np.nanmean(by_list))
    assert_array_equal(result.per_user["nov_u"], [0.5, 1, np.nan, np.nan])


# Results ---------------------------------------------------------------------------------------


def test_table_marks_the_best_as_shown_and_states_the_users():
    systems = {"A": RECS, "B_2": RECS.assign(score=-RECS["score"]), "C": RECS.iloc[:2]}
    result = evaluate(systems, TRUTH, ["MRR", "PC"])
    html = result.table(digits=2)._repr_html_()
    assert [html.count(f"<b>{best}</b>") for best in ("0.38", "0.50")] == [2, 2]
    assert "C: 4 judged, 1 answered" in html
    assert r"B\_2 & \textbf{0.38}" in result.to_latex(2)
    assert "<b>" not in result.table(bold=None)._repr_html_()


def test_plots_draw_the_values():
    result = evaluate({"A": RECS, "B": RECS.iloc[:2]}, TRUTH, ["MRR", "PC"])
    for panel, name in zip(result.plot(), ("MRR", "PC"), strict=True):
        points, _, (bars,) = panel.containers[0].lines
        means = result.summary[name]
        assert (panel.get_title(), points.get_ydata().tolist()) == (name, [0, 1])
        assert_allclose(points.get_xdata(), means)
        ends = [segment[:, 0] for segment in bars.get_segments()]
        assert_allclose(ends, result.interval().loc[name, ["low", "high"]])
        assert [text.get_text() for text in panel.texts] == [f"{mean:.3f}" for mean in means]
    (alone,) = result.plot(["MRR"])
    assert alone.figure.get_supxlabel() == "convention receval; bars: 95 % intervals"
