"""What is asked of tables: measures under a convention, and what the columns are called."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, InputError, check_choice, check_count, refusal
from receval._version import __version__
from receval.measure.convention import Convention
from receval.measure.form import Context, Measure
from receval.tables.columns import column, in_order, numbers, refuse_rows
from receval.tables.given import DEFAULTS, Given, called
from receval.tables.ids import encode


class Tables(NamedTuple):
    """The tables of an evaluation: recommendations by system, relevance, perhaps a history."""

    recommendations: Mapping[Hashable, Any]
    relevance: Any
    history: Any = None

    @property
    def by_place(self) -> dict[str, Any]:
        """Each table by what messages call it."""
        found = {called(name): table for name, table in self.recommendations.items()}
        found["relevance"] = self.relevance
        return found if self.history is None else {**found, "history": self.history}

    def like(self, found: Mapping[str, Any]) -> Tables:
        """The same of others by what messages call them."""
        own = {name: found[called(name)] for name in self.recommendations}
        return Tables(own, found["relevance"], found.get("history"))


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
    given: Given = field(default=Given(*DEFAULTS), repr=False)  # names of columns, as given
    ids: str | None = None  # "text": whole numbers are compared as text
    seen: str = "note"  # what becomes of recommended items of the history
    auc_catalogue: int | None = None
    max_grade: float | None = None  # of the whole truth, where a measure asks for it
    n_items: int | None = None  # of a catalogue that is not at hand
    parameters: pd.DataFrame | None = field(default=None, repr=False)  # of systems, in rows
    version: str = __version__
    users: str = "judged"  # over whom means go: "judged", "answered", "both" or "named"
    named: pd.Index | None = field(default=None, repr=False)

    @property
    def order(self) -> str:
        """The column that lists are ordered by."""
        return self.score if self.rank is None else self.rank

    @property
    def mean_over(self) -> str:
        """The users whose values the mean is taken of, in words."""
        whose = {"answered": "users with recommendations", "named": "the users named"}
        if self.users not in whose:
            return self.convention.mean_over()
        return f"{whose[self.users]}, of whom those not judged count 0"

    @property
    def context(self) -> Context:
        """What the finished values of measures need to know."""
        n_items = self.n_items if self.items is None else len(self.items)
        return Context(
            self.convention,
            n_items=n_items,
            max_grade=self.max_grade,
            auc_catalogue=self.auc_catalogue,
        )

    def check(self, *, history: bool) -> None:
        """Refuse a catalogue that is none, and measures that need what was not given."""
        check_choice(self.duplicates, "duplicates", ("error", "first"))
        if self.ids is not None:
            check_choice(self.ids, "ids", ("text",))
        if check_choice(self.seen, "seen", ("note", "drop", "error")) != "note" and not history:
            raise InputError(f"history must be given for seen={self.seen!r}; got none")
        if self.auc_catalogue is not None:
            check_count(self.auc_catalogue, "auc_catalogue")
        if self.items is not None:
            _check_catalogue(self.items)
        rank = f", which compares it with the grade; got rank={self.rank!r}"
        catalogue = "items", ": a frame of the whole catalogue, indexed by item id"
        lacking = {
            "history": not history
            and ("history", ": a table of users and the items they have seen"),
            "scores": self.rank is not None and ("score", rank),
        }
        for one in self.measures:
            for need in one.needs:
                if lacks := lacking.get(need, self.items is None and catalogue):
                    raise InputError(f"{lacks[0]} must be given for {one.name}{lacks[1]}")

    def grades(self, table: Any) -> npt.NDArray[Any]:
        """The grades of relevance rows."""
        if self.relevance_column is None:
            return np.broadcast_to(np.uint8(1), len(table))
        series = column(table, self.relevance_column, "relevance")
        name = f"{self.relevance_column} of relevance"
        grade = numbers(series, name)
        if grade.dtype == bool:
            grade = grade.view(np.uint8)
        if self.convention.negative == "error" and grade.size and grade.min() < 0:
            refuse_rows(series, grade < 0, name, "be at least 0", "0 is not relevant")
        return grade

    def ordering(self, table: Any, where: str) -> npt.NDArray[Any]:
        """The scores of recommendations, or their ranks."""
        series, name = column(table, self.order, where), f"{self.order} of {where}"
        if not len(series):
            return np.empty(0)
        given = numbers(series, name, infinite=self.rank is None)
        if self.rank is not None and (given.min() < 1 or (given != np.floor(given)).any()):
            wrong = (given < 1) | (given != np.floor(given))
            advice = f"Ranks from 0: table[{self.rank!r}] + 1" if given.min() == 0 else ""
            refuse_rows(series, wrong, name, "hold ranks 1, 2, 3, …", advice)
        return in_order(given)

    def apart(self, table: Any, name: Any, users: Any, items: Any, value: Any) -> dict[Any, Any]:
        """What is known of a table's rows, for each system that a column tells apart."""
        labels = self.labels(table, called(name))
        if not len(labels):
            raise InputError(f"{self.system} of {called(name)} must name a system; got no row")
        coded, names = encode({called(name): labels}, str(self.system))
        codes = coded[called(name)]
        order = np.argsort(codes, kind="stable")
        rows = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        return {
            system_name(name, names.one(codes[some[0]])): (
                users.of(some), items.of(some), value[some],
            )
            for some in sorted(rows, key=itemgetter(0))  # as they come
        }  # fmt: skip

    def labels(self, table: Any, where: str) -> pd.Series:
        """The column that tells systems apart."""
        assert self.system is not None
        labels = column(table, self.system, where)
        if labels.isna().any():
            raise InputError(
                f"{self.system} of {where} must not be missing; a row belongs to no system"
            )
        return labels


def system_name(name: Any, label: Any) -> Any:
    """What a system is called that a column tells from others of a table."""
    return f"{name}/{label}" if name != "" else label


def _check_catalogue(items: pd.DataFrame) -> None:
    if not isinstance(items, pd.DataFrame):
        raise InputError(f"items must be a DataFrame indexed by item; got {type(items).__name__}")
    if not len(items.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    if not getattr(items.index.dtype, "isnative", True):
        got = f"the type {items.index.dtype}"
        raise refusal("index of items", "be in the byte order of this machine", got)
    if items.index.has_duplicates:
        again = items.index[items.index.duplicated()][:SHOWN].tolist()
        raise InputError(f"items must hold each item once in its index; got twice {again}")
