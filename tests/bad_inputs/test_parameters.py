"""Rows 46 to 54: parameters out of their range, of another kind, misspelt; and any odd value."""

import inspect
import math
import re
import warnings

import numpy as np
import pytest
from bad_inputs.calls import CALLS, ODD, odd
from numpy.testing import assert_array_equal

from receval import InputError

# Cut-offs --------------------------------------------------------------------------------------

WITH_K = [
    name
    for name, (function, arguments) in CALLS.items()
    if "k" in arguments and inspect.signature(function).parameters["k"].default is None
]
COUNTS = {
    "fuzzy.linear_score": "k",
    "fuzzy.dcg_scaling": "k",
    "fuzzy.online_measures": "k",
    "fuzzy.online_draws": "n_resamples",
    "fuzzy.predictability_test": "n_permutations",
    "fuzzy.selection_regret": "top",
    "splitting.rotation": "k",
    "splitting.hold_out": "n",
    "splitting.leave_last_out": "n",
    "recommend.aggregate_history": "last",
    "beyond.catalog_coverage": "n_items",
    "beyond.exposure_gini": "n_items",
    "beyond.inverse_user_frequency": "n_users",
}


@pytest.mark.parametrize(
    "k",
    [
        *(pytest.param(k, marks=pytest.mark.row(46)) for k in (0, -1, -(10**400), np.int8(-3))),
        *(
            pytest.param(k, marks=pytest.mark.row(47))
            for k in (2.5, 2.0, math.nan, math.inf, True, np.True_, "3", [3], b"3", 1j, 10**400)
        ),
    ],
    ids=lambda k: repr(k)[:12],
)
@pytest.mark.parametrize(("name", "argument"), [*((name, "k") for name in WITH_K), *COUNTS.items()])
def test_a_cut_off_or_count_that_is_none(name, argument, k):
    function, arguments = CALLS[name]
    rule = "must be (a positive|at (least|most)|a whole number from [12])"
    with pytest.raises(InputError, match=f"{argument} {rule}"):
        function(**{**arguments, argument: k})


@pytest.mark.row(48)
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
@pytest.mark.parametrize("name", WITH_K)
def test_a_numpy_integer_is_a_cut_off(name, kind):
    function, arguments = CALLS[name]
    found, expected = function(**{**arguments, "k": kind(2)}), function(**arguments)
    for attribute in ("summary", "values"):  # of results; those of other functions are arrays
        found, expected = (getattr(one, attribute, one) for one in (found, expected))
    assert_array_equal(found, expected)


@pytest.mark.row(49)
@pytest.mark.parametrize("name", WITH_K)
def test_a_cut_off_far_beyond_the_list_takes_no_memory_per_rank(name):
    function, arguments = CALLS[name]
    function(**{**arguments, "k": 2**53})


# Sets, scalings, splits ------------------------------------------------------------------------


TRUTH_VALUES = [
    pytest.param(name, argument, id=f"{name}({argument})")
    for name, (_, arguments) in CALLS.items()
    for argument in ("b", "h", "r", "truth")
    if argument in arguments and name.startswith("fuzzy")
]


@pytest.mark.row(52)
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
@pytest.mark.parametrize(("name", "argument"), TRUTH_VALUES)
def test_degrees_of_truth_outside_their_range(name, argument, value):
    function, arguments = CALLS[name]
    with pytest.raises(InputError, match=rf"{argument} must be in \[0, 1\]; got {value}"):
        function(**{**arguments, argument: value})


# Options ---------------------------------------------------------------------------------------


@pytest.mark.row(54)
@pytest.mark.parametrize("name", CALLS)
def test_a_misspelt_option(name):
    function, arguments = CALLS[name]
    with pytest.raises(TypeError, match="unexpected keyword argument 'optoin'"):
        function(**arguments, optoin=1)


@pytest.mark.row(54)
@pytest.mark.parametrize("name", CALLS)
def test_no_more_than_two_options_are_taken_by_position(name):
    parameters = inspect.signature(CALLS[name][0]).parameters.values()
    by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len([p for p in by_place if p.default is not p.empty]) <= 2


# Any odd value ---------------------------------------------------------------------------------

# What a function of the user's raises is the user's to see.
FUNCTIONS = {
    *("scorer", "similarity", "disjunctor"),
    *("discount", "gain", "conjunctor", "implicator", "connective", "f", "g", "measures"),
    *("retrievers", "retriever", "mac", "fac", "truth", "groups"),
}
ARGUMENTS = [
    pytest.param(name, argument, id=f"{name}({argument})")
    for name, (_, arguments) in CALLS.items()
    for argument in arguments
]


@pytest.mark.row(47)
@pytest.mark.filterwarnings("ignore:which rows are tested is decided")  # odd times may be equal
@pytest.mark.filterwarnings("ignore:no convention gives")
@pytest.mark.filterwarnings("ignore:means leave out undefined values")
@pytest.mark.filterwarnings(
    "ignore:1 of 1 means have no interval"
)  # all values are one huge number
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_any_odd_value_ends_in_an_input_error_or_a_value(name, argument):
    function, arguments = CALLS[name]
    for what, value in ODD.items():
        if argument in FUNCTIONS and callable(value):
            continue
        try:
            function(**{**arguments, argument: odd(what)})
        except InputError as error:
            assert re.search(r"\bmust\b", str(error)), f"{what}: {error}"  # noqa: PT017
        except Exception as error:
            pytest.fail(f"{what}: {type(error).__name__}: {error}")


def test_the_good_calls_are_good():
    for name, (function, arguments) in CALLS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert function(**arguments) is not None, name
