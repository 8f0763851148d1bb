"""Rows 34 to 45: invalid grades, users without truth or lists, and odd but valid grades."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bad_inputs.calls import CALLS
from bad_inputs.cases import RECS, TRUTH, grades, ids
from numpy.testing import assert_array_equal

from receval import InputError, evaluate
from receval.definitions import convention, conventions

# Array functions -------------------------------------------------------------------------------

ON_GAINS = [
    pytest.param(name, argument, id=f"{name}({argument})")
    for name, (_, arguments) in CALLS.items()
    for argument in ("gains", "relevance")
    if argument in arguments and ("ranking" in name or "working" in name)
]


NO_GRADES = [
    (-1.0, "be at least 0; got -1.0 at index 0", 34),
    (np.inf, "be finite; got inf at index 0", 35),
    (np.nan, "have NaN only at the tail.* got nan at index 0", 35),  # relevance may have gaps
]


@pytest.mark.parametrize(
    ("name", "argument", "value", "rule"),
    [
        pytest.param(
            *one.values, value, rule, marks=pytest.mark.row(row), id=f"{value} in {one.id}"
        )
        for one in ON_GAINS
        for value, rule, row in NO_GRADES
        if "gains" in one.values or not np.isnan(value)
    ],
)
def test_a_grade_that_is_none_in_every_metric(name, argument, value, rule):
    function, arguments = CALLS[name]
    wrong = np.array(arguments[argument], float)
    wrong[..., 0] = value
    with pytest.raises(InputError, match=f"{argument} must {rule}"):
        function(**{**arguments, argument: wrong})


@pytest.mark.row(44)
@pytest.mark.parametrize(("name", "argument"), [one for one in ON_GAINS if "working" not in one.id])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "object"])
def test_grades_of_any_type_in_every_metric(name, argument, dtype):
    function, arguments = CALLS[name]
    typed = np.array(arguments[argument], dtype)
    assert_array_equal(function(**{**arguments, argument: typed}), function(**arguments))


# Users without truth or answer -----------------------------------------------------------------


@pytest.mark.row(34)
@pytest.mark.parametrize(
    "name", [name for name in conventions().index if convention(name).negative != "error"]
)
def test_negative_grades_count_as_0_under_the_other_conventions(name):
    plain = evaluate(RECS, TRUTH.assign(relevance=[0, 2, 1]), ["nDCG", "MAP"], convention=name)
    found = evaluate(RECS, TRUTH.assign(relevance=[-2, 2, 1]), ["nDCG", "MAP"], convention=name)
    assert_array_equal(found.per_user, plain.per_user)


@pytest.mark.row(38)
@pytest.mark.row(39)
@pytest.mark.parametrize("no_truth", ["zero", "skip"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_the_rules_for_users_without_truth_and_without_answer(no_truth, missing):
    rules = replace(convention("receval"), name="mine", no_truth=no_truth, missing=missing)
    truth = grades([1, 2, 3, 4], [10, 10, 10, 10], [1, 0, 1, 0])  # 3 and 4 have no answer
    found = evaluate(ids([1, 2], [10, 10]), truth, ["MRR"], convention=rules)
    of_2, of_3 = (math.nan if rule == "skip" else 0.0 for rule in (no_truth, missing))
    wanted = [1.0, of_2, of_3, of_2 + of_3]
    assert_array_equal(found.per_user["MRR"], wanted)
    assert found.summary.loc["", "MRR"] == np.nanmean(wanted)
    assert found.counts.loc["", ["answered", "without truth"]].tolist() == [2, 2]
