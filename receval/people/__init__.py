"""Document 004: configurations of people recommenders, grids of parameters written in YAML."""

from receval.people.grid import Grid, read_grid

__all__ = ["Grid", "read_grid"]
