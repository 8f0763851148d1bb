"""Decide whether tables are evaluated in memory or in parts, and evaluate them."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, input_error, shorten
from receval._files import check_writable, path_exists
from receval._snapshots import snapshot
from receval.evaluation.joining import LoadedTable, read_grades
from receval.evaluation.large.files import ParquetTables
from receval.evaluation.large.frames import DaskClient, DaskTable, is_dask
from receval.evaluation.large.on_dask import DaskTables
from receval.evaluation.large.sources import ParquetTable, is_path, names_parquet, parquet_labels
from receval.evaluation.large.tables import ColumnRequest, column_request
from receval.evaluation.measured import SystemResult
from receval.evaluation.measuring import measure_tables
from receval.evaluation.task import EvaluationTask
from receval.tables.columns import column_labels
from receval.tables.inputs import ColumnNames, InputTables
from receval.tables.reading import open_table

STREAM_ROWS = 20_000_000
"""If all Parquet files together have more rows, they are read in parts and not into memory."""


def open_tables(
    names: ColumnNames, tables: InputTables, output: object, client: object = None
) -> tuple[InputTables, ColumnNames]:
    """Open the tables, and find the columns that the evaluation reads in each.

    Parquet files and Dask frames remain as they are, because they may be too large for the memory.
    Frames of pandas become copies, because the result reads them later, and users may edit them
    meanwhile. Raises an error if a file can't be read, or if ``output`` is given with tables that
    receval can't evaluate part by part. Dask, with a frame or a ``client``, can do this for all
    tables.
    """
    has_dask = client is not None or any(is_dask(table) for table in tables.by_place.values())
    by_place = dict(tables.by_place)
    columns: dict[str, list[Hashable]] = {}
    for place, table in by_place.items():
        if names_parquet(table):
            columns[place] = [*parquet_labels(table, place)]
        elif is_dask(table):
            columns[place] = list(table.columns)
        else:
            if output is not None and not has_dask and is_path(table):
                raise _output_error(table)
            by_place[place] = open_table(table, place, ids=names.id_labels)
            if isinstance(table, pd.DataFrame):
                by_place[place] = snapshot(table)
            columns[place] = column_labels(by_place[place])
    opened = tables._replace(by_place=by_place, columns=columns)
    return opened, names.resolve(opened)


def check_client(client: object) -> None:
    """Raise an error if an object is not a client of Dask's scheduler.

    If it is a client, the user has imported ``distributed``, so this function doesn't have to.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        advice = "Pass client=None or, for a cluster, client=Client(cluster)"
        rule = "be a dask.distributed.Client or None"
        raise input_error("client", rule, shorten(client), advice)


def evaluate_any(
    task: EvaluationTask,
    tables: InputTables,
    output: str | Path | None,
    client: DaskClient | None,
    *,
    progress: bool | None,
) -> Mapping[Hashable, SystemResult]:
    """Evaluate tables of any kind, in memory or in parts, and return the results by system.

    Dask evaluates Dask frames and, if there is a ``client``, all other tables, too. Parquet files
    are read in parts if they are large, or if the caller will save the result in a file ``output``.
    All other tables are evaluated in memory; with them, ``output`` is an error.
    """
    if output is not None:
        check_writable(output, "output")
    path = None if output is None else Path(output)
    # The columns that are needed of each table, by the table's name in messages.
    requests = {place: column_request(task, place) for place in tables.by_place}
    not_parquet = [table for table in tables.by_place.values() if not names_parquet(table)]
    if client is not None or any(is_dask(table) for table in not_parquet):
        return DaskTables(task, tables, client).evaluate(path, progress=progress)
    # If there is any other table, Parquet files are read into memory, however large they are.
    if path is None and (not_parquet or _count_rows(tables, requests) <= STREAM_ROWS):
        opened = {
            place: _open_in_memory(table, requests[place])
            for place, table in tables.by_place.items()
        }
        return measure_tables(task, tables._replace(by_place=opened), progress=progress)
    if not_parquet:
        raise _output_error(not_parquet[0])
    return ParquetTables(task, tables, ParquetTable).evaluate(path, progress=progress)


def _count_rows(tables: InputTables, requests: Mapping[str, ColumnRequest]) -> int:
    """Return the number of rows of tables that are all Parquet files."""
    return sum(
        ParquetTable(requests[place], table).n_rows for place, table in tables.by_place.items()
    )


def _output_error(table: object) -> InputError:
    """Return the error for ``output`` if a table cannot be read in parts."""
    kind = "Parquet files (paths, folders, lists of paths)"
    if is_path(table):
        got = repr(str(table))
    else:
        got = f"a {type(table).__name__}"
    return input_error(
        "output",
        f"be given with {kind}, which can be evaluated part by part",
        got,
        "Leave out output and save the result: evaluate(…).save('values.receval')",
    )


def _open_in_memory(table: Any, request: ColumnRequest) -> LoadedTable:
    """Return a table in memory that has at least the columns of the ``request``.

    ``table`` is a table, a Parquet file or folder, or a pattern or list that names several Parquet
    files; `open_tables` has opened other files. If columns have to be renamed, the result has no
    other columns. Raises an error if a file can't be read.
    """
    # `open_table` reads a folder or a file, but no patterns or lists of paths.
    is_file_or_folder = is_path(table) and path_exists(table)
    if names_parquet(table) and not is_file_or_folder:
        return ParquetTable(request, table).read()
    opened: LoadedTable = open_table(table, request.place)
    if request.is_renamed:
        return request.select(opened)
    return opened


def largest_grade(task: EvaluationTask, relevance: Any, client: DaskClient | None) -> float:
    """Return the largest grade of relevance; 0 if there are no grades or all are negative.

    Parquet files are read in batches and Dask frames in partitions, so memory does not limit their
    size. ``client`` is the client of Dask, if there is one. Raises an error if a grade is wrong.
    """
    label = task.column_names.relevance_column
    if label is None:  # without a column of grades every row counts 1
        return 1.0
    request = ColumnRequest(
        "relevance",
        id_columns=(),
        other_columns=(label,),
        check=partial(read_grades, task),
        labels_by_name=task.column_names.by_place["relevance"],
    )
    parts: Iterable[LoadedTable]
    if is_dask(relevance):
        source = DaskTable(request, relevance, client)
        # Dask checks all grades and finds the largest, which is NaN if there is no row.
        largest = source.compute(lambda frame: frame[label].max())
        if pd.isna(largest):
            return 0.0
        parts = [pd.DataFrame({label: [largest]})]  # a table of one row
    elif names_parquet(relevance):
        parts = (table for _, table in ParquetTable(request, relevance).batches())
    else:
        parts = [request.select(open_table(relevance, "relevance"))]
    # `read_grades` raises an error for a wrong grade.
    return float(max((read_grades(task, part).max(initial=0) for part in parts), default=0))
