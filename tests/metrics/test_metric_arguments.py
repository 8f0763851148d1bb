"""Rules for the arguments of all array metrics: independent lists, one type, errors by name."""

import inspect
import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rank_measures import arguments_of, other_functions

from receval import InputError
from receval.metrics import beyond_accuracy, classification, group, prediction, ranking

LEAD, N = (2, 3), 4
RNG = np.random.default_rng(5)

RATINGS = RNG.integers(1, 6, (*LEAD, N)).astype(float)
OTHERS = RNG.integers(1, 6, (*LEAD, N)).astype(float)
FLAGS = RNG.permuted(np.broadcast_to([1.0, 0.0, 1.0, 0.0], (*LEAD, N)), axis=-1)
MORE_FLAGS = RNG.permuted(np.broadcast_to([1.0, 1.0, 0.0, 0.0], (*LEAD, N)), axis=-1)
GAINS = RNG.permuted(np.broadcast_to([0.0, 0.0, 1.0, 3.0], (*LEAD, N)), axis=-1)
RELEVANCE = np.broadcast_to([3.0, 2.0, 1.0, 0.0, 1.0], (*LEAD, 5))
SIMILARITY = RNG.random((*LEAD, N, N))
POINTS = RNG.integers(1, 6, (*LEAD, 5, N)).astype(float)
PARTLY_RATED = np.where(RNG.random(POINTS.shape) < 0.4, np.nan, POINTS)
TRUST = RNG.integers(0, 3, (*LEAD, 5, 5)).astype(float)
ORDERS = RNG.permuted(np.broadcast_to(np.arange(N), (*LEAD, N)), axis=-1)
MATRICES = RNG.integers(1, 9, (*LEAD, 2, 2)).astype(float)
AWARDS = RNG.integers(1, 9, (*LEAD, N))
RELEVANT = RNG.integers(2, 6, LEAD)

# Whether a strategy needs a threshold.
STRATEGIES = {
    "average": False,
    "additive": False,
    "multiplicative": False,
    "least_misery": False,
    "most_pleasure": False,
    "average_without_misery": True,
    "approval": True,
    "borda": False,
    "copeland": False,
    "plurality": False,
    "fairness": False,
}


def aggregate_terms(ratings, **options):
    """Return the terms of the scores of `group.aggregate`."""
    terms, _ = group.terms_and_scores(ratings, **options)
    return terms


