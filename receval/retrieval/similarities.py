"""The linear retriever, which compares a query with one case after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import pandas as pd

from receval._checks import Id, as_float, check_callable, input_error, shorten

__all__ = ["linear_retriever"]

CaseSimilarity: TypeAlias = Callable[[object, object], float]
"""A user-defined function that returns the similarity of a query and a case."""


def linear_retriever(similarity: CaseSimilarity) -> Callable[[object, object], dict[Id, float]]:
    """Make a retriever from a function that compares a query with a single case.

    The retriever compares the query with every case of the case base, one after the other, as
    ProCAKE's linear retriever does.

    Parameters
    ----------
    similarity : callable
        ``similarity(query, case)`` returns a number. A query or case that is a row of a frame is a
        dict of its attributes.

    Returns
    -------
    callable
        ``retriever(query, case_base)``, as `evaluate_retrievers` needs it.

    Raises
    ------
    InputError
        If ``similarity`` is not callable. When called: if it doesn't return a number.

    References
    ----------
    Document 003, section "Usage".

    Examples
    --------
    >>> def same_paint(query, case):
    ...     return float(query["paint"] == case["paint"])
    >>> cars = pd.DataFrame({"paint": ["red", "blue"]}, index=["a", "b"])
    >>> linear_retriever(same_paint)(pd.Series({"paint": "blue"}), cars)
    {'a': 0.0, 'b': 1.0}
    """
    check_callable(similarity, "similarity", "similarity(query, case)")

    def retriever(query: object, case_base: object) -> dict[Id, float]:
        if isinstance(query, pd.Series):
            query = query.to_dict()
        return {
            case: _as_similarity(similarity(query, content), case)
            for case, content in _contents(case_base)
        }

    return retriever


def _contents(case_base: object) -> Iterable[tuple[Id, object]]:
    """Return ids and contents of the cases; rows of a frame are dicts of their attributes."""
    if isinstance(case_base, pd.DataFrame):
        records = case_base.to_dict("records")
        return zip(case_base.index.tolist(), records, strict=True)
    if isinstance(case_base, (Mapping, pd.Series)):
        return case_base.items()
    rule = "be a frame, a Series or a mapping"
    raise input_error("case_base", rule, type(case_base).__name__)


def _as_similarity(value: object, case: Id) -> float:
    """Return what a user's similarity function returned, as a float; raise unless it's a number."""
    number = as_float(value)
    if number is None:
        rule = "return a number"
        raise input_error("similarity(query, case)", rule, f"{shorten(value)} for case {case!r}")
    return number
