"""Document 004: grids of algorithms, parameters and measures, written in YAML."""

from receval.people.grid.grid import Grid, read_grid

__all__ = ["Grid", "read_grid"]
