"""The table that follows from a measure's formula: gain, weight and prefix factor, rank by rank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval._table import WorkingTable
from receval._types import AnyArray
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import ArrayLists, RankFormula, perfect_lists
from receval.working._tables import Labels, add_running_sum, table_by_rank


def term_table(
    formula: RankFormula, lists: ArrayLists, k: int | None, items: Labels, label: str
) -> pd.DataFrame:
    """Build the table of one list: each term is the product of the columns before it.

    If the sum of the terms is divided, a last column named ``label`` has the value so far. Some
    measures have a cut-off for each list: the table shows the ranks below it too, with term 0.
    """
    table = table_by_rank(_term_columns(formula, lists, k), items)
    add_running_sum(table, label)
    if isinstance(formula.divisor, str):
        best = lists.best if formula.divisor == "ideal" else perfect_lists(lists, k)
        ideal = term_table(RankFormula(formula.terms), best, k, None, label)
        table = _join_ideal(table, ideal, label)
    elif formula.divisor is not None:
        sums = table["running sum"].to_numpy()
        # A divisor of several parts, such as that of F1, has a column for each part.
        for name, part in getattr(formula.divisor, "parts", {}).items():
            table[name] = RankFormula(formula.terms, part)(lists, k, sums)
        table[label] = formula(lists, k, sums)
    table.attrs.update(metric=label, value=float(formula(lists, k)))
    return table


def _term_columns(
    formula: RankFormula, lists: ArrayLists, k: int | None
) -> dict[str, AnyArray | None]:
    """Return the columns of the terms of one list; None for a factor that is always 1.

    The grades have a column only if the gain changes them.
    """
    grades = lists.grades[: lists.length]
    if formula.list_cutoff is None:
        grades = grades[:k]
    gains, weight, above, terms = formula.terms.columns(grades)
    if formula.list_cutoff is not None:
        terms = terms * (np.arange(terms.size) < int(formula.list_cutoff(lists)))
    changes_grades = formula.terms.gain is not linear_gain
    return {
        "grade": _as_floats(grades) if changes_grades else None,
        "gain": _as_floats(gains),
        "weight": _as_floats(weight),
        getattr(formula.terms.prefix_factor, "name", "above"): _as_floats(above),
        "term": _as_floats(terms),
    }


def _as_floats(values: AnyArray | None) -> FloatArray | None:
    """Return the values as float64, or None."""
    if values is None:
        return None
    return values.astype(np.float64)


def _join_ideal(actual: WorkingTable, ideal: pd.DataFrame, label: str) -> WorkingTable:
    """Put the terms and sums of the ideal list beside a list, and add the ratio of the sums."""
    names = {"term": "ideal term", "running sum": "ideal sum"}
    ideal = ideal[["rank", *names]].rename(columns=names)
    table = WorkingTable(actual.merge(ideal, on="rank", how="outer"))
    # The shorter list of the two earns nothing further, and keeps its sum.
    table[["term", "ideal term"]] = table[["term", "ideal term"]].fillna(0.0)
    table[["running sum", "ideal sum"]] = table[["running sum", "ideal sum"]].ffill().fillna(0.0)
    share = table["running sum"] / table["ideal sum"].where(table["ideal sum"] > 0)
    # The same terms in another order can sum up to more than the ideal by a rounding error.
    table[label] = share.clip(upper=1)
    return table
