"""Join the tables of an evaluation: give users and items common codes, and group rows by user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
import pandas as pd

from receval._arrays import check_exact
from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    AnyArray,
    Id,
    InputError,
    IntArray,
    check_that,
    format_first,
    input_error,
)
from receval._table import snapshot
from receval._threads import map_in_threads
from receval.definitions.context import EvaluationContext, History
from receval.definitions.lists import JudgedRun, Judgments
from receval.definitions.names import CONVENTIONS
from receval.definitions.order import ListRules
from receval.evaluation.catalogue import with_catalogue
from receval.evaluation.options import Options
from receval.tables.columns import (
    check_no_rows,
    column_labels,
    order_preserving_floats,
    read_column,
    read_numbers,
)
from receval.tables.ids import Ids, shared_codes
from receval.tables.inputs import ColumnNames, InputTables
from receval.tables.parquet import (
    common_schema,
    names_parquet,
    open_parquet,
    parquet_files,
    read_all,
)
from receval.tables.reading import open_table
from receval.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

LoadedTable: TypeAlias = Union["pd.DataFrame", "pa.Table"]
"""A table in memory."""

MIN_ROWS_FOR_THREADS = 2**18
"""Number of rows of all tables from which users and items are read in a thread each."""


# Reading ------------------------------------------------------------------------------------------


def read_tables(
    names: ColumnNames,
    recommendations: object,
    relevance: object,
    history: object = None,
    *,
    are_arguments: bool = True,
) -> tuple[InputTables, ColumnNames]:
    """Open the tables that the user passed, and find the columns that the evaluation reads in each.

    Parquet files and Dask frames remain as they are, because they may be too large for the memory.
    Frames of pandas become copies, because the result reads them later, and users may edit them
    meanwhile. See `ColumnNames.tables` for ``are_arguments``. Raises an error if a file can't be
    read, or if an argument isn't a table.
    """
    tables = names.tables(recommendations, relevance, history, are_arguments=are_arguments)
    by_place = dict(tables.by_place)
    columns: dict[str, list[Hashable]] = {}
    for place, table in by_place.items():
        if names_parquet(table):
            columns[place] = list(open_parquet(parquet_files(table, place)[0]).schema_arrow.names)
        elif is_dask(table):
            columns[place] = list(table.columns)
        else:
            by_place[place] = open_table(table, place, ids=names.id_labels)
            if isinstance(table, pd.DataFrame):
                by_place[place] = snapshot(table)
            columns[place] = column_labels(by_place[place])
    opened = tables._replace(by_place=by_place, columns=columns)
    return opened, names.resolve(opened)


def is_dask(table: object) -> bool:
    """Return whether a table is a Dask frame."""
    return type(table).__module__.split(".")[0] == "dask"


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


# The join -----------------------------------------------------------------------------------------


def join_tables(
    options: Options, tables: InputTables, *, has_all_users: bool
) -> tuple[dict[Hashable, JudgedRun], EvaluationContext]:
    """Match the rows of all tables by user and item.

    Returns the lists of each system by its name, and the context in which measures are computed:
    the convention, and the data about items and users. If ``has_all_users`` is False, the tables
    hold only some of the users, and it is not an error if none of them is judged.
    """
    user_codes, users, item_codes, items = _read_ids(options, tables)
    if has_all_users and not user_codes["relevance"].size:
        raise no_relevance_error()

    rows, systems = _group_by_user(options, tables, user_codes, item_codes, users.size)
    truth = Judgments(rows, users, items, floor=options.convention.grade_floor)
    context = options.context
    if options.items is not None:
        context = with_catalogue(context, options, item_codes, items)
    if "history" in tables.by_place:
        columns = {"item": item_codes["history"]}
        history = Rows.by_user(user_codes["history"], columns, n_users=users.size)
        n_users = history.users.size
        if has_all_users and n_users and not np.isin(history.users, rows.users).any():
            raise unjudged_error("history", n_users)
        seen = History.of(history, items.size, has_all_users=has_all_users)
        context = replace(context, seen=seen)

    runs = {}
    for system, (place, rows_of_system) in systems.items():
        rules = _rules_of_lists(options, system, place)
        run = JudgedRun(truth, rows.users, rows_of_system, rules, past=context.seen)
        if "rank" in rows_of_system.columns:
            _check_ranks_fit_scores(run)
        if has_all_users:
            _check_someone_is_judged(run)
        runs[system] = run
    return runs, context


def _read_ids(
    options: Options, tables: InputTables
) -> tuple[dict[str, IntArray], Ids, dict[str, IntArray], Ids]:
    """Return the code of each row's user by table, the users, and the same of the items.

    A code is a whole number that replaces an id in all tables.
    """
    names = options.column_names
    user_columns = {}
    item_columns = {}
    # `place` is the table's name in messages, such as "history" or "recommendations of 'A'". Read
    # both columns of a table before the next table, so that an error names the first bad one.
    for place, table in tables.by_place.items():
        user_label, item_label = names.labels(place)
        user_columns[place] = read_column(table, user_label, place)
        item_columns[place] = read_column(table, item_label, place)
    if options.items is not None:
        item_columns["items"] = options.items.index.to_series().reset_index(drop=True)
    columns_and_labels = [(user_columns, names.user), (item_columns, names.item)]
    n_rows = sum(len(column) for column in user_columns.values())
    is_worth_threads = n_rows >= MIN_ROWS_FOR_THREADS
    (user_codes, users), (item_codes, items) = map_in_threads(
        lambda arguments: shared_codes(*arguments),
        columns_and_labels,
        min_parts_per_thread=1 if is_worth_threads else 2,
    )
    return user_codes, users, item_codes, items


def _group_by_user(
    options: Options,
    tables: InputTables,
    user_codes: Mapping[str, IntArray],
    item_codes: Mapping[str, IntArray],
    n_users: int,
) -> tuple[Rows, dict[Hashable, tuple[str, Rows]]]:
    """Return the rows of relevance by user, and for each system its place and its rows by user.

    The columns of relevance are "item" and "grade". Those of a system are "item" and those that
    `read_order` returns. ``user_codes`` and ``item_codes`` have the codes of each row by table.
    """
    grades = read_grades(options, tables.by_place["relevance"])
    to_group = [(user_codes["relevance"], {"item": item_codes["relevance"], "grade": grades})]
    place_by_system: dict[Hashable, str] = {}
    for table_name, place in tables.systems.items():
        table = tables.by_place[place]
        columns = {"item": item_codes[place], **read_order(options, table, place)}
        # A table holds one system, or several that a column names.
        for system, of_system in rows_by_system(options, table, place, table_name).items():
            if system in place_by_system:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            place_by_system[system] = place
            columns_of_system = {name: values[of_system] for name, values in columns.items()}
            to_group.append((user_codes[place][of_system], columns_of_system))
    is_worth_threads = grades.size >= MIN_ROWS_FOR_THREADS
    rows, *rows_of_systems = map_in_threads(
        lambda codes_and_columns: Rows.by_user(*codes_and_columns, n_users=n_users),
        to_group,
        min_parts_per_thread=1 if is_worth_threads else len(to_group),
    )
    places_and_rows = zip(place_by_system.values(), rows_of_systems, strict=True)
    return rows, dict(zip(place_by_system, places_and_rows, strict=True))


def _rules_of_lists(options: Options, system: Id, place: str) -> ListRules:
    """Return the rules for turning a system's rows into lists.

    ``place`` is the name of the system's table in messages.
    """
    return ListRules(
        tie=options.convention.ties,
        compares_float32=options.convention.compares_float32,
        by_rank=place in options.column_names.ranked_places,
        # The number of ranks that the measure with the largest cut-off looks at.
        depth=max(measure.depth for measure in options.measures),
        keep_first=options.duplicates == "first",
        seen=options.seen,
        system=system,
        place=place,
        names=options.column_names,
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


def _check_someone_is_judged(run: JudgedRun) -> None:
    """Raise an error if a system has recommendations, but not for any judged user."""
    if run.n_recommended.any():
        return
    recommended = run.rows.users
    if recommended.size:
        user_ids = run.truth.users
        examples = (
            user_ids.take(recommended[:MAX_EXAMPLES]).tolist(),
            user_ids.take(run.judged[:MAX_EXAMPLES]).tolist(),
        )
        raise unjudged_error(f"recommendations{run.rules.of_system}", recommended.size, examples)


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


def read_grades(options: Options, table: LoadedTable) -> AnyArray:
    """Return the grade of each row of relevance, as numbers; True and False become 1 and 0.

    Raises an error if a grade is missing or not a number, or if it is negative, a measure asks
    which items are relevant, and the convention refuses negative grades.
    """
    label = options.column_names.relevance_column
    if label is None:  # without a column of grades every row counts 1
        return np.broadcast_to(np.uint8(1), len(table))
    label = options.column_names.label(label, "relevance")
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
    """
    names = options.column_names
    if place in names.ranked_places:
        return {"value": _read_ranks(table, names.label(names.rank_name, place), place)}
    columns = {"value": _read_scores(options, table, place)}
    if names.score != names.rank_name and names.rank_name in names.by_place[place]:
        series = read_column(table, names.label(names.rank_name, place), place)
        if pd.api.types.is_numeric_dtype(series.dtype) and not series.hasnans:
            columns["rank"] = series.to_numpy()
    return columns


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


