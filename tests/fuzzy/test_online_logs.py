"""The recipes for logs in docs/cookbook.md, run as printed, and on a log of another shape."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval import datasets, evaluate, fuzzy, metrics

PAGE = Path(__file__).parents[2] / "docs" / "cookbook.md"


def code_blocks():
    """Return the blocks of the page that aren't doctests."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [block for block in blocks if not block.startswith(">>>")]


def random_metrics(systems):
    """Return three off-line metrics that know nothing about the log."""
    values = np.random.default_rng(0).random((len(systems), 3))
    return pd.DataFrame(values, systems, ["AUC", "ILD", "nDCG"])


def news_log():
    """Return impressions with the share that was read, and the times of saves (a second action).

    The names of the columns differ from the defaults, and arm D is best on both actions.
    """
    rng = np.random.default_rng(1)
    readers = np.repeat(np.arange(600), 4)
    impressions = pd.DataFrame({"reader": readers, "article": readers % 7 * 4})
    impressions["place"] = np.tile([1, 2, 3, 4], 600)
    impressions["article"] += impressions["place"]
    impressions["time"] = impressions["reader"] * 100.0
    impressions["arm"] = np.array([*"ABCD"])[readers % 4]
    liking = impressions["arm"].map({"A": 0.1, "B": 0.3, "C": 0.5, "D": 0.7})
    is_opened = rng.random(len(readers)) < liking
    impressions["read"] = np.where(is_opened, rng.random(len(readers)), 0.0)
    is_saved = rng.random(len(readers)) < liking / 3
    saves = impressions.loc[is_saved, ["reader", "article", "time"]]
    saves["time"] += rng.exponential(5.0, len(saves))
    return impressions, saves


def test_the_four_lines_run_as_printed_on_the_travel_log():
    log = datasets.travel_log()
    systems = pd.Index(np.arange(1, 13), name="system")
    names = {"fuzzy": fuzzy, "impressions": log.impressions, "clicks": log.clicks}
    names["offline"] = random_metrics(systems)
    # The default number of draws would take seconds.
    lines = code_blocks()[0].replace("online_draws(log", "online_draws(log, n_resamples=50, rng=0")
    exec(lines, names)
    assert names["ceiling"].index.tolist() == ["IL", "IG", "IG_pos"]
    # Measures and ceiling are those of the same places.
    draws = fuzzy.online_draws(names["log"], k=6, n_resamples=1, n_splits=1)
    pd.testing.assert_frame_equal(draws.values, names["online"], check_names=False)
    answer = names["answer"]
    assert len(answer.table) == 9
    assert answer.global_p > 0.05
    # This log can't tell a perfect predictor from chance.
    assert answer.detectable["rho"].notna().all()
    assert answer.detectable["rho_measured"].isna().all()


def test_the_lines_for_grades_and_two_actions_run_as_printed():
    impressions, saves = news_log()
    names = {"fuzzy": fuzzy, "metrics": metrics, "impressions": impressions, "saves": saves}
    names["offline"] = random_metrics(pd.Index([*"ABCD"], name="arm"))
    exec(code_blocks()[1], names)
    log, online, ceiling = (names[name] for name in ("log", "online", "ceiling"))
    assert log["saved"].sum() == log.attrs["counts"]["clicks"]["impressions"]
    assert online["IG"].idxmax() == "D"
    # By hand: Łukasiewicz's implicator of f(p) and the share that was read, averaged per arm.
    implied = fuzzy.lukasiewicz(1 / np.log2(log["place"] + 1), log["read"])
    by_hand = pd.Series(implied, log.index).groupby(log["arm"]).mean()
    np.testing.assert_allclose(online["IL"], by_hand, rtol=1e-12)
    assert ceiling.index.tolist() == ["IL", "IG", "IG_pos"]
    assert ceiling.between(0.9, 1).all()
    assert names["answer"].reliability.tolist() == ceiling.tolist()


def test_the_lines_for_arms_run_as_printed():
    smf = pytest.importorskip("statsmodels.formula.api")
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    log = pd.DataFrame({"user": np.repeat(np.arange(90), 1 + np.arange(90) % 4)})
    log["system"] = np.where(log["user"] < 30, "A", "B")
    log["clicked"] = rng.random(len(log)) < 0.3
    names = {"stats": stats, "smf": smf, "log": log}
    exec(code_blocks()[3], names)
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
    names = {"fuzzy": fuzzy, "metrics": metrics, "log": log.assign(user=log["reader"])}
    exec(code_blocks()[2], names)
    implied = fuzzy.product(1 / np.log2(log["position"] + 1), log["clicked"])
    by_hand = pd.Series(implied, log.index).groupby(log["system"]).mean()
    np.testing.assert_allclose(names["online"]["implied"], by_hand, rtol=1e-12)
    np.testing.assert_allclose(names["draws"].values["implied"], by_hand, rtol=1e-12)


def test_the_lines_for_counterfactual_columns_run_as_printed():
    recommendations = pd.DataFrame({"user": [1, 1, 2, 2] * 2, "score": [2.0, 1.0] * 4})
    recommendations["system"] = np.repeat(["A", "B"], 4)
    recommendations["item"] = [10, 11, 10, 12, 11, 10, 12, 10]
    relevance = pd.DataFrame({"user": [1, 2], "item": [11, 10], "relevance": [3, 1]})
    evaluation = evaluate(recommendations, relevance, ["nDCG@6", "DCG@6"], system="system")
    # System B shows the clicked item half as often as the log did.
    logged = {"rewards": [1.0, 0.0], "logging": [0.5, 0.5], "cluster": [1, 2]}
    estimate = {
        "A": fuzzy.ips(target=[0.5, 0.5], **logged),
        "B": fuzzy.ips(target=[0.25, 0.75], **logged),
    }
    names = {"evaluation": evaluation, "estimate": estimate}
    exec(code_blocks()[5], names)
    offline = names["offline"]
    assert offline["IPS"].tolist() == [0.5, 0.25]
    # The best possible DCG differs, so nDCG and DCG weigh the two users differently.
    log2_of_3 = np.log2(3)
    np.testing.assert_allclose(offline["nDCG@6"], (1 + 1 / log2_of_3) / 2)
    np.testing.assert_allclose(offline["DCG@6"], [(3 / log2_of_3 + 1) / 2, (3 + 1 / log2_of_3) / 2])


def test_the_lines_for_estimates_run_as_printed():
    arrays = {"rewards": [1.0, 0.0], "target": [0.25, 0.75], "logging": [0.5, 0.5]}
    names = {"fuzzy": fuzzy, **arrays, "users": [1, 2], "q": [0.5, 0.5], "v": [0.5, 0.5]}
    results = [eval(line, names) for line in code_blocks()[4].splitlines()]
    # By hand: weights 0.5 and 1.5; the doubly robust terms are 0.5 + 0.5 / 2 and 0.5 - 1.5 / 2.
    assert [float(result) for result in results] == [0.25, 0.25, 0.25]
    assert [result.unit for result in results] == ["cluster"] * 3
