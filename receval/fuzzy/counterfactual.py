r"""Counterfactual estimates: from a log, what another policy would have given.

A *policy* shows an action, such as an item, with a probability. The *logging* policy made the log;
the *target* policy is the one that we want to know about. Each row has a reward r, such as a click,
and two probabilities: those with which the target and the logging policy show the logged action.
Their ratio :math:`w = \pi_{target} / \pi_{logging}` is the weight of the row.

====================== ==========================================================================
estimate               definition
====================== ==========================================================================
`ips`                  :math:`\sum w r / n` over n rows
`snips`                :math:`\sum w r / \sum w`
`doubly_robust`        the mean of :math:`\hat V + w (r - \hat q)`, with predicted rewards
====================== ==========================================================================

All three are off-line predictors of the on-line reward, next to metrics such as nDCG or DCG.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._arrays import ROUNDING, check_same_labels, divide_or_nan
from receval._checks import (
    FloatArray,
    IntArray,
    check_none,
    check_not_empty,
    check_number,
    check_shape,
)
from receval.fuzzy.online import LEVEL, TOO_LARGE, read_summable
from receval.significance.intervals import effective_number, ends_without_spread
from receval.tables.columns import as_series, id_codes

MAX_WEIGHT_Z = 3.0  # standard errors; if the mean weight differs from 1 by more, a note says so
MAX_ROW_SHARE = 0.1  # share of the sum of |w r|; if a single row has more, a note says so


@dataclass(frozen=True)
class PolicyValue:
    """The estimated mean reward of a policy, with its uncertainty.

    Attributes
    ----------
    estimator : str
        ``"IPS"``, ``"SNIPS"`` or ``"DR"``.
    value : float
        Estimated mean reward per row, in the unit of the rewards. NaN if it is undefined.
    standard_error : float
        Estimated standard deviation of ``value``; NaN with fewer than two units, and if the units
        don't differ.
    interval : tuple of float
        95 % confidence interval, from Student's t. The degrees of freedom are the number of units
        minus one. If no reward differs from 0, or none from 1, it is Wilson's interval of a
        proportion for the effective number of units. If the units don't differ in another way, it
        is NaN.
    n_effective : float
        Effective number of rows, (Σw)²/Σw²: the log is as informative as this number of rows with
        equal weights. NaN if all weights are 0.
    n_rows : int
        Number of rows.
    unit : str
        What the interval treats as independent: ``"row"``, or ``"cluster"`` if clusters were
        passed.
    n_clipped : int
        Number of rows whose weight was cut to ``clip``.
    notes : tuple of str
        Reasons to doubt the estimate.
    """

    estimator: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    n_effective: float
    n_rows: int
    unit: str
    n_clipped: int
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the value, the interval and its unit, and the effective number of rows."""
        low, high = self.interval
        return (
            f"{self.estimator} {self.value:.4g}, 95% interval {low:.4g} to "
            f"{high:.4g} (by {self.unit}); {self.n_rows:,} rows, effective {self.n_effective:,.0f}"
        )


