"""Evaluate tables in parts that hold all rows of some of the users.

receval cuts large Parquet files into parts, and Dask cuts its frames. Each part is measured like
tables in memory. The values of all parts are put together, and their counts are added up, so the
result does not depend on the parts. See ``docs/scale.md``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    Record,
    input_error,
)
from receval._files import name_file_in_errors
from receval._threads import progress_bar
from receval.definitions.ties import row_of_ties
from receval.evaluation.join import (
    LoadedTable,
    is_dask,
    labels_read,
    no_relevance_error,
    open_in_memory,
    rows_by_system,
    unjudged_error,
    with_largest_grade,
)
from receval.evaluation.measured import MemoryResult, ValuesOnlyResult
from receval.evaluation.options import Options
from receval.evaluation.signs import merge_facts
from receval.evaluation.values import measure_tables
from receval.tables.columns import (
    ROW,
    check_once,
    read_column,
    read_ids,
)
from receval.tables.inputs import ColumnNames, InputTables
from receval.tables.parquet import (
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

DaskFrame: TypeAlias = Any
"""A Dask frame. Dask declares few types."""

Systems: TypeAlias = dict[Hashable, tuple[str, Any]]
"""By name of the system: the place of its table, and its label there, or None if it has no label.

A place is the name of a table in messages.
"""

Tables: TypeAlias = Mapping[str, LoadedTable]
"""Tables by place."""


def evaluate_in_parts(
    options: Options, tables: InputTables, *, progress: bool | None
) -> tuple[Options, dict[Hashable, ValuesOnlyResult]] | None:
    """Measure Dask frames and large Parquet files; return None if the tables fit into memory.

    Returns the results by system, and the options with the largest grade of the relevance, if a
    measure depends on it. If there is any other table, Parquet files are read into memory, however
    large they are.
    """
    if any(is_dask(table) for table in tables.by_place.values()):
        return _evaluate_dask(options, tables)
    if not all(names_parquet(table) for table in tables.by_place.values()):
        return None
    files = {place: parquet_files(paths, place) for place, paths in tables.by_place.items()}
    all_files = [path for paths in files.values() for path in paths]
    n_rows = sum(open_parquet(path).metadata.num_rows for path in all_files)
    if n_rows <= STREAM_ROWS:
        return None
    n_parts = min(-(-n_rows // PART_ROWS), MAX_PARTS)
    return _evaluate_files(options, tables, files, n_parts, progress=progress)


def _with_plain_type(ids: pd.Series, name: str) -> pd.Series:
    """Return ids as integers of 64 bits or as text, so that equal ids have equal hashes.

    Raises an error if the values aren't ids. ``name`` is the name of the column in messages.
    """
    read_ids(ids, name)  # raises
    dtype: Any = ids.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = ids.cat.categories.dtype
    if not pd.api.types.is_integer_dtype(dtype):
        return ids.astype("string[pyarrow]")
    if pd.api.types.is_unsigned_integer_dtype(dtype):
        return ids.astype("uint64")
    return ids.astype("int64")


# Parquet files ------------------------------------------------------------------------------------


def _evaluate_files(
    options: Options,
    tables: InputTables,
    files: Mapping[str, Sequence[Path]],
    n_parts: int,
    *,
    progress: bool | None,
) -> tuple[Options, dict[Hashable, ValuesOnlyResult]]:
    """Evaluate Parquet files in parts, which are files in a temporary folder."""
    _check_users(options)
    with tempfile.TemporaryDirectory(prefix="receval-") as folder:
        labels = {}
        part_files = {}  # for each table, a file for each part
        for number, (place, paths) in enumerate(files.items()):
            part_files[place] = [Path(folder, f"{number}-{part}") for part in range(n_parts)]
            labels[place] = _split_by_user(
                options, place, paths, part_files[place], progress=progress
            )
        systems = _find_systems(options, tables.systems, labels)
        relevance = (_read_part(path) for path in part_files["relevance"])
        options = with_largest_grade(options, relevance)
        parts = []
        for part in progress_bar(
            progress, range(n_parts), shown_by_default=True, desc="evaluate", unit="part"
        ):
            tables_of_part = {place: _read_part(paths[part]) for place, paths in part_files.items()}
            parts.append(_measure_part(options, tables_of_part, systems))
    return options, _combine(options, parts, systems, partial(_rows_in_files, options, files))


def _split_by_user(
    options: Options,
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

    names = options.column_names
    user_label = names.label(names.user, place)
    schema = common_schema(files, labels_read(options, place), place)
    schema_of_parts = schema.append(pa.field(ROW, pa.int64()))
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
                    path, schema_of_parts, use_dictionary=False, write_statistics=False
                )
            )
            for path in part_files
        ]
        for batch in batches:
            row = pd.RangeIndex(n_rows, n_rows + batch.num_rows, name=ROW)
            n_rows += batch.num_rows
            users = read_column(batch, user_label, place).set_axis(row)
            users = _with_plain_type(users, f"{user_label} of {place}")
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
            if names.system in names.by_place[place]:
                labels_of_batch = read_column(batch, names.system, place)
                system_labels.update(dict.fromkeys(labels_of_batch.drop_duplicates()))
    return system_labels


def _read_part(path: Path) -> pd.DataFrame:
    """Return the rows of a part; the index has their numbers in the whole table."""
    rows = open_parquet(path).read().to_pandas(ignore_metadata=True)
    by_row: pd.DataFrame = rows.set_index(ROW)
    return by_row


def _rows_in_files(
    options: Options, files: Mapping[str, Sequence[Path]], user: Id
) -> dict[str, pd.DataFrame]:
    """Return the rows of a user in each table."""
    import pyarrow.dataset as ds

    tables = {}
    for place, paths in files.items():
        dataset = ds.dataset(list(paths), common_schema(paths, labels_read(options, place), place))
        user_label = options.column_names.label(options.column_names.user, place)
        # As text, integers of all types can be compared.
        is_user = ds.field(user_label).cast("large_string") == str(user)
        tables[place] = dataset.to_table(filter=is_user).to_pandas(ignore_metadata=True)
    return tables


# Dask ---------------------------------------------------------------------------------------------


def _evaluate_dask(
    options: Options, tables: InputTables
) -> tuple[Options, dict[Hashable, ValuesOnlyResult]]:
    """Evaluate tables of which at least one is a Dask frame.

    Dask brings the rows of each user into one partition, and measures the partitions as parts.
    """
    dask: Any = import_module("dask")
    _check_users(options)
    convention = options.convention
    if "input" in (convention.ties, *dict(convention.cut_ties).values()):
        raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
    names = options.column_names
    frames = {place: _as_dask(options, table, place) for place, table in tables.by_place.items()}
    user_labels = {place: names.label(names.user, place) for place in frames}
    with _only_whole_files():
        labels = {
            place: frame[names.system].drop_duplicates(split_out=1).compute()
            for place, frame in frames.items()
            if names.system in names.by_place[place]
        }
        systems = _find_systems(options, tables.systems, labels)
        if any(measure.truth_options for measure in options.measures):
            # Without a column of grades every row counts 1, so any column does.
            label = names.label(names.relevance_column or names.user, "relevance")
            grades = frames["relevance"][[label]].drop_duplicates(split_out=1).compute()
            options = with_largest_grade(options, [grades])
        n_partitions = max(frame.npartitions for frame in frames.values())
        # Without a cluster, Dask's default is a method that brings rows into a random order.
        method = dask.utils.get_default_shuffle_method().replace("disk", "tasks")
        partitions = [
            frame.shuffle(
                user_labels[place], npartitions=n_partitions, shuffle_method=method
            ).to_delayed()
            for place, frame in frames.items()
        ]
        measure_part = dask.delayed(_measure_part)
        options_of_workers = dask.delayed(options)  # sent to each worker once
        parts = dask.compute(
            *(
                measure_part(options_of_workers, dict(zip(frames, of_part, strict=True)), systems)
                for of_part in zip(*partitions, strict=True)
            )
        )

    def rows_of_user(user: Id) -> dict[str, pd.DataFrame]:
        """Return the rows of a user in each table."""
        with _only_whole_files():
            return {
                place: frame[frame[user_labels[place]] == user].compute()
                for place, frame in frames.items()
            }

    return options, _combine(options, parts, systems, rows_of_user)


def _as_dask(options: Options, table: Any, place: str) -> DaskFrame:
    """Return the columns of a table that the evaluation reads, as a Dask frame.

    Ids become integers of 64 bits or text. Raises an error if a column is missing, or if the type
    of an id column says nothing about the ids. Tables that aren't Dask frames are read into memory.
    """
    names = options.column_names
    labels = labels_read(options, place)
    if not is_dask(table):
        in_memory = open_in_memory(options, table, place)
        columns = {label: read_column(in_memory, label, place) for label in labels}
        rows = _with_plain_ids(pd.DataFrame(columns).rename_axis(index=ROW), names, place)
        with import_module("dask.config").set({"dataframe.convert-string": False}):
            return import_module("dask.dataframe").from_pandas(rows, npartitions=1, sort=False)
    for label in labels:
        check_once(label, list(table.columns), place)
    for name in (names.user, names.item):
        if pd.api.types.is_object_dtype(table.dtypes[names.label(name, place)]):
            rule = "have a type on Dask, integers or text"
            advice = "Convert it with astype('int64') or astype('string')"
            raise input_error(f"{name} of {place}", rule, "a column of objects", advice)
    # Messages name rows by the index of the frame. Dask takes the types of the result from a frame
    # without rows.
    frame = table[labels].rename_axis(index=ROW)
    return frame.map_partitions(
        _with_plain_ids, names, place, meta=_with_plain_ids(frame._meta, names, place)
    )


def _with_plain_ids(frame: pd.DataFrame, names: ColumnNames, place: str) -> pd.DataFrame:
    """Return a frame whose ids are integers of 64 bits or text."""
    labels = names.labels(place)
    return frame.assign(
        **{label: _with_plain_type(frame[label], f"{label} of {place}") for label in labels}
    )


@contextmanager
def _only_whole_files() -> Iterator[None]:
    """Raise an `InputError` if Dask stumbles over a broken file in the ``with`` block."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise input_error(
            "each file of a Dask frame", "be a whole Parquet file", f"{error}"
        ) from None


