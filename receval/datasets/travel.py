"""Generated data that resemble the data of document 002's travel agency."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    Record,
    as_generator,
    check_integer,
    check_that,
)
from receval._files import read_published, read_toml

START = pd.Timestamp("2018-07-20")
HOURS = 28 * 24  # length of the A/B test
SHORT_LISTS = (1, 5, 6, 7, 10)  # systems that served diverse lists, of 10 places
MAX_SIZE = 100_000  # generated users, and items
MAX_PAIRS = 10**8  # pairs of a generated user and item
N_ITEMS = 795


class OnlineLog(NamedTuple):
    """A log of recommendations, clicks and visits.

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
    """Generate a log that resembles the log of document 002's A/B test.

    The authors' notebook prints how many users, sessions, recommended pairs, clicks and visits
    there were, how many sessions had clicks or visits, and at which places the clicks and visits
    were. The log has the same numbers and places. Everything else is random: the users, items and
    times, and the success of the 12 systems.

    Parameters
    ----------
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    OnlineLog
        The log has 4,238 users, 26,597 sessions, 421,202 impressions and 830 clicks. 2,824 visits
        are of items that were recommended before, and 3,000 are of items that were not recommended.

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
    shape: Record = read_published("002")["inputs"]  # has the numbers to reproduce

    # Each session has a list, with an impression at each place.
    sessions = _draw_sessions(rng, shape["log"])
    lengths = sessions["length"].to_numpy()
    impressions = sessions.loc[sessions.index.repeat(lengths)].reset_index(names="session")
    place = impressions.groupby("session").cumcount()
    # A list takes every seventh item. The catalogue isn't divisible by 7, so no item repeats.
    item = (impressions["first"] + 7 * place) % N_ITEMS
    columns = ["session", "user", "system", "item", "position", "time", "known"]
    impressions = impressions.assign(item=item, position=place + 1)[columns]

    # Some impressions lead to a click, and some to a visit, some seconds later.
    responses = []
    for name, max_seconds in (("click", 30), ("visit", 1200)):
        counts = shape["positions"][f"{name}s"]
        n_sessions = shape["log"][f"sessions_with_{name}"]
        rows = impressions.iloc[_draw_responses(rng, lengths, counts, n_sessions)]
        delay = pd.to_timedelta(rng.integers(6, max_seconds, size=len(rows)), unit="s")
        responses.append(rows[["user", "item"]].assign(time=rows["time"] + delay))
    clicks, visits = responses

    # Some visits are of items that were never recommended.
    users = rng.choice(sessions["user"].unique(), size=3000)
    others = pd.DataFrame({"user": users, "item": N_ITEMS + rng.integers(500, size=3000)})
    others["time"] = START + pd.to_timedelta(rng.integers(HOURS * 3600, size=3000), unit="s")
    visits = pd.concat([visits, others])
    return OnlineLog(
        impressions,
        clicks.sort_values("time", kind="stable", ignore_index=True),
        visits.sort_values("time", kind="stable", ignore_index=True),
    )


def _draw_sessions(rng: np.random.Generator, shape: Record) -> pd.DataFrame:
    """Return as many sessions as in the A/B test, in order of time.

    The columns are ``user``, ``system``, ``time``, ``known`` (the number of items that the user has
    visited before), and ``first`` and ``length`` (the first item and the length of the list).
    ``shape`` has the numbers of users, sessions and recommended pairs of user and item.
    """
    n_users: int = shape["users"]
    n_sessions: int = shape["sessions"]
    # Each user has one session. Long-tailed weights distribute the other sessions, so that few
    # users come often.
    share = rng.gamma(0.5, size=n_users)
    n_sessions_of_user = 1 + rng.multinomial(n_sessions - n_users, share / share.sum())
    # The rows are in order of users here.
    user = np.repeat(2_700_000 + np.arange(n_users), n_sessions_of_user)
    # A user's sessions are in different hours, in order of time. Each begins in the first half of
    # its hour.
    hours_of_users = [np.sort(rng.choice(HOURS, size=n, replace=False)) for n in n_sessions_of_user]
    second = 3600 * np.concatenate(hours_of_users) + rng.integers(1800, size=n_sessions)
    n_earlier_sessions = pd.Series(user).groupby(user).cumcount()
    n_visited_before = np.repeat(rng.geometric(0.4, size=n_users), n_sessions_of_user)
    system = user % 12 + 1  # as in the A/B test
    table = pd.DataFrame(
        {
            "user": user,
            "system": system,
            "time": START + pd.to_timedelta(second, unit="s"),
            "known": np.minimum(50, 1 + n_earlier_sessions + n_visited_before),
            "first": rng.integers(N_ITEMS, size=n_sessions),
            "length": _draw_lengths(rng, np.isin(system, SHORT_LISTS), shape["recommended_pairs"]),
        }
    )
    return table.sort_values("time", kind="stable", ignore_index=True)


def _draw_lengths(rng: np.random.Generator, is_short: BoolArray, total: int) -> IntArray:
    """Return the lengths of the lists: 10 for short lists and 20 for others, except for a few.

    The lengths must add up to ``total``. At first they don't, because the number of short lists is
    random. So some lists change from 20 to 10 places or the reverse, and one more list
    changes by the rest of the difference, which is below 10. ``is_short`` is a mask of the short
    lists. There must be enough lists that can change.
    """
    lengths = np.where(is_short, 10, 20)
    surplus = int(lengths.sum()) - total
    # Shorten long lists, or make short lists longer.
    candidates = np.flatnonzero(~is_short if surplus > 0 else is_short)
    n_changed, remainder = divmod(abs(surplus), 10)
    changed = rng.permutation(candidates)[:n_changed]
    lengths[changed] -= np.sign(surplus) * 10
    first_unchanged = np.setdiff1d(candidates, changed)[0]
    lengths[first_unchanged] -= np.sign(surplus) * remainder
    return lengths


def _draw_responses(
    rng: np.random.Generator, lengths: IntArray, counts: list[int], n_sessions: int
) -> IntArray:
    """Choose the impressions that have a response (a click or a visit), and return their rows.

    Each session has one list, of 10 or 20 places. The log has one list after the other, and
    ``lengths`` has their lengths. ``counts`` is a histogram of the responses by place: each count
    is for one place, or for several adjacent places. The responses are spread over ``n_sessions``
    sessions, so some sessions have two responses.
    """
    # Draw a place, from 0, for each response.
    bin_width = 20 // len(counts)  # in places
    places = bin_width * np.repeat(np.arange(len(counts)), counts)
    places = rng.permutation(places + rng.integers(bin_width, size=len(places)))
    list_starts = np.cumsum(lengths) - lengths

    # Choose a session for each of the first `n_sessions` responses. Place 10 and later ones need a
    # long list; as the places are sorted, they come last.
    first_places = np.sort(places[:n_sessions])
    long_lists = rng.permutation(np.flatnonzero(lengths == 20))
    short_lists = rng.permutation(np.flatnonzero(lengths == 10))
    n_deep = int((first_places >= 10).sum())
    other_lists = rng.permutation(np.concatenate([long_lists[n_deep:], short_lists]))
    sessions = np.concatenate([other_lists[: n_sessions - n_deep], long_lists[:n_deep]])

    # Every further response is the second response of a session with a long list. In a long list,
    # the response can be at any place except the place of the first response.
    has_long_list = lengths[sessions] == 20
    # For each place, sessions that may have their second response there, in random order.
    candidates_by_place = [
        rng.permutation(sessions[has_long_list & (first_places != place)]) for place in range(20)
    ]
    second_place_by_session: dict[int, int] = {}
    # There are far more long lists than second responses, so `next` always finds a session.
    for place in places[n_sessions:]:
        session = next(
            candidate
            for candidate in candidates_by_place[place]
            if candidate not in second_place_by_session
        )
        second_place_by_session[session] = place
    all_sessions = [*sessions, *second_place_by_session]
    all_places = [*first_places, *second_place_by_session.values()]
    rows: IntArray = list_starts[all_sessions] + all_places
    return rows


class TravelData(NamedTuple):
    """A small travel agency.

    Attributes
    ----------
    visits : DataFrame
        ``user``, ``item``, ``time``, in order of time; no user visits an item twice.
    attributes : DataFrame
        Indexed by item: nominal and numeric attributes of a tour.
    texts : Series
        Indexed by item: a short description.
    dates : Series
        Indexed by item: the first day on which it is offered.
    """

    visits: pd.DataFrame
    attributes: pd.DataFrame
    texts: pd.Series
    dates: pd.Series


WORDS = read_toml("datasets/names.toml")["made_up"]
COUNTRIES = WORDS["countries"]
KINDS = WORDS["kinds"]
FILLER_WORDS = WORDS["filler"]


def travel_data(*, n_users: int = 400, n_items: int = 120, seed: int = 0) -> TravelData:
    """Generate visits, attributes, texts and dates of a small travel agency.

    Each user likes one kind of tour and a few countries. Tours of the same kind have similar
    descriptions, and users visit new tours more often. So recommenders can learn from attributes,
    from texts and from the visits of other users, and novelty matters.

    Parameters
    ----------
    n_users, n_items : int
        Numbers of users and items, at most 100,000 each. Their product is at most 10**8.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    TravelData

    Raises
    ------
    InputError
        If a number is too large or not a positive integer, or if there are fewer than 20 items.

    Examples
    --------
    >>> data = travel_data(n_users=50, n_items=20)
    >>> data.attributes.columns.tolist()
    ['country', 'kind', 'transport', 'nights', 'price']
    """
    users = check_integer(n_users, "n_users", 1, MAX_SIZE)
    items = check_integer(n_items, "n_items", 20, MAX_SIZE)  # enough for the users to choose
    check_that(
        users * items <= MAX_PAIRS,
        "n_users times n_items",
        f"be at most {MAX_PAIRS:,} pairs, because each has a number in memory",
        users * items,
    )
    rng = as_generator(seed, "seed")

    # Draw the items: codes of kinds and countries, and other attributes.
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
    texts = _draw_texts(rng, country, kind)
    age = rng.integers(1, 400, size=items)  # in days
    dates = pd.Series(START - pd.to_timedelta(age, unit="D"), index=index, name="date")

    # Each user has a row. Users like some kinds and countries more than others, and like new items.
    kind_preference = rng.dirichlet(np.full(len(KINDS), 0.3), size=users)[:, kind]
    country_preference = rng.dirichlet(np.full(len(COUNTRIES), 0.5), size=users)[:, country]
    preference = kind_preference * country_preference + 1e-4  # no item is impossible
    # The factor of age falls from about 2.5 for a tour offered for one day to 1.3 for 399 days.
    preference = preference * (1 + 2 / np.log(age + 2.72))

    visits = _draw_visits(rng, preference)
    return TravelData(visits, attributes, pd.Series(texts, index=index, name="text"), dates)


def _draw_texts(rng: np.random.Generator, country: IntArray, kind: IntArray) -> list[str]:
    """Return a description of each item: its country, words typical of its kind, and fillers.

    ``country`` and ``kind`` have positions in the lists of countries and kinds.
    """
    words_of_kinds = list(KINDS.values())
    texts = []
    for country_code, kind_code in zip(country, kind, strict=True):
        kind_words = rng.choice(words_of_kinds[kind_code], size=8)
        filler_words = rng.choice(FILLER_WORDS, size=5)
        texts.append(" ".join([COUNTRIES[country_code], *kind_words, *filler_words]))
    return texts


def _draw_visits(rng: np.random.Generator, preference: FloatArray) -> pd.DataFrame:
    """Return visits of each user within 60 days, in order of time; no user visits an item twice.

    ``preference`` has a row of weights for each user. The greater an item's weight, the more likely
    the user visits the item.
    """
    n_items = preference.shape[1]
    visits = []
    for user, weights in enumerate(preference):
        n_visits = min(2 + rng.poisson(6), n_items // 2)
        chosen = rng.choice(n_items, size=n_visits, replace=False, p=weights / weights.sum())
        hours = np.sort(rng.integers(0, 60 * 24, size=n_visits)) + rng.random(n_visits)
        time = START + pd.to_timedelta((hours * 3600).astype(int), unit="s")
        visits.append(pd.DataFrame({"user": user, "item": chosen, "time": time}))
    return pd.concat(visits).sort_values(["time", "user"], kind="stable", ignore_index=True)
