"""Seeded data in the shape of document 002's travel agency."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval import published
from receval._checks import IntArray, as_generator, check_count, check_that
from receval._files import read_toml

__all__ = ["OnlineLog", "TravelData", "travel_data", "travel_log"]

START = pd.Timestamp("2018-07-20")
HOURS = 28 * 24
SHORT_LISTS = (1, 5, 6, 7, 10)  # systems that served diverse lists, of 10 places
MOST, MOST_PAIRS = 100_000, 10**8  # of made-up users and items, and of pairs of them
N_ITEMS = 795


class OnlineLog(NamedTuple):
    """A log of recommendations, and what users did.

    Attributes
    ----------
    impressions : DataFrame
        ``session``, ``user``, ``system``, ``item``, ``position`` (from 1), ``time`` and
        ``known``, the number of items that the user had visited before the session, at most 50.
    clicks, visits : DataFrame
        ``user``, ``item``, ``time``.
    """

    impressions: pd.DataFrame
    clicks: pd.DataFrame
    visits: pd.DataFrame


def travel_log(*, seed: int = 0) -> OnlineLog:
    """A log of the size and shape of document 002's A/B test, made up from a seed.

    The numbers of users, sessions, recommended pairs, clicks, visits and sessions with either,
    and the places of clicks and visits, are those that the authors' notebook prints; who saw
    what when, and which of 12 systems fared how, is random.

    Parameters
    ----------
    seed : int, default 0
        Start of the random numbers.

    Returns
    -------
    OnlineLog
        4,238 users, 26,597 sessions, 421,202 impressions, 830 clicks; among the visits 2,824
        of items after their recommendation, and 3,000 of items that were not recommended.

    References
    ----------
    Document 002, section V-B.

    Examples
    --------
    >>> log = travel_log()
    >>> len(log.impressions), len(log.clicks), log.impressions["user"].nunique()
    (421202, 830, 4238)
    """
    rng = as_generator(seed, "seed")
    shape: dict[str, Any] = published.load("002")["inputs"]
    sessions = _sessions(rng, shape["log"])
    lengths = sessions["length"].to_numpy()
    impressions = sessions.loc[sessions.index.repeat(lengths)].reset_index(names="session")
    place = impressions.groupby("session").cumcount()
    # A list walks through the catalogue in steps without a common divisor with it.
    item = (impressions["first"] + 7 * place) % N_ITEMS
    columns = ["session", "user", "system", "item", "position", "time", "known"]
    impressions = impressions.assign(item=item, position=place + 1)[columns]
    responses = []
    for name, delay in (("clicks", 30), ("visits", 1200)):
        counts, n_sessions = shape["positions"][name], shape["log"][f"sessions_with_{name[:-1]}"]
        rows = impressions.iloc[_responses(rng, lengths, counts, n_sessions)]
        seconds = pd.to_timedelta(rng.integers(6, delay, size=len(rows)), unit="s")
        responses.append(rows[["user", "item"]].assign(time=rows["time"] + seconds))
    users = rng.choice(sessions["user"].unique(), size=3000)
    others = pd.DataFrame({"user": users, "item": N_ITEMS + rng.integers(500, size=3000)})
    others["time"] = START + pd.to_timedelta(rng.integers(HOURS * 3600, size=3000), unit="s")
    logs = responses[0], pd.concat([responses[1], others])
    by_time = (one.sort_values("time", kind="stable", ignore_index=True) for one in logs)
    return OnlineLog(impressions, *by_time)


def _sessions(rng: np.random.Generator, shape: dict[str, Any]) -> pd.DataFrame:
    n_users, n_sessions = shape["users"], shape["sessions"]
    # Few users come often: one session each, the rest by weights with a long tail.
    share = rng.gamma(0.5, size=n_users)
    visits = 1 + rng.multinomial(n_sessions - n_users, share / share.sum())
    user = np.repeat(2_700_000 + np.arange(n_users), visits)
    slot = np.concatenate([np.sort(rng.choice(HOURS, size=n, replace=False)) for n in visits])
    second = 3600 * slot + rng.integers(1800, size=n_sessions)
    earlier = pd.Series(user).groupby(user).cumcount()
    before = np.repeat(rng.geometric(0.4, size=n_users), visits)
    system = user % 12 + 1
    table = pd.DataFrame(
        {
            "user": user,
            "system": system,
            "time": START + pd.to_timedelta(second, unit="s"),
            "known": np.minimum(50, 1 + earlier + before),
            "first": rng.integers(N_ITEMS, size=n_sessions),
            "length": _lengths(rng, np.isin(system, SHORT_LISTS), shape["recommended_pairs"]),
        }
    )
    return table.sort_values("time", kind="stable", ignore_index=True)


def _lengths(rng: np.random.Generator, short: npt.NDArray[np.bool_], total: int) -> IntArray:
    """Lists of 10 and 20 places that add up to ``total``."""
    lengths = np.where(short, 10, 20)
    # The random systems do not meet the total: some lists of the larger group change sides.
    surplus = int(lengths.sum()) - total
    sign = 1 if surplus > 0 else -1
    changed = rng.permutation(np.flatnonzero(short != (surplus > 0)))[: abs(surplus) // 10]
    lengths[changed] -= sign * 10
    lengths[np.flatnonzero(lengths == 15 + sign * 5)[0]] -= sign * (abs(surplus) % 10)
    return lengths


def _responses(
    rng: np.random.Generator, lengths: IntArray, counts: list[int], n_sessions: int
) -> IntArray:
    """Rows of the log with a response, in so many sessions; ``counts``: how many by place."""
    width = 20 // len(counts)  # of the histogram, in places
    places = width * np.repeat(np.arange(len(counts)), counts)
    places = rng.permutation(places + rng.integers(width, size=len(places)))
    start = np.cumsum(lengths) - lengths
    single, again = np.sort(places[:n_sessions]), places[n_sessions:]
    long, short = (rng.permutation(np.flatnonzero(lengths == n)) for n in (20, 10))
    deep = int((single >= 10).sum())
    mixed = rng.permutation(np.concatenate([long[deep:], short]))
    session = np.concatenate([mixed[: n_sessions - deep], long[:deep]])
    # A second response goes to a session of long lists that has its first elsewhere.
    in_long = lengths[session] == 20
    free = [rng.permutation(session[in_long & (single != place)]) for place in range(20)]
    second: dict[int, int] = {}
    for place in again:
        second[next(one for one in free[place] if one not in second)] = place
    rows: IntArray = start[[*session, *second]] + [*single, *second.values()]
    return rows


class TravelData(NamedTuple):
    """A small travel agency.

    Attributes
    ----------
    visits : DataFrame
        ``user``, ``item``, ``time``, in the order of time; no user visits an item twice.
    attributes : DataFrame
        Indexed by item: nominal and numeric attributes of a tour.
    texts : Series
        Indexed by item: a short description.
    dates : Series
        Indexed by item: since when it is offered.
    """

    visits: pd.DataFrame
    attributes: pd.DataFrame
    texts: pd.Series[Any]
    dates: pd.Series[Any]


WORDS = read_toml("datasets/names.toml")["made_up"]
COUNTRIES, KINDS, FILLER = WORDS["countries"], WORDS["kinds"], WORDS["filler"]


def travel_data(*, n_users: int = 400, n_items: int = 120, seed: int = 0) -> TravelData:
    """Visits, attributes, texts and dates of a small travel agency, made up from a seed.

    Users like one kind of tour and a few countries, tours of a kind are described in like
    words, and new tours are visited more often: enough structure for all three branches of
    document 002 to find something, and for novelty to matter.

    Parameters
    ----------
    n_users, n_items : int
        How many: at most 100,000 of each, and at most 10**8 pairs of them.
    seed : int, default 0
        Start of the random numbers.

    Returns
    -------
    TravelData

    Raises
    ------
    InputError
        If a number is not a positive integer or too large, or there are fewer than 20 items.

    Examples
    --------
    >>> data = travel_data(n_users=50, n_items=20)
    >>> data.attributes.columns.tolist()
    ['country', 'kind', 'transport', 'nights', 'price']
    """
    users = check_count(n_users, "n_users")
    items = check_count(n_items, "n_items")
    check_that(items >= 20, "n_items", "be at least 20, so that users can choose", items)
    for number, name in ((users, "n_users"), (items, "n_items")):
        check_that(number <= MOST, name, f"be at most {MOST:,}", number)
    rule = f"be at most {MOST_PAIRS:,} pairs, as each has a number in memory"
    check_that(users * items <= MOST_PAIRS, "n_users times n_items", rule, users * items)
    rng = as_generator(seed, "seed")
    index = pd.RangeIndex(items, name="item")
    kind = rng.integers(len(KINDS), size=items)
    country = rng.integers(len(COUNTRIES), size=items)
    nights = rng.integers(2, 15, size=items)
    attributes = pd.DataFrame(
        {
            "country": np.array(COUNTRIES)[country],
            "kind": np.array(list(KINDS))[kind],
            "transport": rng.choice(["bus", "plane", "own"], size=items),
            "nights": nights,
            "price": np.round(nights * rng.normal(90, 15, size=items), -1),
        },
        index=index,
    )
    words = list(KINDS.values())
    texts = [
        " ".join([COUNTRIES[c], *rng.choice(words[k], size=8), *rng.choice(FILLER, size=5)])
        for c, k in zip(country, kind, strict=True)
    ]
    age = rng.integers(1, 400, size=items)
    dates = pd.Series(START - pd.to_timedelta(age, unit="D"), index=index, name="date")
    liking = rng.dirichlet(np.full(len(KINDS), 0.3), size=users)[:, kind]
    liking = liking * rng.dirichlet(np.full(len(COUNTRIES), 0.5), size=users)[:, country] + 1e-4
    liking = liking * (1 + 2 / np.log(age + 2.72))
    visits = []
    for user, chance in enumerate(liking):
        n = min(2 + rng.poisson(6), items // 2)
        chosen = rng.choice(items, size=n, replace=False, p=chance / chance.sum())
        hours = np.sort(rng.integers(0, 60 * 24, size=n)) + rng.random(n)
        time = START + pd.to_timedelta((hours * 3600).astype(int), unit="s")
        visits.append(pd.DataFrame({"user": user, "item": chosen, "time": time}))
    table = pd.concat(visits).sort_values(["time", "user"], kind="stable", ignore_index=True)
    return TravelData(table, attributes, pd.Series(texts, index=index, name="text"), dates)
