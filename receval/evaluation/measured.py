"""Results of one system: the values of its users, and the numbers behind its means and notes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    Record,
    input_error,
    select_names,
)
from receval._table import snapshot
from receval.definitions.context import EvaluationContext
from receval.definitions.lists import JudgedRun
from receval.definitions.ties import row_of_ties, values_over_orders
from receval.evaluation.options import Options
from receval.evaluation.signs import facts_of_tables, near_matches, shares_items
from receval.tables.inputs import InputTables


class ValuesByUser(ABC):
    """The values of one system by user, with their means."""

    @abstractmethod
    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """Return a copy of the values by user, of some measures or of all."""

    @cached_property
    def means(self) -> dict[str, float]:
        """Return the mean of each measure over the users that have a value."""
        return {str(measure): mean(column) for measure, column in self.values().items()}

    @cached_property
    def n(self) -> dict[str, int]:
        """Return the number of users that have a value, for each measure."""
        return {str(measure): int(count) for measure, count in self.values().count().items()}


@dataclass(frozen=True, eq=False)
class MemoryResult(ValuesByUser):
    """One system measured in memory, with the lists that its values were computed from.

    Attributes
    ----------
    options : Options
        The arguments of the evaluation.
    run : JudgedRun
        The lists, which the object reads from the tables.
    context : EvaluationContext
        The convention, and the data of items and users that measures need.
    columns : dict of array
        The values of the users, by measure.
    counts : dict of int
        The number of users of each kind, as in `Evaluation.counts`.
    states : dict of array
        The state of each set-level measure, which it has accumulated over all users.
    hit : bool
        Whether any list is known to have a relevant item.
    tied : array of int
        Positions of the users with ties that can change a value.
    list_facts : dict of int
        Facts about the lists, such as the length of the longest list.
    unjudged_users : Index, optional
        Users who are not judged but count in the means; their values are at the end.
    tables : InputTables, optional
        The tables whose arrays the lists read. While a result holds its copies of frames, edits of
        the user's frames don't reach these arrays (see `receval._table`).
    """

    options: Options = field(repr=False)
    run: JudgedRun = field(repr=False)
    context: EvaluationContext = field(repr=False)
    columns: dict[str, FloatArray] = field(repr=False)
    counts: dict[str, int]
    states: dict[str, AnyArray] = field(repr=False)
    tied: IntArray = field(repr=False)
    hit: bool = field(repr=False)
    list_facts: dict[str, int] = field(repr=False)
    unjudged_users: pd.Index | None = field(default=None, repr=False)
    tables: InputTables | None = field(default=None, repr=False)

    @cached_property
    def users(self) -> pd.Index:
        """Return the judged users, followed by the other users in the means."""
        judged = self.run.truth.users.index(self.run.judged, "user")
        return judged if self.unjudged_users is None else judged.append(self.unjudged_users)

    @cached_property
    def tie_bounds(self) -> dict[str, FloatArray]:
        """Return the lowest, mean and highest value of the users at the positions `tied`.

        There is an array of shape (3, users) for each measure that depends on the order of equal
        scores.
        """
        return values_over_orders(self.run, self.tied, self.options.measures, self.context)

    @cached_property
    def ties(self) -> dict[str, dict[str, float]]:
        """Return the row of `Evaluation.ties` of each measure."""
        return {
            measure: row_of_ties(self.columns[measure], self.tied, bounds)
            for measure, bounds in self.tie_bounds.items()
        }

    @cached_property
    def facts(self) -> Record:
        """Return the facts about lists and tables for notes."""
        return {**self.facts_of_part, "alike": near_matches(self.run)}

    @property
    def facts_of_part(self) -> Record:
        """Return the facts that can be merged with the facts of other users."""
        return {**self.list_facts, **facts_of_tables(self.run), "foreign": self.foreign}

    @cached_property
    def foreign(self) -> int:
        """Return the number of recommended items; 0 if relevance has any of them."""
        # If a list has a relevant item, the tables share this item.
        if self.hit or shares_items(self.run):
            return 0
        return int(np.unique(self.run.rows.columns["item"]).size)

    @property
    def item_kind(self) -> str:
        """Return whether item ids are "integer" or "text"."""
        return self.run.truth.items.kind

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """Return a copy of the values by user, of some measures or of all."""
        return snapshot(self._frame[select_names(measures, self.columns)])

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """Return the values as a frame that shares their arrays, which become read-only."""
        for values in self.columns.values():
            values.flags.writeable = False
        return pd.DataFrame(self.columns, index=self.users, copy=False)

    def with_others(self, others: pd.Index) -> MemoryResult:
        """Return the result with ``others`` appended, which are users who are not judged.

        These users have the value 0 under every measure. There is one exception: if the means go
        over users with recommendations, and this system has none for a user, the value is NaN, so
        that the means leave the user out.
        """
        user_ids = self.run.truth.users
        # The codes of unjudged users who have recommendations of this system.
        unjudged_with_answer = np.setdiff1d(self.run.rows.users, self.run.judged)
        is_answered = others.isin(user_ids.index(unjudged_with_answer, "user"))
        if self.options.named_users is not None:
            values_of_others = np.zeros(len(others))
        else:
            values_of_others = np.where(is_answered, 0.0, np.nan)
        columns = {
            measure: np.append(values, values_of_others) for measure, values in self.columns.items()
        }
        counts = {
            **self.counts,
            # "ignored" counts users who have recommendations, but are neither judged nor in a mean.
            "not judged": int(np.isfinite(values_of_others).sum()),
            "ignored": self.counts["ignored"] - int(is_answered.sum()),
        }
        return replace(self, columns=columns, counts=counts, unjudged_users=others)

    def of_user(self, user: Id) -> MemoryResult:
        """Return this result, which has the lists of all judged users.

        Raises an error if the user is not judged.
        """
        run = self.run
        code = run.truth.users.find(user)  # None if no table has the user
        if code is None or not np.isin(code, run.judged):
            examples = run.truth.users.take(run.judged[:MAX_EXAMPLES]).tolist()
            raise unjudged_user_error(user, examples)
        return self

    def value_of(self, user: Id, measure: str) -> float:
        """Return the stored value of a judged user."""
        position = np.flatnonzero(self.run.judged == self.run.truth.users.find(user))
        return float(self.columns[measure][position[0]])


@dataclass(frozen=True, eq=False)
class ValuesOnlyResult(ValuesByUser):
    """The result of one system whose values are known, but whose lists are not.

    Attributes
    ----------
    frame : DataFrame
        The values by user, with a column for each measure.
    counts, item_kind, ties, states, facts
        See `MemoryResult`.
    measured : MemoryResult, optional
        The lists, if the caller of `receval.load` passed the tables.
    measure_user : callable, optional
        A function that measures a user again from files or Dask frames.
    """

    frame: pd.DataFrame = field(repr=False)
    counts: dict[str, int]
    item_kind: str
    ties: dict[str, dict[str, float]] = field(default_factory=dict)
    states: dict[str, AnyArray] = field(default_factory=dict, repr=False)
    facts: Record = field(default_factory=dict, repr=False)
    measured: MemoryResult | None = field(default=None, repr=False)
    measure_user: Callable[[Id], MemoryResult] | None = field(default=None, repr=False)

    @property
    def foreign(self) -> int:
        """Return the number of recommended items; 0 if relevance has any of them."""
        return int(self.facts.get("foreign", 0))

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """Return a copy of the values by user, of some measures or of all."""
        return snapshot(self.frame[select_names(measures, self.frame.columns)])

    def value_of(self, user: Id, measure: str) -> float:
        """Return the stored value of a judged user."""
        return float(self.frame[measure].loc[cast("str | int", user)])

    def of_user(self, user: Id) -> MemoryResult:
        """Return a result that has the lists of a judged user.

        Raises an error if the user is not judged, or if the tables are unknown.
        """
        if self.measured is not None:
            return self.measured.of_user(user)
        if self.measure_user is None:
            rule = "have the tables that were evaluated"
            advice = "Load a file with them: receval.load(path, recommendations=…, relevance=…)"
            raise input_error("explain", rule, "values only", advice)
        # True equals 1, but isn't an id.
        is_id = isinstance(user, (str, int, np.integer)) and not isinstance(user, bool)
        if not is_id or user not in self.frame.index:
            raise unjudged_user_error(user, self.frame.index[:MAX_EXAMPLES].tolist())
        return self.measure_user(user)


System: TypeAlias = MemoryResult | ValuesOnlyResult
"""The result of one system, with or without the lists that its values come from."""


def unjudged_user_error(user: Id, judged_users: list[Id]) -> InputError:
    """Return the error for a user who is not judged; ``judged_users`` has a few examples."""
    return InputError(f"user must be a judged user, such as {judged_users}; got {user!r}")
