"""Read ids and contents of queries and case bases, which users can pass in many forms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, Union, cast

import numpy as np
import pandas as pd

from receval._checks import (
    AnyArray,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval.metrics.retrieval.ranking import Case, id_kinds
from receval.tables.indexed import is_numbered

CaseCollection: TypeAlias = Union[
    "pd.DataFrame", "pd.Series", Mapping[Any, object], Sequence[object], AnyArray
]
"""Queries or cases as users pass them."""


def list_ids(collection: object, name: str) -> list[Case]:
    """Return the ids of queries or cases, in their order.

    The ids are the keys of a mapping or the index labels of a frame or Series. A sequence of
    texts or whole numbers is a list of ids; the entries of any other sequence are numbered from
    0. Raises an `InputError` if there is no entry, or if an id is missing (None or NaN), occurs
    twice, or has another type than the other ids. The error calls the collection ``name``.
    """
    if isinstance(collection, (pd.DataFrame, pd.Series)):
        # This raises if the index of a frame has row numbers, and a column may hold the ids. A
        # Series has no columns.
        if isinstance(collection, pd.DataFrame):
            _check_index_has_ids(collection, name)
        ids = collection.index.tolist()
    elif isinstance(collection, Mapping):
        ids = list(collection)
    elif isinstance(collection, (Sequence, np.ndarray)) and _is_sequence(collection):
        ids = list(collection) if _holds_ids(collection) else list(range(len(collection)))
    else:
        rule = "be a mapping, a frame (its index has the ids) or a sequence"
        raise input_error(name, rule, shorten(collection))
    check_that(bool(ids), name, "hold at least one entry", ids)
    id_kinds(ids, name)  # raises if an id is missing or of a wrong type
    check_unique(ids, name, "id")
    return ids


def _check_index_has_ids(frame: pd.DataFrame, name: str) -> None:
    """Refuse a frame with plain row numbers and a column that may hold the ids.

    Retrievers get the user's frame unchanged, so receval can't move the ids into the index.
    """
    id_column = "query" if name == "queries" else "case"
    if id_column in frame and is_numbered(frame.index):
        got = f"row numbers and a column {id_column!r}"
        advice = (
            f"If the column holds the ids: {name}.set_index({id_column!r}); if the row numbers are "
            f"the ids: {name}.rename_axis('id')"
        )
        raise input_error(name, "have its ids in its index", got, advice)


def read_contents(collection: object, name: str) -> dict[Case, object]:
    """Return the contents of the queries by id.

    The content of a query is the row of a frame, the value of a mapping or Series, or the entry of
    a sequence. Such an entry may be the query's id too. Error messages call the collection
    ``name``.
    """
    ids = list_ids(collection, name)
    if isinstance(collection, pd.DataFrame):
        return {query: collection.iloc[row] for row, query in enumerate(ids)}
    if isinstance(collection, (Mapping, pd.Series)):
        return dict(collection.items())
    return dict(zip(ids, cast("Iterable[object]", collection), strict=True))


def select_cases(case_base: object, case_ids: Collection[Case]) -> CaseCollection:
    """Return the cases of a case base whose ids are ``case_ids``.

    They keep the order of the case base, and its form: part of a frame is a frame, part of a
    mapping is a dict, and part of a sequence of ids is a list. Raises an `InputError` for a
    sequence without ids, because in a part of it, entries would get other numbers.
    """
    if isinstance(case_base, (pd.DataFrame, pd.Series)):
        return case_base[case_base.index.isin(list(case_ids))]
    if isinstance(case_base, Mapping):
        return {case: case_base[case] for case in case_base if case in case_ids}
    if isinstance(case_base, (Sequence, np.ndarray)):
        if _is_sequence(case_base) and _holds_ids(case_base):
            return [case for case in case_base if case in case_ids]
    rule = "be a mapping or a frame, so that a part of it keeps its ids"
    raise input_error("case_base", rule, type(case_base).__name__, "Give {id: case, …}")


def _is_sequence(collection: Sequence[object] | AnyArray) -> bool:
    """Return whether a collection has entries by position and is not a text.

    An array without axes is a single number, not a sequence.
    """
    if isinstance(collection, np.ndarray):
        return collection.ndim >= 1
    return not isinstance(collection, (str, bytes))


def _holds_ids(collection: Sequence[object] | AnyArray) -> bool:
    """Return whether all entries are texts or whole numbers, which are ids."""
    return all(
        isinstance(entry, (str, int, np.integer)) and not isinstance(entry, bool)
        for entry in collection
    )
