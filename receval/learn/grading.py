"""Grade the lessons that students have handed in.

A notebook runs in a process of its own, in a clean folder. That process returns the values of the
answers, and the grading process decides whether they are right. So it doesn't matter what the
notebook shows, or whether it has changed `receval.learn.check`. This is not a sandbox.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from receval._checks import InputError, check_count, check_that, input_error
from receval._files import PACKAGE, check_folder
from receval._progress import progress_bar
from receval.learn.checking import judge
from receval.learn.feedback import Feedback
from receval.learn.plain import plain_answer
from receval.learn.predictions import read_prediction
from receval.learn.program import draw_inputs, judge_outcomes, program_of, run_function
from receval.learn.submission import Result, Task
from receval.learn.texts import (
    OWN_FILE,
    Exercise,
    exercise_texts,
    is_own,
    kind_of,
    package_texts,
    variable_of,
)

__all__ = ["Grade", "Grades", "grade"]

SECONDS = 120  # that a notebook may take
MEGABYTES = 4096  # of memory that a notebook may use, including the packages that it loads
MAX_NOTEBOOK = 2**25  # bytes of a submission
MAX_RESULT = 2**24  # bytes of the answers of a submission
CHECKERS = ("check", "predict")  # the functions of `learn` whose first argument is an exercise


@dataclass(frozen=True)
class Grade:
    """The grade of a student for a lesson.

    Attributes
    ----------
    student, lesson : str
        The student's folder, and the name of the notebook.
    feedback : dict of Feedback
        The feedback on each exercise of the lesson by name.
    problem : str
        Why the notebook could not be graded; "" if it was graded.
    failed_cells : dict of str
        The error of each code cell that failed, by its number.
    """

    student: str
    lesson: str
    feedback: Mapping[str, Feedback]
    problem: str = ""
    failed_cells: Mapping[str, str] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """The number of exercises that are right, and of predictions that were made."""
        return sum(feedback.verdict in ("right", "noted") for feedback in self.feedback.values())

    @property
    def failed(self) -> str:
        """The failure of the whole notebook, or some of its cells."""
        cells = [f"code cell {number}: {error}" for number, error in self.failed_cells.items()]
        return "; ".join([self.problem, *cells] if self.problem else cells)

    def names(self, *verdicts: str) -> str:
        """Return the names of the exercises with one of these verdicts."""
        return " ".join(
            name for name, feedback in self.feedback.items() if feedback.verdict in verdicts
        )


@dataclass(frozen=True)
class Grades:
    """The grades of all students for all lessons.

    Attributes
    ----------
    grades : list of Grade
        One for each student and lesson, also for lessons that a student didn't hand in.
    """

    grades: list[Grade]

    @property
    def all_graded(self) -> bool:
        """Whether every student has handed in every lesson, and each could be graded."""
        return not any(grade.problem for grade in self.grades)

    def table(self) -> pd.DataFrame:
        """Return a row for each student and lesson.

        Returns
        -------
        DataFrame
            The columns are the student, the lesson, the points, the number of exercises, the names
            of the exercises by verdict, and what failed.

        Examples
        --------
        >>> Grades([]).table().columns.tolist()
        ['student', 'lesson', 'points', 'of', 'right', 'wrong', 'open', 'failed']
        """
        rows = [
            (
                grade.student,
                grade.lesson,
                grade.points,
                len(grade.feedback),
                grade.names("right", "noted"),
                grade.names("nearly", "not yet"),
                grade.names("your turn"),
                grade.failed,
            )
            for grade in self.grades
        ]
        columns = ["student", "lesson", "points", "of", "right", "wrong", "open", "failed"]
        return pd.DataFrame(rows, columns=columns)

    def details(self) -> pd.DataFrame:
        """Return a row for each student and exercise, with the feedback.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> Grades([]).details().columns.tolist()
        ['student', 'lesson', 'exercise', 'verdict', 'feedback']
        """
        rows = [
            (grade.student, grade.lesson, name, feedback.verdict, feedback.says)
            for grade in self.grades
            for name, feedback in grade.feedback.items()
        ]
        columns = ["student", "lesson", "exercise", "verdict", "feedback"]
        return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class _Course:
    """The data that all submissions share: the texts, the exercises of each lesson, the limits."""

    texts: Mapping[str, Exercise]
    exercises: Mapping[str, list[str]]
    own_file: Path | None
    secret: str
    seconds: int
    megabytes: int


def grade(
    submissions: str | Path,
    notebooks: Sequence[str | Path],
    *,
    own_file: str | Path | None = None,
    lessons: Iterable[str] = (),
    secret: str = "",
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
    jobs: int = 1,
    progress: bool | None = None,
) -> Grades:
    """Grade the notebooks in ``submissions/<student>/<lesson>.ipynb``.

    Each notebook runs from the top in a process of its own, in an empty folder, with limits of
    time, memory, files and processes. This is not a sandbox: don't run code of strangers.

    Parameters
    ----------
    submissions : str or Path
        A folder with a folder for each student.
    notebooks : sequence of str or Path
        The lecturer's notebooks. They say which exercises a lesson has.
    own_file : str or Path, optional
        A lecturer's own exercises, a TOML file.
    lessons : iterable of str
        The lessons to grade. Default: all lessons that somebody has handed in.
    secret : str, default ""
        A word that students don't know. With it, the hidden inputs of programming tasks differ from
        those of the students' own checks.
    seconds : int, default 120
        How long a notebook may take.
    megabytes : int, default 4096
        How much memory a notebook may use. A limit below 2048 may stop harmless notebooks.
    jobs : int, default 1
        How many notebooks run at the same time.
    progress : bool, optional
        Whether to show a progress bar. Default: on a terminal.

    Returns
    -------
    Grades

    Raises
    ------
    InputError
        If there are no submissions, or there is no such lesson.
    """
    folder = check_folder(submissions, "submissions")
    check_that(folder.is_dir(), "submissions", "be a folder", str(submissions))
    own_path = Path(own_file) if own_file is not None else None
    texts = package_texts() if own_path is None else exercise_texts(own_path)
    exercises_by_lesson = {Path(path).stem: exercises_of(Path(path), texts) for path in notebooks}
    students = sorted(
        path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
    )
    check_that(students, "submissions", "hold a folder for each student", str(submissions))
    pairs = _pairs(students, list(lessons), exercises_by_lesson)
    check_that(pairs, "submissions", "hold notebooks, <student>/<lesson>.ipynb", str(submissions))
    course = _Course(
        texts,
        exercises_by_lesson,
        own_path,
        secret,
        check_count(seconds, "seconds"),
        check_count(megabytes, "megabytes"),
    )
    with ThreadPoolExecutor(check_count(jobs, "jobs")) as pool:
        results = pool.map(lambda pair: _grade_submission(pair[0], pair[1], course), pairs)
        bar = progress_bar(progress, results, total=len(pairs), unit="notebook", desc="grading")
        return Grades(list(bar))


def exercises_of(path: Path, texts: Mapping[str, Exercise]) -> list[str]:
    """Return the names of the exercises that a lecturer's notebook asks, in their order.

    Solutions name the same exercises again; each name counts once.
    """
    names = [name for call in _calls(code_cells(path)) if (name := _exercise_of(call)) in texts]
    return list(dict.fromkeys(names))


def code_cells(path: Path) -> list[str]:
    """Return the source of each code cell of a notebook; raise `InputError` if it can't be read."""
    import nbformat

    try:
        if path.stat().st_size > MAX_NOTEBOOK:
            raise InputError(f"the file has more than {MAX_NOTEBOOK // 2**20} megabytes")
        text = path.read_text(encoding="utf-8")
        with warnings.catch_warnings(action="ignore"):  # of cells without ids, which do no harm
            cells = nbformat.reads(text, as_version=4).cells  # type: ignore[no-untyped-call]
        return [str(cell.source) for cell in cells if cell.cell_type == "code"]
    except InputError:
        raise
    except RecursionError:
        raise InputError("the file is not a notebook: it has too many levels") from None
    except Exception as error:  # nbformat has many errors
        reason = str(error).partition("\n")[0][:100]
        raise InputError(f"the file is not a notebook: {type(error).__name__}: {reason}") from None


