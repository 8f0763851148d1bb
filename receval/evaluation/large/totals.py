"""Measure a part of the users, and add up the counts and sums of all parts for each system."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, IntArray
from receval._types import AnyArray, Id, Record
from receval.definitions.tie_sums import TieTotals
from receval.evaluation.context import History
from receval.evaluation.joining import LoadedTable, no_relevance_error, unjudged_error
from receval.evaluation.measured import MemoryResult
from receval.evaluation.measuring import measure_tables
from receval.evaluation.signs import InputSigns, merge_facts
from receval.evaluation.task import EvaluationTask
from receval.tables.columns import column_labels

DaskFrame: TypeAlias = Any
"""A Dask frame. Dask declares few types."""

AnyTable: TypeAlias = LoadedTable | DaskFrame
"""A table of pandas, Arrow or Dask."""


class SystemSource(NamedTuple):
    """The rows of one system.

    Attributes
    ----------
    place : str
        The table that holds the rows, by its name in messages.
    label : str or int, optional
        The value of these rows in the system column; None if there is no such column.
    """

    place: str
    label: Id | None


Part: TypeAlias = "dict[Hashable, PartResult]"
"""The results of a part of the users, by system."""

Systems: TypeAlias = dict[Hashable, SystemSource]
"""The rows of each system, by its name."""


@dataclass(frozen=True)
class PartResult:
    """Counts, sums and states of one system over some of the users.

    Attributes
    ----------
    frames : list of DataFrame
        The values of the judged users of each part that has any.
    counts : dict of int
        The counts of users, as in `Evaluation.counts`.
    tie_sums : dict of TieTotals
        The sums of each measure that depends on the order of equal scores.
    states : dict of array
        The array that the ``partial`` of each set-level measure returned.
    signs : InputSigns
        Signs of mistakes in the tables.
    users, judged : list
        The lowest ids of users with recommendations, and of judged users.
    history_counts : array of int
        The number of users with a history, and the number of judged users with a history.
    item_kind : str
        Whether item ids are "integer" or "text".
    facts : dict
        Numbers for the notes.
    """

    frames: list[pd.DataFrame]
    counts: dict[str, int]
    tie_sums: dict[str, TieTotals]
    states: dict[str, AnyArray]
    signs: InputSigns
    users: list[Any]
    judged: list[Any]
    history_counts: IntArray
    item_kind: str
    facts: Record

    @classmethod
    def from_measured(cls, measured: MemoryResult, earlier: PartResult | None) -> PartResult:
        """Return the result of one system for the users who were measured.

        ``earlier`` is the result of other users. Its signs say, for example, whether the scores
        look like ranks. If they already decide every note, the function doesn't look for signs in
        the lists of these users.
        """
        truth = measured.run.truth
        recommended = measured.run.rows.users  # the codes of users with recommendations
        seen = measured.context.seen
        # If one list has a sign, the system has the sign. If `not_one_to_n` is True, the scores
        # aren't ranks, so `not_descending` does not matter.
        if earlier is not None and earlier.signs.shares_items and earlier.signs.not_one_to_n:
            signs = earlier.signs
        else:
            signs = measured.signs
        users_with_history = np.empty(0)
        if isinstance(seen, History):  # otherwise there is no history
            # A pair is a user code times the number of items, plus an item code.
            users_with_history = np.unique(seen.pairs // seen.n_items)
        n_judged_with_history = np.isin(users_with_history, measured.run.judged).sum()
        values = measured.values()
        return cls(
            [values] if len(values) else [],
            counts=measured.counts,
            tie_sums=measured.tie_sums,
            states=measured.states,
            signs=signs,
            # A few examples for messages:
            users=truth.users.take(recommended[:MAX_EXAMPLES]).tolist(),
            judged=measured.users[:MAX_EXAMPLES].tolist(),
            history_counts=np.array([users_with_history.size, n_judged_with_history]),
            item_kind=measured.item_kind,
            facts=measured.facts_of_part,
        )

    def merge(self, other: PartResult, task: EvaluationTask) -> PartResult:
        """Add up two parts.

        ``task`` has the measures. A set-level measure has one value for all users. It has a state
        for each part and a function that combines two states.
        """
        # A part without judged users has no states.
        states = {**self.states, **other.states}
        for measure in task.measures:
            name = measure.name
            is_in_both = name in self.states and name in other.states
            if measure.of_all is not None and is_in_both:
                states[name] = measure.of_all.combine(self.states[name], other.states[name])
        return PartResult(
            self.frames + other.frames,
            counts={kind: count + other.counts[kind] for kind, count in self.counts.items()},
            tie_sums={name: total + other.tie_sums[name] for name, total in self.tie_sums.items()},
            states=states,
            signs=self.signs.merge(other.signs),
            users=sorted(self.users + other.users)[:MAX_EXAMPLES],
            judged=sorted(self.judged + other.judged)[:MAX_EXAMPLES],
            history_counts=self.history_counts + other.history_counts,
            # For a part without rows, the kind is "integer". If it is "text" for the other part,
            # `max` returns "text".
            item_kind=max(self.item_kind, other.item_kind),
            facts=merge_facts(self.facts, other.facts),
        )

    def check_users_match(self, name: Hashable) -> None:
        """Raise an error if nobody is judged, or if two tables share no user.

        This object must be the sum of all parts. If tables share no user, their ids are probably of
        different kinds. ``name`` is the name of the system; it is "" for a system without a name.
        """
        if not self.counts["judged"]:
            raise no_relevance_error()
        # Users who are not judged but have recommendations are ignored.
        if self.counts["ignored"] and not self.counts["answered"]:
            table = "recommendations"
            if name != "":
                table += f" of system {name!r}"
            raise unjudged_error(table, self.counts["ignored"], (self.users, self.judged))
        n_with_history, n_judged = self.history_counts
        if n_with_history and not n_judged:
            raise unjudged_error("history", n_with_history)


def measure_part(
    task: EvaluationTask,
    tables: Mapping[str, LoadedTable],
    systems: Systems,
    earlier: Part | None = None,
) -> Part:
    """Measure every system on some of the users, and return sums and counts by system.

    ``tables`` maps the name of each table in messages to the table. The tables hold all rows of
    these users; a table may have no rows. ``earlier`` is the result of another part. Its facts
    about the tables as a whole are reused, so the function doesn't look for them again.
    """
    part: Part = {}
    for name, measured in measure_part_systems(task, tables, systems).items():
        earlier_result = None if earlier is None else earlier[name]
        part[name] = PartResult.from_measured(measured, earlier_result)
    return part


def measure_part_systems(
    task: EvaluationTask, tables: Mapping[str, LoadedTable], systems: Systems
) -> dict[Hashable, MemoryResult]:
    """Measure every system on some of the users, and return the results by system.

    ``tables`` maps the name of each table in messages to the table. The tables hold all rows of
    these users. ``systems`` says which rows belong to a system.
    """
    column = task.column_names.system
    recommendations = {}
    for name, (place, label) in systems.items():
        table = tables[place]
        if column is not None and label is not None:  # the table holds several systems
            table = with_value(table, column, label)
        recommendations[name] = table
    # Each system has its own table now, so there is no column of systems. All tables have receval's
    # names of columns.
    names = replace(task.column_names, system=None, pairs={}, by_place={})
    input_tables = names.tables(recommendations, tables["relevance"], tables.get("history"))
    columns = {place: column_labels(table) for place, table in input_tables.by_place.items()}
    names = names.resolve(input_tables._replace(columns=columns))
    return measure_tables(replace(task, column_names=names), input_tables, has_all_users=False)


def with_value(table: AnyTable, column: str, value: object) -> AnyTable:
    """Return the rows of a pandas, Dask or Arrow table that have ``value`` in a column.

    Arrow raises an error if the type of the column can't hold the value.
    """
    if hasattr(table, "dtypes"):  # pandas or Dask
        return table[table[column] == value]
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.equal(table[column], pa.scalar(value, table[column].type)))
