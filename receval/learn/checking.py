"""Answers to the exercises of the lessons, held against what receval computes for them."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import check_choice

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
        return f"{self.exercise}: {self.verdict}. {self.says}"

    def _repr_html_(self) -> str:
        word = f'<b style="color:{COLOURS[self.verdict]}">{self.verdict}</b>'
        return f"<p>{escape(self.exercise)}: {word}. {escape(self.says)}</p>"

    def hint(self) -> str:
        """A step towards the answer."""
        return str(_stated()[self.exercise]["hint"])


def check(exercise: str, answer: Any = ...) -> Feedback:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Its name, as the lesson has it, such as ``"ndcg.1"``.
    answer : number, sequence of numbers, str, or bool
        Numbers count as right if they agree to two decimals (below 0.1: to two figures), names
        whatever their case. ``...`` is no answer yet.

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
    >>> print(learn.check("precision.1").hint())
    Count the relevant items among the first five ranks. What is the list's length, and what is k?
    """
    check_choice(exercise, "exercise", _stated())
    if answer is ... or answer is None:
        return Feedback(exercise, "your turn", "Put your answer in place of the three dots")
    stated = _stated()[exercise]
    right = _value(stated["answer"])
    if _agrees(answer, right):
        return Feedback(exercise, "right", stated["right"])
    for slip in stated.get("slips", []):
        if _agrees(answer, _value(slip["answer"])):
            return Feedback(exercise, "nearly", slip["says"])
    if _agrees(answer, right, wider=10):
        return Feedback(exercise, "nearly", "Close: give two decimals at the least")
    if np.shape(answer) != np.shape(right):
        wanted = f"{len(right)} values, one after the other" if np.shape(right) else "one value"
        return Feedback(exercise, "not yet", f"The answer is {wanted}")
    return Feedback(exercise, "not yet", "Look again; .hint() helps")


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
    text = Path(__file__).with_name("exercises.toml").read_text(encoding="utf-8")
    return {
        f"{lesson}.{number}": stated
        for lesson, ofs in tomllib.loads(text).items()
        for number, stated in ofs.items()
    }


@cache
def _value(expression: str) -> Any:
    """What an expression of exercises.toml comes to: computed, so that no answer is typed in."""
    import receval
    from receval import metrics

    # an expression that receval ships, none of a user
    return eval(expression, vars(receval) | vars(metrics) | {"np": np, "receval": receval})


def _agrees(answer: object, right: Any, *, wider: float = 1) -> bool:
    if isinstance(right, (str, bool, np.bool_)):
        return str(answer).strip().lower() == str(right).lower()
    try:
        given, wanted = np.asarray(answer, dtype=float), np.asarray(right, dtype=float)
    except (TypeError, ValueError):
        return False
    return given.shape == wanted.shape and all(
        abs(one - other) <= wider * _half_unit(other)
        for one, other in zip(given.flat, wanted.flat, strict=True)
    )


def _half_unit(value: float) -> float:
    """Half of the second decimal, of the second figure where the value is smaller than 0.1."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return 0.5 * 10.0 ** min(-2, size - 1) * (1 + 1e-9)
