"""Prepare tables for a split, count what leaks from its test rows to its training rows, and report.

The last section reads the columns of ids and times, for all splitting functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_exact
from receval._checks import (
    MAX_EXAMPLES,
    BoolArray,
    IntArray,
    counted,
    input_error,
    shorten,
)
from receval.tables.columns import (
    Ids,
    as_series,
    check_frame,
    check_no_rows,
    read_column,
    shared_codes,
)


def fill_missing_dates(dates: npt.ArrayLike) -> tuple[pd.Series, Report]:
    """Replace unknown dates with the median of the known ones.

    The median of an even number of dates is the earlier of the middle two, which is a real date.
    The document doesn't say which one it is.

    Parameters
    ----------
    dates : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown.

    Returns
    -------
    filled : Series
        A new Series with the index of ``dates``.
    report : Report
        The rows that were filled, and their new date.

    Raises
    ------
    InputError
        If all dates are unknown, or they are neither dates nor numbers.

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
    is_missing = times.isna().to_numpy()
    present_times = times.dropna()
    if present_times.empty:
        raise input_error("dates", "have a known one", f"{len(times)} unknown")
    if not is_missing.any():
        return times.copy(), Report(len(times), len(times))
    median = present_times.quantile(interpolation="lower")
    change = f"unknown time set to {median}, the median of {len(present_times):,} known"
    report = Report(len(times), len(times), {change: np.flatnonzero(is_missing)})
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
    awards = check_frame(awards, "awards")
    # Compare the ids as whole numbers.
    contracts = ids_of(read_column(awards, contract, "awards"), f"awards[{contract!r}]")
    winners = ids_of(read_column(awards, winner, "awards"), f"awards[{winner!r}]")
    coded = pd.DataFrame({"contract": contracts, "winner": winners})
    # For each row, the number of distinct winners of its contract.
    n_winners = coded.groupby("contract")["winner"].transform("nunique").to_numpy()
    is_repeated = coded.duplicated().to_numpy()
    rules = {"contract with several winners": n_winners > 1, "award listed again": is_repeated}
    return without(awards, rules)


def warm_users(
    train: pd.DataFrame, test: pd.DataFrame, *, user: str = "user"
) -> tuple[pd.DataFrame, Report]:
    """Keep only the test rows of users who have training rows.

    Parameters
    ----------
    train, test : DataFrame
        The two sides of a split.
    user : str, default "user"
        The column that names the user.

    Returns
    -------
    kept : DataFrame
        A new table of the test rows of these users. Their order and index stay the same.
    report : Report
        The test rows that were removed.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, an id is missing, or the two tables' ids are of
        different kinds.

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
      removed: user without a training row: 1 row, at [1]
    """
    train_users, test_users, _ = ids_of_sides(train, test, user)
    is_cold = ~np.isin(test_users, train_users)
    return without(test, {"user without a training row": is_cold})


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
        findings |= _findings_in_time(train, test, time, train_users, test_users)
    rows = []
    for is_found in findings.values():
        # The index holds row positions or ids, which serve as examples.
        examples = is_found.index[is_found][:MAX_EXAMPLES].tolist()
        rows.append((is_found.sum(), len(is_found), is_found.mean(), examples))
    index = pd.Index(findings, name="finding")
    return pd.DataFrame(rows, index, ["count", "of", "share", "examples"])


