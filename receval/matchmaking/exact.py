"""Matchmakers of document 000: recommend bidders for a contract, from past awards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

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


class FieldMatches(NamedTuple):
    """Matches between the past awards of all bidders and the contracts in one field.

    Attributes
    ----------
    degrees : ndarray of float
        At position n: the degree of association that n matching awards of a bidder give.
    n_awards : csr_array of int
        How often each bidder won with each value of the field: values in rows, bidders in columns.
    value_rows : ndarray of int
        For each contract, the row of ``n_awards`` with the contract's value.
    """

    degrees: FloatArray
    n_awards: csr_array
    value_rows: IntArray


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
    for n_picked in range(k):
        # For each contract, draw a position among the bidders that are not yet picked.
        positions = random.integers(len(bidders) - n_picked, size=n_contracts)
        # Turn it into a position among all bidders: every earlier pick at or before the position
        # moves it by one. This goes from the lowest pick up, because each move can reach the next.
        # `earlier_picks` holds one pick of each contract.
        for earlier_picks in np.sort(picks, axis=1).T:
            positions += positions >= earlier_picks
        picks = np.column_stack([picks, positions])
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
    # The sort is stable and bidders are in order of their ids, so equal numbers stay in this order.
    top = np.argsort(-n_awards, kind="stable")[: check_count(k, "k")]
    # Every contract has the same list.
    lists = np.tile(top, (len(contracts), 1))
    return _long_table(contracts, bidders, lists, n_awards[lists])


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
    matches_by_field = []
    for field, weight in weights.items():
        rule = "a number in (0, 1]"
        weight_of_field = check_number(weight, f"weight of {field!r}", rule, lambda x: 0 < x <= 1)
        # The awards of each bidder (column) with each value of the field (row), and the row of each
        # contract's value.
        n_awards, value_rows = _count_agreements(field, awards, winners, contracts)
        # An award that agrees in this field has the degree ``association``; the disjunctor adds the
        # matching awards of a bidder one by one. So `degrees[n]` is the degree of n of them.
        weight_array = np.array(weight_of_field)
        association = np.asarray(conjunctor(weight_array, weight_array))
        degrees: FloatArray = np.zeros(n_awards.max() + 1)
        for n_matching in range(1, len(degrees)):
            degrees[n_matching] = disjunctor(degrees[n_matching - 1], association)
        matches_by_field.append(FieldMatches(degrees, n_awards, value_rows))

    # Contracts that agree in every field are of one kind and have the same list.
    rows_of_contracts = np.column_stack([matches.value_rows for matches in matches_by_field])
    kinds, kind_of_contract = np.unique(rows_of_contracts, axis=0, return_inverse=True)
    kind_of_contract = kind_of_contract.ravel()  # NumPy 2.0 returns it with two dimensions
    best_blocks = []
    score_blocks = []
    # Without contracts there is one empty block, because vstack needs at least one.
    for start in range(0, max(len(kinds), 1), BLOCK_SIZE):
        scores = _score_bidders(kinds[start : start + BLOCK_SIZE], matches_by_field, disjunctor)
        # An empty block has no row that would tell NumPy the length k.
        best = np.array([_largest(row, k) for row in scores], dtype=int).reshape(-1, k)
        best_blocks.append(best)
        score_blocks.append(np.take_along_axis(scores, best, axis=1))
    best_of_contracts = np.vstack(best_blocks)[kind_of_contract]
    scores_of_contracts = np.vstack(score_blocks)[kind_of_contract]
    return _long_table(contracts, bidders, best_of_contracts, scores_of_contracts)


def _score_bidders(
    kinds: IntArray, matches_by_field: Sequence[FieldMatches], disjunctor: Connective
) -> FloatArray:
    """Return the score of every bidder for some kinds of contracts, shape (kinds, bidders).

    Contracts of one kind have the same value in each field. ``kinds`` has a row for each kind and a
    column for each field. It holds the row of the kind's value in the table ``n_awards`` of the
    field, which counts the awards of each bidder (column) with each value (row). The disjunctor
    combines the degrees of similarity of the fields to the score.
    """
    n_bidders = matches_by_field[0].n_awards.shape[1]
    scores: FloatArray = np.zeros((1, n_bidders))  # the disjunctor broadcasts it to all kinds
    for matches, value_rows in zip(matches_by_field, kinds.T, strict=True):
        # `degrees` holds the degree of 0, 1, 2, … matching awards in this field.
        n_matching = matches.n_awards[value_rows].toarray()
        scores = np.asarray(disjunctor(scores, matches.degrees[n_matching]))
    return scores


def _largest(scores: FloatArray, k: int) -> IntArray:
    """Return the positions of the k largest scores, equal ones in order of position.

    To save time, it sorts only the scores that are not below the k-th largest.
    """
    kth_score = np.partition(scores, -k)[-k]
    candidates = np.flatnonzero(scores >= kth_score)
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:k]]


def _count_agreements(
    field: str, awards: pd.DataFrame, winners: IntArray, contracts: pd.DataFrame
) -> tuple[csr_array, IntArray]:
    """Count how often each bidder won with each value of a field.

    ``winners`` holds the code of each award's bidder. Returns the counts, with values in rows and
    bidders in columns, and for each contract the row of its value. The last row, -1, is all zero:
    it is for contracts whose value is missing or that no award has.
    """
    from scipy.sparse import csr_array

    codes, distinct_values = pd.factorize(read_column(awards, field, "awards"))
    is_known = codes >= 0  # factorize codes a missing value as -1
    # Each award with a value adds 1 to the cell of its value and its bidder: csr_array adds up the
    # numbers of cells that occur several times. No award adds to the last row.
    cells = (codes[is_known], winners[is_known])
    ones = np.ones(np.count_nonzero(is_known), dtype=np.int64)
    counts = csr_array((ones, cells), shape=(len(distinct_values) + 1, winners.max() + 1))
    contract_values = pd.Index(read_column(contracts, field, "contracts"))
    # get_indexer returns -1, the last row, for a value that no award has.
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

    ``lists`` holds the positions in ``bidders`` of each contract's bidders, best first, and
    ``scores`` their scores; both have the shape (contracts, length of a list). Raises an
    `InputError` if the id of a contract is missing or occurs twice.
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
