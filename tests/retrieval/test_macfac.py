"""MAC/FAC: the two phases, sweeps over filter sizes, times, refusals."""

import io
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from receval import EvaluationWarning, InputError
from receval.retrieval import MacFac, evaluate_macfac, evaluate_retrievers, ground_truth

CASES = {"d": 9.0, "a": 4.0, "b": 7.0, "c": 5.5, "e": 2.0}
QUERIES = {"q1": 6.0, "q2": 9.5}


def fac(query, case_base):
    return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}


def mac(query, case_base):
    """Compares whole numbers only."""
    return {case: 1 / (1 + abs(int(size) - int(query))) for case, size in case_base.items()}


def reverse(query, case_base):
    return {case: -similarity for case, similarity in fac(query, case_base).items()}


def test_the_answer_is_the_expensive_ranking_of_what_the_cheap_one_let_through():
    # By whole numbers 6 is next to 7 (b) and 5 (c), then to 4 (a).
    for size, k, expected in ((1, None, ["b"]), (2, None, ["c", "b"]), (3, 2, ["c", "b"]),
                              (3, None, ["c", "b", "a"]), (None, 1, ["c"])):  # fmt: skip
        found = MacFac(mac, fac, filter_size=size, k=k)(6.0, CASES)
        assert list(found.cases) == expected
        similarities = fac(6.0, CASES)
        assert list(found.similarities) == [similarities[case] for case in expected]


@pytest.mark.parametrize(
    "case_base", [CASES, pd.Series(CASES), pd.DataFrame({"size": CASES})["size"]]
)
def test_the_second_phase_sees_the_case_bases_form_and_order(case_base):
    seen = []

    def looks(query, cases):
        seen.append(cases)
        return fac(query, cases)

    MacFac(mac, looks, filter_size=3)(9.5, case_base)
    assert type(seen[0]) is type(case_base)
    assert list(seen[0].keys()) == ["d", "b", "c"]


def test_a_case_base_of_ids():
    def letters(query, cases):
        return {case: len(set(case) & set(query)) for case in cases}

    found = MacFac(letters, letters, filter_size=1)("abc", ["xyz", "abx", "cba"])
    assert found.cases == ("cba",)
    with pytest.raises(InputError, match=r"case_base must be a mapping or a frame.*\{id: case"):
        MacFac(lambda query, cases: {0: 1.0}, fac)(1, [1.5, 2.5])


def test_macfac_is_a_retriever_like_any_other():
    retrievers = {"MAC/FAC": MacFac(mac, fac, filter_size=2), "FAC": fac}
    how = {"truth": "FAC", "measures": ["hits@2"], "complete": "truth"}
    result = evaluate_retrievers(retrievers, QUERIES, CASES, **how)
    assert result.summary["hits@2"].tolist() == [2, 2]


def test_a_sweep_by_hand():
    result = evaluate_macfac(
        {"cheap": mac, "reverse": reverse}, fac, QUERIES, CASES,
        filter_sizes=[1, 2, 5], ks=[1, 2, 2], measures=["hits", "quality_stromer", "hits@1"],
    )  # fmt: skip
    assert result.summary.index.names == ["retriever", "filter_size", "k"]
    expected = {
        ("cheap", 1, 1): (0.5, 0.5, 0.5),  # q1: b for c
        ("cheap", 2, 2): (2, 1, 1),
        ("cheap", 5, 2): (2, 1, 1),
        ("reverse", 1, 1): (0, 0, 0),
        ("reverse", 2, 2): (0, 0, 0),
        ("reverse", 5, 2): (2, 1, 1),
    }
    assert {key: tuple(row) for key, row in result.summary.iterrows()} == expected
    assert result.per_query.index.names == ["retriever", "filter_size", "k", "query"]
    assert len(result.per_query) == 12
    text = result.to_csv()
    assert text.splitlines()[0] == "retriever,filter_size,k,metric,value,queries"
    table = pd.read_csv(io.StringIO(text))
    assert table.query("metric == 'hits'")["value"].tolist() == [e[0] for e in expected.values()]
    assert set(table["metric"]) >= {"median seconds", "median mac seconds", "median fac seconds"}


