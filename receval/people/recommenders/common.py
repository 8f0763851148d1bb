"""Recommenders that count common neighbours: friends of friends."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray, check_flag, check_that
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.scores import Scorer, scores_where_linked

__all__ = ["adamic_adar", "common_neighbours", "cosine", "jaccard"]


def common_neighbours(
    network: SocialNetwork, *, target: str = "OUT", candidate: str = "IN"
) -> Scorer:
    r"""Score candidates by the number of neighbours that they share with the target user.

    .. math:: s(u, v) = |\Gamma(u) \cap \Gamma(v)|

    Parameters
    ----------
    network : SocialNetwork
    target, candidate : {"OUT", "IN", "UND", "MUTUAL"}
        Which neighbourhood of the target user and of the candidate counts; see
        `SocialNetwork.neighbours`. With the defaults a path leads from the target through the
        common neighbour to the candidate.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n). Scores are whole numbers from 1; NaN without a common neighbour.

    Raises
    ------
    InputError
        If there is no such orientation.

    References
    ----------
    Liben-Nowell and Kleinberg (2007), "The link-prediction problem for social networks",
    https://doi.org/10.1002/asi.20591; RELISON's manual, page "Friends of friends" (``MCN``).

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 1, 2, 3], "item": [2, 3, 4, 4]})
    >>> common_neighbours(SocialNetwork.from_links(links))(np.array([0]))
    array([[nan, nan, nan,  2.]])
    """
    check_network(network)
    of_targets = network.neighbours(target)
    of_candidates = network.neighbours(candidate)

    def scores(users: IntArray) -> FloatArray:
        n_common = of_targets[users] @ of_candidates.T
        return scores_where_linked(n_common, n_common)

    return scores


def jaccard(network: SocialNetwork, *, target: str = "OUT", candidate: str = "IN") -> Scorer:
    r"""Score candidates by the share of common neighbours among all neighbours of the two.

    .. math:: s(u, v) = \frac{|\Gamma(u) \cap \Gamma(v)|}{|\Gamma(u) \cup \Gamma(v)|}

    Parameters
    ----------
    network, target, candidate
        As in `common_neighbours`.

    Returns
    -------
    callable
        As in `common_neighbours`. Scores are in (0, 1]; NaN without a common neighbour.

    Raises
    ------
    InputError
        If there is no such orientation.

    References
    ----------
    Liben-Nowell and Kleinberg (2007), "The link-prediction problem for social networks",
    https://doi.org/10.1002/asi.20591; RELISON's manual, page "Friends of friends".

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 1, 2], "item": [2, 3, 4]})
    >>> jaccard(SocialNetwork.from_links(links))(np.array([0]))
    array([[nan, nan, nan, 0.5]])
    """
    check_network(network)
    of_targets = network.neighbours(target)
    of_candidates = network.neighbours(candidate)
    target_sizes = of_targets.sum(axis=1)
    candidate_sizes = of_candidates.sum(axis=1)

    def scores(users: IntArray) -> FloatArray:
        common = of_targets[users] @ of_candidates.T
        n_common = scores_where_linked(common, common)
        n_in_union = target_sizes[users, np.newaxis] + candidate_sizes - n_common
        shares: FloatArray = n_common / n_in_union
        return shares

    return scores


def adamic_adar(
    network: SocialNetwork,
    *,
    target: str = "OUT",
    candidate: str = "IN",
    middle: str = "UND",
    offset: int = 2,
) -> Scorer:
    r"""Score candidates by their common neighbours; those with few neighbours count more.

    .. math:: s(u, v) = \sum_{w \in \Gamma(u) \cap \Gamma(v)} \frac{1}{\log(|\Gamma(w)| + o)}

    Parameters
    ----------
    network, target, candidate
        As in `common_neighbours`.
    middle : {"OUT", "IN", "UND", "MUTUAL"}, default "UND"
        Which neighbourhood of the common neighbour w counts.
    offset : {2, 0}, default 2
        The number o. RELISON's program adds 2, so that the logarithm is never 0, and multiplies all
        scores by log 2. The published formula has 0; it is undefined if a common neighbour has
        fewer than two neighbours.

    Returns
    -------
    callable
        As in `common_neighbours`. Scores are above 0; NaN without a common neighbour. With offset
        2, they include RELISON's factor log 2.

    Raises
    ------
    InputError
        If there is no such orientation, or the offset is neither 0 nor 2.

    References
    ----------
    Adamic and Adar (2003), "Friends and neighbors on the Web",
    https://doi.org/10.1016/S0378-8733(03)00009-1; RELISON's class ``AdamicAdar``.

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 2], "item": [2, 3]})
    >>> adamic_adar(SocialNetwork.from_links(links))(np.array([0]))
    array([[nan, nan, 0.5]])
    """
    check_network(network)
    check_offset(offset)
    of_targets = network.neighbours(target)
    of_candidates = network.neighbours(candidate)
    middle_sizes = network.neighbours(middle).sum(axis=1)
    if offset == 2:
        importance = np.log(2) / np.log(middle_sizes + 2)
    else:
        # With 0 or 1 neighbours, the logarithm has no usable inverse, so such scores become NaN.
        logarithms = np.log(np.where(middle_sizes > 1, middle_sizes, np.nan))
        importance = 1 / logarithms

    def scores(users: IntArray) -> FloatArray:
        neighbourhoods = of_targets[users]
        weighted = neighbourhoods.multiply(importance[np.newaxis, :]).tocsr()
        common = neighbourhoods @ of_candidates.T
        return scores_where_linked(weighted @ of_candidates.T, common)

    return scores


def check_offset(offset: int) -> None:
    """Raise `InputError` unless the offset of `adamic_adar` is 0 or 2."""
    check_that(type(offset) is int and offset in (0, 2), "offset", "be 0 or 2", offset)


def cosine(
    network: SocialNetwork, *, target: str = "OUT", candidate: str = "IN", weighted: bool = False
) -> Scorer:
    r"""Score candidates by the cosine between their links and those of the target user.

    .. math:: s(u, v) = \frac{\sum_w x_{uw}\, y_{vw}}{\|x_u\| \, \|y_v\|}

    Here x and y are the rows of `SocialNetwork.neighbours` for the two orientations.

    Parameters
    ----------
    network, target, candidate
        As in `common_neighbours`.
    weighted : bool, default False
        Whether links count with their weights.

    Returns
    -------
    callable
        As in `common_neighbours`. Scores are in (0, 1]; NaN without a common neighbour.

    Raises
    ------
    InputError
        If there is no such orientation, or ``weighted`` is not True or False.

    References
    ----------
    Lü and Zhou (2011), "Link prediction in complex networks: a survey",
    https://doi.org/10.1016/j.physa.2010.11.027 (Salton index); RELISON's manual, page "Friends of
    friends".

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 1, 2], "item": [2, 3, 4]})
    >>> cosine(SocialNetwork.from_links(links))(np.array([0])).round(2)
    array([[ nan,  nan,  nan, 0.71]])
    """
    check_network(network)
    check_flag(weighted, "weighted")
    of_targets = network.neighbours(target, weighted=weighted)
    of_candidates = network.neighbours(candidate, weighted=weighted)
    target_norms = np.sqrt(of_targets.power(2).sum(axis=1))
    candidate_norms = np.sqrt(of_candidates.power(2).sum(axis=1))

    def scores(users: IntArray) -> FloatArray:
        products = of_targets[users] @ of_candidates.T
        dense = scores_where_linked(products, products)  # weights are above 0, so products too
        # Where a norm is 0, there is no common neighbour, and the score is NaN already.
        with np.errstate(invalid="ignore", divide="ignore"):
            cosines: FloatArray = dense / (target_norms[users, np.newaxis] * candidate_norms)
        return cosines

    return scores
