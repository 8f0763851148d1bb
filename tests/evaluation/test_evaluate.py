"""Evaluation of tables: compared with other tools and a slow evaluation; laws and results."""

import json
from html import unescape

import amount
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import receval
from receval import evaluate, metrics
from receval.definitions import lists, measure

MEASURES = ["HR@3", "MRR@3", "MRR", "MAP@3", "MAP", "nDCG@3", "nDCG", "Precision@3", "Recall@3"]
MEASURES += ["F1@3", "R-Precision", "DCG@3", "CG@3", "PC"]


def random_tables(rng, users=40, items=12, longest=8, ties=False):
    """Return two tables: some users are in one table only, some have no relevant item."""
    recs, truth = [], []
    for user in range(users):
        if rng.random() < 0.85:
            shown = rng.permutation(items)[: rng.integers(1, longest + 1)]
            score = rng.integers(0, 4, shown.size) if ties else rng.permutation(shown.size)
            recs += [(f"u{user}", f"i{i}", float(s)) for i, s in zip(shown, score, strict=True)]
        if rng.random() < 0.85:
            judged = rng.permutation(items)[: rng.integers(1, items)]
            grades = rng.choice(4, judged.size, p=(0.4, 0.3, 0.2, 0.1))
            truth += [(f"u{user}", f"i{i}", int(g)) for i, g in zip(judged, grades, strict=True)]
    rng.shuffle(recs)
    rng.shuffle(truth)
    return (
        pd.DataFrame(recs, columns=["user", "item", "score"]).astype({"score": float}),
        pd.DataFrame(truth, columns=["user", "item", "relevance"]).astype({"relevance": int}),
    )


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
@pytest.mark.parametrize("seed", range(12))
def test_against_a_slow_evaluation(ties, seed):
    recs, truth = random_tables(np.random.default_rng(seed), ties=True)
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


@pytest.mark.parametrize("seed", range(8))
def test_ir_measures_and_trec_eval_with_ties_and_missing_users(seed):
    import ir_measures
    from ir_measures import AP, RR, P, R, Rprec, Success, nDCG

    rng = np.random.default_rng(100 + seed)
    recs, truth = random_tables(rng, users=300, ties=True)
    recs["score"] += rng.choice([0, 1e-9], len(recs))  # a tie for trec_eval, not for float64
    names = {
        Success @ 3: "HR@3",
        RR: "MRR",
        AP @ 3: "MAP@3",
        AP: "MAP",
        nDCG @ 3: "nDCG@3",
        nDCG: "nDCG",
        P @ 3: "Precision@3",
        R @ 3: "Recall@3",
        Rprec: "R-Precision",
    }
    ours = evaluate(recs, truth, list(names.values()), convention="trec_eval").per_user
    run = recs.set_axis(["query_id", "doc_id", "score"], axis=1)
    qrels = truth.set_axis(["query_id", "doc_id", "relevance"], axis=1)
    answered = set(recs["user"])
    compared = 0
    for found in ir_measures.iter_calc(list(names), qrels, run):
        assert_allclose(ours.loc[found.query_id, names[found.measure]], found.value, atol=1e-12)
        compared += 1
    assert compared == len(ours) * len(names)
    for name in names.values():
        assert (ours.loc[[user not in answered for user in ours.index], name] == 0).all()


def test_pytrec_eval():
    import pytrec_eval

    recs, truth = random_tables(np.random.default_rng(77), users=2_000, ties=True)
    qrels = {u: dict(zip(g["item"], map(int, g["relevance"]))) for u, g in truth.groupby("user")}  # noqa: B905
    run = {u: dict(zip(g["item"], g["score"])) for u, g in recs.groupby("user")}  # noqa: B905
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "recip_rank", "P", "recall"})
    ours = evaluate(recs, truth, ["MAP", "nDCG", "MRR", "P@5", "R@10"], convention="trec_eval")
    names = {
        "MAP": "map",
        "nDCG": "ndcg",
        "MRR": "recip_rank",
        "Precision@5": "P_5",
        "Recall@10": "recall_10",
    }
    values = pd.DataFrame(theirs.evaluate(run)).T
    assert len(values) > 1_000
    for own, name in names.items():
        assert_allclose(ours.per_user.loc[values.index, own], values[name], atol=1e-12)


# Laws ------------------------------------------------------------------------------------------


