"""Intervals of the means of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from receval._checks import format_first, warn
from receval.evaluation.selection import AnyResult, select_measures
from receval.significance import mean_interval


def intervals_of_means(
    evaluation: AnyResult, level: float, *, measures: str | Iterable[str] | None = None
) -> pd.DataFrame:
    """Return means with intervals by (measure, system); see `Evaluation.interval`.

    The default for ``measures`` is all measures with a value for each user.
    """
    names = list(select_measures(evaluation, measures)[0])
    values_by_system = {system: evaluation.values(system, names) for system in evaluation.systems}
    # The rows have the order of the index: measure by measure, system by system.
    index = pd.MultiIndex.from_product([names, evaluation.systems], names=["measure", "system"])
    intervals = [mean_interval(values_by_system[key[1]][key[0]], level=level) for key in index]
    # The columns are the fields of an interval: mean, low, high and users. The field "users" is the
    # number of values; in a result of retrievers, its name is "queries".
    row_name = evaluation._row_name
    table = pd.DataFrame(intervals, index).rename(columns={"users": row_name})
    is_unknown = table["low"].isna() & (table[row_name] > 1)
    if is_unknown.any():
        keys = [key if key[1] != "" else key[0] for key in index[is_unknown]]
        warn(
            f"there is no interval for {format_first(keys)}: all {row_name} have the same value, "
            "which doesn't make the mean certain",
            stacklevel=3,
        )
    return table.join(evaluation.counts.rename_axis("system"))
