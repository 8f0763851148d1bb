"""Join the tables of an evaluation: give users and items common codes, and group rows by user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
import pandas as pd

from receval._arrays import check_exact
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    Id,
    InputError,
    IntArray,
    check_that,
    format_first,
    input_error,
)
from receval.definitions.context import EvaluationContext, History
from receval.definitions.lists import JudgedRun, Judgments, ListRules
from receval.definitions.names import CONVENTIONS
from receval.evaluation.catalogue import with_catalogue
from receval.evaluation.options import Options
from receval.tables.columns import (
    check_no_rows,
    read_column,
    read_numbers,
)
from receval.tables.ids import Rows, shared_codes
from receval.tables.inputs import ColumnNames, InputTables
from receval.tables.parquet import (
    common_schema,
    names_parquet,
    parquet_files,
    read_all,
)

if TYPE_CHECKING:
    import pyarrow as pa

LoadedTable: TypeAlias = Union["pd.DataFrame", "pa.Table"]
"""A table in memory."""


# The join -----------------------------------------------------------------------------------------


def open_in_memory(options: Options, table: Any, place: str) -> LoadedTable:
    """Return a table in memory with at least the columns that the evaluation reads.

    ``table`` is a table, a Parquet file or folder, or a pattern or list that names several Parquet
    files; `read_tables` has opened other files.
    """
    if not names_parquet(table):
        opened: LoadedTable = table
        return opened
    files = parquet_files(table, place)
    return read_all(files, common_schema(files, labels_read(options, place), place))


def labels_read(options: Options, place: str) -> list[str]:
    """Return the names of the columns of a table that the evaluation reads, each once."""
    return list(dict.fromkeys(options.column_names.by_place[place].values()))


def with_largest_grade(options: Options, tables: Iterable[LoadedTable]) -> Options:
    """Return the options with the largest grade of the relevance, if a measure depends on it.

    The grade is 0 if there are none or all are negative. ``tables`` are the parts of the relevance.
    Raises an error if a grade is wrong.
    """
    if not any(measure.truth_options for measure in options.measures):
        return options
    largest = max((read_grades(options, table).max(initial=0) for table in tables), default=0)
    return replace(options, max_grade=float(largest))


def join_tables(
    options: Options, tables: InputTables, *, has_all_users: bool
) -> tuple[dict[Hashable, JudgedRun], EvaluationContext]:
    """Match the rows of all tables by user and item.

    Returns the lists of each system by its name, and the context in which measures are computed:
    the convention, and the data about items and users. If ``has_all_users`` is False, the tables
    hold only some of the users, and it is not an error if none of them is judged.
    """
    # Replace ids by codes, which are whole numbers and the same in all tables.
    names = options.column_names
    user_columns = {}
    item_columns = {}
    # `place` is the table's name in messages, such as "history" or "recommendations of 'A'". Read
    # both columns of a table before the next table, so that an error names the first bad one.
    for place, table in tables.by_place.items():
        user_columns[place] = read_column(table, names.label("user", place), place)
        item_columns[place] = read_column(table, names.label("item", place), place)
    if options.items is not None:
        item_columns["items"] = options.items.index.to_series().reset_index(drop=True)
    user_codes, users = shared_codes(user_columns, names.common_name("user"))
    item_codes, items = shared_codes(item_columns, names.common_name("item"))
    if has_all_users and not user_codes["relevance"].size:
        raise no_relevance_error()

    # Bring the rows of each user together.
    columns = {
        "item": item_codes["relevance"],
        "grade": read_grades(options, tables.by_place["relevance"]),
    }
    judgments = Rows.by_user(user_codes["relevance"], columns, n_users=users.size)
    truth = Judgments(judgments, users, items, floor=options.convention.grade_floor)
    users_by_table = {}
    context = options.context
    if options.items is not None:
        context = with_catalogue(context, options, item_codes, items)
    if "history" in tables.by_place:
        columns = {"item": item_codes["history"]}
        history = Rows.by_user(user_codes["history"], columns, n_users=users.size)
        users_by_table["history"] = history.users
        seen = History.of(history, items.size, has_all_users=has_all_users)
        context = replace(context, seen=seen)
    runs: dict[Hashable, JudgedRun] = {}
    for table_name, place in tables.systems.items():
        table = tables.by_place[place]
        columns = {"item": item_codes[place], **read_order(options, table, place)}
        for system, of_system in rows_by_system(options, table, place, table_name).items():
            if system in runs:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            rows_of_system = Rows.by_user(
                user_codes[place][of_system],
                {name: values[of_system] for name, values in columns.items()},
                n_users=users.size,
            )
            rules = _rules_of_lists(options, system, place)
            run = JudgedRun(truth, judgments.users, rows_of_system, rules, past=context.seen)
            _check_ranks_fit_scores(run, names)
            users_by_table[f"recommendations{rules.of_system}"] = rows_of_system.users
            runs[system] = run
    if has_all_users:
        _check_someone_is_judged(truth, users_by_table)
    return runs, context


def _rules_of_lists(options: Options, system: Id, place: str) -> ListRules:
    """Return the rules for turning a system's rows into lists.

    ``place`` is the name of the system's table in messages.
    """
    return ListRules(
        tie=options.convention.ties,
        compares_float32=options.convention.compares_float32,
        by_rank=options.column_names.is_ranked(place),
        # The number of ranks that the measure with the largest cut-off looks at.
        depth=max(measure.depth for measure in options.measures),
        keep_first=options.duplicates == "first",
        seen=options.seen,
        system=system,
        place=place,
    )


# Users --------------------------------------------------------------------------------------------


def select_users(
    options: Options, runs: Mapping[Hashable, JudgedRun]
) -> tuple[dict[Hashable, JudgedRun], pd.Index]:
    """Select the users over whom means are taken; some of them may not be judged.

    These are the users with recommendations, or the users that the caller of `receval.evaluate`
    named. Returns the lists of the judged ones by system, and the ids of the others. Raises an
    error if the ids that the caller named are of a different kind from the ids in the tables.
    """
    run = next(iter(runs.values()))  # all systems have the same judgments
    truth, judged = run.truth, run.judged
    if options.named_users is None:
        # The lists of judged users without an answer stay: the convention leaves them out.
        # `run.rows.users` has the codes of the users with recommendations of a system.
        recommended = np.unique(np.concatenate([run.rows.users for run in runs.values()]))
        return dict(runs), truth.users.index(np.setdiff1d(recommended, judged), "user")
    # pandas says "integer" as receval does, but "string" for text.
    kind = pd.api.types.infer_dtype(options.named_users).replace("string", "text")
    rule = f"be {truth.users.kind} ids, as in the tables"
    check_that(kind == truth.users.kind, "users", rule, options.named_users.tolist())
    # The position of each judged user among the named ones, or -1.
    positions = options.named_users.get_indexer(truth.users.index(judged, "user"))
    is_named = positions >= 0
    selected = {system: replace(run, judged=judged[is_named]) for system, run in runs.items()}
    # All other named users are not judged.
    return selected, options.named_users.delete(positions[is_named])


def _check_someone_is_judged(truth: Judgments, users_by_table: Mapping[str, IntArray]) -> None:
    """Raise an error if a table has users, but no judged one.

    ``users_by_table`` has the codes of the users of each table, by its name in messages.
    """
    judged = truth.rows.users
    if not judged.size:
        raise no_relevance_error()
    for name, users in users_by_table.items():
        if users.size and not truth.rows.size[users].any():
            examples = [
                truth.users.take(codes[:MAX_EXAMPLES]).tolist() for codes in (users, judged)
            ]
            raise unjudged_error(name, users.size, examples)


def no_relevance_error() -> InputError:
    """Return the error for a relevance table without rows."""
    return input_error("relevance", "hold at least one row", "none, so nobody is judged")


def unjudged_error(
    table: str, n_users: int, examples: Sequence[list[Id]] | None = None
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


def read_grades(options: Options, table: LoadedTable) -> AnyArray:
    """Return the grade of each row of relevance, as numbers; True and False become 1 and 0.

    Raises an error if a grade is missing or not a number, or if it is negative, a measure asks
    which items are relevant, and the convention refuses negative grades.
    """
    if options.column_names.relevance_column is None:  # every row counts 1
        return np.broadcast_to(np.uint8(1), len(table))
    label = options.column_names.label("relevance_column", "relevance")
    series = read_column(table, label, "relevance")
    name = f"{label} of relevance"
    values = read_numbers(series, name)
    check_exact(values, name)
    if values.dtype == bool:
        values = values.view(np.uint8)  # the same memory, read as 0 and 1
    names = [measure.name for measure in options.measures if measure.uses_relevance]
    refuses_negative = options.convention.negative == "error" and len(names) > 0
    if refuses_negative and values.size and values.min() < 0:
        first, *others = [name for name, rules in CONVENTIONS.items() if rules.negative == "zero"]
        advice = (
            f"0 is not relevant for {format_first(names)}; convention={first!r} counts negative "
            f"grades as 0, and so do {', '.join(others)}. Errors of predicted ratings, such as "
            "RMSE, need a call of their own"
        )
        check_no_rows(series, values < 0, name, "be at least 0", advice)
    return values


def read_order(options: Options, table: LoadedTable, place: str) -> dict[str, AnyArray]:
    """Return the column "value", with scores or ranks, and "rank", if the table has both.

    ``place`` is the table's name in messages. If a table has both, the user didn't name the ranks,
    and the lists are ordered by score. Ranks with missing values or without numbers are left out.
    Raises an error if a score or rank is missing or not a number, if a whole number is so large
    that float64 may round it, or if ranks that give the order aren't whole numbers from 1.
    """
    names = options.column_names
    is_ranked = names.is_ranked(place)
    label = names.label("rank" if is_ranked else "score", place)
    series = read_column(table, label, place)
    name = f"{label} of {place}"
    if not len(series):
        return {"value": np.empty(0)}
    values = read_numbers(series, name, infinite=not is_ranked)
    check_exact(values, name)
    columns = {"value": values}
    if is_ranked:
        # The mask of wrong rows is made only if there are any, for the message.
        if values.min() < 1 or (values != np.floor(values)).any():
            is_wrong = (values < 1) | (values != np.floor(values))
            advice = f"If the highest is the best, pass score={label!r}"
            if values.min() == 0:
                advice = f"Ranks from 0: table[{label!r}] + 1"
            check_no_rows(series, is_wrong, name, "hold ranks 1, 2, 3, …", advice)
    elif "rank" in names.by_place[place]:
        ranks = read_column(table, names.label("rank", place), place)
        if pd.api.types.is_numeric_dtype(ranks.dtype) and not ranks.hasnans:
            columns["rank"] = ranks.to_numpy()
    return columns


def _check_ranks_fit_scores(run: JudgedRun, names: ColumnNames) -> None:
    """Raise an error if an item has a better rank, but a lower score than another of its user.

    Afterwards, the rows have no ranks any more. ``names`` has the names of columns for messages.
    """
    columns = run.rows.columns
    if "rank" not in columns:
        return
    ranks = columns.pop("rank")
    scores = columns["value"]
    is_first = np.zeros(ranks.size + 1, bool)  # whether a row is the first of its user
    is_first[run.rows.first] = True
    is_same_user = ~is_first[1:-1]
    order: slice | IntArray = slice(None)
    # Most tables are sorted by rank already. Sort the others: of equal ranks, the highest score
    # comes first, so that the neighbours of the next rank show any contradiction.
    if (is_same_user & (ranks[1:] <= ranks[:-1])).any():
        order = _order_of_ranks(run.rows, ranks)
        ranks, scores = ranks[order], scores[order]
    places = np.flatnonzero(is_same_user & (ranks[1:] > ranks[:-1]) & (scores[1:] > scores[:-1]))
    if not places.size:
        return
    name = names.label("rank", run.rules.place)
    items = columns["item"][order]
    pair = places[0], places[0] + 1
    user = int(np.searchsorted(run.rows.first, pair[0], side="right")) - 1
    got = " and ".join(
        f"item {run.truth.items.take_one(items[place])!r} with rank {ranks[place]:g} and score "
        f"{scores[place]:g}"
        for place in pair
    )
    raise input_error(
        f"{name} of recommendations{run.rules.of_system}",
        "agree with the scores, of which the highest is the best",
        f"for user {run.truth.users.take_one(user)!r} {got}",
        f"If the ranks are right, pass rank={name!r}. If the scores are distances, negate them. If "
        "the scores are right, leave out the column of ranks",
    )


def _order_of_ranks(rows: Rows, ranks: AnyArray) -> IntArray:
    """Return the order by user, then by rank, and among equal ranks by score, highest first."""
    size = rows.size
    if ranks.dtype.kind in "iu" and ranks.min() >= 1 and (ranks <= np.repeat(size, size)).all():
        order = np.full(ranks.size, -1)
        places = np.repeat(rows.first[:-1], size) + ranks.astype(np.int64) - 1
        order[places] = np.arange(ranks.size)
        if order.min() >= 0:  # the ranks of each user are 1, 2, 3, …, each once
            return order
    users = np.repeat(np.arange(size.size), size)
    return np.lexsort((-rows.columns["value"].astype(np.float64), ranks, users))


# Systems named in a column ------------------------------------------------------------------------


def rows_by_system(
    options: Options, table: LoadedTable, place: str, table_name: Id
) -> dict[Hashable, slice | IntArray]:
    """Return the rows of each system in a table, by the system's name.

    A table holds one system, or several systems that a column names. Several systems come in the
    order of their first rows. ``place`` is the table's name in messages. ``table_name`` is the name
    under which the user passed the table; it is "" if there is only one table.
    """
    column = options.column_names.system
    if column is None or "system" not in options.column_names.by_place[place]:
        return {table_name: slice(None)}
    labels = read_column(table, column, place)
    if labels.isna().any():
        rule = f"{column} of {place} must not be missing; a row belongs to no system"
        raise InputError(f"{rule}. If the column doesn't name systems, pass system=None")
    # A column that the user didn't name has names of systems only if it has several. Comparing all
    # labels with the first is much faster than grouping the rows.
    has_several = len(labels) > 0 and (labels != labels.iloc[0]).any()
    if not has_several and column == ColumnNames.system:
        return {table_name: slice(None)}
    if not len(labels):
        raise InputError(f"{column} of {place} must name a system; got no row")
    codes_by_place, system_ids = shared_codes({place: labels}, column)
    codes = codes_by_place[place]
    rows: dict[Hashable, slice | IntArray] = {}
    for code in pd.unique(codes).tolist():
        label = system_ids.take_one(code)
        system = label
        if table_name != "":
            system = f"{table_name}/{label}"
        rows[system] = np.flatnonzero(codes == code)
    return rows
