"""A view of clicks by place: which question each rate answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import FloatArray, IntArray, check_number
from receval.metrics import shifted_log2
from receval.play.pairs import MARKERS
from receval.play.views import Drawing, View, slider
from receval.plots.axes import COLOURS

__all__ = ["clicks_by_place"]

SYSTEMS = ("A", "B")
N_LISTS = 1000  # of each system, with five items each
QUESTIONS = ("clicks per place", "weighted by place", "attractiveness")


def clicks_by_place(*, attention: float = 1.0) -> View:
    r"""Show how the place of clicks changes three rates, and which system leads by each of them.

    The first rate, clicks per place, counts all clicks the same. The rate weighted by place rewards
    clicks at the top. The attractiveness divides each click by the chance that somebody looks at
    its place, which falls as
    :math:`(1/\log_2(p + 1))^a`, where p is the place and a the attention that you choose. The
    clicks are those of lesson 16, in a thousand lists of five by each of the systems A and B.

    Parameters
    ----------
    attention : float, default 1
        Initial exponent a, from 0 (people look at all places) to 2.

    Returns
    -------
    View
        A slider for the clicks of the first system at each place, and one for the exponent.

    Raises
    ------
    InputError
        If ``attention`` is not a number from 0 to 2.

    Examples
    --------
    >>> from receval import play
    >>> view = play.clicks_by_place()
    >>> print(view.table.round(3))
                           A      B leads
    rate
    clicks per place   0.105  0.101     A
    weighted by place  0.128  0.099     A
    attractiveness     0.164  0.195     B
    """
    check_number(attention, "attention", "a number from 0 to 2", lambda value: 0 <= value <= 2)
    places = np.arange(1, 6)
    first_clicks = np.array([[203, 155, 82, 60, 26], [89, 99, 106, 110, 102]])

    def draw(left: Axes, right: Axes, attention: float, **clicks_by_slider: int) -> Drawing:
        """Draw the clicks by place and the three rates of each system; return who leads."""
        clicks = np.vstack([list(clicks_by_slider.values()), first_clicks[1:]])
        rates = _rates(clicks, places, attention)
        styles = list(zip(SYSTEMS, MARKERS, COLOURS, clicks, strict=False))
        for row, (label, marker, colour, clicks_of_system) in enumerate(styles):
            share_clicked = clicks_of_system / N_LISTS
            left.plot(places, share_clicked, f"{marker}-", color=colour, label=label)
            # A little above one another, so that equal rates don't hide one another.
            heights = np.arange(len(QUESTIONS)) + 0.18 * (row - 1 / 2)
            right.plot(rates[:, row], heights, marker, color=colour, ms=8, label=label)
        chance_to_look = shifted_log2(places) ** attention
        highest = max(0.01, clicks.max() / N_LISTS)
        left.plot(places, chance_to_look * highest, ":", color="grey", label="attention (shape)")
        left.set(title="Clicks by place", xlabel="place", ylabel="share clicked", ylim=0)
        left.set_xticks(places)
        left.legend(frameon=False)
        right.invert_yaxis()
        right.margins(x=0.15, y=0.3)
        right.set(title="Three questions", xlabel="rate")
        right.set_yticks(range(len(QUESTIONS)), QUESTIONS)
        right.grid(axis="y", color="0.9")
        right.legend(frameon=False, ncols=len(SYSTEMS), loc="upper right")
        table = pd.DataFrame(rates, QUESTIONS, SYSTEMS).rename_axis("rate")
        leaders = [_leader(row) for row in rates]
        table["leads"] = leaders
        texts = [
            f"{question}: <b>{leader}</b>"
            for question, leader in zip(QUESTIONS, leaders, strict=True)
        ]
        return f"Who leads? {'; '.join(texts)}", table

    sliders = {
        f"place_{place}": slider(f"A at {place}", int(n_clicks), 0, N_LISTS)
        for place, n_clicks in zip(places, first_clicks[0], strict=True)
    }
    controls = sliders | {"attention": slider("attention a", float(attention), 0.0, 2.0, 0.1)}
    return View(draw, (9.5, 2.8), controls)


def _rates(clicks: IntArray, places: IntArray, attention: float) -> FloatArray:
    """Return the three rates of each system, questions in rows and systems in columns.

    ``clicks`` are counts with systems in rows and places in columns.
    """
    weights = shifted_log2(places)
    chance_to_look = weights**attention
    n_shown = N_LISTS * len(places)
    return np.array(
        [
            clicks.sum(axis=1) / n_shown,
            clicks @ weights / (N_LISTS * weights.sum()),
            clicks @ (1 / chance_to_look) / n_shown,
        ]
    )


def _leader(rates: FloatArray) -> str:
    """Return the system with the higher rate, or "none" if the rates are equal."""
    if np.isclose(*rates):
        return "none"
    return SYSTEMS[int(rates.argmax())]
