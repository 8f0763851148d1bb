"""Evaluate tables in parts that hold all rows of some of the users.

receval cuts large Parquet files into parts, and Dask cuts its frames. Each part is measured like
tables in memory. The values of all parts are put together, and their counts are added up, so the
result does not depend on the parts. See ``docs/scale.md``.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_object_dtype

from receval._checks import BoolArray, FloatArray, Id, InputError, input_error
from receval._files import name_file_in_errors
from receval._threads import progress_bar
from receval.evaluation.join import (
    Systems,
    check_have_rows,
    find_systems,
    labels_read,
    open_in_memory,
    unjudged_error,
    with_largest_grade,
)
from receval.evaluation.options import Options
from receval.evaluation.signs import facts_of_lists, merge_facts
from receval.evaluation.values import SystemResult, measure_tables, rows_of_ties
from receval.tables.columns import ROW, check_once, read_column, read_ids
from receval.tables.inputs import InputTables, is_dask
from receval.tables.reading import (
    common_schema,
    names_parquet,
    open_parquet,
    parquet_files,
    read_batches,
)

STREAM_ROWS = 20_000_000
"""If all Parquet files together have more rows, they are read in parts and not into memory."""

PART_ROWS = 1 << 20
"""The number of rows of all tables together that one part should have."""

MAX_PARTS = 128
"""The largest number of parts, because a file is open for each part while receval writes them."""

PART = "number of the part"
"""The name of the column with these numbers in Dask frames."""


def has_to_be_split(tables: InputTables) -> bool:
    """Return whether a table is a Dask frame, or all are Parquet files with too many rows together.

    If there is any other table, Parquet files are read into memory, however large they are.
    """
    if any(is_dask(table) for table in tables.by_place.values()):
        return True
    are_files = all(names_parquet(table) for table in tables.by_place.values())
    return are_files and _count_rows(_files_by_place(tables)) > STREAM_ROWS


def evaluate_in_parts(
    options: Options, tables: InputTables, *, progress: bool | None
) -> tuple[Options, dict[Hashable, SystemResult]]:
    """Measure Dask frames and large Parquet files.

    Returns the results by system, and the options with the largest grade of the relevance, if a
    measure depends on it. Raises an error if the means go over users who are not judged, whom no
    part knows all.
    """
    if options.users in ("answered", "named"):
        raise input_error(
            "users",
            "be 'judged' or 'both' for Dask frames and for tables that are read in parts",
            options.users.replace("named", "ids"),
            "If they fit in memory, read them with pandas first; the mean over some of the "
            "judged users is evaluate(…).where(ids)",
        )
    if any(is_dask(table) for table in tables.by_place.values()):
        return _evaluate_dask(options, tables)
    return _evaluate_files(options, tables, progress=progress)


def _files_by_place(tables: InputTables) -> dict[str, list[Path]]:
    """Return the Parquet files of each table."""
    return {place: parquet_files(paths, place) for place, paths in tables.by_place.items()}


def _count_rows(files: Mapping[str, Sequence[Path]]) -> int:
    """Return the number of rows of all Parquet files together."""
    all_files = [path for paths in files.values() for path in paths]
    return sum(open_parquet(path).metadata.num_rows for path in all_files)


def _part_of_rows(users: pd.Series, name: str, n_parts: int) -> pd.Series:
    """Return the number of the part of each row, from a hash of its user.

    Equal ids have equal hashes, whatever the type of the column is. Raises an error if the values
    aren't ids. ``name`` is the name of the column in messages.
    """
    ids = read_ids(users, name)
    plain_type: Any = "uint64" if isinstance(ids, np.ndarray) else "string[pyarrow]"
    hashes = pd.util.hash_pandas_object(users.astype(plain_type), index=False)
    return (hashes % n_parts).astype("uint16")


# Parquet files ------------------------------------------------------------------------------------


def _evaluate_files(
    options: Options, tables: InputTables, *, progress: bool | None
) -> tuple[Options, dict[Hashable, SystemResult]]:
    """Evaluate Parquet files in parts, which are files in a temporary folder."""
    files = _files_by_place(tables)
    n_parts = min(-(-_count_rows(files) // PART_ROWS), MAX_PARTS)
    labels: dict[str, pd.DataFrame] = {}  # of systems
    part_files = {}  # for each table, a file for each part
    with tempfile.TemporaryDirectory(prefix="receval-") as folder:
        for number, (place, paths) in enumerate(files.items()):
            part_files[place] = [Path(folder, f"{number}-{part}") for part in range(n_parts)]
            labels_of_table = _split_by_user(
                options, place, paths, part_files[place], progress=progress
            )
            if "system" in options.column_names.by_place[place]:
                labels[place] = pd.DataFrame({options.column_names.system: labels_of_table})
        systems = find_systems(options, tables._replace(by_place=labels))
        options = with_largest_grade(options, map(_read_part, part_files["relevance"]))
        parts = []
        for part in progress_bar(
            progress, range(n_parts), shown_by_default=True, desc="evaluate", unit="part"
        ):
            rows = {place: _read_part(paths[part]) for place, paths in part_files.items()}
            parts.append(_measure_part(options, rows, systems))
    return options, _combine(options, parts, systems, partial(_rows_in_files, options, files))


def _split_by_user(
    options: Options,
    place: str,
    files: Sequence[Path],
    part_files: Sequence[Path],
    *,
    progress: bool | None,
) -> list[Any]:
    """Write the rows of a table into the files of the parts, with their numbers in the table.

    All rows of a user go into one part, in the order of the table. Returns the distinct labels of
    systems, if the table has a column of them.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = options.column_names
    user_label = names.label("user", place)
    schema = common_schema(files, labels_read(options, place), place)
    batches = progress_bar(
        progress, read_batches(files, schema), shown_by_default=True, desc=f"read {place}"
    )
    system_labels: dict[Any, None] = {}
    n_rows = 0
    with ExitStack() as stack:
        stack.enter_context(name_file_in_errors("the folder of temporary files"))
        writers = [
            stack.enter_context(
                pq.ParquetWriter(
                    path,
                    schema.append(pa.field(ROW, pa.int64())),
                    use_dictionary=False,
                    write_statistics=False,
                )
            )
            for path in part_files
        ]
        for batch in batches:
            row = pd.RangeIndex(n_rows, n_rows + batch.num_rows, name=ROW)
            n_rows += batch.num_rows
            users = read_column(batch, user_label, place).set_axis(row)
            part_of_row = _part_of_rows(users, f"{user_label} of {place}", len(writers)).to_numpy()
            # A stable sort leaves the rows of a part in their order.
            order = np.argsort(part_of_row, kind="stable")
            sorted_rows = batch.append_column(ROW, pa.array(row)).take(order)
            sizes = np.bincount(part_of_row, minlength=len(writers))
            for writer, size, end in zip(writers, sizes, np.cumsum(sizes), strict=True):
                writer.write_table(sorted_rows.slice(end - size, size))
            if "system" in names.by_place[place]:
                system_labels.update(
                    dict.fromkeys(read_column(batch, names.system, place).drop_duplicates())
                )
    return list(system_labels)