# Parts --------------------------------------------------------------------------------------------


class PartResult(NamedTuple):
    """A part of the result of one system: the values of some users, and what is added up.

    Attributes
    ----------
    values : the values of the judged users.
    tied : the positions of the users with ties that can change a value.
    tie_bounds : the lowest, mean and highest value of these users, by measure.
    counts : the counts of users, as in `Evaluation.counts`.
    states : the states of set-level measures.
    facts : facts for notes (see `receval.evaluation.signs.merge_facts`).
    item_kind : whether item ids are "integer" or "text".
    items : the distinct items of the recommendations, and those of the relevance; none if the
        tables share an item.
    users : the lowest ids of users with recommendations, for messages.
    n_in_history : the number of users with a history, and how many of them are judged.
    """

    values: pd.DataFrame
    tied: IntArray
    tie_bounds: dict[str, FloatArray]
    counts: dict[str, int]
    states: dict[str, AnyArray]
    facts: Record
    item_kind: str
    items: tuple[set[Id], set[Id]]
    users: list[Any]
    n_in_history: IntArray

    @classmethod
    def of(cls, measured: MemoryResult) -> PartResult:
        """Return what remains of a result in memory."""
        run = measured.run
        items: tuple[set[Id], set[Id]] = (set(), set())
        if measured.foreign:
            item_ids = run.truth.items
            items = (
                set(item_ids.take(run.rows.columns["item"]).tolist()),
                set(item_ids.take(run.truth.rows.columns["item"]).tolist()),
            )
        in_history = np.empty(0, np.int64)
        if measured.context.seen is not None:
            in_history = measured.context.seen.user_codes
        return cls(
            values=measured.values(),
            tied=measured.tied,
            tie_bounds=measured.tie_bounds,
            counts=measured.counts,
            states=measured.states,
            facts=measured.facts_of_part,
            item_kind=measured.item_kind,
            items=items,
            users=run.truth.users.take(run.rows.users[:MAX_EXAMPLES]).tolist(),
            n_in_history=np.array([in_history.size, np.isin(in_history, run.judged).sum()]),
        )


