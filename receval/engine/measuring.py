"""Measuring: tables in memory become lists, and every measure is taken of them block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from functools import partial
from itertools import starmap
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import LARGEST, SHOWN, FloatArray, InputError, IntArray, refusal, require
from receval._progress import progress_bar
from receval.engine.context import build_context
from receval.engine.measured import Measured
from receval.engine.task import Task
from receval.engine.threads import side_by_side
from receval.measure.block import ListRules
from receval.measure.form import Context
from receval.measure.lists import Lists, Truth
from receval.measure.ties import replace_tied
from receval.metrics.stated import OfAll
from receval.tables.codes import UserRows, code, encode, rows_by_user
from receval.tables.columns import column, in_order, numbers, refuse_rows
from receval.tables.given import Tables

LONG = 3_000_000  # rows from which a progress bar is shown unasked


def measure_tables(
    task: Task, tables: Tables, *, whole: bool = True, progress: bool | None = None
) -> dict[Hashable, Measured]:
    """Every system's values.

    Tables that are not the ``whole`` of an evaluation may lack judged users.
    """
    lists, context = _lists_of(task, tables, whole)
    others = None
    if task.users in ("answered", "named"):
        lists, others = _chosen(task, lists)
    found = {}
    for name, one in lists.items():
        if task.context.convention.missing == "error" and not one.answers.size.all():
            silent = one.truth.users.of(one.truth.judged[one.answers.size == 0][:SHOWN])
            rule, got = "answer every judged user (missing='error')", f"none for {silent.tolist()}"
            raise refusal("recommendations", rule, got)
        measured = measure_lists(one, task, context, progress)
        found[name] = measured if others is None else measured.with_others(others)
    return found


def measure_lists(
    lists: Lists, task: Task, context: Context, progress: bool | None = None
) -> Measured:
    """Every measure of one system, taken block by block."""
    n = lists.answers.size.size
    names = list(map(attrgetter("name"), filter(attrgetter("per_user"), task.measures)))
    columns = dict(zip(names, np.empty((len(names), n)), strict=True))
    is_tied, cuts = np.zeros(n, bool), list(lists.cuts())
    work = partial(_of_block, lists, task, context, columns)
    done: Any = map(work, cuts) if len(cuts) == 1 else side_by_side(work, cuts)
    if progress is not None or lists.value.size >= LONG:
        how = {"unit": "block", "desc": str(lists.how.system) or "evaluate"}
        done = progress_bar(progress, done, unasked=True, total=len(cuts), **how)
    blocks = list(done)
    for places, block in zip(cuts, blocks, strict=True):
        is_tied[places] = block["tied"]
    tied = np.flatnonzero(is_tied)
    if tied.size:
        replace_tied(columns, lists, tied, task.measures, context)
    total: Counter[str] = sum(map(itemgetter("sums"), blocks), Counter())
    answered = int(np.count_nonzero(lists.answers.size))
    counts = {"judged": n, "answered": answered, "without truth": total["without truth"]}
    if task.seen == "drop":
        counts["seen"] = total["seen"]
    if task.duplicates == "first":
        left_out = int(lists.answers.size.sum()) - total["listed"]
        counts["repeated"] = left_out - counts.get("seen", 0)
    counts["ignored"] = lists.rows.users.size - answered
    states = {}
    for one in task.measures:
        if one.of_all is not None and blocks:
            own = [block["states"][one.name] for block in blocks]
            states[one.name] = _whole(one.of_all, own, lists)
    longest = int(max(map(itemgetter("longest"), blocks), default=0))
    facts = {"longest": longest, "unlisted": total["unlisted"], "seen": total["seen"]}
    return Measured(task, lists, context, columns, counts, states, tied, total["hits"] > 0, facts)


def _of_block(
    lists: Lists, task: Task, context: Context, columns: dict[str, FloatArray], places: Any
) -> dict[str, Any]:
    """Measure a block: what is of users is filled in, what is of all is answered."""
    block = lists.block(places)
    states = {}
    # Sums up to smaller ranks are those of larger ones, which come first.
    for one in sorted(task.measures, key=attrgetter("depth"), reverse=True):
        if one.per_user:
            columns[one.name][places] = one.of(block, context)
        if one.of_all:
            states[one.name] = one.state(block, context)
    least = task.context.convention.relevant_from
    relevant = block.at_least(least) if least else block
    below = lists.how.depth > lists.answers.size.max()  # the longest list
    sums = Counter[str]()
    sums["without truth"] = int(np.count_nonzero(relevant.n_relevant == 0))
    sums["listed"] = int(block.length.sum())
    sums["unlisted"] = int(relevant.unlisted.sum()) if below else 0
    sums["seen"] = 0 if lists.past is None else block.n_seen
    sums["hits"] = int(np.count_nonzero(block.grades > 0))
    return {"tied": block.tied, "sums": sums, "longest": block.length.max(), "states": states}


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


def _lists_of(task: Task, tables: Tables, whole: bool) -> tuple[dict[Hashable, Lists], Context]:
    """The one join: users and items of all tables become codes, rows become lists."""
    names, rules, found = task.given, task.context.convention, tables.by_place
    user_of, item_of = {}, {}
    for where, table in found.items():
        user_of[where] = column(table, names.user, where)
        item_of[where] = column(table, names.item, where)
    if task.items is not None:
        item_of["items"] = task.items.index.to_series().reset_index(drop=True)
    if whole and user_of["relevance"].empty:
        raise InputError("relevance must hold at least one row; got none, so nobody is judged")
    rows_of, users = rows_by_user(user_of, names.user)
    codes, ids = code(item_of, names.item)
    floor = rules.threshold or (0.0 if rules.negative == "zero" else None)
    grade, judged = grades(task, found["relevance"]), rows_of["relevance"]
    truth = Truth(judged, codes["relevance"], grade, users, ids, floor)
    context, past = task.context, rows_of.get("history")
    if whole and past and past.users.size and not np.isin(past.users, judged.users).any():
        refuse_unjudged("history", past.users.size)
    if past or task.items is not None:
        context = build_context(task, codes, ids, past, whole=whole)
    first, depth = task.duplicates == "first", max(map(attrgetter("depth"), task.measures))
    how = ListRules(rules.ties, names.rank is not None, depth, first, task.seen, names=names)
    lists: dict[Hashable, Lists] = {}
    for name, where in tables.systems.items():
        own = rows_of[where], codes[where], ordering(task, found[where], where)
        each = {name: own} if names.system is None else _apart(task, found[where], where, name, own)
        for system, (rows, item, value) in each.items():
            if system in lists:
                raise refusal("recommendations", "hold each system once", f"{system!r} twice")
            answers, how = rows.for_users(judged.users), how._replace(system=system)
            if whole and rows.users.size and not answers.size.any():
                shown = (users.of(some[:SHOWN]).tolist() for some in (rows.users, judged.users))
                refuse_unjudged(f"recommendations{how.of_system}", rows.users.size, *shown)
            lists[system] = Lists(truth, rows, answers, item, value, how, past=context.seen)
    return lists, context


def grades(task: Task, table: Any) -> npt.NDArray[Any]:
    """The grades of relevance rows."""
    label = task.given.relevance_column
    if label is None:
        return np.broadcast_to(np.uint8(1), len(table))
    series, name = column(table, label, "relevance"), f"{label} of relevance"
    grade = numbers(series, name)
    if grade.dtype == bool:
        grade = grade.view(np.uint8)
    if task.context.convention.negative == "error" and grade.size and grade.min() < 0:
        refuse_rows(series, grade < 0, name, "be at least 0", "0 is not relevant")
    return grade


def ordering(task: Task, table: Any, where: str) -> npt.NDArray[Any]:
    """The scores of recommendations, or their ranks."""
    rank, by_rank = task.given.rank, task.given.rank is not None
    label = task.given.score if rank is None else rank
    series, name = column(table, label, where), f"{label} of {where}"
    if not len(series):
        return np.empty(0)
    given = numbers(series, name, infinite=not by_rank)
    if by_rank and (given.min() < 1 or (given != np.floor(given)).any()):
        wrong = (given < 1) | (given != np.floor(given))
        advice = f"Ranks from 0: table[{label!r}] + 1" if given.min() == 0 else ""
        refuse_rows(series, wrong, name, "hold ranks 1, 2, 3, …", advice)
    if given.dtype.kind == "f":
        return given
    for one in task.measures:
        if "scores" in one.needs:  # which float64 cannot all hold: their order is kept, not they
            far = (given > LARGEST) | (given < -LARGEST)
            advice = "Bring scores to the scale of the grades"
            refuse_rows(series, far, name, f"be at most 2**53 for {one.name}", advice)
    return in_order(given)


def labels(task: Task, table: Any, where: str) -> pd.Series:
    """The column that tells systems apart."""
    assert task.given.system is not None
    found = column(table, task.given.system, where)
    if found.isna().any():
        name = f"{task.given.system} of {where}"
        raise InputError(f"{name} must not be missing; a row belongs to no system")
    return found


def _apart(task: Task, table: Any, where: str, name: Any, own: tuple[Any, Any, Any]) -> Any:
    """What is known of a table's rows, for each system that a column tells apart."""
    of_rows = labels(task, table, where)
    if not len(of_rows):
        raise InputError(f"{task.given.system} of {where} must name a system; got no row")
    coded, names = encode({where: of_rows}, str(task.given.system))
    systems, (users, items, value) = UserRows.of(coded[where]), own
    user, rows = users.by_row(), np.split(systems.rows, np.cumsum(systems.size)[:-1])
    found = {}
    for some in sorted(rows, key=itemgetter(0)):  # as they come
        label = names.one(coded[where][some[0]])
        found[system_name(name, label)] = UserRows.of(user[some]), items.of(some), value[some]
    return found


