"""One split in time: at a moment, or by the last rows of each user."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import date

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    BoolArray,
    EvaluationWarning,
    InputError,
    IntArray,
    check_count,
    check_number,
    input_error,
    shorten,
)
from receval._lists import check_same_length
from receval.splitting._columns import ids_of, known_times
from receval.splitting.folds import Splits
from receval.splitting.holdout import of_users, rows_after, single_split
from receval.splitting.report import Report
from receval.tables.times import sortable

__all__ = ["fixed_time", "leave_last_out"]


def fixed_time(times: npt.ArrayLike, at: object, *, users: npt.ArrayLike | None = None) -> Splits:
    """Train before a point in time, test from it on.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers, all known; see `fill_missing_dates`.
    at : date, text that pandas reads as a date, or number
        The first moment that is tested. Text only where ``times`` are dates.
    users : array_like, shape (n,), optional
        Who each row belongs to. Tested is then only each user's last row from the moment on;
        the user's other rows since then are left out, as ``report`` says. A tie of times is
        broken as in `leave_last_out`, with its warning.

    Returns
    -------
    Splits
        One round; positions are ascending.

    Raises
    ------
    InputError
        If the lengths differ, an id is missing, a time is unknown, ``at`` is of another kind than
        the times, or one side is empty.

    See Also
    --------
    warm_users : the document's second step, test users who are known from training.

    References
    ----------
    Document 002, section V.

    Examples
    --------
    >>> dates = pd.to_datetime(["2018-07-20", "2018-05-02", "2018-07-01"])
    >>> [(train, test)] = fixed_time(dates, "2018-07-01")
    >>> train, test
    (array([1]), array([0, 2]))
    """
    series = known_times(times, "times")
    later = _at_or_after(series, at)
    n, n_later = len(later), int(later.sum())
    if not 0 < n_later < n:
        sizes = f"{n - n_later} rows before it and {n_later} from it on"
        raise input_error("at", "leave rows on both sides", f"{shorten(at)}, with {sizes}")
    if users is None:
        return single_split(~later, later)
    _, tested = _last_in_time(users, series, 1, among=later)
    others = np.flatnonzero(later & ~tested)
    what = "left out: not the user's last row from the moment on"
    return single_split(~later, tested, Report(n, n - len(others), {what: others}))


def leave_last_out(users: npt.ArrayLike, times: npt.ArrayLike, n: int = 1) -> Splits:
    """Test the last n rows of each user, train on the earlier ones.

    Parameters
    ----------
    users : array_like, shape (rows,)
        Who each row belongs to.
    times : array_like, shape (rows,)
        Dates or numbers, all known. Of equal times the one in the later row is the last.
        Where that decides what is tested, an `receval.EvaluationWarning` says for how many users.
    n : int, default 1
        Rows per user to test.

    Returns
    -------
    Splits
        One round; positions are ascending. A user with n rows or fewer would have nothing to
        train on: these rows all train and ``report`` names them.

    Raises
    ------
    InputError
        If the lengths differ, an id or a time is missing, ``n`` is not a positive integer, or
        no user has more than n rows.

    Examples
    --------
    >>> splits = leave_last_out(["u", "v", "u", "u", "w"], [3, 1, 1, 2, 5])
    >>> splits[0]
    (array([1, 2, 3, 4]), array([0]))
    >>> splits.report
    5 of 5 rows kept
      train only: user with at most 1 row: 2 rows, at [1, 4]
    """
    count = check_count(n, "n")
    by_user, tested = _last_in_time(users, known_times(times, "times"), count)
    return of_users(by_user, tested, count)


def _last_in_time(
    users: npt.ArrayLike, times: pd.Series, n: int, *, among: BoolArray | None = None
) -> tuple[IntArray, BoolArray]:
    """The users as codes, and whether a row is of the last n of its user; ties there are told.

    ``among``: which rows may be; by default those of users with more than n.
    """
    by_user, moments = ids_of(users, "users"), sortable(times)
    check_same_length(by_user, moments, "users times")
    if among is None:
        among = np.bincount(by_user)[by_user] > n
    rows = np.flatnonzero(among)
    after = rows_after(by_user[rows], moments[rows])
    tested = np.zeros(len(by_user), bool)
    tested[rows[after < n]] = True
    at_the_cut = rows[(after == n - 1) | (after == n)]
    table = pd.DataFrame({"user": by_user[at_the_cut], "moment": moments[at_the_cut]})
    users_of = np.unique(by_user[tested]).size
    if tied := table.duplicated().sum():
        warnings.warn(
            f"which rows are the last is decided by the order of rows for {tied:,} of {users_of:,} "
            "tested users: they have equal times on both sides",
            EvaluationWarning,
            stacklevel=3,
        )
    return by_user, tested


def _at_or_after(times: pd.Series, at: object) -> BoolArray:
    if not pd.api.types.is_datetime64_any_dtype(times.dtype):
        return (times >= check_number(at, "at", "a number like the times")).to_numpy(dtype=bool)
    with suppress(ValueError, TypeError):  # unreadable text; a time zone on one side only
        moment = pd.Timestamp(at) if isinstance(at, (str, date, np.datetime64)) else pd.NaT
        if not pd.isna(moment):
            return (times >= moment).to_numpy()
    zone = "" if times.dt.tz is None else f" with a time zone ({times.dt.tz})"
    raise InputError(f"at must be a date{zone} like the times; got {shorten(at)}")
