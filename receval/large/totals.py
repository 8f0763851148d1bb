"""What some of the users add to the whole of one system."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, refusal
from receval._exact import ExactSum
from receval.engine.measured import Measured, Summed
from receval.engine.measuring import measure_tables, refuse_forgotten, refuse_strangers
from receval.engine.signs import Signs, added
from receval.engine.task import Task
from receval.measure.tie_sums import TieSums
from receval.tables.columns import column
from receval.tables.given import Tables
from receval.tables.ids import encode

OWN = ("counts", "sums", "tie_sums", "states", "item_kind")  # as one system has them


@dataclass(frozen=True)
class Totals(Summed):
    """Counts, sums and states of one system over some users.

    Attributes
    ----------
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
    item_kind : str
        Whether item ids are "integer" or "text".
    facts : dict
        Numbers that notes are made from.
    """

    counts: dict[str, int]
    sums: dict[str, ExactSum]
    tie_sums: dict[str, TieSums]
    states: dict[str, Any]
    signs: Signs
    users: list[Any]
    judged: list[Any]
    item_kind: str
    facts: dict[str, Any]

    @classmethod
    def of(cls, measured: Measured, known: Signs | None) -> Totals:
        """What a system adds; signs ``known`` of others are not sought if nothing changes them."""
        settled = known if known and known.shares and not known.ranked else None
        lists = measured.lists
        own: dict[str, Any] = {name: getattr(measured, name) for name in OWN}
        users = lists.truth.users.of(lists.rows.users[:SHOWN]).tolist()
        judged = measured.users[:SHOWN].tolist()
        own |= {"signs": settled or measured.signs, "facts": measured.facts_of_part}
        return cls(**own, users=users, judged=judged)

    def merged(self, other: Totals, task: Task) -> Totals:
        """Both together."""
        states = {**self.states, **other.states}
        for one in task.measures:
            if one.of_all and one.name in self.states.keys() & other.states.keys():
                both = self.states[one.name], other.states[one.name]
                states[one.name] = one.of_all.combine(*both)
        return Totals(
            {key: count + other.counts[key] for key, count in self.counts.items()},
            {name: one + other.sums[name] for name, one in self.sums.items()},
            {name: one + other.tie_sums[name] for name, one in self.tie_sums.items()},
            states,
            self.signs + other.signs,
            sorted(self.users + other.users)[:SHOWN],
            sorted(self.judged + other.judged)[:SHOWN],
            self.item_kind if self.item_kind != "none" else other.item_kind,
            added(self.facts, other.facts),
        )


@dataclass(frozen=True)
class Part:
    """What one part of the users gives.

    Attributes
    ----------
    values : dict of DataFrame
        For each system the values of its judged users.
    totals : dict of Totals
        For each system what is added up over parts.
    remembered : tuple of int
        How many users have a history, and how many of these are judged.
    """

    values: dict[Hashable, pd.DataFrame]
    totals: dict[Hashable, Totals]
    remembered: tuple[int, int] = (0, 0)

    def merged(self, other: Part, task: Task) -> Part:
        """The totals of both, without values."""
        totals = {name: one.merged(other.totals[name], task) for name, one in self.totals.items()}
        every, judged = map(sum, zip(self.remembered, other.remembered, strict=True))
        return Part({}, totals, (every, judged))

    def refuse_apart(self) -> None:
        """Tables that share no user at all were probably given other ids."""
        for name, one in self.totals.items():
            if not one.counts["judged"]:
                raise refusal("relevance", "hold at least one row", "none, so nobody is judged")
            if one.counts["ignored"] and not one.counts["answered"]:
                refuse_strangers(name, one.counts["ignored"], one.users, one.judged)
        every, judged = self.remembered
        if every and not judged:
            refuse_forgotten(every)


def of_one(task: Task) -> Task:
    """The task of tables in which no column tells systems apart."""
    return replace(task, given=replace(task.given, system=None))


def measure_part(task: Task, tables: Tables, known: Part | None = None) -> Part:
    """Measure some users with all their rows, whoever of them is judged or answered.

    Of a part that is ``known`` some things need not be asked again.
    """
    found = measure_tables(of_one(task), tables, whole=False)
    remembered, user = (0, 0), task.given.user
    if (history := tables.by_place.get("history")) is not None:
        coded, ids = encode({"history": column(history, user, "history")}, user)
        users = ids.of(np.unique(coded["history"]))
        judged = next(iter(found.values())).users
        remembered = len(users), int(pd.Index(users).isin(judged).sum()) if len(judged) else 0
    return Part(
        {name: one.values() for name, one in found.items() if len(one.users)},
        {
            name: Totals.of(one, known.totals[name].signs if known else None)
            for name, one in found.items()
        },
        remembered,
    )