@settings(max_examples=amount.of(30, 1_000))
@given(st.integers(0, 10**6), st.booleans())
def test_the_order_of_rows_changes_no_bit(seed, ties):
    rng = np.random.default_rng(seed)
    recs, truth = random_tables(rng, users=15, ties=ties)
    if not set(recs["user"]) & set(truth["user"]):
        return
    one = evaluate(recs, truth, MEASURES)
    shuffled = recs.sample(frac=1, random_state=seed), truth.sample(frac=1, random_state=seed + 1)
    two = evaluate(*shuffled, MEASURES)
    pd.testing.assert_frame_equal(one.per_user, two.per_user, check_exact=True)
    pd.testing.assert_frame_equal(one.summary, two.summary, check_exact=True)


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_the_size_of_blocks_changes_no_bit(rows, monkeypatch):
    recs, truth = random_tables(np.random.default_rng(5), users=200, longest=12, ties=True)
    items = pd.DataFrame({"awards": np.arange(12)}, index=[f"i{i}" for i in range(12)])
    wanted = [*MEASURES, "AUC", "CC@3", "LTP@3"]
    whole = evaluate(recs, truth, wanted, items=items)
    monkeypatch.setattr(lists, "BLOCK_ROWS", rows)
    monkeypatch.setattr(lists, "MAX_PADDING", 1)
    parts = evaluate(recs, truth, wanted, items=items)
    pd.testing.assert_frame_equal(whole.per_user, parts.per_user, check_exact=True)
    pd.testing.assert_frame_equal(whole.summary, parts.summary, check_exact=True)


FORMS = {
    "Arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "Arrow text": lambda frame: frame.astype(
        {name: pd.ArrowDtype(pa.large_string()) for name in ("user", "item")}
    ),
    "object text": lambda frame: frame.astype({"user": object, "item": object}),
    "categories": lambda frame: frame.astype({"user": "category", "item": "category"}),
    "any index": lambda frame: frame.set_index(pd.Index([3] * len(frame))),
    "more columns": lambda frame: frame.assign(note="x")[["note", *frame.columns]],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_form_of_the_tables_changes_nothing(form):
    recs, truth = random_tables(np.random.default_rng(3), ties=True)
    plain = evaluate(recs, truth, MEASURES)
    other = evaluate(form(recs), form(truth), MEASURES)
    assert_array_equal(other.per_user.index.astype(str), plain.per_user.index)
    assert_array_equal(other.per_user, plain.per_user)


@pytest.mark.parametrize("kind", ["int8", "uint64", "Int64", "int64[pyarrow]", "object"])
@pytest.mark.parametrize("spread", [1, 2**40])
def test_integer_ids_of_any_type_and_range(kind, spread):
    if kind == "int8" and spread > 1:
        spread = 3
    recs, truth = random_tables(np.random.default_rng(4), users=30, ties=True)
    plain = evaluate(recs, truth, MEASURES)

    def number(frame, to):
        ids = {c: frame[c].str[1:].astype("int64") * spread for c in ("user", "item")}
        return frame.assign(**{c: v.astype(to) for c, v in ids.items()})

    other = evaluate(number(recs, kind), number(truth, "int64"), MEASURES, ties="input")
    same = evaluate(recs, truth, MEASURES, ties="input")
    renamed = same.per_user.rename(index=lambda user: int(user[1:]) * spread).sort_index()
    assert_array_equal(other.per_user.index.astype("int64"), renamed.index)
    assert_array_equal(other.per_user, renamed)
    assert plain.counts.equals(other.counts)


def test_ids_beyond_floating_point_and_beyond_int64_stay_apart():
    for base in (2**53, 2**63 + 1, -(2**62)):
        recs = pd.DataFrame({"user": [1], "item": [base], "score": [1.0]})
        truth = pd.DataFrame({"user": [1], "item": [base + 1], "relevance": [1]})
        assert evaluate(recs, truth, "HR").summary.loc["", "HR"] == 0
        assert evaluate(recs, truth.assign(item=[base]), "HR").summary.loc["", "HR"] == 1
    signs = pd.DataFrame({"user": [1, 1], "item": [-1, -5], "score": [1.0, 2.0]})
    huge = pd.DataFrame({"user": [1], "item": np.array([2**64 - 1], np.uint64), "relevance": [1]})
    assert evaluate(signs, huge, "HR").summary.loc["", "HR"] == 0


def test_far_apart_ids_of_mixed_signedness_stay_apart():
    recs = pd.DataFrame({"user": [1, 1], "item": np.array([2**60 + 1, 5], np.uint64)})
    truth = pd.DataFrame({"user": [1], "item": np.array([2**60], np.int64), "relevance": [1]})
    recs["score"] = [1.0, 0.5]
    assert evaluate(recs, truth, "MRR").summary.loc["", "MRR"] == 0
    assert evaluate(recs, truth.assign(item=2**60 + 1), "MRR").summary.loc["", "MRR"] == 1


