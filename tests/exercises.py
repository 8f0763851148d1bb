"""The lessons and walks, the exercises that they ask, and the names of the answers there."""

import re
from functools import cache

import nbformat

from receval._files import notebook_paths, notebooks_folder
from receval.learn.exercises import kind_of, package_texts

NOTEBOOKS = notebook_paths(notebooks_folder())
WALKS = [path for path in NOTEBOOKS if path.parent.name == "walks"]
LESSONS = [path for path in NOTEBOOKS if path.match("lessons/*")]


@cache
def read(path):
    """Read a notebook once for all tests, which must not change it."""
    return nbformat.read(path, 4)


def tags_of(cell):
    return {*cell.metadata.get("tags", [])}


def cells_of(path, *tags):
    """Return the cells of a notebook that have one of the tags, or all cells."""
    return [cell for cell in read(path).cells if not tags or {*tags} & tags_of(cell)]


def code_of(path):
    """Return the code cells of a notebook."""
    return [cell for cell in cells_of(path) if cell.cell_type == "code"]


def prose_of(path):
    """Return the sources of the Markdown cells of a notebook."""
    return [cell.source for cell in cells_of(path) if cell.cell_type == "markdown"]


def exercises_of(path):
    """Return the texts of the exercises that a notebook asks, by name."""
    source = "\n".join(cell.source for cell in code_of(path))
    names = re.findall(r'\blearn\.(?:check|predict)\("([\w.]+)"', source)
    return {name: package_texts()[name] for name in names}


def variable_of(name):
    """Return the name of the variable or function in which a notebook holds an answer."""
    texts = package_texts()[name]
    if kind_of(texts) == "function":
        return texts["function"].partition("(")[0]
    return f"answer_{name.replace('.', '_')}"
