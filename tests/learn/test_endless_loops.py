"""A cell that never ends costs the student this cell, and not the whole notebook."""

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from systems import needs_limits

from receval import cli


def points_of(cells, folder, seconds):
    """Grade a submission of lesson 01 by the command, and return the points."""
    path = folder / "submissions" / "emil" / "01_hits.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), path)
    table = folder / "grades.csv"
    cli.main(["grade", str(path.parents[1]), "--output", str(table), "--seconds", str(seconds)])
    return pd.read_csv(table)["points"].sum()


@needs_limits
@pytest.mark.parametrize(
    ("middle", "seconds"),
    [
        pytest.param("pass", 120, id="cell that ends"),
        pytest.param(
            "while True:\n    pass",
            10,
            id="endless loop",
            marks=pytest.mark.xfail(
                strict=True, reason="Thin 5: nbgrader interrupts the cell and runs the others"
            ),
        ),
    ],
)
def test_an_endless_loop_costs_its_cell_and_not_the_notebook(tmp_path, middle, seconds):
    cells = ['answer_hits_1 = "25 %"', middle, 'answer_hits_choice = "C."']
    assert points_of(cells, tmp_path, seconds) == 2
