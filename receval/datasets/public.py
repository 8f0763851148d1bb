"""Public data of others: awards, cars, ratings, links, a fashion shop, and a travel agency.

`fetch` downloads and checks the files, or finds them in ``RECEVAL_DATA``. `social_graph` is part of
networkx, and `tutorial_links` draws its links.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from receval._checks import FloatArray, Seed, as_generator, check_choice
from receval._files import read_toml
from receval.datasets.downloads import fetch, read_content
from receval.splitting.folds import hold_out
from receval.splitting.tables import Report, without
from receval.tables.columns import check_frame, read_column, shared_codes

NAMES = read_toml("datasets/names.toml")
TRAVEL_FILES: dict[str, str] = NAMES["travel_files"]
AWARD_COLUMNS = NAMES["awards_kenya"]
FIRST_DAY = pd.Timestamp("2010-01-01")  # days before are typing errors
EXPORT_DAY = pd.Timestamp("2016-12-29")  # the day on which the file was made
LEGAL_FORMS = r"\b(?:LIMITED|LTD|COMPANY|CO)\b"
N_POSITIONS = 3  # places of an item on the page
N_DRAWS = 100_000  # simulated draws of the policy
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
    parts = [
        _read_without_header(f"filmtrust/ratings_{part}.txt", "rating", sep=" ")
        for part in range(4)
    ]
    ratings = pd.concat(parts, ignore_index=True)
    is_repeated = ratings.duplicated(["user", "item"]).to_numpy()
    kept, report = without(ratings, {"film rated again": is_repeated})
    return kept.reset_index(drop=True), report


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
    return _read_without_header("filmtrust/trust.txt", "weight", sep=" ")


def _read_without_header(name: str, value: str, *, sep: str) -> pd.DataFrame:
    """Return the columns ``user``, ``item`` and ``value`` of a file without a header."""
    types = {"user": np.int64, "item": np.int64, value: np.float64}
    return pd.read_csv(fetch(name), sep=sep, header=None, names=[*types], dtype=types)


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
    rng: Seed | np.random.RandomState = 0,
) -> FloatArray:
    """Estimate the probability that Bernoulli Thompson sampling shows each item at each place.

    The policy draws a click rate for each item from a beta distribution, and shows the three items
    with the largest rates. The authors published the parameters of the distributions. The
    probabilities are shares of 100,000 simulated draws.

    Parameters
    ----------
    campaign : {"all", "men"}, default "all"
        The campaign.
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
        If there is no such campaign.
    DataUnavailable
        If the file of the parameters is not available and cannot be downloaded.

    References
    ----------
    st-tech/zr-obp, ``obp/policy/conf/prior_bts.yaml``; see `sources`.
    """
    check_choice(campaign, "campaign", ("all", "men"))
    generator = rng if isinstance(rng, np.random.RandomState) else as_generator(rng)
    parameters = yaml.safe_load(read_content(fetch("open_bandit/prior_bts.yaml")))[campaign]
    alpha = np.array(parameters["alpha"])
    drawn_rates = generator.beta(alpha, np.array(parameters["beta"]), (N_DRAWS, len(alpha)))
    # The items with the largest rates, best first, with a column for each place.
    shown_items = np.argsort(-drawn_rates, axis=1)[:, :N_POSITIONS]
    counts = [
        np.bincount(shown_items[:, place], minlength=len(alpha)) for place in range(N_POSITIONS)
    ]
    return np.array(counts).T / N_DRAWS


# Social links (document 004) ----------------------------------------------------------------------


def social_links() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Load the links of RELISON: a directed, weighted network of 9,528 users.

    Returns
    -------
    train, test : DataFrame
        170,425 and 54,355 links: ``user`` (the origin), ``item`` (the user linked to) and
        ``weight``. receval downloads them from the public repository and checks them (see `fetch`).

    Raises
    ------
    DataUnavailable
        If the files are neither in ``RECEVAL_DATA`` nor available from their source.

    References
    ----------
    ir-uam/RELISON, folder ``data``; document 004 describes the metrics of its experiments.
    """
    train = _read_without_header("social_links/train.txt", "weight", sep="\t")
    test = _read_without_header("social_links/test.txt", "weight", sep="\t")
    return train, test