def _check_users(options: Options) -> None:
    """Raise an error if the means go over users who are not judged, whom no part knows all."""
    if options.users in ("answered", "named"):
        raise input_error(
            "users",
            "be 'judged' or 'both' for Dask frames and for tables that are read in parts",
            options.users.replace("named", "ids"),
            "If they fit in memory, read them with pandas first; the mean over some of the "
            "judged users is evaluate(…).where(ids)",
        )


def _find_systems(
    options: Options,
    place_by_table: Mapping[Hashable, str],
    labels: Mapping[str, Iterable[Any]],
) -> Systems:
    """Return the place and the label of each system.

    ``place_by_table`` has the tables of recommendations by the names that the user gave them.
    ``labels`` has the distinct labels of each table that has a column of systems.
    """
    column = options.column_names.system
    systems: Systems = {}
    for table_name, place in place_by_table.items():
        table = pd.DataFrame({column: list(labels.get(place, []))})
        for system, rows in rows_by_system(options, table, place, table_name).items():
            if system in systems:
                raise input_error("recommendations", "hold each system once", f"{system!r} twice")
            # The rows are a slice if the column doesn't name systems.
            label = None if isinstance(rows, slice) else table[column].iloc[rows[0]]
            systems[system] = (place, label)
    return systems


def _measure_part(options: Options, tables: Tables, systems: Systems) -> dict[Hashable, PartResult]:
    """Measure every system on a part of the users; the tables have all rows of these users."""
    results = _measure_users(options, tables, systems)
    return {system: PartResult.of(measured) for system, measured in results.items()}


