"""Alternating least squares: exact oracles, a 3 x 3 by hand, laws, refusals."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError
from receval.groups import factorize
from receval.metrics import factorization_rmse, rmse


def long(matrix):
    """Return a table of the cells that are not NaN."""
    users, items = np.nonzero(~np.isnan(matrix))
    return pd.DataFrame({"user": users, "item": items, "rating": matrix[users, items]})


FULL = np.random.default_rng(5).integers(1, 6, (7, 5)).astype(float)


@pytest.mark.parametrize("k", [2, 4, 5])
def test_a_full_table_without_regularisation_has_the_products_of_the_svd(k):
    u, s, v = np.linalg.svd(FULL)
    model = factorize(long(FULL), k, biases=False, regularization=0, rounds=50)
    products = model.users.to_numpy() @ model.items.to_numpy().T
    assert_allclose(products, (u[:, :k] * s[:k]) @ v[:k], atol=1e-6)


def test_biases_of_three_by_three_by_hand():
    # Ratings are 3 + b + c, with b = (1, 0, -1) of users and c = (0.5, 0, -0.5) of items.
    matrix = 3 + np.array([[1.0], [0.0], [-1.0]]) + np.array([0.5, 0.0, -0.5])
    table = long(matrix)
    model = factorize(table, 1, regularization=1e-6, rounds=60)
    assert model.mean == 3
    assert_allclose(model.predict(table["user"], table["item"]), table["rating"], atol=1e-4)
    # The user is new, then the item, then both.
    b, c = model.user_bias[0], model.item_bias[0]
    assert_allclose(model.predict([9, 0, 9], [0, 9, 9]), [3 + c, 3 + b, 3])
    assert b > 0.3
    assert c > 0.1


def test_one_turn_with_regularisation_by_hand():
    # One user, one item, K = 1: a = r b / (b^2 + w), then b = r a / (a^2 + w).
    r, w, b = 4.0, 0.5, np.random.default_rng(3).random()
    a = r * b / (b**2 + w)
    b = r * a / (a**2 + w)
    one = pd.DataFrame({"user": ["u"], "item": ["i"], "rating": [r]})
    model = factorize(one, 1, biases=False, rounds=1, regularization=w, rng=3)
    assert_allclose(model.predict(["u"], ["i"]), a * b)


def test_two_ratings_count_twice_in_the_regularisation():
    # a = (sum of r b) / (sum of b^2 + 2 w) for a user of two ratings.
    first = np.random.default_rng(0).random((2, 1))
    two = pd.DataFrame({"user": [1, 1], "item": [1, 2], "rating": [4.0, 2.0]})
    model = factorize(two, 1, biases=False, rounds=1, regularization=0.25)
    a = (first[:, 0] @ [4, 2]) / ((first**2).sum() + 0.5)
    assert_allclose(model.users.to_numpy(), [[a]])


def test_no_turn_raises_what_is_minimised():
    is_left_out = np.random.default_rng(1).random(FULL.shape) < 0.4
    table = long(np.where(is_left_out, np.nan, FULL))

    def loss(rounds):
        model = factorize(table, 2, rounds=rounds, regularization=0.2)
        size = ((table["rating"] - model.predict(table["user"], table["item"])) ** 2).sum()
        of_users, of_items = (model.users, model.user_bias), (model.items, model.item_bias)
        for side, (factors, bias) in (("user", of_users), ("item", of_items)):
            n = table[side].value_counts().reindex(factors.index)
            size += 0.2 * (n * ((factors**2).sum(axis=1) + bias**2)).sum()
        return size

    losses = [loss(rounds) for rounds in range(1, 9)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(losses))
    assert losses[-1] < losses[0]


def test_the_documents_rmse_is_the_usual_one_over_the_root_of_k():
    model = factorize(long(FULL), 4, biases=False, regularization=0)
    a, b = model.users.to_numpy(), model.items.to_numpy().T
    usual = rmse((a @ b).ravel(), FULL.ravel())
    assert_allclose(factorization_rmse(a, b, FULL), usual / 2)


def test_the_order_of_rows_and_their_ids_change_nothing():
    table = long(FULL)
    other = table.sample(frac=1, random_state=1)
    other["user"] = "u" + other["user"].astype(str)
    predicted = factorize(table, 2).predict(table["user"], table["item"])
    again = factorize(other, 2).predict(other.loc[table.index, "user"], table["item"])
    assert_allclose(again, predicted, rtol=1e-8)


RATINGS = pd.DataFrame({"user": [1, 1], "item": [1, 2], "rating": [4.0, 2.0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: factorize(RATINGS, 0), r"factors must be a positive integer; got 0$"),
        (lambda: factorize(RATINGS, 1, rounds=0), r"rounds must be a positive integer; got 0$"),
        (
            lambda: factorize(RATINGS, 1, regularization=-1),
            r"regularization must be at least 0; got -1$",
        ),
        (lambda: factorize(RATINGS, 1, biases=1), r"biases must be True or False; got 1"),
        (lambda: factorize(RATINGS[:0], 1), r"ratings must have at least one row; got none$"),
        (
            lambda: factorize(RATINGS.assign(item=7), 1),
            r"ratings\['item'\] must be rated by a user at most once; got 7 in row 1",
        ),
        (
            lambda: factorize(RATINGS.assign(rating=[4, np.nan]), 1),
            r"ratings\['rating'\] must not be missing; got nan in row 1. Leave",
        ),
        (
            lambda: factorize(RATINGS, 1).predict([1, 2], [1]),
            r"users and items must have the same length; got 2 and 1$",
        ),
        (lambda: factorize(RATINGS, 1).predict(["1"], [1]), r"users of .* must be ids of one kind"),
        (lambda: factorize(RATINGS, 1).predict([np.nan], [1]), r"users of .* must not be missing"),
        (
            lambda: factorize(RATINGS.assign(rating=1e300), 1),
            r"ratings must be small enough to be added up",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
