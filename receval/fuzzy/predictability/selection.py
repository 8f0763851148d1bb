"""The regret if an off-line metric selects the systems that you test on-line."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, check_integer, check_that
from receval.fuzzy.predictability._tables import read_both

__all__ = ["selection_regret"]


def selection_regret(offline: pd.DataFrame, online: pd.DataFrame, *, top: int = 3) -> pd.DataFrame:
    r"""Compute how much you lose if you select systems by an off-line metric.

    You can test only a few systems on-line. If you select the ``top`` best by a metric, and the
    on-line test then finds the best of them, the relative regret is

    .. math:: \frac{\max_i y_i - \max_{i \in \text{selected}} y_i}{\max_i y_i}

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; higher is better; on-line values at least 0.
    top : int, default 3
        Number of systems to select.

    Returns
    -------
    DataFrame
        Indexed by (metric, measure): ``regret``, and ``by_chance``, the mean regret of ``top``
        systems chosen at random. Both are in [0, 1]. If systems are tied for the last places, the
        regret is the mean over all choices among them. NaN if no on-line value is above 0.

    Raises
    ------
    InputError
        If the systems differ, a value is missing or infinite, an on-line value is negative, or
        ``top`` is not a positive integer up to the number of systems.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [0.9, 0.8, 0.7, 0.6]}, index=[*"abcd"])
    >>> online = pd.DataFrame({"CTR": [0.02, 0.01, 0.04, 0.03]}, index=[*"abcd"])
    >>> selection_regret(offline, online, top=2).loc[("AUC", "CTR")].round(3).tolist()
    [0.5, 0.167]
    """
    offline, online = read_both(offline, online)
    x, y = offline.to_numpy(), online.to_numpy()
    n_selected = check_integer(top, "top", 1, len(x))
    check_that((y >= 0).all(), "online", "be at least 0", y.min())
    rows = []
    for metric in x.T:
        for outcomes in y.T:
            best = outcomes.max()
            selected = _expected_best(metric, outcomes, n_selected)
            # A constant metric selects at random.
            at_random = _expected_best(np.zeros(len(metric)), outcomes, n_selected)
            rows.append(divide_or_nan([best - selected, best - at_random], best))
    columns = [offline.columns, online.columns]
    index = pd.MultiIndex.from_product(columns, names=["metric", "measure"])
    return pd.DataFrame(rows, index, ["regret", "by_chance"])


def _expected_best(metric: FloatArray, outcomes: FloatArray, n_selected: int) -> float:
    """Return the mean of the best outcome of the systems that a metric selects.

    The mean is over all ways to choose among the systems that are tied for the last places.
    """
    last_value = np.sort(metric)[-n_selected]
    is_sure = metric > last_value
    tied = np.sort(outcomes[metric == last_value])[::-1]  # the best outcome first
    n_places = n_selected - int(is_sure.sum())
    best_of_sure = outcomes[is_sure].max(initial=0)
    n_choices = comb(len(tied), n_places)
    total = 0.0
    for place, outcome in enumerate(tied):
        # Count the choices that contain this system and no better tied one.
        n_best = comb(len(tied) - 1 - place, n_places - 1)
        total += n_best * max(best_of_sure, outcome)
    return total / n_choices
