"""Rounds in which folds take turns at being tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from receval._checks import (
    LARGEST,
    IntArray,
    Seed,
    as_generator,
    check_choice,
    check_count,
    check_rows,
    check_that,
    input_error,
    is_integer,
)
from receval.splitting.report import Report
from receval.splitting.tables import fill_missing_dates
from receval.tables.times import as_times, sortable

__all__ = ["Splits", "k_fold", "rotation", "time_series_folds"]

MOST_FOLDS = 10**6
Round = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Sequence[Round]):
    """Rounds of ``(train, test)``: row positions to train on and to test on.

    A sequence: it has a length, can be indexed, and can be gone through as often as one likes.
    scikit-learn takes it as ``cv=``. Each round is made when it is asked for, so that even
    leave-one-out needs the memory of one round only.

    Attributes
    ----------
    rounds : int
        How many.
    make : callable
        A number from 0 on to the round.
    report : Report or None
        What the split did to rows on its own account, such as dates that it filled in.

    Examples
    --------
    >>> splits = k_fold(4, 2)
    >>> len(splits), splits[0]
    (2, (array([2, 3]), array([0, 1])))
    """

    rounds: int
    make: Callable[[int], Round]
    report: Report | None = None

    def __len__(self) -> int:
        return self.rounds

    @overload
    def __getitem__(self, number: int) -> Round: ...
    @overload
    def __getitem__(self, number: slice) -> list[Round]: ...
    def __getitem__(self, number: int | slice) -> Round | list[Round]:
        chosen = range(self.rounds)[number]
        return [self.make(j) for j in chosen] if isinstance(chosen, range) else self.make(chosen)

    def __repr__(self) -> str:
        sizes = [f"{len(train)}/{len(test)}" for train, test in self[:5]] + ["…"] * (len(self) > 5)
        return f"Splits({len(self)} rounds, train/test rows {', '.join(sizes)})"


def k_fold(n: int, k: int, *, rng: Seed = None) -> Splits:
    """Every row tested once, in k folds of (nearly) equal length.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Number of folds, from 2 to n.
    rng : numpy.random.Generator or int, optional
        Deals the rows to folds at random, an int being a seed. Without it the folds are
        contiguous blocks of rows, as in the SPARQL program of document 000.

    Returns
    -------
    Splits
        k rounds; round j tests fold j and trains on the others. The first ``n mod k`` folds
        have one row more than the others. Positions are ascending within each array.

    Raises
    ------
    InputError
        If ``k`` is below 2, above ``n`` or above 10**6, ``n`` is above 10**8, or ``rng`` is
        neither a generator nor a seed.

    References
    ----------
    Document 000, section "Evaluation protocol"; document 001, section "K-fold Testing". The
    documents do not say where a remainder goes; both programs of document 000 lengthen the
    first folds.

    Examples
    --------
    >>> for train, test in k_fold(5, 2):
    ...     print(train, test)
    [3 4] [0 1 2]
    [0 1 2] [3 4]
    """
    folds = _folds(n, k, rng)
    return Splits(k, lambda j: (np.delete(np.arange(n), folds[j]), folds[j].copy()))


def rotation(k: int, *, rows: int | None = None, rng: Seed = None) -> Splits:
    """The order of document 001's table: k folds rotate, and the last in line is validated.

    Parameters
    ----------
    k : int
        Number of folds, at least 2.
    rows : int, optional
        Number of rows of a table, which are cut into folds as `k_fold` does it.
    rng : numpy.random.Generator or int, optional
        Deals the rows to folds at random, an int being a seed; without it folds are blocks.

    Returns
    -------
    Splits
        k rounds. Round j trains on the k - 1 folds from j on, cyclically, in this order, and
        tests the one after them: fold numbers, counted from 0, or with ``rows`` the positions
        of the rows in these folds.

    Raises
    ------
    InputError
        If ``k`` is not a whole number from 2 to 10**6, or above ``rows``; if ``rows`` is above
        10**8; if ``rng`` is neither a
        generator nor a seed, or given without ``rows``.

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
    nothing_to_deal = "be left out without rows, as there is nothing to deal"
    check_that(rows is not None or rng is None, "rng", nothing_to_deal, rng)
    if rows is None:
        folds = _folds(check_folds(k), k, rng, "k") * 2
    else:
        folds = _folds(rows, k, rng, "rows") * 2
    return Splits(k, lambda j: (np.concatenate(folds[j : j + k - 1]), folds[j + k - 1].copy()))


