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
    if not isinstance(folds, Mapping):
        raise InputError(
            "folds must be a dict from the name of each fold to its evaluation; "
            f"got {type(folds).__name__}"
        )
    if not folds:
        raise InputError("folds must hold at least one evaluation; got none")
    _check_alike(folds)
    first = next(iter(folds.values()))
    names = [one.name for one in first.measures]
    rows = {}
    for system in first.systems:
        rows[system, "micro"] = [_micro(folds, system, one) for one in first.measures]
        values = np.array([fold.summary.loc[system] for fold in folds.values()])
        rows[system, "macro"] = [mean(column) for column in values.T]
    index = pd.MultiIndex.from_tuples(rows, names=["system", "mean"])
    table = pd.DataFrame(list(rows.values()), index=index, columns=names)
    table["folds"] = len(folds)
    users = reduce(add, (fold.counts["judged"] for fold in folds.values()))
    with_value = reduce(add, (fold.n for fold in folds.values()))
    fewer = with_value.columns[with_value.lt(users, axis=0).any()]
    for name, number in [("users", users), *((f"{m} users", with_value[m]) for m in fewer)]:
        table[name] = np.repeat(number.to_numpy(), 2)  # of the micro and of the macro mean
    return table


def _check_alike(folds: Mapping[Any, Evaluation]) -> None:
    """Refuse folds whose values mean different things."""
    wrong = [type(one).__name__ for one in folds.values() if not isinstance(one, Evaluation)]
    if wrong:
        raise InputError(f"folds must hold evaluations, as evaluate answers; got {wrong[0]}")
    first, *others = (_kinds(one) for one in folds.values())
    for fold, other in zip(list(folds)[1:], others, strict=True):
        for what, here in other.items():
            if here != first[what]:
                raise InputError(
                    f"folds must have the same {what}; got {shorten(first[what])} in "
                    f"{next(iter(folds))!r} and {shorten(here)} in {fold!r}"
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
