"""Programming tasks: try a student's function on hidden inputs, and name its slip."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from copy import deepcopy
from importlib import import_module
from io import StringIO
from types import FunctionType, ModuleType
from typing import NamedTuple

from receval._checks import Record, shorten
from receval.learn.feedback import Feedback
from receval.learn.plain import Plain, plain_answer, unwrap

Function = Callable[..., object]
Inputs = Sequence[tuple[object, ...]]

RELATIVE_TOLERANCE = 1e-6
LONGEST_INPUT = 70  # characters of an input that a message shows


class Outcome(NamedTuple):
    """The outcome of a call: the value, or the error as text."""

    value: Plain = None
    error: str = ""


def program_of(name: str) -> ModuleType:
    """Return the module of a programming task, such as "nDCG.code".

    It has the function ``right``, the ``INPUTS`` to try a function on, each a tuple of arguments,
    and a function for each of the exercise's ``mistakes``. The first inputs are short, because
    messages show the first one that fails.
    """
    lesson, _, _ = name.partition(".")
    return import_module(f"receval.learn.programs.{lesson.lower()}")


def run_function(function: Function, inputs: Inputs) -> list[Outcome]:
    """Call a function with each input, and return the values and errors.

    The function gets copies, so that it can't change the inputs. What it prints is thrown away.
    """
    return [_outcome_of(function, arguments) for arguments in inputs]


def _outcome_of(function: Function, arguments: tuple[object, ...]) -> Outcome:
    """Call a function with copies of the arguments, and return the value or the error."""
    try:
        with redirect_stdout(StringIO()) as printed:
            value = function(*deepcopy(arguments))
    except Exception as error:
        return Outcome(error=f"{type(error).__name__}: {error}"[:300])
    if value is None and printed.getvalue():
        says = "it prints and returns nothing. Write return in place of print"
        return Outcome(error=f"wrong type: {says}")
    try:
        return Outcome(plain_answer(value))
    except TypeError as error:
        return Outcome(error=f"wrong type: {error}")


def check_function(name: str, exercise: Record, answer: object) -> Feedback:
    """Try a student's function on hidden inputs, and return the feedback."""
    signature: str = exercise["function"]
    advice = exercise.get("hint", "")
    if answer is ... or answer is None:
        return Feedback(name, "your turn", f"Write the function {signature}", advice)
    if not isinstance(answer, FunctionType):
        function = signature.partition("(")[0]
        says = f"Pass the function itself, without brackets after its name: {function}"
        return Feedback(name, "not yet", f"{says}. You passed {shorten(answer)}", advice)
    n_wanted = len(signature.partition("(")[2].rstrip(")").split(","))
    if not _accepts(answer, n_wanted):
        says = f"The function has to take {n_wanted} arguments, as {signature} does"
        return Feedback(name, "not yet", says, advice)
    return _judge_values(name, exercise, answer)


def _judge_values(name: str, exercise: Record, function: Function) -> Feedback:
    """Call a student's function with the hidden inputs, and return the feedback on the values."""
    advice = exercise.get("hint", "")
    program = program_of(name)
    outcomes = run_function(function, program.INPUTS)
    right = run_function(program.right, program.INPUTS)
    is_right = [_is_same(outcome, wanted) for outcome, wanted in zip(outcomes, right, strict=True)]
    if all(is_right):
        return Feedback(name, "right", exercise["right"], advice)
    if all(outcome == Outcome() for outcome in outcomes):
        says = "The function returns nothing yet. Write its body, and end it with return"
        return Feedback(name, "your turn", says, advice)
    # Name a slip only if its function gives all of the student's values, both right and wrong.
    for slip, says in exercise["mistakes"].items():
        if _returns(getattr(program, slip), program.INPUTS, outcomes):
            return Feedback(name, "nearly", says, advice)
    first = is_right.index(False)
    share = f"{is_right.count(True)} of {len(is_right)} hidden inputs"
    call = _describe_call(exercise["function"], program.INPUTS[first])
    difference = _describe_difference(outcomes[first], right[first].value)
    says = f"Your function is right for {share}. {call} {difference}"
    return Feedback(name, "not yet", says, advice)


def _returns(function: Function, inputs: Inputs, outcomes: Sequence[Outcome]) -> bool:
    """Return whether a function has these outcomes; call it only up to the first difference."""
    for arguments, wanted in zip(inputs, outcomes, strict=True):
        if not _is_same(wanted, _outcome_of(function, arguments)):
            return False
    return True


def _describe_difference(outcome: Outcome, wanted: Plain) -> str:
    """Return what a call with a wrong outcome does, such as "has to return 1, but returns 0"."""
    value = outcome.value
    if outcome.error.startswith("wrong type: "):
        return f"has to return {_describe(wanted)}, but {outcome.error[12:]}"
    if outcome.error:
        return f"fails with {outcome.error}"
    if isinstance(value, list) and not isinstance(wanted, list):
        return f"has to return one value, but returns {len(value)}"
    if isinstance(wanted, list) and not isinstance(value, list):
        return f"has to return {len(wanted)} values, but returns {_describe(value)}"
    if value is None:
        return "returns nothing. Does each path through your function end with return?"
    says = f"has to return {_describe(wanted)}, but returns {_describe(value)}"
    # Messages show four decimals, so the two numbers may look the same.
    if _is_rounded(value, wanted):
        says += ". Return the value without rounding it"
    return says


def _is_rounded(value: Plain, wanted: Plain) -> bool:
    """Return whether a number is the wanted one, rounded to at most six decimals."""
    if not isinstance(value, float) or not isinstance(wanted, float):
        return False
    return any(value == round(wanted, decimals) for decimals in range(1, 7))


def _accepts(function: FunctionType, n_arguments: int) -> bool:
    """Return whether a function can be called with this number of arguments."""
    with suppress(ValueError):
        try:
            inspect.signature(function).bind(*[None] * n_arguments)
        except TypeError:
            return False
    return True


def _is_same(first: Outcome, second: Outcome) -> bool:
    """Return whether two outcomes are the same: equal values, or errors of the same kind."""
    if first.error or second.error:
        return first.error.partition(":")[0] == second.error.partition(":")[0]
    return _is_same_value(first.value, second.value)


def _is_same_value(first: Plain, second: Plain) -> bool:
    """Return whether two values are equal; numbers may differ in their last digits.

    A list of a single value counts as the value, because NumPy often returns such arrays.
    """
    first, second = unwrap(first), unwrap(second)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_is_same_value, first, second))
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        if isinstance(first, int) and isinstance(second, int):
            return first == second
        if math.isnan(first) or math.isnan(second):
            return math.isnan(first) and math.isnan(second)
        return math.isclose(first, second, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-9)
    return first == second


def _describe_call(signature: str, arguments: tuple[object, ...]) -> str:
    """Return a call as a student would write it, such as "my_ndcg([3, 0], 2)"."""
    function = signature.partition("(")[0]
    return f"{function}({', '.join(shorten(value, LONGEST_INPUT) for value in arguments)})"


def _describe(value: Plain) -> str:
    """Return a value as messages show it: numbers with four decimals."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return f"[{', '.join(map(_describe, value[:10]))}]"
    return shorten(value)
