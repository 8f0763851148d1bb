"""The table that follows from a measure's formula: gain, weight and prefix factor, rank by rank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval._table import WORKING_COLUMNS, WorkingTable, label_of_value
from receval._types import AnyArray
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import ArrayLists, RankFormula, perfect_lists
from receval.working._tables import Labels, add_running_sum, table_by_rank


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
    table = table_by_rank(_term_columns(formula, lists, k), items)
    add_running_sum(table, label)
    if isinstance(formula.divisor, str):
        # The divisor is the same sum, taken over another list: "ideal" (the best list that the
        # relevant items allow) or "perfect" (only items of grade 1). Show that list, too.
        if formula.divisor == "ideal":
            best = lists.best
        else:
            best = perfect_lists(lists, k)
        ideal = term_table(RankFormula(formula.terms), best, k, None, label)
        table = _join_ideal(table, ideal, label)
    elif formula.divisor is not None:
        # The formula divides the total of a list by its divisor. If we pass `sums`, it divides them
        # instead. We pass the running sums, so that each row gets the value so far.
        sums = table["running sum"].to_numpy()
        # The divisor of F1 has two named parts, the divisors of precision and recall. Show the
        # values of both. Other divisors have no parts.
        for name, part in getattr(formula.divisor, "parts", {}).items():
            table[name] = RankFormula(formula.terms, part)(lists, k, sums=sums)
        table[label_of_value(label)] = formula(lists, k, sums=sums)
    table.attrs.update(metric=label, value=float(formula(lists, k)))
    return table


def _term_columns(
    formula: RankFormula, lists: ArrayLists, k: int | None
) -> dict[str, AnyArray | None]:
    """Return the terms of one list and the columns that explain them, by name and rank.

    These are the grade (None if the gain is the grade itself) and the factors of the term: the
    gain, the weight of the rank, and the prefix factor, which depends on the ranks so far. A factor
    is None if it is always 1.
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
    # If users define a prefix factor, it may have no name, or the name of another column.
    prefix_name = getattr(formula.terms.prefix_factor, "name", "above")
    if prefix_name in WORKING_COLUMNS:
        prefix_name = "above"
    return {
        "grade": _as_floats(shown_grades),
        "gain": _as_floats(gains),
        "weight": _as_floats(weight),
        prefix_name: _as_floats(prefix_factor),
        "term": _as_floats(terms),
    }


def _as_floats(values: AnyArray | None) -> FloatArray | None:
    """Return the values as float64, or None."""
    if values is None:
        return None
    return values.astype(np.float64)


def _join_ideal(actual: WorkingTable, ideal: pd.DataFrame, label: str) -> WorkingTable:
    """Add the terms and sums of the ideal list to the table of a list, and the metric so far.

    Both tables have the columns "rank", "term" and "running sum". The metric so far, in a column
    named ``label``, is the running sum of the list divided by the running sum of the ideal list, or
    NaN while the latter is 0.
    """
    names = {"term": "ideal term", "running sum": "ideal sum"}
    ideal = ideal[["rank", *names]].rename(columns=names)
    # An outer join keeps the ranks of both lists.
    table = WorkingTable(actual.merge(ideal, on="rank", how="outer"))
    # After its end, the shorter of the two lists has the term 0 and keeps its sum, which is 0 for
    # an empty list.
    table[["term", "ideal term"]] = table[["term", "ideal term"]].fillna(0.0)
    table[["running sum", "ideal sum"]] = table[["running sum", "ideal sum"]].ffill().fillna(0.0)
    share = table["running sum"] / table["ideal sum"].where(table["ideal sum"] > 0)
    # Adding up the same terms in another order can give slightly more than the ideal sum, because
    # of rounding.
    table[label_of_value(label)] = share.clip(upper=1)
    return table
