"""Join the tables of an evaluation: give users and items common codes, and group rows by user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
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
    format_first,
    input_error,
)
from receval.definitions.convention import CONVENTIONS
from receval.definitions.lists import (
    History,
    JudgedRun,
    Judgments,
    ListRules,
)
from receval.evaluation.options import Options
from receval.tables.columns import (
    Ids,
    Rows,
    check_no_rows,
    read_column,
    read_ids,
    read_numbers,
    shared_codes,
)
from receval.tables.inputs import RECOMMENDATIONS, ColumnNames, InputTables
from receval.tables.reading import (
    common_schema,
    names_parquet,
    parquet_files,
    read_batches,
)

if TYPE_CHECKING:
    import pyarrow as pa

LoadedTable: TypeAlias = Union["pd.DataFrame", "pa.Table"]
"""A table in memory."""

Systems: TypeAlias = dict[Hashable, tuple[str, Id | None]]
"""The place of each system's table, and its label there, or None if the table has no other system.

A place is the name of a table in messages.
"""

FILL = {"in_head": False, "age": np.nan, "features": 0.0}
"""The fields of the context that come from the catalogue, and their values for other items."""


# The join -----------------------------------------------------------------------------------------


def open_in_memory(options: Options, tables: InputTables) -> InputTables:
    """Read the columns of Parquet files that the evaluation needs; leave other tables unchanged.

    A Parquet file or folder, or a pattern that names several Parquet files, becomes one
    table in memory; `read_tables` has opened all other files.
    """
    import pyarrow as pa

    opened = dict(tables.by_place)
    for place, table in tables.by_place.items():
        if names_parquet(table):
            files = parquet_files(table, place)
            schema = common_schema(files, labels_read(options, place), place)
            opened[place] = pa.concat_tables([schema.empty_table(), *read_batches(files, schema)])
    return tables._replace(by_place=opened)


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
    options: Options, tables: InputTables, systems: Systems | None = None
) -> dict[Hashable, JudgedRun]:
    """Match the rows of all tables by user and item, and return each system's lists by its name.

    ``systems`` has the systems of the whole tables, if these tables hold only some of the users.
    Then it is not an error if none of them is judged.
    """
    has_all_users = systems is None
    # Replace ids by codes, which are whole numbers and the same in all tables. Each dict has the
    # codes of the rows by table, such as `user_codes["relevance"]`. `users` and `items` are the ids
    # that the codes stand for.
    user_codes, users = _shared_codes(options, tables, "user")
    item_codes, items = _shared_codes(options, tables, "item")
    if has_all_users:
        check_have_rows(options, len(user_codes["relevance"]), len(user_codes.get("history", ())))

    # Sort the rows of relevance by user.
    relevance_columns = {
        "item": item_codes["relevance"],
        "grade": read_grades(options, tables.by_place["relevance"]),
    }
    relevance = Rows.by_user(user_codes["relevance"], relevance_columns, n_users=users.size)
    truth = Judgments(rows=relevance, users=users, items=items)

    # Read what some measures need besides the lists: columns of the catalogue, and the history.
    context_fields: dict[str, Any] = {}
    if options.items is not None:
        context_fields = _catalogue_by_code(options, item_codes, items)
    if "history" in tables.by_place:
        history_columns = {"item": item_codes["history"]}
        history = Rows.by_user(user_codes["history"], history_columns, n_users=users.size)
        context_fields["seen"] = History.of(history, items.size, has_all_users=has_all_users)
        if has_all_users:
            _check_someone_is_judged(truth, "history", history.users)
    context = replace(options.context, **context_fields)

    # Make a run of each system: its recommendations, sorted by user, and the relevance.
    if systems is None:
        systems = find_systems(options, tables)
    rows_by_system = _rows_by_system(options, tables, systems, user_codes, item_codes, users.size)
    runs: dict[Hashable, JudgedRun] = {}
    for system, recommendations in rows_by_system.items():
        place, _ = systems[system]
        rules = _rules_of_lists(options, system, place)
        if has_all_users:
            _check_someone_is_judged(
                truth, f"recommendations{rules.of_system}", recommendations.users
            )
        runs[system] = JudgedRun(
            truth=truth,
            judged=relevance.users,
            rows=recommendations,
            rules=rules,
            context=context,
        )
    return runs


def _rows_by_system(
    options: Options,
    tables: InputTables,
    systems: Systems,
    user_codes: Mapping[str, IntArray],
    item_codes: Mapping[str, IntArray],
    n_users: int,
) -> dict[Hashable, Rows]:
    """Return the recommendations of each system by user.

    ``user_codes`` and ``item_codes`` have the codes of the rows of each table by place, and there
    are ``n_users`` user codes.
    """
    columns_by_place: dict[str, dict[str, AnyArray]] = {}  # a table can hold several systems
    rows_by_system: dict[Hashable, Rows] = {}
    for system, (place, label) in systems.items():
        table = tables.by_place[place]
        if place not in columns_by_place:
            order = read_order(options, table, place)
            columns_by_place[place] = {"item": item_codes[place], **order}
        users = user_codes[place]
        columns = columns_by_place[place]
        if label is not None:
            labels = read_column(table, options.column_names.system, place)
            rows_of_system = np.flatnonzero(labels == label)
            users = users[rows_of_system]
            columns = {name: values[rows_of_system] for name, values in columns.items()}
        rows_by_system[system] = Rows.by_user(users, columns, n_users=n_users)
    return rows_by_system


def _shared_codes(
    options: Options, tables: InputTables, argument: str
) -> tuple[dict[str, IntArray], Ids]:
    """Return the codes of the users or items in each table, by place, and the ids behind the codes.

    ``argument`` is "user" or "item". The items of the catalogue have the place "items".
    """
    names = options.column_names
    columns = {}
    for place, table in tables.by_place.items():
        columns[place] = read_column(table, names.label(argument, place), place)
    if argument == "item" and options.items is not None:
        columns["items"] = options.items.to_series(pd.RangeIndex(options.items.size))
    return shared_codes(columns, names.common_name(argument))


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
        rank_label=options.column_names.by_place[place].get("rank", "rank"),
    )


# The catalogue ------------------------------------------------------------------------------------


def _catalogue_by_code(
    options: Options, codes: Mapping[str, IntArray], item_ids: Ids
) -> dict[str, Any]:
    """Return the columns of the catalogue that measures need, in the order of the item codes.

    ``codes`` has the item codes of the rows of each table by place, such as "items" for the
    catalogue. Raises an error if the catalogue has an item twice or lacks a recommended item.
    """
    of_catalogue = codes["items"]
    n_rows = np.bincount(of_catalogue, minlength=item_ids.size)
    if (n_rows > 1).any():
        repeated = item_ids.take(np.flatnonzero(n_rows > 1)[:MAX_EXAMPLES]).tolist()
        raise InputError(f"items must hold each item once in its index; got {repeated} twice")
    for place, item_codes in codes.items():
        outside = np.unique(item_codes[n_rows[item_codes] == 0])
        if place.startswith(RECOMMENDATIONS) and outside.size:
            got = f"no row for {format_first(item_ids.take(outside).tolist(), to_text=repr)}"
            raise input_error(
                "items", "hold every recommended item", got, "Give the whole catalogue"
            )
    columns: dict[str, Any] = {}
    for name, values in options.catalogue.items():
        columns[name] = np.full((item_ids.size, *values.shape[1:]), FILL[name], values.dtype)
        columns[name][of_catalogue] = values
    return columns


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
        recommended = np.concatenate([run.rows.users for run in runs.values()])
        return dict(runs), truth.users.index(np.setdiff1d(recommended, judged), "user")
    check_kind(options.named_users, truth.users.kind, "users")
    # The position of each judged user among the named ones, or -1.
    positions = options.named_users.get_indexer(truth.users.index(judged, "user"))
    is_named = positions >= 0
    selected = {system: replace(run, judged=judged[is_named]) for system, run in runs.items()}
    # All other named users are not judged.
    return selected, options.named_users.delete(positions[is_named])


def kind_of(ids: pd.Index) -> str:
    """Return the kind of ids: "integer" or "text", or pandas' word for other values."""
    return pd.api.types.infer_dtype(ids.astype(object), skipna=False).replace("string", "text")


