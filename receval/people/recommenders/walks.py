"""Recommenders that walk the network at random."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.ranges import check_teleport
from receval.people.recommenders.scores import Scorer

__all__ = ["personalised_page_rank"]

TOLERANCE = 1e-10
"""The walk ends if no score changes by more than this in a step."""


def personalised_page_rank(network: SocialNetwork, *, teleport: float) -> Scorer:
    r"""Score candidates by the time that a random walk from the target user spends at them.

    .. math:: s = r\,e_u + (1 - r)\,P^T s

    With the probability r, the walk jumps back to the target user u. Otherwise it follows one of
    the outgoing links, all equally likely. From a user without outgoing links it jumps to any user
    of the network, all equally likely.

    Parameters
    ----------
    network : SocialNetwork
        Weights of links don't matter.
    teleport : float
        The probability r, in (0, 1]; RELISON calls it r.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n). For each target user, every user of the network gets a score, and
        these scores sum to 1. Steps end when no score changes by more than 1e-10, so scores are
        exact to about 1e-10 / r.

    Raises
    ------
    InputError
        If ``teleport`` is not in (0, 1].

    Notes
    -----
    RELISON stops after 50 steps, or when no score changes by 0.00001. With a small r its scores are
    therefore further from the limit. From users without outgoing links, its walk goes on to any
    user, as here.

    References
    ----------
    White and Smyth (2003), "Algorithms for estimating relative importance in networks",
    https://doi.org/10.1145/956750.956782; RELISON's class ``PersonalizedPageRank``.

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 2], "item": [2, 1]})
    >>> scores = personalised_page_rank(SocialNetwork.from_links(links), teleport=0.5)
    >>> scores(np.array([0])).round(4)
    array([[0.6667, 0.3333]])
    """
    check_network(network)
    check_teleport(teleport, "teleport")
    links = network.neighbours("OUT")
    n_outgoing = links.sum(axis=1)
    is_dead_end = n_outgoing == 0
    # In `steps`, rows are destinations and columns are origins. Each origin divides its mass among
    # its links.
    shares = 1 / np.where(is_dead_end, 1, n_outgoing)
    steps = links.multiply(shares[:, np.newaxis]).T.tocsr()
    n = len(network.users)

    def scores(users: IntArray) -> FloatArray:
        jumps = np.zeros((n, len(users)))
        jumps[users, np.arange(len(users))] = teleport
        mass = jumps / teleport
        largest_change = np.inf
        while largest_change > TOLERANCE:
            from_dead_ends = mass[is_dead_end].sum(axis=0) / n
            following = jumps + (1 - teleport) * (steps @ mass + from_dead_ends)
            largest_change = np.abs(following - mass).max(initial=0)
            mass = following
        transposed: FloatArray = mass.T
        return transposed

    return scores
