"""Columns of text files become numbers by one rule, whatever shortcut the reader takes.

`reading_rule` states the rule in plain Python, text by text. The reader looks at the first texts
of a column before it looks at all of them. It parses long columns in several threads, and tries
many short columns together. Tests switch these shortcuts off and on.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.reading_rule import NASTY_FIELDS, assert_as_expected

from receval import read_table
from receval.tables import number_parsing
from receval.tables.number_parsing import parse_table_numbers

CLEAN_COLUMNS = {
    "integers": ["3", "12", "0", "-5"],
    "decimals": ["0.5", "0.1", "-3.25", "0.30000000000000004", "12"],
    "ids": ["007", "0012", "0000"],
    "texts": ["u1", "Q0", "1e", "0.5"],
}


@pytest.mark.parametrize("kind", CLEAN_COLUMNS)
@pytest.mark.parametrize("field", NASTY_FIELDS)
def test_a_nasty_field_is_read_by_the_rule_wherever_it_stands(field, kind, tmp_path):
    clean = CLEAN_COLUMNS[kind] * 500
    columns = {
        "first": [field, *clean],
        "last": [*clean, field],
        "only": [field] * (1 + len(clean)),
    }
    path = tmp_path / "nasty.csv"
    lines = [",".join(["id", *columns])]
    for number, fields in enumerate(zip(*columns.values(), strict=True)):
        lines.append(",".join([str(number), *fields]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame = read_table(path)
    for name, texts in columns.items():
        assert_as_expected(frame[name], texts)


ANY_TEXT = st.one_of(
    st.sampled_from(NASTY_FIELDS),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(str),
    st.decimals(allow_nan=False, places=18, min_value=-1, max_value=1).map(str),
    st.text("0123456789.-+e", max_size=6),
)
INTEGER_TEXT = st.integers(-(2**63), 2**63 - 1).map(str)
DECIMAL_TEXT = st.one_of(st.floats(-10, 10).map(str), st.sampled_from(["0.5", "5.", "7", ""]))
WORD = st.sampled_from(["a", "b7", "", "NA"])


@pytest.mark.parametrize("probe_size", [0, 1, 3, 1_000])
@given(
    columns=st.lists(
        st.one_of(
            st.lists(ANY_TEXT, min_size=5, max_size=5),
            st.lists(INTEGER_TEXT, min_size=5, max_size=5),
            st.lists(DECIMAL_TEXT, min_size=5, max_size=5),
            st.lists(WORD, min_size=5, max_size=5),
        ),
        min_size=1,
        max_size=6,
    ),
    min_rows_for_threads=st.sampled_from([0, 10**6]),
    columns_parsed_together=st.sampled_from([1, 2, 200]),
)
def test_no_shortcut_changes_a_value(
    probe_size, columns, min_rows_for_threads, columns_parsed_together
):
    import pyarrow as pa

    arrays = {
        str(position): pa.array([text or None for text in texts], pa.large_string())
        for position, texts in enumerate(columns)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_parsing, "PROBE_SIZE", probe_size)
        patch.setattr(number_parsing, "MIN_ROWS_FOR_THREADS", min_rows_for_threads)
        patch.setattr(number_parsing, "COLUMNS_PARSED_TOGETHER", columns_parsed_together)
        frame = parse_table_numbers(arrays)
    for position, texts in enumerate(columns):
        assert_as_expected(frame[str(position)], texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["1e-323", "1.1e-323"],  # equal in float64, which has one digit here
        ["1e-323", "1.0e-323"],
        ["1e-323", "2e-323"],
        ["2.5e-310", "2.50000000000000e-310"],
        ["2.5e-310", "2.5000000000001e-310"],  # 15 digits, but float64 has 13 here
        ["2.5e-310", "2.500000000001e-310"],
    ],
)
def test_numbers_that_float64_merges_stay_text(texts):
    import pyarrow as pa

    assert_as_expected(number_parsing.parse_numbers(pa.array(texts, pa.large_string())), texts)


def test_a_slice_of_an_array_is_read_like_an_array_of_its_own():
    import pyarrow as pa

    texts = ["007", "10", "", "", "5", "0"]
    array = pa.array([text or None for text in texts], pa.large_string())
    for start in range(6):
        for end in range(start + 1, 7):
            values = number_parsing.parse_numbers(array[start:end])
            assert_as_expected(values, texts[start:end])


def test_a_wide_file_has_its_columns_in_order(tmp_path):
    names = [f"c{number}" for number in range(3_000)]
    path = tmp_path / "wide.csv"
    rows = [[f"{row * number}" for number in range(3_000)] for row in range(30)]
    path.write_text("\n".join(",".join(fields) for fields in [names, *rows]), encoding="utf-8")
    frame = read_table(path)
    assert frame.columns.tolist() == names
    assert frame.astype(str).to_numpy().tolist() == rows
    assert (frame.dtypes == np.int64).all()


def test_each_column_of_a_wide_file_is_parsed_as_if_alone(tmp_path):
    columns = {}
    for number in range(500):
        fields = [f"{number}.{row}" for row in range(9)]
        if number % 3 == 0:
            fields = [f"{number + row}" for row in range(9)]
        elif number % 7 == 0:
            fields[4] = ""
        elif number % 11 == 0:
            fields[8] = "word"
        elif number % 13 == 0:
            fields = [f"0.3{'0' * 15}{row}" for row in range(9)]  # equal numbers in float64
        columns[f"c{number}"] = fields
    path = tmp_path / "wide.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join(map(",".join, [columns, *rows])), encoding="utf-8")
    frame = read_table(path)
    for name, texts in columns.items():
        assert_as_expected(frame[name], texts)


def test_text_columns_of_a_wide_file_stay_text_in_their_place():
    import pyarrow as pa

    columns = {name: pa.array(["1", "2"], pa.large_string()) for name in "abcde"}
    frame = parse_table_numbers(columns, text_columns=["b", "e"])
    assert frame.columns.tolist() == list("abcde")
    assert frame["b"].tolist() == frame["e"].tolist() == ["1", "2"]
    assert (frame[["a", "c", "d"]].dtypes == np.int64).all()
    frame.loc[0, "a"] = 9  # the columns share an array, but not their values
    assert frame["c"].tolist() == [1, 2]


def test_users_can_write_to_the_numbers_of_a_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("user,score\n1,0.5\n2,0.25\n", encoding="utf-8")
    frame = read_table(path)
    frame.loc[0, "user"] = 7
    frame.loc[1, "score"] = 0.75
    assert frame.to_numpy().tolist() == [[7, 0.5], [2, 0.75]]
