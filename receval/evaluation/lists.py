"""Return the lists of an evaluation as a frame, with a row for each recommended item."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import AnyArray, BoolArray, Id, IntArray, input_error
from receval.definitions.convention import Convention
from receval.definitions.lists import JudgedRun, UserLists
from receval.evaluation.measured import MemoryResult, System, ValuesOnlyResult


class ListRows(NamedTuple):
    """The items of the lists of one block of users, one below the other, best rank first.

    Attributes
    ----------
    user : position of the user among the judged users.
    columns : the columns of the frame by name, without the user and the item.
    item : code of the item.
    """

    user: IntArray
    item: IntArray
    columns: dict[str, AnyArray]


def lists_of(systems: Mapping[Id, System], user: Id | None) -> pd.DataFrame:
    """Return the lists of some systems; see `Evaluation.lists`.

    ``systems`` has the wanted systems by name. If ``user`` is None, the frame has every judged
    user. If there are several systems, the first column has their names.
    """
    frame_by_system = {
        name: _lists_of_system(system, name, user) for name, system in systems.items()
    }
    first, *others = frame_by_system.values()
    if not others:
        return first
    stacked = pd.concat(frame_by_system, names=["system", None])
    return stacked.reset_index("system").reset_index(drop=True)


def with_lists(system: System, name: Id, user: Id | None = None) -> MemoryResult:
    """Return a result that has the lists of a system; raise an `InputError` if there are none.

    If tables were evaluated part by part, receval can only read the lists of one ``user``. The
    function also raises an error if the user is not judged. ``name`` is the name of the system in
    messages.
    """
    if isinstance(system, MemoryResult):
        return system if user is None else system.of_user(user)
    if isinstance(system, ValuesOnlyResult):
        if system.measured is not None:
            return system.measured if user is None else system.measured.of_user(user)
        if user is not None and system.measure_user is not None:
            return system.of_user(user)
        if system.measure_user is not None:
            rule = "be for one user, because the tables were evaluated part by part"
            advice = "Name a user, or read the tables with pandas first"
            raise input_error("lists", rule, "every user", advice)
    of_system = f" of {name!r}" if name != "" else ""
    rule = "have the tables that were evaluated"
    advice = (
        "Load a file with its tables: receval.load(path, recommendations=…, relevance=…); of "
        "pooled folds, ask the evaluation of a fold"
    )
    raise input_error("lists", rule, f"only values{of_system}", advice)


def _lists_of_system(system: System, name: Id, user: Id | None) -> pd.DataFrame:
    """Return the lists of one system, for one judged user or for all.

    Raises an `InputError` if there are no lists or the user is not judged. ``name`` is the name of
    the system in messages.
    """
    measured = with_lists(system, name, user)
    run = _full_lists(measured)
    if user is not None:
        run = run.for_users(run.judged[run.judged == run.truth.users.find(user)])
    truth = run.truth
    convention = measured.context.convention
    blocks = [
        _rows_of_block(positions, block, convention, by_rank=run.rules.by_rank)
        for positions, block in run.blocks()
    ]
    user_positions = np.concatenate([rows.user for rows in blocks])
    # Blocks may group users with lists of similar length, so bring the users back into order.
    order = np.argsort(user_positions, kind="stable")
    item_codes = np.concatenate([rows.item for rows in blocks])[order]
    columns = {
        column: np.concatenate([rows.columns[column] for rows in blocks])[order]
        for column in blocks[0].columns
    }
    ids = {
        "user": truth.users.take(run.judged[user_positions[order]]),
        "rank": columns.pop("rank"),
        "item": truth.items.take(item_codes),
    }
    return pd.DataFrame({**ids, **columns})


def _full_lists(system: MemoryResult) -> JudgedRun:
    """Return the lists of a system at full length, including ranks below the cut-offs."""
    rules = system.run.rules._replace(depth=math.inf)
    return replace(system.run, rules=rules)


def _rows_of_block(
    positions: IntArray, block: UserLists, convention: Convention, *, by_rank: bool
) -> ListRows:
    """Return the rows of one block of users.

    ``positions`` are the positions of its users among the judged users. ``by_rank`` says that the
    tables have ranks and no scores.
    """
    line, column = np.nonzero(block.items >= 0)  # lists are padded with -1
    grade = block.ratings[line, column]
    columns: dict[str, AnyArray] = {"rank": column + 1}
    if not by_rank:
        columns["score"] = block.predicted[line, column]
    columns["grade"] = grade
    columns["relevant"] = is_relevant(block, convention)[line, column]
    columns["judged"] = ~np.isnan(grade)
    if block.is_seen is not None:
        columns["seen"] = block.is_seen[line, column]
    return ListRows(positions[line], block.items[line, column], columns)


def is_relevant(block: UserLists, convention: Convention) -> BoolArray:
    """Return a mask of the ranks whose items count as relevant in measures that ignore grades."""
    grades = block.grades
    if convention.relevant_from != 0:  # 0 means that there is no other threshold
        grades = block.binarized(convention.relevant_from).grades
    return np.asarray(grades > 0)  # False for NaN, after the end of a list
