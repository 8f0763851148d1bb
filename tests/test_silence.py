"""What a retriever pays for the cases that it does not answer."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval_strategies import CUTOFFS, READINGS

from receval import InputError
from receval.metrics import retrieval
from receval.retrieval import evaluate_macfac, evaluate_retrievers, ground_truth

TRUTH = {"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.1}
NAMES = [
    name + (f"({', '.join(f'{k}={v}' for k, v in reading.items())})" if reading else "")
    for name, reading in READINGS
]


def evaluated(answer, truth=TRUTH, **options):
    how = {"complete": "truth", "truth": {"q": truth}, **options}
    return evaluate_retrievers({"x": lambda *_: answer}, ["q"], list(truth), **how)


def values(answer, **options):
    return evaluated(answer, **options).summary.loc["x"].to_dict()


def test_partial_answers_by_hand():
    found = values({"b": 0.5, "a": 0.4}, measures=NAMES)
    # b, a, then c and d with similarity 0, which are tied and no hits
    assert found == pytest.approx({
        "hits": 2, "hits_normalized": 0.5, "hits_normalized(denominator=length)": 0.5,
        "mae": (0.4 + 0.1 + 0.2 + 0.1) / 4, "mae(pairing=case)": (0 + 0.5 + 0.2 + 0.1) / 4,
        "mse": (0.16 + 0.01 + 0.04 + 0.01) / 4, "mse(pairing=case)": (0.25 + 0.04 + 0.01) / 4,
        "quality_stromer": 0, "quality_stromer(count=misses)": 1,
        "quality_stromer(cutoff=literal)": 0, "quality_stromer(cutoff=literal, count=misses)": 1,
        "quality_mueller": 1 - (0.2 + 0.1) / 4,
        "correctness": (4 - 1) / 5,
        "completeness": 5 / 6, "completeness(pairs=untied_truth)": 5 / 6,
        "kendall": (4 - 1) / 6, "kendall(variant=b)": 3 / math.sqrt(6 * 5),
        "distance": (1 + 1 + 1 + 1) / 4, "distance(ranks=tied)": (1 + 1 + 0.5 + 0.5) / 4,
        "spearman": found["spearman"],
    })  # fmt: skip
    as_tied = {"b": 0.5, "a": 0.4, "c": 0.0, "d": 0.0}
    assert found["spearman"] == retrieval.spearman(TRUTH, as_tied)


def test_an_empty_answer_by_hand():
    found = values({}, measures=None)
    zero = dict.fromkeys(found, 0)
    mean = (0.9 + 0.5 + 0.2 + 0.1) / 4
    squares = (0.81 + 0.25 + 0.04 + 0.01) / 4
    others = {"mae": mean, "mse": squares, "quality_mueller": 1 - mean, "distance": 1}
    assert found == pytest.approx(zero | others)


def test_what_is_lacking_stands_below_all_that_was_answered():
    found = values({"a": 0.0, "b": -0.5, "c": -0.7}, measures=["correctness", "distance", "mae"])
    assert found == pytest.approx(
        {"correctness": 1, "distance": 0, "mae": (0.9 + 1 + 0.9 + 0.1) / 4}
    )


def test_each_rule_for_missing_cases():
    whole = evaluated({}, missing="skip")
    assert whole.n.loc["x"].eq(0).all()
    assert "means over fewer queries than judged: hits, " in repr(whole)
    assert "0 of 1" in repr(whole)
    assert "missing='skip'" in repr(whole)
    assert values({"a": 0.9}, missing="skip", measures="hits_normalized") == {"hits_normalized": 1}
    with pytest.raises(InputError, match=r"'x' to query 'q' must hold a case .missing='error'"):
        evaluated({}, missing="error")
    assert values({"a": 0.9}, missing="error", measures="hits") == {"hits": 1}
    for rule in ("zero", "skip", "error"):
        with pytest.raises(InputError, match="missing must be left out with complete='all'"):
            evaluated(TRUTH, complete="all", missing=rule)
    with pytest.raises(InputError, match="missing must be one of 'zero', 'skip', 'error'"):
        evaluated(TRUTH, missing="none")


def test_answers_are_whole_unless_it_is_said():
    with pytest.raises(
        InputError, match="'x' to query 'q' must hold all 4 cases of the case base; it lacks 'd'"
    ):
        evaluated({"a": 1, "b": 0.5, "c": 0}, complete="all")
    truth = {"a": 0.9, "b": 0.5}  # of the four; of c and d nothing is known
    how = {"complete": "none", "truth": {"q": truth}, "measures": ["mae", "hits"]}
    found = evaluate_retrievers({"x": lambda *_: {"a": 0.9}}, ["q"], list("abcd"), **how)
    assert found.summary.loc["x"].to_dict() == {"mae": 0.25, "hits": 1}


def test_the_working_is_that_of_the_value():
    result = evaluated({"b": 0.5, "a": 0.4})
    for name in result.per_query:
        found = result.explain("q", name)
        assert found.value == found.table.attrs["value"] == result.per_query[name].item()
    assert result.explain("q", "mae").table.shape[0] == 4


def test_similarities_outside_0_to_1_are_told():
    text = "similarities leave [0, 1]: -0.5 to 1.4; MAE, MSE"
    assert text in repr(evaluated({**TRUTH, "a": 1.4, "d": -0.5}))
    assert "similarities leave" not in repr(evaluated(TRUTH))
    assert "similarities leave [0, 1]: 0 to 2" in repr(evaluated(TRUTH, {**TRUTH, "a": 2.0}))


def test_the_macfac_example_of_document_003():
    truth, evaluated = {"G2": 0.5, "G3": 0.3, "G4": 0.2}, {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    result = evaluate_macfac(
        lambda query, cases: {case: evaluated[case] for case in cases},
        lambda query, cases: {case: truth[case] for case in cases},
        ["G1"], ["G2", "G3", "G4"],
        filter_sizes=[1, 2], ks=[1, 2], measures=["hits", "quality_mueller"],
    )  # fmt: skip
    assert result.summary["hits"].tolist() == [1, 1]
    assert result.summary["quality_mueller"].tolist() == [1, 0.85]


levels = st.integers(0, 4).map(lambda i: i / 4)


@given(data=st.data(), k=CUTOFFS)
def test_withdrawing_a_right_answer_or_a_case_of_one_betters_no_mean(data, k):
    n = data.draw(st.integers(1, 6))
    cases = [f"c{i}" for i in range(n)]
    rankings = st.lists(levels, min_size=n, max_size=n).map(
        lambda similarities: dict(zip(cases, similarities, strict=True))
    )
    truth = {query: data.draw(rankings) for query in ("q", "other")}
    other, right = data.draw(rankings), ground_truth(lambda q, _: truth[q], ["q"], cases)
    right = dict(zip(right["case"], right["similarity"], strict=True))
    kept = right if data.draw(st.booleans()) else {}
    gone = data.draw(st.sampled_from(cases))
    withdrawn = {case: one for case, one in kept.items() if case != gone}
    means = [
        evaluate_retrievers(
            {"x": lambda query, _, answer=answer: {"q": answer, "other": other}[query]},
            ["q", "other"], cases, truth=truth, measures=NAMES, k=k, complete="truth", warm_up=0,
        )
        for answer in (right, withdrawn)
    ]  # fmt: skip
    before, after = (one.summary.loc["x"] for one in means)
    # These are of the pairs that both cut lists hold. Where the truth has ties, a whole answer that
    # cuts another of the tied cases off has fewer of them too: no matter of silence.
    of_pairs = {"completeness", "correctness", "kendall", "spearman"}
    cut_ties = k is not None and len(set(truth["q"].values())) < n
    for one in means[0].measures:
        if one.name.split("(")[0] in of_pairs and cut_ties:
            continue
        gain = (after - before)[one.name] * (1 if one.higher_is_better else -1)
        assert not gain > 1e-12, (one.name, before[one.name], after[one.name])