def ips(
    rewards: npt.ArrayLike,
    target: npt.ArrayLike,
    logging: npt.ArrayLike,
    *,
    cluster: npt.ArrayLike | None = None,
    clip: float | None = None,
) -> PolicyValue:
    r"""Estimate the mean reward of a policy by inverse propensity scoring (IPS).

    .. math:: \hat\theta = \frac1n \sum_i w_i r_i, \qquad w_i = \pi_{target,i} / \pi_{logging,i}

    It is unbiased if the logging policy can show every action that the target policy shows, and
    the probabilities are right. Its variance is large if some weights are large.

    Parameters
    ----------
    rewards : array_like, shape (rows,)
        Reward of each logged row, such as 1 for a click and 0 for none.
    target, logging : array_like, shape (rows,)
        Probabilities, from 0 to 1, with which the target and the logging policy show the logged
        action at that place. Those of the logging policy are above 0.
    cluster : array_like of ids, shape (rows,), optional
        The unit of each row, such as its user. Rows of a unit may depend on each other. Default:
        rows are independent, and the result says so.
    clip : float, optional
        Largest weight; larger ones are cut to it. This makes the interval shorter and the estimate
        biased, usually too small.

    Returns
    -------
    PolicyValue
        With ``value``, ``interval`` and ``n_effective``. If target and logging are the same, the
        value is the mean reward of the log: the on-line estimate.

    Raises
    ------
    InputError
        If arrays differ in length or are empty, a number is not finite, a probability is outside
        [0, 1], a logging probability is at most 1e-50, a cluster is missing, ``clip`` is not above
        0, or a reward reaches 1e50.

    Notes
    -----
    Let unit u have :math:`n_u` rows, and let :math:`S_u` be its sum of w r. The estimate is
    :math:`\sum S_u / \sum n_u`. Its standard error comes from the residuals
    :math:`S_u - \hat\theta n_u` (delta method). If a few rows make up most of the sum, intervals
    are too short, and ``notes`` says so. Open Bandit Pipeline draws rows instead (percentile
    bootstrap), so its intervals are not symmetric and never negative.

    References
    ----------
    Horvitz and Thompson (1952). Saito et al. (2021), Open
    Bandit Dataset and Pipeline.

    Examples
    --------
    The logging policy showed both items equally often; the target policy prefers the first one:

    >>> ips([1, 1, 0, 0], [0.9, 0.9, 0.1, 0.1], [0.5, 0.5, 0.5, 0.5]).value
    0.9
    """
    arrays = {"rewards": rewards, "target": target, "logging": logging}
    return _estimate("IPS", arrays, cluster, clip)


def snips(
    rewards: npt.ArrayLike,
    target: npt.ArrayLike,
    logging: npt.ArrayLike,
    *,
    cluster: npt.ArrayLike | None = None,
    clip: float | None = None,
) -> PolicyValue:
    r"""Estimate the mean reward of a policy by self-normalised inverse propensity scoring.

    .. math:: \hat\theta = \frac{\sum_i w_i r_i}{\sum_i w_i}

    The value never leaves the range of the rewards, and its variance is usually smaller than that
    of `ips`. It has a small bias, which vanishes as the number of rows grows.

    Parameters
    ----------
    rewards, target, logging, cluster, clip
        As in `ips`.

    Returns
    -------
    PolicyValue
        NaN if all weights are 0.

    Raises
    ------
    InputError
        As in `ips`.

    Notes
    -----
    The standard error comes from the residuals :math:`\sum w (r - \hat\theta)` of the units.

    References
    ----------
    Swaminathan and Joachims (2015), The Self-Normalized Estimator for Counterfactual Learning.

    Examples
    --------
    >>> snips([1, 1, 0], [0.9, 0.9, 0.1], [0.5, 0.5, 0.5]).value.__round__(4)
    0.9474
    """
    arrays = {"rewards": rewards, "target": target, "logging": logging}
    return _estimate("SNIPS", arrays, cluster, clip)


