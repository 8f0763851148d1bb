"""The exercises: their texts, the feedback on an answer, and which of them you have done.

The texts are those of the lessons, and those of a lecturer in a file next to a notebook.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from receval._checks import Record, check_that, input_error
from receval._escape import for_html, for_terminal
from receval._files import read_toml

OWN_FILE = "exercises.toml"  # of a lecturer, in the folder of the notebook
ANSWER_KEYS = ("answer", "choice", "prediction")  # a lecturer's exercise has one of them
_verdicts: dict[str, str] = {}  # by exercise

COLOURS = {
    "right": "#0072b2",
    "nearly": "#e69f00",
    "not yet": "#d55e00",
    "your turn": "#767676",
    "noted": "#0072b2",
}


@dataclass(frozen=True)
class Feedback:
    """The feedback on an answer. It is truthy if the answer is right, and never shows the answer.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    verdict : {"right", "nearly", "not yet", "your turn", "noted"}
        "nearly" if the answer results from a common mistake, or if the answer is close; "your turn"
        if there is no answer yet; "noted" for a prediction, which is never right or wrong.
    says : str
        A sentence about the answer.
    advice : str
        A step towards the answer.
    """

    exercise: str
    verdict: str
    says: str
    advice: str = ""

    def __bool__(self) -> bool:
        return self.verdict == "right"

    def __repr__(self) -> str:
        return for_terminal(f"{self.exercise}: {self.verdict}. {self.says}")

    def _repr_html_(self) -> str:
        return (
            f"<p>{for_html(self.exercise)}: "
            f'<b style="color:{COLOURS[self.verdict]}">{for_html(self.verdict)}</b>. '
            f"{for_html(self.says)}</p>"
        )

    def hint(self) -> str:
        """Return a step towards the answer."""
        return self.advice


def remember(exercise: str, verdict: str) -> None:
    """Keep a verdict for this session. If an answer was right, the exercise stays right."""
    if _verdicts.get(exercise) != "right":
        _verdicts[exercise] = verdict


def progress() -> pd.DataFrame:
    """Return which exercises you have done in this session.

    A prediction is done once you have made it, and any other exercise once you have answered it
    correctly; it stays done if you try another answer afterwards. Only the current session counts:
    if you restart the kernel, run the cells of the lesson again.

    Returns
    -------
    DataFrame
        A row for each lesson: how many exercises are ``done``, how many there are, and which are
        ``left``, such as "2, code" for hits.2 and hits.code.

    Examples
    --------
    >>> from receval import learn
    >>> learn.check("start.1", 27)
    start.1: right. The cumulative gain is the sum of U5's points for the four films.
    >>> "1" in learn.progress().loc["start", "left"].split(", ")
    False
    """
    exercises = pd.Series([*exercise_texts()])
    parts = exercises.str.partition(".")  # the lesson, the point, and the name in the lesson
    is_done = exercises.map(_verdicts).isin(["right", "noted"])
    by_lesson = is_done.groupby(parts[0], sort=False)
    table = pd.DataFrame({"done": by_lesson.sum(), "exercises": by_lesson.size()})
    table["left"] = parts[2][~is_done].groupby(parts[0]).agg(", ".join)
    return table.fillna("").rename_axis(index="lesson", columns="in this session")


# Texts -------------------------------------------------------------------------------------------


def kind_of(exercise: Record) -> str:
    """Return the kind of an exercise: "prediction", "function", "choice" or "answer"."""
    for kind in ("prediction", "function", "choice"):
        if kind in exercise:
            return kind
    return "answer"


@cache
def package_texts() -> dict[str, Record]:
    """Return the texts of the exercises of the lessons by name, such as "nDCG.1"."""
    return _flatten(read_toml("learn/exercises.toml"))


def exercise_texts() -> dict[str, Record]:
    """Return the texts of all exercises by name, those of a lecturer's file last.

    A lecturer's file is ``exercises.toml`` in the current folder. Raises `InputError` if it doesn't
    hold exercises, or uses the name of an exercise of the lessons.
    """
    own_file = Path(OWN_FILE)
    if not own_file.is_file():
        return package_texts()
    try:
        own_texts = _flatten(tomllib.loads(own_file.read_text(encoding="utf-8-sig")))
    except (ValueError, AttributeError) as error:  # no TOML, or a key without a table around it
        rule = 'be a TOML file of tables such as [lesson.1] with question = "..."'
        raise input_error(OWN_FILE, rule, error) from None
    for name, exercise in own_texts.items():
        has_question = isinstance(exercise, dict) and "question" in exercise
        has_answer = has_question and not exercise.keys().isdisjoint(ANSWER_KEYS)
        rule = "have a question, and an answer, a choice or a prediction; test functions by assert"
        check_that(has_answer, f"{OWN_FILE}: {name}", rule, exercise)
        rule = "be named differently from the exercises of the lessons"
        check_that(name not in package_texts(), f"{OWN_FILE}: {name}", rule, name)
    return package_texts() | own_texts


def _flatten(content: Mapping[str, Mapping[str, Record]]) -> dict[str, Record]:
    """Return the exercises of a file by name: lesson, dot, number."""
    exercise_by_name = {}
    for lesson, exercise_by_number in content.items():
        for number, exercise in exercise_by_number.items():
            exercise_by_name[f"{lesson}.{number}"] = exercise
    return exercise_by_name
