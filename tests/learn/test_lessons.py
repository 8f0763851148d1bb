"""The goals, predictions and exercises of lessons and walks."""

import ast
import re

import pytest
from exercises import LESSONS, WALKS, cells_of, exercises_of, prose_of, variable_of

from receval.learn.exercises import kind_of, package_texts

GOALS = r"""\*\*After this lesson\*\*

(- You can .+\.
){1,3}
\*\*You need:\*\* .+\.

\*\*Time:\*\* \d+ minutes to read, \d+ to work\."""

each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
each_notebook = pytest.mark.parametrize("path", [*LESSONS, *WALKS], ids=lambda path: path.stem)


def names_of(path, *kinds):
    """Return the names of the exercises of these kinds that a notebook asks."""
    return [name for name, texts in exercises_of(path).items() if kind_of(texts) in kinds]


def test_each_exercise_is_asked_by_a_lesson_or_a_walk():
    asked = {name for path in [*LESSONS, *WALKS] for name in exercises_of(path)}
    assert asked == set(package_texts())


@each_lesson
def test_a_lesson_opens_with_goals_needs_and_minutes(path):
    assert [cells_of(path)[1]] == cells_of(path, "goals")
    assert re.fullmatch(GOALS, cells_of(path)[1].source)


@each_lesson
def test_a_lesson_has_a_prediction_a_program_a_choice_and_a_repeated_question(path):
    exercises = exercises_of(path)
    assert {*map(kind_of, exercises.values())} == {"prediction", "function", "choice", "answer"}
    repeated = [texts["repeats"] for texts in exercises.values() if "repeats" in texts]
    assert len(repeated) == (path != LESSONS[0])  # the first lesson has nothing to repeat
    for name in repeated:
        (home,) = [book for book in [*LESSONS, *WALKS] if name in exercises_of(book)]
        needs = re.search(r"\*\*You need:\*\* .+", cells_of(path, "goals")[0].source)[0]
        assert home.name in needs, f"{name} is an exercise of {home.name}, which the lesson needs"


@each_notebook
def test_a_prediction_has_its_own_cell_before_the_value(path):
    sources = [cell.source for cell in cells_of(path)]
    names = names_of(path, "prediction")
    asked = [f'learn.predict("{name}", ...)' for name in names]
    assert [cell.source for cell in cells_of(path, "prediction")] == asked != []
    for name, source in zip(names, asked, strict=True):
        (compared,) = [i for i, text in enumerate(sources) if f'learn.compare("{name}", ' in text]
        assert compared > sources.index(source)


@each_notebook
def test_each_answer_has_its_own_name_and_a_solution_that_is_right(path):
    names = names_of(path, "answer", "choice", "function")
    asked, solved = cells_of(path, "exercise"), cells_of(path, "solution")
    for name, cell, solution in zip(names, asked, solved, strict=True):
        variable = variable_of(name)
        start = f"{variable} = ..."
        if name in names_of(path, "function"):
            signature = package_texts()[name]["function"]
            start = f"def {signature}:\n    # your code\n    return ...\n\n"
            assert solution.source.startswith(f"# solution\ndef {signature}:\n")
            function = ast.parse(solution.source).body[0]
            assert 2 <= function.end_lineno - function.lineno <= 10
        assert cell.source == f'{start}\nlearn.check("{name}", {variable})'
        assert f'learn.check("{name}", ' in solution.source
        assert cell.outputs[0].data["text/plain"].startswith(f"{name}: your turn.")
        assert solution.outputs[0].data["text/plain"].startswith(f"{name}: right.")


@each_lesson
def test_a_lesson_states_its_choices(path):
    text = "\n".join(prose_of(path))
    for name in names_of(path, "choice"):
        for letter, option in package_texts()[name]["options"].items():
            assert f"- **{letter}** {option}" in text
