"""Which tables are evaluated in parts, and how."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Hashable, Iterator, Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import refusal
from receval.engine.file import System, check_output
from receval.engine.measuring import measure_tables
from receval.engine.task import Task
from receval.large.files import Files
from receval.large.sources import Source, parquet_files, rows_of
from receval.large.tables import PartedTables, Wanted
from receval.tables.formats import open_table

STREAM_ROWS = 20_000_000
"""Rows of all Parquet files together above which they are streamed and not read into memory."""


def is_large(tables: Sequence[Any], *, output: object, client: object) -> bool:
    """Whether tables are to be evaluated in parts, and not in memory."""
    if output is not None or client is not None:
        return True
    if {*map(type, tables)} == {pd.DataFrame}:
        return False
    if any(_is_dask(table) or _is_several_files(table) for table in tables):
        return True
    if not all(map(_is_parquet, tables)):
        return False
    there = [path for path in tables if Path(path).exists()]  # others are refused where read
    return sum(rows_of(file) for one in there for file in parquet_files(one, "path")) > STREAM_ROWS


def grades_of(task: Task, relevance: Any, client: Any) -> Iterator[Any]:
    """The grades of the whole truth, or their largest, as tables that are read one by one."""
    label = task.relevance_column
    if label is None:  # every row is relevant
        yield [None]
        return
    wanted = Wanted("relevance", (), (label,), task.grades)
    if _is_dask(relevance):
        from receval.large.frames import frame_of

        how = {} if client is None else {"scheduler": client}
        yield pd.DataFrame({label: [frame_of(relevance, wanted)[label].max().compute(**how)]})
    elif _is_parquet(relevance) or _is_several_files(relevance):
        source = Source(wanted, parquet_files(relevance, "relevance"))
        yield from (table for _, table in source.batches([label]))
    else:
        yield open_table(relevance, "relevance")


def evaluate_large(
    task: Task,
    recommendations: Mapping[Hashable, Any],
    relevance: Any,
    history: Any,
    *,
    output: str | Path | None,
    client: Any,
    progress: bool | None,
) -> Mapping[Hashable, System]:
    """Evaluate Parquet files or Dask frames; values of users go to a file."""
    path = None if output is None else check_output(output)
    given = recommendations, relevance, history
    every = [*recommendations.values(), relevance, *([] if history is None else [history])]
    tables: PartedTables
    if client is not None or any(map(_is_dask, every)):
        from receval.large.on_dask import Frames

        tables = Frames(task, *given, client=client)
    else:
        unfit = [one for one in every if not _is_parquet(one) and not _is_several_files(one)]
        if unfit:
            one = unfit[0]
            named = isinstance(one, (str, Path))
            raise refusal(
                "output",
                "be given with Parquet files (paths, folders, lists of paths), which can be "
                "evaluated part by part",
                repr(str(one)) if named else f"a {type(one).__name__}",
                "Leave output away and save the result: evaluate(…).save('values.receval')",
            )
        tables = files = Files(task, *given)
        if path is None and files.rows <= STREAM_ROWS:  # few rows in several files are read whole
            whole = {where: source.table() for where, source in files.all.items()}
            own = {name: whole[where] for name, where in files.names.items()}
            past = whole.get("history")
            return measure_tables(task, own, whole["relevance"], past, progress=progress)
    if path is not None:
        return tables.evaluate(path, progress)
    folder = Path(tempfile.mkdtemp(prefix="receval-"))  # there as long as a result is
    remove = weakref.finalize(tables, shutil.rmtree, folder, ignore_errors=True)
    try:
        return tables.evaluate(folder / "values.receval", progress)
    except BaseException:
        remove()
        raise


def _is_dask(table: object) -> bool:
    return type(table).__module__.split(".")[0] == "dask"


def _is_parquet(table: object) -> bool:
    """Whether it is the path of a Parquet file or folder."""
    if not isinstance(table, (str, Path)):
        return False
    return Path(table).suffix == ".parquet" or Path(table).is_dir()


def _is_several_files(table: object) -> bool:
    """Whether it is a list of paths, or a pattern of Parquet files."""
    if isinstance(table, (list, tuple)) and table:
        return all(isinstance(one, (str, Path)) for one in table)
    return isinstance(table, (str, Path)) and has_magic(str(table)) and not Path(table).exists()
