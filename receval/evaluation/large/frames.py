"""Read tables with Dask, check them, and bring the rows of each user together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import InputError, NoSuchFile, input_error
from receval._extras import import_extra
from receval.evaluation.large.sources import check_whole_file, count_rows, is_path, parquet_files
from receval.evaluation.large.tables import ColumnRequest
from receval.evaluation.large.totals import DaskFrame, with_value
from receval.tables.columns import check_once, kind_of_ids, read_ids
from receval.tables.reading import open_table

DaskClient: TypeAlias = Any
"""A client of Dask's scheduler. Dask declares few types."""

Delayed: TypeAlias = Any
"""Something that Dask computes later."""


def import_dask(module: str) -> ModuleType:
    """Import a module of Dask; if it is missing, the error says how to install it."""
    return import_extra(module, "scale", "an evaluation of Dask frames or on a cluster")


@contextmanager
def read_by_dask(tables: Mapping[str, object]) -> Iterator[None]:
    """If Dask fails to read a Parquet file in the ``with`` block, raise an error that names it.

    ``tables`` maps the name of each table in messages to the table that the user passed. If a table
    is a Dask frame, the function also checks the files from which the frame reads.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError):
        for place, table in tables.items():
            with suppress(NoSuchFile):  # only Dask knows files of another machine
                for path in parquet_files(_paths_of(table), place):
                    check_whole_file(path)  # raises the error that names the file
        # No file is broken, so the error has another reason.
        raise


def _paths_of(table: Any) -> object:
    """Return the paths of a table's files for `parquet_files`; an empty list if there are none."""
    if is_dask(table):
        # Some steps of the frame's computation read a file. These have its path.
        return [node.path for node in table.expr.walk() if hasattr(node, "path")]
    if is_path(table) or isinstance(table, (list, tuple)):
        return table
    return []


def is_dask(table: object) -> bool:
    """Return whether a table is a Dask frame."""
    return type(table).__module__.split(".")[0] == "dask"


@dataclass(frozen=True)
class DaskTable:
    """A table that Dask reads.

    Attributes
    ----------
    request : ColumnRequest
        The columns that the evaluation needs.
    table : table
        The table that the user passed: a Dask frame, Parquet files, or a table in memory.
    client : Client, optional
        The client of a cluster; None for this machine.
    """

    request: ColumnRequest
    table: Any
    client: DaskClient | None

    def head(self) -> pd.DataFrame:
        """Return a row of made-up ids that have the types of the columns.

        It is not a row of the table, because Dask might have to compute the whole frame to read
        one.
        """
        names = list(self.request.id_columns)
        return pd.DataFrame("0", [0], names).astype(self.frame.dtypes[names])

    def rows_of(self, column: str, value: object) -> pd.DataFrame:
        """Return the rows that have this value in a column."""
        rows: pd.DataFrame = self.compute(lambda frame: with_value(frame, column, value))
        return rows

    def distinct(self, column: str, rows: tuple[str, object] | None = None) -> list[Any]:
        """Return the distinct values of a column, in the order of the partitions.

        ``rows`` is a pair of another column and a value. If you pass it, only the rows that have
        this value in that column count.
        """

        def distinct_values(frame: DaskFrame) -> DaskFrame:
            selected: DaskFrame = frame if rows is None else with_value(frame, *rows)
            return selected[column].drop_duplicates(split_out=1)  # keeps their order

        return list(self.compute(distinct_values))

    def compute(self, function: Callable[[DaskFrame], Any]) -> Any:
        """Call a function with the frame, and let Dask compute the lazy result."""
        options = {}
        if self.client is not None:
            options["scheduler"] = self.client
        with read_by_dask({self.request.place: self.table}):
            return function(self.frame).compute(**options)

    @cached_property
    def frame(self) -> DaskFrame:
        """Return the needed columns as a Dask frame that checks each partition when reading it.

        Raises an error if a column is missing, or if the type of an id column cannot hold ids.
        """
        dask = import_dask("dask")
        dd = import_dask("dask.dataframe")
        request = self.request
        frame = self._unchecked_frame()
        names = list(request.columns)
        # Dask infers the types of all steps from `_meta`, a frame without rows. So this frame gets
        # the types that `_check_partition` gives to the partitions.
        meta = frame._meta[names]
        for name in request.id_columns:
            if pd.api.types.is_object_dtype(meta.dtypes[name]):
                rule = "have a type on Dask, integers or text"
                advice = "Convert it with astype('int64') or astype('string')"
                column = f"{name} of {request.place}"
                raise input_error(column, rule, "a column of objects", advice)
            meta[name] = _plain_ids(meta[name], name, request)
        # Dask checks each partition when it reads the partition, not now.
        check_partition = dask.delayed(_check_partition)
        partitions = [
            check_partition(partition, request, number)
            for number, partition in enumerate(frame[names].to_delayed())
        ]
        return dd.from_delayed(partitions, meta=meta, verify_meta=False)

    def _unchecked_frame(self) -> DaskFrame:
        """Return a Dask frame that has the needed columns by name, and perhaps other columns.

        The table is a Dask frame, a path or a list of paths of Parquet files, or any other table.
        The function reads other tables into memory.
        """
        dask = import_dask("dask")
        dd = import_dask("dask.dataframe")
        table = self.table
        request = self.request
        is_list_of_paths = isinstance(table, (list, tuple)) and bool(table)
        if is_path(table) or is_list_of_paths:
            files = parquet_files(table, request.place)
            for file in files:
                count_rows(file)  # raises an error if it isn't a Parquet file
            table = dd.read_parquet([str(file) for file in files], index=False)
        if is_dask(table):  # also true for Parquet files, which have become a Dask frame
            names = list(request.columns)
            labels = request.labels(names)  # the names of the columns in the table
            for label in labels:
                # Raises an error if the table has no such column, or several.
                check_once(label, list(table.columns), request.place)
            return table[labels].rename(columns=dict(zip(labels, names, strict=True)))
        # Any other table is read into memory, and becomes a frame of one partition.
        rows = request.select(open_table(table, request.place))
        if len(rows):  # checked now, so that the frame has the final types
            rows = _check_partition(rows, request, 0)
        with dask.config.set({"dataframe.convert-string": False}):
            return dd.from_pandas(rows, npartitions=1, sort=False)


