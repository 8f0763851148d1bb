"""The tables of the workings: from terms and their labels, or from the formula of a measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_array, as_gains, check_overflow, divide_or_nan
from receval._checks import AnyArray, FloatArray, check_text, check_that
from receval._table import WorkingTable
from receval.definitions.definition import Measure
from receval.definitions.lists import UserLists
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import (
    PREFIX_FACTORS,
    RankedLists,
    RankFormula,
    TermColumns,
    perfect_lists,
)
from receval.metrics.spec import PerListFunction, SetLevel

Labels: TypeAlias = Sequence[object] | AnyArray | None
"""Names of the items, members or rows that a table shows; None: there are no names."""

Column: TypeAlias = Sequence[object] | AnyArray | pd.Series
Columns: TypeAlias = Mapping[str, Column]
"""The columns of a table by name. In a working, "term" is what each row adds to the sum."""


def check_one_list(array: AnyArray, name: str) -> AnyArray:
    """Return the array; raise `InputError` unless it has one axis."""
    check_that(array.ndim == 1, name, "be one list (one axis)", array.shape)
    return array


def read_gains(gains: npt.ArrayLike) -> FloatArray:
    """Return the grades of one list without its empty ranks."""
    grades = check_one_list(as_gains(gains), "gains")
    return grades[~np.isnan(grades)]


def read_relevance(relevance: npt.ArrayLike) -> FloatArray:
    """Return the grades of all relevant items of one list, in any order."""
    return check_one_list(as_gains(relevance, "relevance", by_rank=False), "relevance")


def as_labels(labels: Labels, n: int) -> AnyArray:
    """Return the labels as an array, or the numbers from 1 to n if they are None.

    Raises `InputError` unless they are a list or array of at least n labels. There may be more,
    because a list can be cut after the first n items; the result has them all.
    """
    if labels is None:
        return np.arange(1, n + 1)
    array = as_array(labels, "items")
    check_that(array.ndim == 1 and array.size >= n, "items", f"name {n} items", array.size)
    check_text(array.tolist(), "items")
    return array


def numbered(columns: Columns, items: Labels = None, number: str = "rank") -> dict[str, Column]:
    """Put a column ``number`` before the columns, which counts the rows from 1.

    If ``items`` are given, they label the rows in a second column "item". There may be more of them
    than rows.
    """
    n_rows = len(columns["term"])
    first: dict[str, Column] = {number: np.arange(1, n_rows + 1)}
    if items is not None:
        first["item"] = as_labels(items, n_rows)[:n_rows]
    return {**first, **columns}


def working_of_sum(columns: Columns, metric: str, value: npt.ArrayLike) -> WorkingTable:
    """Build the working of a metric that is the sum of its terms: add the running sum.

    ``metric`` is the name of the metric, and ``value`` its value.
    """
    table = WorkingTable({**columns, "running sum": running_sum(columns["term"], metric)})
    table.attrs.update(metric=metric, value=float(np.asarray(value)))
    return table


def working_of_share(
    columns: Columns, metric: str, value: npt.ArrayLike, divisor: float | None = None
) -> WorkingTable:
    """Build the working of a metric that divides the sum of its terms by a constant.

    The last column, named after the metric, is the running sum divided by the same constant. So its
    last row is the value. The constant follows from the sum and the value. Pass it as ``divisor``
    if the sum can be 0 although some terms aren't.
    """
    table = working_of_sum(columns, metric, value)
    sums = table["running sum"].to_numpy()
    if divisor is None:
        # If the running sum is 60 % of the total, the metric so far is 60 % of the value. If the
        # total is 0, all shares are 0.
        shares = np.nan_to_num(divide_or_nan(sums, sums[-1:]))
        table[metric] = shares * table.attrs["value"]
    else:
        table[metric] = divide_or_nan(sums, divisor)
    return table


def running_sum(terms: Column, metric: str) -> FloatArray:
    """Return the running sum of the terms of a metric; raise `InputError` if it is too large."""
    with np.errstate(over="ignore"):
        sums = np.cumsum(np.asarray(terms, np.float64))
    return check_overflow(sums, f"the terms of {metric}")


def term_table(
    formula: RankFormula, lists: RankedLists, k: int | None, items: Labels, label: str
) -> pd.DataFrame:
    """Build the table of one list, in which each term is the product of the columns before it.

    ``lists`` has this list alone. Its arrays may have an axis of lists before the axis of ranks.

    A term is what a rank adds to the value. The columns are the rank, the label from ``items`` if
    they are not None, the factors of the term, the term, and the running sum of the terms. If the
    formula divides the sum, a last column named ``label`` has the value so far. The table shows the
    first ``k`` ranks (None: all), or all ranks if the formula has a cut-off for each list; then the
    ranks after that cut-off have the term 0.
    """
    table = WorkingTable(numbered(_factors_and_terms(formula, lists, k), items))
    if isinstance(formula.divisor, str):
        # The divisor is the same sum, taken over another list: "ideal" (the best list that the
        # relevant items allow) or "perfect" (only items of grade 1). Show that list, too.
        best = lists.best
        if formula.divisor == "perfect":
            best = perfect_lists(lists, k)
        ideal_terms = _factors_and_terms(RankFormula(formula.terms), best, k)["term"]
        table = _beside_ideal(table, ideal_terms, label)
    else:
        sums = running_sum(table["term"], label)
        table["running sum"] = sums
        # The divisor of F1 has two named parts, the divisors of precision and recall. Show the
        # values of both. Other divisors have no parts.
        for name, part in getattr(formula.divisor, "parts", {}).items():
            table[name] = RankFormula(formula.terms, part).divide(sums, lists, k)
        if formula.divisor is not None:
            # The formula divides the running sums as it divides the sum of all terms.
            table[label] = formula.divide(sums, lists, k)
    table.attrs.update(metric=label, value=np.asarray(formula(lists, k)).item())
    return table


def _factors_and_terms(
    formula: RankFormula, lists: RankedLists, k: int | None
) -> dict[str, FloatArray]:
    """Return the columns of the terms of one list and of what explains them.

    These are the grade (left out if the gain is the grade itself) and the factors of the term: the
    gain, the weight of the rank, and the prefix factor, which depends on the ranks so far. A factor
    is left out if it is always 1.
    """
    gains, weight, prefix_factor, terms = terms_by_rank(formula, lists, k)
    columns: dict[str, AnyArray | None] = {"gain": gains, "weight": weight}
    if formula.terms.gain is not linear_gain:
        columns = {"grade": lists.grades, **columns}
    if formula.terms.above is not None:
        columns[PREFIX_FACTORS[formula.terms.above].name] = prefix_factor
    columns["term"] = terms
    n_ranks = min(np.asarray(lists.length).item(), terms.size)
    return {
        name: column.ravel()[:n_ranks].astype(np.float64)
        for name, column in columns.items()
        if column is not None
    }


def _beside_ideal(table: WorkingTable, ideal_terms: FloatArray, label: str) -> WorkingTable:
    """Return the table of a list with the terms and sums of the ideal list, and the metric so far.

    The metric so far, in a column named ``label``, is the running sum of the list divided by the
    running sum of the ideal list, or NaN while the latter is 0. After its end, a list has the term
    0.
    """
    n_ranks = max(len(table), len(ideal_terms))
    table = WorkingTable(table.reindex(range(n_ranks)))  # what explains an added term is NaN
    table["rank"] = np.arange(1, n_ranks + 1)
    table["term"] = table["term"].fillna(0.0)
    table["running sum"] = running_sum(table["term"], label)
    table["ideal term"] = pd.Series(ideal_terms).reindex(range(n_ranks), fill_value=0.0)
    table["ideal sum"] = running_sum(table["ideal term"], label)
    share = divide_or_nan(table["running sum"], table["ideal sum"])
    # Adding up the same terms in another order can give slightly more than the ideal sum, because
    # of rounding.
    table[label] = np.minimum(share, 1)
    return table


def is_sum_over_ranks(measure: Measure) -> bool:
    """Return whether a user's value under a measure is a sum over the ranks of the list."""
    # Any other computation is a formula, or a function of options that returns one.
    return not isinstance(measure.spec.computation, (PerListFunction, SetLevel))


