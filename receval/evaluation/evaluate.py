"""Evaluate systems on tables of recommendations and relevance.

``docs/how_a_number_is_made.md`` follows one number through the functions that `evaluate` calls.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import pandas as pd

from receval._checks import TableLike, check_flag, check_that, warn
from receval.definitions.convention import Convention
from receval.definitions.convention import convention as named_convention
from receval.definitions.definition import Names, parse
from receval.evaluation.join import open_in_memory, with_largest_grade
from receval.evaluation.notes import serious
from receval.evaluation.options import Options
from receval.evaluation.parts import evaluate_in_parts, has_to_be_split
from receval.evaluation.result import Evaluation
from receval.evaluation.values import measure_tables
from receval.tables.inputs import ColumnNames, read_tables


def evaluate(
    recommendations: TableLike | Mapping[Hashable, TableLike],
    relevance: TableLike,
    measures: Names,
    *,
    user: str | tuple[str, str] = "user",
    item: str | tuple[str, str] = "item",
    score: str = "score",
    rank: str | None = None,
    relevance_column: str | None = "relevance",
    system: str | None = "system",
    convention: str | Convention = "receval",
    ties: str | None = None,
    users: str | Iterable[Hashable] = "judged",
    relevant_from: float | None = None,
    duplicates: str = "error",
    items: pd.DataFrame | None = None,
    history: TableLike | None = None,
    seen: str = "note",
    progress: bool | None = None,
) -> Evaluation:
    r"""Evaluate recommendations against relevance.

    Parameters
    ----------
    recommendations : table, path, or dict of them
        A table with a row for each recommended item and the columns ``user``, ``item`` and
        ``score`` (or ``rank``, if there are no scores). It can be a table of pandas or of any
        library that shares columns with Arrow (Polars, also lazy frames, DuckDB, PyArrow, …); a
        Dask frame; or the path of a CSV, TREC or Parquet file. For Parquet, you can also pass a
        folder, or a pattern such as ``"recs/*.parquet"``.
        Instead of a table, you can pass a dict with an entry for each user: scores by item, as in
        ``{"ann": {"x": 0.9, "y": 0.4}}``, or items without scores, best first, as in
        ``{"ann": ["x", "y"]}``. For rows and records, see `pandas.DataFrame`; for arrays, see
        `receval.lists_from_scores` and `receval.lists_from_items`.
        For several systems, pass a dict from the name of a system to any of these, or one table
        with a ``system`` column.
    relevance : table, path or dict
        A table with a row for each judged pair: ``user``, ``item`` and the grade in
        ``relevance_column``, which may be True or False. Grades below 0, such as ratings from -10
        to 10, are only for measures that don't ask whether an item is relevant, such as RMSE and
        MAE; some conventions count them as 0. The users in it are the *judged* users,
        over whom means are taken. You can also pass a dict from user to grades by item, or from
        user to a list or set of items, which are all relevant.
    measures : str, Measure, or several
        Names such as ``"nDCG@10"`` or ``"RBP(p=0.9)@10"`` (see `receval.measures`), and your own
        measures (see `receval.Measure`).
    user, item, score : str
        Names of the columns in both tables. If the tables have different names for users or items,
        pass both names, with the name in the recommendations first: ``user=("uid", "user_id")``.
        If a table lacks a column, and exactly one other column has a usual name for it, such as
        ``user_id``, receval reads that one, and a note says so.
    rank : str, optional
        Name of a column of ranks 1, 2, 3, …, which replace the scores. By default, receval reads a
        column ``rank`` if there are no scores, and refuses one that contradicts the scores.
    relevance_column : str or None, default "relevance"
        Name of the column of grades; None if every row of ``relevance`` is simply relevant.
    system : str or None, default "system"
        Name of the column of systems, if one table holds several. A table need not have a column
        ``"system"``. If it does, and the column has several labels, each label is a system. None:
        the column has another meaning.
    convention : str or Convention, default "receval"
        The choices to follow; see `receval.conventions`. You can make your own with
        ``dataclasses.replace(receval.evaluation.convention("ranx"), name="mine", threshold=4)``.
    ties : str, optional
        How equal scores are ordered: ``"item"``, ``"item_descending"``, ``"text"``,
        ``"trec_eval"``, ``"input"``, ``"optimistic"``, ``"pessimistic"``, or ``"average"`` over
        all orders. Default: the convention's rule.
    users : {"judged", "answered", "both"} or ids, default "judged"
        The users over whom means are taken: users with relevance rows, users with recommendations,
        users with both, or exactly the users whose ids you pass. A judged user without
        recommendations counts as 0, unless the convention leaves such users out. A user who is not
        judged counts as 0, and appears in the counts as ``not judged``. Measures of all users
        together allow only ``"judged"``. "answered" and ids are for tables that fit in memory.
    relevant_from : float, optional
        The lowest grade of a relevant item, for example 4 for ratings from 1 to 5. Measures that
        only ask whether an item is relevant (HR, MRR, MAP, precision, AUC, …) use it. Graded gains
        (nDCG, DCG, CG, ERR) and your own measures see all grades, and a note says so. For binary
        gains, put the threshold in the name: ``"nDCG(rel=4)@10"``. It does not change which users
        are judged, but leaving out rows of ``relevance`` with lower grades would. Default: the
        lowest relevant grade of the convention. In most conventions, any grade above 0 is relevant.
    duplicates : {"error", "first"}, default "error"
        What to do if an item is in a list twice: raise an error, or keep its first place, leave out
        the other rows and count them as ``repeated``.
    items : DataFrame, optional
        The whole catalogue, indexed by item id. CC and Gini use its length, LTP the
        column ``awards``, nov_t the column ``novelty_date``, and ILD all other columns as features:
        a note names them, because a column such as ``year`` would outweigh genres of 0 and 1.
        If pandas numbered the rows and there is a column with the name in ``item``, this column has
        the ids.
    history : table or dict, optional
        Users and the items that they have seen, for nov_u, MIUF and ARP, and for ``seen``.
        The columns have the same names as in ``relevance``.
    seen : {"note", "drop", "error"}, default "note"
        What to do with recommended items that are in the ``history`` of their user: add a note
        under the table, leave them out and count them as ``seen``, or raise an error.
    progress : bool, optional
        Whether to show a progress bar while Parquet files are evaluated in parts. Default: True,
        but False in a notebook.

    Returns
    -------
    Evaluation
        The result, with ``per_user`` values, their means in ``summary``, ``counts`` of users, and
        methods for tables, explanations and plots.

    Raises
    ------
    InputError
        If a column is missing, an id is missing or of a different kind from the ids in the other
        table, an item occurs twice in a list or in the truth, a score or grade is NaN, a grade is
        negative and a measure asks whether an item is relevant, ranks are not 1, 2, 3, …, a measure
        or convention is unknown, nobody is judged, or no user of the recommendations is judged.

    Notes
    -----
    receval drops nothing silently: it leaves out recommendations of users without relevance rows,
    and ``counts`` says how many users these are.

    `Evaluation.notes` lists input that is legal but doubtful; the notes are also under tables and
    in the methods paragraph. If no judged user has a list, or no item is in both tables, receval
    also issues an `EvaluationWarning`.

    receval works on blocks of users in up to four threads. The results don't depend on this.

    If Parquet files have more than 20 million rows together, and no other table is in memory,
    receval evaluates them in parts, each with all rows of some users. It writes the parts to a
    temporary folder. The memory that this needs grows with the number of users, but not with the
    number of rows. If you pass Dask frames, Dask brings the rows of each user together. In all
    cases, the values equal those of tables in memory, bit for bit.

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
    chosen_convention = named_convention(convention, ties=ties, relevant_from=relevant_from)
    if progress is not None:
        check_flag(progress, "progress")
    # Read the tables.
    names = ColumnNames.of(
        user=user,
        item=item,
        score=score,
        rank=rank,
        relevance_column=relevance_column,
        system=system,
    )
    parsed_measures = parse(measures)
    tables, column_names = read_tables(names, recommendations, relevance, history)
    if column_names.rank is not None:
        rule = "be left out with ranks, which give the order"
        check_that(score == "score", "score", rule, score)
        check_that(ties is None, "ties", f"{rule} of all items", ties)
    options = Options.of(
        parsed_measures,
        chosen_convention,
        column_names,
        duplicates=duplicates,
        seen=seen,
        users=users,
        items=items,
        has_history=history is not None,
    )
    if has_to_be_split(tables):
        options, results = evaluate_in_parts(options, tables, progress=progress)
    else:
        tables = open_in_memory(options, tables)
        # A measure such as ERR depends on the largest grade of the relevance.
        options = with_largest_grade(options, [tables.by_place["relevance"]])
        # This joins the tables, and then builds and measures the lists of each system.
        results = measure_tables(options, tables)
    doubts = "; ".join(serious(results))
    if doubts:
        warn(doubts, stacklevel=2)
    return Evaluation(options, dict(results))
