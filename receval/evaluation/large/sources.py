"""Read Parquet files as one table, batch by batch, and check the rows of each batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from receval._checks import InputError, NoSuchFile, input_error, shorten
from receval._files import is_file, is_folder, is_parquet, path_exists
from receval.evaluation.large.tables import ColumnRequest
from receval.evaluation.large.totals import with_value
from receval.tables.columns import check_no_rows, check_once
from receval.tables.reading import check_no_stream, check_readable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 17
READ_BYTES = 1 << 20


@dataclass(frozen=True)
class ParquetTable:
    """One or several Parquet files that are read as a single table, in the order of their paths.

    Attributes
    ----------
    request : ColumnRequest
        The columns that the evaluation needs, and a check, which gets each batch as an Arrow table.
    paths : str, Path, or list of these
        The files, folders or patterns that the user passed (see `parquet_files`).
    """

    request: ColumnRequest
    paths: object

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Return the paths of the files."""
        return parquet_files(self.paths, self.request.place)

    @cached_property
    def schema(self) -> pa.Schema:
        """Return the names of the needed columns, and the Arrow types that they get when read.

        Raises an error if a file lacks a column, or if the files have different types for it.
        """
        import pyarrow as pa

        # The type of each column in the first file, and the path of this file for the message.
        first_type_of: dict[str, tuple[pa.DataType, Path]] = {}
        for path in self.files:
            schema = _open_file(path).schema_arrow
            for name in self.request.columns:
                (label,) = self.request.labels([name])  # the name of the column in the file
                # Raises an error if the file has no such column, or several.
                check_once(label, schema.names, self.request.place)
                arrow_type = _type_to_read(schema.field(label).type)
                first_type, first_path = first_type_of.setdefault(name, (arrow_type, path))
                if first_type != arrow_type:
                    column = f"{name} of {self.request.place}"
                    got = f"{first_type} in {first_path.name} and {arrow_type} in {path.name}"
                    raise input_error(column, "have one type in all files", got)
        return pa.schema([(name, arrow_type) for name, (arrow_type, _) in first_type_of.items()])

    @cached_property
    def n_rows(self) -> int:
        """Return the number of rows in all files."""
        return sum(count_rows(path) for path in self.files)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, pa.Table]]:
        """Yield the number of a batch's first row, from 0, and the batch: a table of some rows.

        The tables have the given columns, by default all that the evaluation needs. Batches without
        rows are left out.
        """
        import pyarrow as pa

        # receval's own name for a column, such as "user", may differ from the label in the files.
        names = self.schema.names if columns is None else list(columns)
        labels = self.request.labels(names)
        schema = pa.schema([self.schema.field(name) for name in names])
        first_row = 0
        for path in self.files:
            with _open_file(path) as file, check_readable(path, "a whole Parquet file"):
                for batch in file.iter_batches(BATCH_ROWS, columns=labels):
                    if batch.num_rows:
                        table = pa.Table.from_batches([batch]).select(labels)
                        yield first_row, table.rename_columns(names).cast(schema)
                    first_row += batch.num_rows

    def checked_batches(self) -> Iterator[tuple[int, pa.Table]]:
        """Yield batches with all columns, as `batches` does, after checking their rows.

        Raises an error if an id is missing, or if the check of the request fails.
        """
        for first_row, table in self.batches():
            try:
                for name in self.request.id_columns:
                    if table[name].null_count:
                        # An id is missing, so the check below raises an error.
                        ids = table[name].to_pandas()
                        name_in_message = f"{name} of {self.request.place}"
                        check_no_rows(ids, ids.isna().to_numpy(), name_in_message, "not be missing")
                self.request.check(table)
            except InputError as error:
                # The message counts rows from the start of the batch.
                raise InputError(_with_row_numbers_from(first_row, str(error))) from None
            yield first_row, table

    def head(self) -> pd.DataFrame:
        """Return the checked rows of the first batch; a frame without rows if there is no batch."""
        tables = (table for _, table in self.checked_batches())
        first: pd.DataFrame = next(tables, self.schema.empty_table()).to_pandas()
        return first

    def rows_of(self, column: str, value: object) -> pa.Table:
        """Return the rows that have this value in a column; none if the column can't hold it."""
        import pyarrow as pa

        try:
            return self.read(lambda table: with_value(table, column, value))
        # Arrow cannot convert the value to the type of the column.
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            return self.schema.empty_table()

    def distinct(self, column: str, rows: tuple[str, object] | None = None) -> list[Any]:
        """Return the distinct values of a column, in the order of the table.

        ``rows`` is a pair of another column and a value. If you pass it, only the rows that have
        this value in that column count.
        """
        columns = [column]
        if rows is not None:
            other_column, _ = rows
            columns.append(other_column)
        values: dict[Any, None] = {}  # the keys are used as a set in order of insertion
        for _, table in self.batches(columns):
            selected = table
            if rows is not None:
                selected = with_value(table, *rows)
            values.update(dict.fromkeys(selected[column].unique().to_pylist()))
        return list(values)

    def read(self, select: Callable[[pa.Table], pa.Table] | None = None) -> pa.Table:
        """Read all rows, or the rows that the function ``select`` returns for each batch."""
        import pyarrow as pa

        tables = (table for _, table in self.batches())
        if select is not None:
            tables = (select(table) for table in tables)
        not_empty = [table for table in tables if len(table)]
        return pa.concat_tables([self.schema.empty_table(), *not_empty])


