"""The exercises that a notebook asks, and the names of the answers there."""

import re

import nbformat

from receval.learn.texts import kind_of, package_texts


def exercises_of(path):
    """Return the texts of the exercises that a notebook asks, by name."""
    cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    source = "\n".join(cell.source for cell in cells)
    names = re.findall(r'\blearn\.(?:check|predict)\("([\w.]+)"', source)
    return {name: package_texts()[name] for name in names}


def variable_of(name):
    """Return the name of the variable or function in which a notebook holds an answer."""
    texts = package_texts()[name]
    if kind_of(texts) == "function":
        return texts["function"].partition("(")[0]
    return f"answer_{name.replace('.', '_')}"
