"""What some of the users add to the whole of each system."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from operator import or_
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, IntArray, input_error
from receval._exact import ExactSum
from receval.engine.context import History
from receval.engine.measured import MemoryResult, SystemResult
from receval.engine.measuring import measure_tables, refuse_unjudged
from receval.engine.signs import InputSigns, merge_signs
from receval.engine.task import EvaluationTask
from receval.measure.tie_sums import TieTotals

OWN = ("counts", "sums", "tie_sums", "states", "item_kind")  # as one system has them


@dataclass(frozen=True)
class PartResult(SystemResult):
    """Counts, sums and states of one system over some users.

    Attributes
    ----------
    frame : DataFrame
        The values of the judged users of a part; of several parts together it is empty.
    counts : dict of int
        As in `Evaluation.counts`.
    sums : dict of ExactSum
        By measure, over the users that have a value.
    tie_sums : dict of TieSums
        By measure that depends on the order of equal scores.
    states : dict
        By set-level measure, what its ``partial`` answered: an array.
    signs : Signs
        What may come from a slip in the tables.
    users, judged : list
        The least of the users with recommendations, and of the judged ones.
    remembered : array of int
        How many users have a history, and how many of these are judged.
    item_kind : str
        Whether item ids are "integer" or "text".
    facts : dict
        Numbers that notes are made from.
    """

    frame: pd.DataFrame
    counts: dict[str, int]
    sums: dict[str, ExactSum]
    tie_sums: dict[str, TieTotals]
    states: dict[str, Any]
    signs: InputSigns
    users: list[Any]
    judged: list[Any]
    remembered: IntArray
    item_kind: str
    facts: dict[str, Any]

    @classmethod
    def of(cls, measured: MemoryResult, known: PartResult | None) -> PartResult:
        """What a system adds; signs that are ``known`` of others are not sought in vain."""
        settled = known.signs if known and known.signs.shares and known.signs.unranked else None
        truth, seen = measured.lists.truth, measured.context.seen
        past = np.unique(seen.pairs // seen.n_items) if isinstance(seen, History) else np.empty(0)
        return cls(
            measured.values(),
            signs=settled or measured.signs,
            users=truth.users.of(measured.lists.rows.users[:MAX_EXAMPLES]).tolist(),
            judged=measured.users[:MAX_EXAMPLES].tolist(),
            remembered=np.array([past.size, np.isin(past, truth.judged).sum()]),
            facts=measured.facts_of_part,
            **{name: getattr(measured, name) for name in OWN},
        )

    def merged(self, other: PartResult, task: EvaluationTask) -> PartResult:
        """Both together, without values."""
        states = {**self.states, **other.states}
        for one in task.measures:
            if one.of_all and one.name in self.states.keys() & other.states.keys():
                both = self.states[one.name], other.states[one.name]
                states[one.name] = one.of_all.combine(*both)
        return PartResult(
            pd.DataFrame(),
            {key: count + other.counts[key] for key, count in self.counts.items()},
            {name: one + other.sums[name] for name, one in self.sums.items()},
            {name: one + other.tie_sums[name] for name, one in self.tie_sums.items()},
            states,
            InputSigns(*map(or_, self.signs, other.signs)),
            sorted(self.users + other.users)[:MAX_EXAMPLES],
            sorted(self.judged + other.judged)[:MAX_EXAMPLES],
            self.remembered + other.remembered,
            max(self.item_kind, other.item_kind),  # a part without rows has "integer"
            merge_signs(self.facts, other.facts),
        )

    def refuse_apart(self, name: Hashable) -> None:
        """Tables that share no user at all were probably given other ids."""
        if not self.counts["judged"]:
            raise input_error("relevance", "hold at least one row", "none, so nobody is judged")
        if self.counts["ignored"] and not self.counts["answered"]:
            table = f"recommendations of system {name!r}" if name != "" else "recommendations"
            refuse_unjudged(table, self.counts["ignored"], self.users, self.judged)
        every, judged = self.remembered
        if every and not judged:
            refuse_unjudged("history", every)


Part = dict[Hashable, PartResult]  # what a part of the users adds to each system
Systems = dict[Hashable, tuple[str, Any]]  # where recommendations are, and the label of the rows


def measure_part(
    task: EvaluationTask, tables: Mapping[str, Any], systems: Systems, known: Part | None = None
) -> Part:
    """Measure some users, whoever of them is judged or answered.

    Of a part that is ``known`` some things need not be asked again.
    """
    found = measure_part_systems(task, tables, systems)
    return {name: PartResult.of(one, known[name] if known else None) for name, one in found.items()}


def measure_part_systems(
    task: EvaluationTask, tables: Mapping[str, Any], systems: Systems
) -> dict[Hashable, MemoryResult]:
    """Every system measured on some users with all their rows."""
    column = task.given.system
    apart = {
        name: tables[where] if column is None else with_value(tables[where], column, label)
        for name, (where, label) in systems.items()
    }
    given = replace(task.given, system=None)
    own, _ = given.tables(apart, tables["relevance"], tables.get("history"))
    return measure_tables(replace(task, given=given), own, whole=False)


def with_value(table: Any, column: str, value: Any) -> Any:
    """The rows of a pandas, Dask or Arrow table that have a value in a column."""
    if hasattr(table, "dtypes"):
        return table[table[column] == value]
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.equal(table[column], pa.scalar(value, table[column].type)))
