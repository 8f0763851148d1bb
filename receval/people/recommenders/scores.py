"""The type that every people recommender returns: a function that scores candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from receval._checks import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scorer: TypeAlias = Callable[[IntArray], FloatArray]
"""A trained recommender.

It takes the positions of b target users in `SocialNetwork.users` and returns an array of shape
(b, n): the score of every user of the network as a candidate. NaN means that the recommender has
no score for a candidate; such candidates are never recommended.
"""


def scores_where_linked(scores: csr_array, is_linked: csr_array) -> FloatArray:
    """Return sparse scores as an array, with NaN where ``is_linked`` has no entry.

    A score may be exactly 0, so the entries of ``scores`` alone don't say who has one.
    """
    dense: FloatArray = scores.toarray()
    dense[is_linked.toarray() == 0] = np.nan
    return dense
