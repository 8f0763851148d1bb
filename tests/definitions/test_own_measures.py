"""User-defined measures, together with receval's, and their bounds for equal scores."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

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
    tied, truth = {1: {0: 2, 1: 1, 2: 1, 3: 1, 4: 0}}, {1: {0: 0, 1: 0, 2: 3, 3: 1}}
    measures = [DEEPEST.at(3), "HR@3"]
    assert evaluate(tied, truth, measures).ties().index.tolist() == ["HR@3"]
    rule = r"measures must be sums of terms with ties='average', .*; got \['deepest@3'\]"
    with pytest.raises(InputError, match=rule):
        evaluate(tied, truth, measures, ties="average")
    distinct = {1: {0: 5, 1: 4, 2: 3, 3: 2, 4: 1}}  # there is only one order
    one_order = evaluate(distinct, truth, measures, ties="average")
    assert one_order.summary.iloc[0, 0] == 3


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


ONE_LIST, GRADES = {"ann": ["x", "y", "z"]}, {"ann": {"x": 2, "z": 1}}
TWO_LISTS = {"short": [1], "long": [1, 2, 3]}
TWO_JUDGED = {"short": {1: 4}, "long": {1: 4, 2: 4, 3: 4}}
ANSWERS, JUDGED = {"ann": ["a"]}, {"ann": {"a": 1}, "bob": {"a": 1}, "cem": {"a": 0}}
HALF = mine(per_list=lambda lists, k: np.where(lists.length > 0, 0.5, np.nan))
WHOLE_LIST = mine(per_list=lambda lists, k: np.nansum(lists.grades, axis=1)).at(2)
SUM_WITH_NAN = mine(per_list=lambda lists, k: lists.grades.sum(axis=1))
MEAN_WITH_NAN = mine(
    per_list=lambda lists, k: np.where(lists.n_relevant, lists.grades.mean(axis=1), np.nan)
)
THIRD = mine(per_list=lambda lists, k: lists.grades[:, 2])  # NaN for shorter lists
TWO_LEVELS = mine(terms=Terms(lambda grades: np.where(grades > 3, 2, 1)))  # 1 for NaN: no item
AT_MOST_1 = mine(terms=Terms(lambda grades: np.minimum(grades, 1, out=grades)))  # into a copy
ABOVE_1 = mine(terms=Terms(lambda grades: grades > 1), divisor="ideal")


@pytest.mark.parametrize(
    ("lists", "truth", "measures", "convention", "expected"),
    [
        pytest.param(ANSWERS, JUDGED, [HALF], "receval", [0.5, 0, 0], id="no answer is 0"),
        pytest.param(ANSWERS, JUDGED, [HALF], "lenskit", [0.5, np.nan, np.nan], id="or left out"),
        pytest.param(TWO_LISTS, TWO_JUDGED, [TWO_LEVELS], "receval", [6, 2], id="short list"),
        pytest.param(TWO_LISTS, TWO_JUDGED, [THIRD], "receval", [4, np.nan], id="no third item"),
        pytest.param(
            {"ann": ["a"], "bob": ["a"]},
            {"ann": {"a": 2}, "bob": {"a": 1}, "cem": {"a": 1}},  # cem has no answer
            [ABOVE_1],
            "receval",
            [1, np.nan, 0],
            id="a divisor of 0",
        ),
        pytest.param(ONE_LIST, GRADES, [WHOLE_LIST], "receval", [3], id="beyond the cut-off"),
        pytest.param(ONE_LIST, GRADES, [AT_MOST_1, "CG"], "receval", [2], id="a gain that writes"),
    ],
)
def test_values_by_hand(lists, truth, measures, convention, expected):
    result = evaluate(lists, truth, measures, convention=convention)
    assert_array_equal(result.per_user.iloc[:, 0], expected)


RECS = pd.DataFrame({"user": np.repeat([1, 2, 3], 12), "item": np.tile(range(12), 3)})
RECS["score"] = -RECS["item"].astype(float)
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": 3, "relevance": 2})
COLUMNS = ["rank", "item", "score", "grade", "gain", "weight", "not stopped above", "term"]
COLUMNS += ["precision so far", "running sum", "ideal term", "ideal sum"]
NO_COLUMN = "name must not be the name of a column of receval's tables"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (lambda own=own: evaluate(RECS, TRUTH, own), message)
            for own, message in (
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
                (
                    mine(per_list=lambda lists, k: 1),
                    "per_list of mine must return real numbers of shape",
                ),
                (
                    mine(per_list=lambda lists, k: lists.length * np.inf),
                    "per_list of mine must return fin",
                ),
                (
                    mine(per_list=lambda lists, k: ["x"] * 60),
                    "per_list of mine must return real numbers",
                ),
                (
                    mine("MRR", per_list=deepest_hit),
                    "measures must have names of their own; got another",
                ),
                (
                    [DEEPEST, mine("deepest", terms=Terms(relevant))],
                    "measures must have names of their own; got another 'deepest'",
                ),
            )
        ),
        (
            lambda: evaluate(TWO_LISTS, TWO_JUDGED, SUM_WITH_NAN),
            (
                "per_list of mine must return the same number for a list alone and beside longer "
                "lists; got 4 and nan for user 'short'. grades and scores are NaN after the end"
            ),
        ),
        (  # the user "none", who has no relevant item, comes first and has no value
            lambda: evaluate(
                TWO_LISTS | {"none": [1]}, TWO_JUDGED | {"none": {1: 0}}, MEAN_WITH_NAN
            ),
            "per_list of mine must return the same number for a list alone and beside longer lists",
        ),
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
        *(
            (lambda name=name: mine(name, per_list=deepest_hit), f"{NO_COLUMN}; got {name!r}")
            for name in ("user ", "system", *COLUMNS)
        ),
        (lambda: Measure("m", per_list=deepest_hit, source=""), "source must be text; got ''"),
        (lambda: DEEPEST.at(0), "the cut-off of deepest must be a positive integer; got 0"),
        (
            lambda: Measure("m", per_list=deepest_hit, source="x", higher_is_better=1),
            "higher_is_better must be True or False; got 1",
        ),
    ],
)
def test_refuses_what_is_no_measure_and_what_its_function_may_not_do(call, message):
    with pytest.raises(InputError) as found:
        call()
    assert str(found.value).startswith(message)


def overwrite(lists, k):
    size = lists.length + 0.0
    for values in vars(lists).values():
        values[...] = 7
    return size


def test_a_function_that_writes_into_its_lists_changes_no_other_measure():
    recs, truth = tables()
    others = ["nDCG@5", "AUC", "Recall", mine("best", per_list=lambda lists, k: lists.scores[:, 0])]
    result = evaluate(recs, truth, [mine(per_list=overwrite), *others])
    pd.testing.assert_frame_equal(
        result.per_user[[getattr(other, "name", other) for other in others]],
        evaluate(recs, truth, others).per_user,
        check_exact=True,
    )
    sizes = recs.groupby("user").size().reindex(result.per_user.index.get_level_values("user"))
    assert_array_equal(result.per_user["mine"], sizes.fillna(0))


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
        (repr(result), result.methods(), result.to_latex(), result.ties().to_csv())
        for result in (loaded, saved)
    )
    assert shown == expected
    pd.testing.assert_frame_equal(loaded.compare("A").results, saved.compare("A").results)
