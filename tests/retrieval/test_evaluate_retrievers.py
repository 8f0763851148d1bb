"""Evaluating retrievers: values, ground truth in every form, failures, files, refusals."""

import io
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from retrieval_strategies import METRICS, breaks_on_q2, exact

from receval import EvaluationWarning, InputError, datasets
from receval.metrics import retrieval
from receval.retrieval import evaluate_retrievers, ground_truth, read_ground_truth

CASES = {"a": 4.0, "b": 7.0, "c": 5.5, "d": 9.0}
QUERIES = {"q1": 6.0, "q2": 9.5, "q3": 4.1}


def rounded(query, case_base):
    return {case: 1 / (1 + round(abs(size - query))) for case, size in case_base.items()}


def backwards(query, case_base):
    return [(case, -similarity) for case, similarity in exact(query, case_base).items()]


RETRIEVERS = {"exact": exact, "rounded": rounded, "backwards": backwards}
TRUTH = ground_truth(exact, QUERIES, CASES)
ignore_undefined = pytest.mark.filterwarnings("ignore:means leave out undefined values")
evaluate = partial(evaluate_retrievers, RETRIEVERS, QUERIES, CASES, truth=TRUTH)


# Values ---------------------------------------------------------------------------------------


def test_values_are_those_of_the_metrics_on_each_query():
    result = evaluate(k=3)
    assert list(result.per_query.columns) == METRICS
    assert result.per_query.index.names == ["retriever", "query"]
    assert result.per_query.index.tolist() == [(r, q) for r in RETRIEVERS for q in QUERIES]
    for (name, query), row in result.per_query.iterrows():
        pair = exact(QUERIES[query], CASES), RETRIEVERS[name](QUERIES[query], CASES)
        expected = [getattr(retrieval, metric)(*pair, k=3) for metric in METRICS]
        np.testing.assert_array_equal(row, expected)
    pd.testing.assert_frame_equal(
        result.summary, result.per_query.groupby(level=0, sort=False).mean()
    )


def test_a_result_keeps_its_values_and_times():
    result = evaluate(k=3)
    summary, times = result.summary, result.times
    for frame in (result.per_query, result.seconds):
        frame.loc[:] = 99
    pd.testing.assert_frame_equal(result.summary, summary)
    pd.testing.assert_frame_equal(result.times, times)


def test_the_documents_example_as_an_evaluation():
    example = datasets.retrieval_example()
    result = evaluate_retrievers(
        {"evaluated": lambda query, cases: example["retrieved"]},
        ["G1"],
        ["G2", "G3", "G4"],
        truth={"G1": example["truth"]},
        measures=["hits", "hits@2", "quality_stromer", "quality_stromer@2", "Spearman"],
    )
    row = result.summary.loc["evaluated"].round(4)
    assert row.to_dict() == {
        "hits": 3, "hits@2": 1, "quality_stromer": 0.4444, "quality_stromer@2": 0.6,
        "Spearman": 0.5,
    }  # fmt: skip


def test_the_documents_example_is_fresh_each_time():
    example = datasets.retrieval_example()
    example.loc["G2", "truth"] = 9
    assert datasets.retrieval_example().to_dict("list") == {
        "truth": [0.5, 0.3, 0.2], "retrieved": [0.5, 0.2, 0.3],
    }  # fmt: skip


def cutoff_itself(_truth, _retrieved, *, k=None):
    return math.nan if k is None else k


@ignore_undefined
@pytest.mark.parametrize("k", [None, 3])
def test_a_partial_keeps_its_cutoff_and_its_reading(k):
    """Both a partial of receval's metric and one of a user's function."""
    measures = {
        "MAE@1": partial(retrieval.mae, k=1),
        "mine@2": partial(cutoff_itself, k=2),
        "all": partial(retrieval.mae, k=None),
        "by case": partial(retrieval.mae, pairing="case"),
    }
    result = evaluate(measures=measures, k=k)
    named = evaluate(measures=["mae@1", "mae"], k=k)
    np.testing.assert_array_equal(result.per_query[["MAE@1", "all"]], named.per_query)
    assert set(result.per_query["mine@2"]) == {2.0}
    pair = exact(QUERIES["q1"], CASES), rounded(QUERIES["q1"], CASES)
    expected = retrieval.mae(*pair, k=k, pairing="case")
    assert result.per_query.loc[("rounded", "q1"), "by case"] == expected


