"""Rounds of training and test rows, which test one fold after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_ROWS,
    IntArray,
    Seed,
    as_generator,
    check_choice,
    check_count,
    check_integer,
    check_that,
    input_error,
    shorten,
    warn,
)
from receval.splitting._columns import ids_of
from receval.splitting.report import Report, counted
from receval.splitting.tables import fill_missing_dates
from receval.splitting.times import as_sortable, as_times

__all__ = ["Splits", "k_fold", "rotation", "time_series_folds"]

MAX_FOLDS = 10**6
MAX_SHOWN_ROUNDS = 5

Round: TypeAlias = tuple[IntArray, IntArray]
"""The positions of the training rows and of the test rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Sequence[Round]):
    """Rounds of ``(train, test)``: row positions to train on and to test on.

    It is a sequence: it has a length, you can index it and loop over it repeatedly.
    scikit-learn takes it as ``cv=``. Each round is made when you access it, so even leave-one-out
    needs memory for only one round.

    Attributes
    ----------
    rounds : int
        Number of rounds.
    make : callable
        Function that takes the number of a round, counted from 0, and returns the round.
    report : Report or None
        Changes that the split made to rows, such as dates that it filled in.
    n_rows : int or None
        Number of rows of the table, so that the repr can say how many of them are in no part.

    Examples
    --------
    >>> splits = k_fold(4, 2)
    >>> len(splits), splits[0]
    (2, (array([2, 3]), array([0, 1])))
    >>> splits
    Splits(2 rounds, train/test rows 2/2, 2/2; rows in no part: 0, 0)
    """

    rounds: int
    make: Callable[[int], Round]
    report: Report | None = None
    n_rows: int | None = None

    def __len__(self) -> int:
        return self.rounds

    @overload
    def __getitem__(self, number: int) -> Round: ...
    @overload
    def __getitem__(self, number: slice) -> list[Round]: ...
    def __getitem__(self, number: int | slice) -> Round | list[Round]:
        """Return a round, or a list of the rounds of a slice."""
        # A range also handles negative numbers, and raises IndexError for a round that isn't there.
        # A slice of it is a range.
        selected = range(self.rounds)[number]
        if isinstance(selected, range):
            return [self.make(j) for j in selected]
        return self.make(selected)

    def __repr__(self) -> str:
        """Return the number of rounds, and the sizes of the first five.

        If the number of all rows is known, the text also says how many rows are in no part.
        """
        sizes = []
        n_in_no_part = []
        for train, test in self[:MAX_SHOWN_ROUNDS]:
            sizes.append(f"{len(train)}/{len(test)}")
            n_in_no_part.append(f"{(self.n_rows or 0) - len(train) - len(test)}")
        if len(self) > MAX_SHOWN_ROUNDS:
            sizes.append("…")
            n_in_no_part.append("…")
        text = f"{counted(len(self), 'round')}, train/test rows {', '.join(sizes)}"
        if self.n_rows is not None:
            text += f"; rows in no part: {', '.join(n_in_no_part)}"
        return f"Splits({text})"


def k_fold(n: int, k: int, *, users: npt.ArrayLike | None = None, rng: Seed = None) -> Splits:
    """Test every row once, in k folds of (nearly) equal length.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Number of folds, from 2 to the number of rows, or of users.
    users : array_like, shape (n,), optional
        The user of each row. All rows of a user are then in one fold, and the folds have (nearly)
        the same number of users.
    rng : numpy.random.Generator or int, optional
        Assigns the rows or users to folds at random; an int is a seed. Without it the folds are
        contiguous blocks of rows, as in the SPARQL program of document 000, or of users in the
        order of their first rows.

    Returns
    -------
    Splits
        k rounds; round j tests fold j and trains on the others. The first ``n mod k`` folds
        have one row more than the others. Positions are ascending within each array.

    Raises
    ------
    InputError
        If ``k`` is below 2, above ``n`` or above 10**6, ``n`` is above 10**8, ``rng`` is neither a
        generator nor a seed, or ``users`` has missing ids or another length.

    References
    ----------
    Document 000, section "Evaluation protocol"; document 001, section "K-fold Testing". The
    documents do not say which folds are longer; in both programs of document 000, the first
    ones are longer.

    Examples
    --------
    >>> for train, test in k_fold(5, 2):
    ...     print(train, test)
    [3 4] [0 1 2]
    [0 1 2] [3 4]

    Folds of users:

    >>> for train, test in k_fold(5, 2, users=["u", "v", "u", "w", "w"]):
    ...     print(train, test)
    [3 4] [0 1 2]
    [0 1 2] [3 4]
    """
    if users is None:
        folds = _deal_rows(n, k, rng, "n")
    else:
        folds = _deal_users(users, n, k, rng)

    def make_round(j: int) -> Round:
        """Return all rows outside fold j to train on, and fold j to test."""
        train = np.delete(np.arange(n), folds[j])
        test = folds[j].copy()  # a user may write into it without changing the fold
        return train, test

    return Splits(k, make_round, n_rows=n)


