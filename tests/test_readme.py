"""The sentences of README that no doctest shows."""

import re
from pathlib import Path

import pictures
from exercises import LESSONS

import receval

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_states_the_range_that_its_picture_shows():
    unrounded = pictures.values_by_convention()
    values = unrounded.round(2)
    lowest, highest = re.search(r"between (\S+)\s+and (\S+), depending", README).groups()
    shown = [values.min(), values.max(), values.nunique()]
    assert shown == [float(lowest), float(highest), 6]
    assert "six values of nDCG@10 (seven unrounded)" in README
    assert unrounded.nunique() == 7


def test_the_picture_in_the_repository_shows_every_value_and_convention():
    drawing = (ROOT / "docs" / "_static" / "one_list.svg").read_text(encoding="utf-8")
    values = pictures.values_by_convention().round(2)
    for value, conventions in values.groupby(values):
        assert f"<!-- {value:.2f}   {', '.join(conventions.index)} -->" in drawing


def test_readme_says_which_lessons_work_by_hand():
    assert len(LESSONS) == 16
    assert "Sixteen short lessons" in README
    texts = {path.stem[:2]: path.read_text(encoding="utf-8").lower() for path in LESSONS}
    assert [number for number, text in texts.items() if "by hand" not in text] == ["11"]
    assert "all but one (lesson 11) work through a few rows by hand" in " ".join(README.split())


def test_readme_counts_the_figures_that_nobody_recomputed():
    pattern = r"(\d+) are \*transcribed\*.*?(\d+) are \*not computable\*"
    numbers = re.search(pattern, README, re.DOTALL).groups()
    table = receval.published.ledger()
    verdicts = table["verdict"][table.index.str.match(r"\d{3}")]  # of the five documents
    counts = [(verdicts == name).sum() for name in ("transcribed", "not computable")]
    assert [int(number) for number in numbers] == counts
    assert not re.search("every (published )?figure", README)


def test_readme_is_short_and_says_how_to_install_before_a_release():
    assert len(README.split()) <= 900
    assert "git+https" not in README  # the repository has no public address yet
    assert "clone the repository and run `pip install" in " ".join(README.split())
