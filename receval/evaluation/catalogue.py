"""Read the catalogue: the columns that measures need, by item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

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
from receval.definitions.lists import EvaluationContext
from receval.evaluation.options import Options
from receval.metrics.beyond_accuracy import short_head
from receval.tables.columns import check_no_rows, read_column, read_numbers
from receval.tables.ids import Ids
from receval.tables.inputs import RECOMMENDATIONS

NOT_FEATURES = ("awards", "novelty_date")
"""Columns of the catalogue that aren't features of the items."""

HEAVY_SHARE = 0.99
"""If a feature makes up a larger share of the items' vectors, the others hardly count."""


FILL = {"in_head": False, "age": np.nan, "features": 0.0}
"""The fields of the context that come from the catalogue, and their values for other items."""


def read_catalogue(options: Options, items: pd.DataFrame) -> Options:
    """Return the options with the columns of the catalogue that measures need, and with notes.

    ``items`` is the catalogue, indexed by item. Raises an error if a column is missing or wrong.
    """
    # A need such as "awards" is the name of a column of the catalogue; "features" stands for all
    # other columns. Errors about a column say which measure needs it.
    reasons = {
        need: f" for {measure.name}" for measure in options.measures for need in measure.needs
    }
    columns: dict[str, AnyArray] = {}
    features: Record | None = None
    if "awards" in reasons:
        awards = _read_awards(items, reasons["awards"])
        # The convention says whether the item that reaches the share belongs to the short head.
        columns["in_head"] = short_head(awards, crossing=options.convention.crossing)
    if "novelty_date" in reasons:
        columns["age"] = _read_ages(items, reasons["novelty_date"])
    if "features" in reasons:
        names = [label for label in items.columns if label not in NOT_FEATURES]
        vectors = _read_unit_vectors(items, names, reasons["features"])
        columns["features"] = vectors
        features = {"columns": [shorten(name) for name in names], "heavy": None}
        # The squares of a vector of length 1 add up to 1, so their means are shares.
        shares = np.mean(vectors**2, axis=0)
        if len(names) > 1 and shares.max() > HEAVY_SHARE * shares.sum():
            features["heavy"] = shorten(names[shares.argmax()])
    return replace(options, catalogue=columns, features=features)


def with_catalogue(
    context: EvaluationContext, options: Options, codes: Mapping[str, IntArray], item_ids: Ids
) -> EvaluationContext:
    """Return the context with the columns of the catalogue that measures need, by item code.

    ``codes`` has the item codes of the rows of each table by its name, such as "items" for the
    catalogue. Raises an error if the catalogue has an item twice or lacks a recommended item.
    """
    of_catalogue = codes["items"]
    n_rows = np.bincount(of_catalogue, minlength=item_ids.size)
    if (n_rows > 1).any():
        repeated = item_ids.take(np.flatnonzero(n_rows > 1)[:MAX_EXAMPLES]).tolist()
        raise InputError(f"items must hold each item once in its index; got {repeated} twice")
    for table_name, item_codes in codes.items():
        outside = np.unique(item_codes[n_rows[item_codes] == 0])
        if table_name.startswith(RECOMMENDATIONS) and outside.size:
            got = f"no row for {format_first(map(repr, item_ids.take(outside).tolist()))}"
            raise input_error(
                "items", "hold every recommended item", got, "Give the whole catalogue"
            )
    fields: dict[str, Any] = {}
    for name, values in options.catalogue.items():
        by_code = np.full((item_ids.size, *values.shape[1:]), FILL[name], values.dtype)
        by_code[of_catalogue] = values
        fields[name] = by_code
    return replace(context, **fields)


# Columns of the catalogue -------------------------------------------------------------------------
# The argument `reason` ends a message with the measure that needs the column, as " for LTP".


def _read_awards(items: pd.DataFrame, reason: str) -> IntArray:
    """Return how often each item is chosen, from the column "awards"."""
    series = read_column(items, "awards", "items", reason)
    awards = read_numbers(series, "awards of items")
    is_wrong = (awards != np.floor(awards)) | (awards > MAX_EXACT_INTEGER)
    check_no_rows(series, is_wrong, "awards of items", "be whole numbers of at most 2**53")
    return awards.astype(np.int64)


def _read_ages(items: pd.DataFrame, reason: str) -> FloatArray:
    """Return the age of each item in whole days at the latest date of the column "novelty_date"."""
    dates = read_column(items, "novelty_date", "items", reason)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    check_no_rows(dates, dates.isna().to_numpy(), "novelty_date of items", "not be missing")
    days = (dates.max() - dates).dt.total_seconds().to_numpy() / 86400  # seconds of a day
    return np.floor(np.asarray(days, np.float64))


def _read_unit_vectors(items: pd.DataFrame, names: Sequence[Hashable], reason: str) -> FloatArray:
    """Return the features of each item as a vector of length 1, or 0 if all features are 0.

    The result has a row for each item. ``names`` are the columns that are features. Raises an error
    if there is no feature, or if one does not hold numbers.
    """
    if not names:
        raise InputError(f"items must have feature columns{reason}")
    columns = []
    for name in names:
        series = read_column(items, name, "items", reason)
        if not pd.api.types.is_numeric_dtype(series.dtype):
            rule = f"hold numbers, as a feature{reason}"
            advice = "Leave the column out, or turn words into features with str.get_dummies()"
            raise input_error(f"{name} of items", rule, f"{series.dtype}", advice)
        columns.append(as_numbers(read_numbers(series, f"{name} of items"), f"{name} of items"))
    matrix = np.column_stack(columns)
    # Bring each row near 1, or the squares in its norm could overflow or vanish. A power of two
    # changes no digit of the result.
    matrix = matrix / power_of_two_scale(np.abs(matrix))
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    # Where the norm is 0, the zeros of `out` stay.
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
