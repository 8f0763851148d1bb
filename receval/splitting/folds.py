"""Rounds of training and test rows: one fold after the other, or a single hold-out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import index
from typing import SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import ROUNDING, check_pairs, check_same_labels
from receval._checks import (
    MAX_EXAMPLES,
    MAX_ROWS,
    AnyArray,
    BoolArray,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_integer,
    check_number,
    check_that,
    counted,
    input_error,
    shorten,
    warn,
)
from receval.splitting.tables import (
    Report,
    as_times,
    fill_missing_dates,
    ids_of,
    known_times,
    rank_times,
)

# One fold after the other -------------------------------------------------------------------------


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


def k_fold(n: int, k: int, *, rng: Seed = None) -> Splits:
    """Test every row once, in k folds of (nearly) equal length.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Number of folds, from 2 to the number of rows.
    rng : numpy.random.Generator or int, optional
        Assigns the rows to folds at random; an int is a seed. Without it the folds are
        contiguous blocks of rows, as in the SPARQL program of document 000.

    Returns
    -------
    Splits
        k rounds; round j tests fold j and trains on the others. The first ``n mod k`` folds
        have one row more than the others. Positions are ascending within each array.

    Raises
    ------
    InputError
        If ``k`` is below 2 or above ``n``, ``n`` is above 10**8, or ``rng`` is neither a
        generator nor a seed.

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
    """
    fold_of_row = _fold_numbers(check_integer(n, "n", 0, MAX_ROWS), k)
    if rng is not None:
        fold_of_row[as_generator(rng).permutation(n)] = fold_of_row.copy()

    def make_round(j: int) -> Round:
        """Return all rows outside fold j to train on, and fold j to test."""
        return np.flatnonzero(fold_of_row != j), np.flatnonzero(fold_of_row == j)

    return Splits(k, make_round, n)


def rotation(k: int) -> Splits:
    """Rotate k folds, and test the last one in each round, in the order of document 001's table.

    Parameters
    ----------
    k : int
        Number of folds, at least 2.

    Returns
    -------
    Splits
        k rounds. Round j trains on k - 1 folds, starting with fold j (fold 0 comes after the last
        fold), and tests the fold after them. The arrays hold fold numbers, counted from 0. The
        test rows of `k_fold` are rows of such folds.

    Raises
    ------
    InputError
        If ``k`` is not a whole number from 2 to 10**8.

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
    """
    k = check_integer(k, "k", 2, MAX_ROWS)

    def make_round(j: int) -> Round:
        """Return k - 1 folds to train on, starting with fold j, and the one after them to test."""
        folds_in_order = np.roll(np.arange(k), -j)
        return folds_in_order[:-1], folds_in_order[-1:]

    return Splits(k, make_round, k)


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
    If no time of a tested row may be used, fill in the unknown times yourself first.
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


def _fold_numbers(n: int, k: int) -> IntArray:
    """Return the fold of each of ``n`` places: 0, 0, …, 1, 1, … to k - 1.

    If k doesn't divide n, the first folds have one place more. Raises an `InputError` if ``k`` is
    not a whole number from 2 to ``n``.
    """
    check_integer(k, "k", 2, MAX_ROWS)
    check_that(k <= n, "k", f"be at most the number of rows, {n}", k)
    return np.sort(np.arange(n) % k)


# One round: a random share, the last rows of users, or a time -------------------------------------


def hold_out(n: int, *, share: float = 0.2, rng: Seed = 0) -> Splits:
    """Test a random share of all rows, regardless of their users.

    Parameters
    ----------
    n : int
        Number of rows.
    share : float, default 0.2
        Share of the rows, in (0, 1), rounded down. It is taken as the decimal number that you
        write.
    rng : numpy.random.Generator or int, default 0
        Chooses the rows; an int is a seed.

    Returns
    -------
    Splits
        One round; positions are ascending. All rows of a user may end up in the test; see
        `warm_users`.

    Raises
    ------
    InputError
        If ``n`` is not a positive integer up to 10**8, ``share`` is outside (0, 1) or less than
        one row, or ``rng`` is neither a generator nor a seed.

    Examples
    --------
    >>> hold_out(5, share=0.4)[0]
    (array([0, 1, 3]), array([2, 4]))
    """
    is_test = _choose_share(check_integer(n, "n", 1, MAX_ROWS), share, rng, "n", "row")
    return _single_split(is_test)


def hold_out_users(users: npt.ArrayLike, *, share: float = 0.2, rng: Seed = 0) -> Splits:
    """Test all rows of a random share of the users (strong generalisation).

    No row of a tested user is used for training. If the recommender may see some of a user's rows
    when it is tested, split the test rows again, for example with `leave_last_out` or
    `hold_out_per_user`.

    Parameters
    ----------
    users : array_like, shape (rows,)
        The user of each row.
    share : float, default 0.2
        Share of the users, in (0, 1), rounded down. It is taken as the decimal number that you
        write.
    rng : numpy.random.Generator or int, default 0
        Chooses the users; an int is a seed.

    Returns
    -------
    Splits
        One round; positions are ascending.

    Raises
    ------
    InputError
        If an id is missing, ``share`` is outside (0, 1) or less than one user, or ``rng`` is
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
    # Number the users from 0 in the order in which they appear.
    user_codes, distinct_users = pd.factorize(ids_of(users, "users"))
    is_test_user = _choose_share(len(distinct_users), share, rng, "users", "user")
    return _single_split(is_test_user[user_codes])


