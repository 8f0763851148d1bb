"""Open a result that was saved."""

from __future__ import annotations

from pathlib import Path

from receval._checks import HasChanged, InputError, input_error, shorten
from receval._types import Record
from receval.engine import file
from receval.evaluation.base import Result
from receval.evaluation.result import Evaluation

__all__ = ["load"]

DEFAULT_KIND = Evaluation.__name__
"""The kind of result in files whose record names none."""

MAX_ERROR_WIDTH = 200
"""Characters of an unexpected error that a message repeats."""


def load(path: str | Path) -> Result:
    """Open a result that its ``save`` or ``evaluate(output=…)`` wrote.

    Parameters
    ----------
    path : str or Path
        The file. receval reads values of users from it when you ask for them, by column. If the
        file has changed by then, it raises an error.

    Returns
    -------
    Result
        The `Evaluation`, or the result of `evaluate_retrievers` or `evaluate_macfac`, equal to
        the saved one (``==``). Two things are not in the file: the tables, which ``explain``
        needs, and the rankings of retrievers.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by receval, or has a newer format.

    Examples
    --------
    >>> import tempfile, pathlib, receval
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.receval"
    >>> recs = {"user": [1, 2], "item": ["a", "b"], "score": [0.9, 0.8]}
    >>> truth = {"user": [1, 2], "item": ["a", "c"], "relevance": [1, 1]}
    >>> receval.evaluate(recs, truth, "HR@1").save(path)
    >>> load(path)
            HR@1
    system
            0.5000
    users: 2 judged, 2 answered, 0 without truth, 0 ignored
    """
    # The record, which is JSON in the file's metadata, holds everything but the values.
    source, record = file.read_record(path)
    kind = _kind_of_result(source, record)
    try:
        result = kind._read(source, record)
        result._check_loaded()
    except (HasChanged, MemoryError, ImportError):
        raise  # these say nothing against the file
    except InputError as error:
        if source.name in str(error):
            raise  # the message names the file already
        raise InputError(f"{source.name} must be a whole file of receval; {error}") from None
    except Exception as error:
        # A damaged record can make any step fail with any error.
        problem = shorten(f"{type(error).__name__}: {error}", MAX_ERROR_WIDTH)
        raise InputError(f"{source.name} must be a whole file of receval; {problem}") from None
    return result


def _kind_of_result(source: file.SourceFile, record: Record) -> type[Result]:
    """Return the class of the result in a file, which the ``kind`` in its record names.

    Raises an `InputError` if no class has this name, as in files of a newer receval.
    """
    kind_name = record.get("kind", DEFAULT_KIND)
    if isinstance(kind_name, str) and kind_name in Result.kinds:
        return Result.kinds[kind_name]
    rule = f"hold one of {', '.join(Result.kinds)}"
    got = kind_name if isinstance(kind_name, str) else shorten(kind_name)
    raise input_error(source.name, rule, got, "Install the version of receval that wrote it")
