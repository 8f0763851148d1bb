"""The sums behind the on-line measures: a log tallied once, and added up per variant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from receval._arrays import ratio
from receval._checks import FloatArray, IntArray, check_choice, input_error
from receval.fuzzy.implicators import lukasiewicz
from receval.metrics.discounts import shifted_log2

MEASURES = ("IL", "IG", "IG_pos", "IG_nov")


def values(log: pd.DataFrame, k: int, variant: str) -> dict[str, FloatArray]:
    """The measures of each system."""
    parts = fractions(log, k, variant, log["system"].to_numpy())
    return dict(zip(MEASURES, ratio(*parts), strict=True))


def on_repeats(table: pd.DataFrame, once: pd.DataFrame) -> list[str]:
    """Where repeated responses decide which system is best."""
    names, notes = table.columns[table.notna().all()], []
    for name, best, other in zip(names, table[names].idxmax(), once[names].idxmax(), strict=True):
        every, single = table[name], once[name]
        if every[best] > every[other] and single[other] > single[best]:
            told = f"{name} is best for {best!r} with repeated responses of a user to an item, "
            notes.append(f"{told}and for {other!r} where each counts once")
    return notes


def fractions(rows: pd.DataFrame, k: int, variant: str, group: IntArray) -> FloatArray:
    """Numerator and denominator of each measure for each group of impressions."""
    check_choice(variant, "variant", ("equations", "session_means", "program"))
    if variant == "equations":
        s = _sums(rows, group, k)
        return np.array([[s["L"], s["h"], s["fh"], s["wh"]], [s["n"], s["n"], s["f"], s["w"]]])
    if "session" not in rows:
        rule = f"be the name of a column when variant is {variant!r}"
        raise input_error("session", rule, "None and no column 'session'")
    session = rows["session"].to_numpy()
    of_session = pd.Series(group).groupby(session).first().to_numpy()
    s = _sums(rows, session, None if variant == "program" else k)
    discounts: FloatArray = np.cumsum(shifted_log2(np.arange(1, k + 1)))  # of the first places
    if variant == "program":
        implied, novel = discounts[-1] + s["fh"], s["h"] * s["wh"]
        places = discounts[np.minimum(s["n"], k).astype(int) - 1]
    else:
        implied, novel, places = s["L"], s["wh"], discounts[-1]
    one, mean_weight = np.ones(len(of_session)), s["w"] / np.maximum(s["n"], 1)
    tops = [implied / k, s["h"] / k, s["fh"] / places, novel / k]
    parts = (tops, [one, one, one, mean_weight])
    return np.array([[np.bincount(of_session, term) for term in part] for part in parts])


def _sums(rows: pd.DataFrame, unit: IntArray, k: int | None) -> dict[str, Any]:
    """Sums over the impressions of each unit, of 1 (n), of L = min(1, 1 - f + h), of h, f, …

    Impressions that are alike are counted first, which leaves whole numbers in a fixed order: the
    order of rows changes nothing.
    """
    alike = rows.filter(["position", "response", "weight"]).assign(unit=unit)
    alike = alike if k is None else alike[alike["position"] <= k]
    tally = alike.groupby([*alike], sort=True).size().reset_index(name="count")
    f, h = shifted_log2(tally["position"].to_numpy()), tally["response"].to_numpy()
    w = tally["weight"].to_numpy() if "weight" in tally else np.nan
    terms = {"n": 1, "L": lukasiewicz(f, h), "h": h, "f": f, "fh": f * h, "w": w, "wh": w * h}
    of_unit, count, size = tally["unit"].to_numpy(), tally["count"].to_numpy(), int(unit.max()) + 1
    return {name: np.bincount(of_unit, term * count, size) for name, term in terms.items()}
