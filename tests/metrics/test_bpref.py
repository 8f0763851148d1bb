"""Binary preference: cases by hand, and judged items.

`tests/differential` compares it with trec_eval and ir-measures, and `definitions/test_conventions`
with the mean over all orders of equal scores.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from receval import InputError, evaluate, working
from receval.metrics.ranking import bpref


@pytest.mark.parametrize(
    ("gains", "judged", "counts", "value"),
    [
        pytest.param([1, 0], [1, 1], (1, 1), 1, id="relevant first"),
        pytest.param([0, 1], [1, 1], (1, 1), 0, id="irrelevant first"),
        pytest.param([0, 1], [0, 1], (1, 1), 1, id="what is unjudged does not count"),
        pytest.param([0, 1], [0, 0], (1, 0), 1, id="nothing judged irrelevant"),
        pytest.param([0, 0, 0, 3], [1, 1, 1, 1], (2, 4), 0, id="counted up to the relevant ones"),
        pytest.param([0, 2, 2], [1, 1, 1], (4, 2), 0.25, id="divided by the fewer of both"),
        pytest.param([0, 0], [1, 1], (0, 2), np.nan, id="nothing relevant"),
        pytest.param([1, np.nan], [1, np.nan], (2, 1), 0.5, id="one not found"),
    ],
)
def test_bpref_by_hand(gains, judged, counts, value):
    assert_allclose(bpref(gains, judged, *counts), value)
    if not np.isnan(value):
        assert working.bpref(gains, judged, *counts).attrs["value"] == value


ABC = ["a", "b", "c"]
TREC = {"convention": "trec_eval"}


@pytest.mark.parametrize(
    ("items", "relevance", "options", "expected"),
    [
        (ABC, {"b": 0, "c": 1}, {}, 0),
        (ABC, {"c": 1}, {}, 1),
        (ABC, {"b": 0, "c": 1, "a": -1}, TREC, 0),
        (ABC, {"b": -1, "c": 1, "a": -1}, TREC, 1),  # grades below 0 are not judged
        (["b", *ABC], {"b": 0, "c": 1}, {"duplicates": "first"}, 0),
    ],
)
def test_judged_are_the_rows_of_relevance(items, relevance, options, expected):
    result = evaluate({"ann": items}, {"ann": relevance}, "bpref", **options)
    assert result.summary.iloc[0, 0] == expected
    assert "items of grade 0 in the truth are those judged irrelevant" in result.methods()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1, 1], 1, 0), r"^n_irrelevant must be at least the number of items judged irr"),
        (([0, 1], [1, 1], 0, 1), r"^n_relevant must be at least the number of relevant items"),
        (([0, 1], [1], 1, 1), r"^gains and judged must have the same length; got 2 and 1"),
        (([0, 1], [1, 2], 1, 1), r"^judged must be boolean, or 0 and 1; got 2\.0"),
    ],
)
def test_rejects(arguments, message):
    with pytest.raises(InputError, match=message):
        bpref(*arguments)