def doubly_robust(
    rewards: npt.ArrayLike,
    target: npt.ArrayLike,
    logging: npt.ArrayLike,
    *,
    predicted: npt.ArrayLike,
    predicted_target: npt.ArrayLike,
    cluster: npt.ArrayLike | None = None,
    clip: float | None = None,
) -> PolicyValue:
    r"""Estimate the mean reward of a policy with the doubly robust estimator.

    .. math:: \hat\theta = \frac1n \sum_i \hat V_i + w_i (r_i - \hat q_i)

    It starts from predicted rewards and uses the log to correct them. It is right if either the
    probabilities or the predictions are right. Good predictions make its variance small.

    Parameters
    ----------
    rewards, target, logging, cluster, clip
        As in `ips`.
    predicted : array_like, shape (rows,)
        Predicted reward :math:`\hat q` of the logged action of each row. Train the predictor on
        rows other than those that you evaluate.
    predicted_target : array_like, shape (rows,)
        Predicted reward :math:`\hat V` of the target policy in each row: the mean of the predicted
        rewards of all actions, weighted by the target's probabilities.

    Returns
    -------
    PolicyValue
        Its ``n_effective`` depends on the weights only, as in `ips`.

    Raises
    ------
    InputError
        As in `ips`; also if a prediction is not finite, or if there are more or fewer
        predictions than rewards.

    References
    ----------
    Dudík, Langford and Li (2011), Doubly Robust Policy Evaluation and Learning, ICML.

    Examples
    --------
    Perfect predictions leave nothing to correct:

    >>> doubly_robust(
    ...     [1, 0], [0.9, 0.1], [0.5, 0.5], predicted=[1, 0], predicted_target=[0.9, 0.9]
    ... ).value
    0.9
    """
    arrays = {
        "rewards": rewards,
        "target": target,
        "logging": logging,
        "predicted": predicted,
        "predicted_target": predicted_target,
    }
    return _estimate("DR", arrays, cluster, clip)


def _estimate(
    estimator: str,
    arrays: dict[str, npt.ArrayLike],
    cluster: npt.ArrayLike | None,
    clip: float | None,
) -> PolicyValue:
    """Return the estimate with its interval: a ratio of two sums over the rows (delta method).

    ``estimator`` is "IPS", "SNIPS" or "DR", and ``arrays`` has its other arguments by name.
    """
    from scipy import stats  # slow to import

    check_same_labels(**arrays, cluster=cluster)
    columns = _read_columns(arrays)
    r = columns["rewards"]
    unclipped = columns["target"] / columns["logging"]
    w = unclipped
    if clip is not None:
        largest = check_number(clip, "clip", "a number above 0, or None", lambda c: c > 0)
        w = np.minimum(unclipped, largest)
    unit, unit_codes = _read_units(cluster, len(r))

    # What each row adds to the two sums.
    numerators = w * r
    denominators = np.ones(len(r))
    if estimator == "SNIPS":
        denominators = w
    elif estimator == "DR":
        numerators = columns["predicted_target"] + w * (r - columns["predicted"])
    value, standard_error = ratio_with_error(numerators, denominators, unit_codes)
    # Student's interval, whose degrees of freedom are the number of units minus one.
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, max(int(unit_codes.max()), 1)))
    interval = (value - quantile * standard_error, value + quantile * standard_error)
    notes = _notes(r, w, unclipped, unit_codes)
    # Sums of rounding errors differ from 0 by at most the number of their terms.
    noise = ROUNDING * divide_or_nan(np.abs(numerators).sum(), denominators.sum())
    if standard_error <= noise:
        standard_error = math.nan
        interval = _interval_without_spread(value, r, w, unit_codes)
        if math.isnan(interval[0]):
            notes.append(f"all {unit}s add the same to the estimate, so there is no interval")
    return PolicyValue(
        estimator=estimator,
        value=value,
        standard_error=standard_error,
        interval=interval,
        n_effective=effective_number(w),
        n_rows=len(r),
        unit=unit,
        n_clipped=int((w < unclipped).sum()),
        notes=tuple(notes),
    )


def _read_columns(arrays: dict[str, npt.ArrayLike]) -> dict[str, FloatArray]:
    """Return arrays of finite numbers with one entry per row; raise for other arrays.

    Also raises for numbers so large that their squares would overflow in variances, and if a target
    or logging probability is outside [0, 1], or a logging probability is 0 or nearly so.
    """
    columns = {name: read_summable(values, name) for name, values in arrays.items()}
    check_not_empty(columns["rewards"], "rewards")
    for name, column in columns.items():
        check_shape(column, (columns["rewards"].size,), name)
    for name in ("target", "logging"):
        is_outside = (columns[name] < 0) | (columns[name] > 1)
        check_none(columns[name], is_outside, name, "be a probability, from 0 to 1")
    advice = "The log can't hold an action that its policy never shows"
    is_too_small = columns["logging"] <= 1 / TOO_LARGE
    check_none(columns["logging"], is_too_small, "logging", f"be above {1 / TOO_LARGE:g}", advice)
    return columns