def test_values_that_are_not_defined_are_nan_counted_and_warned_about():
    retrievers = {"tied": lambda query, cases: dict.fromkeys(cases, 0.5), "exact": exact}
    message = "means leave out undefined values: correctness 3 of 6; n counts the others"
    with pytest.warns(EvaluationWarning, match=message) as caught:
        result = evaluate_retrievers(
            retrievers, QUERIES, CASES, truth=TRUTH, measures=["hits", "correctness"]
        )
    assert caught[0].filename == __file__
    assert result.n.loc["tied"].to_dict() == {"hits": 3, "correctness": 0}
    assert result.per_query.loc["tied", "correctness"].isna().all()
    assert "tied,correctness,,0\n" in result.to_csv()


@pytest.mark.parametrize(
    ("queries", "case_base", "ids"),
    [
        (pd.Series(QUERIES), pd.Series(CASES), ["q1", "q2", "q3"]),
        (list(QUERIES), dict.fromkeys(QUERIES, "q1"), list(QUERIES)),
        (np.array([6, 9]), CASES, [6, 9]),
        (CASES, CASES, list(CASES)),
        (["not", "a", "case", "base", "of", "letters"], {"a": "not", "b": "letters"}, None),
    ],
)
@ignore_undefined
def test_queries_and_cases_in_every_form(queries, case_base, ids):
    def same(query, cases):
        return {case: float(content == query) for case, content in cases.items()}

    truth = ground_truth(same, queries, case_base)
    result = evaluate_retrievers({"same": same}, queries, case_base, truth=truth)
    found = result.per_query.index.get_level_values("query").tolist()
    assert found == (list(queries) if ids is None else ids)


def test_a_linear_retriever():
    def linear(query, case_base):
        return {case: -abs(query - content) for case, content in case_base.items()}

    truth = ground_truth(linear, QUERIES, {"a": 4.0, "b": 7.0, "c": 9.0})
    assert truth["case"].tolist() == ["b", "a", "c", "c", "b", "a", "a", "b", "c"]


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ({("q", 1): 6.0}, "queries must have single ids, not tuples"),
        # pandas would make a row of floats.
        (pd.DataFrame({"n": [2**53 + 1], "x": [0.5]}, ["q"]), r"queries\['n'\] must hold whole"),
    ],
)
def test_queries_that_pandas_would_change_are_refused(queries, message):
    with pytest.raises(InputError, match=message):
        ground_truth(lambda query, cases: dict.fromkeys(cases, 1), queries, CASES)


def test_frames_of_attributes():
    cars = pd.DataFrame({"price": [10, 20, 40], "year": [2001, 2010, 2012]}, index=["x", "y", "z"])

    def by_price(query, case_base):
        return -(case_base["price"] - query["price"]).abs()

    truth = ground_truth(by_price, cars, cars)
    result = evaluate_retrievers({"price": by_price}, cars, cars, truth=truth, measures="hits@1")
    assert result.summary.loc["price", "hits@1"] == 1


# Times ----------------------------------------------------------------------------------------


def test_times_are_per_query_and_include_the_work_of_a_generator(clock, monkeypatch):
    def lazy(query, case_base):
        clock.sleep(query)
        yield from exact(query, case_base).items()

    monkeypatch.setattr("receval.retrieval.retrievers.time", clock)
    result = evaluate_retrievers({"lazy": lazy}, QUERIES, CASES, truth=TRUTH)
    np.testing.assert_allclose(result.seconds, list(QUERIES.values()), rtol=1e-12)
    assert result.times.loc["lazy", "median seconds"] == result.seconds.median()


# Failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "0.5", [1.0]])
def test_a_measure_must_return_a_number(value):
    with pytest.raises(InputError, match="measure 'mine' must return a number; got"):
        evaluate(measures={"mine": lambda truth, retrieved, *, k: value})


def test_a_measure_may_return_a_truth_value():
    mine = {"mine": lambda truth, retrieved, *, k: np.bool_(True)}
    assert evaluate(measures=mine).summary["mine"].tolist() == [1, 1, 1]


def test_the_exception_of_a_retriever_passes_through_and_says_where():
    with pytest.raises(KeyError, match="no such index") as caught:
        evaluate_retrievers({"breaks": breaks_on_q2}, QUERIES, CASES, truth=TRUTH)
    assert caught.value.__notes__ == ["retriever 'breaks' on query 'q2'"]
    with pytest.raises(KeyError, match="no such index"):
        ground_truth(breaks_on_q2, QUERIES, CASES)


# Ground truth ---------------------------------------------------------------------------------


def test_ground_truth_in_every_form_gives_the_same_values(tmp_path):
    path = tmp_path / "truth.csv"
    table = ground_truth(exact, QUERIES, CASES, path=path)
    mapping = {query: exact(content, CASES) for query, content in QUERIES.items()}
    for truth in (table, mapping, read_ground_truth(path, QUERIES, CASES)):
        per_query = evaluate(truth=truth).per_query
        pd.testing.assert_frame_equal(per_query, evaluate().per_query, check_exact=True)


