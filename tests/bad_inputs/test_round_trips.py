"""Tables that receval writes are equal when it reads them again, or it refuses to write them.

CSV doesn't say whether "7" is text, so a column of text may come back as numbers.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from receval import InputError
from receval.tables import (
    read_qrels,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

SPECIAL = [
    *("\n", '"', "'", ",", "\t", ";", "|", " ", "\u00a0", "\u2028", "\x85", "\x0b", "\x0c", "\x1c"),
    *("\0", "\ufeff", "#", "\\", "é", "0", "7", ".", "-", "e", "+"),
]
LOOK_ALIKE = [
    *("7", "007", "NA", "nan", "None", "null", "True", "inf", "1e5", "-0", "1.50", "+1", " 7"),
    *("7 ", "9007199254740993", "123456789012345678901234567890", "2020-01-01"),
]
PIECES = st.lists(st.sampled_from(SPECIAL + LOOK_ALIKE), min_size=1, max_size=4).map("".join)
TEXT = PIECES | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1, max_size=6
)
TEXTS = st.lists(TEXT, min_size=1, max_size=4)
IDS = st.lists(TEXT, min_size=1, max_size=4, unique=True)
NUMBERS = st.one_of(
    st.lists(numbers, min_size=1, max_size=4).map(partial(np.array, dtype=dtype))
    for numbers, dtype in (
        (st.floats(allow_nan=False, allow_infinity=False), np.float64),
        (st.integers(-(2**63), 2**63 - 1), np.int64),
        (st.integers(2**63, 2**64 - 1), np.uint64),
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("round")


def texts_of(column, texts):
    """Return a column of a CSV file; numbers are given back as the texts that state them."""
    if column.dtype.kind not in "iuf":
        return [None if pd.isna(value) else value for value in column]
    text_by_number = {repr(float(text)): text for text in texts if text is not None}  # -0.0 != 0.0
    return [text_by_number.get(repr(float(number))) for number in column]


# Tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
@given(texts=TEXTS, numbers=NUMBERS, name=TEXT)
@example(texts=["7", "8"], numbers=np.array([1, 2]), name="user")
@example(texts=["7"], numbers=np.array([1]), name="a;b")
@example(texts=["\ufeff"], numbers=np.array([-0.0]), name="x")
def test_tables_come_back(folder, ending, texts, numbers, name):
    assume(not name.startswith("\ufeff"))  # a mark in front is no part of the first name
    assume("\0" not in name[:2])  # as in UTF-16
    size = min(len(texts), len(numbers))
    columns = {name: texts[:size], f"{name} 2": numbers[:size]}
    write_table(pd.DataFrame(columns), folder / f"t.{ending}")
    back = read_table(folder / f"t.{ending}")
    assert list(back) == list(columns)
    assert texts_of(back[name], texts[:size]) == texts[:size]
    numbers_back = back[f"{name} 2"].tolist()
    if ending in ("csv", "tsv") and numbers.dtype == np.uint64:
        numbers_back = list(map(int, numbers_back))  # text beyond int64
    assert numbers_back == numbers[:size].tolist()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@given(texts=TEXTS)
@example(texts=["7"])
@example(texts=["a,b", "\t"])
def test_a_single_column_comes_back_with_its_gaps(folder, ending, texts):
    column = [None, *texts, None]
    write_table(pd.DataFrame({"only": pd.Series(column, dtype=object)}), folder / f"t.{ending}")
    back = read_table(folder / f"t.{ending}")["only"]
    assert texts_of(back, column) == column


TEXT_FILES, ALL_FILES = ("csv", "tsv"), ("csv", "tsv", "json", "parquet")


@pytest.mark.parametrize(
    ("table", "endings", "message"),
    [
        ({"x": ["a", ""]}, TEXT_FILES, r"column 'x' must not hold empty text.*; got '' in row 1"),
        *(
            (
                {"x": [value]},
                TEXT_FILES,
                r"column 'x' must not hold .* lists, bytes or carriage returns; got",
            )
            for value in ([1], b"a")
        ),
        ({"": [1]}, TEXT_FILES, r"table must have a name without carriage returns for each column"),
        ({}, TEXT_FILES, r"table must have at least one column"),
        (
            {"x": pd.Series(["\ud800"], dtype=object)},
            TEXT_FILES,
            r"must hold text that UTF-8 can write",
        ),
        ({1: [1], "1": [2]}, ALL_FILES, r"table must hold each column once; got '1' 2 times"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), ALL_FILES, "table must hold each column once"),
        ({"x": [np.inf]}, ("json",), "must hold .*finite numbers"),
        ({"x": [object()]}, ("json",), "finite numbers or dates"),
    ],
)
def test_files_refuse_what_they_cannot_hold(tmp_path, table, endings, message):
    for ending in endings:
        with pytest.raises(InputError, match=message):
            write_table(pd.DataFrame(table), tmp_path / f"t.{ending}")
    assert not list(tmp_path.iterdir())


# TREC ----------------------------------------------------------------------------------------

FORMATS = {
    "run": (write_run, read_run, "score"),
    "qrels": (write_qrels, read_qrels, "relevance"),
}


@pytest.mark.parametrize("form", FORMATS)
@given(ids=IDS, numbers=NUMBERS)
@example(ids=["a", "b"], numbers=np.array([2**53, 2**53 + 1]))
@example(ids=["a", "b"], numbers=np.array([2**64 - 1, 2**64 - 2], np.uint64))
@example(ids=["a"], numbers=np.array([-(2**63)]))
@example(ids=["\ufeffa"], numbers=np.array([0.1]))
@example(ids=["1e5", "2"], numbers=np.array([0.1, 0.2]))
@example(ids=["#1", "##"], numbers=np.array([2.0, 1.0]))
def test_ids_and_numbers_come_back_or_are_refused(folder, form, ids, numbers):
    assume("\0" not in ids[0][:2])  # as in UTF-16
    write, read, label = FORMATS[form]
    size = min(len(ids), len(numbers))
    ids, numbers = ids[:size], numbers[:size]
    table = pd.DataFrame({"user": ids, "item": ids[::-1], label: numbers})
    try:
        write(table, folder / form)
    except InputError:
        # every refused id has a blank of some kind, or begins with what the format reserves
        hard = [text for text in ids if text.split() != [text] or text[0] in "#\ufeff"]
        assert hard or any("\x1c" <= sign <= "\x1f" for sign in "".join(ids))
        return
    back = read(folder / form)
    rows = zip(map(str, back["user"]), map(str, back["item"]), back[label].tolist(), strict=True)
    expected = zip(ids, ids[::-1], numbers.tolist(), strict=True)
    assert sorted(rows) == sorted(expected)
