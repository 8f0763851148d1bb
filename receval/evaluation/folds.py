"""Means over folds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, shorten
from receval._exact import mean
from receval.evaluation.result import Evaluation
from receval.measure.form import Measure

__all__ = ["pooled"]


def pooled(folds: Mapping[Any, Evaluation]) -> pd.DataFrame:
    """Micro and macro means over folds.

    Parameters
    ----------
    folds : mapping
        Name of each fold and its `Evaluation`, all with the same systems, measures, convention,
        size of the catalogue, and kind of item ids.

    Returns
    -------
    DataFrame
        Indexed by (system, mean), ``mean`` being ``"micro"`` (all users of all folds together,
        set-level measures over the lists of all folds) or ``"macro"`` (the mean of the folds'
        values); measures in columns, then the number of ``folds`` and of ``users`` judged in
        them. A user judged in two folds counts twice. A measure that has no value for some of
        these has a further column, such as ``AUC users``, of how many do.

    Raises
    ------
    InputError
        If there is no fold, a fold is no `Evaluation`, or folds differ in one of the above.

    Notes
    -----
    The two agree when all folds have the same number of users, but for set-level measures.
    Document 000's programs take the micro mean, document 001's text the macro one.
    """
    _check_alike(folds)
    first = next(iter(folds.values()))
    rows = {}
    for system in first.systems:
        rows[system, "micro"] = {one.name: _micro(folds, system, one) for one in first.measures}
        values = pd.DataFrame([fold.summary.loc[system] for fold in folds.values()])
        rows[system, "macro"] = {
            one.name: mean(values[one.name].to_numpy()) for one in first.measures
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["system", "mean"])
    table["folds"] = len(folds)
    users = reduce(add, (fold.counts["judged"] for fold in folds.values()))
    with_value = reduce(add, (fold.n for fold in folds.values()))
    fewer = with_value.columns[with_value.lt(users, axis=0).any()]
    counts = pd.concat([users.rename("users"), with_value[fewer].add_suffix(" users")], axis=1)
    return table.join(counts, on="system")


def _check_alike(folds: Mapping[Any, Evaluation]) -> None:
    """Refuse folds whose values mean different things."""
    given = list(folds.values()) if isinstance(folds, Mapping) else [folds]
    wrong = [type(one).__name__ for one in given if not isinstance(one, Evaluation)]
    if wrong or not given:
        raise InputError(
            "folds must be a dict from the name of each fold to its evaluation, as evaluate "
            f"answers, at least one; got {wrong[0] if wrong else 'none'}"
        )
    (name, first), *others = ((name, _kinds(one)) for name, one in folds.items())
    for fold, other in others:
        for what, here in other.items():
            if here != first[what]:
                raise InputError(
                    f"folds must have the same {what}; got {shorten(first[what])} in "
                    f"{name!r} and {shorten(here)} in {fold!r}"
                )


def _kinds(one: Evaluation) -> dict[str, Any]:
    """What folds must have in common, by what it is called."""
    return {
        "systems and measures": (one.systems, [measure.name for measure in one.measures]),
        "convention": one._context.convention,
        "size of the catalogue": one._context.n_items,
        "kind of item ids": next(iter(one._systems.values())).item_kind,
    }


def _micro(folds: Mapping[Any, Evaluation], system: str, one: Measure) -> float:
    if one.of_all is None:
        values = [fold.values(system)[one.name].to_numpy() for fold in folds.values()]
        return mean(np.concatenate(values))
    states = (fold._systems[system].states[one.name] for fold in folds.values())
    context = next(iter(folds.values()))._context
    return one.of_all.finish(reduce(one.of_all.combine, states), context)
