"""One split at random or user by user: a share of the rows, of the users, of each user's rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    BoolArray,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_number,
    check_rows,
    input_error,
)
from receval.splitting._columns import ids_of
from receval.splitting.folds import Splits
from receval.splitting.report import Report, counted

__all__ = ["hold_out", "hold_out_per_user", "hold_out_users"]


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
        If ``n`` is not a positive integer up to 10**8, ``share`` lies outside (0, 1) or makes no
        whole row, or ``rng`` is neither a generator nor a seed.

    Examples
    --------
    >>> hold_out(5, share=0.4)[0]
    (array([0, 1, 3]), array([2, 4]))
    """
    tested = _chosen(check_rows(n, "n"), share, rng, "n", "row")
    return single_split(~tested, tested)


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
    tested = _chosen(len(distinct), share, rng, "users", "user")[by_user]
    return single_split(~tested, tested)


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
    tested = rows_after(by_user, within) < held_out[by_user]
    return of_users(by_user, tested, (part.denominator - 1) // part.numerator)


def _part(share: object) -> Fraction:
    """A share as the decimal number that is written."""
    return Fraction(str(check_number(share, "share", "a number in (0, 1)", lambda s: 0 < s < 1)))


def _chosen(n: int, share: object, rng: object, name: str, what: str) -> BoolArray:
    """Which of n are in a random share of them."""
    held_out = int(n * _part(share))
    if not held_out:
        raise InputError(f"share must make at least one {what} of {name}; got {share} of {n}")
    return np.isin(np.arange(n), as_generator(rng).permutation(n)[:held_out])


def single_split(train: BoolArray, test: BoolArray, report: Report | None = None) -> Splits:
    """One round, of the rows that are marked."""
    return Splits(1, lambda _: (np.flatnonzero(train), np.flatnonzero(test)), report)


def rows_after(by_user: IntArray, within: npt.NDArray[Any]) -> IntArray:
    """How many rows of the same user come after each; equal ones keep their order."""
    order, ends = np.lexsort((within, by_user)), np.cumsum(np.bincount(by_user))
    after = np.empty(len(order), np.int64)
    after[order] = ends[by_user[order]] - np.arange(1, len(order) + 1)
    return after


def of_users(by_user: IntArray, tested: BoolArray, too_few: int) -> Splits:
    """One round; the rows of users with too few to test any only train, which is reported."""
    few = counted(too_few, "row")
    if not tested.any():
        raise input_error("users", f"include one with more than {few}", "none")
    train_only = np.flatnonzero(np.bincount(by_user, tested)[by_user] == 0)
    changes = {f"train only: user with at most {few}": train_only}
    return single_split(~tested, tested, Report(len(tested), len(tested), changes))
