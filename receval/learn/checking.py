"""Answers to the exercises of the lessons, compared with the right ones.

receval tries a student's function on hidden inputs, and names its slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from fractions import Fraction
from importlib import import_module
from types import ModuleType

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, Record, check_choice, input_error, shorten
from receval.learn.exercises import Feedback, exercise_texts, kind_of, remember

LONGEST_INPUT = 90  # characters of an argument that a message shows
SIGNS_AROUND = " \t\n.!?\"'`()[]{}:;,"  # around a word that somebody types
SYNONYMS = {"y": "yes", "true": "yes", "n": "no", "false": "no"}


def check(exercise: str, answer: object = ...) -> Feedback:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Its name in the lesson, such as ``"nDCG.1"``.
    answer : number, sequence of numbers, str, bool, or function
        Numbers are right if they agree to two decimals, or to two figures if they are below 0.1. If
        the question says "about", they may be off by 10 %. They may be texts such as ``"3/5"``,
        ``"60 %"``, ``"0,6"`` or ``"1, 3, 2"``, or a list or array of a single number. Names may be
        in any case, with blanks or underscores. "No.", "n" and False are the same answer. The
        answer to a multiple-choice question is a letter. For a programming task, pass the function
        itself; receval tries it on hidden inputs. ``...`` means that there is no answer yet.

    Returns
    -------
    Feedback
        Call its ``hint()`` for a step towards the answer.

    Raises
    ------
    InputError
        If there is no such exercise, or if it is a prediction.

    Examples
    --------
    >>> from receval import learn
    >>> learn.check("precision.1", 0.75)
    precision.1: nearly. You divided by the four items shown; precision at 5 divides by five ranks.
    >>> learn.check("precision.1", "60 %")
    precision.1: right. Precision at 5 divides by five ranks, filled or not.
    >>> print(learn.check("precision.1").hint())
    Count the relevant items in the first five ranks. What is the list's length, and what is k?
    >>> def my_reciprocal_rank(grades, k):
    ...     return 1 / (grades.index(1) + 1)
    >>> learn.check("hits.code", my_reciprocal_rank).verdict
    'not yet'
    """
    texts_by_name = exercise_texts()
    texts = texts_by_name[check_choice(exercise, "exercise", texts_by_name)]
    kind = kind_of(texts)
    if kind == "prediction":
        raise input_error(
            "exercise",
            "be one with an answer",
            repr(exercise),
            "learn.predict notes a prediction",
        )
    if answer is ... or answer is None:
        says = "Put your answer in place of the three dots"
        if kind == "function":
            says = f"Write the function {texts['function']}"
        return Feedback(exercise, "your turn", says, texts.get("hint", ""))
    judge = {"answer": _judge_answer, "choice": _judge_choice, "function": check_function}[kind]
    verdict, says = judge(exercise, texts, answer)
    if verdict != "your turn":
        remember(exercise, verdict)
    return Feedback(exercise, verdict, says, texts.get("hint", ""))


def _judge_answer(name: str, texts: Record, answer: object) -> tuple[str, str]:
    """Return the verdict on a number, a word or a list of numbers, and a sentence about it."""
    right = texts["answer"]
    if agrees(answer, right, least_tolerance=texts.get("within", 0)):
        return "right", texts.get("right", "That is it.")
    # A mistake may lead close to the right answer, so look for mistakes first.
    for mistake, wrong_answer in texts.get("wrong_answers", {}).items():
        if agrees(answer, wrong_answer):
            return "nearly", texts.get("mistakes", {}).get(mistake, "Look again")
    # An answer is close if it is off by at most one unit of the second decimal. Below 0.1, it is
    # close if it is right to one significant digit.
    is_small = isinstance(right, float) and abs(right) < 0.1
    if agrees(answer, right, tolerance_factor=10 if is_small else 2):
        return "nearly", (
            "Close. Check your last step and how you rounded: "
            "give two decimals, or two significant digits below 0.1"
        )
    # An answer of 5 may stand for a share of 0.05.
    if isinstance(right, float) and 0 < right < 1 and agrees(answer, 100 * right):
        return "nearly", (
            'Write a share between 0 and 1, or a text with a percent sign, such as "5 %"'
        )
    numbers = read_numbers(answer, is_list=isinstance(right, list))
    is_word = isinstance(right, (str, bool))
    if not is_word and (numbers is None or numbers.shape != np.shape(right)):
        form = "one value, such as 1/4"
        if isinstance(right, list):
            form = f"{len(right)} values, such as [1, 2]"
        return "not yet", f"The answer is {form}"
    return "not yet", f'Look again; learn.check("{name}").hint() helps'


