"""Answers to the exercises of the lessons, held against what receval computes for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from receval._checks import check_choice
from receval._escape import for_html, for_terminal
from receval._files import read_toml

__all__ = ["Feedback", "check", "exercises"]

COLOURS = {"right": "#0072b2", "nearly": "#e69f00", "not yet": "#d55e00", "your turn": "#767676"}


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer; true where it is right. The right answer is never shown.

    Attributes
    ----------
    exercise : str
        Which exercise.
    verdict : {"right", "nearly", "not yet", "your turn"}
        "nearly" names a slip that leads to the answer given; "your turn" waits for one.
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
        """A step towards the answer."""
        return str(_stated()[self.exercise]["hint"])


def check(exercise: str, answer: Any = ...) -> Feedback:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Its name, as the lesson has it, such as ``"nDCG.1"``.
    answer : number, sequence of numbers, str, or bool
        Numbers count as right if they agree to two decimals (below 0.1: to two figures; where the
        question says "about": to a tenth), and may be texts such as ``"3/5"``, ``"60 %"``,
        ``"0,6"`` or ``"1, 3, 2"``; names count whatever their case, with blanks or underscores.
        ``...`` is no answer yet.

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
    check_choice(exercise, "exercise", _stated())
    if answer is ... or answer is None:
        return Feedback(exercise, "your turn", "Put your answer in place of the three dots")
    stated = _stated()[exercise]
    right = _value(stated["answer"])
    if _agrees(answer, right, within=stated.get("within", 0)):
        return Feedback(exercise, "right", stated["right"])
    for slip in stated.get("slips", []):
        if _agrees(answer, _value(slip["answer"])):
            return Feedback(exercise, "nearly", slip["says"])
    if _agrees(answer, right, wider=10):
        says = "Close, but not it: check the last step; two decimals count (below 0.1: two figures)"
        return Feedback(exercise, "nearly", says)
    given = _read(answer, right)
    if given is None or np.shape(given) != np.shape(right):
        several = f"{np.size(right)} values, such as [1, 2]"
        wanted = several if np.shape(right) else "one value, such as 1/4"
        return Feedback(exercise, "not yet", f"The answer is {wanted}")
    return Feedback(exercise, "not yet", f'Look again; learn.check("{exercise}").hint() helps')


def exercises() -> dict[str, str]:
    """The names of all exercises, each with its question.

    Returns
    -------
    dict of str

    Examples
    --------
    >>> from receval import learn
    >>> print(learn.exercises()["precision.1"])
    Four items are shown, three of them are relevant. What is Precision@5?
    """
    return {name: stated["question"] for name, stated in _stated().items()}


@cache
def _stated() -> dict[str, dict[str, Any]]:
    lessons = read_toml("learn/exercises.toml").items()
    return {f"{lesson}.{n}": stated for lesson, ofs in lessons for n, stated in ofs.items()}


@cache
def _value(expression: str) -> Any:
    """What an expression of exercises.toml comes to: computed, so that no answer is typed in."""
    import receval
    from receval import metrics

    # an expression that receval ships, none of a user
    return eval(expression, vars(receval) | vars(metrics) | {"np": np, "receval": receval})


def _agrees(answer: object, right: Any, *, wider: float = 1, within: float = 0) -> bool:
    given = _read(answer, right)
    if isinstance(right, (str, bool, np.bool_)):
        return f"{right}_".lower().startswith(f"{given}_")  # "exponential" is exponential_gain
    if given is None or given.shape != np.shape(right):
        return False
    exact = np.asarray(right, dtype=float)
    # half of the second decimal, of the second figure where the value is smaller than 0.1
    figure = np.minimum(-2, np.floor(np.log10(np.abs(np.where(exact, exact, 1)))) - 1)
    half_unit = 0.5 * 10.0**figure * (1 + 1e-9)
    return bool(np.all(np.abs(given - exact) <= np.maximum(within, wider * half_unit)))


def _read(answer: object, right: Any) -> Any:
    """An answer in the form of the right one, which says what a comma in a text means, or None."""
    if isinstance(right, (str, bool, np.bool_)):
        return "_".join(str(answer).lower().split())
    try:
        if not isinstance(answer, str):
            return np.asarray(answer, dtype=float)
        if np.shape(right):
            return np.array([_number(one) for one in re.split(r"[\s,;]+", answer.strip(" []()"))])
        return np.array(_number(answer.replace(",", ".")))
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def _number(text: str) -> float:
    above, _, below = text.strip().rstrip("%").partition("/")
    return float(above) / float(below or 1) / (100 if text.strip().endswith("%") else 1)
