"""Bootstrap intervals of the means of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from receval._checks import Seed, format_first, warn
from receval.evaluation.protocols import ComparableResult
from receval.evaluation.selection import as_seed, select_measures
from receval.significance.intervals import intervals_of_means


def bootstrap_intervals(
    evaluation: ComparableResult,
    level: float,
    *,
    rng: Seed = 0,
    n_resamples: int = 2_000,
    measures: str | Iterable[str] | None = None,
) -> pd.DataFrame:
    """Return means with bootstrap intervals by (measure, system); see `Evaluation.interval`.

    The default for ``measures`` is all measures with a value for each user.
    """
    names = select_measures(evaluation, measures).per_user
    values_by_system = {system: evaluation.values(system, names) for system in evaluation.systems}
    # The columns have the order of the index below: measure by measure, system by system.
    columns = [values[name] for name in names for values in values_by_system.values()]
    intervals = intervals_of_means(columns, level=level, n_resamples=n_resamples, rng=as_seed(rng))
    index = pd.MultiIndex.from_product([names, evaluation.systems], names=["measure", "system"])
    # The columns are the fields of an interval: mean, low, high and users. The field "users" is the
    # number of values; in a result of retrievers, its name is "queries".
    table = pd.DataFrame(intervals, index=index).rename(columns={"users": evaluation._row_name})
    is_unknown = table["low"].isna() & (table[evaluation._row_name] > 1)
    if is_unknown.any():
        keys = [key if key[1] != "" else key[0] for key in table.index[is_unknown]]
        warn(
            f"there is no interval for {format_first(keys)}: all {evaluation._row_name} have the "
            "same value, which doesn't make the mean certain",
            stacklevel=3,
        )
    return table.join(evaluation.counts.rename_axis("system"))
