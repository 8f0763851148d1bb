"""Working tables: the terms are the metric's own, and the last row is the metric."""

import inspect
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from rank_measures import arguments_of, other_functions
from strategies import cutoffs, judged_list

from receval import InputError, metrics, working
from receval import ledger as published
from receval.metrics import beyond_accuracy, clipped_log2, exponential_gain, prediction, ranking

BY_RANK = {
    "hit": (
        lambda g, r, k: working.hit(g, k=k),
        lambda g, r, k: ranking.hit(g, k=k),
    ),
    "reciprocal_rank": (
        lambda g, r, k: working.reciprocal_rank(g, k=k),
        lambda g, r, k: ranking.reciprocal_rank(g, k=k),
    ),
    "precision": (
        lambda g, r, k: working.precision(g, k=k),
        lambda g, r, k: ranking.precision(g, k=k),
    ),
    "recall": (
        lambda g, r, k: working.recall(g, len(r), k=k),
        lambda g, r, k: ranking.recall(g, len(r), k=k),
    ),
    "r_precision": (
        lambda g, r, k: working.r_precision(g, len(r)),
        lambda g, r, k: ranking.r_precision(g, len(r)),
    ),
    "average_precision": (
        lambda g, r, k: working.average_precision(g, len(r), k=k, denominator="reachable"),
        lambda g, r, k: ranking.average_precision(g, len(r), k=k, denominator="reachable"),
    ),
    "cumulative_gain": (
        lambda g, r, k: working.cumulative_gain(g, k=k),
        lambda g, r, k: ranking.cumulative_gain(g, k=k),
    ),
    "dcg": (
        lambda g, r, k: working.dcg(g, k=k, gain=exponential_gain),
        lambda g, r, k: ranking.dcg(g, k=k, gain=exponential_gain),
    ),
    "ideal_dcg": (
        lambda g, r, k: working.ideal_dcg(r, k=k, discount=clipped_log2),
        lambda g, r, k: ranking.ideal_dcg(r, k=k, discount=clipped_log2),
    ),
    "ndcg": (
        lambda g, r, k: working.ndcg(g, r, k=k),
        lambda g, r, k: ranking.ndcg(g, r, k=k),
    ),
    "auc": (lambda g, r, k: working.auc(g), lambda g, r, k: ranking.auc(g)),
    "rbp": (lambda g, r, k: working.rbp(g, k=k, p=0.5), lambda g, r, k: ranking.rbp(g, k=k, p=0.5)),
    "err": (
        lambda g, r, k: working.err(g, max_grade=4, k=k),
        lambda g, r, k: ranking.err(g, max_grade=4, k=k),
    ),
}


def working_and_metric(function):
    """A measure that is not named above, by its working and by its array function."""

    def of(called, g, r, k):
        return called(**arguments_of(function, gains=g, relevance=r, n_relevant=len(r), k=k))

    table = getattr(working, function.__name__)
    return (lambda g, r, k: of(table, g, r, k)), (lambda g, r, k: of(function, g, r, k))


for new, function in other_functions({*BY_RANK, "f1"}).items():  # f1 has a test of its own
    BY_RANK[new] = working_and_metric(function)

OF_ONE_LIST = [getattr(ranking, name) for name in BY_RANK] + [
    ranking.bpref,
    beyond_accuracy.user_novelty,
    beyond_accuracy.temporal_novelty,
    beyond_accuracy.average_popularity,
    beyond_accuracy.inverse_user_frequency,
]


@pytest.mark.parametrize("metric", OF_ONE_LIST, ids=lambda metric: metric.__name__)
def test_a_working_has_the_arguments_of_its_metric_and_items(metric):
    def arguments_of(function):
        parameters = inspect.signature(function).parameters.values()
        return [(each.name, each.kind, each.default) for each in parameters]

    items = ("items", inspect.Parameter.KEYWORD_ONLY, None)
    assert arguments_of(getattr(working, metric.__name__)) == [*arguments_of(metric), items]


