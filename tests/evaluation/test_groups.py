"""Values of some users and of groups equal those of an evaluation of their tables alone."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from receval import InputError, evaluate, load

N = 40
RNG = np.random.default_rng(5)
USERS = np.repeat(np.arange(N), 6)
TRUTH = pd.DataFrame(
    {"user": USERS, "item": np.tile(np.arange(6), N), "relevance": RNG.integers(0, 3, 6 * N)}
)
SYSTEMS = {
    name: pd.DataFrame(
        {"user": USERS, "item": np.tile(np.arange(6), N), "score": RNG.integers(0, 4, 6 * N)}
    )[lambda table: table["user"] != 3]
    for name in "AB"
}
MEASURES = ["nDCG@3", "AUC", "CC@2", "Gini@2", "nov_u@3"]
MORE = {
    "items": pd.DataFrame(index=range(9)),
    "history": pd.DataFrame({"user": USERS, "item": RNG.integers(0, 9, 6 * N)}).drop_duplicates(),
}
RESULT = evaluate(SYSTEMS, TRUTH, MEASURES, **MORE)
KINDS = pd.Series(np.where(np.arange(N) % 3, "heavy", "cold"), index=np.arange(N))[::-1]
FEW = [3, 5, 20, 21]


def of_some(users):
    """Evaluate the tables of these users alone."""
    systems = {name: one[one["user"].isin(users)] for name, one in SYSTEMS.items()}
    return evaluate(systems, TRUTH[TRUTH["user"].isin(users)], MEASURES, **MORE)


def test_some_users_are_what_their_tables_alone_give():
    few, alone = RESULT.where(FEW), of_some(FEW)
    assert few == alone  # values, means, counts, ties, sets of items
    pd.testing.assert_frame_equal(few.summary, alone.summary, check_exact=True)
    explained, expected = (result.explain(20, "nDCG@3", system="B") for result in (few, alone))
    assert repr(explained) == repr(expected)
    assert few.where([5, 20]) == of_some([5, 20])
    assert few != RESULT


@pytest.mark.parametrize("users", [np.array(FEW), set(FEW), pd.Series(FEW), pd.Index(FEW)])
def test_users_are_chosen_by_ids(users):
    assert RESULT.where(users) == RESULT.where(FEW)


def saved(result, folder):
    """Save a result, and load it."""
    result.save(folder / "saved.receval")
    return load(folder / "saved.receval")


def test_of_a_file_the_values_of_some_users_are_known(tmp_path):
    whole = evaluate(SYSTEMS, TRUTH, ["nDCG@3", "AUC", "nov_u@3"], **MORE)
    few, expected = saved(whole, tmp_path).where(FEW), whole.where(FEW)
    pd.testing.assert_frame_equal(few.per_user, expected.per_user, check_exact=True)
    pd.testing.assert_frame_equal(few.summary, expected.summary, check_exact=True)
    assert few.counts.to_dict("list") == {"judged": [4, 4]}
    assert saved(few, tmp_path) == few


NO_SETS = r"^measures must have .* got \['CC@2', 'Gini@2'\]"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda loaded: loaded.where(FEW), NO_SETS),
        (lambda loaded: loaded.by(KINDS), NO_SETS),
        (lambda loaded: loaded.explain(3, "AUC", system="A"), "evaluation must have its lists"),
    ],
)
def test_of_a_file_set_level_values_of_some_users_are_refused(call, message, tmp_path):
    loaded = saved(RESULT, tmp_path)
    with pytest.raises(InputError, match=message):
        call(loaded)


def test_groups_are_the_evaluations_of_their_users():
    groups = RESULT.by(KINDS)
    assert list(groups) == ["cold", "heavy"]
    for name, part in groups.items():
        assert part == RESULT.where(sorted(KINDS.index[name == KINDS]))
    heavy = groups["heavy"].per_user["nDCG@3"]
    row = groups["heavy"].compare("A", measures="nDCG@3").results.iloc[0]
    assert_allclose(row["p"], stats.ttest_rel(heavy.loc["B"], heavy.loc["A"]).pvalue)
    ordered = pd.Series(pd.Categorical(KINDS, ["heavy", "none", "cold"]), KINDS.index)
    assert list(RESULT.by(ordered)) == ["heavy", "cold"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: RESULT.where([1, 99, 98]), "users must be judged users.*got 99, 98"),
        pytest.param(lambda: RESULT.where([]), "users must leave at least one"),
        pytest.param(
            lambda: RESULT.where(KINDS == "cold"),
            "users must hold ids of users; got flags. Pass the ids of the wanted users",
        ),
        pytest.param(lambda: RESULT.where([True]), "users must hold ids of users.* boolean, such"),
        *(
            pytest.param(
                lambda ids=ids: RESULT.where(ids), "users must hold ids of users, which are integer"
            )
            for ids in ([1.0], ["1"], [1, 2.0])
        ),
        pytest.param(
            lambda: RESULT.where(FEW).explain(4, "AUC", system="A"), "user must be a judged user"
        ),
        *(
            pytest.param(
                lambda user=user: RESULT.explain(user, "AUC", system="A"),
                "user must be a judged user",
            )
            for user in (1.0, True, "1", None)
        ),
        pytest.param(
            lambda: RESULT.by(KINDS.set_axis(KINDS.index.astype(float))),
            "index of groups must hold ids of users",
        ),
        pytest.param(lambda: RESULT.by(KINDS.iloc[1:]), "groups must hold one.*none of 39. Choose"),
        pytest.param(
            lambda: RESULT.by(KINDS.mask(KINDS.index == 7)), "groups must hold one.*none of 7"
        ),
        pytest.param(
            lambda: RESULT.by(pd.concat([KINDS, KINDS.iloc[:1]])),
            "index of groups must hold each user once; got 39 2 times",
        ),
        pytest.param(lambda: RESULT.by(KINDS.map({})), "none of 0, 1"),
        pytest.param(
            lambda: RESULT.by(KINDS.map({"cold": True, "heavy": 1})),
            "groups must have names that differ; got True for user 0 and 1 for user 1",
        ),
        *(
            pytest.param(
                lambda users=users: RESULT.where(users),
                "users must be a list of ids of judged users; got",
            )
            for users in (None, 5, "ann", abs, pd.DataFrame({"user": FEW}), np.array(5))
        ),
        pytest.param(
            lambda: RESULT.where([5, 5, 3]), "users must hold each id once; got 5 2 times"
        ),
        pytest.param(lambda: RESULT.where(np.array([5, 5])), "users must .* once; got 5 2 times"),
        pytest.param(lambda: RESULT.where([[1, 2]]), "users must name each id by a hashable id"),
        pytest.param(
            lambda: RESULT.where([(1, 2)]),
            r"users must hold ids of users, .* got mixed, such as \(1, 2\)",
        ),
        pytest.param(
            lambda: RESULT.by(KINDS.map(lambda kind: [kind])), "groups must have hashable names"
        ),
        pytest.param(lambda: RESULT.by("country"), "groups must be a Series with the group"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
