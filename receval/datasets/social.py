"""Social links, for the recommendation of contacts (document 004)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import Seed, as_generator, check_choice
from receval.datasets.downloads import fetch
from receval.splitting.folds import hold_out
from receval.splitting.tables import Report, without
from receval.tables.columns import check_frame, read_column, shared_codes


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
    return _read_links("social_links/train.txt"), _read_links("social_links/test.txt")


def _read_links(name: str) -> pd.DataFrame:
    """Return a file of links, whose fields are separated by tabs and have no header."""
    types = {"user": "int64", "item": "int64", "weight": "float64"}
    return pd.read_csv(fetch(name), sep="\t", header=None, names=[*types], dtype=types)


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
        The graph: 77 characters of a novel, whose links are weighted by the chapters that they
        share; 34 members of a club, whose links are weighted by the contexts in which they met; or
        15 families that are linked by marriages (weight 1).
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
