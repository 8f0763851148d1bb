"""The working of rank-biased overlap: one row per depth of two rankings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval.metrics import ranking
from receval.working._tables import finished, ranked, terms_and_value, vector

__all__ = ["rbo"]


def rbo(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.rbo`: item codes at each depth, -1 behind an end.

    Examples
    --------
    >>> rbo([4, 2, 7], [2, 4], p=0.5)[["first", "second", "term"]].round(4)
       first  second  term
    0      4       2  0.00
    1      2       4  0.25
    2      7      -1  0.25
    """
    terms, value = terms_and_value(ranking, "rbo", first, second, p=p, k=k)
    vector(terms, "first")
    columns = {
        name: np.append(items, np.full(len(terms), -1))[: len(terms)].astype(np.int64)
        for name, items in (("first", first), ("second", second))
    }
    return finished(ranked({**columns, "term": terms}, rank="depth"), "RBO", value)
