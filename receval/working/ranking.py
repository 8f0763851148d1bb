"""The workings of the metrics of one list: one row per rank.

The arguments are those of the metric, of a single list, and ``items``: a label for each rank. If
the metric has a formula by rank, a term is the product of the columns before it. The last column is
the metric so far.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    as_counts,
    as_flags,
    as_list_codes,
    check_cutoff,
    check_same_labels,
)
from receval._checks import FloatArray, Options, check_that, is_scalar
from receval.definitions.definition import STATED
from receval.metrics import beyond_accuracy, ranking
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2
from receval.metrics.formula import ArrayLists, RankFormula
from receval.metrics.ranking.binary import f1_formula
from receval.metrics.ranking.graded import dcg_formula
from receval.metrics.ranking.overlap import rbo_terms
from receval.metrics.ranking.pairwise import auc_terms, bpref_terms
from receval.metrics.spec import PerListFunction, SetLevel
from receval.working.tables import (
    Column,
    Labels,
    as_labels,
    check_one_list,
    numbered,
    read_gains,
    read_relevance,
    term_table,
    working_of_share,
)


def read_count(count: object, name: str = "n_relevant") -> int:
    """Return a number of items, such as the relevant ones; raise `InputError` for an array."""
    check_that(is_scalar(count), name, "be one number", count)
    return int(as_counts(count, name))


def read_judged(judged: npt.ArrayLike) -> FloatArray:
    """Return the flags of one list: whether somebody judged the item at each rank."""
    return check_one_list(as_flags(judged, "judged"), "judged")


ARGUMENTS_OF_LISTS: dict[str, Callable[[npt.ArrayLike], FloatArray | int]] = {
    "gains": read_gains,
    "judged": read_judged,
    "n_relevant": read_count,
    "n_irrelevant": partial(read_count, name="n_irrelevant"),
    "relevance": read_relevance,
}
"""The arguments that describe lists, each with a function that reads it for a single list."""

COLUMN_NAMES = {"gains": "gain", "scores": "score"}
"""The column of each argument whose column has another name."""

COLUMN_TYPES = {"gains": float, "judged": float}
"""The types of columns of grades and flags; other values keep the type that they came in."""


# Sums over ranks ----------------------------------------------------------------------------------


def _table_of_sum(
    metric: Callable[..., FloatArray], items: Labels, **arguments: Any
) -> pd.DataFrame:
    """Return the table of a sum over ranks from its formula; the arguments are the metric's."""
    check_same_labels(gains=arguments["gains"], items=items)
    # Some arguments describe the list; these are read as those of a single list.
    of_list: Options = {
        name: read(arguments[name])
        for name, read in ARGUMENTS_OF_LISTS.items()
        if arguments.get(name) is not None
    }
    # Call the metric only because it checks all arguments.
    metric(**{**arguments, **of_list})
    # The other arguments are the cut-off and options of the formula.
    options = {name: value for name, value in arguments.items() if name not in ARGUMENTS_OF_LISTS}
    k = check_cutoff(options.pop("k", None))
    spec = next(spec for spec in STATED if spec.function is metric)
    formula = spec.computation
    assert not isinstance(formula, (PerListFunction, SetLevel))
    if not isinstance(formula, RankFormula):
        formula = formula(**options)
    lists = ArrayLists(of_list.pop("gains"), **of_list)
    return term_table(formula, lists, k, items, spec.label or spec.name)


def hit(gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.hit`: one row per rank.

    Only the first hit counts, and its term is its weight. The column "not stopped above" has the
    share of users who haven't stopped at a rank above.

    Examples
    --------
    >>> hit([0, 1, 1])["term"].tolist()
    [0.0, 1.0, 0.0]
    """
    return _table_of_sum(ranking.hit, items, gains=gains, k=k)


def reciprocal_rank(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.reciprocal_rank`: one row per rank.

    Only the first hit counts, as in `hit`.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 1]).iloc[1:, 2:].round(4)
       gain  weight  not stopped above  term  running sum
    1   1.0  0.5000                1.0   0.5          0.5
    2   1.0  0.3333                0.0   0.0          0.5
    """
    return _table_of_sum(ranking.reciprocal_rank, items, gains=gains, k=k)


def precision(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
    n_relevant: int | None = None,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.precision`: one row per rank.

    A term is a hit, and the last column divides the hits so far.

    Examples
    --------
    >>> precision([1, 0, 1], k=3).round(4)[["running sum", "precision"]]
       running sum  precision
    0          1.0     0.3333
    1          1.0     0.3333
    2          2.0     0.6667
    """
    return _table_of_sum(
        ranking.precision, items, gains=gains, k=k, denominator=denominator, n_relevant=n_relevant
    )


