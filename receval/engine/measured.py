"""What is known of one system: the values of its users, and what means and notes are made from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import starmap
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, FloatArray, InputError, IntArray, among, refusal
from receval._exact import ExactSum
from receval._progress import progress_bar
from receval.engine.signs import FEW, Signs, alike
from receval.engine.task import Task
from receval.engine.threads import side_by_side
from receval.measure.form import Context
from receval.measure.lists import Lists
from receval.measure.tie_sums import TieSums
from receval.measure.ties import settle, spreads
from receval.metrics.stated import OfAll

LONG = 3_000_000  # rows from which a progress bar is shown unasked


class Summed:
    """What follows from exact sums and signs, of one system over some or all users.

    A system of an evaluation, whether its values are in memory or in a file, has these, and

    - ``sums``, ``tie_sums`` and ``signs``, from which the rest here follows;
    - ``counts``: how many users there are, by what they are;
    - ``states``: of measures of all users together;
    - ``foreign``: how many items are recommended, if none of them is in relevance; else 0;
    - ``facts``: numbers that notes are made from, see `receval.engine.signs`;
    - ``item_kind``: whether item ids are "integer" or "text";
    - ``values(measures)``: the values by user;
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
        """What equal scores leave open of each mean: a row of `receval.Evaluation.ties`."""
        return {name: one.row() for name, one in self.tie_sums.items()}

    @cached_property
    def like_ranks(self: Any) -> bool:
        """Whether the scores look like ranks."""
        return bool(self.signs.rising and not self.signs.unranked)


@dataclass(frozen=True, eq=False)
class Measured(Summed):
    """One system measured in memory, with what its values were made from."""

    task: Task = field(repr=False)
    lists: Lists = field(repr=False)
    context: Context = field(repr=False)
    columns: dict[str, FloatArray] = field(repr=False)
    counts: dict[str, int]
    states: dict[str, Any] = field(repr=False)
    tied: IntArray = field(repr=False)
    hit: bool = field(repr=False)
    listed: dict[str, int] = field(repr=False)
    others: pd.Index | None = field(default=None, repr=False)  # not judged, with values at the end

    @classmethod
    def of(
        cls, lists: Lists, task: Task, context: Context, progress: bool | None = None
    ) -> Measured:
        """Every measure of one system, taken block by block."""
        n = lists.answers.size.size
        columns = {one.name: np.empty(n) for one in task.measures if one.per_user}
        tied, blocks = np.zeros(n, bool), list(lists.cuts())
        work = partial(_of_block, lists, task, context, columns)
        found: Any = map(work, blocks) if len(blocks) == 1 else side_by_side(work, blocks)
        if progress is not None or lists.value.size >= LONG:
            how = {"unit": "block", "desc": str(lists.how.system) or "evaluate"}
            found = progress_bar(progress, found, unasked=True, total=len(blocks), **how)
        done = list(found)
        for places, one in zip(blocks, done, strict=True):
            tied[places] = one["tied"]
        places = np.flatnonzero(tied)
        if places.size:
            settle(columns, lists, places, task.measures, context)
        total: Counter[str] = sum((one["sums"] for one in done), Counter())
        answered = int(np.count_nonzero(lists.answers.size))
        counts = {"judged": n, "answered": answered, "without truth": total["without truth"]}
        if task.seen == "drop":
            counts["seen"] = total["seen"]
        if task.duplicates == "first":
            left_out = int(lists.answers.size.sum()) - total["listed"]
            counts["repeated"] = left_out - counts.get("seen", 0)
        counts["ignored"] = lists.rows.users.size - answered
        states = {
            one.name: _whole(one.of_all, [block["states"][one.name] for block in done], lists)
            for one in task.measures
            if one.of_all is not None and done
        }
        longest = max((one["longest"] for one in done), default=0)
        facts = {"longest": longest, "unlisted": total["unlisted"], "seen": total["seen"]}
        hit = total["hits"] > 0
        return cls(task, lists, context, columns, counts, states, places, hit, facts)

    @cached_property
    def users(self) -> pd.Index:
        """The judged users, and those who count beside them."""
        judged = self.lists.truth.users.index(self.lists.truth.judged, "user")
        return judged if self.others is None else judged.append(self.others)

    @cached_property
    def sums(self) -> dict[str, ExactSum]:
        """By measure, over the users that have a value."""
        found = side_by_side(ExactSum.of, self.columns.values())
        return dict(zip(self.columns, found, strict=True))

    @cached_property
    def tie_sums(self) -> dict[str, TieSums]:
        """By measure that depends on the order of equal scores."""
        tied, own = self.tied, self.columns
        found = spreads(self.lists, tied, self.task.measures, self.context)
        return {name: TieSums.of(own[name], tied, spread) for name, spread in found.items()}

    @cached_property
    def signs(self) -> Signs:
        """What may come from a slip in the tables."""
        return Signs.of(self.lists, self.hit)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What else has to be known of the lists and the truth to read means rightly."""
        return {**self.facts_of_part, "alike": alike(self.lists)}

    @property
    def facts_of_part(self) -> dict[str, Any]:
        """Of these what can be added up."""
        grades = np.unique(self.lists.truth.grade)[: FEW + 1]
        return {**self.listed, "grades": grades.astype(float).tolist()}

    @property
    def foreign(self) -> int:
        return 0 if self.hit or self.signs.shares else len(set(self.lists.item.read().tolist()))

    @property
    def item_kind(self) -> str:
        return self.lists.truth.items.kind

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values by user, of some measures or of all."""
        names = among(measures, self.columns)
        columns = {name: self.columns[name] for name in names}
        return pd.DataFrame(columns, index=self.users, copy=False)

    def among(self, places: IntArray) -> Measured:
        """The same of some of the users, measured again from their lists."""
        truth, rows, kept = self.lists.truth, self.lists.rows, self.users[places]
        judged, listed = (
            codes[truth.users.index(codes, "user").isin(kept)]
            for codes in (truth.judged, rows.users)
        )
        few = self.lists.of_users(judged)._replace(rows=rows.for_users(listed))
        found = Measured.of(few, self.task, self.context)
        return found if self.others is None else found.with_others(kept[kept.isin(self.others)])

    def with_others(self, others: pd.Index) -> Measured:
        """With a value of 0 for users who are not judged; if they must be answered, for these."""
        rows, judged = self.lists.rows.users, self.lists.truth.judged
        answered = others.isin(self.lists.truth.users.index(np.setdiff1d(rows, judged), "user"))
        given = self.task.named is not None
        zeros = np.zeros(len(others)) if given else np.where(answered, 0.0, np.nan)
        columns = {name: np.append(values, zeros) for name, values in self.columns.items()}
        ignored = self.counts["ignored"] - int(answered.sum())
        counts = {**self.counts, "not judged": int(np.isfinite(zeros).sum()), "ignored": ignored}
        return replace(self, columns=columns, counts=counts, others=others)

    def of_user(self, user: Any) -> Measured:
        """Itself; refused if the user is not judged."""
        truth = self.lists.truth
        code = truth.users.find(user)
        if code is None or not np.isin(code, truth.judged):
            raise not_judged(user, truth.users.of(truth.judged[:SHOWN]).tolist())
        return self


