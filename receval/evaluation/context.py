"""Prepare the data that measures need besides the lists: the catalogue, and the users' history."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np
import pandas as pd

from receval._arrays import power_of_two_scale
from receval._checks import (
    MAX_EXACT_INTEGER,
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    Record,
    format_first,
    input_error,
    shorten,
)
from receval._rounding import as_float64
from receval.definitions.context import EvaluationContext
from receval.evaluation.task import EvaluationTask
from receval.metrics.beyond_accuracy import short_head
from receval.tables.columns import check_no_rows, read_column, read_numbers
from receval.tables.ids import Ids
from receval.tables.rows import Rows

NOT_FEATURES = ("awards", "novelty_date")
"""Columns of the catalogue that aren't features of the items."""

HEAVY_SHARE = 0.99
"""If a feature makes up a larger share of the items' vectors, the others hardly count."""


@dataclass(frozen=True)
class History:
    """The items that users have seen before; call the object to ask whether users have seen items.

    Attributes
    ----------
    pairs : array of int
        The distinct pairs of a user and an item in the history, in ascending order. A pair is one
        number: the user code times the number of items, plus the item code.
    n_items : int
        The number of item codes.
    rows : array of int, optional
        The number of rows of each item in the history; None if the history has only some users.
    """

    pairs: IntArray
    n_items: int
    rows: IntArray | None = None

    @cached_property
    def users(self) -> IntArray:
        """Return how many users have seen each item."""
        return np.bincount(self.pairs % self.n_items, minlength=self.n_items)

    @cached_property
    def n_users(self) -> int:
        """Return the number of users who have seen at least one item; 1 if nobody has."""
        return max(np.unique(self.pairs // self.n_items).size, 1)

    def __call__(self, users: IntArray, items: IntArray) -> BoolArray:
        """Return whether users have seen items.

        ``users`` are user codes of shape (n,). ``items`` are item codes of shape (n, width), which
        is the shape of the result, too. For codes of -1, which mark empty ranks, the result is
        arbitrary.
        """
        # Convert each pair of user and item to a number, as in `self.pairs`.
        keys = users[:, np.newaxis] * self.n_items + items
        if not self.pairs.size:
            return np.zeros(keys.shape, bool)
        # A key is in the history if it equals the first pair that is not smaller. A key above all
        # pairs has no such pair, and is compared with the last one.
        nearest = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        return np.asarray(self.pairs[nearest] == keys)


def build_context(
    task: EvaluationTask,
    item_codes: Mapping[str, IntArray],
    item_ids: Ids,
    history: Rows | None,
    *,
    has_all_users: bool,
) -> EvaluationContext:
    """Return the task's context with the data of items and users that the measures need.

    A code is a whole number that replaces an id in all tables. ``item_codes`` maps the name of each
    table, such as "items" for the catalogue or "history", to the item codes of its rows.
    ``history`` groups the rows of the history by user. ``has_all_users`` says whether the tables
    hold all users. Raises an error if a recommended item is not in the catalogue, or if a column
    that a measure needs is missing or wrong.
    """
    context = task.context
    if task.items is not None:
        context = _with_catalogue(context, task, task.items, item_codes, item_ids)
    if history is not None:
        seen = _build_history(history, item_ids.size, has_all_users=has_all_users)
        context = replace(context, seen=seen)
    return context


def _with_catalogue(
    context: EvaluationContext,
    task: EvaluationTask,
    items: pd.DataFrame,
    item_codes: Mapping[str, IntArray],
    item_ids: Ids,
) -> EvaluationContext:
    """Return the context with the columns of the catalogue that measures need.

    ``items`` is the catalogue, with a row for each item. ``item_codes`` maps the name of each table
    to the item codes of its rows. The columns become arrays by item code. Raises an error if a
    recommended item is not in the catalogue, or if a column is missing or wrong.
    """
    # A need such as "awards" is the name of a column of the catalogue; "features" stands for all
    # other columns. Errors about a column say which measure needs it.
    reason_by_need = {
        need: f" for {measure.name}" for measure in task.measures for need in measure.needs
    }
    codes_of_catalogue = item_codes["items"]  # the item code of each row of the catalogue

    def by_code(values: AnyArray, fill: float) -> AnyArray:
        """Return values of the catalogue by item code; items outside it get ``fill``."""
        array = np.full((item_ids.size, *values.shape[1:]), fill, dtype=values.dtype)
        array[codes_of_catalogue] = values
        return array

    is_in_catalogue = by_code(np.ones(len(items), bool), False)
    for table_name, codes in item_codes.items():
        if table_name not in ("items", "relevance", "history"):  # then it has recommendations
            _check_in_catalogue(codes, is_in_catalogue, item_ids)
    in_head = context.in_head
    age = context.age
    features = context.features
    if "awards" in reason_by_need:
        awards = _read_awards(items, reason_by_need["awards"])
        # The convention says whether the item that reaches the share belongs to the short head.
        is_head = short_head(awards, crossing=context.convention.crossing)
        in_head = by_code(is_head, False)
    if "novelty_date" in reason_by_need:
        age = by_code(_read_ages(items, reason_by_need["novelty_date"], task.now), np.nan)
    if "features" in reason_by_need:
        features = by_code(_read_unit_vectors(items, reason_by_need["features"]), 0.0)
    return replace(context, in_head=in_head, age=age, features=features)


def _check_in_catalogue(codes: IntArray, is_in_catalogue: BoolArray, item_ids: Ids) -> None:
    """Raise an error if a recommended item is not in the catalogue.

    ``codes`` has the codes of the recommended items, ``is_in_catalogue`` an entry for each code.
    """
    outside = np.unique(codes[~is_in_catalogue[codes]])
    if outside.size:
        got = f"no row for {format_first(map(repr, item_ids.take(outside).tolist()))}"
        raise input_error("items", "hold every recommended item", got, "Give the whole catalogue")


def _build_history(history: Rows, n_items: int, *, has_all_users: bool) -> History:
    """Return the history as sorted, distinct pairs of user and item.

    ``n_items`` is the number of item codes of all tables. If ``has_all_users`` is False, the tables
    lack rows, so the function doesn't count the rows of each item.
    """
    items = history.columns["item"]
    # Convert each pair to a number: user code times number of items, plus item code.
    users = np.repeat(np.arange(history.size.size), history.size)
    pairs = np.unique(users * n_items + items)
    n_rows = None
    if has_all_users:
        n_rows = np.bincount(items, minlength=n_items)
    return History(pairs, n_items, n_rows)


# Columns of the catalogue -------------------------------------------------------------------------
# The argument `reason` ends a message with the measure that needs the column, as " for LTP".


def _read_awards(items: pd.DataFrame, reason: str) -> IntArray:
    """Return how often each item is chosen, from the column "awards".

    If there is no such column, the error suggests a column of integers that may have these numbers.
    """
    try:
        series = read_column(items, "awards", "items", reason)
    except InputError as error:
        candidates = items.select_dtypes("integer").columns.tolist()
        column_is_missing = error.lacks is not None  # the attribute is set for a missing column
        if not column_is_missing or not candidates:
            raise
        renaming = f"items.rename(columns={{{candidates[0]!r}: 'awards'}})"
        raise InputError(f"{error}. If one says how often an item is chosen: {renaming}") from None
    awards = read_numbers(series, "awards of items")
    if (awards != np.floor(awards)).any():
        raise InputError("awards of items must be whole numbers")
    is_too_large = awards > MAX_EXACT_INTEGER
    check_no_rows(series, is_too_large, "awards of items", "be at most 2**53")
    return awards.astype(np.int64)


def _read_ages(items: pd.DataFrame, reason: str, now: object) -> FloatArray:
    """Return the age of each item in whole days, from the column "novelty_date".

    Ages are counted up to the day ``now``, by default the latest date of the column.
    """
    dates = read_column(items, "novelty_date", "items", reason)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    check_no_rows(dates, dates.isna().to_numpy(), "novelty_date of items", "not be missing")
    today = dates.max() if now is None else _parse_day(now)
    if (today.tzinfo is None) != (dates.dt.tz is None):
        rule = "both have a time zone, or both none"
        raise input_error("now and novelty_date of items", rule, f"{today} and {dates.dtype}")
    days = (today - dates).dt.total_seconds().to_numpy() / 86400  # seconds of a day
    if (days < 0).any():
        got = f"{today} and a date of {dates.max()}"
        raise input_error("now", "not lie before a novelty_date", got)
    return np.floor(np.asarray(days, np.float64))


def _parse_day(now: object) -> pd.Timestamp:
    """Return the argument ``now`` as a Timestamp; raise an error if it is not a date."""
    # Other types are refused, because pandas would read a number as nanoseconds since 1970.
    if isinstance(now, (str, date, np.datetime64)):
        with suppress(ValueError):  # text that isn't a date leads to the error below
            day = pd.Timestamp(now)
            if not pd.isna(day):
                return day
    raise InputError(f"now must be a date; got {shorten(now)}")


def describe_features(task: EvaluationTask) -> Record | None:
    """Return which columns of the catalogue are features, and what is doubtful about them.

    Returns None if no measure needs features. Otherwise the keys are "columns" (their names),
    "featureless" (the number of items whose features are all 0), and "heavy" (the name of a feature
    that decides the cosine almost alone, because its numbers are far larger than the others; or
    None).
    """
    names = [measure.name for measure in task.measures if "features" in measure.needs]
    if not names or task.items is None:
        return None
    vectors = _read_unit_vectors(task.items, f" for {names[-1]}")
    columns = [shorten(name) for name in _feature_columns(task.items)]
    # The squares of a vector of length 1 add up to 1, so their means are shares of the features.
    shares = np.mean(vectors**2, axis=0)
    heaviest = int(shares.argmax())
    heavy = None
    if len(columns) > 1 and shares[heaviest] > HEAVY_SHARE * shares.sum():
        heavy = columns[heaviest]
    n_featureless = int(np.count_nonzero(~vectors.any(axis=1)))
    return {"columns": columns, "featureless": n_featureless, "heavy": heavy}


def _feature_columns(items: pd.DataFrame) -> pd.Index:
    """Return the names of the columns of the catalogue that are features."""
    return items.columns[[label not in NOT_FEATURES for label in items.columns]]


def _read_unit_vectors(items: pd.DataFrame, reason: str) -> FloatArray:
    """Return the features of each item as a vector of length 1, or 0 if all features are 0.

    The result has a row for each item. All columns of the catalogue except those in `NOT_FEATURES`
    are features. Raises an error if there is no feature, or if one does not hold numbers.
    """
    names = _feature_columns(items)
    if names.empty:
        raise InputError(f"items must have feature columns{reason}")
    not_numeric = {
        name: dtype
        for name, dtype in items.dtypes.items()
        if name in names and not pd.api.types.is_numeric_dtype(dtype)
    }
    if not_numeric:
        first = next(iter(not_numeric))
        advice = (
            f"Leave out columns that aren't features: items.drop(columns={list(not_numeric)}); "
            f"turn a column of words into features with items[{first!r}].str.get_dummies()"
        )
        rule = f"hold numbers, as a feature{reason}"
        raise input_error(f"{first} of items", rule, f"{not_numeric[first]}", advice)
    columns = []
    for name in names:
        values = read_numbers(read_column(items, name, "items", reason), f"{name} of items")
        columns.append(as_float64(values, f"{name} of items"))
    matrix = np.column_stack(columns)
    # Bring each row near 1, or the squares in its norm could overflow or vanish. A power of two
    # changes no digit of the result.
    matrix = matrix / power_of_two_scale(np.abs(matrix))
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    # Where the norm is 0, the zeros of `out` stay.
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
