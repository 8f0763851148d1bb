"""One split: at a point in time, at random, or user by user."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    EvaluationWarning,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_number,
    check_same_length,
    refusal,
    shorten,
)
from receval.splitting._columns import ids_of, known_times
from receval.splitting.folds import Splits
from receval.splitting.report import Report, counted
from receval.tables.times import sortable

__all__ = ["fixed_time", "hold_out", "hold_out_per_user", "hold_out_users", "leave_last_out"]


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
    train, test = np.flatnonzero(~later), np.flatnonzero(later)
    if not len(train) or not len(test):
        sizes = f"{len(train)} rows before it and {len(test)} from it on"
        raise refusal("at", "leave rows on both sides", f"{shorten(at)}, with {sizes}")
    if users is None:
        return _once(train, test)
    by_user, moments = ids_of(users, "users"), sortable(series)
    check_same_length(by_user, moments, "users times")
    codes = pd.factorize(by_user[test])[0]
    [(others, last)] = _last_in_time(codes, moments[test], np.ones(codes.max() + 1, int), 0)
    what = "left out: not the user's last row from the moment on"
    report = Report(len(series), len(train) + len(last), {what: test[others]})
    return _once(train, test[last], report)


def hold_out(n: int, *, share: float = 0.2, rng: Seed = 0) -> Splits:
    """Test a random share of all rows, whoever they belong to.

    Parameters
    ----------
    n : int
        Number of rows.
    share : float, default 0.2
        In (0, 1), of the rows, rounded down; taken as the decimal number that is written.
    rng : numpy.random.Generator or int, default 0
        Chooses them, an int being a seed.

    Returns
    -------
    Splits
        One round; positions are ascending. A user's rows may all be tested: see `warm_users`.

    Raises
    ------
    InputError
        If ``n`` is not a positive integer, ``share`` lies outside (0, 1) or makes no whole row,
        or ``rng`` is neither a generator nor a seed.

    Examples
    --------
    >>> hold_out(5, share=0.4)[0]
    (array([0, 1, 3]), array([2, 4]))
    """
    is_test = _chosen(check_count(n, "n"), share, rng, "n", "row")
    return _once(np.flatnonzero(~is_test), np.flatnonzero(is_test))


def hold_out_users(users: npt.ArrayLike, *, share: float = 0.2, rng: Seed = 0) -> Splits:
    """Test all rows of a random share of the users: strong generalisation.

    Nothing of a tested user is trained on. What a recommender may see of her when it is tested is
    another split, of the tested rows, as by `leave_last_out` or `hold_out_per_user`.

    Parameters
    ----------
    users : array_like, shape (rows,)
        Who each row belongs to.
    share : float, default 0.2
        In (0, 1), of the users, rounded down; taken as the decimal number that is written.
    rng : numpy.random.Generator or int, default 0
        Chooses them, an int being a seed.

    Returns
    -------
    Splits
        One round; positions are ascending.

    Raises
    ------
    InputError
        If an id is missing, ``share`` lies outside (0, 1) or makes no whole user, or ``rng`` is
        neither a generator nor a seed.

    References
    ----------
    Marlin (2004), Collaborative filtering: a machine learning perspective, section 2.3 (strong
    generalization).

    Examples
    --------
    >>> hold_out_users(list("uvuwx"), share=0.5)[0]
    (array([1, 4]), array([0, 2, 3]))
    """
    by_user, distinct = pd.factorize(ids_of(users, "users"))
    is_test = _chosen(len(distinct), share, rng, "users", "user")[by_user]
    return _once(np.flatnonzero(~is_test), np.flatnonzero(is_test))


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
    by_user = ids_of(users, "users")
    moments = sortable(known_times(times, "times"))
    check_same_length(by_user, moments, "users times")
    rows = np.bincount(by_user)
    held_out = np.where(rows > count, count, 0)
    return _last_in_time(by_user, moments, held_out, count)


def hold_out_per_user(users: npt.ArrayLike, *, share: float = 0.2, rng: Seed = None) -> Splits:
    r"""Test a share of each user's rows.

    .. math:: \mathrm{tested}(u) = \lfloor s \cdot |R_u| \rfloor

    Parameters
    ----------
    users : array_like, shape (rows,)
        Who each row belongs to.
    share : float, default 0.2
        s, in (0, 1). Taken as the decimal number that is written: 0.2 is exactly 1/5.
    rng : numpy.random.Generator or int, optional
        Chooses the tested rows at random, an int being a seed. Without it they are each user's
        last rows in the order given.

    Returns
    -------
    Splits
        One round; positions are ascending. Rounding down leaves every user something to train
        on; users with too few rows to test one train only, and ``report`` names their rows.

    Raises
    ------
    InputError
        If an id is missing, ``share`` lies outside (0, 1), ``rng`` is neither a generator nor a
        seed, or no user has enough rows.

    Examples
    --------
    >>> splits = hold_out_per_user(list("uuuuuvv"), share=0.4)
    >>> splits[0]
    (array([0, 1, 2, 5, 6]), array([3, 4]))
    """
    part = _part(share)
    by_user = ids_of(users, "users")
    held_out = np.bincount(by_user) * part.numerator // part.denominator
    within = np.arange(len(by_user)) if rng is None else as_generator(rng).random(len(by_user))
    least = -(-part.denominator // part.numerator)
    return _last_rows(by_user, np.lexsort((within, by_user)), held_out, least - 1)


def _part(share: object) -> Fraction:
    """A share as the decimal number that is written."""
    return Fraction(str(check_number(share, "share", "a number in (0, 1)", lambda s: 0 < s < 1)))


def _chosen(n: int, share: object, rng: object, name: str, what: str) -> npt.NDArray[np.bool_]:
    """Which of n are in a random share of them."""
    held_out = int(n * _part(share))
    if not held_out:
        raise InputError(f"share must make at least one {what} of {name}; got {share} of {n}")
    chosen = np.zeros(n, bool)
    chosen[as_generator(rng).permutation(n)[:held_out]] = True
    return chosen


def _last_in_time(
    by_user: IntArray, moments: npt.NDArray[Any], held_out: IntArray, too_few: int
) -> Splits:
    """`_last_rows` in order of time; a tie of times that decides them is told."""
    in_order = np.lexsort((moments, by_user))
    splits = _last_rows(by_user, in_order, held_out, too_few)
    user, moment = by_user[in_order], moments[in_order]
    first = (np.cumsum(np.bincount(by_user)) - held_out)[held_out > 0]
    first = first[(first > 0) & (user[first] == user[first - 1])]
    if tied := int((moment[first] == moment[first - 1]).sum()):
        warnings.warn(
            f"which rows are the last is decided by the order of rows for {tied:,} of "
            f"{int((held_out > 0).sum()):,} tested users: they have equal times on both sides",
            EvaluationWarning,
            stacklevel=3,
        )
    return splits


def _last_rows(by_user: IntArray, in_order: IntArray, held_out: IntArray, too_few: int) -> Splits:
    """Test the last ``held_out[u]`` rows of each user in an order that is sorted by user."""
    if not held_out.any():
        few = counted(too_few, "row")
        raise InputError(f"users must include one with more than {few}; got none")
    ends = np.cumsum(np.bincount(by_user))
    user = by_user[in_order]
    is_test = np.zeros(len(by_user), bool)
    is_test[in_order] = np.arange(len(by_user)) >= (ends - held_out)[user]
    train_only = np.flatnonzero(held_out[by_user] == 0)
    what = f"train only: user with at most {counted(too_few, 'row')}"
    report = Report(len(by_user), len(by_user), {what: train_only})
    return _once(np.flatnonzero(~is_test), np.flatnonzero(is_test), report)


def _once(train: IntArray, test: IntArray, report: Report | None = None) -> Splits:
    return Splits(1, lambda _: (train.copy(), test.copy()), report=report)


def _at_or_after(times: pd.Series, at: object) -> npt.NDArray[np.bool_]:
    if not pd.api.types.is_datetime64_any_dtype(times.dtype):
        return (times >= check_number(at, "at", "a number like the times")).to_numpy(dtype=bool)
    with suppress(ValueError, TypeError):  # unreadable text; a time zone on one side only
        moment = pd.Timestamp(at) if isinstance(at, (str, date, np.datetime64)) else pd.NaT
        if not pd.isna(moment):
            return (times >= moment).to_numpy()
    zone = "" if times.dt.tz is None else f" with a time zone ({times.dt.tz})"
    raise InputError(f"at must be a date{zone} like the times; got {shorten(at)}")
