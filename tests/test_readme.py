"""The sentences of README that no doctest shows."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pictures():
    """Import the script that draws README's picture. It is not in a package."""
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_has_at_most_900_words():
    assert len(README.split()) <= 900


def test_readme_states_the_range_that_its_picture_shows():
    values = pictures().values_by_convention().round(2)
    lowest, highest = re.search(r"between (\S+)\s+and (\S+), depending", README).groups()
    assert [values.min(), values.max()] == [float(lowest), float(highest)]
    assert "six values" in README
    assert values.nunique() == 6


def test_the_picture_in_the_repository_shows_every_value_and_convention():
    drawing = (ROOT / "docs" / "_static" / "one_list.svg").read_text(encoding="utf-8")
    values = pictures().values_by_convention().round(2)
    for value, conventions in values.groupby(values):
        assert f"<!-- {value:.2f}   {', '.join(conventions.index)} -->" in drawing


def test_readme_counts_the_lessons():
    lessons = list((ROOT / "notebooks" / "learn").glob("[01]*.ipynb"))
    assert "Eighteen short lessons" in README
    assert len(lessons) == 18
