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
    read_ids,
    shared_codes,
)


def coded(values, dtype=None):
    codes, ids = shared_codes({"it": pd.Series(values, dtype=dtype)}, "item")
    return codes["it"], ids


NEAR, FROM_0, FAR = coded([5, 7, 5])[1], coded([0, 2])[1], coded([2**40, -5])[1]
TEXT = coded(["b", "a", "b"])[1]


# Ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "expected"),
    [(NEAR, [*range(8)]), (FAR, [-5, 2**40]), (TEXT, ["a", "b"])],
    ids=["near", "far", "text"],
)
def test_tells_the_id_of_a_code(ids, expected):
    codes = np.arange(ids.size)
    assert ids.take(codes).tolist() == expected
    assert ids.take(codes[::-1]).tolist() == expected[::-1]
    assert [ids.take_one(i) for i in codes] == expected
    assert [type(ids.take_one(i)) for i in codes] == [type(id) for id in expected]
    index = ids.index(codes, "who")
    assert index.tolist() == expected
    assert index.name == "who"


@pytest.mark.parametrize(
    ("values", "codes", "bytes_"),
    [
        (["a", "b", "c"], [0, 1, 2], [0, 1, 2]),
        (["a"], [0], [0]),
        (["b", "a", "c", "", "é", "e"], [2, 1, 3, 0, 5, 4], [2, 1, 3, 0, 5, 4]),
        ([9, 10], [9, 10], [10, 2]),  # "10" follows "0" and "1"
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


def test_a_slice_of_an_arrow_column_has_its_own_ids():
    column = pd.Series(["unused", "b", "", "é", "b", "last"], dtype=pd.ArrowDtype(pa.string()))
    codes, ids = coded(column[1:5])
    assert ids.take(codes).tolist() == ["b", "", "é", "b"]
    assert ids.size == 3


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


def test_tables_share_their_codes_and_an_empty_one_has_none():
    tables = {"a": ["x", "y"], "b": [], "c": ["y", "z", "x"]}
    codes, ids = shared_codes(
        {name: pd.Series(v, dtype=object) for name, v in tables.items()}, "item"
    )
    assert {name: ids.take(own).tolist() for name, own in codes.items()} == tables
    assert ids.size == 3
    assert list(codes) == list(tables)
    for values in (["x", "y"], ["long enough"], pd.Categorical(["x", "y"]), [1], [1, 2**40]):
        codes, _ = shared_codes({"a": pd.Series(values), "b": pd.Series(dtype=float)}, "item")
        assert (codes["b"].dtype, codes["b"].size) == (np.int64, 0)
    nothing, none = shared_codes({"a": pd.Series(dtype=object)}, "item")
    assert nothing["a"].dtype == np.int64
    assert (nothing["a"].size, none.size, none.kind) == (0, 0, "integer")
    assert none.take(nothing["a"]).size == 0


def test_far_integers_are_counted():
    near = 4 * 2 + 1023  # less than 4 rows' worth and 1024 apart
    assert coded([0, near])[1].size == near + 1
    assert coded([0, near + 1])[1].size == 2


@pytest.mark.parametrize("first", [-(2**63), -1000, 0, 2**63 - 3])
@pytest.mark.parametrize("dtype", ["int64", object])
def test_near_integers_from_one_end_of_int64_to_the_other(first, dtype):
    codes, ids = coded([first + 2, first], dtype)
    assert (codes.tolist(), codes.dtype) == ([2, 0], np.int64)
    assert ids.take(codes).tolist() == [first + 2, first]
    assert ids.values.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        *(([-(2**63), 0], np.int64), ([2**63 - 1, -5], np.int64), ([-1000, 2**40], np.int64)),
        *(([2**63, 0], object), ([2**63, 2**63 - 1], object), ([-(2**63) - 1, 0], object)),
    ],
)
@pytest.mark.parametrize("given", [None, object])
def test_far_integers_are_objects_only_where_they_must(values, dtype, given):
    ids = coded(values, given)[1]
    assert (ids.values.dtype, ids.values.tolist()) == (dtype, sorted(values))


def test_codes_ascend_with_their_ids():
    codes, ids = shared_codes({"a": pd.Series(["b", "c"]), "b": pd.Series(["a", "b"])}, "user")
    assert {name: own.tolist() for name, own in codes.items()} == {"a": [1, 2], "b": [0, 1]}
    assert ids.take(np.arange(3)).tolist() == ["a", "b", "c"]
    assert (ids.kind, ids.size) == ("text", 3)
    codes, ids = shared_codes({"a": pd.Series([9, 2**40, 3])}, "user")
    assert codes["a"].tolist() == [1, 2, 0]
    assert ids.take(codes["a"]).tolist() == [9, 2**40, 3]


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([True, False], "got boolean, such as True, False. " + MIXED_ADVICE),
        (pd.Categorical([True]), "got boolean, such as True. " + MIXED_ADVICE),
        ([1.5, 2], "got floating, such as 1.5, 2.0. " + FLOATS_ADVICE),
        (pd.Categorical([1.5]), "got floating, such as 1.5. " + FLOATS_ADVICE),
        ([1.0, 2.0], "got floating, such as 1.0, 2.0. They are whole: astype('int64')"),
        ([1e17], f"got floating, such as 1e+17. {FLOATS_ADVICE}"),
        ([("a", 1)], f"got mixed, such as ('a', 1). {NESTED_ADVICE}"),
        ([["a", "b"]], f"got mixed, such as ['a', 'b']. {NESTED_ADVICE}"),
        ([1, "1"], f"got mixed-integer, such as 1, '1'. {MIXED_ADVICE}"),
        (pd.Categorical([1, "b"]), f"got mixed-integer, such as 1, 'b'. {MIXED_ADVICE}"),
    ],
)
def test_refuses_what_is_no_id(values, message):
    series = pd.Series(values)
    for refuse in (
        lambda: read_ids(series, "item of x"),
        lambda: shared_codes({"x": series}, "item"),
    ):
        with pytest.raises(InputError) as found:
            refuse()
        assert str(found.value) == f"item of x must hold ids, all integers or all text; {message}"


NUMBERS, TEXTUAL = pd.Series([1, 2]), pd.Series(["1"])
HALF = pd.Series(["a", "\ud800"], dtype=object)
TWO_KINDS = {"a": pd.Series(dtype=object), "b": NUMBERS, "c": TEXTUAL}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"x": pd.Series(["a", None], dtype=object)},
            "item of x must not be missing; got None in row 1",
        ),
        (
            {"x": pd.Series([1, None], dtype="Int64")},
            "item of x must not be missing; got <NA> in row 1",
        ),
        ({"x": pd.Series([1.0, np.nan])}, "item of x must not be missing; got nan in row 1"),
        (
            {"x": pd.Series(pd.Categorical(["a", None]))},
            "item of x must not be missing; got nan in row 1",
        ),
        (
            TWO_KINDS,
            (
                "item of b and of c must be ids of one kind; got int64 (integer) and "
                f"{TEXTUAL.dtype} (text). If they are the same ids, turn the numbers into text: "
                "frame['item'].astype(str)"
            ),
        ),
        ({"x": HALF}, r"item of x must hold text that UTF-8 can write; got '\ud800' in row 1"),
    ],
)
def test_refuses_tables_of_ids(tables, message):
    with pytest.raises(InputError) as found:
        shared_codes(tables, "item")
    assert str(found.value) == message
