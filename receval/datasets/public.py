"""Public data of others: cars, contract awards, ratings of films, and logs of a fashion shop.

`fetch` downloads and checks the files. `film_ratings` needs none: it generates ratings that
resemble those of FilmTrust.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import yaml

from receval._checks import FloatArray, Seed, as_generator, check_choice, check_count
from receval._files import read_toml
from receval.datasets.downloads import fetch, read_content
from receval.splitting.tables import Report, without

AWARD_COLUMNS = read_toml("datasets/names.toml")["awards_kenya"]
FIRST_DAY = pd.Timestamp("2010-01-01")  # days before are typing errors
EXPORT_DAY = pd.Timestamp("2016-12-29")  # the day on which the file was made
LEGAL_FORMS = r"\b(?:LIMITED|LTD|COMPANY|CO)\b"
N_POSITIONS = 3  # places of an item on the page
LOG_COLUMNS = {
    "timestamp": "time",
    "item_id": "item",
    "position": "position",
    "click": "clicked",
    "propensity_score": "propensity",
}


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
    table = pd.read_csv(fetch("cars/cars-1k.csv"), keep_default_na=False)
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name="car"))


def awards_kenya() -> tuple[pd.DataFrame, Report]:
    """Load public contracts of 177 Kenyan bodies, awarded from 2011 to 2016.

    Returns
    -------
    awards : DataFrame
        One row per award: ``contract`` (its row in the file, from 0), ``bidder`` (the supplier in
        a unified spelling: capitals without punctuation and without Ltd, Limited, Co, Company),
        ``supplier`` as written in the file, ``authority``, ``reference``, ``description``,
        ``method``, ``amount`` (shillings), and the days ``advertised``, ``date`` (of notification),
        ``signed`` and ``completed``. Days before 2010 are impossible. So are days after 29 December
        2016, when the file was made, but a planned completion may be later. Impossible days are
        NaT.
    report : Report
        The repeated awards, which are left out; awards with an impossible day, by column; awards
        with a supplier whose name has several spellings; and awards that share their reference
        with other awards of the same authority (lots), which remain separate contracts.

    Raises
    ------
    DataUnavailable
        If the file is neither in ``RECEVAL_DATA`` nor available from its source.

    References
    ----------
    rush4ratio/contract_awards_ppoa, which states no licence; see `sources`.
    """
    source = pd.read_csv(
        fetch("procurement_kenya/contract_awards.csv"), dtype=str, keep_default_na=False
    )
    awards = source[[*AWARD_COLUMNS]].rename(columns=AWARD_COLUMNS).reset_index(names="contract")
    awards.insert(1, "bidder", _unify_spelling(awards["supplier"]))
    awards["amount"] = pd.to_numeric(awards["amount"].str.replace(",", ""))

    # For each change, the report has a mask of the rows in the file. Begin with repeated rows: the
    # same award can be on two pages of the site.
    is_repeated = source.drop(columns="page").duplicated()
    changes = {"removed: award listed again": is_repeated}
    for name in ("advertised", "date", "signed", "completed"):
        days = pd.to_datetime(awards[name], format="%m/%d/%Y")
        is_impossible = days < FIRST_DAY
        if name != "completed":  # a completion is planned, so it may be after the export
            is_impossible |= days > EXPORT_DAY
        awards[name] = days.mask(is_impossible)
        changes[f"unknown now: impossible day in {name!r}"] = is_impossible

    # Add suppliers with several spellings, and contracts that share a reference.
    n_spellings = awards.groupby("bidder")["supplier"].transform("nunique")
    changes["folded: supplier in several spellings"] = n_spellings > 1
    kept = awards[~is_repeated]
    is_lot = kept.duplicated(["authority", "reference"], keep=False)
    changes["kept: lots that share a reference"] = is_lot.reindex(awards.index, fill_value=False)
    rows = {change: np.flatnonzero(is_changed) for change, is_changed in changes.items()}
    kept = kept.reset_index(drop=True)
    return kept, Report(len(awards), len(kept), rows)


def _unify_spelling(names: pd.Series) -> pd.Series:
    """Return company names in capitals, without punctuation and legal forms such as "LTD".

    If nothing would be left of a name, the function doesn't change it.
    """
    capitals = names.str.upper().str.replace("&", " AND ")
    words = capitals.str.replace(r"[^A-Z0-9]+", " ", regex=True)
    unified = words.str.replace(LEGAL_FORMS, "", regex=True).str.split().str.join(" ")
    return unified.where(unified != "", names)


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
    parts = [f"filmtrust/ratings_{part}.txt" for part in range(4)]
    ratings = pd.concat(
        [_read_blank_separated(name, "rating") for name in parts], ignore_index=True
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
    return _read_blank_separated("filmtrust/trust.txt", "weight")


def _read_blank_separated(name: str, value: str) -> pd.DataFrame:
    """Return the columns ``user``, ``item`` and ``value`` of a file without a header."""
    types = {"user": np.int64, "item": np.int64, value: np.float64}
    return pd.read_csv(fetch(name), sep=" ", header=None, names=[*types], dtype=types)


def open_bandit(campaign: str = "all") -> pd.DataFrame:
    """Load 20,000 impressions from a fashion shop, 10,000 from each of two policies.

    For each impression, chance decided which policy chose the item. The log has no ids of users.
    The files are a sample of the Open Bandit Dataset under CC BY 4.0.

    Parameters
    ----------
    campaign : {"all", "men"}, default "all"
        The campaign: 80 items, or 34 items for men.

    Returns
    -------
    DataFrame
        Columns ``system`` ("random", or "bts" for Bernoulli Thompson sampling), ``time``,
        ``item``, ``position`` (1 to 3), ``clicked`` (boolean) and ``propensity``, the probability
        that the policy shows this item at this place.

    Raises
    ------
    InputError
        If there is no such campaign.
    DataUnavailable
        If a file is not available and cannot be downloaded.

    References
    ----------
    Saito, Aihara, Matsutani and Narita (2021), Open Bandit Dataset and Pipeline, which users of the
    data have to cite; st-tech/zr-obp, ``obd``; see `sources`.
    """
    check_choice(campaign, "campaign", ("all", "men"))
    logs = {}
    for policy in ("random", "bts"):
        table = pd.read_csv(fetch(f"open_bandit/{policy}_{campaign}.csv"), usecols=[*LOG_COLUMNS])
        table = table.rename(columns=LOG_COLUMNS)[[*LOG_COLUMNS.values()]]
        table["time"] = pd.to_datetime(table["time"], format="ISO8601")
        table["clicked"] = table["clicked"].astype(bool)
        logs[policy] = table
    return pd.concat(logs, names=["system"]).reset_index("system").reset_index(drop=True)


def open_bandit_policy(
    campaign: str = "all",
    *,
    n_draws: int = 100_000,
    rng: Seed | np.random.RandomState = 0,
) -> FloatArray:
    """Estimate the probability that Bernoulli Thompson sampling shows each item at each place.

    The policy draws a click rate for each item from a beta distribution, and shows the three items
    with the largest rates. The authors published the parameters of the distributions. The
    probabilities are shares of many simulated draws.

    Parameters
    ----------
    campaign : {"all", "men"}, default "all"
        The campaign.
    n_draws : int, default 100000
        Number of draws.
    rng : Generator, RandomState or int, default 0
        Source of randomness, or a seed. ``numpy.random.RandomState(12345)`` gives the probabilities
        of Open Bandit Pipeline's example.

    Returns
    -------
    ndarray, shape (items, places)
        The probabilities. For each place, they sum to 1.

    Raises
    ------
    InputError
        If there is no such campaign, or ``n_draws`` is not a positive integer.
    DataUnavailable
        If the file of the parameters is not available and cannot be downloaded.

    References
    ----------
    st-tech/zr-obp, ``obp/policy/conf/prior_bts.yaml``; see `sources`.
    """
    check_choice(campaign, "campaign", ("all", "men"))
    n = check_count(n_draws, "n_draws")
    generator = rng if isinstance(rng, np.random.RandomState) else as_generator(rng)
    parameters = yaml.safe_load(read_content(fetch("open_bandit/prior_bts.yaml")))[campaign]
    alpha = np.array(parameters["alpha"])
    drawn_rates = generator.beta(alpha, np.array(parameters["beta"]), (n, len(alpha)))
    # The items with the largest rates, best first, with a column for each place.
    shown_items = np.argsort(-drawn_rates, axis=1)[:, :N_POSITIONS]
    counts = [
        np.bincount(shown_items[:, place], minlength=len(alpha)) for place in range(N_POSITIONS)
    ]
    return np.array(counts).T / n
