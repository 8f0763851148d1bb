"""Grading: submissions that are right, wrong, broken, endless, too large or dishonest."""

import textwrap
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from systems import needs_limits

from receval import InputError, cli
from receval._files import notebook_paths, notebooks_folder
from receval.learn import grading

LEARN = notebooks_folder() / "learn"
LESSON = "01_hits"
NAMES = ["hits.again", "hits.p1", "hits.1", "hits.2", "hits.code", "hits.choice"]
RIGHT = """\
answer_hits_again = [7]
answer_hits_1 = "25 %"
answer_hits_2 = (1 + 1 / 4 + 1 / 5) / 3
answer_hits_choice = "C."
"""
PREDICTION = 'from receval import learn\nlearn.predict("hits.p1", 0.9)'
FUNCTION = """\
def my_reciprocal_rank(grades, k):
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            return 1 / rank
    return 0
"""
# What a student may do to be graded better than deserved.
FORGERY = """\
import receval.learn
from receval.learn import checking, feedback, plain, program
always = feedback.Feedback("hits.1", "right", "of course")
receval.learn.check = checking.check = checking.judge = lambda *_: always
plain.agrees = program.judge_outcomes = lambda *_, **__: always
answer_hits_1 = 17
class Anything(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
answer_hits_2 = Anything(9)
def my_reciprocal_rank(grades, k): return Anything(9)
"""
BAD_CELLS = (
    "hog = bytearray(2**33)",
    'print("x" * 10**7)',
    "import subprocess\nsubprocess.run(['sleep', '600'])",
    "answer_hits_1 = {1}",
    "answer_hits_2 = 'x' * 10**6",
    "answer = (",
    RIGHT.splitlines()[0],
    FUNCTION,
)


def hand_in(folder, student, *cells, lesson=LESSON, outputs=()):
    """Write a submission."""
    path = folder / student / f"{lesson}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    code = [new_code_cell(textwrap.dedent(cell), outputs=list(outputs)) for cell in cells]
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A lesson"), *code]), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Submissions of a course, good and bad ones."""
    folder = tmp_path_factory.mktemp("submissions")
    hand_in(folder, "ann", RIGHT, PREDICTION, "%matplotlib inline", FUNCTION)
    shown = [nbformat.v4.new_output("stream", text="hits.1: right")]
    unpredicted = PREDICTION.replace("0.9", "...")
    hand_in(folder, "ben", "1 / 0", FORGERY, unpredicted, outputs=shown)
    (folder / "cem").mkdir()
    (folder / "cem" / f"{LESSON}.ipynb").write_text('{"cells": [', encoding="utf-8")
    (folder / "dora").mkdir()
    hand_in(folder, "fay", RIGHT, "import os\nos._exit(0)")
    hand_in(folder, "gil", *BAD_CELLS)
    (folder / "notes.txt").write_text("not a student", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def grades(folder):
    """The grades of these submissions by student."""
    notebooks = notebook_paths(LEARN)
    result = grading.grade(folder, notebooks, jobs=2, progress=False)
    assert not result.all_graded
    return result


def by_student(grades):
    return {grade.student: grade for grade in grades.grades}


def test_everybody_is_graded_once(grades):
    assert list(by_student(grades)) == ["ann", "ben", "cem", "dora", "fay", "gil"]
    assert {grade.lesson for grade in grades.grades} == {LESSON}
    assert all(list(grade.feedback) == NAMES for grade in grades.grades)


def test_right_answers_and_a_prediction_have_all_points(grades):
    ann = by_student(grades)["ann"]
    assert (ann.points, ann.problem, dict(ann.failed_cells)) == (6, "", {})


def test_neither_stored_outputs_nor_changes_of_receval_give_points(grades):
    ben = by_student(grades)["ben"]
    assert (ben.points, ben.problem) == (0, "")
    assert ben.names("not yet") == "hits.1 hits.2 hits.code"
    assert ben.failed == "code cell 1: ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("student", "problem"),
    [
        ("cem", "the file is not a notebook: NotJSONError"),
        ("dora", "01_hits.ipynb is missing"),
        ("fay", "the notebook ended its process, in code cell 2"),
    ],
)
def test_what_can_not_be_graded_is_named(grades, student, problem):
    grade = by_student(grades)[student]
    assert grade.problem.startswith(problem)
    assert grade.points == 0