def _read_units(cluster: npt.ArrayLike | None, n: int) -> tuple[str, IntArray]:
    """Return what the interval takes as independent, and a code for each row's unit, from 0."""
    if cluster is None:
        return "row", np.arange(n)
    ids = as_series(cluster, "cluster")
    check_shape(ids.to_numpy(), (n,), "cluster")
    codes, _ = id_codes(ids, "id of cluster")
    return "cluster", codes


def ratio_with_error(
    numerators: FloatArray, denominators: FloatArray, unit_codes: IntArray
) -> tuple[float, float]:
    r"""Return the ratio of two sums over independent units, and its standard error.

    With sums :math:`S_u` and :math:`N_u` of unit u, the ratio is :math:`\sum S_u / \sum N_u`, and
    the delta method gives the variance :math:`G/(G-1) \sum (S_u - \hat\theta N_u)^2 /
    (\sum N_u)^2` with G units. ``unit_codes`` holds the unit of each row. The ratio and the error
    are NaN if the denominators sum to 0; the error is also NaN if there are fewer than two units.
    """
    numerator_by_unit = np.bincount(unit_codes, numerators)
    denominator_by_unit = np.bincount(unit_codes, denominators)
    n_units = len(numerator_by_unit)
    total = denominator_by_unit.sum()
    value = float(divide_or_nan(numerator_by_unit.sum(), total))
    if n_units < 2:
        return value, math.nan
    residuals = numerator_by_unit - value * denominator_by_unit
    variance = n_units / (n_units - 1) * divide_or_nan((residuals**2).sum(), total**2)
    return value, math.sqrt(variance)


def _interval_without_spread(
    value: float, r: FloatArray, w: FloatArray, unit_codes: IntArray
) -> tuple[float, float]:
    """Return the ends of the interval of an estimate to which all units add the same.

    If no reward r differs from an estimate of 0 or 1, the interval is that of a proportion, for the
    effective number of units with weights w. Otherwise its ends are NaN.
    """
    if not (np.abs(r - value) <= ROUNDING).all():
        return math.nan, math.nan
    weight_by_unit = np.asarray(np.bincount(unit_codes, w), np.float64)
    return ends_without_spread(value, effective_number(weight_by_unit), LEVEL)


def _notes(r: FloatArray, w: FloatArray, unclipped: FloatArray, unit_codes: IntArray) -> list[str]:
    """Return reasons to doubt an estimate from rewards r with weights w, clipped and unclipped."""
    notes = []
    n = len(r)
    mean_weight, error = ratio_with_error(unclipped, np.ones(n), unit_codes)
    if np.ptp(unclipped) <= ROUNDING * mean_weight and n > 1:
        error = 0.0  # equal weights, even if there is only one unit
    if mean_weight == 0:
        notes.append(
            "all weights are 0: the target policy never shows the logged actions, so the log says "
            "nothing about it"
        )
    elif abs(mean_weight - 1) > max(MAX_WEIGHT_Z * error, ROUNDING):  # False if the error is NaN
        notes.append(
            f"the mean weight is {mean_weight:.3g} and should be near 1: the probabilities don't "
            "fit the log, or the target policy shows actions that the logging policy never shows"
        )
    contributions = np.abs(w * r)
    largest_share = divide_or_nan(contributions.max(), contributions.sum())
    if largest_share > MAX_ROW_SHARE and n > 1 / MAX_ROW_SHARE:
        notes.append(
            f"a single row has {100 * largest_share:.0f}% of the weighted rewards, so the "
            "interval is too short"
        )
    return notes
