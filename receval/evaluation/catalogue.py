"""Read the catalogue: the columns that measures need, by item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from receval._arrays import as_numbers, power_of_two_scale
from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    AnyArray,
    FloatArray,
    InputError,
    IntArray,
    Record,
    format_first,
    input_error,
    shorten,
)
from receval.definitions.context import EvaluationContext
from receval.evaluation.options import Options
from receval.metrics.beyond_accuracy import short_head
from receval.tables.columns import check_no_rows, read_column, read_numbers
from receval.tables.ids import Ids
from receval.tables.inputs import RECOMMENDATIONS

NOT_FEATURES = ("awards", "novelty_date")
"""Columns of the catalogue that aren't features of the items."""

HEAVY_SHARE = 0.99
"""If a feature makes up a larger share of the items' vectors, the others hardly count."""


def with_catalogue(
    context: EvaluationContext, options: Options, codes: Mapping[str, IntArray], item_ids: Ids
) -> EvaluationContext:
    """Return the context with the columns of the catalogue that measures need, by item code.

    ``codes`` has the item codes of the rows of each table by its name, such as "items" for the
    catalogue. Raises an error if the catalogue has an item twice or lacks a recommended item, or if
    a column is missing or wrong.
    """
    items = options.items
    assert items is not None
    of_catalogue = codes["items"]
    n_rows = np.bincount(of_catalogue, minlength=item_ids.size)
    if (n_rows > 1).any():
        repeated = item_ids.take(np.flatnonzero(n_rows > 1)[:MAX_EXAMPLES]).tolist()
        raise InputError(f"items must hold each item once in its index; got {repeated} twice")
    for table_name, item_codes in codes.items():
        if table_name.startswith(RECOMMENDATIONS):
            outside = np.unique(item_codes[n_rows[item_codes] == 0])
            if outside.size:
                got = f"no row for {format_first(map(repr, item_ids.take(outside).tolist()))}"
                rule = "hold every recommended item"
                raise input_error("items", rule, got, "Give the whole catalogue")

    def by_code(values: AnyArray, fill: float) -> AnyArray:
        """Return values of the catalogue by item code; items outside it get ``fill``."""
        array = np.full((item_ids.size, *values.shape[1:]), fill, dtype=values.dtype)
        array[of_catalogue] = values
        return array

    # A need such as "awards" is the name of a column of the catalogue; "features" stands for all
    # other columns. Errors about a column say which measure needs it.
    reasons = {
        need: f" for {measure.name}" for measure in options.measures for need in measure.needs
    }
    if "awards" in reasons:
        awards = _read_awards(items, reasons["awards"])
        # The convention says whether the item that reaches the share belongs to the short head.
        in_head = short_head(awards, crossing=options.convention.crossing)
        context = replace(context, in_head=by_code(in_head, False))
    if "novelty_date" in reasons:
        ages = _read_ages(items, reasons["novelty_date"])
        context = replace(context, age=by_code(ages, np.nan))
    if "features" in reasons:
        features = _read_unit_vectors(items, reasons["features"])
        context = replace(context, features=by_code(features, 0.0))
    return context


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


def _read_ages(items: pd.DataFrame, reason: str) -> FloatArray:
    """Return the age of each item in whole days at the latest date of the column "novelty_date"."""
    dates = read_column(items, "novelty_date", "items", reason)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    check_no_rows(dates, dates.isna().to_numpy(), "novelty_date of items", "not be missing")
    days = (dates.max() - dates).dt.total_seconds().to_numpy() / 86400  # seconds of a day
    return np.floor(np.asarray(days, np.float64))


def describe_features(options: Options) -> Record | None:
    """Return which columns of the catalogue are features, and what is doubtful about them.

    Returns None if no measure needs features. Otherwise the keys are "columns" (their names),
    "featureless" (the number of items whose features are all 0), and "heavy" (the name of a feature
    that decides the cosine almost alone, because its numbers are far larger than the others; or
    None).
    """
    names = [measure.name for measure in options.measures if "features" in measure.needs]
    if not names or options.items is None:
        return None
    vectors = _read_unit_vectors(options.items, f" for {names[-1]}")
    columns = [shorten(name) for name in _feature_columns(options.items)]
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
        columns.append(as_numbers(values, f"{name} of items"))
    matrix = np.column_stack(columns)
    # Bring each row near 1, or the squares in its norm could overflow or vanish. A power of two
    # changes no digit of the result.
    matrix = matrix / power_of_two_scale(np.abs(matrix))
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    # Where the norm is 0, the zeros of `out` stay.
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
