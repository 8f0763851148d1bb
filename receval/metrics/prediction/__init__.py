"""Metrics that compare predicted with actual ratings.

The last axis runs over the rated pairs of user and item; leading axes (folds, systems) are
independent and are kept. Sums are float64 for every type of rating.
"""

from receval.metrics.prediction.errors import mae, mae_terms, mse, mse_terms, rmse
from receval.metrics.prediction.factorization import factorization_rmse, factorization_rmse_terms
from receval.metrics.prediction.scores import min_max_scaled, one_minus_mae, r_squared

__all__ = [
    "factorization_rmse",
    "factorization_rmse_terms",
    "mae",
    "mae_terms",
    "min_max_scaled",
    "mse",
    "mse_terms",
    "one_minus_mae",
    "r_squared",
    "rmse",
]
