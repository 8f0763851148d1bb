"""Views of the methods of the documents: implicators, the size of a filter, a group's list."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._escape import for_html
from receval.metrics import connectives as implicators
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.metrics.retrieval import quality_mueller
from receval.play._view import View, choice, slider

__all__ = ["filter_size", "group", "implication"]

IMPLICATORS = ("lukasiewicz", "goedel", "product", "kleene_dienes", "reichenbach")
STRATEGIES = ("average", "borda", "least_misery", "most_pleasure", "multiplicative")


def implication(name: str = "goedel", *, b: float = 0.7, h: float = 0.4) -> View:
    """Show a point on the surface of an implicator, and powers that scale both of its sides.

    Parameters
    ----------
    name : str, default "goedel"
        The first implicator, of `receval.fuzzy`.
    b, h : float
        First truth of the body and of the head.

    Returns
    -------
    View
        The scalings are powers: f(b) = b ** p and g(h) = h ** q.

    Examples
    --------
    >>> from receval import play
    >>> print(play.implication("goedel", b=0.7, h=0.4).says.value)
    goedel: I(0.70, 0.40) = <b>0.400</b>, from b = 0.70 and h = 0.40
    """
    axis = np.linspace(0, 1, 201)

    def draw(left: Axes, right: Axes, name: str, b: float, h: float, p: float, q: float) -> str:
        """Draw the surface and its cut at h; return the truth of the implication in words."""
        implicator = getattr(implicators, name)
        value = float(implicator(b**p, h**q))
        # Bodies in columns and heads in rows.
        surface = implicator(axis[np.newaxis, :] ** p, axis[:, np.newaxis] ** q)
        shades = left.pcolormesh(axis, axis, surface, cmap="cividis", vmin=0, vmax=1)
        left.figure.colorbar(shades, ax=left, label="truth of the implication")
        left.plot(b, h, "o", color="white", markeredgecolor="black")
        left.set(xlabel="body b", ylabel="head h", title=f"I(b^{p:g}, h^{q:g})", aspect="equal")
        cut = implicator(axis**p, np.full(len(axis), h) ** q)
        is_before_cliff = np.abs(np.diff(cut)) > 0.05
        cut[:-1][is_before_cliff] = np.nan  # shows a gap in place of a steep line
        right.plot(axis, cut, color=plots.axes.BLUE)
        right.plot(b, value, "o", color="black")
        right.set(xlabel="body b", ylim=(-0.05, 1.05), title=f"The cut at h = {h:g}")
        point = f"from b = {b:.2f} and h = {h:.2f}"
        return f"{for_html(name)}: I({b**p:.2f}, {h**q:.2f}) = <b>{value:.3f}</b>, {point}"

    return View(
        draw,
        (9.5, 3.4),
        name=choice("implicator", name, IMPLICATORS),
        b=slider("body b", b, 0.0, 1.0, 0.05),
        h=slider("head h", h, 0.0, 1.0, 0.05),
        p=slider("f: power p", 1.0, 0.25, 4.0, 0.25),
        q=slider("g: power q", 1.0, 0.25, 4.0, 0.25),
    )


def filter_size(*, size: int = 10, k: int = 5, seed: int = 0) -> View:
    """Show how the size of the cheap filter of MAC/FAC changes cost and quality.

    Parameters
    ----------
    size, k : int
        First number of cases that the filter lets through, and of cases that are wanted.
    seed : int, default 0
        Seed of 100 cases and 20 queries with two features; the filter sees only the first feature.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.filter_size(size=100).says.value)
    100 of 100 cases compared exactly: quality <b>1.000</b>
    """
    rng = np.random.default_rng(seed)
    cases, queries = rng.random((100, 2)), rng.random((20, 2))
    # Similarities, queries in rows and cases in columns: by both features, and by the first one.
    exact = 1 - np.abs(queries[:, np.newaxis] - cases).mean(axis=-1)
    cheap = 1 - np.abs(queries[:, np.newaxis, 0] - cases[:, 0])
    truths = [dict(enumerate(similarities)) for similarities in exact]

    def mean_quality(size: int, k: int) -> float:
        """Return the mean over queries of Mueller's quality after a filter of this size."""
        passed_cases = np.argsort(-cheap, axis=1, kind="stable")[:, :size].tolist()
        qualities = []
        for truth, cases_of_query in zip(truths, passed_cases, strict=True):
            retrieved = {case: truth[case] for case in cases_of_query}
            qualities.append(quality_mueller(truth, retrieved, k=k))
        return float(np.mean(qualities))

    def draw(axes: Axes, size: int, k: int) -> str:
        """Draw the quality by size of the filter; return the quality at the chosen size."""
        sizes = sorted({*range(k, 101, 5), size, 100})
        # A filter of fewer than k cases cannot let k of them through.
        values = pd.Series([mean_quality(n, min(k, n)) for n in sizes], sizes)
        axes.plot(values.index, values, color=plots.axes.BLUE)
        axes.plot(size, values[size], "o", color="black")
        axes.set(xlabel="cases let through, of 100: the cost", ylabel=f"Mueller's quality@{k}")
        axes.set_title("A larger filter costs more and loses less")
        return f"{size} of 100 cases compared exactly: quality <b>{values[size]:.3f}</b>"

    return View(draw, (7.5, 2.6), size=slider("filter", size, 1, 100), k=slider("k", k, 1, 20))