def _read_part(path: Path) -> pd.DataFrame:
    """Return the rows of a part; the index has their numbers in the whole table."""
    rows: pd.DataFrame = open_parquet(path).read().to_pandas(ignore_metadata=True).set_index(ROW)
    return rows


def _rows_in_files(
    options: Options, files: Mapping[str, Sequence[Path]], user: Id
) -> dict[str, pd.DataFrame]:
    """Return the rows of a user in each table."""
    import pyarrow.dataset as ds

    rows = {}
    for place, paths in files.items():
        dataset = ds.dataset(list(paths), common_schema(paths, labels_read(options, place), place))
        user_label = options.column_names.label("user", place)
        # As text, integers of all types can be compared.
        is_user = ds.field(user_label).cast("large_string") == str(user)
        rows[place] = dataset.to_table(filter=is_user).to_pandas(ignore_metadata=True)
    return rows


# Dask ---------------------------------------------------------------------------------------------


def _evaluate_dask(
    options: Options, tables: InputTables
) -> tuple[Options, dict[Hashable, SystemResult]]:
    """Evaluate tables of which at least one is a Dask frame.

    Dask brings the rows of each user into one partition, and measures the partitions as parts.
    """
    dask: Any = import_module("dask")
    convention = options.convention
    if "input" in (convention.ties, *dict(convention.cut_ties).values()):
        raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
    names = options.column_names
    by_place = open_in_memory(options, tables).by_place
    frames = {place: _as_dask(options, table, place) for place, table in by_place.items()}
    labels = {
        place: frame[[names.system]].drop_duplicates(split_out=1).compute()
        for place, frame in frames.items()
        if "system" in names.by_place[place]
    }
    systems = find_systems(options, tables._replace(by_place=labels))
    relevance = (partition.compute() for partition in frames["relevance"].partitions)
    options = with_largest_grade(options, relevance)
    n_partitions = max(frame.npartitions for frame in frames.values())
    # Without a cluster, Dask's default is a method that brings rows into a random order.
    method = dask.utils.get_default_shuffle_method().replace("disk", "tasks")
    partitions = [
        frame.shuffle(PART, npartitions=n_partitions, shuffle_method=method).to_delayed()
        for frame in frames.values()
    ]
    measure_part = dask.delayed(_measure_part)
    options_of_workers = dask.delayed(options)  # sent to each worker once
    parts = dask.compute(
        *(
            measure_part(options_of_workers, dict(zip(frames, rows, strict=True)), systems)
            for rows in zip(*partitions, strict=True)
        )
    )

    def rows_of_user(user: Id) -> dict[str, pd.DataFrame]:
        """Return the rows of a user in each table."""
        return {
            place: frame[frame[names.label("user", place)] == user].compute()
            for place, frame in frames.items()
        }

    return options, _combine(options, parts, systems, rows_of_user)


