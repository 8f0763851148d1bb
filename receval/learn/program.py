"""Programming tasks: try a student's function on hidden inputs, and name its slip."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from io import StringIO
from types import FunctionType
from typing import TypedDict

import numpy as np

from receval._checks import InputError, shorten
from receval.learn.feedback import Feedback
from receval.learn.plain import Plain, plain_answer, unwrap
from receval.learn.texts import Exercise

__all__ = ["Outcome", "Program"]

Function = Callable[..., object]
Inputs = list[tuple[object, ...]]

RELATIVE_TOLERANCE = 1e-6
LONGEST_INPUT = 70  # characters of an input that a message shows


@dataclass(frozen=True)
class Program:
    """A programming task: the right function, inputs to try it on, and functions with slips.

    Attributes
    ----------
    right : callable
        The right function.
    inputs : callable
        Takes a random generator, and returns a list of inputs, each a tuple of the function's
        arguments. The first inputs should be short, because messages show the first one that fails.
        With every seed of the generator, each slip has to change the value for at least one input.
    slips : dict of callables
        For the name of each usual slip, a function with this slip. ``exercises.toml`` holds the
        sentence about each slip, as ``mistakes``.
    """

    right: Function
    inputs: Callable[[np.random.Generator], Inputs]
    slips: Mapping[str, Function] = field(default_factory=dict)


class Outcome(TypedDict):
    """The outcome of a call: the value, or the error as text."""

    value: Plain
    error: str


def program_of(name: str, exercise: Exercise) -> Program:
    """Return the programming task of an exercise.

    The task of "nDCG.code" is ``CODE`` in the module ``receval.learn.programs.ndcg``. A lecturer's
    own exercise has its functions in the key ``program``.
    """
    if "program" in exercise:
        return _program_from_source(name, exercise)
    lesson, _, number = name.partition(".")
    module = import_module(f"receval.learn.programs.{lesson.lower()}")
    program: Program = getattr(module, number.upper())
    return program


def _program_from_source(name: str, exercise: Exercise) -> Program:
    """Run a lecturer's Python code, and return the task that it defines.

    The code defines the functions ``inputs`` and ``right``, and one for each of the ``mistakes``.
    """
    names: dict[str, object] = {}
    try:
        exec(exercise["program"], names)  # the lecturer's file is code, as the notebook is
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise InputError(
            f"program of {name} must be Python code that runs; got {message}"
        ) from None
    functions = {key: value for key, value in names.items() if isinstance(value, FunctionType)}
    wanted = ["inputs", "right", *exercise.get("mistakes", {})]
    missing = [key for key in wanted if key not in functions]
    if missing:
        raise InputError(
            f"program of {name} must define the functions {', '.join(wanted)}; "
            f"got none named {', '.join(missing)}"
        )
    slips = {key: functions[key] for key in exercise.get("mistakes", {})}
    return Program(functions["right"], functions["inputs"], slips)


def draw_inputs(name: str, program: Program, student: str) -> Inputs:
    """Return the hidden inputs of a programming task for a student.

    Parameters
    ----------
    name : str
        The name of the exercise.
    program : Program
        The task.
    student : str
        The student's id; each id gets different inputs.
    """
    digest = hashlib.sha256(f"{name}\n{student}\n".encode()).digest()
    inputs = program.inputs(np.random.default_rng(int.from_bytes(digest[:8])))
    # Students get plain lists and numbers, in place of tuples, arrays and numbers of NumPy.
    try:
        return [tuple(arguments) for arguments in json.loads(json.dumps(inputs, default=_listed))]
    except TypeError as error:
        raise InputError(
            f"inputs of {name} must be tuples of numbers, texts and lists; {error}"
        ) from None


def _listed(value: object) -> object:
    """Return an array or a number of NumPy as plain Python, for JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"got {shorten(value)}")


def run_function(function: Function, inputs: Inputs) -> list[Outcome]:
    """Call a function with each input, and return the values and errors.

    The function gets copies, so that it can't change the inputs. What it prints is thrown away.
    """
    outcomes = []
    for arguments in inputs:
        outcome = Outcome(value=None, error="")
        try:
            with redirect_stdout(StringIO()) as printed:
                value = function(*deepcopy(arguments))
        except Exception as error:
            outcome["error"] = f"{type(error).__name__}: {error}"[:300]
        else:
            try:
                outcome["value"] = plain_answer(value)
            except TypeError as error:
                outcome["error"] = f"wrong type: {error}"
            if value is None and printed.getvalue():
                says = "it prints and returns nothing. Write return in place of print"
                outcome["error"] = f"wrong type: {says}"
        outcomes.append(outcome)
    return outcomes


