"""Views of the methods of the documents: implicators, and a group's list."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._checks import check_choice, check_number
from receval._escape import for_html
from receval.metrics import connectives as implicators
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.play.pairs import item_sliders
from receval.play.views import Drawing, View, choice, slider

__all__ = ["group", "implication"]

IMPLICATORS = ("lukasiewicz", "goedel", "product", "kleene_dienes", "reichenbach")
STRATEGIES = ("average", "borda", "least_misery", "most_pleasure", "multiplicative")


def implication(name: str = "goedel", *, b: float = 0.7, h: float = 0.4) -> View:
    """Show a point on the surface of an implicator, and powers that scale both of its sides.

    Parameters
    ----------
    name : str, default "goedel"
        The initial implicator, one of `receval.fuzzy`.
    b, h : float
        Initial truth of the body and of the head, from 0 to 1.

    Returns
    -------
    View
        The scalings are powers: f(b) = b ** p and g(h) = h ** q.

    Raises
    ------
    InputError
        If a truth is outside 0 to 1, or the implicator is unknown.

    Examples
    --------
    >>> from receval import play
    >>> print(play.implication("goedel", b=0.7, h=0.4).says.value)
    goedel: I(0.70, 0.40) = <b>0.400</b>, from b = 0.70 and h = 0.40
    """
    check_choice(name, "name", IMPLICATORS)
    for value, argument in ((b, "b"), (h, "h")):
        check_number(value, argument, "a truth from 0 to 1", lambda truth: 0 <= truth <= 1)
    axis = np.linspace(0, 1, 201)

    def draw(left: Axes, right: Axes, name: str, b: float, h: float, p: float, q: float) -> Drawing:
        """Draw the surface and its cut at h; return the truth of the implication in words."""
        implicator = getattr(implicators, name)
        value = float(implicator(b**p, h**q))
        # Bodies in columns and heads in rows.
        surface = implicator(axis[np.newaxis, :] ** p, axis[:, np.newaxis] ** q)
        shades = left.pcolormesh(axis, axis, surface, cmap="cividis", vmin=0, vmax=1)
        left.figure.colorbar(shades, ax=left, label="truth of the implication")
        # Lines of equal truth, so that the surface can be read without its colours.
        if np.ptp(surface) > 0:
            lines = left.contour(axis, axis, surface, [0.25, 0.5, 0.75], colors="0.85")
            left.clabel(lines, fontsize=8)
        # Points on the edge of the map are drawn whole, and black edges set them off from yellow.
        left.plot(b, h, "o", color="white", mec="black", clip_on=False, zorder=3)
        is_scaled = p != 1 or q != 1
        title = f"I(b^{p:g}, h^{q:g})" if is_scaled else "I(b, h)"
        left.set(xlabel="body b", ylabel="head h", title=title, aspect="equal")
        cut = implicator(axis**p, np.full(len(axis), h) ** q)
        is_before_cliff = np.abs(np.diff(cut)) > 0.05
        cut[:-1][is_before_cliff] = np.nan  # shows a gap in place of a steep line
        right.plot(axis, cut, color=plots.axes.BLUE)
        right.plot(b, value, "o", color="black")
        right.set(xlabel="body b", ylim=(-0.05, 1.05), title=f"The cut at h = {h:g}")
        point = f"from b = {b:.2f} and h = {h:.2f}"
        sentence = f"{for_html(name)}: I({b**p:.2f}, {h**q:.2f}) = <b>{value:.3f}</b>, {point}"
        columns = ["b", "h", "b^p", "h^q", "truth"]
        return sentence, pd.DataFrame([[b, h, b**p, h**q, value]], ["at the point"], columns)

    controls = {
        "name": choice("implicator", name, IMPLICATORS),
        "b": slider("body b", float(b), 0.0, 1.0, 0.05),
        "h": slider("head h", float(h), 0.0, 1.0, 0.05),
        "p": slider("f: power p", 1.0, 0.25, 4.0, 0.25),
        "q": slider("g: power q", 1.0, 0.25, 4.0, 0.25),
    }
    return View(draw, (9.5, 3.4), controls)


def group(strategy: str = "average") -> View:
    """Show how the ratings that a member announces change the group's list and its satisfaction.

    Ann, Ben and Cem rate five films from 1 to 10. The group chooses by the ratings that the first
    member, Ann, announces. Her satisfaction depends on
    her true ratings, which are the first values of the sliders. So you can see whether a lie pays.

    Parameters
    ----------
    strategy : str, default "average"
        Initial strategy of the group, one of `receval.metrics.group.aggregate`.

    Returns
    -------
    View
        A slider for each rating of the first member.

    Raises
    ------
    InputError
        If the strategy is unknown.

    Examples
    --------
    >>> from receval import play
    >>> print(play.group(strategy="borda").says.value.split("<br>")[0])
    The group's list: <b>dumbo, casino, exodus, brazil, alien</b>
    """
    check_choice(strategy, "strategy", STRATEGIES)
    true_ratings = pd.DataFrame(
        [[10, 2, 7, 4, 3], [1, 5, 7, 8, 6], [2, 9, 5, 6, 7]],
        index=["Ann", "Ben", "Cem"],
        columns=["alien", "brazil", "casino", "dumbo", "exodus"],
        dtype=float,
    )
    least, most = 1, 10
    k = 3
    members, films = true_ratings.index, true_ratings.columns
    true_numbers = true_ratings.to_numpy()

    def draw(left: Axes, right: Axes, strategy: str, **announced_by_slider: float) -> Drawing:
        """Draw the announced ratings and the satisfaction of each member.

        Return HTML and a table with a row per member. The HTML has the group's list, the
        satisfaction of the first member, and that of the least satisfied one.
        """
        announced = np.vstack([list(announced_by_slider.values()), true_numbers[1:]])
        # The announced ratings decide the list, and the true ratings decide the satisfaction.
        order = rank_items(aggregate(announced, strategy=strategy))
        satisfaction_by_member = satisfaction(order, true_numbers, k=k)
        in_order = pd.DataFrame(announced, members, films).iloc[:, order]
        plots.heatmap(in_order, label="", fmt=".2g", ax=left, cbar=False, vmin=least, vmax=most)
        left.tick_params(axis="x", rotation=0)
        left.set_title("Announced, in the order of the group's list")
        bars = right.barh(in_order.index, satisfaction_by_member, color=plots.axes.BLUE)
        right.bar_label(bars, fmt="%.3f", padding=3, fontsize=8)
        right.invert_yaxis()
        right.set(xlim=(0, 1.12), title=f"Satisfaction by true ratings (nDCG@{k})")
        group_list = ", ".join(films[order])
        worst_place = int(np.nanargmin(satisfaction_by_member))
        worst = f"worst off: {members[worst_place]} with {satisfaction_by_member[worst_place]:.3f}"
        of_first = f"{members[0]}, by her true ratings: {satisfaction_by_member[0]:.3f}"
        table = in_order.assign(satisfaction=satisfaction_by_member)
        return f"The group's list: <b>{group_list}</b><br>{of_first}; {worst}", table

    sliders = item_sliders(true_ratings.iloc[0], least, most)
    return View(draw, (9.5, 2.8), {"strategy": choice("strategy", strategy, STRATEGIES)} | sliders)
