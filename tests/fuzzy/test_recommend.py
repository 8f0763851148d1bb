"""Histories, re-ranking, off-line metrics and grids of variants (document 002, III-B and IV-A)."""

import itertools
import math
from decimal import Decimal
from importlib.util import find_spec
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from receval import InputError, datasets
from receval.fuzzy.recommend import (
    Experiment,
    aggregate_history,
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    novelty_scores,
    offline_measures,
    rerank_mmr,
    run_variants,
    temporal_weight,
    word2vec_similarities,
)
from receval.metrics import auc, clipped_log2, intra_list_diversity, ndcg
from receval.metrics.prediction import min_max_scaled, one_minus_mae, r_squared

needs_gensim = pytest.mark.skipif(find_spec("gensim") is None, reason="needs gensim")
rng = np.random.default_rng(0)
# Weights and histories -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "formula", "expected"),
    [
        pytest.param(0, "history", 10.0, id="today"),
        pytest.param(1, "history", 10.0, id="a day counts as today"),
        pytest.param(2, "history", 1 / (math.log(2) + 0.1), id="two days, 1.26"),
        pytest.param(0, "novelty", 1 / math.log(2.72), id="new today, 0.99937"),
        pytest.param(30, "novelty", 1 / math.log(32.72), id="a month old"),
    ],
)
def test_temporal_weight_by_hand(days, formula, expected):
    assert_allclose(temporal_weight(days, formula=formula), expected, rtol=1e-15)


def aggregated_slowly(scores, how, last, days, divide_by):
    """Aggregate the newest first, one candidate at a time."""
    kept = range(len(scores))[::-1][:last]
    n = len(kept)
    weights = {
        "max": [],
        "mean": [1.0] * n,
        "positional": [1 - rank / n for rank in range(n)],
        "temporal": [1 / (math.log(max(days[i], 1)) + 0.1) for i in kept],
    }[how]
    answer = []
    for candidate in range(len(scores[0])):
        values = [scores[i][candidate] for i in kept]
        total = math.fsum(w * v for w, v in zip(weights, values, strict=False))
        divisor = n if divide_by == "count" else math.fsum(weights)
        answer.append(max(values) if how == "max" else total / divisor)
    return answer


@pytest.mark.parametrize(
    ("how", "divide_by"),
    [
        ("max", None),  # divides by nothing
        *itertools.product(["mean", "positional", "temporal"], ["weights", "count"]),
    ],
)
@pytest.mark.parametrize("last", [None, 1, 3, 50])
def test_aggregate_history_agrees_with_a_loop(how, divide_by, last):
    local = np.random.default_rng(3)
    scores = local.normal(size=(4, 6, 5))
    days = local.integers(0, 60, size=(4, 6)).astype(float)
    options = {"days": days} if how == "temporal" else {}
    found = aggregate_history(scores, how, last, divide_by=divide_by, **options)
    expected = [
        aggregated_slowly(scores[i].tolist(), how, last, days[i], divide_by) for i in range(4)
    ]
    assert_allclose(found, expected, rtol=1e-13)


# Re-ranking ------------------------------------------------------------------------------------


def mmr_slowly(scores, similarity, trade_off, k):
    """Return the order of the candidates: after k of them, by their scores.

    Values are rounded, so that two equal ones are a tie.
    """
    left, chosen = list(range(len(scores))), []
    while left:
        values = {o: scores[o] for o in left}
        if chosen and len(chosen) < k:
            nearest = {o: max(similarity[o][s] for s in chosen) for o in left}
            values = {
                o: round(trade_off * scores[o] - (1 - trade_off) * nearest[o], 12) for o in left
            }
        best = max(left, key=lambda o: (values[o], -o))
        chosen.append(best)
        left.remove(best)
    return chosen


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 0.8, 1.0]), st.sampled_from([1, 4, 12]))
@settings(max_examples=60)
def test_mmr_agrees_with_a_loop_over_pairs(seed, trade_off, k):
    local = np.random.default_rng(seed)
    # Multiples of 1/8: ties happen, and arithmetic is exact but for the trade-off.
    scores = local.integers(0, 9, size=(3, 12)) / 8
    half = local.integers(-8, 9, size=(12, 12)) / 8
    similarity = (half + half.T) / 2
    found = rerank_mmr(scores, similarity, trade_off=trade_off, k=k)
    for one, order in zip(scores, found, strict=True):
        assert order.tolist() == mmr_slowly(one.tolist(), similarity.tolist(), trade_off, k)


