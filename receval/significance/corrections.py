"""Correct p-values for the number of comparisons.

To add a correction, write its function and put it into `CORRECTIONS`. Add its name
in words to ``receval/evaluation/words.toml``, and an oracle (an independent computation) to
``tests/significance/test_significance.py``. A test fails as long as one of the two is missing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._arrays import as_numbers
from receval._checks import FloatArray, check_choice, check_none

__all__ = ["adjust"]


def _adjust_holm(p: FloatArray) -> FloatArray:
    """Return the p-values corrected by Holm's method, in the order of ``p``.

    The sorted p-values are multiplied by m, m - 1, …, 1. If a product is below the result
    before it, the result before it replaces the product.
    """
    order = np.argsort(p)
    factors = np.arange(p.size, 0, -1)
    sorted_result = np.maximum.accumulate(p[order] * factors)
    # Put the results back into the order of ``p``.
    result = np.empty(p.size)
    result[order] = sorted_result
    return result


def _adjust_benjamini_hochberg(p: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(stats.false_discovery_control(p))


def _leave_unchanged(p: FloatArray) -> FloatArray:
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _adjust_holm,
    "bh": _adjust_benjamini_hochberg,
    "none": _leave_unchanged,
}
"""The corrections by name; each takes p-values without NaN, and its results may exceed 1."""


def adjust(p: npt.ArrayLike, *, correction: str | None = "holm") -> FloatArray:
    r"""Correct p-values for the number of comparisons.

    With the m p-values in ascending order :math:`p_{(1)} \le \dots \le p_{(m)}`:

    .. math:: \text{Holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
              \text{Benjamini–Hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    Results above 1 become 1.

    Parameters
    ----------
    p : array_like, shape (m,)
        P-values of one family of comparisons. NaN (an undefined test) stays NaN and does not
        count in m.
    correction : {"holm", "bh", "none"}, default "holm"
        Holm bounds the probability of any false finding. Benjamini–Hochberg ("bh") bounds the
        expected share of false findings among all findings. "none" or None changes nothing.

    Returns
    -------
    ndarray of float, shape (m,)
        Corrected p-values, to be compared with the level alpha.

    Raises
    ------
    InputError
        If a p-value lies outside [0, 1], or the correction is unknown.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6(2), 1979. Y. Benjamini, Y. Hochberg: Controlling the false discovery rate, JRSS B
    57(1), 1995.

    Examples
    --------
    >>> p = [0.01, 0.04, 0.03]
    >>> adjust(p).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust(p, correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    if correction is None:
        correction = "none"
    name = check_choice(correction, "correction", CORRECTIONS)
    values = as_numbers(p, "p").copy()
    is_outside = (values < 0) | (values > 1)  # NaN is not outside
    check_none(values, is_outside, "p", "lie in [0, 1]")
    # An undefined p-value stays NaN, and the others are corrected as if it weren't there.
    is_defined = ~np.isnan(values)
    if is_defined.any():
        corrected = CORRECTIONS[name](values[is_defined])
        values[is_defined] = np.minimum(corrected, 1)
    return values
