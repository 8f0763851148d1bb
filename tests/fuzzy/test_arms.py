"""The comparison of the arms of an A/B test, and attractiveness."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, datasets
from receval.fuzzy import (
    attractiveness,
    attribute_clicks,
    compare_arms,
    examination_probabilities,
)
from receval.metrics import shifted_log2


def simulated_log(rng, rates, *, n_users=150, spread=0.0):
    """Return a log of arms with unlike numbers of impressions per user.

    A user's own rate is that of the arm plus or minus ``spread``, so that impressions of a user go
    together; busy users don't differ in rate from others.
    """
    rows = []
    for arm, rate in rates.items():
        n_impressions = rng.integers(1, 12, n_users)
        rate_by_user = rate + spread * rng.choice([-1, 1], n_users)
        users = np.repeat(np.arange(n_users), n_impressions)
        clicked = rng.random(len(users)) < rate_by_user[users]
        ids = [f"{arm}{user}" for user in users]
        rows.append(pd.DataFrame({"user": ids, "system": arm, "clicked": clicked}))
    return pd.concat(rows, ignore_index=True)


LOG = simulated_log(np.random.default_rng(0), {"A": 0.3, "B": 0.3, "C": 0.5})
FEW = {"n_permutations": 199}


def test_rates_and_errors_agree_with_a_loop():
    comparison = compare_arms(LOG, shares="equal", **FEW)
    errors = {}
    for arm, part in LOG.groupby("system"):
        row = comparison.arms.loc[("clicked", arm)]
        assert_allclose(row["rate"], part["clicked"].mean(), rtol=1e-13)
        residuals = []
        for _, impressions in part.groupby("user"):
            residuals.append(impressions["clicked"].sum() - row["rate"] * len(impressions))
        squares = 150 / 149 * math.fsum(residual**2 for residual in residuals)
        errors[arm] = math.sqrt(squares) / len(part)
        assert row["impressions"] == len(part)
    row = comparison.table.loc[("clicked", "A", "C")]
    expected = row["difference"] / math.hypot(errors["A"], errors["C"])
    assert_allclose(row["z"], expected, rtol=1e-10)


def test_verdicts_follow_from_intervals_and_family_p():
    comparison = compare_arms(LOG, shares="equal", n_permutations=999)
    table = comparison.table
    assert table["verdict"].tolist() == ["undecided", "C is higher", "C is higher"]
    excludes_zero = (table["low"] > 0) | (table["high"] < 0)
    assert (excludes_zero == (table["p_family"] <= 0.05)).all()
    assert (table["p_family"] >= table["p"]).all()
    again = compare_arms(LOG, shares="equal", n_permutations=999)
    pd.testing.assert_frame_equal(table, again.table)


def test_several_responses_are_one_family():
    log = LOG.assign(read=np.random.default_rng(1).random(len(LOG)))
    comparison = compare_arms(log, response=["clicked", "read"], shares="equal", **FEW)
    assert len(comparison.table) == 6
    alone = compare_arms(log, response="clicked", shares="equal", **FEW).table
    together = comparison.table.loc[["clicked"]]
    assert_allclose(together["z"], alone["z"], rtol=1e-12)
    assert (together["p_family"] >= alone["p_family"]).all()


def test_a_wrong_sample_ratio_withholds_all_verdicts():
    fewer = LOG[~LOG["user"].isin([f"C{user}" for user in range(90)])]
    comparison = compare_arms(fewer, shares="equal", **FEW)
    # 150, 150 and 60 users instead of 120 each: chi-square 900/120 * 2 + 3600/120 = 45.
    assert_allclose(comparison.sample_ratio_p, math.exp(-45 / 2), rtol=1e-9)
    assert set(comparison.table["verdict"]) == {"withheld"}
    assert "the verdicts are withheld" in comparison.notes[0]
    intended = {"A": 15 / 36, "B": 15 / 36, "C": 6 / 36}
    comparison = compare_arms(fewer, shares=intended, **FEW)
    assert comparison.sample_ratio_p == 1
    assert "withheld" not in set(comparison.table["verdict"])


def test_users_in_several_arms_are_refused_or_dropped_and_counted():
    moved = LOG.assign(user=LOG["user"].replace({"A0": "X", "B0": "X"}))
    with pytest.raises(InputError, match="user must be in one arm only; got 1 users in several"):
        compare_arms(moved, shares="equal", **FEW)
    comparison = compare_arms(moved, shares="equal", several_arms="drop", **FEW)
    assert comparison.counts["users_of_several_arms"] == 1
    assert comparison.counts["users"] == 448
    assert "1 users were in several arms" in " ".join(comparison.notes)
    kept = compare_arms(LOG[~LOG["user"].isin(["A0", "B0"])], shares="equal", **FEW)
    pd.testing.assert_frame_equal(comparison.table, kept.table)


def test_repeated_responses_count_each_time_or_once_and_a_note_says_if_that_decides():
    log = pd.DataFrame({"system": list("AAAABBBB"), "user": [1, 1, 1, 2, 3, 3, 4, 4]})
    log["item"] = list("xxxyxyzw")
    log["clicked"] = [1, 1, 1, 0, 1, 1, 0, 0]
    each = compare_arms(log, shares="equal", **FEW)
    once = compare_arms(log, shares="equal", repeated="once", **FEW)
    assert each.arms["rate"].tolist() == [0.75, 0.5]
    assert once.arms["rate"].tolist() == [0.25, 0.5]
    assert each.counts["repeated_responses"] == 2
    assert "clicked is highest in 'A' if each response counts, and in 'B'" in each.notes[0]
    assert "counted once" in once.methods()
    with pytest.raises(InputError, match="repeated must be 'each' without items"):
        compare_arms(log.drop(columns="item"), shares="equal", repeated="once")


def test_notes_tell_of_clicks_before_their_impression_and_of_repeated_looks():
    shown = pd.DataFrame({"user": range(40), "item": 1, "time": 10, "system": list("AB") * 20})
    clicks = pd.DataFrame({"user": [0, 1, 2], "item": 1, "time": [12, 9, 2]})
    log = attribute_clicks(shown, clicks, grace=2, unmatched="count")
    notes = compare_arms(log, shares="equal", **FEW).notes
    assert notes[0] == "1 clicks come before their impression and don't count"
    assert notes[1].startswith("1 clicks come before their impression, within the grace period")
    assert "a test that is repeated daily until it succeeds needs another level" in notes[-1]


def test_arms_without_any_response_have_no_statistic():
    comparison = compare_arms(LOG.assign(clicked=0), shares="equal", **FEW)
    assert comparison.table[["z", "p", "p_family"]].isna().all(axis=None)
    assert set(comparison.table["verdict"]) == {"undecided"}


def test_the_result_prints_its_notes_and_draws_its_arms():
    comparison = compare_arms(LOG, shares="equal", **FEW)
    assert "note: the p-values hold for one look" in repr(comparison)
    assert "A chi-square test" in comparison.methods()
    pytest.importorskip("matplotlib")
    axes = comparison.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("log", "options", "message"),
    [
        pytest.param(LOG, {"shares": "even"}, "shares must be one of 'equal'", id="word"),
        pytest.param(LOG, {"shares": {"A": 1.0}}, "shares must name the arms A, B, C", id="names"),
        pytest.param(
            LOG,
            {"shares": {"A": 0.5, "B": 0.5, "C": 0.5}},
            "shares must sum to 1; got 1.5",
            id="sum",
        ),
        pytest.param(
            LOG, {"shares": {"A": 1.0, "B": 0.0, "C": 0.0}}, r"shares\['B'\] must be", id="zero"
        ),
        pytest.param(LOG, {"shares": 3}, "shares must be 'equal' or name", id="number"),
        pytest.param(LOG, {"response": []}, "response must name at least one", id="no response"),
        pytest.param(LOG, {"n_permutations": 0}, "n_permutations must be a positive", id="none"),
        pytest.param(LOG[LOG["system"] == "A"], {}, "system must name at least two arms", id="one"),
        pytest.param(
            LOG[(LOG["system"] != "B") | (LOG["user"] == "B1")],
            {},
            "system must have at least two users in each arm; got fewer for B",
            id="alone",
        ),
        pytest.param(LOG.iloc[:0], {}, "log must hold at least one row", id="empty"),
        pytest.param(LOG.assign(clicked=2), {}, "clicked must be boolean", id="response"),
        pytest.param(LOG, {"several_arms": "keep"}, "several_arms must be one of", id="several"),
    ],
)
def test_arms_refuse(log, options, message):
    with pytest.raises(InputError, match=message):
        compare_arms(log, **{"shares": "equal", **FEW, **options})


def false_alarms(rng, n_logs, n_permutations):
    """Return in how many of several logs without differences some verdict says otherwise."""
    count = 0
    for _ in range(n_logs):
        log = simulated_log(rng, {"A": 0.3, "B": 0.3, "C": 0.3}, n_users=60, spread=0.25)
        comparison = compare_arms(log, shares="equal", n_permutations=n_permutations, rng=rng)
        count += bool((comparison.table["verdict"] != "undecided").any())
    return count


def test_false_alarms_are_rare():
    """At a level of 5 %, 40 logs give at most 6 (chance: 0.997)."""
    assert false_alarms(np.random.default_rng(5), 40, 99) <= 6


@pytest.mark.long
def test_false_alarms_keep_the_level():
    """At a level of 5 %, 1,000 logs give at most 69 (chance: 0.996)."""
    assert false_alarms(np.random.default_rng(6), 1000, 399) <= 69


@pytest.mark.long
def test_coverage_of_the_rates_and_of_the_differences():
    rng = np.random.default_rng(7)
    rate_is_covered, difference_is_covered = [], []
    for _ in range(1000):
        log = simulated_log(rng, {"A": 0.3, "B": 0.4}, spread=0.2)
        comparison = compare_arms(log, shares="equal", n_permutations=399, rng=rng)
        row = comparison.arms.iloc[0]
        rate_is_covered.append(row["low"] <= 0.3 <= row["high"])
        row = comparison.table.iloc[0]
        difference_is_covered.append(row["low"] <= -0.1 <= row["high"])
    shares = np.mean(rate_is_covered), np.mean(difference_is_covered)
    assert min(shares) >= 0.93, shares
    assert max(shares) <= 0.97, shares


# Attractiveness --------------------------------------------------------------------------------


def test_attractiveness_divides_by_the_chance_of_a_look():
    log = pd.DataFrame({"system": list("AAB"), "position": [1, 3, 1], "clicked": [0, 1, 1]})
    table = attractiveness(log, examination=shifted_log2)
    assert table["attractiveness"].tolist() == [1.0, 1.0]  # a click at place 3 counts twice
    assert table["unit"].tolist() == ["impression", "impression"]
    assert table.index.name == "system"
    assert attractiveness(log, examination={1: 0.5}, k=1).loc["B", "attractiveness"] == 2


def test_attractiveness_finds_what_the_click_rate_hides():
    """Both systems show equally attractive items; one shows them further down."""
    rng = np.random.default_rng(0)
    looks = {1: 1.0, 2: 0.5, 3: 0.25}
    log = pd.DataFrame({"system": np.repeat(["A", "B"], 20_000), "user": np.arange(40_000)})
    log["position"] = np.where(log["system"] == "A", 1, rng.integers(2, 4, 40_000))
    log["clicked"] = rng.random(40_000) < 0.4 * log["position"].map(looks)
    table = attractiveness(log, examination=looks)
    assert (table["low"] < 0.4).all()
    assert (table["high"] > 0.4).all()
    assert set(table["unit"]) == {"user"}


def test_examination_from_random_orders():
    rng = np.random.default_rng(1)
    looks = np.array([1.0, 0.6, 0.3])
    log = pd.DataFrame({"position": rng.integers(1, 4, 60_000)})
    log["clicked"] = rng.random(60_000) < 0.5 * looks[log["position"] - 1]
    probabilities = examination_probabilities(log)
    assert_allclose(probabilities, looks, atol=0.02)
    assert list(examination_probabilities(log, k=2).index) == [1, 2]
    assert sum(probabilities.attrs["counts"]["impressions"].values()) == 60_000


def test_attractiveness_refuses():
    log = pd.DataFrame({"system": "A", "position": [1, 2], "clicked": [0, 1]})
    with pytest.raises(InputError, match=r"examination must have a probability.*none for 2"):
        attractiveness(log, examination={1: 1.0})
    with pytest.raises(InputError, match="examination must be above 0"):
        attractiveness(log, examination={1: 1.0, 2: 0.0})
    with pytest.raises(InputError, match="clicked must be above 0 in some row at place 1"):
        examination_probabilities(log)


@pytest.mark.skipif(
    not datasets.available("travel_agency_2020/events.csv"),
    reason="travel_agency_2020/events.csv can be neither found nor fetched; set RECEVAL_DATA",
)
def test_repeated_clicks_flip_the_best_arm_of_the_second_test():
    events = datasets.travel_events(second=True)
    shown = events[events["event"] == "object_shown_in_list"]
    opened = events[events["event"] == "object_opened_from_list"]
    log = attribute_clicks(shown, opened, duplicates="last", unmatched="count")
    best = {}
    for repeated in ("each", "once"):
        comparison = compare_arms(log, shares="equal", repeated=repeated, n_permutations=199)
        best[repeated] = comparison.arms.loc["clicked", "rate"].idxmax()
        assert "clicked is highest in 0 if each response counts, and in 2 if" in comparison.notes[0]
        assert set(comparison.table["verdict"]) == {"undecided"}
    assert best == {"each": 0, "once": 2}
    assert comparison.counts["repeated_responses"] == 93