def recall(
    gains: npt.ArrayLike,
    n_relevant: int,
    *,
    k: int | None = None,
    denominator: str = "relevant",
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.recall`: one row per rank.

    A term is a hit, and the last column divides the hits so far.

    Examples
    --------
    >>> recall([1, 0, 1], 4)["recall"].tolist()
    [0.25, 0.25, 0.5]
    """
    return _table_of_sum(
        ranking.recall, items, gains=gains, n_relevant=n_relevant, k=k, denominator=denominator
    )


def r_precision(gains: npt.ArrayLike, n_relevant: int, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.r_precision`: one row per rank.

    A term is a hit at one of the first ``n_relevant`` ranks.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)["term"].tolist()
    [1.0, 0.0, 0.0]
    """
    return _table_of_sum(ranking.r_precision, items, gains=gains, n_relevant=n_relevant)


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: int,
    *,
    k: int | None = None,
    denominator: str = "relevant",
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.average_precision`: one row per rank.

    The term of a hit is the precision so far.

    Examples
    --------
    >>> average_precision([1, 0, 1], 2).round(4)[["precision so far", "term", "AP"]]
       precision so far    term      AP
    0            1.0000  1.0000  0.5000
    1            0.5000  0.0000  0.5000
    2            0.6667  0.6667  0.8333
    """
    return _table_of_sum(
        ranking.average_precision,
        items,
        gains=gains,
        n_relevant=n_relevant,
        k=k,
        denominator=denominator,
    )


