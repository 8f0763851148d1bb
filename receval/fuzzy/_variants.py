"""The sums behind the on-line measures: a log tallied once, and added up per variant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import BoolArray, FloatArray, InputError, IntArray, check_choice
from receval.fuzzy._log import Impressions, combined
from receval.fuzzy.implicators import lukasiewicz
from receval.metrics.discounts import shifted_log2

MEASURES = ("IL", "IG", "IG_pos", "IG_nov")
VARIANTS = ("equations", "session_means", "program")
Fractions = tuple[list[FloatArray], list[FloatArray]]  # numerators and denominators, by measure


def fractions(log: Impressions, variant: str, group: IntArray) -> Fractions:
    """Numerator and denominator of each measure for each group of impressions."""
    check_choice(variant, "variant", VARIANTS)
    if variant == "equations":
        return _of_impressions(_Tally.of(log, group))
    if log.session is None:
        raise InputError(
            f"session must be the name of a column when variant is {variant!r}; got None and no "
            "column 'session'"
        )
    program = variant == "program"
    tally = _Tally.of(log, log.session, beyond_k=program)
    of_session = np.zeros(tally.n_units, np.int64)
    of_session[log.session] = group
    tops, bottoms = (
        [np.bincount(of_session, weights=part).astype(float) for part in parts]
        for parts in _of_sessions(tally, log.k, program=program)
    )
    return tops, bottoms


@dataclass(frozen=True)
class _Tally:
    """How often each (unit, place, response, weight) occurs: all that the measures depend on.

    Whole numbers in a fixed order, so that results do not depend on the order of rows.
    """

    n_units: int
    unit: IntArray
    f: FloatArray
    h: BoolArray
    w: FloatArray
    count: IntArray

    @classmethod
    def of(cls, log: Impressions, unit: IntArray, *, beyond_k: bool = False) -> _Tally:
        kept = slice(None) if beyond_k else log.position <= log.k
        units, p, h = unit[kept], log.position[kept], log.response[kept]
        w = np.full(len(p), np.nan) if log.weight is None else log.weight[kept]
        alike = combined(units, p, h, pd.factorize(w, sort=True, use_na_sentinel=False)[0])
        count = np.bincount(alike)
        row = np.zeros(len(count), np.int64)
        row[alike] = np.arange(len(p))  # any of those that are alike
        f = shifted_log2(p[row])
        return cls(int(unit.max()) + 1, units[row], f, h[row], w[row], count)

    def sum(self, value: npt.ArrayLike) -> FloatArray:
        """Sum of a value over the impressions of each unit."""
        terms = np.broadcast_to(np.asarray(value, float), self.unit.shape) * self.count
        sums = np.bincount(self.unit, weights=terms, minlength=self.n_units)
        return sums.astype(np.float64, copy=False)


def _of_impressions(t: _Tally) -> Fractions:
    pairs = t.sum(1)
    return (
        [t.sum(lukasiewicz(t.f, t.h)), t.sum(t.h), t.sum(t.f * t.h), t.sum(t.w * t.h)],
        [pairs, pairs, t.sum(t.f), t.sum(t.w)],
    )


def _of_sessions(t: _Tally, k: int, *, program: bool) -> Fractions:
    n, one = t.sum(1), np.ones(t.n_units)
    discounts: FloatArray = np.cumsum(shifted_log2(np.arange(1, k + 1)))  # of the first places
    hits, discounted, novel = t.sum(t.h), t.sum(t.f * t.h), t.sum(t.w * t.h)
    mean_weight = np.divide(t.sum(t.w), n, out=np.zeros_like(n), where=n > 0)
    if program:
        implied, novel = discounts[-1] + discounted, hits * novel
        places = discounts[np.minimum(n, k).astype(int) - 1]
    else:
        implied, places = t.sum(lukasiewicz(t.f, t.h)), discounts[-1]
    return [implied / k, hits / k, discounted / places, novel / k], [one, one, one, mean_weight]
