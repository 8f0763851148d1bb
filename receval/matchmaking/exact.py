"""Matchmakers of document 000, which use past awards to recommend bidders for a contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, eye_array

from receval._arrays import check_exact
from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_callable,
    check_count,
    check_number,
    check_that,
    is_integer,
)
from receval.matchmaking.lists import (
    best_bidders,
    check_contracts,
    code_winners,
    long_table,
    read_feature_of_both,
)
from receval.metrics.connectives import product_conjunctor, product_disjunctor
from receval.metrics.connectives.formulas import Connective
from receval.splitting import fill_missing_dates
from receval.tables.columns import check_frame, check_no_rows, read_column

MAX_HOPS = 100  # far above the depth of any hierarchy of codes
BLOCK_SIZE = 16  # number of kinds of contracts that are scored for all bidders at once


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
    hops: Sequence[int] = (1, 1, 0),
    weight: float | str = 0.1,
    ageing: float | None = None,
    conjunctor: Connective = product_conjunctor,
    disjunctor: Connective = product_disjunctor,
    k: int = 10,
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
    hops : (int, int, int), default (1, 1, 0)
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

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score`` in (0, 1]; equal scores in order of the
        bidders' ids. A contract without an associated award has no row.

    Raises
    ------
    InputError
        If there is no award; a bidder, a contract or a field is missing; a contract occurs twice; a
        weight, ``hops``, ``ageing`` or ``k`` is out of range; or a hierarchy shares no value with
        the awards.

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
    has_weights = isinstance(weights, Mapping) and len(weights) > 0
    check_that(has_weights, "weights", "be a dict from a field to its weight", weights)
    check_contracts(contracts)
    check_callable(conjunctor, "conjunctor", "conjunctor(a, b)")
    check_callable(disjunctor, "disjunctor", "disjunctor(a, b)")
    check_hops(hops)
    if not isinstance(weight, str) or weight != "idf":
        check_number(weight, "weight", 'a number in (0, 1], or "idf"', is_weight)
    hierarchies = read_hierarchies(hierarchy, weights)
    retained = None
    if ageing is not None:
        retained = age_weights(awards, ageing)

    degrees_by_field = []
    values_by_field = []
    for field, field_weight in weights.items():
        check_number(field_weight, f"weight of {field!r}", "a number in (0, 1]", is_weight)
        value_of_contract, pairs = match_field(
            field, awards, contracts, hierarchies.get(field), hops, weight
        )
        # The formula has the weight twice: once for the past contract, once for the new one.
        in_both = np.full(len(pairs), float(field_weight))
        degrees = np.asarray(conjunctor(in_both, in_both))
        if field in hierarchies:
            degrees = np.asarray(conjunctor(degrees, pairs["weight"].to_numpy()))
        if retained is not None:
            degrees = np.asarray(conjunctor(degrees, retained[pairs["award"]]))
        # The last row stays 0. It is that of contracts without a value, whose number is -1.
        shape = (value_of_contract.max(initial=-1) + 2, len(bidders))
        bidder = winners[pairs["award"]]
        degrees_by_field.append(
            combine(pairs["row"].to_numpy(), bidder, degrees, disjunctor, shape)
        )
        values_by_field.append(value_of_contract)

    # Contracts that agree in every field are of one kind and have the same list.
    kinds, kind_of_contract = np.unique(
        np.column_stack(values_by_field), axis=0, return_inverse=True
    )
    lists = np.full((len(kinds), k), -1)
    list_scores = np.zeros((len(kinds), k))
    for start in range(0, len(kinds), BLOCK_SIZE):
        block = slice(start, start + BLOCK_SIZE)
        fields = zip(degrees_by_field, kinds[block].T, strict=True)
        degrees_of_block = [degrees[values].toarray() for degrees, values in fields]
        scores = np.asarray(reduce(disjunctor, degrees_of_block))
        lists[block], list_scores[block] = best_bidders(scores, k)
    lists[~(list_scores > 0)] = -1  # no association: leave the place empty
    kind_of_contract = kind_of_contract.ravel()  # NumPy 2.0 returns it with two dimensions
    return long_table(contracts, bidders, lists[kind_of_contract], list_scores[kind_of_contract])


# The parts of case_based --------------------------------------------------------------------------


def is_weight(number: float) -> bool:
    """Return whether a number can be a weight: in (0, 1]."""
    return 0 < number <= 1


def read_hierarchies(
    hierarchy: Mapping[str, pd.DataFrame] | None, weights: Mapping[str, float]
) -> dict[str, Hierarchy]:
    """Return the hierarchy of each field that has one; raise if a field has no weight."""
    if hierarchy is None:
        return {}
    rule = "be a dict from a field to its table of children and parents"
    check_that(isinstance(hierarchy, Mapping), "hierarchy", rule, hierarchy)
    has_weights = hierarchy.keys() <= weights.keys()
    rule = f"have only fields with a weight ({', '.join(map(str, weights))})"
    check_that(has_weights, "hierarchy", rule, list(hierarchy))
    return {
        field: read_hierarchy(table, f"hierarchy[{field!r}]") for field, table in hierarchy.items()
    }


def age_weights(awards: pd.DataFrame, ageing: object) -> FloatArray:
    r"""Return the weight of each award at its age t in days, :math:`e^{-\lambda t}`.

    Parameters
    ----------
    awards : DataFrame
        The column ``date`` has dates, or numbers of days. If a date is unknown, the median of the
        known dates takes its place.
    ageing : float
        :math:`\lambda` per day, at least 0.

    Raises
    ------
    InputError
        If no date is known, or ``ageing`` is negative or not a finite number.

    References
    ----------
    The thesis behind document 000, section "RESCAL-based matchmakers", after Kuchař et al. (2016);
    there, :math:`\lambda` is 0.005.
    """
    rate = check_number(ageing, "ageing", "a number of at least 0, per day", lambda x: x >= 0)
    dates, _ = fill_missing_dates(read_column(awards, "date", "awards", " for ageing"))
    if dates.dtype.kind == "M":  # dates of NumPy or Arrow
        ages = ((dates.max() - dates) / pd.Timedelta(days=1)).to_numpy(dtype=float)
    else:
        check_exact(dates.to_numpy(), "awards['date']")
        days = dates.to_numpy(dtype=float)  # differences of small integers would overflow
        ages = days.max() - days
    with np.errstate(over="ignore"):  # a huge product becomes infinite, and the weight 0
        weights: FloatArray = np.exp(-rate * ages)
    return weights


def match_field(
    field: str,
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    hierarchy: Hierarchy | None,
    hops: Sequence[int],
    weight: float | str,
) -> tuple[IntArray, pd.DataFrame]:
    """Return the awards that match each value of the contracts in a field.

    Returns the number of each contract's value, -1 if it is missing, and a table with a row for
    each value and each award that matches it: ``row``, the number of the value; ``award``, the row
    of the award; and ``weight``, which is 1 if the award has the value itself. Raises an
    `InputError` if a table lacks the field, or the hierarchy has none of the awards' values.
    """
    award_values, contract_values = read_feature_of_both(awards, contracts, field)
    value_of_contract, distinct = pd.factorize(contract_values)
    values = pd.Index(distinct)
    related = pd.DataFrame({"row": np.arange(len(values)), "related": values, "weight": 1.0})
    if hierarchy is not None:
        examples = award_values.dropna().head(1).tolist()
        is_related = hierarchy.values.isin(award_values).any() or not examples
        rule = f"have values of the awards' column {field!r}, such as {examples}"
        got = hierarchy.values[:3].tolist()
        check_that(is_related, f"hierarchy[{field!r}]", rule, got, "Write both in the same way")
        reached = expand(hierarchy, values, hops)
        if isinstance(weight, str):
            rarity = rarity_weights(hierarchy.values, award_values)
            reached["weight"] = reached["related"].map(rarity)
        else:
            reached["weight"] = weight
        related = pd.concat([related, reached], ignore_index=True)
    # Missing values match nothing.
    past = pd.DataFrame({"related": award_values, "award": np.arange(len(award_values))})
    return value_of_contract, related.merge(past.dropna(subset="related"), on="related")


def combine(
    value_rows: IntArray,
    winners: IntArray,
    degrees: FloatArray,
    disjunctor: Connective,
    shape: tuple[int, int],
) -> csr_array:
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
    csr_array of float
        The combined degrees in [0, 1], in the given shape.
    """
    # A cell of the matrix is a value and a bidder. Give each one number, row by row.
    cell_codes, cells = pd.factorize(value_rows * shape[1] + winners, sort=True)
    combined: FloatArray = np.zeros(len(cells))
    # Add the first degree of every cell, then the second of every cell that has one, and so on.
    nth_of_cell = pd.Series(cell_codes).groupby(cell_codes).cumcount()
    for rows in nth_of_cell.groupby(nth_of_cell).indices.values():
        codes = cell_codes[rows]
        combined[codes] = disjunctor(combined[codes], degrees[rows])
    row_and_column = np.divmod(cells, shape[1])
    return csr_array((combined, row_and_column), shape=shape)


