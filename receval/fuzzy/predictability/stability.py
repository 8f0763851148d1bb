"""Stability of the ranks of metrics, by bootstrap over systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import as_generator_or_random, check_count, check_number
from receval.fuzzy.predictability._tables import aligned, by_system, descending_ranks, normalized
from receval.fuzzy.predictability.implication import (
    implication_matrix,
    implication_ranks,
    mean_implications,
    scale_sides,
)
from receval.metrics.connectives.degrees import Connective
from receval.metrics.connectives.scaling import Scaling
from receval.significance import resampled_rows


def rank_stability(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    implicator: Connective,
    *,
    f: Scaling | None = None,
    g: Scaling | None = None,
    normalize: str | None = "l2",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compute how much the mean ranks of off-line metrics depend on the compared systems.

    The function draws systems with replacement, normalises the columns again and computes the ranks
    again. If the intervals are wide, these systems are too few to order the metrics. But two
    intervals that overlap don't show that two metrics are alike.

    Parameters
    ----------
    offline, online, implicator, f, g, normalize
        As in `implication_matrix`.
    n_resamples : int, default 1000
        Number of draws of all systems.
    confidence : float, default 0.95
        Share of resamples between ``low`` and ``high``.
    rng : Generator or int, optional
        Source of the draws, or its seed.

    Returns
    -------
    DataFrame
        One row per off-line metric: ``rank``, its mean rank over the on-line measures with all
        systems; ``low`` and ``high``, percentiles over the resamples; ``first``, the share of
        resamples in which its mean rank is the best (ties share). Ordered by ``rank``.

    Raises
    ------
    InputError
        As in `implication_matrix`; also if ``n_resamples`` is not a positive integer or
        ``confidence`` not in (0, 1).

    Notes
    -----
    If a column is all zero in a resample, it remains zero. It claims nothing, so its
    implications are 1.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.

    Examples
    --------
    >>> from receval.fuzzy import lukasiewicz
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0, 5.0], "ILD": [4.0, 3.0, 1.0]})
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04, 0.05]})
    >>> rank_stability(offline, online, lukasiewicz, n_resamples=200, rng=0)["rank"].to_dict()
    {'AUC': 1.0, 'ILD': 2.0}
    """
    implicator = scale_sides(implicator, f, g)
    matrix = implication_matrix(offline, online, implicator, normalize=normalize)
    ranks = implication_ranks(matrix)
    n_draws = check_count(n_resamples, "n_resamples")
    share = check_number(confidence, "confidence", "between 0 and 1", lambda c: 0 < c < 1)
    offline, online = by_system(offline, online)
    x, y = aligned(offline, online)
    generator = as_generator_or_random(rng)
    blocks = []
    n_implications = x.size * y.shape[1]  # of one resample: systems times metrics times measures
    # ``rows`` holds the systems of several resamples, a resample per row.
    for rows in resampled_rows(len(x), n_draws, generator, size=n_implications):
        body = normalized(x[rows], normalize)
        head = normalized(y[rows], normalize)
        # Shape (resamples, metrics, measures); rank the metrics and average over the measures.
        implications = mean_implications(body, head, implicator)
        blocks.append(descending_ranks(implications, axis=-2).mean(axis=-1))
    mean_ranks = np.concatenate(blocks)  # resamples in rows, metrics in columns
    is_first = mean_ranks == mean_ranks.min(axis=1, keepdims=True)
    tails = [(1 - share) / 2, (1 + share) / 2]
    low, high = np.quantile(mean_ranks, tails, axis=0)
    columns = {
        "rank": ranks.mean(axis=1).to_numpy(),
        "low": low,
        "high": high,
        # If several metrics have the best mean rank in a resample, each gets an equal part of it.
        "first": (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0),
    }
    return pd.DataFrame(columns, offline.columns).sort_values("rank", kind="stable")
