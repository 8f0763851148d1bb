"""Matchmakers of document 000: who may win a contract, by what was awarded before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_not_empty,
    check_number,
    input_error,
    shorten,
)
from receval.fuzzy.implicators import product_conjunctor, product_disjunctor
from receval.fuzzy.implicators.degrees import Connective
from receval.tables.columns import column, refuse_rows

__all__ = ["case_based", "most_awarded", "random_bidders"]

BLOCK = 8  # contracts that are matched with all bidders at a time


def random_bidders(
    awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10, rng: Seed = 0
) -> pd.DataFrame:
    """For each contract k different bidders by lot, of those with a training award.

    Parameters
    ----------
    awards : DataFrame
        Training awards; column ``bidder``.
    contracts : DataFrame
        Whom to recommend bidders for; column ``contract``.
    k : int, default 10
        Length of the lists; all bidders, if there are fewer.
    rng : numpy.random.Generator or int, default 0
        Draws the bidders, every k of them being equally likely.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``, the last from k down to 1.

    Raises
    ------
    InputError
        If there is no award, a bidder or a contract is missing, a contract is there twice, or k
        is not a positive integer.

    References
    ----------
    Document 000's thesis, section "Blind matchmakers"; that only bidders with a training award
    are drawn is its program's doing.

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"]})
    >>> random_bidders(awards, pd.DataFrame({"contract": [7]}))["bidder"].sort_values().tolist()
    ['a', 'b']
    """
    bidders, random = _winners(awards)[1], as_generator(rng)
    n, k = len(contracts), min(check_count(k, "k"), len(bidders))
    picks = np.empty((n, 0), dtype=int)
    for place in range(k):
        # The x-th of those not yet taken: as many further as were taken up to there.
        one = random.integers(len(bidders) - place, size=n)
        for taken in np.sort(picks, axis=1).T:
            one += one >= taken
        picks = np.column_stack([picks, one])
    return _table(contracts, bidders, picks, np.tile(np.arange(k, 0, -1), (n, 1)))


def most_awarded(awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10) -> pd.DataFrame:
    """For each contract the k bidders with most training awards.

    Parameters
    ----------
    awards, contracts, k
        As of `random_bidders`.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``, the number of awards; equal numbers in
        order of the bidders' ids.

    Raises
    ------
    InputError
        As of `random_bidders`.

    References
    ----------
    Document 000's thesis, section "Blind matchmakers".

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b", "b"]})
    >>> most_awarded(awards, pd.DataFrame({"contract": [7]}))
       contract bidder  score
    0         7      b      2
    1         7      a      1
    """
    winner, bidders = _winners(awards)
    won = np.bincount(winner)
    top = np.argsort(-won, kind="stable")[: check_count(k, "k")]
    rows = (np.tile(row, (len(contracts), 1)) for row in (top, won[top]))
    return _table(contracts, bidders, *rows)


def case_based(
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    weights: Mapping[str, float],
    *,
    conjunctor: Connective = product_conjunctor,
    disjunctor: Connective = product_disjunctor,
    k: int = 10,
) -> pd.DataFrame:
    r"""For each contract the k bidders whose awards are most like it.

    .. math:: score(b, c) = S \{ C(w_f, w_f) : a \in awards(b),\; f(a) = f(c) \}

    A past award and the contract are associated by every field f in which they agree. Both have
    the field with its weight :math:`w_f`, the conjunctor combines the two weights, and the
    disjunctor puts all associations of a bidder together.

    Parameters
    ----------
    awards : DataFrame
        Training awards; column ``bidder``, and the fields.
    contracts : DataFrame
        Whom to recommend bidders for; column ``contract``, and the fields.
    weights : mapping
        Each field and its weight, in (0, 1]. A missing value agrees with nothing.
    conjunctor, disjunctor : callable
        Of one family, as those of `receval.fuzzy.implicators`; the disjunctor must be
        associative. Default: the product and the probabilistic sum.
    k : int, default 10
        Length of the lists, which end earlier where fewer bidders have an award like the contract.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score`` in (0, 1]; equal scores in order of the
        bidders' ids. A contract like no award has no row.

    Raises
    ------
    InputError
        If there is no award, a bidder, a contract or a field is missing, a contract is there
        twice, or a weight or k is out of range.

    References
    ----------
    Document 000's thesis, section "Aggregation functions"; its weight is 0.6.

    Examples
    --------
    Two awards for roads count 1 - (1 - 0.36)(1 - 0.36):

    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"], "object": ["road", "road", "road"]})
    >>> contracts = pd.DataFrame({"contract": [7, 8], "object": ["road", "bridge"]})
    >>> case_based(awards, contracts, {"object": 0.6}).round(4)
       contract bidder   score
    0         7      a  0.5904
    1         7      b  0.3600
    """
    winner, bidders = _winners(awards)
    k = min(check_count(k, "k"), len(bidders))
    if not isinstance(weights, Mapping) or not weights:
        raise input_error("weights", "be a dict from a field to its weight", shorten(weights))
    likeness, fields = [], []
    for name, weight in weights.items():
        w = check_number(weight, f"weight of {name!r}", "a number in (0, 1]", lambda x: 0 < x <= 1)
        times, values = _agreeing(name, awards, winner, contracts)
        once: Any = conjunctor(np.array(w), np.array(w))
        degrees: Any = np.zeros(times.max() + 1)  # of no association, of one, of two, …
        for more in range(1, len(degrees)):
            degrees[more] = disjunctor(degrees[more - 1], once)
        likeness.append((degrees, times))
        fields.append(values)
    # Contracts that are alike in every field have one list.
    kinds, kind = np.unique(np.column_stack(fields), axis=0, return_inverse=True)
    blocks = []
    for start in range(0, max(len(kinds), 1), BLOCK):
        score: Any = np.zeros((1, len(bidders)))
        for (degrees, times), rows in zip(likeness, kinds[start : start + BLOCK].T, strict=True):
            score = disjunctor(score, degrees[times[rows].toarray()])
        best = np.array([_first(row, k) for row in score], dtype=int).reshape(-1, k)
        blocks.append((best, np.take_along_axis(score, best, axis=1)))
    places, scores = (np.vstack(part)[kind.ravel()] for part in zip(*blocks, strict=True))
    return _table(contracts, bidders, places, scores)


def _first(scores: FloatArray, k: int) -> IntArray:
    """Places of the k largest scores, equal ones in order of place; not all need be sorted."""
    enough = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
    return enough[np.argsort(-scores[enough], kind="stable")[:k]]


def _agreeing(
    field: str, awards: pd.DataFrame, winner: IntArray, contracts: pd.DataFrame
) -> tuple[Any, IntArray]:
    """How often each bidder won with each value of a field, and the row of each contract."""
    from scipy.sparse import csr_array

    value, known = pd.factorize(column(awards, field, "awards"))
    # One row more than values: the last, -1, is emptied, for what is missing or new.
    cells, shape = (value % (len(known) + 1), winner), (len(known) + 1, winner.max() + 1)
    times = csr_array((1 * (value >= 0), cells), shape=shape)
    return times, known.get_indexer(pd.Index(column(contracts, field, "contracts")))


def _winners(awards: pd.DataFrame) -> tuple[IntArray, pd.Index]:
    """The place of each award's bidder among all of them, in order of their ids."""
    given = column(awards, "bidder", "awards")
    refuse_rows(given, given.isna().to_numpy(), "awards['bidder']", "be known")
    check_not_empty(given, "awards")
    return pd.factorize(given, sort=True)


def _table(
    contracts: pd.DataFrame, bidders: pd.Index, places: IntArray, scores: Any
) -> pd.DataFrame:
    """Lists in long form, without places of score 0."""
    contract = column(contracts, "contract", "contracts")
    refuse_rows(contract, contract.isna().to_numpy(), "contracts['contract']", "be known")
    again, one = contract.duplicated().to_numpy(), "be there once, with one list"
    refuse_rows(contract, again, "contracts['contract']", one, "Drop the further rows")
    ids = contract.to_numpy().repeat(places.shape[1])
    table = {"contract": ids, "bidder": bidders[places.ravel()], "score": scores.ravel()}
    return pd.DataFrame(table).query("score > 0").reset_index(drop=True)
