"""Answers to the exercises of the lessons, compared with those that receval computes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NotRequired, TypedDict, TypeGuard

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, check_choice
from receval._escape import for_html, for_terminal
from receval._files import read_toml
from receval.learn.answers import answers_of

__all__ = ["Feedback", "check", "exercises"]

COLOURS = {"right": "#0072b2", "nearly": "#e69f00", "not yet": "#d55e00", "your turn": "#767676"}
CLOSE = 10  # an answer is close if it is off by at most ten times the tolerance


class Exercise(TypedDict):
    """The texts of an exercise.

    ``mistakes`` holds a sentence about each usual mistake by the name of the mistake. ``within`` is
    how far off an answer may be, if the question says "about".
    """

    question: str
    right: str
    hint: str
    mistakes: NotRequired[dict[str, str]]
    within: NotRequired[float]


@dataclass(frozen=True)
class Feedback:
    """The feedback on an answer; it is true if the answer is right, and never shows the answer.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    verdict : {"right", "nearly", "not yet", "your turn"}
        "nearly" if a usual mistake leads to the answer, or if the answer is close; "your turn" if
        there is no answer yet.
    says : str
        A sentence about the answer.
    """

    exercise: str
    verdict: str
    says: str

    def __bool__(self) -> bool:
        return self.verdict == "right"

    def __repr__(self) -> str:
        return for_terminal(f"{self.exercise}: {self.verdict}. {self.says}")

    def _repr_html_(self) -> str:
        word = f'<b style="color:{COLOURS[self.verdict]}">{for_html(self.verdict)}</b>'
        return f"<p>{for_html(self.exercise)}: {word}. {for_html(self.says)}</p>"

    def hint(self) -> str:
        """Return a step towards the answer."""
        return read_exercises()[self.exercise]["hint"]


def check(exercise: str, answer: object = ...) -> Feedback:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Its name in the lesson, such as ``"nDCG.1"``.
    answer : number, sequence of numbers, str, or bool
        Numbers are right if they agree to two decimals (below 0.1: to two figures; if the question
        says "about": to a tenth). They may be texts such as ``"3/5"``, ``"60 %"``, ``"0,6"`` or
        ``"1, 3, 2"``. Names may be in any case, with blanks or underscores. ``...`` is not an
        answer yet.

    Returns
    -------
    Feedback
        Its ``hint()`` helps.

    Raises
    ------
    InputError
        If there is no such exercise.

    Examples
    --------
    >>> from receval import learn
    >>> learn.check("precision.1", 0.75)
    precision.1: nearly. You divided by the four items shown; precision at 5 divides by five ranks.
    >>> learn.check("precision.1", "60 %")
    precision.1: right. Precision at 5 divides by five ranks, shown or not.
    >>> print(learn.check("precision.1").hint())
    Count the relevant items among the first five ranks. What is the list's length, and what is k?
    """
    texts_by_exercise = read_exercises()
    check_choice(exercise, "exercise", texts_by_exercise)
    if answer is ... or answer is None:
        return Feedback(exercise, "your turn", "Put your answer in place of the three dots")
    texts, answers = texts_by_exercise[exercise], answers_of(exercise)
    if _agrees(answer, answers.right, least_tolerance=texts.get("within", 0)):
        return Feedback(exercise, "right", texts["right"])
    # A mistake may lead close to the right answer, so look for mistakes first.
    for mistake, wrong_answer in answers.wrong_answers.items():
        if _agrees(answer, wrong_answer):
            return Feedback(exercise, "nearly", texts["mistakes"][mistake])
    if _agrees(answer, answers.right, tolerance_factor=CLOSE):
        advice = "check the last step; two decimals count (below 0.1: two figures)"
        return Feedback(exercise, "nearly", f"Close, but not it: {advice}")
    if not _has_form(answer, answers.right):
        wanted = "one value, such as 1/4"
        if _is_list(answers.right):
            wanted = f"{np.size(answers.right)} values, such as [1, 2]"
        return Feedback(exercise, "not yet", f"The answer is {wanted}")
    return Feedback(exercise, "not yet", f'Look again; learn.check("{exercise}").hint() helps')


