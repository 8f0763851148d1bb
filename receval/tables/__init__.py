"""Read and write tables (frames, dicts, CSV, Parquet and TREC files), their columns and ids."""

from receval.tables.arrays import lists_from_items, lists_from_scores
from receval.tables.reading import read_qrels, read_ratings, read_run, read_table
from receval.tables.writing import write_qrels, write_run, write_table

__all__ = [
    "lists_from_items",
    "lists_from_scores",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "write_qrels",
    "write_run",
    "write_table",
]