def _as_dask(options: Options, table: Any, place: str) -> Any:
    """Return the columns of a table that the evaluation reads as a Dask frame, and `PART`.

    Raises an error if a column is missing, or if the type of an id column says nothing about the
    ids. Tables that aren't Dask frames are in memory.
    """
    names = options.column_names
    labels = labels_read(options, place)
    if is_dask(table):
        for label in labels:
            check_once(label, list(table.columns), place)
        frame = table[labels]
    else:
        columns = {label: read_column(table, label, place) for label in labels}
        with import_module("dask.config").set({"dataframe.convert-string": False}):
            frame = import_module("dask.dataframe").from_pandas(
                pd.DataFrame(columns), npartitions=1, sort=False
            )
    objects = [
        label
        for label in (names.label("user", place), names.label("item", place))
        if is_object_dtype(frame.dtypes[label])
    ]
    if is_dask(table) and objects:
        rule = "have a type on Dask, integers or text"
        advice = "Convert it with astype('int64') or astype('string')"
        raise input_error(f"{objects[0]} of {place}", rule, "a column of objects", advice)
    frame = frame.rename_axis(index=ROW)  # messages name rows by the index of the frame
    user_label = names.label("user", place)
    part_of_row = frame[user_label].map_partitions(
        _part_of_rows, f"{user_label} of {place}", MAX_PARTS, meta=(PART, "uint16")
    )
    return frame.assign(**{PART: part_of_row})


