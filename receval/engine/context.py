"""What measures need beside the lists: the catalogue with its columns, and the users' history."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    format_first,
    input_error,
    shorten,
)
from receval._rounding import as_float64
from receval.engine.task import EvaluationTask
from receval.measure.definition import EvaluationContext
from receval.metrics.beyond_accuracy import short_head
from receval.tables.codes import AnyCodes, RowsByUser
from receval.tables.columns import column, numbers, refuse_rows
from receval.tables.ids import IdIndex

NOT_FEATURES = ("awards", "novelty_date")


@dataclass(frozen=True)
class History:
    """Whether users have seen items before.

    Attributes
    ----------
    pairs : user code times the number of items plus item code, of all of the history, ascending.
    n_items : int
    rows : in how many rows of the history each item is; None where it is not the whole history.
    """

    pairs: IntArray
    n_items: int
    rows: IntArray | None = None

    @cached_property
    def users(self) -> IntArray:
        """How many users have seen each item."""
        return np.bincount(self.pairs % self.n_items, minlength=self.n_items)

    @cached_property
    def n_users(self) -> int:
        """How many users have seen anything; one at least."""
        return max(np.unique(self.pairs // self.n_items).size, 1)

    def __call__(self, users: IntArray, items: IntArray) -> BoolArray:
        keys = users[:, np.newaxis] * self.n_items + items
        if not self.pairs.size:
            return np.zeros(keys.shape, bool)
        nearest = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        return np.asarray(self.pairs[nearest] == keys)


def build_context(
    task: EvaluationTask,
    codes: Mapping[str, AnyCodes],
    ids: IdIndex,
    history: RowsByUser | None,
    *,
    whole: bool,
) -> EvaluationContext:
    """Prepare what the measures ask for; recommended items must be in the catalogue.

    The history of some users only is not ``whole``.
    """
    needs = {need: f" for {measure.name}" for measure in task.measures for need in measure.needs}
    items, found = task.items, dict[str, Any]()
    if items is not None:
        catalogue = codes["items"].read()

        def by_code(values: npt.NDArray[Any], empty: Any) -> npt.NDArray[Any]:
            every = np.full((ids.size, *values.shape[1:]), empty, dtype=values.dtype)
            every[catalogue] = values
            return every

        known = by_code(np.ones(len(items), bool), False)
        for where, listed in codes.items():
            if where not in ("items", "relevance", "history"):
                _refuse_outside(listed.read(), known, ids)
        if "awards" in needs:
            crossing = task.context.convention.crossing
            head = short_head(_awards(items, needs["awards"]), crossing=crossing)
            found["in_head"] = by_code(head, False)
        if "novelty_date" in needs:
            found["age"] = by_code(_ages(items, needs["novelty_date"], task.now), np.nan)
        if "features" in needs:
            found["features"] = by_code(_unit_vectors(items, needs["features"]), 0.0)
    if history is not None:
        item, pairs = codes["history"].read(), history.by_row().astype(np.int64)
        pairs *= ids.size
        pairs += item
        pairs.sort()
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: pairs.size]]  # each once
        rows = np.bincount(item, minlength=ids.size) if whole else None
        found["seen"] = History(pairs, ids.size, rows)
    return replace(task.context, **found)


def _refuse_outside(listed: IntArray, known: BoolArray, ids: IdIndex) -> None:
    if (outside := np.unique(listed[~known[listed]])).size:
        got = f"no row for {format_first(map(repr, ids.of(outside).tolist()))}"
        raise input_error("items", "hold every recommended item", got, "Give the whole catalogue")


def _awards(items: pd.DataFrame, whom: str) -> IntArray:
    try:
        given = column(items, "awards", "items", whom)
    except InputError as error:
        counts = items.select_dtypes("integer").columns.tolist()
        if error.lacks is None or not counts:
            raise
        renamed = f"items.rename(columns={{{counts[0]!r}: 'awards'}})"
        raise InputError(f"{error}. If one says how often an item is chosen: {renamed}") from None
    awards = numbers(given, "awards of items")
    if (awards != np.floor(awards)).any():
        raise InputError("awards of items must be whole numbers")
    return awards.astype(np.int64)


def _ages(items: pd.DataFrame, whom: str, now: object) -> FloatArray:
    dates = column(items, "novelty_date", "items", whom)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    refuse_rows(dates, dates.isna().to_numpy(), "novelty_date of items", "not be missing")
    today = dates.max() if now is None else _day(now)
    if (today.tzinfo is None) != (dates.dt.tz is None):
        rule = "both have a time zone, or both none"
        raise input_error("now and novelty_date of items", rule, f"{today} and {dates.dtype}")
    days = (today - dates).dt.total_seconds().to_numpy() / 86400
    if (days < 0).any():
        got = f"{today} and a date of {dates.max()}"
        raise input_error("now", "not lie before a novelty_date", got)
    return np.floor(np.asarray(days, np.float64))


def _day(now: object) -> pd.Timestamp:
    if isinstance(now, (str, date, np.datetime64)):  # pandas takes a number for nanoseconds
        with suppress(ValueError):
            day = pd.Timestamp(now)
            if not pd.isna(day):
                return day
    raise InputError(f"now must be a date; got {shorten(now)}")


def _unit_vectors(items: pd.DataFrame, whom: str) -> FloatArray:
    names = [name for name in items.columns if name not in NOT_FEATURES]
    if not names:
        raise InputError(f"items must have feature columns{whom}")
    numeric = pd.api.types.is_numeric_dtype
    none = [name for name, kind in items.dtypes.items() if name in names and not numeric(kind)]
    if none:
        advice = (
            f"Leave out what is no feature: items.drop(columns={none}); of a column of words make "
            f"features with items[{none[0]!r}].str.get_dummies()"
        )
        got = f"{items.dtypes[none[0]]}"
        raise input_error(f"{none[0]} of items", f"hold numbers, as a feature{whom}", got, advice)
    columns = []
    for name in names:
        values = numbers(column(items, name, "items", whom), f"{name} of items")
        columns.append(as_float64(values, f"{name} of items"))
    matrix = np.column_stack(columns)
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
