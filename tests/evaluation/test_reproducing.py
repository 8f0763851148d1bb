"""How well was an experiment reproduced? Against repro_eval, by hand, and on wrong input."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from recorded.reproduction import LENGTH, PERSISTENCE, experiments
from scipy import stats

from receval import InputError, datasets, evaluate
from receval.evaluation.reproducing import tau_union

RECORDED = Path(__file__).parents[1] / "recorded" / "reproduction.json"
PARTS = [f"filmtrust/ratings_{part}.txt" for part in range(4)]
MEASURES = {"Precision@10": "P_10", "MRR": "recip_rank", "nDCG@10": "ndcg_cut_10"}


@pytest.fixture(scope="module")
def on_filmtrust():
    if not datasets.available(*PARTS):
        pytest.skip("needs FilmTrust's ratings")
    folder = datasets.fetch(PARTS[0]).parent
    paths = [folder / Path(part).name for part in PARTS]
    parts = [pd.read_csv(path, sep=" ", names=["user", "item", "rating"]) for path in paths]
    ratings = pd.concat(parts, ignore_index=True).drop_duplicates(["user", "item"])
    relevance, original, reproductions = experiments(ratings)
    relevance = relevance.assign(relevance=1)

    def evaluated(lists):
        return evaluate(lists, relevance, list(MEASURES), convention="trec_eval", rank="rank")

    return {
        name: evaluated(original).reproduced_by(evaluated(lists), baseline="popular", p=PERSISTENCE)
        for name, lists in reproductions.items()
    }, (original, reproductions)


@pytest.mark.parametrize("name", ["nearest", "slip"])
def test_filmtrust_is_reproduced_as_repro_eval_says(on_filmtrust, name):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["reproductions"][name]
    result = on_filmtrust[0][name]
    rows = result.table.loc["similar"]
    for column, key in (
        ("effect_ratio", "ER"),
        ("improvement_difference", "DRI"),
        ("rmse", "RMSE"),
        ("p", "p"),
    ):
        expected = [recorded[key][theirs] for theirs in MEASURES.values()]
        np.testing.assert_allclose(rows.loc[list(MEASURES), column], expected, rtol=1e-9)
    lists = result.lists.loc["similar"]
    np.testing.assert_allclose(lists["tau_union"], recorded["KTU"], rtol=1e-9)
    of_users = result.per_user.loc["similar"].rename(index=str)
    for user, tau in recorded["KTU_of_users"].items():
        np.testing.assert_allclose(of_users.loc[user, "tau_union"], tau, atol=1e-13)


@pytest.mark.parametrize("name", ["nearest", "slip"])
def test_overlap_is_that_of_repro_eval_after_its_depth_is_extrapolated(on_filmtrust, name):
    results, (original, reproductions) = on_filmtrust
    reproductions_of_repro_eval = json.loads(RECORDED.read_text(encoding="utf-8"))["reproductions"]
    recorded = reproductions_of_repro_eval[name]["RBO_of_users"]
    of_users = results[name].per_user.loc["similar"].rename(index=str)
    lists = (original["similar"], reproductions[name]["similar"])
    for user, overlap in recorded.items():
        items = [set(frame.loc[frame["user"] == int(user), "item"]) for frame in lists]
        share = len(items[0] & items[1]) / LENGTH
        tail = PERSISTENCE**LENGTH
        expected = overlap * (1 - tail) + tail * share
        np.testing.assert_allclose(of_users.loc[user, "rbo"], expected, rtol=1e-9)


def test_an_experiment_reproduces_itself(on_filmtrust):
    baseline = on_filmtrust[0]["slip"]
    assert baseline.lists.loc["popular"].tolist() == pytest.approx([1, 1])
    assert (baseline.table.loc["popular", "rmse"] == 0).all()
    assert (baseline.table.loc["popular", "p"] == 1).all()
    assert baseline.table.loc["popular", "effect_ratio"].isna().all()


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        pytest.param([1, 2, 3], [1, 2, 4], 1, id="the example of the paper"),
        pytest.param([1, 2, 3], [3, 2, 1], -1, id="reversed"),
        pytest.param([1, 2, 3], [7, 8, 9], 1, id="nothing in common"),
        pytest.param([1, 2, 3], [9, 2, 1], -1, id="a new item comes after the old ones"),
        pytest.param([1, 2, 3, 4], [2, 1], -1, id="the shorter length counts"),
        pytest.param([1], [1], np.nan, id="one item has no order"),
    ],
)
def test_tau_union_by_hand(first, second, tau):
    np.testing.assert_equal(tau_union(np.array(first), np.array(second)), tau)


def test_tau_union_is_scipys_tau_of_the_places():
    rng = np.random.default_rng(0)
    for _ in range(50):
        first, second = (rng.permutation(20)[:8] for _ in range(2))
        union = list(dict.fromkeys([*first, *second]))
        places = [union.index(item) for item in second]
        expected = stats.kendalltau(range(8), places).statistic
        assert tau_union(first, second) == pytest.approx(expected, abs=1e-12)


def experiment(users, shift=0):
    """Return an evaluation of two systems: the new one has the relevant item first."""
    truth = pd.DataFrame({"user": users, "item": "r", "relevance": 1})
    rows = [(user, rank) for user in users for rank in (1, 2, 3)]
    table = pd.DataFrame(rows, columns=["user", "rank"])
    place = table["user"] % 3 + 1
    systems = {}
    for name, hit_rank in (("old", place), ("new", (place - 2 + shift).clip(1, 3))):
        items = np.where(table["rank"] == hit_rank, "r", "x" + table["rank"].astype(str))
        systems[name] = table.assign(item=items)
    return evaluate(systems, truth, ["MRR", "HR@1"], rank="rank")


def test_other_users_are_a_replication():
    original, other = experiment(range(9)), experiment(range(20, 33))
    result = original.reproduced_by(other, baseline="old")
    assert not result.is_paired
    assert result.per_user.empty
    assert result.table["rmse"].isna().all()
    values = [frame.values("old")["MRR"] for frame in (original, other)]
    expected = stats.ttest_ind(*values).pvalue
    np.testing.assert_allclose(result.table.loc[("old", "MRR"), "p"], expected)
    assert "unpaired" in result.methods()
    assert "Similarity" not in repr(result)


def test_a_reproduction_is_shown_described_and_drawn():
    result = experiment(range(9)).reproduced_by(experiment(range(9), shift=1), baseline="old")
    assert result.table.index.tolist() == [
        ("old", "MRR"), ("old", "HR@1"), ("new", "MRR"), ("new", "HR@1"),
    ]  # fmt: skip
    assert "effect_ratio" in repr(result)
    assert "rbo" in result._repr_html_()
    assert "paired t-test" in result.methods()
    assert "10.1145/3397271.3401036" in result.methods(bibtex=True)
    axes = result.plot()
    assert axes.get_xlabel() == "effect ratio"
    plt.close(axes.figure)
    table = result.table
    table.loc[:] = 0
    assert result.table.loc[("new", "MRR"), "original"] > 0


def test_without_an_effect_in_the_original_there_is_no_ratio():
    original = experiment(range(9))
    same = evaluate(
        dict.fromkeys(["old", "new"], pd.DataFrame({"user": [1, 2], "item": "r", "rank": 1})),
        pd.DataFrame({"user": [1, 2], "item": "r", "relevance": 1}),
        "MRR",
        rank="rank",
    )
    assert original.systems == same.systems
    result = same.reproduced_by(same, baseline="old")
    assert np.isnan(result.table.loc[("new", "MRR"), "effect_ratio"])


def test_values_that_were_loaded_have_no_lists(tmp_path):
    from receval import load

    original = experiment(range(9))
    original.save(tmp_path / "original.receval")
    result = load(tmp_path / "original.receval").reproduced_by(original, baseline="old")
    assert result.per_user.empty
    assert result.table.loc[("new", "MRR"), "effect_ratio"] == 1


@pytest.mark.parametrize(
    ("mine", "options", "message"),
    [
        (lambda: "a frame", {}, "reproduction must be the evaluation of a reproduction; got str"),
        (lambda: experiment(range(5, 12)), {}, "reproduction must have all users.*; got 4 of 9"),
        (lambda: experiment(range(9)), {"baseline": "odl"}, "baseline must be one of"),
        (lambda: experiment(range(9)), {"p": 1}, "p must be"),
        (
            lambda: evaluate(
                {"old": pd.DataFrame({"user": [1], "item": "r", "rank": 1})},
                pd.DataFrame({"user": [1], "item": "r", "relevance": 1}),
                "MRR",
                rank="rank",
            ),
            {},
            "reproduction must have a system besides the baseline",
        ),
    ],
)
def test_refuses(mine, options, message):
    with pytest.raises(InputError, match=message):
        experiment(range(9)).reproduced_by(mine(), **{"baseline": "old", **options})