# A hierarchy of values, such as CPV codes ---------------------------------------------------------


class Hierarchy(NamedTuple):
    """Values and their parents.

    Attributes
    ----------
    values : Index
        All values of the table, children and parents.
    parents : csr_array of bool, shape (values, values)
        True if the column's value is a parent of the row's value.
    """

    values: pd.Index
    parents: csr_array


def read_hierarchy(table: object, name: str) -> Hierarchy:
    """Read a table with the columns ``child`` and ``parent``; ``name`` is for messages.

    A child without a parent is at the top. Raises an `InputError` if a child is missing.
    """
    frame = check_frame(table, name)
    children = read_column(frame, "child", name).astype(object)
    parents = read_column(frame, "parent", name).astype(object)
    check_no_rows(children, children.isna().to_numpy(), f"{name}['child']", "be known")
    has_parent = parents.notna()
    values = pd.Index(pd.unique(pd.concat([children, parents[has_parent]])))
    links = (values.get_indexer(children[has_parent]), values.get_indexer(parents[has_parent]))
    n_values = len(values)
    n_links = csr_array((np.ones(has_parent.sum()), links), shape=(n_values, n_values))
    return Hierarchy(values, n_links > 0)


def check_hops(hops: object) -> None:
    """Raise unless hops are ``(up, down, sideways)``, three whole numbers."""
    are_hops = (
        isinstance(hops, Sequence)
        and len(hops) == 3
        and all(is_integer(number) and number <= MAX_HOPS for number in hops)
    )
    rule = "be (up, down, sideways), whole numbers from 0 to 100, such as (1, 1, 0)"
    check_that(are_hops, "hops", rule, hops)


