"""Views of the documents' methods: implications bent, a filter's size, a group's list."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._escape import for_html
from receval.fuzzy import implicators
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.metrics.retrieval import quality_mueller
from receval.play._view import View, choice, slider

__all__ = ["filter_size", "group", "implication"]

IMPLICATORS = ("lukasiewicz", "goedel", "product", "kleene_dienes", "reichenbach")
STRATEGIES = ("average", "borda", "least_misery", "most_pleasure", "multiplicative")


def implication(name: str = "goedel", *, b: float = 0.7, h: float = 0.4) -> View:
    """A point on the surface of an implicator, with the scalings of both sides bent.

    Parameters
    ----------
    name : str, default "goedel"
        The implicator at first, of `receval.fuzzy`.
    b, h : float
        Truth of the body and of the head at first.

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
        function = getattr(implicators, name)
        surface = function(axis[None, :] ** p, axis[:, None] ** q)
        shades = left.pcolormesh(axis, axis, surface, cmap="cividis", vmin=0, vmax=1)
        left.figure.colorbar(shades, ax=left, label="truth of the implication")
        left.plot(b, h, "o", color="white", markeredgecolor="black")
        left.set(xlabel="body b", ylabel="head h", title=f"I(b^{p:g}, h^{q:g})", aspect="equal")
        cut = function(axis**p, np.full(201, h) ** q)
        cut[:-1][np.abs(np.diff(cut)) > 0.05] = np.nan  # a cliff is a gap, not a steep line
        right.plot(axis, cut, color=plots.axes.BLUE)
        right.plot(b, function(b**p, h**q), "o", color="black")
        right.set(xlabel="body b", ylim=(-0.05, 1.05), title=f"The cut at h = {h:g}")
        value = float(function(b**p, h**q))
        at = f"from b = {b:.2f} and h = {h:.2f}"
        return f"{for_html(name)}: I({b**p:.2f}, {h**q:.2f}) = <b>{value:.3f}</b>, {at}"

    given = {"b": ("body b", b), "h": ("head h", h)}
    sliders = {key: slider(*one, 0.0, 1.0, 0.05) for key, one in given.items()}
    powers = {"p": "f: power p", "q": "g: power q"}
    sliders |= {key: slider(says, 1.0, 0.25, 4.0, 0.25) for key, says in powers.items()}
    return View(draw, (9.5, 3.4), name=choice("implicator", name, IMPLICATORS), **sliders)


def filter_size(*, size: int = 10, k: int = 5, seed: int = 0) -> View:
    """MAC/FAC: how large the cheap filter must be, against what the exact measure then costs.

    Parameters
    ----------
    size, k : int
        How many cases the filter lets through, and how many are wanted, at first.
    seed : int, default 0
        Of 100 cases and 20 queries with two features; the filter sees only the first.

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
    exact = 1 - np.abs(queries[:, None] - cases).mean(axis=-1)
    cheap = 1 - np.abs(queries[:, None, 0] - cases[:, 0])
    truth = [dict(enumerate(one)) for one in exact]

    def quality(size: int, k: int) -> float:
        passed = np.argsort(-cheap, axis=1, kind="stable")[:, :size].tolist()
        found = [{i: truth[q][i] for i in row} for q, row in enumerate(passed)]
        return float(np.mean([quality_mueller(truth[q], one, k=k) for q, one in enumerate(found)]))

    def draw(axes: Axes, size: int, k: int) -> str:
        sizes = sorted({*range(k, 101, 5), size, 100})
        values = pd.Series([quality(one, min(k, one)) for one in sizes], sizes)
        axes.plot(values.index, values, color=plots.axes.BLUE)
        axes.plot(size, values[size], "o", color="black")
        axes.set(xlabel="cases let through, of 100: the cost", ylabel=f"Mueller's quality@{k}")
        axes.set_title("A larger filter costs more and loses less")
        return f"{size} of 100 cases compared exactly: quality <b>{values[size]:.3f}</b>"

    return View(draw, (7.5, 2.6), size=slider("filter", size, 1, 100), k=slider("k", k, 1, 20))


def group(strategy: str = "average") -> View:
    """The ratings that one member announces: the group's list, and what each member has of it.

    The group chooses by the ratings that Ann announces, and Ann is satisfied by her true ones: 10,
    2, 7, 4 and 3, where the sliders start. So you can see whether a lie pays.

    Parameters
    ----------
    strategy : str, default "average"
        How the group chooses at first, of `receval.metrics.group.aggregate`.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.group("borda").says.value.split("<br>")[0])
    The group's list: <b>dumbo, casino, exodus, brazil, alien</b>
    """
    films = {"alien": 10, "brazil": 2, "casino": 7, "dumbo": 4, "exodus": 3}
    others = np.array([[1, 5, 7, 8, 6], [2, 9, 5, 6, 7]])
    true_ratings = np.vstack([list(films.values()), others])

    def draw(left: Axes, right: Axes, strategy: str, **ann: int) -> str:
        announced = np.vstack([list(ann.values()), others])
        order = rank_items(aggregate(announced, strategy=strategy))
        # What Ann announces decides the list; what she truly thinks decides her satisfaction.
        happy = satisfaction(order, true_ratings, k=3)
        table = pd.DataFrame(announced, ["Ann", "Ben", "Cem"], [*films]).iloc[:, order]
        plots.axes.heatmap(left, table, cbar=False, vmin=1, vmax=10)
        left.set_title("Announced, in the order of the group's list")
        right.barh(table.index, happy, color=plots.axes.BLUE)
        right.invert_yaxis()
        right.set(xlim=(0, 1), title="Satisfaction by true ratings (nDCG@3)")
        worst = f"worst off: {table.index[int(happy.argmin())]} with {happy.min():.3f}"
        hers = f"Ann, by her true ratings: {happy[0]:.3f}"
        return f"The group's list: <b>{', '.join(table.columns)}</b><br>{hers}; {worst}"

    ann = {film: slider(film, rating, 1, 10) for film, rating in films.items()}
    return View(draw, (9.5, 2.8), strategy=choice("strategy", strategy, STRATEGIES), **ann)