def _findings_in_time(
    train: pd.DataFrame, test: pd.DataFrame, time: str, train_users: IntArray, test_users: IntArray
) -> dict[str, pd.Series]:
    """Return which training rows are as late as test rows or later, and which rows have no time.

    ``time`` is the column of times. ``train_users`` and ``test_users`` are the users of the rows.
    """
    train_times = as_times(read_column(train, time, "train"), f"train[{time!r}]")
    test_times = as_times(read_column(test, time, "test"), f"test[{time!r}]")
    # Times as whole numbers in their order; unknown ones are -1.
    times_by_name = {f"train[{time!r}]": train_times, f"test[{time!r}]": test_times}
    train_moments, test_moments = rank_times(times_by_name, time)
    has_no_time = np.append(train_moments, test_moments) < 0
    # If the time of a test row is unknown, no training row counts as later. A training row whose
    # time is unknown (-1) doesn't count as later than any test row either.
    never = len(train) + len(test)  # later than every moment
    test_moments = np.where(test_moments < 0, never, test_moments)
    first_test = test_moments.min(initial=never)
    # For each training row, the first test of its user, or ``never`` if the user has none.
    first_test_by_user = pd.Series(test_moments).groupby(test_users).min()
    own_first_test = first_test_by_user.reindex(train_users, fill_value=never).to_numpy()
    findings = {
        "training rows after the first test row": train_moments > first_test,
        "training rows after the user's own first test row": train_moments > own_first_test,
        "training rows at the first test time": train_moments == first_test,
        "training rows at the user's own first test time": train_moments == own_first_test,
        "rows without a time": has_no_time,
    }
    return {finding: pd.Series(is_found) for finding, is_found in findings.items()}


def _is_cold(train_codes: IntArray, test_codes: IntArray, ids: Ids) -> pd.Series:
    """Return for each distinct id in the test rows whether it is cold: without a training row.

    The codes are the ids of the training and of the test rows; the result is indexed by id.
    """
    distinct = np.unique(test_codes)
    return pd.Series(~np.isin(distinct, train_codes), ids.take(distinct))


# The report of a function that changes a table ----------------------------------------------------


