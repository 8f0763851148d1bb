"""The working of the ranking metrics: one row per rank, from the form that each metric states.

Arguments are those of the metric, and ``items``, a label for each rank. A term is the product of
the columns before it; the last column is the metric so far.

Examples
--------
Only the first hit counts, and earns its weight; what the ranks above leave is a column:

>>> hit([0, 1, 1])["term"].tolist()
[0.0, 1.0, 0.0]
>>> reciprocal_rank([0, 1, 1]).iloc[1:, 2:].round(4)
   gain  weight  not stopped above  term  running sum
1   1.0  0.5000                1.0   0.5          0.5
2   1.0  0.3333                0.0   0.0          0.5
>>> average_precision([1, 0, 1], 2).round(4)[["precision so far", "term", "AP"]]
   precision so far    term      AP
0            1.0000  1.0000  0.5000
1            0.5000  0.0000  0.5000
2            0.6667  0.6667  0.8333

Where the sum is divided, a column named after the metric says what it comes to so far:

>>> precision([1, 0, 1], k=3)["running sum"].tolist()
[1.0, 1.0, 2.0]
>>> recall([1, 0, 1], 4)["recall"].tolist()
[0.25, 0.25, 0.5]
>>> r_precision([1, 0, 1], 2)["term"].tolist()
[1.0, 0.0, 0.0]

The list and the best list possible stand side by side (``ideal term``, ``ideal sum``):

>>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
[9.0, 18.0, 24.0, 28.0]
>>> dcg([3, 2, 0]).round(4)["term"].tolist()
[3.0, 1.2619, 0.0]
>>> ndcg([0, 3], [3, 1]).round(4)[["running sum", "ideal sum", "nDCG"]]
   running sum  ideal sum    nDCG
0       0.0000     3.0000  0.0000
1       1.8928     3.6309  0.5213
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray
from receval._lists import as_flags, as_gains, check_cutoff
from receval._table import WorkingTable
from receval.measure.names import STATED
from receval.metrics import ranking
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2
from receval.metrics.formula import ArrayLists, RankFormula
from receval.metrics.ranking import binary, binary_counts, binary_precisions, graded
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel
from receval.working._tables import (
    Labels,
    as_labels,
    finished,
    one_count,
    one_list,
    ranked,
    terms_and_value,
    vector,
)
from receval.working.by_form import term_table

__all__ = [
    "auc",
    "average_precision",
    "bpref",
    "cumulative_gain",
    "dcg",
    "f1",
    "hit",
    "ideal_dcg",
    "ndcg",
    "precision",
    "r_precision",
    "recall",
    "reciprocal_rank",
]


def _relevance(grades: npt.ArrayLike) -> FloatArray:
    return vector(as_gains(grades, "relevance", by_rank=False), "relevance")


READ: dict[str, Callable[[Any], Any]] = {
    "gains": one_list,
    "n_relevant": one_count,
    "relevance": _relevance,
}
"""How the arguments of a metric that tell of its lists are read where there is one list."""
ITEMS = inspect.Parameter("items", inspect.Parameter.KEYWORD_ONLY, default=None)
LIKE_ALL = str(__doc__).partition("\n")[2]  # arguments and examples of all that follow from a form


def _of(metric: Callable[..., Any], stated: MeasureSpec) -> Callable[..., pd.DataFrame]:
    """The working of a ranking metric, from the form that it states."""
    signature, how = inspect.signature(metric), cast(Any, stated.computation)

    def working(*args: Any, items: Labels = None, **options: Any) -> pd.DataFrame:
        given = signature.bind(*args, **options).arguments
        known = {name: READ[name](given[name]) for name in READ if given.get(name) is not None}
        metric(**given | known)  # refuses what does not fit
        chosen = {name: given[name] for name in given if name not in {*READ, "k"}}
        form: RankFormula = how if isinstance(how, RankFormula) else how(**chosen)
        one = ArrayLists(known.pop("gains"), **known)
        return term_table(
            form, one, check_cutoff(given.get("k")), items, stated.label or stated.name
        )

    with_items = [*signature.parameters.values(), ITEMS]
    vars(working)["__signature__"] = signature.replace(parameters=with_items)
    working.__doc__ = f"The working of `receval.metrics.ranking.{metric.__name__}`.\n{LIKE_ALL}"
    return update_wrapper(working, metric, assigned=("__name__", "__qualname__"))


hit = _of(ranking.hit, binary.HR)
reciprocal_rank = _of(ranking.reciprocal_rank, binary.MRR)
precision = _of(ranking.precision, binary_counts.PRECISION)
recall = _of(ranking.recall, binary_counts.RECALL)
r_precision = _of(ranking.r_precision, binary_precisions.R_PRECISION)
average_precision = _of(ranking.average_precision, binary_precisions.MAP)
cumulative_gain = _of(ranking.cumulative_gain, graded.CG)
dcg = _of(ranking.dcg, graded.DCG)
ndcg = _of(ranking.ndcg, graded.NDCG)


def f1(gains: npt.ArrayLike, n_relevant: int, *, k: int | None = None) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.f1` of one list: its precision and its recall.

    Both divide the same hits, precision by the cut-off (without ``k`` by the length of the
    list) and recall by ``n_relevant``. Their harmonic mean is the hits of both rows over the
    denominators of both rows, so the column ``F1`` comes to it in the last row.

    Examples
    --------
    >>> f1([1, 0, 1, 0], 2).round(4)
         measure  hits  denominator  value      F1
    0  precision   2.0            4    0.5  0.5000
    1     recall   2.0            2    1.0  0.6667
    """
    grades, total = one_list(gains), one_count(n_relevant)
    both = ranking.precision(grades, k=k), ranking.recall(grades, total, k=k)
    hits, cut = float(np.count_nonzero(grades[:k] > 0)), grades.size if k is None else k
    shares = {"measure": ["precision", "recall"], "hits": hits, "denominator": [cut, total]}
    table = WorkingTable(shares | {"value": [*both]})
    so_far = table["hits"].cumsum() / table["denominator"].cumsum()
    # Undefined from the first share on that is.
    table["F1"] = so_far.where(table["value"].notna().cummin())
    table.attrs.update(metric="F1", value=float(ranking.f1(*both)))
    return table