# Off-line metrics ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (min_max_scaled([[2, 3, 6], [1, 1, 1]]), [[0, 0.25, 1], [np.nan] * 3]),
        (one_minus_mae([2, 3, 6], [0, 0, 1]), 1 - 0.25 / 3),
        (one_minus_mae([5, 4], [1, 0]), 1),
        (one_minus_mae([1, 1], [1, 0]), np.nan),
        (r_squared([1, 2], [3, 3]), np.nan),
        (novelty_scores([[1.0, 0.5]], [0.0, 1.0]), [[0.8, 0.6]]),
        (aggregate_history(np.empty((0, 2)), "max"), [np.nan] * 2),
    ],
)
def test_scores_by_hand(found, expected):
    assert_allclose(found, expected, rtol=1e-15)


def test_offline_measures_are_the_metrics_of_the_shown_list():
    local = np.random.default_rng(9)
    scores, relevant = local.random((5, 30)), local.random((5, 30)) < 0.2
    relevant[:, 0] = True
    alike, days = local.random((30, 30)), local.integers(0, 99, 30)
    seen = local.random((5, 30)) < 0.3
    order = np.array([local.permutation(30) for _ in range(5)])
    found = offline_measures(
        scores, relevant, order=order, days=days, seen=seen, similarity=alike, discount=clipped_log2
    )
    for user, row in found.iterrows():
        shown = order[user]
        hits = relevant[user][shown].astype(float)
        first = int(np.flatnonzero(hits)[0])
        expected = {
            "AUC": auc(relevant[user].astype(float), scores=scores[user]),
            "MRR": 1 / (first + 1),
            "p5": hits[:5].sum() / 5,
            "r10": hits[:10].sum() / hits.sum(),
            "nDCG": ndcg(hits, hits, discount=clipped_log2),
            "nDCG10": ndcg(hits, hits, k=10, discount=clipped_log2),
            "nov5_t": np.mean(1 / np.log(days[shown[:5]] + 2.72)),
            "nov10_u": 1 - seen[user][shown[:10]].mean(),
            "ild5": intra_list_diversity(alike[np.ix_(shown[:5], shown[:5])]),
        }
        assert_allclose(row[list(expected)].to_numpy(float), list(expected.values()), rtol=1e-12)


def test_offline_measures_leave_out_what_has_no_data():
    columns = offline_measures([[1.0, 0.0]], [[1, 0]]).columns
    assert not columns.str.contains("nov|ild").any()
    assert {"1-MAE", "AUC", "MAP", "MRR", "p5", "r10", "nDCG10", "nDCG100", "nDCG"} <= {*columns}


# Models ----------------------------------------------------------------------------------------


def test_features_are_binarised_and_standardised():
    attributes = pd.DataFrame({"kind": ["a", "b", "a"], "nights": [2, 4, 6], "same": [0.1] * 3})
    attributes["stay"] = pd.to_timedelta([6, 4, 2], unit="D")
    attributes["fee"] = [Decimal("0.2"), Decimal("0.4"), Decimal("0.6")]
    attributes["huge"], attributes["tiny"] = [-1e308, 0, 1e308], [-1e-300, 0, 1e-300]
    features = item_features(attributes)
    spread = np.sqrt(1.5)
    expected = {
        "nights": [-spread, 0, spread],
        "same": 0.0,
        "stay": [spread, 0, -spread],
        "fee": [-spread, 0, spread],
        "huge": [-spread, 0, spread],
        "tiny": [-spread, 0, spread],
        "kind_a": [1, 0, 1],
        "kind_b": [0, 1, 0],
    }
    pd.testing.assert_frame_equal(features, pd.DataFrame(expected), check_dtype=False)
    pd.testing.assert_frame_equal(item_features(attributes[["nights"]]), features[["nights"]])


def test_cosines_agree_with_their_formula_and_may_bar_the_same_item():
    features = pd.DataFrame(rng.normal(size=(6, 4)), index=list("abcdef"))
    unit = features.to_numpy() / np.linalg.norm(features, axis=1, keepdims=True)
    found = cosine_similarities(features)
    assert_allclose(found, unit @ unit.T, rtol=0, atol=6e-13)
    assert (np.diagonal(found) == 1).all(), "exactly, so that equal scores are ties"
    for size in (1e160, 1e-170):  # whose squares overflow or underflow
        assert_allclose(cosine_similarities(size * features), found, rtol=0, atol=2e-12)
    barred = cosine_similarities(features, same=False)
    assert_allclose(barred + np.eye(6), found, rtol=0, atol=1e-15)


