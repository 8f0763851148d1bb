"""The working of one user's value under a measure of an evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from receval import working
from receval._checks import AnyArray
from receval.definitions.definition import Measure
from receval.definitions.lists import UserLists
from receval.metrics.formula import RankFormula
from receval.working.tables import term_table


def working_of(measure: Measure, block: UserLists, items: AnyArray) -> pd.DataFrame | None:
    """Return the table of the terms that add up to a user's value under a measure.

    ``block`` holds the list of this user alone, and ``items`` are the labels of the listed items.
    The measure has a value for each user. Returns None if the value is a custom function of whole
    lists, which is not a sum of terms.
    """
    computation = measure.computation_under(block.run.context)
    if isinstance(computation, RankFormula):  # a sum over ranks
        lists = measure.binarized_lists(block)
        label = measure.spec.label or measure.key
        return term_table(computation, lists, measure.k, items, label)
    if measure.is_custom:
        return None
    # The value comes from an array function, such as `intra_list_diversity`. A function of
    # `receval.working` with the same name and arguments returns the table.
    name = computation.function.__name__.removesuffix("_terms")
    table_of: Callable[..., pd.DataFrame] = getattr(working, name)
    arguments = computation.arguments(measure.binarized_lists(block), measure.k)
    for argument, values in arguments.items():
        if np.ndim(values) > 0:  # an array with an axis of lists, of which there is one
            arguments[argument] = np.asarray(values)[0]
    if "actual" in arguments:  # MAE, MSE or RMSE, which cover only the rated items
        is_rated = ~np.isnan(arguments["actual"])
        items = items[is_rated]
        arguments = {argument: values[is_rated] for argument, values in arguments.items()}
    # Label the rows, unless ``items`` is an argument of the array function itself, as for PC.
    arguments.setdefault("items", items)
    return table_of(**arguments)
