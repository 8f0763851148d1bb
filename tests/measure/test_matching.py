"""Matching of items between two tables, also if their codes are very large numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval.measure.block import ListRules, UnsortedBlock
from receval.measure.matching import match_rows
from receval.tables.codes import IntegerCodes, PaddedRows
from receval.tables.ids import IntegerIds

N, JUDGED, RECOMMENDED = 60, 5, 7
BITS = (JUDGED + RECOMMENDED - 1).bit_length()  # what the columns of a line take of a key


def laid(codes, padding=None):
    """Return the codes of a table with its rows in this layout."""
    rows = np.arange(codes.size).reshape(codes.shape)
    return PaddedRows(*codes.shape, rows, padding, IntegerCodes(codes.ravel()))


def joined(rows):
    """Return the same rows in a table that holds them one after the other, without padding."""
    is_filled = np.ones((rows.n_users, rows.width), bool)
    if rows.padding is not None:
        is_filled = ~rows.padding
    size = is_filled.sum(axis=1)
    return rows._replace(
        rows=slice(0, int(size.sum())),
        items=IntegerCodes(rows.codes[is_filled]),
        first=np.cumsum(size) - size,
    )


def lines_of(size, *, uneven_truth, uneven_lists, seed=0):
    """Return lines with the greatest possible codes, and random values behind the ends of lines."""
    rng = np.random.default_rng(seed)
    pool = size - 1 - rng.permuted(np.tile(np.arange(2 * RECOMMENDED), (N, 1)), axis=1)
    judged = rng.permuted(pool, axis=1)[:, :JUDGED]
    n_judged = rng.integers(1, JUDGED + 1, N) if uneven_truth else np.full(N, JUDGED)
    n_recommended = rng.integers(0, RECOMMENDED + 1, N) if uneven_lists else np.full(N, RECOMMENDED)
    padding = [
        np.arange(width) >= count[:, np.newaxis]
        for width, count in ((JUDGED, n_judged), (RECOMMENDED, n_recommended))
    ]
    return UnsortedBlock(
        users=np.arange(N),
        judged=laid(judged, padding[0] if uneven_truth else None),
        grades=(grades := np.where(padding[0], 0.0, rng.integers(0, 5, judged.shape))),
        ratings=grades,
        recommended=laid(pool[:, :RECOMMENDED], padding[1] if uneven_lists else None),
        order=np.where(padding[1], np.nan, np.arange(RECOMMENDED)),
        length=n_recommended,
        user_ids=IntegerIds(N),
        item_ids=IntegerIds(size),
    )


def found_one_by_one(lines):
    padding = lines.judged.padding
    n_judged = np.full(N, JUDGED) if padding is None else (~padding).sum(1)
    gain = np.zeros(lines.order.shape)
    for line in range(N):
        judged = lines.judged.codes[line, : n_judged[line]]
        grade = dict(zip(judged, lines.grades[line], strict=False))
        for place in range(lines.length[line]):
            gain[line, place] = grade.get(lines.recommended.codes[line, place], 0.0)
    return gain


def grades_of(lines):
    """Return the grade of each recommended item."""
    return match_rows(lines, ListRules("item")).carry_to_recommendations(
        lines.grades, lines.order.shape
    )


@pytest.mark.parametrize("uneven_lists", [False, True])
@pytest.mark.parametrize("uneven_truth", [False, True])
@pytest.mark.parametrize("beyond", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("room", [31, 32, 33, 62])
def test_the_greatest_codes_are_found(room, beyond, uneven_truth, uneven_lists):
    size = (1 << room >> BITS) + beyond
    lines = lines_of(size, uneven_truth=uneven_truth, uneven_lists=uneven_lists)
    expected = found_one_by_one(lines)
    assert_array_equal(grades_of(lines), expected)
    lines = lines._replace(judged=joined(lines.judged), recommended=joined(lines.recommended))
    assert_array_equal(grades_of(lines), expected)


def test_the_last_of_a_line_is_not_the_first_of_the_next():
    """The greatest item of a user is the smallest of the next one."""
    n = 4
    lines = UnsortedBlock(
        users=np.arange(n),
        judged=laid(np.arange(n)[:, np.newaxis]),
        grades=np.ones((n, 1)),
        ratings=np.ones((n, 1)),
        recommended=laid(np.arange(1, n + 1)[:, np.newaxis]),
        order=np.zeros((n, 1)),
        length=np.ones(n, np.int64),
        user_ids=IntegerIds(n),
        item_ids=IntegerIds(n + 1),
    )
    assert_array_equal(grades_of(lines), np.zeros((n, 1)))
    assert not match_rows(lines, ListRules("item")).repeats[0].size


def test_all_of_a_table_that_stands_twice_is_counted_and_some_of_it_shown():
    lines = lines_of(1000, uneven_truth=False, uneven_lists=False)
    items = lines.recommended.codes.copy()
    items[:, 1] = items[:, 0]
    items[:3, 2] = items[:3, 0]
    lines = lines._replace(recommended=laid(items))
    with pytest.raises(InputError, match=r"user 0 with item .* and 58 more\. duplicates='first'"):
        match_rows(lines, ListRules("item"))