def test_explain_uses_the_k_of_the_pair():
    result = evaluate_macfac(mac, fac, QUERIES, CASES, filter_sizes=[3], ks=[2], measures="hits")
    for which in ({}, {"retriever": ("MAC/FAC", 3, 2)}):
        found = result.explain("q1", "hits", **which)
        assert found.table["case"].tolist() == ["c", "b"]
        assert found.value == result.per_query["hits"].iloc[0]


def test_filter_sizes_are_compared_by_name():
    queries = {f"q{i}": i / 3 for i in range(20)}
    result = evaluate_macfac(
        reverse, fac, queries, CASES, filter_sizes=[1, 5], ks=[1, 1], measures=["hits", "distance"]
    )
    assert result.systems == [("MAC/FAC", 1, 1), ("MAC/FAC", 5, 1)]
    assert result.values(("MAC/FAC", 5, 1))["hits"].tolist() == [1.0] * 20
    by_mean = result.compare(measures="hits").results["verdict"].item()
    assert by_mean == "better (sign test)"  # one more hit for each query
    row = result.compare(measures="hits", test="wilcoxon").results.iloc[0]
    assert row.name == ("hits", "MAC/FAC, filter 5, k 1", "MAC/FAC, filter 1, k 1")
    assert (row["better"], row["verdict"]) == (20, "better")
    assert result.interval(measures="hits")["mean"].tolist() == [0.0, 1.0]
    assert r"MAC/FAC, filter 5, k 1 & \textbf{1.00}" in result.to_latex()


def test_a_large_speed_up_is_shown_without_a_power_of_ten():
    result = evaluate_macfac(mac, fac, QUERIES, CASES, filter_sizes=[2], ks=[2], measures="hits")
    timed = {
        "_seconds_by_phase": 0 * result.phases + [1, 0.5],
        "_full_seconds": 0 * result.full_seconds + 2000,
    }
    table = replace(result, **timed).table().to_frame()
    assert table.iloc[0][["median seconds", "speed-up"]].tolist() == ["1.5", "1333.33"]


def test_times_of_both_phases_and_the_speed_up(clock, monkeypatch):
    monkeypatch.setattr("receval.retrieval.answers.time", clock)

    def slow_mac(query, cases):
        clock.sleep(0.25)
        return mac(query, cases)

    def slow_fac(query, cases):
        clock.sleep(0.5 * len(cases))
        return fac(query, cases)

    result = evaluate_macfac(
        slow_mac, slow_fac, QUERIES, CASES, filter_sizes=[1, 5], ks=[1, 1], measures="hits"
    )
    assert list(result.phases) == ["mac", "fac"]
    assert (result.phases["mac"] == 0.25).all()
    assert (result.phases.loc[("MAC/FAC", 1, 1), "fac"] == 0.5).all()
    assert (result.phases.loc[("MAC/FAC", 5, 1), "fac"] == 2.5).all()
    assert (result.full_seconds == 2.5).all()
    np.testing.assert_array_equal(result.seconds, result.phases.sum(axis=1))
    few, all_ = result.speed_up
    assert (few, all_) == (2.5 / 0.75, 2.5 / 2.75)


def test_the_ground_truth_is_computed_once_or_given(tmp_path):
    calls = []

    def counted(query, cases):
        calls.append(len(cases))
        return fac(query, cases)

    how = {"filter_sizes": [1, 2], "ks": [1, 1]}
    computed = evaluate_macfac(mac, counted, QUERIES, CASES, **how)
    assert calls == [5, 5, 1, 1, 2, 2]
    path = tmp_path / "truth.csv"
    table = ground_truth(fac, QUERIES, CASES, path=path)
    for truth in (path, table):
        calls.clear()
        given = evaluate_macfac(mac, counted, QUERIES, CASES, truth=truth, **how)
        assert calls == [1, 1, 2, 2]
        pd.testing.assert_frame_equal(given.per_query, computed.per_query)
        assert given.speed_up.isna().all()


