"""Counterfactual estimates and their intervals: by hand, by a loop, and in simulations."""

import math
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.proportion import proportion_confint

from receval import InputError, fuzzy
from receval.fuzzy import doubly_robust, ips, snips

REWARDS = [1.0, 0.0, 1.0, 0.0]
TARGET = [0.5, 0.5, 0.1, 0.4]
LOGGING = [0.25, 0.5, 0.2, 0.4]  # weights 2, 1, 1/2, 1


@pytest.mark.parametrize(
    ("estimator", "options", "value"),
    [
        (ips, {}, 2.5 / 4),
        (ips, {"clip": 1}, 1.5 / 4),
        (snips, {}, 2.5 / 4.5),
        (
            doubly_robust,
            {"predicted": [0.5] * 4, "predicted_target": [0.6] * 4},
            0.6 + (2 * 0.5 - 0.5 + 0.5 * 0.5 - 0.5) / 4,
        ),
    ],
)
def test_estimates_by_hand(estimator, options, value):
    estimate = estimator(REWARDS, TARGET, LOGGING, **options)
    assert_allclose(estimate.value, value, rtol=1e-15)
    assert estimate.n_clipped == int("clip" in options)  # one weight is above 1


@pytest.mark.parametrize(
    ("estimator", "residuals", "divisor"),
    [
        (ips, lambda weights, rewards, value: weights * rewards - value, 4),
        (snips, lambda weights, rewards, value: weights * (rewards - value), 4.5),
        (
            partial(doubly_robust, predicted=[0.5] * 4, predicted_target=[0.6, 0.6, 0.7, 0.7]),
            lambda weights, rewards, value: (
                [0.6, 0.6, 0.7, 0.7] + weights * (rewards - 0.5) - value
            ),
            4,
        ),
    ],
    ids=["IPS", "SNIPS", "DR"],
)
def test_intervals_by_hand(estimator, residuals, divisor):
    estimate = estimator(REWARDS, TARGET, LOGGING)
    errors = residuals(np.array([2, 1, 0.5, 1]), np.array(REWARDS), estimate.value)
    expected = math.sqrt(4 / 3 * (errors**2).sum()) / divisor
    assert_allclose(estimate.standard_error, expected, rtol=1e-14)
    half = 3.182446305284263 * expected  # Student's t with three degrees of freedom
    assert_allclose(estimate.interval, [estimate.value - half, estimate.value + half])
    assert_allclose(estimate.n_effective, 4.5**2 / (4 + 1 + 0.25 + 1), rtol=1e-14)


def test_a_policy_that_shows_nothing_of_the_log():
    assert ips([1, 0], [0, 0], [0.5, 0.5]).value == 0
    nothing = snips([1, 0], [0, 0], [0.5, 0.5])
    assert np.isnan([nothing.value, nothing.n_effective]).all()


@pytest.mark.parametrize("estimator", [ips, snips])
def test_clusters_of_unlike_size_agree_with_a_loop(estimator):
    rng = np.random.default_rng(1)
    users = rng.choice([f"u{number}" for number in range(20)], 200)
    rewards, target, logging = rng.random(200), rng.random(200), rng.uniform(0.2, 1, 200)
    weights = target / logging
    estimate = estimator(rewards, target, logging, cluster=users)
    divisors = weights if estimator is snips else np.ones(200)
    residuals = weights * rewards - divisors * estimate.value
    squares = sum(residuals[users == user].sum() ** 2 for user in np.unique(users))
    expected = math.sqrt(20 / 19 * squares) / divisors.sum()
    assert_allclose(estimate.standard_error, expected, rtol=1e-13)
    half = 2.093024054408263 * expected  # Student's t with 19 degrees of freedom
    assert_allclose(estimate.interval, [estimate.value - half, estimate.value + half])


def robust(rewards, target, logging, **options):
    """Return the doubly robust estimate with predictions of 0."""
    zeros = np.zeros(np.shape(rewards))
    predictions = {"predicted": zeros, "predicted_target": zeros}
    return doubly_robust(rewards, target, logging, **{**predictions, **options})


CLICKS = np.tile([0.0, 1.0], 25)
ALMOST_EQUAL = np.append(0.3, np.full(49, 0.1 + 0.2))  # not equal to 0.3 in floating point


@pytest.mark.parametrize("estimator", [ips, snips, robust])
@pytest.mark.parametrize(
    ("target", "logging", "options", "note"),
    [
        (np.full(50, 0.25), 0.5, {}, "the mean weight is 0.5 and should be near 1"),
        (np.full(50, 0.25), 0.5, {"cluster": np.ones(50, int)}, "the mean weight is 0.5 and"),
        # Every user has the weights 0.25 and 0.75, so the mean weights of users don't differ.
        (
            np.tile([0.1, 0.3], 25),
            0.4,
            {"cluster": np.repeat(np.arange(25), 2)},
            "the mean weight is 0.5",
        ),
        # Clipping doesn't hide wrong weights.
        (np.ones(50), 0.1, {"clip": 1}, "the mean weight is 10"),
        (np.linspace(0.5, 0.9, 50), 0.1, {}, "the mean weight is 7"),
        (np.zeros(50), 0.5, {}, "all weights are 0"),
        (ALMOST_EQUAL, 0.3, {}, ""),
    ],
)
def test_a_note_on_wrong_weights(estimator, target, logging, options, note):
    estimate = estimator(CLICKS, target, np.full(50, logging), **options)
    assert note in " ".join(estimate.notes)
    assert (estimate.notes == ()) == (note == "")
    assert target.any() or np.isnan(estimate.interval).all()


