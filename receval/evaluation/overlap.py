"""How alike the lists of several systems are."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import input_error
from receval._exact import ExactSum
from receval.engine.measured import MemoryResult
from receval.engine.measuring import refuse_changed_tables
from receval.metrics.ranking import rbo


def overlap(self: Any, p: float = 0.9) -> pd.DataFrame:
    """Rank-biased overlap of the systems' lists, whatever is relevant.

    Parameters
    ----------
    p : float, default 0.9
        Probability of going on to the next rank; see `receval.metrics.ranking.rbo`.

    Returns
    -------
    DataFrame
        Systems by systems: the mean over the judged users whom both answer, NaN where there is
        none. 1 means the same lists.

    Raises
    ------
    InputError
        If ``p`` lies outside [0, 1), the tables have changed since they were evaluated, or the
        lists are not in memory: an evaluation that was loaded, or evaluated in parts, has values
        only.

    Notes
    -----
    Lists are compared as a whole, whatever the cut-offs of the measures. Equal scores stand in
    the order of the convention, by item where it takes the mean over all orders.
    """
    systems, sums = self._systems, defaultdict[tuple[Any, Any], ExactSum](ExactSum)
    apart = [name for name, one in systems.items() if not isinstance(one, MemoryResult)]
    if apart:
        rule, got = "have the lists in memory", f"only values of {apart[0]!r}"
        raise input_error("overlap", rule, got, "Evaluate tables in memory, without output=")
    for system in systems.values():
        refuse_changed_tables(system)
    lists = {
        name: one.lists._replace(how=one.lists.how._replace(depth=math.inf))
        for name, one in systems.items()
    }
    for places in max(lists.values(), key=lambda one: one.value.size).block_positions():
        items = {name: one.block(places).items for name, one in lists.items()}
        for a, b in combinations(items, 2):
            sums[a, b] += ExactSum.of(rbo(items[a], items[b], p=p))
    names = pd.Index(lists, name="system")
    table = pd.DataFrame(np.eye(len(names)), names, names.rename(None))
    for (a, b), total in sums.items():
        table.loc[a, b] = table.loc[b, a] = total.mean()
    return table
