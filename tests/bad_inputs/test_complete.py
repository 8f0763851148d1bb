"""Every row of the list of bad inputs has a test here, but for those on crashes and resumption."""

import importlib
from pathlib import Path

import pytest

CRASHES = {69, 70, 73, 74}  # come with the evaluation of data that does not fit into memory
ROWS = set(range(1, 79)) - CRASHES


def marks(function):
    for mark in getattr(function, "pytestmark", []):
        yield mark
        if mark.name == "parametrize":
            for values in mark.args[1]:
                yield from getattr(values, "marks", ())


def rows_of_tests():
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"bad_inputs.{path.stem}")
        for name, function in vars(module).items():
            if name.startswith("test_"):
                yield from (mark.args[0] for mark in marks(function) if mark.name == "row")


def test_every_row_has_a_test():
    assert set(rows_of_tests()) == ROWS


def test_the_marker_says_a_row(request):
    assert isinstance(pytest.mark.row(1).args[0], int)
    assert any(line.startswith("row(") for line in request.config.getini("markers"))
