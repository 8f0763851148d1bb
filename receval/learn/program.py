"""Programming tasks: try a student's function on hidden inputs, and name its slip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from importlib import import_module
from types import ModuleType

import numpy as np

from receval._checks import Record, shorten

LONGEST_INPUT = 90  # characters of an argument that a message shows


def program_of(name: str) -> ModuleType:
    """Return the module of a programming task, such as "nDCG.code".

    It has the function ``right``, the ``INPUTS`` to try a function on, each a tuple of arguments,
    and a function for each of the exercise's ``mistakes``. The first inputs are short, because
    messages show the first one that fails.
    """
    lesson = name.partition(".")[0]
    return import_module(f"receval.learn.programs.{lesson.lower()}")


def check_function(name: str, exercise: Record, answer: object) -> tuple[str, str]:
    """Try a student's function on hidden inputs; return the verdict and a sentence about it."""
    function_name = exercise["function"].partition("(")[0]
    if not callable(answer):
        says = f"Pass the function itself, without brackets after its name: {function_name}"
        return "not yet", f"{says}. You passed {shorten(answer)}"
    program = program_of(name)
    values = _run(answer, program.INPUTS)
    right_values = _run(program.right, program.INPUTS)
    is_right = list(map(_is_same, values, right_values))
    if all(is_right):
        return "right", exercise["right"]
    if all(value is None or value is ... for value in values):
        says = "The function returns nothing yet. Write its body, and end it with return"
        return "your turn", says
    # Name a slip only if its function gives all of the student's values, both right and wrong.
    for slip, says in exercise["mistakes"].items():
        if all(map(_is_same, values, _run(getattr(program, slip), program.INPUTS))):
            return "nearly", says
    first = is_right.index(False)
    arguments = ", ".join(shorten(value, LONGEST_INPUT) for value in program.INPUTS[first])
    outcome = f"returns {shorten(values[first])}"
    if isinstance(values[first], Exception):
        outcome = f"fails with {type(values[first]).__name__}: {values[first]}"
    return "not yet", (
        f"Your function is right for {sum(is_right)} of {len(is_right)} hidden inputs. "
        f"{function_name}({arguments}) has to return {shorten(right_values[first])}, but {outcome}"
    )


def _run(function: Callable[..., object], inputs: Sequence[tuple[object, ...]]) -> list[object]:
    """Call a function with copies of each input, and return the values; an error is one, too."""
    values: list[object] = []
    for arguments in inputs:
        try:
            values.append(function(*deepcopy(arguments)))
        except Exception as error:
            values.append(error)
    return values


def _is_same(value: object, wanted: object) -> bool:
    """Return whether two values are the same, or two errors of the same kind.

    Numbers may differ in their last digits. An array of a single value counts as the value, because
    NumPy often returns such arrays.
    """
    if value is None or wanted is None or isinstance(value, Exception):
        return type(value) is type(wanted)
    try:
        first, second = np.asarray(value).squeeze(), np.asarray(wanted).squeeze()
        if first.dtype == object:  # such as a Fraction
            first = first.astype(float)
        is_close = np.allclose(first, second, rtol=1e-6, atol=1e-9, equal_nan=True)
    except (TypeError, ValueError, ArithmeticError):  # not numbers, or too many of them
        return False
    return is_close and first.shape == second.shape
