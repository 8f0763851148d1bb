"""A social network as a sparse matrix: who is linked to whom, in which direction, how strongly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    InputError,
    IntArray,
    check_choice,
    check_flag,
    format_first,
    input_error,
)
from receval._types import AnyArray
from receval.tables.columns import check_frame, read_column, read_ids, read_numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ORIENTATIONS", "SocialNetwork"]

ORIENTATIONS = ("OUT", "IN", "UND", "MUTUAL")
"""RELISON's names for the links that make somebody a neighbour."""


@dataclass(frozen=True, eq=False, repr=False)
class SocialNetwork:
    """The links of a social network, from which people recommenders learn.

    Attributes
    ----------
    users : ndarray, shape (n,)
        The ids of all users who have a link, in ascending order. The position of an id is the
        row and the column of that user in the matrices.
    links : scipy.sparse.csr_array, shape (n, n)
        The weight of the link from the row's user to the column's user. Pairs without a link have
        no entry. If the network is undirected, the matrix is symmetric.
    directed : bool
        Whether a link has a direction.

    Examples
    --------
    >>> links = pd.DataFrame({"user": ["ann", "ann", "bob"], "item": ["bob", "cem", "ann"]})
    >>> network = SocialNetwork.from_links(links)
    >>> network
    SocialNetwork(3 users, 3 directed links)
    >>> network.neighbours("MUTUAL").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    users: AnyArray
    links: csr_array
    directed: bool = True

    def __repr__(self) -> str:
        if self.directed:
            return f"SocialNetwork({len(self.users)} users, {self.links.nnz} directed links)"
        return f"SocialNetwork({len(self.users)} users, {self.links.nnz // 2} undirected links)"

    @classmethod
    def from_links(
        cls,
        links: pd.DataFrame,
        *,
        directed: bool = True,
        name: str = "links",
        path: Path | None = None,
    ) -> Self:
        """Read a network from a table of links.

        Parameters
        ----------
        links : DataFrame
            A row per link: the columns ``user`` (origin), ``item`` (destination) and, if links
            have weights, ``weight``. Other columns don't matter.
        directed : bool, default True
            Whether links have a direction. If not, a link counts in both directions. The table
            may then have a link once, or in both directions with the same weight.
        name : str, default "links"
            The name of the table in error messages.
        path : Path, optional
            The file from which the rows were read, without a header. Messages then give the lines
            of this file, counted from 1, instead of rows, counted from 0.

        Returns
        -------
        SocialNetwork

        Raises
        ------
        InputError
            If there is no link, an id is missing or of a different type from the others, somebody
            is linked to themselves, a link occurs twice, a weight is not a number above 0, or the
            two directions of an undirected link have different weights. The message names the rows.
        """
        check_flag(directed, "directed")
        origins, destinations, weights = read_link_columns(links, name, path=path)
        ids = _join_ids(pd.Series(origins), pd.Series(destinations))
        users, codes = np.unique(ids.to_numpy(), return_inverse=True)
        rows, columns = np.split(codes.ravel(), 2)

        from scipy.sparse import csr_array

        shape = (len(users), len(users))
        matrix = csr_array((weights, (rows, columns)), shape)
        if not directed:
            is_wrong = _differs_from_reverse(matrix, rows, columns)
            rule = "have the same weight in both directions of an undirected link"
            advice = "Read the network as directed, or give both directions the same weight"
            pairs = _pair_texts(origins, destinations)
            _refuse_rows(pairs, is_wrong, name, rule, advice, path=path)
            matrix = csr_array(matrix.maximum(matrix.T))
        matrix.sort_indices()
        return cls(users, matrix, directed)

    def neighbours(self, orientation: str = "OUT", *, weighted: bool = False) -> csr_array:
        """Return a matrix whose rows are the neighbourhoods of the users.

        Parameters
        ----------
        orientation : {"OUT", "IN", "UND", "MUTUAL"}, default "OUT"
            The members of a user's neighbourhood: those the user links to; those who link to the
            user; both groups together; only those who are in both. In an undirected network all
            four are the same.
        weighted : bool, default False
            Whether entries are the weights of the links. Otherwise they are 1. A neighbour with
            links in both directions has the sum of the weights under "UND" and their mean under
            "MUTUAL", as in RELISON.

        Returns
        -------
        scipy.sparse.csr_array, shape (n, n)

        Raises
        ------
        InputError
            If there is no such orientation.
        """
        check_choice(orientation, "orientation", ORIENTATIONS)
        outgoing = self.links
        if not weighted:
            outgoing = outgoing.sign()  # all weights are above 0
        if orientation == "OUT" or not self.directed:
            return outgoing.copy()
        incoming = outgoing.T.tocsr()
        if orientation == "IN":
            neighbourhoods = incoming
        elif orientation == "UND":
            neighbourhoods = (outgoing + incoming).tocsr()
        else:
            is_mutual = outgoing.sign().multiply(incoming.sign())
            neighbourhoods = ((outgoing + incoming) / 2).multiply(is_mutual).tocsr()
        if not weighted:
            neighbourhoods = neighbourhoods.sign()
        neighbourhoods.sort_indices()
        return neighbourhoods

    def codes(self, ids: AnyArray) -> IntArray:
        """Return the positions of ids in ``users``, and -1 for an id that is not there."""
        # With a dtype, pandas converts nothing. Pandas 2.2 fails on integers too large for a float.
        positions = pd.Index(self.users).get_indexer(pd.Index(ids, dtype=ids.dtype))
        return positions.astype(np.int64)


def check_network(network: object) -> None:
    """Raise an `InputError` unless this is a `SocialNetwork`."""
    if not isinstance(network, SocialNetwork):
        advice = "SocialNetwork.from_links makes one of a table of links"
        got = type(network).__name__
        raise input_error("network", "be a SocialNetwork", got, advice)


def read_link_columns(
    links: pd.DataFrame, name: str, *, path: Path | None = None
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the origins, the destinations and the weights of links after checking them.

    Without a column ``weight`` all weights are 1. ``name`` and ``path`` are as in
    `SocialNetwork.from_links`. Raises the same errors as that function, except for the one about
    the two directions of an undirected link.
    """
    table = check_frame(links, name)
    columns = [read_column(table, label, name) for label in ("user", "item")]
    if len(table) == 0:
        raise input_error(name, "have at least one link", "none")
    both = _join_ids(*columns)
    read_ids(both, f"user and item of {name}")  # raises if ids are missing or of two types
    origins, destinations = [column.to_numpy() for column in columns]

    is_self_link = (origins == destinations).astype(bool)
    rule = "not link anybody to themselves"
    advice = "Remove these links"
    _refuse_rows(origins, is_self_link, name, rule, advice, path=path)
    is_repeat = pd.DataFrame({"user": origins, "item": destinations}).duplicated().to_numpy()
    rule = "have each link once"
    advice = "Networks with several links between two users are not supported; add their weights"
    pairs = _pair_texts(origins, destinations)
    _refuse_rows(pairs, is_repeat, name, rule, advice, path=path)

    weights = np.ones(len(table))
    if "weight" in table:
        series = read_column(table, "weight", name)
        weights = read_numbers(series, f"weight of {name}").astype(float)
        rule = "have weights above 0"
        _refuse_rows(weights, ~(weights > 0), name, rule, "", path=path)
    return origins, destinations, weights


