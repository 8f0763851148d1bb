"""Import packages that an extra of receval installs, such as matplotlib."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["import_extra"]


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of an optional package; the error says how to install it.

    Parameters
    ----------
    module : str
        The module, such as ``"matplotlib.pyplot"``.
    extra : str
        The extra of receval that installs its package, such as ``"plots"``.
    purpose : str
        What needs the package, such as ``"receval.plots"``. The error begins with these words.

    Raises
    ------
    ImportError
        If the package is missing.

    Examples
    --------
    >>> import_extra("no_such_package.part", "plots", "receval.plots")
    Traceback (most recent call last):
    ImportError: receval.plots needs no_such_package: pip install "receval[plots]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".", maxsplit=1)[0]
        raise ImportError(f'{purpose} needs {package}: pip install "receval[{extra}]"') from error
