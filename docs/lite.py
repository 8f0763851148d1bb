"""Build a JupyterLite site of the notebooks: walks and lessons run in the browser, without an installation.

Run it from the checkout, or with ``make lite``. The site is in ``build/lite/site``; any web server
can serve it. The kernel, Pyodide, and its packages come from the internet when a reader opens a
lesson. receval comes from the site itself. Version 0.8.6 of the kernel has Pyodide 314.0.6, whose
list of packages (pyodide-lock.json) has pyarrow 22.0.0; receval needs 20.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from receval._files import notebooks_folder
from receval.learn import copies

BUILD = Path(__file__).parents[1] / "build" / "lite"
INSTALL = """\
# In the browser, this cell installs receval; elsewhere it does nothing.
import sys

if sys.platform == "emscripten":
    import piplite

    await piplite.install(["receval", "matplotlib", "seaborn", "networkx", "ipywidgets"])"""


def build_wheel(folder):
    """Build the wheel of receval in a folder, and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, check=True, cwd=BUILD.parents[1], stdout=subprocess.DEVNULL)
    [wheel] = folder.glob("*.whl")
    return wheel


def copy_lessons(folder):
    """Copy the notebooks for students into a folder, each with the cell that installs receval."""
    copies.copy(notebooks_folder(), folder)
    for path in folder.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        kinds = [cell.cell_type for cell in notebook.cells]
        notebook.cells.insert(kinds.index("code"), new_code_cell(INSTALL, id="install"))
        nbformat.write(notebook, path)


def build_site(folder, lessons, wheel):
    """Build the site in a folder from the notebooks and the wheel."""
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--apps", "lab"]
    command += ["--contents", str(lessons), "--piplite-wheels", str(wheel)]
    command += ["--output-dir", str(folder), "--no-sourcemaps"]
    # Jupyterlite keeps its notes in the folder in which it runs.
    subprocess.run(command, check=True, cwd=BUILD)


def main():
    """Build the site anew."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    wheel = build_wheel(BUILD)
    copy_lessons(BUILD / "files")
    build_site(BUILD / "site", BUILD / "files", wheel)
    print(f"The site is in {BUILD / 'site'}: python -m http.server -d {BUILD / 'site'}")


if __name__ == "__main__":
    main()
