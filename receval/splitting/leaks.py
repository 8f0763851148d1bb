"""Leakage from test rows to training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, IntArray, input_error
from receval.splitting._columns import ids_of_sides
from receval.splitting.times import as_sortable, as_times, epoch_advice
from receval.tables.columns import read_column
from receval.tables.ids import Ids

__all__ = ["leakage"]


def leakage(
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str | None = None,
) -> pd.DataFrame:
    """Count test rows, users and items that leak into training or are missing there.

    Parameters
    ----------
    train, test : DataFrame
        The two sides of a split.
    user, item : str
        The columns of ids.
    time : str, optional
        The column of dates or numbers. Without it there are no findings about time.

    Returns
    -------
    DataFrame
        Indexed by ``finding``. The columns are ``count``, the total (``of``), the ``share``
        (NaN if the total is 0) and up to five ``examples``: row positions for rows, ids for
        users and items.

        - *test pairs also in training*: test rows whose user and item are also together in a
          training row.
        - *test users without training*, *test items without training*: cold users and items.
        - *training rows after the first test row*: later than the earliest test time.
        - *training rows after the user's own first test row*: later than the user's earliest
          test time.
        - *training rows at the first test time*, *… at the user's own first test time*: not later,
          but at the same time, so that only the order of rows puts them before the test.
        - *rows without a time*: rows of both tables. Their positions count the training rows first.
          The four findings above ignore them.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, an id is missing, or ids or times of the two
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
    training rows at the first test time                  0   3       []
    training rows at the user's own first test time       0   3       []
    rows without a time                                 0   6       []
    """
    train_users, test_users, users = ids_of_sides(train, test, user)
    train_items, test_items, items = ids_of_sides(train, test, item)
    # Give each pair of user and item one number, so that pairs can be compared.
    train_pairs = train_users * items.size + train_items
    test_pairs = test_users * items.size + test_items
    # Each finding has a truth value for each row, user or item: whether it was found there.
    findings = {
        "test pairs also in training": pd.Series(np.isin(test_pairs, train_pairs)),
        "test users without training": _is_cold(train_users, test_users, users),
        "test items without training": _is_cold(train_items, test_items, items),
    }
    if time is not None:
        # Times as whole numbers in their order; unknown ones are -1.
        moments = _rank_times(train, test, time)
        train_moments = moments[: len(train)]
        test_moments = moments[len(train) :]
        never = len(moments)  # later than every moment
        # If the time of a test row is unknown, no training row counts as later. A training row
        # whose time is unknown (-1) doesn't count as later than any test row either.
        test_moments = np.where(test_moments < 0, never, test_moments)
        first_test = test_moments.min(initial=never)
        # The earliest test time of each user, or ``never`` for a user without a test row.
        first_test_by_user = np.full(users.size, never)
        np.minimum.at(first_test_by_user, test_users, test_moments)
        first_moments = {
            "the first test": np.full(len(train), first_test),
            "the user's own first test": first_test_by_user[train_users],
        }
        for which, moment in first_moments.items():
            findings[f"training rows after {which} row"] = pd.Series(train_moments > moment)
        for which, moment in first_moments.items():
            findings[f"training rows at {which} time"] = pd.Series(train_moments == moment)
        findings["rows without a time"] = pd.Series(moments < 0)
    # The index of a finding holds row positions or ids, which serve as examples.
    table = {
        "count": [is_found.sum() for is_found in findings.values()],
        "of": [len(is_found) for is_found in findings.values()],
        "share": [is_found.mean() for is_found in findings.values()],
        "examples": [
            is_found.index[is_found][:MAX_EXAMPLES].tolist() for is_found in findings.values()
        ],
    }
    return pd.DataFrame(table, pd.Index(findings, name="finding"))


def _is_cold(train_codes: IntArray, test_codes: IntArray, ids: Ids) -> pd.Series:
    """Return for each distinct id in the test rows whether it is cold: without a training row.

    The codes are the ids of the training and of the test rows; the result is indexed by id.
    """
    distinct = np.unique(test_codes)
    return pd.Series(~np.isin(distinct, train_codes), ids.take(distinct))


def _rank_times(train: pd.DataFrame, test: pd.DataFrame, time: str) -> IntArray:
    """Return the rank of each row's time in column ``time``, training rows first.

    The ranks count distinct times of both tables from 0, the earliest first, so equal times have
    equal ranks. An unknown time has the rank -1.

    Raises
    ------
    InputError
        If the two tables have times of different kinds.
    """
    train_times = as_times(read_column(train, time, "train"), f"train[{time!r}]")
    test_times = as_times(read_column(test, time, "test"), f"test[{time!r}]")
    times = pd.concat([train_times, test_times], ignore_index=True)
    try:
        codes, _ = pd.factorize(as_sortable(times), sort=True)
    except TypeError:  # dates and numbers, or time zones on one side only
        got = f"{train_times.dtype} and {test_times.dtype}"
        advice = epoch_advice(train_times, f"train[{time!r}]")
        advice = advice or epoch_advice(test_times, f"test[{time!r}]")
        raise input_error(time, "hold times of one kind in train and test", got, advice) from None
    return codes