def system_name(name: Any, label: Any) -> Any:
    """What a system is called that a column tells from others of a table."""
    return f"{name}/{label}" if name != "" else label


def measure_again(measured: Measured, places: IntArray) -> Measured:
    """Some of the users, measured again from their lists."""
    truth, rows, kept = measured.lists.truth, measured.lists.rows, measured.users[places]
    judged, listed = (
        codes[truth.users.index(codes, "user").isin(kept)] for codes in (truth.judged, rows.users)
    )
    few = measured.lists.of_users(judged)._replace(rows=rows.for_users(listed))
    found = measure_lists(few, measured.task, measured.context)
    return found if measured.others is None else found.with_others(kept[kept.isin(measured.others)])


def _chosen(task: Task, lists: Mapping[Any, Lists]) -> tuple[dict[Any, Lists], pd.Index]:
    """The lists of the judged users that means go over, and the users beside these."""
    users, judged = (truth := next(iter(lists.values())).truth).users, truth.judged
    if task.named is None:
        recommended = np.unique(np.concatenate([one.rows.users for one in lists.values()]))
        return dict(lists), users.index(np.setdiff1d(recommended, judged), "user")
    kind = pd.api.types.infer_dtype(task.named).replace("string", "text")
    require(
        kind == users.kind, "users", f"be {users.kind} ids, as in the tables", task.named.tolist()
    )
    places = task.named.get_indexer(users.index(judged, "user"))
    codes, others = judged[places >= 0], task.named.delete(places[places >= 0])
    return {name: one.of_users(codes) for name, one in lists.items()}, others


def refuse_unjudged(table: str, n: int, *shown: list[Any]) -> None:
    """A table none of whose users is judged was probably given other ids."""
    against = f": {shown[0]} against {shown[1]}" if shown else ""
    raise refusal(table, "have users that are judged", f"0 of {n} users in relevance{against}")
