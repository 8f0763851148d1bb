"""Resampled users and the ceiling: oracles, properties, simulations, refusals."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError
from receval.fuzzy import online_draws, online_intervals, online_measures


def simulated_users(rng, n_systems=6, n_users=80, spread=0.1):
    """Return users with five impressions each, and systems whose true click rates differ."""
    rates = np.clip(0.3 + spread * rng.standard_normal(n_systems), 0.02, 0.98)
    clicks = rng.binomial(5, rates[:, np.newaxis], (n_systems, n_users))
    systems = np.repeat([*"abcdefghijklmnopqrstuvwxyz"][:n_systems], n_users)
    users = pd.DataFrame({"system": systems, "clicks": clicks.ravel(), "shown": 5.0})
    return users.assign(user=range(len(users))), rates


def simulated_log(seed=0, n_users=60):
    rng = np.random.default_rng(seed)
    log = pd.DataFrame({"user": np.repeat(np.arange(n_users), 6)})
    log["position"] = np.tile(np.arange(1, 7), n_users)
    log["system"] = np.array([*"xyz"])[log["user"] % 3]
    log["clicked"] = rng.random(len(log)) < 0.2 + 0.1 * (log["user"] % 3)
    return log


RATIO = {"CTR": ("clicks", "shown")}


# Against slow oracles -------------------------------------------------------------------------


@pytest.mark.parametrize("of_two_systems", [[], [0]], ids=str)
def test_values_are_those_of_online_measures(of_two_systems):
    log = simulated_log()
    again = log[log["user"].isin(of_two_systems)].assign(system="y")
    log = pd.concat([log, again], ignore_index=True)
    draws = online_draws(log, k=6, n_resamples=20, n_splits=4, rng=0)
    # IG_nov has no weights.
    expected = online_measures(log, k=6)[["IL", "IG", "IG_pos"]]
    pd.testing.assert_frame_equal(draws.values, expected, check_names=False)


def test_resamples_spread_as_those_of_online_intervals():
    log = simulated_log(n_users=300)
    draws = online_draws(log, k=6, n_resamples=2000, n_splits=4, rng=0)
    ends = np.quantile(draws.draws, [0.025, 0.975], axis=0)
    intervals = online_intervals(log, k=6, rng=1)[["low", "high"]]
    rows = pd.MultiIndex.from_product([[*"xyz"], ["IL", "IG", "IG_pos"]])
    assert_allclose(np.reshape(ends, (2, 9)).T, intervals.loc[rows], atol=0.01)


def test_halves_are_the_mean_over_all_splits():
    """Two systems with four users each have 6 x 6 splits: r is 1 or -1 in each."""
    clicks = np.array([[0.0, 0.1, 0.25, 0.6], [0.3, 0.35, 0.5, 0.53]])
    halves = [list(half) for half in itertools.combinations(range(4), 2)]
    first, second = (row[halves].sum(axis=1) for row in clicks)
    differences = np.subtract.outer(first, second)
    of_others = clicks[0].sum() - clicks[1].sum() - differences
    # In two splits, the systems are equal in a half; such a split has no correlation.
    is_defined = np.minimum(abs(differences), abs(of_others)) > 1e-9
    signs = np.sign(differences * of_others)[is_defined]
    assert len(signs) == 34
    users = pd.DataFrame({"system": [*"aaaabbbb"], "user": range(8), "shown": 1.0})
    users["clicks"] = clicks.ravel()
    draws = online_draws(users, ratios=RATIO, n_resamples=2, n_splits=4000, rng=0)
    assert_allclose(draws.ceiling.loc["CTR", ["r_halves", "tau_halves"]], signs.mean(), atol=0.05)


# Properties -----------------------------------------------------------------------------------


def test_halves_in_which_a_system_has_no_value_are_left_out():
    users = pd.DataFrame({"system": [*"aaabbbccc"], "user": range(9), "shown": 1.0})
    users["clicks"] = np.repeat([0.9, 0.1, 0.5], 3)
    users.loc[0, ["clicks", "shown"]] = 0  # a half that has only this user of system a
    ceiling = online_draws(users, ratios=RATIO, n_resamples=20, rng=0).ceiling.loc["CTR"]
    assert_allclose(ceiling[["r_halves", "tau_halves"]], 1)


def test_equal_systems_have_no_reliability():
    # The mean of three times 0.1 is not 0.1, so the deviations from it aren't 0.
    log = pd.DataFrame({"system": np.repeat([*"abc"], 60), "position": np.tile(range(1, 11), 18)})
    log["user"], log["clicked"] = np.arange(180) // 10, log["position"] == 1
    ceiling = online_draws(log, k=10, n_resamples=20, n_splits=20, rng=0).ceiling
    assert ceiling.isna().all(axis=None)


def test_the_ceiling_follows_from_the_halves():
    users, _ = simulated_users(np.random.default_rng(0), spread=0.05)
    ceiling = online_draws(users, ratios=RATIO, rng=0).ceiling.loc["CTR"]
    r, reliability = ceiling[["r_halves", "reliability"]]
    expected = [2 * r / (1 + r), np.sqrt(reliability), 2 / np.pi * np.arcsin(np.sqrt(reliability))]
    assert_allclose(ceiling[["reliability", "ceiling_r", "ceiling_tau"]], expected)
    assert ceiling["low"] < reliability < ceiling["high"]


def test_a_negative_agreement_of_the_halves_counts_as_no_reliability():
    users = pd.DataFrame({"system": [*"aabb"], "user": range(4), "shown": 1.0})
    users["clicks"] = [0.0, 1.0, 0.1, 0.9]
    ceiling = online_draws(users, ratios=RATIO, n_resamples=20, rng=0).ceiling.loc["CTR"]
    assert ceiling["r_halves"] < 0
    assert (ceiling[["reliability", "ceiling_r", "ceiling_tau"]] == 0).all()


def test_rows_of_a_user_stay_together():
    log = simulated_log().assign(position=1).drop_duplicates("user")
    once, twice = (
        online_draws(rows, ratios={"rate": ("clicked", "position")}, n_resamples=50, rng=0)
        for rows in (log, pd.concat([log, log], ignore_index=True))
    )
    pd.testing.assert_frame_equal(once.ceiling, twice.ceiling)


@pytest.mark.long
@pytest.mark.parametrize(("n_systems", "n_users", "spread"), [(12, 200, 0.02), (26, 100, 0.03)])
def test_the_interval_covers_the_reliability_among_the_systems(n_systems, n_users, spread):
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(200):
        users, rates = simulated_users(rng, n_systems, n_users, spread)
        draws = online_draws(users, ratios=RATIO, n_resamples=400, n_splits=100, rng=rng)
        noise = (rates * (1 - rates) / (5 * n_users)).mean()
        truth = rates.var(ddof=1) / (rates.var(ddof=1) + noise)
        rows.append([*draws.ceiling.loc["CTR", ["low", "reliability", "high"]], truth])
    low, estimate, high, truth = np.transpose(rows)
    assert 0.90 <= np.mean((low <= truth) & (truth <= high)) <= 0.99
    assert_allclose(np.mean(estimate), np.mean(truth), atol=0.04)


# Refusals -------------------------------------------------------------------------------------

LOG = simulated_log().assign(debt=-1.0, none=0.0, hole=np.nan, huge=1e308)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"log": LOG[(LOG["system"] != "x") | (LOG["user"] == 0)], "k": 6},
            r"system must have at least two users.*fewer for x",
        ),
        (
            {"log": LOG[LOG["system"] == "x"], "k": 6},
            "system must name at least two systems; got '1 system'",
        ),
        ({"k": 0}, "k must be a positive integer; got 0"),
        ({"k": 6, "user": None}, "impressions must have one column None"),
        ({"k": 6, "n_splits": 0}, "n_splits must be a positive integer"),
        ({"k": 6, "n_resamples": -1}, "n_resamples must be a positive integer"),
        ({"ratios": {}}, "ratios must name at least one measure"),
        ({"ratios": {"CTR": "clicked"}}, r"ratios\['CTR'\] must be the names of two columns"),
        ({"ratios": {"CTR": ("clicked", "shown")}}, "must have one column 'shown'"),
        ({"ratios": {"CTR": ("clicked", "debt")}}, "debt must be at least 0, as a denominator"),
        ({"ratios": {"CTR": ("clicked", "none")}}, "log must give a value of a measure"),
        ({"ratios": {"CTR": ("clicked", "hole")}}, "hole must be finite; got nan"),
        ({"ratios": {"CTR": ("huge", "position")}}, r"huge must be between -1e\+50 and 1e\+50"),
    ],
    ids=lambda argument: argument if isinstance(argument, str) else "",
)
def test_refuses(arguments, message):
    with pytest.raises(InputError, match=message):
        online_draws(**{"log": LOG, **arguments})
