"""Evaluate tables of any size: in memory, or in parts that hold all rows of some of the users.

receval cuts large Parquet files into parts, and Dask cuts its frames. Each part is measured like
tables in memory. The values of all parts are put together, and their counts are added up, so the
result does not depend on the parts. See ``docs/scale.md``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, FloatArray, InputError, IntArray, NoSuchFile, input_error
from receval._files import name_file_in_errors, path_exists
from receval._progress import progress_bar
from receval._snapshots import snapshot
from receval._types import AnyArray, Id, Record
from receval.definitions.lists import JudgedRun
from receval.definitions.tie_sums import TieTotals
from receval.evaluation.context import History
from receval.evaluation.joining import (
    LoadedTable,
    no_relevance_error,
    read_grades,
    rows_by_system,
    unjudged_error,
)
from receval.evaluation.measured import MemoryResult, SystemResult, ValuesOnlyResult
from receval.evaluation.measuring import measure_tables
from receval.evaluation.signs import InputSigns, merge_facts
from receval.evaluation.task import EvaluationTask
from receval.tables.columns import (
    ROW,
    check_once,
    column_labels,
    ids_as_text,
    read_column,
    read_ids,
)
from receval.tables.inputs import ColumnNames, InputTables
from receval.tables.parquet import (
    common_schema,
    is_path,
    names_parquet,
    open_parquet,
    parquet_files,
    read_all,
    read_batches,
)
from receval.tables.reading import open_table
from receval.tables.rows import Rows

STREAM_ROWS = 20_000_000
"""If all Parquet files together have more rows, they are read in parts and not into memory."""

PART_ROWS = 1 << 20
"""The number of rows of all tables together that one part should have."""

MAX_PARTS = 256
"""The largest number of parts, because a file is open for each part while receval writes them."""

DaskFrame: TypeAlias = Any
"""A Dask frame. Dask declares few types."""

Systems: TypeAlias = dict[Hashable, tuple[str, Any]]
"""By name of the system: the place of its table, and its label there, or None if it has no label.

