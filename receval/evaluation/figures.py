"""Figures of an evaluation: means of systems, and a measure against a parameter of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from receval._checks import check_choice, refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    self: Any, measures: list[str] | None = None, *, level: float | None = 0.95, **options: Any
) -> list[Axes]:
    """Mean of each system, a panel per measure; see `receval.plots.system_means`.

    Parameters
    ----------
    measures : list of str, optional
        Which ones. Default: all.
    level : float or None, default 0.95
        Level of the intervals (see `interval`), or none. They are of means over users: a value of
        all users together, as that of RMSE, has none.
    **options
        Handed to `receval.plots.system_means`.

    Returns
    -------
    list of matplotlib.axes.Axes
    """
    wanted = self._names(self.measures if measures is None else measures)
    names = [self._measure(name).name for name in wanted]
    each = [name for name in names if name not in self._of_all]
    least, most = self.counts["judged"].agg(["min", "max"])
    users = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    caption = f"{users} users judged, convention {self._task.convention.name}"
    intervals = None
    if level is not None and each:
        intervals = self.interval(level, measures=each)
        caption += f"; bars: {100 * level:g} % bootstrap intervals"
    from receval.plots import system_means

    said = {"lower": self._lower, "caption": caption, **options}
    return system_means(self.summary[names], intervals, **said)


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
        Level of the intervals (see `interval`), or none. They are of means over users: a value of
        all users together, as that of RMSE, has none.
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
    if self.parameters is None:
        raise refusal("sweep", "have parameters of the systems", "none", "Give evaluate(systems=…)")
    check_choice(parameter, "parameter", self.parameters)
    if by is not None:
        check_choice(by, "by", self.parameters)
    one = self._measure(measure)
    table = self.parameters.assign(mean=self.summary[one.name]).dropna(subset=parameter)
    from receval.plots import parameter_curves

    caption = ""
    if level is not None and one.of_all is None:
        caption = f" (bars: {100 * level:g} % bootstrap intervals)"
        table = table.join(self.interval(level, measures=one.name).loc[one.name, ["low", "high"]])
    return parameter_curves(table, parameter, measure=one.name, by=by, caption=caption, ax=ax)
