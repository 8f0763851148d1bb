"""Evaluating retrievers: values, ground truth in every form, failures, files, refusals."""

import io
import math
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from retrieval_strategies import (
    METRICS,
    READINGS,
    breaks_on_q2,
    exact,
)

import receval
from receval import EvaluationWarning, InputError, datasets
from receval.metrics import retrieval
from receval.retrieval import evaluate_retrievers, ground_truth, read_ground_truth

RECS = {"user": ["u"], "item": ["i"], "score": [1.0]}
TRUTH = {"user": ["u"], "item": ["i"], "relevance": [1]}
CASES = {"a": 4.0, "b": 7.0, "c": 5.5, "d": 9.0}
QUERIES = {"q1": 6.0, "q2": 9.5, "q3": 4.1}


def rounded(query, case_base):
    return {case: 1 / (1 + round(abs(size - query))) for case, size in case_base.items()}


def best_two(query, case_base):
    return sorted(exact(query, case_base).items(), key=lambda pair: -pair[1])[:2]


RETRIEVERS = {"exact": exact, "rounded": rounded, "best two": best_two}
AS_ANSWERED = {"complete": "truth", "missing": "skip"}  # partial answers, as they are
evaluate = partial(evaluate_retrievers, RETRIEVERS, QUERIES, CASES, truth="exact", **AS_ANSWERED)


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


def test_the_documents_example_as_an_evaluation():
    example = datasets.retrieval_example()
    result = evaluate_retrievers(
        {"evaluated": lambda query, cases: example["retrieved"]},
        ["G1"],
        ["G2", "G3", "G4"],
        truth=lambda query, cases: example["truth"],
        measures=["hits", "hits@2", "quality_stromer", "quality_stromer@2", "Spearman"],
    )
    row = result.summary.loc["evaluated"].round(4)
    assert row.to_dict() == {
        "hits": 3, "hits@2": 1, "quality_stromer": 0.4444, "quality_stromer@2": 0.6,
        "Spearman": 0.5,
    }  # fmt: skip


def test_measures_by_function_and_by_label():
    measures = {"by case": partial(retrieval.mae, pairing="case"), "hits": retrieval.hits}
    result = evaluate(measures=measures, k=2)
    for name, query in result.per_query.index:
        pair = exact(QUERIES[query], CASES), RETRIEVERS[name](QUERIES[query], CASES)
        assert result.per_query.loc[(name, query), "by case"] == retrieval.mae(
            *pair, k=2, pairing="case"
        )
    assert list(evaluate(measures=retrieval.kendall).summary) == ["kendall"]
    assert list(evaluate(measures="kendall").summary) == ["kendall"]


def cutoff_itself(_truth, _retrieved, *, k=None):
    return math.nan if k is None else k


@pytest.mark.parametrize("k", [None, 3])
def test_a_partial_with_a_cutoff_keeps_it(k):
    """Both a partial of receval's metric and one of a user's function, in value and working."""
    measures = {
        "MAE@1": partial(retrieval.mae, k=1),
        "mine@2": partial(cutoff_itself, k=2),
        "all": partial(retrieval.mae, k=None),
    }
    result = evaluate(measures=measures, k=k)
    named = evaluate(measures=["mae@1", "mae"], k=k)
    np.testing.assert_array_equal(result.per_query[["MAE@1", "all"]], named.per_query)
    assert set(result.per_query["mine@2"]) == {2.0}
    (retriever, query), *_ = result.per_query.index
    explained = result.explain(query, "MAE@1", retriever=retriever)
    assert len(explained.table) == 1
    assert explained.choices["k"] == "1"
    assert explained.value == result.per_query.loc[(retriever, query), "MAE@1"]


@pytest.mark.parametrize("k", [0, -1, 2.0, "2"])
def test_a_partial_with_a_wrong_cutoff_is_refused(k):
    with pytest.raises(InputError, match=r"the cut-off of 'MAE' must be a positive integer"):
        evaluate(measures={"MAE": partial(retrieval.mae, k=k)})


