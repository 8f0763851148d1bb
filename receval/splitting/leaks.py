"""What training sees of the test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import SHOWN, BoolArray, IntArray, refusal
from receval.splitting._columns import ids_of_sides
from receval.tables.columns import column
from receval.tables.ids import Ids
from receval.tables.times import as_times, sortable

__all__ = ["leakage"]


def leakage(
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str | None = None,
) -> pd.DataFrame:
    """What leaks from test to training, and what the test asks that training cannot know.

    Parameters
    ----------
    train, test : DataFrame
        The two sides of a split.
    user, item : str
        The columns of ids.
    time : str, optional
        The column of dates or numbers. Without it the three rows on time are left out.

    Returns
    -------
    DataFrame
        Indexed by ``finding``; ``count`` of what there are (``of``), their ``share`` (NaN of
        nothing) and ``examples``, up to five: row positions for rows, ids for users and items.

        - *test pairs also in training*: test rows whose user and item stand in training too.
        - *test users without training*, *test items without training*: cold ones.
        - *training rows after the first test row*: later than the earliest test time.
        - *training rows after the user's own first test row*: later than that.
        - *rows without a time*: in both tables, training first; left out of the two above.

    Raises
    ------
    InputError
        If a column is absent or there twice, an id is missing, or ids or times of the two
        tables are of different kinds.

    Examples
    --------
    >>> train = pd.DataFrame({"user": list("uvv"), "item": [1, 1, 2], "year": [1, 2, 5]})
    >>> test = pd.DataFrame({"user": list("uvw"), "item": [2, 1, 3], "year": [4, 6, 3]})
    >>> leakage(train, test, time="year")[["count", "of", "examples"]]
                                                    count  of examples
    finding
    test pairs also in training                         1   3      [1]
    test users without training                         1   3      [w]
    test items without training                         1   3      [3]
    training rows after the first test row              1   3      [2]
    training rows after the user's own first test...      0   3       []
    rows without a time                                 0   6       []
    """
    train_users, test_users, users = ids_of_sides(train, test, user)
    train_items, test_items, items = ids_of_sides(train, test, item)
    trained = train_users * items.size + train_items
    repeated = np.isin(test_users * items.size + test_items, trained)
    findings = [
        _rows("test pairs also in training", repeated),
        _cold("test users without training", train_users, test_users, users),
        _cold("test items without training", train_items, test_items, items),
    ]
    if time is not None:
        moment = _moments(train, test, time)
        never, trained, tested = len(moment), moment[: len(train)], moment[len(train) :]
        tested = np.where(tested < 0, never, tested)
        first, own_first = tested.min(initial=never), np.full(users.size, never)
        np.minimum.at(own_first, test_users, tested)
        own = "training rows after the user's own first test row"
        findings += [
            _rows("training rows after the first test row", trained > first),
            _rows(own, trained > own_first[train_users]),
            _rows("rows without a time", moment < 0),
        ]
    table = pd.DataFrame(findings, columns=["finding", "count", "of", "examples"])
    share = table["count"] / table["of"].where(table["of"] > 0)
    table.insert(3, "share", share)
    return table.set_index("finding")


Finding = tuple[str, int, int, list[object]]


def _rows(what: str, found: BoolArray) -> Finding:
    rows = np.flatnonzero(found)
    return what, len(rows), len(found), rows[:SHOWN].tolist()


def _cold(what: str, trained: IntArray, tested: IntArray, ids: Ids) -> Finding:
    distinct = np.unique(tested)
    cold = distinct[~np.isin(distinct, trained)]
    return what, len(cold), len(distinct), ids.of(cold[:SHOWN]).tolist()


def _moments(train: pd.DataFrame, test: pd.DataFrame, time: str) -> IntArray:
    """Times of all rows, those of training first, as whole numbers in their order; -1: unknown."""
    sides = {"train": train, "test": test}.items()
    times = [as_times(column(table, time, side), f"{side}[{time!r}]") for side, table in sides]
    try:
        return pd.factorize(sortable(pd.concat(times, ignore_index=True)), sort=True)[0]
    except TypeError:  # dates and numbers, or time zones on one side only
        got = f"{times[0].dtype} and {times[1].dtype}"
        raise refusal(time, "hold times of one kind in train and test", got) from None
