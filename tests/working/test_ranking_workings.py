"""Working tables: the terms are the metric's own, and the last row is the metric."""

import pickle
from inspect import Parameter, signature

import amount
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from rank_measures import arguments_of, other_functions
from strategies import cutoffs, judged_list

from receval import InputError, metrics, working
from receval import ledger as published
from receval.metrics import beyond_accuracy, clipped_log2, exponential_gain, prediction, ranking

OPTIONS = {
    "precision": {"n_relevant": None},
    "average_precision": {"denominator": "reachable"},
    "dcg": {"gain": exponential_gain},
    "ideal_dcg": {"discount": clipped_log2},
    "rbp": {"p": 0.5},
    "err": {"max_grade": 4},
}
NAMES = ("hit", "reciprocal_rank", "precision", "recall", "r_precision", "average_precision")
NAMES += ("cumulative_gain", "dcg", "ideal_dcg", "ndcg", "auc", "rbp", "err")
BY_RANK = {name: getattr(ranking, name) for name in NAMES}
BY_RANK |= other_functions({*NAMES, "f1"})  # f1 has a test of its own

OF_ONE_LIST = [
    *BY_RANK.values(),
    ranking.bpref,
    beyond_accuracy.user_novelty,
    beyond_accuracy.temporal_novelty,
    beyond_accuracy.average_popularity,
    beyond_accuracy.inverse_user_frequency,
]


@pytest.mark.parametrize("metric", OF_ONE_LIST, ids=lambda metric: metric.__name__)
def test_a_working_has_the_arguments_of_its_metric_and_items(metric):
    (own, theirs) = (
        [(each.name, each.kind, each.default) for each in signature(function).parameters.values()]
        for function in (getattr(working, metric.__name__), metric)
    )
    assert own == [*theirs, ("items", Parameter.KEYWORD_ONLY, None)]


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (ranking.hit, {"k": 1}),
        (ranking.reciprocal_rank, {"k": 1}),
        (ranking.precision, {"k": 1}),
        (ranking.precision, {"k": 5, "denominator": "retrieved"}),
        (ranking.precision, {"k": 5, "denominator": "reachable", "n_relevant": 2}),
        (ranking.recall, {"n_relevant": 4, "k": 2, "denominator": "reachable"}),
        (ranking.average_precision, {"n_relevant": 4, "k": 2, "denominator": "cutoff"}),
        (ranking.cumulative_gain, {"k": 2}),
        (ranking.dcg, {"k": 2, "discount": clipped_log2, "gain": exponential_gain}),
        (
            ranking.ndcg,
            {"relevance": [3, 2, 1], "k": 2, "discount": clipped_log2, "gain": exponential_gain},
        ),
        (ranking.rbp, {"k": 2, "p": 0.4}),
        (ranking.err, {"max_grade": 4, "k": 2}),
        (ranking.auc, {"scores": [1, 2, 3]}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_working_passes_every_option_on(metric, options):
    table = getattr(working, metric.__name__)([0, 3, 1], items=list("abc"), **options)
    assert table.attrs["value"] == metric([0, 3, 1], **options)
    assert table["item"].iloc[0] == "a"


FACTORS = ("gain", "weight", "not stopped above", "precision so far")


@pytest.mark.parametrize("name", BY_RANK)
@settings(max_examples=amount.of(10, 1_000))
@given(judged_list(), cutoffs())
def test_the_last_row_is_the_metric(name, judged, k):
    gains, relevance = judged
    values = {"gains": gains, "relevance": relevance, "n_relevant": len(relevance), "k": k}
    arguments = arguments_of(BY_RANK[name], **values) | OPTIONS.get(name, {})
    shown = getattr(working, name)(**arguments)
    value = BY_RANK[name](**arguments)
    assert_allclose(shown.attrs["value"], value, rtol=1e-12)
    assert_allclose(shown["term"].cumsum(), shown["running sum"], rtol=1e-12)
    if "AUC" not in shown and "ideal term" not in shown:
        product = shown[[name for name in FACTORS if name in shown]].prod(axis=1)
        within = shown["rank"] <= (len(relevance) if "R-precision" in shown else np.inf)
        assert_allclose(product.where(within, 0), shown["term"], rtol=1e-12)
    if len(shown):
        # The last column is the metric so far: the running sum, or what it comes to.
        assert_allclose(shown.iloc[-1, -1], value, rtol=1e-12)


def test_a_measure_without_a_function_has_the_working_of_its_form():
    table = working.err([1, 2], max_grade=2, items=["a", "b"])
    assert table.to_dict("list") == {
        "rank": [1, 2],
        "item": ["a", "b"],
        "grade": [1, 2],
        "gain": [0.25, 0.75],
        "weight": [1, 0.5],
        "not stopped above": [1, 0.75],
        "term": [0.25, 0.75 * 0.75 / 2],
        "running sum": [0.25, 0.25 + 0.75 * 0.75 / 2],
    }
    assert working.rbp([1, 0, 1], p=0.5)["term"].tolist() == [0.5, 0, 0.125]


@pytest.mark.parametrize("name", ["rbq", "__wrapped__", "nov_t", "short_head"])
def test_only_measures_have_workings(name):
    with pytest.raises(AttributeError, match=f"'receval.working' has no attribute '{name}'"):
        getattr(working, name)


def test_dcg_is_the_table_of_document_001():
    table = working.dcg([9, 9, 6, 4], items=["M8", "M4", "M10", "M2"], discount=clipped_log2)
    assert table.columns.tolist() == ["rank", "item", "gain", "weight", "term", "running sum"]
    assert published.check("001/dcg_terms", table["term"]).as_expected


NAN = np.nan
SCORES = [0.2, 0.4, 0.1, NAN]


@pytest.mark.parametrize(
    ("table", "columns", "value"),
    [
        pytest.param(
            working.dcg([2, 1, NAN], gain=exponential_gain),
            {"grade": [2, 1], "gain": [3, 1]},
            3 + 1 / np.log2(3),
            id="the grade beside another gain",
        ),
        pytest.param(working.dcg([2, NAN, NAN]), {"rank": [1]}, 2, id="dcg"),
        pytest.param(working.precision([1, 0, NAN], k=2), {"rank": [1, 2]}, 1 / 2, id="precision"),
        pytest.param(
            working.temporal_novelty([0, 7, NAN, NAN]),
            {"days": [0, 7]},
            metrics.temporal_novelty([0, 7]),
            id="temporal novelty",
        ),
        pytest.param(working.user_novelty([1, 0, NAN]), {"term": [0, 1]}, 1 / 2, id="user novelty"),
        pytest.param(
            working.auc([1, 0, 0, NAN], scores=SCORES), {"term": [1, 0, 0]}, 1 / 2, id="auc"
        ),
        pytest.param(
            working.auc([1, 0, 0, NAN], scores=[*SCORES[:3], 9]),
            {"term": [1, 0, 0]},
            1 / 2,
            id="auc with a score of no item",
        ),
        pytest.param(
            working.ndcg([1], [1, 1, 1], k=3),
            {"rank": [1, 2, 3], "term": [1, 0, 0]},
            metrics.ndcg([1], [1, 1, 1], k=3),
            id="the longer of list and ideal list",
        ),
    ],
)
def test_rows_are_those_of_the_ranks_with_an_item(table, columns, value):
    assert table[[*columns]].to_dict("list") == columns
    assert_allclose([table.iloc[-1, -1], table.attrs["value"]], value)


LISTS = [[0, 2], [3, -1], [-1, -1]]
SIMILAR = [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]]
OTHERS = [
    (prediction.mae, [3, 5], [4, 3]),
    (prediction.mse, [3, 5], [4, 3]),
    (prediction.mse, [1], [1]),
    (prediction.rmse, [3, 5], [4, 3]),
    (ranking.bpref, [0, 1, 0, 2], [1, 1, 0, 1], 2, 3),
    (beyond_accuracy.user_novelty, [1, 0, 0]),
    (beyond_accuracy.temporal_novelty, [0, 7]),
    (beyond_accuracy.average_popularity, [4, 1]),
    (beyond_accuracy.inverse_user_frequency, [4, 1], 8),
    (beyond_accuracy.intra_list_diversity, SIMILAR),
    (beyond_accuracy.prediction_coverage, LISTS),
    (beyond_accuracy.long_tail_percentage, LISTS, [True, False, False, False]),
    (beyond_accuracy.catalog_coverage, LISTS, 4),
    (beyond_accuracy.exposure_gini, [[0, 1], [0, 2]], 4),
    (beyond_accuracy.exposure_gini, [[0, 1], [2, 3]], 4),
]