def _read_scores(options: Options, table: LoadedTable, place: str) -> AnyArray:
    """Return the column of scores as numbers that float64 can hold, in the same order.

    Some measures use the scores themselves, and not only their order. With such a measure, the
    function raises an error for integers that float64 rounds. ``place`` is the table's name in
    messages.
    """
    label = options.column_names.label(options.column_names.score, place)
    series = read_column(table, label, place)
    name = f"{label} of {place}"
    if not len(series):
        return np.empty(0)
    scores = read_numbers(series, name, infinite=True)
    if scores.dtype.kind == "f":
        return scores
    # float64 cannot hold every integer above 2**53. For most measures that does no harm, because
    # `order_preserving_floats` keeps the order of the scores. The others use the scores themselves.
    for measure in options.measures:
        if "scores" in measure.needs:
            is_too_large = (scores > MAX_EXACT_INTEGER) | (scores < -MAX_EXACT_INTEGER)
            advice = "Bring scores to the scale of the grades"
            check_no_rows(
                series, is_too_large, name, f"be at most 2**53 for {measure.name}", advice
            )
    return order_preserving_floats(scores)


def _check_ranks_fit_scores(run: JudgedRun) -> None:
    """Raise an error if an item has a better rank, but a lower score than another of its user.

    Afterwards, the rows have no ranks any more.
    """
    columns = run.rows.columns
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
    names = run.rules.names
    name = names.label(names.rank_name, run.rules.place)
    score = names.label(names.score, run.rules.place)
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
        f"If the ranks are right, pass rank={name!r}. If the scores are distances, negate them: "
        f"table.assign({score}=-table[{score!r}]). If the scores are right, leave "
        f"out the ranks: table.drop(columns={name!r})",
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
    if column is None or column not in options.column_names.by_place[place]:
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