A place is the name of a table in messages.
"""

Tables: TypeAlias = Mapping[str, LoadedTable]
"""Tables by place."""


# Tables of any kind -------------------------------------------------------------------------------


def open_tables(names: ColumnNames, tables: InputTables) -> tuple[InputTables, ColumnNames]:
    """Open the tables, and find the columns that the evaluation reads in each.

    Parquet files and Dask frames remain as they are, because they may be too large for the memory.
    Frames of pandas become copies, because the result reads them later, and users may edit them
    meanwhile. Raises an error if a file can't be read.
    """
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


def evaluate_tables(
    task: EvaluationTask, tables: InputTables, *, progress: bool | None
) -> tuple[EvaluationTask, Mapping[Hashable, SystemResult]]:
    """Measure all systems; return the task and the results by system.

    ``task`` says what to measure. If a measure depends on the largest grade of the relevance, such
    as ERR, the returned task has this grade.
    """
    if task.ids is not None and task.items is not None:  # the only choice of `ids` is "text"
        # `items` is the catalogue. Its ids must become text, like the ids of the other tables.
        index = ids_as_text(task.items.index.to_series(), "items")
        task = replace(task, items=task.items.set_axis(index))
    if any(is_dask(table) for table in tables.by_place.values()):
        return _evaluate_dask(task, tables)
    # If there is any other table, Parquet files are read into memory, however large they are.
    if all(names_parquet(table) for table in tables.by_place.values()):
        files = {place: parquet_files(paths, place) for place, paths in tables.by_place.items()}
        all_files = [path for paths in files.values() for path in paths]
        n_rows = sum(open_parquet(path).metadata.num_rows for path in all_files)
        if n_rows > STREAM_ROWS:
            n_parts = min(-(-n_rows // PART_ROWS), MAX_PARTS)
            return _evaluate_files(task, tables, files, n_parts, progress=progress)
    opened = {}
    for place, table in tables.by_place.items():
        opened[place] = _open_in_memory(task, table, place)
        labels = task.column_names.by_place[place]
        if task.ids is not None or any(name != label for name, label in labels.items()):
            opened[place] = _select(task, opened[place], place)
    task = _with_largest_grade(task, [opened["relevance"]])
    return task, measure_tables(task, tables._replace(by_place=opened), progress=progress)


def is_dask(table: object) -> bool:
    """Return whether a table is a Dask frame."""
    return type(table).__module__.split(".")[0] == "dask"


def _open_in_memory(task: EvaluationTask, table: Any, place: str) -> LoadedTable:
    """Return a table in memory with at least the columns that the task needs.

    ``table`` is a table, a Parquet file or folder, or a pattern or list that names several Parquet
    files; `open_tables` has opened other files.
    """
    # `open_table` reads a folder or a file, but no patterns or lists of paths.
    if names_parquet(table) and not (is_path(table) and path_exists(table)):
        files = parquet_files(table, place)
        labels = task.column_names.by_place[place]
        return read_all(files, common_schema(files, labels.values(), place))
    opened: LoadedTable = open_table(table, place)
    return opened


def _select(
    task: EvaluationTask, table: LoadedTable, place: str, *, with_plain_ids: bool = False
) -> pd.DataFrame:
    """Return the columns of a table that the task needs, under the names of the task.

    ``with_plain_ids`` says whether all ids become integers of 64 bits or text (see
    `_with_plain_type`). If the task compares ids as text, all become text.
    """
    names = task.column_names
    columns = {}
    for name, label in names.by_place[place].items():
        columns[name] = read_column(table, label, place)
        if name in (names.user, names.item) and (with_plain_ids or task.ids == "text"):
            columns[name] = _with_plain_type(task, columns[name], f"{name} of {place}")
    return pd.DataFrame(columns)


def _with_plain_type(task: EvaluationTask, ids: pd.Series, name: str) -> pd.Series:
    """Return ids as integers of 64 bits or as text, so that equal ids have equal hashes.

    Raises an error if the values aren't ids. ``name`` is the name of the column in messages.
    """
    read_ids(ids, name)  # raises
    dtype: Any = ids.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = ids.cat.categories.dtype
    if task.ids == "text" or not pd.api.types.is_integer_dtype(dtype):
        return ids.astype("string[pyarrow]")
    return ids.astype("uint64" if pd.api.types.is_unsigned_integer_dtype(dtype) else "int64")


def _with_largest_grade(task: EvaluationTask, tables: Iterable[LoadedTable]) -> EvaluationTask:
    """Return the task with the largest grade of the relevance, if a measure depends on it.

    The grade is 0 if there are none or all are negative. ``tables`` are the parts of the relevance.
    Raises an error if a grade is wrong.
    """
    if not any(measure.truth_options for measure in task.measures):
        return task
    largest = max((read_grades(task, table).max(initial=0) for table in tables), default=0)
    return replace(task, context=replace(task.context, max_grade=float(largest)))


# Parquet files ------------------------------------------------------------------------------------


def _evaluate_files(
    task: EvaluationTask,
    tables: InputTables,
    files: Mapping[str, Sequence[Path]],
    n_parts: int,
    *,
    progress: bool | None,
) -> tuple[EvaluationTask, dict[Hashable, ValuesOnlyResult]]:
    """Evaluate Parquet files in parts, which are files in a temporary folder."""
    _check_users(task)
    with tempfile.TemporaryDirectory(prefix="receval-") as folder:
        labels = {}
        part_files = {}  # for each table, a file for each part
        for number, (place, paths) in enumerate(files.items()):
            part_files[place] = [Path(folder, f"{number}-{part}") for part in range(n_parts)]
            labels[place] = _split_by_user(task, place, paths, part_files[place], progress=progress)
        systems = _find_systems(task, tables.systems, labels)
        relevance = (_read_part(task, "relevance", path) for path in part_files["relevance"])
        task = _with_largest_grade(task, relevance)
        parts = []
        for part in progress_bar(
            progress, range(n_parts), shown_by_default=True, desc="evaluate", unit="part"
        ):
            tables_of_part = {
                place: _read_part(task, place, paths[part]) for place, paths in part_files.items()
            }
            parts.append(_measure_part(task, tables_of_part, systems))
    return task, _combine(task, parts, systems, partial(_rows_in_files, task, files))


def _split_by_user(
    task: EvaluationTask,
    place: str,
    files: Sequence[Path],
    part_files: Sequence[Path],
    *,
    progress: bool | None,
) -> dict[Any, None]:
    """Write the rows of a table into the files of the parts, with their numbers in the table.

    All rows of a user go into one part, in the order of the table. The hash of the user decides
    which part it is. Returns the distinct labels of systems, if the table has a column of them, as
    the keys of a dict.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = task.column_names
    labels = names.by_place[place]
    schema = common_schema(files, labels.values(), place)
    schema_of_parts = schema.append(pa.field(ROW, pa.int64()))
    batches = progress_bar(
        progress, read_batches(files, schema), shown_by_default=True, desc=f"read {place}"
    )
    system_labels: dict[Any, None] = {}
    n_rows = 0
    with ExitStack() as stack:
        stack.enter_context(name_file_in_errors("the folder of temporary files"))
        writers = [
            stack.enter_context(pq.ParquetWriter(path, schema_of_parts)) for path in part_files
        ]
        for batch in batches:
            row = pd.RangeIndex(n_rows, n_rows + batch.num_rows, name=ROW)
            n_rows += batch.num_rows
            users = read_column(batch, labels[names.user], place).set_axis(row)
            users = _with_plain_type(task, users, f"{names.user} of {place}")
            hashes = pd.util.hash_pandas_object(users, index=False).to_numpy()
            part_of_row = (hashes % len(writers)).astype(np.uint16)
            # A stable sort leaves the rows of a part in their order.
            sorted_rows = batch.append_column(ROW, pa.array(row)).take(
                np.argsort(part_of_row, kind="stable")
            )
            sizes = np.bincount(part_of_row, minlength=len(writers))
            for writer, size, end in zip(writers, sizes, np.cumsum(sizes), strict=True):
                if size:
                    writer.write_table(sorted_rows.slice(end - size, size))
            if names.system in labels:
                labels_of_batch = read_column(batch, labels[names.system], place)
                system_labels.update(dict.fromkeys(labels_of_batch.drop_duplicates()))
    return system_labels


