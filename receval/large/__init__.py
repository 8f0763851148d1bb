"""Evaluation of what does not fit into memory: Parquet files part by part, and Dask frames.

Users are cut into parts; every part holds whole users and is evaluated by `receval.evaluate` in
memory; what parts add up to (exact sums, counts, sets of items) does not depend on how they were
cut. See ``docs/scale.md``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval._checks import InputError
from receval.tables.columns import times

if TYPE_CHECKING:
    from receval.evaluation.result import Evaluation
    from receval.large.tables import Tables
    from receval.large.task import Task

__all__ = ["STREAM_ROWS"]

STREAM_ROWS = 20_000_000
"""Rows of all Parquet files together above which they are streamed and not read into memory."""


def concerns(given: Mapping[str, Any]) -> bool:
    """Whether arguments of `evaluate` are for this package and not for tables in memory."""
    if given["output"] is not None or given["client"] is not None:
        return True
    tables = _tables(given)
    if any(_is_dask(table) or _is_several_files(table) for table in tables):
        return True
    return all(map(_is_parquet, tables)) and _rows(tables) > STREAM_ROWS


def by_system(given: Mapping[str, Any]) -> bool:
    """Whether recommendations are a dict of tables, and not of columns."""
    own = given["recommendations"]
    names = given["user"], given["item"]
    return isinstance(own, Mapping) and not all(times(name, list(own)) for name in names)


def evaluate_at_scale(given: Mapping[str, Any]) -> Evaluation:
    """Evaluate Parquet files or Dask frames, from the arguments of `evaluate`."""
    from receval.large.asked import fingerprint, tables_of, task_of

    task = task_of(given)
    if given["client"] is not None or any(map(_is_dask, _tables(given))):
        from receval.large.on_dask import evaluate_dask

        return evaluate_dask(given, task)
    unfit = [table for table in _tables(given) if not _is_files(table)]
    if unfit:
        name = type(unfit[0]).__name__
        raise InputError(
            "output must be given with Parquet files (paths, folders, lists of paths), which can "
            f"be evaluated part by part; got a {name}. Write the table with write_table, or leave "
            "output away"
        )
    tables = tables_of(given, task)
    if given["output"] is None and tables.rows <= STREAM_ROWS:
        return _in_memory(tables, task, given["progress"])
    from receval.large.run import evaluate_files

    return evaluate_files(
        tables,
        task,
        output=given["output"],
        run=fingerprint(given, task),
        progress=given["progress"],
    )


def _in_memory(tables: Tables, task: Task, progress: bool | None) -> Evaluation:
    """Few rows in several files are read whole."""
    history = None if tables.history is None else tables.history.table()
    own: dict[Hashable, Any] = {name: one.table() for name, one in tables.systems.items()}
    return task.evaluate(
        own, tables.relevance.table(), history, system=tables.system, progress=progress
    )


def _tables(given: Mapping[str, Any]) -> list[Any]:
    """The tables among the arguments."""
    own = given["recommendations"]
    tables = list(own.values()) if by_system(given) else [own]
    return [*tables, given["relevance"], *([] if given["history"] is None else [given["history"]])]


def _is_dask(table: object) -> bool:
    return type(table).__module__.split(".")[0] == "dask"


def _is_files(table: object) -> bool:
    return _is_parquet(table) or _is_several_files(table)


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


def _rows(paths: list[Any]) -> int:
    """Rows of Parquet files, from their footers."""
    from receval.large.sources import parquet_files, rows_of

    return sum(
        rows_of(file)
        for path in paths
        if Path(path).exists()  # what is not there is refused where it is read
        for file in parquet_files(path, "path")
    )
