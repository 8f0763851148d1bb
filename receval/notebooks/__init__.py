"""Copy the notebooks for the user, run them from the top in fresh kernels, open JupyterLab."""

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
