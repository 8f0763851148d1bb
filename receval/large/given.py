"""Which tables are evaluated in parts, and how."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from glob import has_magic
from itertools import starmap
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import refusal
from receval._files import check_writable
from receval.engine.file import System
from receval.engine.measuring import grades, measure_tables
from receval.engine.task import Task
from receval.large.files import Files
from receval.large.frames import frame_of, is_dask, read_by_dask
from receval.large.sources import Source, parquet_files, rows_of
from receval.large.tables import PartedTables, Wanted, wanted_of
from receval.tables.columns import as_text
from receval.tables.formats import open_table
from receval.tables.given import Tables
from receval.tables.text import is_parquet

STREAM_ROWS = 20_000_000
"""Rows of all Parquet files together above which they are streamed and not read into memory."""


def evaluate_any(
    task: Task, tables: Tables, output: str | Path | None, client: Any, progress: bool | None
) -> Mapping[Hashable, System]:
    """Evaluate tables of any kind, opened as a whole or in parts; then values go to a file."""
    if output is not None:
        check_writable(output, "output")
    if task.ids is not None and task.items is not None:
        index = as_text(task.items.index.to_series(), "items")
        task = replace(task, items=task.items.set_axis(index))
    path = None if output is None else Path(output)
    given = tables.by_place
    unfit = [one for one in given.values() if not _is_parquet(one) and not _is_several_files(one)]
    parted: PartedTables
    if client is not None or any(map(is_dask, unfit)):
        from receval.large.on_dask import Frames

        parted = Frames(task, tables, client)
    elif path is None and (unfit or sum(starmap(_rows, given.items())) <= STREAM_ROWS):
        opened = {where: _opened(table, wanted_of(task, where)) for where, table in given.items()}
        return measure_tables(task, tables._replace(by_place=opened), progress=progress)
    else:
        if unfit:
            one = unfit[0]
            named = isinstance(one, (str, Path))
            kind = "Parquet files (paths, folders, lists of paths)"
            rule = f"be given with {kind}, which can be evaluated part by part"
            got = repr(str(one)) if named else f"a {type(one).__name__}"
            save = "Leave output away and save the result: evaluate(…).save('values.receval')"
            raise refusal("output", rule, got, save)
        parted = Files(task, tables)
    return parted.evaluate(path, progress)


def largest_grade(task: Task, relevance: Any, client: Any) -> float:
    """The largest grade of the whole truth, which is read bit by bit where it is large."""
    label = task.given.relevance_column
    if label is None:  # every row is relevant
        return 1.0
    wanted = Wanted("relevance", (), (label,), partial(grades, task))
    if is_dask(relevance):
        how = {} if client is None else {"scheduler": client}
        with read_by_dask({"relevance": relevance}):
            largest = frame_of(relevance, wanted)[label].max().compute(**how)
        parts: Iterable[Any] = [pd.DataFrame({label: [largest]})]
    elif _is_parquet(relevance) or _is_several_files(relevance):
        source = Source(wanted, parquet_files(relevance, "relevance"))
        parts = (table for _, table in source.batches([label]))
    else:
        parts = [open_table(relevance, "relevance")]
    return float(max((grades(task, part).max(initial=0) for part in parts), default=0))


def _opened(table: Any, wanted: Wanted) -> Any:
    """A table in memory, of one file or of several."""
    if _is_several_files(table):
        return Source(wanted, parquet_files(table, wanted.where)).table()
    return wanted.of(open_table(table, wanted.where))


def _rows(where: str, table: Any) -> int:
    """Rows of Parquet files; a path that leads nowhere is refused where it is read."""
    there = _is_several_files(table) or Path(table).exists()
    return sum(map(rows_of, parquet_files(table, where))) if there else 0


def _is_parquet(table: object) -> bool:
    """Whether it is the path of a Parquet file or folder."""
    if not isinstance(table, (str, Path)):
        return False
    return is_parquet(Path(table)) or Path(table).is_dir()


def _is_several_files(table: object) -> bool:
    """Whether it is a list of paths, or a pattern of Parquet files."""
    if isinstance(table, (list, tuple)) and table:
        return all(isinstance(one, (str, Path)) for one in table)
    return isinstance(table, (str, Path)) and has_magic(str(table)) and not Path(table).exists()