def clean_links(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, Report]:
    """Keep only the test links that a recommender could predict, according to RELISON's rules.

    Parameters
    ----------
    train, test : DataFrame
        The training links and the test links, with a row for each link. The columns ``user`` and
        ``item`` have the ids of origin and destination, which must be of the same kind.

    Returns
    -------
    kept : DataFrame
        A new table of the remaining test links, in the same order and with the same index.
    report : Report
        The links that were removed, each under the first rule that applies, in this order: its
        origin has no training link; its destination has no training link; it links a user to
        itself; it is already a training link; its reverse is a training link.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, an id is missing, or ids are of different kinds.

    References
    ----------
    Document 004; the rules are those of RELISON's recommendation program.

    Examples
    --------
    >>> train = pd.DataFrame({"user": ["a", "b"], "item": ["b", "c"]})
    >>> test = pd.DataFrame({"user": list("acbad"), "item": list("cbaba")})
    >>> kept, report = clean_links(train, test)
    >>> kept.values.tolist()
    [['a', 'c']]
    >>> report
    1 of 5 rows kept
      removed: origin without a training link: 1 row, at [4]
      removed: destination without a training link: 0 rows
      removed: from a user to itself: 0 rows
      removed: already a training link: 1 row, at [3]
      removed: the reverse of a training link: 2 rows, at [1, 2]
    """
    columns = {}
    for side, table in (("train", train), ("test", test)):
        for name in ("user", "item"):
            columns[f"{side}[{name!r}]"] = read_column(check_frame(table, side), name, side)
    codes, ids = shared_codes(columns, "ids")
    train_origin, train_end, origin, end = codes.values()
    # A user can be the origin or the destination of a training link.
    has_training_link = np.isin(np.arange(ids.size), [train_origin, train_end])
    # Give each link, a pair of users, one number, so that links can be compared.
    train_links = train_origin * ids.size + train_end
    links = origin * ids.size + end
    rules = {
        "origin without a training link": ~has_training_link[origin],
        "destination without a training link": ~has_training_link[end],
        "from a user to itself": origin == end,
        "already a training link": np.isin(links, train_links),
        "the reverse of a training link": np.isin(end * ids.size + origin, train_links),
    }
    return without(test, rules)


