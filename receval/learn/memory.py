"""The student's id, and the predictions and answers of this session."""

from __future__ import annotations

from typing import TypedDict

from receval._checks import check_that
from receval.learn.plain import Plain

__all__ = ["Entry", "student"]


class Entry(TypedDict):
    """The verdict on an exercise, and for a prediction also the answer."""

    verdict: str
    answer: Plain


_session: dict[str, Entry] = {}
_student_of_session = [""]


def student(id: str | None = None) -> str:
    """Set the student's id, or return it.

    The hidden inputs of programming tasks are drawn anew for each id. Without an id, everybody
    gets the same inputs.

    Parameters
    ----------
    id : str, optional
        Your id in the course, such as a matriculation number. It holds until the session ends.

    Returns
    -------
    str
        The id, or "" if there is none.

    Raises
    ------
    InputError
        If the id is not a string.

    Examples
    --------
    >>> from receval import learn
    >>> learn.student("ann")
    'ann'
    >>> learn.student("")
    ''
    """
    if id is not None:
        check_that(isinstance(id, str), "id", "be a text", id)
        _student_of_session[:] = [id]
    return _student_of_session[0]


def entries() -> dict[str, Entry]:
    """Return the entry of each exercise that was answered in this session."""
    return dict(_session)


def remember(exercise: str, verdict: str, answer: Plain = None) -> None:
    """Keep a verdict for this session. If an answer was right, the exercise stays right."""
    if exercise in _session and _session[exercise]["verdict"] == "right":
        return
    _session[exercise] = Entry(verdict=verdict, answer=answer)