def cumulative_gain(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.cumulative_gain`: one row per rank.

    Examples
    --------
    >>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
    [9.0, 18.0, 24.0, 28.0]
    """
    return _table_of_sum(ranking.cumulative_gain, items, gains=gains, k=k)


def dcg(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.dcg`: one row per rank.

    A term is the gain times the weight of the rank.

    Examples
    --------
    >>> dcg([3, 2, 0]).round(4)["term"].tolist()
    [3.0, 1.2619, 0.0]
    """
    return _table_of_sum(ranking.dcg, items, gains=gains, k=k, discount=discount, gain=gain)


def ideal_dcg(
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ideal_dcg`: one row per item, the best one first.

    ``items`` are labels in the order of ``relevance``. They are sorted along with the items. The
    other arguments are those of the metric.

    Examples
    --------
    >>> ideal_dcg([0, 2, 3], k=2, items=["a", "b", "c"])["item"].tolist()
    ['c', 'b']
    """
    check_same_labels(relevance=relevance, items=items)
    grades = np.nan_to_num(read_relevance(relevance), nan=0.0)
    best_first = np.argsort(-grades, kind="stable")[: check_cutoff(k)]
    labels = None
    if items is not None:
        labels = as_labels(items, grades.size)[best_first]
    ideal_list = ArrayLists(grades[best_first], grades_name="relevance")
    return term_table(dcg_formula(gain, discount), ideal_list, None, labels, "IDCG")


def ndcg(
    gains: npt.ArrayLike,
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ndcg`: one row per rank.

    The columns "ideal term" and "ideal sum" are those of the best list that ``relevance`` allows.

    Examples
    --------
    >>> ndcg([0, 3], [3, 1]).round(4)[["running sum", "ideal sum", "nDCG"]]
       running sum  ideal sum    nDCG
    0       0.0000     3.0000  0.0000
    1       1.8928     3.6309  0.5213
    """
    return _table_of_sum(
        ranking.ndcg, items, gains=gains, relevance=relevance, k=k, discount=discount, gain=gain
    )


def rbp(
    gains: npt.ArrayLike, *, k: int | None = None, p: float = 0.8, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.rbp`: one row per rank.

    Examples
    --------
    >>> rbp([1, 0, 1], p=0.5)["term"].tolist()
    [0.5, 0.0, 0.125]
    """
    return _table_of_sum(ranking.rbp, items, gains=gains, k=k, p=p)


def err(
    gains: npt.ArrayLike, *, max_grade: float, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.err`: one row per rank.

    The gain is the probability that the user stops at the item.

    Examples
    --------
    >>> err([1, 2], max_grade=2)[["gain", "not stopped above", "term"]]
       gain  not stopped above     term
    0  0.25               1.00  0.25000
    1  0.75               0.75  0.28125
    """
    return _table_of_sum(ranking.err, items, gains=gains, max_grade=max_grade, k=k)


def f1(
    gains: npt.ArrayLike, n_relevant: int, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.f1` of precision and recall: one row per rank.

    A term is a hit. Precision divides the hits by the cut-off (without ``k`` by the length of the
    list), recall divides them by ``n_relevant``, and F1 by the mean of both numbers. The last
    columns have all three values so far. ``items`` are labels of the ranks.

    Examples
    --------
    >>> f1([1, 0, 1, 0], 2).iloc[:, -3:].round(4)
       precision  recall      F1
    0       0.25     0.5  0.3333
    1       0.25     0.5  0.3333
    2       0.50     1.0  0.6667
    3       0.50     1.0  0.6667
    """
    check_same_labels(gains=gains, items=items)
    lists = ArrayLists(read_gains(gains), read_count(n_relevant))
    ranking.recall(lists.grades, lists.n_relevant, k=k)  # called only for its checks
    return term_table(f1_formula(), lists, k, items, "F1")


# Other values of one list -------------------------------------------------------------------------


def _table_of_values(
    metric: Callable[..., FloatArray],
    terms_of: Callable[..., FloatArray],
    items: Labels,
    **arguments: Any,
) -> pd.DataFrame:
    """Return the table of a metric that has no formula by rank; ``terms_of`` returns its terms.

    Each argument with a value by rank is a column. The table has no row for an empty rank.
    """
    check_same_labels(**arguments, items=items)
    for name, value in arguments.items():
        if name in ARGUMENTS_OF_LISTS:
            ARGUMENTS_OF_LISTS[name](value)  # called only for its checks
    first = next(iter(arguments))
    terms = check_one_list(terms_of(**arguments), first)
    is_item = ~np.isnan(np.asarray(arguments[first], float))
    columns = {
        COLUMN_NAMES.get(name, name): np.asarray(values, COLUMN_TYPES.get(name))[is_item]
        for name, values in arguments.items()
        if np.ndim(values) > 0
    }
    columns["term"] = terms[is_item]
    label = next(
        spec.label or spec.name
        for spec in STATED
        if isinstance(spec.computation, PerListFunction) and spec.computation.function is metric
    )
    return working_of_share(numbered(columns, items), label, metric(**arguments))


def auc(
    gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.auc`: one row per rank.

    The term of a relevant item is the number of irrelevant items that it beats; ties count half.

    Examples
    --------
    >>> auc([1, 0, 1, 0])["term"].tolist()
    [2.0, 0.0, 1.0, 0.0]
    """
    return _table_of_values(ranking.auc, auc_terms, items, gains=gains, scores=scores)


def bpref(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: int,
    n_irrelevant: int,
    *,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.bpref`: one row per rank.

    The term of a relevant item is high if few items that are judged irrelevant are above.

    Examples
    --------
    >>> bpref([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)["bpref"].tolist()
    [0.0, 0.25, 0.25, 0.5]
    """
    return _table_of_values(
        ranking.bpref,
        bpref_terms,
        items,
        gains=gains,
        judged=judged,
        n_relevant=n_relevant,
        n_irrelevant=n_irrelevant,
    )


def rbo(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.rbo`: one row per depth.

    A row has the items that the two rankings have at this rank, -1 after the end of a ranking, and
    the term. The last column, ``RBO``, is the metric so far. The arguments are the same as for the
    metric, with a single list each.

    Examples
    --------
    >>> rbo([4, 2, 7], [2, 4], p=0.5)[["first", "second", "term"]].round(4)
       first  second  term
    0      4       2  0.00
    1      2       4  0.25
    2      7      -1  0.25
    """
    terms = check_one_list(rbo_terms(first, second, p=p, k=k), "first")
    rule = "have at least one item each, because RBO is undefined otherwise"
    check_that(not np.isnan(terms).any(), "first and second", rule, (first, second))
    ranks = range(terms.size)
    columns: dict[str, Column] = {
        "first": pd.Series(as_list_codes(first, "first")).reindex(ranks, fill_value=-1),
        "second": pd.Series(as_list_codes(second, "second")).reindex(ranks, fill_value=-1),
        "term": terms,
    }
    value = ranking.rbo(first, second, p=p, k=k)
    return working_of_share(numbered(columns, number="depth"), "RBO", value)


def user_novelty(seen: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.user_novelty`: one row per rank.

    Examples
    --------
    >>> user_novelty([True, False])["user novelty"].tolist()
    [0.0, 0.5]
    """
    return _table_of_values(
        beyond_accuracy.user_novelty, beyond_accuracy.user_novelty_terms, items, seen=seen
    )


def temporal_novelty(days: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.temporal_novelty`: one row per rank.

    Examples
    --------
    >>> temporal_novelty([0, 7])["days"].tolist()
    [0, 7]
    """
    return _table_of_values(
        beyond_accuracy.temporal_novelty, beyond_accuracy.temporal_novelty_terms, items, days=days
    )


def inverse_user_frequency(
    users: npt.ArrayLike, n_users: int, *, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.beyond_accuracy.inverse_user_frequency`.

    It has one row per rank.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)["MIUF"].tolist()
    [0.5, 2.0]
    """
    return _table_of_values(
        beyond_accuracy.inverse_user_frequency,
        beyond_accuracy.inverse_user_frequency_terms,
        items,
        users=users,
        n_users=n_users,
    )


def average_popularity(interactions: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.beyond_accuracy.average_popularity`: one row per rank.

    Examples
    --------
    >>> average_popularity([4, 1])["ARP"].tolist()
    [2.0, 2.5]
    """
    return _table_of_values(
        beyond_accuracy.average_popularity,
        beyond_accuracy.average_popularity_terms,
        items,
        interactions=interactions,
    )
