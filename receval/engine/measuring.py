"""Measuring: tables in memory become lists, and every measure is taken of them block by block."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import SHOWN, InputError, IntArray, refusal
from receval._progress import progress_bar
from receval.engine.context import build_context
from receval.engine.measured import Measured
from receval.engine.task import Tables, Task
from receval.engine.threads import side_by_side
from receval.engine.users import among, chosen, with_others
from receval.measure.block import ListRules
from receval.measure.form import Context
from receval.measure.lists import Lists, Truth
from receval.measure.ties import settle
from receval.metrics.stated import OfAll
from receval.tables.columns import column
from receval.tables.ids import code
from receval.tables.rows import segments

LONG = 3_000_000  # rows from which a progress bar is shown unasked


def measure_tables(
    task: Task, tables: Tables, *, whole: bool = True, progress: bool | None = None
) -> dict[Hashable, Measured]:
    """Every system's values.

    Tables that are not the ``whole`` of an evaluation may lack judged users.
    """
    found = {}
    lists, context = _lists_of(task, tables, whole)
    others, everybody = None, lists
    if task.users in ("answered", "named"):
        if not whole:
            raise refusal("users", "be 'judged' or 'both' of tables in parts", task.users)
        lists, others = chosen(task, lists)
    for name, one in lists.items():
        strangers = one.rows.users
        if whole and strangers.size and not everybody[name].answers.size.any():
            both = strangers, everybody[name].truth.judged
            shown = [one.truth.users.of(some[:SHOWN]).tolist() for some in both]
            refuse_strangers(name, strangers.size, *shown)
        if task.convention.missing == "error" and not one.answers.size.all():
            silent = one.truth.users.of(one.truth.judged[one.answers.size == 0][:SHOWN])
            raise InputError(
                "recommendations must answer every judged user (missing='error'); "
                f"got none for {silent.tolist()}"
            )
        measured = _measured(one, name, task, context, progress)
        found[name] = measured if others is None else with_others(measured, others)
    return found


def measured_among(one: Measured, places: IntArray) -> Measured:
    """The same of some of the judged users, measured again from their lists."""
    lists, codes = one.lists, one.lists.truth.judged[places]
    rows = lists.rows.for_users(np.intersect1d(codes, lists.rows.users))
    few = among(lists, codes)._replace(rows=rows)
    return _measured(few, "", one.task, one.context, None)


def refuse_strangers(name: Hashable, ignored: int, strangers: list[Any], judged: list[Any]) -> None:
    """A system none of whose users is judged was probably given other ids."""
    of = f" of system {name!r}" if name != "" else ""
    raise InputError(
        f"recommendations{of} must have users that are judged; got 0 of {ignored} users in "
        f"relevance: {strangers} against {judged}"
    )


def refuse_forgotten(remembered: int) -> None:
    """A history of none of the judged users was probably given other ids."""
    raise refusal("history", "have users that are judged", f"0 of {remembered} users in relevance")


def _lists_of(task: Task, tables: Tables, whole: bool) -> tuple[dict[Hashable, Lists], Context]:
    """The one join: users and items of all tables become codes, rows become lists."""
    given, rules = tables.by_place, task.convention
    user_of = {where: column(table, task.user, where) for where, table in given.items()}
    item_of = {where: column(table, task.item, where) for where, table in given.items()}
    if task.items is not None:
        item_of["items"] = task.items.index.to_series().reset_index(drop=True)
    if whole and user_of["relevance"].empty:
        raise InputError("relevance must hold at least one row; got none, so nobody is judged")
    rows_of, users = segments(user_of, task.user)
    codes, ids = code(item_of, task.item)
    floor = rules.threshold or (0.0 if rules.negative == "zero" else None)
    grade, judged = task.grades(tables.relevance), rows_of["relevance"].by_user()
    truth = Truth(judged, codes["relevance"], grade, users, ids, floor)
    context, past = task.context, rows_of.get("history")
    if whole and past and past.n_rows and not np.isin(past.user, judged.users).any():
        refuse_forgotten(np.unique(past.user).size)
    if past or task.items is not None:
        context = build_context(task, codes, ids, past, whole=whole)
    whole_lists = any(one.k is None or one.whole_list for one in task.measures)
    depth = None if whole_lists else max(one.k or 0 for one in task.measures)
    how = ListRules(rules.ties, task.rank is not None, depth, task.duplicates == "first", task.seen)
    lists: dict[Hashable, Lists] = {}
    for name, where in zip(tables.recommendations, given, strict=False):
        own = rows_of[where], codes[where], task.ordering(given[where], where)
        parts = {name: own} if task.system is None else task.apart(given[where], name, *own)
        for system in lists.keys() & parts.keys():
            raise InputError(f"recommendations must hold each system once; got {system!r} twice")
        for system, (user, item, value) in parts.items():
            rows = user.by_user()
            answers = rows.for_users(judged.users)
            own_how = how._replace(system=system)
            lists[system] = Lists(truth, rows, answers, item, value, own_how, past=context.seen)
    return lists, context


def _measured(
    lists: Lists, name: Hashable, task: Task, context: Context, progress: bool | None
) -> Measured:
    """Every measure of one system."""
    answers = lists.answers.size
    n = answers.size
    values = {one.name: np.empty(n) for one in task.measures if one.per_user}
    n_relevant, length, tied, seen, unlisted = of_users = np.zeros((5, n), np.int64)
    longest = answers.max(initial=0)
    whole_lists = any(one.key == "AUC" or (one.k or 0) > longest for one in task.measures)
    hit = False
    least = task.convention.relevant_from
    # Sums up to smaller ranks are those of larger ones, which come first.
    deepest_first = sorted(task.measures, key=lambda one: one.k or math.inf, reverse=True)

    def work(places: slice | IntArray) -> dict[str, Any]:
        """Measure a block: what is of users is filled in, what is of all is answered."""
        nonlocal hit
        block, states = lists.block(places), {}
        relevant = block.at_least(least) if least else block
        of_users[:4, places] = relevant.n_relevant, block.length, block.tied, block.n_seen
        if whole_lists:
            unlisted[places] = relevant.unlisted
        hit = hit or bool((block.grades > 0).any())  # in most tables the first block says so
        for one in deepest_first:
            if one.per_user:
                values[one.name][places] = one.of(block, context)
            if one.of_all is not None:
                states[one.name] = one.state(block, context)
        return states

    blocks = list(lists.cuts())
    done = map(work, blocks) if len(blocks) == 1 else side_by_side(work, blocks)
    if progress is not None or lists.value.size >= LONG:
        how = {"unit": "block", "desc": str(name) or "evaluate", "total": len(blocks)}
        done = progress_bar(progress, done, unasked=True, **how)
    states = list(done)
    with_ties = np.flatnonzero(tied)
    if with_ties.size:
        settle(values, lists, with_ties, list(task.measures), context)
    answered, without = int(np.count_nonzero(answers)), n - int(np.count_nonzero(n_relevant))
    counts = {"judged": n, "answered": answered, "without truth": without}
    left_out = seen if task.seen == "drop" else np.zeros_like(seen)
    if task.seen == "drop":
        counts["seen"] = int(left_out.sum())
    if task.duplicates == "first":
        counts["repeated"] = int((answers - length - left_out).sum())
    counts["ignored"] = lists.rows.users.size - answered
    facts = {
        "longest": int(length.max(initial=0)),
        "unlisted": int(unlisted.sum()),
        "seen": int(seen.sum()),
    }
    of_all = {
        one.name: _whole(one.of_all, [state[one.name] for state in states], lists)
        for one in task.measures
        if one.of_all is not None and states
    }
    return Measured(task, lists, context, values, counts, of_all, with_ties, hit, facts)


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