@needs_gensim
@pytest.mark.parametrize(
    ("build", "source", "epochs"),
    [(word2vec_similarities, "histories", 30), (doc2vec_similarities, "texts", 60)],
    ids=["word2vec", "doc2vec"],
)
def test_embeddings_repeat_with_the_seed_and_find_the_structure(build, source, epochs):
    data = datasets.travel_data(n_users=300, n_items=60)
    sources = {"histories": data.visits.groupby("user")["item"].agg(list), "texts": data.texts}
    options = {"size": 16, "window": 3, "seed": 1, "epochs": epochs}
    similarity = build(sources[source], **options)
    pd.testing.assert_frame_equal(similarity, build(sources[source], **options))
    assert_allclose(np.diagonal(similarity), 1, rtol=1e-6)
    kind = data.attributes["kind"].loc[similarity.index].to_numpy()
    nearest = (similarity - 9 * np.eye(len(kind))).to_numpy().argmax(axis=1)
    assert (kind[nearest] == kind).mean() > 0.5  # 0.25 by chance


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(ImportError, match=r'needs gensim: pip install "receval\[study\]"'):
        word2vec_similarities([["a", "b"]])


# Variants --------------------------------------------------------------------------------------


def split_at(data, at):
    return Experiment.split(data.visits, data.attributes, dates=data.dates, texts=data.texts, at=at)


DATA = split_at(datasets.travel_data(n_users=40, n_items=30), "2018-08-30")
COSINE = [
    ("cosine", {"same": same, "history": history, "novelty": novelty, "diversity": mmr})
    for same in (True, False)
    for history in ("mean", "max", "positional-3", "temporal")
    for novelty in (False, True)
    for mmr in (False, True)
]


@needs_gensim
def test_word2vec_learns_from_histories_and_doc2vec_from_texts():
    options = {"size": 8, "window": 1, "history": "max"}
    variants = [("word2vec", options), ("doc2vec", options)]
    assert run_variants(variants, DATA, progress=False)["AUC"].between(0, 1).all()


def test_a_variant_is_the_pipeline_by_hand():
    variant = {"same": False, "history": "positional-3", "novelty": True, "diversity": True}
    found = run_variants([("cosine", variant)], DATA, progress=False).iloc[0]
    similarity = cosine_similarities(DATA.features, same=False)
    alike = cosine_similarities(DATA.features).loc[DATA.candidates, DATA.candidates].to_numpy()
    age = DATA.age.loc[DATA.candidates]
    rows = []
    for history, relevant in zip(DATA.histories, DATA.relevant, strict=True):
        truth, seen = DATA.candidates.isin(relevant), DATA.candidates.isin(history)
        if not history or not truth.any():
            continue
        to_visited = similarity.loc[list(history), DATA.candidates]
        scores = 0.8 * aggregate_history(to_visited, "positional", 3)
        scores += 0.2 / np.log(age.to_numpy() + 2.72)
        to_unit = (scores - scores.min()) / (scores.max() - scores.min())
        order = mmr_slowly(to_unit.tolist(), alike.tolist(), 0.8, 10)
        lists = {"order": [order], "days": age, "seen": [seen], "similarity": alike}
        rows.append(offline_measures([scores], [truth], **lists))
    expected = pd.concat(rows)
    assert found["users"] == len(expected)
    assert_allclose(found[expected.columns].to_numpy(float), expected.mean(), rtol=1e-12)


def test_one_similarity_matrix_serves_all_variants_of_a_model():
    counted = Mock(side_effect=lambda data, same: cosine_similarities(data.features, same=same))
    table = run_variants(COSINE, DATA, models={"cosine": counted}, progress=False)
    assert sorted(call.kwargs["same"] for call in counted.call_args_list) == [False, True]
    options = [", ".join(f"{name}={value}" for name, value in each.items()) for _, each in COSINE]
    assert list(table.index) == [f"cosine({each})" for each in options]


def test_only_temporal_histories_need_the_days_of_visits():
    with_days, without_days = (
        run_variants([("cosine", {"history": "mean"})], data, progress=False)
        for data in (DATA, Experiment(**SPLIT))
    )
    pd.testing.assert_frame_equal(with_days, without_days)


