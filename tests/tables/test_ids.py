"""Ids and their codes: the way there and back, for any ids and any type of column."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from receval import InputError
from receval.tables import columns
from receval.tables.columns import (
    FLOATS_ADVICE,
    MIXED_ADVICE,
    NESTED_ADVICE,
    shared_codes,
)


def coded(values, dtype=None):
    codes, ids = shared_codes({"it": pd.Series(values, dtype=dtype)}, "item")
    return codes["it"], ids


# Ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [([5, 7, 5], [*range(8)]), ([2**40, -5], [-5, 2**40]), (["b", "a", "b"], ["a", "b"])],
    ids=["near", "far", "text"],
)
def test_tells_the_id_of_a_code(values, expected):
    ids = coded(values)[1]
    codes = np.arange(ids.size)
    assert ids.take(codes[::-1]).tolist() == expected[::-1]
    assert repr([ids.take_one(code) for code in codes]) == repr(expected)  # of the same types
    pd.testing.assert_index_equal(ids.index(codes, "who"), pd.Index(expected, name="who"))


@pytest.mark.parametrize(
    ("values", "codes", "bytes_"),
    [
        (["a", "b", "c"], [0, 1, 2], [0, 1, 2]),
        (["a"], [0], [0]),
        (["b", "a", "c", "", "é", "e"], [2, 1, 3, 0, 5, 4], [2, 1, 3, 0, 5, 4]),
        ([9, 10, 9], [9, 10, 9], [10, 2, 10]),  # "10" follows "0" and "1"
        ([2**40, 3, 10], [2, 0, 1], [1, 2, 0]),  # "10", "1099511627776", "3"
    ],
)
def test_the_order_of_ids_as_themselves_and_as_bytes(values, codes, bytes_):
    found, ids = coded(values)
    assert found.tolist() == codes
    assert ids.byte_order[found].tolist() == bytes_


# Codes --------------------------------------------------------------------------------------------

KINDS = {
    "near": [7, 5, 7, 6],
    "from 0": [0, 3, 0],
    "negative": [-3, 4, -3],
    "far": [2**40, -5, 2**40, 3],
    "beyond int64": [2**63 + 1, 2**63 + 1, 2],
    "from the end of int64 on": [2**63, 1],
    "around the end of int64": [2**63, 2**63 - 1],
    "from below int64 on": [-(2**63) - 1, 5],
    "around the start of int64": [-(2**63) - 1, -(2**63)],
    "the whole of int64": [-(2**63), 2**63 - 1],
    "beyond and below": [2**63 + 1, -7],
    "beyond uint64": [2**70, 1],
    "empty text": ["", ""],
    "short text": ["b", "a", "b", ""],
    "eight bytes each": ["12345678", "abcdefgh", "12345678"],
    "up to eight bytes": ["12345678", "1234567", "é", "12345678", "1"],
    "runs of equal texts": ["ab", "ab", "ab", "a", "a", "ab", "ab", "ab", "b", "b"],
    "nine bytes": ["123456789", "12345678", "123456789"],
    "null bytes": ["a\0", "a", "a\0"],
    "nothing but null bytes": ["\0\0", "", "\0", "\0\0"],
    "of any length": ["x" * n for n in (0, 7, 8, 9, 40, 3000, 8)],
    "unlike at the end": ["x" * 2000 + end for end in "abac"],
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("category", [False, True], ids=["plain", "categories"])
def test_codes_lead_back_to_the_ids(name, category, monkeypatch):
    monkeypatch.setattr(columns, "KEY_ROWS", 2)  # short texts become numbers in several blocks
    values = KINDS[name]
    codes, ids = coded(pd.Categorical(values, list(dict.fromkeys(values))) if category else values)
    assert ids.take(codes).tolist() == values
    assert codes.min() >= 0
    assert codes.max() < ids.size
    assert ids.kind == ("text" if isinstance(values[0], str) else "integer")


ARROW_TEXTS = pd.Series(["unused", "b", "", "é", "b", "last"], dtype=pd.ArrowDtype(pa.string()))
TEXTS = ["xyz", "b", "a", "b", "é"]
IN_CHUNKS = [
    pd.Series(part, dtype=pd.ArrowDtype(pa.string())) for part in (["b", "a"], ["a", "long enough"])
]


@pytest.mark.parametrize(
    "series",
    [
        *(
            pd.Series([3, 1, 3], dtype=dtype)
            for dtype in (
                "int8",
                "uint8",
                "int64",
                "uint64",
                "Int8",
                "UInt64",
                "int64[pyarrow]",
                object,
            )
        ),
        *(
            pd.Series(TEXTS, dtype=dtype)[cut]
            for dtype in (
                object,
                "str",
                "string",
                pd.StringDtype("python"),
                pd.ArrowDtype(pa.string()),
                pd.ArrowDtype(pa.large_string()),
            )
            for cut in (slice(None), slice(1, 4))
        ),
        pd.concat(IN_CHUNKS, ignore_index=True),
        pd.Series([2**64 - 1, 2**64 - 2], dtype="UInt64"),
        pd.Series([-(2**40), 5, -1], dtype="Int64"),
    ],
    ids=lambda series: f"{series.dtype} {len(series)}",
)
def test_ids_of_any_type(series):
    codes, ids = shared_codes({"it": series}, "item")
    assert ids.take(codes["it"]).tolist() == series.tolist()
    assert codes["it"].dtype == np.int64
    if ids.kind != "integer":  # near integers are counted with the gaps between them
        assert ids.size == series.nunique()


NEAR_LIMIT = 4 * 2 - 1  # less than 4 rows' worth apart


@pytest.mark.parametrize("given", [None, object])
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0, NEAR_LIMIT], range),
        ([0, NEAR_LIMIT + 1], np.int64),
        *(([first + 2, first], range) for first in (-(2**63), -1000, 0, 2**63 - 3)),
        *(([-(2**63), 0], np.int64), ([2**63 - 1, -5], np.int64), ([-1000, 2**40], np.int64)),
        *(([2**63, 0], object), ([2**63, 2**63 - 1], object), ([-(2**63) - 1, 0], object)),
    ],
)
def test_near_integers_are_counted_and_far_ones_are_objects_only_where_they_must(
    values, dtype, given
):
    codes, ids = coded(values, given)
    assert (codes.dtype, ids.take(codes).tolist()) == (np.int64, values)
    if dtype is range:
        assert codes.tolist() == [value - ids.take_one(0) for value in values]
    else:
        assert (ids.values.dtype, ids.values.tolist()) == (dtype, sorted(values))


@pytest.mark.parametrize(
    ("tables", "codes", "expected"),
    [
        ({"a": ["b", "c"], "b": ["a", "b"]}, {"a": [1, 2], "b": [0, 1]}, ["a", "b", "c"]),
        (
            {"a": ["x", "y"], "b": [], "c": ["y", "z", "x"]},
            {"a": [0, 1], "b": [], "c": [1, 2, 0]},
            ["x", "y", "z"],
        ),
        ({"a": [9, 2**40, 3]}, {"a": [1, 2, 0]}, [3, 9, 2**40]),
        ({"a": ["long enough"], "b": []}, {"a": [0], "b": []}, ["long enough"]),
        ({"a": pd.Categorical(["x", "y"]), "b": []}, {"a": [0, 1], "b": []}, ["x", "y"]),
        ({"a": [1, 2**40], "b": []}, {"a": [0, 1], "b": []}, [1, 2**40]),
        ({"a": []}, {"a": []}, []),
        ({"a": ARROW_TEXTS[1:5]}, {"a": [1, 0, 2, 1]}, ["", "b", "é"]),  # not those of the rest
    ],
)
def test_tables_share_their_codes_which_ascend_with_the_ids(tables, codes, expected):
    columns = {
        name: pd.Series(values, dtype=None if len(values) else float)
        for name, values in tables.items()
    }
    found, ids = shared_codes(columns, "item")
    assert {name: own.tolist() for name, own in found.items()} == codes
    assert {own.dtype for own in found.values()} == {np.dtype(np.int64)}
    assert ids.take(np.arange(ids.size)).tolist() == expected
    assert ids.kind == ("text" if {*map(type, expected)} == {str} else "integer")


# What is refused ----------------------------------------------------------------------------------


NUMBERS, TEXTUAL = pd.Series([1, 2]), pd.Series(["1"])
MISSING = "must not be missing; got"
KINDS_OF_IDS = f"must be ids of one kind; got int64 (integer) and {TEXTUAL.dtype} (text)."
TO_TEXT = (
    "If they are the same ids, turn the numbers into text: frame['item'].astype(str). If zeros in "
    "front are gone, as in 007, read the file again: pandas.read_csv(path, dtype={'item': str})"
)
RULE = "must hold ids, all integers or all text; got"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        *(
            ({"x": pd.Series(values)}, f"item of x {RULE} {message}")
            for values, message in (
                ([True, False], "boolean, such as True, False. " + MIXED_ADVICE),
                (pd.Categorical([True]), "boolean, such as True. " + MIXED_ADVICE),
                ([1.5, 2], "floating, such as 1.5, 2.0. " + FLOATS_ADVICE),
                (pd.Categorical([1.5]), "floating, such as 1.5. " + FLOATS_ADVICE),
                ([1.0, 2.0], "floating, such as 1.0, 2.0. They are whole: astype('int64')"),
                ([1e17], f"floating, such as 1e+17. {FLOATS_ADVICE}"),
                ([("a", 1)], f"mixed, such as ('a', 1). {NESTED_ADVICE}"),
                ([["a", "b"]], f"mixed, such as ['a', 'b']. {NESTED_ADVICE}"),
                ([1, "1"], f"mixed-integer, such as 1, '1'. {MIXED_ADVICE}"),
                (pd.Categorical([1, "b"]), f"mixed-integer, such as 1, 'b'. {MIXED_ADVICE}"),
            )
        ),
        *(
            ({"x": pd.Series(values, dtype=dtype)}, f"item of x {MISSING} {shown} in row 1")
            for values, dtype, shown in (
                (["a", None], object, "None"),
                ([1, None], "Int64", "<NA>"),
                ([1.0, np.nan], float, "nan"),
                (["a", None], "category", "nan"),
            )
        ),
        (
            {"a": pd.Series(dtype=object), "b": NUMBERS, "c": TEXTUAL},
            f"item of b and of c {KINDS_OF_IDS} {TO_TEXT}",
        ),
        (
            {"x": pd.Series(["a", "\ud800"], dtype=object)},
            r"item of x must hold text that UTF-8 can write; got '\ud800' in row 1",
        ),
    ],
)
def test_refuses_what_is_no_id(tables, message):
    with pytest.raises(InputError) as found:
        shared_codes(tables, "item")
    assert str(found.value) == message
