"""The piece that the prediction formulas share."""

from __future__ import annotations

import numpy as np

from receval._arrays import in_range, ratio
from receval._checks import FloatArray


def mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    """The mean over the last axis; NaN where it is empty or holds NaN."""
    with np.errstate(over="ignore"):
        result = ratio(terms.sum(axis=-1), terms.shape[-1])
    in_range(result[~np.isnan(result)], names)
    return result
