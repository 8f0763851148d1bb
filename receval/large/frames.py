"""Dask frames of the tables of an evaluation, checked and brought to whole users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, NoSuchFile, refusal
from receval.large.sources import parquet_files, refuse_broken, rows_of
from receval.large.tables import Wanted
from receval.tables.columns import check_once, column, refuse_rows
from receval.tables.formats import open_table
from receval.tables.ids import code


def needed(module: str) -> Any:
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


def frame_of(table: object, wanted: Wanted) -> Any:
    """The columns wanted of a Dask frame, of Parquet files or of a table in memory."""
    dask, dd = needed("dask"), needed("dask.dataframe")
    labels = [*wanted.ids, *wanted.others]
    if isinstance(table, (str, Path)) or (isinstance(table, (list, tuple)) and table):
        files = parquet_files(table, wanted.where)
        sum(map(rows_of, files))  # refuses what is no file of Parquet
        frame = _named(dd.read_parquet(list(map(str, files)), index=False), labels, wanted)
    elif is_dask(table):
        frame = _named(table, labels, wanted)
    else:
        opened = wanted.of(open_table(table, wanted.where))
        own = pd.DataFrame({label: column(opened, label, wanted.where) for label in labels})
        own = _plain(own, wanted, 0) if len(own) else own
        with dask.config.set({"dataframe.convert-string": False}):
            frame = dd.from_pandas(own, npartitions=1, sort=False)
    meta = frame._meta[labels]
    for label in wanted.ids:
        if pd.api.types.is_object_dtype(meta.dtypes[label]):
            name, rule = f"{label} of {wanted.where}", "have a type on Dask, integers or text"
            advice = "Convert it with astype('int64') or astype('string')"
            raise refusal(name, rule, "a column of objects", advice)
    plain, parts = dask.delayed(_plain), enumerate(frame[labels].to_delayed())
    whole = [plain(part, wanted, number) for number, part in parts]
    return dd.from_delayed(whole, meta=_plain(meta, wanted, 0), verify_meta=False)


def _named(frame: Any, labels: list[str], wanted: Wanted) -> Any:
    """The columns wanted of a Dask frame by their names here."""
    own = wanted.labels(labels)
    for label in own:
        check_once(label, list(frame.columns), wanted.where)
    return frame[own].rename(columns=dict(zip(own, labels, strict=True)))


def shuffled(frames: Mapping[str, Any], user: str, client: Any) -> dict[str, list[Any]]:
    """By table, delayed partitions: those of one number hold the same users, with all rows."""
    count = max(frame.npartitions for frame in frames.values())
    # Equal types hash alike, so that a user is in partitions of one number everywhere.
    unsigned = any(frame.dtypes[user] == "uint64" for frame in frames.values())
    found = {}
    for where, frame in frames.items():
        if unsigned and frame.dtypes[user] == "int64":
            got, advice = f"int64 in {where} and uint64 in another", "Convert one with astype"
            raise refusal(user, "have one type in all tables on Dask", got, advice)
        method = None if client is not None else "tasks"
        whole = frame.shuffle(on=user, npartitions=count, shuffle_method=method)
        found[where] = whole.to_delayed()
    return found


def _plain(part: pd.DataFrame, wanted: Wanted, number: int) -> pd.DataFrame:
    """A partition with checked rows and ids of plain types."""
    part = part.reset_index(drop=True)
    try:
        for label in wanted.ids:
            name = f"{label} of {wanted.where}"
            refuse_rows(part[label], part[label].isna().to_numpy(), name, "not be missing")
            part[label] = _plain_ids(part[label], label, wanted)
        if len(part):
            wanted.check(part)
    except InputError as error:
        raise InputError(f"{error} (rows of partition {number})") from None
    return part


def _plain_ids(ids: pd.Series, label: str, wanted: Wanted) -> pd.Series:
    """Integers as 64 bits, text as Arrow text."""
    if isinstance(ids.dtype, pd.CategoricalDtype):
        ids = ids.astype(ids.cat.categories.dtype)
    if wanted.text and pd.api.types.is_integer_dtype(ids.dtype):
        ids = ids.astype("string[pyarrow]")
    if pd.api.types.is_integer_dtype(ids.dtype):
        unsigned = pd.api.types.is_unsigned_integer_dtype(ids.dtype)
        return ids.astype("uint64" if unsigned else "int64")
    kind = pd.api.types.infer_dtype(ids, skipna=False)
    if kind == "integer":
        return ids.astype("int64")
    if not pd.api.types.is_string_dtype(ids.dtype):
        shown = ids if len(ids) else pd.Series([0]).astype(ids.dtype)
        code({wanted.where: shown}, label)  # refuses what is no id
    return pd.Series(ids.astype("string[pyarrow]"))
