"""Verdicts of comparisons: the conditions, too few users, and the error rates."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, Measure, evaluate
from receval.evaluation.comparing import default_permutations

VALUE = Measure("value", per_list=lambda lists, _: lists.scores[:, 0], source="here")
LOSS = Measure(
    "loss", per_list=lambda lists, _: lists.scores[:, 0], source="here", higher_is_better=False
)


def evaluated(measure=VALUE, **systems):
    """Return systems with these values, user by user."""
    users = range(len(next(iter(systems.values()))))
    recs = {
        name: pd.DataFrame({"user": users, "item": "x", "score": values})
        for name, values in systems.items()
    }
    truth = pd.DataFrame({"user": users, "item": "x", "relevance": 1})
    return evaluate(recs, truth, measure)


def verdict(measure=VALUE, *, a, b, **options):
    return evaluated(measure, a=a, b=b).compare("b", **options).results["verdict"].item()


# What tests can decide --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparisons", "correction", "alpha", "draws"),
    [(1, "holm", 0.05, 9_999), (25, "holm", 0.05, 9_999), (26, "holm", 0.05, 10_399),
     (108, "holm", 0.05, 43_199), (108, "none", 0.05, 9_999), (108, "holm", 0.01, 215_999),
     (1, "holm", 1e-9, 10_000_000)],
)  # fmt: skip
def test_permutations_are_twenty_times_what_bonferroni_takes(comparisons, correction, alpha, draws):
    assert default_permutations(comparisons, correction, alpha) == draws


def test_thirty_comparisons_are_decided_by_permutations():
    """With 500 draws, the smallest p, 1/501, becomes 0.06 if you correct for 30 comparisons."""
    rng = np.random.default_rng(0)
    systems = {f"s{place}": place / 4 + rng.random(30) / 9 for place in range(5)}
    measures = [
        Measure(name, per_list=lambda lists, _: lists.scores[:, 0], source="here")
        for name in ("one", "two", "three")
    ]
    found = evaluated(measures, **systems).compare(test="permutation")
    assert "11999 random ones" in repr(found)
    assert found.results["verdict"].tolist() == ["better"] * 30
    assert_allclose(found.results["p"], 1 / 12_000)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "permutation"])
@pytest.mark.parametrize(("alpha", "needed"), [(0.5, 2), (0.05, 6), (2.0**-6, 7), (0.05 / 108, 13)])
def test_users_needed_are_the_fewest_that_suffice(test, alpha, needed):
    """All users who differ gain the same, which has p = 2 ** (1 - n), the lowest p of n users."""
    fewer, enough = (
        verdict(a=np.append(np.ones(n), 0), b=np.zeros(n + 1), test=test, alpha=alpha)
        for n in (needed - 1, needed)
    )
    assert "cannot decide" in fewer
    assert enough == "better"


def test_users_needed_are_counted_over_the_whole_family():
    rng = np.random.default_rng(1)
    values = {f"s{place:02}": np.append(rng.random(12), np.zeros(8)) for place in range(16)}
    found = evaluated(**values).compare(test="sign").results  # 120 comparisons
    assert {*found["verdict"]} == {"cannot decide: 12 users differ, 13 are needed"}


# What verdicts rest on --------------------------------------------------------------------------

EIGHTHS = np.arange(8) / 7
FIVE = np.array([1.0, 2, 3, 4, 5, 0, 0])
TOO_FEW = "cannot decide: {} users differ, 6 are needed"


@pytest.mark.parametrize(
    ("a", "b", "options", "expected"),
    [
        (EIGHTHS + 0.1, EIGHTHS, {}, "better (sign test)"),
        (EIGHTHS + 0.1, EIGHTHS, {"measure": LOSS}, "worse (sign test)"),
        (EIGHTHS, EIGHTHS, {}, "undecided: corrected p above 0.05"),
        (EIGHTHS + 0.1, EIGHTHS, {"test": "wilcoxon"}, "better"),
        (np.ones(50), np.zeros(50), {}, "better (sign test)"),
        (np.zeros(50), np.ones(50), {}, "worse (sign test)"),
        (np.ones(5), np.zeros(5), {}, f"{TOO_FEW.format(5)} (sign test)"),
        *(
            (a, b, {"test": test}, expected)
            for test in ("sign", "wilcoxon", "permutation")
            for a, b, expected in [
                (FIVE, np.zeros(7), TOO_FEW.format(5)),
                (np.zeros(7), FIVE, TOO_FEW.format(5)),
                (np.arange(7), np.zeros(7), "better"),
                (np.zeros(7), np.zeros(7), TOO_FEW.format(0)),
            ]
        ),
    ],
)
def test_verdicts(a, b, options, expected):
    assert verdict(a=a, b=b, **options) == expected


def test_a_verdict_on_equal_differences_comes_from_the_sign_test():
    found = evaluated(a=EIGHTHS + 0.1, b=EIGHTHS).compare("b")
    row = found.results.iloc[0]
    assert row["p"] == row["corrected"] == 2 / 2**8
    assert row[["low", "high", "effect"]].isna().all()
    assert found.to_frame().iloc[0, 1] == "–"


@pytest.mark.parametrize(("measure", "sign"), [(VALUE, 1), (LOSS, -1)])
def test_a_test_against_the_mean_decides_nothing(measure, sign):
    a = np.array([0.9] * 34 + [0.0] * 6)
    found = evaluated(measure, a=a, b=np.full(40, 0.8)).compare("b", test="wilcoxon")
    row = found.results.iloc[0]
    assert row["corrected"] <= 0.05
    assert row["difference"] < 0 < sign * (row["better"] - row["worse"])
    assert row["verdict"] == "undecided: test and mean disagree"
    assert not any(mark in found.table().to_frame().to_string() for mark in "▲▼")


def test_an_interval_around_0_changes_no_verdict():
    a = np.array([0.9] * 35 + [0.4] * 5)
    found = evaluated(a=a, b=np.full(40, 0.8)).compare("b", test="wilcoxon")
    row = found.results.iloc[0]
    assert row["corrected"] <= 0.05
    assert row["low"] <= 0 <= row["high"]
    assert row["verdict"] == "better"
    assert "▲" in found.table().to_frame().to_string()
    (panel,) = found.plot()
    assert panel.containers[0].lines[0].get_markerfacecolor() != "white"


ABOVE = "undecided: corrected p above 0.05"


@pytest.mark.parametrize(
    ("other", "verdicts"),
    [
        (np.ones(40) - np.arange(40) / 100, [ABOVE, "better"]),
        (np.tile([1.0, -1.0], 20), ["cannot decide: 6 users differ, 7 are needed", ABOVE]),
    ],
)
def test_users_needed_depend_on_the_other_comparisons(other, verdicts):
    """Holm accepts p = 1/32 if the other p-value is small, but not if it is large."""
    few = np.repeat([1.0, -1.0, 0.0], [3, 3, 34])
    found = evaluated(A=np.zeros(40), few=few, other=other).compare("A", test="sign")
    assert found.results["verdict"].tolist() == verdicts


# Measures that are equal for all systems --------------------------------------------------------


EQUAL, ALSO_EQUAL = (
    Measure(name, per_list=lambda lists, _: lists.length * 1.0, source="here")
    for name in ("equal", "also equal")
)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_a_measure_that_is_equal_for_all_systems_does_not_count(test, correction):
    options = {"test": test, "correction": correction}
    users = np.arange(20)
    systems = {"A": np.zeros(20), "B": users < 6, "C": users < 7}
    result = evaluated([VALUE, EQUAL, ALSO_EQUAL], **systems)
    found = result.compare("A", **options)
    alone = result.compare("A", measures="value", **options)
    rows = found.results.loc[["value"]]
    pd.testing.assert_frame_equal(rows, alone.results)
    assert set(rows["verdict"]) == {"better"}
    assert (found.results.loc[["equal"], "corrected"] == 1).all()
    note = "because all values are the same under both systems: equal (B - A), equal (C - A), also"
    noted = [note in text for text in (repr(found), repr(found.table()), found.to_latex())]
    assert noted == [True] * 3
    assert note not in repr(alone)
    assert "over all 2 comparisons" in repr(found)


# Mirror images ----------------------------------------------------------------------------------

SKEWED = [0.02, -0.16, -0.15, -0.12, -0.15, -0.18, -0.18, -0.17, -0.15, -0.14, -0.16, 0.26]
"""Differences whose bootstrap interval (BCa) includes 0 in one direction only."""


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
@pytest.mark.parametrize("measure", [VALUE, LOSS])
def test_comparisons_with_either_baseline_mirror_each_other(measure, test):
    result = evaluated(measure, A=np.array(SKEWED) + 1, B=np.ones(12))
    name = result.measures[0].name
    of_b = result.compare("A", test=test).results.loc[(name, "B", "A")]
    of_a = result.compare("B", test=test).results.loc[(name, "A", "B")]
    opposite = {"better": "worse", "worse": "better"}
    mirrored = {
        **{column: of_b[column] for column in ("p", "corrected", "same", "compared")},
        **{column: -of_b[column] for column in ("difference", "effect")},
        "low": -of_b["high"],
        "high": -of_b["low"],
        "better": of_b["worse"],
        "worse": of_b["better"],
        "verdict": opposite.get(of_b["verdict"], of_b["verdict"]),
    }
    assert of_a[list(mirrored)].to_dict() == mirrored


def test_systems_called_like_a_column_of_a_difference():
    lists = {"old": {1: ["x"], 2: ["y", "x"]}, "gains": {1: ["y", "x"], 2: ["y"]}}
    result = evaluate(lists, {1: {"x"}, 2: {"x"}}, "MRR")
    with pytest.raises(InputError, match=r"a and b must have other names than .*'gains'"):
        result.diff("old", "gains")
    assert result.compare("gains").results.columns.is_unique


def test_a_comparison_says_if_its_means_depend_on_the_order_of_equal_scores():
    truth = {user: {"a": 1} for user in range(20)}
    sure = {user: {"a": 2, "b": 1} for user in range(20)}
    tied = {user: {"b": 1, "c": 1, "a": 1} for user in range(20)}
    result = evaluate({"sure": sure, "tied": tied}, truth, ["MRR", "HR@3"])
    compared = result.compare("sure")
    note = "means depend on the order of equal scores: tied MRR 0.333 to 1.000"
    assert [note in repr(shown) for shown in (compared, compared.table())] == [True, True]
    assert "equal scores" not in compared.methods()
    assert "equal scores" not in repr(result.compare("sure", measures="HR@3"))
