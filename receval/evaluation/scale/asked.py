"""The arguments of `evaluate` as tables, a task, and what tells one evaluation from another."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, check_choice
from receval.evaluation.convention import Convention, name_of
from receval.evaluation.evaluate import _catalogue, _grades, _order, _rules
from receval.evaluation.measures import parse
from receval.evaluation.scale.sources import Source, parquet_files
from receval.evaluation.scale.tables import Tables
from receval.evaluation.scale.task import Task

__all__ = ["fingerprint", "tables_of", "task_of"]

FORMAT = 1  # of the output folder


def task_of(given: Mapping[str, Any]) -> Task:
    """What is asked of every part."""
    task = Task(
        measures=tuple(parse(given["measures"])),
        rules=_rules(given["convention"], given["ties"], given["missing"]),
        user=given["user"],
        item=given["item"],
        score=given["score"],
        rank=given["rank"],
        relevance_column=given["relevance_column"],
        duplicates=check_choice(given["duplicates"], "duplicates", ("error", "first")),
        items=given["items"],
        now=given["now"],
    )
    if task.items is not None:
        _catalogue(task.items)
    needs = {need: one.name for one in task.measures for need in one.needs}
    wants_items = [need for need in needs if need != "history"]
    if wants_items and task.items is None:
        raise InputError(
            f"items must be given for {needs[wants_items[0]]}: a frame of the whole catalogue, "
            "indexed by item id"
        )
    if "history" in needs and given["history"] is None:
        raise InputError(
            f"history must be given for {needs['history']}: a table of users and the items they "
            "have seen"
        )
    return task


def tables_of(given: Mapping[str, Any], task: Task) -> Tables:
    """The Parquet files of recommendations, relevance and history."""
    ids, system = (task.user, task.item), given["system"]
    own = given["recommendations"]
    if isinstance(own, Mapping) and not own:
        raise InputError("recommendations must hold at least one system; got an empty dict")
    paths: Mapping[Hashable, Any] = own if isinstance(own, Mapping) else {"": own}

    def listed(name: Hashable, path: Any) -> Source:
        where = f"recommendations of {name!r}" if name != "" else "recommendations"
        others = (task.order, *([] if system is None else [system]))
        return Source(
            where,
            parquet_files(path, where),
            ids,
            others,
            lambda table: _order(table, where, task.score, task.rank),
        )

    grade = task.relevance_column
    relevance = Source(
        "relevance",
        parquet_files(given["relevance"], "relevance"),
        ids,
        () if grade is None else (grade,),
        lambda table: _grades(table, grade, task.rules),
    )
    history = None
    if given["history"] is not None:
        files = parquet_files(given["history"], "history")
        history = Source("history", files, ids, (), lambda _: None)
    return Tables(
        {name: listed(name, path) for name, path in paths.items()}, relevance, history, system
    )


def fingerprint(given: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """All choices that a result depends on, beside the files themselves."""
    from receval import __version__

    names = given["recommendations"]
    return {
        "format": FORMAT,
        "receval": __version__,
        "measures": [one.name for one in task.measures],
        "convention": _of_convention(task.rules),
        "columns": {
            name: given[name]
            for name in ("user", "item", "score", "rank", "relevance_column", "system")
        },
        "systems": [repr(name) for name in names] if isinstance(names, Mapping) else [],
        "duplicates": task.duplicates,
        "items": None if task.items is None else _of_frame(task.items),
        "now": None if task.now is None else str(task.now),
    }


def _of_convention(rules: Convention) -> dict[str, str]:
    return {one.name: _of_value(getattr(rules, one.name)) for one in fields(rules)}


def _of_value(value: object) -> str:
    """A choice as text; a function of the user's by its name and its code."""
    if not callable(value):
        return repr(value)
    inner: Any = getattr(value, "func", value)
    code = getattr(inner, "__code__", None)
    if code is None or inner.__module__.startswith("receval."):
        return name_of(value)
    cells = [cell.cell_contents for cell in inner.__closure__ or ()]
    text = repr((code.co_code, code.co_consts, code.co_names, cells, inner.__defaults__))
    return f"{name_of(value)} {hashlib.sha256(text.encode()).hexdigest()}"


def _of_frame(frame: pd.DataFrame) -> str:
    """A digest of a frame's index, columns and values."""
    rows = pd.util.hash_pandas_object(frame.astype(object).astype(str), index=False)
    ids = pd.util.hash_pandas_object(frame.index, index=False)
    kinds = repr([(name, str(kind)) for name, kind in frame.dtypes.items()])
    content = np.concatenate([rows.to_numpy(), ids.to_numpy()]).tobytes()
    return hashlib.sha256(kinds.encode() + content).hexdigest()
