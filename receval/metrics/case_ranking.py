"""The ranking that every retrieval metric reads: cases with their similarities, best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, Union

import numpy as np

from receval._arrays import check_cutoff, check_exact, divide_or_nan, without_rounding_noise
from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    Id,
    InputError,
    IntArray,
    as_float,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval.metrics.formula import sum_over_ranks

RankingLike: TypeAlias = Union["Ranking", Mapping[Any, Any], Iterable[object]]
"""Cases with similarities: a mapping, a Series or pairs."""

ID_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool, np.bool_),
    "text": (str,),
    "number": (int, float, np.number),
}
"""The types of identifiers, by their name in error messages."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Cases in descending order of similarity, checked once; metrics do not check them again.

    Attributes
    ----------
    cases : tuple
        Identifiers, best first, each once.
    similarities : ndarray of float
        The similarities of the cases, in descending order; read-only.
    kinds : frozenset of str
        Types of the identifiers: "text", "number" or others.

    Examples
    --------
    >>> ranking = as_ranking({"G2": 0.5, "G3": 0.2, "G4": 0.3})
    >>> list(ranking.items())
    [('G2', 0.5), ('G4', 0.3), ('G3', 0.2)]
    """

    cases: tuple[Id, ...]
    similarities: FloatArray
    kinds: frozenset[str]

    def __len__(self) -> int:
        return len(self.cases)

    def items(self) -> Iterator[tuple[Id, float]]:
        """Return the pairs of case and similarity, best first."""
        return zip(self.cases, self.similarities.tolist(), strict=True)

    def first(self, k: int | None) -> Ranking:
        """Return the k best cases, or the whole ranking if ``k`` is None."""
        if k is None or k >= len(self):
            return self
        return Ranking(self.cases[:k], self.similarities[:k], self.kinds)

    @cached_property
    def place(self) -> dict[Id, int]:
        """Return the 0-based place of every case."""
        return {case: place for place, case in enumerate(self.cases)}


def as_ranking(values: RankingLike, name: str = "ranking") -> Ranking:
    """Build a ranking from anything that has ``.items()``, or from pairs of case and similarity.

    Parameters
    ----------
    values : mapping, Series, Ranking or iterable of (case, similarity)
        Cases in any order. They are sorted by descending similarity; equal similarities keep their
        order.
    name : str
        The name of the ranking in error messages.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        If a case occurs twice, lacks an identifier or has a similarity that is not a finite
        number, or identifiers are of mixed types.

    Examples
    --------
    >>> as_ranking([("a", 0.1), ("b", 0.9)]).cases
    ('b', 'a')
    """
    if isinstance(values, Ranking):
        return values
    try:
        pairs: Any = values
        if hasattr(values, "items"):
            pairs = values.items()
        pairs = list(pairs)
        cases = [case for case, _ in pairs]
        numbers = [number for _, number in pairs]
    except (TypeError, ValueError):
        rule = "be a mapping of cases to similarities or pairs of the two"
        raise input_error(name, rule, shorten(values)) from None
    kinds = id_kinds(cases, name)  # "text" or "number"; checks the identifiers
    check_unique(cases, name, "case")
    similarities = _read_similarities(cases, numbers, name)
    order = np.argsort(-similarities, kind="stable")
    similarities = similarities[order]
    similarities.flags.writeable = False  # all metrics share the array
    return Ranking(tuple(cases[i] for i in order.tolist()), similarities, kinds)


def cut_rankings(
    truth: RankingLike, retrieved: RankingLike, k: int | None
) -> tuple[Ranking, Ranking]:
    """Return the truth and the retrieved ranking, checked and cut at ``k`` (None: not cut).

    Raise if the identifiers in the two are of different types, because then no case could be
    common. A ranking without cases has no types.
    """
    true_ranking = as_ranking(truth, "truth")
    ranking = as_ranking(retrieved, "retrieved")
    k = check_cutoff(k)
    true_kinds, kinds = true_ranking.kinds, ranking.kinds
    if true_kinds and kinds and true_kinds.isdisjoint(kinds):
        got = f"{', '.join(sorted(true_kinds))} and {', '.join(sorted(kinds))}"
        raise input_error("truth and retrieved", "name cases by ids of one type", got)
    return true_ranking.first(k), ranking.first(k)


def find_common_cases(truth: Ranking, retrieved: Ranking) -> tuple[IntArray, IntArray]:
    """Return the places of the common cases in both rankings, in the order of ``retrieved``."""
    # The truth caches its lookup, so look up the retrieved cases in the truth.
    in_truth = find_places(retrieved.cases, truth)
    in_retrieved = np.flatnonzero(in_truth >= 0)
    return in_truth[in_retrieved], in_retrieved


def common_similarities(truth: Ranking, retrieved: Ranking) -> tuple[FloatArray, FloatArray]:
    """Return the similarities of the common cases in both rankings, in retrieved order.

    Similarities of a ranking that differ by rounding only are equal.
    """
    in_truth, in_retrieved = find_common_cases(truth, retrieved)
    return (
        without_rounding_noise(truth.similarities[in_truth]),
        without_rounding_noise(retrieved.similarities[in_retrieved]),
    )


def find_places(cases: Iterable[Id], ranking: Ranking) -> IntArray:
    """Return the place of each case in the ranking, -1 if it is not there."""
    lookup = ranking.place.get
    return np.array([lookup(case, -1) for case in cases], dtype=np.int64)


def mean(terms: FloatArray) -> float:
    """Return the mean of the terms, or NaN if there are none."""
    return float(divide_or_nan(sum_over_ranks(terms), terms.size))


def _read_similarities(cases: list[Id], values: list[Any], name: str) -> FloatArray:
    """Return the similarities of the cases as an array of floats.

    Raise if a similarity is not a finite number, or a whole number that a float would round.
    ``name`` is the name of the ranking in the messages.
    """
    # `as_float` returns None for anything that isn't a number, which becomes NaN.
    similarities = np.array([as_float(value) for value in values], dtype=np.float64)
    wrong_rows = np.flatnonzero(~np.isfinite(similarities)).tolist()
    if wrong_rows:
        shown = [f"{shorten(values[row])} for case {cases[row]!r}" for row in wrong_rows]
        raise InputError(
            f"{name} must have finite numbers as similarities; got {format_first(shown)}"
        )
    check_exact(np.array(values, object), f"the similarities of {name}")
    return similarities


def id_kinds(cases: Sequence[object], name: str) -> frozenset[str]:
    """Return the names of the identifiers' types, as in `ID_TYPES`, such as "text" or "number".

    A type that is not in `ID_TYPES` has its Python name, such as "tuple". Raise if an identifier is
    missing or boolean, or if texts and numbers are mixed. ``name`` is the name of the ranking in
    the messages.
    """
    types = set(map(type, cases))
    if not types <= {str, int}:  # a text or an integer is never a missing identifier
        missing_places = [place for place, case in enumerate(cases) if _is_missing(case)]
        if missing_places:
            got = f"none at place {missing_places[:MAX_EXAMPLES]}"
            raise input_error(name, "have an id for every case", got)
    kinds = frozenset(_kind_of_type(id_type) for id_type in types)
    if "boolean" in kinds or {"text", "number"} <= kinds:
        raise input_error(name, "name cases by text or by numbers", " and ".join(sorted(kinds)))
    return kinds


def _kind_of_type(id_type: type) -> str:
    """Return the name that messages use for a type of identifiers."""
    for kind, types in ID_TYPES.items():
        if issubclass(id_type, types):
            return kind
    return id_type.__name__


def _is_missing(case: object) -> bool:
    """Return True for None, NaN, NA and NaT."""
    is_nan = isinstance(case, float) and math.isnan(case)
    return case is None or is_nan or type(case).__name__ in ("NAType", "NaTType")