def check_kind(ids: pd.Index, kind: str, name: str) -> None:
    """Raise an error if ids aren't of the ``kind`` of the users in the tables: integer or text.

    If the users are 1 and 2, Python finds 1.0 and True among them, because both equal 1. But 1.0
    and True are not ids of users. ``name`` is the name of the ids in messages.
    """
    if len(ids) and kind_of(ids) != kind:
        got = f"{kind_of(ids)}, such as {format_first(ids.tolist(), to_text=repr)}"
        raise input_error(name, f"hold ids of users, which are {kind}", got)


def _check_someone_is_judged(truth: Judgments, place: str, users: IntArray) -> None:
    """Raise an error if a table has users, but none of them is judged.

    ``place`` is the table's name in messages, and ``users`` has the codes of its users.
    """
    if users.size and not truth.rows.size[users].any():
        in_table = truth.users.take(users[:MAX_EXAMPLES]).tolist()
        in_relevance = truth.users.take(truth.rows.users[:MAX_EXAMPLES]).tolist()
        raise unjudged_error(place, users.size, f": {in_table} against {in_relevance}")


def check_have_rows(options: Options, n_relevance: int, n_history: int) -> None:
    """Raise an error if relevance has no rows, or a history that a measure needs has none."""
    if not n_relevance:
        raise input_error("relevance", "hold at least one row", "none, so nobody is judged")
    if n_history:
        return
    names = [measure.name for measure in options.measures if "history" in measure.spec.needs]
    if names:
        raise input_error("history", f"hold at least one row for {format_first(names)}", "none")


