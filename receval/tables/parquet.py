"""Find Parquet files by paths, folders and patterns, and read them batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from receval._checks import NoSuchFile, check_that, input_error, shorten
from receval._files import is_folder, is_parquet, path_exists
from receval.tables.columns import check_once
from receval.tables.reading import check_readable

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 18
"""The most rows that receval reads at a time."""

READ_BYTES = 1 << 20
"""Number of bytes that Arrow reads at a time, instead of a whole column of a row group."""

# Paths --------------------------------------------------------------------------------------------


def names_parquet(table: object) -> TypeGuard[str | Path]:
    """Return whether the user passed a name of Parquet files as a table.

    It is the path of a Parquet file, a folder, or a pattern with wildcards. The function doesn't
    check whether these files exist.
    """
    if not isinstance(table, (str, Path)):
        return False
    # The name of a file may have characters that are wildcards in a pattern.
    is_pattern = has_magic(str(table)) and not path_exists(table)
    return is_pattern or is_parquet(Path(table)) or is_folder(table)


def parquet_files(name: str | Path, place: str) -> list[Path]:
    """Return the Parquet files that a path, a folder or a pattern with wildcards names.

    ``place`` is the table's name in messages. Raises an error if there is no such file, or if a
    file is of another kind.
    """
    path = Path(name)
    if is_folder(path):
        # Other programs write files and folders without data, whose names begin with "_" or ".".
        files = [
            file
            for file in sorted(path.rglob("*"))
            if is_parquet(file)
            and not any(part.startswith(("_", ".")) for part in file.relative_to(path).parts)
        ]
    else:
        files = sorted(Path(file) for file in glob(str(path), recursive=True))  # noqa: PTH207 (any path)
    rule = "name Parquet files (.parquet) that exist"
    if not files:
        raise NoSuchFile(f"{place} must {rule}; got {shorten(str(path))}")
    advice = "Pass CSV files one by one, or several in a dict by system"
    check_that(all(is_parquet(file) for file in files), place, rule, path.name, advice)
    return files


# Rows ---------------------------------------------------------------------------------------------


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a Parquet file without loading whole columns; raise an error for any other file."""
    import pyarrow.parquet as pq

    with check_readable(path, "a whole Parquet file"):
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)


def common_schema(files: Sequence[Path], labels: Iterable[str], place: str) -> pa.Schema:
    """Return the columns that have these labels, with types that hold the values of all files.

    ``place`` is the table's name in messages. Raises an error if a file lacks a column or has it
    twice, or if a column has numbers in one file and text in another.
    """
    import pyarrow as pa

    labels = list(dict.fromkeys(labels))  # each label once
    schemas = []
    for path in files:
        schema = open_parquet(path).schema_arrow
        for label in labels:
            check_once(label, schema.names, place)
        schemas.append(pa.schema([schema.field(label) for label in labels]))
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise input_error(
            f"each column of {place}", "have one type in all files", str(error)
        ) from None


def read_batches(files: Sequence[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of Parquet files in their order, with the columns and types of a schema.

    Each table has some of the rows. Raises an error that names the file if it can't be read.
    """
    import pyarrow as pa

    for path in files:
        with open_parquet(path) as file, check_readable(path, "a whole Parquet file"):
            for batch in file.iter_batches(BATCH_ROWS, columns=schema.names):
                yield pa.Table.from_batches([batch]).select(schema.names).cast(schema)


def read_all(files: Sequence[Path], schema: pa.Schema) -> pa.Table:
    """Return all rows of Parquet files as one table; see `read_batches`."""
    import pyarrow as pa

    return pa.concat_tables([schema.empty_table(), *read_batches(files, schema)])