@pytest.mark.parametrize(("metric", "reading"), [one for one in READINGS if one[1]])
@pytest.mark.parametrize("k", [None, 2])
def test_the_parameters_of_a_measure_are_part_of_its_name(metric, reading, k):
    stated = ", ".join(f"{parameter} = {value}" for parameter, value in reading.items())
    name = f"{metric}({stated})".replace(" ", "" if k else " ") + (f"@{k}" if k else "")
    result = evaluate(measures=[metric, name])
    for (retriever, query), value in result.per_query[name].items():
        pair = exact(QUERIES[query], CASES), RETRIEVERS[retriever](QUERIES[query], CASES)
        assert value == getattr(retrieval, metric)(*pair, k=k, **reading)
        explained = result.explain(query, name, retriever=retriever)
        assert explained.value == explained.table.attrs["value"] == value
        assert reading.items() <= explained.choices.items()


def test_undefined_values_are_counted_not_hidden():
    result = evaluate_retrievers(
        {"one": lambda query, cases: best_two(query, cases)[: 1 + (query > 9)]},
        QUERIES, CASES, truth=exact, measures=["hits", "kendall"], **AS_ANSWERED,
    )  # fmt: skip
    assert result.counts.loc["one"].to_dict() == {"judged": 3, "answered": 3, "failed": 0}
    assert result.n.loc["one"].to_dict() == {"hits": 3, "kendall": 1}
    assert result.summary.loc["one"].tolist() == [4 / 3, 1]
    assert "means over fewer queries than judged: kendall 1 of 3" in repr(result)
    assert "queries: 3 judged, 3 answered, 0 failed" in repr(result)


@pytest.mark.parametrize(
    ("queries", "case_base", "ids"),
    [
        (pd.Series(QUERIES), pd.Series(CASES), ["q1", "q2", "q3"]),
        (list(QUERIES.values()), CASES, [0, 1, 2]),
        (np.array([6, 9]), CASES, [6, 9]),
        (CASES, CASES, list(CASES)),
        (["not", "a", "case", "base", "of", "letters"], {"a": "not", "b": "letters"}, None),
    ],
)
def test_queries_and_cases_in_every_form(queries, case_base, ids):
    def same(query, cases):
        return {case: float(content == query) for case, content in cases.items()}

    result = evaluate_retrievers({"same": same}, queries, case_base, truth="same")
    found = result.per_query.index.get_level_values("query").tolist()
    assert found == (list(queries) if ids is None else ids)


def test_frames_of_attributes():
    cars = pd.DataFrame({"price": [10, 20, 40], "year": [2001, 2010, 2012]}, index=["x", "y", "z"])

    def by_price(query, case_base):
        return -(case_base["price"] - query["price"]).abs()

    result = evaluate_retrievers({"price": by_price}, cars, cars, truth="price", measures="hits@1")
    assert result.summary.loc["price", "hits@1"] == 1


# Times ----------------------------------------------------------------------------------------


@pytest.fixture
def timed(clock, monkeypatch):
    """The clock that measures the time of retrievers."""
    monkeypatch.setattr("receval.retrieval.answers.time", clock)
    return clock


def test_times_are_per_query(timed):
    def slow(query, case_base):
        timed.sleep(query)
        return exact(query, case_base)

    result = evaluate_retrievers({"slow": slow}, QUERIES, CASES, truth=exact)
    np.testing.assert_allclose(result.seconds, list(QUERIES.values()), rtol=1e-12)
    assert result.times.loc["slow", "median seconds"] == result.seconds.median()


def test_the_work_of_a_generator_is_timed(timed):
    def lazy(query, case_base):
        timed.sleep(0.25)
        yield from exact(query, case_base).items()

    result = evaluate_retrievers({"lazy": lazy}, QUERIES, CASES, truth="lazy")
    assert (result.seconds == 0.25).all()


def test_a_retriever_named_as_truth_runs_once_per_query():
    calls = []

    def counted(query, case_base):
        calls.append(query)
        return exact(query, case_base)

    evaluate_retrievers({"x": counted}, QUERIES, CASES, truth="x")
    assert calls == list(QUERIES.values())


def test_the_progress_bar_is_shown_on_request_only(capsys):
    evaluate()
    assert capsys.readouterr().err == ""
    evaluate(progress=True)
    assert "retrieval: 100%" in capsys.readouterr().err


