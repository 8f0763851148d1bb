"""Every row of the list of bad inputs has a test: in this folder, in `evaluation`, or a law."""

import importlib
from pathlib import Path

from laws import test_laws
from laws.table import LAWS

TESTS = Path(__file__).parents[1]
ROWS = set(range(1, 79))
ORDER_AND_NAMES, HASH_SEEDS = 63, 64


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
    assert {"order of rows", "renaming", "text and categories"} <= set(LAWS)
    assert hasattr(test_laws, "test_another_hash_seed_changes_no_bit")
    assert {*rows_of_tests(), ORDER_AND_NAMES, HASH_SEEDS} == ROWS
