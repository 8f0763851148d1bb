"""The value to count for a silent answer, for which a metric is NaN.

An empty answer gives most metrics nothing to compare, so they are NaN. A mean that leaves such
queries out rewards a retriever that is silent when it would be wrong. `silence` returns the value
to count for such an answer instead. With all similarities in [0, 1], an empty answer is never
better than another one in hits, Stromer's and Müller's quality, completeness, distance, MAE and
MSE. Correctness, Kendall's and Spearman's correlation may be negative. For them, the value of
silence is 0, halfway between the right and the reversed order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from receval._arrays import check_cutoff
from receval._checks import FloatArray
from receval.metrics.retrieval.places import distance, quality_stromer
from receval.metrics.retrieval.ranking import Ranking, RankingLike, as_ranking, mean
from receval.metrics.retrieval.similarities import mae, mse

__all__ = ["silence"]


def silence(
    metric: Callable[..., float],
    truth: RankingLike,
    *,
    k: int | None = None,
    places: int | None = None,
    **reading: str,
) -> float:
    r"""Return the value of a silent answer in a metric of `receval.metrics.retrieval`.

    An answer is silent if it leaves the metric without a value, as an empty answer does in most
    metrics. In a mean over queries, you can count this value for a silent answer:

    .. math::
        \begin{array}{ll}
        \text{MAE} & \frac{1}{n} \sum_{i=1}^{n} \max(t_i, 1 - t_i) \\
        \text{MSE} & \frac{1}{n} \sum_{i=1}^{n} \max(t_i, 1 - t_i)^2 \\
        \text{distance} & k - 1 \\
        \text{Stromer's quality} & \text{its value for an empty answer} \\
        \text{all others} & 0
        \end{array}

    where :math:`t_1, \ldots, t_n` are the true similarities at the compared places.

    Parameters
    ----------
    metric : callable
        A metric of `receval.metrics.retrieval`.
    truth : mapping, Series, or (case, similarity) pairs
        The ground-truth ranking of the query.
    k : int, optional
        The cut-off of the metric.
    places : int, optional
        The largest number of places in the truth or in any answer to the same query. An answer has
        one place for each case in it, plus one for each case that is only in the truth. `distance`
        uses ``places`` as k if there is no cut-off. Default: the number of cases in the truth.
    **reading
        The named arguments of the metric, such as ``pairing="case"``.

    Returns
    -------
    float
        NaN if the metric has no value even for the truth compared with itself, for example because
        the truth is empty. In that case, silence is not a mistake. For `distance`, the value is
        also NaN if k is 1. Every distance is then 0, the best possible value, so it says nothing.
        For `quality_stromer`, the value is 0. With ``count="misses"`` lower is better, so the value
        is the weight of all places of the truth.

    Raises
    ------
    InputError
        If an argument breaks a rule of the metric.

    Notes
    -----
    With ``pairing="case"`` and a cut-off below ``places``, an answer may share any part of the
    truth's first k cases. The value is then the largest ``max(t, 1 - t)``, because an answer may
    share only the case with this error.

    Examples
    --------
    >>> from receval.metrics.retrieval import distance, hits, mae
    >>> truth = {"a": 0.9, "b": 0.5, "c": 0.2}
    >>> silence(hits, truth), round(silence(mae, truth), 4), silence(distance, truth)
    (0.0, 0.7333, 2.0)
    >>> silence(distance, truth, k=2), silence(distance, truth, places=5)
    (1.0, 4.0)
    """
    true_ranking = as_ranking(truth, "truth")
    k = check_cutoff(k)
    # If even the truth itself has no value as an answer, silence is not a mistake.
    if math.isnan(metric(true_ranking, true_ranking, k=k, **reading)):
        return math.nan
    if metric in (mae, mse):
        return mean(largest_errors(metric, true_ranking, k=k, places=places, **reading))
    if metric is distance:
        if k is None:
            last_place = most_places(true_ranking, places)
        else:
            last_place = k
        if last_place == 1:
            return math.nan
        return last_place - 1.0  # the case of place 1 is at the last place
    if metric is quality_stromer:
        # This is 0 if matches count, and the weight of all places if misses count.
        return float(metric(true_ranking, {}, k=k, **reading))
    # For the other metrics, 0 is the lowest value, or halfway between -1 and 1.
    return 0.0


def largest_errors(
    metric: Callable[..., float],
    truth: Ranking,
    *,
    k: int | None = None,
    places: int | None = None,
    pairing: str = "position",
) -> FloatArray:
    """Return the largest error that an answer can have at each place of the truth.

    The mean of these errors is the value of a silent answer. They are squared if ``metric`` is
    `mse`. The parameters are those of `silence`; with ``pairing="case"`` and a cut-off, only the
    largest error of all is returned, because the cut-off may leave any single case to compare.

    Examples
    --------
    >>> from receval.metrics.retrieval import as_ranking, mae
    >>> largest_errors(mae, as_ranking({"a": 0.75, "b": 0.25, "c": 0.5}))
    array([0.75, 0.5 , 0.75])
    """
    similarities = truth.first(k).similarities
    # A predicted similarity is from 0 to 1, so its error is largest at one of these two ends.
    errors = np.maximum(similarities, 1.0 - similarities)
    # If cases are paired and the lists are cut, an answer may leave any single case to compare. So
    # only the largest error counts.
    is_cut = k is not None and k < most_places(truth, places)
    if pairing == "case" and is_cut:
        errors = errors.max(keepdims=True)
    if metric is mse:
        return errors**2
    return errors


def most_places(truth: Ranking, places: int | None) -> int:
    """Return the truth's number of places, or ``places`` if that is larger."""
    if places is None:
        return len(truth)
    return max(len(truth), places)
