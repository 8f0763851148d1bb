"""The working of one user's value under a measure of an evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from receval import working
from receval._checks import AnyArray
from receval.definitions.context import EvaluationContext, ListsWithItems
from receval.definitions.definition import Measure
from receval.definitions.lists import UserLists
from receval.metrics.formula import ArrayLists, RankedLists, RankFormula
from receval.metrics.spec import PerListFunction
from receval.working.term_table import term_table


def working_of(
    measure: Measure, block: UserLists, context: EvaluationContext, items: AnyArray
) -> pd.DataFrame | None:
    """Return the table of the terms that add up to a user's value under a measure.

    ``block`` holds the list of this user alone. ``context`` has the convention and the facts about
    items that the measure needs, and ``items`` are the labels of the listed items. Returns None if
    the value is not a sum of terms of the listed items: for a custom function of whole lists, a
    measure of all users together, and a measure that also counts items outside the list.
    """
    if not measure.per_user:  # a measure of all users together
        return None
    computation = measure.computation_under(context)
    lists = measure.binarized_lists(block, context)
    if isinstance(computation, RankFormula):  # a sum over ranks
        label = measure.spec.label or measure.key
        return term_table(computation, _single_list(lists), measure.k, items, label)
    if measure.is_custom:  # a user's function of whole lists
        return None
    lists_with_items = ListsWithItems(lists, context)
    return _working_of_function(computation, lists_with_items, measure.k, items)


def _single_list(lists: RankedLists) -> ArrayLists:
    """Return the first list of a block without the axis of lists, as array functions take it."""
    scores = None
    if lists.scores is not None:
        scores = lists.scores[0]
    return ArrayLists(
        grades=lists.grades[0],
        n_relevant=lists.n_relevant[0],
        relevance=lists.relevance[0],
        scores=scores,
        grades_name="relevance",
    )


def _working_of_function(
    computation: PerListFunction, lists: ListsWithItems, k: int | None, items: AnyArray
) -> pd.DataFrame | None:
    """Return the working of a measure that an array function computes, for a single list.

    `receval.working` has a function for it, with the name of the array function (without "_terms")
    and the same arguments. ``lists`` has the list of a single user, and ``items`` are the labels of
    its items. Returns None if the measure also counts items outside the list.
    """
    name = computation.function.__name__.removesuffix("_terms")
    table_of: Callable[..., pd.DataFrame] = getattr(working, name)
    arguments = {}
    for argument, values in computation.arguments(lists, k).items():
        if np.ndim(values) == 0:  # an option, the same for all lists
            arguments[argument] = values
        else:  # an array with an axis of lists, of which there is one
            arguments[argument] = np.asarray(values)[0]
    if "catalogue" in arguments:  # AUC over all items of the catalogue
        return None
    if "actual" in arguments:  # MAE, MSE or RMSE, which cover only the rated items
        is_rated = ~np.isnan(arguments["actual"])
        items = items[is_rated]
        arguments = {argument: values[is_rated] for argument, values in arguments.items()}
    # `items` are labels, unless the array function has its own argument `items`, as for PC.
    return table_of(**{"items": items, **arguments})