def time_series_folds(
    times: npt.ArrayLike, k: int, *, median_of: str = "all", even: str = "earlier"
) -> Splits:
    """Train on the past, test on the fold that comes next in time.

    Rows are sorted by time, equal times keeping their order, and cut into k folds. Round j
    tests fold j + 1 and trains on all folds before it. The first fold is never tested.

    Parameters
    ----------
    times : array_like, shape (n,)
        Dates or numbers; NaT, NaN or None where unknown.
    k : int
        Number of folds, from 2 to the number of rows.
    median_of : {"all", "train"}, default "all"
        What an unknown time becomes. ``"all"`` is the document's rule: the median of all known
        times, which looks at dates of tested rows. ``"train"`` cuts the folds from the rows
        with a known time; the others get the median of the first fold's times, so that they
        join the first fold: always trained on, never tested, and no test date is looked at.
    even : {"earlier", "later", "midpoint"}, default "earlier"
        The median of an even number of times, which the document leaves open: the earlier or
        the later of the middle two, or halfway between them.

    Returns
    -------
    Splits
        k - 1 rounds. Positions are in order of time; the first ``n mod k`` folds have one row
        more. ``report`` says which times were filled in, and with what.

    Raises
    ------
    InputError
        If ``k`` is below 2 or above the number of rows (of rows with a known time under
        ``median_of="train"``), all times are unknown, or they are neither dates nor numbers.

    Notes
    -----
    Rows of one and the same time can lie on both sides of a cut; `leakage` counts only rows
    that train on a later time than they test.

    References
    ----------
    Document 000, section "Evaluation protocol": 5 folds, of which 4 are tested.

    Examples
    --------
    >>> folds = time_series_folds([2016, 2012, None, 2014, 2013], 3)
    >>> for train, test in folds:
    ...     print(train, test)
    [1 2] [4 3]
    [1 2 4 3] [0]
    >>> folds.report
    5 of 5 rows kept
      unknown time set to 2013.0, the median of 4 known: 1 row, at [2]
    """
    check_choice(median_of, "median_of", ("all", "train"))
    series = as_times(times, "times")
    known = series.notna().to_numpy()
    dated = np.flatnonzero(known)
    if median_of == "all":
        check_folds(k, len(series))
        if not known.any():
            raise input_error("times", "have a known one", f"{len(series)} unknown")
        filled, report = fill_missing_dates(series, even=even)
        folds = np.array_split(np.argsort(sortable(filled), kind="stable"), k)
    else:
        check_folds(k, len(dated), "known times")
        folds = np.array_split(dated[np.argsort(sortable(series[known]), kind="stable")], k)
        filled, report = fill_missing_dates(series, even=even, train=folds[0])
        first = np.sort(np.concatenate([folds[0], np.flatnonzero(~known)]))
        folds[0] = first[np.argsort(sortable(filled.iloc[first]), kind="stable")]

    return Splits(k - 1, lambda j: (np.concatenate(folds[: j + 1]), folds[j + 1].copy()), report)


def check_folds(k: object, n: int = LARGEST, what: str = "rows") -> int:
    """A number of folds, at least two, that ``n`` rows can fill."""
    folds = check_count(k, "k")
    check_that(folds > 1, "k", "be at least 2, one fold to train on and one to test", folds)
    check_that(folds <= n, "k", f"be at most the number of {what}, {n}", folds)
    return folds


def _folds(n: int, k: int, rng: Seed, name: str = "n") -> list[IntArray]:
    """The positions of n rows in k folds, ascending within each; the first ones are longer."""
    check_that(is_integer(n) and n <= LARGEST, name, "be a number of rows", n)
    k = check_folds(k, n)
    check_rows(n, name)
    check_that(k <= MOST_FOLDS, "k", f"be at most {MOST_FOLDS:,}, as each fold is an array", k)
    order = np.arange(n) if rng is None else as_generator(rng).permutation(n)
    return [np.sort(fold) for fold in np.array_split(order, k)]
