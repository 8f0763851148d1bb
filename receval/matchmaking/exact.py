"""Matchmakers of document 000: recommend bidders for a contract, from past awards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

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
from receval._types import AnyArray
from receval.metrics.connectives import product_conjunctor, product_disjunctor
from receval.metrics.connectives.degrees import Connective
from receval.tables.columns import check_no_rows, read_column

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["case_based", "most_awarded", "random_bidders"]

BLOCK_SIZE = 8  # kinds of contracts that are matched with all bidders at once


def random_bidders(
    awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10, rng: Seed = 0
) -> pd.DataFrame:
    """Recommend k random bidders for each contract, of those with a training award.

    Parameters
    ----------
    awards : DataFrame
        Training awards; column ``bidder``.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``.
    k : int, default 10
        Length of the lists; all bidders, if there are fewer.
    rng : numpy.random.Generator or int, default 0
        Draws the bidders; all sets of k are equally likely.

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
    Document 000's thesis, section "Blind matchmakers"; its program draws only bidders with a
    training award.

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"]})
    >>> random_bidders(awards, pd.DataFrame({"contract": [7]}))["bidder"].sort_values().tolist()
    ['a', 'b']
    """
    _, bidders = _code_winners(awards)
    random = as_generator(rng)
    k = min(check_count(k, "k"), len(bidders))
    n_contracts = len(contracts)
    picks = np.empty((n_contracts, 0), dtype=int)
    for place in range(k):
        # Draw a position among the bidders that are not yet picked, and turn it into a position
        # among all: each earlier pick up to there moves it by one.
        position = random.integers(len(bidders) - place, size=n_contracts)
        for earlier_pick in np.sort(picks, axis=1).T:
            position += position >= earlier_pick
        picks = np.column_stack([picks, position])
    scores = np.tile(np.arange(k, 0, -1), (n_contracts, 1))
    return _long_table(contracts, bidders, picks, scores)


def most_awarded(awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10) -> pd.DataFrame:
    """Recommend the k bidders with most training awards for every contract.

    Parameters
    ----------
    awards, contracts, k
        As in `random_bidders`.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``, the number of awards; equal numbers in
        order of the bidders' ids.

    Raises
    ------
    InputError
        As in `random_bidders`.

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
    winners, bidders = _code_winners(awards)
    n_awards = np.bincount(winners)
    top = np.argsort(-n_awards, kind="stable")[: check_count(k, "k")]
    shape = (len(contracts), 1)
    return _long_table(contracts, bidders, np.tile(top, shape), np.tile(n_awards[top], shape))


def case_based(
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    weights: Mapping[str, float],
    *,
    conjunctor: Connective = product_conjunctor,
    disjunctor: Connective = product_disjunctor,
    k: int = 10,
) -> pd.DataFrame:
    r"""Recommend the k bidders whose past awards are most similar to the contract.

    .. math:: score(b, c) = S \{ C(w_f, w_f) : a \in awards(b),\; f(a) = f(c) \}

    A past award and the contract are associated by every field f in which they agree. The field
    has the weight :math:`w_f` in both. The conjunctor combines the two weights, and the disjunctor
    combines all associations of a bidder.

    Parameters
    ----------
    awards : DataFrame
        Training awards; column ``bidder``, and the fields.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``, and the fields.
    weights : mapping
        Each field and its weight, in (0, 1]. A missing value agrees with nothing.
    conjunctor, disjunctor : callable
        Connectives of one family, such as those of `receval.metrics.connectives`; the disjunctor
        must be associative. Default: the product and the probabilistic sum.
    k : int, default 10
        Length of the lists. A list is shorter if fewer bidders have an associated award.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score`` in (0, 1]; equal scores in order of the
        bidders' ids. A contract without an associated award has no row.

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
    Two awards for roads give the score 1 - (1 - 0.36)(1 - 0.36):

    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"], "object": ["road", "road", "road"]})
    >>> contracts = pd.DataFrame({"contract": [7, 8], "object": ["road", "bridge"]})
    >>> case_based(awards, contracts, {"object": 0.6}).round(4)
       contract bidder   score
    0         7      a  0.5904
    1         7      b  0.3600
    """
    winners, bidders = _code_winners(awards)
    k = min(check_count(k, "k"), len(bidders))
    if not isinstance(weights, Mapping) or not weights:
        raise input_error("weights", "be a dict from a field to its weight", shorten(weights))
    degrees_by_field = []
    counts_by_field = []
    values_by_field = []
    for field, weight in weights.items():
        rule = "a number in (0, 1]"
        weight_of_field = check_number(weight, f"weight of {field!r}", rule, lambda x: 0 < x <= 1)
        counts, values = _count_agreements(field, awards, winners, contracts)
        weight_array = np.array(weight_of_field)
        association = np.asarray(conjunctor(weight_array, weight_array))
        degrees: FloatArray = np.zeros(counts.max() + 1)  # of 0, 1, 2, … associations
        for n_associations in range(1, len(degrees)):
            degrees[n_associations] = disjunctor(degrees[n_associations - 1], association)
        degrees_by_field.append(degrees)
        counts_by_field.append(counts)
        values_by_field.append(values)

    # Contracts that agree in every field are of one kind and have one list.
    kinds, kind_of_contract = np.unique(
        np.column_stack(values_by_field), axis=0, return_inverse=True
    )
    best_blocks = []
    score_blocks = []
    for start in range(0, max(len(kinds), 1), BLOCK_SIZE):
        block = kinds[start : start + BLOCK_SIZE]
        scores: FloatArray = np.zeros((1, len(bidders)))
        fields = zip(degrees_by_field, counts_by_field, block.T, strict=True)
        for degrees, counts, values in fields:
            scores = np.asarray(disjunctor(scores, degrees[counts[values].toarray()]))
        best = np.array([_largest(row, k) for row in scores], dtype=int).reshape(-1, k)
        best_blocks.append(best)
        score_blocks.append(np.take_along_axis(scores, best, axis=1))
    kind_of_contract = kind_of_contract.ravel()
    best = np.vstack(best_blocks)[kind_of_contract]
    return _long_table(contracts, bidders, best, np.vstack(score_blocks)[kind_of_contract])


