"""Expected reciprocal rank: the better an item is, the likelier a user stops at it."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from receval._arrays import as_gains, check_cutoff
from receval._checks import FloatArray, check_none, check_number
from receval.metrics.discounts import Gain, exponential_gain, reciprocal
from receval.metrics.formula import RankFormula, Terms, share_not_stopped, sum_over_ranks
from receval.metrics.spec import MeasureSpec

LARGEST_GRADE = 1000  # 2.0**1000 is far below the largest float64, about 2.0**1024


@cache
def stopping_gain(max_grade: float) -> Gain:
    """Return the gain (2^grade - 1) / 2^max_grade, the share of users who stop at an item.

    The gain is cached, because `RankedLists.sum` recognises terms by the identity of their
    functions.
    """

    def gain(grades: FloatArray) -> FloatArray:
        _check_highest_grade(grades, max_grade, "relevance")
        return np.asarray(exponential_gain(grades) / 2.0**max_grade)

    return gain


def _check_highest_grade(grades: FloatArray, max_grade: float, name: str) -> None:
    """Raise if a grade is above ``max_grade``."""
    check_none(grades, grades > max_grade, name, f"be at most max_grade, {max_grade:g}")


def _check_scale(max_grade: float) -> float:
    """Return the highest grade of the scale as a number; raise if it lies outside [0, 1000]."""
    return check_number(
        max_grade,
        "max_grade",
        f"a number from 0 to {LARGEST_GRADE}",
        lambda grade: 0 <= grade <= LARGEST_GRADE,
    )


def err_formula(max_grade: float) -> RankFormula:
    """Return the formula of ERR for the highest grade of the scale."""
    gain = stopping_gain(_check_scale(max_grade))
    return RankFormula(Terms(gain, weight=reciprocal, above="unstopped"))


def err(gains: npt.ArrayLike, *, max_grade: float, k: int | None = None) -> FloatArray:
    r"""Return the expected reciprocal rank (ERR): the mean of 1/i, where users stop at rank i.

    .. math:: \mathrm{ERR@}k = \sum_{i=1}^{\min(k, n)} \frac{R_i}{i} \prod_{j < i} (1 - R_j),
              \qquad R_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    max_grade : float
        The highest grade of the scale, from 0 to 1000; no grade may lie above it.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1); 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists, and if a grade is above ``max_grade``,
        or ``max_grade`` is not a number from 0 to 1000.

    Notes
    -----
    The scale belongs to all judgements, not to one list: `evaluate` takes the largest grade of the
    truth, unless the name of the measure sets another one, as in ``"ERR(max_grade=4)@10"``.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), CIKM, eq. 4 and 5, doi:10.1145/1645953.1646033.

    Examples
    --------
    >>> err([1, 0, 2], max_grade=2)
    np.float64(0.4375)
    """
    grades = as_gains(gains)
    scale = _check_scale(max_grade)
    _check_highest_grade(grades, scale, "gains")
    top = np.nan_to_num(grades[..., : check_cutoff(k)])
    stops = exponential_gain(top) / 2.0**scale
    ranks = np.arange(1, top.shape[-1] + 1)
    return sum_over_ranks(stops * share_not_stopped(stops) * reciprocal(ranks))


ERR = MeasureSpec(
    name="ERR",
    function=err,
    title="expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{R_{ui}}{i} \prod_{j < i} (1 - R_{uj}),\quad "
    r"R_{ui} = \frac{2^{g_{ui}} - 1}{2^{g_{\max}}}",
    source="@chapelle2009",
    computation=err_formula,
    options=("max_grade",),
    truth_options=("max_grade",),
)
