"""A scorer for scikit-learn that ranks each group's rows by the prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import input_error, shorten
from receval._lists import as_numbers
from receval.evaluation.evaluate import evaluate
from receval.measure.names import measure as measure_named

__all__ = ["scorer"]


def scorer(measure: str, groups: Any, **options: Any) -> Callable[[Any, Any, Any], float]:
    """A ``scoring=`` for scikit-learn: the mean of a measure over groups of rows.

    The rows of each group are one list, sorted by what the estimator predicts; their ``y`` are the
    grades.

    Parameters
    ----------
    measure : str
        Name of one measure, such as "nDCG@10".
    groups : str, Series or callable
        Which user or query each row of ``X`` is of: a column of the frame ``X``, a Series indexed
        as the frame ``X`` is, or a function of ``X`` that answers one group a row.
    **options
        Further arguments of `evaluate`, such as ``convention=`` or ``ties="average"``.

    Returns
    -------
    callable
        ``(estimator, X, y) -> float``; greater is better, and so errors are negative.

    Raises
    ------
    InputError
        If the measure is unknown; when called: if rows have no group, and as `evaluate`.

    Notes
    -----
    ``make_scorer(ndcg)`` gives another number: it hands over ``(y, prediction)`` in the order of
    the rows, and a function of ranked gains takes that order for the ranking.

    Examples
    --------
    >>> import numpy as np
    >>> class Model:
    ...     def predict(self, X):
    ...         return X["x"]
    >>> X = pd.DataFrame({"query": [1, 1, 2, 2], "x": [0.2, 0.9, 0.8, 0.1]})
    >>> scorer("MRR", groups="query")(Model(), X, np.array([0, 1, 0, 1]))
    0.75
    """
    one = measure_named(measure)

    def score(estimator: Any, X: Any, y: Any) -> float:
        grades, predicted = as_numbers(y, "y"), np.asarray(estimator.predict(X))
        of = _groups(groups, X)
        shapes = of.shape, grades.shape, predicted.shape
        if of.ndim != 1 or len({*shapes}) > 1:
            got = "groups, y and predictions of shapes {}, {} and {}".format(*shapes)
            raise input_error("groups", "be one for each row and prediction", got)
        rows = pd.DataFrame({"user": of, "item": np.arange(len(of))})
        lists, truth = rows.assign(score=predicted), rows.assign(relevance=grades)
        value = evaluate(lists, truth, one, **options).summary[one.name].item()
        return float(value if one.higher_is_better else -value)

    return score


def _groups(groups: Any, X: Any) -> Any:
    """The group of each row, as an array."""
    if callable(groups):
        return np.asarray(groups(X))
    if isinstance(groups, pd.Series) and isinstance(X, pd.DataFrame) and groups.index.is_unique:
        return groups.reindex(X.index).to_numpy()
    if isinstance(X, pd.DataFrame) and isinstance(groups, str) and groups in X:
        return X[groups].to_numpy()
    rule = "be a column of the frame X, a Series indexed once as X is, or a function of X"
    raise input_error("groups", rule, shorten(groups))
