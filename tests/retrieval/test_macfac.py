"""MAC/FAC: the two phases, sweeps over filter sizes, times, refusals."""

import io
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.retrieval import evaluate_macfac, ground_truth

CASES = {"d": 9.0, "a": 4.0, "b": 7.0, "c": 5.5, "e": 2.0}
QUERIES = {"q1": 6.0, "q2": 9.5}


def fac(query, case_base):
    return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}


def mac(query, case_base):
    """Compares whole numbers only."""
    return {case: 1 / (1 + abs(int(size) - int(query))) for case, size in case_base.items()}


def reverse(query, case_base):
    return {case: -similarity for case, similarity in fac(query, case_base).items()}


TRUTH = ground_truth(fac, QUERIES, CASES)


@pytest.mark.parametrize(
    ("size", "k", "expected"),
    [(1, 1, "b"), (2, 2, "cb"), (3, 2, "cb"), (3, 3, "cba"), (5, 1, "c")],
)
def test_the_answer_is_the_expensive_ranking_of_what_the_cheap_one_let_through(size, k, expected):
    # By whole numbers 6 is next to 7 (b) and 5 (c), then to 4 (a).
    similarities, seen = fac(6.0, CASES), Mock(return_value=1.0)
    sizes = {"filter_sizes": [size], "ks": [k], "measures": {"seen": seen}}
    evaluate_macfac(mac, fac, {"q1": 6.0}, CASES, **sizes)
    (_, retrieved), _ = seen.call_args
    assert list(retrieved.items()) == [(case, similarities[case]) for case in expected]


@pytest.mark.parametrize(
    "case_base", [CASES, pd.Series(CASES), pd.DataFrame({"size": CASES})["size"]]
)
def test_the_second_phase_sees_the_case_bases_form_and_order(case_base):
    looks = Mock(side_effect=fac)
    sizes = {"filter_sizes": [3], "ks": [1], "truth": TRUTH, "measures": "hits"}
    evaluate_macfac(mac, looks, {"q2": 9.5}, case_base, **sizes)
    cases = looks.call_args.args[1]
    assert type(cases) is type(case_base)
    assert list(cases.keys()) == ["d", "b", "c"]


def test_a_case_base_of_ids():
    def letters(query, cases):
        return {case: len(set(case) & set(query)) for case in cases}

    found = evaluate_macfac(
        letters, letters, ["abc"], ["xyz", "abx", "cba"], filter_sizes=[1], ks=[1], measures="hits"
    )
    assert found.summary["hits"].tolist() == [1]


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
    assert set(table["metric"]) == {"hits", "quality_stromer", "hits@1", "seconds"}


def test_the_time_has_both_phases_and_the_speed_up_is_that_of_the_whole_case_base(
    clock, monkeypatch
):
    monkeypatch.setattr("receval.retrieval.retrievers.time", clock)

    def slow_mac(query, cases):
        clock.sleep(0.25)
        return mac(query, cases)

    def slow_fac(query, cases):
        clock.sleep(0.5 * len(cases))
        return fac(query, cases)

    result = evaluate_macfac(
        slow_mac, slow_fac, QUERIES, CASES, filter_sizes=[1, 5], ks=[1, 1], measures="hits"
    )
    np.testing.assert_array_equal(result.seconds, [0.75, 0.75, 2.75, 2.75])
    assert result.times["speed-up"].tolist() == [2.5 / 0.75, 2.5 / 2.75]
    assert "speed-up" in repr(result)


@pytest.mark.parametrize(
    "truth",
    [
        ground_truth(fac, QUERIES, CASES),
        {query: fac(size, CASES) for query, size in QUERIES.items()},
    ],
)
def test_the_cheap_retriever_runs_once_and_the_ground_truth_is_computed_once_or_given(truth):
    cheap, expensive = Mock(side_effect=mac), Mock(side_effect=fac)
    options = {"filter_sizes": [1, 2], "ks": [1, 1], "measures": "hits"}
    computed = evaluate_macfac(cheap, expensive, QUERIES, CASES, **options)
    given = evaluate_macfac(cheap, expensive, QUERIES, CASES, **options, truth=truth)
    assert [call.args[0] for call in cheap.call_args_list] == [6.0, 9.5] * 2
    lengths = [len(call.args[1]) for call in expensive.call_args_list]
    assert lengths == [5, 5, *[1, 1, 2, 2] * 2]
    pd.testing.assert_frame_equal(given.per_query, computed.per_query)
    assert "speed-up" not in given.times


def test_an_exception_passes_through_with_the_filter_size():
    def breaks(query, cases):
        if len(cases) == 2 and query > 9:
            raise MemoryError("too much")
        return fac(query, cases)

    with pytest.raises(MemoryError) as caught:
        evaluate_macfac(mac, breaks, QUERIES, CASES, filter_sizes=[1, 2], ks=[1, 2])
    assert caught.value.__notes__ == ["retriever ('MAC/FAC', 2, 2) on query 'q2'"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filter_sizes": [1, 2], "ks": [1]}, "lists of the same length.*got .1, 2. and .1."),
        ({"filter_sizes": [], "ks": []}, "filter_sizes and ks must have at least one pair"),
        ({"filter_sizes": 2, "ks": 1}, "must be lists of the same length.*got 2 and 1"),
        ({"filter_sizes": [0], "ks": [1]}, "filter_sizes must be a positive integer; got 0"),
        ({"filter_sizes": [1], "ks": [0]}, "ks must be a positive integer; got 0"),
        ({"filter_sizes": [1.5], "ks": [1]}, "filter_sizes must be a positive integer; got 1.5"),
        ({"filter_sizes": [2, 2], "ks": [1, 1]}, "must hold each pair once"),
        (
            {"filter_sizes": [1], "ks": [2]},
            "filter_sizes must be at least their k, which is 2; got 1",
        ),
        ({"fac": None}, "fac must be a function"),
        ({"mac": {"m": None}}, "mac must be texts and functions"),
        ({"measures": "hit"}, "Did you mean 'hits'"),
        (
            {"mac": lambda query, cases: {"z": 1.0}},
            "answer of retriever 'MAC/FAC' to query 'q1' must hold .* got 'z'",
        ),
        (
            {"mac": lambda query, cases: {}},
            "answers of 'MAC/FAC' must hold at least k = 1 cases; got 0",
        ),
        (
            {"mac": lambda query, cases: [("a", 1.0), ("a", 0.5)]},
            "'MAC/FAC' to query 'q1' must hold each case once; got 'a' 2 times",
        ),
        (
            {"fac": lambda query, cases: dict.fromkeys(CASES, 1.0), "truth": TRUTH},
            "'MAC/FAC', 2, 1. to query 'q1' must hold cases of the case base only; got 'd'",
        ),
        (
            {"fac": lambda query, cases: dict.fromkeys([*cases][:1], 1.0), "truth": TRUTH},
            "retriever .'MAC/FAC', 2, 1. to query 'q1' must hold all 2 cases .* without 'c'",
        ),
    ],
)
def test_refuses(options, message):
    how = {"mac": mac, "fac": fac, "queries": QUERIES, "case_base": CASES}
    how |= {"filter_sizes": [2], "ks": [1]}
    with pytest.raises(InputError, match=message):
        evaluate_macfac(**(how | options))
