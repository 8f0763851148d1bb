"""Run the code cells of notebooks without threads, processes, pooch and scikit-learn.

test_in_a_browser.py runs this as ``python run_without_threads.py NOTEBOOK …``. It prints the name
of each notebook that ran, and stops with the first error.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Thread

import matplotlib.pyplot as plt
import nbformat
from IPython.core.interactiveshell import InteractiveShell

ABSENT = ("pooch", "sklearn", "multiprocessing")


def refuse_thread(_thread):
    raise RuntimeError("can't start new thread")


def refuse_process(*_, **__):
    raise OSError("emscripten does not support processes.")


def main():
    plt.switch_backend("agg")
    shell = InteractiveShell.instance()
    sys.modules.update(dict.fromkeys(ABSENT))  # importing a module that is None raises ImportError
    sys.platform = "emscripten"  # receval starts no threads there
    Thread.start = refuse_thread
    subprocess.Popen.__init__ = refuse_process
    os.chdir(tempfile.mkdtemp())
    for path in sys.argv[1:]:
        shell.reset(new_session=False)
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                result = shell.run_cell(cell.source, store_history=False)
                assert result.success, (path, cell.source)
                plt.close("all")  # as in Jupyter, where each cell has figures of its own
        print(f"ran {Path(path).stem}")


if __name__ == "__main__":
    main()
