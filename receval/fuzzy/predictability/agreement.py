"""The plain alternatives to implication: rank correlations and the overlap of the best."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._arrays import ratio
from receval._checks import FloatArray, check_choice, check_count, check_that
from receval.fuzzy.predictability._tables import aligned, by_system, descending_ranks
from receval.metrics.retrieval.pairs import counted, kendall_divisor
from receval.metrics.retrieval.ranking import share


def kendall_matrix(results: pd.DataFrame) -> pd.DataFrame:
    r"""Kendall's :math:`\tau_b` between every two columns: do they order the systems alike?

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}

    with C concordant and D discordant pairs of systems, P pairs, and T pairs tied in one column.

    Parameters
    ----------
    results : DataFrame
        Systems in rows, metrics or measures in columns.

    Returns
    -------
    DataFrame
        Symmetric, values in [-1, 1], 1 on the diagonal; NaN for a column without two different
        values.

    Raises
    ------
    InputError
        If a value is missing or infinite.

    References
    ----------
    Document 002, section V-B; Kendall (1945), Biometrika 33.

    Examples
    --------
    >>> online = pd.DataFrame({"CTR": [1, 2, 3], "VRR": [1, 3, 2]})
    >>> kendall_matrix(online).loc["CTR", "VRR"].round(4)
    np.float64(0.3333)
    """
    return agreement_matrix(results, results, method="kendall")


def agreement_matrix(
    offline: pd.DataFrame, online: pd.DataFrame, *, method: str = "kendall", top: int | None = None
) -> pd.DataFrame:
    r"""The plain alternatives to implication: do two columns order the systems alike?

    ============ ======================================================================
    method       value
    ============ ======================================================================
    ``kendall``  Kendall's :math:`\tau_b`, as in `kendall_matrix`
    ``spearman`` Spearman's :math:`\rho`: correlation of the ranks, ties with their mean
    ``top``      share of the ``top`` best systems of the one among those of the other
    ============ ======================================================================

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; one column per metric or measure; higher is
        better.
    method : {"kendall", "spearman", "top"}, default "kendall"
        One of the above.
    top : int, optional
        How many systems are the best; needed, and used, by ``"top"`` only. Where the last
        place is tied, the tied systems share it; a column of equal values overlaps as chance
        does.

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns. Correlations are in [-1, 1] and
        NaN where a column has no two different values; shares are in [0, 1], and top / n is
        what chance gives.

    Raises
    ------
    InputError
        If the systems of the two tables differ, a value is missing or infinite, the method is
        unknown, or ``top`` is missing, not wanted or above the number of systems.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [0.6, 0.7, 0.8, 0.9]})
    >>> online = pd.DataFrame({"CTR": [0.02, 0.01, 0.04, 0.03]})
    >>> agreement_matrix(offline, online).loc["AUC", "CTR"].round(4)
    np.float64(0.3333)
    >>> agreement_matrix(offline, online, method="top", top=2).loc["AUC", "CTR"]
    np.float64(1.0)
    """
    check_choice(method, "method", ("kendall", "spearman", "top"))
    offline, online = by_system(offline, online)
    x, y = aligned(offline, online)
    wanted = method == "top" or top is None
    check_that(wanted, "top", f"be left out when method is {method!r}", top)
    if method == "kendall":
        values = np.array([[_tau_b(one, other) for other in y.T] for one in x.T])
    elif method == "spearman":
        one, other = (descending_ranks(side) - (len(x) + 1) / 2 for side in (x, y))
        lengths = np.sqrt(np.outer((one**2).sum(axis=0), (other**2).sum(axis=0)))
        values = ratio(one.T @ other, lengths)
    else:
        best = check_count(top, "top")
        check_that(best <= len(x), "top", f"be at most the number of systems, {len(x)}", best)
        values = _membership(x, best).T @ _membership(y, best) / best
    return pd.DataFrame(values, index=offline.columns, columns=online.columns)


def _tau_b(one: FloatArray, other: FloatArray) -> float:
    n = counted(one, other)
    return share(n.concordant - n.discordant, kendall_divisor(n, "b"))


def _membership(values: FloatArray, best: int) -> FloatArray:
    """Whether a system is among the best of each column; ties for the last place share it."""
    worst_in = np.sort(values, axis=0)[len(values) - best]
    above, level = values > worst_in, values == worst_in
    share = (best - above.sum(axis=0)) / level.sum(axis=0)
    return np.asarray(above + level * share, np.float64)
