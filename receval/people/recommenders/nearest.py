"""Nearest neighbours: candidates that similar users link to, or that resemble linked users."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray, check_count, check_flag, check_that
from receval._progress import progress_bar
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.ranges import check_not_negative
from receval.people.recommenders.scores import Scorer

__all__ = ["item_based_neighbours", "user_based_neighbours"]

BLOCK = 256
"""Number of users whose similarities are in memory at once."""


def user_based_neighbours(
    network: SocialNetwork,
    *,
    k: int,
    similarity: Scorer,
    q: float = 1,
    weighted: bool = False,
) -> Scorer:
    r"""Score candidates by the links of the k users most similar to the target user.

    .. math:: s(u, v) = \sum_{w \in N_k(u)} \mathrm{sim}(u, w)^q \, x_{wv}

    Parameters
    ----------
    network : SocialNetwork
    k : int
        Number of similar users. Nobody is similar to themselves, and users without a similarity
        (NaN) never count. Among equally similar users, those with lower ids come first.
    similarity : callable
        Any recommender of `receval.people.recommenders`, whose scores are similarities.
    q : float, default 1
        Exponent of the similarity, at least 0.
    weighted : bool, default False
        Whether x is the weight of the link from w to the candidate. Otherwise it is 1.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n); NaN for candidates that no similar user links to.

    Raises
    ------
    InputError
        If ``k`` is not a positive integer or ``q`` is negative.

    Notes
    -----
    In RELISON a similarity such as common neighbours makes users similar to themselves. They then
    take one of the k places, although their own links are never recommended to them.

    References
    ----------
    Ning, Desrosiers and Karypis (2015), "A comprehensive survey of neighborhood-based
    recommendation methods", https://doi.org/10.1007/978-1-4899-7637-6_2; RELISON's manual, page
    "Nearest neighbors algorithms" (``UB kNN``).

    Examples
    --------
    >>> import pandas as pd
    >>> from receval.people.recommenders import jaccard
    >>> links = pd.DataFrame({"user": [1, 1, 2, 2], "item": [3, 4, 3, 5]})
    >>> network = SocialNetwork.from_links(links)
    >>> similarity = jaccard(network, target="OUT", candidate="OUT")
    >>> user_based_neighbours(network, k=1, similarity=similarity)(np.array([0])).round(2)
    array([[ nan,  nan, 0.33,  nan, 0.33]])
    """
    check_network(network)
    check_neighbour_options(k, q, similarity)
    check_flag(weighted, "weighted")
    q = float(q)
    links = network.neighbours("OUT", weighted=weighted)
    has_link = links.sign()

    def scores(users: IntArray) -> FloatArray:
        similarities = keep_nearest(similarity(users), users, k)
        is_neighbour = ~np.isnan(similarities)
        powers = np.where(is_neighbour, similarities, 0) ** q * is_neighbour
        totals: FloatArray = powers @ links
        n_linking = is_neighbour.astype(float) @ has_link
        totals[n_linking == 0] = np.nan
        return totals

    return scores


def item_based_neighbours(
    network: SocialNetwork,
    *,
    k: int,
    similarity: Scorer,
    q: float = 1,
    weighted: bool = False,
    progress: bool | None = None,
) -> Scorer:
    r"""Score candidates that are among the k most similar to somebody the target user links to.

    .. math:: s(u, v) = \sum_{w:\, v \in N_k(w)} x_{uw}\, \mathrm{sim}(w, v)^q

    Parameters
    ----------
    network, k, similarity, q
        As in `user_based_neighbours`, but the candidates are similar to somebody whom the target
        user links to.
    weighted : bool, default False
        Whether x is the weight of the link from the target user to w. Otherwise it is 1.
    progress : bool, optional
        Whether to show a progress bar over all users, whose neighbourhoods are made first; None
        shows one on a terminal.

    Returns
    -------
    callable
        As in `user_based_neighbours`; NaN for candidates that are in no such neighbourhood.

    Raises
    ------
    InputError
        As in `user_based_neighbours`.

    References
    ----------
    As in `user_based_neighbours` (``IB kNN``). As in RankSys 0.4.3, the k users most similar to a
    linked user w count, and not the k linked users most similar to the candidate.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval.people.recommenders import jaccard
    >>> links = pd.DataFrame({"user": [1, 2, 2], "item": [3, 3, 4]})
    >>> network = SocialNetwork.from_links(links)
    >>> similarity = jaccard(network, target="IN", candidate="IN")
    >>> item_based_neighbours(network, k=1, similarity=similarity)(np.array([0]))
    array([[nan, nan, nan, 0.5]])
    """
    check_network(network)
    check_neighbour_options(k, q, similarity)
    check_flag(weighted, "weighted")
    q = float(q)
    links = network.neighbours("OUT", weighted=weighted)
    n = len(network.users)

    # Find the neighbourhoods once, as all target users need them.
    from scipy.sparse import csr_array, vstack

    power_blocks = []
    membership_blocks = []
    for start in progress_bar(progress, range(0, n, BLOCK), unit="block", leave=None):
        users = np.arange(start, min(start + BLOCK, n))
        similarities = keep_nearest(similarity(users), users, k)
        is_neighbour = ~np.isnan(similarities)
        powers = np.where(is_neighbour, similarities, 0) ** q * is_neighbour
        power_blocks.append(csr_array(powers))
        membership_blocks.append(csr_array(is_neighbour.astype(float)))
    powers_by_user = vstack(power_blocks, format="csr")
    memberships = vstack(membership_blocks, format="csr")
    has_link = links.sign()

    def scores(users: IntArray) -> FloatArray:
        totals: FloatArray = (links[users] @ powers_by_user).toarray()
        n_linked = (has_link[users] @ memberships).toarray()
        totals[n_linked == 0] = np.nan
        return totals

    return scores


def keep_nearest(similarities: FloatArray, users: IntArray, k: int) -> FloatArray:
    """Return the similarities, with NaN for all but the k largest of each row.

    ``similarities`` has a row for each of the ``users``, given as positions, and a column for each
    user of the network. Similarities of users with themselves become NaN first. Of equal
    similarities, those in earlier columns are kept.
    """
    candidates = similarities.copy()
    candidates[np.arange(len(users)), users] = np.nan
    sort_keys = np.where(np.isnan(candidates), -np.inf, candidates)
    nearest = np.argsort(-sort_keys, axis=1, kind="stable")[:, :k]
    nearest_similarities = np.full_like(candidates, np.nan)
    rows = np.arange(len(users))[:, np.newaxis]
    nearest_similarities[rows, nearest] = candidates[rows, nearest]
    return nearest_similarities


def check_neighbour_options(k: int, q: float, similarity: object) -> None:
    """Raise `InputError` unless the options of nearest neighbours are valid."""
    check_count(k, "k")
    check_not_negative(q, "q")
    rule = "be a trained recommender, a function"
    check_that(callable(similarity), "similarity", rule, similarity)
