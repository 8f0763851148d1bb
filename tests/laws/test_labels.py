"""The law of labels: position never matches two inputs whose labels differ.

Each case names the axes of a function's arrays. If two arrays share an axis, their labels along it
must be equal; otherwise the function refuses them. All other labels don't matter.
"""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from bad_inputs.calls import CALLS, IMPLICATORS, LOGGED, PAIRED, TWO_SAMPLES

from receval import (
    InputError,
    fuzzy,
    groups,
    lists_from_items,
    lists_from_scores,
    metrics,
    significance,
    splitting,
    working,
)
from receval.fuzzy import recommend

GRADES = [[3.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 0.0]]
SHARES = [[1.0, 0.2, 0.3], [0.2, 1.0, 0.4], [0.3, 0.4, 1.0]]
FLAGS = [[1, 0, 1], [0, 1, 0], [1, 0, 0]]
CODES = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
THREE = [2, 3, 4]

ranking, prediction, connectives = metrics.ranking, metrics.prediction, metrics.connectives
factors = groups.factorize(
    pd.DataFrame({"user": [2, 2, 3], "item": [2, 3, 2], "rating": [5.0, 1.0, 3.0]}), 1, rng=0
)

BY_RANK = {"gains": (GRADES[0], "rank"), "items": (THREE, "rank")}
COUNTED = {"gains": (GRADES, "list rank"), "n_relevant": (THREE, "list")}
RATED = {"predicted": (GRADES, "list pair"), "actual": (SHARES, "list pair")}
SCORED = {"scores": (SHARES, "user item"), "novelty": (SHARES, "user item")}
DEGREES = [SHARES[1], SHARES[2]]
SIMILAR = (SHARES, "item item")
ON_LOG = {name: (LOGGED[name], "row") for name in ("rewards", "target", "logging", "cluster")}
PREDICTED = dict.fromkeys(("predicted", "predicted_target"), (LOGGED["target"], "row"))
BPREF = {
    "gains": (GRADES, "list rank"),
    "judged": (np.ones((3, 3)), "list rank"),
    "n_relevant": (THREE, "list"),
    "n_irrelevant": (THREE, "list"),
}
OFFLINE = {
    "scores": (SHARES, "user item"),
    "relevant": (FLAGS, "user item"),
    "days": (THREE, "item"),
    "seen": (FLAGS, "user item"),
    "similarity": SIMILAR,
    "order": (CODES, "user rank"),
}

