"""The arguments of `evaluate` as tables, a task, and what tells one evaluation from another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, check_choice
from receval._version import __version__
from receval.evaluation.evaluate import _catalogue, _grades, _rules, _values
from receval.large import by_system
from receval.large.sources import Source, parquet_files
from receval.large.tables import Tables
from receval.large.task import Task
from receval.measure.convention import Convention, name_of
from receval.measure.names import parse

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


@dataclass(frozen=True)
class Wanted:
    """What is wanted of one table: columns of ids, others, and a check of its rows."""

    where: str
    ids: tuple[str, ...]
    others: tuple[str, ...]
    check: Callable[[Any], object]


def systems_in(given: Mapping[str, Any]) -> dict[Hashable, Any]:
    """The tables of recommendations by the name of their system, "" for an only one."""
    own = given["recommendations"]
    if isinstance(own, Mapping) and not own:
        raise InputError("recommendations must hold at least one system; got an empty dict")
    return dict(own) if by_system(given) else {"": own}


def tables_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """All tables by what messages call them, recommendations first."""
    found = {_called(name): table for name, table in systems_in(given).items()}
    found["relevance"] = given["relevance"]
    return found if given["history"] is None else {**found, "history": given["history"]}


def wanted_of(given: Mapping[str, Any], task: Task) -> dict[str, Wanted]:
    """What is wanted of each table, by what messages call it."""
    ids, grade = (task.user, task.item), task.relevance_column
    others = (task.order, *([] if given["system"] is None else [given["system"]]))
    order = partial(_values, score=task.score, rank=task.rank)
    found = {
        where: Wanted(where, ids, others, partial(order, where=where))
        for where in map(_called, systems_in(given))
    }
    grades = partial(_grades, label=grade, rules=task.rules)
    found["relevance"] = Wanted("relevance", ids, () if grade is None else (grade,), grades)
    found["history"] = Wanted("history", ids, (), len)
    return found


def tables_of(given: Mapping[str, Any], task: Task) -> Tables:
    """The Parquet files of recommendations, relevance and history."""
    wanted = wanted_of(given, task)
    sources = {
        where: Source(files=parquet_files(path, where), **vars(wanted[where]))
        for where, path in tables_in(given).items()
    }
    systems = {name: sources[_called(name)] for name in systems_in(given)}
    return Tables(systems, sources["relevance"], sources.get("history"), given["system"])


def _called(name: Hashable) -> str:
    return f"recommendations of {name!r}" if name != "" else "recommendations"


def fingerprint(given: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """All choices that a result depends on, beside the files themselves."""
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
