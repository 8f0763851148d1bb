"""Groups from long tables: cases by hand, comparison with the array functions, refusals."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import EvaluationWarning, InputError, datasets, evaluate_groups
from receval.metrics import aggregate, group_ranking, rank_items, satisfaction

POINTS = datasets.borda_example()
LONG = pd.DataFrame(
    [(1, member, film, POINTS.loc[member, film]) for member in POINTS.index for film in POINTS],
    columns=["group", "member", "item", "rating"],
)
# Two groups: Ada did not rate b, Cid rates nothing but c.
GAPS = pd.DataFrame(
    [
        ("x", "Ada", "a", 4.0, 1.0),
        ("x", "Ada", "c", 2.0, 2.0),
        ("x", "Ben", "b", 3.0, 3.0),
        ("x", "Ben", "a", 1.0, 4.0),
        ("y", "Cid", "c", 2.0, 1.0),
        ("y", "Ada", "a", 4.0, 1.0),
    ],
    columns=["group", "member", "item", "rating", "predicted"],
)


def test_the_documents_table_gives_the_documents_list_and_satisfactions():
    result = evaluate_groups(LONG, ["average"], k=4)
    assert result.lists["item"].tolist() == ["M8", "M4", "M10", "M2"]
    expected = satisfaction(group_ranking(POINTS), POINTS, k=4)
    assert_allclose(result.per_member["satisfaction"], expected)
    means = result.summary.loc["average", ["mean", "worst off", "spread"]]
    assert_allclose(means, [expected.mean(), expected.min(), np.ptp(expected)])


def test_gaps_by_hand():
    with pytest.warns(EvaluationWarning, match="no member of group 'y' has a satisf"):
        found = evaluate_groups(GAPS, ["additive", "most_pleasure"], k=2)
    # Sums of x: a 5, c 2, b 3. Nobody rated both a and b but Ben, who would have b, a.
    assert found.lists.loc[("additive", "x"), "item"].tolist() == ["a", "b"]
    assert found.lists.loc[("additive", "y"), "item"].tolist() == ["a", "c"]
    values = found.per_member["satisfaction"]
    assert np.isnan(values["additive", "x", "Ada"])
    assert values["additive", "x", "Ben"] == 1  # both ranks weigh 1
    assert np.isnan(values["additive", "y"]).all()
    assert found.per_group.loc[("additive", "x")].tolist() == [1, 1, 0, 2, 1]
    assert found.per_group.loc[("additive", "y"), "members":].tolist() == [2, 2]
    assert found.per_group.loc[("additive", "y"), :"spread"].isna().all()
    assert found.per_group.index.tolist() == [
        (strategy, group) for strategy in ("additive", "most_pleasure") for group in "xy"
    ]
    # The means are over x alone, of whose two members Ada has no satisfaction.
    summary = found.summary.loc["additive"]
    assert summary.tolist() == [1, 1, 0, 1, 2, 1, 1]


# Everybody rates both films of "full". In "split" the average puts a and b first, and nobody has
# rated both. In "none" nobody rates anything above 0.
SPLIT = pd.DataFrame(
    [
        ("full", "Ada", "a", 4.0),
        ("full", "Ada", "b", 1.0),
        ("full", "Ben", "a", 1.0),
        ("full", "Ben", "b", 2.0),
        ("split", "Eva", "a", 4.0),
        ("split", "Fay", "b", 3.0),
        ("split", "Gus", "c", 3.0),
        ("split", "Fay", "c", 1.0),
    ],
    columns=["group", "member", "item", "rating"],
)
NOBODY = pd.DataFrame(
    [("none", "Hal", "a", 0.0), ("none", "Ida", "a", 0.0)], columns=[*SPLIT.columns]
)


def test_the_summary_compares_strategies_over_the_groups_that_all_of_them_serve():
    # In "split" the most respected member is Fay: the group gets b and c, which she has rated.
    trust = pd.DataFrame({"member": ["Eva", "Ada"], "trusted": ["Fay", "Ben"]})
    strategies = ["average", "most_respected"]
    with pytest.warns(EvaluationWarning, match="Under 'average', no member of group 'split' has"):
        found = evaluate_groups(SPLIT, strategies, k=2, trust=trust)
    assert found.per_group["mean"].isna().tolist() == [False, True, False, False]
    counts = ["groups", "members", "without", "left out"]
    assert found.summary[counts].to_numpy().tolist() == [[1, 2, 0, 1], [1, 2, 0, 1]]
    full = found.per_group.xs("full", level="group")
    assert_allclose(found.summary["mean"], full["mean"])


def test_a_summary_over_no_group_is_nan_and_counts_none():
    with pytest.warns(EvaluationWarning, match="no member of group 'none' has"):
        summary = evaluate_groups(NOBODY, ["average", "borda"], k=1).summary
    assert summary.index.tolist() == ["average", "borda"]
    assert summary[["mean", "worst off", "spread"]].isna().all(axis=None)
    counts = summary[["groups", "members", "without", "left out"]]
    assert counts.to_numpy().tolist() == [[0, 0, 0, 1]] * 2


def test_counts_and_means_of_the_summary_are_of_the_same_groups():
    rng = np.random.default_rng(7)
    cells = pd.MultiIndex.from_product([range(40), range(3), range(6)], names=[*SPLIT][:3])
    ratings = pd.Series(rng.integers(0, 4, len(cells)), cells, float, "rating")
    table = ratings.sample(frac=0.75, random_state=1).sort_index().reset_index()
    with pytest.warns(EvaluationWarning):
        result = evaluate_groups(table, ["average", "fairness", "most_pleasure"], k=3)
    has_values = result.per_group["mean"].notna().groupby("group").all()
    is_compared = result.per_group.index.isin(has_values.index[has_values], "group")
    by_strategy = result.per_group[is_compared].groupby("strategy")
    summary = result.summary.sort_index()
    assert_allclose(summary[["mean", "spread"]], by_strategy[["mean", "spread"]].mean())
    assert_allclose(summary[["members", "without"]], by_strategy[["members", "without"]].sum())
    n_compared, n_left_out = has_values.sum(), (~has_values).sum()
    assert (summary[["groups", "left out"]] == [n_compared, n_left_out]).all(axis=None)


@pytest.mark.parametrize(
    ("strategies", "films"),
    [
        ({"borda": {"ties": "lowest"}}, ["M8", "M4", "M10", "M2"]),
        ({"borda": {"ties": "mean"}}, ["M8", "M4", "M2", "M10"]),
        (["borda"], ["M8", "M4", "M10", "M2"]),
    ],
)
def test_borda_takes_its_rule_for_ties_by_its_options(strategies, films):
    assert evaluate_groups(LONG, strategies, k=4).lists["item"].tolist() == films


def test_groups_may_choose_by_predictions_and_are_asked_by_ratings():
    found = evaluate_groups(GAPS[:4], ["additive"], k=1, by="predicted")
    assert found.lists["item"].tolist() == ["a"]  # 5 of a, 2 of c, 3 of b
    assert_allclose(found.per_member["satisfaction"], [1, 1 / 3])
    by_ratings = evaluate_groups(GAPS[2:4], ["additive"], k=1)
    assert by_ratings.lists["item"].tolist() == ["b"]


def test_the_first_member_of_the_table_has_the_first_turn():
    found = evaluate_groups(pd.concat([GAPS[2:4], GAPS[:2]]), ["fairness"], k=1)
    assert found.lists["item"].tolist() == ["b"]  # Ben begins
    assert found.per_member.loc[("fairness", "x")].index.tolist() == ["Ben", "Ada"]


def test_only_trust_within_the_group_counts():
    # Ben is trusted by two others, of whom none is in the group; Ada by Ben.
    trust = pd.DataFrame({"member": ["Eve", "Cid", "Ben"], "trusted": ["Ben", "Ben", "Ada"]})
    found = evaluate_groups(GAPS[[*GAPS][:4]][[True] * 4 + [False] * 2].iloc[::-1],
                            ["most_respected"], k=2, trust=trust)  # fmt: skip
    assert found.lists["item"].tolist() == ["a", "c"]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_any_size_agrees_with_the_array_functions(size):
    rng = np.random.default_rng(size)
    array = rng.integers(1, 6, (size, 6)).astype(float)
    array[rng.random(array.shape) < 0.3] = np.nan
    array[:, 0] = 3
    # All items first appear in their order.
    rows = [(9, u, i, array[u, i]) for i in range(6) for u in range(size)]
    table = pd.DataFrame(rows, columns=["group", "member", "item", "rating"]).dropna()
    options = {
        "borda": {},
        "copeland": {},
        "plurality": {},
        "average_without_misery": {"threshold": 2},
    }
    found = evaluate_groups(table, options, k=3)
    for strategy, given in options.items():
        order = rank_items(aggregate(array, strategy=strategy, **given))
        assert found.lists.loc[(strategy, 9), "item"].tolist() == order[:3][order[:3] >= 0].tolist()
        got = found.per_member.loc[(strategy, 9), "satisfaction"].sort_index()
        assert_allclose(got, satisfaction(order[:3], array, k=3))


def test_a_group_that_can_agree_on_nothing_has_an_empty_list():
    found = evaluate_groups(GAPS[2:4], {"average_without_misery": {"threshold": 9}}, k=1)
    assert len(found.lists) == 0
    assert found.per_member["satisfaction"].tolist() == [0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratings": GAPS[:0]}, r"ratings must have at least one row; got none$"),
        ({"ratings": [4, 2]}, r"ratings must be a table \(a DataFrame\); got list\. Make a table"),
        ({"strategies": []}, r"strategies must name at least one strategy; got none$"),
        (
            {"ratings": pd.concat([GAPS, GAPS[:1]])},
            r"ratings\['item'\] must be rated by a member at most once; got 'a' in row 6$",
        ),
        (
            {"ratings": GAPS.assign(rating=[4, 2, -1, 1, 2, 4])},
            r"ratings\['rating'\] must be at least 0; got -1.0 in row 2$",
        ),
        (
            {"ratings": GAPS.assign(rating=[4, 2, np.nan, 1, 2, 4])},
            r"ratings\['rating'\] must not be missing; got nan in row 2",
        ),
        (
            {"ratings": GAPS.assign(member=["Ada", None, "Ben", "Ben", "Cid", "Ada"])},
            r"ratings\['member'\] must not be missing",
        ),
        ({"ratings": GAPS.drop(columns="group")}, r"ratings must have one column 'group'"),
        ({"k": 0}, r"k must be a positive integer; got 0$"),
        ({"by": "score"}, r"ratings must have one column 'score'"),
        ({"strategies": ["averages"]}, r"strategy must be one of .* got 'averages'. Did you mean"),
        ({"strategies": ["approval"]}, r"threshold must be a number when strategy is 'approval'"),
        ({"strategies": ["most_respected"]}, r"trust must be given for"),
        (
            {
                "strategies": ["most_respected"],
                "trust": pd.DataFrame({"member": [1], "trusted": [2]}),
            },
            r"member of ratings and of trust \(member\) must be ids of one kind",
        ),
        (
            {
                "strategies": ["most_respected"],
                "trust": pd.DataFrame({"member": ["ada"], "trusted": ["ben"]}),
            },
            "trust must have a pair of members of one group; got none",
        ),
        (
            {"strategies": {"average": None}},
            r"options of 'average' must be a dict of thresh.*None$",
        ),
        (
            {"strategies": {"average": {"ties": "mean"}}},
            r"ties must be left out when strategy is 'average'$",
        ),
        (
            {"strategies": {"borda": {"ties": "least"}}},
            r"ties must be one of 'lowest', 'mean'; got 'least'",
        ),
        ({"strategies": {"average": {"foo": 1}}}, r"options of 'average' must be a dict of thres"),
    ],
)
def test_refuses(changes, message):
    given = {"ratings": GAPS, "strategies": ["average"], "k": 2} | changes
    with pytest.raises(InputError, match=f"^{message}"):
        evaluate_groups(**given)
