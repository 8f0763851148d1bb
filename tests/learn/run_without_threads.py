"""Run the code cells of notebooks without threads, processes, pooch and scikit-learn.

test_in_a_browser.py runs this as ``python run_without_threads.py NOTEBOOK …``. It prints the name
of each notebook that ran, and stops with the first error.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Thread

import nbformat

ABSENT = {"pooch", "sklearn", "multiprocessing"}


class RefuseAbsent:
    """A finder of modules that has none, and refuses the absent ones."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ImportError(f"{name} is not in a browser")


def refuse_thread(_thread):
    raise RuntimeError("can't start new thread")


def refuse_process(*_, **__):
    raise OSError("emscripten does not support processes.")


def run_notebook(shell, path):
    """Run the code cells from the top in a fresh namespace; exit if one fails."""
    shell.reset(new_session=False)
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type != "code":
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            result = shell.run_cell(cell.source, store_history=False)
        if not result.success:
            sys.exit(f"{path} [{number}]\n{output.getvalue()}")


def main():
    os.environ["MPLBACKEND"] = "agg"
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    for name in ABSENT:
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            del sys.modules[module]
    sys.meta_path.insert(0, RefuseAbsent())
    Thread.start = refuse_thread
    subprocess.Popen.__init__ = refuse_process
    os.chdir(tempfile.mkdtemp())
    for path in sys.argv[1:]:
        run_notebook(shell, path)
        print(Path(path).stem)


if __name__ == "__main__":
    main()
