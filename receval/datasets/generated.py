"""Generated data: public procurement, a travel agency with its log, and ratings of films.

They resemble the data of documents 000 and 002, which aren't available, and those of FilmTrust,
which need a download.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    Record,
    Seed,
    as_generator,
    check_integer,
    check_number,
    check_that,
)
from receval._files import read_published, read_toml
from receval.tables.columns import read_column

# Public procurement -------------------------------------------------------------------------------

CONTRACTS = 94_929  # the number of evaluated contracts that follows from the published hit rates
BIDDERS = 14_388
SHORT_HEAD = (101, 0.20)  # the first 101 bidders hold 20 % of the awards
TOP_TEN = (10, 0.07)  # the first 10 hold 7 %, the hit rate of always recommending them
SHARE_WITH_SEVERAL_WINNERS = 0.01  # of all contracts
SHARE_UNDATED = 0.023  # of all contracts
FIRST_DAY = np.datetime64("2006-07-01")
LAST_DAY = np.datetime64("2016-06-30")
MAX_CONTRACTS = 500_000  # at 600,000 the curve gives the second bidder less than 0 awards
N_OBJECTS = 1_500
N_AUTHORITIES = 2_000
N_GROUPS = 100  # groups of objects, in a hierarchy like that of CPV codes
N_DIVISIONS = 10  # divisions of groups
WORDS_PER_OBJECT = 3  # a description has two of these words
N_COMMON_WORDS = 200  # words that any description can have
KINDS = ("services", "supplies", "works")
SHARE_OF_MAIN_OBJECT = 0.45  # share of a bidder's contracts that are for the bidder's main object
SHARE_OF_AUTHORITY = 0.25  # share of a bidder's contracts that come from the bidder's authority


def procurement(
    n_contracts: int = CONTRACTS, *, related_share: float = 0.0, rng: Seed = 0
) -> pd.DataFrame:
    r"""Generate awards of public contracts that resemble those of document 000.

    First, every bidder gets one award. The remaining awards are distributed along a smooth curve,
    which is flat at its end. The first i of N bidders hold the share F of the remaining awards:

    .. math:: \log F(r) = a \log^2 r + b \log^3 r, \qquad r = i / N,

    Two figures of the document determine its two parameters: the short head of 101 of 14,388
    bidders holds 20 % of the awards, and the first ten bidders win 7 % of the contracts (the hit
    rate of always recommending them). The tail is realistic: more bidders have one award than two
    (29 % and 26 %). In five folds, about 7 % of the bidders have no training award, so ten random
    picks among the others have an expected LTP of 1 - 101/N_train, 0.992 as printed. Each bidder
    has a main object and an authority that many of its contracts share, so a matchmaker can learn
    from them. Each bidder also has a first day of business, and wins no contract before it.

    Parameters
    ----------
    n_contracts : int, default 94929
        Number of contracts with a single winner, from 100 to 500,000. The number of bidders is
        proportional to it. The table also has contracts with several winners, about 1 % of all
        contracts, with a row for each winner.
    related_share : float, default 0
        Some contracts of a bidder aren't for the bidder's main object. Of these contracts, this
        share is for another object of the same group (see `procurement_codes`). If it is 0, bidders
        win contracts for related objects only by chance, so a matchmaker can't learn anything from
        the hierarchy.
    rng : numpy.random.Generator or int, default 0
        Source of the random numbers; an int is a seed.

    Returns
    -------
    DataFrame
        One row per award, in order of contract: ``contract`` and ``bidder`` (whole numbers),
        ``date`` (NaT for 2.3 % of the contracts), ``main_object``, ``kind`` (which follows from
        the main object) and ``authority`` (categories).

    Raises
    ------
    InputError
        If ``n_contracts`` is not a whole number from 100 to 500,000, ``related_share`` is not a
        number in [0, 1], or ``rng`` is neither a generator nor a seed.

    Notes
    -----
    The numbers of contracts and bidders, the concentration of awards, and the shares of contracts
    with several winners and of missing dates are those of the document. The attributes and the
    dates are invented. The main object predicts the winner about as well as the published
    matchmakers do (a hit rate at 10 near 0.25). Results on these data illustrate the protocol, but
    do not describe real procurement.

    References
    ----------
    Document 000, sections "Ground truth" and "Evaluated metrics", and its results chapters.

    Examples
    --------
    >>> awards = procurement(1_000)
    >>> awards.columns.tolist()
    ['contract', 'bidder', 'date', 'main_object', 'kind', 'authority']
    >>> awards["bidder"].nunique()
    152
    """
    n = check_integer(n_contracts, "n_contracts", 100, MAX_CONTRACTS)
    share = check_number(
        related_share, "related_share", "a number in [0, 1]", lambda share: 0 <= share <= 1
    )
    random = as_generator(rng)
    n_bidders = round(n * BIDDERS / CONTRACTS)
    # Add these to the n contracts with a single winner; they are 1 % of all contracts.
    n_several = round(n * SHARE_WITH_SEVERAL_WINNERS / (1 - SHARE_WITH_SEVERAL_WINNERS))
    winners = np.repeat(random.permutation(n_bidders), award_counts(n, n_bidders))
    first_winners = np.concatenate([winners, random.choice(winners, n_several)])
    contracts = _draw_contracts(first_winners, n_bidders, share, random)
    # The contracts after the first n have several winners.
    awards = pd.concat([contracts, _further_winners(contracts.iloc[n:], n_bidders, random)])
    # Give the contracts numbers in random order, so that a number says nothing about the winner.
    shuffled = random.permutation(n + n_several)
    awards["contract"] = shuffled[awards["contract"].to_numpy()]
    return awards.sort_values("contract", kind="stable", ignore_index=True)


def award_counts(n: int, n_bidders: int) -> IntArray:
    """Return the number of awards of each bidder, largest first: at least 1 each, ``n`` in total.

    First, every bidder gets one award. The further awards follow the curve
    log F(r) = a log² r + b log³ r of `procurement`: the first bidders, who are the share r of all
    bidders, hold the share F of the further awards.
    """
    # Two figures of the document determine a and b: the shares of all awards that the first 101 and
    # the first 10 bidders hold. Subtract one award of each bidder to get their shares of the
    # further awards, and solve the equation of the curve at both points for a and b.
    ranks, shares = np.array([SHORT_HEAD, TOP_TEN]).T
    log_rank = np.log(ranks / BIDDERS)
    log_share = np.log((shares * CONTRACTS - ranks) / (CONTRACTS - BIDDERS))
    a, b = np.linalg.solve(np.column_stack([log_rank**2, log_rank**3]), log_share)
    # Now read the curve for ``n_bidders`` bidders.
    log_r = np.log(np.arange(1, n_bidders + 1) / n_bidders)
    # The number of further awards of the first i bidders, for each i.
    further = (n - n_bidders) * np.exp(a * log_r**2 + b * log_r**3)
    # Round up, so that the head has at least its share. Subtract 1e-9 because of rounding errors.
    counts: IntArray = 1 + np.diff(np.ceil(further - 1e-9).astype(np.int64), prepend=0)
    return counts


def procurement_codes() -> pd.DataFrame:
    """Return the hierarchy of the main objects of `procurement`, which resembles CPV codes.

    Every object belongs to one of 100 groups, and every group to one of ten divisions.

    Returns
    -------
    DataFrame
        Columns ``child`` and ``parent``, for `receval.matchmaking.case_based`. A division has no
        parent (None).

    Notes
    -----
    The hierarchy is invented. Real CPV codes have up to five levels.

    Examples
    --------
    >>> procurement_codes().tail(2)
               child    parent
    1608  object 1499  group 99
    1609  object 1500  group 100
    """
    divisions = [f"division {number}" for number in range(1, N_DIVISIONS + 1)]
    groups = [f"group {number}" for number in range(1, N_GROUPS + 1)]
    objects = [f"object {number}" for number in range(1, N_OBJECTS + 1)]
    group_of_object = [groups[code % N_GROUPS] for code in range(N_OBJECTS)]
    division_of_group = [divisions[code % N_DIVISIONS] for code in range(N_GROUPS)]
    return pd.DataFrame(
        {
            "child": [*divisions, *groups, *objects],
            "parent": [*[None] * N_DIVISIONS, *division_of_group, *group_of_object],
        },
        dtype=object,
    )


def procurement_texts(awards: pd.DataFrame, *, rng: Seed = 0) -> pd.Series:
    """Return a made-up description of each award of `procurement`, for matching by text.

    A description has two of the three words of the award's main object, a word of the object's
    group, the kind, and three words that any description can have.

    Parameters
    ----------
    awards : DataFrame
        Awards from `procurement`, with the columns ``contract``, ``main_object`` and ``kind``.
    rng : numpy.random.Generator or int, default 0
        Source of the random numbers for the words; an int is a seed.

    Returns
    -------
    Series of str
        The descriptions, with the index of ``awards``. All rows of a contract have the same
        description.

    Raises
    ------
    InputError
        If a column is missing, or ``rng`` is neither a generator nor a seed.

    Examples
    --------
    >>> awards = procurement(100)
    >>> procurement_texts(awards).iloc[0]
    'supplies word2460 word2461 word4520 word4663 word4778 word4651'
    """
    random = as_generator(rng)
    objects = read_column(awards, "main_object", "awards").astype(str)
    codes = objects.str.removeprefix("object ").astype(int).to_numpy() - 1
    kinds = read_column(awards, "kind", "awards").astype(str)
    # The words of each award are numbers: first the words of objects, then the words of groups, and
    # then the words that any description can have.
    left_out = random.integers(WORDS_PER_OBJECT, size=len(awards))
    first = codes * WORDS_PER_OBJECT + (left_out + 1) % WORDS_PER_OBJECT
    second = codes * WORDS_PER_OBJECT + (left_out + 2) % WORDS_PER_OBJECT
    n_object_words = N_OBJECTS * WORDS_PER_OBJECT
    group = n_object_words + codes % N_GROUPS
    common = n_object_words + N_GROUPS + random.integers(N_COMMON_WORDS, size=(3, len(awards)))
    texts = kinds
    for numbers in (first, second, group, *common):
        texts = texts + " word" + numbers.astype(str)
    # All rows of a contract have the text of its first row.
    by_contract = texts.groupby(read_column(awards, "contract", "awards"))
    descriptions: pd.Series = by_contract.transform("first")
    return descriptions.set_axis(awards.index)  # the columns that were read are numbered anew


def _draw_contracts(
    bidder: IntArray, n_bidders: int, related_share: float, random: np.random.Generator
) -> pd.DataFrame:
    """Return one contract for each entry of ``bidder``, with dates and attributes.

    ``bidder`` has the number of each contract's winner, from 0 to ``n_bidders - 1``. Each bidder
    has a usual object, a usual authority, and a founding day, before which there are no contracts.
    Of the contracts that are not for the bidder's usual object, the share ``related_share`` is for
    objects of the same group.
    """
    n = len(bidder)

    def draw_values(
        n_values: int, steepness: float, usual_share: float
    ) -> tuple[IntArray, IntArray]:
        """Return a value for each contract, and the usual value of its bidder.

        Values are whole numbers, starting at 0. A contract has its bidder's usual value with the
        probability ``usual_share``, and otherwise a random value. Larger values are less likely,
        and ``steepness`` says how fast their probability falls.
        """
        popularity: FloatArray = np.arange(1.0, n_values + 1) ** -steepness
        popularity /= popularity.sum()
        # Draw the usual value of each bidder, and look it up for each contract.
        usual = random.choice(n_values, n_bidders, p=popularity)[bidder]
        other = random.choice(n_values, n, p=popularity)
        return np.where(random.random(n) < usual_share, usual, other), usual

    objects, usual_objects = draw_values(N_OBJECTS, 1.0, SHARE_OF_MAIN_OBJECT)
    authorities, _ = draw_values(N_AUTHORITIES, 0.8, SHARE_OF_AUTHORITY)
    founded = random.random(n_bidders)[bidder] * 0.8  # as a share of the whole period
    n_days = (LAST_DAY - FIRST_DAY).astype(int)
    days = (founded + (1 - founded) * random.random(n)) * n_days  # from the founding to the end
    dates = FIRST_DAY + days.astype(np.int64)
    undated = random.choice(n, round(n * SHARE_UNDATED), replace=False)
    dates[undated] = np.datetime64("NaT", "D")
    if related_share > 0:
        is_related = (objects != usual_objects) & (random.random(n) < related_share)
        # Objects of one group have the same remainder; see procurement_codes.
        steps = random.integers(N_OBJECTS // N_GROUPS, size=n) * N_GROUPS
        objects = np.where(is_related, usual_objects % N_GROUPS + steps, objects)
    kinds = objects % len(KINDS)  # the object determines the kind
    return pd.DataFrame(
        {
            "bidder": bidder,
            "date": dates.astype("datetime64[s]"),
            "main_object": _number_categories(objects, "object", N_OBJECTS),
            "kind": pd.Categorical.from_codes(kinds, pd.Index(KINDS)),
            "authority": _number_categories(authorities, "authority", N_AUTHORITIES),
        }
    ).reset_index(names="contract")


def _further_winners(
    contracts: pd.DataFrame, n_bidders: int, random: np.random.Generator
) -> pd.DataFrame:
    """Return rows for a second winner of each contract, and for a third winner of every fifth.

    ``contracts`` has one row per contract. The column "bidder" has the number of the contract's
    first winner, from 0 to ``n_bidders - 1``. There must be at least three bidders. The new rows
    copy all other columns.
    """
    n = len(contracts)
    # Imagine the bidders in a circle. The second winner is some steps after the first winner, and
    # the third winner some steps after the second. The steps never go all the way round, so the
    # winners differ.
    steps = random.integers(1, (n_bidders + 1) // 2, size=(n, 2)).cumsum(axis=1)
    others = (contracts["bidder"].to_numpy()[:, np.newaxis] + steps) % n_bidders
    second = contracts.assign(bidder=others[:, 0])
    third = contracts.assign(bidder=others[:, 1])[random.random(n) < 0.2]
    return pd.concat([second, third])


def _number_categories(codes: IntArray, name: str, n: int) -> pd.Categorical[str]:
    """Return categories with the names "name 1" to "name n" for the codes 0 to n - 1."""
    return pd.Categorical.from_codes(codes, pd.Index([f"{name} {i}" for i in range(1, n + 1)]))


# A travel agency ----------------------------------------------------------------------------------

START = pd.Timestamp("2018-07-20")
HOURS = 28 * 24  # length of the A/B test
SHORT_LISTS = (1, 5, 6, 7, 10)  # systems that served diverse lists, of 10 places
MAX_SIZE = 100_000  # generated users, and items
MAX_PAIRS = 10**8  # pairs of a generated user and item
N_ITEMS = 795


class OnlineLog(NamedTuple):
    """A log of recommendations, clicks and visits; see `travel_log`."""

    impressions: pd.DataFrame
    clicks: pd.DataFrame
    visits: pd.DataFrame


def travel_log(*, seed: int = 0) -> OnlineLog:
    """Generate a log that resembles the log of document 002's A/B test.

    The authors' notebook prints how many users, sessions, recommended pairs, clicks and visits
    there were, and at which places the clicks and visits were. The log has the same numbers and
    places. Everything else is random: the users, items and times, and the success of the 12
    systems.

    Parameters
    ----------
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    OnlineLog
        Three tables: ``impressions`` (with ``session``, ``user``, ``system``, ``item``,
        ``position``, from 1, ``time``, and ``known``, the number of items that the user had visited
        before the session, at most 50), ``clicks`` and ``visits`` (both with ``user``, ``item`` and
        ``time``). The log has 4,238 users, 26,597 sessions, 421,202 impressions and 830 clicks.
        2,824 visits are of items that were recommended before, and 3,000 are of items that were not
        recommended.

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
    impressions = sessions.loc[sessions.index.repeat(sessions["length"])].reset_index(
        names="session"
    )
    place = impressions.groupby("session").cumcount()
    # A list takes every seventh item. The catalogue isn't divisible by 7, so no item repeats.
    item = (impressions["first"] + 7 * place) % N_ITEMS
    columns = ["session", "user", "system", "item", "position", "time", "known"]
    impressions = impressions.assign(item=item, position=place + 1)[columns]

    # Some impressions lead to a click, and some to a visit, some seconds later.
    clicks = _draw_responses(rng, impressions, shape["positions"]["clicks"], max_seconds=30)
    visits = _draw_responses(rng, impressions, shape["positions"]["visits"], max_seconds=1200)

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
    random. So some long lists lose a place, or some short lists gain one. ``is_short`` is a mask of
    the short lists. There must be enough lists that can change.
    """
    lengths = np.where(is_short, 10, 20)
    surplus = int(lengths.sum()) - total
    can_change = is_short if surplus < 0 else ~is_short
    changed = rng.choice(np.flatnonzero(can_change), size=abs(surplus), replace=False)
    lengths[changed] -= np.sign(surplus)
    return lengths


def _draw_responses(
    rng: np.random.Generator, impressions: pd.DataFrame, counts: list[int], *, max_seconds: int
) -> pd.DataFrame:
    """Return a response (a click or a visit) to some impressions: ``user``, ``item`` and ``time``.

    ``counts`` is a histogram of the responses by place, from 1 to 20: each count is for one place,
    or for several adjacent places. A response follows its impression within ``max_seconds``.
    """
    places_per_count = 20 // len(counts)
    number_of_count = (impressions["position"].to_numpy() - 1) // places_per_count
    rows = [
        rng.choice(np.flatnonzero(number_of_count == number), size=count, replace=False)
        for number, count in enumerate(counts)
    ]
    responses = impressions.iloc[np.concatenate(rows)][["user", "item", "time"]]
    delay = pd.to_timedelta(rng.integers(6, max_seconds, size=len(responses)), unit="s")
    return responses.assign(time=responses["time"] + delay)


class TravelData(NamedTuple):
    """A small travel agency; see `travel_data`."""

    visits: pd.DataFrame
    attributes: pd.DataFrame
    texts: pd.Series
    dates: pd.Series


WORDS = read_toml("datasets/names.toml")["made_up"]
COUNTRIES = WORDS["countries"]
WORDS_BY_KIND: dict[str, list[str]] = WORDS["kinds"]
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
        ``visits`` (a table with ``user``, ``item`` and ``time``, in order of time; no user visits
        an item twice), ``attributes`` (the nominal and numeric attributes of each tour), ``texts``
        (a short description of each tour) and ``dates`` (the first day on which it is offered). The
        last three are indexed by item.

    Raises
    ------
    InputError
        If a number is not a positive integer or too large, or if there are fewer than 20 items.

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
    kind = rng.integers(len(WORDS_BY_KIND), size=items)
    country = rng.integers(len(COUNTRIES), size=items)
    nights = rng.integers(2, 15, size=items)
    attributes = pd.DataFrame(
        {
            "country": np.array(COUNTRIES)[country],
            "kind": np.array(list(WORDS_BY_KIND))[kind],
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
    kind_preference = rng.dirichlet(np.full(len(WORDS_BY_KIND), 0.3), size=users)[:, kind]
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
    words_of_kinds = list(WORDS_BY_KIND.values())
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


# Ratings ------------------------------------------------------------------------------------------


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
