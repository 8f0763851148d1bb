"""Which tables are evaluated in parts, and how."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import input_error, shorten
from receval._files import check_writable, is_there
from receval.engine.file import System
from receval.engine.measuring import grades, measure_tables
from receval.engine.task import EvaluationTask
from receval.large.files import ParquetTables
from receval.large.frames import DaskTable, is_dask
from receval.large.on_dask import DaskTables
from receval.large.sources import ParquetTable, names_parquet
from receval.large.tables import ColumnRequest, column_request
from receval.tables.columns import ids_as_text
from receval.tables.formats import open_table
from receval.tables.inputs import InputTables

STREAM_ROWS = 20_000_000
"""Rows of all Parquet files together above which they are streamed and not read into memory."""


def check_client(client: object) -> None:
    """Refuse what is no client of Dask's scheduler.

    Whoever has a client has imported ``distributed``, so that this need not import it.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        advice = "Pass client=None, or of a cluster Client(cluster)"
        rule = "be a dask.distributed.Client or None"
        raise input_error("client", rule, shorten(client), advice)


def evaluate_any(
    task: EvaluationTask,
    tables: InputTables,
    output: str | Path | None,
    client: Any,
    progress: bool | None,
) -> Mapping[Hashable, System]:
    """Evaluate tables of any kind, opened as a whole or in parts; then values go to a file."""
    if output is not None:
        check_writable(output, "output")
    if task.ids is not None and task.items is not None:
        index = ids_as_text(task.items.index.to_series(), "items")
        task = replace(task, items=task.items.set_axis(index))
    path = None if output is None else Path(output)
    wanted = {
        where: (column_request(task, where), table) for where, table in tables.by_place.items()
    }
    unfit = [table for table in tables.by_place.values() if not names_parquet(table)]
    if client is not None or any(map(is_dask, unfit)):
        return DaskTables(task, tables, client).evaluate(path, progress)
    if path is None and (
        unfit or sum(ParquetTable(*one).rows for one in wanted.values()) <= STREAM_ROWS
    ):
        opened = {where: _opened(*one) for where, one in wanted.items()}
        return measure_tables(task, tables._replace(by_place=opened), progress=progress)
    if unfit:
        named = isinstance(unfit[0], (str, Path))
        kind = "Parquet files (paths, folders, lists of paths)"
        rule = f"be given with {kind}, which can be evaluated part by part"
        got = repr(str(unfit[0])) if named else f"a {type(unfit[0]).__name__}"
        save = "Leave output away and save the result: evaluate(…).save('values.receval')"
        raise input_error("output", rule, got, save)
    return ParquetTables(task, tables, ParquetTable).evaluate(path, progress)


def largest_grade(task: EvaluationTask, relevance: Any, client: Any) -> float:
    """The largest grade of the whole truth, which is read bit by bit where it is large."""
    label = task.given.relevance_column
    if label is None:  # every row is relevant
        return 1.0
    wanted = ColumnRequest("relevance", (), (label,), partial(grades, task))
    if is_dask(relevance):
        largest = DaskTable(wanted, relevance, client).computed(lambda frame: frame[label].max())
        parts: Iterable[Any] = [pd.DataFrame({label: [largest]})]
    elif names_parquet(relevance):
        parts = (table for _, table in ParquetTable(wanted, relevance).batches())
    else:
        parts = [open_table(relevance, "relevance")]
    return float(max((grades(task, part).max(initial=0) for part in parts), default=0))


def _opened(wanted: ColumnRequest, table: Any) -> Any:
    """A table in memory, of one file or of several."""
    one = isinstance(table, (str, Path)) and is_there(table)
    if names_parquet(table) and not one:
        return ParquetTable(wanted, table).table()
    opened = open_table(table, wanted.where)
    return wanted.of(opened) if wanted.own or wanted.text else opened
