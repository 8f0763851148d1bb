"""A ranking as every retrieval metric reads it: cases, best first, each with its similarity."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    IntArray,
    as_float,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._lists import check_cutoff
from receval._rounding import check_not_merged
from receval.metrics.formula import sum_over_ranks

Case = Hashable


class SupportsItems(Protocol):
    """A dict, a pandas Series or a `Ranking`."""

    def items(self) -> Iterable[tuple[Any, Any]]: ...


RankingLike = SupportsItems | Iterable[tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Cases in falling order of similarity, checked once; every metric takes it as it is.

    Attributes
    ----------
    cases : tuple
        Identifiers, best first, each once.
    similarities : ndarray of float
        Their similarities, falling; read-only.

    Examples
    --------
    >>> ranking = as_ranking({"G2": 0.5, "G3": 0.2, "G4": 0.3})
    >>> list(ranking.items())
    [('G2', 0.5), ('G4', 0.3), ('G3', 0.2)]
    """

    cases: tuple[Case, ...]
    similarities: FloatArray
    kinds: frozenset[str]

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        return f"Ranking({shorten(dict(self.items()))})"

    def items(self) -> Iterator[tuple[Case, float]]:
        """The pairs of case and similarity, best first."""
        return zip(self.cases, self.similarities.tolist(), strict=True)

    def first(self, k: int | None) -> Ranking:
        """The k best cases; the whole ranking without ``k``."""
        if k is None or k >= len(self):
            return self
        return Ranking(self.cases[:k], self.similarities[:k], self.kinds)

    @cached_property
    def place(self) -> dict[Case, int]:
        """The 0-based place of every case."""
        return {case: place for place, case in enumerate(self.cases)}


def as_ranking(values: RankingLike, name: str = "ranking") -> Ranking:
    """A ranking from anything that has ``.items()``, or from pairs of case and similarity.

    Parameters
    ----------
    values : mapping, Series, Ranking or iterable of (case, similarity)
        Ordered here by falling similarity; equal similarities keep the given order.
    name : str
        What error messages call it.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        If a case stands twice, lacks an identifier or has a similarity that is not a finite
        number, or identifiers are of mixed types.

    Examples
    --------
    >>> as_ranking([("a", 0.1), ("b", 0.9)]).cases
    ('b', 'a')
    """
    if isinstance(values, Ranking):
        return values
    cases, given = unzipped(values, name, "cases to similarities")
    kinds = id_kinds(cases, name)
    check_unique(cases, name, "case")
    similarities = _finite(cases, given, name)
    order = np.argsort(-similarities, kind="stable")
    similarities = similarities[order]
    similarities.flags.writeable = False
    return Ranking(tuple(cases[i] for i in order.tolist()), similarities, kinds)


def cut(truth: RankingLike, retrieved: RankingLike, k: int | None) -> tuple[Ranking, Ranking]:
    """Both rankings checked and cut at ``k``."""
    t, r, k = as_ranking(truth, "truth"), as_ranking(retrieved, "retrieved"), check_cutoff(k)
    if t.kinds and r.kinds and t.kinds.isdisjoint(r.kinds):
        got = " and ".join(", ".join(sorted(one.kinds)) for one in (t, r))
        raise input_error("truth and retrieved", "name cases by ids of one type", got)
    return t.first(k), r.first(k)


def shared(truth: Ranking, retrieved: Ranking) -> tuple[IntArray, IntArray]:
    """Places, in either ranking, of the cases that both hold; in the order of ``retrieved``."""
    # A lookup that is kept with the whole ranking serves every cut-off and every metric.
    in_truth = places(retrieved.cases, truth)
    found = np.flatnonzero(in_truth >= 0)
    return in_truth[found], found


def shared_similarities(truth: Ranking, retrieved: Ranking) -> tuple[FloatArray, FloatArray]:
    """The true and the other similarity of these cases."""
    in_truth, in_retrieved = shared(truth, retrieved)
    return truth.similarities[in_truth], retrieved.similarities[in_retrieved]


def places(cases: Iterable[Case], ranking: Ranking) -> IntArray:
    """The place of each case in the ranking, -1 where it is not there."""
    lookup = ranking.place.get
    return np.array([lookup(case, -1) for case in cases], dtype=np.int64)


def mean(terms: FloatArray) -> float:
    """Mean of the terms, NaN of none."""
    return share(sum_over_ranks(terms), terms.size)


def share(part: float | FloatArray, whole: float) -> float:
    """Part of the whole, NaN where there is nothing."""
    return float(part / whole) if whole else math.nan


def unzipped(values: Any, name: str, what: str) -> tuple[list[Any], list[Any]]:
    """The left and the right sides of a mapping, or of pairs."""
    try:
        pairs = list(values.items() if hasattr(values, "items") else values)
        return [left for left, _ in pairs], [right for _, right in pairs]
    except (TypeError, ValueError):
        rule = f"be a mapping of {what} or pairs of the two"
        raise input_error(name, rule, shorten(values)) from None


def _finite(cases: list[Any], given: list[Any], name: str) -> FloatArray:
    numbers = given if set(map(type, given)) <= {float} else list(map(as_float, given))
    similarities = np.array(numbers, dtype=np.float64)  # NaN for what is no number
    if wrong := np.flatnonzero(~np.isfinite(similarities)).tolist():
        shown = [f"{shorten(given[i])} for case {cases[i]!r}" for i in wrong]
        raise InputError(
            f"{name} must have finite numbers as similarities; got {format_first(shown)}"
        )
    if numbers is not given:
        check_not_merged(f"the similarities of {name}", given)
    return similarities


def id_kinds(cases: Sequence[Any], name: str) -> frozenset[str]:
    """What the identifiers are; a missing one, a boolean or a mixture is refused."""
    types = set(map(type, cases))
    if not types <= {str, int}:
        missing = [i for i, case in enumerate(cases) if _is_missing(case)]
        if missing:
            raise input_error(
                name, "have an id for every case", f"none at place {missing[:MAX_EXAMPLES]}"
            )
    kinds = frozenset(map(_kind, types))
    if "boolean" in kinds or {"text", "number"} <= kinds:
        raise input_error(name, "name cases by text or by numbers", " and ".join(sorted(kinds)))
    return kinds


def _kind(kind: type) -> str:
    known = {"boolean": (bool, np.bool_), "text": (str,), "number": (int, float, np.number)}
    return next((name for name, of in known.items() if issubclass(kind, of)), kind.__name__)


def _is_missing(case: object) -> bool:
    if isinstance(case, float):  # NumPy's float64 is one
        return case != case
    return case is None or type(case).__name__ in ("NAType", "NaTType")