@pytest.mark.parametrize("call", OTHERS, ids=lambda call: call[0].__name__)
def test_the_last_row_of_other_metrics_is_the_metric(call):
    metric, *arguments = call
    table = getattr(working, metric.__name__)(*arguments)
    numbers = [float(table.iloc[-1, -1]), float(table.attrs["value"])]
    assert_allclose(numbers, metric(*arguments), rtol=1e-12)


@pytest.mark.parametrize("lists", [[], [[]], [[-1]]])
def test_no_recommendation_has_no_share_of_the_long_tail(lists):
    table = working.long_tail_percentage(lists, [True])
    assert table["items"].tolist() == table["term"].tolist() == [0] * len(lists)
    assert np.isnan(table.attrs["value"])


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        # The index so far may be below zero although it ends at zero.
        (
            working.exposure_gini([[0, 1], [2, 3]], 4),
            {"Gini": pytest.approx([-3 / 16, -4 / 16, -3 / 16, 0], abs=1e-15)},
        ),
        (
            working.catalog_coverage([[2, 0], [2, -1]], 4),
            {"lists": [1, 0, 2, 0], "CC": [0.25, 0.25, 0.5, 0.5]},
        ),
        (working.rmse([3, 5], [4, 3], items=["a", "b"]), {"item": ["a", "b"], "error": [-1, 2]}),
        (
            working.intra_list_diversity(SIMILAR, items=["x", "y", "z"]),
            {"first": list("xxyyzz"), "second": list("yzxzxy")},
        ),
        (
            working.long_tail_percentage(LISTS, [True, False, False, False]),
            {"items": [2, 1, 0]},
        ),
        (working.auc([1, 0], scores=[0.5, 0.5]), {"score": [0.5, 0.5]}),
        (
            working.f1([0, 1, 1], 4, k=3),
            {
                "precision": pytest.approx([0, 1 / 3, 2 / 3]),
                "recall": [0, 1 / 4, 2 / 4],
                "F1": pytest.approx([0, 2 / 7, 4 / 7]),
            },
        ),
        *(
            (
                working.factorization_rmse([[1, 2]], [[3, 1], [0, 2]], [[4, 5]], **options),
                {
                    "user": [1, 1],
                    "item": [1, 2],
                    "actual": [4, 5],
                    "error": [-1, 0],
                    "term": [1, 0],
                    "RMSE": pytest.approx(rmse),
                },
            )
            for options, rmse in (
                ({}, [1 / 2, 1 / 2]),
                ({"divide_by_factors": False}, [1 / 2**0.5, 1 / 2**0.5]),
            )
        ),
        (
            working.satisfaction(
                [0, 1, 2], [[5, 3, 1], [1, 3, 4]], k=2, member=1, items=list("abc")
            ),
            {"item": ["a", "b"], "nDCG": pytest.approx([1 / 4, 4 / 7])},
        ),
    ],
)
def test_columns_that_explain_the_terms(table, columns):
    assert table[[*columns]].to_dict("list") == columns


