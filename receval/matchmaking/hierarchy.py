"""Expand a value to its neighbours in a hierarchy, for example to CPV codes of similar subjects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, eye_array

from receval._checks import check_that, is_integer
from receval.tables.columns import check_frame, check_no_rows, read_column

MAX_HOPS = 100  # far above the depth of any hierarchy of codes


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


def check_hops(hops: object) -> tuple[int, int, int]:
    """Return ``(up, down)`` or ``(up, down, sideways)`` as three numbers; raise for others."""
    is_valid = (
        isinstance(hops, Sequence)
        and len(hops) in (2, 3)
        and all(is_integer(number) and number <= MAX_HOPS for number in hops)
    )
    rule = "be (up, down) or (up, down, sideways), whole numbers from 0 to 100, such as (1, 1)"
    check_that(is_valid, "hops", rule, hops)
    return cast("tuple[int, int, int]", (*cast("Sequence[int]", hops), 0)[:3])


def expand(hierarchy: Hierarchy, values: pd.Index, hops: tuple[int, int, int]) -> pd.DataFrame:
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
