"""Open a saved result."""

from __future__ import annotations

from pathlib import Path

from receval.evaluation.file import read_result
from receval.evaluation.folds import Pooled
from receval.evaluation.result import Evaluation
from receval.tables.reading import check_readable


def load(path: str | Path) -> Evaluation:
    """Open a result that was written with its ``save``.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Evaluation
        It equals the saved result (``==``), but the file lacks the tables, which ``lists``,
        ``terms``, ``diff`` and ``explain`` need. Pooled folds are pooled folds again.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by receval, or has another format.

    Examples
    --------
    >>> import tempfile, pathlib, receval
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.receval"
    >>> recs = {1: {"a": 0.9}, 2: {"b": 0.8}}
    >>> truth = {1: {"a"}, 2: {"c"}}
    >>> receval.evaluate(recs, truth, "HR@1").save(path)
    >>> load(path)
            HR@1
    system
            0.5000
    users: 2 judged, 2 answered, 0 without truth, 0 ignored
    """
    # The record, which is JSON in the file's metadata, holds everything but the values.
    frame, record = read_result(path)
    kind: type[Evaluation] = Pooled if "folds" in record else Evaluation
    # Another program may have written the record, or somebody may have edited it.
    with check_readable(Path(path), "a whole file of receval"):
        return kind._from_saved(frame, record)