# Paths --------------------------------------------------------------------------------------------


def names_parquet(table: object) -> bool:
    """Return whether the user passed names of Parquet files as a table.

    Such a name is the path of a Parquet file, a folder, a pattern with wildcards, or a list of
    paths. The function doesn't check whether these files exist.
    """
    if isinstance(table, (list, tuple)):
        return bool(table) and all(is_path(path) for path in table)
    if not is_path(table):
        return False
    # The name of a file may have characters that are wildcards in a pattern.
    is_pattern = has_magic(str(table)) and not path_exists(table)
    return is_pattern or is_parquet(Path(table)) or is_folder(table)


def is_path(value: object) -> TypeGuard[str | Path]:
    """Return whether a value is a text or a Path."""
    return isinstance(value, (str, Path))


def parquet_files(paths: object, place: str) -> tuple[Path, ...]:
    """Return the Parquet files that a path, a folder, a pattern with wildcards or a list names.

    ``place`` is the table's name in messages. Raises an error if there is no such file, if a file
    is of another kind, or if a list names a file twice.
    """
    if isinstance(paths, (list, tuple)):
        files = [file for path in paths for file in parquet_files(path, place)]
        if len(set(files)) < len(files):
            raise input_error(place, "name each file once", shorten([str(path) for path in paths]))
        return tuple(files)
    path = Path(str(paths))
    if is_folder(path):
        files = _files_of_folder(path)
    else:
        files = _files_of_pattern(path)
    if not files or not all(is_parquet(file) for file in files):
        # Messages leave out the folders of a path, but not of a pattern.
        name = path.name
        if has_magic(str(paths)):
            name = str(paths)
        text = f"{place} must name Parquet files (.parquet) that exist; got {shorten(name)}"
        if not files:
            raise NoSuchFile(text)
        systems = "as systems: evaluate({'A': 'A.csv', 'B': 'B.csv'}, truth, …)"
        raise InputError(f"{text}. Pass CSV files one by one, or {systems}")
    return tuple(files)


def _files_of_folder(folder: Path) -> list[Path]:
    """Return the Parquet files in a folder and in the folders below it, sorted."""
    # Other programs write files and folders without data, whose names begin with "_" or ".", such
    # as "_metadata".
    hidden = re.compile(r"(^|/)[_.]")
    return [
        file
        for file in sorted(folder.rglob("*"))
        if is_parquet(file) and not hidden.search(file.relative_to(folder).as_posix())
    ]


def _files_of_pattern(path: Path) -> list[Path]:
    """Return the file at a path, or the sorted files that match the path as a pattern.

    The list is empty if there is no such file.
    """
    if is_file(path):
        return [path]
    # A path that is too long, has too many folders or contains a null byte raises an error here.
    # Such a path cannot lead to a file.
    with suppress(OSError, ValueError, RecursionError):
        root = Path(path.anchor)  # `glob` needs patterns that are relative to a folder
        return sorted(root.glob(str(path.relative_to(root))))
    return []


# Single files -------------------------------------------------------------------------------------


def check_whole_file(path: Path) -> None:
    """Read a Parquet file to its end, which raises an error if it is not whole."""
    with _open_file(path) as file, check_readable(path, "a whole Parquet file"):
        for _ in file.iter_batches(BATCH_ROWS):
            pass


def parquet_labels(paths: object, place: str) -> list[str]:
    """Return the names of the columns of the first Parquet file that the user's paths name."""
    first, *_ = parquet_files(paths, place)
    return list(_open_file(first).schema_arrow.names)


def count_rows(path: Path) -> int:
    """Return the number of rows of a Parquet file; raise an error for any other file."""
    return int(_open_file(path).metadata.num_rows)


def _open_file(path: Path) -> pq.ParquetFile:
    """Open a Parquet file without loading whole column chunks into memory."""
    import pyarrow.parquet as pq

    with check_readable(path, "a whole Parquet file"):
        check_no_stream(path)
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)


def _type_to_read(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type that a column of type ``arrow_type`` gets when it is read.

    All types of text become one type. Integers get 64 bits. Other types don't change.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(arrow_type):  # a categorical column
        arrow_type = arrow_type.value_type
    if pa.types.is_integer(arrow_type):
        if pa.types.is_unsigned_integer(arrow_type):
            return pa.uint64()
        return pa.int64()
    is_string = (
        pa.types.is_string(arrow_type)
        or pa.types.is_large_string(arrow_type)
        or pa.types.is_string_view(arrow_type)
    )
    return pa.large_string() if is_string else arrow_type


def _with_row_numbers_from(first_row: int, message: str) -> str:
    """Return a message with row numbers of the whole table instead of row numbers of a batch.

    ``first_row`` is the number of the batch's first row in the table. In messages, row numbers
    follow the words "in row".
    """

    def add_first_row(match: re.Match[str]) -> str:
        return str(int(match[0]) + first_row)

    return re.sub(r"(?<= in row )\d+", add_first_row, message)
