"""Results of one system: the values of its users, and the numbers behind its means and notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    FloatArray,
    Id,
    InputError,
    Record,
    input_error,
)
from receval._table import snapshot
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext, JudgedRun
from receval.definitions.ties import BOUNDS, row_of_ties, values_over_orders
from receval.evaluation.options import Options
from receval.evaluation.signs import facts_of_lists, near_matches
from receval.tables.inputs import InputTables


@dataclass(frozen=True, eq=False)
class MeasuredLists:
    """The lists of one system, which its values were computed from.

    Attributes
    ----------
    options : the arguments of the evaluation.
    run : the lists, which the object reads from the tables.
    context : the convention, and the data of items and users that measures need.
    is_tied : mask of the judged users with ties that can change a value.
    totals : numbers of rows and items, which `receval.evaluation.values` has added up.
    shares_items : whether any recommended item is in relevance.
    tables : the tables whose arrays the lists read. While a result holds its copies of frames,
        edits of the user's frames don't reach these arrays (see `receval._table`).
    """

    options: Options
    run: JudgedRun
    context: EvaluationContext
    is_tied: BoolArray
    totals: Record
    shares_items: bool
    tables: InputTables

    @property
    def users(self) -> pd.Index:
        """Return the ids of the judged users."""
        return self.run.truth.users.index(self.run.judged, "user")

    def tie_bounds(self) -> dict[str, FloatArray]:
        """Return the lowest, mean and highest value over all orders of equal scores.

        There is an array of shape (3, users) for each measure that depends on the order. It has
        the users of ``is_tied``.
        """
        tied = np.flatnonzero(self.is_tied)
        return values_over_orders(self.run, tied, self.options.measures)

    def facts(self) -> Record:
        """Return the facts for notes, which can be merged with the facts about other users."""
        return {**facts_of_lists(self.run, self.totals), "shares_items": self.shares_items}


@dataclass(frozen=True, eq=False)
class SystemResult:
    """The result of one system.

    Attributes
    ----------
    frame : DataFrame
        The values by user, with a column for each measure. The judged users come first. Users who
        are not judged but count in the means follow.
    counts : dict of int
        The number of users of each kind, as in `Evaluation.counts`.
    item_kind : str
        Whether item ids are "integer" or "text".
    states : dict of array
        The state of each set-level measure, which it has accumulated over all users.
    stored_ties, stored_facts : dict
        What `ties` and `facts` return. If they are empty, the lists give the answer.
    lists : MeasuredLists, optional
        The lists; a result that was loaded or evaluated part by part lacks them.
    measure_user : callable, optional
        A function that measures a user again from files or Dask frames.
    """

    frame: pd.DataFrame = field(repr=False)
    counts: dict[str, int]
    item_kind: str
    states: dict[str, AnyArray] = field(default_factory=dict, repr=False)
    stored_ties: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)
    stored_facts: Record = field(default_factory=dict, repr=False)
    lists: MeasuredLists | None = field(default=None, repr=False)
    measure_user: Callable[[Id], SystemResult] | None = field(default=None, repr=False)

    def values(self) -> pd.DataFrame:
        """Return a copy of the values by user."""
        return snapshot(self.frame)

    @cached_property
    def means(self) -> dict[str, float]:
        """Return the mean of each measure over the users that have a value."""
        return {str(measure): mean(column) for measure, column in self.frame.items()}

    @cached_property
    def ties(self) -> dict[str, dict[str, float]]:
        """Return the row of `Evaluation.ties` of each measure."""
        if self.stored_ties or self.lists is None:
            return self.stored_ties
        bounds = self.lists.tie_bounds()
        if not self.lists.is_tied.any():  # there is only one order, whose means are known
            return {
                name: {**dict.fromkeys(BOUNDS, self.means[name]), "users": 0} for name in bounds
            }
        return rows_of_ties(self.frame, self.lists.is_tied, bounds)

    @cached_property
    def facts(self) -> Record:
        """Return the facts about lists and tables for notes; see `receval.evaluation.signs`."""
        if self.stored_facts or self.lists is None:
            return self.stored_facts
        return {**self.lists.facts(), "alike": near_matches(self.lists.run)}

    @property
    def shares_items(self) -> bool:
        """Return whether any recommended item is in relevance; True if this is not known."""
        if self.lists is not None:
            return self.lists.shares_items
        return bool(self.stored_facts.get("shares_items", True))

    def value_of(self, user: Id, measure: Measure) -> float:
        """Return the value of a user."""
        return float(self.frame[measure.name].loc[cast("str | int", user)])

    def lists_of(self, user: Id | None) -> MeasuredLists:
        """Return the lists that hold those of a judged user, or of every user if it is None.

        Raises an error if the user is not judged, or if the lists are not in memory and can't be
        read from tables.
        """
        lists = self.lists
        if lists is None and (user is None or self.measure_user is None):
            advice = (
                "Evaluate the tables again. If they were evaluated part by part, name a user; of "
                "pooled folds, ask the evaluation of a fold"
            )
            raise input_error("evaluation", "have its lists in memory", "values only", advice)
        if user is not None:
            judged = self.frame.index if lists is None else lists.users
            # True equals 1, but isn't an id.
            is_id = isinstance(user, (str, int, np.integer)) and not isinstance(user, bool)
            if not is_id or user not in judged:
                examples = judged[:MAX_EXAMPLES].tolist()
                raise InputError(f"user must be a judged user, such as {examples}; got {user!r}")
            if self.measure_user is not None:
                lists = self.measure_user(user).lists
        assert lists is not None
        return lists


def rows_of_ties(
    frame: pd.DataFrame, is_tied: BoolArray, bounds: dict[str, FloatArray]
) -> dict[str, dict[str, float]]:
    """Return the row of `Evaluation.ties` of each measure; see `MeasuredLists.tie_bounds`."""
    tied = np.flatnonzero(is_tied)
    return {
        measure: row_of_ties(frame[measure].to_numpy(), tied, of_orders)
        for measure, of_orders in bounds.items()
    }
