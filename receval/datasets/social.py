"""Social links: who to recommend to whom (document 004)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import Seed, as_generator, check_choice
from receval._downloads import fetch
from receval.splitting.holdout import hold_out
from receval.splitting.report import Report, without
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import column, frame
from receval.tables.relison import read_links

__all__ = ["clean_links", "social_graph", "social_links", "tutorial_links"]


def social_links() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The links that ship with RELISON: a directed, weighted network of 9,528 users.

    Returns
    -------
    train, test : DataFrame
        170,425 and 54,355 links: ``user`` (the origin), ``item`` (the user linked to) and
        ``weight``. Fetched from the public repository and checked, see `fetch`.

    Raises
    ------
    DataUnavailable
        If the files are neither in ``RECEVAL_DATA`` nor to be had from their source.

    References
    ----------
    ir-uam/RELISON, folder ``data``; document 004 describes the metrics of its experiments.
    """
    train, test = (read_links(fetch(f"social_links/{part}.txt")) for part in ("train", "test"))
    return train, test


def clean_links(
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    reciprocal: bool = False,
) -> tuple[pd.DataFrame, Report]:
    """Only the test links that a recommender could be asked for, by RELISON's rules.

    Parameters
    ----------
    train, test : DataFrame
        Links of the two sides, one per row.
    user, item : str
        The columns of origin and destination, ids of one kind.
    reciprocal : bool, default False
        Whether to keep a link whose reverse is a training link.

    Returns
    -------
    kept : DataFrame
        A new table of the test links that remain. Order and index stay.
    report : Report
        Which links were removed; each under the first rule that applies, in this order: its
        origin, then its destination, is on neither end of a training link; it links a user to
        itself; it is a training link already; its reverse is one.

    Raises
    ------
    InputError
        If a column is absent or there twice, an id is missing, or ids are of different kinds.

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
      removed: a training link already: 1 row, at [3]
      removed: the reverse of a training link: 2 rows, at [1, 2]
    """
    columns = {
        f"{side}[{name!r}]": column(frame(table, side), name, side)
        for side, table in (("train", train), ("test", test))
        for name in (user, item)
    }
    codes, ids = shared_code_arrays(columns, "ids")
    first, second, origin, end = codes.values()
    known = np.isin(np.arange(ids.size), [first, second])
    trained = first * ids.size + second
    rules = {
        "origin without a training link": ~known[origin],
        "destination without a training link": ~known[end],
        "from a user to itself": origin == end,
        "a training link already": np.isin(origin * ids.size + end, trained),
    }
    if not reciprocal:
        backwards = end * ids.size + origin
        rules["the reverse of a training link"] = np.isin(backwards, trained)
    return without(test, rules)


def social_graph(
    name: str = "les_miserables", *, share: float = 0.2, rng: Seed = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A small real social graph that networkx ships, with some of its links held out.

    Parameters
    ----------
    name : {"les_miserables", "karate_club", "florentine_families"}
        77 characters of a novel, weighted by the chapters that they share; 34 members of a
        club, weighted by the contexts in which they met; 15 families with marriages,
        unweighted (weight 1).
    share : float, default 0.2
        Share of the links to hold out, in (0, 1), rounded down to whole links.
    rng : numpy.random.Generator or int, default 0
        Chooses them, an int being a seed.

    Returns
    -------
    train, test : DataFrame
        ``user``, ``item``, ``weight``. The graphs are undirected: each link is there in both
        directions, on one side. A user may have no training link left; see `clean_links`.

    Raises
    ------
    InputError
        If the name is unknown, ``share`` lies outside (0, 1) or makes no link, or ``rng`` is
        neither a generator nor a seed.

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
    links = pd.DataFrame(
        [(*sorted((u, v)), weight) for u, v, weight in graph.edges(data="weight", default=1)],
        columns=["user", "item", "weight"],
    ).sort_values(["user", "item"], ignore_index=True)
    [(train, test)] = hold_out(len(links), share=share, rng=rng)
    return _both_ways(links.iloc[train]), _both_ways(links.iloc[test])


def tutorial_links(rng: Seed = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Links drawn as RELISON's tutorial draws its own: 495 among 100 users, 99 held out.

    Parameters
    ----------
    rng : numpy.random.Generator or int, default 0
        Draws them, an int being a seed.

    Returns
    -------
    train, test : DataFrame
        ``user``, ``item``, ``weight`` (1). The graph is undirected: each link is there in both
        directions, on one side. In ``train``, 100 and 101 are linked to each other only: the
        tutorial saves its links with a header, which the program reads as a link of two more
        users. It prints that there are 102; so graphs in which some other user has no training
        link left are drawn again.

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
    random, pairs = as_generator(rng), np.column_stack(np.triu_indices(100, 1))
    while True:
        links = pd.DataFrame(random.choice(pairs, 495, replace=False), columns=["user", "item"])
        if np.unique(links.iloc[:396]).size == 100:
            links = links.assign(weight=1.0)
            header = pd.DataFrame({"user": [100], "item": [101], "weight": [1.0]})
            return _both_ways(pd.concat([links.iloc[:396], header])), _both_ways(links.iloc[396:])


def _both_ways(links: pd.DataFrame) -> pd.DataFrame:
    back = links.rename(columns={"user": "item", "item": "user"})
    return pd.concat([links, back]).sort_values(["user", "item"], ignore_index=True)
