"""Measuring: tables in memory become lists, and every measure is taken of them block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray
from receval._progress import progress_bar
from receval.engine.context import build_context, refuse_outside
from receval.engine.measured import Measured
from receval.engine.task import Task, called
from receval.engine.threads import side_by_side
from receval.measure.block import ListRules
from receval.measure.form import Context, Measure
from receval.measure.lists import Lists, Truth
from receval.measure.ties import settle
from receval.tables.columns import column
from receval.tables.ids import code
from receval.tables.rows import segments

LONG = 3_000_000  # rows from which a progress bar is shown unasked


def measure_tables(
    task: Task,
    recommendations: Mapping[Hashable, Any],
    relevance: Any,
    history: Any = None,
    *,
    whole: bool = True,
    progress: bool | None = None,
) -> dict[Hashable, Measured]:
    """Every system's values; the tables of recommendations are by name.

    Tables that are not the ``whole`` of an evaluation may lack judged users.
    """
    lists, context = _lists_of(task, recommendations, relevance, history, whole)
    for name, one in lists.items() if whole else ():
        if one.ignored and one.ignored == one.rows.users.size:
            some = (
                one.truth.users.of(codes[:SHOWN]) for codes in (one.rows.users, one.truth.judged)
            )
            refuse_strangers(name, one.ignored, *some)
    return {name: _measured(one, name, task, context, progress) for name, one in lists.items()}


def refuse_strangers(name: Hashable, ignored: int, strangers: Any, judged: Any) -> None:
    """A system none of whose users is judged was probably given other ids."""
    of = f" of system {name!r}" if name != "" else ""
    raise InputError(
        f"recommendations{of} must have users that are judged; got 0 of {ignored} users in "
        f"relevance: {np.asarray(strangers).tolist()} against {np.asarray(judged).tolist()}"
    )


def refuse_forgotten(remembered: IntArray, judged: IntArray) -> None:
    """A history of none of the judged users was probably given other ids."""
    if not np.isin(remembered, judged).any():
        raise InputError(
            "history must have users that are judged; got 0 of "
            f"{np.unique(remembered).size} users in relevance"
        )


def _lists_of(
    task: Task, recommendations: Mapping[Hashable, Any], relevance: Any, history: Any, whole: bool
) -> tuple[dict[Hashable, Lists], Context]:
    """The one join: users and items of all tables become codes, rows become lists."""
    tables = {called(name): table for name, table in recommendations.items()}
    every = {**tables, "relevance": relevance} | ({} if history is None else {"history": history})
    users_of = {where: column(table, task.user, where) for where, table in every.items()}
    items = {where: column(table, task.item, where) for where, table in every.items()}
    if task.items is not None:
        items["items"] = task.items.index.to_series().reset_index(drop=True)
    if whole and users_of["relevance"].empty:
        raise InputError("relevance must hold at least one row; got none, so nobody is judged")
    user_rows, users = segments(users_of, task.user)
    codes, ids = code(items, task.item)
    rules = task.convention
    truth = Truth(
        rows=user_rows["relevance"].by_user(),
        item=codes["relevance"],
        grade=task.grades(relevance),
        users=users,
        items=ids,
        floor=rules.threshold or (0.0 if rules.negative == "zero" else None),
    )
    past = None if history is None else (user_rows["history"], codes["history"])
    if past is not None and whole and past[0].n_rows:
        refuse_forgotten(past[0].user, truth.judged)
    context = build_context(task, codes.get("items"), ids, past)
    lists: dict[Hashable, Lists] = {}
    for name, table in recommendations.items():
        where = called(name)
        if task.items is not None:
            refuse_outside(codes[where], codes["items"], ids)
        order = task.ordering(table, where)
        for system, rows in task.systems_in(table, name):
            if system in lists:
                raise InputError(
                    f"recommendations must hold each system once; got {system!r} twice"
                )
            how = ListRules(
                rules.ties, task.rank is not None, task.depth, task.duplicates == "first", system
            )
            own, listed, value = user_rows[where], codes[where], order
            if rows is not None:
                own, listed, value = own.of(rows), listed.of(rows), value[rows]
            lists[system] = Lists(truth, own.by_user(), listed, value, how)
    return lists, context


def _measured(
    lists: Lists, name: Hashable, task: Task, context: Context, progress: bool | None
) -> Measured:
    """Every measure of one system."""
    n = lists.size
    values = {one.name: np.empty(n) for one in task.measures if one.per_user}
    states: dict[str, list[Any]] = {one.name: [] for one in task.measures if not one.per_user}
    by_name = {one.name: one for one in task.measures}
    tied, total = np.zeros(n, bool), Counter(answered=0, **{"without truth": 0, "repeated": 0})
    # Sums up to smaller ranks are those of larger ones, which come first.
    deepest_first = sorted(task.measures, key=lambda one: one.k or math.inf, reverse=True)

    def work(places: slice | IntArray) -> _Block:
        return _measure_block(lists, places, deepest_first, context, values)

    with _bar(lists, name, progress) as bar:
        for found in side_by_side(work, lists.cuts()):
            for measure, state in found.states.items():
                _add(states[measure], state, by_name[measure])
            tied[found.places] = found.tied
            total.update(found.total)
            bar.update(found.tied.size)
    with_ties = np.flatnonzero(tied)
    settle(values, lists, with_ties, list(task.measures), context)
    if task.duplicates != "first":
        del total["repeated"]
    return Measured(
        task=task,
        lists=lists,
        context=context,
        columns=values,
        counts={"judged": n, **total, "ignored": lists.ignored},
        states={
            one.name: _whole(one, states[one.name], lists)
            for one in task.measures
            if states.get(one.name)
        },
        tied=with_ties,
    )


class _Block(NamedTuple):
    """What is measured of a block, beside the values of each user."""

    places: slice | IntArray
    states: dict[str, Any]
    tied: BoolArray
    total: dict[str, int]


def _measure_block(
    lists: Lists,
    places: slice | IntArray,
    measures: list[Measure],
    context: Context,
    values: dict[str, FloatArray],
) -> _Block:
    """Measure a block: its users' ``values`` are filled in, the rest is answered."""
    block = lists.block(places)
    if context.convention.missing == "error" and (block.length == 0).any():
        silent = [lists.truth.users.one(u) for u in block.users[block.length == 0][:SHOWN]]
        raise InputError(
            "recommendations must answer every judged user (missing='error'); "
            f"got none for {silent}"
        )
    for one in measures:
        if one.per_user:
            values[one.name][places] = one.of(block, context)
    return _Block(
        places,
        {one.name: one.state(block, context) for one in measures if not one.per_user},
        block.tied,
        {
            "answered": int(np.count_nonzero(block.length)),
            "without truth": int(np.count_nonzero(block.n_relevant == 0)),
            "repeated": block.repeated,
        },
    )


def _add(states: list[Any], state: Any, measure: Measure) -> None:
    """Add a state to others of (size, state), pairwise, so that each grows only now and then."""
    assert measure.of_all is not None
    size = 1
    while states and states[-1][0] == size:
        state = measure.of_all.combine(states.pop()[1], state)
        size *= 2
    states.append((size, state))


def _whole(measure: Measure, states: list[Any], lists: Lists) -> npt.NDArray[Any]:
    """All states in one; items by their ids, which mean the same in other tables too."""
    assert measure.of_all is not None
    state = reduce(measure.of_all.combine, (state for _, state in states))
    return np.sort(lists.truth.items.of(state)) if measure.of_all.of_items else state


def _bar(lists: Lists, name: Hashable, progress: bool | None) -> Any:
    title, long = str(name) or "evaluate", lists.item.raw.size >= LONG
    how: dict[str, Any] = {"unit": "user", "unit_scale": True, "desc": title}
    return progress_bar(progress, unasked=long, total=lists.size, **how)
