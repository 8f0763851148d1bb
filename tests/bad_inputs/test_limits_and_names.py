"""Small arguments that need absurd memory."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.datasets import procurement, travel_data
from receval.groups import factorize
from receval.splitting import hold_out, k_fold, rotation

RATINGS = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [2.0, 4.0, 1.0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda n: k_fold(n, 2), "n must be .* to 100,000,000", id="k_fold"),
        pytest.param(
            lambda n: k_fold(10**8, n), "k must be .* to 100,000,000", id="number of folds"
        ),
        pytest.param(rotation, "k must be .* to 100,000,000", id="rotation"),
        pytest.param(hold_out, "n must be .* to 100,000,000", id="hold_out"),
        pytest.param(
            lambda n: factorize(RATINGS, n),
            "factors must be at most .* for 3 ratings",
            id="factors",
        ),
        pytest.param(
            lambda n: travel_data(n_users=n), "n_users must be .* to 100,000;", id="users"
        ),
        pytest.param(
            lambda n: travel_data(n_items=n), "n_items must be .* to 100,000;", id="items"
        ),
        pytest.param(procurement, "n_contracts must be .* to 500,000;", id="contracts"),
    ],
)
@pytest.mark.parametrize("n", [10**8 + 1, 10**10, 2**53, np.int64(10**12)])
def test_a_number_that_asks_for_absurd_memory_is_refused_with_the_limit(call, message, n):
    with pytest.raises(InputError, match=message):
        call(n)
