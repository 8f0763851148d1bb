"""Opening a result that was saved."""

from __future__ import annotations

from pathlib import Path

from receval.engine import file
from receval.evaluation.result import Evaluation

__all__ = ["load"]


def load(path: str | Path) -> Evaluation:
    """Open a result that `Evaluation.save` or ``evaluate(output=…)`` wrote.

    Parameters
    ----------
    path : str or Path
        The file. Values of users are read from it when they are asked for, by column.

    Returns
    -------
    Evaluation
        As it was, but that `Evaluation.explain` needs the tables, which are not in the file.

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
    return Evaluation(*file.read(path))
