"""The age of awards, and how much of their weight remains."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray, check_number
from receval.splitting import fill_missing_dates
from receval.tables.columns import read_column


def ages_in_days(awards: pd.DataFrame) -> FloatArray:
    """Return the age of each award on the day of the latest award, in days.

    The column ``date`` has dates, or numbers of days. If a date is unknown, the median of the known
    dates takes its place. Raises an `InputError` if no date is known.
    """
    dates = read_column(awards, "date", "awards", " for ageing")
    filled, _ = fill_missing_dates(dates)
    age = filled.max() - filled
    if pd.api.types.is_timedelta64_dtype(age.dtype):
        age = age / pd.Timedelta(days=1)
    ages: FloatArray = age.to_numpy(dtype=float)
    return ages


def retention(ages: FloatArray, ageing: object) -> FloatArray:
    r"""Return the weight of each award at its age in days, :math:`e^{-\lambda t}`.

    Parameters
    ----------
    ages : ndarray of float
        Ages in days, at least 0.
    ageing : float
        :math:`\lambda` per day, at least 0.

    Raises
    ------
    InputError
        If ``ageing`` is negative or not a finite number.

    References
    ----------
    The thesis behind document 000, section "RESCAL-based matchmakers", after Kuchař et al. (2016);
    there, :math:`\lambda` is 0.005.
    """
    rate = check_number(ageing, "ageing", "a number of at least 0, per day", lambda x: x >= 0)
    with np.errstate(over="ignore"):  # a huge product becomes infinite, and the weight 0
        return np.exp(-rate * ages)
