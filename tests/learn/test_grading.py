"""Grade a lesson with nbgrader, as the page says, if nbgrader is installed.

nbgrader isn't in an extra of receval, because it brings Jupyter Notebook and SQLAlchemy with it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from receval._files import notebooks_folder
from receval.learn import copies

pytest.importorskip("nbgrader", reason="this needs nbgrader: pip install nbgrader")
PAGE = (Path(__file__).parents[2] / "docs" / "grading.md").read_text(encoding="utf-8")
RIGHT = {
    "answer_hits_again": "answer_hits_again = 7",
    "answer_hits_1": "answer_hits_1 = 0.25",
    "answer_hits_2": 'answer_hits_2 = "29/60"',
    "answer_hits_choice": 'answer_hits_choice = "c"',
    "my_reciprocal_rank": "def my_reciprocal_rank(grades, k):\n"
    "    return max((grade > 0) / rank for rank, grade in enumerate(grades[:k], start=1))",
}
WRONG = {name: f"{name} = abs" for name in RIGHT}
ENDLESS = "def my_reciprocal_rank(grades, k):\n    while True:\n        pass"


def nbgrader(command):
    """Run a command of the page in the current folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-m", "nbgrader", *command.split()]
    done = subprocess.run(words, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def hand_in(folder, student, answers, *, overwrite_tests=False):
    """Write the notebook that a student hands in."""
    notebook = nbformat.read(folder / "release" / "hits" / "01_hits.ipynb", 4)
    for cell in notebook.cells:
        if "exercise" in cell.metadata.get("tags", []):
            call = cell.source.splitlines()[-1]
            variable = re.search(r"(\w+)\)$", call)[1]
            cell.source = f"{answers[variable]}\n\n\n{call}"
        elif overwrite_tests and "nbgrader" in cell.metadata:
            cell.source = "assert True"
    target = folder / "submitted" / student / "hits"
    target.mkdir(parents=True)
    nbformat.write(notebook, target / "01_hits.ipynb")


@pytest.mark.long
def test_overwritten_tests_earn_nothing_and_an_endless_loop_costs_its_exercise(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    copies.copy(notebooks_folder(), tmp_path / "my-notebooks")
    exec(PAGE.partition("```python\n")[2].partition("```")[0], {})
    generate, autograde, export = re.findall(r"nbgrader ((?:generate|auto|export).*?)[`\n]", PAGE)
    nbgrader(generate)
    hand_in(tmp_path, "right", RIGHT)
    hand_in(tmp_path, "wrong", WRONG, overwrite_tests=True)
    hand_in(tmp_path, "endless", RIGHT | {"my_reciprocal_rank": ENDLESS})
    nbgrader(autograde)
    nbgrader(export)
    grades = pd.read_csv("grades.csv", index_col="student_id")
    assert grades["score"].to_dict() == {"right": 5, "wrong": 0, "endless": 4}
    assert (grades["max_score"] == 5).all()
