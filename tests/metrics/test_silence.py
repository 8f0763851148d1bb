"""The cost of cases that a retriever leaves out, and of queries on which it fails."""

import math
import pickle
from itertools import combinations_with_replacement, permutations

import amount
import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval_strategies import CUTOFFS, READINGS

from receval import EvaluationWarning, InputError, load
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


ERRORS = [0.9, 0.5, 0.8, 0.9]  # the largest that each place of TRUTH allows
SILENCE = {  # of each metric and reading, without a cut-off and at k = 3
    **dict.fromkeys(NAMES, (0, 0)),
    "mae": (sum(ERRORS) / 4, sum(ERRORS[:3]) / 3),
    "mae(pairing=case)": (sum(ERRORS) / 4, 0.9),
    "mse": (sum(e**2 for e in ERRORS) / 4, sum(e**2 for e in ERRORS[:3]) / 3),
    "mse(pairing=case)": (sum(e**2 for e in ERRORS) / 4, 0.81),
    "quality_stromer(count=misses)": (1, 1),
    "quality_stromer(cutoff=literal, count=misses)": (1, 1),
    "distance": (3, 2),
    "distance(ranks=tied)": (3, 2),
}


def fails(error):
    def retriever(query, case_base):
        if query == "q":
            raise error
        return TRUTH

    return retriever


@pytest.mark.parametrize(("place", "k"), [(0, None), (1, 3)])
def test_an_empty_answer_and_a_failure_by_hand(place, k):
    expected = {name: both[place] for name, both in SILENCE.items()}
    assert values({}, measures=NAMES, k=k) == pytest.approx(expected)
    truth = {"q": TRUTH, "other": TRUTH}
    for missing in ("zero", "skip", "error"):
        with pytest.warns(EvaluationWarning, match="'x' raised on 1 of 2 queries, first on 'q'"):
            result = evaluate_retrievers(
                {"x": fails(KeyError("gone"))}, ["q", "other"], list(TRUTH), truth=truth,
                measures=NAMES, k=k, complete="truth", missing=missing,
            )  # fmt: skip
        assert result.per_query.loc[("x", "q")].to_dict() == pytest.approx(expected)


def test_an_answer_that_leaves_a_measure_without_a_value_is_silent_in_it():
    all_tied = dict.fromkeys(TRUTH, 0.5)
    of_pairs = ["correctness", "kendall(variant=b)", "spearman", "completeness"]
    for complete in ("all", "truth"):
        found = values(all_tied, measures=of_pairs, complete=complete)
        assert found == dict.fromkeys(of_pairs, 0)
    # Cut at 2, truth and answer have no case in common.
    reverse = {"d": 0.9, "c": 0.8, "b": 0.1, "a": 0.0}
    found = values(reverse, measures=["distance", "mae(pairing=case)", "spearman"], k=2)
    assert found == {"distance": 1, "mae(pairing=case)": 0.9, "spearman": 0}


def test_metrics_undefined_for_the_truth_itself_stay_undefined():
    truth = dict.fromkeys(TRUTH, 0.5)
    result = evaluated({}, truth, measures=["spearman", "correctness", "hits"])
    assert result.n.loc["x"].to_dict() == {"spearman": 0, "correctness": 0, "hits": 1}


def test_the_distance_of_silence_follows_the_longest_answer_to_that_query():
    answers = {
        "short": {"q": {"a": 0.9}, "other": {}},
        # a, z and y, then b, which it lacks: four places
        "long": {"q": {"a": 0.9, "z": 0.8, "y": 0.7}, "other": {"a": 0.9, "b": 0.1}},
        "silent": {"q": {}, "other": {}},
    }
    truth = {"q": {"a": 0.9, "b": 0.5}, "other": {"a": 0.9, "b": 0.5}}

    def evaluate(names, **options):
        return evaluate_retrievers(
            {name: lambda query, _, name=name: answers[name][query] for name in names},
            ["q", "other"], list("abyz"), truth=truth, complete="none", **options,
            measures=["distance", "distance@3"],
        ).per_query  # fmt: skip

    found = evaluate(answers).loc["silent"]
    assert found["distance"].tolist() == [3, 1]
    assert found["distance@3"].tolist() == [2, 2]
    assert evaluate(["silent", "short"]).loc[("silent", "q"), "distance"] == 1


