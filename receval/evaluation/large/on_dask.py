"""Evaluate Dask frames: Dask brings the rows of each user together, then each partition is a part.

Dask also schedules the work. `receval.evaluation.large.totals` measures the parts and adds them up,
as it does for Parquet files.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from pathlib import Path

from receval._checks import InputError
from receval.evaluation.large.frames import (
    DaskClient,
    DaskTable,
    import_dask,
    read_by_dask,
    shuffle_by_user,
)
from receval.evaluation.large.tables import PartedTables
from receval.evaluation.large.totals import Part, measure_part
from receval.evaluation.options import Options
from receval.tables.columns import AnyFrame
from receval.tables.inputs import InputTables


class DaskTables(PartedTables[DaskTable]):
    """The tables of an evaluation as Dask frames.

    Attributes
    ----------
    client : Client, optional
        The client of a cluster; None for this machine.
    tables : dict of table
        Each table as the user passed it, under its name in messages.
    """

    def __init__(self, options: Options, tables: InputTables, client: DaskClient | None) -> None:
        """Open the tables with Dask.

        Raises an error if the rule for ties depends on the order of the rows, or if Dask is not
        installed.
        """
        import_dask("dask.dataframe")
        convention = options.convention
        tie_rules = [convention.ties] + [rule for _, rule in convention.cut_ties]
        if "input" in tie_rules:
            raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
        self.client = client
        self.tables: Mapping[str, AnyFrame] = tables.by_place
        super().__init__(options, tables, partial(DaskTable, client=client))

    def parts(self, folder: Path, *, progress: bool | None) -> Generator[Part]:  # noqa: ARG002
        """Yield the results of every part of the users; on a cluster, as soon as it is measured.

        The arguments have no effect, because Dask has its own temporary folders and its own
        progress display. If a worker fails, Dask computes its parts again.
        """
        dask = import_dask("dask")
        frames = {place: source.frame for place, source in self.sources.items()}
        with read_by_dask(self.tables):
            # All tables have the same number of partitions. The partitions at the same position
            # hold the same users, and together are a part.
            partitions = shuffle_by_user(frames, self.options.column_names.user, self.client)
            measure = dask.delayed(measure_part)
            options = dask.delayed(self.options)  # sent to each worker once
            parts = [
                measure(options, dict(zip(partitions, tables, strict=True)), self.systems)
                for tables in zip(*partitions.values(), strict=True)
            ]
            if self.client is None:  # on this machine, Dask returns all parts at the same time
                yield from dask.compute(*parts)
                return
            # On a cluster, a future stands for the result of a part until it is ready.
            futures = self.client.compute(parts)
            for future in import_dask("distributed").as_completed(futures):
                yield future.result()