def _read_part(task: EvaluationTask, place: str, path: Path) -> pd.DataFrame:
    """Return the rows of a part; the index has their numbers in the whole table."""
    rows = open_parquet(path).read().to_pandas(ignore_metadata=True)
    return _select(task, rows.set_index(ROW), place)


def _rows_in_files(
    task: EvaluationTask, files: Mapping[str, Sequence[Path]], user: Id
) -> dict[str, pd.DataFrame]:
    """Return the rows of a user in each table."""
    import pyarrow.dataset as ds

    tables = {}
    for place, paths in files.items():
        labels = task.column_names.by_place[place]
        dataset = ds.dataset(list(paths), common_schema(paths, labels.values(), place))
        # As text, integers of all types can be compared.
        is_user = ds.field(labels[task.column_names.user]).cast("large_string") == str(user)
        tables[place] = _select(task, dataset.to_table(filter=is_user), place)
    return tables


# Dask ---------------------------------------------------------------------------------------------


def _evaluate_dask(
    task: EvaluationTask, tables: InputTables
) -> tuple[EvaluationTask, dict[Hashable, ValuesOnlyResult]]:
    """Evaluate tables of which at least one is a Dask frame.

    Dask brings the rows of each user into one partition, and measures the partitions as parts.
    """
    import dask

    _check_users(task)
    convention = task.context.convention
    tie_rules = [convention.ties] + [rule for _, rule in convention.cut_ties]
    if "input" in tie_rules:
        raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
    names = task.column_names
    frames = {place: _as_dask(task, table, place) for place, table in tables.by_place.items()}
    with _broken_files_named(tables):
        labels = {
            place: frame[names.system].drop_duplicates(split_out=1).compute()
            for place, frame in frames.items()
            if names.system in frame.columns
        }
        systems = _find_systems(task, tables.systems, labels)
        # Without a column of grades every row counts 1, so any column does.
        label = names.relevance_column or names.user
        grades = frames["relevance"][[label]].drop_duplicates(split_out=1)
        task = _with_largest_grade(task, (frame.compute() for frame in [grades]))
        n_partitions = max(frame.npartitions for frame in frames.values())
        # Without a cluster, Dask's default is a method that brings rows into a random order.
        method = dask.utils.get_default_shuffle_method().replace("disk", "tasks")
        partitions = [
            frame.shuffle(names.user, npartitions=n_partitions, shuffle_method=method).to_delayed()
            for frame in frames.values()
        ]
        measure_part = dask.delayed(_measure_part)
        task_of_workers = dask.delayed(task)  # sent to each worker once
        parts = dask.compute(
            *(
                measure_part(task_of_workers, dict(zip(frames, of_part, strict=True)), systems)
                for of_part in zip(*partitions, strict=True)
            )
        )

    def rows_of_user(user: Id) -> dict[str, pd.DataFrame]:
        """Return the rows of a user in each table."""
        with _broken_files_named(tables):
            return {
                place: frame[frame[names.user] == user].compute() for place, frame in frames.items()
            }

    return task, _combine(task, list(parts), systems, rows_of_user)


