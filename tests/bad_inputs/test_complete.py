"""Every row of the list of bad inputs has a test: in this folder, in `evaluation`, or a law."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_row_has_a_test():
    paths = [
        *TESTS.glob("bad_inputs/*.py"),
        TESTS / "evaluation/test_saved_files.py",
        TESTS / "laws/test_laws.py",
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    marked = re.findall(r"(?:@pytest\.mark\.row|Case|case|hit)\((\d+)", text)
    assert set(map(int, marked)) == set(range(1, 79))