def test_workings_can_be_pickled():
    for function in (working.auc, working.ndcg, working.f1):
        assert pickle.loads(pickle.dumps(function)) is function


RATINGS = [[4, 4, 2], [1, 3, 3]]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            working.borda_count(np.array([[200, 1], [100, 1]], np.uint8)),
            [[200, 1], [100, 1], [300, 2]],
        ),
        (
            working.borda_count([[True, False], [True, False]]),
            [[1, 0], [1, 0], [2, 0]],
        ),
        (working.borda_count([[0.5, 1]]), [[0.5, 1], [0.5, 1]]),
        (
            working.aggregate(RATINGS, strategy="borda"),
            [[2, 2, 1], [1, 2, 2], [3, 4, 3]],
        ),
        (
            working.aggregate(RATINGS, strategy="borda", ties="mean"),
            [[2.5, 2.5, 1], [1, 2.5, 2.5], [3.5, 5, 3.5]],
        ),
    ],
)
def test_tables_of_groups(table, rows):
    assert table.to_numpy().tolist() == rows


def test_a_member_may_be_called_like_the_row_of_sums():
    named = working.borda_count([[1, 2], [2, 1]], members=["Total", "U2"])
    assert named.index.tolist() == ["Total", "U2", "Total"]
    assert named.to_numpy().tolist() == [[1, 2], [2, 1], [3, 3]]


@pytest.mark.parametrize(
    ("strategy", "rows", "first"),
    [
        ("average", ["U1", "U2", "score"], [5, 3, 1]),
        ("borda", ["U1", "U2", "score"], [3, 2, 1]),
        ("copeland", ["against a", "against b", "against c", "score"], [0, 0, 0]),
        ("fairness", ["turn 1", "turn 2", "turn 3", "score"], [5, 3, 1]),
    ],
)
def test_the_working_of_a_strategy_ends_with_the_scores(strategy, rows, first):
    ratings = [[5, 3, 1], [1, 3, 4]]
    table = working.aggregate(ratings, strategy=strategy, members=["U1", "U2"], items=list("abc"))
    assert table.index.tolist() == rows
    assert table.iloc[0].tolist() == first
    assert table.loc["score"].tolist() == table.attrs["value"]
    assert table.attrs["value"] == metrics.aggregate(ratings, strategy=strategy).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: working.dcg([[1, 2]]), r"gains must be one list \(one axis\); got \(1, 2\)"),
        (lambda: working.dcg([1, 2], items=["a"]), r"items must name 2 items; got 1"),
        (lambda: working.dcg([1], k=0), r"k must be a positive integer or None; got 0"),
        (lambda: working.ideal_dcg([[1]]), r"relevance must be one list"),
        (lambda: working.mae([[1]], [[1]]), r"must be one list"),
        (lambda: working.borda_count([1, 2]), r"points must have the axes"),
        (
            lambda: working.satisfaction([0], [[1]], k=1, member=1),
            r"member must be a row .*; got 1",
        ),
        (
            lambda: working.satisfaction([0], [[1], [1]], k=1, member=True),
            r"member must be a row .*; got True",
        ),
        (
            lambda: working.factorization_rmse(*np.ones((3, 1, 1, 1))),
            r"m must be of one factorization \(two axes\)",
        ),
        (lambda: working.intra_list_diversity(np.ones((1, 2, 2))), r"similarity must be of one"),
        (lambda: working.rbo([], []), r"first and second must have at least one item each"),
        (lambda: working.rbo([1], [-1]), r"first and second must have at least one item each"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