def _as_dask(task: EvaluationTask, table: Any, place: str) -> DaskFrame:
    """Return the columns of a table that the task needs, as a Dask frame with ids of plain types.

    Raises an error if a column is missing, or if the type of an id column says nothing about the
    ids. Tables that aren't Dask frames are read into memory.
    """
    import dask
    import dask.dataframe as dd

    names = task.column_names
    if not is_dask(table):
        in_memory = _open_in_memory(task, table, place)
        rows = _select(task, in_memory, place, with_plain_ids=True).rename_axis(index=ROW)
        with dask.config.set({"dataframe.convert-string": False}):
            return dd.from_pandas(rows, npartitions=1, sort=False)
    labels = list(dict.fromkeys(names.by_place[place].values()))
    for label in labels:
        check_once(label, list(table.columns), place)
    for name in (names.user, names.item):
        if pd.api.types.is_object_dtype(table.dtypes[names.label(name, place)]):
            rule = "have a type on Dask, integers or text"
            advice = "Convert it with astype('int64') or astype('string')"
            raise input_error(f"{name} of {place}", rule, "a column of objects", advice)
    select = partial(_select, task, place=place, with_plain_ids=True)
    # Messages name rows by the index of the frame. Dask takes the types of the result from a frame
    # without rows.
    return table[labels].rename_axis(index=ROW).map_partitions(select, meta=select(table._meta))


