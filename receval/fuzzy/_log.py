"""Reading the columns of a log: ids as codes, responses, places, weights and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_integer_dtype

from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    as_finite,
    as_numbers,
    as_whole,
    check_count,
    refuse,
    some,
)
from receval.tables.columns import column, refuse_rows
from receval.tables.formats import open_table
from receval.tables.ids import encode
from receval.tables.times import as_times, sortable

Times = npt.NDArray[np.int64] | FloatArray


@dataclass(frozen=True)
class Impressions:
    """The columns of a log that the measures need, checked, ids as codes."""

    k: int
    systems: npt.NDArray[Any]
    system: IntArray
    position: IntArray
    response: BoolArray
    weight: FloatArray | None
    session: IntArray | None
    user: IntArray | None

    @classmethod
    def read(
        cls, log: Any, k: int, response: str, system: str, position: str, weight: str | None,
        **of_lists: str | None,
    ) -> Impressions:  # fmt: skip
        """From a table and the names of its columns; ``of_lists`` may be None: if there."""
        places = check_count(k, "k")
        table = open_table(log, "impressions")
        there = list(getattr(table, "column_names", table.columns))

        def values(name: str) -> pd.Series:
            return column(table, name, "impressions")

        def codes(default: str) -> IntArray | None:
            name = of_lists[default] or default
            known = of_lists[default] is not None or name in there
            return encode({"impressions": values(name)}, name)[0]["impressions"] if known else None

        shown_at = positions(values(position), position)
        if not len(shown_at):
            raise InputError("impressions must hold at least one row; got none")
        coded, ids = encode({"impressions": values(system)}, system)
        found, of_system = np.unique(coded["impressions"], return_inverse=True)
        user, session, item = map(codes, ("user", "session", "item"))
        if session is not None:
            session = combined(*(part for part in (of_system, user, session) if part is not None))
            _refuse_repeated(session, shown_at, position)
            if item is not None:
                _refuse_repeated(session, item, of_lists["item"] or "item")
        return cls(
            k=places,
            systems=ids.of(found),
            system=of_system,
            position=shown_at,
            response=flags(values(response), response),
            weight=None if weight is None else _weights(values(weight), weight),
            session=session,
            user=user,
        )


def combined(*codes: IntArray | BoolArray) -> IntArray:
    """One code, from 0, for each combination of codes that occurs, in their order."""
    code, size = np.zeros(1, np.int64), 1
    for part in codes:
        n = int(part.max(initial=0)) + 1
        if size * n > 1 << 62:  # no room left: number the combinations so far anew
            code = pd.factorize(code, sort=True)[0].astype(np.int64)
            size = int(code.max()) + 1
        code, size = code * n + part, size * n
    return pd.factorize(code, sort=True)[0].astype(np.int64, copy=False)


def flags(values: pd.Series, name: str) -> BoolArray:
    """A yes-or-no column."""
    if values.dtype == bool:
        return values.to_numpy()
    number = as_numbers(values.to_numpy(), name)
    refuse(number, (number != 0) & (number != 1), name, "be boolean, or 0 and 1")
    yes: BoolArray = number == 1
    return yes


def positions(values: pd.Series, name: str) -> IntArray:
    """1-based places."""
    place = as_whole(values.to_numpy(), name)
    refuse(place, place < 1, name, "be at least 1", "The first place is 1")
    return place


def times(logs: Mapping[str, pd.DataFrame], name: str) -> tuple[list[Times], int]:
    """The times of several logs as numbers, and how many of these make a second."""
    found, dated = [], {}
    for log, table in logs.items():
        one = as_times(column(table, name, log), f"{name} of {log}")
        refuse_rows(one, one.isna().to_numpy(), f"{name} of {log}", "not be missing")
        found.append(one)
        if len(one):
            dated[log] = "dates" if is_datetime64_any_dtype(one.dtype) else "numbers"
    if len(set(dated.values())) > 1:
        raise InputError(
            f"{name} must have one type in {' and '.join(dated)}; "
            f"got {' and '.join(dated.values())}"
        )
    if "dates" in dated.values():
        return [sortable(one).astype("datetime64[us]").astype(np.int64) for one in found], 1_000_000
    kinds = [np.int64 if is_integer_dtype(one.dtype) else np.float64 for one in found]
    return [one.to_numpy(kind) for one, kind in zip(found, kinds, strict=True)], 1


def _weights(values: pd.Series, name: str) -> FloatArray:
    weight = as_finite(values.to_numpy(), name)
    refuse(weight, weight < 0, name, "be at least 0")
    return weight


def _refuse_repeated(session: IntArray, value: IntArray, name: str) -> None:
    again = np.flatnonzero(pd.Series(session * (int(value.max()) + 1) + value).duplicated())
    if len(again):
        raise InputError(
            f"{name} must not repeat within a session; got {len(again)} repetitions, in rows "
            f"{some(again)}. Remove duplicate impressions, or name the column that tells "
            "sessions apart with session="
        )
