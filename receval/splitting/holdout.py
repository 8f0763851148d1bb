"""Splits of a share: of all rows, of the users, or of each user's rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    MAX_ROWS,
    AnyArray,
    BoolArray,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_integer,
    check_number,
    input_error,
)
from receval.splitting._columns import ids_of
from receval.splitting.folds import Round, Splits
from receval.splitting.report import Report, counted

__all__ = ["hold_out", "hold_out_per_user", "hold_out_users"]

LAST_AS_SORTED = "the order of rows, not of times, says which are a user's last"


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
    return single_split(~is_test, is_test)


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
    n_users = len(distinct_users)
    is_test = _choose_share(n_users, share, rng, "users", "user")[user_codes]
    return single_split(~is_test, is_test)


def hold_out_per_user(users: npt.ArrayLike, *, share: float = 0.2, rng: Seed = None) -> Splits:
    r"""Test a share of each user's rows: the last ones in the order of the rows, or random ones.

    .. math:: \mathrm{tested}(u) = \lfloor s \cdot |R_u| \rfloor

    The function knows no times. If the rows have times, sort them by time first, or the last rows
    need not be the latest.

    Parameters
    ----------
    users : array_like, shape (rows,)
        The user of each row.
    share : float, default 0.2
        s, in (0, 1). It is taken as the decimal number that you write: 0.2 is exactly 1/5.
    rng : numpy.random.Generator or int, optional
        Chooses the tested rows at random; an int is a seed. Without it, the tested rows are each
        user's last rows in the order of ``users``.

    Returns
    -------
    Splits
        One round; positions are ascending. Because of rounding down, every user has rows to
        train on. Users with too few rows are only trained on; ``report`` lists their rows.

    Raises
    ------
    InputError
        If an id is missing, ``share`` is outside (0, 1), ``rng`` is neither a generator nor a
        seed, or no user has enough rows.

    Examples
    --------
    >>> splits = hold_out_per_user(list("uuuuuvv"), share=0.4)
    >>> splits[0]
    (array([0, 1, 2, 5, 6]), array([3, 4]))

    To test each user's latest rows, split the rows in the order of time:

    >>> log = pd.DataFrame({"user": list("uuvv"), "time": [8, 5, 6, 7]})
    >>> in_time = log.sort_values("time", kind="stable")
    >>> splits = hold_out_per_user(in_time["user"], share=0.5)
    >>> print(repr(splits).replace("; ", ";\n"))
    Splits(1 round, train/test rows 2/2;
    rows in no part: 0;
    the order of rows, not of times, says which are a user's last)
    >>> [(train, test)] = splits
    >>> in_time.iloc[test]["time"].tolist()
    [7, 8]
    """
    fraction = _as_fraction(share)
    user_codes = ids_of(users, "users")
    n_tested_by_user = _share_of_counts(np.bincount(user_codes), fraction)
    # A user's rows are ordered by this key, and the last ones are tested.
    sort_key: AnyArray
    if rng is None:
        sort_key = np.arange(len(user_codes))
        order = LAST_AS_SORTED
    else:
        sort_key = as_generator(rng).random(len(user_codes))
        order = ""
    is_test = count_rows_after(user_codes, sort_key) < n_tested_by_user[user_codes]
    # If a user has at most this many rows, none of them is tested: the largest r with r·s < 1.
    largest_untested = (fraction.denominator - 1) // fraction.numerator

    splits = split_users(user_codes, is_test, largest_untested)
    return replace(splits, order=order)


def _as_fraction(share: object) -> Fraction:
    """Return a share as the decimal number that the user wrote; raise if it is not in (0, 1)."""
    number = check_number(share, "share", "a number in (0, 1)", lambda s: 0 < s < 1)
    # The text of the float 0.2 is "0.2", so this is 1/5; Fraction(0.2) would be a bit more.
    return Fraction(str(number))


def _share_of_counts(counts: IntArray, fraction: Fraction) -> IntArray:
    """Return the ``fraction`` of each count, rounded down."""
    # Whole numbers of Python have no limit, but those of NumPy overflow: as a decimal number, a
    # share such as 1/3 has a numerator of 16 digits. Many users have the same count, so compute
    # each distinct one once.
    distinct_counts, position = np.unique(counts, return_inverse=True)
    shares = [
        count * fraction.numerator // fraction.denominator for count in distinct_counts.tolist()
    ]
    return np.array(shares, np.int64)[position]


def _choose_share(n: int, share: object, rng: object, name: str, what: str) -> BoolArray:
    """Return a mask of ``n`` rows or users that is True for a random share, rounded down.

    Raises `InputError` if the share is less than one row or user, or not in (0, 1). The message
    calls a single row or user ``what``, and names the argument ``name`` that ``n`` comes from.
    """
    n_chosen = int(n * _as_fraction(share))
    if n_chosen == 0:
        raise InputError(f"share must make at least one {what} of {name}; got {share} of {n}")
    is_chosen = np.zeros(n, bool)
    is_chosen[as_generator(rng).permutation(n)[:n_chosen]] = True
    return is_chosen


def single_split(is_train: BoolArray, is_test: BoolArray, report: Report | None = None) -> Splits:
    """Return a split of one round with the rows that the two masks mark, and with the report."""

    def make_round(_: int) -> Round:
        """Return the positions of the training rows and of the test rows."""
        return np.flatnonzero(is_train), np.flatnonzero(is_test)

    return Splits(1, make_round, report, n_rows=len(is_train))


def count_rows_after(user_codes: IntArray, sort_key: AnyArray) -> IntArray:
    """Count for each row how many rows of the same user follow it in the order of ``sort_key``.

    Both arguments have an entry per row. Rows with equal keys keep their order.
    """
    # Sort by user, then by key, so that the rows of a user follow one another.
    order = np.lexsort((sort_key, user_codes))
    # The number of sorted rows up to the last one of each user.
    user_ends = np.cumsum(np.bincount(user_codes))
    # The number of sorted rows up to each row.
    n_up_to_row = np.arange(1, len(order) + 1)
    n_after = np.empty(len(order), np.int64)
    n_after[order] = user_ends[user_codes[order]] - n_up_to_row
    return n_after


def split_users(user_codes: IntArray, is_test: BoolArray, largest_untested: int) -> Splits:
    """Return a split of one round; its report lists the rows of users without a test row.

    ``user_codes`` is the user of each row, and ``is_test`` the mask of the test rows; all others
    are training rows. The report says that a user without a test row has at most
    ``largest_untested`` rows. Raises `InputError` if there is no test row at all.
    """
    limit = counted(largest_untested, "row")
    if not is_test.any():
        raise input_error("users", f"include one with more than {limit}", "none")
    n_tested_by_user = np.bincount(user_codes, weights=is_test)
    train_only = np.flatnonzero(n_tested_by_user[user_codes] == 0)
    changes = {f"train only: user with at most {limit}": train_only}
    n_rows = len(is_test)
    report = Report(n_rows, n_rows, changes)
    return single_split(~is_test, is_test, report)