# Each metric with its arguments, and how many axes of each belong to a single list.
PAIRS = {
    **{
        name: (
            getattr(prediction, name),
            {"predicted": (RATINGS, 1), "actual": (OTHERS, 1)},
        )
        for name in ("mae", "mae_terms", "mse", "mse_terms", "rmse", "r_squared")
    },
    "one_minus_mae": (prediction.one_minus_mae, {"scores": (RATINGS, 1), "relevance": (FLAGS, 1)}),
    "confusion_matrix": (
        classification.confusion_matrix,
        {"predicted": (FLAGS, 1), "actual": (MORE_FLAGS, 1)},
    ),
    "rank_items with a tie break": (
        group.rank_items,
        {"scores": (FLAGS, 1), "tie_break": (MORE_FLAGS, 1)},
    ),
}
SEVERAL = {
    **PAIRS,
    **{
        name: (
            getattr(prediction, name),
            {
                "a": (RNG.random((*LEAD, 5, 2)), 2),
                "b": (RNG.random((*LEAD, 2, N)), 2),
                "m": (POINTS, 2),
            },
        )
        for name in ("factorization_rmse", "factorization_rmse_terms")
    },
    "aggregate by most_respected": (
        partial(group.aggregate, strategy="most_respected"),
        {"ratings": (POINTS, 2), "trust": (TRUST, 2)},
    ),
    "satisfaction": (
        partial(group.satisfaction, k=2),
        {"group_order": (ORDERS, 1), "ratings": (POINTS, 2)},
    ),
    "satisfaction, no cut-off": (
        partial(group.satisfaction, k=None),
        {"group_order": (ORDERS[..., :3], 1), "ratings": (POINTS, 2)},
    ),
    "recall": (partial(ranking.recall, k=2), {"gains": (GAINS, 1), "n_relevant": (RELEVANT, 0)}),
    "recall, reachable": (
        partial(ranking.recall, k=2, denominator="reachable"),
        {"gains": (GAINS, 1), "n_relevant": (RELEVANT, 0)},
    ),
    "r_precision": (ranking.r_precision, {"gains": (GAINS, 1), "n_relevant": (RELEVANT, 0)}),
    "average_precision": (
        partial(ranking.average_precision, k=3),
        {"gains": (GAINS, 1), "n_relevant": (RELEVANT, 0)},
    ),
    "ndcg": (partial(ranking.ndcg, k=3), {"gains": (GAINS, 1), "relevance": (RELEVANCE, 1)}),
    **{
        name: (
            getattr(ranking, name),
            {
                "gains": (GAINS, 1),
                "judged": (FLAGS, 1),
                "n_relevant": (RELEVANT, 0),
                "n_irrelevant": (RELEVANT, 0),
            },
        )
        for name in ("bpref",)
    },
    **{
        name: (
            partial(getattr(ranking, name), k=3),
            {"first": (ORDERS, 1), "second": (ORDERS[::-1], 1)},
        )
        for name in ("rbo",)
    },
}
SINGLE = {
    "min_max_scaled": (prediction.min_max_scaled, {"scores": (RATINGS, 1)}),
    "classification.precision": (classification.precision, {"matrix": (MATRICES, 2)}),
    "classification.recall": (classification.recall, {"matrix": (MATRICES, 2)}),
    "classification.f1": (classification.f1, {"matrix": (MATRICES, 2)}),
    **{
        name: (getattr(beyond_accuracy, name), {"seen": (FLAGS, 1)})
        for name in ("user_novelty", "user_novelty_terms", "seen_share")
    },
    **{
        name: (getattr(beyond_accuracy, name), {"days": (RATINGS, 1)})
        for name in ("temporal_novelty", "temporal_novelty_terms")
    },
    **{
        name: (getattr(beyond_accuracy, name), {"similarity": (SIMILARITY, 2)})
        for name in ("intra_list_diversity", "intra_list_diversity_terms")
    },
    **{
        name: (getattr(beyond_accuracy, name), {"interactions": (RATINGS, 1)})
        for name in ("average_popularity", "average_popularity_terms")
    },
    **{
        name: (partial(getattr(beyond_accuracy, name), n_users=9), {"users": (RATINGS, 1)})
        for name in ("inverse_user_frequency", "inverse_user_frequency_terms")
    },
    **{
        f"short_head {crossing}": (
            partial(beyond_accuracy.short_head, share=0.5, crossing=crossing),
            {"awards": (AWARDS, 1)},
        )
        for crossing in ("inside", "outside")
    },
    **{
        f"borda_points, ties {ties}": (
            partial(group.borda_points, ties=ties),
            {"ratings": (POINTS, 2)},
        )
        for ties in ("lowest", "mean")
    },
    "borda_count": (group.borda_count, {"points": (POINTS, 2)}),
    **{
        f"{function.__name__} by {strategy}": (
            partial(function, strategy=strategy, threshold=3 if needs else None),
            {"ratings": (PARTLY_RATED, 2)},
        )
        for strategy, needs in STRATEGIES.items()
        for function in (group.aggregate, aggregate_terms)
    },
    "rank_items": (group.rank_items, {"scores": (RATINGS, 1)}),
    "group_ranking": (group.group_ranking, {"points": (POINTS, 2)}),
    **{
        name: (partial(getattr(ranking, name), k=3), {"gains": (GAINS, 1)})
        for name in (
            "hit",
            "reciprocal_rank",
            "precision",
            "cumulative_gain",
            "dcg",
            "dcg_terms",
            "rbp",
        )
    },
    "err": (partial(ranking.err, k=3, max_grade=4), {"gains": (GAINS, 1)}),
    "precision, retrieved": (
        partial(ranking.precision, k=3, denominator="retrieved"),
        {"gains": (GAINS, 1)},
    ),
    "ideal_dcg": (partial(ranking.ideal_dcg, k=3), {"relevance": (RELEVANCE, 1)}),
    "ideal_dcg_terms": (partial(ranking.ideal_dcg_terms, k=3), {"relevance": (RELEVANCE, 1)}),
    "auc": (ranking.auc, {"gains": (GAINS, 1)}),
}
# A measure that this file does not name takes lists, and perhaps the number of relevant items.
named = {getattr(f, "func", f).__name__ for f, _ in [*SINGLE.values(), *SEVERAL.values()]}
for new, function in other_functions({*named, "f1"}).items():
    taken = arguments_of(
        function, gains=(GAINS, 1), relevance=(RELEVANCE, 1), n_relevant=(RELEVANT, 0)
    )
    lists = {name: value for name, value in taken.items() if isinstance(value, tuple)}
    options = {name: value for name, value in taken.items() if name not in lists}
    (SINGLE if len(lists) == 1 else SEVERAL)[new] = (partial(function, **options), lists)

