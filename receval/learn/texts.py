"""The texts of the exercises: those of the package, and those of a lecturer next to a notebook."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from receval._checks import InputError, Record, check_choice, input_error
from receval._files import read_toml

OWN_FILE = "exercises.toml"  # of a lecturer, in the folder of the notebook

Kind = Literal["answer", "prediction", "program", "choice"]


def kind_of(exercise: Record) -> Kind:
    """Return the kind of an exercise, which follows from its keys."""
    if exercise.get("prediction"):
        return "prediction"
    if "function" in exercise:
        return "program"
    if "choice" in exercise:
        return "choice"
    return "answer"


@cache
def package_texts() -> dict[str, Record]:
    """Return the texts of the exercises of the lessons by name, such as "nDCG.1"."""
    return _flatten(read_toml("learn/exercises.toml"))


def exercise_texts() -> dict[str, Record]:
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


def _read_own_texts(path: Path) -> dict[str, Record]:
    """Return the texts of the exercises in a lecturer's file by name."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} must be a TOML file of exercises; got {error}") from None
    for lesson, exercises in content.items():
        for number, exercise in exercises.items() if isinstance(exercises, dict) else [("", None)]:
            name = f"{lesson}.{number}".rstrip(".")
            if not isinstance(exercise, dict) or not isinstance(exercise.get("question"), str):
                rule = 'hold tables such as [lesson.1] with question = "..."'
                raise input_error(path.name, rule, f"[{name}]")
            if "function" in exercise:
                rule = "have no programming tasks"
                raise input_error(path.name, rule, f"[{name}]", "Test a function with assert")
    return _flatten(content)


def check_name(name: str, texts_by_name: Mapping[str, Record]) -> str:
    """Return the name of an exercise as the lessons write it; raise if there is none.

    Capital letters do not matter: "ndcg.1" is "nDCG.1".
    """
    if isinstance(name, str):
        for right_name in texts_by_name:
            if name.lower() == right_name.lower():
                return right_name
    check_choice(name, "exercise", texts_by_name)
    return name


def _flatten(content: Mapping[str, Mapping[str, Record]]) -> dict[str, Record]:
    """Return the exercises of a file by name: lesson, dot, number."""
    return {
        f"{lesson}.{number}": exercise
        for lesson, exercise_by_number in content.items()
        for number, exercise in exercise_by_number.items()
    }
