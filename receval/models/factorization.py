"""Matrix factorization by alternating least squares: the recommender that document 001 tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

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
from receval._lists import check_same_length, in_range
from receval._rounding import as_float64
from receval._snapshots import hands_out_copies
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import as_series, column, numbers, refuse_rows
from receval.tables.formats import open_table

__all__ = ["Factorization", "factorize"]

MOST_PRODUCTS = 2**31  # 16 GiB of float64


@hands_out_copies("users", "items", "user_bias", "item_bias")
@dataclass(frozen=True)
class Factorization:
    r"""Users and items as vectors of K numbers, whose products are the predicted ratings.

    .. math:: \hat r_{ui} = \mu + b_u + c_i + \sum_{k=1}^{K} A_{uk} B_{ki}

    Attributes
    ----------
    users, items : DataFrame
        The factors, columns 1 to K, of every user and item of the training rows.
    user_bias, item_bias : Series
        By how much a user rates above the mean, and an item is rated above it; 0 without biases.
    mean : float
        :math:`\mu`, the mean of the training ratings; 0 without biases.
    """

    users: pd.DataFrame
    items: pd.DataFrame
    user_bias: pd.Series
    item_bias: pd.Series
    mean: float

    def predict(self, users: npt.ArrayLike, items: npt.ArrayLike) -> FloatArray:
        """Ratings of pairs of user and item; who or what was not trained on adds nothing.

        Parameters
        ----------
        users, items : array_like, shape (n,)
            Ids. Of a new user the mean and the item's bias remain, of a new item the mean and the
            user's bias. Nothing is clipped to the scale.

        Returns
        -------
        ndarray of float, shape (n,)

        Raises
        ------
        InputError
            If there are not as many users as items, or ids are missing or no ids as in training.

        Examples
        --------
        >>> ratings = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [4, 2, 4]})
        >>> factorize(ratings, 1).predict([3], [9]).round(4)  # both are new: the mean
        array([3.3333])
        """
        # -1 is who or what is new, and takes the row of zeros below.
        u, i = _places(users, self.users, "users"), _places(items, self.items, "items")
        check_same_length(u, i, "users items")
        a, b = (np.vstack([table, np.zeros(table.shape[1])]) for table in (self.users, self.items))
        bias = np.append(self.user_bias, 0.0)[u] + np.append(self.item_bias, 0.0)[i]
        return np.asarray(self.mean + bias + (a[u] * b[i]).sum(axis=1))


def factorize(
    ratings: pd.DataFrame,
    factors: int,
    *,
    biases: bool = True,
    rounds: int = 15,
    regularization: float = 0.1,
    rng: Seed = 0,
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
) -> Factorization:
    r"""Fit the factors of users and of items in turns, each turn a least-squares problem.

    .. math:: \min \sum_{(u,i)} (r_{ui} - \hat r_{ui})^2 + \lambda \left(
              \sum_u n_u (b_u^2 + \lVert a_u \rVert^2) +
              \sum_i n_i (c_i^2 + \lVert b_i \rVert^2) \right)

    with :math:`n_u` and :math:`n_i` ratings of a user and an item. With the items held fixed
    each user has a solution in closed form, and the other way round; no turn raises the sum.

    Parameters
    ----------
    ratings : DataFrame
        One row per rating.
    factors : int
        K, the number of factors. Memory grows with the number of ratings times (K + 1)², which
        must be at most 2**31.
    biases : bool, default True
        Whether mean and biases are fitted beside the factors.
    rounds : int, default 15
        How often the users and then the items are solved for.
    regularization : float, default 0.1
        :math:`\lambda`, at least 0. With 0, a full table and no biases, the products tend to the
        best ones of rank K, which are those of the singular value decomposition.
    rng : numpy.random.Generator or int, default 0
        Draws the factors of the items to begin with.
    user, item, rating : str
        The columns.

    Returns
    -------
    Factorization

    Raises
    ------
    InputError
        If there is no rating, a pair is rated twice, an id or a rating is missing, or an option
        is out of its range.

    References
    ----------
    Document 001, section on the root mean square error (its SVD module); Zhou, Wilkinson,
    Schreiber, Pan: Large-scale parallel collaborative filtering for the Netflix prize, AAIM 2008.

    Examples
    --------
    A table of rank 1 has one factor, from which the rating left out follows:

    >>> ratings = pd.DataFrame(
    ...     {"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [2.0, 4.0, 1.0]}
    ... )
    >>> model = factorize(ratings, 1, biases=False, regularization=0)
    >>> model.predict([2], ["b"]).round(4)
    array([2.])
    """
    k, turns = check_count(factors, "factors"), check_count(rounds, "rounds")
    check_flag(biases, "biases")
    weight = check_number(regularization, "regularization", "at least 0", lambda x: x >= 0)
    table = open_table(ratings, "ratings")
    given = {name: column(table, name, "ratings") for name in (user, item, rating)}
    _check_factors(k, int(biases), len(table))
    name = f"ratings[{rating!r}]"
    r = as_float64(numbers(given[rating], name), name)
    check_not_empty(r, "ratings")
    with np.errstate(over="ignore"):
        in_range(np.asarray(r @ r), "ratings")
    u, users = _known(given[user], user)
    i, items = _known(given[item], item)
    again = pd.DataFrame({"user": u, "item": i}).duplicated().to_numpy()
    refuse_rows(given[item], again, f"ratings[{item!r}]", "be rated by a user at most once")
    mean, free = (float(r.mean()), 1) if biases else (0.0, 0)
    x, y = np.zeros((len(users), free + k)), np.zeros((len(items), free + k))
    # At least 0, as ratings are: from mixed signs a table with gaps may never find back.
    y[:, free:] = as_generator(rng).random((len(items), k))
    for _ in range(turns):
        x = _solved(u, len(users), y[i], r - mean, free, weight)
        y = _solved(i, len(items), x[u], r - mean, free, weight)
    sides = (x, users), (y, items)
    a, b = (pd.DataFrame(z[:, free:], ids, np.arange(1, k + 1)) for z, ids in sides)
    c, d = (pd.Series(z[:, :free].sum(1), ids) for z, ids in sides)
    return Factorization(a, b, c, d, mean)


def _check_factors(factors: int, n_biases: int, n_ratings: int) -> None:
    """Refuse more factors than memory has room for: of each rating all pairs are multiplied."""
    most = max(isqrt(MOST_PRODUCTS // max(n_ratings, 1)) - n_biases, 1)
    rule = f"be at most {most:,} for {n_ratings:,} ratings, as all products of two are in memory"
    check_that(factors <= most, "factors", rule, factors)


def _places(ids: npt.ArrayLike, trained: pd.DataFrame, label: str) -> IntArray:
    """Rows of ids in the training, -1 of those that were not there."""
    given = as_series(ids, label)
    shared_code_arrays({"ratings": trained.index.to_series(), "predict": given}, label)
    return trained.index.get_indexer(pd.Index(given))


def _known(ids: pd.Series, label: str) -> tuple[IntArray, pd.Index]:
    """Codes of the ids that are there, and these ids in ascending order."""
    codes, known = shared_code_arrays({"ratings": ids}, label)
    there, place = np.unique(codes["ratings"], return_inverse=True)
    return place, known.index(there, label)


def _solved(
    row: IntArray, n: int, other: FloatArray, target: FloatArray, free: int, weight: float
) -> FloatArray:
    """Bias and factors of each of n rows, given those of the other side for every rating."""
    from scipy.sparse import csr_array

    target = target - other[:, :free].sum(axis=1)
    regressors = np.hstack([np.ones((len(row), free)), other[:, free:]])
    width = regressors.shape[1]
    by_row = csr_array((np.ones(len(row)), (row, np.arange(len(row)))), shape=(n, len(row)))
    products = (regressors[:, :, None] * regressors[:, None, :]).reshape(len(row), -1)
    gram = np.asarray(by_row @ products).reshape(n, width, width)
    gram += (weight * np.bincount(row, minlength=n))[:, None, None] * np.eye(width)
    moment = np.asarray(by_row @ (regressors * target[:, None]))
    # Without regularisation fewer ratings than factors leave a choice: the least factors.
    solved: FloatArray = np.linalg.pinv(gram, hermitian=True) @ moment[:, :, None]
    return solved[:, :, 0]
