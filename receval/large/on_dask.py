"""Evaluating Dask frames: Dask brings rows to whole users, `Task.part` is mapped, sums are added.

Nothing is scheduled here, and no formula is here: a partition after Dask's shuffle is a part, as
those of files are.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import SHOWN, InputError
from receval.large.asked import systems_in, tables_in, wanted_of
from receval.large.frames import distinct, frame_of, needed, refuse_other_kinds, shuffled
from receval.large.journal import Journal, locked
from receval.large.parts import store
from receval.large.stored import StoredEvaluation
from receval.large.tables import names_of
from receval.large.task import LIKELY, Part, Task, refuse_strangers
from receval.large.totals import Totals, merge

FAN_IN = 8  # totals that are added up in one task


def evaluate_dask(given: Mapping[str, Any], task: Task) -> StoredEvaluation:
    """Evaluate Dask frames, or Parquet files on a cluster, from the arguments of `evaluate`."""
    needed("dask.dataframe")
    if "input" in (task.rules.ties, task.rules.cut_mrr_ties):
        raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
    if given["output"] is not None:
        with locked(Path(given["output"])):
            return _evaluate_in(Path(given["output"]), given, task)
    folder = Path(tempfile.mkdtemp(prefix="receval-"))
    try:
        found = _evaluate_in(folder, given, task)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def _evaluate_in(folder: Path, given: Mapping[str, Any], task: Task) -> StoredEvaluation:
    """Evaluate, with per-user values in a folder: by the workers, or by this process."""
    dask = needed("dask")
    client, system, by_workers = given["client"], given["system"], given["output"] is not None

    def compute(tasks: Any) -> Any:
        return dask.compute(tasks, **({} if client is None else {"scheduler": client}))[0]

    wanted = wanted_of(given, task)
    frames = {where: frame_of(table, wanted[where]) for where, table in tables_in(given).items()}
    for label, items in ((task.user, None), (task.item, task.items)):
        refuse_other_kinds(frames, label, None if items is None else items.index)
    lists = [where for where in frames if where not in ("relevance", "history")]
    labels: list[list[Any]] = [
        [] if system is None else distinct(frames[one], system, one, compute) for one in lists
    ]
    names = names_of(list(systems_in(given)), labels, system)
    split = partial(_split, names=names, labels=labels, system=system)

    # Each call is a run of its own: what a worker loses, Dask computes again.
    journal = Journal(folder, {"dask": uuid.uuid4().hex}, _unwatched, durable=by_workers)
    whole = shuffled(frames, task.user, client)
    asked, save = dask.delayed(task), dask.delayed(_store)
    parts = [
        dask.delayed(_part)(asked, split, lists, dict(zip(whole, tables, strict=True)))
        for tables in zip(*whole.values(), strict=True)
    ]
    kind = str(frames["relevance"].dtypes[task.user])
    values = [save(journal, *one, asked, kind) for one in enumerate(parts)] if by_workers else parts
    sums = [dask.delayed(_sums)(part) for part in parts]
    while len(sums) > 1:
        groups = [sums[low : low + FAN_IN] for low in range(0, len(sums), FAN_IN)]
        sums = [dask.delayed(_merged)(group, asked) for group in groups]
    found, (totals, history) = compute([values, sums[0]])
    if not by_workers:
        for number, part in enumerate(found):
            _store(journal, number, part, task, kind)

    _refuse(totals, history, frames, lists, task)
    reader = FrameReader(frames, lists, split, task, compute)
    return StoredEvaluation(task, totals, sorted(folder.glob("per_user/*.parquet")), reader)


def _part(task: Task, split: Callable[..., Any], lists: list[str], tables: dict[str, Any]) -> Part:
    """Evaluate the partitions of one number."""
    own = split([tables[where] for where in lists])
    return task.part(own, tables["relevance"], tables.get("history"))


def _split(
    tables: Sequence[Any],
    names: list[Hashable],
    labels: Sequence[Sequence[Any]],
    system: str | None,
) -> dict[Hashable, Any]:
    """The rows of every system."""
    if system is not None:
        tables = [
            table[table[system] == label]
            for table, own in zip(tables, labels, strict=True)
            for label in own
        ]
    return dict(zip(names, tables, strict=True))


def _store(journal: Journal, number: int, part: Part, task: Task, kind: str) -> None:
    """Write what a part gives; done twice, the same files stand there."""
    import pyarrow as pa

    types = {"int64": pa.int64(), "uint64": pa.uint64()}
    store(journal, f"part-{number:05d}", part, task, types.get(kind, pa.large_string()))


def _sums(part: Part) -> tuple[dict[Hashable, Totals], int]:
    return part.totals, part.history


def _merged(
    sums: list[tuple[dict[Hashable, Totals], int]], task: Task
) -> tuple[dict[Hashable, Totals], int]:
    measures = {one.name: one for one in task.measures}
    totals = reduce(lambda a, b: merge(a, b, measures), (one for one, _ in sums))
    return totals, sum(known for _, known in sums)


def _refuse(
    totals: Mapping[Hashable, Totals],
    history: int,
    frames: Mapping[str, Any],
    lists: list[str],
    task: Task,
) -> None:
    """Refuse tables without a judged user, or that share none."""
    if not next(iter(totals.values())).counts["judged"]:
        raise InputError("relevance must hold at least one row; got none, so nobody is judged")
    lost = any(one.counts["ignored"] and not one.counts["answered"] for one in totals.values())
    if lost or ("history" in frames and not history):
        some = {
            where: frame[task.user].head(LIKELY, npartitions=-1).unique()[:SHOWN].tolist()
            for where, frame in frames.items()
        }
        refuse_strangers(totals, {"recommendations": some[lists[0]], **some})
        if some["history"]:
            raise InputError(
                "history must have users that are judged; got none in relevance of such as "
                f"{some['history']}"
            )


@dataclass(frozen=True)
class FrameReader:
    """What a finished evaluation computes from its frames again."""

    frames: Mapping[str, Any]
    lists: Sequence[str]
    split: Callable[..., Any]
    task: Task
    compute: Callable[[Any], Any]

    def of_user(self, user: Any, system: Hashable) -> tuple[Any, Any, Any]:
        """The rows of one user: of a system, relevance and history."""
        label = self.task.user
        found = self.compute({where: one[one[label] == user] for where, one in self.frames.items()})
        own = self.split([found[where] for where in self.lists])
        return own[system], found["relevance"], found.get("history")

    def items(self, system: Hashable) -> pd.Index[Any]:
        """The distinct items that a system recommends."""
        return self._distinct(self.split([self.frames[where] for where in self.lists])[system])

    def judged_items(self) -> pd.Index[Any]:
        """The distinct items in relevance."""
        return self._distinct(self.frames["relevance"])

    def kind_of_items(self) -> str:
        """Whether item ids are "integer" or "text"."""
        dtype = self.frames["relevance"].dtypes[self.task.item]
        return "integer" if pd.api.types.is_integer_dtype(dtype) else "text"

    def _distinct(self, frame: Any) -> pd.Index[Any]:
        items: pd.Index[Any] = pd.Index(self.compute(frame[self.task.item].drop_duplicates()))
        return items


def _unwatched() -> None:
    """What a step on Dask is made from does not change."""
