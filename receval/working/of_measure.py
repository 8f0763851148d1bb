"""The working of one user's value under a measure of tables."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from receval import working
from receval.measure.block import UserBlock
from receval.measure.definition import EvaluationContext, Measure
from receval.measure.items import ListsWithItems
from receval.metrics.formula import ArrayLists, RankFormula
from receval.working.by_form import term_table


def working_of(
    measure: Measure, block: UserBlock, context: EvaluationContext, items: Any
) -> pd.DataFrame | None:
    """The table of a block of one user; None where the measure is a function of the whole list."""
    how = measure.computation_under(context) if measure.per_user else None
    block = cast(UserBlock, measure.binarized_lists(block, context))
    if isinstance(how, RankFormula):
        scores = None if block.scores is None else block.scores[0]
        one = ArrayLists(
            block.grades[0], block.n_relevant[0], block.relevance[0], scores, "relevance"
        )
        return term_table(how, one, measure.k, items, measure.stated.label or measure.key)
    if measure.own or how is None:
        return None
    table = getattr(working, how.function.__name__.removesuffix("_terms"))
    given = {
        name: values if np.ndim(values) == 0 else np.asarray(values)[0]
        for name, values in how.arguments(ListsWithItems(block, context), measure.k).items()
    }
    if "catalogue" in given:  # terms of items that are not listed
        return None
    if "actual" in given:
        rated = ~np.isnan(given["actual"])
        items, given = items[rated], {name: values[rated] for name, values in given.items()}
    return cast("pd.DataFrame", table(**{"items": items, **given}))
