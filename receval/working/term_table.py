"""The table that follows from a measure's formula: gain, weight and prefix factor, rank by rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import AnyArray, FloatArray
from receval._table import WorkingTable, label_of_value
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import PREFIX_FACTORS, ArrayLists, RankFormula, perfect_lists
from receval.working._tables import Labels, running_sum, table_by_rank


class ListTerms(NamedTuple):
    """The terms of one list by rank, their running sums, and the columns that explain the terms."""

    explaining: dict[str, FloatArray | None]
    terms: FloatArray
    sums: FloatArray

    @property
    def columns(self) -> dict[str, FloatArray | None]:
        """The columns of the table, by name. Those that are None are left out."""
        return {**self.explaining, "term": self.terms, "running sum": self.sums}


def term_table(
    formula: RankFormula, lists: ArrayLists, k: int | None, items: Labels, label: str
) -> pd.DataFrame:
    """Build the table of one list, in which each term is the product of the columns before it.

    A term is what a rank adds to the value. The columns are the rank, the label from ``items`` if
    they are not None, the factors of the term, the term, and the running sum of the terms. If the
    formula divides the sum, a last column named ``label`` has the value so far. The table shows the
    first ``k`` ranks (None: all), or all ranks if the formula has a cut-off for each list; then the
    ranks after that cut-off have the term 0.
    """
    # Compute the columns before building the table, because adding columns to it takes longer.
    actual = _terms_of(formula, lists, k, label)
    if isinstance(formula.divisor, str):
        # The divisor is the same sum, taken over another list: "ideal" (the best list that the
        # relevant items allow) or "perfect" (only items of grade 1). Show that list, too.
        if formula.divisor == "ideal":
            best = lists.best
        else:
            best = perfect_lists(lists, k)
        ideal = _terms_of(RankFormula(formula.terms), best, k, label)
        table = _table_with_ideal(actual, ideal, items, label)
    else:
        columns = actual.columns
        if formula.divisor is not None:
            # The formula divides the total of a list by its divisor. If we pass `sums`, it divides
            # them instead. We pass the running sums, so that each row gets the value so far.
            sums = actual.sums
            # The divisor of F1 has two named parts, the divisors of precision and recall. Show the
            # values of both. Other divisors have no parts.
            for name, part in getattr(formula.divisor, "parts", {}).items():
                columns[name] = RankFormula(formula.terms, part).divide(sums, lists, k)
            columns[label_of_value(label)] = formula.divide(sums, lists, k)
        table = table_by_rank(columns, items)
    table.attrs.update(metric=label, value=float(formula(lists, k)))
    return table


def _terms_of(formula: RankFormula, lists: ArrayLists, k: int | None, label: str) -> ListTerms:
    """Return the terms of one list, their running sums, and the columns that explain them.

    These columns are the grade (None if the gain is the grade itself) and the factors of the term:
    the gain, the weight of the rank, and the prefix factor, which depends on the ranks so far. A
    factor is None if it is always 1. ``label`` names the metric in errors.
    """
    grades = lists.grades[: lists.length]
    if formula.list_cutoff is None:
        grades = grades[:k]
    gains, weight, prefix_factor, terms = formula.terms.columns(grades)
    if formula.list_cutoff is not None:
        # Keep the ranks after the cut-off of this list, but with the term 0.
        is_counted = np.arange(terms.size) < int(formula.list_cutoff(lists))
        terms = terms * is_counted
    shown_grades = None
    if formula.terms.gain is not linear_gain:
        shown_grades = grades
    prefix_name = "above"
    if formula.terms.above is not None:
        prefix_name = PREFIX_FACTORS[formula.terms.above].name
    explaining = {
        "grade": _as_floats(shown_grades),
        "gain": _as_floats(gains),
        "weight": _as_floats(weight),
        prefix_name: _as_floats(prefix_factor),
    }
    terms = terms.astype(np.float64)
    return ListTerms(explaining, terms, running_sum(terms, label))


def _as_floats(values: AnyArray | None) -> FloatArray | None:
    """Return the values as float64, or None."""
    if values is None:
        return None
    return values.astype(np.float64)


def _table_with_ideal(
    actual: ListTerms, ideal: ListTerms, items: Labels, label: str
) -> WorkingTable:
    """Build the table of a list with the terms and sums of the ideal list, and the metric so far.

    The metric so far, in a column named ``label``, is the running sum of the list divided by the
    running sum of the ideal list, or NaN while the latter is 0.
    """
    n_ranks = max(actual.terms.size, ideal.terms.size)
    table = table_by_rank(actual.columns, items)
    sums = _extend_sums(actual.sums, n_ranks)
    ideal_sums = _extend_sums(ideal.sums, n_ranks)
    if n_ranks > actual.terms.size:
        # Add the ranks that only the ideal list has. What explains a term is NaN there.
        table = WorkingTable(table.reindex(range(n_ranks)))
        table["rank"] = np.arange(1, n_ranks + 1)
        table["term"] = _extend_terms(actual.terms, n_ranks)
        table["running sum"] = sums
    table["ideal term"] = _extend_terms(ideal.terms, n_ranks)
    table["ideal sum"] = ideal_sums
    share = np.full(n_ranks, np.nan)
    np.divide(sums, ideal_sums, out=share, where=ideal_sums > 0)
    # Adding up the same terms in another order can give slightly more than the ideal sum, because
    # of rounding.
    table[label_of_value(label)] = np.minimum(share, 1)
    return table


def _extend_terms(terms: FloatArray, n_ranks: int) -> FloatArray:
    """Return the terms of ``n_ranks`` ranks. After its end, a list has the term 0."""
    return np.append(terms, np.zeros(n_ranks - terms.size))


def _extend_sums(sums: FloatArray, n_ranks: int) -> FloatArray:
    """Return the running sums of ``n_ranks`` ranks. After its end, a list keeps its sum, or 0."""
    last_sum = sums[-1] if sums.size else 0.0
    return np.append(sums, np.full(n_ranks - sums.size, last_sum))
