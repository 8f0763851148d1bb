"""Evaluate systems on tables of recommendations and relevance."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from receval._checks import EvaluationWarning, InputError, check_that
from receval._snapshots import snapshot
from receval._types import FilePath, TableLike
from receval.engine.file import System
from receval.engine.large.dispatch import check_client, evaluate_any, largest_grade
from receval.engine.measuring import measure_tables
from receval.engine.task import EvaluationTask
from receval.evaluation.notes import serious
from receval.evaluation.parameters import check_parameters, check_systems_match, frame_by_system
from receval.evaluation.result import Evaluation
from receval.measure.context import EvaluationContext
from receval.measure.convention import Convention
from receval.measure.names import Names, parse
from receval.measure.names import convention as named_convention
from receval.tables.inputs import ColumnNames, InputTables

__all__ = ["evaluate"]

Table: TypeAlias = TableLike | list[FilePath]
"""A pandas, Polars, Arrow or Dask frame, a dict of columns, or one or several paths."""


def evaluate(
    recommendations: Table | Mapping[Hashable, Table],
    relevance: Table,
    measures: Names,
    *,
    user: str | tuple[str, str] = "user",
    item: str | tuple[str, str] = "item",
    score: str = "score",
    rank: str | None = None,
    relevance_column: str | None = "relevance",
    subtopic: str | None = None,
    system: str | None = None,
    names: str | None = None,
    ids: str | None = None,
    convention: str | Convention = "receval",
    ties: str | None = None,
    missing: str | None = None,
    users: str | Iterable[Hashable] = "judged",
    relevant_from: float | None = None,
    duplicates: str = "error",
    items: pd.DataFrame | None = None,
    history: Table | None = None,
    seen: str = "note",
    auc_catalogue: int | None = None,
    now: object = None,
    systems: pd.DataFrame | None = None,
    output: str | Path | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> Evaluation:
    r"""Evaluate recommendations against relevance.

    Parameters
    ----------
    recommendations : table, path, or dict of them
        One row per recommended item: the columns ``user``, ``item`` and ``score`` (or ``rank``).
        A table of pandas, or of any library that shares columns with Arrow (Polars, lazily too,
        DuckDB, PyArrow, …); a dict of columns, or the path of a CSV, TREC or Parquet file; Parquet
        also as a folder, a pattern such as ``"recs/*.parquet"`` or a list of paths, and Dask
        frames. Or a dict from user to scores by item, ``{"ann": {"x": 0.9, "y": 0.4}}``, or to
        lists of items without scores, best first: ``{"ann": ["x", "y"]}``, or to lists of pairs
        ``("x", 0.9)``; or a list of ir_measures' ``ScoredDoc``. For arrays see
        `receval.lists_from_scores` and `receval.lists_from_items`.
        Several systems: a dict from name to any of these, or one table with a ``system`` column.
        A dict with the names of columns among its keys is a table.
    relevance : table, path or dict
        One row per judged pair: ``user``, ``item`` and the grade in ``relevance_column``, which
        may be True or False. The users in it are the *judged* users, over whom means are taken.
        Or a dict from user to grades by item, or to the items, all relevant, as a list or a set;
        or a list of ir_measures' ``Qrel``.
    measures : str, Measure, or several
        Names such as ``"nDCG@10"`` or ``"RBP(p=0.9)@10"`` (see `receval.measures`), and your own
        measures (see `receval.Measure`).
    user, item, score : str
        Names of the columns, the same in both tables; if they differ, user and item take two,
        recommendations first: ``user=("uid", "user_id")``.
    rank : str, optional
        Name of a column of ranks 1, 2, 3, …, which are then used in place of the score.
    relevance_column : str or None, default "relevance"
        Name of the column of grades; None if every row of ``relevance`` is simply relevant.
    subtopic : str, optional
        Name of the column of subtopics in ``relevance``, for alpha-nDCG and ERR-IA. A user may then
        have several rows for an item, one per subtopic; every other measure sees one row with the
        largest of their grades.
    system : str, optional
        Name of the column of systems, if one table holds several.
    names : str, optional
        The library whose column names the tables have, unless other names are given:
        ``"rectools"``, ``"lenskit"``, ``"pyterrier"``, ``"ir_measures"``, ``"ranx"`` or
        ``"recommenders"``.
    ids : {"text"}, optional
        Write whole numbers out, so that ids of numbers and of text can be compared. Default: ids
        of one kind in all tables.
    convention : str or Convention, default "receval"
        The choices to follow; see `receval.conventions`. You can make your own with
        ``dataclasses.replace(receval.evaluation.convention("ranx"), name="mine", threshold=4)``.
    ties : str, optional
        How equal scores are ordered: ``"item"``, ``"item_descending"``, ``"text"``,
        ``"trec_eval"``, ``"input"``, ``"optimistic"``, ``"pessimistic"``, or ``"average"`` over
        all orders. Default: that of the convention.
    missing : {"zero", "skip", "error"}, optional
        The value in the mean of a user without recommendations. Default: that of the convention;
        ``"skip"`` is the older spelling of ``users="both"``.
    users : {"judged", "answered", "both"} or ids, default "judged"
        The users over whom means are taken: users with relevance rows, users with recommendations,
        users with both, or exactly those named. A user who is not judged counts as 0, and appears
        in the counts as ``not judged``. Measures of all users together have no such mean.
        "answered" and ids are for tables that fit in memory.
    relevant_from : float, optional
        The lowest grade that is relevant, perhaps 4 for ratings from 1 to 5. Measures that ask only
        whether an item is relevant (HR, MRR, MAP, precision, AUC, …) follow it; graded gains (nDCG,
        DCG, CG, ERR) and your own measures see all grades. The judged users stay the same. They
        would not if you left lower grades out of ``relevance``. Default: that of the convention,
        mostly any grade above 0.
    duplicates : {"error", "first"}, default "error"
        What happens if an item is in a list twice: an error, or receval keeps its first place,
        leaves the other rows out and counts them as ``repeated``.
    items : DataFrame, optional
        The whole catalogue, indexed by item id: its length for CC, the column ``awards`` for
        LTP, ``novelty_date`` for nov_t, all further columns as features for ILD. If pandas numbered
        the rows and a column has the name that ``item`` says, that column holds the ids.
    history : table or dict, optional
        Users and the items they have seen, for nov_u; its columns are named as in ``relevance``.
    seen : {"note", "drop", "error"}, default "note"
        What happens to recommended items that are in the ``history`` of their user: a note under
        the table, or receval leaves them out and counts them as ``seen``, or an error.
    auc_catalogue : int, optional
        Number of all items, over which AUC is computed: items that are not listed come below a
        list, all tied. Default: only the items of each list. If lists are cut, the two choices
        favour different systems.
    now : date, optional
        The day that nov_t counts from. Default: the latest ``novelty_date``.
    systems : DataFrame, optional
        Parameters of each system, indexed by system or with a column of this name. Tables show
        them after the means, and `Evaluation.sweep` uses them.
    output : path, optional
        A file for the result, in the format of `Evaluation.save`; `receval.load` opens it. receval
        then evaluates Parquet files part by part, in little memory. The file is either complete or
        absent.
    client : dask.distributed.Client, optional
        The cluster that evaluates Dask frames or Parquet files. Default for Dask frames: Dask's
        own.
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
        If a column is missing, an id is missing or of a different kind from those in the other
        table, an item occurs twice in a list or in the truth, a score or grade is NaN, a grade is
        negative, ranks are not 1, 2, 3, …, a measure or convention is unknown, nobody is judged,
        or no user of the recommendations is judged.

    Notes
    -----
    Nothing is dropped silently: receval leaves out recommendations of users without relevance
    rows, and ``counts`` says how many users these are.

    `Evaluation.notes` lists input that is legal but doubtful; the notes are also under tables and
    in the methods. If no judged user has a list, or no item is in both tables, there is an
    `EvaluationWarning` too.

    receval works on blocks of users in up to four threads. No result depends on that.

    receval evaluates Parquet files in parts of whole users if they have more than 20 million rows
    together, or if you give ``output``. The memory does not grow with the files; rows that are not
    sorted by user go through the disk once. In Dask frames, Dask brings the rows of each user
    together. All of these give the very same values, bit for bit, as tables in memory do.

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

    Lists without scores, and the relevant items of each user:

    >>> evaluate({1: ["a", "b"], 2: ["b", "c"]}, {1: {"b"}, 2: {"b"}, 3: {"a"}}, ["HR@1", "MRR"])
             HR@1    MRR
    system
             0.3333 0.5000
    users: 3 judged, 2 answered, 0 without truth, 0 ignored
    """
    # Put the convention together.
    chosen_convention = named_convention(
        convention, ties=ties, missing=missing, relevant_from=relevant_from
    )
    context = EvaluationContext(chosen_convention, auc_catalogue=auc_catalogue)
    # receval reads these frames again later: edits after the call must not reach them.
    if isinstance(systems, pd.DataFrame):
        systems = snapshot(systems)
    if isinstance(items, pd.DataFrame):
        items = items.copy(deep=False)
    # Read the tables. A library's tables can replace the default names of columns.
    argument_names = ColumnNames.from_arguments(
        names,
        user,
        item,
        score,
        rank,
        relevance_column,
        system=system,
        subtopic=subtopic,
    )
    tables, column_names = argument_names.tables(recommendations, relevance, history)
    if column_names.rank is not None:
        rule = "be left out with ranks, which give the order"
        check_that(score == "score", "score", rule, score)
        check_that(ties is None, "ties", f"{rule} of all items", ties)
    # State the measures, and check the rest of the arguments.
    parameters: Any = frame_by_system(systems, system)  # check_parameters checks it below
    task = EvaluationTask(
        parse(measures), context, column_names, duplicates, items, now, ids, seen, parameters
    )
    task = task.with_users(users, missing, history=history is not None)
    if parameters is not None:
        check_parameters(parameters, task.measures)
    if client is not None:
        check_client(client)

    # Measure. If that fails, the error may name an argument that would have avoided it.
    try:
        task, results = _measure(task, tables, output, client, progress=progress)
    except InputError as error:
        advice = _advice(error, task, tables)
        if not advice:
            raise
        raise InputError(f"{error}. {advice}") from None
    _warn_of_serious_doubts(results)
    return Evaluation(task, dict(results))


def _measure(
    task: EvaluationTask,
    tables: InputTables,
    output: str | Path | None,
    client: Any,
    *,
    progress: bool | None,
) -> tuple[EvaluationTask, Mapping[Hashable, System]]:
    """Measure all systems; return the task and the results by system.

    ``task`` says what to measure, and the returned task differs from it if a measure has parameters
    that follow from the relevance, such as the largest grade of ERR: it then holds this grade.
    ``output``, ``client`` and ``progress`` are as in `evaluate`.
    """
    # ``truth_options`` are the names of such parameters; the largest grade is the only one.
    if any(measure.truth_options for measure in task.measures):
        max_grade = largest_grade(task, tables.by_place["relevance"], client)
        task = replace(task, context=replace(task.context, max_grade=max_grade))
    results: Mapping[Hashable, System]
    # Plain frames don't need the modules that read, join and divide other tables.
    if output is None and client is None and _are_plain_frames(task, tables):
        results = measure_tables(task, tables, progress=progress)
    else:
        results = evaluate_any(task, tables, output, client, progress=progress)
    if task.parameters is not None:
        check_systems_match(task.parameters, results)  # raises
    return task, results


def _are_plain_frames(task: EvaluationTask, tables: InputTables) -> bool:
    """Return whether all tables are pandas frames that need no change before measuring.

    A change is needed if ids become text, or if the tables name their columns differently.
    """
    are_frames = {type(table) for table in tables.by_place.values()} == {pd.DataFrame}
    return are_frames and task.ids is None and not task.column_names.differ_by_table


def _advice(error: InputError, task: EvaluationTask, tables: InputTables) -> str:
    """Return a sentence that says which argument of `evaluate` would avoid an error, or ""."""
    # ``lacks`` is the column that a table lacks, or None if the error is another.
    if error.lacks is not None:
        return task.column_names.advice(error.lacks, tables)
    # ``is_nested`` says that a column holds whole lists.
    if error.is_nested:
        return task.column_names.advice_on_lists(tables)
    # ``repeats_judgments`` says that a user has an item twice in relevance.
    if error.repeats_judgments:
        return task.column_names.advice_on_repeats(tables)
    return ""


def _warn_of_serious_doubts(results: Mapping[Hashable, System]) -> None:
    """Warn if a system leaves nothing to evaluate.

    Either no judged user has a list, or no recommended item is in relevance. The warning points to
    the line that called `evaluate`, two calls above this function.
    """
    if all(system.hit for system in results.values()):
        return  # a list with a relevant item is something to evaluate
    doubts = "; ".join(serious(results))
    if doubts:
        warnings.warn(doubts, EvaluationWarning, stacklevel=3)