def ideal_dcg(
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ideal_dcg`: the items sorted best first.

    ``items`` are the labels of ``relevance`` as given; they are sorted along.

    Examples
    --------
    >>> ideal_dcg([0, 2, 3], k=2, items=["a", "b", "c"])["item"].tolist()
    ['c', 'b']
    """
    grades = np.nan_to_num(_relevance(relevance), nan=0.0)
    best_first = np.argsort(-grades, kind="stable")[: check_cutoff(k)]
    labels = None if items is None else as_labels(items, grades.size)[best_first]
    one = ArrayLists(grades[best_first], called="relevance")
    return term_table(graded.dcg_form(gain, discount), one, None, labels, "IDCG")


def auc(
    gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.auc`: irrelevant items that each relevant one beats.

    Examples
    --------
    >>> auc([1, 0, 1, 0])["term"].tolist()
    [2.0, 0.0, 1.0, 0.0]
    """
    grades = one_list(gains)
    terms, value = terms_and_value(ranking, "auc", gains, scores=scores)
    table = ranked({"gain": grades, "term": terms[: grades.size]}, items)
    return finished(table, "AUC", value)


def bpref(
    gains: npt.ArrayLike,
    judged: npt.ArrayLike,
    n_relevant: int,
    n_irrelevant: int,
    *,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.bpref`: irrelevant items that none is below.

    Examples
    --------
    >>> bpref([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)["bpref"].tolist()
    [0.0, 0.25, 0.25, 0.5]
    """
    grades, flags = one_list(gains), vector(as_flags(judged, "judged"), "judged")
    counts = one_count(n_relevant), one_count(n_irrelevant, "n_irrelevant")
    terms, value = terms_and_value(ranking, "bpref", gains, flags, *counts)
    columns = {"gain": grades, "judged": flags, "term": terms}
    columns = {name: column[: grades.size] for name, column in columns.items()}
    return finished(ranked(columns, items), "bpref", value)


def working_from_spec(name: str) -> Callable[..., pd.DataFrame]:
    """The working of a metric without a function here, from what it states: of ``rbp``, of ``err``.

    Its arguments are the metric's, and ``items``.
    """
    stated = {one.name.lower(): one for one in STATED}.get(name)
    if (
        stated is None
        or not hasattr(ranking, name)
        or isinstance(stated.computation, (PerListFunction, SetLevel))
    ):
        raise AttributeError(f"module 'receval.working' has no attribute {name!r}")
    return _of(getattr(ranking, name), stated)
