"""Forms of tables that people use."""

from functools import partial
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa

from receval.tables import write_table


def users(frame):
    """Make a dict of users, of which each has numbers by item."""
    answers = {}
    for user, item, number in zip(*(frame[name].tolist() for name in frame), strict=True):
        answers.setdefault(user, {})[item] = number
    return answers


def fits_users(frame, number):
    """Return whether a dict of users can hold a table: each item once, and one number for it."""
    if list(frame.columns) != ["user", "item", number] or not len(frame):
        return False
    ids = frame[["user", "item"]]
    is_plain = ids.map(lambda value: isinstance(value, (int, str)) and not isinstance(value, bool))
    return bool(is_plain.all(axis=None) and not ids.astype(str).duplicated().any())


def dask(frame):
    """Make two partitions that keep objects. By default, Dask turns them into text."""
    import dask.dataframe

    for name in frame.columns if pd.__version__ < "3" else ():  # whose text is of objects
        if pd.api.types.infer_dtype(frame[name], skipna=True) == "string":
            frame = frame.astype({name: "string"})
    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_pandas(frame, npartitions=min(len(frame), 2) or 1, sort=False)


IN_MEMORY = {
    "frame": lambda frame: frame,
    "dict": users,
    "Polars": pl.from_pandas,
    "Arrow": partial(pa.Table.from_pandas, preserve_index=False),
    "Dask": dask,
}
IN_FILES = {"Parquet": partial(pd.DataFrame.to_parquet, index=False), "CSV": write_table}
FORMS = ("frame", "dict", "Polars", "Arrow", *IN_FILES)


def in_form(form, table, folder, name):
    """Convert a frame into another form; return anything else unchanged."""
    if not isinstance(table, pd.DataFrame):
        return table
    if form in IN_MEMORY:
        return IN_MEMORY[form](table)
    path = Path(folder) / f"{name}.{form.lower()}"
    IN_FILES[form](table, path)
    return path
