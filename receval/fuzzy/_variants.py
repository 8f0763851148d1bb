"""The sums behind the on-line measures: a log tallied once, and added up per variant."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import ratio
from receval._checks import FloatArray, IntArray, check_choice, refusal
from receval.fuzzy.implicators import lukasiewicz
from receval.metrics.discounts import shifted_log2

MEASURES = ("IL", "IG", "IG_pos", "IG_nov")
VARIANTS = ("equations", "session_means", "program")
Fractions = tuple[list[FloatArray], list[FloatArray]]  # numerators and denominators, by measure


def values(log: pd.DataFrame, k: int, variant: str) -> dict[str, FloatArray]:
    """The measures of each system."""
    tops, bottoms = fractions(log, k, variant, log["system"].to_numpy())
    return dict(zip(MEASURES, map(ratio, tops, bottoms), strict=True))


def on_repeats(table: pd.DataFrame, once: pd.DataFrame) -> list[str]:
    """Where repeated responses decide which system is best."""
    names, notes = table.columns[table.notna().all()], []
    for name, best, other in zip(names, table[names].idxmax(), once[names].idxmax(), strict=True):
        every, single = table[name], once[name]
        if every[best] > every[other] and single[other] > single[best]:
            told = f"{name} is best for {best!r} with repeated responses of a user to an item, "
            notes.append(f"{told}and for {other!r} where each counts once")
    return notes


def fractions(rows: pd.DataFrame, k: int, variant: str, group: IntArray) -> Fractions:
    """Numerator and denominator of each measure for each group of impressions."""
    check_choice(variant, "variant", VARIANTS)
    if variant == "equations":
        return _of_impressions(_Tally(rows, group, k))
    if "session" not in rows:
        rule = f"be the name of a column when variant is {variant!r}"
        raise refusal("session", rule, "None and no column 'session'")
    session = rows["session"].to_numpy()
    of_session = np.zeros(session.max() + 1, np.int64)
    of_session[session] = group
    tally = _Tally(rows, session, None if variant == "program" else k)

    def summed(parts: list[FloatArray]) -> list[FloatArray]:
        return [np.bincount(of_session, weights=part).astype(float) for part in parts]

    tops, bottoms = _of_sessions(tally, k, program=variant == "program")
    return summed(tops), summed(bottoms)


class _Tally:
    """How often each (unit, place, response, weight) occurs: all that the measures depend on.

    Whole numbers in a fixed order, so that results do not depend on the order of rows.
    """

    def __init__(self, rows: pd.DataFrame, unit: IntArray, k: int | None) -> None:
        self.n_units = int(unit.max()) + 1
        alike = rows.filter(["position", "response", "weight"]).assign(unit=unit)
        alike = alike if k is None else alike[alike["position"] <= k]
        keys = ["unit", *alike.columns.drop("unit")]
        tally = alike.groupby(keys, sort=True).size().reset_index(name="count")
        self.unit, self.count = tally["unit"].to_numpy(), tally["count"].to_numpy()
        self.f, self.h = shifted_log2(tally["position"].to_numpy()), tally["response"].to_numpy()
        self.w = tally.get("weight", pd.Series(np.nan, tally.index)).to_numpy(float)

    def sum(self, value: npt.ArrayLike) -> FloatArray:
        """Sum of a value over the impressions of each unit."""
        terms = np.broadcast_to(np.asarray(value, float), self.unit.shape) * self.count
        sums = np.bincount(self.unit, weights=terms, minlength=self.n_units)
        return sums.astype(np.float64, copy=False)


def _of_impressions(t: _Tally) -> Fractions:
    pairs, implied = t.sum(1), t.sum(lukasiewicz(t.f, t.h))
    tops = [implied, t.sum(t.h), t.sum(t.f * t.h), t.sum(t.w * t.h)]
    return tops, [pairs, pairs, t.sum(t.f), t.sum(t.w)]


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
