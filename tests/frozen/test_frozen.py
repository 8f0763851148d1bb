"""Today's answers are the stored ones, within 1e-12, but for the changes that CHANGES.md lists."""

import re
import sys
from collections import defaultdict
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
CHANGES = defaultdict(list)
for row in ROW.finditer((FOLDER / "CHANGES.md").read_text(encoding="utf-8")):
    CHANGES[row["part"]].append(row["pattern"].replace(r"\|", "|"))


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


def assert_listed(part, records, *names):
    """Check that the rows of a part in CHANGES.md name all records that differ, and no others.

    A row is a pattern of one of the names of a record.
    """
    is_listed = pd.Series(data=False, index=records.index)
    for pattern in CHANGES[part]:
        is_named = pd.concat([name.str.contains(pattern) for name in names], axis=1).any(axis=1)
        assert is_named.any(), f"{pattern} names nothing"
        assert records.loc[is_named, "differs"].all(), f"{pattern} names what didn't change"
        is_listed |= is_named
    different = records[records["differs"] & ~is_listed]
    assert different.empty, f"{len(different)} differ\n{different.head(20).to_string()}"


@pytest.mark.parametrize("part", answers.PARTS)
def test_the_answers_are_the_stored_ones(part):
    records = compare(part)
    places = records["case"] + ", " + records["place"]
    assert_listed(part, records, places, places + " = " + records["text"].fillna(""))


def test_each_change_names_a_part():
    assert CHANGES.keys() <= {*answers.PARTS, "refusals"}


@pytest.mark.parametrize("n_calls", [4, pytest.param(None, marks=pytest.mark.long)])
def test_what_was_refused_is_refused_and_names_the_same_argument(n_calls):
    """All calls take minutes, so the quick test takes some for each function and argument."""
    stored = pd.read_parquet(FOLDER / "refusals.parquet")
    stored = stored.groupby(["function", "argument"]).head(n_calls or len(stored))
    calls = zip(stored["function"], stored["arguments"], strict=True)
    today = [refusals.replay(name, arguments) for name, arguments in calls]
    stored = stored.drop(columns="arguments").assign(today=today)
    different = stored[stored["today"] != stored["argument"]].assign(differs=True)
    names = different["function"] + ", " + different["argument"] + ": " + different["today"]
    assert_listed("refusals", different, names)
