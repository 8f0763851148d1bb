"""The working of one user's value under a measure of tables."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from receval import working
from receval.measure.block import Block
from receval.measure.form import Context, Measure
from receval.measure.items import WithItems
from receval.metrics.form import Form, Lists
from receval.working.by_form import by_form


def of_measure(measure: Measure, block: Block, context: Context, items: Any) -> pd.DataFrame | None:
    """The table of a block of one user; None where the measure is a function of the whole list."""
    how = measure.under(context) if measure.per_user else None
    block = measure.seen(block, context)
    if isinstance(how, Form):
        scores = None if block.scores is None else block.scores[0]
        one = Lists(block.grades[0], block.n_relevant[0], block.relevance[0], scores, "relevance")
        return by_form(how, one, measure.k, items, measure.stated.label or measure.key)
    if measure.own or how is None:
        return None
    table = getattr(working, how.function.__name__.removesuffix("_terms"))
    given = {
        name: values if np.ndim(values) == 0 else np.asarray(values)[0]
        for name, values in how.arguments(WithItems(block, context), measure.k).items()
    }
    if "catalogue" in given:  # terms of items that are not listed
        return None
    if "actual" in given:
        rated = ~np.isnan(given["actual"])
        items, given = items[rated], {name: values[rated] for name, values in given.items()}
    return cast("pd.DataFrame", table(**{"items": items, **given}))
