"""One round of training and test rows: a random share, the last rows of users, or a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_pairs, check_same_labels
from receval._checks import (
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
    input_error,
    shorten,
    warn,
)
from receval.splitting.columns import as_times, ids_of, known_times, rank_times
from receval.splitting.folds import Round, Splits
from receval.splitting.report import Report, counted


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
    fraction = _as_fraction(share)
    user_codes = ids_of(users, "users")
    # Python's integers are exact, however many digits the share has.
    n_rows_by_user = np.bincount(user_codes).astype(object)
    n_tested_by_user = n_rows_by_user * fraction.numerator // fraction.denominator
    sort_key: AnyArray = np.arange(len(user_codes))
    if times is not None:
        check_that(rng is None, "rng", "be left out with times, which say what is tested", rng)
        check_same_labels(users=users, times=times)
        sort_key = known_times(times, "times").array
    elif rng is not None:
        sort_key = as_generator(rng).random(len(user_codes))
    # If a user has at most this many rows, none of them is tested: the largest r with r·s < 1.
    largest_untested = (fraction.denominator - 1) // fraction.numerator
    return _test_last_rows(
        user_codes, sort_key, n_tested_by_user.astype(np.int64), largest_untested
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
    check_that(
        (at is None) != (share is None), "at", "be given without share, or share without at", at
    )
    if share is not None:
        at = series.sort_values().iloc[-_count_of_share(len(series), share, "times", "row")]
    # A text that isn't a date becomes NaT.
    moment = pd.to_datetime(at, errors="coerce") if isinstance(at, str) else at
    moments = as_times([moment], "at")
    check_that(moments.notna().all(), "at", "be a date or a number like the times", at)
    ranks, [first_tested] = rank_times({"times": series, "at": moments}, "at")
    is_test = ranks >= first_tested
    n_tested = np.count_nonzero(is_test)
    if not 0 < n_tested < len(series):
        sizes = f"{len(series) - n_tested} rows before it and {n_tested} at or after it"
        raise input_error("at", "leave rows on both sides", f"{shorten(at)}, with {sizes}")
    return _single_split(is_test)


def _as_fraction(share: object) -> Fraction:
    """Return a share as the decimal number that the user wrote; raise if it is not in (0, 1)."""
    number = check_number(share, "share", "a number in (0, 1)", lambda s: 0 < s < 1)
    # The text of the float 0.2 is "0.2", so this is 1/5; Fraction(0.2) would be a bit more.
    return Fraction(str(number))


def _count_of_share(n: int, share: object, name: str, what: str) -> int:
    """Return the share of ``n`` rows or users, rounded down; see `_choose_share` for errors."""
    count = int(n * _as_fraction(share))
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
