"""The sample of the Open Bandit Dataset, and the values that its authors print for it."""

import numpy as np
import pytest

from receval import InputError, datasets, fuzzy, published
from receval.datasets import open_bandit, open_bandit_policy

FILES = [name for name in datasets.sources() if name.startswith("open_bandit/")]

needs_files = pytest.mark.skipif(
    not datasets.available(*FILES),
    reason="the files of Open Bandit can be neither found nor fetched",
)


@needs_files
def test_the_log_has_two_policies_and_their_probabilities():
    log = open_bandit()
    by_system = log.groupby("system")["clicked"]
    assert by_system.size().to_dict() == {"bts": 10_000, "random": 10_000}
    assert by_system.sum().to_dict() == {"bts": 42, "random": 38}
    assert set(log.loc[log["system"] == "random", "propensity"]) == {1 / 80}
    assert open_bandit("men")["item"].nunique() == 34


@needs_files
def test_ips_gives_the_printed_values_of_open_bandit_pipeline():
    policy = open_bandit_policy(rng=np.random.RandomState(12345))
    log = open_bandit().query("system == 'random'")
    target = policy[log["item"], log["position"] - 1]
    estimate = fuzzy.ips(log["clicked"], target, log["propensity"])
    values = {
        "probabilities": policy[[0, 1, 2, 77, 78, 79]],
        "ipw": estimate.value,
        "ipw_relative": estimate.value / log["clicked"].mean(),
    }
    for name, value in values.items():
        check = published.check(f"open_bandit_quickstart/{name}", value)
        assert check.verdict == "reproduced", name
    # Two values that the example doesn't print.
    assert round(estimate.n_effective) == 1640
    normalised = fuzzy.snips(log["clicked"], target, log["propensity"])
    assert round(normalised.value / log["clicked"].mean(), 6) == 1.256798


@needs_files
def test_probabilities_of_each_place_sum_to_one():
    policy = open_bandit_policy("men")
    np.testing.assert_allclose(policy.sum(axis=0), 1, rtol=1e-12)
    assert policy.shape == (34, 3)


def test_unknown_campaigns_are_refused():
    with pytest.raises(InputError, match="campaign must be one of 'all', 'men'"):
        open_bandit("women")
    with pytest.raises(InputError, match="campaign must be one of 'all', 'men'"):
        open_bandit_policy("women")