def test_some_queries_of_a_file_are_read_as_the_numbers_that_they_are(tmp_path):
    path = tmp_path / "truth.csv"
    ground_truth(exact, {7: 6.0, -3: 9.5}, CASES, path=path)
    assert read_ground_truth(path, [7], CASES)["query"].tolist() == [7] * 4


HEADER = "query,case,similarity\n"
ROWS = "q1,a,0.9\nq1,b,0.5\nq1,c,0.5\nq1,d,0.1\n"


@pytest.mark.parametrize("names", [["7", "12"], ["1.50", "2.25"], ["007", "NA"], ['a,"b"', "é\n"]])
def test_a_saved_ground_truth_is_read_back_as_it_was(tmp_path, names):
    queries, path = dict.fromkeys(names, 6.0), tmp_path / "truth.csv"
    cases = dict(zip(names, (1 / 3, 7.1), strict=True))
    table = ground_truth(exact, queries, cases, path=path)
    back = read_ground_truth(path, queries, cases)
    pd.testing.assert_frame_equal(back, table, check_exact=True, check_dtype=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "truth.csv must be a table; got none", id="empty file"),
        pytest.param("a;b\n1;2\n", "must have columns separated by ','; got 'a;b'", id="separator"),
        pytest.param("a,b\n1,2\n", "truth must have one column 'query'", id="columns"),
        pytest.param(HEADER, "truth must have at least one row", id="no rows"),
        pytest.param(HEADER + ROWS.replace("q1", "q9"), "got none for 'q1'", id="other queries"),
        pytest.param(HEADER + ROWS + "q1,z,0.0\n",
                     "must hold cases of the case base only; got 'z'", id="unknown case"),
        pytest.param(HEADER + ROWS[:-9], "'q1' must hold all 4 .* got one without 'd'",
                     id="file of a smaller case base"),
        pytest.param(HEADER + ROWS + "q1,a,0.0\n", "must hold each case once; got 'a' 2 times",
                     id="case twice"),
        pytest.param(HEADER + ROWS.replace("b,0.5", "b,0.95"),
                     "truth must be sorted by falling similarity; got 0.95 in row 1",
                     id="unsorted"),
        pytest.param(HEADER + ROWS.replace("b,0.5", 'b,"0,5"'),
                     "similarity of truth must hold .* got '0,5' in row 1", id="decimal comma"),
        pytest.param(HEADER + ROWS.replace("0.", "0,"), "mind decimal commas",
                     id="decimal comma in every row"),
        pytest.param(HEADER + ROWS.replace("b,0.5", "b,0,5"), "Row #3: .* got 4: q1,b,0,5",
                     id="decimal comma in one row"),
        pytest.param(HEADER + ROWS.replace("q1,d,0.1", "q1,d"), "Row #5: .* got 2: q1,d",
                     id="a field too few"),
        pytest.param(HEADER + ROWS.replace("a,0.9", "a,1_0"), "got '1_0' in row 0",
                     id="underscore"),
        pytest.param(HEADER + ROWS.replace("a,0.9", "a,inf"), "finite; got inf in row 0",
                     id="infinity"),
        pytest.param(HEADER + ROWS.replace("d,0.1", "d,nan"), "got 'nan' in row 3", id="nan"),
        pytest.param(HEADER + ROWS.replace("d,0.1", "d,"), "be missing; got .* in row 3",
                     id="no number"),
    ],
)  # fmt: skip
def test_refuses_a_file_that_is_no_ground_truth_of_this(file, text, message):
    with pytest.raises(InputError, match=message):
        read_ground_truth(file("truth.csv", text), {"q1": 6.0}, CASES)


def test_refuses_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"path must be an existing file; got 'absent.csv'"):
        read_ground_truth("absent.csv", QUERIES, CASES)


# Files and displays ---------------------------------------------------------------------------


def test_csv_has_a_row_for_each_retriever_and_metric():
    result = evaluate(measures=["hits", "kendall"])
    text = result.to_csv()
    assert text.splitlines()[0] == "retriever,metric,value,queries"
    table = pd.read_csv(io.StringIO(text), dtype={"value": str}).astype({"value": float})
    assert table["metric"].tolist() == ["hits", "kendall", "seconds"] * 3
    assert set(table["queries"]) == {3}
    expected = result.summary.join(result.times["mean seconds"])
    assert table["value"].tolist() == expected.to_numpy().ravel().tolist()
    result.to_csv(stream := io.StringIO())
    assert stream.getvalue() == text


def test_a_result_shows_its_means_and_times():
    shown = repr(evaluate(measures="hits"))
    assert "median seconds" in shown
    assert [line.split()[0] for line in shown.splitlines()[2:]] == list(RETRIEVERS)