@pytest.mark.parametrize(
    "call",
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
    ids=lambda call: call[0].__name__,
)
def test_a_working_passes_every_option_on(call):
    metric, options = call
    table = getattr(working, metric.__name__)([0, 3, 1], items=list("abc"), **options)
    assert table.attrs["value"] == metric([0, 3, 1], **options)
    assert table["item"].iloc[0] == "a"


FACTORS = ("gain", "weight", "not stopped above", "precision so far")


@pytest.mark.parametrize(("table", "metric"), BY_RANK.values(), ids=BY_RANK)
@given(judged_list(), cutoffs())
def test_the_last_row_is_the_metric(table, metric, judged, k):
    gains, relevance = judged
    shown = table(gains, relevance, k)
    value = metric(gains, relevance, k)
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
    columns = [
        "rank",
        "item",
        "grade",
        "gain",
        "weight",
        "not stopped above",
        "term",
        "running sum",
    ]
    assert table.columns.tolist() == columns
    assert table["gain"].tolist() == [0.25, 0.75]
    assert table["not stopped above"].tolist() == [1, 0.75]
    assert table.attrs["value"] == 0.25 + 0.75 * 0.75 / 2
    assert working.rbp([1, 0, 1], p=0.5)["term"].tolist() == [0.5, 0, 0.125]
    for name in ("rbq", "__wrapped__", "nov_t", "short_head"):
        with pytest.raises(AttributeError, match=f"'receval.working' has no attribute '{name}'"):
            getattr(working, name)


def test_dcg_is_the_table_of_document_001():
    own = published.load("001")["inputs"]["points"]["U1"]
    items = published.load("001")["inputs"]["items"]
    shown = published.figure("001/group_ranking")["printed"]
    gains = [own[items.index(item)] for item in shown]
    table = working.dcg(gains, items=shown, discount=clipped_log2)
    assert table.columns.tolist() == ["rank", "item", "gain", "weight", "term", "running sum"]
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["item"].tolist() == shown
    assert_allclose(table["gain"] * table["weight"], table["term"])
    assert published.check("001/dcg_terms", table["term"]).as_expected


def test_other_gains_show_the_grade_beside_the_gain():
    table = working.dcg([2, 1], gain=exponential_gain)
    assert table[["grade", "gain"]].to_numpy().tolist() == [[2, 3], [1, 1]]


def test_empty_ranks_have_no_row():
    assert len(working.dcg([2, np.nan, np.nan])) == 1
    assert len(working.precision([1, 0, np.nan], k=2)) == 2


def test_empty_ranks_have_no_row_in_novelty_and_auc():
    nan = np.nan
    days = working.temporal_novelty([0, 7, nan, nan])
    assert days["days"].tolist() == [0, 7]
    assert days["temporal novelty"].iloc[-1] == metrics.temporal_novelty([0, 7])
    seen = working.user_novelty([1, 0, nan])
    assert seen["term"].tolist() == [0, 1]
    assert seen.attrs["value"] == 0.5
    for scores in ([0.2, 0.4, 0.1, nan], [0.2, 0.4, 0.1, 9]):
        table = working.auc([1, 0, 0, nan], scores=scores)
        assert table["term"].tolist() == [1, 0, 0]
        assert table.attrs["value"] == metrics.auc([1, 0, 0, nan], scores=scores) == 0.5


def test_ndcg_shows_the_longer_of_list_and_ideal_list():
    table = working.ndcg([1], [1, 1, 1], k=3)
    assert table["rank"].tolist() == [1, 2, 3]
    assert table["term"].tolist() == [1, 0, 0]
    assert_allclose(table["nDCG"].iloc[-1], metrics.ndcg([1], [1, 1, 1], k=3))


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
    assert_allclose([table.iloc[-1, -1], table.attrs["value"]], metric(*arguments), rtol=1e-12)


@pytest.mark.parametrize("lists", [[], [[]], [[-1]]])
def test_no_recommendation_has_no_share_of_the_long_tail(lists):
    table = working.long_tail_percentage(lists, [True])
    assert table["items"].tolist() == table["term"].tolist() == [0] * len(lists)
    assert np.isnan(table.attrs["value"])


