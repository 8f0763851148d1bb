"""Figures of the fuzzy framework: connectives and reductions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import FloatArray, Options, check_not_empty
from receval._escape import for_plot
from receval.metrics.connectives.formulas import Connective, apply_connective, as_truth
from receval.plots.axes import (
    BLUE,
    ORANGE,
    SMALL,
    WIDTH,
    check_labels,
    label_points,
    new_axes,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import QuadContourSet

TICKS = (0, 0.5, 1)
N_SQUARES = 400  # coloured squares per axis of a map
ISOLINES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # degrees of truth with a line on a map
SCALE: Options = {"cmap": "cividis", "vmin": 0, "vmax": 1}


def connective_maps(
    functions: Iterable[Connective],
    *,
    points: Iterable[tuple[float, float]] = (),
    operands: tuple[str, str] = ("body b", "head h"),
) -> list[Axes]:
    """Draw implicators or conjunctors over the unit square, as maps with the same colours.

    Yellow is 1, and dark blue is 0. White lines connect points with the same truth. No line crosses
    the diagonal, so a connective that jumps there, such as Gödel's implicator, keeps its cliff.

    Parameters
    ----------
    functions : iterable of callable
        I(b, h) or C(b, r), of two arrays: a map for each.
    points : iterable of pairs, optional
        Points in the unit square. Each map marks them and shows their truth.
    operands : (str, str), default ("body b", "head h")
        Names of the horizontal and of the vertical axis.

    Returns
    -------
    list of matplotlib.axes.Axes
        The Axes of each map.

    Raises
    ------
    InputError
        If there is no function, a point is outside [0, 1], or a function does not return values in
        [0, 1].

    Examples
    --------
    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> maps = connective_maps([lukasiewicz, goedel], points=[(0.9, 0.5)])
    >>> [ax.texts[0].get_text() for ax in maps]
    ['0.600', '0.500']
    """
    functions = list(functions)
    check_not_empty(functions, "functions", "have at least one function")
    marks = as_truth(np.reshape([*points], (-1, 2)), "points")
    figure = new_figure((2.3 * (len(functions) + 1), 3.2))
    axes = figure.subplots(1, len(functions), squeeze=False, sharey=True)
    maps: list[Axes] = list(axes.flat)
    for ax, function in zip(maps, functions, strict=True):
        isolines = _draw_map(ax, function)
        ax.set_xlabel(for_plot(operands[0]))
    maps[0].set_ylabel(for_plot(operands[1]))
    label = "degree of truth\n(yellow = 1)"
    bar = figure.colorbar(maps[0].images[0], ax=maps, ticks=[0, *ISOLINES, 1], label=label)
    bar.add_lines(isolines)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    for ax, function in zip(maps, functions, strict=True):
        _mark_points(ax, function, marks)  # the layout is known only with the colour bar
    return maps


def _draw_map(ax: Axes, function: Connective) -> QuadContourSet:
    """Draw the truth of a connective in colours, and return its isolines."""
    edges = np.linspace(0, 1, N_SQUARES + 1)
    squares = np.meshgrid((edges[1:] + edges[:-1]) / 2, (edges[1:] + edges[:-1]) / 2)
    look: Options = {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "nearest"}
    ax.imshow(_truth(function, *squares), **look, **SCALE)
    truth = _truth(function, *np.meshgrid(edges, edges))
    np.fill_diagonal(truth, np.nan)
    # Move the lines a little, because a line through points of the grid would have gaps.
    levels = ISOLINES - 1e-9
    isolines = ax.contour(edges, edges, truth, levels=levels, colors="white", linewidths=0.7)
    ax.set(aspect="equal", xticks=TICKS, yticks=TICKS)
    ax.set_title(for_plot(display_name(function)), fontsize=10, fontweight="normal")
    ax.spines[:].set_visible(False)
    return isolines


def _mark_points(ax: Axes, function: Connective, marks: FloatArray) -> None:
    """Draw dots at points of a map, with their truth."""
    for mark in marks:
        ax.plot(*mark, "o", color=ORANGE, mec="black", markersize=9, clip_on=False, zorder=4)
    values = apply_connective(function, marks[:, 0], marks[:, 1], "function")
    named_marks = pd.DataFrame(marks, [f"{value:.3f}" for value in values])
    label_points(ax, named_marks, first_place=(0, -13))


def _truth(function: Connective, b: FloatArray, other: FloatArray) -> FloatArray:
    """Return the truth at each point; connectives need accept arrays of one axis only."""
    return apply_connective(function, b.ravel(), other.ravel(), "function").reshape(b.shape)


def reduction_diagram(
    real: pd.DataFrame,
    model: pd.DataFrame,
    challenge_map: Mapping[Hashable, Hashable],
    response_map: Mapping[Hashable, Hashable],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the two situations of a reduction and the maps between them: Figure 1 of document 002.

    The real situation is above, the model below. In each, challenges are on the left, responses on
    the right, and a line joins a challenge with a response that is acceptable: the more acceptable,
    the darker. Arrows show the maps: a real challenge leads down to the model, and a response of
    the model leads up to a real one.

    Parameters
    ----------
    real, model : DataFrame
        The acceptability in both situations: challenges in rows, responses in columns. Up to about
        eight challenges and responses remain readable.
    challenge_map, response_map : mapping
        The challenge of the model for each real one, and the real response for each of the model,
        as from `receval.fuzzy.Reduction.maps`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    References
    ----------
    Document 002, Figure 1 (right) and eq. 1.

    Examples
    --------
    >>> model = pd.DataFrame({"shown": [1.0, 0.63]}, index=["o1", "o2"])
    >>> real = pd.DataFrame({"shown": [0, 1]}, index=["o1", "o2"])
    >>> ax = reduction_diagram(real, model, {"o1": "o1", "o2": "o2"}, {"shown": "shown"})
    >>> ax.get_title()
    'Real situation above, model below'
    """
    check_labels(challenge_map, real.index, "challenge_map")
    check_labels(challenge_map.values(), model.index, "values of challenge_map")
    check_labels(response_map, model.columns, "response_map")
    check_labels(response_map.values(), real.columns, "values of response_map")
    ax = ax or new_axes((WIDTH, 4.2))
    heights = _draw_situation(ax, "real", real, 1.0)
    heights |= _draw_situation(ax, "model", model, 0.0)
    bent: Options = {"arrowstyle": "->", "linestyle": "--", "connectionstyle": "arc3,rad=0.25"}
    for challenge, model_challenge in challenge_map.items():
        start, end = heights["real", 0, challenge], heights["model", 0, model_challenge]
        ax.annotate("", (-0.07, end), (-0.07, start), arrowprops={"color": BLUE, **bent})
    for response, real_response in response_map.items():
        start, end = heights["model", 1, response], heights["real", 1, real_response]
        ax.annotate("", (1.07, end), (1.07, start), arrowprops={"color": ORANGE, **bent})
    ax.text(-0.4, 0.5, "$f^-$", color=BLUE, ha="center", va="center")
    ax.text(1.4, 0.5, "$f^+$", color=ORANGE, ha="center", va="center")
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.35, 1.35))
    ax.axis("off")
    ax.set_title("Real situation above, model below", fontsize=10)
    return ax


