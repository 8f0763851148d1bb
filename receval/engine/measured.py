"""What is known of one system: the values of its users, and what means and notes are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    IntArray,
    input_error,
    select_names,
)
from receval._exact import ExactSum
from receval._snapshots import shared_snapshot, snapshot
from receval.engine.signs import InputSigns, facts_of_truth, near_matches
from receval.engine.task import EvaluationTask
from receval.engine.threads import map_in_threads
from receval.measure.definition import EvaluationContext
from receval.measure.matching import JudgedRun
from receval.measure.tie_sums import TieTotals
from receval.measure.ties import over_orders


class SystemResult:
    """What follows from exact sums and signs, of one system over some or all users.

    A system of an evaluation, whether its values are in memory or in a file, has these, and

    - ``sums``, ``tie_sums`` and ``signs``, from which the rest here follows;
    - ``counts``: how many users there are, by what they are;
    - ``states``: of measures of all users together;
    - ``hit``: whether a list has a relevant item, as far as that is known;
    - ``foreign``: how many items are recommended, if none of them is in relevance; else 0;
    - ``facts``: numbers that notes are made from, see `receval.engine.signs`;
    - ``item_kind``: whether item ids are "integer" or "text";
    - ``values(measures)``: the values by user;
    - ``value_of(user, measure)``: the stored value of a judged user;
    - ``of_user(user)``: what is measured of some users, this one among them, with their lists.
    """

    @cached_property
    def means(self: Any) -> dict[str, float]:
        """Each measure's mean over the users that have a value, rounded once."""
        return {name: one.mean() for name, one in self.sums.items()}

    @cached_property
    def n(self: Any) -> dict[str, int]:
        """How many users have a value."""
        return {name: one.count for name, one in self.sums.items()}

    @cached_property
    def ties(self: Any) -> dict[str, dict[str, float]]:
        """What equal scores leave open of each mean, as `Evaluation.ties` has it in a row."""
        return {name: one.row() for name, one in self.tie_sums.items()}

    @cached_property
    def like_ranks(self: Any) -> bool:
        """Whether the scores look like ranks."""
        return bool(self.signs.rising and not self.signs.unranked)


READ_FROM_LISTS = frozenset({"tie_sums", "signs", "facts", "foreign"})
"""What is read from the tables when it is first asked for, and then kept."""