def test_a_failure_is_kept_with_its_filter_size():
    def breaks(query, cases):
        if len(cases) == 2 and query > 9:
            raise MemoryError("too much")
        return fac(query, cases)

    with pytest.warns(EvaluationWarning, match=r"\('MAC/FAC', 2, 2\) raised on 1 of 2 queries"):
        result = evaluate_macfac(
            mac, breaks, QUERIES, CASES, filter_sizes=[1, 2], ks=[1, 2], measures="hits",
        )  # fmt: skip
    assert result.failures.to_numpy().tolist() == [["MAC/FAC", 2, 2, "q2", "MemoryError: too much"]]
    assert result.per_query["hits"].tolist() == [0, 1, 2, 0]
    assert math.isnan(result.phases.iloc[3, 0])
    assert "failed on 1 of 2, see failures; these queries count as silent" in repr(result)
    assert "speed-up" in result._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filter_sizes": [1, 2], "ks": [1]}, "lists of the same length.*got .1, 2. and .1."),
        ({"filter_sizes": [], "ks": []}, "must be lists of the same length.*got .. and .."),
        ({"filter_sizes": [0], "ks": [1]}, "filter_sizes must be a positive integer; got 0"),
        ({"filter_sizes": [1], "ks": [0]}, "ks must be a positive integer; got 0"),
        ({"filter_sizes": [1.5], "ks": [1]}, "filter_sizes must be a positive integer; got 1.5"),
        ({"filter_sizes": [2, 2], "ks": [1, 1]}, "must hold each pair once"),
        ({"filter_sizes": 2, "ks": 1}, "must be lists of the same length.*got 2 and 1"),
        ({"complete": "all"}, "complete must be one of 'truth', 'none'"),
        ({"missing": "none"}, "missing must be one of 'zero', 'skip', 'error'"),
        ({"failed": "nan"}, "failed must be one of 'zero', 'skip', 'error'"),
        ({"fac": None}, "fac must be a function"),
        ({"mac": {"m": None}}, "mac must be texts and functions"),
        ({"case_base": [1.5, 2.5]}, "case_base must be a mapping or a frame"),
        ({"measures": "hit"}, "Did you mean 'hits'"),
        (
            {"mac": lambda query, cases: {"z": 1.0}},
            "retriever .'MAC/FAC', 2, 1. on query 'q1': the MAC phase must hold .* got 'z'",
        ),
        (
            {"mac": lambda query, cases: [("a", 1.0), ("a", 0.5)]},
            "on query 'q1': the MAC phase must hold each case once; got 'a' 2 times",
        ),
        (
            {"fac": lambda query, cases: dict.fromkeys(CASES, 1.0)},
            "the FAC phase must hold cases of the MAC phase's answer only; got 'd', 'a', 'e'",
        ),
    ],
)
def test_refuses(options, message):
    how = {"mac": mac, "fac": fac, "queries": QUERIES, "case_base": CASES}
    how |= {"filter_sizes": [2], "ks": [1]}
    with pytest.raises(InputError, match=message):
        evaluate_macfac(**(how | options))


def test_macfac_refuses_what_cannot_be_called_or_counted():
    for arguments, message in (
        ((None, fac, {}), "mac must be a function"),
        ((mac, 3, {}), "fac must be a function"),
        ((mac, fac, {"filter_size": 0}), "filter_size must be a positive integer"),
        ((mac, fac, {"k": -1}), "k must be a positive integer"),
    ):
        with pytest.raises(InputError, match=message):
            MacFac(*arguments[:2], **arguments[2])
    with pytest.raises(TypeError):
        MacFac(mac, fac, 2)


# Files -----------------------------------------------------------------------------------------


def mine(truth, retrieved, *, k):
    return 1.0


def test_ids_that_no_file_holds_are_refused(tmp_path):
    result = evaluate_retrievers({"fac": fac}, {(1, 2): 6.0}, CASES, truth="fac", measures="hits")
    with pytest.raises(InputError, match=r"ids must be text, or whole numbers .* got tuples"):
        result.save(tmp_path / "mine.receval")
    assert list(tmp_path.iterdir()) == []


def test_the_speed_up_is_in_the_csv_and_the_rule_under_the_table():
    result = evaluate_macfac(mac, fac, QUERIES, CASES, filter_sizes=[2], ks=[2], measures="hits")
    assert f"MAC/FAC,2,2,speed-up,{result.speed_up.iloc[0]},2\n" in result.to_csv()
    assert "cases that an answer lacks are left out" not in repr(result)
    skipped = evaluate_macfac(
        mac, fac, QUERIES, CASES, filter_sizes=[2], ks=[2], measures="hits", missing="skip"
    )
    assert "cases that an answer lacks are left out" in repr(skipped)
