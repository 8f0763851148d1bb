"""Expected reciprocal rank: a user who stops at an item the likelier the better it is."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, check_none, check_number
from receval._lists import as_gains, check_cutoff
from receval.metrics.discounts import Gain, exponential_gain, reciprocal
from receval.metrics.formula import ArrayLists, RankFormula, Terms
from receval.metrics.spec import MeasureSpec

LARGEST = 1000  # grade whose power of two is far from the end of float64


@cache
def _stopping(max_grade: float) -> Gain:
    """The share of users who stop at an item, by its grade."""

    def gain(grades: FloatArray) -> FloatArray:
        _check_scale(grades, max_grade, "relevance")
        return np.asarray(exponential_gain(grades) / 2.0**max_grade)

    return gain


def _check_scale(grades: FloatArray, max_grade: float, name: str) -> None:
    check_none(grades, grades > max_grade, name, f"be at most max_grade, {max_grade:g}")


def form(max_grade: float) -> RankFormula:
    rule = f"a number from 0 to {LARGEST}"
    top = check_number(max_grade, "max_grade", rule, lambda grade: 0 <= grade <= LARGEST)
    return RankFormula(Terms(_stopping(top), reciprocal, "unstopped"))


def err(gains: npt.ArrayLike, *, max_grade: float, k: int | None = None) -> FloatArray:
    r"""Expected reciprocal rank (ERR): one over the rank at which a user stops, in the mean.

    .. math:: \mathrm{ERR@}k = \sum_{i=1}^{\min(k, n)} \frac{R_i}{i} \prod_{j < i} (1 - R_j),
              \qquad R_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    max_grade : float
        The highest grade of the scale, from 0 to 1000; no grade lies above it.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1); 0 for an empty list.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`; if a grade is above ``max_grade``, or that is no
        number from 0 to 1000.

    Notes
    -----
    The scale is that of all judgements, not of one list: `evaluate` takes the largest grade of the
    truth, unless the name of the measure says otherwise, as ``"ERR(max_grade=4)@10"`` does.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), CIKM, eq. 4 and 5, doi:10.1145/1645953.1646033.

    Examples
    --------
    >>> err([1, 0, 2], max_grade=2)
    np.float64(0.4375)
    """
    gains, k, cascade = as_gains(gains), check_cutoff(k), form(max_grade)
    _check_scale(gains, float(max_grade), "gains")
    return cascade(ArrayLists(gains), k)


ERR = MeasureSpec(
    name="ERR",
    function=err,
    title="expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{R_{ui}}{i} \prod_{j < i} (1 - R_{uj}),\quad "
    r"R_{ui} = \frac{2^{g_{ui}} - 1}{2^{g_{\max}}}",
    source="@chapelle2009",
    computation=form,
    options=("max_grade",),
    truth_options=("max_grade",),
)
