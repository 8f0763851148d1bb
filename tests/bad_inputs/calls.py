"""One valid call of every public function that takes data or options; tests then break it.

`CALLS` maps a name to the function and its arguments. `ODD` has values that nobody should pass.
"""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from rank_measures import arguments_of, other_functions

from receval import (
    datasets,
    evaluate,
    evaluation,
    fuzzy,
    groups,
    matchmaking,
    metrics,
    retrieval,
    significance,
    splitting,
    working,
)
from receval.fuzzy import recommend

GAINS = [3.0, 0.0, 1.0]
GRADES = [3.0, 2.0, 1.0]
GAINS_OR_K = {"gains": GAINS, "k": 2}
IDEAL = {"relevance": GRADES, "k": 2, "discount": metrics.clipped_log2, "gain": metrics.linear_gain}
TWO = {"truth": {"a": 0.9, "b": 0.5, "c": 0.1}, "retrieved": {"b": 0.8, "a": 0.3}, "k": 2}
PAIRED = {"a": [0.1, 0.5, 0.2, 0.9], "b": [0.2, 0.1, 0.3, 0.4]}
RATINGS = [[1.0, 5.0, 3.0], [4.0, 2.0, 5.0]]
SIMILAR = [[1.0, 0.2, 0.3], [0.2, 1.0, 0.4], [0.3, 0.4, 1.0]]
TIMES = pd.Series(pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-04"]))
RECS = pd.DataFrame({"user": [1, 1, 2], "item": [10, 11, 10], "score": [2.0, 1.0, 1.0]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [11, 10, 12], "relevance": [1, 2, 1]})
ITEMS = pd.DataFrame(
    {"awards": [3, 1, 1], "novelty_date": TIMES[:3].to_numpy(), "blue": [1.0, 0.0, 1.0]},
    index=[10, 11, 12],
)
HISTORY = pd.DataFrame({"user": [1, 2], "item": [10, 11]})
SEEN = pd.DataFrame({"user": [1, 1, 2, 2], "item": [1, 2, 1, 3], "time": TIMES})
SHOWN = pd.DataFrame(
    {
        "user": ["u", "u", "v"],
        "item": ["a", "b", "a"],
        "time": TIMES[:3],
        "system": "S",
        "position": [1, 2, 1],
        "clicked": [True, False, True],
    }
)
ACTED = pd.DataFrame({"user": ["u"], "item": ["a"], "time": [TIMES[3]]})
BY_SYSTEM = pd.DataFrame({"x": [0.1, 0.5, 0.3], "y": [0.2, 0.1, 0.4]}, index=list("ABC"))


RATED = pd.DataFrame(
    {
        "group": [1, 1, 1, 1, 2],
        "member": ["ann", "ann", "bob", "bob", "cid"],
        "item": ["x", "y", "x", "y", "x"],
        "rating": [4.0, 2.0, 1.0, 5.0, 3.0],
    }
)
TRUST = pd.DataFrame({"member": ["ann"], "trusted": ["bob"]})


def exact(query, case_base):
    """Rank cases by their sizes; where there are none, rank no case, which receval refuses."""
    try:
        return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}
    except (AttributeError, TypeError, ValueError):
        return {}


CASES = {"a": 4, "b": 7, "c": 5}
AWARDS = pd.DataFrame(
    {
        "contract": [1, 2, 3, 4],
        "bidder": ["a", "a", "b", "c"],
        "code": ["45", "451", "452", "71"],
        "date": TIMES,
        "description": ["repair of a road", "new road", "a bridge", "plans of a bridge"],
    }
)
NEW = pd.DataFrame({"contract": [7, 8], "code": ["451", "452"], "description": ["road", "bridge"]})
CODES = pd.DataFrame({"child": ["451", "452"], "parent": ["45", "45"]})
MATCH = {"awards": AWARDS, "contracts": NEW, "k": 2}
ON_CASES = {
    "queries": {"q": 3},
    "case_base": CASES,
    "measures": ["hits@1"],
    "truth": {"q": exact(3, CASES)},
}
EVALUATE = {
    "recommendations": RECS,
    "relevance": TRUTH,
    "measures": [
        "nDCG@2",
        "MRR",
        "AUC",
        "CC@2",
        "LTP",
        "ILD",
        "nov_t",
        "nov_u",
        "MIUF",
        "ARP",
        "Gini@2",
    ],
    "user": "user",
    "item": "item",
    "score": "score",
    "rank": None,
    "relevance_column": "relevance",
    "system": None,
    "convention": "receval",
    "ties": "item",
    "duplicates": "error",
    "items": ITEMS,
    "history": HISTORY,
    "progress": False,
}