def _pairs(
    students: Sequence[Path], lessons: Sequence[str], exercises: Mapping[str, list[str]]
) -> list[tuple[Path, str]]:
    """Return the folders of students, each with the lessons to grade.

    If a notebook doesn't have the name of a lesson, it is listed for its own student only.
    """
    if lessons:
        chosen = [_lesson_of(lesson, exercises) for lesson in lessons]
        return [(student, lesson) for student in students for lesson in chosen]
    names_by_student = {
        student: sorted(path.stem for path in student.glob("*.ipynb")) for student in students
    }
    handed_in = {name for names in names_by_student.values() for name in names}
    chosen = [lesson for lesson in exercises if lesson in handed_in]
    pairs = []
    for student, names in names_by_student.items():
        others = [name for name in names if name not in exercises]
        pairs += [(student, lesson) for lesson in [*chosen, *others]]
    return pairs


def _lesson_of(name: str, exercises: Mapping[str, list[str]]) -> str:
    """Return the name of a lesson such as "01", "01_hits" or "01_hits.ipynb"; raise if unknown."""
    stem = name.removesuffix(".ipynb")
    for lesson in exercises:
        if lesson == stem or lesson.startswith(f"{stem}_"):
            return lesson
    raise input_error("lesson", "be the name of a lesson", name)