def test_a_distance_of_one_place_is_undefined_for_everyone():
    one = {"a": 0.9}
    result = evaluate_retrievers(
        {"right": lambda *_: one, "silent": lambda *_: {}}, ["q"], ["a"], truth={"q": one},
        measures=["distance", "distance@5", "distance@1", "hits"], complete="truth",
    )  # fmt: skip
    assert result.n.to_numpy().tolist() == [[0, 1, 0, 1], [0, 1, 0, 1]]
    assert result.summary["distance@5"].tolist() == [0, 4]
    at_1 = evaluated(TRUTH, measures="distance", k=1)
    assert at_1.n.loc["x", "distance"] == 0
    found = at_1.explain("q", "distance")
    assert math.isnan(found.value)
    assert "every distance is 0 where k is 1" in repr(found)


LAW = [
    name for name in NAMES
    if name.split("(")[0] not in ("correctness", "kendall", "spearman")
]  # fmt: skip
LEVELS = (1.0, 0.6, 0.0)


def every_answer(cases):
    """Return every order of every subset, with every pattern of ties in the similarities."""
    for n in range(len(cases) + 1):
        for order in permutations(cases, n):
            for similarities in combinations_with_replacement(LEVELS, n):
                yield dict(zip(order, similarities, strict=True))


def check_law(result):
    """Check that a silent retriever is never better than another, and all or none have a value."""
    for measure in result.measures:
        sign = 1 if measure.higher_is_better else -1
        found = result.summary[measure.name] * sign
        silent = found["silent"]
        assert found.isna().all() == found.isna().any()
        assert not (found < silent - 1e-12).any(), (measure.name, found.idxmin())


@pytest.mark.parametrize("complete", ["truth", "none"])
@pytest.mark.parametrize("n_cases", [1, 2, amount.of(3, 4)])
def test_no_answer_of_all_is_worse_than_silence(n_cases, complete):
    cases = list("abcd"[:n_cases])
    answers = dict(enumerate(every_answer(cases)))
    retrievers = {str(name): lambda *_, answer=answer: answer for name, answer in answers.items()}
    retrievers["silent"] = lambda *_: {}
    measures = [
        f"{name}{cut}"
        for name in LAW
        for cut in amount.of(("", "@2"), ("", "@1", "@2", "@3", "@6"))
    ]
    # Truths whose cases stand in the order of the alphabet stand for all others.
    sizes = [n_cases] if complete == "truth" else range(1, n_cases)
    for size in sizes:
        for similarities in combinations_with_replacement(LEVELS, size):
            truth = dict(zip(cases[:size], similarities, strict=True))
            result = evaluate_retrievers(
                retrievers, ["q"], cases, truth={"q": truth}, measures=measures,
                complete=complete, missing="zero",
            )  # fmt: skip
            check_law(result)


similarity = st.floats(0, 1)


@given(data=st.data(), k=CUTOFFS)
def test_no_answer_is_worse_than_silence(data, k):
    cases = [f"c{i}" for i in range(data.draw(st.integers(1, 8)))]
    rankings = st.dictionaries(st.sampled_from(cases), similarity)
    truth = data.draw(st.fixed_dictionaries(dict.fromkeys(cases, similarity)))
    partial_truth = data.draw(st.dictionaries(st.sampled_from(cases), similarity, min_size=1))
    answers = data.draw(st.lists(rankings, min_size=1, max_size=4))
    retrievers = {str(i): lambda *_, answer=answer: answer for i, answer in enumerate(answers)}
    retrievers["silent"] = lambda *_: {}
    complete, true = data.draw(st.sampled_from([("truth", truth), ("none", partial_truth)]))
    result = evaluate_retrievers(
        retrievers, ["q"], cases, truth={"q": true}, measures=LAW, k=k,
        complete=complete,
    )  # fmt: skip
    check_law(result)


