"""The result of an evaluation whose per-user values lie in Parquet files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from receval._checks import SHOWN, InputError
from receval.evaluation import notes
from receval.evaluation.result import Evaluation
from receval.large.task import Task
from receval.large.totals import Totals
from receval.measure.form import Measure
from receval.measure.tie_sums import TieSums

if TYPE_CHECKING:
    from receval.evaluation.report import Explanation

__all__ = ["StoredEvaluation"]


class Reads(Protocol):
    """What can be read again of the tables evaluated."""

    def of_user(self, user: Any, system: Hashable) -> tuple[Any, Any, Any]:
        """The rows of one user: of a system, relevance and history."""

    def items(self, system: Hashable) -> pd.Index[Any]:
        """The distinct items that a system recommends."""

    def judged_items(self) -> pd.Index[Any]:
        """The distinct items in relevance."""

    def kind_of_items(self) -> str:
        """Whether item ids are "integer" or "text"."""


class StoredEvaluation(Evaluation):
    """An `Evaluation` whose per-user values are read from Parquet files when they are asked for.

    All that an `Evaluation` offers is here. `summary`, `counts`, `ties` and the tables come from
    exact sums and need no file; `values` and `compare` read the columns they need; ``per_user``
    reads everything into memory.

    Attributes
    ----------
    files : tuple of Path
        The Parquet files of the per-user values, ascending by user: the columns ``user``, with
        several systems ``system``, and the measures. Any tool reads them.
    """

    files: tuple[Path, ...]

    def __init__(
        self,
        task: Task,
        totals: Mapping[Hashable, Totals],
        files: Sequence[Path],
        reader: Reads,
    ) -> None:
        counts = pd.DataFrame([one.counts for one in totals.values()], index=list(totals))
        # A frozen dataclass is filled by its dictionary; the other fields are read when needed.
        vars(self).update(
            counts=counts.rename_axis("system"),
            measures=task.measures,
            context=task.context,
            states={name: one.states for name, one in totals.items()},
            files=tuple(files),
            _task=task,
            _totals=dict(totals),
            _reader=reader,
        )

    @property
    def systems(self) -> list[str]:
        """Names of the systems; ``[""]`` where there is only one without a name."""
        return list(vars(self)["_totals"])

    @cached_property
    def per_user(self) -> pd.DataFrame:
        """All per-user values, read into memory; see `Evaluation`."""
        frames = {name: self.values(name) for name in self.systems}
        several = len(frames) > 1
        return pd.concat(frames, names=["system"]) if several else next(iter(frames.values()))

    def values(
        self, system: str | None = None, measures: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Per-user values of one system, of which only the wanted columns are read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        place = self.systems.index(self._system(system))
        known = [one.name for one in self.measures if one.per_user]
        names = known if measures is None else list(measures)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise InputError(f"measures must be among {known}; got {unknown}")
        parts = []
        for path in self.files:
            with pq.ParquetFile(path) as file:
                parts.append(file.read_row_group(place, columns=["user", *names]))
        table = pa.concat_tables(parts)
        users = pd.Index(_ids(table["user"]), name="user")
        frame = pd.DataFrame({name: table[name].to_numpy() for name in names}, index=users)
        return frame if users.is_monotonic_increasing else frame.sort_index()

    def tie_sums(self, system: str | None = None) -> dict[str, TieSums]:
        """By measure, the sums behind `ties`."""
        totals: dict[Hashable, Totals] = vars(self)["_totals"]
        return totals[self._system(system)].ties

    def explain(self, user: Any, measure: str, *, system: str | None = None) -> Explanation:
        """Where one user's number comes from, from the user's rows in the files."""
        name = self._system(system)
        one = self._measure(measure)
        reader: Reads = vars(self)["_reader"]
        recommendations, relevance, history = reader.of_user(user, name)
        if not len(relevance):
            raise InputError(f"user must be a judged user, such as {self._some()}; got {user!r}")
        task: Task = vars(self)["_task"]
        found = task.evaluate({name: recommendations}, relevance, history)
        return found.explain(user, one.name, system=name)

    def _value(self, system: str, one: Measure) -> float:
        if not one.per_user:
            return super()._value(system, one)
        totals: dict[Hashable, Totals] = vars(self)["_totals"]
        return totals[system].sums[one.name].mean()

    def _n(self, system: str, one: Measure) -> int:
        totals: dict[Hashable, Totals] = vars(self)["_totals"]
        return totals[system].sums[one.name].count

    @property
    def kind_of_items(self) -> str:
        """Whether item ids are "integer" or "text"."""
        reader: Reads = vars(self)["_reader"]
        return reader.kind_of_items()

    @property
    def _by_rank(self) -> bool:
        task: Task = vars(self)["_task"]
        return task.rank is not None

    @cached_property
    def _slips(self) -> list[str]:
        totals: dict[Hashable, Totals] = vars(self)["_totals"]
        reader: Reads = vars(self)["_reader"]
        signs = {name: one.signs for name, one in totals.items()}
        unmatched = [name for name, one in signs.items() if not one.shares]
        # Parts know of their own users; an item may be relevant for users of another part.
        items = {name: reader.items(name) for name in unmatched}
        judged = reader.judged_items() if unmatched else pd.Index([])
        for name in unmatched:
            signs[name] = replace(signs[name], shares=bool(items[name].isin(judged).any()))
        return notes.on_input(signs, lambda name: len(items[name]))

    def _some(self) -> list[Any]:
        """A few judged users."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.files[0]) as file:
            return list(file.read_row_group(0, columns=["user"])["user"][:SHOWN].to_pylist())


def table_of(values: pd.DataFrame, system: Hashable, several: bool, kind: Any) -> Any:
    """Per-user values of one system as an Arrow table, users of the Arrow type ``kind``."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if several:
        columns["system"] = pa.array([str(system)] * len(values), pa.string())
    columns["user"] = pa.array(values.index.to_numpy(), kind, from_pandas=True)
    return pa.table({**columns, **{str(name): values[name].to_numpy() for name in values}})


def _ids(column: Any) -> Any:
    """Ids as an evaluation in memory has them: integers of 64 bits, or text."""
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        ids = column.to_numpy()
        return ids.astype(np.int64) if ids.size and ids.max() < 2**63 else ids
    return column.to_numpy()
