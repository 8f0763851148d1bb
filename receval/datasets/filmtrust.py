"""Ratings of films and trust between those who rate: a small real set for document 001."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import Seed, as_generator
from receval._downloads import fetch
from receval.splitting.report import Report, without

__all__ = ["film_ratings", "filmtrust", "trust"]

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


def film_ratings(*, rng: Seed = 0) -> pd.DataFrame:
    """Ratings of the shape of FilmTrust's, made up from a seed: no download, nobody's taste.

    People and films have four traits each. A few films are known to many, and the more a film
    is known and the better it suits, the sooner somebody rates it.

    Parameters
    ----------
    rng : Generator or int, default 0
        Where the random numbers come from.

    Returns
    -------
    DataFrame
        ``user``, ``item`` (whole numbers) and ``rating`` as of `filmtrust`: 35,000 ratings by
        1,500 users, from 0.5 to 4 by halves, of nearly all of 2,000 films; no film twice.

    Examples
    --------
    >>> ratings = film_ratings()
    >>> ratings.shape, ratings["user"].nunique(), ratings["item"].nunique()
    ((35000, 3), 1500, 1985)
    """
    random = as_generator(rng)
    suits = random.normal(size=(1500, 4)) @ random.normal(size=(4, 2000))
    known = np.log((random.permutation(2000) + 8.0) ** -2 + 1e-5)  # some films to many
    sooner = known + 0.5 * suits + random.gumbel(size=suits.shape)
    n = 1 + random.multinomial(33_500, random.dirichlet(np.ones(1500)))
    user, place = np.nonzero(np.arange(2000) < n[:, None])
    item = np.argsort(-sooner, axis=1)[user, place]
    grade = 2.9 + 0.2 * suits[user, item] + random.normal(0, 0.75, len(user))
    rating = (2 * grade).round().clip(1, 8) / 2
    return pd.DataFrame({"user": user + 1, "item": item + 1, "rating": rating})


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
