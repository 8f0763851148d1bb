"""Score models in scikit-learn by ranking each group's rows by the prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, Union

import numpy as np
import pandas as pd

from receval._checks import input_error, shorten
from receval._lists import as_numbers
from receval._types import AnyArray, UserFunction
from receval.evaluation.evaluate import evaluate
from receval.measure.names import measure as measure_named

__all__ = ["scorer"]


class Predictor(Protocol):
    """An estimator of scikit-learn that predicts a score for each row."""

    def predict(self, features: Any, /) -> object: ...


RowGroups: TypeAlias = Union[str, "pd.Series", UserFunction]
"""The group of each row, in the forms that `scorer` accepts."""


def scorer(
    measure: str, groups: RowGroups, **options: Any
) -> Callable[[Predictor, object, object], float]:
    """Make a function for ``scoring=`` in scikit-learn: the mean of a measure over groups of rows.

    The rows of each group are one list, sorted by the estimator's predictions. The values in ``y``
    are the grades.

    Parameters
    ----------
    measure : str
        Name of one measure, such as "nDCG@10".
    groups : str, Series or callable
        The user or query of each row of ``X``: a column of the frame ``X``, a Series with the
        index of the frame ``X``, or a function of ``X`` that returns a group for each row.
    **options
        Further arguments of `evaluate`, such as ``convention=`` or ``ties="average"``.

    Returns
    -------
    callable
        A function ``(estimator, X, y) -> float``. Greater is better, so errors such as RMSE are
        negative.

    Raises
    ------
    InputError
        If the measure is unknown, or needs more than grades and scores, such as the catalogue of
        items: rows have no item ids. The returned function raises this error if rows have no group,
        and in the cases that `evaluate` lists.

    Notes
    -----
    ``make_scorer(ndcg)`` gives a wrong number. It passes ``(y, prediction)`` in the order of the
    rows, and `ndcg` would treat this order as the ranking.

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
    used_measure = measure_named(measure)
    further_needs = [need for need in used_measure.needs if need != "scores"]
    if further_needs:
        rule = "need only grades and scores, because the rows have no item ids"
        raise input_error("measure", rule, f"{used_measure.name} ({', '.join(further_needs)})")

    def score(estimator: Predictor, features: object, target: object) -> float:
        """Return the mean of the measure over the groups, or its negative if lower is better.

        scikit-learn calls this function; ``features`` and ``target`` are its X and y.
        """
        grades = as_numbers(target, "y")
        predictions = np.asarray(estimator.predict(features))
        row_groups = _groups_of_rows(groups, features)
        # There must be a grade, a prediction and a group for each row.
        shapes = (row_groups.shape, grades.shape, predictions.shape)
        if row_groups.ndim != 1 or len(set(shapes)) > 1:
            got = "groups, y and predictions of shapes {}, {} and {}".format(*shapes)
            raise input_error("groups", "be one for each row and prediction", got)
        # Use the groups as users. Each row is an item of its own, named by its position.
        rows = pd.DataFrame({"user": row_groups, "item": np.arange(len(row_groups))})
        lists = rows.assign(score=predictions)
        truth = rows.assign(relevance=grades)
        result = evaluate(lists, truth, used_measure, **options)
        value = float(result.summary[used_measure.name].item())
        if used_measure.higher_is_better:
            return value
        return -value  # scikit-learn treats higher scores as better

    return score


def _groups_of_rows(groups: RowGroups, features: object) -> AnyArray:
    """Return the group of each row of the features.

    ``groups`` is a function of the features, a Series with the index of the frame ``features``, or
    the name of one of its columns. Raises an `InputError` for anything else. Rows that a Series
    lacks get NaN, which `evaluate` refuses.
    """
    if callable(groups):
        return np.asarray(groups(features))
    if isinstance(features, pd.DataFrame):
        # If the index has a label twice, the group of a row would be ambiguous.
        if isinstance(groups, pd.Series) and groups.index.is_unique:
            return groups.reindex(features.index).to_numpy()
        if isinstance(groups, str) and groups in features:
            return features[groups].to_numpy()
    rule = "be a column of the frame X, a Series with the index of X, or a function of X"
    raise input_error("groups", rule, shorten(groups))
