"""Queries and case bases in the forms that people have them: what is in there, under which id."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_text, check_that, check_unique, input_error, no_huge_numbers
from receval.metrics.retrieval.ranking import Case, id_kinds
from receval.tables.indexed import is_numbered


def ids_of(collection: Any, name: str) -> list[Case]:
    """Ids of queries or cases: keys, index labels, or what a sequence says.

    A sequence of texts or whole numbers is its own list of ids; the entries of any other
    sequence are numbered from 0.
    """
    if isinstance(collection, (pd.DataFrame, pd.Series)):
        if isinstance(collection, pd.DataFrame):
            _refuse_doubtful(collection, name)
        ids = collection.index.tolist()
    elif isinstance(collection, Mapping):
        ids = list(collection)
    else:
        rule = "be a mapping, a frame (its index has the ids) or a sequence"
        check_that(_is_sequence(collection), name, rule, collection)
        ids = list(collection) if _names_itself(collection) else list(range(len(collection)))
    check_that(bool(ids), name, "hold at least one entry", ids)
    id_kinds(ids, name)
    check_text(ids, name)
    check_unique(ids, name, "id")
    return ids


def _refuse_doubtful(frame: pd.DataFrame, name: str) -> None:
    """Refuse a frame whose ids may be in a column: retrievers get the frame as it is."""
    label = "query" if name == "queries" else "case"
    if label in frame and is_numbered(frame.index):
        got = f"row numbers beside a column {label!r}"
        advice = (
            f"If the column holds the ids: {name}.set_index({label!r}); if the row numbers are "
            f"the ids: {name}.rename_axis('id')"
        )
        raise input_error(name, "have its ids in its index", got, advice)


def by_id(collection: Any, name: str) -> dict[Case, Any]:
    """The queries by id; a query of a frame is its row."""
    ids = ids_of(collection, name)
    with no_huge_numbers(name):
        max((float(one) for one in ids if isinstance(one, int)), default=0)
    if isinstance(collection, pd.DataFrame):
        return {id: collection.iloc[row] for row, id in enumerate(ids)}
    if isinstance(collection, (Mapping, pd.Series)):
        return dict(collection.items())
    return dict(zip(ids, collection, strict=True))


def subset(case_base: Any, kept: Collection[Case]) -> Any:
    """The kept cases, in the case base's own order and form."""
    if isinstance(case_base, (pd.DataFrame, pd.Series)):
        return case_base[case_base.index.isin(list(kept))]
    if isinstance(case_base, Mapping):
        return {case: case_base[case] for case in case_base if case in kept}
    if _is_sequence(case_base) and _names_itself(case_base):
        return [case for case in case_base if case in kept]
    rule = "be a mapping or a frame, so that a part of it keeps its ids"
    raise input_error("case_base", rule, type(case_base).__name__, "Give {id: case, …}")


def _is_sequence(collection: Any) -> bool:
    if isinstance(collection, np.ndarray):
        return collection.ndim >= 1
    return isinstance(collection, Sequence) and not isinstance(collection, (str, bytes))


def _names_itself(collection: Any) -> bool:
    names = str, int, np.integer
    return all(isinstance(one, names) and not isinstance(one, bool) for one in collection)
