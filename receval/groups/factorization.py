"""Matrix factorization by alternating least squares: the recommender that document 001 tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_numbers, check_overflow, check_pairs, check_same_labels
from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_flag,
    check_not_empty,
    check_number,
    check_that,
)
from receval.tables.columns import (
    as_series,
    check_no_rows,
    id_codes,
    read_column,
    read_numbers,
    shared_codes,
)
from receval.tables.reading import open_table

MAX_PRODUCTS = 2**31
"""Largest number of products in memory at once: 16 GiB of float64."""


@dataclass(frozen=True)
class Factorization:
    r"""A fitted model: users and items as vectors of K numbers, and biases.

    .. math:: \hat r_{ui} = \mu + b_u + c_i + \sum_{k=1}^{K} A_{uk} B_{ki}

    Attributes
    ----------
    users, items : DataFrame
        The factors (columns 1 to K) of every user and item of the training rows.
    user_bias, item_bias : Series
        How far a user's ratings are above the mean, and how far an item's ratings are above it; 0
        without biases.
    mean : float
        :math:`\mu`, the mean of the training ratings; 0 without biases.
    """

    users: pd.DataFrame
    items: pd.DataFrame
    user_bias: pd.Series
    item_bias: pd.Series
    mean: float

    def predict(self, users: npt.ArrayLike, items: npt.ArrayLike) -> FloatArray:
        """Predict the ratings of pairs of user and item, including new users and items.

        Parameters
        ----------
        users, items : array_like, shape (n,)
            Ids. For a new user, the prediction is the mean plus the item's bias; for a new item, it
            is the mean plus the user's bias. Predictions are not clipped to the scale of ratings.

        Returns
        -------
        ndarray of float, shape (n,)

        Raises
        ------
        InputError
            If the numbers of users and items differ, if an id is missing, or if ids are texts
            although training had numbers, or the other way round.

        Examples
        --------
        >>> ratings = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [4, 2, 4]})
        >>> factorize(ratings, 1).predict([3], [9]).round(4)  # both are new: the mean
        array([3.3333])
        """
        check_same_labels(users=users, items=items)
        user_ids, item_ids = as_series(users, "users"), as_series(items, "items")
        # Raise if an id is missing, or if ids are of another kind than those of the training rows.
        shared_codes({"ratings": self.users.index.to_series(), "predict": user_ids}, "users")
        shared_codes({"ratings": self.items.index.to_series(), "predict": item_ids}, "items")
        check_pairs(user_ids.to_numpy(), item_ids.to_numpy(), "users items")
        # New users and items have no row, so they get zeros.
        user_factors = self.users.reindex(user_ids, fill_value=0).to_numpy()
        item_factors = self.items.reindex(item_ids, fill_value=0).to_numpy()
        user_bias = self.user_bias.reindex(user_ids, fill_value=0).to_numpy()
        item_bias = self.item_bias.reindex(item_ids, fill_value=0).to_numpy()
        products = (user_factors * item_factors).sum(axis=1)
        return np.asarray(self.mean + (user_bias + item_bias) + products)


def factorize(
    ratings: pd.DataFrame,
    factors: int,
    *,
    biases: bool = True,
    rounds: int = 15,
    regularization: float = 0.1,
    rng: Seed = 0,
) -> Factorization:
    r"""Fit the factors of users and the factors of items in turn, by least squares.

    .. math:: \min \sum_{(u,i)} (r_{ui} - \hat r_{ui})^2 + \lambda \left(
              \sum_u n_u (b_u^2 + \lVert a_u \rVert^2) +
              \sum_i n_i (c_i^2 + \lVert b_i \rVert^2) \right)

    where :math:`n_u` is the number of ratings of user u, and :math:`n_i` that of item i. If the
    items are held fixed, the users have a solution in closed form, and vice versa. The sum never
    rises from one turn to the next.

    Parameters
    ----------
    ratings : DataFrame
        One row per rating, with the columns ``user``, ``item`` and ``rating``.
    factors : int
        K, the number of factors. Memory grows with the number of ratings times (K + 1)². This
        product must be at most 2**31.
    biases : bool, default True
        Whether to fit the mean and biases in addition to the factors.
    rounds : int, default 15
        Number of rounds; each solves for the users and then for the items.
    regularization : float, default 0.1
        :math:`\lambda`, at least 0. With 0, a full table and no biases, the products converge to
        the best approximation of rank K, which is also the result of the singular value
        decomposition.
    rng : numpy.random.Generator or int, default 0
        Draws the first factors of the items.

    Returns
    -------
    Factorization

    Raises
    ------
    InputError
        If there is no rating, a pair is rated twice, an id or a rating is missing, or an option
        is outside its range.

    References
    ----------
    Document 001, section on the root mean square error (which uses an SVD module); Zhou, Wilkinson,
    Schreiber, Pan: Large-scale parallel collaborative filtering for the Netflix prize, AAIM 2008.

    Examples
    --------
    In a table of rank 1, one factor determines the missing rating:

    >>> ratings = pd.DataFrame(
    ...     {"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [2.0, 4.0, 1.0]}
    ... )
    >>> model = factorize(ratings, 1, biases=False, regularization=0)
    >>> model.predict([2], ["b"]).round(4)
    array([2.])
    """
    n_factors = check_count(factors, "factors")
    n_rounds = check_count(rounds, "rounds")
    check_flag(biases, "biases")
    weight = check_number(regularization, "regularization", "at least 0", lambda x: x >= 0)
    table = open_table(ratings, "ratings")
    name = "ratings['rating']"  # what error messages call the column
    values = as_numbers(read_numbers(read_column(table, "rating", "ratings"), name), name)
    check_not_empty(values, "ratings")
    # `_solve_side` holds the products of every two columns of a vector for each rating.
    n_biases = int(biases)  # the number of columns with biases in each table of vectors: 0 or 1
    most = max(isqrt(MAX_PRODUCTS // len(values)) - n_biases, 1)
    rule = f"be at most {most:,} for {len(values):,} ratings, as all products of two are in memory"
    check_that(n_factors <= most, "factors", rule, n_factors)
    # The fit sums squares, so refuse ratings whose sum of squares is infinite.
    with np.errstate(over="ignore"):
        check_overflow(np.asarray(values @ values), "ratings")
    item_column = read_column(table, "item", "ratings")
    user_rows, users = id_codes(read_column(table, "user", "ratings"), "user of ratings")
    item_rows, items = id_codes(item_column, "item of ratings")
    user_ids, item_ids = pd.Index(users, name="user"), pd.Index(items, name="item")
    is_repeated = pd.DataFrame({"user": user_rows, "item": item_rows}).duplicated().to_numpy()
    rule = "be rated by a user at most once"
    check_no_rows(item_column, is_repeated, "ratings['item']", rule)

    # Column 0 holds the bias if there is one; the other columns hold the factors.
    mean = 0.0
    if biases:
        mean = float(values.mean())
        values = values - mean
    item_vectors = np.zeros((len(item_ids), n_biases + n_factors))
    # Start from numbers that are at least 0, like ratings. If the start has mixed signs and some
    # pairs have no rating, the rounds may end far from the best fit.
    item_vectors[:, n_biases:] = as_generator(rng).random((len(item_ids), n_factors))
    for _ in range(n_rounds):
        # Hold the items fixed and solve for the users, then the other way round.
        user_vectors = _solve_side(
            user_rows, len(user_ids), item_vectors[item_rows], values, n_biases, weight
        )
        item_vectors = _solve_side(
            item_rows, len(item_ids), user_vectors[user_rows], values, n_biases, weight
        )
    factor_numbers = np.arange(1, n_factors + 1)
    return Factorization(
        users=pd.DataFrame(user_vectors[:, n_biases:], user_ids, factor_numbers),
        items=pd.DataFrame(item_vectors[:, n_biases:], item_ids, factor_numbers),
        # The sum over one column is the bias; the sum over none is 0.
        user_bias=pd.Series(user_vectors[:, :n_biases].sum(1), user_ids),
        item_bias=pd.Series(item_vectors[:, :n_biases].sum(1), item_ids),
        mean=mean,
    )


def _solve_side(
    rows: IntArray,
    n_rows: int,
    other_vectors: FloatArray,
    ratings: FloatArray,
    n_biases: int,
    weight: float,
) -> FloatArray:
    """Return the biases and factors of all users, given those of the items, or vice versa.

    The parameters are described for users; for items the roles are swapped. Each user is a
    separate least-squares problem: predict their ratings from the vectors of the rated items.

    Parameters
    ----------
    rows : ndarray of int, shape (ratings,)
        The number of the user who gave each rating.
    n_rows : int
        The number of users.
    other_vectors : ndarray, shape (ratings, columns)
        The vector of the item of each rating: ``n_biases`` columns of biases, then factors.
    ratings : ndarray, shape (ratings,)
        The ratings, minus the mean if biases are fitted.
    n_biases : int
        1 if biases are fitted, else 0.
    weight : float
        The regularization for each rating.

    Returns
    -------
    ndarray, shape (users, columns)
        The vectors of the users, with columns as in ``other_vectors``.
    """
    from scipy.sparse import csr_array

    n_ratings = len(rows)
    # Subtract the other side's bias from a rating. The rest is this side's bias, whose regressor is
    # 1, plus the product of the factors. The sum is over the column of biases; if there are no
    # biases, it is over no column.
    targets = ratings - other_vectors[:, :n_biases].sum(axis=1)
    regressors = np.hstack([np.ones((n_ratings, n_biases)), other_vectors[:, n_biases:]])
    width = regressors.shape[1]
    # Multiplying by this matrix, of shape (n_rows, n_ratings), sums over the ratings of each row.
    sum_by_row = csr_array(
        (np.ones(n_ratings), (rows, np.arange(n_ratings))), shape=(n_rows, n_ratings)
    )
    # Set up the normal equations of each row: gram @ solution = moment. A sparse matrix multiplies
    # only arrays of two axes, so flatten the width x width products of each rating for the sum.
    products = (regressors[:, :, None] * regressors[:, None, :]).reshape(n_ratings, -1)
    gram = np.asarray(sum_by_row @ products).reshape(n_rows, width, width)
    # The regularization grows with the number of ratings of a row.
    gram += (weight * np.bincount(rows, minlength=n_rows))[:, None, None] * np.eye(width)
    moment = np.asarray(sum_by_row @ (regressors * targets[:, None]))
    # Without regularization, fewer ratings than factors leave several solutions. The
    # pseudo-inverse takes the smallest.
    solution: FloatArray = np.linalg.pinv(gram, hermitian=True) @ moment[:, :, None]
    return solution[:, :, 0]