def social_graph(
    name: str = "les_miserables", *, share: float = 0.2, rng: Seed = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a small real social graph from networkx, with some of its links held out.

    Parameters
    ----------
    name : {"les_miserables", "karate_club", "florentine_families"}
        The graph: 77 characters of a novel, whose links are weighted by how often they meet; 34
        members of a club, whose links are weighted by the contexts in which they met; or 15
        families that are linked by marriages (weight 1).
    share : float, default 0.2
        Share of the links to hold out, in (0, 1), rounded down to whole links.
    rng : numpy.random.Generator or int, default 0
        Source of the random numbers that choose the links; an int is a seed.

    Returns
    -------
    train, test : DataFrame
        ``user``, ``item``, ``weight``. The graphs are undirected: each link is in both directions
        in ``train``, or in both directions in ``test``. Some users may have no training link; see
        `clean_links`.

    Raises
    ------
    InputError
        If the name is unknown, ``share`` is outside (0, 1) or does not amount to one link, or
        ``rng`` is neither a generator nor a seed.

    References
    ----------
    Knuth (1993), The Stanford GraphBase; Zachary (1977), An information flow model for
    conflict and fission in small groups; Padgett & Ansell (1993), Robust action and the rise
    of the Medici. Document 004.

    Examples
    --------
    >>> train, test = social_graph()
    >>> len(train), len(test)
    (408, 100)
    >>> train["weight"].max()
    np.int64(31)
    """
    import networkx as nx

    check_choice(name, "name", ("les_miserables", "karate_club", "florentine_families"))
    graph = getattr(nx, f"{name}_graph")()
    # Neither the order of the links nor the order of the two users of a link may depend on
    # networkx.
    edges = [
        (*sorted((first, second)), weight)
        for first, second, weight in graph.edges(data="weight", default=1)
    ]
    links = pd.DataFrame(edges, columns=["user", "item", "weight"])
    links = links.sort_values(["user", "item"], ignore_index=True)
    [(train, test)] = hold_out(len(links), share=share, rng=rng)
    return _both_ways(links.iloc[train]), _both_ways(links.iloc[test])


def tutorial_links(rng: Seed = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw links as RELISON's tutorial does: 495 links of 100 users, 99 of them held out.

    Parameters
    ----------
    rng : numpy.random.Generator or int, default 0
        Source of the random numbers that draw the links; an int is a seed.

    Returns
    -------
    train, test : DataFrame
        ``user``, ``item``, ``weight`` (1). The graph is undirected: each link is in both directions
        in ``train``, or in both directions in ``test``. In ``train``, the users 100 and 101 are
        linked only to each other. They come from the header of the tutorial's file, which the
        program reads as a link of two more users. The tutorial prints 102 users in total, so
        receval draws the graph again until each of the 100 users has a training link.

    Raises
    ------
    InputError
        If ``rng`` is neither a generator nor a seed.

    References
    ----------
    ir-uam/RELISON, ``RELISON_tutorial.ipynb`` and ``ErdosGenerator``, which draws a fixed number
    of distinct links; the tutorial of document 004.

    Examples
    --------
    >>> train, test = tutorial_links()
    >>> len(train), train["user"].nunique(), len(test)
    (794, 102, 198)
    """
    random = as_generator(rng)
    pairs = np.column_stack(np.triu_indices(100, 1))  # all pairs of the 100 users
    # Draw until every user has a training link.
    while True:
        links = pd.DataFrame(random.choice(pairs, 495, replace=False), columns=["user", "item"])
        # The last 99 links are held out.
        n_trained_users = np.unique(links.iloc[:396]).size
        if n_trained_users == 100:
            links = links.assign(weight=1.0)
            # The program reads the header of the tutorial's file as a link of two more users.
            header = pd.DataFrame({"user": [100], "item": [101], "weight": [1.0]})
            return _both_ways(pd.concat([links.iloc[:396], header])), _both_ways(links.iloc[396:])


def _both_ways(links: pd.DataFrame) -> pd.DataFrame:
    """Return each link and its reverse, sorted by user, then by item."""
    back = links.rename(columns={"user": "item", "item": "user"})
    return pd.concat([links, back]).sort_values(["user", "item"], ignore_index=True)


# The travel agency of document 002 ----------------------------------------------------------------
#
# The files state no licence. User ids are pseudonymous.


def travel_events(*, second: bool = False) -> pd.DataFrame:
    """Load the events of the A/B test of 2018 or of the second test, in the order of the log.

    Parameters
    ----------
    second : bool, default False
        Whether to load the 114,925 events of the second test, in January 2020, instead of the
        131,348 events of document 002, in July and August 2018.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (object_shown_in_list, object_opened_from_list,
        object_ordered), ``time``, ``known`` (items that the user had visited before the list was
        made) and ``system``. The user id determines the system. The algorithm of document 002 is
        the remainder of the id divided by 12, plus 1. The arm of the second test is the remainder
        of the id divided by 6.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    columns = {"date": "time", "visited_objects": "known"}
    if second:
        events = _read_events("second_events", columns)
        return events.assign(system=events["user"] % 6)  # the arm
    events = _read_events("events", columns)
    return events.assign(system=events["user"] % 12 + 1)  # the algorithm's number in document 002


def travel_feedback(*, second: bool = False) -> pd.DataFrame:
    """Load page views and orders from the time of an A/B test.

    Parameters
    ----------
    second : bool, default False
        Whether to load the 11,263 rows of the second test, in January 2020, instead of the 16,277
        rows from 16 July to 17 August 2018.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (pageview, order) and ``time``, the last time at
        which the user viewed or ordered the item.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    file = "second_feedback" if second else "feedback"
    return _read_events(file, {"lastModified": "time"})


def travel_offline_results() -> pd.DataFrame:
    """Load the published off-line results: 800 variants and seven metrics.

    Returns
    -------
    DataFrame
        Columns as in the file: ``alg``, ``params``, ``recAlg`` (the history),
        ``diversityEnhance``, ``noveltyEnhance``, then the metrics.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return _read_semicolons("offline")


def travel_histories() -> pd.Series:
    """Load the items that 69,504 users with 2 to 150 items visited before the test period.

    Returns
    -------
    Series
        The list of visited items, oldest first, by user.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return _read_lists(fetch(TRAVEL_FILES["histories"]), header=None)


def travel_test_histories(*, later: bool = False) -> pd.Series:
    """Load the items that users visited in the test part.

    Parameters
    ----------
    later : bool, default False
        Whether to load the later export, which was published with the results (3,403 visits of 972
        users), instead of the export on which the off-line run was tested (2,089 visits of 610
        users).

    Returns
    -------
    Series
        The list of visited items by user.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    file = "later_test" if later else "test"
    return _read_lists(fetch(TRAVEL_FILES[file]), header=0)


def travel_dates() -> pd.DataFrame:
    """Load the first and the last day on which each of the 3,150 objects was offered.

    Returns
    -------
    DataFrame
        Indexed by item, with the dates ``novelty`` (first day) and ``available`` (last day).

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    table = _read_semicolons("dates").set_axis(["item", "novelty", "available"], axis=1)
    dates: pd.DataFrame = table.set_index("item").apply(pd.to_datetime)
    return dates


def travel_features() -> pd.DataFrame:
    """Load content features of the 3,150 objects.

    Returns
    -------
    DataFrame
        Indexed by item, with 299 numeric columns. (The header has 308 commas; nine of them are in
        quoted names.)

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return pd.read_csv(fetch(TRAVEL_FILES["features"]), index_col=0).rename_axis("item")


def _read_semicolons(name: str) -> pd.DataFrame:
    """Return the table in a file whose columns are separated by semicolons.

    ``name`` is the name of the file in `TRAVEL_FILES`.
    """
    return pd.read_csv(fetch(TRAVEL_FILES[name]), sep=";")


def _read_events(name: str, more_columns: dict[str, str]) -> pd.DataFrame:
    """Return the columns user, item and event of a file, and other columns, with times as dates.

    ``more_columns`` maps names of other columns in the file to their names in the result. One of
    these names must be "time".
    """
    columns = NAMES["travel_columns"] | more_columns
    events = _read_semicolons(name).rename(columns=columns)[list(columns.values())]
    return events.assign(time=pd.to_datetime(events["time"]))


def _read_lists(path: Path, *, header: int | None) -> pd.Series:
    """Return the list of items of each user in a file, indexed by user.

    Each line has a user, a comma, and items separated by blanks. ``header`` is the number of the
    line with headings, which is left out, or None.
    """
    table = pd.read_csv(path, header=header, names=["user", "items"], dtype={"items": str})
    texts = table.set_index("user")["items"].str.split()
    return texts.map(lambda item_texts: [int(text) for text in item_texts])