@dataclass(frozen=True, eq=False)
class Kept(Summed):
    """One system of which the values are known, and not what they were made from."""

    frame: pd.DataFrame = field(repr=False)
    counts: dict[str, int]
    item_kind: str
    foreign: int = 0
    like_ranks: bool = False
    ties: dict[str, dict[str, float]] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict, repr=False)
    facts: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def sums(self) -> dict[str, ExactSum]:
        """By measure, over the users that have a value."""
        return {str(name): ExactSum.of(one) for name, one in self.frame.items()}

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values by user, of some measures or of all."""
        return self.frame[among(measures, self.frame.columns)].copy()

    def of_user(self, _: Any) -> Measured:
        """Refused: there are no lists."""
        rule, got = "have the tables that were evaluated", "values only"
        raise refusal("explain", rule, got, "Explain in the evaluation that these were taken from")


def _of_block(
    lists: Lists, task: Task, context: Context, columns: dict[str, FloatArray], places: Any
) -> dict[str, Any]:
    """Measure a block: what is of users is filled in, what is of all is answered."""
    block = lists.block(places)
    # Sums up to smaller ranks are those of larger ones, which come first.
    for one in sorted(task.measures, key=lambda one: one.k or math.inf, reverse=True):
        if one.per_user:
            columns[one.name][places] = one.of(block, context)
    least, longest = task.convention.relevant_from, lists.answers.size.max()
    relevant = block.at_least(least) if least else block
    deep = any(one.key == "AUC" or (one.k or 0) > longest for one in task.measures)
    sums = {
        "without truth": relevant.n_relevant == 0,
        "listed": block.length,
        "unlisted": relevant.unlisted if deep else 0,
        "seen": 0 if lists.past is None else block.n_seen,
        "hits": (block.grades > 0).any(),
    }
    states = {one.name: one.state(block, context) for one in task.measures if one.of_all}
    total = Counter({what: int(np.sum(of_users)) for what, of_users in sums.items()})
    longest = int(block.length.max())
    return {"tied": block.tied, "sums": total, "longest": longest, "states": states}


def _whole(measure: OfAll, states: list[Any], lists: Lists) -> npt.NDArray[Any]:
    """All states in one; items by their ids, which mean the same in other tables too.

    They are put together pairwise, so that each grows only now and then.
    """
    while len(states) > 1:
        odd = states[len(states) // 2 * 2 :]
        states = [*starmap(measure.combine, zip(states[::2], states[1::2], strict=False)), *odd]
    state: npt.NDArray[Any] = states[0]
    if not measure.of_items:
        return state
    ids, counts = lists.truth.items.of(np.atleast_2d(state)[0]), state[1:]
    return np.sort(ids) if state.ndim == 1 else np.array([ids, *counts], dtype=object)


def not_judged(user: Any, judged: list[Any]) -> InputError:
    return InputError(f"user must be a judged user, such as {judged}; got {user!r}")