def test_text_ids_are_compared_as_they_are():
    recs = pd.DataFrame({"user": ["u"] * 4, "item": ["7", "07", " 7", "e\u0301"], "score": 1.0})
    for item, hits in {"7": 1, "07": 1, " 7": 1, "7 ": 0, "\u00e9": 0}.items():
        truth = pd.DataFrame({"user": ["u"], "item": [item], "relevance": [1]})
        assert evaluate(recs, truth, "HR").summary.loc["", "HR"] == hits


def test_ties_by_item_are_numeric_for_numbers_and_by_code_point_for_text():
    recs = pd.DataFrame({"user": 1, "item": [10, 9], "score": 1.0})
    truth = pd.DataFrame({"user": [1], "item": [9], "relevance": [1]})
    text = [frame.astype({"item": str}) for frame in (recs, truth)]
    assert evaluate(recs, truth, "MRR").summary.loc["", "MRR"] == 1
    assert evaluate(*text, "MRR").summary.loc["", "MRR"] == 0.5
    assert evaluate(recs, truth, "MRR", convention="trec_eval").summary.loc["", "MRR"] == 1
    assert evaluate(recs, truth, "MRR", ties="pessimistic").summary.loc["", "MRR"] == 0.5
    assert evaluate(recs, truth, "MRR", ties="optimistic").summary.loc["", "MRR"] == 1


def test_inputs_are_left_alone():
    recs, truth = random_tables(np.random.default_rng(6))
    before = recs.copy(), truth.copy()
    for frame in (recs, truth):
        for name in frame.columns[2:]:
            frame[name].to_numpy().flags.writeable = False
    evaluate(recs, truth, MEASURES)
    pd.testing.assert_frame_equal(recs, before[0])
    pd.testing.assert_frame_equal(truth, before[1])


# Options ---------------------------------------------------------------------------------------

RECS = pd.DataFrame(
    {"user": list("aabbx"), "item": list("pqqrp"), "score": [2.0, 1.0, 2.0, 1.0, 1.0]}
)
TRUTH = pd.DataFrame({"user": list("abcd"), "item": list("qqpp"), "relevance": [1, 1, 1, 0]})


def test_ranks_in_place_of_scores():
    ranked = RECS.assign(rank=[2, 1, 1, 2, 1])
    by_rank = evaluate(ranked, TRUTH, "MRR", rank="rank")
    assert by_rank.per_user["MRR"].tolist() == [1, 1, 0, 0]
    with pytest.raises(
        receval.InputError, match="rank of recommendations must agree with the scores"
    ):
        evaluate(ranked, TRUTH, "MRR")
    assert evaluate(RECS, TRUTH, "MRR").per_user["MRR"].tolist() == [0.5, 1, 0, 0]


def test_columns_by_any_name():
    names = {"user": "query", "item": "doc", "score": "sim", "relevance": "grade"}
    how = {"user": "query", "item": "doc", "score": "sim", "relevance_column": "grade"}
    other = evaluate(RECS.rename(columns=names), TRUTH.rename(columns=names), MEASURES, **how)
    assert_array_equal(other.per_user, evaluate(RECS, TRUTH, MEASURES).per_user)


def test_a_column_may_be_called_as_what_tables_of_arrow_have():
    table = pd.DataFrame({"user": [1, 1], "item": [1, 2], "score": [2, 1], "relevance": [1, 0]})
    both = evaluate(table.assign(column_names=0), table.assign(column_names=0), "HR@1")
    assert both.summary["HR@1"].item() == 1


def test_relevance_without_grades():
    only = TRUTH[TRUTH["relevance"] > 0][["user", "item"]]
    plain = evaluate(RECS, only, "MRR", relevance_column=None)
    assert plain.per_user["MRR"].tolist() == [0.5, 1, 0]


@pytest.mark.parametrize(
    ("users", "values", "mean"),
    [("judged", [0.5, 1, 0, 0], 0.375), ("both", [0.5, 1, np.nan, np.nan], 0.75)],
)
def test_users_without_an_answer(users, values, mean):
    result = evaluate(RECS, TRUTH, ["MRR", "PC"], users=users)
    assert_array_equal(result.per_user["MRR"], values)
    assert result.summary.loc["", "MRR"] == mean
    assert result.summary.loc["", "PC"] == 0.5


