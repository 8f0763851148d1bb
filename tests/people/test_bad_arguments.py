"""Arguments that the people recommenders must refuse."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.people import SocialNetwork, recommend, recommenders, usable_test_links

LINKS = pd.DataFrame({"user": [1, 1, 2, 3], "item": [2, 3, 4, 4]})
NETWORK = SocialNetwork.from_links(LINKS)
POPULAR = recommenders.popularity(NETWORK)


@pytest.mark.parametrize("users", [["1"], [1.7], ["x"], [10**400], 3, [1, 1], [None]])
def test_target_users_are_never_converted(users):
    with pytest.raises(InputError, match="users must"):
        recommend(NETWORK, POPULAR, k=2, users=users)


def test_a_table_in_place_of_a_network_is_refused():
    with pytest.raises(InputError, match=r"network must be a SocialNetwork.*DataFrame.*from_links"):
        recommenders.popularity(LINKS)
    with pytest.raises(InputError, match="network must be a SocialNetwork"):
        usable_test_links(LINKS, LINKS)


def test_what_is_no_recommender_is_refused():
    with pytest.raises(InputError, match="scorer must be a trained recommender"):
        recommend(NETWORK, None, k=2)
    with pytest.raises(InputError, match="similarity must be a trained recommender"):
        recommenders.user_based_neighbours(NETWORK, k=2, similarity="jaccard")


def test_fractions_are_numbers():
    options = {"n_factors": 2, "regularization": Fraction(1, 2), "alpha": Fraction(3)}
    train = recommenders.implicit_matrix_factorisation
    expected = train(NETWORK, n_factors=2, regularization=0.5, alpha=3)(np.array([0]))
    np.testing.assert_array_equal(train(NETWORK, **options)(np.array([0])), expected)
