"""The table that follows from a measure's form: gain, weight and what is left, rank by rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray
from receval._table import WorkingTable
from receval.metrics.discounts import linear_gain
from receval.metrics.formula import ArrayLists, RankFormula, perfect_lists
from receval.working._tables import Labels, ranked, with_running_sum


def term_table(
    form: RankFormula, one: ArrayLists, k: int | None, items: Labels, label: str
) -> pd.DataFrame:
    """One list as a table, one row per rank: each term is the product of the columns before it.

    Where the sum of the terms is divided, a last column named ``label`` says what it comes to so
    far. Behind a cut-off that the measure has on its own, ranks are shown and add nothing.
    """
    own = None if form.list_cutoff is None else int(form.list_cutoff(one))
    grades = one.grades[: one.length][: k if own is None else None]
    gains, weight, above, terms = form.terms.columns(grades)
    if own is not None:
        terms = terms * (np.arange(terms.size) < own)
    shown = None if form.terms.gain is linear_gain else grades
    factors = {
        "gain": gains,
        "weight": weight,
        getattr(form.terms.prefix_factor, "name", "above"): above,
    }
    columns = {"grade": shown, **factors, "term": terms}
    table = ranked({name: _floats(one) for name, one in columns.items()}, items)
    with_running_sum(table, label)
    if isinstance(form.divisor, str):
        best = one.best if form.divisor == "ideal" else perfect_lists(one, k)
        ideal = term_table(RankFormula(form.terms), best, k, None, label)
        table = _beside_ideal(table, ideal, label)
    elif form.divisor is not None:
        so_far = table["running sum"].to_numpy()
        for name, part in getattr(form.divisor, "parts", {}).items():
            table[name] = RankFormula(form.terms, part)(one, k, so_far)
        table[label] = form(one, k, so_far)
    table.attrs.update(metric=label, value=float(form(one, k)))
    return table


def _floats(values: npt.NDArray[Any] | None) -> FloatArray | None:
    return None if values is None else values.astype(np.float64)


def _beside_ideal(own: WorkingTable, ideal: pd.DataFrame, label: str) -> WorkingTable:
    """A list beside its ideal list, and the ratio of their sums so far."""
    names = {"term": "ideal term", "running sum": "ideal sum"}
    table = WorkingTable(
        own.merge(ideal[["rank", *names]].rename(columns=names), on="rank", how="outer")
    )
    # The shorter list of the two earns nothing further, and keeps its sum.
    table[["term", "ideal term"]] = table[["term", "ideal term"]].fillna(0.0)
    table[["running sum", "ideal sum"]] = table[["running sum", "ideal sum"]].ffill().fillna(0.0)
    share = table["running sum"] / table["ideal sum"].where(table["ideal sum"] > 0)
    table[label] = share.clip(upper=1)  # a sum in another order may be a last bit above the ideal
    return table
