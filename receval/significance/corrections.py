"""Correct p-values for the number of comparisons.

To add a correction, put its name into `CORRECTIONS` and its formula into `adjust`. Add its name in
words to ``receval/evaluation/words.toml``, and an oracle (an independent computation) to
``tests/significance/test_significance.py``. A test fails as long as one of the two is missing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import as_numbers
from receval._checks import FloatArray, check_choice, check_none

CORRECTIONS = ("holm", "bh", "none")
"""The names of the corrections."""


def adjust(p: npt.ArrayLike, *, correction: str = "holm") -> FloatArray:
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
        expected share of false findings among all findings. "none" changes nothing.

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
    from scipy import stats

    check_choice(correction, "correction", CORRECTIONS)
    values = as_numbers(p, "p").copy()
    check_none(values, (values < 0) | (values > 1), "p", "lie in [0, 1]")  # NaN is not outside
    # An undefined p-value stays NaN, and the others are corrected as if it weren't there.
    is_defined = ~np.isnan(values)
    defined = values[is_defined]
    if correction == "holm":
        # Multiply the sorted p-values by m, m - 1, …, 1. None may be below the one before it.
        order = np.argsort(defined)
        products = defined[order] * np.arange(defined.size, 0, -1)
        defined[order] = np.minimum(np.maximum.accumulate(products), 1)
    elif correction == "bh":
        defined = stats.false_discovery_control(defined)
    values[is_defined] = defined
    return values