def _grade_submission(folder: Path, lesson: str, course: _Course) -> Grade:
    """Grade a student's notebook; whatever happens to it becomes part of the grade."""
    student = folder.name
    names = course.exercises.get(lesson)
    if not names:
        problem = "no lesson with exercises has this name"
        return Grade(student, lesson, {}, problem)
    nothing = {name: Feedback(name, "your turn", "not graded") for name in names}
    path = folder / f"{lesson}.ipynb"
    if not path.is_file():
        return Grade(student, lesson, nothing, f"{path.name} is missing")
    try:
        cells = code_cells(path)
        result = run_submission(cells, student, names, course)
    except InputError as error:
        return Grade(student, lesson, nothing, str(error))
    predictions = _predictions(cells)
    feedback = {name: _judge_exercise(name, student, result, predictions, course) for name in names}
    return Grade(student, lesson, feedback, "", result["failed"])


def run_submission(cells: list[str], student: str, names: Sequence[str], course: _Course) -> Result:
    """Run the cells of a submission in another process, and return the values of its answers.

    Raises `InputError` if the process takes too long, or ends without a result.
    """
    variables, functions = [], {}
    for name in names:
        texts = course.texts[name]
        if kind_of(texts) == "program":
            inputs = draw_inputs(name, program_of(name, texts), student, course.secret)
            functions[variable_of(name, texts)] = inputs
        elif kind_of(texts) != "prediction":
            variables.append(variable_of(name, texts))
    with TemporaryDirectory(prefix="receval-grade-", ignore_cleanup_errors=True) as temporary:
        root = Path(temporary)
        home, results = root / "home", root / "results"
        home.mkdir()
        results.mkdir()
        if course.own_file is not None:
            shutil.copy(course.own_file, home / OWN_FILE)
        task = Task(
            cells=cells,
            variables=variables,
            functions=functions,
            memory=course.megabytes * 2**20,
            seconds=course.seconds,
            result=str(results / "result.json"),
            place=str(results / "place"),
        )
        reason = _run_process(task, home, student, course.seconds)
        return _read_result(results, reason)


