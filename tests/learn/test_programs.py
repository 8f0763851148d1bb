"""Programming tasks: right functions, slips, and functions that fail."""

import copy
import dataclasses
import re

import numpy as np
import pytest

from receval import learn
from receval.learn.program import draw_inputs, judge_outcomes, program_of, run_function
from receval.learn.texts import kind_of, package_texts

TASKS = [name for name, texts in package_texts().items() if kind_of(texts) == "program"]
STUDENTS = ("", "ann", "ben", "1234567")  # each has other hidden inputs


def remember_values(function):
    """Return a function that calls another one only once with the same arguments."""
    values = {}

    def remembered(*arguments):
        key = repr(arguments)
        if key not in values:
            values[key] = function(*arguments)
        return copy.deepcopy(values[key])

    return remembered


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("student", STUDENTS)
def test_the_right_function_is_right_and_each_slip_is_named(name, student, monkeypatch):
    texts = package_texts()[name]
    program = program_of(name, texts)
    # `judge_outcomes` calls the functions of the task for each slip again, with the same inputs. So
    # it gets functions that remember their values. The functions that it judges remember none.
    quick_program = dataclasses.replace(
        program,
        right=remember_values(program.right),
        slips={slip: remember_values(function) for slip, function in program.slips.items()},
    )
    monkeypatch.setattr("receval.learn.program.program_of", lambda *_: quick_program)
    assert list(program.slips) == list(texts["mistakes"])
    assert len(program.slips) >= 4
    inputs = draw_inputs(name, program, student)
    assert judge_outcomes(name, texts, inputs, run_function(program.right, inputs))
    for slip, function in program.slips.items():
        feedback = judge_outcomes(name, texts, inputs, run_function(function, inputs))
        assert (feedback.verdict, feedback.says) == ("nearly", texts["mistakes"][slip]), slip


@pytest.mark.parametrize("name", TASKS)
def test_each_student_has_other_hidden_inputs(name):
    program = program_of(name, package_texts()[name])
    drawn = [draw_inputs(name, program, student) for student in STUDENTS]
    assert drawn[0] != drawn[1]
    assert drawn[1] == draw_inputs(name, program, "ann")


def test_the_student_s_id_chooses_the_inputs(monkeypatch):
    monkeypatch.setattr("receval.learn.memory._student_of_session", [""])
    assert learn.student() == ""
    assert learn.student("dora") == "dora"
    assert learn.student() == "dora"


def keeps_value(grades, k):
    grades.sort()
    return 0.0


@pytest.mark.parametrize(
    ("function", "verdict", "says"),
    [
        (..., "your turn", "Write the function my_reciprocal_rank"),
        (lambda grades, k: ..., "your turn", "returns nothing yet"),
        (0.5, "not yet", "Pass the function itself.*You passed 0.5"),
        ("my_reciprocal_rank", "not yet", "Pass the function itself"),
        (lambda grades: 1, "not yet", "has to take 2 arguments"),
        (lambda grades, k: 1 // 0, "not yet", "fails with ZeroDivisionError"),
        (lambda grades, k: grades, "not yet", "has to return one value, but returns 3"),
        (lambda grades, k: {1: 2}, "not yet", "has to return 1, but a dict has no order"),
        (lambda grades, k: 0.3, "not yet", r"my_reciprocal_rank\(\[1, 0, 0\], 3\) has to return 1"),
        (lambda grades, k: 1.0 if grades[0] else None, "not yet", "returns nothing. Does each"),
        (keeps_value, "not yet", r"is right for \d+ of \d+ hidden inputs"),
        (lambda grades, k: print(1.0), "not yet", "it prints and returns nothing"),
    ],
)
def test_a_function_that_fails_is_described(function, verdict, says):
    feedback = learn.check("hits.code", function)
    assert feedback.verdict == verdict
    assert re.search(says, feedback.says), feedback.says


def test_a_rounded_value_is_described_as_rounded():
    def rounded(clicks, k):
        weights = [1 / np.log2(place + 1) for place in range(1, len(clicks[:k]) + 1)]
        return round(np.dot(weights, clicks[:k]) / sum(weights), 4)

    feedback = learn.check("clicks.code", rounded)
    assert feedback.says.endswith("returns 0.5307. Return the value without rounding it")


def test_a_day_of_another_user_is_not_mistaken_for_the_user_s_row():
    def looked_up_in_the_whole_table(users, days):
        days_of = {u: [d for v, d in zip(users, days, strict=True) if u == v] for u in users}
        return sorted(days.index(max(some)) for some in days_of.values() if len(some) > 1)

    assert learn.check("split.code", looked_up_in_the_whole_table).verdict == "nearly"


def test_students_write_their_functions_in_their_own_ways():
    def with_loop(grades, k=5):
        for i in range(min(k, len(grades))):
            if grades[i]:
                print("found")
                return 1 / (i + 1)
        return False

    def with_numpy(*arguments):
        import numpy as np

        grades, k = arguments
        hits = np.flatnonzero(np.array(grades)[:k])
        return np.array([1 / (hits[0] + 1)]) if hits.size else np.float32(0)

    for function in (with_loop, with_numpy):
        assert learn.check("hits.code", function), learn.check("hits.code", function)