def rotation(k: int, *, rows: int | None = None, rng: Seed = None) -> Splits:
    """Rotate k folds, and test the last one in each round, in the order of document 001's table.

    Parameters
    ----------
    k : int
        Number of folds, at least 2.
    rows : int, optional
        Number of rows of a table, which are cut into folds as in `k_fold`.
    rng : numpy.random.Generator or int, optional
        Assigns the rows to folds at random; an int is a seed. Without it folds are blocks.

    Returns
    -------
    Splits
        k rounds. Round j trains on k - 1 folds, starting with fold j (fold 0 comes after the last
        fold), and tests the fold after them. The arrays hold fold numbers, counted from 0; with
        ``rows`` they hold the positions of the rows in these folds.

    Raises
    ------
    InputError
        If ``k`` is not a whole number from 2 to 10**6, or above ``rows``; if ``rows`` is above
        10**8; if ``rng`` is neither a generator nor a seed, or passed without ``rows``.

    References
    ----------
    Document 001, table of the fold rotation; its rounds validate folds 4, 1, 2, 3.

    Examples
    --------
    The document's table counts from 1:

    >>> for train, test in rotation(4):
    ...     print(train + 1, test + 1)
    [1 2 3] [4]
    [2 3 4] [1]
    [3 4 1] [2]
    [4 1 2] [3]
    >>> rotation(4, rows=10)[0]
    (array([0, 1, 2, 3, 4, 5, 6, 7]), array([8, 9]))
    """
    if rows is None and rng is not None:
        rule = "be left out without rows, because no rows are dealt to folds"
        raise input_error("rng", rule, shorten(rng))
    if rows is None:
        # Dealing k numbers to k folds gives each fold its own number.
        folds = _deal_rows(check_folds(k), k, rng, "k")
    else:
        folds = _deal_rows(rows, k, rng, "rows")
    cycle = folds * 2  # the list twice, so that each round is a slice of it

    def make_round(j: int) -> Round:
        """Return k - 1 folds to train on, starting with fold j, and the one after them to test."""
        train = np.concatenate(cycle[j : j + k - 1])
        test = cycle[j + k - 1].copy()  # a user may write into it without changing the fold
        return train, test

    n_rows = sum(len(fold) for fold in folds)
    return Splits(k, make_round, n_rows=n_rows)


def time_series_folds(times: npt.ArrayLike, k: int, *, median_of: str = "all") -> Splits:
    """Train on the past, test on the fold that comes next in time.

    Rows are sorted by time and cut into k folds; rows with equal times keep their order. Round j
    tests fold j + 1 and trains on all folds before it. The first fold is never tested. If a cut
    lies between rows of the same time, the order of rows decides which of them are tested, and a
    `receval.EvaluationWarning` says for how many cuts.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown.
    k : int
        Number of folds, from 2 to the number of rows.
    median_of : {"all", "train"}, default "all"
        What replaces an unknown time. ``"all"`` is the document's rule: the median of all known
        times, which uses dates of tested rows. ``"train"`` cuts the folds from the rows with a
        known time. The others get the median of the first fold's times and join the first fold:
        they are always trained on and never tested, and no test date is used.

    Returns
    -------
    Splits
        k - 1 rounds. Positions are in order of time; the first ``n mod k`` folds have one row
        more. ``report`` lists the times that were filled in, and their new value.

    Raises
    ------
    InputError
        If ``k`` is below 2 or above the number of rows (with ``median_of="train"``, above the
        number of rows with a known time), all times are unknown, or they are neither dates nor
        numbers.

    Notes
    -----
    Rows of the same time can be on both sides of a cut. `leakage` counts such training rows apart
    from those that are later than test rows. `fixed_time` keeps rows of the same time together.

    References
    ----------
    Document 000, section "Evaluation protocol": 5 folds, of which 4 are tested.

    Examples
    --------
    >>> folds = time_series_folds([2016, 2012, None, 2014, 2013, 2015], 3)
    >>> for train, test in folds:
    ...     print(train, test)
    [1 4] [2 3]
    [1 4 2 3] [5 0]
    >>> folds
    Splits(2 rounds, train/test rows 2/2, 4/2; rows in no part: 2, 0)
    >>> folds.report
    6 of 6 rows kept
      unknown time set to 2014.0, the median of 5 known: 1 row, at [2]
    """
    check_choice(median_of, "median_of", ("all", "train"))
    series = as_times(times, "times")
    if median_of == "all":
        folds, filled, report = _folds_of_all(series, k)
    else:
        folds, filled, report = _folds_of_dated(series, k)
    _warn_of_divided_times(folds, filled)

    def make_round(j: int) -> Round:
        """Return the first j + 1 folds to train on, and the next one to test."""
        train = np.concatenate(folds[: j + 1])
        test = folds[j + 1].copy()  # a user may write into it without changing the fold
        return train, test

    return Splits(k - 1, make_round, report, n_rows=len(series))