def test_unasked_the_progress_bar_is_for_terminals_and_no_notebook(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    evaluate(progress=False)
    assert capsys.readouterr().err == ""
    evaluate()
    assert "retrieval: 100%" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    evaluate()
    assert capsys.readouterr().err == ""


# Failures -------------------------------------------------------------------------------------


def test_what_was_computed_is_kept_when_a_retriever_fails():
    retrievers = {"breaks": breaks_on_q2, "exact": exact}
    with pytest.warns(EvaluationWarning, match="see failures"):
        result = evaluate_retrievers(
            retrievers, QUERIES, CASES, truth=exact, measures=["hits", "mae"], failed="skip",
        )  # fmt: skip
    assert result.failures.to_numpy().tolist() == [["breaks", "q2", "KeyError: 'no such index'"]]
    assert result.per_query.loc[("breaks", "q2")].isna().all()
    assert math.isnan(result.seconds["breaks", "q2"])
    assert result.per_query.drop(("breaks", "q2")).notna().all(axis=None)
    assert result.counts["failed"].to_dict() == {"breaks": 1, "exact": 0}
    for shown in (repr(result), result._repr_html_()):
        assert "failed on 1 of 3, see failures" in shown


def test_without_ground_truth_there_is_nothing_to_keep():
    with pytest.raises(InputError, match="its retriever raised on 'q2': KeyError") as caught:
        evaluate(truth=breaks_on_q2)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_failing_measure_says_where():
    def broken(truth, retrieved, *, k):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        evaluate(measures=broken)
    assert caught.value.__notes__ == ["measure 'broken' of retriever 'exact' on query 'q1'"]


# Ground truth ---------------------------------------------------------------------------------


def test_ground_truth_in_every_form_gives_the_same_values(tmp_path):
    path = tmp_path / "truth.csv"
    table = ground_truth(exact, QUERIES, CASES, path=path)
    expected = evaluate().per_query
    mapping = {query: exact(content, CASES) for query, content in QUERIES.items()}
    for truth in (exact, table, mapping, path, str(path)):
        found = evaluate(truth=truth).per_query
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_saved_ground_truth_is_read_back_as_it_was(tmp_path):
    rng = np.random.default_rng(0)
    queries = {7: 0.1, -3: 0.9}
    cases = dict(zip(["007", "7", "NA", "", 'a,"b"', "é\n", "#", " x"], rng.random(8), strict=True))
    path = tmp_path / "truth.csv"
    table = ground_truth(exact, queries, cases, path=path)
    back = read_ground_truth(path, queries, cases)
    pd.testing.assert_frame_equal(back, table, check_exact=True, check_dtype=False)
    assert {type(query) for query in back["query"]} == {int}
    one = read_ground_truth(path, [7], cases)
    assert one["query"].tolist() == [7] * 8
    assert [file.name for file in tmp_path.iterdir()] == ["truth.csv"]


HEADER = "query,case,similarity\n"
ROWS = "q1,a,0.9\nq1,b,0.5\nq1,c,0.5\nq1,d,0.1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "truth.csv must be a table; got none", id="empty file"),
        pytest.param("a;b\n1;2\n", "must have columns separated by ','; got 'a;b'", id="separator"),
        pytest.param("a,b\n1,2\n", "truth must have one column 'query'", id="columns"),
        pytest.param(HEADER, "got none for 'q1'", id="no rows"),
        pytest.param(HEADER + ROWS.replace("q1", "q9"), "got none for 'q1'", id="other queries"),
        pytest.param(HEADER + ROWS + "q1,z,0.0\n",
                     "must hold cases of the case base only; got 'z'", id="unknown case"),
        pytest.param(HEADER + ROWS[:-9], "truth for query 'q1' must hold all 4 .* it lacks 'd'",
                     id="file of a smaller case base"),
        pytest.param(HEADER + ROWS + "q1,a,0.0\n", "must hold each case once; got 'a' 2 times",
                     id="case twice"),
        pytest.param(HEADER + ROWS.replace("b,0.5", "b,0.95"),
                     "query .q1. must be sorted by falling similarity; got 0.95 for case .b.",
                     id="unsorted"),
        pytest.param(HEADER + ROWS.replace("b,0.5", 'b,"0,5"'),
                     "got '0,5' for case 'b' of query 'q1'", id="decimal comma"),
        pytest.param(HEADER + ROWS.replace("0.", "0,"), "mind decimal commas",
                     id="decimal comma in every row"),
        pytest.param(HEADER + ROWS.replace("b,0.5", "b,0,5"), "Row #3: .* got 4: q1,b,0,5",
                     id="decimal comma in one row"),
        pytest.param(HEADER + ROWS.replace("q1,d,0.1", "q1,d"), "Row #5: .* got 2: q1,d",
                     id="a field too few"),
        pytest.param(HEADER + ROWS.replace("a,0.9", "a,1_0"), "got '1_0' for case 'a'",
                     id="underscore"),
        pytest.param(HEADER + ROWS.replace("a,0.9", "a,inf"), "got inf for case 'a'", id="inf"),
        pytest.param(HEADER + ROWS.replace("d,0.1", "d,nan"), "got nan for case 'd'", id="nan"),
        pytest.param(HEADER + ROWS.replace("d,0.1", "d,"), "got '' for case 'd'", id="no number"),
    ],
)  # fmt: skip
def test_refuses_a_file_that_is_no_ground_truth_of_this(tmp_path, text, message):
    path = tmp_path / "truth.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        evaluate_retrievers({"x": exact}, {"q1": 6.0}, CASES, truth=path)