def shuffle_by_user(
    frames: Mapping[str, DaskFrame], user_column: str, client: DaskClient | None
) -> dict[str, list[Delayed]]:
    """Bring the rows of each user together.

    Returns a list of partitions for each table. All lists have the same length. The partitions at
    the same position of the lists hold all rows of the same users. Dask computes them later. Raises
    an error if the types of the users differ. ``client`` is the client of a cluster; None means
    this machine.
    """
    # `place` is the table's name in messages.
    place_by_dtype = {str(frame.dtypes[user_column]): place for place, frame in frames.items()}
    # The hash of a user determines the partition, and the hash depends on the type. If one table
    # has text and another integers, there has already been an error.
    if "int64" in place_by_dtype and "uint64" in place_by_dtype:
        got = f"int64 in {place_by_dtype['int64']} and uint64 in another"
        rule = "have one type in all tables on Dask"
        raise input_error(user_column, rule, got, "Convert one with astype")
    n_partitions = max(frame.npartitions for frame in frames.values())
    method = None  # Dask chooses a method for the cluster
    if client is None:
        method = "tasks"  # by default Dask would write the rows to disk
    partitions = {}
    for place, frame in frames.items():
        shuffled = frame.shuffle(on=user_column, npartitions=n_partitions, shuffle_method=method)
        partitions[place] = shuffled.to_delayed()
    return partitions


def _check_partition(part: pd.DataFrame, request: ColumnRequest, number: int) -> pd.DataFrame:
    """Check the rows of a partition, and return it with ids that are 64-bit integers or Arrow text.

    Errors name the partition by its ``number``.
    """
    part = part.reset_index(drop=True)
    try:
        for name in request.id_columns:
            part[name] = _plain_ids(part[name], name, request)
        if len(part):
            request.check(part)  # raises an error for a wrong grade, score or rank
    except InputError as error:
        raise InputError(f"{error} (rows of partition {number})") from None
    return part


def _plain_ids(ids: pd.Series, name: str, request: ColumnRequest) -> pd.Series:
    """Return ids with the type that all partitions get: integers of 64 bits, or Arrow text.

    Raises an error if the column's type cannot hold ids, even if it has no rows. ``name`` is the
    name of the column in the request.
    """
    dtype: Any = ids.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = ids.cat.categories.dtype
    examples = ids
    if not len(ids):  # without rows, a made-up id shows whether the type can hold ids
        example = "0" if dtype == np.dtype(object) else 0
        examples = pd.Series([example]).astype(dtype)
    read_ids(examples, f"{name} of {request.place}")  # raises for other types and missing ids
    if kind_of_ids(examples) == "text":
        return ids.astype("string[pyarrow]")
    if pd.api.types.is_unsigned_integer_dtype(dtype):
        return ids.astype("uint64")
    return ids.astype("int64")