@needs_limits
def test_a_cell_beyond_the_limits_fails_and_the_others_count(grades):
    gil = by_student(grades)["gil"]
    assert gil.problem == ""
    names = {number: error.partition(":")[0] for number, error in gil.failed_cells.items()}
    # From Python 3.13 on, a cell that ends too early raises a subclass of SyntaxError.
    names["6"] = names["6"].replace("_IncompleteInputError", "SyntaxError")
    assert names == {
        "1": "MemoryError",
        "3": "PermissionError",
        "6": "SyntaxError",
    }
    assert gil.names("right") == "hits.again hits.code"
    assert gil.names("not yet") == "hits.1 hits.2"
    assert "no order" in gil.feedback["hits.1"].says


def test_on_windows_the_processes_of_an_endless_notebook_are_ended_before_it(monkeypatch):
    """taskkill finds the processes that another one has started only while that one runs."""
    calls = []
    monkeypatch.setattr(grading.sys, "platform", "win32")
    monkeypatch.setattr(grading.subprocess, "run", lambda command, **_: calls.append(command))
    process = SimpleNamespace(
        pid=42,
        poll=lambda: None,
        kill=lambda: calls.append("kill"),
        wait=lambda: calls.append("wait"),
    )
    grading._end(process)
    assert calls == [["taskkill", "/F", "/T", "/PID", "42"], "kill", "wait"]


def test_an_endless_notebook_is_ended(tmp_path):
    hand_in(tmp_path, "emil", "import time\ntime.sleep(600)")
    (grade,) = grading.grade(tmp_path, notebook_paths(LEARN), seconds=3, progress=False).grades
    assert grade.problem.startswith("the notebook took longer than 3 seconds")


def test_the_command_writes_the_grades_and_says_that_it_is_not_a_sandbox(
    folder, grades, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(grading, "grade", lambda *_, **__: grades)
    output, details = tmp_path / "grades.csv", tmp_path / "details.csv"
    assert cli.main(["grade", str(folder), "--output", str(output), "--details", str(details)]) == 1
    printed = capsys.readouterr().out
    assert "ann, 01_hits: 6 of 6 points" in printed
    assert "NOT GRADED dora, 01_hits: 01_hits.ipynb is missing" in printed
    assert "not a sandbox" in printed
    table = pd.read_csv(output, keep_default_na=False).set_index("student")
    assert table["points"].to_dict()["gil"] == 2
    assert table.loc["ann", "right"] == " ".join(NAMES)
    assert table.loc["fay", "failed"] == "the notebook ended its process, in code cell 2"
    assert len(pd.read_csv(details)) == len(table) * len(NAMES)


def test_a_notebook_without_a_lesson_is_named_for_its_student(tmp_path):
    hand_in(tmp_path, "ann", "1", lesson="my_lesson")
    result = grading.grade(tmp_path, notebook_paths(LEARN), progress=False)
    (grade,) = result.grades
    assert grade.problem == "no lesson with exercises has this name"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lessons": ["77"]}, "lesson must be the name of a lesson; got 77"),
        ({"seconds": 0}, "seconds must be a positive integer"),
    ],
)
def test_grade_refuses(folder, arguments, message):
    with pytest.raises(InputError, match=message):
        grading.grade(folder, notebook_paths(LEARN), **arguments)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="submissions must hold a folder for each student"):
        grading.grade(tmp_path, notebook_paths(LEARN))


