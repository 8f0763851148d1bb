"""Every row of the list of bad inputs has a test, in this folder or in `evaluation`."""

import importlib
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROWS = set(range(1, 79))


def marks(function):
    for mark in getattr(function, "pytestmark", []):
        yield mark
        if mark.name == "parametrize":
            for values in mark.args[1]:
                yield from getattr(values, "marks", ())


def rows_of_tests():
    for path in [
        *sorted(TESTS.glob("bad_inputs/test_*.py")),
        TESTS / "evaluation/test_saved_files.py",
    ]:
        module = importlib.import_module(".".join(path.relative_to(TESTS).with_suffix("").parts))
        for name, function in vars(module).items():
            if name.startswith("test_"):
                yield from (mark.args[0] for mark in marks(function) if mark.name == "row")


def test_every_row_has_a_test():
    assert set(rows_of_tests()) == ROWS


def test_the_marker_says_a_row(request):
    assert isinstance(pytest.mark.row(1).args[0], int)
    assert any(line.startswith("row(") for line in request.config.getini("markers"))
