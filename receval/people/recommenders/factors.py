"""Implicit matrix factorisation: a few numbers for each user as origin and destination of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from receval._checks import (
    FloatArray,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_flag,
    input_error,
)
from receval._progress import progress_bar
from receval.people.network import SocialNetwork, check_network
from receval.people.recommenders.ranges import check_above_0, check_not_negative
from receval.people.recommenders.scores import Scorer

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["implicit_matrix_factorisation"]


def implicit_matrix_factorisation(
    network: SocialNetwork,
    *,
    n_factors: int,
    regularization: float,
    alpha: float,
    weighted: bool = False,
    n_rounds: int = 20,
    rng: Seed = 0,
    progress: bool | None = False,
) -> Scorer:
    r"""Score candidates by the product of their factors with those of the target user.

    The factors p of origins and q of destinations minimize

    .. math::

        \sum_{u, v} (1 + \alpha x_{uv}) (x_{uv} - p_u \cdot q_v)^2
        + \lambda \Big( \sum_u \|p_u\|^2 + \sum_v \|q_v\|^2 \Big)

    where x is the weight of the link from u to v, and 0 without a link. Alternating least squares
    solves for all q, then for all p, and so on.

    Parameters
    ----------
    network : SocialNetwork
    n_factors : int
        Number of factors; RELISON calls it k.
    regularization : float
        The number :math:`\lambda`, above 0.
    alpha : float
        How much more a link counts than no link; at least 0.
    weighted : bool, default False
        Whether x is the weight of the link. Otherwise it is 1.
    n_rounds : int, default 20
        Number of rounds, each of which solves for both sides. The default is RELISON's.
    rng : numpy.random.Generator or int, default 0
        Draws the first factors of origins, uniform in :math:`[0, 1/\sqrt{K})`.
    progress : bool, optional
        Whether to show a progress bar over the rounds; None shows one on a terminal.

    Returns
    -------
    callable
        The function ``scores(users)``, which takes positions of users, shape (b,), and returns
        scores, shape (b, n). The scores of a user without outgoing links are NaN, because nothing
        is known about this user; those of a candidate without incoming links are 0.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Notes
    -----
    For a user with only a few links, m of them, the function solves m equations instead of K,
    because :math:`(G + Q^T D Q)^{-1} Q^T = G^{-1} Q^T (I + D Q G^{-1} Q^T)^{-1}`. Both give the
    same factors. The target x of a link with a weight is the weight and not 1, as in RankSys 0.4.3.

    References
    ----------
    Hu, Koren and Volinsky (2008), "Collaborative filtering for implicit feedback datasets",
    https://doi.org/10.1109/ICDM.2008.22; RankSys 0.4.3, class ``HKVFactorizer``.

    Examples
    --------
    >>> import pandas as pd
    >>> links = pd.DataFrame({"user": [1, 1, 2, 4], "item": [2, 3, 3, 2]})
    >>> scores = implicit_matrix_factorisation(
    ...     SocialNetwork.from_links(links), n_factors=2, regularization=0.1, alpha=40)
    >>> scores(np.array([0])).round(1)
    array([[0., 1., 1., 0.]])
    """
    check_network(network)
    check_count(n_factors, "n_factors")
    check_count(n_rounds, "n_rounds")
    regularization = check_above_0(regularization, "regularization")
    alpha = check_not_negative(alpha, "alpha")
    check_flag(weighted, "weighted")
    random = as_generator(rng)
    outgoing = network.neighbours("OUT", weighted=weighted)
    incoming = network.neighbours("IN", weighted=weighted)

    n = len(network.users)
    origin_factors = np.sqrt(1 / n_factors) * random.random((n, n_factors))
    destination_factors = np.zeros((n, n_factors))
    for _ in progress_bar(progress, range(n_rounds), unit="round", leave=None):
        destination_factors = solve_factors(incoming, origin_factors, regularization, alpha)
        origin_factors = solve_factors(outgoing, destination_factors, regularization, alpha)
        _check_finite(destination_factors, origin_factors)
    has_links = np.diff(outgoing.indptr) > 0

    def scores(users: IntArray) -> FloatArray:
        products: FloatArray = origin_factors[users] @ destination_factors.T
        products[~has_links[users]] = np.nan
        return products

    return scores


def _check_finite(*factors: FloatArray) -> None:
    """Raise `InputError` if any factor is infinite or NaN."""
    if not all(np.isfinite(side).all() for side in factors):
        raise _unsolvable()


def _unsolvable() -> InputError:
    """Return the error for weights and parameters whose factors don't fit into float64."""
    rule = "give factors that fit into float64"
    got = "an overflow, or equations without a solution"
    advice = "Very large weights or alpha, or a tiny regularization, cause this"
    return input_error("weights, alpha and regularization", rule, got, advice)


def solve_factors(
    links: csr_array, others: FloatArray, regularization: float, alpha: float
) -> FloatArray:
    """Return the factors of the rows of ``links``, for fixed factors of its columns.

    Parameters
    ----------
    links : csr_array, shape (n, m)
        Weights x of links; the rows are the side to solve for.
    others : ndarray, shape (m, K)
        Factors of the other side.
    regularization, alpha
        As in `implicit_matrix_factorisation`.

    Returns
    -------
    ndarray, shape (n, K)
        Least-squares solutions; 0 for a row without links.

    Raises
    ------
    InputError
        If the equations have no solution, because numbers are too large for float64.
    """
    n_factors = others.shape[1]
    gram = others.T @ others + regularization * np.eye(n_factors)
    inverse_times_others = _solve(gram, others.T).T  # shape (m, K)
    factors = np.zeros((links.shape[0], n_factors))
    for row in range(links.shape[0]):
        entries = slice(links.indptr[row], links.indptr[row + 1])
        columns = links.indices[entries]
        values = links.data[entries]
        confidence_of_links = alpha * values
        targets = (1 + confidence_of_links) * values
        if len(columns) <= n_factors:
            # Few links: solve a system with an equation per link; see the notes of
            # `implicit_matrix_factorisation`.
            products = others[columns] @ inverse_times_others[columns].T
            system = np.eye(len(columns)) + confidence_of_links[:, np.newaxis] * products
            factors[row] = inverse_times_others[columns].T @ _solve(system, targets)
        else:
            of_links = others[columns]
            system = gram + of_links.T @ (confidence_of_links[:, np.newaxis] * of_links)
            factors[row] = _solve(system, of_links.T @ targets)
    return factors


def _solve(matrix: FloatArray, right_side: FloatArray) -> FloatArray:
    """Return the solution of linear equations; raise `InputError` if there is none."""
    try:
        return np.asarray(np.linalg.solve(matrix, right_side), dtype=float)
    except np.linalg.LinAlgError:
        raise _unsolvable() from None
