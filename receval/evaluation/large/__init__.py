"""Evaluate tables that do not fit into memory: Parquet files part by part, and Dask frames.

receval cuts the tables into parts, each of which holds all rows of some of the users.
`receval.evaluation` measures every part in memory. Then exact sums, counts and sets of items are
added up, so the result does not depend on how the tables were cut. See ``docs/scale.md``.
"""
