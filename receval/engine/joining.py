"""Join the tables of an evaluation: give users and items common codes, and group rows by user."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, Union

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    check_that,
    format_first,
    input_error,
)
from receval._rounding import check_not_merged
from receval._types import AnyArray, Id
from receval.engine.context import build_context
from receval.engine.task import EvaluationTask
from receval.measure.block import ListRules
from receval.measure.context import EvaluationContext
from receval.measure.matching import JudgedRun, Judgments
from receval.measure.names import CONVENTIONS
from receval.tables.codes import (
    AnyCodes,
    RowsByUser,
    rows_by_user,
    shared_code_arrays,
    shared_codes,
)
from receval.tables.columns import (
    check_no_rows,
    check_no_surrogates,
    order_preserving_floats,
    read_column,
    read_numbers,
)
from receval.tables.ids import IdIndex
from receval.tables.inputs import ColumnNames, InputTables

if TYPE_CHECKING:
    import pyarrow as pa

LoadedTable: TypeAlias = Union["pd.DataFrame", "pa.Table"]
"""A table in memory."""


class SystemRows(NamedTuple):
    """The recommendations of one system.

    Attributes
    ----------
    rows : the rows of each user.
    items : item codes by row.
    values : scores or ranks by row.
    ranks : ranks by row, if the table has both ranks and scores.
    """

    rows: RowsByUser
    items: AnyCodes
    values: AnyArray
    ranks: FloatArray | None = None


# The join -----------------------------------------------------------------------------------------


def join_tables(
    task: EvaluationTask, tables: InputTables, *, has_all_users: bool
) -> tuple[dict[Hashable, JudgedRun], EvaluationContext]:
    """Match the rows of all tables by user and item.

    Returns the lists of each system by its name, and the context in which measures are computed:
    the convention, and the data about items and users. If ``has_all_users`` is False, the tables
    hold only some of the users, and it is not an error if none of them is judged.
    """
    names = task.column_names
    user_columns = {}
    item_columns = {}
    # `place` is the table's name in messages, such as "history" or "recommendations of 'A'". Read
    # both columns of a table before the next table, so that an error names the first bad one.
    for place, table in tables.by_place.items():
        user_columns[place] = read_column(table, names.user, place)
        item_columns[place] = read_column(table, names.item, place)
    if task.items is not None:
        item_columns["items"] = task.items.index.to_series().reset_index(drop=True)
    if has_all_users and user_columns["relevance"].empty:
        raise no_relevance_error()

    # An id gets the same code in all tables. For each table, `rows` has its rows by user, and
    # `item_codes` has the item code of each row.
    rows, user_ids = rows_by_user(user_columns, names.user)
    item_codes, item_ids = shared_codes(item_columns, names.item)
    truth = Judgments(
        rows["relevance"],
        item=item_codes["relevance"],
        grade=read_grades(task, tables.by_place["relevance"]),
        users=user_ids,
        items=item_ids,
        floor=_grade_floor(task),
    )
    history = rows.get("history")
    if has_all_users and history is not None:
        _check_history(history, truth)  # raises an error if it has none of the judged users
    context = _extend_context(task, item_codes, item_ids, history, has_all_users=has_all_users)

    runs: dict[Hashable, JudgedRun] = {}
    for table_name, place in tables.systems.items():
        table = tables.by_place[place]
        rows_of_table = SystemRows(
            rows[place],
            items=item_codes[place],
            values=read_scores_or_ranks(task, table, place),
            ranks=_read_ranks_to_check(task, table, place),
        )
        # A table holds one system, or several that a column names.
        rows_by_system = _split_systems(task, table, place, table_name, rows_of_table)
        for system, rows_of_system in rows_by_system.items():
            if system in runs:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            run = _build_run(task, truth, rows_of_system, system, place, context)
            if has_all_users:
                _check_someone_is_judged(run)
            runs[system] = run
    return runs, context


def _grade_floor(task: EvaluationTask) -> float | None:
    """Return the grade below which all grades count as 0; None if the convention has none."""
    convention = task.context.convention
    if convention.threshold != 0:  # 0 means that any grade above 0 counts
        return convention.threshold
    if convention.negative == "zero":
        return 0.0
    return None


def _extend_context(
    task: EvaluationTask,
    item_codes: Mapping[str, AnyCodes],
    item_ids: IdIndex,
    history: RowsByUser | None,
    *,
    has_all_users: bool,
) -> EvaluationContext:
    """Return the task's context with the data of the catalogue and the history, if there are any.

    ``item_codes`` holds the item codes of each table by its name.
    """
    if history is None and task.items is None:
        return task.context
    return build_context(task, item_codes, item_ids, history, has_all_users=has_all_users)


def _build_run(
    task: EvaluationTask,
    truth: Judgments,
    system_rows: SystemRows,
    system: Id,
    place: str,
    context: EvaluationContext,
) -> JudgedRun:
    """Return the recommendations of one system together with the judgments.

    The function doesn't sort or cut the rows. The result has the rules for turning them into lists.
    ``place`` is the name of the system's table in messages. Raises an error if the table has ranks
    that contradict its scores.
    """
    rules = ListRules(
        tie=task.context.convention.ties,
        compares_float32=task.context.convention.compares_float32,
        by_rank=place in task.column_names.ranked_places,
        # The number of ranks that the measure with the largest cut-off looks at.
        depth=max(measure.depth for measure in task.measures),
        keep_first=task.duplicates == "first",
        seen=task.seen,
        system=system,
        place=place,
        names=task.column_names,
    )
    run = JudgedRun(
        truth,
        rows=system_rows.rows,
        answers=system_rows.rows.for_users(truth.judged),
        item=system_rows.items,
        value=system_rows.values,
        rules=rules,
        past=context.seen,
    )
    if system_rows.ranks is not None:
        _check_ranks_fit_scores(run, system_rows.ranks)
    return run


# Users --------------------------------------------------------------------------------------------


def select_users(
    task: EvaluationTask, runs: Mapping[Hashable, JudgedRun]
) -> tuple[dict[Hashable, JudgedRun], pd.Index]:
    """Select the users over whom means are taken; some of them may not be judged.

    These are the users with recommendations, or the users that the caller of `receval.evaluate`
    named. Returns the lists of the judged ones by system, and the ids of the others. Raises an
    error if the ids that the caller named are of a different kind from the ids in the tables.
    """
    truth = next(iter(runs.values())).truth  # all systems have the same
    judged = truth.judged
    if task.named_users is None:
        # The lists of judged users without an answer stay: the convention leaves them out.
        # `run.rows.users` has the codes of the users with recommendations of a system.
        recommended = np.unique(np.concatenate([run.rows.users for run in runs.values()]))
        return dict(runs), truth.users.index(np.setdiff1d(recommended, judged), "user")
    # pandas says "integer" as receval does, but "string" for text.
    kind = pd.api.types.infer_dtype(task.named_users).replace("string", "text")
    rule = f"be {truth.users.kind} ids, as in the tables"
    check_that(kind == truth.users.kind, "users", rule, task.named_users.tolist())
    # The position of each judged user among the named ones, or -1.
    positions = task.named_users.get_indexer(truth.users.index(judged, "user"))
    is_named = positions >= 0
    selected = {system: run.for_users(judged[is_named]) for system, run in runs.items()}
    # All other named users are not judged.
    return selected, task.named_users.delete(positions[is_named])


def check_all_answered(run: JudgedRun) -> None:
    """Raise an error if a judged user has no recommendation."""
    # `answers.size` has the number of recommendations of each judged user.
    is_unanswered = run.answers.size == 0
    if is_unanswered.any():
        users = run.truth.users.take(run.truth.judged[is_unanswered][:MAX_EXAMPLES]).tolist()
        rule = "answer every judged user (missing='error')"
        raise input_error("recommendations", rule, f"none for {users}")


def _check_someone_is_judged(run: JudgedRun) -> None:
    """Raise an error if a system has recommendations, but not for any judged user."""
    n_users = run.rows.users.size
    # `answers.size` has the number of recommendations of each judged user.
    if n_users and not run.answers.size.any():
        user_ids = run.truth.users
        recommended = user_ids.take(run.rows.users[:MAX_EXAMPLES]).tolist()
        judged = user_ids.take(run.truth.judged[:MAX_EXAMPLES]).tolist()
        table = f"recommendations{run.rules.of_system}"
        raise unjudged_error(table, n_users, examples=(recommended, judged))


def _check_history(history: RowsByUser, truth: Judgments) -> None:
    """Raise an error if the history has users, but no judged user."""
    if history.users.size and not np.isin(history.users, truth.judged).any():
        raise unjudged_error("history", history.users.size)


def no_relevance_error() -> InputError:
    """Return the error for a relevance table without rows."""
    return input_error("relevance", "hold at least one row", "none, so nobody is judged")


def unjudged_error(
    table: str, n_users: int, examples: tuple[list[Id], list[Id]] | None = None
) -> InputError:
    """Return the error for a table that has no judged user.

    Its ids are probably of a different kind from the ids in relevance. ``examples`` has some users
    of the table, and some judged users.
    """
    got = f"0 of {n_users} users in relevance"
    if examples is not None:
        in_table, judged = examples
        got += f": {in_table} against {judged}"
    return input_error(table, "have users that are judged", got)


# Columns ------------------------------------------------------------------------------------------


def read_grades(task: EvaluationTask, table: LoadedTable) -> AnyArray:
    """Return the grade of each row of relevance, as numbers; True and False become 1 and 0.

    Raises an error if a grade is missing or not a number, or if it is negative, a measure asks
    which items are relevant, and the convention refuses negative grades.
    """
    label = task.column_names.relevance_column
    if label is None:  # without a column of grades every row counts 1
        return np.broadcast_to(np.uint8(1), len(table))
    series = read_column(table, label, "relevance")
    name = f"{label} of relevance"
    values = read_numbers(series, name)
    check_not_merged(name, values)  # refuses grades that are equal only after rounding
    if values.dtype == bool:
        values = values.view(np.uint8)  # the same memory, read as 0 and 1
    names = [measure.name for measure in task.measures if measure.uses_relevance]
    refuses_negative = task.context.convention.negative == "error" and len(names) > 0
    if refuses_negative and values.size and values.min() < 0:
        first, *others = [name for name, rules in CONVENTIONS.items() if rules.negative == "zero"]
        advice = (
            f"0 is not relevant for {format_first(names)}; convention={first!r} counts negative "
            f"grades as 0, and so do {', '.join(others)}"
        )
        rating_errors = [measure.name for measure in task.measures if "scores" in measure.needs]
        if rating_errors:
            advice += f". Grades below 0 need a call with {', '.join(rating_errors)} only"
        check_no_rows(series, values < 0, name, "be at least 0", advice)
    return values


def read_scores_or_ranks(task: EvaluationTask, table: LoadedTable, place: str) -> AnyArray:
    """Return the score of each row of recommendations, or its rank if the user passed ranks.

    ``place`` is the table's name in messages.
    """
    if place in task.column_names.ranked_places:
        return _read_ranks(table, task.column_names.rank_name, place)
    return _read_scores(task, table, place)


def _read_ranks(table: LoadedTable, label: str, place: str) -> AnyArray:
    """Return the column of ranks as numbers that float64 can hold, in the same order.

    Raises an error unless all ranks are whole numbers of at least 1. ``label`` is the name of the
    column, and ``place`` is the table's name in messages.
    """
    series = read_column(table, label, place)
    name = f"{label} of {place}"
    if not len(series):
        return np.empty(0)
    ranks = read_numbers(series, name, infinite=False)
    # The mask of wrong rows is made only if there are any, for the message.
    if ranks.min() < 1 or (ranks != np.floor(ranks)).any():
        is_wrong = (ranks < 1) | (ranks != np.floor(ranks))
        advice = f"If the highest is the best, pass score={label!r}"
        if ranks.min() == 0:
            advice = f"Ranks from 0: table[{label!r}] + 1"
        check_no_rows(series, is_wrong, name, "hold ranks 1, 2, 3, …", advice)
    if ranks.dtype.kind == "f":
        return ranks
    return order_preserving_floats(ranks)


def _read_scores(task: EvaluationTask, table: LoadedTable, place: str) -> AnyArray:
    """Return the column of scores as numbers that float64 can hold, in the same order.

    Some measures use the scores themselves, and not only their order. With such a measure, the
    function raises an error for integers that float64 rounds. ``place`` is the table's name in
    messages.
    """
    series = read_column(table, task.column_names.score, place)
    name = f"{task.column_names.score} of {place}"
    if not len(series):
        return np.empty(0)
    scores = read_numbers(series, name, infinite=True)
    if scores.dtype.kind == "f":
        return scores
    # float64 cannot hold every integer above 2**53. For most measures that does no harm, because
    # `order_preserving_floats` keeps the order of the scores. The others use the scores themselves.
    for measure in task.measures:
        if "scores" in measure.needs:
            is_too_large = (scores > MAX_EXACT_INTEGER) | (scores < -MAX_EXACT_INTEGER)
            advice = "Bring scores to the scale of the grades"
            check_no_rows(
                series, is_too_large, name, f"be at most 2**53 for {measure.name}", advice
            )
    return order_preserving_floats(scores)


# Ranks and scores ---------------------------------------------------------------------------------


def _read_ranks_to_check(task: EvaluationTask, table: LoadedTable, place: str) -> FloatArray | None:
    """Return a column of ranks that the user didn't name, or None if the table has no such column.

    The lists are ordered by score. A column with missing values or without numbers isn't checked.
    """
    names = task.column_names
    has_both_columns = {names.score, names.rank_name} <= names.by_place[place].keys()
    if names.score == names.rank_name or not has_both_columns:
        return None
    series = read_column(table, names.rank_name, place)
    if not pd.api.types.is_numeric_dtype(series.dtype) or series.hasnans:
        return None
    return series.to_numpy(dtype=np.float64)


def _check_ranks_fit_scores(run: JudgedRun, ranks: FloatArray) -> None:
    """Raise an error if an item has a better rank, but a lower score than another of its user."""
    order = run.rows.rows  # the rows user by user
    scores = run.value.astype(np.float64)
    is_same_user = np.ones(max(order.size - 1, 0), bool)
    is_same_user[np.cumsum(run.rows.size)[:-1] - 1] = False
    # Most tables are sorted by rank already. Sort the others: of equal ranks, the highest score
    # comes first, so that the neighbours of the next rank show any contradiction.
    if (is_same_user & (np.diff(ranks[order]) <= 0)).any():
        users = np.repeat(run.rows.users, run.rows.size)
        order = order[np.lexsort((-scores[order], ranks[order], users))]
    has_better_rank = np.diff(ranks[order]) > 0
    has_lower_score = scores[order[:-1]] < scores[order[1:]]
    places = np.flatnonzero(is_same_user & has_better_rank & has_lower_score)
    if not places.size:
        return
    names = run.rules.names
    name = names.label(names.rank_name, run.rules.place)
    score = names.label(names.score, run.rules.place)
    better, worse = order[places[0]], order[places[0] + 1]
    items = run.truth.items
    got = " and ".join(
        f"item {items.take_one(run.item.take(np.array([row])).read()[0])!r} with rank "
        f"{ranks[row]:g} and score {scores[row]:g}"
        for row in (better, worse)
    )
    raise input_error(
        f"{name} of recommendations{run.rules.of_system}",
        "agree with the scores, of which the highest is the best",
        f"for user {run.truth.users.take_one(run.rows.by_row()[better])!r} {got}",
        f"If the ranks are right, pass rank={name!r}. If the scores are distances, negate them: "
        f"table.assign({score}=-table[{score!r}]). If the scores are right, leave "
        f"out the ranks: table.drop(columns={name!r})",
    )


# Systems named in a column ------------------------------------------------------------------------


def _split_systems(
    task: EvaluationTask,
    table: LoadedTable,
    place: str,
    table_name: Id,
    rows_of_table: SystemRows,
) -> dict[Hashable, SystemRows]:
    """Return the rows of each system in a table, by the system's name.

    A table holds one system, or several systems that a column names. Several systems come in the
    order of their first rows. ``place`` is the table's name in messages. ``table_name`` is the name
    under which the user passed the table; it is "" if there is only one table.
    """
    names = task.column_names
    if names.system is None or names.system not in names.by_place[place]:
        return {table_name: rows_of_table}
    labels_of_rows = read_system_labels(task, table, place)
    # Comparing all labels with the first is much faster than grouping the rows.
    has_several = len(labels_of_rows) > 0 and (labels_of_rows != labels_of_rows.iloc[0]).any()
    if not names_systems(task, has_several=has_several):
        return {table_name: rows_of_table}
    if not len(labels_of_rows):
        raise InputError(f"{names.system} of {place} must name a system; got no row")
    # Each distinct label gets a code. `shared_code_arrays` takes several tables; here it is one.
    codes_by_place, system_ids = shared_code_arrays({place: labels_of_rows}, names.system)
    system_codes = codes_by_place[place]
    # `RowsByUser` can group rows by any code. Here this is the code of the system.
    by_system = RowsByUser.from_users(system_codes)
    # The row numbers of each system.
    rows_of_systems = np.split(by_system.rows, np.cumsum(by_system.size)[:-1])
    user_codes = rows_of_table.rows.by_row()  # the user of each row of the table
    systems: dict[Hashable, SystemRows] = {}
    # Take the systems in the order of their first rows, and group the rows of each by user. Number
    # the rows of each system anew from 0, because its items and values have no other rows.
    for rows in sorted(rows_of_systems, key=lambda rows: int(rows[0])):
        label = system_ids.take_one(system_codes[rows[0]])
        systems[system_name(table_name, label)] = SystemRows(
            RowsByUser.from_users(user_codes[rows]),
            rows_of_table.items.take(rows),
            rows_of_table.values[rows],
            None if rows_of_table.ranks is None else rows_of_table.ranks[rows],
        )
    return systems


def names_systems(task: EvaluationTask, *, has_several: bool) -> bool:
    """Return whether the column of systems gives the systems of a table their names.

    A column that the user didn't name does so only if it ``has_several`` labels.
    """
    return has_several or task.column_names.system != ColumnNames.system


def read_system_labels(task: EvaluationTask, table: LoadedTable, place: str) -> pd.Series:
    """Return the column that names the system of each row.

    Raises an error if a name is missing or cannot be written as UTF-8.
    """
    assert task.column_names.system is not None
    series = read_column(table, task.column_names.system, place)
    name = f"{task.column_names.system} of {place}"
    if series.isna().any():
        rule = f"{name} must not be missing; a row belongs to no system"
        raise InputError(f"{rule}. If the column doesn't name systems, pass system=None")
    # A column of objects may hold half a surrogate pair, which no other type of text can.
    if series.dtype == object:
        check_no_surrogates(series, name)
    return series


def system_name(table_name: Id, label: Id) -> Id:
    """Return the name of a system whose ``label`` is in a column of a table.

    ``table_name`` is "" if the user passed the table without a name.
    """
    if table_name == "":
        return label
    return f"{table_name}/{label}"
