"""Functions that prepare tables for a split and report what they changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_integers
from receval._checks import InputError, IntArray, check_count, check_none, input_error
from receval.splitting._columns import ids_of_columns, ids_of_sides
from receval.splitting.report import Report, counted, without
from receval.splitting.times import as_times
from receval.tables.columns import as_series

__all__ = ["fill_missing_dates", "single_winner", "warm_users"]


def fill_missing_dates(
    dates: npt.ArrayLike, *, train: npt.ArrayLike | None = None
) -> tuple[pd.Series, Report]:
    """Replace unknown dates with the median of the known ones.

    The median of an even number of dates is the earlier of the middle two, which is a real date.
    The document doesn't say which one it is.

    Parameters
    ----------
    dates : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown.
    train : array_like of int, optional
        Row positions of the training rows. Then only their dates count for the median, so that it
        doesn't depend on the future. Default: all known dates, the document's rule.

    Returns
    -------
    filled : Series
        A new Series with the index of ``dates``.
    report : Report
        The rows that were filled, and their new date.

    Raises
    ------
    InputError
        If all dates (of the training rows) are unknown, or they are neither dates nor numbers.

    References
    ----------
    Document 000, section "Evaluation protocol"; 2.3 % of its contracts have no award date.

    Examples
    --------
    >>> filled, report = fill_missing_dates([2012, 2016, None, 2013, 2015])
    >>> filled.tolist()
    [2012.0, 2016.0, 2013.0, 2013.0, 2015.0]
    >>> report
    5 of 5 rows kept
      unknown time set to 2013.0, the median of 4 known: 1 row, at [2]
    """
    times = as_times(dates, "dates")
    n_rows = len(times)
    is_missing = times.isna().to_numpy()
    # Take the median of the known times among these.
    if train is None:
        rule = "have a known one"
        times_for_median = times
    else:
        rule = "have a known one among the training rows"
        times_for_median = times.iloc[_check_positions(train, n_rows)]
    known_times = times_for_median[times_for_median.notna().to_numpy()]
    if known_times.empty:
        raise input_error("dates", rule, f"{len(times_for_median)} unknown")
    # Fill in the median where a time is unknown.
    if not is_missing.any():
        return times.copy(), Report(n_rows, n_rows)
    median = known_times.quantile(interpolation="lower")
    change = f"unknown time set to {median}, the median of {len(known_times):,} known"
    report = Report(n_rows, n_rows, {change: np.flatnonzero(is_missing)})
    return times.mask(is_missing, median), report


def single_winner(
    awards: pd.DataFrame, *, contract: str = "contract", winner: str = "bidder"
) -> tuple[pd.DataFrame, Report]:
    """Keep only the contracts with one winner, each in one row.

    Parameters
    ----------
    awards : DataFrame
        One row per award.
    contract, winner : str
        The columns that name the contract and its winner.

    Returns
    -------
    kept : DataFrame
        A new table without the contracts that have several distinct winners, and without repeated
        rows of one contract and winner (the first is kept). Their order and index stay the same.
    report : Report
        The rows that were removed, and why.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, or an id is missing or of another kind.

    References
    ----------
    Document 000, section "Ground truth": around 1 % of contracts have several winners.

    Examples
    --------
    >>> awards = pd.DataFrame({"contract": [1, 1, 2, 3, 3], "bidder": list("ABCDD")})
    >>> kept, report = single_winner(awards)
    >>> kept["contract"].tolist()
    [2, 3]
    >>> report
    2 of 5 rows kept
      removed: contract with several winners: 2 rows, at [0, 1]
      removed: award listed again: 1 row, at [4]
    """
    contracts, winners = ids_of_columns(awards, "awards", contract, winner)
    coded = pd.DataFrame({"contract": contracts, "winner": winners})  # ids as whole numbers
    # For each row, the number of distinct winners of its contract.
    n_winners = coded.groupby("contract")["winner"].transform("nunique").to_numpy()
    is_repeated = coded.duplicated().to_numpy()
    rules = {"contract with several winners": n_winners > 1, "award listed again": is_repeated}
    return without(awards, rules)


def warm_users(
    train: pd.DataFrame, test: pd.DataFrame, *, user: str = "user", at_least: int = 1
) -> tuple[pd.DataFrame, Report]:
    """Keep only the test rows of users who have training rows.

    Parameters
    ----------
    train, test : DataFrame
        The two sides of a split.
    user : str, default "user"
        The column that names the user.
    at_least : int, default 1
        Number of training rows that a user needs; the default is the number in the document.

    Returns
    -------
    kept : DataFrame
        A new table of the test rows of these users. Their order and index stay the same.
    report : Report
        The test rows that were removed.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, an id is missing, the two tables' ids are of
        different kinds, or ``at_least`` is below 1.

    References
    ----------
    Document 002, section V: a fixed point in time, and test users with at least one record in
    the train set.

    Examples
    --------
    >>> train = pd.DataFrame({"user": ["u", "v", "v"]})
    >>> test = pd.DataFrame({"user": ["v", "w", "u"]})
    >>> kept, report = warm_users(train, test)
    >>> kept["user"].tolist()
    ['v', 'u']
    >>> report
    2 of 3 rows kept
      removed: user with fewer than 1 training row: 1 row, at [1]
    """
    least = check_count(at_least, "at_least")
    train_users, test_users, users = ids_of_sides(train, test, user)
    # ``users`` has all users of both tables, so that those without a training row count as 0.
    n_training_rows = np.bincount(train_users, minlength=users.size)
    is_cold = n_training_rows[test_users] < least
    return without(test, {f"user with fewer than {counted(least, 'training row')}": is_cold})


def _check_positions(train: npt.ArrayLike, n_rows: int) -> IntArray:
    """Return the row positions in the argument ``train`` as integers.

    Raises `InputError` if they are a mask, not integers, or outside a table of ``n_rows`` rows.
    """
    series = as_series(train, "train")
    if series.dtype == bool:
        raise InputError("train must hold row positions; got booleans. Use numpy.flatnonzero")
    rows = as_integers(series.to_numpy(), "train")
    is_outside = (rows < 0) | (rows >= n_rows)
    check_none(rows, is_outside, "train", f"hold row positions (0 to {n_rows - 1})")
    return rows
