"""Page rank of bidders on the graph of contracts, bidders and features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from receval._checks import FloatArray, as_ids, check_count
from receval.matchmaking.lists import (
    check_contracts,
    code_winners,
    link_matrix,
    long_table,
    read_feature,
)
from receval.tables.columns import check_no_rows, read_column

__all__ = ["page_rank"]

DAMPING = 0.85  # the probability that the walker follows a link
TOLERANCE = 1e-12  # the sum of changes at which the power iteration ends
SCORE_DIGITS = 9  # scores that are equal to this number of decimals count as equal


def page_rank(
    awards: pd.DataFrame, contracts: pd.DataFrame, *, features: Sequence[str] = (), k: int = 10
) -> pd.DataFrame:
    r"""For every contract, recommend the k bidders with the greatest page rank.

    .. math:: r(v) = \frac{1 - d}{n} + d \sum_{u \sim v} \frac{r(u)}{deg(u)}

    The graph has a node for each bidder, each contract, and each value of the features. A contract
    is linked to its winners and to its values; links have no direction. In each step, a walker
    follows a random link with the probability d = 0.85, and otherwise jumps to a random node.

    Parameters
    ----------
    awards : DataFrame
        Training awards; columns ``contract``, ``bidder``, and the features.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``.
    features : sequence of str, optional
        Columns whose values are nodes, such as ``["authority"]``. Without features, and if every
        contract has one winner, the graph falls apart into one star per bidder. The page rank then
        depends on the number of awards only.
    k : int, default 10
        Length of the lists; all bidders, if there are fewer.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``: the page rank divided by the mean page rank
        of all nodes, to nine decimals; equal scores in order of the bidders' ids.

    Raises
    ------
    InputError
        If there is no award; if a bidder, a contract or a feature's column is missing; if a
        contract occurs twice in ``contracts``; or if k is not a positive integer.

    Notes
    -----
    The thesis behind document 000 ranks bidders with a function that its database provides, over
    all of its linked data. Neither its data nor its formula is published, so the graph and formula
    above are ours.

    References
    ----------
    The thesis behind document 000, section "Blind matchmakers". Brin and Page (1998).

    Examples
    --------
    >>> awards = pd.DataFrame({"contract": [1, 2, 3], "bidder": ["a", "b", "b"]})
    >>> page_rank(awards, pd.DataFrame({"contract": [7]})).round(4)
       contract bidder   score
    0         7      b  1.4595
    1         7      a  1.0000
    """
    check_contracts(contracts)
    feature_names = as_ids(features, "features", "be names of columns")
    k = check_count(k, "k")
    winners, bidders = code_winners(awards)
    past = read_column(awards, "contract", "awards", " for page_rank")
    check_no_rows(past, past.isna().to_numpy(), "awards['contract']", "be known")
    contract_codes, distinct_contracts = pd.factorize(past)
    # The first nodes are the bidders. Then come the contracts, and the values of each feature.
    contract_nodes = len(bidders) + contract_codes
    n_nodes = len(bidders) + len(distinct_contracts)
    ends = [(contract_nodes, winners)]
    for feature in feature_names:
        codes, values = pd.factorize(read_feature(awards, feature, "awards"))
        is_known = codes >= 0  # a missing value has no node
        ends.append((contract_nodes[is_known], n_nodes + codes[is_known]))
        n_nodes += len(values)
    subjects = np.concatenate([first for first, _ in ends])
    objects = np.concatenate([second for _, second in ends])
    links = link_matrix(subjects, objects, n_nodes)
    ranks = _power_iteration(links + links.T)[: len(bidders)]
    # Bidders whose nodes have the same links differ by rounding errors only, so round the scores.
    scores = np.round(ranks * n_nodes, SCORE_DIGITS)
    top = np.argsort(-scores, kind="stable")[:k]
    lists = np.tile(top, (len(contracts), 1))
    return long_table(contracts, bidders, lists, scores[lists])


def _power_iteration(links: csr_array) -> FloatArray:
    """Return the page rank of every node of a graph in which every node has a link."""
    n_nodes = links.shape[0]
    n_links = links.sum(axis=0)
    ranks = np.full(n_nodes, 1 / n_nodes)
    change = np.inf
    while change >= TOLERANCE:  # each step shrinks the change to at most the damping's share of it
        moved = (1 - DAMPING) / n_nodes + DAMPING * (links @ (ranks / n_links))
        change = np.abs(moved - ranks).sum()
        ranks = moved
    return ranks
