"""Data to try things on: the documents' examples, seeded generators, checked downloads."""

from receval.datasets.downloads import DataUnavailable, available, fetch, sources
from receval.datasets.examples import borda_example

__all__ = ["DataUnavailable", "available", "borda_example", "fetch", "sources"]