CASES = {
    # Ranked lists. Relevance has all grades of a list in any order, so its last axis is its own.
    ranking.recall: (COUNTED, {}),
    ranking.precision: (COUNTED, {"denominator": "reachable"}),
    ranking.r_precision: (COUNTED, {}),
    ranking.average_precision: (COUNTED, {}),
    ranking.f1: ({"precision": (SHARES[0], "list"), "recall": (SHARES[1], "list")}, {}),
    ranking.ndcg: ({"gains": (GRADES, "list rank"), "relevance": (GRADES, "list any")}, {}),
    ranking.auc: (
        {"gains": (GRADES, "list rank"), "scores": (SHARES, "list rank")},
        {},
    ),
    ranking.bpref: (BPREF, {}),
    ranking.rbo: ({"first": (CODES, "list first"), "second": (CODES, "list second")}, {}),
    # Ratings
    **{
        getattr(prediction, name): (RATED, {})
        for name in ("mae", "mse", "rmse", "r_squared", "mae_terms", "mse_terms")
    },
    prediction.one_minus_mae: (
        {"scores": (GRADES, "list item"), "relevance": (SHARES, "list item")},
        {},
    ),
    prediction.factorization_rmse: (
        {"a": (GRADES, "user k"), "b": (SHARES, "k item"), "m": (SHARES, "user item")},
        {},
    ),
    metrics.confusion_matrix: (
        {"predicted": (FLAGS, "list item"), "actual": (FLAGS, "list item")},
        {},
    ),
    factors.predict: ({"users": (THREE, "row"), "items": (THREE, "row")}, {}),
    # Groups
    metrics.group.aggregate: (
        {"ratings": (GRADES, "member item"), "trust": (SHARES, "member member")},
        {"strategy": "most_respected"},
    ),
    metrics.group.rank_items: (
        {"scores": (GRADES, "group item"), "tie_break": (SHARES, "group item")},
        {},
    ),
    # Degrees of truth: a vector belongs to each row of a matrix.
    **{
        getattr(fuzzy, name): ({"b": (SHARES, "x y"), "h": (SHARES[1], "y")}, {})
        for name in IMPLICATORS
    },
    fuzzy.goedel_conjunctor: ({"b": (DEGREES, "x y"), "r": (DEGREES, "x y")}, {}),
    connectives.goedel_disjunctor: ({"a": (DEGREES, "x y"), "b": (DEGREES, "x y")}, {}),
    fuzzy.modus_ponens: (
        {"b": (SHARES[0], "x"), "r": (SHARES[1], "x")},
        {"conjunctor": fuzzy.goedel_conjunctor},
    ),
    fuzzy.fourfold_table: ({"body": (SHARES[0], "x"), "head": (SHARES[1], "x")}, {}),
    fuzzy.ips: (ON_LOG, {}),
    fuzzy.snips: (ON_LOG, {}),
    fuzzy.doubly_robust: (ON_LOG | PREDICTED, {}),
    # Recommenders
    recommend.novelty_scores: (SCORED, {}),
    recommend.rerank_mmr: ({"scores": (SHARES, "user item"), "similarity": SIMILAR}, {}),
    recommend.aggregate_history: (
        {"scores": (SHARES, "visit item"), "days": (THREE, "visit")},
        {"how": "temporal"},
    ),
    recommend.offline_measures: (OFFLINE, {}),
    # Rows of a table
    splitting.leave_last_out: (
        {"users": ([1, 1, 2, 2], "row"), "times": ([1, 2, 3, 4], "row")},
        {},
    ),
    lists_from_scores: (
        {"scores": (GRADES, "user item"), "users": (THREE, "user"), "items": (THREE, "item")},
        {"k": 2},
    ),
    lists_from_items: (
        {"ids": (CODES, "user rank"), "users": (THREE, "user"), "items": (THREE, "item")},
        {},
    ),
    # Workings of one list
    **{
        getattr(working, name): (BY_RANK, {})
        for name in ("hit", "reciprocal_rank", "cumulative_gain", "dcg", "rbp")
    },
    working.precision: (BY_RANK, {}),
    working.recall: (BY_RANK, {"n_relevant": 2}),
    working.r_precision: (BY_RANK, {"n_relevant": 2}),
    working.average_precision: (BY_RANK, {"n_relevant": 2}),
    working.err: (BY_RANK, {"max_grade": 4}),
    working.ndcg: (BY_RANK | {"relevance": (GRADES[0], "any")}, {}),
    working.ideal_dcg: ({"relevance": (GRADES[0], "any"), "items": (THREE, "any")}, {}),
    working.auc: (BY_RANK | {"scores": (SHARES[0], "rank")}, {}),
    working.bpref: (
        BY_RANK | {"judged": ([1, 1, 1], "rank")},
        {"n_relevant": 2, "n_irrelevant": 3},
    ),
    working.rmse: (
        {
            "predicted": (GRADES[0], "pair"),
            "actual": (SHARES[0], "pair"),
            "items": (THREE, "pair"),
        },
        {},
    ),
    working.intra_list_diversity: ({"similarity": SIMILAR, "items": (THREE, "item")}, {}),
    working.user_novelty: ({"seen": (FLAGS[0], "rank"), "items": (THREE, "rank")}, {}),
    working.aggregate: (
        {
            "ratings": (GRADES, "member item"),
            "members": (THREE, "member"),
            "items": (THREE, "item"),
        },
        {"strategy": "average"},
    ),
    working.satisfaction: (
        {
            "group_order": (CODES[0], "rank"),
            "ratings": (GRADES, "member item"),
            "items": (THREE, "item"),
        },
        {"k": 2, "member": 0},
    ),
}

ALIGNED = [getattr(significance, name) for name in TWO_SAMPLES]
"""Functions that align Series by their labels."""

