"""Similarities of cases with attributes, and the linear retriever, which compares case by case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    FloatArray,
    as_float,
    check_callable,
    check_unique,
    input_error,
    shorten,
)
from receval._types import Id
from receval.metrics.retrieval.ranking import Case
from receval.tables.columns import check_frame

__all__ = ["AttributeSimilarity", "linear_retriever"]

CaseSimilarity: TypeAlias = Callable[[object, object], float]
"""A user-defined function that returns the similarity of a query and a case."""


@dataclass(frozen=True)
class AttributeSimilarity:
    r"""Rank cases by the mean similarity of their attributes to those of the query.

    .. math::

        s(q, c) = \frac{1}{m} \sum_{a=1}^{m} s_a(q_a, c_a), \qquad
        s_a = \max\left(0,\ 1 - \frac{|q_a - c_a|}{\max_a - \min_a}\right)

    This formula of :math:`s_a` is for numeric attributes; the largest and smallest number are those
    of the case base. For other attributes, and for numbers that are the same in all cases, the
    similarity is 1 if the two values are equal, and 0 otherwise. If one of the values is missing,
    the similarity is 0.

    Call it as a retriever, ``similarity(query, case_base)``. As in MAC/FAC retrieval, this case
    base may be a part of the one from which the ranges were read.

    Attributes
    ----------
    ranges : dict of str to float
        For each numeric attribute, the largest minus the smallest number; NaN for other attributes.
        The attributes are in the order of the columns.

    Examples
    --------
    >>> cars = pd.DataFrame(
    ...     {"price": [1000, 3000, 2000], "paint": ["red", "red", "blue"]}, index=["a", "b", "c"])
    >>> similarity = AttributeSimilarity.from_cases(cars)
    >>> similarity(pd.Series({"price": 1500, "paint": "red"}), cars)
    {'a': 0.875, 'b': 0.625, 'c': 0.375}
    """

    ranges: dict[str, float]

    @classmethod
    def from_cases(
        cls, case_base: pd.DataFrame, attributes: Iterable[str] | None = None
    ) -> AttributeSimilarity:
        """Read the attributes and their ranges from a case base.

        Parameters
        ----------
        case_base : DataFrame
            A row per case and a column per attribute.
        attributes : iterable of str, optional
            The attributes that count. Default: all columns.

        Returns
        -------
        AttributeSimilarity

        Raises
        ------
        InputError
            If there is no attribute, an attribute is not a column, or a number is infinite.
        """
        table = check_frame(case_base, "case_base")
        labels = list(table.columns if attributes is None else attributes)
        check_unique(labels, "attributes", "attribute")
        if not labels:
            raise input_error("attributes", "name at least one column", "none")
        ranges: dict[str, float] = {}
        for label in labels:
            if label not in table:
                columns = ", ".join(map(str, table.columns))
                raise input_error("attributes", f"be among {columns}", shorten(label))
            column = table[label]
            ranges[label] = np.nan
            if _is_numeric(column):
                if np.isinf(column.to_numpy(float)).any():
                    raise input_error(f"case_base[{label!r}]", "be finite", "an infinite number")
                ranges[label] = float(column.max() - column.min())
        return cls(ranges)

    def __call__(self, query: Mapping[str, object], case_base: pd.DataFrame) -> dict[Case, float]:
        """Return the similarity of each case by id.

        ``query`` has a value for each attribute; ``case_base`` has a row for each case. Raises
        `InputError` if the query lacks an attribute. Also raises if the cases have numbers and the
        query has no finite number, or if all cases have texts and the query has a number.
        """
        total = np.zeros(len(case_base))
        for label, value_range in self.ranges.items():
            if label not in query:
                raise input_error("query", f"have the attribute {label!r}", "none")
            total += _attribute_similarities(query[label], case_base[label], value_range)
        means = total / len(self.ranges)
        return dict(zip(case_base.index.tolist(), means.tolist(), strict=True))


def _is_numeric(column: pd.Series) -> bool:
    """Return whether a column holds numbers; truth values are not numbers."""
    is_number = pd.api.types.is_numeric_dtype(column)
    return is_number and not pd.api.types.is_bool_dtype(column)


def _attribute_similarities(
    query_value: object, column: pd.Series, value_range: float
) -> FloatArray:
    """Return the similarity of the query's value to the value of each case.

    ``value_range`` is the largest minus the smallest number of the case base, or NaN if the
    attribute has no numbers.
    """
    if pd.isna(query_value):  # type: ignore[call-overload]
        return np.zeros(len(column))
    name = f"query[{column.name!r}]"
    number = as_float(query_value)
    if np.isnan(value_range):
        has_texts_only = pd.api.types.infer_dtype(column, skipna=True) == "string"
        if number is not None and has_texts_only:
            # The text "7" doesn't equal the number 7, so all similarities would be 0.
            rule = "be text, as it is in the case base"
            advice = "A single text in a column of numbers makes all of them texts"
            raise input_error(name, rule, shorten(query_value), advice)
        return _are_equal(column, query_value)
    if number is None:
        rule = "be a number, as it is in the case base"
        raise input_error(name, rule, shorten(query_value))
    if np.isinf(number):
        raise input_error(name, "be finite", shorten(query_value))
    if value_range == 0:
        return _are_equal(column, query_value)
    distances = np.abs(column.to_numpy(float, na_value=np.nan) - number)
    similarities = np.clip(1 - distances / value_range, 0, 1)
    return np.nan_to_num(similarities, nan=0.0)


def _are_equal(column: pd.Series, value: object) -> FloatArray:
    """Return 1 for each entry of a column that equals the value, and 0 for the others."""
    is_equal: BoolArray = (column == value).to_numpy(bool, na_value=False)
    return is_equal.astype(float)


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
