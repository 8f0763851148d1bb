"""Rounds of training and test rows, which test one fold after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import index
from typing import SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    MAX_ROWS,
    IntArray,
    Seed,
    as_generator,
    check_integer,
    check_that,
    input_error,
    warn,
)
from receval.splitting.columns import as_times, ids_of
from receval.splitting.report import Report, counted
from receval.splitting.tables import fill_missing_dates

Round: TypeAlias = tuple[IntArray, IntArray]
"""The positions of the training rows and of the test rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Splits:
    """Rounds of ``(train, test)``: row positions to train on and to test on.

    It has a length, you can index it and loop over it repeatedly. scikit-learn takes it as
    ``cv=``. Each round is made when you access it, so even leave-one-out
    needs memory for only one round.

    Attributes
    ----------
    rounds : int
        Number of rounds.
    make : callable
        Function that takes the number of a round, counted from 0, and returns the round.
    n_rows : int
        Number of rows of the table.
    report : Report or None
        Changes that the split made to rows, such as dates that it filled in.

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
    n_rows: int
    report: Report | None = None

    def __len__(self) -> int:
        return self.rounds

    def __iter__(self) -> Iterator[Round]:
        return map(self.make, range(self.rounds))

    def __getitem__(self, number: SupportsIndex) -> Round:
        """Return a round."""
        # A range also handles negative numbers, and raises IndexError for a round that isn't there.
        return self.make(range(self.rounds)[index(number)])

    def __repr__(self) -> str:
        """Return the number of rounds, and of the first five the sizes and the rows in no part."""
        shown = list(islice(self, MAX_EXAMPLES))
        sizes = [f"{len(train)}/{len(test)}" for train, test in shown]
        n_in_no_part = [str(self.n_rows - len(train) - len(test)) for train, test in shown]
        if len(self) > MAX_EXAMPLES:
            sizes.append("…")
            n_in_no_part.append("…")
        return (
            f"Splits({counted(len(self), 'round')}, train/test rows {', '.join(sizes)}; "
            f"rows in no part: {', '.join(n_in_no_part)})"
        )


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
        If ``k`` is below 2 or above ``n``, ``n`` is above 10**8, ``rng`` is neither a
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
    n = check_integer(n, "n", 0, MAX_ROWS)
    if users is None:
        fold_of_row = _deal(n, k, rng)
    else:
        user_codes, distinct_users = pd.factorize(ids_of(users, "users"))  # by first appearance
        check_that(
            len(user_codes) == n, "users", f"have an id for each of {n} rows", len(user_codes)
        )
        fold_of_row = _deal(len(distinct_users), k, rng, "users")[user_codes]

    def make_round(j: int) -> Round:
        """Return all rows outside fold j to train on, and fold j to test."""
        return np.flatnonzero(fold_of_row != j), np.flatnonzero(fold_of_row == j)

    return Splits(k, make_round, n)


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
        If ``k`` is not a whole number from 2 to 10**8, or above ``rows``; if ``rows`` is above
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
    if rows is None:
        check_that(
            rng is None, "rng", "be left out without rows, because no rows are dealt to folds", rng
        )
        rows = check_integer(k, "k", 2, MAX_ROWS)  # a fold for each number from 0 to k - 1
    rows = check_integer(rows, "rows", 0, MAX_ROWS)
    fold_of_row = _deal(rows, k, rng)

    def make_round(j: int) -> Round:
        """Return k - 1 folds to train on, starting with fold j, and the one after them to test."""
        place_of_row = (fold_of_row - j) % k  # fold j comes first, and the tested one last
        in_order = np.argsort(place_of_row, kind="stable")
        is_test = place_of_row[in_order] == k - 1
        return in_order[~is_test], in_order[is_test]

    return Splits(k, make_round, rows)


def time_series_folds(times: npt.ArrayLike, k: int) -> Splits:
    """Train on the past, test on the fold that comes next in time.

    Rows are sorted by time and cut into k folds; rows with equal times keep their order. Round j
    tests fold j + 1 and trains on all folds before it. The first fold is never tested. If a cut
    lies between rows of the same time, the order of rows decides which of them are tested, and a
    `receval.EvaluationWarning` says for how many cuts.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown. The median of all known times replaces an
        unknown one. This is the document's rule, and it uses times of tested rows.
    k : int
        Number of folds, from 2 to the number of rows.

    Returns
    -------
    Splits
        k - 1 rounds. Positions are in order of time; the first ``n mod k`` folds have one row
        more. ``report`` lists the times that were filled in, and their new value.

    Raises
    ------
    InputError
        If ``k`` is below 2 or above the number of rows, all times are unknown, or they are neither
        dates nor numbers.

    Notes
    -----
    Without times of tested rows: fill them in with `fill_missing_dates` and its ``train`` first.
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
    series = as_times(times, "times")
    fold_of_place = _fold_numbers(len(series), k)
    if series.isna().all():
        raise input_error("times", "have a known one", f"{len(series)} unknown")
    filled, report = fill_missing_dates(series)
    rows_in_time = np.asarray(filled.argsort(kind="stable"), np.int64)
    # If two neighbouring folds share a time, the order of rows decided on the cut.
    times_in_order = filled.iloc[rows_in_time]
    is_cut = np.diff(fold_of_place, prepend=0) > 0
    divided = times_in_order[is_cut & times_in_order.duplicated().to_numpy()]
    if len(divided):
        warn(
            f"which rows are tested is decided by the order of rows at {len(divided):,} of "
            f"{counted(k - 1, 'cut')}: rows of the same time, such as {divided.iloc[0]}, "
            "are on both sides; splitting.fixed_time keeps them together",
            stacklevel=2,  # the caller of this function
        )

    def make_round(j: int) -> Round:
        """Return the first j + 1 folds to train on, and the next one to test."""
        return rows_in_time[fold_of_place <= j], rows_in_time[fold_of_place == j + 1]

    return Splits(k - 1, make_round, len(series), report)


def _fold_numbers(n: int, k: int, what: str = "rows") -> IntArray:
    """Return the fold of each of ``n`` places: 0, 0, …, 1, 1, … to k - 1.

    If k doesn't divide n, the first folds have one place more. ``what`` is "rows" or "users", for
    messages. Raises an `InputError` if ``k`` is not a whole number from 2 to ``n``.
    """
    check_integer(k, "k", 2, MAX_ROWS)
    check_that(k <= n, "k", f"be at most the number of {what}, {n}", k)
    return np.sort(np.arange(n) % k)


def _deal(n: int, k: int, rng: Seed, what: str = "rows") -> IntArray:
    """Return the fold of each of ``n`` rows or users.

    Folds are random with ``rng``, and contiguous blocks if it is None; see `_fold_numbers`.
    """
    fold_numbers = _fold_numbers(n, k, what)
    if rng is None:
        return fold_numbers
    folds = np.empty_like(fold_numbers)
    folds[as_generator(rng).permutation(n)] = fold_numbers
    return folds
