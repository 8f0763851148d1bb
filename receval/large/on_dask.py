"""Evaluating Dask frames: Dask brings rows to whole users, parts are measured, sums are added.

Nothing is scheduled here, and no formula is here: a partition after Dask's shuffle is a part, as
those of files are.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

from receval._checks import InputError
from receval.engine.task import EvaluationTask
from receval.large.frames import DaskTable, import_dask, read_by_dask, shuffled
from receval.large.tables import PartedTables
from receval.large.totals import Part, measure_part
from receval.tables.inputs import InputTables


class DaskTables(PartedTables):
    """Dask frames as tables."""

    def __init__(self, task: EvaluationTask, tables: InputTables, client: Any) -> None:
        import_dask("dask.dataframe")
        rules = task.context.convention
        if "input" in (rules.ties, *dict(rules.cut_ties).values()):
            raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
        self.client, self.given = client, tables.by_place
        super().__init__(task, tables, partial(DaskTable, client=client))

    def parts(self, *_: Any) -> Generator[Part]:
        """Every part as soon as it is measured; what a worker loses, Dask computes again."""
        dask, client, task = import_dask("dask"), self.client, self.task
        frames = {where: one.frame for where, one in self.all.items()}
        with read_by_dask(self.given):
            whole = shuffled(frames, task.given.user, client)
            measure, how = dask.delayed(measure_part), dask.delayed(task)
            parts = [
                measure(how, dict(zip(whole, tables, strict=True)), self.systems)
                for tables in zip(*whole.values(), strict=True)
            ]
            if client is None:
                yield from dask.compute(*parts)
                return
            for future in import_dask("distributed").as_completed(client.compute(parts)):
                yield future.result()