def test_the_gini_index_so_far_may_be_below_zero_although_it_ends_at_zero():
    table = working.exposure_gini([[0, 1], [2, 3]], 4)
    assert_allclose(table["Gini"], [-3 / 16, -4 / 16, -3 / 16, 0], rtol=0, atol=1e-15)


def test_the_coverage_of_the_catalogue_grows_with_each_item_of_a_list():
    table = working.catalog_coverage([[2, 0], [2, -1]], 4)
    assert table["lists"].tolist() == [1, 0, 2, 0]
    assert table["CC"].tolist() == [0.25, 0.25, 0.5, 0.5]


def test_workings_can_be_pickled():
    for function in (working.auc, working.ndcg, working.f1):
        assert pickle.loads(pickle.dumps(function)) is function


def test_columns_that_explain_the_terms():
    table = working.rmse([3, 5], [4, 3], items=["a", "b"])
    assert table[["item", "error"]].to_numpy().tolist() == [["a", -1], ["b", 2]]
    pairs = working.intra_list_diversity(SIMILAR, items=["x", "y", "z"])
    assert pairs[["first", "second"]].to_numpy().tolist() == [*map(list, permutations("xyz", 2))]
    assert working.long_tail_percentage(LISTS, [True, False, False, False])["items"].tolist() == [
        2,
        1,
        0,
    ]
    assert working.auc([1, 0], scores=[0.5, 0.5])["score"].tolist() == [0.5, 0.5]


@given(judged_list(), cutoffs())
def test_f1_shows_precision_and_recall(judged, k):
    gains, relevance = judged
    table = working.f1(gains, len(relevance), k=k)
    precision, recall = ranking.precision(gains, k=k), ranking.recall(gains, len(relevance), k=k)
    expected = [precision, recall, ranking.f1(precision, recall)]
    assert_allclose(table.attrs["value"], expected[-1], rtol=1e-12)
    if len(table):
        assert table.columns[-3:].tolist() == ["precision", "recall", "F1"]
        assert_allclose(table.iloc[-1, -3:].astype(float), expected, rtol=1e-12)


@pytest.mark.parametrize("divide_by_factors", [True, False])
def test_cells_of_a_factorization(divide_by_factors):
    rng = np.random.default_rng(5)
    a, b, m = rng.random((3, 2)), rng.random((2, 4)), rng.random((3, 4))
    table = working.factorization_rmse(a, b, m, divide_by_factors=divide_by_factors)
    value = metrics.factorization_rmse(a, b, m, divide_by_factors=divide_by_factors)
    assert len(table) == 12
    assert_allclose(table["error"] ** 2, table["term"], rtol=1e-12)
    assert_allclose(table["RMSE"].iloc[-1], value, rtol=1e-12)
    assert table.loc[5, ["user", "item", "actual"]].tolist() == [2, 2, m[1, 1]]


def test_group_tables():
    small = working.borda_count(np.array([[200, 1], [100, 1]], np.uint8))
    assert small.loc["Total"].tolist() == [300, 2]
    assert working.borda_count([[True, False], [True, False]]).to_numpy().tolist()[-1] == [2, 0]
    assert working.borda_count([[0.5, 1]]).loc["Total"].tolist() == [0.5, 1]
    ratings = [[4, 4, 2], [1, 3, 3]]
    assert working.aggregate(ratings, strategy="borda").to_numpy().tolist() == [
        [2, 2, 1],
        [1, 2, 2],
        [3, 4, 3],
    ]
    by_mean_places = working.aggregate(ratings, strategy="borda", ties="mean")
    assert by_mean_places.loc["score"].tolist() == [3.5, 5, 3.5]
    named = working.borda_count([[1, 2], [2, 1]], members=["Total", "U2"])
    assert named.index.tolist() == ["Total", "U2", "Total"]
    assert named.to_numpy().tolist() == [[1, 2], [2, 1], [3, 3]]
    one = working.satisfaction([0, 1, 2], [[5, 3, 1], [1, 3, 4]], k=2, member=1, items=list("abc"))
    assert one["item"].tolist() == ["a", "b"]
    assert_allclose(one["nDCG"].iloc[-1], 4 / 7)


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
