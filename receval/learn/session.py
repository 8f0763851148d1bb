"""The exercises that you have done in this session."""

from __future__ import annotations

import pandas as pd

from receval.learn.texts import exercise_texts

_verdicts: dict[str, str] = {}  # by exercise


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