def _warn_of_divided_times(folds: list[IntArray], times: pd.Series) -> None:
    """Warn if two neighbouring folds share a time, so that the order of rows decided on the cut."""
    last_before_cut = times.iloc[[fold[-1] for fold in folds[:-1]]]
    first_after_cut = times.iloc[[fold[0] for fold in folds[1:]]]
    divided = last_before_cut[last_before_cut.to_numpy() == first_after_cut.to_numpy()]
    if len(divided):
        warn(
            f"which rows are tested is decided by the order of rows at {len(divided):,} of "
            f"{counted(len(folds) - 1, 'cut')}: rows of the same time, such as {divided.iloc[0]}, "
            "are on both sides; splitting.fixed_time keeps them together",
            stacklevel=3,  # the caller of the public function
        )


def _folds_of_all(times: pd.Series, k: int) -> tuple[list[IntArray], pd.Series, Report]:
    """Return k folds of the positions of all rows in order of time, the times, and the report.

    Unknown times become the median of all known ones. Raises an `InputError` if there are fewer
    than k rows or no known time.
    """
    check_folds(k, len(times))  # raises
    if not times.notna().any():
        raise input_error("times", "have a known one", f"{len(times)} unknown")
    filled, report = fill_missing_dates(times)
    rows_in_time = np.argsort(as_sortable(filled), kind="stable")
    return np.array_split(rows_in_time, k), filled, report


def _folds_of_dated(times: pd.Series, k: int) -> tuple[list[IntArray], pd.Series, Report]:
    """Return k folds of row positions in order of time, the times, and the report of filled ones.

    The folds are cut from the rows with a known time. The other rows join the first fold: their
    times become the median of that fold's times, and the fold is sorted again. Raises an
    `InputError` if fewer than k times are known.
    """
    # Cut the rows with a known time.
    is_known = times.notna().to_numpy()
    dated_rows = np.flatnonzero(is_known)
    check_folds(k, len(dated_rows), "known times")  # raises
    order = np.argsort(as_sortable(times[is_known]), kind="stable")
    folds = np.array_split(dated_rows[order], k)
    # Fill in the unknown times, from the first fold only.
    filled, report = fill_missing_dates(times, train=folds[0])
    # Sort the first fold by row, then by time, so that equal times are in the order of rows.
    undated_rows = np.flatnonzero(~is_known)
    first_rows = np.sort(np.concatenate([folds[0], undated_rows]))
    first_order = np.argsort(as_sortable(filled.iloc[first_rows]), kind="stable")
    folds[0] = first_rows[first_order]
    return folds, filled, report


def check_folds(k: object, n: int = MAX_EXACT_INTEGER, what: str = "rows") -> int:
    """Return the number of folds k, after checking that it is a whole number from 2 to ``n``.

    ``n`` is the number of things that are dealt to the folds, and ``what`` names them in the error
    message.
    """
    n_folds = check_count(k, "k")
    check_that(n_folds > 1, "k", "be at least 2, one fold to train on and one to test", n_folds)
    check_that(n_folds <= n, "k", f"be at most the number of {what}, {n}", n_folds)
    return n_folds


def _deal_users(users: npt.ArrayLike, n: int, k: int, rng: Seed) -> list[IntArray]:
    """Return k folds of row positions, which have all rows of some users each."""
    # Number the users from 0 in the order in which they appear.
    user_codes, distinct_users = pd.factorize(ids_of(users, "users"))
    check_that(len(user_codes) == n, "users", f"have an id for each of {n} rows", len(user_codes))
    n_users = len(distinct_users)
    check_folds(k, n_users, "users")
    fold_of_user = np.empty(n_users, np.int64)
    for number, fold in enumerate(_deal_rows(n_users, k, rng, "users")):
        fold_of_user[fold] = number
    fold_of_row = fold_of_user[user_codes]
    order = np.argsort(fold_of_row, kind="stable")
    return np.split(order, np.cumsum(np.bincount(fold_of_row))[:-1])


def _deal_rows(n: int, k: int, rng: Seed, name: str) -> list[IntArray]:
    """Return k folds of the positions 0 to n - 1, which are ascending in each fold.

    If k doesn't divide n, the first folds have one position more. The folds are random with
    ``rng``, and contiguous blocks if it is None. ``name`` is what error messages call ``n``.
    Raises an `InputError` if ``n`` or ``k`` is not a whole number, too small or too large.
    """
    n = check_integer(n, name, 0, MAX_ROWS)
    k = check_folds(k, n)
    rule = f"be at most {MAX_FOLDS:,}, as each fold is an array"
    check_that(k <= MAX_FOLDS, "k", rule, k)
    # Deal the positions.
    if rng is None:
        order = np.arange(n)
    else:
        order = as_generator(rng).permutation(n)
    return [np.sort(fold) for fold in np.array_split(order, k)]