RBO = {"first": [1, 2], "second": [2, 3], "p": 0.8, "k": 2}


RANKING = {
    "hit": GAINS_OR_K,
    "reciprocal_rank": GAINS_OR_K,
    "precision": {**GAINS_OR_K, "n_relevant": 2, "denominator": "reachable"},
    "recall": {**GAINS_OR_K, "n_relevant": 2, "denominator": "relevant"},
    "r_precision": {"gains": GAINS, "n_relevant": 2},
    "average_precision": {**GAINS_OR_K, "n_relevant": 2, "denominator": "relevant"},
    "cumulative_gain": GAINS_OR_K,
    "dcg": {"gains": GAINS} | {k: v for k, v in IDEAL.items() if k != "relevance"},
    "ideal_dcg": IDEAL,
    "ndcg": {"gains": GAINS, **IDEAL},
    "auc": {"gains": GAINS, "scores": [0.3, 0.2, 0.1]},
    "bpref": {"gains": GAINS, "judged": [1, 1, 1], "n_relevant": 2, "n_irrelevant": 3},
    "rbp": {**GAINS_OR_K, "p": 0.8},
    "err": {**GAINS_OR_K, "max_grade": 4},
}
for new, function in other_functions({*RANKING, "f1"}).items():  # f1 takes no lists
    RANKING[new] = arguments_of(function, gains=GAINS, k=2, n_relevant=2, relevance=GRADES)


def _ranking(module, **more):
    return {
        f"{module.__name__}.{name}": (getattr(module, name), {**arguments, **more})
        for name, arguments in RANKING.items()
    }


ON_RANKINGS = [
    "completeness",
    "correctness",
    "distance",
    "hits",
    "hits_normalized",
    "kendall",
    "mae",
    "mse",
    "pair_counts",
    "quality_mueller",
    "quality_stromer",
    "spearman",
]
IMPLICATORS = [
    "fodor",
    "goedel",
    "kleene_dienes",
    "lukasiewicz",
    "reichenbach",
    "rescher",
]
TWO_SAMPLES = {
    "paired_t": {},
    "permutation": {"n_resamples": 100, "rng": 0},
    "resampled_t": {"test_to_train": 0.25},
    "sign_test": {},
    "wilcoxon": {},
}
MATRIX = {"matrix": [[4, 2], [1, 3]], "undefined": 0.0}
prediction, beyond, group = metrics.prediction, metrics.beyond_accuracy, metrics.group
MM = {"offline": BY_SYSTEM, "online": BY_SYSTEM.rename(columns=str.upper)}
ON_LOG = {
    "impressions": SHOWN,
    "response": "clicked",
    "k": 2,
    "system": "system",
    "position": "position",
    "weight": None,
}
IN_ARMS = pd.DataFrame(
    {
        "user": [*"uuvvwwxx"],
        "item": [*"abababab"],
        "system": [*"SSSSTTTT"],
        "position": [1, 2] * 4,
        "clicked": [1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 1.0, 0.2],
    }
)
LOGGED = {
    "rewards": [1.0, 0.0, 1.0],
    "target": [0.5, 0.2, 0.4],
    "logging": [0.4, 0.5, 0.4],
    "cluster": [1, 1, 2],
    "clip": 10.0,
}
FOURFOLD = fuzzy.fourfold_table([0.2, 0.9, 0.8], [0.1, 0.7, 0.4])

