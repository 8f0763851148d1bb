"""MAE, MSE and RMSE of tables: of scores against grades, over all rows that have both."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from receval._arrays import ratio
from receval._checks import FloatArray
from receval._exact import ExactSum
from receval.metrics.formula import sum_over_ranks
from receval.metrics.prediction.errors import mae, mae_terms, mse, mse_terms, rmse
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel


def _stated(metric: Any, terms: Any, last: Any, title: str, formula: str) -> MeasureSpec:
    def of_lists(lists: Any, _: int | None) -> dict[str, Any]:
        return {"predicted": lists.predicted, "actual": lists.ratings}

    @wraps(metric)
    def by_list(predicted: FloatArray, actual: FloatArray) -> FloatArray:
        """A user's own value, NaN where no recommended item has a grade."""
        rated, errors = ~np.isnan(actual), np.zeros(actual.shape)
        errors[rated] = terms(predicted[rated], actual[rated])
        return np.asarray(last(ratio(sum_over_ranks(errors, "score"), rated.sum(axis=-1))))

    def partial(lists: Any, _: int | None) -> Any:
        """The exact sum of the errors in units of `ExactSum`, and their number."""
        rated = ~np.isnan(lists.ratings)
        errors = ExactSum.of(terms(lists.predicted[rated], lists.ratings[rated]))
        return np.array([errors.total, errors.count], dtype=object)

    def finish(state: Any, _: Any) -> float:
        return float(last(ExactSum(*map(int, state)).mean()))

    name = metric.__name__.upper()
    return MeasureSpec(
        name=name,
        title=title,
        formula=formula,
        source="@herlocker2004; document 001",
        computation=SetLevel(partial, np.add, finish, each=PerListFunction(by_list, of_lists)),
        depends_on=(),
        needs=("scores",),
        takes_cutoff=False,
        methods_note=f"{name} is over all recommended items that have a grade; comparisons and "
        f"intervals of {name} are of users, each with a value of their own",
        higher_is_better=False,
    )


MEAN = r"\frac{1}{|\tau|} \sum_{(u,i) \in \tau}"
SQUARED = MEAN + r" (s_{ui} - g_{ui})^2"
MAE = _stated(mae, mae_terms, np.asarray, "mean absolute error", MEAN + r" |s_{ui} - g_{ui}|")
MSE = _stated(mse, mse_terms, np.asarray, "mean squared error", SQUARED)
RMSE = _stated(rmse, mse_terms, np.sqrt, "root of the mean squared error", rf"\sqrt{{{SQUARED}}}")
