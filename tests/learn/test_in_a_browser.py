"""The lessons as in a browser: without threads, and without packages that Pyodide lacks."""

import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from exercises import LESSONS, WALKS, code_of

from receval import tables
from receval._threads import map_in_threads, progress_bar

# Pyodide has all of these; the page installs receval, seaborn, networkx and ipywidgets.
PACKAGES = {
    "receval", "numpy", "pandas", "matplotlib", "scipy", "seaborn", "networkx", "IPython",
    "ipywidgets",
}  # fmt: skip
RUN_CELLS = Path(__file__).with_name("run_without_threads.py")


@pytest.fixture
def no_threads(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    monkeypatch.setattr(sys, "platform", "emscripten")


def test_parts_follow_one_another_without_threads(no_threads):
    assert list(map_in_threads(str, range(9))) == list("012345678")


def test_files_are_read_without_threads(no_threads, file):
    table = tables.read_table(file("lists.csv", "user,item,score\n1,7,0.5\n1,8,0.25\n"))
    assert table.to_dict("list") == {"user": [1, 1], "item": [7, 8], "score": [0.5, 0.25]}


def test_a_progress_bar_needs_no_thread(no_threads, recwarn):
    assert list(progress_bar(True, range(3), leave=False)) == [0, 1, 2]
    assert not recwarn.list


@pytest.mark.parametrize("path", [*WALKS, *LESSONS], ids=lambda path: path.stem)
def test_a_lesson_imports_only_what_a_browser_has(path):
    source = "\n".join(cell.source for cell in code_of(path))
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", source, flags=re.MULTILINE))
    assert imported - set(sys.stdlib_module_names) <= PACKAGES


@pytest.mark.long
def test_the_lessons_run_without_threads_and_packages_of_extras():
    done = subprocess.run(
        [sys.executable, RUN_CELLS, *WALKS, *LESSONS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran = re.findall(r"^ran (.+)$", done.stdout, flags=re.MULTILINE)
    assert ran == [path.stem for path in [*WALKS, *LESSONS]]
