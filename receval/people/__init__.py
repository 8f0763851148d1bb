"""Document 004: grids of recommenders, their parameters and measures, written in YAML.

`read_grid`
    Read a grid. `Grid.run` runs your own recommenders with each combination of its parameters.
"""

from receval.people.grid import Grid, read_grid

__all__ = ["Grid", "read_grid"]
