"""The working of a retrieval metric adds up to the metric, for every reading and cut-off."""

import math

import amount
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from retrieval_strategies import CUTOFFS, METRICS, READINGS, rankings

from receval import datasets
from receval.metrics import retrieval
from receval.working import retrieval as working_retrieval

EXAMPLE = datasets.retrieval_example()
PAIR = EXAMPLE["truth"], EXAMPLE["retrieved"]


def test_there_is_a_working_for_every_metric():
    assert working_retrieval.__all__ == sorted(METRICS)


@pytest.mark.parametrize(("name", "options"), READINGS)
@settings(max_examples=amount.of(10, 1_000))
@given(pair=rankings(), k=CUTOFFS)
def test_the_last_row_is_the_metric(name, options, pair, k):
    table = getattr(working_retrieval, name)(*pair, k=k, **options)
    value = getattr(retrieval, name)(*pair, k=k, **options)
    assert table.attrs["value"] == value or math.isnan(value)
    if len(table):
        last = table.iloc[-1, -1]
        np.testing.assert_allclose(float(last), value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (
            working_retrieval.correctness(*PAIR),
            {
                "kind": ["concordant", "concordant", "discordant"],
                "first": ["G2", "G2", "G4"],
                "second": ["G4", "G3", "G3"],
                "truth": [">", ">", "<"],
            },
        ),
        (working_retrieval.quality_stromer(*PAIR, k=2), {"weight": [3, 2], "err": [1, 0]}),
        (
            working_retrieval.hits({"a": 1}, {"b": 1, "a": 0.5}).fillna({"place in truth": 0}),
            {"place in truth": [0, 1]},
        ),
    ],
)
def test_tables_of_the_example(table, columns):
    assert table[[*columns]].to_dict("list") == columns


@pytest.mark.parametrize("name", METRICS)
def test_rankings_that_can_be_read_only_once(name):
    working = getattr(working_retrieval, name)
    once = [iter(dict(ranking).items()) for ranking in PAIR]
    pd.testing.assert_frame_equal(working(*once), working(*PAIR))