def group(strategy: str = "average") -> View:
    """Show how the ratings that a member announces change the group's list and its satisfaction.

    The group chooses by the ratings that Ann announces. Her satisfaction depends on her true
    ratings, 10, 2, 7, 4 and 3, where the sliders start. So you can see whether a lie pays.

    Parameters
    ----------
    strategy : str, default "average"
        First strategy of the group, of `receval.metrics.group.aggregate`.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.group("borda").says.value.split("<br>")[0])
    The group's list: <b>dumbo, casino, exodus, brazil, alien</b>
    """
    true_rating_by_film = {"alien": 10, "brazil": 2, "casino": 7, "dumbo": 4, "exodus": 3}
    others = np.array([[1, 5, 7, 8, 6], [2, 9, 5, 6, 7]])  # what Ben and Cem rate these films
    true_ratings = np.vstack([list(true_rating_by_film.values()), others])

    def draw(left: Axes, right: Axes, strategy: str, **announced_by_ann: int) -> str:
        """Draw the announced ratings and the satisfaction of each member.

        Return the group's list, Ann's satisfaction and the least satisfied member, as HTML.
        """
        announced = np.vstack([list(announced_by_ann.values()), others])
        # The announced ratings decide the list, and the true ratings decide the satisfaction.
        order = rank_items(aggregate(announced, strategy=strategy))
        satisfaction_by_member = satisfaction(order, true_ratings, k=3)
        table = pd.DataFrame(announced, ["Ann", "Ben", "Cem"], [*true_rating_by_film])
        table = table.iloc[:, order]
        plots.axes.draw_heatmap(left, table, cbar=False, vmin=1, vmax=10)
        left.set_title("Announced, in the order of the group's list")
        right.barh(table.index, satisfaction_by_member, color=plots.axes.BLUE)
        right.invert_yaxis()
        right.set(xlim=(0, 1), title="Satisfaction by true ratings (nDCG@3)")
        least_satisfied = table.index[int(satisfaction_by_member.argmin())]
        worst = f"worst off: {least_satisfied} with {satisfaction_by_member.min():.3f}"
        of_ann = f"Ann, by her true ratings: {satisfaction_by_member[0]:.3f}"
        return f"The group's list: <b>{', '.join(table.columns)}</b><br>{of_ann}; {worst}"

    sliders = {film: slider(film, rating, 1, 10) for film, rating in true_rating_by_film.items()}
    return View(draw, (9.5, 2.8), strategy=choice("strategy", strategy, STRATEGIES), **sliders)
