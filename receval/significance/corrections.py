"""Several comparisons at once: p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, check_choice, check_none
from receval._lists import as_numbers

__all__ = ["adjust"]


def _holm(p: FloatArray) -> FloatArray:
    order = np.argsort(p)
    return np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))[np.argsort(order)]


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(stats.false_discovery_control(p))


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bonferroni": lambda p: p * p.size,
    "benjamini-hochberg": _benjamini_hochberg,
    "bh": _benjamini_hochberg,
    "none": lambda p: p,
}


def adjust(p: npt.ArrayLike, *, correction: str | None = "holm") -> FloatArray:
    r"""P-values corrected for the number of comparisons made.

    With the m p-values in ascending order :math:`p_{(1)} \le \dots \le p_{(m)}`:

    .. math:: \text{Bonferroni: } m p_{(i)}, \quad
              \text{Holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
              \text{Benjamini–Hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    and none above 1.

    Parameters
    ----------
    p : array_like, shape (m,)
        P-values of one family of comparisons. NaN (an undefined test) stays NaN and does not
        count in m.
    correction : {"holm", "bonferroni", "benjamini-hochberg", "bh", "none"}, default "holm"
        Holm and Bonferroni bound the probability of any false finding, Holm never being weaker;
        Benjamini–Hochberg ("bh" for short) the expected share of false ones among the findings.
        "none" or None leaves all as they are.

    Returns
    -------
    ndarray of float, shape (m,)
        To be compared with the level alpha.

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
    >>> adjust(p, correction="bonferroni").round(3).tolist()
    [0.03, 0.12, 0.09]
    >>> adjust(p, correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    how = check_choice("none" if correction is None else correction, "correction", CORRECTIONS)
    values = as_numbers(p, "p").copy()
    check_none(values, (values < 0) | (values > 1), "p", "lie in [0, 1]")
    known = ~np.isnan(values)
    if known.any():
        values[known] = np.minimum(CORRECTIONS[how](values[known]), 1)
    return values
