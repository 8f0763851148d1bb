"""Evaluating Parquet files part by part, in a folder that keeps what is finished."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Hashable, Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from receval.engine.measuring import LONG
from receval.large.journal import Journal, locked
from receval.large.parts import files_of, load, store
from receval.large.ranges import Scan, bounds_of, scan
from receval.large.sources import Source
from receval.large.spill import spill, spilled, streamed
from receval.large.stored import StoredEvaluation
from receval.large.tables import Reader, Tables
from receval.large.task import Task
from receval.large.totals import Totals, merge

PART_ROWS = 1 << 20  # rows of all tables together that one part should have


def evaluate_files(
    tables: Tables,
    task: Task,
    *,
    output: str | Path | None,
    run: Mapping[str, Any],
    progress: bool | None,
) -> StoredEvaluation:
    """Evaluate files part by part; ``run`` are the choices that tell it from other runs."""
    if output is not None:
        with locked(Path(output)):
            return _evaluate_in(Path(output), tables, task, run, progress, kept=True)
    folder = Path(tempfile.mkdtemp(prefix="receval-"))
    try:
        found = _evaluate_in(folder, tables, task, run, progress, kept=False)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # The files are read from as long as there is a result.
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def _evaluate_in(
    folder: Path,
    tables: Tables,
    task: Task,
    run: Mapping[str, Any],
    progress: bool | None,
    *,
    kept: bool,
) -> StoredEvaluation:
    """Evaluate in a folder that is this run's own; ``kept`` if another run may continue it."""
    from tqdm import tqdm

    unchanged = tables.watch()
    tables.check(task)
    inputs = tables.identity() if kept else {}
    journal = Journal(folder, {**run, "inputs": inputs}, guard=unchanged, durable=kept)
    shown = tables.rows >= LONG if progress is None else progress
    how: dict[str, Any] = {"unit": "row", "unit_scale": True, "desc": "evaluate"}
    with tqdm(total=tables.rows * 2, disable=not shown, **how) as bar:
        plan = _plan(tables, task, journal, bar)
        totals = _finish(tables, task, journal, plan, bar)
    history = sum(found.get("history", 0) for found in journal.done.values())
    tables.refuse_disjoint(task, totals, history)
    if "result" not in journal.done:
        journal.record("result", {}, {})
    journal.forget([step for step in journal.done if step.startswith("spill-")])
    reader = Reader(tables, task, plan["systems"])
    return StoredEvaluation(task, totals, files_of(journal), reader)


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
    bar: Any,
) -> dict[Hashable, Totals]:
    """Evaluate the parts that are not yet done, and add all of them up."""
    measures = {one.name: one for one in task.measures}
    names = tables.named(plan["systems"])
    count = len(plan["bounds"]) + 1
    ready = sum(f"part-{number:05d}" in journal.done for number in range(count))
    parts = [load(journal, f"part-{number:05d}", names) for number in range(ready)]
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
            relevance, *history = rows[systems:]
            part = task.part(own, relevance, history[0] if history else None, known=totals)
            store(
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