@contextmanager
def _broken_files_named(tables: InputTables) -> Iterator[None]:
    """If Dask fails to read a Parquet file in the ``with`` block, raise an error that names it."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError):
        for place, table in tables.by_place.items():
            # Some steps of a frame's computation read a file. These have its path.
            steps = table.expr.walk() if is_dask(table) else []
            with suppress(NoSuchFile):  # only Dask knows files of another machine
                files = parquet_files([step.path for step in steps if hasattr(step, "path")], place)
                for path in files:
                    # Raises an error that names the file if it is broken.
                    for _ in read_batches([path], open_parquet(path).schema_arrow):
                        pass
        # No file is broken, so the error has another reason.
        raise


# Parts --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartResult:
    """What remains of the result of one system for a part of the users.

    Attributes
    ----------
    values : DataFrame
        The values of the judged users.
    tied : array of int
        The positions of the users with ties that can change a value.
    tie_bounds : dict of array
        The lowest, mean and highest value of these users, by measure.
    counts : dict of int
        The counts of users, as in `Evaluation.counts`.
    states : dict of array
        The states of set-level measures.
    facts : dict
        Facts for notes (see `receval.evaluation.signs.merge_facts`).
    signs : InputSigns
        Signs of mistakes in the tables.
    item_kind : str
        Whether item ids are "integer" or "text".
    items : pair of list
        The distinct items of the recommendations, and those of the relevance. Both lists are empty
        if the tables share an item.
    recommended_users : list
        The lowest ids of users with recommendations.
    n_in_history : array of int
        The number of users with a history, and how many of them are judged.
    """

    values: pd.DataFrame
    tied: IntArray
    tie_bounds: dict[str, FloatArray]
    counts: dict[str, int]
    states: dict[str, AnyArray]
    facts: Record
    signs: InputSigns
    item_kind: str
    items: tuple[list[Id], list[Id]]
    recommended_users: list[Id]
    n_in_history: IntArray

    @classmethod
    def from_measured(cls, measured: MemoryResult) -> PartResult:
        """Return what remains of a result in memory."""
        run = measured.run
        items: tuple[list[Id], list[Id]] = ([], [])
        if not measured.signs.shares_items:
            items = (_item_ids(run, run.rows), _item_ids(run, run.truth.rows))
        in_history = np.empty(0)
        if isinstance(measured.context.seen, History):  # otherwise there is no history
            in_history = measured.context.seen.user_codes
        return cls(
            values=measured.values(),
            tied=measured.tied,
            tie_bounds=measured.tie_bounds,
            counts=measured.counts,
            states=measured.states,
            facts=measured.facts_of_part,
            signs=measured.signs,
            item_kind=measured.item_kind,
            items=items,
            recommended_users=run.truth.users.take(run.rows.users[:MAX_EXAMPLES]).tolist(),
            n_in_history=np.array([in_history.size, np.isin(in_history, run.judged).sum()]),
        )


def _item_ids(run: JudgedRun, rows: Rows) -> list[Id]:
    """Return the distinct ids of the items in some rows of the run."""
    ids: list[Id] = run.truth.items.take(np.unique(rows.columns["item"])).tolist()
    return ids


def _check_users(task: EvaluationTask) -> None:
    """Raise an error if the means go over users who are not judged, whom no part knows all."""
    if task.users in ("answered", "named"):
        raise input_error(
            "users",
            "be 'judged' or 'both' for Dask frames and for tables that are read in parts",
            "ids" if task.users == "named" else "'answered'",
            "If they fit in memory, read them with pandas first; the mean over some of the "
            "judged users is evaluate(…).where(ids)",
        )


def _find_systems(
    task: EvaluationTask,
    place_by_table: Mapping[Hashable, str],
    labels: Mapping[str, Iterable[Any]],
) -> Systems:
    """Return the place and the label of each system.

    ``place_by_table`` has the tables of recommendations by the names that the user gave them.
    ``labels`` has the distinct labels of each table that has a column of systems.
    """
    column = task.column_names.system
    systems: Systems = {}
    for table_name, place in place_by_table.items():
        table = pd.DataFrame({column: list(labels.get(place, []))})
        for system, rows in rows_by_system(task, table, place, table_name).items():
            if system in systems:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            # The rows are a slice if the column doesn't name systems.
            label = None if isinstance(rows, slice) else table[column].iloc[rows[0]]
            systems[system] = (place, label)
    return systems


def _measure_part(
    task: EvaluationTask, tables: Tables, systems: Systems
) -> dict[Hashable, PartResult]:
    """Measure every system on a part of the users; the tables have all rows of these users."""
    return {
        system: PartResult.from_measured(measured)
        for system, measured in _measure_users(task, tables, systems).items()
    }


def _measure_users(
    task: EvaluationTask, tables: Tables, systems: Systems
) -> dict[Hashable, MemoryResult]:
    """Measure every system on some of the users; the tables have all rows of these users.

    If a table has several systems, each system becomes a table, even if it has no rows here.
    """
    names = task.column_names
    place_by_system = {}
    by_place = {}
    labels_by_place = dict(names.by_place)
    for system, (place, label) in systems.items():
        rows = tables[place]
        system_place = place
        if label is not None:
            rows = rows[rows[names.system] == label]
            system_place = f"{place} with {names.system} {label!r}"
        place_by_system[system] = system_place
        by_place[system_place] = rows
        labels_by_place[system_place] = names.by_place[place]
    by_place.update({place: tables[place] for place in ("relevance", "history") if place in tables})
    task = replace(task, column_names=replace(names, system=None, by_place=labels_by_place))
    return measure_tables(task, InputTables(place_by_system, by_place), has_all_users=False)


def _combine(
    task: EvaluationTask,
    parts: Sequence[Mapping[Hashable, PartResult]],
    systems: Systems,
    rows_of_user: Callable[[Id], Tables],
) -> dict[Hashable, ValuesOnlyResult]:
    """Return the result of each system over all parts.

    ``rows_of_user`` reads the rows of a user from all tables. Raises an error if nobody is judged,
    or if a table has no judged user.
    """

    def measure_user(system: Hashable, user: Id) -> MemoryResult:
        """Measure a judged user again under a system."""
        rows = rows_of_user(user)
        if not len(rows["relevance"]):
            rule = f"hold user {user!r}, who was judged"
            raise input_error("relevance", rule, "no row", "Evaluate the changed tables again")
        return _measure_users(task, rows, {system: systems[system]})[system]

    return {
        system: _combine_system(
            task, system, [part[system] for part in parts], partial(measure_user, system)
        )
        for system in systems
    }


def _combine_system(
    task: EvaluationTask,
    system: Hashable,
    parts: Sequence[PartResult],
    measure_user: Callable[[Id], MemoryResult],
) -> ValuesOnlyResult:
    """Return the result of one system over all parts; see `_combine`."""
    counts = {kind: sum(part.counts[kind] for part in parts) for kind in parts[0].counts}
    if not counts["judged"]:
        raise no_relevance_error()
    # Parts without judged users have no ids, from which pandas could take the type of the index.
    with_values = [part for part in parts if len(part.values)]
    values = pd.concat([part.values for part in with_values])
    _check_users_match(system, counts, parts, judged=sorted(values.index)[:MAX_EXAMPLES])

    # Add up ties once all values are here, so that the sums don't depend on the parts.
    sizes = [len(part.values) for part in with_values]
    starts = np.cumsum([0, *sizes[:-1]])
    tied = np.concatenate(
        [start + part.tied for start, part in zip(starts, with_values, strict=True)]
    )
    ties = {}
    for measure in parts[0].tie_bounds:
        bounds = np.concatenate([part.tie_bounds[measure] for part in with_values], axis=1)
        ties[measure] = TieTotals.of(values[measure].to_numpy(), tied, bounds).row()
    states = {
        measure.name: reduce(
            measure.of_all.combine, [part.states[measure.name] for part in with_values]
        )
        for measure in task.measures
        if measure.of_all is not None
    }
    signs = reduce(InputSigns.merge, [part.signs for part in parts])
    n_foreign = 0
    if not signs.shares_items:
        # The items that one part recommends can be relevant in another part.
        recommended, judged = (
            {item for items in lists for item in items}
            for lists in zip(*(part.items for part in parts), strict=True)
        )
        n_foreign = len(recommended) if recommended.isdisjoint(judged) else 0
    return ValuesOnlyResult(
        values.sort_index(),
        counts=counts,
        ties=ties,
        foreign=n_foreign,
        like_ranks=signs.like_ranks,
        # A part without rows says "integer", which comes before "text".
        item_kind=max(part.item_kind for part in parts),
        states=states,
        facts=reduce(merge_facts, [part.facts for part in parts]),
        measure_user=measure_user,
    )


def _check_users_match(
    system: Hashable, counts: Mapping[str, int], parts: Sequence[PartResult], judged: list[Id]
) -> None:
    """Raise an error if the recommendations or the history have users, but no judged user.

    ``counts`` are those of all parts, and ``judged`` has a few judged users for messages.
    """
    if counts["ignored"] and not counts["answered"]:
        table = "recommendations" if system == "" else f"recommendations of system {system!r}"
        users = sorted(user for part in parts for user in part.recommended_users)
        raise unjudged_error(table, counts["ignored"], (users[:MAX_EXAMPLES], judged))
    n_in_history, n_judged = np.sum([part.n_in_history for part in parts], axis=0)
    if n_in_history and not n_judged:
        raise unjudged_error("history", n_in_history)
