"""Opening a result that was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from receval._checks import HasChanged, InputError, input_error, shorten
from receval.engine import file
from receval.evaluation.base import Result
from receval.evaluation.parameters import check_parameters, check_systems_match
from receval.evaluation.result import Evaluation

__all__ = ["load"]


def load(path: str | Path) -> Result:
    """Open a result that its ``save`` or ``evaluate(output=…)`` wrote.

    Parameters
    ----------
    path : str or Path
        The file. Values of users are read from it when they are asked for, by column. If the file
        has changed by then, that is refused.

    Returns
    -------
    Result
        The `Evaluation`, or what `evaluate_retrievers` or `evaluate_macfac` answered: equal to
        what it was (``==``), but that ``explain`` needs the tables, and of retrievers the
        rankings, which are not in the file.

    Raises
    ------
    InputError
        If the file is not there, is damaged, is another's, or is of a newer format.

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
    source, record = file.read_record(path)
    kind_name = record.get("kind", "Evaluation")
    kind = Result.kinds.get(kind_name) if isinstance(kind_name, str) else None
    if kind is None:
        known = f"hold one of {', '.join(Result.kinds)}"
        got = kind_name if isinstance(kind_name, str) else shorten(kind_name)
        raise input_error(source.name, known, got, "Install the receval that wrote it")
    try:
        result = kind._read(source, record)
        _show(result)
    except HasChanged:
        raise
    except InputError as error:
        if source.name in str(error):
            raise
        raise InputError(f"{source.name} must be a whole file of receval; {error}") from None
    except (MemoryError, ImportError):
        raise
    except Exception as error:
        told = shorten(f"{type(error).__name__}: {error}", 200)
        raise InputError(f"{source.name} must be a whole file of receval; {told}") from None
    return result


def _show(result: Any) -> None:
    """Let a result say all that its record holds: what is wrong in the record fails here, by name.

    Values of users stay in the file.
    """
    if isinstance(result, Evaluation):
        parameters = result.parameters
        if parameters is not None:
            check_parameters(parameters, result.measures)
            check_systems_match(parameters, result.systems)
        result.methods()
        result.ties()
        result._task.context.convention.words()
    result._repr_html_()
    result.to_latex()
    hash(result)
