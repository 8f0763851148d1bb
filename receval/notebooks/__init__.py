"""The notebooks: copied for the user, run from the top in fresh kernels, opened in JupyterLab."""

from receval.notebooks.copies import copy, serve
from receval.notebooks.reproducing import Reproduction, missing_data, missing_package, reproduce
from receval.notebooks.running import Failure, run

__all__ = [
    "Failure",
    "Reproduction",
    "copy",
    "missing_data",
    "missing_package",
    "reproduce",
    "run",
    "serve",
]
