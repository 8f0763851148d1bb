"""Parquet files read as one table, batch by batch, with the checks that rows can have alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any

from receval._checks import InputError, NoSuchFile, input_error, shorten
from receval._files import is_file, is_folder, is_there
from receval.large.tables import ColumnRequest
from receval.large.totals import with_value
from receval.tables.columns import check_once, refuse_rows
from receval.tables.text import check_no_stream, is_parquet, read_text

BATCH_ROWS = 1 << 17
READ_BYTES = 1 << 20


@dataclass(frozen=True)
class ParquetTable:
    """Parquet files as one table, in the order of their paths as listed.

    Attributes
    ----------
    wanted : Wanted
        What is wanted of the table; its check is called with each batch as an Arrow table.
    given : what names the files, as `parquet_files` knows.
    """

    wanted: ColumnRequest
    given: Any

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The paths of the files."""
        return parquet_files(self.given, self.wanted.where)

    @cached_property
    def schema(self) -> Any:
        """Names and Arrow types of the columns needed, the same for all files."""
        import pyarrow as pa

        found: dict[str, tuple[Any, Path]] = {}
        for path in self.files:
            schema = _opened(path).schema_arrow
            for label in (*self.wanted.ids, *self.wanted.others):
                (own,) = self.wanted.labels([label])
                check_once(own, schema.names, self.wanted.where)
                as_text = self.wanted.text and label in self.wanted.ids
                kind = _plain_type(schema.field(own).type, as_text)
                known, first = found.setdefault(label, (kind, path))
                if known != kind:
                    got = f"{known} in {first.name} and {kind} in {path.name}"
                    where = f"{label} of {self.wanted.where}"
                    raise input_error(where, "have one type in all files", got)
        return pa.schema([(label, kind) for label, (kind, _) in found.items()])

    @cached_property
    def rows(self) -> int:
        """Number of rows in all files."""
        return sum(map(rows_of, self.files))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
        """Tables of consecutive rows, each with the number of its first row.

        ``columns`` are those wanted (default: all needed).
        """
        import pyarrow as pa

        names = self.schema.names if columns is None else list(columns)
        schema = pa.schema([self.schema.field(name) for name in names])
        row, own = 0, self.wanted.labels(names)
        for path in self.files:
            with _opened(path) as file, read_text(path, "a whole Parquet file"):
                for batch in file.iter_batches(BATCH_ROWS, columns=own):
                    if batch.num_rows:
                        table = pa.Table.from_batches([batch]).select(own)
                        yield row, table.rename_columns(names).cast(schema)
                    row += batch.num_rows

    def checked(self) -> Iterator[tuple[int, Any]]:
        """As `batches` of all columns, after every row was checked."""
        for row, table in self.batches():
            try:
                for label in self.wanted.ids:
                    if table[label].null_count:
                        ids = table[label].to_pandas()
                        where = f"{label} of {self.wanted.where}"
                        refuse_rows(ids, ids.isna().to_numpy(), where, "not be missing")
                self.wanted.check(table)
            except InputError as error:
                raise InputError(_counted_from(row, str(error))) from None
            yield row, table

    def head(self) -> Any:
        """The first rows, checked, as a pandas table."""
        first = next((table for _, table in self.checked()), self.schema.empty_table())
        return first.to_pandas()

    def rows_of(self, column: str, value: object) -> Any:
        """All rows with a value, as an Arrow table; None if the column is of another kind."""
        import pyarrow as pa

        try:
            return self.table(lambda table: with_value(table, column, value))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            return None

    def distinct(self, column: str, rows: tuple[str, Any] | None = None) -> list[Any]:
        """The values of a column, in all rows or in those with a value in another column."""
        found: dict[Any, None] = {}
        for _, table in self.batches([column] if rows is None else [column, rows[0]]):
            own = table if rows is None else with_value(table, *rows)
            found |= dict.fromkeys(own[column].unique().to_pylist())
        return list(found)

    def table(self, picked: Callable[[Any], Any] = lambda table: table) -> Any:
        """All rows, or those ``picked`` of each batch, as an Arrow table."""
        import pyarrow as pa

        parts = (picked(part) for _, part in self.batches())
        return pa.concat_tables([self.schema.empty_table(), *filter(len, parts)])


def names_parquet(given: object) -> bool:
    """Whether it is the path of a Parquet file or folder, a pattern, or a list of paths."""
    if isinstance(given, (list, tuple)):
        return bool(given) and all(isinstance(one, (str, Path)) for one in given)
    if not isinstance(given, (str, Path)):
        return False
    pattern = has_magic(str(given)) and not is_there(given)
    return pattern or is_parquet(Path(given)) or is_folder(given)


def parquet_files(path: object, where: str) -> tuple[Path, ...]:
    """The Parquet files behind a path, a folder, a pattern with wildcards, or a list of these."""
    if isinstance(path, (list, tuple)):
        files = [file for one in path for file in parquet_files(one, where)]
        if len(set(files)) < len(files):
            raise input_error(where, "name each file once", shorten(list(map(str, path))))
        return tuple(files)
    given = Path(str(path))
    if is_folder(given):
        # Files beside the data, such as _metadata, start so; folders of other steps too.
        hidden = re.compile(r"(^|/)[_.]")
        inside = filter(is_parquet, sorted(given.rglob("*")))
        files = [one for one in inside if not hidden.search(one.relative_to(given).as_posix())]
    else:
        root = Path(given.anchor)
        files = [given]
        if not is_file(given):
            # A name that is too long, too deep, or that holds a null byte leads to no file.
            with suppress(OSError, ValueError, RecursionError):
                files = []
                files = sorted(root.glob(str(given.relative_to(root))))
    if not files or not all(map(is_parquet, files)):
        got = shorten(str(given.name if not has_magic(str(path)) else path))
        text = f"{where} must name Parquet files (.parquet) that are there; got {got}"
        if not files:
            raise NoSuchFile(text)
        systems = "as systems: evaluate({'A': 'A.csv', 'B': 'B.csv'}, truth, …)"
        raise InputError(f"{text}. Pass CSV files one by one, or {systems}")
    return tuple(files)


def refuse_broken(path: Path) -> None:
    """Read a Parquet file through, to refuse it if it is not whole."""
    with _opened(path) as file, read_text(path, "a whole Parquet file"):
        for _ in file.iter_batches(BATCH_ROWS):
            pass


def rows_of(path: Path) -> int:
    """Number of rows of a Parquet file."""
    return int(_opened(path).metadata.num_rows)


def _opened(path: Path) -> Any:
    """A Parquet file, whose column chunks are read piece by piece."""
    import pyarrow.parquet as pq

    with read_text(path, "a whole Parquet file"):
        check_no_stream(path)
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)
    return file


def _plain_type(kind: Any, as_text: bool) -> Any:
    """The type that a column is read as: text as one type, integers as 64 bits or ``as_text``."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind) and not as_text:
        return pa.uint64() if pa.types.is_unsigned_integer(kind) else pa.int64()
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    text = text or pa.types.is_string_view(kind) or pa.types.is_integer(kind)
    return pa.large_string() if text else kind


def _counted_from(first_row: int, message: str) -> str:
    """A message in which rows are numbered in the whole table and not in a batch."""
    return re.sub(r"(?<= in row )\d+", lambda found: str(int(found[0]) + first_row), message)
