"""Systems that differ by parameters: what a measure does when a parameter changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import check_choice, refusal, shorten, some
from receval.measure.form import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sweep(
    self: Any,
    parameter: str,
    measure: str,
    *,
    by: str | None = None,
    level: float | None = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """One measure against a parameter of the systems; see `receval.plots.parameter_curves`.

    Parameters
    ----------
    parameter : str
        A column of the frame given as ``evaluate(systems=…)``.
    measure : str
        A measure of this evaluation.
    by : str, optional
        Another column: a curve for each of its values.
    level : float or None, default 0.95
        Level of the intervals (see `interval`), or none.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Of the systems that have the parameter: those where it is missing have no place on the axis.

    Raises
    ------
    InputError
        If the systems have no such parameter, or the measure is not of this evaluation.
    """
    from receval.plots import parameter_curves

    if self.parameters is None:
        raise refusal("sweep", "have parameters of the systems", "none", "Give evaluate(systems=…)")
    for name, given in (("parameter", parameter), ("by", by)):
        if given is not None:
            check_choice(given, name, list(self.parameters))
    one = self._measure(measure)
    table = self.parameters.assign(mean=self.summary[one.name]).dropna(subset=parameter)
    caption = ""
    if level is not None and one.per_user:
        caption = f" (bars: {100 * level:g} % bootstrap intervals)"
        table = table.join(self.interval(level, measures=one.name).loc[one.name, ["low", "high"]])
    return parameter_curves(table, parameter, measure=one.name, by=by, caption=caption, ax=ax)


def check_parameters(systems: object, measures: Iterable[Measure]) -> None:
    """Refuse what is no frame of parameters, a row for each system."""
    frame = systems if isinstance(systems, pd.DataFrame) else pd.DataFrame(index=[0, 0])
    if any(one.has_duplicates for one in frame.axes) or {*map(type, frame)} - {str}:
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
