"""Recommenders that don't look at neighbours: random candidates, and the most popular ones."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray, check_integer
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.scores import Scorer

__all__ = ["popularity", "random_candidates"]

MAX_SEED = 2**63 - 1


def random_candidates(network: SocialNetwork, *, seed: int = 0) -> Scorer:
    """Score candidates with random numbers, uniform in [0, 1).

    Parameters
    ----------
    network : SocialNetwork
    seed : int, default 0
        Seed of the random numbers. The numbers of a user depend on the seed and on the user's
        position in the network only, so that results don't depend on the order of users.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n). See `receval.people.recommenders`.

    Raises
    ------
    InputError
        If the seed is not a whole number of at least 0.

    References
    ----------
    RELISON's manual, page "Baselines". RELISON uses Java's generator, with the time as its seed.

    Examples
    --------
    >>> import pandas as pd
    >>> network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2], "item": [2, 3]}))
    >>> random_candidates(network, seed=1)(np.array([0, 1])).shape
    (2, 3)
    """
    check_network(network)
    check_integer(seed, "seed", 0, MAX_SEED)
    n = len(network.users)

    def scores(users: IntArray) -> FloatArray:
        return np.array([np.random.default_rng([seed, user]).random(n) for user in users])

    return scores


def popularity(network: SocialNetwork) -> Scorer:
    r"""Score candidates by the number of links to them, :math:`|\Gamma_{in}(v)|`.

    Parameters
    ----------
    network : SocialNetwork

    Returns
    -------
    callable
        As in `random_candidates`. Scores are whole numbers from 0; every user has a score.

    References
    ----------
    RELISON's manual, page "Baselines".

    Examples
    --------
    >>> import pandas as pd
    >>> network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2], "item": [2, 3]}))
    >>> popularity(network)(np.array([0]))
    array([[0., 1., 1.]])
    """
    check_network(network)
    in_degrees = network.neighbours("IN").sum(axis=1)

    def scores(users: IntArray) -> FloatArray:
        return np.tile(in_degrees, (len(users), 1))

    return scores
