"""A view of clicks by place: which question each rate answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import (
    FloatArray,
    IntArray,
    check_none,
    check_number,
    check_that,
    input_error,
)
from receval._escape import for_html, for_legend
from receval._views import Drawing, View, slider
from receval.metrics import shifted_log2
from receval.play._own_data import check_length, numbers_column
from receval.play.pairs import MARKERS
from receval.plots.axes import COLOURS
from receval.tables.columns import read_column

__all__ = ["clicks_by_place"]

MAX_PLACES = 6  # places with a slider
MAX_SYSTEMS = 4  # more would need too many markers
QUESTIONS = ("clicks per place", "weighted by place", "attractiveness")


def clicks_by_place(log: pd.DataFrame | None = None, *, attention: float = 1.0) -> View:
    r"""Show how the place of clicks changes three rates, and which system leads by each of them.

    The first rate, clicks per place, counts all clicks the same. The rate weighted by place rewards
    clicks at the top. The attractiveness divides each click by the chance that somebody looks at
    its place, which falls as
    :math:`(1/\log_2(p + 1))^a`, where p is the place and a the attention that you choose.

    Parameters
    ----------
    log : DataFrame, optional
        One row for each item that was shown, with the columns "system", "position" (the place,
        from 1) and "clicked" (0 or 1). It has one to four systems. The first six places count, and
        all systems fill the same places. Default: the test of systems A and B of lesson 16, with
        a thousand lists of five each.
    attention : float, default 1
        Initial exponent a, from 0 (people look at all places) to 2.

    Returns
    -------
    View
        A slider for the clicks of the first system at each place, and one for the exponent.

    Raises
    ------
    InputError
        If a column is missing, a place is not a whole number from 1, a click is not 0 or 1, a
        system does not fill a place that others fill, or there are too many systems.

    Examples
    --------
    >>> from receval import play
    >>> view = play.clicks_by_place()
    >>> print(view.table.round(3))
                           A     B leads
    rate
    clicks per place   0.100  0.10  none
    weighted by place  0.123  0.10     A
    attractiveness     0.155  0.19     B
    """
    check_number(attention, "attention", "a number from 0 to 2", lambda value: 0 <= value <= 2)
    if log is None:
        shown = pd.DataFrame(1000, ["A", "B"], range(1, 6))
        clicks = pd.DataFrame([[200, 140, 80, 50, 30], [100] * 5], shown.index, shown.columns)
    else:
        shown, clicks = _count(log)
    systems = [str(system) for system in shown.index]
    places = shown.columns.to_numpy(float)
    shown_counts, first_clicks = shown.to_numpy(), clicks.to_numpy()

    def draw(left: Axes, right: Axes, attention: float, **clicks_by_slider: int) -> Drawing:
        """Draw the clicks by place and the three rates of each system; return who leads."""
        clicks = np.vstack([list(clicks_by_slider.values()), first_clicks[1:]])
        rates = _rates(clicks, shown_counts, places, attention)
        styles = list(zip(for_legends(systems), MARKERS, COLOURS, clicks, strict=False))
        for row, (label, marker, colour, clicks_of_system) in enumerate(styles):
            share_clicked = clicks_of_system / shown_counts[row]
            left.plot(places, share_clicked, f"{marker}-", color=colour, label=label)
            # A little above one another, so that equal rates don't hide one another.
            heights = np.arange(len(QUESTIONS)) + 0.18 * (row - (len(systems) - 1) / 2)
            right.plot(rates[:, row], heights, marker, color=colour, ms=8, label=label)
        chance_to_look = shifted_log2(places) ** attention
        highest = max(0.01, float((clicks / shown_counts).max()))
        left.plot(places, chance_to_look * highest, ":", color="grey", label="attention (shape)")
        left.set(title="Clicks by place", xlabel="place", ylabel="share clicked", ylim=0)
        left.set_xticks(places)
        left.legend(frameon=False)
        right.invert_yaxis()
        right.margins(x=0.15, y=0.3)
        right.set(title="Three questions", xlabel="rate")
        right.set_yticks(range(len(QUESTIONS)), QUESTIONS)
        right.grid(axis="y", color="0.9")
        right.legend(frameon=False, ncols=len(systems), loc="upper right")
        table = pd.DataFrame(rates, QUESTIONS, systems).rename_axis("rate")
        leaders = [_leader(systems, row) for row in rates]
        table["leads"] = leaders
        texts = [
            f"{question}: <b>{for_html(leader)}</b>"
            for question, leader in zip(QUESTIONS, leaders, strict=True)
        ]
        return f"Who leads? {'; '.join(texts)}", table

    sliders = {
        f"place_{place:g}": slider(f"{systems[0]} at {place:g}", int(n_clicks), 0, int(n_shown))
        for place, n_clicks, n_shown in zip(places, first_clicks[0], shown_counts[0], strict=True)
    }
    controls = sliders | {"attention": slider("attention a", float(attention), 0.0, 2.0, 0.1)}
    return View(draw, (9.5, 2.8), controls)


def for_legends(systems: list[str]) -> list[str]:
    """Return the names of systems as a legend can show them."""
    return [for_legend(system, 20) for system in systems]


def _rates(clicks: IntArray, shown: IntArray, places: FloatArray, attention: float) -> FloatArray:
    """Return the three rates of each system, questions in rows and systems in columns.

    ``clicks`` and ``shown`` are counts with systems in rows and places in columns.
    """
    weights = shifted_log2(places)
    chance_to_look = weights**attention
    n_shown = shown.sum(axis=1)
    return np.array(
        [
            clicks.sum(axis=1) / n_shown,
            clicks @ weights / (shown @ weights),
            clicks @ (1 / chance_to_look) / n_shown,
        ]
    )


def _leader(systems: list[str], rates: FloatArray) -> str:
    """Return the system with the highest rate, or "none" if another one is equal."""
    highest = rates.max()
    leaders = [
        system for system, rate in zip(systems, rates, strict=True) if np.isclose(rate, highest)
    ]
    if len(leaders) == 1:
        return leaders[0]
    return "none"


def _count(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the numbers of impressions and clicks of each system at each place of a reader's log.

    Both tables have systems in rows and places in columns. Raises for logs that a view cannot show.
    """
    position = numbers_column(log, "position", "log")
    clicked = numbers_column(log, "clicked", "log")
    system = read_column(log, "system", "log")
    check_that(len(position) > 0, "log", "have at least one row", "none")
    is_no_place = (position < 1) | (position % 1 != 0)
    check_none(position, is_no_place, "log['position']", "be a whole number from 1")
    check_none(clicked, (clicked != 0) & (clicked != 1), "log['clicked']", "be 0 or 1")
    if system.isna().any():
        rows = system.index[system.isna()][:5].tolist()
        raise input_error("log['system']", "have no gaps", f"none in rows {rows}")
    check_length(system.unique(), "log['system']", 1, MAX_SYSTEMS)
    is_early = position <= MAX_PLACES
    early_rows = pd.DataFrame(
        {"system": system, "position": position.astype(int), "clicked": clicked}
    )[is_early]
    shown = pd.crosstab(early_rows["system"], early_rows["position"])
    clicks = early_rows.pivot_table(
        index="system", columns="position", values="clicked", aggfunc="sum", fill_value=0
    )
    gaps = np.argwhere(shown.to_numpy() == 0)
    if len(gaps):
        row, column = gaps[0]
        place = f"none of {shown.index[row]} at place {shown.columns[column]}"
        raise input_error("log", "have rows of each system for the same places", place)
    return shown, clicks.astype(int)
