"""Evaluating Parquet files part by part, in a folder that keeps what is finished."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import SHOWN, InputError
from receval.evaluation.columns import encode
from receval.evaluation.scale.journal import Journal, locked
from receval.evaluation.scale.ranges import Scan, bounds_of, scan
from receval.evaluation.scale.sources import Source
from receval.evaluation.scale.spill import spill, spilled, streamed
from receval.evaluation.scale.stored import StoredEvaluation, table_of
from receval.evaluation.scale.task import Part, Task, refuse_strangers
from receval.evaluation.scale.totals import Totals, merge

__all__ = ["Tables", "evaluate_files"]

PART_ROWS = 1 << 20  # rows of all tables together that one part should have
LONG = 3_000_000  # rows from which a progress bar is shown unasked


class Tables:
    """The files of an evaluation: systems by name, relevance, and perhaps history.

    Parameters
    ----------
    systems : dict of Source
        By the name that a table was given, "" for the only one.
    relevance : Source
    history : Source, optional
    system : str, optional
        The column that tells systems in one table apart.
    """

    def __init__(
        self,
        systems: Mapping[Hashable, Source],
        relevance: Source,
        history: Source | None,
        system: str | None,
    ) -> None:
        self.systems = dict(systems)
        self.relevance = relevance
        self.history = history
        self.system = system

    @property
    def all(self) -> list[Source]:
        """All tables, recommendations first."""
        return [*self.systems.values(), self.relevance, *([self.history] if self.history else [])]

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(source.rows for source in self.all)

    def check(self, task: Task) -> None:
        """Refuse what shows before all rows are read: columns, types, kinds of ids, no rows."""
        heads = {}
        for source in self.all:
            heads[source.where] = next(
                (table for _, table in source.checked()), source.schema.empty_table()
            ).to_pandas()
        if not self.relevance.rows:
            raise InputError("relevance must hold at least one row; got none, so nobody is judged")
        encode({where: head[task.user] for where, head in heads.items()}, task.user)
        items = {where: head[task.item] for where, head in heads.items()}
        if task.items is not None:
            items["items"] = task.items.index.to_series().reset_index(drop=True)
        encode(items, task.item)

    def named(self, labels: Sequence[Sequence[Any]]) -> list[Hashable]:
        """Names of all systems, those of each table given its ``labels``."""
        if self.system is None:
            return list(self.systems)
        names: list[Hashable] = [
            f"{name}/{label}" if name != "" else label
            for name, own in zip(self.systems, labels, strict=True)
            for label in own
        ]
        if len(set(names)) < len(names):
            raise InputError(f"recommendations must hold each system once; got {names}")
        return names

    def split(self, tables: Sequence[Any], labels: Sequence[Sequence[Any]]) -> dict[Hashable, Any]:
        """The rows of every system in one part."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.system is None:
            return dict(zip(self.systems, tables, strict=True))
        found = [
            table.filter(pc.equal(table[self.system], pa.scalar(label, table[self.system].type)))
            for table, own in zip(tables, labels, strict=True)
            for label in own
        ]
        return dict(zip(self.named(labels), found, strict=True))

    def of_user(self, labels: Sequence[Sequence[Any]], user: str) -> Callable[..., Any]:
        """A function that reads the rows of one user and system."""

        def rows(who: Any, system: Hashable) -> tuple[Any, Any, Any]:
            import pyarrow as pa

            try:
                relevance = self.relevance.where_user(user, who)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # an id of another kind
                return None, (), None
            own = [source.where_user(user, who) for source in self.systems.values()]
            history = None if self.history is None else self.history.where_user(user, who)
            return self.split(own, labels)[system], relevance, history

        return rows


def evaluate_files(
    tables: Tables, task: Task, *, output: str | Path | None, run: Mapping[str, Any], progress: Any
) -> StoredEvaluation:
    """Evaluate files part by part; ``run`` are the choices that tell it from other runs."""
    from tqdm import tqdm

    stamps = [source.stamp() for source in tables.all]
    tables.check(task)
    with ExitStack() as stack:
        keep = None
        if output is None:
            keep = tempfile.TemporaryDirectory(prefix="receval-")
            folder, inputs = Path(keep.name), {}
        else:
            folder = Path(output)
            stack.enter_context(locked(folder))
            inputs = {source.where: source.identity() for source in tables.all}
        journal = Journal(folder, {**run, "inputs": inputs})
        shown = tables.rows >= LONG if progress is None else progress
        bar = stack.enter_context(
            tqdm(
                total=tables.rows * 2,
                unit="row",
                unit_scale=True,
                desc="evaluate",
                disable=not shown,
            )
        )
        plan = _plan(tables, task, journal, bar)
        names = tables.named(plan["systems"])
        totals = _finish(tables, task, journal, plan, names, bar)
        if [source.stamp() for source in tables.all] != stamps:
            raise InputError("files must stay as they are while they are evaluated; some changed")
        _refuse_disjoint(tables, task, totals, journal)
        steps = [step for step in journal.done if step.startswith("spill-")]
        if "result" not in journal.done:
            journal.record("result", {}, {})
        journal.forget(steps)
        files = [
            folder / name
            for step, found in sorted(journal.done.items())
            for name in found["files"]
            if name.startswith("per_user/")
        ]
    return StoredEvaluation(task, totals, files, tables.of_user(plan["systems"], task.user), keep)