NOT_MATCHED = {
    metrics.long_tail_percentage: "in_head is looked up by item code",
    metrics.satisfaction: "the order has columns of the ratings",
    working.rbo: "depths are matched, not labels",
}


def labelled(values, reversed_axis=None):
    """Return an array as a Series or DataFrame with labels a, b, c along each axis."""
    array = np.asarray(values)
    labels = [list("abcdef"[:length]) for length in array.shape]
    if reversed_axis is not None:
        labels[reversed_axis].reverse()
    return (pd.Series if array.ndim == 1 else pd.DataFrame)(array, *labels)


def is_array(value):
    """Check whether an argument in the calls of other tests is an array of numbers."""
    is_listed = isinstance(value, (list, np.ndarray)) and np.size(value) > 1
    return is_listed and not isinstance(value[0], str)


@pytest.mark.parametrize(
    ("function", "arrays", "options"),
    [
        pytest.param(function, arrays, options, id=f"{function.__module__}.{function.__name__}")
        for function, (arrays, options) in CASES.items()
    ],
)
def test_labels_along_a_shared_axis_must_be_equal(function, arrays, options):
    plain = {name: values for name, (values, _) in arrays.items()}
    all_labelled = {name: labelled(values) for name, values in plain.items()}
    if function not in (lists_from_scores, lists_from_items):  # labels become ids
        assert repr(np.asarray(function(**all_labelled, **options))) == repr(
            np.asarray(function(**plain, **options))
        )
    for first, second in permutations(arrays, 2):
        first_axes, second_axes = arrays[first][1].split(), arrays[second][1].split()
        for position, axis in enumerate(second_axes):
            both = {first: all_labelled[first]}
            both[second] = labelled(plain[second], reversed_axis=position)
            if axis not in first_axes:
                function(**plain | both, **options)
                continue
            with pytest.raises(InputError, match="must have the same labels; got") as error:
                function(**plain | both, **options)
            assert {first, second} <= set(str(error.value).partition(" must ")[0].split())


@pytest.mark.parametrize("function", ALIGNED, ids=lambda function: function.__name__)
def test_paired_samples_are_aligned_by_their_labels(function):
    a, b = (pd.Series(values, [*"wxyz"]) for values in PAIRED.values())
    options = TWO_SAMPLES[function.__name__]
    assert repr(function(a, b.loc[[*"zxwy"]], **options)) == repr(function(a, b, **options))


def test_every_function_of_two_arrays_is_under_the_law():
    covered = {function.__name__ for function in (*CASES, *ALIGNED, *NOT_MATCHED)}
    of_two_arrays = {
        function.__name__
        for function, arguments in CALLS.values()
        if sum(map(is_array, arguments.values())) > 1
    }
    assert of_two_arrays <= covered


PREDICTED, ACTUAL = pd.Series([1, 5], ["a", "b"]), pd.Series([5, 1], ["b", "a"])
ADVICE = (
    "predicted and actual must have the same labels; got ['a', 'b'] and ['b', 'a']. Position "
    "matches their values: bring both into one order, such as with .loc; if they are in one "
    "order, pass actual.to_numpy()"
)


@pytest.mark.parametrize(
    ("predicted", "actual", "expected"),
    [
        (PREDICTED, ACTUAL, ADVICE),
        (PREDICTED, ACTUAL.loc[PREDICTED.index], 0),
        (PREDICTED, ACTUAL.to_numpy(), 4),
        (PREDICTED, [5, 1], 4),
        # Equal labels of other types are equal.
        *(
            (pd.Series(range(length)), pd.Series(range(length), labels), 0)
            for length in (2, 3)
            for labels in (pd.Index(range(length), dtype="float64"), [*range(length)])
        ),
        (pd.Series([1], ["a"]), pd.Series([5], ["b"]), "predicted and actual must have the same l"),
        (pd.Series(range(2)), pd.Series([1.0] * 4), "predicted and actual must have the same leng"),
    ],
)
def test_labels_are_told_with_what_to_do(predicted, actual, expected):
    if isinstance(expected, str):
        with pytest.raises(InputError) as error:
            metrics.rmse(predicted, actual)
        assert str(error.value).startswith(expected)
    else:
        assert metrics.rmse(predicted, actual) == expected