CALLS = {
    **_ranking(metrics.ranking),
    **_ranking(working, items=["a", "b", "c"]),
    "ranking.rbo": (metrics.ranking.rbo, RBO),
    "working.rbo": (working.rbo, RBO),
    "ranking.f1": (metrics.ranking.f1, {"precision": [0.5], "recall": [0.2]}),
    **{
        f"retrieval.{name}": (getattr(metrics.retrieval, name), TWO) for name in ON_RANKINGS
    },
    **{
        f"discounts.{name}": (getattr(metrics.discounts, name), {argument: [1.0, 2.0]})
        for name, argument in {
            "binary_gain": "grades",
            "linear_gain": "grades",
            "exponential_gain": "grades",
            "clipped_log2": "rank",
            "shifted_log2": "rank",
            "reciprocal": "rank",
            "undiscounted": "rank",
        }.items()
    },
    "discounts.relison_gain": (metrics.relison_gain, {"grades": GAINS, "threshold": 0.5}),
    **{
        f"prediction.{name}": (getattr(prediction, name), {"predicted": GAINS, "actual": GRADES})
        for name in ("mae", "mse", "rmse", "r_squared", "mae_terms", "mse_terms")
    },
    "prediction.min_max_scaled": (prediction.min_max_scaled, {"scores": GAINS}),
    "prediction.one_minus_mae": (
        prediction.one_minus_mae,
        {"scores": [0.5, 1.0], "relevance": [1, 0]},
    ),
    "prediction.factorization_rmse": (
        prediction.factorization_rmse,
        {"a": [[1.0]], "b": [[2.0]], "m": [[3.0]], "divide_by_factors": True},
    ),
    "classification.confusion_matrix": (
        metrics.confusion_matrix,
        {"predicted": [1, 0], "actual": [1, 1]},
    ),
    **{
        f"classification.{name}": (getattr(metrics.classification, name), MATRIX)
        for name in ("precision", "recall", "f1")
    },
    "beyond.prediction_coverage": (beyond.prediction_coverage, {"items": [[0, 1], [2, -1]]}),
    "beyond.catalog_coverage": (beyond.catalog_coverage, {"items": [[0, 1]], "n_items": 4}),
    "beyond.short_head": (
        beyond.short_head,
        {"awards": [3, 1, 1], "share": 0.2, "crossing": "inside"},
    ),
    "beyond.long_tail_percentage": (
        beyond.long_tail_percentage,
        {"items": [[0, 1]], "in_head": [True, False]},
    ),
    "beyond.user_novelty": (beyond.user_novelty, {"seen": [1, 0]}),
    "beyond.seen_share": (beyond.seen_share, {"seen": [1, 0]}),
    "beyond.temporal_novelty": (beyond.temporal_novelty, {"days": [0.0, 3.0]}),
    "beyond.average_popularity": (beyond.average_popularity, {"interactions": [2, 0]}),
    "beyond.inverse_user_frequency": (
        beyond.inverse_user_frequency,
        {"users": [2, 0], "n_users": 3},
    ),
    "beyond.exposure_gini": (beyond.exposure_gini, {"items": [[0, 1]], "n_items": 4}),
    "beyond.intra_list_diversity": (beyond.intra_list_diversity, {"similarity": SIMILAR}),
    "group.aggregate": (
        group.aggregate,
        {"ratings": RATINGS, "strategy": "average", "threshold": None, "trust": None, "ties": None},
    ),
    "group.borda_count": (group.borda_count, {"points": RATINGS}),
    "group.aggregate, borda": (
        group.aggregate,
        {"ratings": RATINGS, "strategy": "borda", "ties": "mean"},
    ),
    "group.borda_points": (group.borda_points, {"ratings": RATINGS, "ties": "lowest"}),
    "group.group_ranking": (group.group_ranking, {"points": RATINGS}),
    "group.rank_items": (group.rank_items, {"scores": GAINS, "tie_break": None}),
    "group.satisfaction": (
        group.satisfaction,
        {"group_order": [0, 1, 2], "ratings": RATINGS, "k": 2, "discount": metrics.shifted_log2},
    ),
    **{
        f"fuzzy.{name}": (getattr(fuzzy, name), {"b": [0.2, 1.0], "h": [0.5, 0.1]})
        for name in IMPLICATORS
    },
    "fuzzy.modus_ponens": (
        fuzzy.modus_ponens,
        {"b": 0.3, "r": 0.4, "conjunctor": fuzzy.goedel_conjunctor},
    ),
    "fuzzy.linear_score": (fuzzy.linear_score, {"position": [1, 2], "k": 3}),
    "fuzzy.dcg_scaling": (fuzzy.dcg_scaling, {"k": 3}),
    "fuzzy.scaled": (
        fuzzy.scaled,
        {"implicator": fuzzy.goedel, "f": fuzzy.scaling.identity, "g": fuzzy.scaling.identity},
    ),
    "fuzzy.violations": (fuzzy.violations, {"connective": fuzzy.goedel, "kind": None}),
    "fuzzy.implication_matrix": (
        fuzzy.implication_matrix,
        {**MM, "implicator": fuzzy.goedel, "normalize": "l2"},
    ),
    "fuzzy.implication_ranks": (fuzzy.implication_ranks, {"matrix": BY_SYSTEM}),
    "fuzzy.agreement_matrix": (fuzzy.agreement_matrix, MM),
    "fuzzy.online_measures": (fuzzy.online_measures, ON_LOG),
    "fuzzy.attribute_visits": (
        fuzzy.attribute_visits,
        {"impressions": SHOWN, "visits": ACTED, "user": "user", "item": "item", "time": "time"},
    ),
    "fuzzy.attribute_clicks": (
        fuzzy.attribute_clicks,
        {"impressions": SHOWN.drop(columns="clicked"), "clicks": ACTED, "into": "clicked"},
    ),
    "fuzzy.online_draws": (
        fuzzy.online_draws,
        {"log": IN_ARMS, "k": 2, "response": "clicked", "user": "user", "ratios": None,
         "n_resamples": 20, "n_splits": 5, "rng": 0},
    ),
    "fuzzy.online_draws, ratios": (
        fuzzy.online_draws,
        {"log": IN_ARMS.assign(user=range(len(IN_ARMS))), "user": "user", "rng": 0,
         "ratios": {"rate": ("clicked", "position")}, "n_resamples": 20, "n_splits": 5},
    ),
    "fuzzy.ips": (fuzzy.ips, LOGGED),
    "fuzzy.snips": (fuzzy.snips, LOGGED),
    "fuzzy.doubly_robust": (
        fuzzy.doubly_robust,
        {**LOGGED, "predicted": [0.5, 0.1, 0.3], "predicted_target": [0.4, 0.2, 0.3]},
    ),
    "fuzzy.predictability_test": (
        fuzzy.predictability_test,
        {**MM, "measure": fuzzy.goedel, "groups": {"A": "x", "B": "x", "C": "y"},
         "alternative": "two-sided", "n_permutations": 9,
         "reliability": 0.5, "rng": 0},
    ),
    "fuzzy.selection_regret": (fuzzy.selection_regret, {**MM, "top": 2}),
    "fuzzy.degrees_of_truth": (fuzzy.degrees_of_truth, {"table": BY_SYSTEM}),
    "fuzzy.fourfold_table": (
        fuzzy.fourfold_table,
        {"body": [0.2, 0.9, 0.8], "head": [0.1, 0.7, 0.4]},
    ),
    "fuzzy.founded_implication": (
        fuzzy.founded_implication,
        {"table": FOURFOLD, "p": 0.5},
    ),
    "fuzzy.critical_implication": (
        fuzzy.critical_implication,
        {"table": FOURFOLD, "p": 0.5, "alpha": 0.05},
    ),
    "splitting.k_fold": (splitting.k_fold, {"n": 5, "k": 2, "rng": 0}),
    "splitting.rotation": (splitting.rotation, {"k": 3}),
    "splitting.time_series_folds": (
        splitting.time_series_folds,
        {"times": TIMES, "k": 2},
    ),
    "splitting.fixed_time": (splitting.fixed_time, {"times": TIMES, "at": "2020-01-02"}),
    "splitting.fill_missing_dates": (
        splitting.fill_missing_dates,
        {"dates": TIMES},
    ),
    "splitting.hold_out_per_user": (
        splitting.hold_out_per_user,
        {"users": [1, 1, 2, 2], "share": 0.5, "rng": 0},
    ),
    "splitting.hold_out": (splitting.hold_out, {"n": 5, "share": 0.5, "rng": 0}),
    "splitting.hold_out_users": (
        splitting.hold_out_users,
        {"users": [1, 1, 2, 2], "share": 0.5, "rng": 0},
    ),
    "splitting.leave_last_out": (
        splitting.leave_last_out,
        {"users": [1, 1, 2, 2], "times": TIMES, "n": 1},
    ),
    "splitting.leakage": (
        splitting.leakage,
        {"train": SEEN[:2], "test": SEEN[2:], "user": "user", "item": "item", "time": "time"},
    ),
    "splitting.warm_users": (
        splitting.warm_users,
        {"train": SEEN[:2], "test": SEEN[2:], "user": "user"},
    ),
    "splitting.single_winner": (
        splitting.single_winner,
        {"awards": SEEN, "contract": "item", "winner": "user"},
    ),
    "recommend.aggregate_history": (
        recommend.aggregate_history,
        {"scores": SIMILAR, "how": "mean", "last": 2, "days": None, "divide_by": "weights"},
    ),
    "recommend.temporal_weight": (
        recommend.temporal_weight,
        {"days": [0.0, 5.0], "formula": "history"},
    ),
    "recommend.rerank_mmr": (
        recommend.rerank_mmr,
        {"scores": GAINS, "similarity": SIMILAR, "trade_off": 0.8, "k": 2},
    ),
    "recommend.cosine_similarities": (
        recommend.cosine_similarities,
        {"features": ITEMS[["blue"]], "same": True},
    ),
    "recommend.offline_measures": (
        recommend.offline_measures,
        {"scores": RATINGS, "relevant": [[1, 0, 1], [0, 1, 0]], "days": [1.0, 2.0, 3.0],
         "seen": [[1, 0, 0], [0, 0, 0]], "similarity": SIMILAR, "order": None},
    ),
    **{
        f"significance.{name}": (getattr(significance, name), PAIRED | more)
        for name, more in TWO_SAMPLES.items()
    },
    "significance.adjust": (significance.adjust, {"p": [0.01, 0.2], "correction": "holm"}),
    "significance.mean_interval": (
        significance.mean_interval,
        {"values": [0.1, 0.5, 0.2], "level": 0.9},
    ),
    "evaluate": (evaluate, EVALUATE),
    "evaluation.measure": (evaluation.measure, {"name": "nDCG@10"}),
    "evaluation.convention": (evaluation.convention, {"name": "receval"}),
    "evaluation.pooled": (evaluation.pooled, {"folds": {1: evaluate(RECS, TRUTH, "MRR")}}),
    "evaluation.explain_difference": (
        evaluation.explain_difference,
        {"recommendations": RECS, "relevance": TRUTH, "measure": "nDCG@2", "a": "receval",
         "b": "fuzzy"},
    ),
    "evaluation.which": (
        evaluation.which,
        {"value": "0.5", "recommendations": RECS, "relevance": TRUTH, "measure": "nDCG@2"},
    ),
    "groups.evaluate_groups": (
        groups.evaluate_groups,
        {"ratings": RATED, "strategies": ["average", "most_respected"], "k": 2, "by": "rating",
         "trust": TRUST},
    ),
    "groups.factorize": (
        groups.factorize,
        {"ratings": RATED[:4].rename(columns={"member": "user"}), "factors": 1, "biases": True,
         "rounds": 2, "regularization": 0.1, "rng": 0},
    ),
    "retrieval.evaluate_retrievers": (
        retrieval.evaluate_retrievers,
        {"retrievers": {"exact": exact, "other": exact}, **ON_CASES, "k": 2,
         "measures": ["hits@1", "mae"]},
    ),
    "retrieval.evaluate_macfac": (
        retrieval.evaluate_macfac,
        {"mac": exact, "fac": exact, **ON_CASES, "truth": None, "filter_sizes": [2], "ks": [1]},
    ),
    "retrieval.ground_truth": (
        retrieval.ground_truth,
        {"retriever": exact, "queries": {"q": 3}, "case_base": CASES},
    ),
    "matchmaking.random_bidders": (matchmaking.random_bidders, {**MATCH, "rng": 0}),
    "matchmaking.most_awarded": (matchmaking.most_awarded, MATCH),
    "matchmaking.page_rank": (
        matchmaking.page_rank,
        {**MATCH, "features": ["code"]},
    ),
    "matchmaking.case_based": (
        matchmaking.case_based,
        {**MATCH, "weights": {"code": 0.6}, "hierarchy": {"code": CODES}, "hops": (1, 1, 0),
         "weight": 0.1, "ageing": 0.005,
         "conjunctor": fuzzy.product_conjunctor, "disjunctor": fuzzy.product_disjunctor},
    ),
    "matchmaking.rescal": (
        matchmaking.rescal,
        {**MATCH, "features": ["code"], "rank": 3, "regularization": 0.1},
    ),
    "matchmaking.full_text": (
        matchmaking.full_text,
        {**MATCH, "text": "description", "aggregate": "max"},
    ),
    "datasets.procurement": (datasets.procurement, {"n_contracts": 100, "rng": 0}),
    "datasets.travel_data": (datasets.travel_data, {"n_users": 5, "n_items": 20, "seed": 0}),
}  # fmt: skip


