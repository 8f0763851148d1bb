"""What does not fit into memory: Parquet files part by part, and Dask frames.

Users are cut into parts; every part holds whole users and is measured by `receval.engine` in
memory; what parts add up to (exact sums, counts, sets of items) does not depend on how they were
cut. See ``docs/scale.md``.
"""