OWN = '''
[mine.1]
question = "What is half of 3?"
answer = 1.5
hint = "Divide."
mistakes.twice = "You doubled it."
wrong_answers.twice = 6
wrong = [1, "no"]

[mine.p1]
question = "More or less?"
prediction = true
options = ["more", "less"]

[mine.code]
question = "Halve a number."
function = "my_half(x)"
mistakes.floor = "You rounded down."
program = """
def inputs(rng):
    return [(1,), (4,), (int(rng.integers(5, 9)),)]
def right(x):
    return x / 2
def floor(x):
    return x // 2
"""

[mine.choice]
question = "Which?"
choice = "a"
options.a = "this"
options.b = "that"
reasons.b = "No."
'''


def test_a_lecturer_s_own_exercises_are_checked(tmp_path, capsys):
    file = tmp_path / "exercises.toml"
    file.write_text(OWN, encoding="utf-8")
    assert cli.main(["grade", "--check-exercises", str(file)]) == 0
    assert "all exercises accept their answers" in capsys.readouterr().out


@pytest.mark.long
def test_a_lecturer_s_own_exercises_are_graded(tmp_path):
    course, submissions = tmp_path / "course", tmp_path / "submissions"
    course.mkdir()
    file = course / "exercises.toml"
    file.write_text(OWN, encoding="utf-8")
    asked = ["1", "code", "choice"]
    calls = [f'learn.check("mine.{number}", x)' for number in asked]
    calls.append('learn.predict("mine.p1", ...)')
    original = new_notebook(cells=[new_code_cell(call) for call in calls])
    nbformat.write(original, course / "halves.ipynb")
    cells = [
        "from receval import learn\nanswer_mine_1 = 1.5\nassert learn.check('mine.1', 1.5)",
        "answer_mine_choice = 'b'",
        "def my_half(x):\n    return x // 2",
        "learn.predict('mine.p1', 'less')",
    ]
    hand_in(submissions, "ann", *cells, lesson="halves")
    options = ["--exercises", str(file), "--output", str(tmp_path / "grades.csv"), "--quiet"]
    assert cli.main(["grade", str(submissions), *options]) == 0
    row = pd.read_csv(tmp_path / "grades.csv", keep_default_na=False).iloc[0]
    assert (row["right"], row["wrong"], row["failed"]) == (
        "mine.1 mine.p1",
        "mine.code mine.choice",
        "",
    )


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("wrong = [1", "wrong = [1.5", "mine.1: the wrong answer 1.5 counts as right"),
        ("answer = 1.5", "", "mine.1: answer is missing"),
        ("wrong_answers.twice = 6", "", "mine.1: mistakes.twice and wrong_answers.twice must both"),
        ("return x // 2", "return x / 2", "mine.code: the inputs don't distinguish the slip floor"),
        ("def floor", "def flour", "mine.code: program of mine.code must define the functions"),
        ('reasons.b = "No."', "", "mine.choice: reasons.b is missing"),
        ('choice = "a"', 'choice = "z"', "mine.choice: options must be a table of letters"),
    ],
)
def test_faults_of_a_lecturer_s_exercises_are_named(tmp_path, capsys, old, new, fault):
    assert old in OWN
    file = tmp_path / "exercises.toml"
    file.write_text(OWN.replace(old, new, 1), encoding="utf-8")
    assert cli.main(["grade", "--check-exercises", str(file)]) == 1
    assert fault in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[mine", "must be a TOML file of exercises"),
        ("[mine.1]\nanswer = 3", r"must hold tables such as .*; got \[mine.1\]"),
        ("mine = 3", r"must hold tables such as .*; got \[mine\]"),
        ('[hits.1]\nquestion = "?"', "must name its exercises differently .*; got hits.1"),
    ],
)
def test_a_file_without_exercises_is_refused(tmp_path, capsys, content, message):
    file = tmp_path / "exercises.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        grading.check_own_exercises(file)


def test_the_example_on_the_page_for_lecturers_is_right(tmp_path):
    page = (LEARN / "teaching.md").read_text(encoding="utf-8")
    file = tmp_path / "exercises.toml"
    file.write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    assert grading.check_own_exercises(file) == []
