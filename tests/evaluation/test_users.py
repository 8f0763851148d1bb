"""The users of a mean: the arguments `users` and `missing` of evaluate."""

import dask.dataframe as dask
import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate, load

# 1 and 2 are judged and answered, 3 judged only, 4 answered only, 5 neither.
RECS = pd.DataFrame({"user": [1, 1, 2, 4], "item": list("abba"), "score": [2.0, 1, 1, 1]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": list("bba"), "relevance": 1})


def mean(recs=RECS, truth=TRUTH, **options):
    return evaluate(recs, truth, "MRR", **options).summary["MRR"].item()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"users": "judged"}, 1.5 / 3),
        ({"users": "answered"}, 1.5 / 3),
        ({"users": "both"}, 1.5 / 2),
        ({"users": [1, 2, 3, 4, 5]}, 1.5 / 5),
        ({"users": [5, 1]}, 0.5 / 2),
        ({"users": np.array([3])}, 0),
        ({"users": pd.Series([2, 4])}, 1 / 2),
        ({"users": [1, 3]}, 0.5 / 2),
        ({"users": [1, 2]}, 1.5 / 2),
        ({"users": [4, 5]}, 0),
        ({"users": [1, 3, 5], "convention": "lenskit"}, 0.5 / 3),  # it leaves nobody out
    ],
)
def test_the_mean_is_over_exactly_these(options, expected):
    assert mean(**options) == expected


NAMED = evaluate(RECS, TRUTH, "MRR", users=[1, 3, 4, 5])
ANSWERED = evaluate(RECS, TRUTH, "MRR", users="answered")


@pytest.mark.parametrize(
    ("result", "counts", "values"),
    [
        (NAMED, [2, 1, 0, 1, 2], {1: 0.5, 3: 0, 4: 0, 5: 0}),
        (NAMED.where([1, 3, 4]), [2, 1, 0, 0, 1], {1: 0.5, 3: 0, 4: 0}),
        (NAMED.where([4, 5]), [0, 0, 0, 0, 2], {4: 0, 5: 0}),
        (ANSWERED, [3, 2, 0, 0, 1], {1: 0.5, 2: 1, 4: 0}),
        (ANSWERED.where([1, 4]), [1, 1, 0, 0, 1], {1: 0.5, 4: 0}),
    ],
)
def test_named_users_without_relevance_are_counted_as_not_judged(result, counts, values):
    kinds = ["judged", "answered", "without truth", "ignored", "not judged"]
    assert result.counts.loc[""].to_dict() == dict(zip(kinds, counts, strict=True))
    assert result.per_user["MRR"].dropna().to_dict() == values


def test_texts_and_groups_of_named_users(tmp_path):
    assert NAMED.interval()["users"].item() == 4
    assert "2 not judged" in repr(NAMED)
    NAMED.save(tmp_path / "values.receval")
    loaded = load(tmp_path / "values.receval")
    assert loaded == NAMED
    assert "over the users named, of whom those not judged count as 0" in loaded.methods()
    groups = NAMED.by(pd.Series({1: "a", 3: "a", 4: "b", 5: "b"}))
    assert groups["b"].summary.equals(NAMED.where([4, 5]).summary)


def test_several_systems_have_the_same_users():
    fewer = RECS[RECS["user"] == 2]
    result = evaluate({"a": RECS, "b": fewer}, TRUTH, "MRR", users="answered")
    assert result.summary["MRR"].tolist() == [0.5, 1]
    assert result.per_user.loc["b"]["MRR"].dropna().to_dict() == {2: 1}
    assert result.per_user.loc["a"].index.equals(result.per_user.loc["b"].index)


@pytest.mark.parametrize(
    ("users", "n_tied", "bounds"), [([2, 5], 0, [0.5, 0.5]), ([1, 5], 1, [0.25, 0.5])]
)
def test_ties_of_the_users_that_are_left(users, n_tied, bounds):
    found = evaluate(RECS.assign(score=1.0), TRUTH, "MRR", users=users).ties().loc["MRR"]
    assert found[["users", "pessimistic", "optimistic"]].tolist() == [n_tied, *bounds]


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
                {"measures": ["MRR", "CC@2"], "items": pd.DataFrame(index=["a", "b"])},
                "users must be 'judged' for CC@2",
            )
            for users in ("answered", "both", [1])
        ),
    ],
)
def test_refusals(users, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(RECS, TRUTH, **{"measures": "MRR", "users": users, **options})


@pytest.mark.parametrize(("users", "got"), [("answered", "answered"), ([1, 5], "ids")])
def test_tables_in_parts_refuse_it(users, got):
    tables = [dask.from_pandas(table, npartitions=2) for table in (RECS, TRUTH)]
    rule = f"users must be 'judged' or 'both' for .* in parts; got {got}.* evaluate.*where"
    with pytest.raises(InputError, match=rule):
        mean(*tables, users=users)


def test_seen_items_of_many_users_and_items_are_found():
    """A pair of a user and an item is numbered beyond 2**31."""
    numbers = np.arange(100_000)
    recs = pd.DataFrame({"user": numbers, "item": numbers, "score": 1.0})
    truth = pd.DataFrame({"user": numbers, "item": numbers[::-1], "relevance": 1})
    history = recs[["user", "item"]].iloc[50_000:]
    counts = evaluate(recs, truth, "HR@1", history=history, seen="drop").counts.loc[""]
    assert counts["seen"] == 50_000
