"""The predictions and answers of this session."""

from __future__ import annotations

from typing import TypedDict

from receval.learn.plain import Plain


class Entry(TypedDict):
    """The verdict on an exercise, and for a prediction also the answer."""

    verdict: str
    answer: Plain


_session: dict[str, Entry] = {}


def entries() -> dict[str, Entry]:
    """Return the entry of each exercise that was answered in this session."""
    return dict(_session)


def remember(exercise: str, verdict: str, answer: Plain = None) -> None:
    """Keep a verdict for this session. If an answer was right, the exercise stays right."""
    if exercise in _session and _session[exercise]["verdict"] == "right":
        return
    _session[exercise] = Entry(verdict=verdict, answer=answer)