def hold_out_per_user(
    users: npt.ArrayLike,
    *,
    share: float = 0.2,
    times: npt.ArrayLike | None = None,
    rng: Seed = None,
) -> Splits:
    r"""Test a share of each user's rows: the last ones in time or order, or random ones.

    .. math:: \mathrm{tested}(u) = \lfloor s \cdot |R_u| \rfloor

    Parameters
    ----------
    users : array_like, shape (rows,)
        The user of each row.
    share : float, default 0.2
        s, in (0, 1). It is taken as the decimal number that you write: 0.2 is exactly 1/5.
    times : array_like, shape (rows,), optional
        Dates or numbers, all known. The tested rows are each user's latest rows. If times are
        equal, the later row counts as the last. If that decides which rows are tested, a
        `receval.EvaluationWarning` says for how many users.
    rng : numpy.random.Generator or int, optional
        Chooses the tested rows at random; an int is a seed. Without ``rng`` and ``times``, the
        tested rows are each user's last rows in the order of ``users``, whatever their times are.

    Returns
    -------
    Splits
        One round; positions are ascending. Because of rounding down, every user has rows to
        train on. Users with too few rows are only trained on; ``report`` lists their rows.

    Raises
    ------
    InputError
        If an id or a time is missing, the lengths differ, ``share`` is outside (0, 1), ``rng`` is
        neither a generator nor a seed or goes with ``times``, or no user has enough rows.

    Examples
    --------
    >>> splits = hold_out_per_user(list("uuuuuvv"), share=0.4)
    >>> splits[0]
    (array([0, 1, 2, 5, 6]), array([3, 4]))

    The latest half of each user's rows:

    >>> hold_out_per_user(list("uuvv"), share=0.5, times=[8, 5, 6, 7])[0]
    (array([1, 2]), array([0, 3]))
    """
    share = _check_share(share)
    user_codes = ids_of(users, "users")
    # Round down the number of rows times the share. In floating point, 100 * 0.29 is a bit less
    # than 29, so start from a bit more.
    n_tested_by_user = np.floor(np.bincount(user_codes) * share * (1 + ROUNDING)).astype(np.int64)
    # The tested rows of a user are the last ones by this key: times, random numbers, or positions.
    if times is not None:
        check_that(rng is None, "rng", "be left out with times, which say what is tested", rng)
        check_same_labels(users=users, times=times)
        sort_key: AnyArray = known_times(times, "times").array
    elif rng is not None:
        sort_key = as_generator(rng).random(len(user_codes))
    else:
        sort_key = np.arange(len(user_codes))
    # A user with fewer than 1 / share rows has no test row. With a share of 0.3 this is 3.33…, so 3
    # rows are too few. If 1 / share is whole, rounding can make it a bit more, so take a bit less.
    largest_untested = math.ceil((1 - ROUNDING) / share) - 1
    return _test_last_rows(
        user_codes,
        sort_key=sort_key,
        n_tested_by_user=n_tested_by_user,
        largest_untested=largest_untested,
    )


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
    moments = known_times(times, "times")
    user_codes = ids_of(users, "users")
    n_tested_by_user = np.where(np.bincount(user_codes) > n_last, n_last, 0)
    return _test_last_rows(user_codes, moments.array, n_tested_by_user, n_last)