ODD = {
    "None": None,
    "True": True,
    "NumPy's bool": np.False_,
    "a generator": "generator",  # made anew for every call
    "zero": 0,
    "minus one": -1,
    "a fraction": 2.5,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a huge integer": 10**400,
    "a huge negative integer": -(10**400),
    "a complex number": 1j,
    "a Decimal": Decimal("1.5"),
    "a Decimal NaN": Decimal("NaN"),
    "a Fraction": Fraction(3, 2),
    "an empty text": "",
    "a digit as text": "3",
    "a lone surrogate": "\ud800",
    "a NUL": "\0",
    "bytes": b"abc",
    "an empty list": [],
    "an empty dict": {},
    "a list of None": [None, None, None],
    "a list of texts": ["a", "b", "c"],
    "a list of surrogates": ["\ud800", "b", "c"],
    "a ragged list": [[1, 2], [3]],
    "a list of huge integers": [10**400, 1, 2],
    "a list of Decimals": [Decimal(1), Decimal("NaN"), Decimal(3)],
    "nested lists in a list": [[[[1.0]]]],
    "a list of dicts": [{}, {}, {}],
    "a list of lists": [[1], [2], [3]],
    "a set": {1, 2, 3},
    "an array without axes": np.array(1.0),
    "an empty array": np.empty(0),
    "an empty matrix": np.empty((0, 0)),
    "an array of no rows": np.empty((0, 3)),
    "an array of no columns": np.empty((3, 0)),
    "a masked array": np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    "a complex array": np.array([1j, 2, 3]),
    "an array of dates": np.array(["2020", "2021", "2022"], "M8[D]"),
    "an array of NaT": np.array(["NaT"] * 3, "M8[D]"),
    "a structured array": np.zeros(3, dtype=[("a", int)]),
    "an array of bytes": np.zeros(3, "V4"),
    "an array of objects": np.array([object()] * 3),
    "an array of NaN": np.full(3, np.nan),
    "a matrix of NaN": np.full((3, 3), np.nan),
    "an array of infinity": np.full(3, np.inf),
    "an array of the largest number": np.full(3, 1.7e308),
    "an array of the least number": np.full(3, -1.7e308),
    "the largest uint64": np.full(3, 2**64 - 1, np.uint64),
    "the least int64": np.full(3, -(2**63)),
    "nullable integers": pd.array([1, None, 3], "Int64"),
    "nullable booleans": pd.array([True, None, False], "boolean"),
    "categories with a gap": pd.Categorical([1, None, 2]),
    "pd.NA": pd.NA,
    "NaT": pd.NaT,
    "a date": datetime.date(2020, 1, 1),
    "a Timestamp": pd.Timestamp("2020-01-01", tz="UTC"),
    "a timedelta": pd.Timedelta(1),
    "a Series": pd.Series([1.0, None, 3.0], index=[5, 5, 6]),
    "a Series of texts": pd.Series(["a", None, "c"]),
    "an empty Series": pd.Series(dtype=object),
    "an empty frame": pd.DataFrame(),
    "a frame without rows": RECS.iloc[:0],
    "a frame of texts": RECS.astype(str),
    "a frame of NaN": RECS * np.nan,
    "a frame with a column twice": RECS[["user", "item", "score", "score"]],
    "a frame of multi-level columns": pd.concat({"x": RECS}, axis=1),
    "a frame with a multi-level index": RECS.set_index(["user", "item"]),
    "a frame of objects": pd.DataFrame({"user": [object()], "item": [[1]], "score": [{}]}),
    "a function": len,
    "a function of nothing": lambda *_, **__: None,
    "a type": int,
    "an object": object(),
}


def odd(name):
    """Return an odd value, or a new one if a call would use it up."""
    return (x for x in [1, 2]) if name == "a generator" else ODD[name]
