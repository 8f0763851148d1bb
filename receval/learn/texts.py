"""The texts of the exercises: those of the package, and those of a lecturer next to a notebook."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from receval._checks import Record, check_that, input_error
from receval._files import read_toml

OWN_FILE = "exercises.toml"  # of a lecturer, in the folder of the notebook


def kind_of(exercise: Record) -> str:
    """Return the kind of an exercise: "prediction", "function", "choice" or "answer"."""
    kinds = ("prediction", "function", "choice")
    return next((kind for kind in kinds if kind in exercise), "answer")


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
        rule = "have a question, and an answer, a choice or a prediction; test functions by assert"
        keys = set(exercise) if isinstance(exercise, dict) else set()
        is_answered = not keys.isdisjoint(("answer", "choice", "prediction"))
        check_that("question" in keys and is_answered, f"{OWN_FILE}: {name}", rule, exercise)
        rule = "be named differently from the exercises of the lessons"
        check_that(name not in package_texts(), f"{OWN_FILE}: {name}", rule, name)
    return package_texts() | own_texts


def _flatten(content: Mapping[str, Mapping[str, Record]]) -> dict[str, Record]:
    """Return the exercises of a file by name: lesson, dot, number."""
    return {
        f"{lesson}.{number}": exercise
        for lesson, exercise_by_number in content.items()
        for number, exercise in exercise_by_number.items()
    }
