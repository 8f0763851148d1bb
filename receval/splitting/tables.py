"""Tables made fit for a split: what was changed is reported, never silent."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, IntArray, check_choice, check_count, check_none, input_error
from receval._lists import as_integers
from receval.splitting._columns import ids_of_columns, ids_of_sides
from receval.splitting.report import Report, counted, without
from receval.tables.columns import as_series
from receval.tables.times import as_times

__all__ = ["fill_missing_dates", "k_core", "single_winner", "warm_users"]


def fill_missing_dates(
    dates: npt.ArrayLike, *, even: str = "earlier", train: npt.ArrayLike | None = None
) -> tuple[pd.Series, Report]:
    """Unknown dates become the median of the known ones.

    Parameters
    ----------
    dates : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown.
    even : {"earlier", "later", "midpoint"}, default "earlier"
        The median of an even number of dates, which the document leaves open: the earlier or
        the later of the middle two, both real dates, or halfway between them, rounded down to
        the resolution of the dates.
    train : array_like of int, optional
        Row positions of the training rows: the median is then taken over their dates only, and
        does not look into the future. Default: over all known dates, the document's rule.

    Returns
    -------
    filled : Series
        A new Series with the index of ``dates``.
    report : Report
        Which rows were filled, and with what.

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
    check_choice(even, "even", ("earlier", "later", "midpoint"))
    times = as_times(dates, "dates")
    n, missing = len(times), times.isna().to_numpy()
    among = times if train is None else times.iloc[_positions(train, n)]
    known = among[among.notna().to_numpy()]
    if known.empty:
        where = "" if train is None else " among the training rows"
        raise input_error("dates", f"have a known one{where}", f"{len(among)} unknown")
    if not missing.any():
        return times.copy(), Report(n, n)
    value = median_time(known, even)
    what = f"unknown time set to {value}, the median of {len(known):,} known"
    return times.mask(missing, value), Report(n, n, {what: np.flatnonzero(missing)})


def median_time(known: pd.Series, even: str) -> Any:
    """The median of known times, of which there is at least one."""
    earlier, later = (known.quantile(interpolation=one) for one in ("lower", "higher"))
    if even != "midpoint":
        return earlier if even == "earlier" else later
    apart = later - earlier
    return earlier + (apart / 2 if pd.api.types.is_float_dtype(known.dtype) else apart // 2)


def single_winner(
    awards: pd.DataFrame, *, contract: str = "contract", winner: str = "bidder"
) -> tuple[pd.DataFrame, Report]:
    """Only the contracts with one winner, each in one row.

    Parameters
    ----------
    awards : DataFrame
        One row per award.
    contract, winner : str
        The columns that name the contract and its winner.

    Returns
    -------
    kept : DataFrame
        A new table without the contracts that have several distinct winners, and without
        repeated rows of one contract and winner (the first is kept). Order and index stay.
    report : Report
        Which rows were removed, and why.

    Raises
    ------
    InputError
        If a column is absent or there twice, or an id is missing or of another kind.

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
      removed: award given again: 1 row, at [4]
    """
    contracts, winners = ids_of_columns(awards, "awards", contract, winner)
    coded = pd.DataFrame({"contract": contracts, "winner": winners})
    distinct = coded.groupby("contract")["winner"].transform("nunique").to_numpy()
    again = coded.duplicated().to_numpy()
    rules = {"contract with several winners": distinct > 1, "award given again": again}
    return without(awards, rules)


def warm_users(
    train: pd.DataFrame, test: pd.DataFrame, *, user: str = "user", at_least: int = 1
) -> tuple[pd.DataFrame, Report]:
    """Only the test rows of users who are known from training.

    Parameters
    ----------
    train, test : DataFrame
        The two sides of a split.
    user : str, default "user"
        The column that names the user.
    at_least : int, default 1
        Training rows that make a user known; the default is the document's.

    Returns
    -------
    kept : DataFrame
        A new table of the test rows of known users. Order and index stay.
    report : Report
        Which test rows were removed.

    Raises
    ------
    InputError
        If a column is absent or there twice, an id is missing, the two tables' ids are of
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
    trained, tested, ids = ids_of_sides(train, test, user)
    cold = np.bincount(trained, minlength=ids.size)[tested] < least
    return without(test, {f"user with fewer than {counted(least, 'training row')}": cold})


def k_core(
    table: pd.DataFrame, k: int, *, user: str = "user", item: str = "item"
) -> tuple[pd.DataFrame, Report]:
    """Only users and items with at least k rows each, counted among what remains.

    Users with fewer than k rows go, then items with fewer than k of the rows that are left,
    then users again, until nothing more goes: the k-core of the graph of users and items,
    which does not depend on the order.

    Parameters
    ----------
    table : DataFrame
        One row per user and item.
    k : int
        The least number of rows.
    user, item : str
        The columns of ids.

    Returns
    -------
    kept : DataFrame
        A new table of the rows that remain, possibly none. Order and index stay.
    report : Report
        Which rows were removed with their user and which with their item.

    Raises
    ------
    InputError
        If a column is absent or there twice, an id is missing, or ``k`` is no positive integer.

    References
    ----------
    Seidman (1983), Network structure and minimum degree, Social Networks 5(3).

    Examples
    --------
    >>> rows = pd.DataFrame({"user": list("uuvvw"), "item": [1, 2, 1, 2, 3]})
    >>> kept, report = k_core(rows, 2)
    >>> report
    4 of 5 rows kept
      removed: user with fewer than 2 rows: 1 row, at [4]
      removed: item with fewer than 2 rows: 0 rows
    """
    least = check_count(k, "k")
    codes = ids_of_columns(table, "table", user, item)
    keep, few = np.ones(len(table), bool), np.zeros((2, len(table)), bool)
    before = -1
    while before != (before := int(keep.sum())):
        for code, left_out in zip(codes, few, strict=True):
            rows = np.bincount(code[keep], minlength=code.max(initial=-1) + 1)
            left_out |= keep & (rows < least)[code]
            keep &= ~left_out
    names = (f"{what} with fewer than {counted(least, 'row')}" for what in ("user", "item"))
    return without(table, dict(zip(names, few, strict=True)))


def _positions(train: npt.ArrayLike, n: int) -> IntArray:
    series = as_series(train, "train")
    if series.dtype == bool:
        raise InputError("train must hold row positions; got booleans. Use numpy.flatnonzero")
    rows = as_integers(series.to_numpy(), "train")
    check_none(rows, (rows < 0) | (rows >= n), "train", f"hold row positions (0 to {n - 1})")
    return rows
