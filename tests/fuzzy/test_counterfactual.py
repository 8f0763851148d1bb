"""Counterfactual estimates: by hand, by a loop, on Open Bandit's sample, and in simulations."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from receval import InputError, fuzzy
from receval.fuzzy import doubly_robust, ips, snips

REWARDS = [1.0, 0.0, 1.0, 0.0]
TARGET = [0.5, 0.5, 0.1, 0.4]
LOGGING = [0.25, 0.5, 0.2, 0.4]  # weights 2, 1, 1/2, 1


def test_estimates_by_hand():
    assert ips(REWARDS, TARGET, LOGGING).value == 2.5 / 4
    assert_allclose(snips(REWARDS, TARGET, LOGGING).value, 2.5 / 4.5, rtol=1e-15)
    predicted, predicted_target = [0.5, 0.5, 0.5, 0.5], [0.6, 0.6, 0.6, 0.6]
    robust = doubly_robust(
        REWARDS, TARGET, LOGGING, predicted=predicted, predicted_target=predicted_target
    )
    assert_allclose(robust.value, 0.6 + (2 * 0.5 - 0.5 + 0.5 * 0.5 - 0.5) / 4, rtol=1e-15)


def test_standard_errors_by_hand():
    """Residuals of IPS are w r minus the value; those of SNIPS are w times (r - value)."""
    weights = np.array([2, 1, 0.5, 1])
    estimate = ips(REWARDS, TARGET, LOGGING)
    residuals = weights * REWARDS - estimate.value
    expected = math.sqrt(4 / 3 * (residuals**2).sum()) / 4
    assert_allclose(estimate.standard_error, expected, rtol=1e-14)
    assert_allclose(np.mean(estimate.interval), estimate.value, rtol=1e-14)
    normalised = snips(REWARDS, TARGET, LOGGING)
    residuals = weights * (np.array(REWARDS) - normalised.value)
    expected = math.sqrt(4 / 3 * (residuals**2).sum()) / 4.5
    assert_allclose(normalised.standard_error, expected, rtol=1e-14)


def test_effective_number_and_clipping():
    estimate = ips(REWARDS, TARGET, LOGGING)
    assert_allclose(estimate.n_effective, 4.5**2 / (4 + 1 + 0.25 + 1), rtol=1e-14)
    clipped = ips(REWARDS, TARGET, LOGGING, clip=1)
    assert (clipped.value, clipped.n_clipped) == (1.5 / 4, 1)
    assert ips([1, 0], [0, 0], [0.5, 0.5]).value == 0
    nothing = snips([1, 0], [0, 0], [0.5, 0.5])
    assert math.isnan(nothing.value)
    assert math.isnan(nothing.n_effective)


def test_clusters_are_the_unit_and_rows_that_repeat_tell_nothing_new():
    rng = np.random.default_rng(0)
    rewards, target = rng.random(50), rng.random(50)
    logging = np.full(50, 0.5)
    options = [np.repeat(values, 7) for values in (rewards, target, logging)]
    users = np.repeat([f"u{number}" for number in range(50)], 7)
    for estimator in (ips, snips):
        once = estimator(rewards, target, logging)
        repeated = estimator(*options, cluster=users)
        assert (once.unit, repeated.unit) == ("row", "cluster")
        assert_allclose(repeated.interval, once.interval, rtol=1e-12)
        by_row = estimator(*options)
        assert by_row.standard_error < once.standard_error / 2


def test_clusters_of_unlike_size_agree_with_a_loop():
    rng = np.random.default_rng(1)
    users = rng.integers(0, 20, 200)
    rewards, target, logging = rng.random(200), rng.random(200), rng.uniform(0.2, 1, 200)
    weights = target / logging
    estimate = snips(rewards, target, logging, cluster=users)
    squares = 0.0
    for user in range(20):
        mine = users == user
        squares += (weights[mine] * (rewards[mine] - estimate.value)).sum() ** 2
    expected = math.sqrt(20 / 19 * squares) / weights.sum()
    assert_allclose(estimate.standard_error, expected, rtol=1e-13)


def test_notes_on_probabilities_that_do_not_fit_and_on_single_rows():
    weights_too_large = ips(np.zeros(100), np.linspace(0.5, 0.9, 100), np.full(100, 0.1))
    assert "the mean weight is 7" in weights_too_large.notes[0]
    rewards = np.zeros(100)
    rewards[0] = 1
    assert "a single row has 100%" in ips(rewards, np.ones(100), np.ones(100)).notes[0]
    assert ips(np.ones(100), np.ones(100), np.ones(100)).notes == ()


def robust(rewards, target, logging, **options):
    """Return the doubly robust estimate with predictions of 0."""
    zeros = np.zeros(len(rewards))
    return doubly_robust(
        rewards, target, logging, predicted=zeros, predicted_target=zeros, **options
    )


@pytest.mark.parametrize("estimator", [ips, snips, robust])
def test_a_note_on_weights_that_are_all_equal_and_wrong(estimator):
    rewards = np.tile([0.0, 1.0], 25)
    for cluster in (None, np.ones(50, int)):
        halves = estimator(rewards, np.full(50, 0.25), np.full(50, 0.5), cluster=cluster)
        assert "the mean weight is 0.5 and should be near 1" in halves.notes[0]
    # Every user has the weights 0.25 and 0.75, so the mean weights of users don't differ.
    by_user = estimator(
        rewards, np.tile([0.1, 0.3], 25), np.full(50, 0.4), cluster=np.repeat(np.arange(25), 2)
    )
    assert "the mean weight is 0.5" in by_user.notes[0]
    # Clipping doesn't hide wrong weights.
    clipped = estimator(rewards, np.ones(50), np.full(50, 0.1), clip=1)
    assert "the mean weight is 10" in clipped.notes[0]


@pytest.mark.parametrize("estimator", [ips, snips, robust])
def test_a_note_on_weights_that_are_all_zero(estimator):
    nothing = estimator(np.tile([0.0, 1.0], 25), np.zeros(50), np.full(50, 0.5))
    assert "all weights are 0" in nothing.notes[0]
    assert np.isnan(nothing.interval).all()


@pytest.mark.parametrize("estimator", [ips, snips, robust])
def test_no_note_on_weights_of_one_apart_from_rounding(estimator):
    target = np.full(50, 0.1 + 0.2)  # not equal to 0.3 in floating point
    target[0] = 0.3
    assert estimator(np.tile([0.0, 1.0], 25), target, np.full(50, 0.3)).notes == ()


@pytest.mark.parametrize("estimator", [ips, snips, robust])
def test_no_click_is_not_certainty(estimator):
    """Without a single click, the interval is Wilson's: [0, z² / (n + z²)]."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    ones = np.ones(50)
    low, high = proportion.proportion_confint(0, 50, method="wilson")
    assert_allclose(estimator(0 * ones, ones, ones).interval, [low, high], rtol=1e-12)
    # Clusters may click as one, so their number counts; unequal weights tell less.
    by_user = estimator(0 * ones, ones, ones, cluster=np.repeat(np.arange(10), 5))
    expected = proportion.proportion_confint(0, 10, method="wilson")
    assert_allclose(by_user.interval, expected, rtol=1e-12)
    weighted = estimator(0 * ones, np.linspace(0.1, 0.9, 50), ones / 2)
    expected = proportion.proportion_confint(0, weighted.n_effective, method="wilson")
    assert_allclose(weighted.interval, expected, rtol=1e-12)
    assert np.isnan(weighted.standard_error)


