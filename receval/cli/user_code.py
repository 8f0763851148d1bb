"""Load a function from a Python file that the user names on the command line."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from receval._checks import InputError, did_you_mean, input_error, shorten
from receval._types import UserFunction


def load_function(place: str) -> UserFunction:
    """Return the function that a text such as ``mine.py:similarity`` names.

    The function runs the file, as Python runs an imported module. Raises `InputError` if the text
    has another form, the file doesn't exist or raises an exception, or it has no such function.
    """
    file_name, separator, name = place.rpartition(":")
    if not separator or not file_name.endswith(".py") or not name:
        raise input_error("a function", "be FILE.py:NAME", shorten(place))
    path = Path(file_name).resolve()  # tracebacks have the resolved path
    if not path.is_file():
        raise input_error("a function", "be in an existing file", shorten(file_name))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise input_error("a function", "be in a Python file", shorten(file_name))
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        # Name the line in the user's file, because the command line shows no traceback.
        line = _line_in(error, path)
        got = f"{type(error).__name__}: {error}{line}"
        raise InputError(f"{file_name} must run without an exception; got {got}") from error
    function: object = getattr(module, name, None)
    if not callable(function):
        names = [key for key, value in vars(module).items() if callable(value)]
        advice = did_you_mean(name, names)
        raise input_error(file_name, f"have a function {name!r}", "none", advice)
    return function


def _line_in(error: Exception, path: Path) -> str:
    """Return " (line 3)" for the last line of a file that raised an exception, or ""."""
    line = ""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f" (line {error.lineno})"
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(path):
            line = f" (line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return line
