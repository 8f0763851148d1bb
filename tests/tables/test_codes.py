"""Positions of each user's rows: every layout gives the same as a search through all rows."""

import itertools
from itertools import groupby

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.tables import codes
from receval.tables.codes import IntegerCodes, RowsByUser, rows_by_user

LAYOUTS = {
    "in order": [1, 1, 3, 4, 4, 4],
    "each together": [4, 4, 1, 3, 3, 3],
    "the least first": [0, 4, 4, 2, 2],
    "in a few segments": [1, 1, 1, 4, 4, 4, 4, 1, 1, 0, 0, 0, 4, 4],
    "half as many segments as rows": [1, 1, 0, 0, 1, 1],
    "scattered": [3, 1, 3, 4, 1, 3, 0],
    "the last has fewer": [1, 1, 1, 3, 4, 4],
    "one row": [2],
    "nothing": [],
}


def rows_of(user):
    return RowsByUser.from_users(np.array(user, np.int64))


def laid(rows):
    """Return the numbers of each user's rows."""
    n = int((rows.first + rows.size).max(initial=0))
    order = np.arange(n) if rows.order is None else rows.order
    return [
        (int(user), order[first : first + count].tolist())
        for user, first, count in zip(rows.users, rows.first, rows.size, strict=True)
    ]


def looked_up(user, wanted=None):
    wanted = sorted(set(user)) if wanted is None else wanted
    return [(one, [row for row, own in enumerate(user) if own == one]) for one in wanted]


@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
def test_rows_by_user(user):
    rows = rows_of(user)
    assert laid(rows) == looked_up(user)
    together = len(set(user)) == len(list(groupby(user)))
    assert (rows.order is None) == together  # then there is nothing to look up


@pytest.mark.parametrize("chunk", [1, 2, 3, 5])
@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
def test_the_rows_of_a_user_may_lie_in_several_chunks(user, chunk, monkeypatch):
    monkeypatch.setattr(codes, "ROWS_PER_CHUNK", chunk)
    assert laid(rows_of(user)) == looked_up(user)
    texts = pd.Series([f"u{code}" for code in user], dtype="str")
    rows_by_table, _ = rows_by_user({"recs": texts}, "user")
    # The codes count the users in ascending order.
    expected_rows = [numbers for _, numbers in looked_up(user)]
    assert laid(rows_by_table["recs"]) == list(enumerate(expected_rows))


@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
def test_rows_are_the_same_if_their_keys_have_too_many_bits(user, monkeypatch):
    monkeypatch.setattr(codes, "BITS_OF_SORT_KEY", 0)
    assert laid(rows_of(user)) == looked_up(user)


@pytest.mark.parametrize("bits", [0, 63])
@pytest.mark.parametrize("chunk", [16, codes.ROWS_PER_CHUNK])
@pytest.mark.parametrize("row_is_segment_from", [0, 0.75, 1])
def test_every_way_finds_the_rows_of_random_tables(bits, chunk, row_is_segment_from, monkeypatch):
    monkeypatch.setattr(codes, "BITS_OF_SORT_KEY", bits)
    monkeypatch.setattr(codes, "ROWS_PER_CHUNK", chunk)
    monkeypatch.setattr(codes, "MAX_SHARE_OF_STARTS", row_is_segment_from)
    rng = np.random.default_rng(0)
    for n_users, run in itertools.product([1, 3, 40, 2**20], [1, 2, 9]):
        user = rng.integers(n_users, size=30).repeat(run).tolist()
        assert laid(rows_of(user)) == looked_up(user)


def test_threads_find_the_same_rows(monkeypatch):
    rng = np.random.default_rng(1)
    ids = {table: pd.Series(rng.integers(5, 50, size=300)) for table in ("recs", "truth")}
    alone = rows_by_user(ids, "user")
    monkeypatch.setattr(codes, "MIN_ROWS_FOR_THREADS", 0)
    threads, users = rows_by_user(ids, "user")
    assert list(threads) == ["recs", "truth"]
    everyone = np.arange(users.size)
    assert users.take(everyone).tolist() == alone[1].take(everyone).tolist()
    assert [laid(rows) for rows in threads.values()] == [laid(rows) for rows in alone[0].values()]


def test_with_threads_the_error_names_the_first_table_with_a_missing_id(monkeypatch):
    monkeypatch.setattr(codes, "MIN_ROWS_FOR_THREADS", 0)
    ids = {"recs": pd.Series(["a", None]), "truth": pd.Series([None, "b"])}
    with pytest.raises(InputError, match="user of recs"):
        rows_by_user(ids, "user")


@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
def test_the_user_of_each_row(user):
    rows = rows_of(user)
    assert rows.by_row().tolist() == user
    assert rows.for_users(np.arange(10)).by_row().tolist() == user  # with users of no row
    assert laid(RowsByUser.from_users(rows.by_row()[1::2])) == looked_up(user[1::2])


