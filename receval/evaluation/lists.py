"""The lists of an evaluation as frames: the items by rank, and the term that each rank adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from receval._checks import AnyArray, BoolArray, Id, IntArray, input_error
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import JudgedRun, UserLists
from receval.definitions.ties import in_order_of_measure
from receval.evaluation.measured import MeasuredLists, SystemResult
from receval.working.by_rank import is_sum_over_ranks, rank_contributions


def lists_of(systems: Mapping[Id, SystemResult], user: Id | None) -> pd.DataFrame:
    """Return the lists of some systems; see `Evaluation.lists`.

    ``systems`` has the wanted systems by name. If ``user`` is None, the frame has every judged
    user. If there are several systems, the first column has their names.
    """
    frames = {}
    for name, system in systems.items():
        measured = with_lists(system, name, user)
        run = _of_user(measured.run, user)
        # Whole lists, including ranks below the cut-offs.
        run = replace(run, rules=run.rules._replace(depth=math.inf))
        convention = measured.context.convention
        parts = []
        for positions, block in run.blocks():
            columns: dict[str, AnyArray] = {}
            if not run.rules.by_rank:
                columns["score"] = block.predicted
            columns["grade"] = block.ratings
            columns["relevant"] = is_relevant(block, convention)
            columns["judged"] = ~np.isnan(block.ratings)
            if run.past is not None:
                columns["seen"] = run.past(block.users, block.items)
            parts.append(_rows_of_block(run, positions, block, columns))
        frames[name] = _in_order_of_users(parts)
    return _stacked(frames)


def terms_of(
    systems: Mapping[Id, SystemResult], measure: Measure, user: Id | None = None
) -> pd.DataFrame:
    """Return what each listed item adds to its user's value; see `Evaluation.terms`.

    Raises an `InputError` if the measure is not a sum over ranks, if there are no lists, or if the
    terms of a user don't add up to the stored value.
    """
    if not is_sum_over_ranks(measure):
        rule = "be a sum over the ranks of a list, such as nDCG, MAP, MRR, recall or RBP"
        raise input_error("measure", rule, measure.name)
    frames = {}
    for name, system in systems.items():
        measured = with_lists(system, name, user)
        measured.check_has(measure)
        context = measured.context
        run = in_order_of_measure(_of_user(measured.run, user), measure, context.convention)
        parts = []
        for positions, block in run.blocks():
            terms = rank_contributions(measure, block, context)
            columns = {"grade": block.ratings[:, : terms.shape[1]], "term": terms}
            parts.append(_rows_of_block(run, positions, block, columns))
        frames[name] = _in_order_of_users(parts)
        judged = run.truth.users.index(run.judged, "user")
        values = system.values([measure.name])[measure.name].loc[judged]
        _check_sums(frames[name], values)
    return _stacked(frames)


def _check_sums(terms: pd.DataFrame, values: pd.Series[float]) -> None:
    """Raise an `InputError` if the terms of a user don't add up to the stored value.

    This is so if the value is a mean over several orders of equal scores, or if files have changed.
    """
    sums = terms.groupby("user")["term"].sum().reindex(values.index, fill_value=0.0)
    is_other = ~np.isclose(sums, values, rtol=1e-9, atol=1e-12) & values.notna()
    if is_other.any():
        rule = "have values of one order of equal scores, to be divided by rank"
        got = f"{values.name} of user {values.index[is_other][0]!r}, a mean over several orders"
        raise input_error("measure", rule, got, "Evaluate with another rule, such as ties='item'")


def difference_of(
    a: Id, b: Id, systems: Mapping[Id, SystemResult], measure: Measure
) -> pd.DataFrame:
    """Return users' values under two systems, with gains and losses; see `Evaluation.diff`."""
    if {a, b} & {"difference", "gains", "losses"}:
        rule = "have other names than the columns 'difference', 'gains' and 'losses'"
        raise input_error("a and b", rule, f"{a!r} and {b!r}", "Rename the system")
    terms = terms_of({a: systems[a], b: systems[b]}, measure)
    # What each item adds to the value of its user under `b`, minus what it adds under `a`.
    by_item = terms.pivot_table("term", ["user", "item"], "system", aggfunc="sum", fill_value=0)
    change = by_item[b] - by_item[a]
    value_a, value_b = (systems[name].values([measure.name])[measure.name] for name in (a, b))
    columns = [
        value_a,
        value_b,
        value_b - value_a,
        change.clip(lower=0).groupby("user").sum(),
        change.clip(upper=0).groupby("user").sum(),
    ]
    names = [a, b, "difference", "gains", "losses"]
    table: pd.DataFrame = pd.concat(columns, axis=1, keys=names)
    return table.fillna({"gains": 0.0, "losses": 0.0})


def _of_user(run: JudgedRun, user: Id | None) -> JudgedRun:
    """Return the run of one judged user, or of all if ``user`` is None."""
    if user is None:
        return run
    return replace(run, judged=run.judged[run.judged == run.truth.users.find(user)])


def _rows_of_block(
    run: JudgedRun, positions: IntArray, block: UserLists, columns: Mapping[str, AnyArray]
) -> pd.DataFrame:
    """Return a row for each listed item of a block; the index has the positions of the users.

    ``columns`` are matrices with a line for each list and a column for each rank.
    """
    width = next(iter(columns.values())).shape[1]
    line, column = np.nonzero(block.items[:, :width] >= 0)  # lists are padded with -1
    by_row = {name: values[line, column] for name, values in columns.items()}
    users = run.truth.users.take(run.judged[positions[line]])
    items = run.truth.items.take(block.items[line, column])
    ids = {"user": users, "rank": column + 1, "item": items}
    return pd.DataFrame({**ids, **by_row}, index=positions[line])


def _in_order_of_users(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all blocks; a block may hold users with lists of similar length only."""
    return pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)


def _stacked(frame_by_system: Mapping[Id, pd.DataFrame]) -> pd.DataFrame:
    """Return the frames of several systems as one, whose first column names the system.

    The frame of a single system is returned as it is.
    """
    first, *others = frame_by_system.values()
    if not others:
        return first
    stacked = pd.concat(frame_by_system, names=["system", None])
    return stacked.reset_index("system").reset_index(drop=True)


def with_lists(system: SystemResult, name: Id, user: Id | None = None) -> MeasuredLists:
    """Return the lists of a system, or raise an `InputError` if there are none.

    If tables were evaluated part by part, receval can only read the lists of one ``user``. The
    function also raises an error if the user is not judged. ``name`` is the name of the system in
    messages.
    """
    if user is not None and (system.lists is not None or system.measure_user is not None):
        system = system.of_user(user)
    if system.lists is not None:
        return system.lists
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


def is_relevant(block: UserLists, convention: Convention) -> BoolArray:
    """Return a mask of the ranks whose items count as relevant in measures that ignore grades."""
    grades = block.grades
    if convention.relevant_from != 0:  # 0 means that there is no other threshold
        grades = block.binarized(convention.relevant_from).grades
    return np.asarray(grades > 0)  # False for NaN, after the end of a list
