"""The users of a mean: the arguments `users` and `missing` of evaluate."""

import dask.dataframe as dask
import numpy as np
import pandas as pd
import pytest
from scale_data import evaluate_in_parts

from receval import InputError, evaluate, load

# 1 and 2 are judged and answered, 3 judged only, 4 answered only, 5 neither.
RECS = pd.DataFrame({"user": [1, 1, 2, 4], "item": list("abba"), "score": [2.0, 1, 1, 1]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": list("bba"), "relevance": 1})


def mean(**options):
    return evaluate(RECS, TRUTH, "MRR", **options).summary["MRR"].item()


@pytest.mark.parametrize(
    ("users", "expected"),
    [
        ("judged", 1.5 / 3),
        ("answered", 1.5 / 3),
        ("both", 1.5 / 2),
        ([1, 2, 3, 4, 5], 1.5 / 5),
        ([5, 1], 0.5 / 2),
        (np.array([3]), 0),
        (pd.Series([2, 4]), 1 / 2),
        ([1, 3], 0.5 / 2),
        ([1, 2], 1.5 / 2),
        ([4, 5], 0),
    ],
)
def test_the_mean_is_over_exactly_these(users, expected):
    assert mean(users=users) == expected
    assert mean(users=[1, 3, 5], convention="lenskit") == 0.5 / 3  # it leaves nobody out


def test_named_users_without_relevance_are_counted_as_not_judged():
    result = evaluate(RECS, TRUTH, "MRR", users=[1, 3, 4, 5])
    answered = evaluate(RECS, TRUTH, "MRR", users="answered")
    counts = {"judged": 2, "answered": 1, "without truth": 0, "ignored": 1, "not judged": 2}
    for found, changed, values in [
        (result, {}, {1: 0.5, 3: 0, 4: 0, 5: 0}),
        (result.where([1, 3, 4]), {"ignored": 0, "not judged": 1}, {1: 0.5, 3: 0, 4: 0}),
        (result.where([4, 5]), {"judged": 0, "answered": 0, "ignored": 0}, {4: 0, 5: 0}),
        (
            answered,
            {"judged": 3, "answered": 2, "not judged": 1, "ignored": 0},
            {1: 0.5, 2: 1, 4: 0},
        ),
        (answered.where([1, 4]), {"judged": 1, "not judged": 1, "ignored": 0}, {1: 0.5, 4: 0}),
    ]:
        assert found.counts.loc[""].to_dict() == counts | changed
        assert found.per_user["MRR"].dropna().to_dict() == values
    assert result.interval()["users"].item() == 4
    assert "2 not judged" in repr(result)
    assert "over the users named, of whom those not judged count as 0" in result.methods()
    groups = result.by(pd.Series({1: "a", 3: "a", 4: "b", 5: "b"}))
    assert groups["b"].summary.equals(result.where([4, 5]).summary)


def test_several_systems_have_the_same_users():
    fewer = RECS[RECS["user"] == 2]
    result = evaluate({"a": RECS, "b": fewer}, TRUTH, "MRR", users="answered")
    assert result.summary["MRR"].tolist() == [0.5, 1]
    assert result.per_user.loc["b"]["MRR"].dropna().to_dict() == {2: 1}
    assert result.per_user.loc["a"].index.equals(result.per_user.loc["b"].index)


def test_a_kept_result_and_some_of_its_users(tmp_path):
    result = evaluate(RECS, TRUTH, "MRR", users=[1, 4])
    result.save(tmp_path / "values.receval")
    again = load(tmp_path / "values.receval")
    pd.testing.assert_frame_equal(again.summary, result.summary)
    assert "over the users named" in again.methods()
    assert result.where([1]).summary["MRR"].item() == 0.5


def test_ties_of_the_users_that_are_left():
    tied = RECS.assign(score=1.0)
    assert evaluate(tied, TRUTH, "MRR", users=[2, 5]).ties()["users"].item() == 0
    found = evaluate(tied, TRUTH, "MRR", users=[1, 5]).ties().loc["MRR"]
    assert found[["pessimistic", "optimistic"]].tolist() == [0.25, 0.5]


CATALOGUE = pd.DataFrame(index=list("ab"))


@pytest.mark.parametrize(
    ("users", "options", "message"),
    [
        ("all", {}, "users must be one of 'judged', 'answered', 'both'; got 'all'"),
        (["u1"], {}, "users must hold ids of users, which are integer"),
        ([1, 1], {}, "users must hold each id once"),
        ([], {}, "users must hold at least one id"),
        (3, {}, "users must be one of judged, answered, both, or ids; got 3"),
        (pd.DataFrame({"user": [1]}), {}, "users must be one of judged, answered, both, or ids"),
        ([[1]], {}, "users must name each id by a hashable id"),
        *(
            (
                users,
                {"measures": ["MRR", "CC@2"], "items": CATALOGUE},
                "users must be 'judged' for CC@2",
            )
            for users in ("answered", "both", [1])
        ),
    ],
)
def test_refusals(users, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(RECS, TRUTH, **{"measures": "MRR", "users": users, **options})


def test_tables_in_parts_refuse_it(tmp_path):
    RECS.to_parquet(tmp_path / "recs.parquet")
    TRUTH.to_parquet(tmp_path / "truth.parquet")
    paths = tmp_path / "recs.parquet", tmp_path / "truth.parquet"
    assert evaluate(*paths, "MRR", users=[1, 5]).summary["MRR"].item() == 0.25
    rule = "users must be 'judged' or 'both' for .* in parts; got {}.* evaluate.*where"
    with pytest.raises(InputError, match=rule.format("ids")):
        evaluate_in_parts(*paths, "MRR", users=[1, 5])
    own = [dask.from_pandas(table, npartitions=2) for table in (RECS, TRUTH)]
    with pytest.raises(InputError, match=rule.format("answered")):
        evaluate(*own, "MRR", users="answered")


def test_seen_items_of_many_users_and_items_are_found():
    """A pair of a user and an item is numbered beyond 2**31."""
    numbers = np.arange(100_000)
    recs = pd.DataFrame({"user": numbers, "item": numbers, "score": 1.0})
    truth = pd.DataFrame({"user": numbers, "item": numbers[::-1], "relevance": 1})
    history = recs[["user", "item"]].iloc[50_000:]
    counts = evaluate(recs, truth, "HR@1", history=history, seen="drop").counts.loc[""]
    assert counts["seen"] == 50_000
