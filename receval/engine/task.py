"""What is asked of tables: measures under a convention, and what the columns are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, InputError, check_choice
from receval.measure.convention import Convention
from receval.measure.form import Context, Measure
from receval.tables.columns import column, numbers, refuse_rows


@dataclass(frozen=True)
class Task:
    """Measures, the choices behind them, and the names of columns: the same for every table.

    Attributes are the arguments of `receval.evaluate`.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    user: str = "user"
    item: str = "item"
    score: str = "score"
    rank: str | None = None
    relevance_column: str | None = "relevance"
    system: str | None = None
    duplicates: str = "error"
    items: pd.DataFrame | None = field(default=None, repr=False)
    now: object = None
    max_grade: float | None = None  # of the whole truth, where a measure asks for it

    def __post_init__(self) -> None:
        check_choice(self.duplicates, "duplicates", ("error", "first"))
        if self.items is not None:
            _check_catalogue(self.items)

    @property
    def order(self) -> str:
        """The column that lists are ordered by."""
        return self.score if self.rank is None else self.rank

    @property
    def depth(self) -> int | None:
        """How many ranks the measures look at; None: all."""
        if any(one.k is None or one.whole_list for one in self.measures):
            return None
        return max(one.k for one in self.measures if one.k is not None)

    @property
    def context(self) -> Context:
        """What the finished values of measures need to know."""
        n_items = None if self.items is None else len(self.items)
        return Context(self.convention, n_items=n_items, max_grade=self.max_grade)

    def scaled(self, relevance: Iterable[Any]) -> Task:
        """The same with the largest grade of the whole truth, in one table or several.

        Only if a measure asks for it.
        """
        if not any(one.of_truth for one in self.measures):
            return self
        largest = max((self.grades(table).max(initial=0) for table in relevance), default=0)
        return replace(self, max_grade=float(largest))

    def refuse_lacking(self, *, history: bool) -> None:
        """Refuse measures that need what was not given."""
        needs = {need: one.name for one in self.measures for need in one.needs}
        of_items = [one for need, one in needs.items() if need != "history"]
        if of_items and self.items is None:
            raise InputError(
                f"items must be given for {of_items[0]}: a frame of the whole catalogue, "
                "indexed by item id"
            )
        if "history" in needs and not history:
            raise InputError(
                f"history must be given for {needs['history']}: a table of users and the items "
                "they have seen"
            )

    def grades(self, table: Any) -> npt.NDArray[Any]:
        """The grades of relevance rows."""
        if self.relevance_column is None:
            return np.broadcast_to(np.uint8(1), len(table))
        series = column(table, self.relevance_column, "relevance")
        name = f"{self.relevance_column} of relevance"
        grade = numbers(series, name)
        if self.convention.negative == "error" and grade.size and grade.min() < 0:
            refuse_rows(series, grade < 0, name, "be at least 0", "0 is not relevant")
        return grade

    def ordering(self, table: Any, where: str) -> npt.NDArray[Any]:
        """The scores of recommendations, or their ranks."""
        series = column(table, self.order, where)
        name = f"{self.order} of {where}"
        if not len(series):
            return np.empty(0)
        if self.rank is None:
            return numbers(series, name, infinite=True)
        rank = numbers(series, name)
        if rank.min() < 1 or (rank.dtype.kind == "f" and (rank != np.floor(rank)).any()):
            wrong = (rank < 1) | (rank != np.floor(rank))
            refuse_rows(series, wrong, name, "hold ranks 1, 2, 3, …")
        return rank

    def systems_in(self, table: Any, name: Any) -> Iterator[tuple[Any, Any]]:
        """Each system in a table with its rows; None: all rows."""
        if self.system is None:
            yield name, None
            return
        labels = column(table, self.system, called(name))
        if labels.isna().any():
            raise InputError(
                f"{self.system} of {called(name)} must not be missing; a row belongs to no system"
            )
        if labels.empty:
            raise InputError(f"{self.system} of {called(name)} must name a system; got no row")
        codes, names = pd.factorize(labels)
        by_system = np.argsort(codes, kind="stable")
        parts = np.split(by_system, np.cumsum(np.bincount(codes))[:-1])
        for label, rows in zip(names.tolist(), parts, strict=True):
            yield (f"{name}/{label}" if name != "" else label), rows


def called(name: Any) -> str:
    """What messages call the recommendations of a system."""
    return f"recommendations of {name!r}" if name != "" else "recommendations"


def _check_catalogue(items: pd.DataFrame) -> None:
    if not isinstance(items, pd.DataFrame):
        raise InputError(f"items must be a DataFrame indexed by item; got {type(items).__name__}")
    if not len(items.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    if items.index.has_duplicates:
        again = items.index[items.index.duplicated()][:SHOWN].tolist()
        raise InputError(f"items must hold each item once in its index; got twice {again}")