def test_refuses_a_file_of_another_case_base(tmp_path):
    path = tmp_path / "truth.csv"
    ground_truth(exact, QUERIES, {**CASES, "e": 1.0}, path=path)
    with pytest.raises(InputError, match="must hold cases of the case base only; got 'e'"):
        evaluate(truth=path)
    ground_truth(exact, QUERIES, {"a": 4.0, "b": 7.0}, path=path)
    with pytest.raises(InputError, match="must hold all 4 cases of the case base; it lacks 'c'"):
        evaluate(truth=path)
    with pytest.raises(InputError, match=r"path must be an existing file; got 'absent.csv'"):
        evaluate(truth=tmp_path / "absent.csv")


def test_refuses_a_wrong_table():
    table = ground_truth(exact, QUERIES, CASES)
    for wrong, message in (
        (table.rename(columns={"case": "item"}), "truth must have one column 'case'"),
        (table.assign(query=[None, *table["query"][1:]]), "got none in row 0"),
        (table[::-1], "sorted by falling similarity"),
        (table.assign(similarity="0.5"), "truth for query 'q1' must have finite numbers"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(truth=wrong)


def test_completeness_of_truth_and_answers_is_a_choice():
    with pytest.raises(InputError, match="truth for query 'q1' must hold all 4"):
        evaluate(truth=best_two)
    assert len(evaluate(truth=best_two, complete="none").per_query) == 9
    with pytest.raises(
        InputError, match="answer of retriever 'best two' to query 'q1' must hold all 4 cases"
    ):
        evaluate(complete="all", missing=None)


# Files and displays ---------------------------------------------------------------------------


def test_csv_has_a_row_for_each_retriever_and_metric(tmp_path):
    result = evaluate(measures=["hits", "kendall"])
    text = result.to_csv()
    assert text.splitlines()[0] == "retriever,metric,value,queries"
    table = pd.read_csv(io.StringIO(text), dtype={"value": str}).astype({"value": float})
    assert table["metric"].tolist() == ["hits", "kendall", "median seconds", "mean seconds"] * 3
    values = table.set_index(["retriever", "metric"])["value"]
    queries = table.set_index(["retriever", "metric"])["queries"]
    assert queries["best two"].tolist() == [3, 3, 3, 3]
    for name in RETRIEVERS:
        assert values[name, "hits"] == result.summary.loc[name, "hits"]
        assert values[name, "mean seconds"] == result.times.loc[name, "mean seconds"]
    assert result.to_csv(tmp_path / "out.csv") is None
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == text
    stream = io.StringIO()
    assert result.to_csv(stream) is None
    assert stream.getvalue() == text
    per_query = pd.read_csv(io.StringIO(result.to_csv(per_query=True)))
    assert list(per_query.columns) == ["retriever", "query", "metric", "value"]
    assert len(per_query) == 3 * 3 * 3


def test_of_distances_and_errors_the_lowest_is_the_best():
    result = evaluate(measures=["hits@2", "mae(pairing=case)"])
    table = result.table(3)
    assert table.lower == ["mae(pairing=case)"]
    shown = table.to_frame()["mae(pairing=case)"]
    assert shown["exact"] == "0.000" < shown["rounded"]
    assert r"exact & \textbf{2.000} & \textbf{0.000} &" in table.to_latex()
    assert f"& {shown['rounded']} &" in table.to_latex()
    assert "<b>0.000</b>" in table._repr_html_()
    assert {*table.to_frame()} == {*result.summary, "queries", *result.times}
    own = {"sq": retrieval.mse, "moved": partial(retrieval.distance, ranks="tied")}
    assert evaluate(measures={**own, "found": retrieval.hits}).table().lower == ["sq", "moved"]


OPEN = "undecided: corrected p above 0.05"


def test_retrievers_are_compared_query_by_query():
    queries = {f"q{i}": 3 + i / 7 for i in range(20)}
    measures = ["mae(pairing=case)", "completeness"]
    result = evaluate_retrievers(
        {"rounded": rounded, "exact": exact}, queries, CASES, truth="exact", measures=measures
    )
    found = result.compare("rounded")
    worst = result.values("rounded")
    for measure, sign in (("mae(pairing=case)", -1), ("completeness", 1)):
        row = found.results.loc[(measure, "exact", "rounded")]
        gain = sign * (result.values("exact")[measure] - worst[measure])
        assert row["difference"] * sign == pytest.approx(gain.mean())
        assert (row["better"], row["worse"]) == ((gain > 0).sum(), (gain < 0).sum())
    assert found.results["verdict"].tolist() == ["better", OPEN]
    assert result.compare("exact").results["verdict"].tolist() == ["worse", OPEN]
    assert "lower is better: mae(pairing=case)" in repr(found)
    assert "queries: 20 judged, 20 answered, 0 failed" in repr(found)
    assert "users" not in repr(found)
    assert "▲" in repr(found.table())
    spans = result.interval(measures="completeness")
    assert spans["mean"].tolist() == pytest.approx(result.summary["completeness"].tolist())
    assert spans["queries"].tolist() == [20, 20]
    one = evaluate_retrievers(RETRIEVERS, {"q1": 6.0}, CASES, truth="exact", **AS_ANSWERED)
    with pytest.raises(
        InputError, match=r"at least 2 queries with .* in common; got 1 .*, of queries .* \['q"
    ):
        one.compare()
    for wrong in ({"measures": "hits"}, {"measures": 3}, {"baseline": "absent"}):
        with pytest.raises(InputError, match="must be"):
            result.compare(**wrong)


def test_notes_keep_the_word_users_in_names_of_retrievers():
    queries = {f"q{i}": 3.0 + i for i in range(20)}
    queries["q0"] = 3.4  # only here the two differ
    retrievers = {"users": rounded, "exact": exact}
    result = evaluate_retrievers(
        retrievers, queries, CASES, truth="exact", measures=["mae(pairing=case)"]
    )
    shown = repr(result.compare("users"))
    assert "users" in shown  # the baseline
    assert "queries: 20 judged" in shown


def test_a_result_shows_what_that_of_recommendations_shows():
    shared = {"summary", "n", "counts", "table", "to_latex", "explain", "compare", "interval"}
    shared |= {"systems", "values", "measures", "plot"}
    for result in (evaluate(), receval.evaluate(RECS, TRUTH, "MRR")):
        assert shared <= {name for name in dir(result) if not name.startswith("_")}
    assert evaluate().systems == list(RETRIEVERS)


def test_an_undefined_value_is_an_empty_cell():
    result = evaluate_retrievers(
        {"none": lambda query, cases: {}},
        *(QUERIES, CASES),
        truth=exact,
        measures="kendall",
        **AS_ANSWERED,
    )
    assert "none,kendall,,0\n" in result.to_csv()


def test_explain_shows_the_terms_behind_a_value():
    result = evaluate(measures=["hits@2", "distance", "mae"], k=3)
    for label in ("hits@2", "distance", "mae"):
        found = result.explain("q2", label, retriever="rounded")
        assert found.value == result.per_query.loc[("rounded", "q2"), label]
        assert len(found.table) == (2 if label == "hits@2" else 3)
        assert found.choices == {"k": "2" if label == "hits@2" else "3"}
    assert repr(found).startswith("mae of query 'q2' under 'rounded' = 0")
    assert (
        "similarities, Hoffmann et al. (2020), doi:10.1007/978-3-030-58342-2_15; document 003)"
        in repr(found)
    )
    truth, retrieved = result.rankings("q1", retriever="best two")
    assert dict(truth.items()) == exact(6.0, CASES)
    assert list(retrieved.items()) == best_two(6.0, CASES)
    for wrong in (
        lambda: result.explain("q9", "mae", retriever="rounded"),
        lambda: result.explain("q1", "kendall", retriever="rounded"),
        lambda: result.explain("q1", "mae", retriever="absent"),
        lambda: result.explain("q1", "mae"),
        lambda: evaluate(measures={"own": lambda t, r, *, k: 0}).explain(
            "q1", "own", retriever="exact"
        ),
    ):
        with pytest.raises(InputError):
            wrong()


def test_figure_of_quality_against_time():
    result = evaluate(measures=["kendall"])
    axes = result.plot("kendall")
    middles = axes.collections[1].get_offsets()
    np.testing.assert_allclose(
        middles, np.c_[result.times["median seconds"] * 1000, result.summary["kendall"]]
    )
    with pytest.raises(InputError, match="measure must be one of 'kendall'; got 'hits'"):
        result.plot("hits")


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
        (None, "must be a mapping of cases to similarities or pairs of the two; got None"),
        (["a", "b"], "must be a mapping of cases"),
        ({1: 0.5}, "must hold cases of the case base only; got 1"),
    ],
)
def test_refuses_a_bad_answer_by_retriever_query_and_case(ranking, message):
    with pytest.raises(InputError, match="answer of retriever 'r' to query 'q1' " + message):
        evaluate_retrievers(answers(ranking), QUERIES, CASES, truth=exact)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be a positive integer or None; got 0"),
        ({"measures": "hit"}, "measures must be one of .* Did you mean 'hits'"),
        ({"measures": "hits@0"}, "the cut-off of 'hits@0' must be a positive integer; got 0"),
        ({"measures": "hits@x"}, "the cut-off of 'hits@x' must be a positive integer; got 'x'"),
        ({"measures": ["hits", "hits"]}, "must hold each measure once; got 'hits' 2 times"),
        ({"measures": "mae(pairing=cases)"}, "pairing must be one of .* Did you mean 'case'"),
        ({"measures": "mae(pairs=all)"}, r"parameters that mae has \(pairing\), each once; got"),
        ({"measures": "mae(pairing=case,pairing=position)@3"}, "parameters .*, each once; got"),
        ({"measures": "hits(k=3)"}, r"parameters that hits has \(none\)"),
        ({"measures": "mae(pairing=case"}, "measures must be like 'hits' or 'hits@10'"),
        ({"measures": "hits()"}, "measures must have parameters as in .*, each once; got"),
        ({"progress": "yes"}, "progress must be True or False; got 'yes'"),
        ({"measures": []}, "measures must be at least one"),
        ({"measures": [partial(retrieval.mae, pairing="case")]}, "metric names or functions"),
        ({"measures": [3]}, "measures must be metric names or functions"),
        ({"measures": {"mine": 3}}, "measures must be metric names or functions"),
        ({"truth": "exatc"}, "name of a retriever or a CSV file .*Did you mean 'exact'"),
        ({"truth": 3}, "truth must be a retriever, its name, a table"),
        ({"complete": True}, "complete must be one of"),
    ],
)
def test_refuses_options(options, message):
    with pytest.raises(InputError, match=message):
        evaluate_retrievers(RETRIEVERS, QUERIES, CASES, **({"truth": "exact"} | options))


