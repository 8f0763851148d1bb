"""What measures need beside the lists: the catalogue with its columns, and the users' history."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray, shorten
from receval.measure.convention import Convention
from receval.measure.form import Context, Measure
from receval.metrics.beyond_accuracy import short_head
from receval.tables.codes import Codes, Ids
from receval.tables.columns import numbers
from receval.tables.rows import Segments

NOT_FEATURES = ("awards", "novelty_date")


def build_context(
    measures: list[Measure],
    convention: Convention,
    items: pd.DataFrame | None,
    item_codes: Codes | None,
    ids: Ids,
    history: tuple[Segments, Codes] | None,
    judged: IntArray,
    now: object,
) -> Context:
    """Prepare what the measures ask for, and refuse what is missing, naming who needs it."""
    needs = {need: measure.name for measure in measures for need in measure.needs}
    wants_items = [need for need in needs if need != "history"]
    if wants_items and items is None:
        raise InputError(
            f"items must be given for {needs[wants_items[0]]}: a frame of the whole catalogue, "
            "indexed by item id"
        )
    if "history" in needs and history is None:
        raise InputError(
            f"history must be given for {needs['history']}: a frame of users and the items they "
            "have seen"
        )
    found: dict[str, Any] = {}
    if items is not None and item_codes is not None:
        found["n_items"] = len(items)

        def spread(values: npt.NDArray[Any], empty: Any) -> npt.NDArray[Any]:
            by_code = np.full((ids.size, *values.shape[1:]), empty, dtype=values.dtype)
            by_code[item_codes[:]] = values
            return by_code

        if "awards" in needs:
            awards = _column(items, "awards", needs["awards"])
            head = short_head(_whole(awards), crossing=convention.crossing)
            found["in_head"] = spread(head, False)
        if "novelty_date" in needs:
            found["age"] = spread(_ages(items, needs["novelty_date"], now), np.nan)
        if "features" in needs:
            found["features"] = spread(_unit_vectors(items, needs["features"]), 0.0)
    if history is not None:
        past, item = history
        if past.n_rows and not np.isin(past.user, judged).any():
            raise InputError(
                f"history must have users that are judged; got 0 of {np.unique(past.user).size} "
                "users in relevance"
            )
        user = np.repeat(past.user, np.diff(past.start, append=past.n_rows))
        seen = np.unique(user * ids.size + item[:])

        def was_seen(users: IntArray, listed: IntArray) -> BoolArray:
            keys = users[:, np.newaxis] * ids.size + listed
            place = np.minimum(np.searchsorted(seen, keys), max(seen.size - 1, 0))
            return seen[place] == keys if seen.size else np.zeros(keys.shape, bool)

        found["seen"] = was_seen
    return Context(convention, **found)


def refuse_outside(codes: Codes, catalogue: Codes, ids: Ids) -> None:
    """Recommended items must be in the catalogue."""
    known = np.zeros(ids.size, bool)
    known[catalogue[:]] = True
    listed = codes[:]
    outside = np.unique(listed[~known[listed]])
    if outside.size:
        shown = ", ".join(repr(ids.one(code)) for code in outside[:SHOWN])
        more = f" and {outside.size - SHOWN} more" if outside.size > SHOWN else ""
        raise InputError(
            f"items must hold every recommended item; got no row for {shown}{more}. "
            "Give the whole catalogue"
        )


def _column(items: pd.DataFrame, name: str, measure: str) -> pd.Series:
    if list(items.columns).count(name) != 1:
        found = "it is there twice" if name in items else f"got {shorten(list(items.columns))}"
        raise InputError(f"items must have one column {name!r} for {measure}; {found}")
    return items[name].reset_index(drop=True)


def _whole(awards: pd.Series) -> IntArray:
    values = numbers(awards, "awards of items").astype(np.float64)
    if (values != np.floor(values)).any():
        raise InputError("awards of items must be whole numbers")
    return values.astype(np.int64)


def _ages(items: pd.DataFrame, measure: str, now: object) -> FloatArray:
    dates = _column(items, "novelty_date", measure)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    if dates.isna().any():
        raise InputError("novelty_date of items must not be missing")
    today = dates.max() if now is None else _day(now)
    if (today.tzinfo is None) != (dates.dt.tz is None):
        raise InputError(
            "now and novelty_date of items must both have a time zone, or both none; "
            f"got {today} and {dates.dtype}"
        )
    days = (today - dates).dt.total_seconds().to_numpy() / 86400
    if (days < 0).any():
        raise InputError(
            f"now must not lie before a novelty_date; got {today} and a date of {dates.max()}"
        )
    return np.floor(np.asarray(days, np.float64))


def _day(now: object) -> pd.Timestamp:
    if isinstance(now, (str, date, np.datetime64)):  # pandas takes a number for nanoseconds
        with suppress(ValueError):
            day = pd.Timestamp(now)
            if not pd.isna(day):
                return day
    raise InputError(f"now must be a date; got {shorten(now)}")


def _unit_vectors(items: pd.DataFrame, measure: str) -> FloatArray:
    names = [name for name in items.columns if name not in NOT_FEATURES]
    if not names:
        raise InputError(f"items must have feature columns for {measure}")
    matrix = np.column_stack(
        [numbers(_column(items, name, measure), f"{name} of items") for name in names]
    )
    matrix = matrix.astype(np.float64)
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