def check_function(name: str, exercise: Exercise, answer: object, student: str) -> Feedback:
    """Try a student's function on hidden inputs, and return the feedback."""
    signature = exercise["function"]
    advice = exercise.get("hint", "")
    if answer is ... or answer is None:
        return Feedback(name, "your turn", f"Write the function {signature}", advice)
    if not isinstance(answer, FunctionType):
        function = signature.partition("(")[0]
        says = f"Pass the function itself, without brackets after its name: {function}"
        return Feedback(name, "not yet", f"{says}. You passed {shorten(answer)}", advice)
    program = program_of(name, exercise)
    n_wanted = len(signature.partition("(")[2].rstrip(")").split(","))
    if not _accepts(answer, n_wanted):
        says = f"The function has to take {n_wanted} arguments, as {signature} does"
        return Feedback(name, "not yet", says, advice)
    inputs = draw_inputs(name, program, student)
    return judge_outcomes(name, exercise, inputs, run_function(answer, inputs))


def judge_outcomes(
    name: str, exercise: Exercise, inputs: Inputs, outcomes: Sequence[Outcome]
) -> Feedback:
    """Return the feedback on the outcomes of a student's function.

    Parameters
    ----------
    name : str
        The name of the exercise.
    exercise : dict
        Its texts.
    inputs : list of tuples
        The arguments of each call.
    outcomes : list of dict
        What the student's function returned for each input.
    """
    program = program_of(name, exercise)
    advice = exercise.get("hint", "")
    right = run_function(program.right, inputs)
    is_right = [_is_same(outcome, wanted) for outcome, wanted in zip(outcomes, right, strict=True)]
    if all(is_right):
        return Feedback(
            name,
            "right",
            exercise.get("right", "Your function is right for all hidden inputs."),
            advice,
        )
    if all(outcome["value"] is None and not outcome["error"] for outcome in outcomes):
        says = "The function returns nothing yet. Write its body, and end it with return"
        return Feedback(name, "your turn", says, advice)
    # Name a slip only if its function gives all of the student's values, both right and wrong.
    for slip, function in program.slips.items():
        if _returns(function, inputs, outcomes):
            return Feedback(name, "nearly", exercise.get("mistakes", {})[slip], advice)
    first = is_right.index(False)
    share = f"{is_right.count(True)} of {len(is_right)} hidden inputs"
    call = _describe_call(exercise, inputs[first])
    difference = _describe_difference(outcomes[first], right[first]["value"])
    says = f"Your function is right for {share}. {call} {difference}"
    return Feedback(name, "not yet", says, advice)


def _returns(function: Function, inputs: Inputs, outcomes: Sequence[Outcome]) -> bool:
    """Return whether a function has these outcomes; call it only up to the first difference."""
    for arguments, wanted in zip(inputs, outcomes, strict=True):
        (outcome,) = run_function(function, [arguments])
        if not _is_same(wanted, outcome):
            return False
    return True


def _describe_difference(outcome: Outcome, wanted: Plain) -> str:
    """Return what a call with a wrong outcome does, such as "has to return 1, but returns 0"."""
    value = outcome["value"]
    if outcome["error"].startswith("wrong type: "):
        return f"has to return {_describe(wanted)}, but {outcome['error'][12:]}"
    if outcome["error"]:
        return f"fails with {outcome['error']}"
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
    if first["error"] or second["error"]:
        return first["error"].partition(":")[0] == second["error"].partition(":")[0]
    return _is_same_value(first["value"], second["value"])


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


def _describe_call(exercise: Exercise, arguments: tuple[object, ...]) -> str:
    """Return a call as a student would write it, such as "my_ndcg([3, 0], 2)"."""
    function = exercise["function"].partition("(")[0]
    return f"{function}({', '.join(shorten(value, LONGEST_INPUT) for value in arguments)})"


def _describe(value: Plain) -> str:
    """Return a value as messages show it: numbers with four decimals."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return f"[{', '.join(map(_describe, value[:10]))}]"
    return shorten(value)