def _largest(scores: FloatArray, k: int) -> IntArray:
    """Return the positions of the k largest scores, equal ones in order of position.

    Only scores that can be among them are sorted.
    """
    kth_score = np.partition(scores, -k)[-k]
    candidates = np.flatnonzero(scores >= kth_score)
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:k]]


def _count_agreements(
    field: str, awards: pd.DataFrame, winners: IntArray, contracts: pd.DataFrame
) -> tuple[csr_array, IntArray]:
    """Count how often each bidder won with each value of a field.

    Returns the counts, with values in rows and bidders in columns, and the row of each contract.
    The last row, -1, is empty: it is for values that are missing or that no award has.
    """
    from scipy.sparse import csr_array

    codes, distinct_values = pd.factorize(read_column(awards, field, "awards"))
    is_known = codes >= 0
    n_rows = len(distinct_values) + 1
    cells = (codes % n_rows, winners)  # the missing value, -1, becomes the last row
    counts = csr_array((1 * is_known, cells), shape=(n_rows, winners.max() + 1))
    contract_values = pd.Index(read_column(contracts, field, "contracts"))
    return counts, distinct_values.get_indexer(contract_values)


def _code_winners(awards: pd.DataFrame) -> tuple[IntArray, pd.Index]:
    """Return the code of each award's bidder, and all bidders in order of their ids."""
    bidders = read_column(awards, "bidder", "awards")
    check_no_rows(bidders, bidders.isna().to_numpy(), "awards['bidder']", "be known")
    check_not_empty(bidders, "awards")
    return pd.factorize(bidders, sort=True)


def _long_table(
    contracts: pd.DataFrame, bidders: pd.Index, lists: IntArray, scores: AnyArray
) -> pd.DataFrame:
    """Return lists as a table with one row per contract and bidder, without scores of 0.

    ``lists`` holds the positions of the bidders, shape (contracts, k), and ``scores`` their
    scores. Raises if a contract is missing or there twice.
    """
    contract = read_column(contracts, "contract", "contracts")
    name = "contracts['contract']"
    check_no_rows(contract, contract.isna().to_numpy(), name, "be known")
    is_repeated = contract.duplicated().to_numpy()
    rule = "be there once, with one list"
    check_no_rows(contract, is_repeated, name, rule, "Drop the further rows")
    table = pd.DataFrame(
        {
            "contract": contract.to_numpy().repeat(lists.shape[1]),
            "bidder": bidders[lists.ravel()],
            "score": scores.ravel(),
        }
    )
    return table[table["score"] > 0].reset_index(drop=True)
