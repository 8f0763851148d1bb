"""Columns of CSV files become numbers only if their texts are numbers for sure; else they stay."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from receval import InputError
from receval import _threads as threads
from receval.tables import read_ratings, read_table
from receval.tables.reading import open_table

TEXT = pd.Series(["text"]).dtype
"""The type of text: `object` before pandas 3."""

LONG = 1500
"""More rows than are tried first."""

BIG = "9223372036854775807"


def read(folder, **columns):
    """Return what `read_table` makes of columns of texts, which have equally many rows."""
    path = folder / "t.csv"
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_bytes("".join(",".join(row) + "\n" for row in rows).encode())
    return read_table(path)


WHOLE = [
    ["3", "12", "0", "-5"],
    [BIG, "-9223372036854775808"],
    ["9007199254740993", "9007199254740992"],
]
DECIMALS = [
    ["0.5", "0.1", "-3.25", "0.30000000000000004", "12"],
    ["0e99999999999999999999999", "0.5"],
    ["5.", ".25", "-.75", "+7", "+.125", "0", "-0.5"],
    ["-0", "3"],
    ["1e5", "9.9e-05", "1.E6", "-1e-99", "5e+99"],
    ["inf", "-inf", "1.5"],
    ["+inf", "2"],
    ["INF", "1.5"],
    ["999999999999999", "0.5"],  # 15 digits
    ["1.7976931348623157e+308", "5e-324", "-0.0", "0.25"],
    ["0.1000000000000000055511151231257827", "0.2"],
    ["1234567890123456.5", "2"],
]
TEXTS = [
    ["007", "10"],
    ["-07", "1"],
    ["00.5", "1"],
    ["+05", "0.5"],
    ["007", "1.5"],
    ["00", "0.5"],
    ["1234567890123456", "0.5"],  # 16 digits beside a decimal may be an id
    ["9223372036854775808", "1"],
    ["1" * 50, "2"],
    ["9" * 5000, "2"],
    ["1e999", "1"],
    ["-1e999", "0.5"],
    ["1e-999", "1"],
    ["0." + "0" * 330 + "1", "1"],
    ["1e99999999999999999999", "1"],
    ["NA", "1"],
    ["nan", "0.5"],
    ["NaN", "1"],
    ["None", "1"],
    ["true", "1"],
    ["infinity", "1.5"],
    ["1_000", "1"],
    [" 5", "1"],
    ["5 ", "0.5"],
    ["\t5", "1"],
    ["\xa05", "1"],
    ["1 000", "1"],
    ["0x7", "1"],
    ["0x1p3", "1.5"],
    ["1d5", "1"],
    ["１", "1"],
    ["٣", "1"],
    ["½", "1"],
    ["−5", "1"],
    ["5%", "1"],
    [".", "0.5"],
    ["-", "1"],
    ["--1", "1"],
    ["1-2", "1"],
    ["1.2.3", "1"],
    ["e5", "0.5"],
    ["1e", "0.5"],
    ["1e5.5", "1"],
    ["2020-01-02", "2020-01-03"],
]
SAME_NUMBER = [
    ["2101.1", "2101.10"],
    ["2101.00010", "2101.0001"],
    ["1.5", "2", "1.50"],
    ["1", "1.0"],
    ["1e5", "100000.0"],
    [".5", "0.5"],
    ["0.30000000000000004", "0.300000000000000044"],
]
"""Texts that differ but are the same number, so that they may be ids."""


def spread(texts, length):
    """Return the texts in different orders, or among many texts of the same kind."""
    if length == "short":
        return [texts, texts[::-1]]
    return [[texts[0], *[texts[-1]] * LONG], [*[texts[-1]] * LONG, *texts]]


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("texts", WHOLE, ids=str)
def test_whole_numbers_are_exact(tmp_path, texts, length):
    for column in spread(texts, length):
        numbers = {name: list(map(int, column)) for name in ("item", "score", "x")}
        table = read(tmp_path, item=column, score=column, x=column)
        pd.testing.assert_frame_equal(table, pd.DataFrame(numbers))


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("texts", DECIMALS, ids=str)
def test_decimals_are_numbers_unless_they_are_ids(tmp_path, texts, length):
    for column in spread(texts, length):
        table = read(tmp_path, x=column, score=column, item=column, user_id=column)
        expected = np.array([float(text) for text in column]).tobytes()  # -0.0 too
        assert table["x"].to_numpy().tobytes() == table["score"].to_numpy().tobytes() == expected
        assert table["x"].dtype == table["score"].dtype == np.float64
        assert table["item"].tolist() == table["user_id"].tolist() == column


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("texts", TEXTS, ids=ascii)
def test_all_else_stays_text(tmp_path, texts, length):
    for column in spread(texts, length):
        columns = dict.fromkeys(("item", "score", "x"), column)
        pd.testing.assert_frame_equal(read(tmp_path, **columns), pd.DataFrame(columns, dtype=TEXT))


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("texts", SAME_NUMBER, ids=str)
def test_decimals_of_several_forms_stay_text_unless_they_are_scores(tmp_path, texts, length):
    for column in spread(texts, length):
        numbers = list(map(float, column))
        table = read(tmp_path, paper=column, item=column, score=column, stars=column)
        assert table["paper"].tolist() == table["item"].tolist() == column
        assert table["score"].tolist() == table["stars"].tolist() == numbers
        # If the caller knows the ids, all other columns may have several forms.
        assert open_table(tmp_path / "t.csv", "t", ids=["item"])["paper"].tolist() == numbers


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "", "3"], [1.0, None, 3.0]),
        (["", "0.5"], [None, 0.5]),
        (["", "9007199254740993"], [None, "9007199254740993"]),  # float64 would round it
        (["", "007"], [None, "007"]),
        (["", "", ""], [None, None, None]),
    ],
)
def test_an_empty_field_is_missing(tmp_path, texts, expected, length):
    n_times = 1 if length == "short" else LONG
    values = read(tmp_path, n=["1"] * len(texts) * n_times, x=texts * n_times)["x"]
    assert [None if pd.isna(value) else value for value in values] == expected * n_times
    has_numbers = any(isinstance(value, float) for value in expected)
    assert values.dtype == (np.float64 if has_numbers else TEXT)


ANY_TEXT = st.one_of(
    st.sampled_from([text for texts in WHOLE + DECIMALS + TEXTS + SAME_NUMBER for text in texts]),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(str),
    st.decimals(allow_nan=False, places=18, min_value=-1, max_value=1).map(str),
    st.text("0123456789.-+e", max_size=6),
)


@example(texts=["INF"], name="x")
@given(texts=st.lists(ANY_TEXT, min_size=1, max_size=5), name=st.sampled_from(["x", "score"]))
def test_values_state_what_is_written(texts, name, tmp_path_factory):
    values = read(tmp_path_factory.mktemp("any"), n=["1"] * len(texts), **{name: texts})[name]
    for value, text in zip(values, texts, strict=True):
        if not text:
            assert pd.isna(value)
        elif values.dtype == np.int64:
            assert str(value) == text
        elif values.dtype == np.float64:
            assert value == float(text)
            assert np.isfinite(value) or "inf" in text.lower()
        else:
            assert value == text


def test_without_threads_and_users_can_write_to_the_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(threads.sys, "platform", "emscripten")
    table = read(tmp_path, n=["1", "2"], x=["0.5", "0.25"])
    table.loc[0] = [7, 8.5]
    assert table.to_numpy().tolist() == [[7, 8.5], [2, 0.25]]


def test_a_wide_file_has_its_columns_in_order(tmp_path):
    columns = {f"c{number}": [f"{number * row}" for row in range(5)] for number in range(1000)}
    pd.testing.assert_frame_equal(read(tmp_path, **columns), pd.DataFrame(columns).astype(int))


@pytest.mark.parametrize("separator", ["\t", ",", "::", ";", " ", "-", "e", "1", ".", "é"])
@pytest.mark.parametrize("header", [True, False])
def test_ratings_with_any_separator(tmp_path, separator, header):
    fields = [["22", "7", "5"], ["202", "30", "4"], ["44", "0", "8"]]
    rows = [separator.join("uix")] * header + [separator.join(row) for row in fields]
    path = tmp_path / "ratings.txt"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    table = read_ratings(path, separator=separator, header=header)
    assert table.to_numpy().tolist() == [[22, 7, 5], [202, 30, 4], [44, 0, 8]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("7", "Row #80: Expected 2 columns, got 1: 7$"),
        ("7,8,9", r"mind decimal commas.; .* Row #80: Expected 2 columns, got 3: 7,8,9$"),
        ("7,", None),
        ("", None),
        (" ", "Row #80: Expected 2 columns, got 1:  $"),
        ('"7\n8"', "Row #80: Expected 2 columns, got 1: "),
    ],
)
def test_a_wrong_line_is_named(tmp_path, lines, message):
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["a,b", *["12,34"] * 78, lines, *["5,6"] * 70]), encoding="utf-8")
    with pytest.raises(InputError, match=message) if message else nullcontext():
        assert len(read_table(path)) >= 148


def test_a_line_longer_than_a_block_is_read_and_a_wrong_one_after_it_is_named(tmp_path):
    assert read(tmp_path, user=["u" * 3_000_000], x=["1"])["user"].tolist() == ["u" * 3_000_000]
    path = tmp_path / "long.csv"
    path.write_text(f"user,x\n{'u' * 100_000},1\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Row #3: Expected 2 columns, got 1: 1$"):
        read_table(path)