def fixed_time(times: npt.ArrayLike, at: object = None, *, share: float | None = None) -> Splits:
    """Train on the rows before a point in time, and test the rows at or after it.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers, all known; see `fill_missing_dates`.
    at : date, text such as "2026-03-04", or number
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
    check_that(
        (at is None) != (share is None), "at", "be given without share, or share without at", at
    )
    if share is not None:
        at = series.sort_values().iloc[-_count_of_share(len(series), share, "times", "row")]
    moment = at
    if isinstance(at, str):  # other texts become NaT, such as 03/04/2026, which may be in April
        moment = pd.to_datetime(at, format="ISO8601", errors="coerce")
    moments = as_times([moment], "at")
    rule = "be a date or a number like the times"
    check_that(moments.notna().all(), "at", rule, at, "Write a date as 2026-03-04")
    ranks, [first_tested] = rank_times({"times": series, "at": moments}, "at")
    is_test = ranks >= first_tested
    n_tested = np.count_nonzero(is_test)
    if not 0 < n_tested < len(series):
        sizes = f"{len(series) - n_tested} rows before it and {n_tested} at or after it"
        raise input_error("at", "leave rows on both sides", f"{shorten(at)}, with {sizes}")
    return _single_split(is_test)


def _check_share(share: object) -> float:
    """Return a share as a float; raise unless it is between 0 and 1, by more than rounding."""
    rule = f"a number in (0, 1), not within {ROUNDING:.0e} of either"
    return check_number(share, "share", rule, lambda s: ROUNDING < s < 1 - ROUNDING)


def _count_of_share(n: int, share: object, name: str, what: str) -> int:
    """Return the share of ``n`` rows or users, rounded down; see `_choose_share` for errors."""
    # In floating point, 0.29 * 100 is a bit less than 29.
    count = math.floor(n * _check_share(share) * (1 + ROUNDING))
    if count == 0:
        raise InputError(f"share must make at least one {what} of {name}; got {share} of {n}")
    return count


def _choose_share(n: int, share: object, rng: object, name: str, what: str) -> BoolArray:
    """Return a mask of ``n`` rows or users that is True for a random share, rounded down.

    Raises `InputError` if the share is less than one row or user, or not in (0, 1). The message
    calls a single row or user ``what``, and names the argument ``name`` that ``n`` comes from.
    """
    n_chosen = _count_of_share(n, share, name, what)
    is_chosen = np.zeros(n, bool)
    is_chosen[as_generator(rng).permutation(n)[:n_chosen]] = True
    return is_chosen


def _single_split(is_test: BoolArray, report: Report | None = None) -> Splits:
    """Return a split of one round, which tests the rows of a mask and trains on the others."""

    def make_round(_: int) -> Round:
        """Return the positions of the training rows and of the test rows."""
        return np.flatnonzero(~is_test), np.flatnonzero(is_test)

    return Splits(1, make_round, len(is_test), report)


def _test_last_rows(
    user_codes: IntArray, sort_key: AnyArray, n_tested_by_user: IntArray, largest_untested: int
) -> Splits:
    """Return a split of one round, which tests the last rows of each user.

    ``user_codes`` and ``sort_key`` have an entry per row. The rows of a user are in the order of
    the key, and rows with equal keys in their own order; a warning says if this decides which rows
    are tested. ``n_tested_by_user`` is the number of test rows of each user, below the number of
    rows. The report lists the rows of users without a test row, who have at most
    ``largest_untested`` rows. Raises `InputError` if there is no test row at all.
    """
    check_pairs(user_codes, sort_key, "users times")
    rows = pd.DataFrame({"user": user_codes, "key": sort_key})
    # Sort by key, and count for each row how many rows of its user follow it.
    in_order = rows.sort_values("key", kind="stable")
    n_after = in_order.groupby("user").cumcount(ascending=False).sort_index().to_numpy()
    n_tested = n_tested_by_user[user_codes]
    is_test = n_after < n_tested
    limit = counted(largest_untested, "row")
    if not is_test.any():
        raise input_error("users", f"include one with more than {limit}", "none")
    # A user's cut lies between two neighbouring rows: the first test row and the row before it. If
    # both have the same key, the order of the rows decided.
    is_at_cut = (n_tested > 0) & ((n_after == n_tested - 1) | (n_after == n_tested))
    n_tied = rows[is_at_cut].duplicated().sum()
    if n_tied > 0:
        warn(
            f"which rows are the last is decided by the order of rows for {n_tied:,} of "
            f"{np.count_nonzero(n_tested_by_user):,} tested users: they have equal times on both "
            "sides",
            stacklevel=3,  # the caller of the public function
        )
    changes = {f"train only: user with at most {limit}": np.flatnonzero(n_tested == 0)}
    return _single_split(is_test, Report(len(rows), len(rows), changes))
