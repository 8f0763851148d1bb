"""The texts of the exercises: those of the package, and those of a lecturer next to a notebook."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, cast

from receval._checks import InputError, check_choice, input_error
from receval._files import read_toml

__all__ = ["Exercise"]

OWN_FILE = "exercises.toml"  # of a lecturer, in the folder of the notebook

Kind = Literal["answer", "prediction", "program", "choice"]


class Exercise(TypedDict):
    """The texts of an exercise; the page for lecturers documents the keys.

    ``mistakes`` maps the name of each usual mistake to a sentence about it. ``wrong`` lists answers
    that must not count as right. ``within`` is how far off an answer may be, if the question says
    "about". ``is_count`` says that a prediction is a whole number. ``options`` holds the choices by
    letter (or, for a prediction, the words), and ``reasons`` says why each other choice is wrong.
    ``function`` is the name of the function that the student writes, with its arguments.
    ``repeats`` names an exercise of an earlier lesson. The other keys occur only in a lecturer's
    file, which also holds the answers.
    """

    question: str
    right: NotRequired[str]
    hint: NotRequired[str]
    mistakes: NotRequired[dict[str, str]]
    wrong: NotRequired[list[object]]
    within: NotRequired[float]
    options: NotRequired[dict[str, str] | list[str]]
    reasons: NotRequired[dict[str, str]]
    choice: NotRequired[str]
    function: NotRequired[str]
    repeats: NotRequired[str]
    prediction: NotRequired[bool]
    is_count: NotRequired[bool]
    answer: NotRequired[object]
    wrong_answers: NotRequired[dict[str, object]]
    program: NotRequired[str]


def kind_of(exercise: Exercise) -> Kind:
    """Return the kind of an exercise, which follows from its keys."""
    if exercise.get("prediction"):
        return "prediction"
    if "function" in exercise:
        return "program"
    if "choice" in exercise:
        return "choice"
    return "answer"


@cache
def package_texts() -> dict[str, Exercise]:
    """Return the texts of the exercises of the lessons by name, such as "nDCG.1"."""
    return _flatten(read_toml("learn/exercises.toml"))


def exercise_texts() -> dict[str, Exercise]:
    """Return the texts of all exercises by name, those of a lecturer's file last.

    A lecturer's file is ``exercises.toml`` in the current folder. Raises `InputError` if it doesn't
    hold exercises in TOML, or uses the name of an exercise of the lessons.
    """
    own_file = Path(OWN_FILE)
    if not own_file.is_file():
        return package_texts()
    texts = _read_own_texts(own_file)
    clashes = sorted(set(texts) & set(package_texts()))
    if clashes:
        raise input_error(
            own_file.name,
            "name its exercises differently from those of the lessons",
            ", ".join(clashes),
        )
    return package_texts() | texts


def _read_own_texts(path: Path) -> dict[str, Exercise]:
    """Return the texts of the exercises in a lecturer's file by name."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} must be a TOML file of exercises; got {error}") from None
    for lesson, exercises in content.items():
        for number, exercise in exercises.items() if isinstance(exercises, dict) else [("", None)]:
            if not isinstance(exercise, dict) or not isinstance(exercise.get("question"), str):
                name = f"{lesson}.{number}".rstrip(".")
                rule = 'hold tables such as [lesson.1] with question = "..."'
                raise input_error(path.name, rule, f"[{name}]")
    return _flatten(content)


def is_own(name: str) -> bool:
    """Return whether an exercise is a lecturer's own, as opposed to one of the lessons."""
    return name not in package_texts()


def check_name(name: str, texts_by_name: Mapping[str, Exercise]) -> str:
    """Return the name of an exercise as the lessons write it; raise if there is none.

    Capital letters do not matter: "ndcg.1" is "nDCG.1".
    """
    if isinstance(name, str):
        for right_name in texts_by_name:
            if name.lower() == right_name.lower():
                return right_name
    check_choice(name, "exercise", texts_by_name)
    return name


def _flatten(content: dict[str, dict[str, object]]) -> dict[str, Exercise]:
    """Return the exercises of a file by name: lesson, dot, number."""
    return {
        f"{lesson}.{number}": cast(Exercise, exercise)
        for lesson, exercise_by_number in content.items()
        for number, exercise in exercise_by_number.items()
    }
