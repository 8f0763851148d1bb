"""Matchmakers of document 000, which use past awards to recommend bidders for a contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval._threads import progress_bar
from receval.matchmaking.ageing import ages_in_days, retention
from receval.matchmaking.hierarchy import Hops, check_hierarchies
from receval.matchmaking.lists import check_contracts, code_winners, largest, long_table
from receval.matchmaking.matches import Expansion, is_weight, match_field
from receval.metrics.connectives import product_conjunctor, product_disjunctor
from receval.metrics.connectives.degrees import Connective

__all__ = ["case_based", "most_awarded", "random_bidders"]

BLOCK_SIZE = 16  # number of kinds of contracts that are scored for all bidders at once
DENSE_SHARE = 0.25  # share of nonzero degrees from which a field's degrees are a dense array


class Associations(NamedTuple):
    """The degrees of association of contracts with bidders in one field.

    Attributes
    ----------
    degrees : csr_array or ndarray of float
        Degrees of association, in [0, 1]: values of the field in rows, bidders in columns. The last
        row is all zero. If a large share of the degrees is not zero, the array is dense.
    value_rows : ndarray of int
        For each contract, the row of ``degrees`` with the contract's value; the last row if the
        value is missing or reaches no award.
    """

    degrees: csr_array | FloatArray
    value_rows: IntArray


def random_bidders(
    awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10, rng: Seed = 0
) -> pd.DataFrame:
    """Recommend k random bidders for each contract, among those with a training award.

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
        Columns ``contract``, ``bidder`` and ``score``; the scores of a list go from k down to 1.

    Raises
    ------
    InputError
        If there is no award; if a bidder or a contract is missing, or a contract occurs twice; or
        if k is not a positive integer.

    References
    ----------
    The thesis behind document 000, section "Blind matchmakers"; its program draws only bidders
    with a training award.

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"]})
    >>> random_bidders(awards, pd.DataFrame({"contract": [7]}))["bidder"].sort_values().tolist()
    ['a', 'b']
    """
    _, bidders = code_winners(awards)
    check_contracts(contracts)
    random = as_generator(rng)
    k = min(check_count(k, "k"), len(bidders))
    n_contracts = len(contracts)
    picks = np.empty((n_contracts, 0), dtype=int)
    for n_picked in range(k):
        # For each contract, draw a position among the bidders that are not yet picked.
        positions = random.integers(len(bidders) - n_picked, size=n_contracts)
        # Turn it into a position among all bidders: every earlier pick at or before the position
        # moves it up by one. Start with the lowest pick, because after each move, one more pick may
        # be at or before the position. `earlier_picks` holds one pick of each contract.
        for earlier_picks in np.sort(picks, axis=1).T:
            positions += positions >= earlier_picks
        picks = np.column_stack([picks, positions])
    scores = np.tile(np.arange(k, 0, -1), (n_contracts, 1))
    return long_table(contracts, bidders, picks, scores)


def most_awarded(awards: pd.DataFrame, contracts: pd.DataFrame, *, k: int = 10) -> pd.DataFrame:
    """For every contract, recommend the k bidders with the most training awards.

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
    The thesis behind document 000, section "Blind matchmakers".

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b", "b"]})
    >>> most_awarded(awards, pd.DataFrame({"contract": [7]}))
       contract bidder  score
    0         7      b      2
    1         7      a      1
    """
    winners, bidders = code_winners(awards)
    check_contracts(contracts)
    n_awards = np.bincount(winners)
    # The sort is stable and bidders are in order of their ids, so equal numbers stay in this order.
    top = np.argsort(-n_awards, kind="stable")[: check_count(k, "k")]
    # Every contract has the same list.
    lists = np.tile(top, (len(contracts), 1))
    return long_table(contracts, bidders, lists, n_awards[lists])


def case_based(
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    weights: Mapping[str, float],
    *,
    hierarchy: Mapping[str, pd.DataFrame] | None = None,
    hops: Sequence[int] = (1, 1),
    weight: float | str = 0.1,
    ageing: float | None = None,
    conjunctor: Connective = product_conjunctor,
    disjunctor: Connective = product_disjunctor,
    k: int = 10,
    progress: bool | None = None,
) -> pd.DataFrame:
    r"""Recommend the k bidders whose past awards are most similar to the contract.

    .. math:: score(b, c) = S \{ C(w_f, w_f, h, a) : a \in awards(b),\; f(a) \in reach(f(c)) \}

    Every field f in which a past award and the contract agree is an association of the two. The
    field has the weight :math:`w_f` in both. The conjunctor C combines the two weights, and the
    disjunctor S combines all associations of a bidder.

    With a hierarchy, an award also matches if its value is near the contract's value: a parent, a
    child, or a value on the same level. The conjunctor then also takes the weight h of the value
    that was reached. With ``ageing``, it also takes the weight of the award's age.

    Parameters
    ----------
    awards : DataFrame
        Training awards; columns ``bidder``, the fields and, with ``ageing``, ``date``.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``, and the fields.
    weights : mapping
        Each field and its weight, in (0, 1]. A missing value agrees with nothing.
    hierarchy : mapping, optional
        For each field to expand, a table with the columns ``child`` and ``parent``, such as CPV
        codes. A child may have several parents. If its parent is missing, it is at the top. A value
        that isn't in the table matches only itself.
    hops : (int, int) or (int, int, int), default (1, 1)
        How far the expansion goes up, down, and sideways. Going n sideways reaches the values on
        the same level that share an ancestor at most n hops above.
    weight : float or "idf", default 0.1
        Weight in (0, 1] of a value that was reached. ``"idf"`` is the inverse document frequency of
        the value in the training awards, divided by the largest in the hierarchy.
    ageing : float, optional
        :math:`\lambda` per day: an award that is t days older than the latest one has the weight
        :math:`e^{-\lambda t}`. If a date is unknown, the median of the known dates takes its place.
        Default: all awards count the same.
    conjunctor, disjunctor : callable
        Connectives of one family, such as those of `receval.metrics.connectives`; both must be
        associative, and a degree of 0 must change nothing in a disjunction. Default: the product
        and the probabilistic sum.
    k : int, default 10
        Length of the lists. A list is shorter if fewer bidders have an associated award.
    progress : bool, optional
        Whether to show a progress bar. Default: on a terminal only.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score`` in (0, 1]; equal scores in order of the
        bidders' ids. A contract without an associated award has no row.

    Raises
    ------
    InputError
        If there is no award; a bidder, a contract or a field is missing; a contract occurs twice; a
        weight, ``hops``, ``ageing`` or ``k`` is out of range; or a hierarchy has a value that is
        its own ancestor, or shares no value with the awards.

    Notes
    -----
    The thesis expands the contract's value upwards, downwards, or both, by up to three hops, with
    a fixed weight of 0.1, 0.5 or 1, or by inverse document frequency. It doesn't go sideways.

    References
    ----------
    The thesis behind document 000, sections "Query expansion", "Weighting" and "Aggregation
    functions", where the main object has the weight 0.6. Section "RESCAL-based matchmakers"
    describes the ageing, with 0.005 per day.

    Examples
    --------
    Two awards for roads give the score 1 - (1 - 0.36)(1 - 0.36):

    >>> awards = pd.DataFrame({"bidder": ["a", "b", "a"], "object": ["road", "road", "road"]})
    >>> contracts = pd.DataFrame({"contract": [7, 8], "object": ["road", "bridge"]})
    >>> case_based(awards, contracts, {"object": 0.6}).round(4)
       contract bidder   score
    0         7      a  0.5904
    1         7      b  0.3600

    Bridges and roads have the same parent. If the expansion goes one step sideways, with the weight
    0.1, the bridge gets a list too:

    >>> codes = pd.DataFrame({"child": ["road", "bridge"], "parent": ["works", "works"]})
    >>> expand = {"hierarchy": {"object": codes}, "hops": (0, 0, 1), "weight": 0.1}
    >>> case_based(awards, contracts, {"object": 0.6}, **expand).round(4)
       contract bidder   score
    0         7      a  0.5904
    1         7      b  0.3600
    2         8      a  0.0707
    3         8      b  0.0360
    """
    winners, bidders = code_winners(awards)
    k = min(check_count(k, "k"), len(bidders))
    if not isinstance(weights, Mapping) or not weights:
        raise input_error("weights", "be a dict from a field to its weight", shorten(weights))
    check_contracts(contracts)
    check_that(callable(conjunctor), "conjunctor", "be a function of two degrees", conjunctor)
    check_that(callable(disjunctor), "disjunctor", "be a function of two degrees", disjunctor)
    expansion = _read_expansion(hierarchy, hops, weight, weights)
    retained = None
    if ageing is not None:
        retained = retention(ages_in_days(awards), ageing)

    associations_by_field = []
    for field, field_weight in weights.items():
        rule = "a number in (0, 1]"
        weight_of_field = check_number(field_weight, f"weight of {field!r}", rule, is_weight)
        matches = match_field(field, awards, contracts, expansion)
        # The formula has the weight twice: once for the past contract, once for the new one.
        in_both = np.full(len(matches.award), weight_of_field)
        degrees = np.asarray(conjunctor(in_both, in_both))
        if matches.weight is not None:
            degrees = np.asarray(conjunctor(degrees, matches.weight))
        if retained is not None:
            degrees = np.asarray(conjunctor(degrees, retained[matches.award]))
        shape = (matches.n_values + 1, len(bidders))
        rows = matches.value_row, winners[matches.award]
        combined = _combine(*rows, degrees, disjunctor, shape)
        associations_by_field.append(Associations(combined, matches.contract_rows))

    # Contracts that agree in every field are of one kind and have the same list.
    rows_of_contracts = np.column_stack([field.value_rows for field in associations_by_field])
    kinds, kind_of_contract = np.unique(rows_of_contracts, axis=0, return_inverse=True)
    kind_of_contract = kind_of_contract.ravel()  # NumPy 2.0 returns it with two dimensions
    best_blocks = [np.empty((0, k), dtype=int)]  # vstack needs at least one array
    score_blocks = [np.empty((0, k))]
    starts = range(0, len(kinds), BLOCK_SIZE)
    for start in progress_bar(progress, starts, desc="case_based", unit="block"):
        block = kinds[start : start + BLOCK_SIZE]
        scores = _score_bidders(block, associations_by_field, disjunctor)
        best = np.array([largest(row, k) for row in scores])
        best_scores = np.take_along_axis(scores, best, axis=1)
        # A score of 0 means that the bidder has no association, so leave the place empty.
        best_blocks.append(np.where(best_scores > 0, best, -1))
        score_blocks.append(best_scores)
    best_of_contracts = np.vstack(best_blocks)[kind_of_contract]
    scores_of_contracts = np.vstack(score_blocks)[kind_of_contract]
    return long_table(contracts, bidders, best_of_contracts, scores_of_contracts)


def _read_expansion(
    hierarchy: object, hops: object, weight: float | str, weights: Mapping[str, float]
) -> Expansion:
    """Return the rules of the expansion; raise an `InputError` if an argument is wrong.

    See `case_based` for the arguments. A wrong weight raises even without a hierarchy.
    """
    if not (isinstance(weight, str) and weight == "idf"):
        rule = 'a number in (0, 1], or "idf"'
        weight = check_number(weight, "weight", rule, is_weight)
    return Expansion(check_hierarchies(hierarchy, weights), Hops.of(hops), weight)


def _combine(
    value_rows: IntArray,
    winners: IntArray,
    degrees: FloatArray,
    disjunctor: Connective,
    shape: tuple[int, int],
) -> csr_array | FloatArray:
    """Combine the associations of each bidder with each value of a field.

    Parameters
    ----------
    value_rows, winners, degrees : ndarray
        For each association: the row of the value, the code of the bidder, and the degree.
    disjunctor : callable
        Combines the degrees of one value and one bidder, in the order of the associations.
    shape : (int, int)
        The number of values, and of bidders.

    Returns
    -------
    csr_array or ndarray of float
        The combined degrees; 0 where there is no association. See `Associations`.
    """
    cell_of_association = value_rows * shape[1] + winners
    order = np.argsort(cell_of_association, kind="stable")
    sorted_degrees = degrees[order]
    cells, first, n_in_cell = np.unique(
        cell_of_association[order], return_index=True, return_counts=True
    )
    combined: FloatArray = np.zeros(len(cells))
    # Add the first degree of every cell, then the second of every cell that has one, and so on.
    for nth in range(n_in_cell.max(initial=0)):
        is_left = np.flatnonzero(n_in_cell > nth)
        added = sorted_degrees[first[is_left] + nth]
        combined[is_left] = disjunctor(combined[is_left], added)
    if len(cells) < DENSE_SHARE * shape[0] * shape[1]:
        return csr_array((combined, np.divmod(cells, shape[1])), shape=shape)
    dense: FloatArray = np.zeros(shape)
    dense.flat[cells] = combined
    return dense


def _score_bidders(
    kinds: IntArray, associations_by_field: Sequence[Associations], disjunctor: Connective
) -> FloatArray:
    """Return the score of every bidder for some kinds of contracts, shape (kinds, bidders).

    Contracts of one kind have the same value in each field. ``kinds`` has a row for each kind and a
    column for each field: the row of the kind's value in the ``degrees`` of this field. The
    disjunctor combines the degrees of the fields into the score.
    """
    n_bidders = associations_by_field[0].degrees.shape[1]
    scores: FloatArray = np.zeros(len(kinds) * n_bidders)
    for associations, value_rows in zip(associations_by_field, kinds.T, strict=True):
        if isinstance(associations.degrees, np.ndarray):
            scores = _add_dense_degrees(scores, associations.degrees[value_rows], disjunctor)
        else:
            _add_sparse_degrees(scores, associations.degrees, value_rows, disjunctor)
    return scores.reshape(len(kinds), n_bidders)


def _add_dense_degrees(
    scores: FloatArray, degrees: FloatArray, disjunctor: Connective
) -> FloatArray:
    """Return the scores combined with the degrees of one field.

    ``degrees`` has a row for each kind of contracts, and a column for each bidder. ``scores`` has
    these cells in one row.
    """
    combined = degrees.ravel()
    # A score of 0 changes no degree, so combine only the other scores with the degrees. In the
    # first field there are none, and a user's disjunctor may refuse empty arrays.
    cells = np.flatnonzero(scores != 0)
    if cells.size > 0:
        combined[cells] = disjunctor(scores[cells], combined[cells])
    return combined


def _add_sparse_degrees(
    scores: FloatArray, degrees: csr_array, value_rows: IntArray, disjunctor: Connective
) -> None:
    """Combine the scores with the degrees of one field, in place.

    ``value_rows`` has the row of ``degrees`` for each kind of contracts. ``scores`` is as in
    `_add_dense_degrees`.
    """
    # A degree of 0 changes no score, so combine only the degrees that the sparse array stores.
    # Those of row r are at the positions from indptr[r] to indptr[r + 1] - 1.
    starts = degrees.indptr[value_rows]
    n_stored = degrees.indptr[value_rows + 1] - starts
    kind = np.repeat(np.arange(len(value_rows)), n_stored)
    first_of_kind = np.cumsum(n_stored) - n_stored
    positions = np.arange(len(kind)) + (starts - first_of_kind)[kind]
    n_bidders = degrees.shape[1]
    cells = kind * n_bidders + degrees.indices[positions]
    scores[cells] = disjunctor(scores[cells], degrees.data[positions])
