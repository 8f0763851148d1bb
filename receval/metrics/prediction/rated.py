"""MAE, MSE and RMSE of tables: scores against grades, over all rows that have both."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

import numpy as np
import numpy.typing as npt

from receval._arrays import divide_or_nan, sum_exactly
from receval._checks import AnyArray, FloatArray, IntArray
from receval.metrics.formula import sum_over_ranks
from receval.metrics.prediction.errors import mae, mae_terms, mse, mse_terms, rmse
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction, SetLevel


def _spec_of_error(
    metric: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray],
    errors_of_items: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray],
    transform_mean: Callable[[npt.ArrayLike], npt.ArrayLike],
    title: str,
    formula: str,
) -> MeasureSpec:
    """Describe MAE, MSE or RMSE to `evaluate`, where the systems' scores predict the grades.

    The measure covers the recommended items that have a grade. ``metric`` is the public array
    function, whose name the measure gets. ``errors_of_items`` returns the absolute or the squared
    error of each item. The value is ``transform_mean`` of the mean error: the root for RMSE,
    otherwise the mean itself. ``title`` and ``formula`` (LaTeX) are for the documentation.

    `evaluate` reads users in blocks. It calls ``partial`` for each block, adds up the results and
    passes the sum to ``finish``, which returns the value of all users. ``per_list`` returns the
    values of single users.
    """

    def sum_errors(predicted: FloatArray, actual: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the sum of each user's errors, and the number of the errors."""
        is_rated = ~np.isnan(actual)
        errors = np.zeros(actual.shape)
        errors[is_rated] = errors_of_items(predicted[is_rated], actual[is_rated])
        return sum_over_ranks(errors, "score"), is_rated.sum(axis=-1)

    @wraps(metric)  # the working is looked up by the name of the metric
    def per_list(predicted: FloatArray, actual: FloatArray) -> FloatArray:
        """Return one value per user, NaN if no recommended item has a grade."""
        sums, counts = sum_errors(predicted, actual)
        return np.asarray(transform_mean(divide_or_nan(sums, counts)))

    def partial(lists: ListsWithFacts, _k: int | None) -> AnyArray:
        """Return the number of all users' errors, and numbers whose sum is the sum of the errors.

        These are exact, so the value of all users doesn't depend on the blocks of users.
        """
        sums, counts = sum_errors(lists.predicted, lists.ratings)
        return np.array([counts.sum(), *sum_exactly(sums)])

    def combine(states: list[AnyArray]) -> AnyArray:
        """Return the number and the sum of the errors of several blocks of users."""
        sums = np.concatenate([state[1:] for state in states])
        return np.array([sum(state[0] for state in states), *sum_exactly(sums)])

    def finish(count_and_sum: AnyArray, _facts: object) -> float:
        """Return the value of all users from the number and the sum of their errors."""
        count, *sums = count_and_sum
        mean_error = divide_or_nan(math.fsum(sums), count)
        return float(np.asarray(transform_mean(mean_error)))

    name = metric.__name__.upper()
    return MeasureSpec(
        name=name,
        title=title,
        formula=formula,
        source="@herlocker2004; document 001",
        computation=SetLevel(
            partial,
            combine,
            finish,
            per_list=PerListFunction(
                per_list, lambda lists, _k: {"predicted": lists.predicted, "actual": lists.ratings}
            ),
        ),
        depends_on=(),
        needs=("scores",),
        takes_cutoff=False,
        methods_note=f"{name} covers all recommended items that have a grade; comparisons and "
        f"intervals use one {name} per user",
        higher_is_better=False,
    )


MEAN = r"\frac{1}{|\tau|} \sum_{(u,i) \in \tau}"
MEAN_ABSOLUTE = MEAN + r" |s_{ui} - g_{ui}|"
MEAN_SQUARE = MEAN + r" (s_{ui} - g_{ui})^2"
ROOT_MEAN_SQUARE = rf"\sqrt{{{MEAN_SQUARE}}}"

MAE = _spec_of_error(mae, mae_terms, np.asarray, "mean absolute error", MEAN_ABSOLUTE)
MSE = _spec_of_error(mse, mse_terms, np.asarray, "mean squared error", MEAN_SQUARE)
RMSE = _spec_of_error(rmse, mse_terms, np.sqrt, "root mean squared error", ROOT_MEAN_SQUARE)