@pytest.mark.parametrize(
    ("retrievers", "queries", "case_base", "message"),
    [
        ([("x", exact), ("x", exact)], QUERIES, CASES, "each name once; got 'x' 2 times"),
        ({}, QUERIES, CASES, "retrievers must hold at least one"),
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
        evaluate_retrievers(retrievers, queries, case_base, truth=exact)


def test_nothing_is_changed():
    queries, cases = pd.Series(QUERIES), pd.Series(CASES)
    for series in (queries, cases):
        series.to_numpy().flags.writeable = False
    table = ground_truth(exact, queries, cases)
    before = table.copy()
    evaluate_retrievers(RETRIEVERS, queries, cases, truth=table, **AS_ANSWERED)
    pd.testing.assert_frame_equal(table, before)
    assert queries.to_dict() == QUERIES
    assert cases.to_dict() == CASES


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.values("exact", ["nope"]), r"measures must be one of .*got 'nope'"),
        (lambda it: it.values("exact", 3), "measures must be names of columns; got 3"),
        (lambda it: it.values(np.array([1, 2])), "retriever must be one of"),
        (lambda it: it.explain("q1", ["mae"], retriever="exact"), "measure of document 003"),
        (lambda it: it.explain(["q1"], "mae", retriever="exact"), "query and retriever must name"),
    ],
)
def test_refuses_to_show_what_was_not_evaluated(call, message):
    with pytest.raises(InputError, match=message):
        call(evaluate())


def test_one_column_is_wanted_by_its_name():
    values = evaluate().values("exact", "mae")
    pd.testing.assert_frame_equal(values, evaluate().per_query.loc["exact"][["mae"]])