def _measure_users(
    options: Options, tables: Tables, systems: Systems
) -> dict[Hashable, MemoryResult]:
    """Measure every system on some of the users; the tables have all rows of these users.

    If a table has several systems, each system becomes a table, even if it has no rows here.
    """
    names = options.column_names
    place_by_system = {}
    by_place = {}
    labels_by_place = dict(names.by_place)
    ranked_places = []
    for system, (place, label) in systems.items():
        rows = tables[place]
        system_place = place
        if label is not None:
            rows = rows[rows[names.system] == label]
            system_place = f"{place} with {names.system} {label!r}"
        place_by_system[system] = system_place
        by_place[system_place] = rows
        labels_by_place[system_place] = names.by_place[place]
        if place in names.ranked_places:
            ranked_places.append(system_place)
    by_place.update({place: tables[place] for place in ("relevance", "history") if place in tables})
    names = replace(
        names, system=None, by_place=labels_by_place, ranked_places=tuple(ranked_places)
    )
    options = replace(options, column_names=names)
    return measure_tables(options, InputTables(place_by_system, by_place), has_all_users=False)


def _combine(
    options: Options,
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
        return _measure_users(options, rows, {system: systems[system]})[system]

    results = {}
    for system in systems:
        parts_of_system = [part[system] for part in parts]
        _check_users_match(system, parts_of_system)
        result = _combine_system(options, parts_of_system)
        results[system] = replace(result, measure_user=partial(measure_user, system))
    return results


def _check_users_match(system: Hashable, parts: Sequence[PartResult]) -> None:
    """Raise an error if nobody is judged, or if a table has users, but no judged user."""
    n_judged, n_answered, n_ignored = (
        sum(part.counts[kind] for part in parts) for kind in ("judged", "answered", "ignored")
    )
    if not n_judged:
        raise no_relevance_error()
    if n_ignored and not n_answered:
        table = "recommendations"
        if system != "":
            table += f" of system {system!r}"
        users: list[Any] = sorted(user for part in parts for user in part.users)
        judged = sorted(user for part in parts for user in part.values.index[:MAX_EXAMPLES])
        examples = users[:MAX_EXAMPLES], judged[:MAX_EXAMPLES]
        raise unjudged_error(table, n_ignored, examples)
    n_in_history, n_judged_in_history = np.sum([part.n_in_history for part in parts], axis=0)
    if n_in_history and not n_judged_in_history:
        raise unjudged_error("history", n_in_history)


def _combine_system(options: Options, parts: Sequence[PartResult]) -> ValuesOnlyResult:
    """Return the result of one system over all parts; see `_combine`."""
    facts = merge_facts([part.facts for part in parts])
    # The items that one part recommends can be relevant in another part.
    recommended: set[Id] = set().union(*(part.items[0] for part in parts))
    relevant: set[Id] = set().union(*(part.items[1] for part in parts))
    with_lists = [part for part in parts if part.counts["answered"] or part.counts["ignored"]]
    is_foreign = all(part.facts["foreign"] for part in with_lists) and not recommended & relevant
    facts["foreign"] = len(recommended) if is_foreign else 0
    counts = {kind: sum(part.counts[kind] for part in parts) for kind in parts[0].counts}
    # Parts without judged users have no ids, from which pandas could take the type of the index.
    parts = [part for part in parts if len(part.values)]
    values = pd.concat([part.values for part in parts])
    # Add up ties once all values are here, so that the sums don't depend on the parts.
    first = np.cumsum([0, *(len(part.values) for part in parts)])
    tied = np.concatenate(
        [start + part.tied for start, part in zip(first[:-1], parts, strict=True)]
    )
    ties = {}
    for measure in parts[0].tie_bounds:
        bounds = np.concatenate([part.tie_bounds[measure] for part in parts], axis=1)
        ties[measure] = row_of_ties(values[measure].to_numpy(), tied, bounds)
    states = {
        measure.name: measure.of_all.combine([part.states[measure.name] for part in parts])
        for measure in options.measures
        if measure.of_all is not None
    }
    return ValuesOnlyResult(
        values.sort_index(),
        counts=counts,
        # A part without rows says "integer", which comes before "text".
        item_kind=max(part.item_kind for part in parts),
        ties=ties,
        states=states,
        facts=facts,
    )
