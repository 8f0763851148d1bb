"""The piece that the prediction formulas share."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray
from receval.metrics.ranking._parts import in_range


def mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    """The mean over the last axis; NaN where it is empty, without NumPy's warning."""
    with np.errstate(over="ignore"):
        result: FloatArray = terms.mean(axis=-1) if terms.shape[-1] else terms.sum(axis=-1) * np.nan
    in_range(result[~np.isnan(result)], names)
    return result