def expand(hierarchy: Hierarchy, values: pd.Index, hops: Sequence[int]) -> pd.DataFrame:
    """Return the values that each value reaches within the given hops.

    Parameters
    ----------
    hierarchy : Hierarchy
        The values and their parents.
    values : Index
        The values to expand. A value that isn't in the hierarchy reaches nothing.
    hops : (int, int, int)
        The number of hops up (to parents), down (to children) and sideways. Going n sideways
        reaches the values on the same level that share an ancestor at most n hops above.

    Returns
    -------
    DataFrame
        A row for each pair: ``row``, the position in ``values``, and ``related``, a value that it
        reaches. A value doesn't reach itself.
    """
    up, down, sideways = hops
    position = hierarchy.values.get_indexer(values.astype(object))
    rows = np.flatnonzero(position >= 0)
    start = eye_array(len(hierarchy.values), format="csr", dtype=bool)[position[rows]]
    children = hierarchy.parents.T.tocsr()
    reached = csr_array(start.shape, dtype=bool)
    # After n rounds: the pairs at a distance of exactly n.
    ancestors = start
    descendants = start
    for hop in range(1, max(hops) + 1):
        ancestors = ancestors @ hierarchy.parents
        descendants = descendants @ children
        if hop <= up:
            reached = reached + ancestors
        if hop <= down:
            reached = reached + descendants
        if hop <= sideways:
            same_level = ancestors
            for _ in range(hop):
                same_level = same_level @ children
            reached = reached + same_level
    row, column = reached.nonzero()
    is_other = column != position[rows[row]]
    pairs = {"row": rows[row[is_other]], "related": hierarchy.values[column[is_other]]}
    return pd.DataFrame(pairs)


def rarity_weights(values: pd.Index, award_values: pd.Series) -> pd.Series[float]:
    r"""Return the weight of each value in [0, 1]; the rarer the value, the greater its weight.

    .. math:: idf(v) = \log \frac{|C|}{1 + n_v}, \qquad weight(v) = idf(v) / \max_{u} idf(u)

    |C| is the number of awards, and :math:`n_v` the number of awards that have the value. If all
    awards have the value, or all but one, its idf is not positive, and its weight is 0.

    References
    ----------
    The thesis behind document 000, section "Weighting".
    """
    n_awards = award_values.value_counts().reindex(values, fill_value=0).to_numpy()
    frequencies = np.maximum(np.log(len(award_values) / (1 + n_awards)), 0)
    greatest = frequencies.max()
    if greatest > 0:  # it is 0 for a single award, for example
        frequencies = frequencies / greatest
    return pd.Series(frequencies, index=values)
