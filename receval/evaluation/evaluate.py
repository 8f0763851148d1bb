"""Evaluating systems on one's own tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval import large as scale
from receval._checks import SHOWN, InputError, check_choice, check_flag
from receval.engine.context import build_context, refuse_outside
from receval.engine.measuring import measured
from receval.evaluation.result import Evaluation
from receval.measure.block import ListRules
from receval.measure.convention import MISSING, TIES, Convention
from receval.measure.conventions import convention as named_convention
from receval.measure.form import Measure
from receval.measure.lists import Lists, Truth
from receval.measure.names import parse
from receval.tables.columns import column, numbers, refuse_rows
from receval.tables.formats import open_table
from receval.tables.ids import code
from receval.tables.rows import segments

__all__ = ["evaluate"]


def evaluate(
    recommendations: Any,
    relevance: Any,
    measures: str | Iterable[str],
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
    measures : str or iterable of str
        Names such as ``"nDCG@10"``; see `receval.measure.names`.
    user, item, score : str
        Names of the columns, the same in both tables.
    rank : str, optional
        Name of a column of ranks 1, 2, 3, …, which are then used in place of the score.
    relevance_column : str or None, default "relevance"
        Name of the column of grades; None if every row of ``relevance`` is simply relevant.
    system : str, optional
        Name of the column that tells several systems apart.
    convention : str or Convention, default "receval"
        Whose choices to follow; see `receval.measure.conventions`. One's own is made with
        ``dataclasses.replace(receval.evaluation.convention("ranx"), name="mine", threshold=4)``.
    ties : str, optional
        How equal scores are ordered: ``"item"``, ``"item_descending"``, ``"text"``,
        ``"trec_eval"``, ``"input"``, ``"optimistic"``, ``"pessimistic"``, or ``"average"`` over
        all orders. Default: as the convention has it.
    missing : {"zero", "skip", "error"}, optional
        What a judged user without recommendations counts. Default: as the convention has it.
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
        A folder for the per-user values of Parquet files that are evaluated part by part, in
        little memory. A run that was stopped is continued by the same call. See Notes.
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
    progress = check_flag(progress, "progress", optional=True)
    given = dict(locals())
    if scale.concerns(given):
        return scale.evaluate_at_scale(given)
    wanted = parse(measures)
    rules = _rules(convention, ties, missing)
    labels, tables = _systems(recommendations)
    truth_table = open_table(relevance, "relevance")
    sources = {**tables, "relevance": truth_table}
    if history is not None:
        sources["history"] = open_table(history, "history")

    user_columns = {where: column(table, user, where) for where, table in sources.items()}
    item_columns = {where: column(table, item, where) for where, table in sources.items()}
    if items is not None:
        item_columns["items"] = _catalogue(items)
    if user_columns["relevance"].empty:
        raise InputError("relevance must hold at least one row; got none, so nobody is judged")
    user_runs, users = segments(user_columns, user)
    item_codes, catalogue = code(item_columns, item)

    truth = Truth(
        rows=user_runs["relevance"].by_user(),
        item=item_codes["relevance"],
        grade=_grades(truth_table, relevance_column, rules),
        users=users,
        items=catalogue,
        floor=rules.threshold or (0.0 if rules.negative == "zero" else None),
    )
    past = (user_runs["history"], item_codes["history"]) if history is not None else None
    context = build_context(
        wanted, rules, items, item_codes.get("items"), catalogue, past, truth.judged, now
    )

    depth = _depth(wanted)
    keep_first = check_choice(duplicates, "duplicates", ("error", "first")) == "first"
    lists: dict[str, Lists] = {}
    for where, table in tables.items():
        if items is not None:
            refuse_outside(item_codes[where], item_codes["items"], catalogue)
        value = _values(table, where, score, rank)
        for name, rows in _rows(table, where, labels[where], system):
            if name in lists:
                raise InputError(f"{TABLE} must hold each system once; got {name!r} twice")
            own, listed, its_value = user_runs[where], item_codes[where], value
            if rows is not None:
                own, listed, its_value = own.of(rows), listed.of(rows), value[rows]
            how = ListRules(rules.ties, rank is not None, depth, keep_first, name)
            lists[name] = Lists(truth, own.by_user(), listed, its_value, how)
    _refuse_strangers(lists, truth)
    return measured(lists, wanted, context, progress=progress)


TABLE = "recommendations"


def _rules(name: str | Convention, ties: str | None, missing: str | None) -> Convention:
    rules = named_convention(name)
    if ties is not None:
        rules = replace(rules, ties=check_choice(ties, "ties", TIES), cut_mrr_ties=None)
    if missing is not None:
        rules = replace(rules, missing=check_choice(missing, "missing", MISSING))
    return rules


def _systems(recommendations: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Names and tables of the systems, by how messages call them."""
    if isinstance(recommendations, Mapping):
        values = list(recommendations.values())
        if not values:
            raise InputError(f"{TABLE} must hold at least one system; got an empty dict")
        tables_only = all(_is_table(value) or _is_nothing(value) for value in values)
        if tables_only and any(_is_table(value) for value in values):
            labels = {f"{TABLE} of {name!r}": name for name in recommendations}
            tables = {
                where: open_table(recommendations[name], where) for where, name in labels.items()
            }
            return labels, tables
    return {TABLE: ""}, {TABLE: open_table(recommendations, TABLE)}


