"""The step-down max-T procedure of Westfall and Young (1993)."""

from __future__ import annotations

import math

import numpy as np

from receval._checks import FloatArray

ROUNDING = 1e-9  # studentised statistics that differ by less count as equal


def studentise(lifts: FloatArray, sd: FloatArray, *, is_two_sided: bool) -> FloatArray:
    """Divide lifts by their standard deviation over the permutations.

    ``lifts`` has the shape (draws, hypotheses). If ``is_two_sided``, the result holds absolute
    values. It is -inf for hypotheses that no permutation changes, so that they are never the
    largest.
    """
    can_vary = sd > 0  # False for NaN too
    statistics = np.full(lifts.shape, -np.inf)
    statistics[:, can_vary] = lifts[:, can_vary] / sd[can_vary]
    if is_two_sided:
        statistics[:, can_vary] = np.abs(statistics[:, can_vary])
    return statistics


def step_down_max_t(statistics: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p-values, adjusted p-values, and the largest statistic of each draw.

    Parameters
    ----------
    statistics : array, shape (draws, hypotheses)
        Large values speak against a hypothesis. The first draw is the observed one.

    Notes
    -----
    The hypothesis with the largest observed statistic is compared with the maximum over all
    hypotheses; the next one with the maximum over the remaining ones, and so on. A hypothesis never
    gets a smaller adjusted p-value than one with a larger statistic.
    """
    observed = statistics[0]
    p = (statistics >= observed - ROUNDING).mean(axis=0)
    order = np.argsort(-observed, kind="stable")  # the strongest hypothesis first
    # In each draw, the maximum over a hypothesis and all weaker ones.
    from_weakest = np.maximum.accumulate(statistics[:, order[::-1]], axis=1)
    remaining_maxima = from_weakest[:, ::-1]
    steps = (remaining_maxima >= observed[order] - ROUNDING).mean(axis=0)
    p_family = np.empty(len(observed))
    p_family[order] = np.maximum.accumulate(steps)
    return p, p_family, remaining_maxima[:, 0]


def critical_value(maxima: FloatArray, alpha: float) -> float:
    """Return the smallest statistic whose family-wise p-value is at most ``alpha``.

    ``maxima`` holds the largest statistic of each draw. The result is infinite if there are too few
    draws for a p-value that small.
    """
    in_order = np.sort(maxima)
    # How many draws reach each value. Values that differ only by rounding count as equal.
    first_reached = np.searchsorted(in_order, in_order - ROUNDING)
    shares = (len(in_order) - first_reached) / len(in_order)
    is_critical = shares <= alpha
    if not is_critical.any():
        return math.inf
    return float(in_order[is_critical][0])