def test_a_note_on_a_single_row():
    ones = np.ones(100)
    assert "a single row has 100%" in ips(np.append(1, np.zeros(99)), ones, ones).notes[0]
    assert ips(ones, ones, ones).notes == ()


@pytest.mark.parametrize(
    ("estimator", "n_clicks"), [(ips, 0), (snips, 0), (robust, 0), (ips, 50), (snips, 50)]
)
def test_rows_that_are_all_alike_are_not_certainty(estimator, n_clicks):
    """Without a single click, or with nothing else, the interval is Wilson's."""
    ones = np.ones(50)
    rewards = np.full(50, n_clicks / 50)
    unequal = estimator(rewards, np.linspace(0.1, 0.9, 50), ones / 2)
    estimates = {
        50: estimator(rewards, ones, ones),
        # Clusters may click as one, so their number counts.
        10: estimator(rewards, ones, ones, cluster=np.repeat(np.arange(10), 5)),
    }
    if n_clicks == 0:
        estimates[unequal.n_effective] = unequal  # unequal weights tell less
    for n, estimate in estimates.items():
        expected = proportion_confint(n * n_clicks / 50, n, method="wilson")
        assert_allclose(estimate.interval, expected, rtol=1e-12)
        assert np.isnan(estimate.standard_error)


def test_equal_rewards_that_are_no_outcomes_say_nothing_about_their_spread():
    ones = np.ones(50)
    grades = ips(ones / 2, ones, ones)
    assert np.isnan([*grades.interval, grades.standard_error]).all()
    assert "all rows add the same to the estimate" in grades.notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"rewards": []}, "rewards must have at least one row", id="empty"),
        pytest.param({"rewards": [[1.0]]}, r"rewards must have the shape \(1,", id="axes"),
        pytest.param({"rewards": [1, 0, 1, np.nan]}, "rewards must be finite", id="NaN"),
        pytest.param({"target": [0.5]}, r"target must have the shape \(4,\)", id="short"),
        pytest.param(
            {"target": [0.5, 0.5, 0.1, 1.2]}, "target must be a prob.*1.2 at index 3", id="1.2"
        ),
        pytest.param(
            {"logging": [0.5, 0, 0.1, 1]}, "logging must be above 1e-50; got 0.0 at index 1", id="0"
        ),
        pytest.param({"cluster": [1, 2]}, r"cluster must have the shape \(4,\)", id="clusters"),
        pytest.param({"cluster": [1, 2, None, 3]}, "id of cluster must", id="missing cluster"),
        pytest.param({"clip": 0}, "clip must be a number above 0", id="clip"),
    ],
)
@pytest.mark.parametrize("estimator", [ips, snips])
def test_estimates_refuse(estimator, changes, message):
    arguments = {"rewards": REWARDS, "target": TARGET, "logging": LOGGING}
    with pytest.raises(InputError, match=message):
        estimator(**{**arguments, **changes})


def test_predictions_of_another_length_are_refused():
    with pytest.raises(InputError, match=r"predicted must have the shape \(4,\)"):
        robust(REWARDS, TARGET, LOGGING, predicted=[1])


# Coverage --------------------------------------------------------------------------------------


def covers(estimator, rng):
    """Return whether an interval of a simulated log contains the target policy's value.

    Five items attract unlike shares of the users; the logging policy prefers the wrong ones.
    """
    attraction = np.array([0.05, 0.1, 0.2, 0.3, 0.4])
    logging = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    target = np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    items = rng.choice(5, 2000, p=logging)
    chance = attraction[items]
    options = {}
    if estimator == "clusters":
        # Each of 200 users likes or dislikes all items, which leaves the mean as it is.
        users = np.arange(2000) % 200
        chance = chance * rng.choice([0.0, 2.0], 200)[users]
        options = {"cluster": users}
    if estimator == "doubly_robust":
        guess = np.array([0.1, 0.1, 0.1, 0.2, 0.5])
        options = {"predicted": guess[items], "predicted_target": np.full(2000, guess @ target)}
    rewards = (rng.random(2000) < chance).astype(float)
    estimate = getattr(fuzzy, estimator.replace("clusters", "ips"))
    low, high = estimate(rewards, target[items], logging[items], **options).interval
    return low <= attraction @ target <= high


@pytest.mark.parametrize("estimator", ["ips", "snips", "doubly_robust", "clusters"])
@pytest.mark.parametrize(
    ("n_logs", "lowest", "highest"),
    [
        (200, 0.9, 1),  # has a chance of 0.998
        pytest.param(2000, 0.93, 0.97, marks=pytest.mark.long),
    ],
)
def test_95_percent_of_intervals_cover_the_truth(estimator, n_logs, lowest, highest):
    rng = np.random.default_rng(3)
    share = np.mean([covers(estimator, rng) for _ in range(n_logs)])
    assert lowest <= share <= highest, share