def _join_ids(origins: pd.Series, destinations: pd.Series) -> pd.Series:
    """Return the ids of two columns as one column, with all digits.

    If one column has integers beyond int64, pandas would turn both columns into floats.
    """
    if origins.dtype != destinations.dtype:
        origins = origins.astype(object)
        destinations = destinations.astype(object)
    return pd.concat([origins, destinations], ignore_index=True)


def _pair_texts(origins: AnyArray, destinations: AnyArray) -> AnyArray:
    """Return links as texts for messages, such as "1 to 2"."""
    texts = [f"{user} to {item}" for user, item in zip(origins, destinations, strict=True)]
    return np.array(texts, dtype=object)


def _refuse_rows(
    values: AnyArray, is_wrong: BoolArray, name: str, rule: str, advice: str, *, path: Path | None
) -> None:
    """Raise `InputError` if any row is wrong, with the values and places of the first wrong rows.

    A place is the number of the row from 0, or, with a ``path``, the line of that file from 1.
    """
    if not is_wrong.any():
        return
    places = [f"row {row}" for row in range(len(values))]
    if path is not None:
        # The rows are the lines that aren't empty.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
        places = [f"line {number}" for number, line in enumerate(lines, start=1) if line]

    def describe(row: int) -> str:
        return f"{values[row]} in {places[row]}"

    shown = format_first(np.flatnonzero(is_wrong).tolist(), to_text=describe)
    raise input_error(name, rule, shown, advice)


def _differs_from_reverse(matrix: csr_array, rows: IntArray, columns: IntArray) -> BoolArray:
    """Return for each link whether the reverse link exists and has a different weight.

    ``matrix`` has the weights of the links, whose positions are ``rows`` and ``columns``.
    """
    is_mutual = matrix.sign().multiply(matrix.T.sign())
    difference = (matrix - matrix.T).multiply(is_mutual).tocoo()
    is_wrong = difference.data != 0
    wrong_pairs = pair_keys(difference.row[is_wrong], difference.col[is_wrong], matrix.shape[0])
    return np.isin(pair_keys(rows, columns, matrix.shape[0]), wrong_pairs)


def pair_keys(rows: AnyArray, columns: AnyArray, n: int) -> IntArray:
    """Return a number for each pair of positions below n; different pairs get different numbers."""
    return np.asarray(rows, np.int64) * n + np.asarray(columns, np.int64)


def check_not_empty_orientation(matrix: csr_array, argument: str, orientation: str) -> None:
    """Raise if nobody has a neighbour under an orientation, because the mean length is then 0."""
    if matrix.nnz == 0:
        rule = "be an orientation with neighbours, as lengths are divided by their mean"
        raise InputError(f"{argument} must {rule}; nobody has a neighbour under {orientation!r}")
