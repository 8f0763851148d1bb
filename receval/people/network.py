"""A social network as a sparse matrix: who is linked to whom, in which direction, how strongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from receval._checks import InputError, IntArray, check_choice, check_flag, input_error
from receval._types import AnyArray
from receval.tables.columns import check_frame, check_no_rows, read_column, read_ids, read_numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ORIENTATIONS", "SocialNetwork"]

ORIENTATIONS = ("OUT", "IN", "UND", "MUTUAL")
"""Which links make somebody a neighbour; RELISON's names."""


@dataclass(frozen=True, eq=False, repr=False)
class SocialNetwork:
    """The links of a social network, from which people recommenders learn.

    Attributes
    ----------
    users : ndarray, shape (n,)
        The ids of all users who have a link, in ascending order. The position of an id is the
        row and the column of that user in the matrices.
    links : scipy.sparse.csr_array, shape (n, n)
        The weight of the link from the row's user to the column's user; no entry without a link.
        If the network is undirected, the matrix is symmetric.
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
    def from_links(cls, links: pd.DataFrame, *, directed: bool = True, name: str = "links") -> Self:
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
            What error messages call the table.

        Returns
        -------
        SocialNetwork

        Raises
        ------
        InputError
            If there is no link, an id is missing or of another type than the others, somebody is
            linked to themselves, a link occurs twice, a weight is not a number above 0, or the two
            directions of an undirected link have different weights. The message names the rows.
        """
        check_flag(directed, "directed")
        origins, destinations, weights = read_link_columns(links, name)
        users, codes = np.unique(np.concatenate([origins, destinations]), return_inverse=True)
        rows, columns = np.split(codes.ravel(), 2)

        from scipy.sparse import csr_array

        shape = (len(users), len(users))
        matrix = csr_array((weights, (rows, columns)), shape)
        if not directed:
            _check_symmetric_weights(matrix, links, rows, columns, name)
            matrix = csr_array(matrix.maximum(matrix.T))
        matrix.sort_indices()
        return cls(users, matrix, directed)

    def neighbours(self, orientation: str = "OUT", *, weighted: bool = False) -> csr_array:
        """Return a matrix whose rows are the neighbourhoods of the users.

        Parameters
        ----------
        orientation : {"OUT", "IN", "UND", "MUTUAL"}, default "OUT"
            Whom a user's neighbourhood has: those the user links to; those who link to the user;
            both groups together; only those who are in both. In an undirected network all four
            are the same.
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
        positions = pd.Index(self.users).get_indexer(pd.Index(ids))
        return positions.astype(np.int64)


def read_link_columns(links: pd.DataFrame, name: str) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the origins, the destinations and the weights of links after checking them.

    Without a column ``weight`` all weights are 1. Raises `InputError` as
    `SocialNetwork.from_links`, except about the two directions of an undirected link.
    """
    table = check_frame(links, name)
    columns = [read_column(table, label, name) for label in ("user", "item")]
    if len(table) == 0:
        raise input_error(name, "have at least one link", "none")
    both = pd.concat(columns, ignore_index=True)
    read_ids(both, f"user and item of {name}")  # raises if ids are missing or of two types
    origins, destinations = columns
    is_self_link = (origins.to_numpy() == destinations.to_numpy()).astype(bool)
    rule = "not be linked to themselves"
    check_no_rows(origins, is_self_link, f"users of {name}", rule, "Remove these rows")
    pairs = pd.DataFrame({"user": origins.to_numpy(), "item": destinations.to_numpy()})
    is_repeat = pairs.duplicated().to_numpy()
    pair_texts = pairs["user"].astype(str) + " to " + pairs["item"].astype(str)
    advice = "Networks with several links between two users are not supported; add their weights"
    check_no_rows(pair_texts, is_repeat, name, "occur once each", advice)
    weights = np.ones(len(table))
    if "weight" in table:
        series = read_column(table, "weight", name)
        weights = read_numbers(series, f"weight of {name}").astype(float)
        check_no_rows(series, ~(weights > 0), f"weight of {name}", "be above 0")
    return origins.to_numpy(), destinations.to_numpy(), weights


def _check_symmetric_weights(
    matrix: csr_array, links: pd.DataFrame, rows: IntArray, columns: IntArray, name: str
) -> None:
    """Raise unless the two directions of a link have the same weight where both are there.

    ``matrix`` has the weight of each link of the table ``links``; ``rows`` and ``columns`` are the
    positions of the table's links in the matrix.
    """
    is_mutual = matrix.sign().multiply(matrix.T.sign())
    difference = (matrix - matrix.T).multiply(is_mutual).tocsr()
    is_wrong = np.asarray(difference[rows, columns]).ravel() != 0
    advice = "Read the network as directed, or give both directions the same weight"
    rule = "be the same in both directions of an undirected link"
    check_no_rows(read_column(links, "user", name), is_wrong, f"weight of {name}", rule, advice)


def check_not_empty_orientation(matrix: csr_array, argument: str, orientation: str) -> None:
    """Raise if no user has a neighbour of an orientation that an algorithm divides by."""
    if matrix.nnz == 0:
        rule = "be an orientation with neighbours, as lengths are divided by their mean"
        raise InputError(f"{argument} must {rule}; nobody has a neighbour under {orientation!r}")