def _run_process(task: Task, home: Path, student: str, seconds: int) -> str:
    """Run a submission in a process of its own. Return why it ended early, or "".

    When it ends, or its time is up, all processes that it has started are ended too.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "receval.learn.submission"],
        cwd=home,
        env=_environment(home, student),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        process.communicate(json.dumps(task), timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"took longer than {seconds} seconds"
    except BrokenPipeError:  # the process ended before it read its task
        return "ended before it began"
    finally:
        _end(process)
    if process.returncode == 0:
        return ""
    if process.returncode < 0:
        return f"was ended by the system (signal {-process.returncode})"
    return f"ended its process with status {process.returncode}"


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and the processes that it has started.

    On Windows, the started processes can be found only while their parent runs. If the parent has
    ended by itself, they may go on. But notebooks aren't allowed to start processes.
    """
    if sys.platform == "win32":
        if process.poll() is None:
            with suppress(OSError):  # a system without this command
                subprocess.run(
                    ["taskkill", "/F", "/T", "/PID", str(process.pid)],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
    else:
        # The process leads a group of its own, which holds the processes that it has started.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _environment(home: Path, student: str) -> dict[str, str]:
    """Return the variables for a submission: those that Python needs, and no secrets."""
    kept_names = (
        "PATH",
        "LANG",
        "LC_ALL",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "RECEVAL_DATA",
        "VIRTUAL_ENV",
    )
    environment = {name: os.environ[name] for name in kept_names if name in os.environ}
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment |= {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "USERPROFILE": str(home),  # the home folder on Windows
        "IPYTHONDIR": str(home / ".ipython"),
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",  # each thread would take address space from the notebook
        "RECEVAL_STUDENT": student,
    }
    # Without its list of fonts, matplotlib would look for fonts again in each submission.
    with suppress(ImportError, OSError):
        import matplotlib

        cache = home / ".matplotlib"
        cache.mkdir()
        for path in Path(matplotlib.get_cachedir()).glob("fontlist*.json"):
            shutil.copy(path, cache)
        environment["MPLCONFIGDIR"] = str(cache)
    return environment


def _read_result(results: Path, reason: str) -> Result:
    """Return the result that a submission's process has written. Raise if there is none.

    The notebook may have written the file, so its content is not trusted.
    """
    place = _read_place(results / "place")
    if reason:
        raise InputError(f"the notebook {reason}{place}")
    path = results / "result.json"
    try:
        if path.stat().st_size > MAX_RESULT:
            raise InputError("the notebook has answers that are too long")
        content = json.loads(path.read_text(encoding="utf-8"))
        result = Result(
            values=dict(content["values"]),
            unreadable={str(k): str(v) for k, v in dict(content["unreadable"]).items()},
            outcomes={
                str(name): [
                    {"value": outcome["value"], "error": str(outcome["error"])}
                    for outcome in outcomes
                ]
                for name, outcomes in dict(content["outcomes"]).items()
            },
            failed={str(k): str(v) for k, v in dict(content["failed"]).items()},
        )
    except OSError:
        raise InputError(f"the notebook ended its process{place}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError("the notebook has damaged the file of its answers") from None
    return result


def _read_place(path: Path) -> str:
    """Return in which cell the notebook ended, as a part of a sentence; "" if that is unknown."""
    try:
        number = path.read_text(encoding="utf-8")[:10]
    except (OSError, UnicodeDecodeError):
        return ""
    if number == "0":
        return ", in a function of a programming task"
    return f", in code cell {number}" if number.isdecimal() else ""


def _judge_exercise(
    name: str,
    student: str,
    result: Result,
    predictions: Mapping[str, ast.expr],
    course: _Course,
) -> Feedback:
    """Return the feedback on an exercise of a submission."""
    texts = course.texts[name]
    kind = kind_of(texts)
    if kind == "prediction":
        return _judge_prediction(name, texts, predictions.get(name))
    variable = variable_of(name, texts)
    if kind == "program":
        if variable not in result["outcomes"]:
            return Feedback(name, "your turn", f"there is no function {variable}")
        inputs = draw_inputs(name, program_of(name, texts), student, course.secret)
        outcomes = result["outcomes"][variable]
        if len(outcomes) != len(inputs):
            return Feedback(name, "not yet", "the notebook has changed its outcomes")
        return judge_outcomes(name, texts, inputs, outcomes)
    if variable in result["unreadable"]:
        return Feedback(name, "not yet", result["unreadable"][variable])
    return judge(name, texts, result["values"].get(variable))


def _judge_prediction(name: str, texts: Exercise, written: ast.expr | None) -> Feedback:
    """Return whether a prediction was made.

    Any expression counts, but a literal has to fit the question.
    """
    if written is None:
        return Feedback(name, "your turn", "no prediction")
    try:
        literal = ast.literal_eval(written)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Feedback(name, "noted", "a prediction was made")
    if literal is ... or literal is None:
        return Feedback(name, "your turn", "no prediction")
    try:
        is_valid = read_prediction(texts, plain_answer(literal)) is not None
    except TypeError:
        is_valid = False
    if is_valid:
        return Feedback(name, "noted", "a prediction was made")
    return Feedback(name, "not yet", "the prediction is not what the question asks for")


def _predictions(cells: Iterable[str]) -> dict[str, ast.expr]:
    """Return what is written as the prediction in each call of ``learn.predict``, by name."""
    predictions = {}
    for call in _calls(cells):
        if getattr(call.func, "attr", "") == "predict" and len(call.args) >= 2:
            predictions[_exercise_of(call)] = call.args[1]
    return predictions


def _calls(cells: Iterable[str]) -> list[ast.Call]:
    """Return the calls of ``learn.check`` and ``learn.predict`` in the cells that are Python."""
    calls = []
    for source in cells:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue  # a magic command of IPython, or an error of the student
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CHECKERS:
                calls.append(node)
    return calls


def _exercise_of(call: ast.Call) -> str:
    """Return the first argument of a call if it is a text, and otherwise ""."""
    if call.args and isinstance(call.args[0], ast.Constant):
        return str(call.args[0].value)
    return ""


def check_own_exercises(path: Path) -> list[str]:
    """Return what is wrong with a lecturer's own exercises; an empty list if all are right.

    Each exercise has to accept its own answer, name each of its mistakes, and reject its wrong
    answers. A programming task has to recognise each slip with the hidden inputs of several
    students.
    """
    if not path.is_file():
        raise input_error("exercises", "be a TOML file", str(path))
    texts_by_name = exercise_texts(path)
    faults = []
    for name, texts in texts_by_name.items():
        if is_own(name):
            faults += [f"{name}: {fault}" for fault in _faults(name, texts)]
    return faults


def _faults(name: str, texts: Exercise) -> list[str]:
    """Return what is wrong with an exercise of a lecturer."""
    kind = kind_of(texts)
    if kind == "prediction":
        return []
    if kind == "program":
        return _faults_of_program(name, texts)
    if kind == "choice":
        return _faults_of_choice(texts)
    return _faults_of_answers(name, texts)


def _faults_of_choice(texts: Exercise) -> list[str]:
    """Return what is wrong with a multiple-choice question of a lecturer."""
    options, reasons = texts.get("options"), texts.get("reasons", {})
    if not isinstance(options, dict) or texts["choice"] not in options:
        return ["options must be a table of letters that holds the choice"]
    missing = sorted(set(options) - {texts["choice"]} - set(reasons))
    return [f"reasons.{letter} is missing" for letter in missing]


def _faults_of_answers(name: str, texts: Exercise) -> list[str]:
    """Return what is wrong with the answer, the mistakes and the wrong answers of a lecturer."""
    if "answer" not in texts:
        return ["answer is missing"]
    faults = []
    if not _is_accepted(name, texts, texts["answer"]):
        faults.append("its own answer does not count as right")
    mistakes, wrong_answers = texts.get("mistakes", {}), texts.get("wrong_answers", {})
    unpaired = sorted(set(mistakes) ^ set(wrong_answers))
    faults += [f"mistakes.{key} and wrong_answers.{key} must both exist" for key in unpaired]
    rejected = [*wrong_answers.values(), *texts.get("wrong", [])]
    if not rejected:
        faults.append("wrong is missing: list plausible wrong answers that must be rejected")
    if not unpaired:
        accepted = [wrong for wrong in rejected if _is_accepted(name, texts, wrong)]
        faults += [f"the wrong answer {wrong!r} counts as right" for wrong in accepted]
    return faults


def _is_accepted(name: str, texts: Exercise, answer: object) -> bool:
    """Return whether an answer counts as right."""
    try:
        return bool(judge(name, texts, plain_answer(answer)))
    except TypeError:
        return False


def _faults_of_program(name: str, texts: Exercise) -> list[str]:
    """Return what is wrong with a programming task of a lecturer."""
    if "program" not in texts:
        return ["program is missing: Python code with the functions inputs and right"]
    try:
        program = program_of(name, texts)
    except InputError as error:
        return [str(error)]
    faults = []
    for student in ("", "ann", "ben"):
        inputs = draw_inputs(name, program, student)
        if not judge_outcomes(name, texts, inputs, run_function(program.right, inputs)):
            faults.append("its own function right does not count as right")
        for slip, function in program.slips.items():
            feedback = judge_outcomes(name, texts, inputs, run_function(function, inputs))
            if feedback.says != texts.get("mistakes", {})[slip]:
                faults.append(f"the inputs don't distinguish the slip {slip}")
    return list(dict.fromkeys(faults))