@dataclass(frozen=True, eq=False)
class MemoryResult(SystemResult):
    """One system measured in memory, with what its values were made from."""

    task: EvaluationTask = field(repr=False)
    lists: JudgedRun = field(repr=False)
    context: EvaluationContext = field(repr=False)
    columns: dict[str, FloatArray] = field(repr=False)
    counts: dict[str, int]
    states: dict[str, Any] = field(repr=False)
    tied: IntArray = field(repr=False)
    hit: bool = field(repr=False)  # whether any list has a relevant item
    listed: dict[str, int] = field(repr=False)
    others: pd.Index | None = field(default=None, repr=False)  # not judged, with values at the end
    held: Any = field(default=None, repr=False)  # columns that pandas then copies before it writes

    @cached_property
    def users(self) -> pd.Index:
        """The judged users, and those who count beside them."""
        judged = self.lists.truth.users.index(self.lists.truth.judged, "user")
        return judged if self.others is None else judged.append(self.others)

    @cached_property
    def sums(self) -> dict[str, ExactSum]:
        """By measure, over the users that have a value."""
        found = map_in_threads(ExactSum.of, self.columns.values())
        return dict(zip(self.columns, found, strict=True))

    @cached_property
    def tie_sums(self) -> dict[str, TieTotals]:
        """By measure that depends on the order of equal scores."""
        tied, own = self.tied, self.columns
        found = over_orders(self.lists, tied, self.task.measures, self.context)
        return {name: TieTotals.of(own[name], tied, of_orders) for name, of_orders in found.items()}

    @cached_property
    def signs(self) -> InputSigns:
        """What may come from a slip in the tables."""
        return InputSigns.of(self.lists, self.hit)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What else has to be known of the lists and the truth to read means rightly."""
        return {**self.facts_of_part, "alike": near_matches(self.lists)}

    @property
    def facts_of_part(self) -> dict[str, Any]:
        """Of these what can be added up."""
        return {**self.listed, **facts_of_truth(self.lists.truth, self.lists.past)}

    @cached_property
    def foreign(self) -> int:
        if self.hit or self.signs.shares:
            return 0
        return len(set(self.lists.item.read().tolist()))

    @property
    def is_settled(self) -> bool:
        """Whether everything that notes and files say has been read from the tables."""
        return READ_FROM_LISTS.issubset(vars(self))

    def settle(self) -> None:
        """Read everything that notes and files say from the tables, and keep it."""
        for attribute in READ_FROM_LISTS:
            getattr(self, attribute)

    @property
    def item_kind(self) -> str:
        return self.lists.truth.items.kind

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values by user, of some measures or of all."""
        names = select_names(measures, self.columns)
        frame = self._frame if names == list(self.columns) else self._frame[names]
        return shared_snapshot(frame)

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """The columns as a frame, which shares their arrays; nobody can write to these."""
        for values in self.columns.values():
            values.flags.writeable = False
        return pd.DataFrame(self.columns, index=self.users, copy=False)

    def with_others(self, others: pd.Index) -> MemoryResult:
        """With a value of 0 for users who are not judged; if they must be answered, for these."""
        rows, judged = self.lists.rows.users, self.lists.truth.judged
        answered = others.isin(self.lists.truth.users.index(np.setdiff1d(rows, judged), "user"))
        given = self.task.named is not None
        zeros = np.zeros(len(others)) if given else np.where(answered, 0.0, np.nan)
        columns = {name: np.append(values, zeros) for name, values in self.columns.items()}
        ignored = self.counts["ignored"] - int(answered.sum())
        counts = {**self.counts, "not judged": int(np.isfinite(zeros).sum()), "ignored": ignored}
        return replace(self, columns=columns, counts=counts, others=others)

    def of_user(self, user: Any) -> MemoryResult:
        """Itself; refused if the user is not judged."""
        truth = self.lists.truth
        code = truth.users.find(user)
        if code is None or not np.isin(code, truth.judged):
            raise not_judged(user, truth.users.of(truth.judged[:MAX_EXAMPLES]).tolist())
        return self

    def value_of(self, user: Any, measure: str) -> float:
        """The stored value of a judged user."""
        place = np.flatnonzero(self.lists.truth.judged == self.lists.truth.users.find(user))
        return float(self.columns[measure][place[0]])

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be made again, or protects only what is in this process."""
        return {**{key: own for key, own in vars(self).items() if key != "_frame"}, "held": None}


@dataclass(frozen=True, eq=False)
class ValuesOnlyResult(SystemResult):
    """One system of which the values are known, and not what they were made from."""

    frame: pd.DataFrame = field(repr=False)
    counts: dict[str, int]
    item_kind: str
    foreign: int = 0
    like_ranks: bool = False
    ties: dict[str, dict[str, float]] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict, repr=False)
    facts: dict[str, Any] = field(default_factory=dict, repr=False)
    hit: bool = field(default=False, repr=False)  # not known

    @cached_property
    def sums(self) -> dict[str, ExactSum]:
        """By measure, over the users that have a value."""
        return {str(name): ExactSum.of(one) for name, one in self.frame.items()}

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values by user, of some measures or of all."""
        found: pd.DataFrame = snapshot(self.frame[select_names(measures, self.frame.columns)])
        return found

    def value_of(self, user: Any, measure: str) -> float:
        """The stored value of a judged user."""
        return float(self.frame[measure].loc[user])

    def of_user(self, _: Any) -> MemoryResult:
        """Refused: there are no lists."""
        rule, got = "have the tables that were evaluated", "values only"
        raise input_error(
            "explain", rule, got, "Explain in the evaluation that these were taken from"
        )


def not_judged(user: Any, judged: list[Any]) -> InputError:
    return InputError(f"user must be a judged user, such as {judged}; got {user!r}")
