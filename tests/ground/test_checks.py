"""The input checks: values that pass, and the whole message for values that do not."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval._arrays import (
    as_array,
    as_codes,
    as_counts,
    as_finite,
    as_flags,
    as_gains,
    as_integers,
    as_numbers,
    as_tailed,
    broadcast_leading_axes,
    check_cutoff,
    check_pairs,
)
from receval._checks import (
    as_float,
    as_generator,
    as_ids,
    check_callable,
    check_choice,
    check_count,
    check_flag,
    check_none,
    check_number,
    check_text,
    check_unique,
    is_scalar,
    shorten,
)

nan, inf = np.nan, np.inf
as_grades = partial(as_gains, by_rank=False)  # in any order


FROZEN = np.array([1.0, 2.0])
FROZEN.flags.writeable = False
RNG = np.random.default_rng(1)


# What passes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "values", "expected", "dtype"),
    [
        pytest.param(as_numbers, [1, 2], [1, 2], "float64", id="integers"),
        pytest.param(as_numbers, [True, False], [1, 0], "float64", id="truth values"),
        pytest.param(as_numbers, np.array([3], "u1"), [3], "float64", id="unsigned"),
        pytest.param(as_numbers, [], [], "float64", id="nothing"),
        pytest.param(as_numbers, np.array([], object), [], "float64", id="no object"),
        pytest.param(as_numbers, np.array([], "U1"), [], "float64", id="no text"),
        pytest.param(
            as_numbers, np.array([1, np.float32(0.5)], object), [1, 0.5], "float64", id="objects"
        ),
        pytest.param(
            as_numbers, np.array([np.int8(3), 2.5], object), [3, 2.5], "float64", id="scalars"
        ),
        pytest.param(as_numbers, [2**53], [2.0**53], "float64", id="a large integer"),
        pytest.param(as_numbers, pd.Series([1.5, nan]), [1.5, nan], "float64", id="a Series"),
        pytest.param(as_finite, [[-1, 0.5]], [[-1, 0.5]], "float64", id="finite"),
        pytest.param(as_tailed, [-1, 2, nan, nan], [-1, 2, nan, nan], "float64", id="a tail"),
        pytest.param(as_tailed, [[nan, nan], [1, nan]], [[nan, nan], [1, nan]], "float64", id="t2"),
        pytest.param(as_tailed, [], [], "float64", id="no tail"),
        pytest.param(as_gains, [0, 2, nan], [0, 2, nan], "float64", id="gains"),
        pytest.param(as_grades, [nan, 0, nan, 2], [nan, 0, nan, 2], "float64", id="grades"),
        pytest.param(as_integers, [1.0, -2.0], [1, -2], "int64", id="whole floats"),
        pytest.param(as_integers, np.array([7], "u8"), [7], "int64", id="whole unsigned"),
        pytest.param(as_integers, [], [], "int64", id="no whole number"),
        pytest.param(as_integers, np.array([], "U1"), [], "int64", id="no whole text"),
        pytest.param(as_counts, 3, 3, "int64", id="one whole number"),
        pytest.param(as_counts, 3.0, 3, "int64", id="one whole float"),
        pytest.param(as_counts, np.int8(3), 3, "int64", id="one NumPy integer"),
        pytest.param(as_integers, [-(2.0**62)], [-(2**62)], "int64", id="a large float"),
        pytest.param(
            as_integers, np.array([2**63 - 1], "u8"), [2**63 - 1], "int64", id="the largest"
        ),
        pytest.param(as_counts, [0, 2], [0, 2], "int64", id="counts"),
        pytest.param(as_counts, 0, 0, "int64", id="one count"),
        pytest.param(as_codes, [0, -1], [0, -1], "int64", id="codes"),
        pytest.param(as_flags, [True, False], [1, 0], "float64", id="flags"),
        pytest.param(as_flags, [1, 0, nan], [1, 0, nan], "float64", id="flags with a tail"),
    ],
)
def test_answers_numbers_of_one_type(check, values, expected, dtype):
    got = check(values, "x")
    assert_array_equal(got, np.array(expected, dtype), strict=True)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        *(
            (lambda one=one: is_scalar(one), True)
            for one in (3, np.int8(3), np.array(3), "ab", None)
        ),
        *(
            (lambda several=several: is_scalar(several), False)
            for several in ([3], (), [[1], [2, 3]], np.array([3]))
        ),
        *(
            (lambda value=value: as_float(value), number)
            for value, number in (
                (3, 3.0),
                (np.int8(3), 3.0),
                (np.float32(0.5), 0.5),
                (math.inf, math.inf),
            )
        ),
        *((lambda none=none: as_float(none), None) for none in (True, "1", None, 10**400)),
        *(
            (lambda value=value: check_flag(value, "x"), bool(value))
            for value in (True, False, np.True_, np.False_)
        ),
        (lambda: check_text(["a", "\u00e9", 3, None, "\U0001f600"], "x"), None),
        (lambda: broadcast_leading_axes("a b", (3, 1), (2,)), (3, 2)),
        (lambda: broadcast_leading_axes("a b", (), (2,)), (2,)),
        (lambda: check_pairs(np.zeros((2, 3)), np.zeros(3), "a b"), None),
        (lambda: check_pairs(np.zeros((2, 4, 3)), np.zeros((4, 3)), "a b"), None),
        (lambda: as_ids(np.array([7, 9]), "users", "be ids"), [7, 9]),
        (lambda: as_ids((7, 9), "users", "be ids"), [7, 9]),
        (lambda: check_choice("b", "kind", iter(["a", "b"])), "b"),
        (lambda: check_callable(len, "f", "len"), None),
        (lambda: check_none(np.array([1, 2]), np.array([False, False]), "x", "be 1"), None),
        (lambda: shorten(np.float64(0.5)), "0.5"),
        (lambda: shorten(np.float32(0.5)), "0.5"),
        (lambda: shorten(np.bool_(True)), "True"),
        (lambda: shorten("a"), "'a'"),
        (lambda: shorten(Fraction(1, 2)), "Fraction(1, 2)"),
        (lambda: shorten("x" * 58), repr("x" * 58)),
        (lambda: shorten("x" * 59), "'" + "x" * 58 + "…"),
        (lambda: shorten("abcdef", width=5), "'abc…"),
        (lambda: check_cutoff(None), None),
        *(
            (lambda check=check: check(FROZEN, "x") is FROZEN, True)  # no copy
            for check in (as_numbers, as_finite, as_tailed, as_gains, as_grades)
        ),
        *(
            (lambda k=k, check=check: check(k, "n"), int(k))
            for k in (1, 7, np.int64(3), np.uint8(2), 2**53)
            for check in (check_cutoff, check_count)
        ),
        *(
            (
                lambda value=value, more=more: check_number(value, "x", "a number", *more),
                float(value),
            )
            for value in (0, 2, 0.5, -1e300, np.float32(0.5), np.int8(3), Fraction(1, 2))
            for more in ((), [lambda x: x > -1e301])
        ),
        (lambda: as_generator(RNG) is RNG, True),
        *(
            (
                lambda seed=seed: as_generator(seed).random(),
                np.random.default_rng(int(seed)).random(),
            )
            for seed in (0, 7, np.uint8(7))
        ),
    ],
)
def test_answers(call, expected):
    answer = call()
    assert answer == expected
    assert type(answer) is type(expected)


# What does not ----------------------------------------------------------------------------------


class Own:
    def __repr__(self):
        return "an own object"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: as_array(np.ma.array([1, 2], mask=[0, 1]), "x"),
            (
                "x must be an ordinary array; got a masked array. "
                "Say what the masked places mean, e.g. x.filled(0)"
            ),
        ),
        (
            lambda: as_array([[1, 2], [3]], "x"),
            (
                "x must be rectangular; got rows of different lengths. "
                "Pad the shorter ones at the end (grades with NaN, item codes with -1)"
            ),
        ),
        (lambda: as_array({1: 2}, "x"), "x must be a list or an array; got {1: 2}"),
        (lambda: as_array(None, "x"), "x must be a list or an array; got None"),
        (lambda: as_array(3, "x"), "x must be a list or an array; got 3"),
        (lambda: as_array(np.int8(3), "x"), "x must be a list or an array; got 3"),
        (lambda: as_numbers("abc", "x"), "x must be a list or an array; got 'abc'"),
        (lambda: as_numbers(b"abc", "x"), "x must be a list or an array; got b'abc'"),
        (
            lambda: as_numbers(np.array(3), "x"),
            "x must be a list or an array; got array(3)",
        ),
        (lambda: as_numbers(3.5, "x"), "x must be a list or an array; got 3.5"),
        (lambda: as_numbers({1: 2}, "x"), "x must be a list or an array; got {1: 2}"),
        (lambda: as_numbers(["a"], "x"), "x must hold numbers; got type <U1"),
        (lambda: as_numbers([1j], "x"), "x must hold numbers; got type complex128"),
        (
            lambda: as_numbers(np.array([1, "a", None, True, Own(), b"", 0j, 2.5], object), "x"),
            (
                "x must hold numbers; got 'a' at index 1, None at index 2, True at index 3, "
                "an own object at index 4, b'' at index 5 and 1 more"
            ),
        ),
        (
            lambda: as_numbers([1, 2**53 + 1], "x"),
            (
                "x must hold whole numbers of at most 2**53; got 9007199254740993. "
                "Float64 would round larger whole numbers: divide all by one number first"
            ),
        ),
        (lambda: as_finite([[1, nan]], "x"), "x must be finite; got nan at index [0, 1]"),
        (lambda: as_finite(["a"], "x"), "x must hold numbers; got type <U1"),
        (
            lambda: as_tailed([1, nan, 2, nan, nan], "x"),
            (
                "x must have NaN only at the tail, after the last rank; got nan at index 1. "
                "A retrieved item without a grade is not relevant: give it 0"
            ),
        ),
        (
            lambda: as_tailed([[nan, nan, 1], [1, 2, nan]], "x"),
            (
                "x must have NaN only at the tail, after the last rank; got nan at index [0, 1]. "
                "A retrieved item without a grade is not relevant: give it 0"
            ),
        ),
        (lambda: as_tailed([-inf, nan], "x"), "x must be finite; got -inf at index 0"),
        (lambda: as_tailed(["a"], "x"), "x must hold numbers; got type <U1"),
        (
            lambda: as_gains([1, -1.5], "x"),
            "x must be at least 0; got -1.5 at index 1. 0 means not relevant",
        ),
        (lambda: as_gains([1, inf], "x"), "x must be finite; got inf at index 1"),
        (
            lambda: as_gains([nan, 1], "x"),
            (
                "x must have NaN only at the tail, after the last rank; got nan at index 0. "
                "A retrieved item without a grade is not relevant: give it 0"
            ),
        ),
        (lambda: as_gains(["a"], "x"), "x must hold numbers; got type <U1"),
        (
            lambda: as_grades([1, -1.5], "x"),
            "x must be at least 0; got -1.5 at index 1. 0 means not relevant",
        ),
        (lambda: as_grades([-inf, nan], "x"), "x must be finite; got -inf at index 0"),
        (lambda: as_grades(["a"], "x"), "x must hold numbers; got type <U1"),
        (lambda: as_integers([1, 1.5], "x"), "x must hold whole numbers; got 1.5 at index 1"),
        (lambda: as_integers([nan], "x"), "x must hold whole numbers; got nan at index 0"),
        (lambda: as_integers([inf], "x"), "x must hold whole numbers; got inf at index 0"),
        (lambda: as_integers([True], "x"), "x must hold whole numbers; got type bool"),
        (lambda: as_counts(True, "x"), "x must hold whole numbers; got type bool"),
        (lambda: as_integers(["1"], "x"), "x must hold whole numbers; got type <U1"),
        (lambda: as_counts("1", "x"), "x must hold whole numbers; got type <U1"),
        (lambda: as_counts(1.5, "x"), "x must hold whole numbers; got 1.5 at index 0"),
        (lambda: as_integers([2.0**63], "x"), f"x must fit into 64 bits; got {2.0**63} at index 0"),
        (
            lambda: as_integers([-(2.0**63)], "x"),
            f"x must fit into 64 bits; got {-(2.0**63)} at index 0",
        ),
        (
            lambda: as_integers(np.array([2**63], "u8"), "x"),
            f"x must fit into 64 bits; got {2**63} at index 0",
        ),
        (lambda: as_counts([1, -1], "x"), "x must be at least 0; got -1 at index 1"),
        (lambda: as_counts(-1, "x"), "x must be at least 0; got -1"),
        (lambda: as_counts("a", "x"), "x must hold whole numbers; got type <U1"),
        (
            lambda: as_codes([-2], "x"),
            "x must be at least 0, or -1 for an empty rank; got -2 at index 0",
        ),
        (lambda: as_codes([0.5], "x"), "x must hold whole numbers; got 0.5 at index 0"),
        (lambda: as_flags([0, 2], "x"), "x must be boolean, or 0 and 1; got 2.0 at index 1"),
        (lambda: as_flags([0.5, nan], "x"), "x must be boolean, or 0 and 1; got 0.5 at index 0"),
        (lambda: as_flags(["a"], "x"), "x must hold numbers; got type <U1"),
        (lambda: check_cutoff(0), "k must be a positive integer or None; got 0"),
        (lambda: check_cutoff(True), "k must be a positive integer or None; got True"),
        (lambda: check_cutoff(2.0, "n"), "n must be a positive integer or None; got 2.0"),
        (lambda: check_count(None, "k"), "k must be a positive integer; got None"),
        (lambda: check_count(-1, "k"), "k must be a positive integer; got -1"),
        (lambda: check_cutoff(2**53 + 1), f"k must be at most 2**53; got {2**53 + 1}"),
        (lambda: check_flag(None, "x"), "x must be True or False; got None"),
        (lambda: check_flag(1, "x"), "x must be True or False; got 1"),
        (
            lambda: check_text(["a", 1, "\u00e9", "b\ud800"], "x"),
            r"x must be text that UTF-8 can hold; got 'b\ud800'",
        ),
        (lambda: check_count(None, "n"), "n must be a positive integer; got None"),
        (lambda: check_number(None, "x", "a number"), "x must be a number; got None"),
        (lambda: check_number(True, "x", "a number"), "x must be a number; got True"),
        (lambda: check_number("1", "x", "a number"), "x must be a number; got '1'"),
        (lambda: check_number(inf, "x", "a number"), "x must be a number; got inf"),
        (lambda: check_number(nan, "x", "a number", bool), "x must be a number; got nan"),
        (
            lambda: check_number(0, "x", "a positive number", lambda x: x > 0),
            "x must be a positive number; got 0",
        ),
        (
            lambda: check_choice("c", "kind", ["a", "b"]),
            "kind must be one of 'a', 'b'; got 'c'",
        ),
        (
            lambda: check_choice("rang", "kind", ["ratio", "range"]),
            "kind must be one of 'ratio', 'range'; got 'rang'. Did you mean 'range'?",
        ),
        (lambda: check_choice(3, "kind", ["a"]), "kind must be one of 'a'; got 3"),
        (lambda: check_choice(["a"], "kind", ["a"]), "kind must be one of 'a'; got ['a']"),
        (
            lambda: check_callable(3, "gain", "linear_gain"),
            "gain must be a function such as linear_gain; got 3",
        ),
        (
            lambda: check_pairs(np.zeros((3, 2)), np.zeros(3), "a b"),
            "a and b must have the same length; got 2 and 3",
        ),
        (
            lambda: broadcast_leading_axes("a b", (2,), (3,)),
            (
                "a and b must agree in their leading axes (one entry per list); "
                "got shapes (2,) and (3,)"
            ),
        ),
        (
            lambda: as_generator("seed"),
            "rng must be a numpy.random.Generator or a seed; got 'seed'",
        ),
        (
            lambda: as_generator(True),
            "rng must be a numpy.random.Generator or a seed; got True",
        ),
        (lambda: as_generator(-1), "rng must be a numpy.random.Generator or a seed; got -1"),
        (
            lambda: check_none(np.array([1, 2]), np.array([False, True]), "x", "be 1", "Mend it"),
            "x must be 1; got 2 at index 1. Mend it",
        ),
        (
            lambda: as_gains([-2]),
            "gains must be at least 0; got -2.0 at index 0. 0 means not relevant",
        ),
        (
            lambda: as_codes([-2]),
            "items must be at least 0, or -1 for an empty rank; got -2 at index 0",
        ),
        *(
            (lambda ids=ids: as_ids(ids, "users", "be ids"), f"users must be ids; got {ids!r}")
            for ids in ("ann", b"ann", 7, np.array(7), np.array([[7]]))
        ),
        *(
            (
                lambda array=array, wrong=wrong: check_none(
                    np.array(array), np.array(wrong), "x", "be right"
                ),
                f"x must be right; got {text}",
            )
            for array, wrong, text in (
                (3, True, "3"),
                ([1.5, 2], [True, False], "1.5 at index 0"),
                (
                    [[1, 2], [3, 4]],
                    [[False, True], [True, False]],
                    "2 at index [0, 1], 3 at index [1, 0]",
                ),
                (
                    range(5),
                    [True] * 5,
                    "0 at index 0, 1 at index 1, 2 at index 2, 3 at index 3, 4 at index 4",
                ),
                (
                    range(6),
                    [True] * 6,
                    "0 at index 0, 1 at index 1, 2 at index 2, 3 at index 3, 4 at index 4 and 1 more",
                ),
                (
                    range(9),
                    [True] * 9,
                    "0 at index 0, 1 at index 1, 2 at index 2, 3 at index 3, 4 at index 4 and 4 more",
                ),
            )
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError) as found:
        call()
    assert str(found.value) == message


# Many ids ---------------------------------------------------------------------------------------


def test_ids_are_compared_in_linear_time():
    compared = []

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            compared.append(other)
            return str.__eq__(self, other)

    names = [Name(f"c{number}") for number in range(2_000)]
    with pytest.raises(InputError, match="must hold each column once; got 'c7' 2 times"):
        check_unique([*names, Name("c7")], "t.csv", "column")
    assert len(compared) < 10 * len(names)
