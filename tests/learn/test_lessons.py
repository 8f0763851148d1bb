"""The goals, predictions and tasks of lessons. A lesson with a cell of goals must have them all."""

import ast
import re

import nbformat
import pytest
from exercises import exercises_of, variable_of

from receval._files import notebook_paths, notebooks_folder
from receval.learn.texts import kind_of, package_texts

LEARN = [path for path in notebook_paths(notebooks_folder()) if path.parent.name == "lessons"]
WALKS = [path for path in notebook_paths(notebooks_folder()) if path.parent.name == "walks"]
LESSONS = [path for path in LEARN if path.stem[:2].isdigit()]  # the project is no lesson


def cells_of(path, *tags):
    """Return the cells of a notebook that have one of the tags, or all cells."""
    cells = nbformat.read(path, 4).cells
    return [cell for cell in cells if not tags or {*tags} & {*cell.metadata.get("tags", [])}]


def test_each_exercise_is_asked_by_a_lesson_or_a_walk():
    asked = {name for path in [*LESSONS, *WALKS] for name in exercises_of(path)}
    assert asked == set(package_texts())


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_opens_with_goals_needs_and_minutes(path):
    second = nbformat.read(path, 4).cells[1]
    assert second.metadata.tags == ["goals"]
    lines = second.source.splitlines()
    assert lines[0] == "**After this lesson**"
    goals = [line for line in lines if line.startswith("- ")]
    assert 1 <= len(goals) <= 3
    assert all(re.fullmatch(r"- You can .+\.", goal) for goal in goals)
    assert re.search(r"^\*\*You need:\*\* .+\.$", second.source, flags=re.M)
    assert re.search(
        r"^\*\*Time:\*\* \d+ minutes to read, \d+ to work\.$", second.source, flags=re.M
    )


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_a_prediction_a_program_a_choice_and_a_repeated_question(path):
    exercises = exercises_of(path)
    kinds = [kind_of(texts) for texts in exercises.values()]
    assert {"prediction", "program", "choice", "answer"} <= {*kinds}
    repeated = [texts["repeats"] for texts in exercises.values() if "repeats" in texts]
    if path == LESSONS[0]:
        assert not repeated, "the first lesson has nothing to repeat"
        return
    (name,) = repeated
    (home,) = [notebook for notebook in [*LESSONS, *WALKS] if name in exercises_of(notebook)]
    needs = re.search(r"\*\*You need:\*\* .+", cells_of(path, "goals")[0].source)[0]
    assert home.name in needs, f"{name} is an exercise of {home.name}, which the lesson needs"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_prediction_has_its_own_cell_before_the_value(path):
    cells = nbformat.read(path, 4).cells
    predictions = [
        name for name, texts in exercises_of(path).items() if kind_of(texts) == "prediction"
    ]
    assert predictions
    sources = [cell.source for cell in cells]
    for name in predictions:
        place = sources.index(f'learn.predict("{name}", ...)')
        assert cells[place].metadata.tags == ["prediction"]
        (compared,) = [
            i for i, source in enumerate(sources) if f'learn.compare("{name}", ' in source
        ]
        assert compared > place


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_each_answer_has_its_own_name_and_a_solution_that_is_right(path):
    exercises = exercises_of(path)
    answered = {name for name, texts in exercises.items() if kind_of(texts) != "prediction"}
    asked, solved = cells_of(path, "exercise"), cells_of(path, "solution")
    assert len(asked) == len(solved) == len(answered)
    for cell, solution in zip(asked, solved, strict=True):
        (call,) = re.findall(r'^learn\.check\("([\w.]+)", (\w+)\)$', cell.source, flags=re.M)
        name, variable = call
        assert variable == variable_of(name)
        if kind_of(exercises[name]) == "program":
            signature = exercises[name]["function"]
            start = f"def {signature}:\n    # your code\n    return ...\n"
            assert cell.source.startswith(start)
            assert solution.source.startswith(f"# solution\ndef {signature}:\n")
            (function,) = [
                node
                for node in ast.parse(solution.source).body
                if isinstance(node, ast.FunctionDef)
            ]
            assert 2 <= function.end_lineno - function.lineno <= 10
        else:
            assert cell.source.startswith(f"{variable} = ...\n")
        assert f'learn.check("{name}", ' in solution.source
        assert cell.outputs[0].data["text/plain"].startswith(f"{name}: your turn.")
        assert solution.outputs[0].data["text/plain"].startswith(f"{name}: right.")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_states_its_choices(path):
    text = "\n".join(cell.source for cell in cells_of(path) if cell.cell_type == "markdown")
    for texts in exercises_of(path).values():
        if kind_of(texts) == "choice":
            for letter, option in texts["options"].items():
                assert f"- **{letter}** {option}" in text