def _is_table(value: object) -> bool:
    named = hasattr(value, "columns") or hasattr(value, "column_names")
    return named or isinstance(value, (Mapping, Path, str))


def _is_nothing(value: object) -> bool:
    return isinstance(value, (list, tuple)) and not value


def _rows(table: Any, where: str, name: Any, system: str | None) -> Iterator[tuple[Any, Any]]:
    """Each system in a table with its rows."""
    if system is None:
        yield name, None
        return
    labels = column(table, system, where)
    if labels.isna().any():
        raise InputError(f"{system} of {where} must not be missing; a row belongs to no system")
    if labels.empty:
        raise InputError(f"{system} of {where} must name a system; got no row")
    codes, names = pd.factorize(labels)
    by_system = np.argsort(codes, kind="stable")
    parts = np.split(by_system, np.cumsum(np.bincount(codes))[:-1])
    for label, rows in zip(names.tolist(), parts, strict=True):
        yield (f"{name}/{label}" if name != "" else label), rows


def _catalogue(items: pd.DataFrame) -> pd.Series:
    if not isinstance(items, pd.DataFrame):
        raise InputError(f"items must be a DataFrame indexed by item; got {type(items).__name__}")
    if items.empty and not len(items.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    if items.index.has_duplicates:
        again = items.index[items.index.duplicated()][:SHOWN].tolist()
        raise InputError(f"items must hold each item once in its index; got twice {again}")
    return items.index.to_series().reset_index(drop=True)


def _grades(table: Any, label: str | None, rules: Convention) -> npt.NDArray[Any]:
    if label is None:
        return np.broadcast_to(np.uint8(1), len(table))
    series = column(table, label, "relevance")
    grade = numbers(series, f"{label} of relevance")
    if rules.negative == "error" and grade.min() < 0:
        name = f"{label} of relevance"
        refuse_rows(series, grade < 0, name, "be at least 0", "0 is not relevant")
    return grade


def _values(table: Any, where: str, score: str, rank: str | None) -> npt.NDArray[Any]:
    """The scores, or the ranks."""
    series = column(table, score if rank is None else rank, where)
    if not len(series):
        return np.empty(0)
    if rank is None:
        return numbers(series, f"{score} of {where}", infinite=True)
    place = numbers(series, f"{rank} of {where}")
    if place.min() < 1 or (place.dtype.kind == "f" and (place != np.floor(place)).any()):
        wrong = (place < 1) | (place != np.floor(place))
        refuse_rows(series, wrong, f"{rank} of {where}", "hold ranks 1, 2, 3, …")
    return place


def _depth(measures: list[Measure]) -> int | None:
    """How many ranks the measures look at; None: all."""
    if any(one.k is None or one.whole_list for one in measures):
        return None
    return max(one.k for one in measures if one.k is not None)


def _refuse_strangers(lists: dict[str, Lists], truth: Truth) -> None:
    """A system none of whose users is judged was probably given other ids."""
    for one in lists.values():
        theirs = one.rows.users
        if theirs.size and one.ignored == theirs.size:
            raise InputError(
                f"{TABLE}{one.how.of_system} must have users that are judged; got 0 of "
                f"{theirs.size} users in relevance: {truth.users.of(theirs[:SHOWN]).tolist()} "
                f"against {truth.users.of(truth.judged[:SHOWN]).tolist()}"
            )
