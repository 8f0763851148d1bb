"""The command ``receval grade``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from textwrap import fill

from receval._checks import InputError
from receval._escape import for_terminal
from receval._files import check_writable, notebook_paths, notebooks_folder, write_atomically
from receval.cli.ledgers import check_installed
from receval.cli.options import Commands, add_command
from receval.learn import grading

NO_SANDBOX = (
    "The limits keep a careless notebook from harming this machine. They are not a sandbox: run "
    "strangers' notebooks in a virtual machine or a container."
)


def add_grade(commands: Commands) -> None:
    """Add the command ``receval grade``."""
    parser = add_command(
        commands,
        "grade",
        grade,
        summary="Grade the lessons that students have handed in.",
        description=f"""\
Read submissions/<student>/<lesson>.ipynb, run each notebook from the top in a process of its
own, and write the points of each student and lesson. Stored outputs don't count. Changing
learn.check in a notebook has no effect, because this command judges the answers itself. Each
exercise is worth one point: predictions count if they were made, all others if they are right.
The exit status is 0 if every notebook could be graded, and 1 if one is missing or broken, never
ends, or is too large.

{fill(NO_SANDBOX, 96)}""",
        example="receval grade submissions --output grades.csv",
    )
    parser.add_argument(
        "submissions",
        nargs="?",
        type=Path,
        help="folder with a folder for each student, whose name is the student's id",
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        default=Path("grades.csv"),
        metavar="FILE",
        help="CSV file with a row for each student and lesson (default: %(default)s)",
    )
    parser.add_argument(
        "--details",
        type=Path,
        metavar="FILE",
        help="CSV file with a row for each student and exercise, with the feedback",
    )
    parser.add_argument(
        "--lesson",
        action="append",
        default=[],
        metavar="NAME",
        help="a lesson to grade, such as 01 or 01_hits; may be repeated (default: all lessons "
        "that somebody has handed in)",
    )
    parser.add_argument(
        "--exercises",
        type=Path,
        metavar="FILE",
        help="your own exercises, a TOML file in the folder of your own notebooks",
    )
    parser.add_argument(
        "--check-exercises",
        type=Path,
        metavar="FILE",
        help="check a file of exercises, and grade nothing",
    )
    parser.add_argument(
        "--secret",
        default="",
        metavar="WORD",
        help="a word that students don't know; it changes the hidden inputs of programming tasks",
    )
    parser.add_argument(
        "--seconds",
        type=int,
        default=grading.SECONDS,
        metavar="N",
        help="seconds that a notebook may take (default: %(default)s)",
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=grading.MEGABYTES,
        metavar="N",
        help="megabytes that a notebook may use, including its packages (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="number of notebooks to run at a time (default: %(default)s)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def grade(arguments: argparse.Namespace) -> int:
    """Run ``receval grade`` and return its exit status."""
    if arguments.check_exercises is not None:
        return _check_exercises(arguments.check_exercises)
    if arguments.submissions is None:
        raise InputError("submissions must be a folder with a folder for each student; got none")
    check_installed("nbformat", "IPython")
    outputs = [arguments.output, arguments.details]
    for path, name in zip(outputs, ("output", "details"), strict=True):
        if path is not None:
            check_writable(path, name)  # before the work, not after it
    notebooks = notebook_paths(notebooks_folder() / "learn")
    if arguments.exercises is not None:
        notebooks += sorted(arguments.exercises.resolve().parent.glob("*.ipynb"))
    grades = grading.grade(
        arguments.submissions,
        notebooks,
        own_file=arguments.exercises,
        lessons=arguments.lesson,
        secret=arguments.secret,
        seconds=arguments.seconds,
        megabytes=arguments.memory,
        jobs=arguments.jobs,
        progress=False if arguments.quiet else None,
    )
    write_atomically(arguments.output, lambda file: grades.table().to_csv(file, index=False))
    if arguments.details is not None:
        write_atomically(arguments.details, lambda file: grades.details().to_csv(file, index=False))
    _print_grades(grades)
    print(f"Written to {for_terminal(arguments.output)}. {NO_SANDBOX}")
    return 0 if grades.all_graded else 1


def _print_grades(grades: grading.Grades) -> None:
    """Print the points of each student, and what failed."""
    for grade_ in grades.grades:
        name = f"{for_terminal(grade_.student)}, {for_terminal(grade_.lesson)}"
        if grade_.problem:
            print(f"NOT GRADED {name}: {for_terminal(grade_.problem)}")
        else:
            print(f"{name}: {grade_.points} of {len(grade_.feedback)} points")
        for number, error in grade_.failed_cells.items():
            print(f"  code cell {for_terminal(number)} fails with {for_terminal(error)}")
    n_graded = sum(not grade_.problem for grade_ in grades.grades)
    print(f"\n{n_graded} of {len(grades.grades)} notebooks graded")


def _check_exercises(path: Path) -> int:
    """Check a lecturer's own exercises, print what is wrong, and return the exit status."""
    faults = grading.check_own_exercises(path)
    for fault in faults:
        print(for_terminal(fault))
    if faults:
        return 1
    print(f"{for_terminal(path)}: all exercises accept their answers and reject wrong ones")
    return 0
