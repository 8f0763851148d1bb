"""The reliability of on-line measures, and correlations of normally distributed numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_finite
from receval._checks import FloatArray, check_none, check_number, check_that

Reliability: TypeAlias = float | pd.Series | Mapping[Hashable, float] | None
"""Reliability of the on-line measures: one number for all, or one by measure; None if unknown."""


def kendall_of_normals(correlation: FloatArray | pd.Series) -> FloatArray:
    r"""Return Kendall's tau of a bivariate normal distribution: :math:`(2/\pi) \arcsin \rho`."""
    return np.asarray(2 / np.pi * np.arcsin(correlation))


def read_reliability(reliability: Reliability, measures: pd.Index) -> pd.Series | None:
    """Return the reliability of each on-line measure, or None if ``reliability`` is None.

    Raises `InputError` if a measure has no reliability, or if one is outside [0, 1].
    """
    if reliability is None:
        return None
    if isinstance(reliability, (pd.Series, Mapping)):
        by_measure = pd.Series(reliability)
        missing = measures[~measures.isin(by_measure.index)].tolist()
        check_that(not missing, "reliability", "have a value for each measure", f"no {missing}")
        values = as_finite(by_measure.loc[measures].to_numpy(), "reliability")
    else:
        number = check_number(reliability, "reliability", "in [0, 1]", lambda x: 0 <= x <= 1)
        values = np.full(len(measures), number)
    check_none(values, (values < 0) | (values > 1), "reliability", "be in [0, 1]")
    return pd.Series(values, measures)
