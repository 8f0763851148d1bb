"""What a part leaves in the output folder: values, sets of items, totals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

from receval.large.journal import Journal
from receval.large.stored import table_of
from receval.large.task import Part, Task
from receval.large.totals import Totals


def store(journal: Journal, step: str, part: Part, task: Task, kind: Any) -> None:
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


def load(journal: Journal, step: str, names: Sequence[Hashable]) -> dict[Hashable, Totals]:
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


def files_of(journal: Journal) -> list[Path]:
    """The Parquet files of all parts' per-user values, in the order of the parts."""
    return [
        journal.folder / name
        for _, found in sorted(journal.done.items())
        for name in found["files"]
        if name.startswith("per_user/")
    ]
