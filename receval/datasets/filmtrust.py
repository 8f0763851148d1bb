"""Ratings of films and trust between the users: a small real data set for document 001."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import Seed, as_generator
from receval.datasets.downloads import fetch
from receval.splitting.tables import Report, without

PARTS = [f"filmtrust/ratings_{part}.txt" for part in range(4)]
TRUST = "filmtrust/trust.txt"


def filmtrust() -> tuple[pd.DataFrame, Report]:
    """Load ratings of 2,071 films by the 1,508 users of FilmTrust.

    Returns
    -------
    ratings : DataFrame
        ``user``, ``item`` (whole numbers) and ``rating``, from 0.5 to 4 in steps of 0.5, in the
        order of the four files. User 308 rates films 12, 207 and 235 twice; the table has only the
        first rating.
    report : Report
        The ratings that are left out, three of 35,497.

    Raises
    ------
    DataUnavailable
        If a file is neither in ``RECEVAL_DATA`` nor available from its source.

    References
    ----------
    Guo, Zhang, Yorke-Smith: A novel Bayesian similarity measure for recommender systems (IJCAI
    2013); guoguibing/librec, folder ``data/filmtrust``, which states no licence.
    """
    ratings = pd.concat(
        [_read_blank_separated(name, "rating") for name in PARTS], ignore_index=True
    )
    is_repeated = ratings.duplicated(["user", "item"]).to_numpy()
    kept, report = without(ratings, {"film rated again": is_repeated})
    return kept.reset_index(drop=True), report


def film_ratings(*, rng: Seed = 0) -> pd.DataFrame:
    """Generate ratings that resemble those of FilmTrust, without a download.

    Users and films have four traits each. A few films are popular. The more popular a film is, and
    the better it suits a user, the more likely the user is to rate it.

    Parameters
    ----------
    rng : Generator or int, default 0
        Source of the random numbers, or a seed.

    Returns
    -------
    DataFrame
        ``user``, ``item`` (whole numbers) and ``rating`` as in `filmtrust`: 35,000 ratings from 0.5
        to 4 in steps of 0.5, by 1,500 users. There are 2,000 films, and nearly all of them have
        ratings. No user rates a film twice.

    Examples
    --------
    >>> ratings = film_ratings()
    >>> ratings.shape, ratings["user"].nunique(), ratings["item"].nunique()
    ((35000, 3), 1500, 1985)
    """
    random = as_generator(rng)
    n_users = 1500
    n_films = 2000

    # A film suits a user if its four traits agree with the user's.
    affinity = random.normal(size=(n_users, 4)) @ random.normal(size=(4, n_films))
    # The film of popularity rank r, from 0, has a weight of about (r + 8)^-2.
    popularity = np.log((random.permutation(n_films) + 8.0) ** -2 + 1e-5)
    # Sort each user's films by a number with Gumbel noise. This draws films without replacement,
    # each with a probability proportional to exp(popularity + 0.5 * affinity).
    preference = popularity + 0.5 * affinity + random.gumbel(size=affinity.shape)

    # Each user rates the first films of that order, at least one; the users' shares are random.
    n_ratings = 1 + random.multinomial(33_500, random.dirichlet(np.ones(n_users)))
    user, place = np.nonzero(np.arange(n_films) < n_ratings[:, None])
    item = np.argsort(-preference, axis=1)[user, place]

    # Ratings follow the affinity with noise, and are rounded to halves from 0.5 to 4.
    opinion = 2.9 + 0.2 * affinity[user, item] + random.normal(0, 0.75, len(user))
    rating = (2 * opinion).round().clip(1, 8) / 2
    return pd.DataFrame({"user": user + 1, "item": item + 1, "rating": rating})


def trust() -> pd.DataFrame:
    """Load who trusts whom on FilmTrust: 1,853 links, some of them involving users without ratings.

    Returns
    -------
    DataFrame
        ``user`` (who trusts), ``item`` (who is trusted) and ``weight``, which is always 1.

    Raises
    ------
    DataUnavailable
        If the file is neither in ``RECEVAL_DATA`` nor available from its source.

    References
    ----------
    As in `filmtrust`.
    """
    return _read_blank_separated(TRUST, "weight")


def _read_blank_separated(name: str, value: str) -> pd.DataFrame:
    """Return the columns ``user``, ``item`` and ``value`` of a file without a header."""
    types = {"user": np.int64, "item": np.int64, value: np.float64}
    return pd.read_csv(fetch(name), sep=" ", header=None, names=[*types], dtype=types)