# Scores belong to the list in one order only, so they are no independent argument.
SORTED = -np.sort(-RATINGS, axis=-1)
BY_SCORE = {
    "auc with scores": (ranking.auc, {"gains": (GAINS, 1), "scores": (SORTED, 1)}),
}
ALL = {**SINGLE, **SEVERAL, **BY_SCORE}

INTEGERS = {"confusion_matrix", "rank_items", "rank_items with a tie break", "group_ranking"}


def arrays(arguments):
    return {name: array for name, (array, _) in arguments.items()}


def one_by_one(function, arguments):
    """Compute each list by itself, which is slow."""
    shape = np.broadcast_shapes(
        *(array.shape[: array.ndim - own] for array, own in arguments.values())
    )
    whole = {
        name: np.broadcast_to(array, (*shape, *array.shape[array.ndim - own :]))
        for name, (array, own) in arguments.items()
    }
    each = [
        function(**{name: array[index] for name, array in whole.items()})
        for index in np.ndindex(shape)
    ]
    return np.reshape(each, (*shape, *np.shape(each[0])))


@pytest.mark.parametrize(("function", "arguments"), ALL.values(), ids=ALL)
def test_leading_axes_are_independent_lists(function, arguments, request):
    id = request.node.callspec.id
    got = function(**arrays(arguments))
    assert_allclose(got, one_by_one(function, arguments), rtol=1e-14)
    kind = bool if "short_head" in id else np.int64 if id in INTEGERS else np.float64
    assert got.dtype == kind
    one = function(**{name: array[0, 0] for name, array in arrays(arguments).items()})
    assert one.dtype == kind


@pytest.mark.parametrize(("function", "arguments"), SEVERAL.values(), ids=SEVERAL)
def test_leading_axes_broadcast(function, arguments):
    for name, (array, own) in arguments.items():
        for fewer in (array[0], array[0, 0], array[:, :1]):
            changed = {**arguments, name: (fewer, own)}
            expected = one_by_one(function, changed)
            assert_allclose(function(**arrays(changed)), expected, rtol=1e-14)


@pytest.mark.parametrize(("function", "arguments"), SEVERAL.values(), ids=SEVERAL)
def test_refuses_leading_axes_that_do_not_go_together(function, arguments):
    names = list(arguments)
    either = "|".join((" and ".join(names), " and ".join(reversed(names))))
    for name, (array, _) in arguments.items():
        for other in (array[:, :2], np.stack([array[0]] * 3)[:, :2], array[0, :2]):
            with pytest.raises(InputError, match=f"^({either}) must agree in their leading axes"):
                function(**{**arrays(arguments), name: other})


@pytest.mark.parametrize(("function", "arguments"), PAIRS.values(), ids=PAIRS)
def test_refuses_lists_of_different_lengths(function, arguments):
    one, other = arguments
    for name, (array, _) in arguments.items():
        for wrong in (array[..., :-1], array[..., :1]):
            with pytest.raises(InputError, match=f"^{one} and {other} must have the same length; "):
                function(**{**arrays(arguments), name: wrong})


@pytest.mark.parametrize(("function", "arguments"), ALL.values(), ids=ALL)
def test_says_which_argument_is_no_array(function, arguments):
    for name in arguments:
        for what, rule in (
            (np.ma.array(arrays(arguments)[name]), "be an ordinary array; got a masked array"),
            (np.full(arrays(arguments)[name].shape, "x"), "hold (whole )?numbers; got type <U1"),
        ):
            with pytest.raises(InputError, match=f"^{name} must {rule}"):
                function(**{**arrays(arguments), name: what})


def test_every_array_metric_is_here():
    families = (prediction, classification, group, ranking, beyond_accuracy)
    sets = {name for name in beyond_accuracy.__all__ if re.search("coverage|tail|gini", name)}
    here = {getattr(f, "func", f) for f, _ in ALL.values()}
    functions = {
        getattr(family, name): f"{family.__name__}.{name}"
        for family in families
        for name in family.__all__
        if name not in sets and inspect.isfunction(getattr(family, name))
    }
    missing = [name for function, name in functions.items() if function not in here]
    assert missing == ["receval.metrics.ranking.f1"]  # of two values, not of lists
