"""Large files of plain numbers give the same tables as they would without the fast reader.

Only files from `MIN_SIZE` on are read fast. The tests set this size, the size of the sample that
shows the types, and that of the parts to a few bytes, so that small files have the same problems.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.reading_rule import NASTY_FIELDS, assert_as_expected

from receval import InputError, read_table
from receval import _threads as threads
from receval.tables import csv_numbers, read_ratings

PLAIN_COLUMNS = {
    "integers": ["3", "12", "0", "-5"],
    "15 digits": ["999999999999999", "-99999999999999", "0"],
    "decimals": ["0.5", "0.1", "-3.25", "-0.5", "12", "5.", ".5", "-.5", "0", "-0.0"],
    "exponents": ["1e5", "9.9e-05", "1.e5", "-1e-99", "5e99", "0.5"],
    "texts": ["u1", "Q0x", "1+", "é", "0.5", "NA"],
}

SPECIAL_FIELDS = [
    *NASTY_FIELDS,
    "1234567890123456",
    "0.1234567890123456",
    "0.12345678901234567",
    "0e5",
    "-0e5",
    "1e100",
    "1e-100",
    "1e-400",
    "1e05",
    "1e+05",
    "1E05",
    "1/2",
    "\x0b5",
    "0X1F",
    "-0x1F",
    "1f",
    "1-05",
    "2020-01-02",
    "e-05",
]
"""Fields that the fast reader must leave to the other one, and some that only look like them."""


@pytest.fixture
def small(monkeypatch):
    """Let the fast reader read small files, and check each of their lines by itself."""
    monkeypatch.setattr(csv_numbers, "MIN_SIZE", 0)
    monkeypatch.setattr(csv_numbers, "SAMPLE_SIZE", 100)
    monkeypatch.setattr(csv_numbers, "PART_SIZE", 1)


@pytest.fixture
def only_fast(small, monkeypatch):
    """Let the other reader fail."""
    monkeypatch.setattr(csv_numbers, "read_fields", None)


def write(path, columns):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    lines = [",".join(row) + "\n" for row in rows]
    path.write_bytes("".join(lines).encode())
    return path


@pytest.mark.parametrize("kind", PLAIN_COLUMNS)
def test_plain_columns_are_read_fast(kind, only_fast, tmp_path):
    texts = PLAIN_COLUMNS[kind] * 60
    columns = {"n": [str(n) for n in range(len(texts))], "x": texts, "y": texts[::-1]}
    frame = read_table(write(tmp_path / "plain.csv", columns))
    for name, column in columns.items():
        assert_as_expected(frame[name], column)


@pytest.mark.parametrize("kind", ["integers", "decimals", "texts"])
@pytest.mark.parametrize("field", SPECIAL_FIELDS)
def test_a_special_field_is_read_by_the_rule_wherever_it_stands(field, kind, small, tmp_path):
    texts = PLAIN_COLUMNS[kind] * 8
    columns = {
        "n": [str(n) for n in range(len(texts) + 1)],
        "first": [field, *texts],
        "plain": [*texts, texts[0]],
        "last": [*texts, field],
    }
    for names in (["n", "last"], ["last", "n"], ["n", "first", "plain"]):
        chosen = {name: columns[name] for name in names}
        path = write(tmp_path / "special.csv", chosen)
        if names == ["n", "last"]:  # without a line break at the end
            path.write_bytes(path.read_bytes()[:-1])
        frame = read_table(path)
        for name, column in chosen.items():
            assert_as_expected(frame[name], column)


PLAIN_INTEGER = st.integers(-(10**14) + 1, 10**15 - 1).map(str)
PLAIN_DECIMAL = st.one_of(
    st.decimals(-1000, 1000, places=6).map(str), st.floats(-1, 1).map("{:.6g}".format)
)
WORD = st.text("ab0 xe", max_size=4).map("w{}".format)
ANY_FIELD = st.one_of(st.sampled_from(SPECIAL_FIELDS), st.text("0123.-e +x", max_size=5))


@given(
    data=st.data(),
    kinds=st.lists(st.sampled_from([PLAIN_INTEGER, PLAIN_DECIMAL, WORD]), min_size=2, max_size=4),
    n_rows=st.integers(1, 25),
    sample_size=st.integers(10, 200),
    part_size=st.sampled_from([1, 7, 40, 1 << 17]),
    with_final_newline=st.booleans(),
)
def test_any_table_is_read_by_the_rule(
    data, kinds, n_rows, sample_size, part_size, with_final_newline, tmp_path_factory
):
    columns = {
        str(position): data.draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
        for position, kind in enumerate(kinds)
    }
    # Replace some fields by anything.
    for position, row, field in data.draw(
        st.lists(
            st.tuples(st.integers(0, len(kinds) - 1), st.integers(0, n_rows - 1), ANY_FIELD),
            max_size=3,
        )
    ):
        columns[str(position)][row] = field
    path = write(tmp_path_factory.mktemp("any") / "any.csv", columns)
    if not with_final_newline:
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_numbers, "MIN_SIZE", 0)
        patch.setattr(csv_numbers, "SAMPLE_SIZE", sample_size)
        patch.setattr(csv_numbers, "PART_SIZE", part_size)
        frame = read_table(path)
    for name, texts in columns.items():
        assert_as_expected(frame[name], texts)


@pytest.mark.parametrize("line", ["7", "7,8,9", "7,", ",7", "", " ", "7,8\r", "\r7,8", '7,"8"'])
@pytest.mark.parametrize("position", [0, 1, 70, 150])
def test_an_odd_line_is_read_or_refused_as_always(line, position, small, tmp_path, monkeypatch):
    lines = ["12,34"] * 150
    lines.insert(position, line)
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(lines), encoding="utf-8", newline="")

    def table_or_message():
        try:
            return read_table(path).to_csv()
        except InputError as error:
            return str(error)

    found = table_or_message()
    monkeypatch.setattr(csv_numbers, "MIN_SIZE", 1 << 20)
    assert found == table_or_message()


def test_quotes_are_no_part_of_texts(small, tmp_path):
    columns = {"user": ['"u1"', '"u2"'] * 50, "x": ["0.5", "0.25"] * 50}
    frame = read_table(write(tmp_path / "quoted.csv", columns))
    assert frame["user"].unique().tolist() == ["u1", "u2"]


@pytest.mark.parametrize("separator", ["\t", ",", "::", ";", " ", "-", "e", "1", "."])
@pytest.mark.parametrize("header", [True, False])
def test_ratings_with_any_separator(separator, header, small, tmp_path):
    # With "e" as separator, "-05" is a field, and not the end of a number such as "1e-05".
    item = "-05" if separator == "e" else "0"
    fields = [["22", "7", "5"], ["202", "30", "4"]] * 50 + [["44", item, "8"]]
    rows = [separator.join(row) for row in fields]
    path = tmp_path / "ratings.txt"
    path.write_text("\n".join([separator.join("uir")] * header + rows) + "\n", encoding="utf-8")
    found = read_ratings(path, separator=separator, header=header)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_numbers, "MIN_SIZE", 1 << 20)
        expected = read_ratings(path, separator=separator, header=header)
    pd.testing.assert_frame_equal(found, expected)


def test_ratings_with_a_long_separator_are_read_fast(only_fast, tmp_path):
    path = tmp_path / "ratings.dat"
    path.write_text("1::10::4.5::978300760\n" * 100, encoding="utf-8")
    ratings = read_ratings(path, separator="::")
    assert ratings.drop_duplicates().to_numpy().tolist() == [[1, 10, 4.5, 978300760]]


def test_without_threads(only_fast, tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "can_start_threads", lambda: False)
    path = tmp_path / "plain.csv"
    path.write_text("n,x\n" + "1,0.5\n" * 100, encoding="utf-8")
    assert read_table(path).sum().tolist() == [100, 50]


def test_a_line_longer_than_a_part(only_fast, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_numbers, "SAMPLE_SIZE", 1_000)
    columns = {str(n): [str(n), str(n + 0.5)] * 10 for n in range(60)}
    frame = read_table(write(tmp_path / "wide.csv", columns))
    assert frame.to_numpy().tolist() == [[n + half for n in range(60)] for half in (0, 0.5)] * 10


def test_users_can_write_to_the_numbers(only_fast, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("n,x\n" + "1,0.5\n" * 100, encoding="utf-8")
    frame = read_table(path)
    assert frame.dtypes.tolist() == [np.int64, np.float64]
    frame.loc[0, "n"] = 7
    frame.loc[1, "x"] = 8.5
    assert frame[:2].to_numpy().tolist() == [[7, 0.5], [1, 8.5]]