def rank_contributions(measure: Measure, block: UserLists) -> FloatArray:
    """Return what each rank adds to the value of each user, shape (users, ranks).

    This is the term of the rank in the working, divided as the measure divides the sum of all
    terms: for nDCG by the ideal DCG, for AP by the number of relevant items. The contributions of a
    user add up to the user's value, apart from rounding in the last digit. (This does not hold if
    the value is a mean over several orders of equal scores.) A rank without a term, such as those
    after the first hit under MRR, adds 0, and so do all ranks of users without relevant items.

    ``block`` has the users' lists. The measure must be a sum over ranks, see `is_sum_over_ranks`.
    """
    formula = measure.computation_under(block.run.context)
    assert isinstance(formula, RankFormula)  # as in all measures that are sums over ranks
    lists = measure.binarized_lists(block)
    terms = terms_by_rank(formula, lists, measure.k).terms.astype(np.float64)
    # `divide` takes numbers with the users in the last axis, and divides those of each user by the
    # user's divisor. Usually they are the sums of the terms; here they are the terms themselves.
    contributions = formula.divide(terms.T, lists, measure.k).T
    has_no_divisor = np.isnan(contributions)  # nothing is relevant, so the divisor is 0
    return np.where(has_no_divisor, 0.0, contributions)


def terms_by_rank(formula: RankFormula, lists: RankedLists, k: int | None) -> TermColumns:
    """Return the terms of the first ``k`` ranks of some lists, and the factors of the terms.

    If the formula has a cut-off for each list, as R-precision has, the result has all ranks. Those
    after the cut-off have the term 0.
    """
    if formula.list_cutoff is None:
        return formula.terms.columns(lists.grades[..., :k])
    columns = formula.terms.columns(lists.grades)
    ranks = np.arange(1, columns.terms.shape[-1] + 1)
    is_counted = ranks <= np.expand_dims(formula.list_cutoff(lists), -1)
    return columns._replace(terms=columns.terms * is_counted)
