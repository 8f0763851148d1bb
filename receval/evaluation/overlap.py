"""Compute how similar the lists of several systems are."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from receval._checks import input_error
from receval._exact import ExactSum
from receval._types import Id
from receval.engine.file import System
from receval.engine.measured import MemoryResult
from receval.measure.matching import JudgedRun
from receval.metrics.ranking import rbo


def mean_overlap(systems: Mapping[Id, System], p: float) -> pd.DataFrame:
    """Return the mean rank-biased overlap of each pair of systems; see `Evaluation.overlap`.

    ``p`` is the probability that a reader goes on to the next rank. The table has systems in rows
    and columns. The value of a pair is NaN if no user has a list under both systems. Raises an
    `InputError` if a system's lists are not in memory.
    """
    run_by_system = {
        name: full_lists(system) for name, system in _systems_in_memory(systems).items()
    }
    # A mean is rounded once, from an exact sum, so it doesn't depend on the order of users.
    sums = defaultdict[tuple[Id, Id], ExactSum](ExactSum)
    # Go through the users in blocks, which limits the memory. All runs have the same users. The
    # more rows a run has, the fewer users fit into a block. So all runs use the blocks of the run
    # with most rows.
    largest_run = max(run_by_system.values(), key=lambda run: run.value.size)
    for positions in largest_run.block_positions():
        # The items of each user's list, with a row for each user of the block.
        items = {name: run.block(positions).items for name, run in run_by_system.items()}
        for first, second in combinations(items, 2):
            sums[first, second] += ExactSum.of(rbo(items[first], items[second], p=p))

    # A system agrees with itself: 1 on the diagonal.
    names = pd.Index(run_by_system, name="system")
    table = pd.DataFrame(np.eye(len(names)), names, names.rename(None))
    for (first, second), total in sums.items():
        mean = total.mean()
        table.loc[first, second] = mean
        table.loc[second, first] = mean
    return table


def _systems_in_memory(systems: Mapping[Id, System]) -> dict[Id, MemoryResult]:
    """Return the systems of `Evaluation.overlap`, whose lists must be in memory.

    Raises an `InputError` if a system has only values.
    """
    in_memory = {}
    for name, system in systems.items():
        if not isinstance(system, MemoryResult):
            rule = "have the lists in memory"
            advice = "Evaluate tables in memory, without output="
            raise input_error("overlap", rule, f"only values of {name!r}", advice)
        in_memory[name] = system
    return in_memory


def full_lists(system: MemoryResult) -> JudgedRun:
    """Return the lists of a system at full length, including ranks below the cut-offs."""
    rules = system.run.rules._replace(depth=math.inf)
    return system.run._replace(rules=rules)
