"""The recipes for logs in docs/cookbook.md, run as printed, and on a log of another shape."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats
import statsmodels.formula.api

from receval import datasets, evaluate, fuzzy, metrics

PAGE = Path(__file__).parents[2] / "docs" / "cookbook.md"


BLOCKS = [
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if not block.startswith(">>>")
]
"""The blocks of the page that aren't doctests."""


def run_block(number, names, change=("", "")):
    """Run a block of the page with these names, and add those that it binds."""
    names |= {"fuzzy": fuzzy, "metrics": metrics}
    exec(BLOCKS[number].replace(*change, 1), names)


def random_metrics(systems):
    """Return three off-line metrics that know nothing about the log."""
    values = np.random.default_rng(0).random((len(systems), 3))
    return pd.DataFrame(values, systems, ["AUC", "ILD", "nDCG"])


def news_log():
    """Return impressions with the share that was read, and the times of saves (a second action).

    The names of the columns differ from the defaults, and arm D is best on both actions.
    """
    rng = np.random.default_rng(1)
    reader, place = np.repeat(np.arange(600), 4), np.tile([1, 2, 3, 4], 600)
    columns = {"reader": reader, "article": reader % 7 * 4 + place, "place": place}
    impressions = pd.DataFrame(columns).assign(time=reader * 100.0)
    impressions["arm"] = np.array([*"ABCD"])[reader % 4]
    liking = impressions["arm"].map({"A": 0.1, "B": 0.3, "C": 0.5, "D": 0.7})
    impressions["read"] = (rng.random(len(reader)) < liking) * rng.random(len(reader))
    saves = impressions.loc[rng.random(len(reader)) < liking / 3, ["reader", "article", "time"]]
    saves["time"] += rng.exponential(5.0, len(saves))
    return impressions, saves


def test_the_four_lines_run_as_printed_on_the_travel_log():
    log = datasets.travel_log()
    offline = random_metrics(pd.Index(np.arange(1, 13), name="system"))
    few = log.impressions[log.impressions["user"] % 7 == 3]
    names = {"impressions": few, "clicks": log.clicks, "offline": offline}
    # The default number of draws would take seconds.
    run_block(0, names, ("online_draws(log", "online_draws(log, n_resamples=50, rng=0"))
    assert names["ceiling"].index.tolist() == ["IL", "IG", "IG_pos"]
    answer = names["answer"]
    assert (len(answer.table), answer.global_p > 0.05) == (9, True)
    # This log can't tell a perfect predictor from chance.
    assert (answer.detectable.notna()[["rho", "rho_measured"]] == [True, False]).all(axis=None)


def implied_by_arm(log, implicator, arm, place, response):
    """Return the mean of an implicator of f(p) and the response, by hand."""
    implied = implicator(1 / np.log2(log[place] + 1), log[response])
    return pd.Series(implied, log.index).groupby(log[arm]).mean()


def test_the_lines_for_grades_and_two_actions_run_as_printed():
    impressions, saves = news_log()
    names = {"impressions": impressions, "saves": saves}
    names["offline"] = random_metrics(pd.Index([*"ABCD"], name="arm"))
    run_block(1, names)
    log, online, ceiling = (names[name] for name in ("log", "online", "ceiling"))
    assert log["saved"].sum() == log.attrs["counts"]["clicks"]["impressions"]
    assert online["IG"].idxmax() == "D"
    by_hand = implied_by_arm(log, fuzzy.lukasiewicz, "arm", "place", "read")
    np.testing.assert_allclose(online["IL"], by_hand, rtol=1e-12)
    assert ceiling["reliability"].between(0.9, 1).all()
    assert names["answer"].reliability.tolist() == ceiling["reliability"].tolist()


def test_the_lines_for_arms_run_as_printed():
    user = np.repeat(np.arange(90), 1 + np.arange(90) % 4)
    log = pd.DataFrame({"user": user, "system": np.where(user < 30, "A", "B")})
    log["clicked"] = np.random.default_rng(2).random(len(log)) < 0.3
    names = {"stats": scipy.stats, "smf": statsmodels.formula.api, "log": log}
    run_block(3, names)
    # Chi-square: 30 and 60 users where 45 and 45 are intended.
    np.testing.assert_allclose(names["split"].statistic, 2 * 15**2 / 45)
    # The delta method, with users as the unit.
    expected = log.groupby("system")["clicked"].mean()
    np.testing.assert_allclose(names["rates"].params, expected)
    users = log.groupby(["system", "user"])["clicked"].agg(["sum", "size"])
    residuals = users["sum"] - users["size"] * expected.reindex(users.index, level=0)
    errors = (residuals**2).groupby("system").sum() ** 0.5 / users["size"].groupby("system").sum()
    np.testing.assert_allclose(names["rates"].bse, errors, rtol=0.02)


def test_the_lines_for_other_measures_run_as_printed():
    impressions, _ = news_log()
    log = impressions.rename(columns={"arm": "system", "place": "position", "read": "clicked"})
    names = {"log": log.assign(user=log["reader"])}
    run_block(2, names)
    by_hand = implied_by_arm(log, fuzzy.product, "system", "position", "clicked")
    for table in (names["online"], names["draws"].values):
        np.testing.assert_allclose(table["implied"], by_hand, rtol=1e-12)


def test_the_lines_for_counterfactual_columns_run_as_printed():
    systems = {"A": {1: [10, 11], 2: [10, 12]}, "B": {1: [11, 10], 2: [12, 10]}}
    evaluation = evaluate(systems, {1: {11: 3}, 2: {10: 1}}, ["nDCG@6", "DCG@6"])
    # System B shows the clicked item half as often as the log did.
    logged = {"rewards": [1.0, 0.0], "logging": [0.5, 0.5], "cluster": [1, 2]}
    targets = {"A": [0.5, 0.5], "B": [0.25, 0.75]}
    estimate = {name: fuzzy.ips(target=target, **logged) for name, target in targets.items()}
    names = {"evaluation": evaluation, "estimate": estimate}
    run_block(5, names)
    # The best possible DCG differs, so nDCG and DCG weigh the two users differently.
    half, log2_of_3 = (1 + 1 / np.log2(3)) / 2, np.log2(3)
    expected = {
        "IPS": [0.5, 0.25],
        "nDCG@6": [half, half],
        "DCG@6": [(3 / log2_of_3 + 1) / 2, (3 + 1 / log2_of_3) / 2],
    }
    np.testing.assert_allclose(names["offline"][[*expected]], pd.DataFrame(expected))


def test_the_lines_for_estimates_run_as_printed():
    arrays = {"rewards": [1.0, 0.0], "target": [0.25, 0.75], "logging": [0.5, 0.5]}
    names = {"fuzzy": fuzzy, **arrays, "users": [1, 2], "q": [0.5, 0.5], "v": [0.5, 0.5]}
    results = [eval(line, names) for line in BLOCKS[4].splitlines()]
    # By hand: weights 0.5 and 1.5; the doubly robust terms are 0.5 + 0.5 / 2 and 0.5 - 1.5 / 2.
    assert [(result.value, result.unit) for result in results] == [(0.25, "cluster")] * 3
