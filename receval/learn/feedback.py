"""The feedback on an answer, a program or a prediction, and the exercises that you have done."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from receval._escape import for_html, for_terminal
from receval.learn.texts import exercise_texts

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