def test_reversed_pairs_are_worse_than_silence():
    reverse = {"a": 0.1, "b": 0.2, "c": 0.5, "d": 0.9}
    found = values(reverse, measures=["correctness", "kendall", "spearman"])
    assert found == {"correctness": -1, "kendall": -1, "spearman": -1}


# Retrievers that raise -------------------------------------------------------------------------


def evaluated_failing(error, *, retriever=None, measures="hits", **options):
    truth = {"q": TRUTH, "other": TRUTH}
    return evaluate_retrievers(
        {"x": retriever or fails(error), "right": lambda *_: TRUTH}, ["q", "other"], list(TRUTH),
        truth=truth, measures=measures, **options,
    )  # fmt: skip


def test_each_rule_for_failures():
    with pytest.warns(EvaluationWarning, match=r"OSError: no disk. .* silent answers") as caught:
        result = evaluated_failing(OSError("no disk"))
    assert caught[0].filename == __file__
    assert result.summary["hits"].to_dict() == {"x": 2, "right": 4}
    assert result.n["hits"].to_dict() == {"x": 2, "right": 2}
    assert "'x' failed on 1 of 2, see failures; these queries count as silent" in repr(result)
    with pytest.warns(EvaluationWarning, match=r"OSError: no disk. .* left out of its means"):
        result = evaluated_failing(OSError("no disk"), failed="skip")
    assert result.summary["hits"].to_dict() == {"x": 4, "right": 4}
    assert result.n["hits"].to_dict() == {"x": 1, "right": 2}
    assert "its means omit them" in repr(result)
    assert "x,hits,4.0,1\n" in result.to_csv()
    assert "x,mean seconds" in result.to_csv().splitlines()[3]
    assert result.to_csv().splitlines()[3].endswith(",1")
    assert result.table().to_frame()["queries"].tolist() == ["1", "2"]
    error = OSError("no disk")
    message = r"'x' must answer every query \(failed='error'\); got OSError: no disk on query 'q'"
    with pytest.raises(InputError, match=message) as refused:
        evaluated_failing(error, failed="error")
    assert refused.value.__cause__ is error
    with pytest.raises(InputError, match="failed must be one of 'zero', 'skip', 'error'"):
        evaluated_failing(error, failed="none")


@pytest.mark.parametrize("failed", ["zero", "skip"])
def test_a_retriever_that_raises_on_every_query_is_an_error(failed):
    error = OSError("no disk")

    def raises(query, case_base):
        raise error if query == "q" else ValueError("the second")

    message = r"'x' must answer at least one query; got OSError: no disk on query 'q', .* all 2"
    with pytest.raises(InputError, match=message) as caught:
        evaluated_failing(None, retriever=raises, failed=failed)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_is_no_failure(interrupt):
    with pytest.raises(interrupt):
        evaluated_failing(interrupt())


def test_a_message_that_is_long_or_cannot_be_written_is_no_obstacle():
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError

    with pytest.warns(EvaluationWarning, match="Odd: .its message cannot be shown"):
        evaluated_failing(Odd())
    with pytest.warns(EvaluationWarning, match=r"ValueError: x+…") as caught:
        result = evaluated_failing(ValueError("x" * 10_000))
    assert len(str(caught[0].message)) < 400
    assert result.failures["error"].tolist() == ["ValueError: " + "x" * 10_000]


def test_a_function_of_ones_own_is_given_an_empty_ranking_where_a_retriever_failed():
    def n_cases(truth, retrieved, *, k):
        return len(retrieved)

    with pytest.warns(EvaluationWarning, match="raised on 1 of 2"):
        result = evaluated_failing(KeyError(), measures=n_cases)
    assert result.per_query["n_cases"].tolist() == [0, 4, 4, 4]

    def first(truth, retrieved, *, k):
        return retrieved.similarities[0]

    with pytest.raises(IndexError) as caught:
        evaluated_failing(KeyError(), measures=first)
    assert caught.value.__notes__[-1].startswith("It was given an empty ranking, because")