def test_several_systems_by_dict_and_by_column():
    worse = RECS.assign(score=-RECS["score"])
    both = evaluate({"A": RECS, "B": worse}, TRUTH, ["MRR", "PC"])
    tall = pd.concat([RECS.assign(system="A"), worse.assign(system="B")])
    by_column = evaluate(tall.sample(frac=1, random_state=1), TRUTH, ["MRR", "PC"], system="system")
    assert both.summary.index.tolist() == ["A", "B"]
    assert both.summary["MRR"].tolist() == [0.375, 0.375]
    assert both.per_user.index.names == ["system", "user"]
    assert both.per_user.loc[("B", "a"), "MRR"] == 1
    pd.testing.assert_frame_equal(both.summary, by_column.summary.loc[["A", "B"]])
    pd.testing.assert_frame_equal(both.values("A"), evaluate(RECS, TRUTH, ["MRR", "PC"]).per_user)


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
    assert values["CC@1"] == 2 / 4
    assert values["CC"] == 3 / 4
    assert values["LTP@2"] == 3 / 4
    assert_allclose(result.per_user["ILD"], [1, 1 - np.sqrt(0.5), np.nan, np.nan])
    new = [1 / np.log(d + 2.72) for d in (30, 23, 0)]
    by_list = [(new[0] + new[1]) / 2, (new[1] + new[2]) / 2, np.nan, np.nan]
    assert_allclose(result.per_user["nov_t"], by_list)
    assert_allclose(values["nov_t"], np.nanmean(by_list))
    assert_array_equal(result.per_user["nov_u"], [0.5, 1, np.nan, np.nan])


def test_auc_counts_ties_one_half():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [1.0, 1.0, 0.0]})
    truth = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
    assert evaluate(recs, truth, "AUC").summary.loc["", "AUC"] == 0.75


def test_conventions_differ_where_they_say():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": [1, 3, 8], "relevance": [0.25, 1, 3]})
    names = ["Precision@5", "nDCG@5", "MAP@2", "HR@1"]

    def values(name):
        return evaluate(recs, truth, names, convention=name).summary.loc[""].tolist()

    shifted = (0.25 + 1 / 2) / (3 + 1 / np.log2(3) + 0.25 / 2)
    clipped = (0.25 + 1 / np.log2(3)) / (3 + 1 + 0.25 / np.log2(3))
    small, large = 2**1.5 - 1, 2**3.5 - 1
    program = (small / 2) / (large + small / np.log2(3))
    assert_allclose(values("receval"), [2 / 5, shifted, 1 / 3, 1])
    assert_allclose(values("trec_eval"), [2 / 5, shifted, 1 / 3, 1])
    assert_allclose(values("relison"), [2 / 3, shifted, 1 / 3, 1])
    assert_allclose(values("satisfaction"), [2 / 5, clipped, 1 / 3, 1])
    # A threshold of 0.5: the grade 0.25 is not relevant, and AP divides by min(k, relevant).
    assert_allclose(values("ranksys"), [1 / 5, program, 0, 0])


def test_satisfaction_reproduces_the_group_notebook():
    points = receval.datasets.borda_example()
    order = metrics.group_ranking(points)
    recs = pd.concat(
        pd.DataFrame({"user": u, "item": points.columns[order], "score": -np.arange(10.0)})
        for u in points.index
    )
    truth = points.stack().rename_axis(["user", "item"]).rename("relevance").reset_index()  # noqa: PD013
    result = evaluate(recs, truth, "nDCG@4", convention="satisfaction")
    assert_allclose(result.per_user["nDCG@4"], metrics.satisfaction(order, points, k=4), rtol=1e-15)


# Results ---------------------------------------------------------------------------------------


def test_explain_ends_in_the_number():
    recs, truth = random_tables(np.random.default_rng(9), ties=True)
    result = evaluate({"one": recs, "two": recs}, truth, [*MEASURES, "AUC"])
    users = result.values("one").index[:10]
    for name in result.per_user.columns:
        for user in users:
            found = result.explain(user, name, system="two")
            assert_array_equal(found.value, result.values("two").loc[user, name])
            assert name in repr(found)
            assert found.formula in unescape(found._repr_mimebundle_()["text/html"])
    shown = result.explain(users[0], "nDCG@3", system="one")
    assert_allclose(shown.table["nDCG"].iloc[-1], shown.value)
    assert "1/log" not in shown.choices["discount"]
    assert shown.choices["discount"] == "shifted_log2"


