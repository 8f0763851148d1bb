"""What silence counts: the value of an answer that leaves a metric without one.

An empty answer gives most metrics nothing to compare, so they are NaN; a mean that leaves such
queries out rewards a retriever for keeping silent where it would be wrong. `silence` says what
such an answer counts instead. The values are chosen so that, with all similarities in [0, 1], an
empty answer is never better than another in hits, Stromer's and Müller's quality, completeness,
distance, MAE and MSE. Correctness, Kendall's and Spearman's correlation may be negative; silence
is 0 there, in the middle between right and reversed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from receval._checks import FloatArray
from receval._lists import check_cutoff
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
    **reading: Any,
) -> float:
    r"""What a silent answer counts in one of the metrics of `receval.metrics.retrieval`.

    .. math::
        \begin{array}{ll}
        \text{MAE} & \frac{1}{n} \sum_{i=1}^{n} \max(t_i, 1 - t_i) \\
        \text{MSE} & \frac{1}{n} \sum_{i=1}^{n} \max(t_i, 1 - t_i)^2 \\
        \text{distance} & k - 1 \\
        \text{all others} & 0
        \end{array}

    where :math:`t_1, \ldots, t_n` are the true similarities at the places that are compared.

    Parameters
    ----------
    metric : callable
        A metric of `receval.metrics.retrieval`.
    truth : mapping, Series, or (case, similarity) pairs
        The ground-truth ranking of the query.
    k : int, optional
        The cut-off of the metric.
    places : int, optional
        The largest number of places in the truth or in any answer to the same query, counted
        after the truth's missing cases are appended to it. `distance` takes it as k where there is
        no cut-off. Default: the number of cases in the truth.
    **reading
        The named arguments of the metric, such as ``pairing="case"``.

    Returns
    -------
    float
        NaN if the truth compared with itself has no value, so that no answer can lose one. For
        `distance` also NaN where k is 1: every distance is then 0, the best value there is, and
        tells nothing. ``quality_stromer(count="misses")`` gives the weight of all places of
        the truth, for there lower is better.

    Raises
    ------
    InputError
        If an argument breaks a rule of the metric.

    Notes
    -----
    With ``pairing="case"`` and a cut-off below ``places``, any part of the truth's first k cases
    may be all that an answer is compared on. Silence then counts the largest of the
    ``max(t, 1 - t)``, because an answer that is compared on this case alone may come as low.

    Examples
    --------
    >>> from receval.metrics.retrieval import distance, hits, mae
    >>> truth = {"a": 0.9, "b": 0.5, "c": 0.2}
    >>> silence(hits, truth), round(silence(mae, truth), 4), silence(distance, truth)
    (0.0, 0.7333, 2.0)
    >>> silence(distance, truth, k=2), silence(distance, truth, places=5)
    (1.0, 4.0)
    """
    ranking, k = as_ranking(truth, "truth"), check_cutoff(k)
    if math.isnan(metric(ranking, ranking, k=k, **reading)):
        return math.nan
    if metric in (mae, mse):
        return mean(largest_errors(metric, ranking, k=k, places=places, **reading))
    if metric is distance:
        last_place = k or most_places(ranking, places)
        return math.nan if last_place == 1 else last_place - 1.0
    if metric is quality_stromer:  # 0 where matches count, and all the weight where misses do
        return float(metric(ranking, {}, k=k, **reading))
    return 0.0


def largest_errors(
    metric: Callable[..., float],
    truth: Ranking,
    *,
    k: int | None = None,
    places: int | None = None,
    pairing: str = "position",
) -> FloatArray:
    """The largest error that each compared place allows; the mean is the `silence` of the metric.

    Parameters are those of `silence`; ``metric`` is `mae`, or `mse` for squared errors.

    Examples
    --------
    >>> from receval.metrics.retrieval import as_ranking, mae
    >>> largest_errors(mae, as_ranking({"a": 0.75, "b": 0.25, "c": 0.5}))
    array([0.75, 0.5 , 0.75])
    """
    similarities = truth.first(k).similarities
    errors = np.maximum(similarities, 1.0 - similarities)
    is_cut = k is not None and k < most_places(truth, places)
    if pairing == "case" and is_cut:
        errors = errors.max(keepdims=True)
    return errors**2 if metric is mse else errors


def most_places(truth: Ranking, places: int | None) -> int:
    """The largest number of places that is known; the truth has all of its own."""
    return max(len(truth), places or 0)
