"""Today's answers are the stored ones, within 1e-12, but for the changes that CHANGES.md lists."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

import answers  # noqa: E402
import refusals  # noqa: E402

TOLERANCE = 1e-12
ROW = re.compile(r"^\| `(?P<part>\w+): (?P<pattern>.+?)` \|", flags=re.MULTILINE)
CHANGES = [
    (match["part"], match["pattern"].replace(r"\|", "|"))
    for match in ROW.finditer((FOLDER / "CHANGES.md").read_text(encoding="utf-8"))
]


def compare(part):
    """Return the stored records beside today's, and which of them differ."""
    stored = pd.read_parquet(FOLDER / f"{part}.parquet")
    today = answers.to_frame(answers.PARTS[part]())
    key = ["case", "place"]
    assert not today.duplicated(key).any()
    both = stored.merge(today, on=key, how="left", suffixes=("", "_today"), indicator=True)
    number, number_today = both["number"].to_numpy(), both["number_today"].to_numpy()
    with np.errstate(invalid="ignore"):
        is_close = np.abs(number - number_today) <= TOLERANCE * np.maximum(1, np.abs(number))
    is_close |= (number == number_today) | (np.isnan(number) & np.isnan(number_today))
    is_same_text = both["text"].fillna("") == both["text_today"].fillna("")
    both["differs"] = ~(is_close & is_same_text) | (both["_merge"] == "left_only")
    return both


def is_listed(records, pattern):
    """Return which records a row names: a pattern of "case, place", or of "case, place = text"."""
    places = records["case"] + ", " + records["place"]
    texts = places + " = " + records["text"].fillna("")
    return places.str.contains(pattern) | texts.str.contains(pattern)


@pytest.mark.parametrize("part", answers.PARTS)
def test_the_answers_are_the_stored_ones(part):
    records = compare(part)
    listed = pd.Series(data=False, index=records.index)
    for changed_part, pattern in CHANGES:
        if changed_part == part:
            is_named = is_listed(records, pattern)
            assert is_named.any(), f"{pattern} names nothing"
            assert records.loc[is_named, "differs"].all(), f"{pattern} names what didn't change"
            listed |= is_named
    different = records[records["differs"] & ~listed]
    columns = ["case", "place", "number", "number_today", "text", "text_today"]
    assert different.empty, f"{len(different)} differ\n{different[columns].head(20).to_string()}"


def test_each_change_names_a_part():
    assert {part for part, _ in CHANGES} <= {*answers.PARTS, "refusals"}


@pytest.mark.parametrize("n_calls", [4, pytest.param(None, marks=pytest.mark.long)])
def test_what_was_refused_is_refused_and_names_the_same_argument(n_calls):
    """All calls take minutes, so the quick test takes some for each function and argument."""
    stored = pd.read_parquet(FOLDER / "refusals.parquet")
    stored = stored.groupby(["function", "argument"]).head(n_calls or len(stored)).copy()
    calls = zip(stored["function"], stored["arguments"], strict=True)
    stored["today"] = [refusals.replay(name, arguments) for name, arguments in calls]
    stored["record"] = stored["function"] + ", " + stored["argument"] + ": " + stored["today"]
    stored["differs"] = stored["today"] != stored["argument"]
    listed = pd.Series(data=False, index=stored.index)
    for part, pattern in CHANGES:
        if part == "refusals":
            is_named = stored["record"].str.contains(pattern) & stored["differs"]
            assert is_named.any(), f"{pattern} is listed, but didn't change"
            listed |= is_named
    different = stored[stored["differs"] & ~listed]
    columns = ["function", "argument", "today"]
    assert different.empty, f"{len(different)} differ\n{different[columns].head(20).to_string()}"
