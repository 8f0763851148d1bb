"""User-defined measures, together with receval's, and their bounds for equal scores."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from receval import InputError, Measure, Terms, evaluate, load
from receval.metrics import shifted_log2

RNG = np.random.default_rng(11)


def relevant(grades):
    return grades > 0


def mine(name="mine", **how):
    return Measure(name, source="this test", **how)


def deepest_hit(these, cut):  # the names of the arguments are one's own
    hits = these.grades[:, :cut] > 0
    return (hits * np.arange(1, hits.shape[1] + 1)).max(axis=1, initial=0)


OWN_NDCG = mine("my nDCG", terms=Terms(lambda g: g, shifted_log2), divisor="ideal")
OWN_RR = mine("my RR", terms=Terms(relevant, lambda i: 1 / i, "unstopped"))
DEEPEST = mine("deepest", per_list=deepest_hit)


def tables(levels=1000, users=60):
    pairs = np.argwhere(RNG.random((users, 12)) < 0.5)
    recs = pd.DataFrame(pairs, columns=["user", "item"])
    recs["score"] = RNG.integers(0, levels, len(recs))
    pairs = np.argwhere(RNG.random((users, 12)) < 0.3)
    truth = pd.DataFrame(pairs, columns=["user", "item"])
    return recs, truth.assign(relevance=RNG.integers(0, 4, len(truth)))


@pytest.mark.parametrize("ties", ["item", "average"])
@pytest.mark.parametrize("k", [None, 1, 3, 40])
@pytest.mark.parametrize(
    ("own", "name"),
    [(OWN_NDCG, "nDCG"), (OWN_RR, "MRR")],
    ids=lambda one: getattr(one, "key", one),
)
def test_a_measure_restated_is_the_measure(own, name, k, ties):
    recs, truth = tables(levels=4)
    cut = own if k is None else own.at(k)
    name = name if k is None else f"{name}@{k}"
    result = evaluate(
        {"A": recs, "B": recs.assign(score=-recs["score"])}, truth, [cut, name], ties=ties
    )
    assert result.per_user.columns.tolist() == [cut.name, name]
    assert_array_equal(result.per_user[cut.name], result.per_user[name])
    spread = result.ties()
    assert_array_equal(spread.xs(cut.name, level="measure"), spread.xs(name, level="measure"))


def test_a_function_of_lists_has_no_known_mean_over_orders():
    recs = pd.DataFrame({"user": 1, "item": range(5), "score": [2, 1, 1, 1, 0]})
    truth = pd.DataFrame({"user": 1, "item": range(4), "relevance": [0, 0, 3, 1]})
    result = evaluate(recs, truth, [DEEPEST.at(3), "HR@3"])
    assert result.ties().index.tolist() == ["HR@3"]
    rule = r"measures must be sums of terms with ties='average', .*; got \['deepest@3'\]"
    with pytest.raises(InputError, match=rule):
        evaluate(recs, truth, [DEEPEST.at(3), "HR@3"], ties="average")
    distinct = recs.assign(score=[5, 4, 3, 2, 1])  # there is only one order
    one_order = evaluate(distinct, truth, DEEPEST.at(3), ties="average").summary
    assert one_order.iloc[0, 0] == 3


@pytest.mark.parametrize(
    "terms",
    [
        Terms(lambda g: np.where(g == 1, 2, g > 0)),
        Terms(relevant, lambda i: i / 10),
        Terms(relevant, lambda i: -i / 10),  # the weight after the last rank is 0
    ],
    ids=["a gain that falls", "weights that rise", "weights below 0"],
)
def test_no_interval_where_the_best_order_is_not_relevant_first(terms):
    recs, truth = tables(levels=3)
    own = mine(terms=terms)
    row = evaluate(recs, truth, own).ties().loc["mine"]
    assert row[["pessimistic", "optimistic"]].isna().all()
    averaged = evaluate(recs, truth, own, ties="average").summary.loc["", "mine"]
    assert_allclose(row["expected"], averaged, rtol=1e-15)  # still exact


def test_explained_compared_and_cited_like_any_other():
    recs, truth = tables()
    result = evaluate(
        {"A": recs, "B": recs.assign(score=-recs["score"])}, truth, [OWN_RR.at(4), DEEPEST, "MRR"]
    )
    user = result.per_user.loc["A"].index[0]
    explained = result.explain(user, "my RR@4", system="A")
    value = result.per_user.loc[("A", user), "my RR@4"]
    assert explained.table["term"].sum() == explained.value == value
    assert "not stopped above" in explained.table
    assert result.explain(user, "deepest", system="A").source == "this test"
    compared = result.compare(measures=["my RR@4", "deepest"]).results
    assert {*compared.index.get_level_values("measure")} == {"my RR@4", "deepest"}
    assert "my RR, deepest (this test)" in result.methods()
    assert "my RR@4" in result.table().to_latex()


def test_a_user_without_answer_has_the_value_of_the_convention():
    lists, truth = {"ann": ["a"]}, {"ann": {"a": 1}, "bob": {"a": 1}, "cem": {"a": 0}}
    own = mine(per_list=lambda lists, k: np.where(lists.length > 0, 0.5, np.nan))
    for convention, expected in {"receval": [0.5, 0, 0], "lenskit": [0.5, np.nan, np.nan]}.items():
        values = evaluate(lists, truth, own, convention=convention).per_user["mine"]
        assert_array_equal(values, expected)


def test_short_lists_gain_nothing_beyond_their_ends():
    def gain(grades):
        return np.where(grades > 3, 2, 1)  # 1 for NaN, the grade of an empty rank

    recommendations = {"short": [1], "long": [1, 2, 3]}
    relevance = {"short": {1: 4}, "long": {1: 4, 2: 4, 3: 4}}
    result = evaluate(recommendations, relevance, [mine("two levels", terms=Terms(gain))])
    assert result.per_user["two levels"].to_dict() == {"short": 2, "long": 6}


def test_a_divisor_of_0_leaves_the_value_undefined():
    recs = pd.DataFrame({"user": [1, 2], "item": "a", "score": 1.0})
    truth = pd.DataFrame({"user": [1, 2, 3], "item": "a", "relevance": [2, 1, 1]})
    own = mine(terms=Terms(lambda grades: grades > 1), divisor="ideal")
    result = evaluate(recs, truth, own)
    assert_array_equal(result.per_user["mine"], [1, np.nan, 0])  # the last has no answer
    assert "mine 2 of 3" in repr(result)


def test_a_whole_list_is_seen_whatever_else_is_asked():
    recs, truth = tables()
    whole = mine(per_list=lambda lists, k: np.nansum(lists.grades, axis=1))
    alone = evaluate(recs, truth, whole.at(2)).per_user
    assert_array_equal(alone["mine@2"], evaluate(recs, truth, [whole.at(2), "CG"]).per_user["CG"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mine(), "mine must have either terms or per_list; got neither"),
        (
            lambda: mine(terms=Terms(relevant), per_list=deepest_hit),
            "mine must have either terms or per_list; got both",
        ),
        (lambda: mine(terms=relevant), "terms of mine must be receval.Terms; got <function"),
        (
            lambda: mine(terms=Terms(1)),
            "gain of mine must be a function such as linear_gain; got 1",
        ),
        (lambda: mine(terms=Terms(relevant, 2)), "weight of mine must be a function such as"),
        (lambda: mine(terms=Terms(relevant, None, "so far")), "above of mine must be one of 'unst"),
        (lambda: mine(terms=Terms(relevant, None, 3)), "above of mine must be one of 'unst"),
        (lambda: mine(terms=Terms(relevant), divisor="best"), "divisor of mine must be one of"),
        (lambda: mine(terms=Terms(relevant), divisor=np.sum), "divisor of mine must be one of"),
        (lambda: mine(per_list=deepest_hit, divisor="ideal"), "divisor of mine must go with terms"),
        (lambda: mine(per_list=3), "per_list of mine must be a function such as"),
        (lambda: mine("a@b", per_list=deepest_hit), "name must have no '@'; got 'a@b'"),
        (lambda: mine(" ", per_list=deepest_hit), "name must be text; got ' '"),
        (lambda: mine("user ", per_list=deepest_hit), "name must not be the name of an id column"),
        (lambda: mine("system", per_list=deepest_hit), "name must not be the name of an id column"),
        (lambda: Measure("m", per_list=deepest_hit, source=""), "source must be text; got ''"),
        (lambda: DEEPEST.at(0), "the cut-off of deepest must be a positive integer; got 0"),
        (
            lambda: Measure("m", per_list=deepest_hit, source="x", higher_is_better=1),
            "higher_is_better must be True or False; got 1",
        ),
    ],
)
def test_refuses_what_is_no_measure(call, message):
    with pytest.raises(InputError) as found:
        call()
    assert str(found.value).startswith(message)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (mine(terms=Terms(lambda g: g[:, :1])), "gain must return real numbers of shape ("),
        (mine(terms=Terms(lambda g: -g)), "gain must return numbers of at least 0; got"),
        (
            mine(terms=Terms(lambda g: g, None, "unstopped")),
            "gain must return numbers up to 1, the share of users who stop; got",
        ),
        (
            mine(terms=Terms(relevant, np.sum)),
            "discount must return real numbers of shape (12,); ",
        ),
        (mine(terms=Terms(relevant, lambda i: i * np.nan)), "discount must be finite"),
        (mine(per_list=lambda lists, k: 1), "per_list of mine must return real numbers of shape"),
        (mine(per_list=lambda lists, k: lists.length * np.inf), "per_list of mine must return fin"),
        (
            mine(per_list=lambda lists, k: ["x"] * 60),
            "per_list of mine must return real numbers",
        ),
        (mine("MRR", per_list=deepest_hit), "measures must have names of their own; got another"),
        (
            [DEEPEST, mine("deepest", terms=Terms(relevant))],
            "measures must have names of their own; got another 'deepest'",
        ),
    ],
)
def test_refuses_what_a_function_answers(own, message):
    recs = pd.DataFrame({"user": np.repeat([1, 2, 3], 12), "item": np.tile(range(12), 3)})
    recs["score"] = -recs["item"].astype(float)
    truth = pd.DataFrame({"user": [1, 2, 3], "item": 3, "relevance": 2})
    with pytest.raises(InputError) as found:
        evaluate(recs, truth, own)
    assert str(found.value).startswith(message)


@pytest.mark.parametrize(
    "own",
    [
        mine(per_list=lambda lists, k: lists.scores.sort()),
        mine(per_list=lambda lists, k: lists.best.grades.sort()),
        mine(per_list=lambda lists, k: lists.items.sort()),
    ],
)
def test_functions_cannot_write_into_their_arguments(own):
    recs, truth = tables()
    with pytest.raises(ValueError, match="read-only"):
        evaluate(recs, truth, own)


def test_a_gain_may_write_into_its_argument_which_is_a_copy():
    recs, truth = tables()
    writing = mine(terms=Terms(lambda grades: np.minimum(grades, 1, out=grades)))
    plain = mine(terms=Terms(lambda grades: np.minimum(grades, 1)))
    values = evaluate(recs, truth, [writing, "nDCG"]).per_user
    assert_frame_equal(values, evaluate(recs, truth, [plain, "nDCG"]).per_user)


def test_functions_call_lists_and_cut_off_as_they_like():
    recs, truth = tables()
    own = mine(per_list=lambda those, depth: deepest_hit(those, depth))
    found = evaluate(recs, truth, [own.at(3), DEEPEST.at(3)]).per_user
    assert_array_equal(found["mine@3"], found["deepest@3"])


@pytest.mark.parametrize(
    "own",
    [
        mine("misses (1)", per_list=lambda lists, k: 0.0 + lists.length, higher_is_better=False),
        mine("found", terms=Terms(relevant), higher_is_better=False).at(3),
        OWN_NDCG.at(2),
    ],
    ids=lambda one: one.key,
)
def test_a_loaded_result_judges_by_it_as_the_saved_one_did(own, tmp_path):
    recs, truth = tables(levels=4)
    both = {"A": recs, "B": recs[recs["item"] < 8].assign(score=-recs["score"])}
    saved = evaluate(both, truth, [own, "MRR"])
    saved.save(tmp_path / "own.receval")
    loaded = load(tmp_path / "own.receval")
    shown, expected = (
        (repr(result), result.methods(), result.to_latex()) for result in (loaded, saved)
    )
    assert shown == expected
    pd.testing.assert_frame_equal(loaded.ties(), saved.ties())
    pd.testing.assert_frame_equal(loaded.compare("A").results, saved.compare("A").results)


STANDARD_COLUMNS = ["rank", "item", "grade", "gain", "weight", "term", "running sum"]


def explained_table(measure):
    """Return the working of a list with the grades 2, 0, 1, and the value that it explains."""
    lists, truth = {"ann": ["x", "y", "z"]}, {"ann": {"x": 2, "z": 1}}
    explained = evaluate(lists, truth, [measure]).explain("ann", measure.name)
    return pd.DataFrame(explained.table), explained.value


@pytest.mark.parametrize("name", [*STANDARD_COLUMNS, "above", "ideal term", "ideal sum"])
def test_a_measure_named_like_a_column_of_the_working_leaves_the_column_alone(name):
    parts = {"terms": Terms(lambda grades: grades, lambda ranks: 1 / ranks), "divisor": "ideal"}
    expected, value = explained_table(mine("other", **parts))
    table, value_of_name = explained_table(mine(name, **parts))
    assert value_of_name == value
    assert table[f"value of {name}"].iloc[-1] == value
    renamed = expected.rename(columns={"other": f"value of {name}"})
    pd.testing.assert_frame_equal(table, renamed, check_exact=True)


def test_a_function_of_the_list_named_gain_leaves_the_gains_alone():
    table, value = explained_table(mine("gain", per_list=lambda lists, k: lists.grades.max(axis=1)))
    assert table["gain"].tolist() == [2.0, 0.0, 1.0]
    assert table["value of gain"].tolist() == [value] * 3 == [2.0] * 3
