"""The table that follows from a measure's formula: gain, weight and prefix factor, rank by rank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan
from receval._checks import AnyArray, FloatArray
from receval._table import WorkingTable, label_of_value
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import (
    PREFIX_FACTORS,
    RankedLists,
    RankFormula,
    perfect_lists,
)
from receval.working._tables import Labels, numbered, running_sum
from receval.working.by_rank import terms_by_rank


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
            table[label_of_value(label)] = formula.divide(sums, lists, k)
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
    table[label_of_value(label)] = np.minimum(share, 1)
    return table
