"""Opening what users have: frames, CSV, Parquet and TREC files, dicts; their columns and ids."""

from receval.tables.formats import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

__all__ = [
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "write_qrels",
    "write_run",
    "write_table",
]