def test_table_marks_the_best_as_shown_and_states_the_users():
    result = evaluate(
        {"A": RECS, "B_2": RECS.assign(score=-RECS["score"]), "C": RECS.iloc[:2]},
        TRUTH,
        ["MRR", "PC"],
    )
    html = result.table(digits=2)._repr_html_()
    assert html.count("<b>0.38</b>") == 2
    assert html.count("<b>0.50</b>") == 2
    assert "C: 4 judged, 1 answered" in html
    latex = result.to_latex()
    assert r"\textbf{0.38}" in latex
    assert r"B\_2" in latex
    assert "<b>" not in result.table(bold=None)._repr_html_()
    assert "4 judged, 2 answered" in repr(evaluate(RECS, TRUTH, "MRR"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "json"])
def test_per_user_values_survive_a_file_to_the_last_bit(tmp_path, ending):
    path = tmp_path / f"values.{ending}"
    result = evaluate(*random_tables(np.random.default_rng(2)), MEASURES)
    result.save(path)
    if ending == "json":
        back = pd.DataFrame(json.loads(path.read_text(encoding="utf-8"))).set_index("user")
    elif ending == "parquet":
        back = pd.read_parquet(path).set_index("user")
    else:
        separator = {"csv": ",", "tsv": "\t"}[ending]
        back = pd.read_csv(path, sep=separator, index_col="user", dtype=str).astype(float)
    assert_array_equal(back, result.per_user)
    assert list(tmp_path.iterdir()) == [path]


def test_an_item_twice_counts_once_on_request():
    recs = pd.DataFrame({"user": 1, "item": list("abab"), "score": [4.0, 3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": ["b"], "relevance": [1]})
    result = evaluate(recs, truth, ["Precision@3", "MRR", "CG"], duplicates="first")
    assert result.per_user.loc[1].tolist() == [1 / 3, 1 / 2, 1]
    assert result.counts.loc["", "repeated"] == 2
    clean = evaluate(recs.iloc[:2], truth, ["Precision@3", "MRR", "CG"])
    assert_array_equal(result.per_user, clean.per_user)
    assert "repeated" not in clean.counts


def test_options_of_evaluate_are_keyword_only():
    with pytest.raises(TypeError):
        evaluate(RECS, TRUTH, "MRR", "user")


def test_plots_draw_the_values():
    result = evaluate({"A": RECS, "B": RECS.iloc[:2]}, TRUTH, ["MRR", "PC"])
    for panel, name in zip(result.plot(), ("MRR", "PC"), strict=True):
        points, _, (bars,) = panel.containers[0].lines
        assert (panel.get_title(), points.get_ydata().tolist()) == (name, [0, 1])
        assert_allclose(points.get_xdata(), result.summary[name])
        ends = [segment[:, 0] for segment in bars.get_segments()]
        assert_allclose(ends, result.interval().loc[name, ["low", "high"]])
        assert [text.get_text() for text in panel.texts] == [f"{x:.3f}" for x in points.get_xdata()]
    (alone,) = result.plot(["MRR"], level=None)
    assert alone.figure.get_supxlabel() == "4 users judged, convention receval"
    axes = receval.plots.trade_off(result.summary, "MRR", "PC")
    assert_allclose(axes.collections[0].get_offsets(), result.summary[["MRR", "PC"]])


@pytest.mark.parametrize(
    ("given", "name"),
    [("ndcg@10", "nDCG@10"), ("P@5", "Precision@5"), ("map", "MAP"), ("NOV_T@3", "nov_t@3")],
)
def test_names_in_any_case(given, name):
    assert measure(given).name == name


def test_a_million_rows_in_blocks():
    rng = np.random.default_rng(0)
    n = 100_000
    item = (rng.integers(0, 10**6, (n, 1)) + np.arange(10)).ravel()
    recs = pd.DataFrame({"user": np.repeat(np.arange(n), 10), "item": item, "score": -(item % 7.0)})
    hits = rng.integers(0, 10, n)
    truth = pd.DataFrame({"user": np.arange(n), "item": item.reshape(n, 10)[np.arange(n), hits]})
    result = evaluate(recs, truth, ["HR@10", "MRR@10"], relevance_column=None)
    assert result.summary.loc["", "HR@10"] == 1
    better = (-(item % 7.0)).reshape(n, 10)
    own = better[np.arange(n), hits][:, None]
    ahead = (better > own).sum(1) + ((better == own) & (np.arange(10) < hits[:, None])).sum(1)
    assert_allclose(result.summary.loc["", "MRR@10"], np.mean(1 / (1 + ahead)), rtol=1e-12)
