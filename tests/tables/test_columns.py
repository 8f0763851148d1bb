"""Columns from any kind of table keep their values, types and order, or give a clear error."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from receval import InputError, lists_from_items, write_run, write_table
from receval.tables.columns import (
    LISTS_ADVICE,
    as_series,
    check_frame,
    check_no_rows,
    format_examples,
    read_column,
    read_numbers,
)
from receval.tables.reading import open_table

FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[7, 3])


def test_tables_are_left_as_they_are():
    assert open_table(FRAME, "x") is FRAME
    assert open_table((), "x").empty
    assert read_column(open_table([], "x"), "a", "x").dtype == object
    assert read_column(FRAME.iloc[:0], "a", "x").dtype == np.int64


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, "1"], object),  # NumPy would make text of both
        ([True, 2], object),
        ([1, 2], np.int64),
        ((1.5, 2), np.float64),
        ([2**63, 1], np.uint64),
        (np.array([1], "int8"), np.int8),
        (pd.array([1, None], "Int64"), "Int64"),
        (FRAME["a"], np.int64),
    ],
)
def test_values_keep_their_type(values, dtype):
    series = as_series(values, "x")
    assert series.dtype == dtype
    assert series.tolist() == list(values)


WORDS = "Text is not turned into numbers (mind decimal commas; words: .map({'good': 2, …}))"
FILL = "Leave such rows out with dropna(), or give them a number with fillna()"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: open_table(3, "x"), f"x must be a table (a DataFrame); got int. {LISTS_ADVICE}"),
        (
            lambda: open_table([1], "x"),
            f"x must be a table (a DataFrame); got list. {LISTS_ADVICE}",
        ),
        (
            lambda: open_table(SimpleNamespace(columns=["a"]), "x"),
            f"x must be a table (a DataFrame); got types.SimpleNamespace. {LISTS_ADVICE}",
        ),
        (
            lambda: open_table({"a": [1]}, "x"),
            f"x must be a table (a DataFrame); got dict. {LISTS_ADVICE}",
        ),
        (lambda: as_series(np.ones((2, 2)), "x"), "x must have one axis; got shape (2, 2)"),
        (lambda: as_series(3, "x"), "x must be a list or an array; got 3"),
        (
            lambda: read_column(FRAME, "c", "x"),
            "x must have one column 'c'; got the columns ['a', 'b']",
        ),
        (
            lambda: read_column(FRAME[["a", "a"]], "a", "x"),
            "x must have one column 'a'; got the columns ['a', 'a']",
        ),
        (
            lambda: read_column(pa.table({"a": [1]}), "c", "x"),
            "x must have one column 'c'; got the columns ['a']",
        ),
        (
            lambda: read_column(FRAME[[]], "c", "x"),  # rows, but no columns
            "x must have one column 'c'; got the columns []",
        ),
        (
            lambda: read_numbers(pd.Series(["1,5", "2"], dtype=object), "x"),
            f"x must hold numbers; got '1,5' in row 0. {WORDS}",
        ),
        (
            lambda: read_numbers(pd.Series(["1", "-2.5"], dtype=object), "x"),
            (
                "x must hold numbers; got object, such as '1', '-2.5'. "
                "Text is not turned into numbers: pd.to_numeric(column) does it"
            ),
        ),
        (
            lambda: read_numbers(pd.Series(["good", "ok"], dtype=object), "x"),
            f"x must hold numbers; got 'good' in row 0, 'ok' in row 1. {WORDS}",
        ),
        (
            lambda: read_numbers(
                pd.Series(["5"] * 5000 + ["n/a?"] + ["4"]).astype("category"), "x"
            ),
            f"x must hold numbers; got 'n/a?' in row 5000. {WORDS}",
        ),
        (
            lambda: read_numbers(pd.Series([1j]), "x"),
            (
                "x must hold numbers; got complex128, such as 1j. "
                "Make a column of whole numbers or float64 first"
            ),
        ),
        (
            lambda: read_numbers(pd.Series([Fraction(1, 2)]), "x"),
            (
                "x must hold numbers; got object, such as Fraction(1, 2). "
                "Make a column of whole numbers or float64 first"
            ),
        ),
        (
            lambda: check_frame(pl.DataFrame({"a": [1]}), "x"),
            "x must be a pandas DataFrame; got polars.DataFrame. Pass x.to_pandas()",
        ),
        (
            lambda: check_frame("a.csv", "x"),
            "x must be a pandas DataFrame; got str. To read a file: receval.read_table(path)",
        ),
        (
            lambda: write_run("a.csv", "a.run"),
            (
                "recommendations must be a table (a DataFrame); got str. "
                "To read a file: receval.read_table(path)"
            ),
        ),
        (
            lambda: write_table("a.csv", "b.csv"),
            (
                "table must be a table (a DataFrame); got str. "
                "To read a file: receval.read_table(path)"
            ),
        ),
        (
            lambda: lists_from_items("a.csv"),
            (
                "ids must have two axes, users and ranks or items; got str of shape (). Of a "
                "sparse matrix, make a table of row, col and data of matrix.tocoo()"
            ),
        ),
        (
            lambda: read_numbers(pd.Series([1, np.nan]), "x"),
            f"x must not be missing; got nan in row 1. {FILL}",
        ),
        (
            lambda: read_numbers(pd.Series([1, None], dtype="Int64"), "x"),
            f"x must not be missing; got <NA> in row 1. {FILL}",
        ),
        (
            lambda: read_numbers(pd.Series([np.nan, np.inf]), "x"),
            f"x must not be missing; got nan in row 0. {FILL}",
        ),
        (lambda: read_numbers(pd.Series([1, np.inf]), "x"), "x must be finite; got inf in row 1"),
        (lambda: read_numbers(pd.Series([-np.inf, 1]), "x"), "x must be finite; got -inf in row 0"),
        (
            lambda: check_no_rows(pd.Series(range(5)), np.ones(5, bool), "x", "be 9"),
            "x must be 9; got 0 in row 0, 1 in row 1, 2 in row 2, 3 in row 3, 4 in row 4",
        ),
        (
            lambda: check_no_rows(pd.Series(range(7)), np.arange(7) > 0, "x", "be 0", "Mend it"),
            (
                "x must be 0; got 1 in row 1, 2 in row 2, 3 in row 3, 4 in row 4, 5 in row 5 and "
                "1 more. Mend it"
            ),
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError) as found:
        call()
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1, 2], "int8", "int8"),
        ([True, False], "bool", "bool"),
        ([2**63 + 1], "uint64", "uint64"),
        ([2**63 + 1], "UInt64", "uint64"),
        ([2**53 + 1, -3], "Int64", "int64"),
        ([0.5, -1], "Float64", "float64"),
        ([0.5], "float32", "float32"),
        ([2**53 + 1], "int64[pyarrow]", "int64"),
        ([], "float64", "float64"),
    ],
)
def test_numbers_keep_their_values(values, dtype, expected):
    assert_array_equal(
        read_numbers(pd.Series(values, dtype=dtype), "x"), np.array(values, expected), strict=True
    )


def test_infinite_numbers_on_request():
    values = np.array([np.inf, 1, -np.inf])
    assert_array_equal(read_numbers(pd.Series(values), "x", infinite=True), values)


def test_the_first_five_values_are_examples():
    assert format_examples(pd.Series(list("abcdefg"))) == "'a', 'b', 'c', 'd', 'e'"
    assert format_examples(pd.Series(["x" * 99])) == "'" + "x" * 58 + "…"