def exercises() -> dict[str, str]:
    """Return the names of all exercises, each with its question.

    Returns
    -------
    dict of str

    Examples
    --------
    >>> from receval import learn
    >>> print(learn.exercises()["precision.1"])
    Four items are shown, three of them are relevant. What is Precision@5?
    """
    return {name: exercise["question"] for name, exercise in read_exercises().items()}


@cache
def read_exercises() -> dict[str, Exercise]:
    """Return the texts of all exercises by name, such as "nDCG.1"."""
    return {
        f"{lesson}.{number}": exercise
        for lesson, exercise_by_number in read_toml("learn/exercises.toml").items()
        for number, exercise in exercise_by_number.items()
    }


def _is_word(value: npt.ArrayLike) -> TypeGuard[str | bool | np.bool_]:
    """Return whether a right answer is a word, True or False, as opposed to numbers."""
    return isinstance(value, (str, bool, np.bool_))


def _agrees(
    answer: object,
    right: npt.ArrayLike,
    *,
    tolerance_factor: float = 1,
    least_tolerance: float = 0,
) -> bool:
    """Return whether a user's answer is the right one: the same word, or nearly the same numbers.

    A number may differ from the right one by half a unit of the second decimal, or by half a unit
    of the second significant figure if the right one is below 0.1. ``tolerance_factor`` multiplies
    this tolerance, which is at least ``least_tolerance``. An answer with more or fewer numbers, or
    with none, does not agree.
    """
    if _is_word(right):
        # The first words of a name are enough: "exponential" is taken for "exponential_gain".
        return f"{right}_".lower().startswith(f"{_normalise_word(answer)}_")
    numbers = _parse_numbers(answer, is_list=_is_list(right))
    if numbers is None or numbers.shape != np.shape(right):
        return False
    exact = np.asarray(right, dtype=float)
    magnitude = np.abs(np.where(exact == 0, 1, exact))  # zero, without figures, is treated like 1
    # Powers of ten: -2 for the second decimal, less for the second figure of a number below 0.1.
    last_decimal = np.minimum(-2, np.floor(np.log10(magnitude)) - 1)
    # The factor admits answers at the very end of the tolerance, whose difference is rounded.
    half_unit = 0.5 * 10.0**last_decimal * (1 + 1e-9)
    tolerance = np.maximum(least_tolerance, tolerance_factor * half_unit)
    return bool(np.all(np.abs(numbers - exact) <= tolerance))


def _has_form(answer: object, right: npt.ArrayLike) -> bool:
    """Return whether an answer has as many numbers as the right one.

    If the right answer is a word, any answer has its form.
    """
    if _is_word(right):
        return True
    numbers = _parse_numbers(answer, is_list=_is_list(right))
    return numbers is not None and numbers.shape == np.shape(right)


def _is_list(right: npt.ArrayLike) -> bool:
    """Return whether a right answer consists of several numbers."""
    return np.ndim(right) > 0


def _normalise_word(answer: object) -> str:
    """Return a word in small letters, with underscores in place of blanks."""
    return "_".join(str(answer).lower().split())


def _parse_numbers(answer: object, *, is_list: bool) -> FloatArray | None:
    """Return the numbers of an answer as an array, or None if it holds something else.

    The array of a single number has no axis. In a text, commas separate numbers if ``is_list``,
    that is, if the right answer consists of several numbers; otherwise they are decimal commas.
    """
    try:
        if not isinstance(answer, str):
            return np.asarray(answer, dtype=float)
        if is_list:
            parts = re.split(r"[\s,;]+", answer.strip(" []()"))
            return np.array([_parse_number(part) for part in parts])
        return np.array(_parse_number(answer.replace(",", ".")))
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def _parse_number(text: str) -> float:
    """Return the number that a text such as "0.6", "3/5" or "60 %" states.

    Raises ValueError if the text is anything else, and ZeroDivisionError for "3/0".
    """
    is_percentage = text.strip().endswith("%")
    numerator, _, denominator = text.strip().rstrip("%").partition("/")
    number = float(numerator) / float(denominator or 1)  # no denominator: the number itself
    if is_percentage:
        return number / 100
    return number
