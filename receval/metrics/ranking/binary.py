"""Metrics of the first relevant item (grade above 0) of a list."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import as_gains, check_cutoff
from receval._checks import FloatArray
from receval.metrics.discounts import reciprocal
from receval.metrics.formula import RankFormula, Terms, is_relevant
from receval.metrics.spec import MeasureSpec


def hit(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""Return 1 if a relevant item is among the first k, else 0; the mean is the hit rate (HR).

    .. math:: \mathrm{hit@}k = [\exists\, i \le k : g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        1 or 0; 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 000, section "Evaluated metrics", HR@10.

    Examples
    --------
    >>> hit([[0, 1, 0], [0, 0, 1]], k=2)
    array([1., 0.])
    """
    top = as_gains(gains)[..., : check_cutoff(k)]
    return np.asarray((top > 0).any(axis=-1), np.float64)[()]


HR = MeasureSpec(
    name="HR",
    function=hit,
    label="hit",
    title="hit rate",
    formula=r"[\exists\, i \le k : g_{ui} > 0]",
    source="@deshpande2004; document 000",
    computation=RankFormula(Terms(is_relevant, above="unstopped")),
    aliases=("hit", "hits", "hitrate", "hit_rate", "success"),
)


def reciprocal_rank(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""One over the rank of the first relevant item; its mean over lists is the MRR.

    .. math:: \mathrm{RR@}k = \begin{cases} 1 / \min \{ i \le k : g_i > 0 \} \\
              0 & \text{without a relevant item among the first } k \end{cases}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank. Default: the whole list, as in document 002; document 000 cuts at 10.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Document 000, section "Evaluated metrics", mir and MRR@10.

    Examples
    --------
    >>> reciprocal_rank([[0, 1, 1], [0, 0, 1]], k=2)
    array([0.5, 0. ])
    """
    top = as_gains(gains)[..., : check_cutoff(k)]
    ranks = np.arange(1, top.shape[-1] + 1)
    return np.asarray(((top > 0) / ranks).max(axis=-1, initial=0.0))[()]


MRR = MeasureSpec(
    name="MRR",
    function=reciprocal_rank,
    label="reciprocal rank",
    title="mean reciprocal rank",
    formula=r"\frac{1}{\min \{i \le k : g_{ui} > 0\}}",
    source="@craswell2009; document 000",
    computation=RankFormula(Terms(is_relevant, reciprocal, above="unstopped")),
    aliases=("rr", "reciprocal_rank", "recip_rank"),
)
