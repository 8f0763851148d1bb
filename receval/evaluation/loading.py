"""Open a saved result."""

from __future__ import annotations

from pathlib import Path

from receval._checks import InputError, check_that, shorten
from receval.evaluation.file import read_result
from receval.evaluation.folds import Pooled
from receval.evaluation.result import Evaluation

__all__ = ["load"]

KINDS: dict[str, type[Evaluation]] = {"Evaluation": Evaluation, "Pooled": Pooled}
"""The kinds of results in files; a record that doesn't name its kind has an `Evaluation`."""

MAX_ERROR_WIDTH = 200
"""Maximum number of characters of an unexpected error in a message."""


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
    name = Path(path).name
    kind = str(record.get("kind", Evaluation.__name__))
    check_that(kind in KINDS, name, f"hold one of {', '.join(KINDS)}", kind)
    try:
        return KINDS[kind]._from_saved(frame, record)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Another program wrote the record, or somebody edited it.
        problem = shorten(f"{type(error).__name__}: {error}", MAX_ERROR_WIDTH)
        raise InputError(f"{name} must be a whole file of receval; {problem}") from None
