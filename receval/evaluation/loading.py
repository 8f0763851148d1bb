"""Open a saved result."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import overload

import numpy as np

from receval._checks import Id, InputError, Record, input_error, shorten
from receval.evaluation.base import Result
from receval.evaluation.evaluate import Table, evaluate_tables
from receval.evaluation.file import read_result
from receval.evaluation.measured import SystemResult
from receval.evaluation.result import Evaluation
from receval.tables.inputs import read_tables

__all__ = ["load"]

DEFAULT_KIND = Evaluation.__name__
"""The kind of result in files whose record doesn't name a kind."""

MAX_ERROR_WIDTH = 200
"""Maximum number of characters of an unexpected error in a message."""


@overload
def load(path: str | Path) -> Result: ...


@overload
def load(
    path: str | Path,
    *,
    recommendations: Table | Mapping[Hashable, Table],
    relevance: Table,
    history: Table | None = None,
) -> Evaluation: ...


@overload
def load(
    path: str | Path,
    *,
    recommendations: Table | Mapping[Hashable, Table] | None = None,
    relevance: Table | None = None,
    history: Table | None = None,
) -> Result: ...


def load(
    path: str | Path,
    *,
    recommendations: Table | Mapping[Hashable, Table] | None = None,
    relevance: Table | None = None,
    history: Table | None = None,
) -> Result:
    """Open a result that was written with its ``save``.

    Parameters
    ----------
    path : str or Path
        The file.
    recommendations, relevance : table, path or dict, optional
        The tables that were evaluated, as for `evaluate`. With them, the evaluation has its lists
        again, for ``lists``, ``diff`` and ``explain``. receval measures them again with the choices
        in the file, and refuses tables that give other values. If the two tables have different
        names for the user or item column, rename the columns first, because the file doesn't store
        the two names of such a column.
    history : table, optional
        The history that was evaluated with these tables, if there was one.

    Returns
    -------
    Result
        The `Evaluation`, or the result of `evaluate_retrievers` or `evaluate_macfac`. It equals the
        saved result (``==``), but the file lacks two things: the tables, which ``lists``, ``diff``
        and ``explain`` need, and the rankings of retrievers.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by receval, or has a newer format;
        if you pass only one of the two tables, or they give values that differ from those in the
        file; or if you pass tables and the file has a result of retrievers or folds.

    Notes
    -----
    receval measures again only those measures that need no data besides these tables. Your own
    measures, and measures that need a catalogue, have the values from the file and can't be
    explained.

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
    >>> load(path, recommendations=recs, relevance=truth).lists(user=1)["item"].tolist()
    ['a']
    """
    # The record, which is JSON in the file's metadata, holds everything but the values.
    frame, record = read_result(path)
    name = Path(path).name
    kind = _kind_of_result(name, record)
    try:
        result = kind._from_saved(frame, record)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Another program wrote the record, or somebody edited it.
        problem = shorten(f"{type(error).__name__}: {error}", MAX_ERROR_WIDTH)
        raise InputError(f"{name} must be a whole file of receval; {problem}") from None
    if recommendations is None and relevance is None and history is None:
        return result
    if recommendations is None or relevance is None:
        raise InputError("recommendations and relevance must be given together; got one of them")
    if type(result) is not Evaluation:
        got = f"a {type(result).__name__}"
        raise input_error(name, "hold an evaluation to be given tables", got)
    return _with_tables(result, recommendations, relevance, history)


def _with_tables(
    evaluation: Evaluation,
    recommendations: Table | Mapping[Hashable, Table],
    relevance: Table,
    history: Table | None,
) -> Evaluation:
    """Return a loaded evaluation whose systems have their lists.

    The function measures the tables again with the choices of the evaluation, under the measures
    that need no other data. Raises an `InputError` if they have other systems, or give other values
    than those of the file.
    """
    stored_options = evaluation._options
    measures = tuple(
        measure
        for measure in stored_options.measures
        if not measure.is_custom and set(measure.needs) <= {"scores"}
    )
    # Lists are always for judged users, even if the means are over other users.
    options = replace(stored_options, measures=measures, users="judged")
    tables, column_names = read_tables(options.column_names, recommendations, relevance, history)
    options = replace(options, column_names=column_names)
    if options.seen != "note" and history is None:
        raise InputError(f"history must be given, as seen={options.seen!r} was evaluated; got none")
    _, results = evaluate_tables(options, tables, progress=None)

    # The name of a system can be 1 in the tables and "1" in the file.
    result_by_text = {str(name): result for name, result in results.items()}
    names = [str(name) for name in evaluation.systems]
    if sorted(result_by_text) != sorted(names):
        rule = f"be of the systems {names}, which were evaluated"
        raise input_error("recommendations", rule, sorted(result_by_text))
    systems: dict[Id, SystemResult] = {}
    for name, stored in evaluation._systems.items():
        measured = result_by_text[str(name)]
        if measured.lists is None:
            got = "tables that are evaluated part by part"
            raise input_error("recommendations", "fit into memory", got)
        _check_same_values(stored, measured, name)
        systems[name] = replace(stored, lists=measured.lists)
    return Evaluation(stored_options, systems)


def _check_same_values(stored: SystemResult, measured: SystemResult, name: Id) -> None:
    """Raise an `InputError` unless tables give the values in a file, for every judged user.

    ``name`` is the name of the system in messages.
    """
    measures = [str(measure) for measure in measured.frame]
    new_values = measured.values(measures)
    old_values = stored.values(measures)
    of_system = f" of system {name!r}" if name != "" else ""
    rule = "be the tables that were evaluated"
    unknown = new_values.index.difference(old_values.index)
    if len(unknown):
        got = f"the judged user {unknown[0]!r}, whom the file lacks"
        raise input_error("relevance", rule, got)
    if stored.counts["judged"] != len(new_values):
        got = f"{len(new_values)} judged users, not {stored.counts['judged']}"
        raise input_error("relevance", rule, got)
    old_values = old_values.loc[new_values.index]
    for measure in measures:
        new, old = new_values[measure].to_numpy(), old_values[measure].to_numpy()
        is_same = (new == old) | (np.isnan(new) & np.isnan(old))
        if not is_same.all():
            position = int(np.argmin(is_same))  # the first False
            (user,) = new_values.index[[position]].tolist()
            got = (
                f"{measure} of user {user!r}{of_system} {new[position]:.6g}, "
                f"in the file {old[position]:.6g}"
            )
            raise input_error("recommendations and relevance", rule, got)


def _kind_of_result(file_name: str, record: Record) -> type[Result]:
    """Return the class of the result in a file, from the ``kind`` in its record.

    Raises an `InputError` if no class has this name, because the file comes from a newer version of
    receval.
    """
    kind_name = record.get("kind", DEFAULT_KIND)
    if isinstance(kind_name, str) and kind_name in Result.kinds:
        return Result.kinds[kind_name]
    rule = f"hold one of {', '.join(Result.kinds)}"
    got = kind_name if isinstance(kind_name, str) else shorten(kind_name)
    raise input_error(file_name, rule, got, "Install the version of receval that wrote it")
