"""Ratings of films and trust between those who rate: a small real set for document 001."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._downloads import fetch
from receval.splitting.report import Report, without

__all__ = ["filmtrust", "trust"]

PARTS = [f"filmtrust/ratings_{part}.txt" for part in range(4)]
TRUST = "filmtrust/trust.txt"


def filmtrust() -> tuple[pd.DataFrame, Report]:
    """Ratings of 2,071 films by the 1,508 users of FilmTrust.

    Returns
    -------
    ratings : DataFrame
        ``user``, ``item`` (whole numbers) and ``rating``, from 0.5 to 4 by halves, in the order
        of the four files. User 308 rates films 12, 207 and 235 twice: the first rating stays.
    report : Report
        The ratings that were left out, three of 35,497.

    Raises
    ------
    DataUnavailable
        If a file is neither in ``RECEVAL_DATA`` nor to be had from its source.

    References
    ----------
    Guo, Zhang, Yorke-Smith: A novel Bayesian similarity measure for recommender systems (IJCAI
    2013); guoguibing/librec, folder ``data/filmtrust``, which states no licence.
    """
    ratings = pd.concat([_blanks(name, "rating") for name in PARTS], ignore_index=True)
    again = ratings.duplicated(["user", "item"]).to_numpy()
    kept, report = without(ratings, {"film rated again": again})
    return kept.reset_index(drop=True), report


def trust() -> pd.DataFrame:
    """Who trusts whom on FilmTrust: 1,853 links, some of them of people without ratings.

    Returns
    -------
    DataFrame
        ``user`` (who trusts), ``item`` (who is trusted) and ``weight``, always 1.

    Raises
    ------
    DataUnavailable
        If the file is neither in ``RECEVAL_DATA`` nor to be had from its source.

    References
    ----------
    As of `filmtrust`.
    """
    return _blanks(TRUST, "weight")


def _blanks(name: str, value: str) -> pd.DataFrame:
    types = {"user": np.int64, "item": np.int64, value: np.float64}
    return pd.read_csv(fetch(name), sep=" ", header=None, names=[*types], dtype=types)