def test_nothing_but_clicks_is_not_certainty():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    ones = np.ones(50)
    expected = proportion.proportion_confint(50, 50, method="wilson")
    for estimator in (ips, snips):
        interval = estimator(ones, ones, ones).interval
        assert_allclose(interval, expected, rtol=1e-12)
    # Rewards that are no outcomes of 0 and 1 say nothing about their spread.
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


def test_predictions_refuse():
    with pytest.raises(InputError, match=r"predicted must have the shape \(4,\)"):
        doubly_robust(REWARDS, TARGET, LOGGING, predicted=[1], predicted_target=[1] * 4)


# Coverage --------------------------------------------------------------------------------------

ESTIMATORS = ["ips", "snips", "doubly_robust", "clusters"]


def covers(estimator, rng):
    """Return whether an interval of a simulated log contains the target policy's value.

    Five items attract unlike shares of the users; the logging policy prefers the wrong ones.
    """
    attraction = np.array([0.05, 0.1, 0.2, 0.3, 0.4])
    logging = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    target = np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    truth = float(attraction @ target)
    n = 2000
    items = rng.choice(5, n, p=logging)
    chance = attraction[items]
    options = {}
    if estimator == "clusters":
        # Each of 200 users likes or dislikes all items, which leaves the mean as it is.
        users = np.arange(n) % 200
        chance = chance * rng.choice([0.0, 2.0], 200)[users]
        options["cluster"] = users
        estimator = "ips"
    rewards = (rng.random(n) < chance).astype(float)
    if estimator == "doubly_robust":
        guess = np.array([0.1, 0.1, 0.1, 0.2, 0.5])
        options = {"predicted": guess[items], "predicted_target": np.full(n, guess @ target)}
    low, high = getattr(fuzzy, estimator)(
        rewards, target[items], logging[items], **options
    ).interval
    return low <= truth <= high


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_coverage_of_a_few_logs(estimator):
    """Of 200 intervals of 95 %, at least 180 contain the truth (chance: 0.998)."""
    rng = np.random.default_rng(3)
    assert sum(covers(estimator, rng) for _ in range(200)) >= 180


@pytest.mark.long
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_coverage_is_between_93_and_97_percent(estimator):
    rng = np.random.default_rng(4)
    share = np.mean([covers(estimator, rng) for _ in range(2000)])
    assert 0.93 <= share <= 0.97, share
