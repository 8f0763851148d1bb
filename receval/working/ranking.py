"""The working of the metrics of one list: one row per rank, from what each metric states.

The arguments are those of the metric, plus ``items``: a label for each rank. If the metric has a
formula by rank, a term is the product of the columns before it. The last column is the metric so
far.

Examples
--------
>>> from receval.working import average_precision, cumulative_gain, dcg, hit, ndcg, precision
>>> from receval.working import auc, bpref, inverse_user_frequency, r_precision, recall
>>> from receval.working import reciprocal_rank, user_novelty

`hit` and `reciprocal_rank` count only the first hit, and its term is its weight. A column shows the
share of users who haven't stopped at a rank above:

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

If the sum is divided, a column named after the metric has the value so far:

>>> precision([1, 0, 1], k=3)["running sum"].tolist()
[1.0, 1.0, 2.0]
>>> recall([1, 0, 1], 4)["recall"].tolist()
[0.25, 0.25, 0.5]
>>> r_precision([1, 0, 1], 2)["term"].tolist()
[1.0, 0.0, 0.0]

The nDCG compares the list with the best possible one (``ideal term``, ``ideal sum``):

>>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
[9.0, 18.0, 24.0, 28.0]
>>> dcg([3, 2, 0]).round(4)["term"].tolist()
[3.0, 1.2619, 0.0]
>>> ndcg([0, 3], [3, 1]).round(4)[["running sum", "ideal sum", "nDCG"]]
   running sum  ideal sum    nDCG
0       0.0000     3.0000  0.0000
1       1.8928     3.6309  0.5213

Other metrics have terms of their own. A term of `auc` is the number of irrelevant items that a
relevant one beats, where ties count half; one of `bpref` is high if few items that are judged
irrelevant are above; and novelty and popularity are means over the items.

>>> auc([1, 0, 1, 0])["term"].tolist()
[2.0, 0.0, 1.0, 0.0]
>>> bpref([0, 1, 0, 2], [1, 1, 0, 1], 2, 3)["bpref"].tolist()
[0.0, 0.25, 0.25, 0.5]
>>> user_novelty([True, False])["user novelty"].tolist()
[0.0, 0.5]
>>> inverse_user_frequency([4, 1], 8)["MIUF"].tolist()
[0.5, 2.0]
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from importlib import import_module
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_counts, as_flags, check_cutoff, check_same_labels
from receval._checks import FloatArray, Options, check_that, is_scalar
from receval.definitions.definition import STATED
from receval.metrics import ranking
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2
from receval.metrics.formula import ArrayLists, RankFormula
from receval.metrics.ranking.binary import f1_formula
from receval.metrics.ranking.graded import dcg_formula
from receval.metrics.ranking.overlap import rbo_terms
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel
from receval.working.tables import (
    Labels,
    as_labels,
    check_one_list,
    numbered,
    read_gains,
    read_relevance,
    term_table,
    working_of_share,
)

Working: TypeAlias = Callable[..., pd.DataFrame]
"""A function of the arguments of a metric and ``items``, which returns the table of one list."""

ITEMS = inspect.Parameter("items", inspect.Parameter.KEYWORD_ONLY, default=None)
SHARED_DOCUMENTATION = str(__doc__).partition("\n")[2]  # arguments and examples of all workings


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


# Workings that follow from the spec of a measure --------------------------------------------------


@cache
def working_by_name(name: str) -> Working:
    """Return the working of the metric with a name, such as ``ndcg`` or ``user_novelty``.

    The working follows from the spec that states this metric as its function. Raises
    `AttributeError` if there is none, because modules look up their attributes with this function.
    """
    for spec in STATED:
        metric, table_of = spec.function, _table_of_formula
        if isinstance(spec.computation, PerListFunction):
            metric, table_of = spec.computation.function, _table_of_values
        if metric is not None and metric.__name__.removesuffix("_terms") == name:
            return _with_items(metric, partial(table_of, spec))
    raise AttributeError(f"module 'receval.working' has no attribute {name!r}")


def _with_items(metric: Callable[..., FloatArray], table_of: Working) -> Working:
    """Return a function with the name and the arguments of a metric, plus ``items``.

    ``table_of`` is a function of the arguments by name and of ``items``, the labels of the ranks.
    """
    signature = inspect.signature(metric)

    def working(*args: object, items: Labels = None, **kwargs: object) -> pd.DataFrame:
        """Return the table of one list."""
        return table_of(dict(signature.bind(*args, **kwargs).arguments), items)

    # Give the function the signature, the names and the documentation that users see.
    parameters = [*signature.parameters.values(), ITEMS]
    vars(working)["__signature__"] = signature.replace(parameters=parameters)
    family = ".".join(metric.__module__.split(".")[:3])  # such as receval.metrics.ranking
    working.__module__ = "receval.working"  # where pickle looks for it
    summary = f"Return the working of `{family}.{metric.__name__}`."
    working.__doc__ = f"{summary}\n{SHARED_DOCUMENTATION}"
    return update_wrapper(working, metric, assigned=("__name__", "__qualname__"))


def _table_of_formula(spec: MeasureSpec, arguments: Options, items: Labels) -> pd.DataFrame:
    """Return the table of a sum over ranks, which follows from its formula."""
    check_same_labels(gains=arguments.get("gains"), items=items)
    # Some arguments describe the list; these are read as those of a single list.
    for name, read in ARGUMENTS_OF_LISTS.items():
        if arguments.get(name) is not None:
            arguments[name] = read(arguments[name])
    # Call the metric only because it checks all arguments.
    assert spec.function is not None
    spec.function(**arguments)
    of_list = {name: arguments.pop(name) for name in ARGUMENTS_OF_LISTS if name in arguments}
    # The other arguments are the cut-off and options of the formula.
    k = check_cutoff(arguments.pop("k", None))
    formula = spec.computation
    assert not isinstance(formula, (PerListFunction, SetLevel))
    if not isinstance(formula, RankFormula):
        formula = formula(**arguments)
    lists = ArrayLists(of_list.pop("gains"), **of_list)
    return term_table(formula, lists, k, items, spec.label or spec.name)


def _table_of_values(spec: MeasureSpec, arguments: Options, items: Labels) -> pd.DataFrame:
    """Return the table of another metric of one list; the function ``…_terms`` has its terms.

    Each argument with a value by rank is a column. The table has no row for an empty rank.
    """
    check_same_labels(**arguments, items=items)
    for name, value in arguments.items():
        if name in ARGUMENTS_OF_LISTS:
            ARGUMENTS_OF_LISTS[name](value)  # called only for its checks
    assert isinstance(spec.computation, PerListFunction)
    metric = spec.computation.function
    terms_of = getattr(import_module(metric.__module__), f"{metric.__name__}_terms")
    first = next(iter(arguments))
    terms = check_one_list(terms_of(**arguments), first)
    is_item = ~np.isnan(np.asarray(arguments[first], float))
    columns = {
        COLUMN_NAMES.get(name, name): np.asarray(values, COLUMN_TYPES.get(name))[is_item]
        for name, values in arguments.items()
        if np.ndim(values) > 0
    }
    columns["term"] = terms[is_item]
    label = spec.label or spec.name
    return working_of_share(numbered(columns, items), label, metric(**arguments))


# Workings of their own ----------------------------------------------------------------------------


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
    columns = {
        "first": _pad_codes(first, terms.size),
        "second": _pad_codes(second, terms.size),
        "term": terms,
    }
    value = ranking.rbo(first, second, p=p, k=k)
    return working_of_share(numbered(columns, number="depth"), "RBO", value)


def _pad_codes(codes: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    """Return the first n item codes of a ranking, with -1 after its end."""
    return np.append(codes, np.full(n, -1))[:n].astype(np.int64)
