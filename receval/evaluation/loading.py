"""Opening a result that was saved."""

from __future__ import annotations

from pathlib import Path

from receval._checks import HasChanged, InputError, refusal
from receval.engine import file
from receval.evaluation.shape import Result

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
    kind = Result.kinds.get(record.get("kind", "Evaluation"))
    if kind is None:
        known = f"hold one of {', '.join(Result.kinds)}"
        raise refusal(source.name, known, record["kind"], "Install the receval that wrote it")
    try:
        return kind._read(source, record)
    except HasChanged:
        raise
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise InputError(f"{source.name} must be a whole file of receval; {error!r}") from None
