"""The door: evaluating systems on one's own tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, check_text
from receval.engine.file import System
from receval.engine.measuring import measure_tables
from receval.engine.task import Tables, Task
from receval.evaluation.result import Evaluation
from receval.large.given import evaluate_any, largest_grade
from receval.measure.convention import Convention
from receval.measure.conventions import convention as named_convention
from receval.measure.names import Names, parse

__all__ = ["evaluate"]

Table = Any  # a pandas, Polars, Arrow or Dask frame, a dict of columns, or a path


def evaluate(
    recommendations: Table | Mapping[Hashable, Table],
    relevance: Table,
    measures: Names,
    *,
    user: str = "user",
    item: str = "item",
    score: str = "score",
    rank: str | None = None,
    relevance_column: str | None = "relevance",
    system: str | None = None,
    convention: str | Convention = "receval",
    ties: str | None = None,
    missing: str | None = None,
    relevant_from: float | None = None,
    duplicates: str = "error",
    items: pd.DataFrame | None = None,
    history: Any = None,
    now: object = None,
    output: str | Path | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> Evaluation:
    r"""Evaluate recommendations against relevance.

    Parameters
    ----------
    recommendations : table, path, or dict of them
        One row per recommended item: the columns ``user``, ``item`` and ``score`` (or ``rank``).
        A pandas, Polars or Arrow table, a dict of columns, or the path of a CSV or Parquet file;
        Parquet also as a folder, a pattern such as ``"recs/*.parquet"`` or a list of paths, and
        Dask frames.
        Several systems: a dict from name to table, or one table with a ``system`` column.
    relevance : table or path
        One row per judged pair: ``user``, ``item`` and the grade in ``relevance_column``. The
        users in it are the *judged* users, over whom means are taken.
    measures : str, Measure, or several
        Names such as ``"nDCG@10"`` or ``"RBP(p=0.9)@10"`` (see `receval.measures`), and measures of
        one's own (see `receval.Measure`).
    user, item, score : str
        Names of the columns, the same in both tables.
    rank : str, optional
        Name of a column of ranks 1, 2, 3, …, which are then used in place of the score.
    relevance_column : str or None, default "relevance"
        Name of the column of grades; None if every row of ``relevance`` is simply relevant.
    system : str, optional
        Name of the column that tells several systems apart.
    convention : str or Convention, default "receval"
        Whose choices to follow; see `receval.conventions`. One's own is made with
        ``dataclasses.replace(receval.evaluation.convention("ranx"), name="mine", threshold=4)``.
    ties : str, optional
        How equal scores are ordered: ``"item"``, ``"item_descending"``, ``"text"``,
        ``"trec_eval"``, ``"input"``, ``"optimistic"``, ``"pessimistic"``, or ``"average"`` over
        all orders. Default: as the convention has it.
    missing : {"zero", "skip", "error"}, optional
        What a judged user without recommendations counts. Default: as the convention has it.
    relevant_from : float, optional
        The grade from which on an item is relevant, of ratings from 1 to 5 perhaps 4. Measures that
        ask only whether an item is relevant (HR, MRR, MAP, precision, AUC, …) follow it; graded
        gains (nDCG, DCG, CG, ERR) and measures of one's own see all grades. Who is judged stays the
        same, which it would not if lower grades were left out of ``relevance``. Default: as the
        convention has it, mostly any grade above 0.
    duplicates : {"error", "first"}, default "error"
        What an item that stands twice in a list is: an error, or only its first place, the other
        rows being left out and counted as ``repeated``.
    items : DataFrame, optional
        The whole catalogue, indexed by item id: its length for CC, the column ``awards`` for
        LTP, ``novelty_date`` for nov_t, all further columns as features for ILD.
    history : table, optional
        Users and the items they have seen, for nov_u.
    now : date, optional
        The day that nov_t counts from. Default: the latest ``novelty_date``.
    output : path, optional
        A file for the result of Parquet files that are evaluated part by part, in little memory:
        what `Evaluation.save` writes and `receval.load` opens. It is there whole or not at all.
    client : dask.distributed.Client, optional
        Where to evaluate Dask frames or Parquet files. Default for Dask frames: Dask's own.
    progress : bool, optional
        Whether to show a progress bar. Default: only when it takes long.

    Returns
    -------
    Evaluation
        ``per_user`` values, their means in ``summary``, ``counts`` of users, and tables,
        explanations and plots made from them.

    Raises
    ------
    InputError
        If a column is missing, an id is missing or of another kind than in the other table, an
        item stands twice in a list or in the truth, a score or grade is NaN, a grade is negative,
        ranks are not 1, 2, 3, …, a measure or convention is unknown, nobody is judged, or no user
        of the recommendations is judged.

    Notes
    -----
    Nothing is dropped silently: recommendations of users without relevance rows are left out,
    and ``counts`` says how many users these are.

    Blocks of users are worked on in up to four threads. No result depends on that.

    Parquet files that together have more than 20 million rows, or are given with ``output``, are
    evaluated in parts of whole users, in memory that does not grow with the files; rows that are
    not sorted by user go through the disk once. Dask frames are brought to whole users by Dask.
    All of these give the very same values, bit for bit, as tables in memory do.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import evaluate
    >>> recs = pd.DataFrame({"user": [1, 1, 2, 2], "item": ["a", "b", "b", "c"],
    ...                      "score": [0.9, 0.4, 0.8, 0.7]})
    >>> truth = pd.DataFrame({"user": [1, 2, 3], "item": ["b", "b", "a"], "relevance": 1})
    >>> result = evaluate(recs, truth, ["HR@1", "MRR"])
    >>> result
             HR@1    MRR
    system
             0.3333 0.5000
    users: 3 judged, 2 answered, 0 without truth, 0 ignored
    """
    rules = named_convention(convention, ties=ties, missing=missing, relevant_from=relevant_from)
    columns = user, item, score, rank, relevance_column, system
    task = Task(parse(measures), rules, *columns, duplicates, items, now)
    task.check(history=history is not None)
    tables = Tables(_systems(recommendations, (user, item)), relevance, history)
    if any(one.of_truth for one in task.measures):
        task = replace(task, max_grade=largest_grade(task, relevance, client))
    frames = all(isinstance(table, pd.DataFrame) for table in tables.by_place.values())
    if frames and output is None and client is None:
        systems: Mapping[Hashable, System] = measure_tables(task, tables, progress=progress)
    else:
        systems = evaluate_any(task, tables, output, client, progress)
    return Evaluation(task, systems)


def _systems(given: Any, names: tuple[str, str]) -> dict[Hashable, Any]:
    """The tables of the systems by name, "" for an only one: a dict of columns is one table."""
    if not isinstance(given, Mapping):
        return {"": given}
    if not given:
        raise InputError("recommendations must hold at least one system; got an empty dict")
    check_text(given, "the keys of recommendations")
    named = all(isinstance(name, str) and name in given for name in names)
    return {"": given} if named or not any(map(_is_table, given.values())) else dict(given)


def _is_table(value: object) -> bool:
    named = hasattr(value, "columns") or hasattr(value, "column_names")
    several = isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (str, Path))
    return named or several or isinstance(value, (Mapping, Path, str))