def _plan(tables: Tables, task: Task, journal: Journal, bar: Any) -> dict[str, Any]:
    """Where parts begin and which tables are sorted, from one reading of the user columns."""
    if "plan" not in journal.done:
        systems = len(tables.systems)
        scans: list[Scan] = [
            scan(source, task.user, tables.system if place < systems else None, bar)
            for place, source in enumerate(tables.all)
        ]
        found = {
            "bounds": bounds_of([user for one in scans for user in one.sample], PART_ROWS),
            "ascending": [one.ascending for one in scans],
            "samples": [one.sample if one.ascending else [] for one in scans],
            "systems": [one.systems for one in scans[:systems]],
        }
        journal.record("plan", {}, found)
    else:
        bar.update(tables.rows)
    plan = journal.done["plan"]
    bar.total += sum(
        source.rows
        for source, ascending in zip(tables.all, plan["ascending"], strict=True)
        if not ascending
    )
    return plan


def _finish(
    tables: Tables,
    task: Task,
    journal: Journal,
    plan: Mapping[str, Any],
    names: list[Hashable],
    bar: Any,
) -> dict[Hashable, Totals]:
    """Evaluate the parts that are not yet done, and add all of them up."""
    measures = {one.name: one for one in task.measures}
    count = len(plan["bounds"]) + 1
    ready = sum(f"part-{number:05d}" in journal.done for number in range(count))
    parts = [_stored(journal, f"part-{number:05d}", names) for number in range(ready)]
    totals = reduce(lambda a, b: merge(a, b, measures), parts) if parts else None
    if ready < count:
        streams = [
            _parts(source, place, task, plan, ready, journal, bar)
            for place, source in enumerate(tables.all)
        ]
        systems = len(tables.systems)
        for number in range(ready, count):
            rows = [next(stream) for stream in streams]
            own = tables.split(rows[:systems], plan["systems"])
            part = task.part(own, *rows[systems:])
            _store(
                journal,
                f"part-{number:05d}",
                part,
                task,
                tables.relevance.schema.field(task.user).type,
            )
            totals = part.totals if totals is None else merge(totals, part.totals, measures)
    assert totals is not None
    return totals


def _parts(
    source: Source,
    place: int,
    task: Task,
    plan: Mapping[str, Any],
    first: int,
    journal: Journal,
    bar: Any,
) -> Iterator[Any]:
    """One table's rows part by part."""
    bounds = plan["bounds"]
    if plan["ascending"][place]:
        return streamed(source, task.user, bounds, first, plan["samples"][place], bar)
    name = f"spill-{place}"
    spill(source, task.user, bounds, journal, name, bar)
    return spilled(source, bounds, first, journal, name, bar)


def _store(journal: Journal, step: str, part: Part, task: Task, kind: Any) -> None:
    """Write a part's per-user values, sets of items and totals."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    measures = {one.name: one for one in task.measures}
    files: dict[str, Callable[[Any], object]] = {}
    if part.values is not None:
        several = list(part.values) != [""]
        systems = [table_of(own, name, several, kind) for name, own in part.values.items()]

        def fill(file: Any) -> None:
            # A row group per system, so that one system is read without the others.
            with pq.ParquetWriter(file, systems[0].schema) as writer:
                for table in systems:
                    writer.write_table(table, row_group_size=max(table.num_rows, 1))

        files[f"per_user/{step}.parquet"] = fill
    sets = [
        (place, name, state)
        for place, one in enumerate(part.totals.values())
        for name, state in one.states.items()
        if measures[name].state_of_items
    ]
    if sets:
        places, names, states = zip(*sets, strict=True)
        table = pa.table({"system": places, "measure": names, "items": list(states)})
        files[f"items/{step}.parquet"] = lambda file: pq.write_table(table, file)
    found = {
        "totals": [one.to_dict(measures) for one in part.totals.values()],
        "users": part.users,
        "history": part.history,
    }
    journal.record(step, files, found)


def _stored(journal: Journal, step: str, names: Sequence[Hashable]) -> dict[Hashable, Totals]:
    """The totals that a part left."""
    import pyarrow.parquet as pq

    found = journal.done[step]
    sets: list[dict[str, Any]] = [{} for _ in names]
    for name in found["files"]:
        if name.startswith("items/"):
            table = pq.read_table(journal.folder / name)
            for place, measure, items in zip(
                *(table[label] for label in ("system", "measure", "items")), strict=True
            ):
                sets[place.as_py()][measure.as_py()] = items.values.to_numpy(zero_copy_only=False)
    return {
        name: Totals.from_dict(state, own)
        for name, state, own in zip(names, found["totals"], sets, strict=True)
    }


def _refuse_disjoint(
    tables: Tables, task: Task, totals: Mapping[Hashable, Totals], journal: Journal
) -> None:
    """Tables that share no user at all were probably given other ids."""
    some = {
        "recommendations": _some(next(iter(tables.systems.values())), task.user),
        "relevance": _some(tables.relevance, task.user),
    }
    refuse_strangers(totals, some)
    if tables.history is not None and tables.history.rows:
        known = sum(found.get("history", 0) for found in journal.done.values())
        if not known:
            raise InputError(
                "history must have users that are judged; got none in relevance of such as "
                f"{_some(tables.history, task.user)}"
            )


def _some(source: Source, user: str) -> list[Any]:
    """A few users of a table."""
    heads = (table for _, table in source.batches([user]))
    users = next(heads, source.schema.empty_table())[user]
    return list(pd.unique(users.slice(0, 1000).to_pandas())[:SHOWN].tolist())
