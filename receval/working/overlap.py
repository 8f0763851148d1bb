"""The working of rank-biased overlap: one row per depth of two rankings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval.metrics import ranking
from receval.working._tables import add_metric_so_far, check_one_list, table_by_rank

__all__ = ["rbo"]


def rbo(
    first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9, k: int | None = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.rbo`: one row per depth.

    A row has the items that the two rankings have at this rank, -1 after the end of a ranking, and
    the term. The last column, ``RBO``, is the metric so far. The arguments are the same as for the
    metric, with a single list each.

    Examples
    --------
    >>> rbo([4, 2, 7], [2, 4], p=0.5)[["first", "second", "term"]].round(4)
       first  second  term
    0      4       2  0.00
    1      2       4  0.25
    2      7      -1  0.25
    """
    terms = ranking.rbo_terms(first, second, p=p, k=k)
    value = ranking.rbo(first, second, p=p, k=k)
    check_one_list(terms, "first")  # the terms have several axes if a ranking has
    columns = {
        "first": _pad_codes(first, terms.size),
        "second": _pad_codes(second, terms.size),
        "term": terms,
    }
    return add_metric_so_far(table_by_rank(columns, rank="depth"), "RBO", value)


def _pad_codes(codes: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    """Return the first n item codes of a ranking, with -1 after its end."""
    return np.append(codes, np.full(n, -1))[:n].astype(np.int64)