def _draw_situation(
    ax: Axes, situation: str, table: pd.DataFrame, middle: float
) -> dict[tuple[str, int, Hashable], float]:
    """Draw a situation around the height ``middle``, and return the heights of its labels.

    The challenges are at the left (side 0), the responses at the right (side 1). The darker the
    line between them, the more acceptable is the response. The keys of the result are the
    situation, the side and the label.
    """
    heights = {}
    for side, labels in enumerate((table.index, table.columns)):
        places = middle + np.linspace(0.35, -0.35, len(labels) + 2)[1:-1]
        for label, y in zip(labels, places, strict=True):
            heights[situation, side, label] = y
            ax.text(side, y, for_plot(label), ha="center", va="center", fontsize=9)
    for challenge, degrees in table.iterrows():
        for response, degree in degrees[degrees > 0].items():  # NaN: the relation lacks it
            # Leave room for the labels at both ends.
            ends = [heights[situation, 0, challenge], heights[situation, 1, response]]
            ax.plot([0.1, 0.9], ends, color="black", alpha=degree, linewidth=1.5)
    text = f"acceptability in the {situation} situation"
    ax.text(0.5, middle + 0.3, text, ha="center", fontsize=8)
    return heights


def display_name(function: Connective) -> str:
    """Return a connective's name as it is written in the literature."""
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
