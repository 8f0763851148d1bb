"""Mutation testing: every change of the code that mutmut makes must fail a test.

mutmut writes the mutants and notes which tests call which function. This program then tries the
mutants, some thousand of them. It collects the tests once, forks a process for each mutant, and
runs the fastest test first. It prints every survivor and, by module, the share of killed mutants.
A mutant that uses far more processor time than its tests need counts as killed. Time on the clock
kills no mutant, because other programs influence it. This program needs fork and limits of memory
and time, so it doesn't run on Windows. If GIVE_UP is set in the environment, a mutant that is alive
after that many seconds of processor time counts as a survivor.

    python -m tests.mutants --anew     # from scratch, after the tests or the code changed
    python -m tests.mutants            # mutants that were not tried yet
    python -m tests.mutants ids find   # again, mutants with both words in their names
    python -m tests.mutants --report   # the results so far
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile(
    "mutants",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)

WANTED = 0.9
MUTANTS = Path("mutants").resolve()
SURVIVED, NO_TEST = 0, 33  # exit codes, as mutmut notes them
ALIVE = (SURVIVED, NO_TEST)
MEMORY = 4 << 30  # bytes: what asks for more fails
IMPORTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # hypothesis, by this file


class Trial:
    """Runs the tests of each mutant until one fails, instead of running all tests once."""

    def __init__(self, words, processes):
        self.words, self.processes = words, processes
        self.failed = False

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def pytest_runtestloop(self, session):
        from mutmut.utils.format_utils import mangled_name_from_mutant_name

        timed = json.loads((MUTANTS / "mutmut-stats.json").read_text(encoding="utf-8"))
        self.seconds, callers = timed["duration_by_test"], timed["tests_by_mangled_function_name"]
        items = {item.nodeid: item for item in session.items}
        running = {}
        for path, name in self.wanted():
            tests = callers.get(mangled_name_from_mutant_name(name), ())
            tests = [items[one] for one in tests if one in items]
            if not tests:
                note(path, name, NO_TEST)
                continue
            if len(running) == self.processes:
                finish(running)
            folder = tempfile.mkdtemp()
            tests.sort(key=lambda item: self.seconds[item.nodeid])
            child = os.fork() or self.run(name, tests, folder)
            running[child] = path, name, folder
        while running:
            finish(running)
        return True

    def wanted(self):
        for path, codes in verdicts():
            for name, code in codes.items():
                if all(word in name for word in self.words) if self.words else code is None:
                    yield path, name

    def run(self, name, tests, folder):
        """Run the tests in the child process. It exits with 1 if a test fails, otherwise with 0."""
        from mutmut.mutation.trampoline import set_mutant_under_test

        limit = 10 + int(os.times().user + 5 * sum(self.seconds[item.nodeid] for item in tests))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        set_mutant_under_test(name)
        given_up = time.process_time() + float(os.environ.get("GIVE_UP", "inf"))
        for item, following in zip(tests, [*tests[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed or time.process_time() > given_up:
                break
        os._exit(int(self.failed))


def finish(running):
    child, status = os.wait()
    path, name, folder = running.pop(child)
    note(path, name, os.waitstatus_to_exitcode(status))
    shutil.rmtree(folder, ignore_errors=True)


def note(path, name, code):
    verdict = json.loads(path.read_text(encoding="utf-8"))
    verdict["exit_code_by_key"][name] = code
    aside = path.with_suffix(".aside")
    aside.write_text(json.dumps(verdict, indent=4), encoding="utf-8")
    aside.replace(path)


def verdicts():
    """Return mutmut's file and the exit code of each mutant by module; None if it was not tried."""
    for path in sorted(MUTANTS.rglob("*.py.meta")):
        yield path, json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]


def report():
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    alive, total = 0, 0
    for path, codes in verdicts():
        module = path.relative_to(MUTANTS).with_suffix("")
        tried = {name: code for name, code in codes.items() if code is not None}
        survivors = [name for name, code in tried.items() if code in ALIVE]
        alive, total = alive + len(survivors), total + len(tried)
        for name in survivors:
            lines = get_diff_for_mutant(name, path=module).splitlines()[2:]
            print(f"\n{module}: {name.rpartition('.')[2]}")
            print(*(line for line in lines if line[:1] in "+-"), sep="\n")
        for name in (name for name, code in tried.items() if code < 0):
            print(f"\n{module}: {name.rpartition('.')[2]} was ended by signal {-tried[name]}")
        if codes:
            share = 1 - len(survivors) / max(len(tried), 1)
            left = f", {len(codes) - len(tried)} not tried" if len(tried) < len(codes) else ""
            print(f"{module}: {share:.1%} of {len(tried)} killed{left}", file=sys.stderr)
    share = 1 - alive / max(total, 1)
    print(f"all: {share:.1%} of {total} killed, {alive} survived", file=sys.stderr)
    return int(share < WANTED)


def write_mutants():
    """Let mutmut write all mutants and time the tests; it also tries a few mutants."""
    shutil.rmtree(MUTANTS, ignore_errors=True)
    few = "receval.metrics.group.x_members_by_items__*"
    subprocess.run([sys.executable, "-m", "mutmut", "run", "--max-children", "1", few], check=True)


def main(words):
    if words == ["--anew"]:
        write_mutants()
        words = []
    if words != ["--report"]:
        chosen = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
        selection = chosen["pytest_add_cli_args_test_selection"]
        trial = Trial(words, processes=int(os.environ.get("PROCESSES", "1")))
        sys.path.insert(0, str(MUTANTS))
        with contextlib.chdir(MUTANTS):
            pytest.main(
                ["-q", "-s", *IMPORTED, *chosen["pytest_add_cli_args"], *selection], plugins=[trial]
            )
    return report()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
