"""A real case base: used cars with their attributes."""

from __future__ import annotations

import pandas as pd

from receval.datasets.downloads import fetch

CARS = "cars/cars-1k.csv"


def cars() -> pd.DataFrame:
    """Load 999 used cars with 11 attributes, a case base for retrieval.

    Returns
    -------
    DataFrame
        Indexed by ``car`` from 1, in the order of the file. ``price``, ``year`` and ``miles``
        are whole numbers; the other columns are text. No value is missing. receval doesn't correct
        values: the source has a few implausible years (65) and mileages (nine million).

    Raises
    ------
    DataUnavailable
        If the file is not available and cannot be downloaded.

    References
    ----------
    wi2trier/cbrkit (MIT licence), ``data/cars-1k.csv``; see `sources`.
    """
    table = pd.read_csv(fetch(CARS), keep_default_na=False)
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name="car"))