@dataclass(frozen=True)
class Report:
    """The rows of a table that a function changed or removed.

    Attributes
    ----------
    given, kept : int
        Number of rows before and after.
    changes : mapping of str to ndarray of int
        Each change, in words, and the positions of its rows in the original table. A row that was
        removed is listed under the first reason that applies.

    Examples
    --------
    >>> import numpy as np
    >>> Report(given=5, kept=3, changes={"removed: a self-link": np.array([0, 4])})
    3 of 5 rows kept
      removed: a self-link: 2 rows, at [0, 4]
    """

    given: int
    kept: int
    changes: Mapping[str, IntArray] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the number of rows, then one line per change with the positions of some rows."""
        lines = [f"{self.kept:,} of {self.given:,} rows kept"]
        for change, rows in self.changes.items():
            line = f"  {change}: {counted(len(rows), 'row')}"
            positions = [str(row) for row in rows[:MAX_EXAMPLES]]
            if len(rows) > MAX_EXAMPLES:
                positions.append("…")
            if positions:
                line += f", at [{', '.join(positions)}]"
            lines.append(line)
        return "\n".join(lines)


def without(table: pd.DataFrame, rules: Mapping[str, BoolArray]) -> tuple[pd.DataFrame, Report]:
    """Return a copy of a table without some rows, and the report of which were removed, and why.

    ``rules`` maps each reason to a mask of the rows to remove; the masks are not changed. A row is
    reported under the first reason that applies.
    """
    is_kept = np.ones(len(table), bool)
    removed = {}
    for reason, is_unwanted in rules.items():
        # Rows that an earlier rule removed are not listed again.
        removed[f"removed: {reason}"] = np.flatnonzero(is_unwanted & is_kept)
        is_kept &= ~is_unwanted
    return table[is_kept].copy(), Report(len(table), int(is_kept.sum()), removed)


# Columns of ids and times -------------------------------------------------------------------------


DATE_KINDS = {"datetime64", "datetime", "date"}
NUMBER_KINDS = {"integer", "floating", "mixed-integer-float"}
TIMES_ADVICE = (
    "Convert one of them, such as seconds since 1970 by pd.to_datetime(times, unit='s'), "
    "milliseconds by unit='ms', or both to dates of one unit by times.dt.as_unit('us')"
)


def as_times(values: object, name: str) -> pd.Series:
    """Return dates or numbers as a Series, in which missing times are NaT or NaN.

    Dates and numbers that are Python objects get a type of pandas. ``name`` is the name of the
    values in error messages.

    Raises
    ------
    InputError
        If the values are neither dates nor numbers, mix both, or include infinite numbers.
    """
    column = as_series(values, name)
    times = column
    kind = pd.api.types.infer_dtype(times, skipna=True)
    if times.dtype == object:
        try:
            if kind in NUMBER_KINDS:
                times = pd.to_numeric(times)
            elif kind in DATE_KINDS or times.isna().all():
                times = pd.to_datetime(times)
        except (ValueError, TypeError, OverflowError) as error:  # huge numbers, mixed time zones
            got = shorten(str(error))
            raise input_error(name, "hold times of one kind that pandas can hold", got) from None
    is_date = pd.api.types.is_datetime64_any_dtype(times.dtype)
    # Booleans and complex numbers are numeric to pandas, but they aren't times.
    is_number = pd.api.types.is_numeric_dtype(times.dtype) and kind not in ("boolean", "complex")
    if not (is_date or is_number) and len(times):  # an empty column may have any type
        raise input_error(
            name,
            "hold dates or numbers",
            f"{kind} such as {shorten(times.iloc[0])}",
            "Turn text into dates with pandas.to_datetime first",
        )
    if pd.api.types.is_float_dtype(times.dtype):
        is_infinite = np.isinf(times.to_numpy(dtype=float, na_value=np.nan))
        check_no_rows(times, is_infinite, name, "be finite", "Use NaN for an unknown time")
        check_exact(column.to_numpy(), name)  # Python objects that are large whole numbers
    return times


def known_times(values: object, name: str) -> pd.Series:
    """Return dates or numbers as a Series; raise an error about ``name`` if one is missing."""
    times = as_times(values, name)
    advice = "See receval.splitting.fill_missing_dates"
    check_no_rows(times, times.isna().to_numpy(), name, "be known", advice)
    return times


def rank_times(times_by_name: Mapping[str, pd.Series], argument: str) -> list[IntArray]:
    """Return the rank of each time in several Series of times.

    The ranks count the distinct times of all Series from 0, the earliest first, so equal times have
    equal ranks. An unknown time has the rank -1. Raises an `InputError` about the argument if the
    Series, which have the given names, are of different kinds.
    """
    columns = list(times_by_name.values())
    kinds = {times.dtype.kind for times in columns}
    if kinds == {"i", "u"}:  # pandas would join them to floats
        columns = [times.astype(object) for times in columns]
    elif "f" in kinds:
        for name, times in times_by_name.items():
            check_exact(times.to_numpy(), name)
    try:
        ranks, _ = pd.factorize(pd.concat(columns, ignore_index=True), sort=True)
    # Dates and numbers, time zones on one side only, or dates after 2262 and nanoseconds
    except (TypeError, pd.errors.OutOfBoundsDatetime):
        got = " and ".join(str(times.dtype) for times in times_by_name.values())
        raise input_error(
            argument, f"be of one kind in {' and '.join(times_by_name)}", got, TIMES_ADVICE
        ) from None
    return np.split(ranks, np.cumsum([len(times) for times in times_by_name.values()])[:-1])


def ids_of(values: object, name: str) -> IntArray:
    """Return ids as codes from 0; error messages call them ``name``."""
    codes, _ = shared_codes({name: as_series(values, name)}, "ids")
    return codes[name]


def ids_of_sides(
    train: pd.DataFrame, test: pd.DataFrame, name: str
) -> tuple[IntArray, IntArray, Ids]:
    """Return the ids in column ``name`` of the training and of the test table as codes from 0.

    The third result holds the distinct ids of both tables, in the order of the codes; an id has the
    same code in both. Raises an `InputError` if a table lacks the column or an id is missing.
    """
    columns = {
        "train": read_column(check_frame(train, "train"), name, "train"),
        "test": read_column(check_frame(test, "test"), name, "test"),
    }
    codes, ids = shared_codes(columns, name)
    return codes["train"], codes["test"], ids