# Refusals -------------------------------------------------------------------------------------


def answers(ranking):
    return {"r": lambda query, case_base: ranking}


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ({"a": 1, "z": 0.5}, "must hold cases of the case base only; got 'z'"),
        ([("a", 1), ("a", 0.5)], "must hold each case once; got 'a' 2 times"),
        ({"a": math.nan}, "must have finite numbers as similarities; got nan for case 'a'"),
        ({"a": math.inf}, "must have .* got inf for case 'a'"),
        ({"a": "close"}, "must have .* got 'close' for case 'a'"),
        (None, "must be a mapping of cases to similarities or pairs of the two; got None"),
        (["a", "b"], "must be a mapping of cases"),
        ({"a": 1, "b": 0.5}, "must hold all 4 cases .* got one without 'c', 'd'"),
        ({1: 0.5}, "must hold cases of the case base only; got 1"),
    ],
)
def test_refuses_a_bad_answer_by_retriever_query_and_case(ranking, message):
    with pytest.raises(InputError, match="answer of retriever 'r' to query 'q1' " + message):
        evaluate_retrievers(answers(ranking), QUERIES, CASES, truth=TRUTH)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be a positive integer or None; got 0"),
        ({"measures": "hit"}, "measures must be one of .* Did you mean 'hits'"),
        ({"measures": "hits@0"}, "measure 'hits@0' must have a positive integer as its cut-off"),
        ({"measures": "hits@x"}, "measure 'hits@x' must have a positive integer .* got 'x'"),
        ({"measures": ["hits", "hits"]}, "must hold each id once; got 'hits' 2 times"),
        ({"measures": "mae(pairing=case)"}, "measures must be one of 'hits'"),
        ({"measures": []}, "measures must be at least one"),
        ({"measures": [retrieval.mae]}, "measures must be one of 'hits'"),
        ({"measures": {"mine": 3}}, "measure 'mine' must be a function"),
        ({"measures": {"seconds": retrieval.hits}}, "column that shows times; got 'seconds'"),
        ({"measures": "hits@1", "k": 2}, "k must be left out where every measure has its own"),
        ({"truth": "exact"}, "truth must be a table, or a mapping .* read it with read_ground"),
        ({"truth": 3}, "truth must be a table, or a mapping .* read it with read_ground_truth"),
        ({"truth": exact}, "truth must be a table, .* Compute it with ground_truth"),
        ({"truth": TRUTH.rename(columns={"case": "item"})}, "truth must have one column 'case'"),
        (
            {"truth": TRUTH.assign(query=[None, *TRUTH["query"][1:]])},
            "query of truth must be in every row; got .* in row 0",
        ),
        ({"truth": TRUTH[::-1]}, "sorted by falling similarity"),
        ({"truth": TRUTH.assign(similarity="0.5")}, "similarity of truth must hold numbers"),
        (
            {"truth": {key: {"a": 1, "b": 0.5} for key in QUERIES}},
            "truth for query 'q1' must hold all 4",
        ),
    ],
)
def test_refuses_options(options, message):
    with pytest.raises(InputError, match=message):
        evaluate_retrievers(RETRIEVERS, QUERIES, CASES, **({"truth": TRUTH} | options))


@pytest.mark.parametrize(
    ("retrievers", "queries", "case_base", "message"),
    [
        ([("x", exact)], QUERIES, CASES, "retrievers must be a mapping of names to functions"),
        ({}, QUERIES, CASES, "retrievers must be a mapping of names to functions; got {}"),
        ({"x": 3}, QUERIES, CASES, "retrievers must be texts and functions"),
        ({1: exact}, QUERIES, CASES, "retrievers must be texts and functions"),
        (exact, QUERIES, CASES, "retrievers must be a mapping of names to functions"),
        ({"x": exact}, {}, CASES, "queries must hold at least one entry"),
        ({"x": exact}, QUERIES, {}, "case_base must hold at least one entry"),
        ({"x": exact}, ["q", "q"], CASES, "queries must hold each id once; got 'q' 2 times"),
        ({"x": exact}, QUERIES, pd.Series([1, 2], ["a", "a"]), "case_base must hold each id once"),
        ({"x": exact}, QUERIES, 3, "case_base must be a mapping, a frame"),
        ({"x": exact}, "q1", CASES, "queries must be a mapping, a frame"),
        ({"x": exact}, {None: 1}, CASES, "queries must have an id"),
        ({"x": exact}, QUERIES, {"a": 1, 1: 1}, "case_base must name cases by text or by numbers"),
    ],
)
def test_refuses_retrievers_queries_and_case_bases(retrievers, queries, case_base, message):
    with pytest.raises(InputError, match=message):
        evaluate_retrievers(retrievers, queries, case_base, truth=TRUTH)