def _judge_choice(name: str, texts: Record, answer: object) -> tuple[str, str]:  # noqa: ARG001
    """Return the verdict on a choice, and the reason for the chosen option."""
    word = normalise_word(answer)
    for letter, option in texts["options"].items():
        if word in (normalise_word(letter), normalise_word(option)):
            if letter == texts["choice"]:
                return "right", texts.get("right", "That is it.")
            return "not yet", texts.get("reasons", {}).get(letter, "Look again")
    letters = list(texts["options"])
    return "not yet", f"Answer with a letter from {letters[0]} to {letters[-1]}, in quotes"


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


# Numbers and words as people type them ------------------------------------------------------------


def agrees(
    answer: object,
    right: npt.ArrayLike,
    *,
    tolerance_factor: float = 1,
    least_tolerance: float = 0,
) -> bool:
    """Return whether an answer is the right one: the same word, or nearly the same numbers.

    A number may differ from the right one by half a unit of the second decimal, or by half a unit
    of the second significant figure if the right one is below 0.1. ``tolerance_factor`` multiplies
    this tolerance, which is at least ``least_tolerance``. An answer with more or fewer numbers, or
    with none, does not agree.
    """
    if isinstance(right, (str, bool, np.bool_)):
        return is_same_word(answer, right)
    exact = np.asarray(right, dtype=float)
    numbers = read_numbers(answer, is_list=exact.ndim > 0)
    if numbers is None or numbers.shape != exact.shape:
        return False
    magnitude = np.abs(np.where(exact == 0, 1, exact))  # zero, without figures, is treated like 1
    # The last digit that counts, as a power of ten: -2 for the second decimal, or less for a number
    # below 0.1, whose second significant digit is the last that counts.
    last_decimal = np.minimum(-2, np.floor(np.log10(magnitude)) - 1)
    # The factor also accepts answers exactly at the tolerance, in spite of rounding errors.
    half_unit = 0.5 * 10.0**last_decimal * (1 + 1e-9)
    tolerance = np.maximum(least_tolerance, tolerance_factor * half_unit)
    return bool(np.all(np.abs(numbers - exact) <= tolerance))


def read_numbers(answer: object, *, is_list: bool = False) -> FloatArray | None:
    """Return the numbers of an answer as an array without axes of length 1; None if it has none.

    In a text, commas separate numbers if ``is_list``, that is, if several are wanted. Otherwise
    they are decimal commas.
    """
    if isinstance(answer, str):
        text = answer.strip(" []()")
        answer = re.sub(r",(?=\d)", ".", text)
        if is_list:
            answer = re.split(r"[\s,;]+", text)
    try:
        values = np.asarray(answer)
        numbers = [_read_number(value) for value in values.ravel().tolist()]
    except (ValueError, ArithmeticError):
        return None
    return np.reshape(numbers, values.shape).squeeze()


def _read_number(value: object) -> float:
    """Return a number, or the number that a text such as "0.6", "= 3/5" or "60 %" states.

    True, NaN and infinity are not numbers. Raises ValueError or ArithmeticError.
    """
    text = str(value).replace("−", "-")
    text = re.sub(r"\s*([=/%])\s*", r"\1", text).strip(" =")  # no blanks next to signs
    # Join thousands, as in "1 001"; but "1 2" isn't 12.
    text = re.sub(r"(?<=\d)\s(?=\d{3}(?!\d))", "", text)
    numerator, _, denominator = text.removesuffix("%").partition("/")
    number = Fraction(numerator) / Fraction(denominator or 1)  # no denominator: the number itself
    if text.endswith("%"):
        number /= 100
    return float(number)


def is_same_word(answer: object, right: object) -> bool:
    """Return whether an answer is the right word. "No.", False and "n" are the same word.

    The first words of a name are enough: "exponential" counts as "exponential_gain".
    """
    return f"{normalise_word(right)}_".startswith(f"{normalise_word(answer)}_")


def normalise_word(answer: object) -> str:
    """Return a word in lower case, with underscores in place of blanks and hyphens.

    Punctuation around the word doesn't count, nor does a label before it, as in "gain:
    linear_gain". The word of a function is its name.
    """
    text = str(getattr(answer, "__name__", answer)).rpartition(": ")[2].lower().strip(SIGNS_AROUND)
    word = "_".join(re.split(r"[\s_-]+", text))
    return SYNONYMS.get(word, word)