# Parts --------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """The result of one system for a part of the users, and what is combined with other parts.

    Attributes
    ----------
    result : the result without its lists.
    is_tied, bounds : the users with ties, and their values over all orders of equal scores.
    recommended, relevant : the distinct items of the recommendations and of the relevance; empty if
        the tables share an item.
    n_in_history, n_judged_in_history : the number of users with a history, and of the judged ones
        among them.
    """

    result: SystemResult
    is_tied: BoolArray
    bounds: dict[str, FloatArray]
    recommended: set[Id]
    relevant: set[Id]
    n_in_history: int
    n_judged_in_history: int


def _measure_part(
    options: Options, rows: Mapping[str, pd.DataFrame], systems: Systems
) -> dict[Hashable, Part]:
    """Measure every system on a part of the users, and return its part of the result.

    ``rows`` has all rows of these users in each table. `_combine_system` puts the parts of a system
    together.
    """
    parts = {}
    results = measure_tables(options, InputTables(systems={}, by_place=rows), systems)
    for system, result in results.items():
        lists = result.lists
        assert lists is not None  # the tables are in memory
        run = lists.run
        # Notes say whether any recommended item is in relevance, for any user. If none is in this
        # part, one may be in another part, so keep the items of both tables.
        recommended: set[Id] = set()
        relevant: set[Id] = set()
        if not result.shares_items:
            item_ids = run.truth.items
            recommended_codes = run.rows.columns["item"]
            relevant_codes = run.truth.rows.columns["item"]
            recommended = set(item_ids.take(recommended_codes).tolist())
            relevant = set(item_ids.take(relevant_codes).tolist())
        users_in_history = np.empty(0, np.int64)  # their codes
        history = run.context.seen  # None if the evaluation has no history
        if history is not None:
            users_in_history = history.user_codes
        parts[system] = Part(
            result=replace(result, stored_facts=facts_of_lists(run, lists.totals), lists=None),
            is_tied=lists.is_tied,
            bounds=lists.tie_bounds(),
            recommended=recommended,
            relevant=relevant,
            n_in_history=users_in_history.size,
            n_judged_in_history=np.intersect1d(users_in_history, run.judged).size,
        )
    return parts


def _combine(
    options: Options,
    parts: Sequence[Mapping[Hashable, Part]],
    systems: Systems,
    rows_of_user: Callable[[Id], Mapping[str, pd.DataFrame]],
) -> dict[Hashable, SystemResult]:
    """Return the result of each system over all parts.

    ``rows_of_user`` reads the rows of a user from all tables. Raises an error if nobody is
    judged, or if a table has no judged user.
    """
    return {
        system: replace(
            _combine_system(options, system, [part[system] for part in parts]),
            measure_user=partial(_measure_user, options, rows_of_user, {system: systems[system]}),
        )
        for system in systems
    }


def _measure_user(
    options: Options,
    rows_of_user: Callable[[Id], Mapping[str, pd.DataFrame]],
    systems: Systems,
    user: Id,
) -> SystemResult:
    """Measure a judged user again under the only one of ``systems``."""
    rows = rows_of_user(user)
    if not len(rows["relevance"]):
        rule = f"hold user {user!r}, who was judged"
        raise input_error("relevance", rule, "no row", "Evaluate the changed tables again")
    (result,) = measure_tables(options, InputTables({}, rows), systems).values()
    return result


def _check_users(
    options: Options, system: Hashable, counts: Counter[str], parts: Sequence[Part]
) -> None:
    """Raise an error if nobody is judged, or if a table has users, but none of them is judged.

    ``counts`` are those of all parts together.
    """
    n_in_history = sum(part.n_in_history for part in parts)
    check_have_rows(options, counts["judged"], n_in_history)
    if counts["ignored"] and not counts["answered"]:
        of_system = f" of system {system!r}" if system != "" else ""
        raise unjudged_error(f"recommendations{of_system}", counts["ignored"])
    if n_in_history and not any(part.n_judged_in_history for part in parts):
        raise unjudged_error("history", n_in_history)


def _combine_system(options: Options, system: Hashable, parts: Sequence[Part]) -> SystemResult:
    """Return the result of one system over all parts; see `_combine`."""
    results = [part.result for part in parts]
    counts: Counter[str] = Counter()
    for result in results:
        counts.update(result.counts)
    _check_users(options, system, counts, parts)

    # The items that one part recommends can be relevant in another part.
    recommended: set[Id] = set().union(*(part.recommended for part in parts))
    relevant: set[Id] = set().union(*(part.relevant for part in parts))
    shares_items = not recommended.isdisjoint(relevant)
    # Parts without judged users have no ids, from which pandas could take the type of the index,
    # and no states.
    parts = [part for part in parts if part.is_tied.size]
    frame = pd.concat([part.result.frame for part in parts])
    # Add up ties once all values are here, so that the sums don't depend on the parts.
    is_tied = np.concatenate([part.is_tied for part in parts])
    bounds = {}
    for measure in parts[0].bounds:
        bounds[measure] = np.concatenate([part.bounds[measure] for part in parts], axis=1)
    states = {}
    for set_level in options.measures:
        if set_level.of_all is not None:
            states_of_parts = [part.result.states[set_level.name] for part in parts]
            states[set_level.name] = set_level.of_all.combine(states_of_parts)
    return SystemResult(
        frame.sort_index(),
        counts=dict(counts),
        # A part without rows says "integer", which comes before "text".
        item_kind=max(result.item_kind for result in results),
        shares_items=shares_items or any(result.shares_items for result in results),
        states=states,
        stored_ties=rows_of_ties(frame, is_tied, bounds),
        stored_facts=merge_facts([result.stored_facts for result in results]),
    )
