"""Dask frames of the tables of an evaluation, checked and brought to whole users."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, NoSuchFile, input_error
from receval.large.sources import parquet_files, refuse_broken, rows_of
from receval.large.tables import ColumnRequest
from receval.large.totals import with_value
from receval.tables.columns import check_once, read_ids
from receval.tables.formats import open_table


def import_dask(module: str) -> Any:
    """A module of Dask."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            "Dask evaluates Dask frames and on clusters, and is not there: "
            "pip install receval[scale]"
        ) from None


@contextmanager
def read_by_dask(tables: Mapping[str, Any]) -> Iterator[None]:
    """Refuse by its name a broken Parquet file that Dask stumbles over, also behind its frames."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError):
        for where, table in tables.items():
            paths: Any = table if isinstance(table, (str, Path, list, tuple)) else []
            if is_dask(table):
                paths = [one.path for one in table.expr.walk() if hasattr(one, "path")]
            with suppress(NoSuchFile):  # of another place, which only Dask knows
                for path in parquet_files(paths, where):
                    refuse_broken(path)
        raise


def is_dask(table: object) -> bool:
    """Whether it is a frame of Dask."""
    return type(table).__module__.split(".")[0] == "dask"


@dataclass(frozen=True)
class DaskTable:
    """A table given to Dask, of which some columns are wanted; a cluster has a ``client``."""

    wanted: ColumnRequest
    given: Any
    client: Any

    def head(self) -> pd.DataFrame:
        """Ids of the types of the columns, without a look at any row."""
        ids = list(self.wanted.ids)
        return pd.DataFrame("0", [0], ids).astype(self.frame.dtypes[ids])

    def rows_of(self, column: str, value: object) -> Any:
        """All rows with a value."""
        return self.computed(lambda frame: with_value(frame, column, value))

    def distinct(self, column: str, rows: tuple[str, Any] | None = None) -> list[Any]:
        """The values of a column, in all rows or in those with a value in another column."""

        def values(frame: Any) -> Any:
            own = frame if rows is None else with_value(frame, *rows)
            return own[column].drop_duplicates(split_out=1)  # in the order of the partitions

        return list(self.computed(values))

    def computed(self, of: Callable[[Any], Any]) -> Any:
        """What Dask makes of something of the frame."""
        how = {} if self.client is None else {"scheduler": self.client}
        with read_by_dask({self.wanted.where: self.given}):
            return of(self.frame).compute(**how)

    @cached_property
    def frame(self) -> Any:
        """The columns wanted of a Dask frame, of Parquet files or of a table in memory."""
        dask, dd = import_dask("dask"), import_dask("dask.dataframe")
        table, wanted = self.given, self.wanted
        labels = [*wanted.ids, *wanted.others]
        if isinstance(table, (str, Path)) or (isinstance(table, (list, tuple)) and table):
            files = parquet_files(table, wanted.where)
            sum(map(rows_of, files))  # refuses what is no file of Parquet
            table = dd.read_parquet(list(map(str, files)), index=False)
        if is_dask(table):
            own = wanted.labels(labels)
            for label in own:
                check_once(label, list(table.columns), wanted.where)
            frame = table[own].rename(columns=dict(zip(own, labels, strict=True)))
        else:
            rows = wanted.of(open_table(table, wanted.where))
            rows = _plain(rows, wanted, 0) if len(rows) else rows
            with dask.config.set({"dataframe.convert-string": False}):
                frame = dd.from_pandas(rows, npartitions=1, sort=False)
        meta = frame._meta[labels]
        for label in wanted.ids:
            if pd.api.types.is_object_dtype(meta.dtypes[label]):
                name, rule = f"{label} of {wanted.where}", "have a type on Dask, integers or text"
                advice = "Convert it with astype('int64') or astype('string')"
                raise input_error(name, rule, "a column of objects", advice)
            meta[label] = _plain_ids(meta[label], label, wanted)
        plain, parts = dask.delayed(_plain), enumerate(frame[labels].to_delayed())
        whole = [plain(part, wanted, number) for number, part in parts]
        return dd.from_delayed(whole, meta=meta, verify_meta=False)


def shuffled(frames: Mapping[str, Any], user: str, client: Any) -> dict[str, list[Any]]:
    """By table, delayed partitions: those of one number hold the same users, with all rows."""
    kinds = {str(frame.dtypes[user]): where for where, frame in frames.items()}
    # Equal types hash alike, so that a user is in partitions of one number everywhere.
    if {"int64", "uint64"} <= kinds.keys():
        got, advice = f"int64 in {kinds['int64']} and uint64 in another", "Convert one with astype"
        raise input_error(user, "have one type in all tables on Dask", got, advice)
    how: dict[str, Any] = {"on": user, "shuffle_method": None if client is not None else "tasks"}
    how["npartitions"] = max(frame.npartitions for frame in frames.values())
    return {where: frame.shuffle(**how).to_delayed() for where, frame in frames.items()}


def _plain(part: pd.DataFrame, wanted: ColumnRequest, number: int) -> pd.DataFrame:
    """A partition with checked rows and ids of plain types."""
    part = part.reset_index(drop=True)
    try:
        for label in wanted.ids:
            part[label] = _plain_ids(part[label], label, wanted)
        if len(part):
            wanted.check(part)
    except InputError as error:
        raise InputError(f"{error} (rows of partition {number})") from None
    return part


def _plain_ids(ids: pd.Series, label: str, wanted: ColumnRequest) -> pd.Series:
    """Integers as 64 bits, text as Arrow text; a type of no ids is refused, without rows too."""
    dtype: Any = ids.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = ids.cat.categories.dtype
    some = ids if len(ids) else pd.Series(["0"] if dtype == np.dtype(object) else [0]).astype(dtype)
    kind = read_ids(some, f"{label} of {wanted.where}").kind
    if kind == "text" or wanted.text:
        return ids.astype("string[pyarrow]")
    return ids.astype("uint64" if pd.api.types.is_unsigned_integer_dtype(dtype) else "int64")
