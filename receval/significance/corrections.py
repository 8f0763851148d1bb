"""Correct p-values for the number of comparisons.

To add a correction, write its two functions and put it into `CORRECTIONS`. Add its name
in words to ``receval/evaluation/words.toml``, and an oracle (an independent computation) to
``tests/significance/test_significance.py``. A test fails as long as one of the two is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, check_choice, check_none
from receval._lists import as_numbers

__all__ = ["adjust"]


@dataclass(frozen=True)
class Correction:
    """A correction of the p-values of one family of comparisons.

    Attributes
    ----------
    adjust : callable
        Takes p-values, shape (m,), without NaN and returns the corrected ones, which may exceed 1.
    largest_useful_p : callable
        Takes the smallest p-value that each comparison of the family can reach, shape (m,), and
        alpha. Returns for each comparison the bound that its smallest p-value must not exceed:
        above it, no data can bring the corrected p-value down to alpha.
    """

    adjust: Callable[[FloatArray], FloatArray]
    largest_useful_p: Callable[[FloatArray, float], FloatArray]


# Corrected p-values -------------------------------------------------------------------------------


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


def _adjust_bonferroni(p: FloatArray) -> FloatArray:
    return p * p.size


def _adjust_benjamini_hochberg(p: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(stats.false_discovery_control(p))


def _leave_unchanged(p: FloatArray) -> FloatArray:
    return p


# Largest useful p-values --------------------------------------------------------------------------


def _alpha_over_m(smallest: FloatArray, alpha: float) -> FloatArray:
    """Return alpha / m for each comparison.

    A p-value of at most alpha / m is significant after the correction, whatever the others are.
    """
    return np.full(smallest.size, alpha / smallest.size)


def _uncorrected_alpha(smallest: FloatArray, alpha: float) -> FloatArray:
    """Return alpha itself, for comparisons that are not corrected."""
    return np.full(smallest.size, alpha)


def _largest_useful_p_benjamini_hochberg(smallest: FloatArray, alpha: float) -> FloatArray:
    """Return for each comparison the largest p-value that Benjamini and Hochberg could accept.

    Their procedure sorts the m p-values. The one at rank j is significant if it and j - 1 others
    are at most alpha j / m. ``smallest`` holds the smallest p-value that each comparison can reach.
    The function counts how many other comparisons can reach each bound alpha j / m, and returns the
    largest bound that at least j - 1 others can reach.
    """
    m = smallest.size
    bounds = alpha * np.arange(1, m + 1) / m  # for the ranks 1 to m
    # How many of the m comparisons can reach each bound.
    n_reaching = np.searchsorted(np.sort(smallest), bounds, side="right")
    n_others_needed = np.arange(m)  # rank j needs j - 1 others
    largest_useful = np.empty(m)
    for row, smallest_p in enumerate(smallest):
        reaches_bound_itself = smallest_p <= bounds
        n_others_reaching = n_reaching - reaches_bound_itself
        # At least rank 1 qualifies, because it needs no others.
        has_enough_others = n_others_reaching >= n_others_needed
        last_rank = np.flatnonzero(has_enough_others)[-1]
        largest_useful[row] = bounds[last_rank]
    return largest_useful


# The corrections and the function that applies them -----------------------------------------------

_BENJAMINI_HOCHBERG = Correction(_adjust_benjamini_hochberg, _largest_useful_p_benjamini_hochberg)

CORRECTIONS: dict[str, Correction] = {
    "holm": Correction(_adjust_holm, _alpha_over_m),
    "bonferroni": Correction(_adjust_bonferroni, _alpha_over_m),
    "benjamini-hochberg": _BENJAMINI_HOCHBERG,
    "bh": _BENJAMINI_HOCHBERG,
    "none": Correction(_leave_unchanged, _uncorrected_alpha),
}


def adjust(p: npt.ArrayLike, *, correction: str | None = "holm") -> FloatArray:
    r"""Correct p-values for the number of comparisons.

    With the m p-values in ascending order :math:`p_{(1)} \le \dots \le p_{(m)}`:

    .. math:: \text{Bonferroni: } m p_{(i)}, \quad
              \text{Holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
              \text{Benjamini–Hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    Results above 1 become 1.

    Parameters
    ----------
    p : array_like, shape (m,)
        P-values of one family of comparisons. NaN (an undefined test) stays NaN and does not
        count in m.
    correction : {"holm", "bonferroni", "benjamini-hochberg", "bh", "none"}, default "holm"
        Holm and Bonferroni bound the probability of any false finding; Holm never finds fewer
        differences. Benjamini–Hochberg ("bh" for short) bounds the expected share of false findings
        among all findings. "none" or None changes nothing.

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
    >>> adjust(p, correction="bonferroni").round(3).tolist()
    [0.03, 0.12, 0.09]
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
        corrected = CORRECTIONS[name].adjust(values[is_defined])
        values[is_defined] = np.minimum(corrected, 1)
    return values
