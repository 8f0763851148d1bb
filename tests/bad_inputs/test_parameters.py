"""Rows 46 to 54: parameters out of their range, of another kind, misspelt; and any odd value."""

import inspect
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from bad_inputs.calls import CALLS, ODD, TIMES, odd
from bad_inputs.cases import RECS, put_through, table_cases
from numpy.testing import assert_array_equal

from receval import InputError, evaluate, fuzzy, metrics, splitting
from receval.definitions import measure


@pytest.mark.parametrize(("case", "form"), table_cases((49, 50, 51)))
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)


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
    "splitting.warm_users": "at_least",
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
    if name.startswith(("evaluation", "retrieval.evaluate")):
        found = function(**{**arguments, "k": kind(2)}).summary
        pd.testing.assert_frame_equal(found, function(**arguments).summary)
    elif name == "fuzzy.online_draws":
        found = function(**{**arguments, "k": kind(2)}).values
        pd.testing.assert_frame_equal(found, function(**arguments).values)
    else:
        assert_array_equal(function(**{**arguments, "k": kind(2)}), function(**arguments))


@pytest.mark.row(49)
@pytest.mark.parametrize("name", WITH_K)
def test_a_cut_off_far_beyond_the_list_takes_no_memory_per_rank(name):
    function, arguments = CALLS[name]
    function(**{**arguments, "k": 2**53})


@pytest.mark.row(46)
@pytest.mark.row(47)
@pytest.mark.parametrize(
    "k", ["0", "-1", "2.5", "1e3", "nan", "True", "", "x", "1_0", "+5", "٣", "10@5", "9" * 5000]
)
def test_a_cut_off_in_a_name(k):
    with pytest.raises(InputError, match=r"must be (a positive|known names|at most)"):
        measure(f"nDCG@{k}")


@pytest.mark.row(49)
def test_names_that_cut_far_beyond_the_list():
    assert measure("nDCG@1000000").k == 10**6


# Sets, scalings, splits ------------------------------------------------------------------------


@pytest.mark.row(50)
def test_codes_outside_the_catalogue():
    with pytest.raises(InputError, match=r"items must lie in the catalogue of 2 items.*got 2 at"):
        metrics.catalog_coverage([[0, 2]], 2)
    with pytest.raises(
        InputError, match=r"items must lie in the catalogue of 2 items \(0 to 1\); got 5 at"
    ):
        metrics.long_tail_percentage([[0, 5]], [True, False])


@pytest.mark.row(51)
def test_an_empty_catalogue_of_codes():
    with pytest.raises(InputError, match=r"n_items must be a positive integer; got 0"):
        metrics.catalog_coverage([[-1]], 0)
    with pytest.raises(InputError, match=r"awards must hold at least one award; got none"):
        metrics.short_head([])


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


@pytest.mark.row(52)
@pytest.mark.parametrize(
    ("scaling", "broken"),
    [
        ({"f": lambda x: 1 - x}, "f must be 0 at 0; got 1"),
        ({"f": lambda x: x / 2 + 0.5}, "f must be 0 at 0; got 0.5"),
        ({"g": lambda x: x / 2}, "g must be 1 at 1; got 0.5"),
        ({"f": lambda x: 4 * x * (1 - x) + (x == 1)}, "f must never fall"),
        ({"g": lambda x: 2 * x}, r"g must stay in \[0, 1\]"),
        ({"f": lambda x: x * np.nan}, r"f must stay in \[0, 1\]; got .*nan"),
        ({"f": lambda x: x[:1]}, "f must return one number per value"),
    ],
)
def test_scalings_that_break_a_condition(scaling, broken):
    with pytest.raises(InputError, match=broken):
        fuzzy.scaled(fuzzy.goedel, **scaling)


UNKNOWN = pd.Series(pd.to_datetime([None] * 4))


@pytest.mark.row(53)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: splitting.k_fold(4, 5), "k must be at most the number of rows, 4; got 5"),
        (lambda: splitting.k_fold(4, 1), "k must be a whole number from 2"),
        (lambda: splitting.k_fold(0, 2), "k must be at most the number of rows, 0; got 2"),
        (lambda: splitting.time_series_folds(TIMES, 9), "k must be at most the number of rows"),
        (lambda: splitting.time_series_folds(TIMES, 1), "k must be a whole number from 2"),
        (lambda: splitting.time_series_folds(UNKNOWN, 2), "must have a known one; got 4 unknown"),
        (lambda: splitting.fill_missing_dates(UNKNOWN), "must have a known one; got 4 unknown"),
        (lambda: splitting.fixed_time(UNKNOWN, "2020"), "times must be known"),
        (lambda: splitting.leave_last_out([1] * 4, UNKNOWN), "times must be known"),
    ],
)
def test_splits_that_cannot_be(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.row(53)
def test_dates_in_any_order_are_sorted():
    rounds = [test.tolist() for _, test in splitting.time_series_folds(TIMES, 2)]
    assert rounds[-1] == [0, 3]
    train, test = next(iter(splitting.fixed_time(TIMES, "2020-01-03")))
    assert (sorted(train.tolist()), sorted(test.tolist())) == ([1, 2], [0, 3])


# Options ---------------------------------------------------------------------------------------


@pytest.mark.row(54)
@pytest.mark.parametrize("name", CALLS)
def test_a_misspelt_option(name):
    function, arguments = CALLS[name]
    with pytest.raises(TypeError, match="unexpected keyword argument 'optoin'"):
        function(**arguments, optoin=1)


@pytest.mark.row(54)
@pytest.mark.parametrize("name", CALLS)
def test_an_option_by_position(name):
    function, arguments = CALLS[name]
    parameters = inspect.signature(function).parameters.values()
    by_place = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    if all(one.kind is not one.KEYWORD_ONLY for one in parameters):
        return  # it has no options
    given = [arguments.get(one.name, one.default) for one in by_place]
    with pytest.raises(TypeError, match="positional argument"):
        function(*given, None)


# Any odd value ---------------------------------------------------------------------------------

# What a function of the user's raises is the user's to see.
FUNCTIONS = {
    *("scorer", "similarity", "disjunctor"),
    *("discount", "gain", "conjunctor", "implicator", "connective", "f", "g", "measures"),
    *("retrievers", "retriever", "mac", "fac", "truth", "groups"),
    "examination",
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


@pytest.mark.row(47)
@pytest.mark.parametrize("option", ["user", "item", "score", "relevance_column"])
def test_a_name_that_cannot_be_one_beside_a_dict_of_columns(option):
    function, arguments = CALLS["evaluate"]
    columns = {name: RECS[name].tolist() for name in RECS}
    for value in ([1], {}, np.array(["user"])):
        with pytest.raises(InputError, match=f"^{option} must be the name of a column"):
            function(**{**arguments, "recommendations": columns, option: value})


def test_the_good_calls_are_good():
    for name, (function, arguments) in CALLS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert function(**arguments) is not None, name


@pytest.mark.row(54)
def test_conventions_and_rules_are_words():
    from bad_inputs.cases import TRUTH

    for option in ("convention", "ties", "duplicates"):
        for value in ("", "Receval", 5, [], ["item"], True):
            with pytest.raises(InputError, match=f"{option} must be one of .*; got "):
                evaluate(RECS, TRUTH, "MRR", **{option: value})
