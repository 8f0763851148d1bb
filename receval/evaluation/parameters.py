"""Parameters of systems, as ``evaluate(systems=…)`` takes them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd

from receval._checks import refusal, shorten, some
from receval.measure.form import Measure


def check_parameters(systems: object, measures: Iterable[Measure]) -> None:
    """Refuse what is no frame of parameters, a row for each system."""
    frame = systems if isinstance(systems, pd.DataFrame) else pd.DataFrame(index=[0, 0])
    if any(one.has_duplicates or one.nlevels > 1 for one in frame.axes) or {*map(type, frame)} - {
        str
    }:
        rule = "be a DataFrame indexed by system, with a row for each and a text over each column"
        raise refusal("systems", rule, shorten(systems))
    odd = [one for _, column in frame.items() for one in column.array if not _is_plain(one)]
    if odd:
        raise refusal("systems", "hold text, numbers, True and False", some(map(repr, odd)))
    both = {"mean", "low", "high", *(one.name for one in measures)} & set(frame)
    if both:
        raise refusal("columns of systems", "be named otherwise than values", sorted(both))


def _is_plain(value: object) -> bool:
    """Whether it is one of the values that tables, figures and files can show, or none."""
    plain = str, bool, int, float, np.bool_, np.integer, np.floating
    return value is None or value is pd.NA or isinstance(value, plain)


def check_each(systems: pd.DataFrame, found: Iterable[Hashable]) -> None:
    """Refuse parameters of other systems than those evaluated."""
    apart = systems.index.symmetric_difference(pd.Index(list(found)), sort=False)
    if len(apart):
        rule = "have a row for each system evaluated and no other"
        raise refusal("systems", rule, f"on one side only {some(map(repr, apart))}")
