"""Splits in time: at a moment, or before the last rows of each user."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels
from receval._checks import (
    BoolArray,
    check_count,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval.splitting._columns import ids_of, known_times
from receval.splitting.folds import Splits
from receval.splitting.holdout import count_of_share, single_split, split_last_rows
from receval.splitting.times import as_sortable, epoch_advice

__all__ = ["fixed_time", "leave_last_out"]


def fixed_time(times: npt.ArrayLike, at: object = None, *, share: float | None = None) -> Splits:
    """Train on the rows before a point in time, and test the rows at or after it.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers, all known; see `fill_missing_dates`.
    at : date, text that pandas reads as a date, or number
        The first moment that is tested. Text is allowed only if ``times`` are dates.
    share : float, optional
        Instead of ``at``: the share of the rows to test, in (0, 1), rounded down. The first of
        these rows in time is the first moment that is tested. Rows of the same moment stay
        together, so the test can have more rows.

    Returns
    -------
    Splits
        One round; positions are ascending.

    Raises
    ------
    InputError
        If a time is unknown, ``at`` is of a different kind from the times, one side is empty, or
        not exactly one of ``at`` and ``share`` is given.

    See Also
    --------
    warm_users : the document's second step, which keeps test users who have training rows.

    References
    ----------
    Document 002, section V.

    Examples
    --------
    >>> dates = pd.to_datetime(["2018-07-20", "2018-05-02", "2018-07-01"])
    >>> [(train, test)] = fixed_time(dates, "2018-07-01")
    >>> train, test
    (array([1]), array([0, 2]))
    >>> [(train, test)] = fixed_time(dates, share=0.4)
    >>> train, test
    (array([1, 2]), array([0]))
    """
    series = known_times(times, "times")  # refuses unknown times
    rule = "be given without share, or share without at"
    check_that((at is None) != (share is None), "at", rule, at)
    if share is not None:
        at = series.sort_values().iloc[-count_of_share(len(series), share, "times", "row")]
    is_test = _at_or_after(series, at)  # rows before it are training rows
    n_rows = len(is_test)
    n_tested = int(is_test.sum())
    if not 0 < n_tested < n_rows:
        sizes = f"{n_rows - n_tested} rows before it and {n_tested} at or after it"
        raise input_error("at", "leave rows on both sides", f"{shorten(at)}, with {sizes}")
    return single_split(~is_test, is_test)


def leave_last_out(users: npt.ArrayLike, times: npt.ArrayLike, n: int = 1) -> Splits:
    """Test the last n rows of each user, and train on the earlier ones.

    Parameters
    ----------
    users : array_like, shape (rows,)
        The user of each row.
    times : array_like, shape (rows,)
        Dates or numbers, all known. If times are equal, the later row counts as the last. If that
        decides which rows are tested, a `receval.EvaluationWarning` says for how many users.
    n : int, default 1
        Number of rows to test per user.

    Returns
    -------
    Splits
        One round; positions are ascending. A user with n rows or fewer would have no training
        rows, so all of them are used for training; ``report`` lists them.

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
    n_last = check_count(n, "n")
    check_same_labels(users=users, times=times)
    moments = as_sortable(known_times(times, "times"))
    user_codes = ids_of(users, "users")
    n_tested_by_user = np.where(np.bincount(user_codes) > n_last, n_last, 0)
    return split_last_rows(user_codes, moments, n_tested_by_user, n_last)


def _at_or_after(times: pd.Series, at: object) -> BoolArray:
    """Return a mask of the times at or after the moment ``at``.

    Raises `InputError` if ``at`` is a date and the times are numbers, or the other way round; or if
    only one side has a time zone.
    """
    if not pd.api.types.is_datetime64_any_dtype(times.dtype):
        if _is_date(at):
            advice = epoch_advice(times, "times")
            raise input_error("at", "be a number like the times", shorten(at), advice)
        number = check_number(at, "at", "a number like the times")
        return (times >= number).to_numpy(dtype=bool)
    # If this fails, the error below says what ``at`` must be. It fails if text isn't a date, if
    # only one side has a time zone, or if ``at`` is missing or isn't a date.
    with suppress(ValueError, TypeError):
        if isinstance(at, (str, date, np.datetime64)):
            moment = pd.Timestamp(at)
            if not pd.isna(moment):
                return (times >= moment).to_numpy()
    if isinstance(at, (int, float, np.number)) and not isinstance(at, bool):
        advice = ""
        fits_in_series = not isinstance(at, int) or abs(at) < 2**63  # others don't in pandas 2.2
        if fits_in_series:
            advice = epoch_advice(pd.Series([at]), "at")
        raise input_error("at", "be a date like the times", shorten(at), advice)
    zone = ""
    if times.dt.tz is not None:
        zone = f" with a time zone ({times.dt.tz})"
    raise input_error("at", f"be a date{zone} like the times", shorten(at))


def _is_date(moment: object) -> bool:
    """Return whether a moment is a date, or text that pandas reads as one."""
    if isinstance(moment, (date, np.datetime64)):
        return True
    if not isinstance(moment, str):
        return False
    with suppress(ValueError):
        return not pd.isna(pd.Timestamp(moment))
    return False
