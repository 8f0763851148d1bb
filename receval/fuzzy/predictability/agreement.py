"""Alternatives to implication: rank correlations and the overlap of the best systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan
from receval._checks import FloatArray, check_choice, check_integer, check_that
from receval.fuzzy.predictability._tables import descending_ranks, read_both


def kendall_matrix(results: pd.DataFrame) -> pd.DataFrame:
    r"""Compute Kendall's :math:`\tau_b` between every two columns.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}

    with C concordant and D discordant pairs of systems, P pairs in all, and :math:`T_x` or
    :math:`T_y` pairs that are tied in a column.

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
    r"""Measure how similarly two columns order the systems, without implication.

    ============ ======================================================================
    method       value
    ============ ======================================================================
    ``kendall``  Kendall's :math:`\tau_b`, as in `kendall_matrix`
    ``spearman`` Spearman's :math:`\rho`: correlation of the ranks, where ties get their mean rank
    ``top``      share of the ``top`` best systems that both columns have in common
    ============ ======================================================================

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; one column per metric or measure; higher is
        better.
    method : {"kendall", "spearman", "top"}, default "kendall"
        One of the methods above.
    top : int, optional
        Number of best systems; required for ``"top"``, refused otherwise. Systems that are tied for
        the last place share it, so a column of equal values has the overlap that chance gives.

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns. Correlations are in [-1, 1] and
        NaN if a column has no two different values. Shares are in [0, 1]; chance gives top / n.

    Raises
    ------
    InputError
        If the systems of the two tables differ, a value is missing or infinite, the method is
        unknown, or ``top`` is missing, not allowed or above the number of systems.

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
    offline, online = read_both(offline, online)
    x, y = offline.to_numpy(), online.to_numpy()
    if method == "top":
        n_best = check_integer(top, "top", 1, len(x))
        # For each pair of columns, multiply the two membership degrees of each system and add them
        # up.
        values = _membership(x, n_best).T @ _membership(y, n_best) / n_best
    else:
        check_that(top is None, "top", f"be left out when method is {method!r}", top)
        if method == "kendall":
            values = kendall(x, y)
        else:
            values = pearson(descending_ranks(x), descending_ranks(y))
    return pd.DataFrame(values, index=offline.columns, columns=online.columns)


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of each column of ``x`` with each column of ``y``.

    Both have the shape (..., systems, columns), and the result the shape (..., columns of ``x``,
    columns of ``y``). NaN if a column has no two different values, or if it has NaN.
    """
    products = np.zeros((x.shape[-1], y.shape[-1]))
    x_squares, y_squares = np.zeros(x.shape[-1]), np.zeros(y.shape[-1])
    # All pairs at once would need memory for n (n - 1) / 2 rows.
    for first in range(x.shape[-2] - 1):
        # 1 if the first system of a pair is higher, -1 if it is lower, 0 for a tie.
        x_signs = np.sign(x[..., [first], :] - x[..., first + 1 :, :])
        y_signs = np.sign(y[..., [first], :] - y[..., first + 1 :, :])
        products = products + np.swapaxes(x_signs, -2, -1) @ y_signs
        x_squares = x_squares + (x_signs**2).sum(axis=-2)
        y_squares = y_squares + (y_signs**2).sum(axis=-2)
    return _cosines(products, x_squares, y_squares)


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's correlation of columns, for arrays of the shapes that `kendall` takes."""
    # It is the cosine of the deviations from the means.
    x = x - x.mean(axis=-2, keepdims=True)
    y = y - y.mean(axis=-2, keepdims=True)
    products = np.swapaxes(x, -2, -1) @ y
    return _cosines(products, (x**2).sum(axis=-2), (y**2).sum(axis=-2))


def _cosines(products: FloatArray, x_squares: FloatArray, y_squares: FloatArray) -> FloatArray:
    """Return cosines, from dot products and the squared lengths of rows and columns.

    A cosine is NaN if one of the lengths is 0.
    """
    squares = x_squares[..., :, np.newaxis] * y_squares[..., np.newaxis, :]
    return divide_or_nan(products, np.sqrt(squares))


def _membership(values: FloatArray, n_best: int) -> FloatArray:
    """Return the degree, from 0 to 1, to which each system is among the best of each column.

    There are ``n_best`` places among the best. Systems that are tied for the last of them share the
    places that are left: if three systems are tied for one place, each gets the degree 1/3.
    """
    # The value of the last place in each column.
    last_value = np.sort(values, axis=0)[len(values) - n_best]
    is_above = values > last_value
    is_tied = values == last_value
    tied_share = (n_best - is_above.sum(axis=0)) / is_tied.sum(axis=0)
    return np.asarray(is_above + is_tied * tied_share, np.float64)
