"""BM25, a ranking function of text retrieval, on the links of a social network."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray, check_flag
from receval.people.network import SocialNetwork, check_network, check_not_empty_orientation
from receval.people.recommenders.ranges import check_not_negative, check_share
from receval.people.recommenders.scores import Scorer, scores_where_linked

__all__ = ["bm25"]


def bm25(
    network: SocialNetwork,
    *,
    k: float,
    b: float,
    target: str = "OUT",
    candidate: str = "IN",
    length: str = "OUT",
    weighted: bool = False,
) -> Scorer:
    r"""Score candidates with BM25: users are documents, and their neighbours are the words.

    .. math::

        s(u, v) = \sum_{w \in \Gamma(u) \cap \Gamma(v)}
        \frac{(k + 1)\, x_{vw}}{k\,(1 - b + b\,\ell_v / \bar\ell) + x_{vw}}
        \log \frac{n - d_w + 0.5}{d_w + 0.5}

    Here x is the weight of w in the neighbourhood of the candidate v (1 without weights), d is the
    number of users who have w in their neighbourhood, n is the number of users, and
    :math:`\ell_v` is the sum of the weights in the candidate's neighbourhood of orientation
    ``length``, with the mean :math:`\bar\ell` over all users.

    Parameters
    ----------
    network : SocialNetwork
    k : float
        How slowly the weight of a link saturates; at least 0.
    b : float
        How strongly long neighbourhoods lower a score; in [0, 1].
    target, candidate, length : {"OUT", "IN", "UND", "MUTUAL"}
        Which neighbourhoods count: of the target user, of the candidate, and for the length of the
        candidate's neighbourhood; see `SocialNetwork.neighbours`. RELISON calls them uSel, vSel and
        dlSel.
    weighted : bool, default False
        Whether links of candidates count with their weights.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n). A score is negative if most common neighbours are neighbours of more
        than half of all users. It is NaN without a common neighbour.

    Raises
    ------
    InputError
        If ``k`` or ``b`` is out of range, an orientation does not exist, or nobody has a neighbour
        in the orientation that ``length`` names.

    References
    ----------
    Robertson and Zaragoza (2009), "The probabilistic relevance framework: BM25 and beyond",
    https://doi.org/10.1561/1500000019; Sanz-Cruzado et al. (2020), "Effective contact
    recommendation in social networks by adaptation of information retrieval models",
    https://doi.org/10.1016/j.ipm.2020.102285; RELISON's class ``BM25``.

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 2, 4, 5], "item": [2, 3, 5, 6]})
    >>> bm25(SocialNetwork.from_links(links), k=1, b=0.5)(np.array([0])).round(2)
    array([[ nan,  nan, 1.73,  nan,  nan,  nan]])
    """
    check_network(network)
    check_not_negative(k, "k")
    check_share(b, "b")
    check_flag(weighted, "weighted")
    of_targets = network.neighbours(target)
    of_candidates = network.neighbours(candidate, weighted=weighted)
    has_common = of_candidates.sign()

    # Rare neighbours count more.
    n_users = len(network.users)
    n_having = has_common.sum(axis=0)
    rarity = np.log((n_users - n_having + 0.5) / (n_having + 0.5))

    # A link of a candidate with a long neighbourhood counts less.
    of_length = network.neighbours(length, weighted=weighted)
    check_not_empty_orientation(of_length, "length", length)
    lengths = of_length.sum(axis=1)
    saturation = k * (1 - b + b * lengths / lengths.mean())
    frequencies = of_candidates.copy()
    n_links_per_candidate = np.diff(frequencies.indptr)
    saturation_of_link = np.repeat(saturation, n_links_per_candidate)
    frequencies.data = (k + 1) * frequencies.data / (saturation_of_link + frequencies.data)

    def scores(users: IntArray) -> FloatArray:
        neighbourhoods = of_targets[users]
        weighted_by_rarity = neighbourhoods.multiply(rarity[np.newaxis, :]).tocsr()
        common = neighbourhoods @ has_common.T
        return scores_where_linked(weighted_by_rarity @ frequencies.T, common)

    return scores
