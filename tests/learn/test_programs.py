"""Programming tasks: right functions, slips, and functions that fail."""

import re
from fractions import Fraction
from unittest.mock import Mock

import numpy as np
import pytest

from receval import learn
from receval.learn.checking import program_of
from receval.learn.exercises import kind_of, package_texts

TASKS = [name for name, texts in package_texts().items() if kind_of(texts) == "function"]


@pytest.mark.parametrize("name", TASKS)
def test_the_right_function_is_right_and_each_slip_is_named(name):
    program, mistakes = program_of(name), package_texts()[name]["mistakes"]
    assert not learn.check(name)
    assert 2 <= len(mistakes) <= 4
    assert learn.check(name, program.right)
    for slip, says in mistakes.items():
        feedback = learn.check(name, getattr(program, slip))
        assert (feedback.verdict, feedback.says) == ("nearly", says)


def keeps_value(grades, k):
    grades.sort()
    return 0.0


def rounded(grades, k):
    return round(program_of("hits.code").right(grades, k), 4)


@pytest.mark.parametrize(
    ("function", "verdict", "says"),
    [
        (..., "your turn", "Write the function my_reciprocal_rank"),
        (lambda grades, k: ..., "your turn", "returns nothing yet"),
        (0.5, "not yet", "Pass the function itself.*You passed 0.5"),
        ("my_reciprocal_rank", "not yet", "Pass the function itself"),
        (lambda grades: 1, "not yet", "fails with TypeError: .* takes 1 positional argument"),
        (lambda grades, k: 1 // 0, "not yet", "fails with ZeroDivisionError"),
        (lambda grades, k: grades, "not yet", r"has to return 1.0, but returns \[1, 0, 0\]"),
        (lambda grades, k: {1: 2}, "not yet", "has to return 1.0, but returns {1: 2}"),
        (lambda grades, k: 0.3, "not yet", r"my_reciprocal_rank\(\[1, 0, 0\], 3\) has to return 1"),
        (
            lambda grades, k: 1.0 if grades[0] else None,
            "not yet",
            "has to return 0.5, but .* None",
        ),
        (keeps_value, "not yet", r"is right for \d+ of \d+ hidden inputs"),
        (lambda grades, k: print(1.0), "your turn", "end it with return"),
        (rounded, "not yet", "has to return 0.3333333333333333, but returns 0.3333$"),
    ],
)
def test_a_function_that_fails_is_described(function, verdict, says):
    feedback = learn.check("hits.code", function)
    assert feedback.verdict == verdict
    assert re.search(says, feedback.says), feedback.says


def test_interrupting_an_endless_loop_ends_the_check():
    with pytest.raises(KeyboardInterrupt):
        learn.check("hits.code", Mock(side_effect=KeyboardInterrupt))


def with_numpy(*arguments):
    grades, k = arguments
    hits = np.flatnonzero(np.array(grades)[:k])
    return np.array([1 / (hits[0] + 1)]) if hits.size else np.float32(0)


def with_fractions(grades, k=5):
    return next((Fraction(1, i) for i, grade in enumerate(grades[:k], 1) if grade), False)


@pytest.mark.parametrize("function", [with_numpy, with_fractions])
def test_students_write_their_functions_in_their_own_ways(function):
    assert learn.check("hits.code", function)
