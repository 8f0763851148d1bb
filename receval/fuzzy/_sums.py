"""The sums behind the on-line measures: a log read once, tallied, and added up per variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_count,
)
from receval.fuzzy import _log
from receval.fuzzy.implicators import lukasiewicz
from receval.metrics.discounts import shifted_log2

MEASURES = ("IL", "IG", "IG_pos", "IG_nov")
Parts = tuple[list[FloatArray], list[FloatArray]]  # numerators and denominators, by measure


@dataclass(frozen=True)
class Impressions:
    """The columns of a log that the measures need, checked, ids as codes."""

    k: int
    systems: npt.NDArray[Any]
    system: IntArray
    place: IntArray
    response: BoolArray
    weight: FloatArray | None
    session: IntArray | None
    user: IntArray | None


def read(
    impressions: Any,
    response: str,
    k: int,
    system: str,
    position: str,
    weight: str | None,
    session: str | None,
    user: str | None,
    item: str | None,
) -> Impressions:
    places = check_count(k, "k")
    there = _log.names(impressions)

    def column(name: str) -> Any:
        return _log.column(impressions, name, "impressions")

    def ids(name: str | None, default: str) -> IntArray | None:
        if name is None and default not in there:
            return None
        chosen = default if name is None else name
        return _log.codes(column(chosen), chosen)[0]

    place = _log.positions(column(position), position)
    if not len(place):
        raise InputError("impressions must hold at least one row; got none")
    found, systems = _log.codes(column(system), system)
    users, sessions = ids(user, "user"), ids(session, "session")
    if sessions is not None:
        sessions = _combined(found, users, sessions)
        _refuse_repeated(sessions, place, position)
        items = ids(item, "item")
        if items is not None:
            _refuse_repeated(sessions, items, "item" if item is None else item)
    return Impressions(
        k=places,
        systems=systems,
        system=found,
        place=place,
        response=_log.flags(column(response), response),
        weight=None if weight is None else _log.weights(column(weight), weight),
        session=sessions,
        user=users,
    )


def _combined(*ids: IntArray | None) -> IntArray:
    """One code, from 0, for each combination that occurs."""
    code, size = np.zeros(1, np.int64), 1
    for part in ids:
        if part is None:
            continue
        n = int(part.max()) + 1
        if size * n > 1 << 62:  # no room left: number the combinations so far anew
            code = pd.factorize(code, sort=True)[0].astype(np.int64)
            size = int(code.max()) + 1
        code, size = code * n + part, size * n
    return pd.factorize(code, sort=True)[0].astype(np.int64, copy=False)


def _refuse_repeated(session: IntArray, value: IntArray, name: str) -> None:
    key = session * (int(value.max()) + 1) + value
    in_order = np.sort(key)
    if not (in_order[1:] == in_order[:-1]).any():
        return
    again = np.asarray(pd.Series(key).duplicated())
    raise InputError(
        f"{name} must not repeat within a session; got {int(again.sum())} repetitions, in rows "
        f"{_log.rows(again)}. Remove duplicate impressions, or name the column that tells "
        "sessions apart with session="
    )


@dataclass(frozen=True)
class _Tally:
    """How often each (unit, place, response, weight) occurs: all that the measures depend on.

    Whole numbers in a fixed order, so that results do not depend on the order of rows.
    """

    n_units: int
    unit: IntArray
    p: IntArray
    h: BoolArray
    w: FloatArray
    count: IntArray

    @property
    def f(self) -> FloatArray:
        return shifted_log2(self.p)

    def sum(self, value: npt.ArrayLike) -> FloatArray:
        """Sum of a value over the impressions of each unit."""
        terms = np.broadcast_to(np.asarray(value, float), self.unit.shape) * self.count
        sums = np.bincount(self.unit, weights=terms, minlength=self.n_units)
        return sums.astype(np.float64, copy=False)

    def mean_weight(self) -> FloatArray:
        total = self.sum(self.w)
        return np.divide(total, self.sum(1), out=np.zeros_like(total), where=self.sum(1) > 0)


def _tally(log: Impressions, unit: IntArray, *, beyond_k: bool) -> _Tally:
    kept = slice(None) if beyond_k or log.place.max() <= log.k else log.place <= log.k
    n_units, units, p, h = int(unit.max()) + 1, unit[kept], log.place[kept], log.response[kept]
    if log.weight is None:
        weight, levels = np.zeros(1, np.int64), np.full(1, np.nan)
    else:
        found, values = pd.factorize(log.weight[kept], sort=True)
        weight, levels = found.astype(np.int64, copy=False), np.asarray(values, np.float64)
    deepest = int(p.max(initial=1))
    key = ((units * deepest + p - 1) * 2 + h) * len(levels) + weight
    n_keys = n_units * deepest * 2 * len(levels)
    if n_keys <= max(4 * len(key), 1 << 16):
        counts = np.bincount(key, minlength=n_keys)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, counts = np.unique(key, return_counts=True)
    rest, weight = np.divmod(keys, len(levels))
    rest, h = np.divmod(rest, 2)
    units, p = np.divmod(rest, deepest)
    return _Tally(n_units, units, p + 1, h == 1, levels[weight], counts)


def parts(log: Impressions, variant: str, group: IntArray) -> Parts:
    """Numerator and denominator of each measure for each group of impressions."""
    check_choice(variant, "variant", VARIANTS)
    if variant == "equations":
        return _equations(_tally(log, group, beyond_k=False), log.k)
    if log.session is None:
        raise InputError(
            f"session must be the name of a column when variant is {variant!r}; got None and no "
            "column 'session'"
        )
    tally = _tally(log, log.session, beyond_k=variant == "program")
    of_session = np.zeros(tally.n_units, np.int64)
    of_session[log.session] = group

    def grouped(parts: list[FloatArray]) -> list[FloatArray]:
        return [np.bincount(of_session, weights=part).astype(float) for part in parts]

    tops, bottoms = VARIANTS[variant](tally, log.k)
    return grouped(tops), grouped(bottoms)


def _equations(t: _Tally, _: int) -> Parts:
    pairs = t.sum(1)
    return (
        [t.sum(lukasiewicz(t.f, t.h)), t.sum(t.h), t.sum(t.f * t.h), t.sum(t.w * t.h)],
        [pairs, pairs, t.sum(t.f), t.sum(t.w)],
    )


def _session_means(t: _Tally, k: int) -> Parts:
    one = np.ones(t.n_units)
    return (
        [
            t.sum(lukasiewicz(t.f, t.h)) / k,
            t.sum(t.h) / k,
            t.sum(t.f * t.h) / _discount_sum(k),
            t.sum(t.w * t.h) / k,
        ],
        [one, one, one, t.mean_weight()],
    )


def _program(t: _Tally, k: int) -> Parts:
    one, places = np.ones(t.n_units), np.minimum(t.sum(1), k).astype(int)
    discounted = t.sum(t.f * t.h)
    return (
        [
            (_discount_sum(k) + discounted) / k,
            t.sum(t.h) / k,
            discounted / _discount_sum(places),
            t.sum(t.h) * t.sum(t.w * t.h) / k,
        ],
        [one, one, one, t.mean_weight()],
    )


VARIANTS: dict[str, Callable[[_Tally, int], Parts]] = {
    "equations": _equations,
    "session_means": _session_means,
    "program": _program,
}


def _discount_sum(k: int | IntArray) -> FloatArray:
    """D_k, the sum of 1/log2(p + 1) over the first k places."""
    sums: FloatArray = np.cumsum(shifted_log2(np.arange(1, int(np.max(k)) + 1)))
    return np.asarray(sums[np.asarray(k) - 1])
