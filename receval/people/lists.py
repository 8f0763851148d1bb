"""Turn the scores of a people recommender into recommended links, the best k for each user."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    IntArray,
    as_ids,
    check_count,
    check_flag,
    check_that,
    format_first,
    input_error,
)
from receval._progress import progress_bar
from receval._types import Id
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.scores import Scorer
from receval.tables.columns import read_ids

__all__ = ["recommend"]

BLOCK = 256
"""Number of target users whose scores are in memory at once."""


def recommend(
    network: SocialNetwork,
    scorer: Scorer,
    *,
    k: int,
    users: Iterable[Id] | None = None,
    reciprocal: bool = False,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Recommend to each user the k candidates with the highest scores.

    Nobody is recommended to themselves or to a user who links to them already. Candidates without
    a score (NaN) are never recommended, so a list may have fewer than k links or none.

    Parameters
    ----------
    network : SocialNetwork
    scorer : callable
        A trained recommender of `receval.people.recommenders`.
    k : int
        The largest number of links to recommend to a user.
    users : iterable, optional
        Ids of the target users. Default: all users of the network.
    reciprocal : bool, default False
        Whether to recommend people who already link to the user. RELISON's default is False too.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.

    Returns
    -------
    DataFrame
        ``user``, ``item`` (the recommended user) and ``score``. Users keep their order; each user's
        links are sorted by descending score, and by ascending id where scores are equal.

    Raises
    ------
    InputError
        If ``k`` is not a positive integer, or a target user is not in the network.

    Examples
    --------
    >>> from receval.people.recommenders import common_neighbours
    >>> links = pd.DataFrame({"user": [1, 1, 2, 3, 3], "item": [2, 3, 4, 4, 5]})
    >>> network = SocialNetwork.from_links(links)
    >>> recommend(network, common_neighbours(network), k=2, users=[1])
       user  item  score
    0     1     4    2.0
    1     1     5    1.0
    """
    check_network(network)
    check_that(callable(scorer), "scorer", "be a trained recommender, a function", scorer)
    check_count(k, "k")
    check_flag(reciprocal, "reciprocal")
    targets = np.arange(len(network.users))
    if users is not None:
        targets = _positions_of(network, as_ids(users, "users", "be different ids of users"))
    outgoing = network.neighbours("OUT")
    excluded = outgoing
    if not reciprocal:
        excluded = network.neighbours("UND")

    user_parts = [np.empty(0, np.int64)]
    item_parts = [np.empty(0, np.int64)]
    score_parts = [np.empty(0)]
    for start in progress_bar(progress, range(0, len(targets), BLOCK), unit="block", leave=None):
        block = targets[start : start + BLOCK]
        scores = scorer(block)
        is_candidate = ~np.isnan(scores) & (excluded[block].toarray() == 0)
        is_candidate[np.arange(len(block)), block] = False
        for target, candidate_scores, mask in zip(block, scores, is_candidate, strict=True):
            best = best_candidates(candidate_scores, np.flatnonzero(mask), k)
            user_parts.append(np.full(len(best), target))
            item_parts.append(best)
            score_parts.append(candidate_scores[best])
    return pd.DataFrame(
        {
            "user": network.users[np.concatenate(user_parts)],
            "item": network.users[np.concatenate(item_parts)],
            "score": np.concatenate(score_parts),
        }
    )


def best_candidates(scores: FloatArray, candidates: IntArray, k: int) -> IntArray:
    """Return the k candidates with the highest scores, best first.

    ``scores`` has a score for each position, and ``candidates`` has positions in ascending order.
    Of candidates with equal scores, earlier ones come first.
    """
    of_candidates = scores[candidates]
    if len(candidates) > k:
        # Sort only those that reach the k-th highest score.
        kth_highest = np.partition(of_candidates, len(candidates) - k)[len(candidates) - k]
        reaches = of_candidates >= kth_highest
        candidates = candidates[reaches]
        of_candidates = of_candidates[reaches]
    order = np.argsort(-of_candidates, kind="stable")[:k]
    return candidates[order]


def _positions_of(network: SocialNetwork, users: list[Id]) -> IntArray:
    """Return the positions of target users; raise `InputError` for ids that have no link."""
    # Use objects, because pandas 2.2 fails on integers that are too large for a float.
    read_ids(pd.Series(users, dtype=object), "users")  # all are integers, or all are texts
    # Use objects here too, because they keep their type: the text "1" is not the user 1.
    positions = network.codes(np.array(users, dtype=object))
    unknown = [user for user, position in zip(users, positions, strict=True) if position < 0]
    if unknown:
        advice = "Nothing can be recommended to users without links"
        rule = "be users of the network"
        raise input_error("users", rule, format_first(unknown, to_text=repr), advice)
    return positions
