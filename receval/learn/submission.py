"""Run one submission in this process, and write the values of its answers to a file.

`receval.learn.grading` starts ``python -m receval.learn.submission``. It is not a sandbox: the
limits keep a careless notebook from harming the machine, but they don't stop a malicious one.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import TypedDict

from receval.learn.plain import Plain, plain_answer
from receval.learn.program import Inputs, Outcome, run_function

__all__ = ["Task"]

MAX_FILE = 2**26  # bytes of a file that a notebook may write
SPARE_PROCESSES = 64  # processes and threads that a notebook may start
FORBIDDEN = (
    "_winapi.CreateProcess",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "subprocess.Popen",
)


class Task(TypedDict):
    """A submission to run: the cells, the names that hold answers, and the limits.

    ``functions`` maps the name of each function to the inputs of its programming task. ``result``
    is the file for the values, and ``place`` the file for the number of the running cell.
    """

    cells: list[str]
    variables: list[str]
    functions: dict[str, Inputs]
    memory: int
    seconds: int
    result: str
    place: str


class Result(TypedDict):
    """The values of a submission's answers, and the cells that failed, by number."""

    values: dict[str, Plain]
    unreadable: dict[str, str]
    outcomes: dict[str, list[Outcome]]
    failed: dict[str, str]


def main() -> None:
    """Run the submission that standard input describes as JSON."""
    task: Task = json.load(sys.stdin)
    # Throw away whatever the notebook prints, also what it writes to the file descriptors.
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    # Import before the limits are set, because these packages may start processes of their own.
    from IPython.core.interactiveshell import InteractiveShell

    # Notebooks say `%matplotlib inline`, but there isn't a page here to show figures on.
    InteractiveShell.enable_gui = lambda *_: None  # type: ignore[method-assign]
    with suppress(ImportError):
        import matplotlib.pyplot  # noqa: F401
    set_limits(task["memory"], task["seconds"])
    result = run_cells(InteractiveShell.instance(), task)
    with Path(task["result"]).open("w", encoding="utf-8") as file:
        json.dump(result, file)
    os._exit(0)  # threads that the notebook has started must not keep the process alive


def set_limits(memory: int, seconds: int) -> None:
    """Limit memory (in bytes), processor time, files and processes, as far as the system can."""
    sys.addaudithook(refuse_processes)
    try:
        import resource
    except ImportError:  # Windows; the parent process still ends the notebook in time
        return
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: seconds + 5,
        resource.RLIMIT_FSIZE: MAX_FILE,
        resource.RLIMIT_CORE: 0,
    }
    # The system counts all processes and threads of the user, and so does the limit.
    n_processes = count_processes()
    if n_processes:
        limits[resource.RLIMIT_NPROC] = n_processes + SPARE_PROCESSES
    for kind, limit in limits.items():
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)  # noqa: PLW2901
        with suppress(ValueError, OSError):  # macOS refuses some limits, such as RLIMIT_AS
            resource.setrlimit(kind, (limit, limit))


def refuse_processes(event: str, arguments: tuple[object, ...]) -> None:  # noqa: ARG001
    """Raise if the notebook starts a process; Python calls this before each such step."""
    if event in FORBIDDEN:
        raise PermissionError("receval grade lets no notebook start a process")


def count_processes() -> int:
    """Return the number of processes and threads of this user; 0 if the system doesn't say."""
    n = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process may have ended
            if folder.stat().st_uid == os.getuid():
                n += len(list((folder / "task").iterdir()))
    return n


def run_cells(shell: object, task: Task) -> Result:
    """Run all cells, also those after a cell that fails, and return the values of the answers."""
    failed = {}
    for number, source in enumerate(task["cells"], start=1):
        Path(task["place"]).write_text(str(number), encoding="utf-8")
        executed = shell.run_cell(source)  # type: ignore[attr-defined]
        error = executed.error_before_exec or executed.error_in_exec
        if error is not None:
            failed[str(number)] = f"{type(error).__name__}: {error}"[:200]
    names: dict[str, object] = shell.user_ns  # type: ignore[attr-defined]
    Path(task["place"]).write_text("0", encoding="utf-8")
    result = Result(values={}, unreadable={}, outcomes={}, failed=failed)
    for variable in task["variables"]:
        try:
            result["values"][variable] = plain_answer(names.get(variable))
        except Exception as error:  # the value may be of a class of the notebook
            result["unreadable"][variable] = f"{type(error).__name__}: {error}"[:200]
    for function_name, inputs in task["functions"].items():
        function = names.get(function_name)
        if isinstance(function, FunctionType):
            result["outcomes"][function_name] = run_function(function, inputs)
    return result


if __name__ == "__main__":
    main()
