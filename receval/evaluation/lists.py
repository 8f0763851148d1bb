"""The lists of an evaluation as frames: the items by rank, and the term that each rank adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from receval._checks import AnyArray, Id, check_that, input_error
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext, JudgedRun, UserLists
from receval.definitions.ties import in_order_of_measure
from receval.evaluation.measured import SystemResult
from receval.working.tables import is_sum_over_ranks, rank_contributions


def lists_of(systems: Mapping[Id, SystemResult], user: Id | None) -> pd.DataFrame:
    """Return the lists of some systems; see `Evaluation.lists`.

    ``systems`` has the wanted systems by name. If ``user`` is None, the frame has every judged
    user. If there are several systems, the first column has their names.
    """
    frames = {}
    for name, system in systems.items():
        measured = system.lists_of(user)
        # Whole lists, including ranks below the cut-offs.
        run = replace(measured.run, rules=measured.run.rules._replace(depth=math.inf))
        columns_of = partial(_properties_of_items, run, measured.context.convention)
        frames[name] = _rows_by_rank(run, user, columns_of)
    return _stacked(frames)


def _properties_of_items(
    run: JudgedRun, convention: Convention, block: UserLists
) -> dict[str, AnyArray]:
    """Return the columns of `Evaluation.lists` for a block, as matrices by rank."""
    columns: dict[str, AnyArray] = {}
    if not run.rules.by_rank:
        columns["score"] = block.predicted
    # Grades that count as relevant in measures that ignore grades.
    grades = block.grades
    if convention.relevant_from != 0:  # 0 means that there is no other threshold
        grades = block.binarized(convention.relevant_from).grades
    columns["grade"] = block.ratings
    columns["relevant"] = grades > 0
    columns["judged"] = ~np.isnan(block.ratings)
    if run.context.seen is not None:
        columns["seen"] = run.context.seen(block.users, block.items)
    return columns


def terms_of(
    systems: Mapping[Id, SystemResult], measure: Measure, user: Id | None = None
) -> pd.DataFrame:
    """Return what each listed item adds to its user's value; see `Evaluation.terms`.

    Raises an `InputError` if the measure is not a sum over ranks, if there are no lists, or if the
    terms of a user don't add up to the stored value.
    """
    rule = "be a sum over the ranks of a list, such as nDCG, MAP, MRR, recall or RBP"
    check_that(is_sum_over_ranks(measure), "measure", rule, measure.name)
    frames = {}
    for name, system in systems.items():
        measured = system.lists_of(user)
        run = in_order_of_measure(measured.run, measure)
        columns_of = partial(_terms_of_items, measure, measured.context)
        frames[name] = _rows_by_rank(run, user, columns_of)
        values = system.frame[measure.name]
        if user is not None:
            values = values[values.index == user]
        _check_sums(frames[name], values)
    return _stacked(frames)


def _terms_of_items(
    measure: Measure, context: EvaluationContext, block: UserLists
) -> dict[str, AnyArray]:
    """Return the last columns of `Evaluation.terms` for a block, as matrices by rank."""
    terms = rank_contributions(measure, block, context)
    return {"grade": block.ratings[:, : terms.shape[1]], "term": terms}


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
    rule = "have other names than the columns 'difference', 'gains' and 'losses'"
    has_name_of_column = {a, b} & {"difference", "gains", "losses"}
    check_that(not has_name_of_column, "a and b", rule, (a, b), "Rename the system")
    terms = terms_of({a: systems[a], b: systems[b]}, measure)
    # What each item adds to the value of its user under `b`, minus what it adds under `a`.
    by_item = terms.pivot_table("term", ["user", "item"], "system", aggfunc="sum", fill_value=0)
    change = by_item[b] - by_item[a]
    value_a, value_b = (systems[name].frame[measure.name] for name in (a, b))
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


def _rows_by_rank(
    run: JudgedRun, user: Id | None, columns_of: Callable[[UserLists], Mapping[str, AnyArray]]
) -> pd.DataFrame:
    """Return a row for each listed item of a judged user, or of all if ``user`` is None.

    ``columns_of`` returns columns of a block: matrices with a line for each list and a column for
    each rank.
    """
    if user is not None:
        run = replace(run, judged=run.judged[run.judged == run.truth.users.find(user)])
    parts = []
    for positions, block in run.blocks():
        columns = columns_of(block)
        width = next(iter(columns.values())).shape[1]
        line, column = np.nonzero(block.items[:, :width] >= 0)  # lists are padded with -1
        rows = {
            "user": run.truth.users.take(run.judged[positions[line]]),
            "rank": column + 1,
            "item": run.truth.items.take(block.items[line, column]),
            **{name: values[line, column] for name, values in columns.items()},
        }
        parts.append(pd.DataFrame(rows, index=positions[line]))
    # A block may hold users with lists of similar length only, so sort by user.
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
