"""Expand a value to its neighbours in a hierarchy, for example to CPV codes of similar subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, eye_array

from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    input_error,
    is_integer,
    shorten,
)
from receval.tables.columns import check_frame, check_no_rows, read_column

MAX_HOPS = 100  # far above the depth of any hierarchy of codes


class Hops(NamedTuple):
    """The number of hops of an expansion in each direction.

    Attributes
    ----------
    up : int
        Hops from a value to its parents.
    down : int
        Hops from a value to its children.
    sideways : int
        ``n`` reaches the values on the same level that share an ancestor at most n hops above.
    """

    up: int
    down: int
    sideways: int = 0

    @classmethod
    def of(cls, hops: object) -> Hops:
        """Return the user's ``(up, down)`` or ``(up, down, sideways)`` as hops, or raise."""
        rule = "be (up, down) or (up, down, sideways), whole numbers from 0 to 100, such as (1, 1)"
        if not isinstance(hops, Sequence) or len(hops) not in (2, 3):
            raise input_error("hops", rule, shorten(hops))
        if not all(is_integer(number) and number <= MAX_HOPS for number in hops):
            raise input_error("hops", rule, shorten(hops))
        return cls(*hops)


class Hierarchy:
    """Values and their parents.

    Attributes
    ----------
    values : Index
        All values of the table, children and parents.
    parents : csr_array of bool, shape (values, values) True if the column's value is a parent of
        the row's value.
    """

    def __init__(self, table: object, name: str) -> None:
        """Read a table with the columns ``child`` and ``parent``; ``name`` is for messages.

        A child without a parent is at the top. Raises an `InputError` if a child is missing, a row
        is repeated, or a value is its own ancestor.
        """
        frame = check_frame(table, name)
        children = read_column(frame, "child", name).astype(object)
        parents = read_column(frame, "parent", name).astype(object)
        check_no_rows(children, children.isna().to_numpy(), f"{name}['child']", "be known")
        is_repeated = pd.DataFrame({"child": children, "parent": parents}).duplicated().to_numpy()
        rule = "have each pair of child and parent once"
        check_no_rows(children, is_repeated, name, rule, "drop_duplicates() removes the others")
        has_parent = parents.notna().to_numpy()
        self.values: pd.Index = pd.Index(pd.unique(pd.concat([children, parents[has_parent]])))
        links = (
            self.values.get_indexer(children[has_parent]),
            self.values.get_indexer(parents[has_parent]),
        )
        _check_no_circle(*links, self.values, name)
        n_values = len(self.values)
        self.parents: csr_array = (
            csr_array((np.ones(len(links[0])), links), shape=(n_values, n_values)) > 0
        )

    def related(self, values: pd.Index, hops: Hops) -> pd.DataFrame:
        """Return the values that each value reaches within the given hops.

        Parameters
        ----------
        values : Index
            The values to expand. A value that isn't in the hierarchy reaches nothing.
        hops : Hops
            How far to go in each direction.

        Returns
        -------
        DataFrame
            A row for each pair: ``row``, the position in ``values``; ``related``, the value that it
            reaches; and ``hop``, the length of the shortest path. A value doesn't reach itself.
            Going sideways by n is counted as n hops.
        """
        position = self.values.get_indexer(values.astype(object))
        rows = np.flatnonzero(position >= 0)
        start = eye_array(len(self.values), format="csr", dtype=bool)[position[rows]]
        children = self.parents.T.tocsr()
        # For each hop and each direction: the pairs at exactly this distance.
        reached = []
        ancestors = start
        descendants = start
        for hop in range(1, max(hops) + 1):
            ancestors = ancestors @ self.parents
            descendants = descendants @ children
            if hop <= hops.up:
                reached.append((hop, ancestors))
            if hop <= hops.down:
                reached.append((hop, descendants))
            if hop <= hops.sideways:
                same_level = ancestors
                for _ in range(hop):
                    same_level = same_level @ children
                reached.append((hop, same_level))
        tables = []
        for hop, pairs in reached:
            row, column = pairs.nonzero()
            tables.append(pd.DataFrame({"row": rows[row], "column": column, "hop": hop}))
        if not tables:
            return pd.DataFrame({"row": [], "related": [], "hop": []}, dtype=int)
        table = pd.concat(tables, ignore_index=True)
        # The tables are in order of hops, so the first row of a pair has its shortest path.
        table = table.drop_duplicates(["row", "column"])
        table = table[table["column"].to_numpy() != position[table["row"]]]
        table["related"] = self.values[table["column"]]
        related: pd.DataFrame = table[["row", "related", "hop"]]
        return related.reset_index(drop=True)


def check_hierarchies(hierarchy: object, weights: Mapping[str, float]) -> dict[str, Hierarchy]:
    """Return the hierarchy of each field that has one; raise if a field has no weight."""
    if hierarchy is None:
        return {}
    rule = "be a dict from a field to its table of children and parents"
    if not isinstance(hierarchy, Mapping):
        raise input_error("hierarchy", rule, type(hierarchy).__name__)
    for field in hierarchy:
        if field not in weights:
            rule = f"have only fields with a weight ({', '.join(map(str, weights))})"
            raise input_error("hierarchy", rule, repr(field))
    return {field: Hierarchy(table, f"hierarchy[{field!r}]") for field, table in hierarchy.items()}


def rarity_weights(values: pd.Index, award_values: pd.Series) -> FloatArray:
    r"""Return the weight of each value in [0, 1]; the rarer the value, the greater its weight.

    .. math:: idf(v) = \log \frac{|C|}{1 + n_v}, \qquad weight(v) = idf(v) / \max_{u} idf(u)

    |C| is the number of awards, and :math:`n_v` the number of awards that have the value. If all
    awards have the value, or all but one, its idf is not positive, and its weight is 0.

    References
    ----------
    The thesis behind document 000, section "Weighting".
    """
    counts = award_values.value_counts()
    n_awards = counts.reindex(values, fill_value=0).to_numpy()
    frequencies = np.maximum(np.log(len(award_values) / (1 + n_awards)), 0)
    greatest = frequencies.max(initial=0)
    if greatest == 0:  # for example, a single award
        return np.zeros(len(values))
    weights: FloatArray = frequencies / greatest
    return weights


def _check_no_circle(children: IntArray, parents: IntArray, values: pd.Index, name: str) -> None:
    """Raise an `InputError` that shows a circle of values if a value is its own ancestor.

    ``children`` and ``parents`` are the positions in ``values`` of both ends of each link.
    """
    is_left = np.ones(len(children), dtype=bool)
    while is_left.any():
        # A link to the top (to a parent that has no parent in the remaining links) isn't in a
        # circle.
        is_child: BoolArray = np.zeros(len(values), dtype=bool)
        is_child[children[is_left]] = True
        leads_on = is_left & is_child[parents]
        if leads_on.sum() < is_left.sum():
            is_left = leads_on
            continue
        # From every remaining value, a link leads on to another. Follow the links until a value
        # occurs twice.
        parent_of = dict(zip(children[is_left], parents[is_left], strict=True))
        path = [int(children[is_left][0])]
        while path[-1] not in path[:-1]:
            path.append(int(parent_of[path[-1]]))
        circle = [str(values[position]) for position in path[path.index(path[-1]) :]]
        raise input_error(name, "have no value that is its own ancestor", " → ".join(circle))