def test_splitting_by_time_keeps_the_future_out_of_the_past():
    data, at = datasets.travel_data(n_users=30, n_items=30), pd.Timestamp("2018-08-30")
    split, is_before = split_at(data, at), data.visits["time"] < at
    before, after = (
        data.visits[rows].groupby("user")["item"].agg(list) for rows in (is_before, ~is_before)
    )
    both = before.index.intersection(after.index)
    assert [list(items) for items in split.histories] == before[both].tolist()
    assert [set(items) for items in split.relevant] == after[both].map(set).tolist()
    assert (split.age >= 0).all()
    assert all((np.diff(days) <= 0).all() and min(days) >= 0 for days in split.visit_days)


@pytest.mark.parametrize("zone", [None, "Europe/Prague"])
@pytest.mark.parametrize("change", ["2026-03-29", "2026-10-25"])  # 23 and 25 hours long
def test_days_are_counted_by_the_clock(change, zone):
    # Document 002 counts days, so an hour more or less at the change makes no difference.
    attributes = pd.DataFrame({"kind": ["a", "b"]}, index=["x", "y"])
    days = pd.Timestamp(change) + pd.to_timedelta([-1, 1], unit="D")
    dates = pd.Series(days.tz_localize(zone), ["x", "y"])
    visits = pd.DataFrame({"user": 1, "item": ["x", "y", "x"], "time": dates.iloc[[0, 0, 1]].array})
    split = Experiment.split(visits, attributes, dates=dates, at=dates["y"])
    assert (split.visit_days, split.age.tolist()) == ([[2, 2]], [2, 0])


# Refusals --------------------------------------------------------------------------------------

ONE = [[0.1, 0.2], [0.3, 0.4]]
SPLIT = {
    "histories": DATA.histories,
    "relevant": DATA.relevant,
    "candidates": DATA.candidates,
    "features": DATA.features,
    "age": DATA.age,
}
NOT_SQUARE = {
    "an item twice": pd.DataFrame(np.eye(2), index=[1, 1], columns=[1, 2]),
    "other columns": pd.DataFrame(np.eye(2), index=[1, 2], columns=["a", "b"]),
    "a column twice": pd.DataFrame(np.ones((2, 3)), index=[1, 2], columns=[1, 2, 2]),
}


