"""Rank-biased precision: a user who goes on to the next rank with a fixed probability."""

from __future__ import annotations

from functools import cache

import numpy.typing as npt

from receval._checks import FloatArray, check_number
from receval._lists import as_gains, check_cutoff
from receval.metrics.discounts import Discount
from receval.metrics.form import Form, Lists, Terms
from receval.metrics.ranking.divisors import is_relevant
from receval.metrics.stated import Stated


@cache
def _persistent(p: float) -> Discount:
    return lambda rank: (1 - p) * p ** (rank - 1)


def form(p: float = 0.8) -> Form:
    p = check_number(p, "p", "a number of at least 0 and below 1", lambda p: 0 <= p < 1)
    return Form(Terms(is_relevant, _persistent(p)))


def rbp(gains: npt.ArrayLike, *, k: int | None = None, p: float = 0.8) -> FloatArray:
    r"""Rank-biased precision (RBP): the rate at which a user of persistence p finds relevant items.

    .. math:: \mathrm{RBP@}k = (1 - p) \sum_{i=1}^{\min(k, n)} p^{i-1} \, [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.
    p : float, default 0.8
        Probability of going on to the next rank, in [0, 1).

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1 - p^k]; 0 for an empty list. What the ranks below k could add is p^k.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`; if ``p`` lies outside [0, 1).

    References
    ----------
    Moffat and Zobel (2008), ACM Transactions on Information Systems 27(1), eq. 1,
    doi:10.1145/1416950.1416952.

    Examples
    --------
    >>> rbp([1, 0, 1], p=0.5)
    np.float64(0.625)
    """
    return form(p)(Lists(as_gains(gains)), check_cutoff(k))


RBP = Stated(
    name="RBP",
    title="rank-biased precision",
    formula=r"(1 - p) \sum_{i \le k} p^{i-1}\, [g_{ui} > 0]",
    source="@moffat2008",
    how=form,
    options=("p",),
)
