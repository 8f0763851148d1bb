"""Items of two tables found in one another, however large the numbers are that stand for them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval.measure.matching import Lines, matched
from receval.tables.codes import Ids

N, OWNED, LISTED = 60, 5, 7
BITS = (OWNED + LISTED - 1).bit_length()  # what the places of a line take of a key


def lines_of(size, *, uneven_truth, uneven_lists, seed=0):
    """Lines with the greatest codes there are; behind the end of a line stands anything."""
    rng = np.random.default_rng(seed)
    pool = size - 1 - rng.permuted(np.tile(np.arange(2 * LISTED), (N, 1)), axis=1)
    owned = rng.permuted(pool, axis=1)[:, :OWNED]
    n_owned = rng.integers(1, OWNED + 1, N) if uneven_truth else np.full(N, OWNED)
    n_listed = rng.integers(0, LISTED + 1, N) if uneven_lists else np.full(N, LISTED)
    gone = [
        np.arange(width) >= count[:, np.newaxis]
        for width, count in ((OWNED, n_owned), (LISTED, n_listed))
    ]
    return Lines(
        users=np.arange(N),
        owned=owned,
        not_owned=gone[0] if uneven_truth else None,
        grades=np.where(gone[0], 0.0, rng.integers(0, 5, owned.shape)),
        items=pool[:, :LISTED],
        not_listed=gone[1] if uneven_lists else None,
        order=np.where(gone[1], np.nan, np.arange(LISTED)),
        length=n_listed,
        user_ids=Ids(N, "integer"),
        item_ids=Ids(size, "integer"),
    )


def found_one_by_one(lines):
    nowhere = np.zeros(lines.owned.shape, bool), np.zeros(lines.items.shape, bool)
    not_owned = nowhere[0] if lines.not_owned is None else lines.not_owned
    not_listed = nowhere[1] if lines.not_listed is None else lines.not_listed
    gain = np.zeros(lines.items.shape)
    for line in range(N):
        own = dict(zip(lines.owned[line], lines.grades[line], strict=True))
        for gone, item in zip(not_owned[line], lines.owned[line], strict=True):
            if gone:
                del own[item]
        for place in np.flatnonzero(~not_listed[line]):
            gain[line, place] = own.get(lines.items[line, place], 0.0)
    return gain


@pytest.mark.parametrize("uneven_lists", [False, True])
@pytest.mark.parametrize("uneven_truth", [False, True])
@pytest.mark.parametrize("beyond", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("room", [31, 32, 33, 63])
def test_the_greatest_codes_are_found(room, beyond, uneven_truth, uneven_lists):
    size = (1 << room >> BITS) + beyond
    lines = lines_of(size, uneven_truth=uneven_truth, uneven_lists=uneven_lists)
    assert_array_equal(matched(lines, "", keep_first=False), found_one_by_one(lines))


def test_the_last_of_a_line_is_not_the_first_of_the_next():
    """The greatest item of a user is the smallest of the next one."""
    n = 4
    lines = Lines(
        users=np.arange(n),
        owned=np.arange(n)[:, np.newaxis],
        not_owned=None,
        grades=np.ones((n, 1)),
        items=np.arange(1, n + 1)[:, np.newaxis],
        not_listed=None,
        order=np.zeros((n, 1)),
        length=np.ones(n, np.int64),
        user_ids=Ids(n, "integer"),
        item_ids=Ids(n + 1, "integer"),
    )
    assert_array_equal(matched(lines, "", keep_first=False), np.zeros((n, 1)))


def test_all_of_a_table_that_stands_twice_is_counted_and_some_of_it_shown():
    lines = lines_of(1000, uneven_truth=False, uneven_lists=False)
    lines.items[:, 1] = lines.items[:, 0]
    lines.items[:3, 2] = lines.items[:3, 0]
    with pytest.raises(InputError, match=r"user 0 with item .* and 58 more\. Remove"):
        matched(lines, "", keep_first=False)