def test_macfac_has_the_same_rules():
    similarities = {"a": 0.9, "b": 0.5, "c": 0.2}

    def exact(query, cases):
        return {case: similarities[case] for case in cases}

    def fac(query, cases):
        if query == "q" and len(cases) == 1:
            raise OSError("no disk")
        return exact(query, cases)

    def evaluate(**options):
        return evaluate_macfac(
            exact, fac, ["q", "other"], list("abc"), filter_sizes=[1, 2], ks=[2, 2],
            measures=["hits", "distance", "mae"], truth=exact, **options,
        )  # fmt: skip

    with pytest.warns(EvaluationWarning, match=r"\('MAC/FAC', 1, 2\) raised on 1 of 2 .* silent"):
        found = evaluate().per_query.to_numpy().tolist()
    # The filter of one case leaves the second place to a case that is lacking.
    assert found == [[0, 1, 0.7], [1, 0, 0.25], [2, 0, 0], [2, 0, 0]]
    with pytest.warns(EvaluationWarning, match="left out of its means"):
        skipped = evaluate(missing="skip", failed="skip")
    assert skipped.n["hits"].tolist() == [1, 2]
    assert skipped.summary["mae"].tolist() == [0, 0]
    with pytest.raises(InputError, match="must answer every query"):
        evaluate(failed="error")


# How it is shown -------------------------------------------------------------------------------


def test_the_working_of_silence_has_its_value_and_the_reason():
    truth = {"q": TRUTH, "other": TRUTH, "third": TRUTH}
    answers = {"other": {}, "third": dict.fromkeys(TRUTH, 0.5)}

    def retriever(query, case_base):
        return answers[query]

    for k in (None, 3):
        with pytest.warns(EvaluationWarning, match="first on 'q': KeyError: 'q'"):
            result = evaluate_retrievers(
                {"x": retriever}, list(truth), list(TRUTH), truth=truth, measures=NAMES, k=k,
                complete="truth",
            )  # fmt: skip
        for name in NAMES:
            for query, reason in (("q", "the retriever raised"), ("other", "the answer is empty")):
                found = result.explain(query, name)
                assert found.value == found.table.attrs["value"]
                assert found.value == result.per_query.loc[("x", query), name]
                assert found.choices["silence"].startswith(f"{reason}, which counts ")
                if name.split("(")[0] in ("mae", "mse", "distance"):
                    assert found.table.iloc[-1, -1] == pytest.approx(found.value)
        tied = result.explain("third", "spearman")
        assert (tied.value, tied.table.attrs["value"], len(tied.table)) == (0, 0, k or 4)
        reason = "the answer leaves the measure without a value, which counts as 0"
        assert f"silence: {reason}" in repr(tied)
        assert "silence" not in result.explain("third", "mae").choices


def test_how_failures_were_counted_comes_back_from_a_file(tmp_path):
    for failed in ("zero", "skip"):
        with pytest.warns(EvaluationWarning, match="raised on 1 of 2"):
            result = evaluated_failing(KeyError("q"), failed=failed)
        result.save(tmp_path / "mine.receval")
        for again in (load(tmp_path / "mine.receval"), pickle.loads(pickle.dumps(result))):
            assert repr(again) == repr(result)
            assert again == result


def test_missing_cases_rank_below_all_returned_cases():
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
    text = "similarities are outside [0, 1], from -0.5 to 1.4; MAE, MSE"
    assert text in repr(evaluated({**TRUTH, "a": 1.4, "d": -0.5}))
    assert "the law that an empty answer is never better does not apply" in repr(
        evaluated({**TRUTH, "a": 1.4})
    )
    assert "the law" not in repr(evaluated({**TRUTH, "a": 1.4}, missing="skip"))
    assert "similarities are outside" not in repr(evaluated(TRUTH))
    too_similar = repr(evaluated(TRUTH, {**TRUTH, "a": 2.0}))
    assert "similarities are outside [0, 1], from 0 to 2" in too_similar


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
            ["q", "other"], cases, truth=truth, measures=NAMES, k=k, complete="truth",
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
