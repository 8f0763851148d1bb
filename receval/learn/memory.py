"""The student's id, the predictions and answers of this session, and the file that stores them."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from receval._checks import InputError, check_that
from receval._files import write_atomically
from receval.learn.plain import Plain

__all__ = ["FILE", "Entry", "student"]

FILE = "progress.json"  # `receval lab` puts it next to the lessons
STUDENT_VARIABLE = "RECEVAL_STUDENT"


class Entry(TypedDict):
    """The last verdict on an exercise, and for a prediction also the answer."""

    verdict: str
    answer: Plain


_session: dict[str, Entry] = {}
_student_of_session: list[str] = []


def student(id: str | None = None) -> str:
    """Set the student's id, or return it.

    The hidden inputs of programming tasks are drawn anew for each id. Without an id, everybody
    gets the same inputs.

    Parameters
    ----------
    id : str, optional
        Your id in the course, such as a matriculation number. It holds until the session ends. The
        environment variable ``RECEVAL_STUDENT`` sets it for all sessions.

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
    if _student_of_session:
        return _student_of_session[0]
    return os.environ.get(STUDENT_VARIABLE, "")


def entries() -> dict[str, Entry]:
    """Return the entry of each exercise that was answered, in this session or an earlier one."""
    return _read_file() | _session


def remember(exercise: str, verdict: str, answer: Plain = None) -> None:
    """Keep a verdict for this session, and in the file if the folder has one.

    Only copies of the lessons have the file, so that checks elsewhere write nothing.
    """
    _session[exercise] = Entry(verdict=verdict, answer=answer)
    path = Path(FILE)
    if not path.is_file():
        return
    text = json.dumps(entries(), indent=1, ensure_ascii=False)
    # Without the file, the session still remembers, so a full disk must not stop the lesson.
    with suppress(InputError, OSError):
        write_atomically(path, lambda file: file.write(f"{text}\n"))


def _read_file() -> dict[str, Entry]:
    """Return the entries of the file; none if there is no such file, or if it is damaged."""
    try:
        content = json.loads(Path(FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {
        name: Entry(verdict=str(entry["verdict"]), answer=entry.get("answer"))
        for name, entry in content.items()
        if isinstance(entry, dict) and "verdict" in entry
    }