def run_own(similarities):
    """Run a variant of a model that answers these similarities."""
    models = {"own": lambda data: similarities}
    return run_variants([("own", {"history": "mean"})], DATA, models=models, progress=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: temporal_weight(-1), "days must be at least 0; got -1", id="future"),
        pytest.param(lambda: temporal_weight(1, formula="eq4"), "formula must be one of", id="w_t"),
        pytest.param(lambda: aggregate_history([1.0]), r"\(history, candidates\)", id="one axis"),
        pytest.param(lambda: aggregate_history(ONE, "median"), "how must be one of", id="how"),
        pytest.param(lambda: aggregate_history(ONE, last=0), "last must be a positive", id="last"),
        pytest.param(
            lambda: aggregate_history(ONE, "temporal"),
            "days must be given if how",
            id="no days",
        ),
        pytest.param(
            lambda: aggregate_history(ONE, days=[1, 2]), "and only then", id="needless days"
        ),
        pytest.param(
            lambda: aggregate_history(ONE, "temporal", days=[1]), "days must have the shape", id="n"
        ),
        pytest.param(
            lambda: aggregate_history([[0.1, np.nan]]), "scores must be finite", id="half a row"
        ),
        pytest.param(
            lambda: rerank_mmr(ONE, ONE, trade_off=1.2), "trade_off must be a number", id="lambda"
        ),
        pytest.param(lambda: rerank_mmr([np.nan], [[1]]), "scores must be finite", id="NaN score"),
        pytest.param(
            lambda: novelty_scores([1, 2], [1]), "must have the same length", id="novelty"
        ),
        pytest.param(
            lambda: offline_measures(ONE, [[1, 0]]), r"shape \(users, candidates\)", id="shapes"
        ),
        pytest.param(
            lambda: offline_measures(ONE, ONE), "relevant must be boolean", id="relevance 0.1"
        ),
        pytest.param(
            lambda: offline_measures([[1, 2]], [[1, 0]], order=[[0, 0]]),
            "each candidate",
            id="order",
        ),
        pytest.param(lambda: one_minus_mae([1, 2], [0, 2]), r"lie in \[0, 1\]", id="relevance 2"),
        pytest.param(
            lambda: item_features(pd.DataFrame({"a": [1, None]})), r"no gaps.*\['a'\]", id="a gap"
        ),
        pytest.param(
            lambda: item_features(pd.DataFrame({"a": ["b_c", "x"], "a_b": ["c", "y"]})),
            r"must give each feature another name; got \['a_b_c'\]",
            id="two values with one name",
        ),
        pytest.param(
            lambda: item_features(pd.DataFrame({"meals": ["none"], "meals_none": [1.0]})),
            r"must give each feature another name; got \['meals_none'\]",
            id="a value with the name of an attribute",
        ),
        pytest.param(
            lambda: cosine_similarities(pd.DataFrame([[1.0], [2.0]], index=["x", "x"])),
            "items must hold each item once; got 'x' 2 times",
            id="an item twice",
        ),
        pytest.param(
            lambda: word2vec_similarities([]), "at least one visited item", id="no visits"
        ),
        pytest.param(lambda: doc2vec_similarities({}), "at least one text", id="no texts"),
        pytest.param(
            lambda: doc2vec_similarities({"a": "sea", "b": None}),
            "texts must be text; got .* in row 1",
            id="a text is missing",
        ),
        pytest.param(
            lambda: word2vec_similarities([["1", 2], [1, 2]], size=4),
            r"histories must hold ids, all integers or all text; got mixed-integer, .*1",
            id="the same text",
            marks=needs_gensim,
        ),
        *(
            pytest.param(
                lambda answer=answer: run_own(answer),
                "must return similarities with each item once",
                id=f"similarities with {name}",
            )
            for name, answer in NOT_SQUARE.items()
        ),
        pytest.param(
            lambda: Experiment(**{**SPLIT, "relevant": DATA.relevant[1:]}),
            "relevant must hold one entry per user",
            id="a user less",
        ),
        pytest.param(
            lambda: Experiment(**SPLIT, visit_days=[days[1:] for days in DATA.visit_days]),
            "visit_days must hold one number for each of the .* visits of a history",
            id="a visit less",
        ),
        pytest.param(
            lambda: Experiment(**{**SPLIT, "age": DATA.age.iloc[1:]}),
            "age must have every candidate",
            id="an age less",
        ),
        pytest.param(
            lambda: split_at(datasets.travel_data(n_users=20, n_items=20), "2030-01-01"),
            "at must leave visits",
            id="nothing after",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


VISITS = pd.DataFrame({"user": [1, 1], "item": ["x", "y"], "time": pd.to_datetime(["2026"] * 2)})


@pytest.mark.parametrize(
    ("changes", "at", "message"),
    [
        pytest.param(
            {"time": [VISITS["time"][0], pd.NaT]},
            "2026",
            "not be missing; got NaT in row 1",
            id="NaT",
        ),
        pytest.param(
            {"user": [1, None]}, "2026", "user of visits must not be missing; got nan", id="no user"
        ),
        pytest.param(
            {"item": ["x", None]}, "2026", "item of visits must not be missing", id="no item"
        ),
        pytest.param({"time": "2026"}, "2026", "must hold dates or numbers; got string", id="text"),
        pytest.param({"time": 2026}, "2026", "must be dates without a time zone", id="numbers"),
        pytest.param(
            {}, pd.Timestamp("2026", tz="UTC"), "must be dates with a time zone, as at", id="a zone"
        ),
        pytest.param({}, "soon", "at must be a date such as .*; got 'soon'", id="no date"),
        pytest.param({}, "01/02/2026", "at must be a date such as .*; got '01", id="two days"),
        pytest.param({}, pd.NaT, "at must be a date such as .*; got NaT", id="at is NaT"),
    ],
)
def test_splitting_refuses(changes, at, message):
    attributes = pd.DataFrame({"kind": ["a", "b"]}, index=["x", "y"])
    dates = pd.Series(VISITS["time"].array, ["x", "y"])
    with pytest.raises(InputError, match=message):
        Experiment.split(VISITS.assign(**changes), attributes, dates=dates, at=at)


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        pytest.param(
            ("Cosine", {"history": "mean"}), "algorithm must be one of", id="unknown model"
        ),
        pytest.param(("cosine", {}), "history of .*; got None", id="no history"),
        pytest.param(("cosine", {"history": "median"}), "must be one of mean", id="history"),
        pytest.param(("cosine", {"history": "mean-0"}), "-10; got mean-0", id="window 0"),
        pytest.param(
            ("cosine", {"history": "mean", "novelty": 1}), "must be True or False", id="novelty 1"
        ),
    ],
)
def test_variants_refuse(variant, message):
    with pytest.raises(InputError, match=message):
        run_variants([variant], DATA, progress=False)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (2, 3, 0)])
def test_mmr_without_candidates_has_empty_lists(shape):
    order = rerank_mmr(np.empty(shape), np.empty((0, 0)), k=5)
    assert (order.shape, order.dtype) == (shape, np.int64)