@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("wanted", [[], [0], [1, 4], [0, 2, 3, 9], [9], [0, 1, 2, 3, 4]], ids=str)
def test_rows_of_some_users(user, wanted):
    found = rows_of(user).for_users(np.array(wanted, np.int64))
    assert laid(found) == looked_up(user, wanted)
    assert found.users.tolist() == wanted


def test_the_same_users_need_no_new_rows():
    rows = rows_of([1, 2])
    assert rows.for_users(np.array([1, 2])) is rows
    assert laid(rows.for_users(np.array([1, 3]))) == [(1, [0]), (3, [])]


@pytest.mark.parametrize("user", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("users", [[0, 1, 2, 3, 4], [1, 4], [2], []], ids=str)
@pytest.mark.parametrize(
    "which", [slice(None), slice(1, 3), np.array([], int), np.array([1]), np.array([1, 0])], ids=str
)
def test_padded_rows(user, users, which):
    if isinstance(which, np.ndarray) and which.max(initial=-1) >= len(users):
        return
    rows = rows_of(user).for_users(np.array(users, np.int64))
    padded = rows.pad(which)
    column = np.arange(100, 100 + len(user), dtype=np.int16)
    lines = padded.read(column)
    expected = [looked_up(user, [one])[0][1] for one in np.array(users, int)[which]]
    assert (
        lines.shape
        == (padded.n_users, padded.width)
        == (len(expected), max(map(len, expected), default=0))
    )
    assert lines.dtype == column.dtype
    padding = np.zeros(lines.shape, bool) if padded.padding is None else padded.padding
    assert [line[~out].tolist() for line, out in zip(lines, padding, strict=True)] == [
        column[own].tolist() for own in expected
    ]
    assert (padded.padding is None) == (len({len(own) for own in expected}) <= 1)
    assert (lines[padding] == 0).all()
    assert (padded.read(column)[padding] == 0).all()
    assert column.tolist() == [*range(100, 100 + len(user))]  # unchanged


@pytest.mark.parametrize(
    ("user", "users", "joined"),
    [
        ([0, 0, 0, 1, 2, 2], [0, 1, 2], slice(0, 6)),  # one after the other
        ([0, 0, 0, 1, 2, 2], [1, 2], slice(3, 6)),
        ([0, 0, 0, 2, 2], [0, 1, 2, 3], slice(0, 5)),  # users without rows don't matter
        ([0, 0, 0, 1, 2, 2], [5, 6], slice(0, 0)),
        ([0, 0, 0, 1, 2, 2], [0, 2], None),  # user 1 is between them
        ([1, 0, 0], [0, 1], None),  # in another order
        ([0, 1, 0], [0, 1], None),  # user 0 has two segments
    ],
)
def test_rows_that_follow_one_another_are_a_slice(user, users, joined):
    items = IntegerCodes(np.arange(100, 100 + len(user), dtype=np.uint8), start=100)
    rows = rows_of(user).for_users(np.array(users))
    padded = rows.pad(slice(None), items)
    assert isinstance(padded.rows, slice) == (joined is not None)
    if joined is not None:
        assert padded.rows == joined
    own_rows = [own for _, own in looked_up(user, users)]
    expected = [own + [-1] * (padded.width - len(own)) for own in own_rows]
    assert padded.codes.tolist() == expected
    for line, own in enumerate(own_rows):
        for column, row in enumerate(own):
            assert padded._row_numbers(np.array([line]), np.array([column])).tolist() == [row]


def test_scattered_rows_are_read_without_their_padding():
    rows = rows_of([0, 1, 0, 0, 2, 0])
    padded = rows.pad(slice(None))
    assert padded.rows.tolist() == [0, 2, 3, 5, 1, 4]
    assert rows.pad(slice(1, 3)).rows.tolist() == [1, 4]
    apart = rows.pad(np.array([0, 2]))  # the rows of user 1 are between theirs
    assert apart.rows.shape == (2, 4)
    assert apart.read(np.arange(1, 7)).tolist() == [[1, 3, 4, 6], [5, 0, 0, 0]]


def test_full_lines_that_follow_each_other_are_not_copied():
    rows = rows_of([0, 0, 1, 1, 2, 2])
    column = np.arange(6)
    assert np.shares_memory(rows.pad(slice(1, 3)).read(column), column)
    assert rows.pad(slice(1, 3)).read(column).tolist() == [[2, 3], [4, 5]]
    for apart in (
        rows.pad(np.array([0, 2])),
        rows_of([1, 1, 0, 0]).pad(slice(2)),
    ):
        assert not np.shares_memory(apart.read(column[:6]), column)
    assert rows.pad(np.array([0, 2])).read(column).tolist() == [[0, 1], [4, 5]]


def test_rows_of_several_tables():
    tables = {"a": ["v", "v", "u"], "b": ["w", "u", "u"]}
    found, users = rows_by_user({name: pd.Series(own) for name, own in tables.items()}, "user")
    assert users.take(np.arange(users.size)).tolist() == ["u", "v", "w"]
    assert laid(found["a"]) == [(0, [2]), (1, [0, 1])]
    assert laid(found["b"]) == [(0, [1, 2]), (2, [0])]