def unjudged_error(table: str, n_users: int, examples: str = "") -> InputError:
    """Return the error for a table that has no judged user.

    Its ids are probably of a different kind from the ids in relevance. ``examples`` names some of
    both.
    """
    got = f"0 of {n_users} users in relevance{examples}"
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
    if values.min(initial=0) >= 0 or options.convention.negative != "error":
        return values
    names = [measure.name for measure in options.measures if measure.uses_relevance]
    if names:
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


def check_ranks_fit_scores(run: JudgedRun, users: IntArray) -> None:
    """Raise an error if an item has a better rank, but a lower score than another of its user.

    ``users`` has the codes of the users whose rows are checked.
    """
    # Matrices with a line for each user, and NaN after the last row of a shorter line.
    item, score, rank = run.rows.matrices(users, item=-1, value=0, rank=0)
    score, rank = score.astype(np.float64), rank.astype(np.float64)
    rank[item < 0] = np.nan
    # Most tables are sorted by rank. Sort the others: of equal ranks, the highest score comes
    # first, so that two neighbours with different ranks show any contradiction.
    if (rank[:, 1:] <= rank[:, :-1]).any():
        order = np.lexsort((-score, rank), axis=1)
        item = np.take_along_axis(item, order, axis=1)
        score = np.take_along_axis(score, order, axis=1)
        rank = np.take_along_axis(rank, order, axis=1)
    is_wrong = (rank[:, 1:] > rank[:, :-1]) & (score[:, 1:] > score[:, :-1])
    if not is_wrong.any():
        return
    line, first = np.argwhere(is_wrong)[0]
    texts = []
    for column in (first, first + 1):
        item_id = run.truth.items.take_one(item[line, column])
        texts.append(
            f"item {item_id!r} with rank {rank[line, column]:g} and score {score[line, column]:g}"
        )
    label = run.rules.rank_label
    raise input_error(
        f"{label} of recommendations{run.rules.of_system}",
        "agree with the scores, of which the highest is the best",
        f"for user {run.truth.users.take_one(users[line])!r} {' and '.join(texts)}",
        f"If the ranks are right, pass rank={label!r}. If the scores are distances, negate them. "
        "If the scores are right, leave out the column of ranks",
    )


# Systems named in a column ------------------------------------------------------------------------


def find_systems(options: Options, tables: InputTables) -> Systems:
    """Return the systems of all tables, in the order of the tables and of their rows.

    A table holds one system, or several that a column names. The function reads no other column.
    """
    names = options.column_names
    systems: Systems = {}
    for table_name, place in tables.systems.items():  # a single table has the name ""
        labels: list[Id | None] = [None]
        if "system" in names.by_place[place]:
            column = read_column(tables.by_place[place], names.system, place)
            labels = _check_labels(column.drop_duplicates(), names.system, place)
        for label in labels:
            system = table_name
            if label is not None:
                system = label if table_name == "" else f"{table_name}/{label}"
            if system in systems:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            systems[system] = place, label
    return systems


def _check_labels(labels: pd.Series, column: str | None, place: str) -> list[Id | None]:
    """Return the labels of systems in a table; only None if its column doesn't name systems.

    ``labels`` has the distinct labels, ``column`` is the name of their column, and ``place`` the
    table's name in messages.
    """
    if labels.isna().any():
        raise input_error(
            f"{column} of {place}",
            "not be missing, because each row belongs to a system",
            "a missing value",
            "If the column doesn't name systems, pass system=None",
        )
    # A column that the user didn't name has names of systems only if it has several.
    if column == ColumnNames.system and len(labels) < 2:
        return [None]
    if labels.empty:
        raise InputError(f"{column} of {place} must name a system; got no row")
    ids: list[Id | None] = read_ids(labels, f"{column} of {place}").tolist()
    return ids
