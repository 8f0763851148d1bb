"""What training sees of the test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, IntArray, input_error
from receval.splitting._columns import ids_of_sides
from receval.tables.columns import column
from receval.tables.ids import IdIndex
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
    findings = {
        "test pairs also in training": pd.Series(repeated),
        "test users without training": _cold(train_users, test_users, users),
        "test items without training": _cold(train_items, test_items, items),
    }
    if time is not None:
        moment = _moments(train, test, time)
        never, trained, tested = len(moment), moment[: len(train)], moment[len(train) :]
        tested = np.where(tested < 0, never, tested)
        first, own_first = tested.min(initial=never), np.full(users.size, never)
        np.minimum.at(own_first, test_users, tested)
        own = pd.Series(trained > own_first[train_users])
        findings |= {
            "training rows after the first test row": pd.Series(trained > first),
            "training rows after the user's own first test row": own,
            "rows without a time": pd.Series(moment < 0),
        }
    told = [
        (found.sum(), len(found), found.mean(), found.index[found][:MAX_EXAMPLES].tolist())
        for found in findings.values()
    ]
    columns = ["count", "of", "share", "examples"]
    return pd.DataFrame(told, pd.Index(findings, name="finding"), columns)


def _cold(trained: IntArray, tested: IntArray, ids: IdIndex) -> pd.Series:
    """Whether each tested id is without training."""
    distinct = np.unique(tested)
    return pd.Series(~np.isin(distinct, trained), ids.of(distinct))


def _moments(train: pd.DataFrame, test: pd.DataFrame, time: str) -> IntArray:
    """Times of all rows, those of training first, as whole numbers in their order; -1: unknown."""
    sides = {"train": train, "test": test}.items()
    times = [as_times(column(table, time, side), f"{side}[{time!r}]") for side, table in sides]
    try:
        return pd.factorize(sortable(pd.concat(times, ignore_index=True)), sort=True)[0]
    except TypeError:  # dates and numbers, or time zones on one side only
        got = f"{times[0].dtype} and {times[1].dtype}"
        raise input_error(time, "hold times of one kind in train and test", got) from None
