"""Figures of the fuzzy framework: connectives, scalings, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from receval._checks import InputError, check_choice, check_that
from receval._escape import for_plot
from receval._types import Options
from receval.metrics.connectives.degrees import Connective, answer
from receval.metrics.connectives.scaling import StepScaling
from receval.plots.axes import (
    BLUE,
    SMALL,
    WIDTH,
    draw_heatmap,
    finish_axes,
    label_rows,
    new_axes,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["connective_map", "reduction_map", "scaling_steps"]

N_POINTS = 97  # points per axis of a map; multiples of 1/96 include halves and thirds
N_CELLS = 40  # cells per axis of a surface
TICKS = (0, 0.5, 1)
LEVELS = np.linspace(0, 1, 11)  # degrees of truth with a contour
COLOURS: Options = {"cmap": "cividis", "vmin": 0, "vmax": 1}


class HasImplications(Protocol):
    """A reduction between two situations, such as `receval.fuzzy.Reduction`."""

    def implications(self, implicator: Connective) -> pd.DataFrame:
        """Return the truth of each implication, challenges in rows, responses in columns."""
        ...

    def degree(self, implicator: Connective) -> float:
        """Return the degree to which the reduction holds, the mean of the implications."""
        ...


def connective_map(function: Connective, *, kind: str = "map", ax: Axes | None = None) -> Axes:
    """Draw an implicator or a conjunctor over the unit square.

    Parameters
    ----------
    function : callable
        I(b, h) or C(b, r), of two arrays.
    kind : {"map", "surface"}, default "map"
        Contours at steps of 0.1, or a surface in three dimensions.
    ax : Axes, optional
        Where to draw; a surface needs an Axes with ``projection="3d"``. Default: a new figure.

    Returns
    -------
    Axes
        b is on the horizontal axis.

    Raises
    ------
    InputError
        If ``kind`` is unknown, or the function does not return values in [0, 1].

    Examples
    --------
    >>> from receval.fuzzy import goedel
    >>> connective_map(goedel).get_xlabel()
    'body b'
    """
    check_choice(kind, "kind", ("map", "surface"))
    if ax is None:
        projection = {"map": None, "surface": "3d"}[kind]
        ax = new_axes((4.4, 3.6), projection)
    if kind == "map":
        _draw_contours(ax, function)
    elif hasattr(ax, "plot_trisurf"):
        _draw_surface(ax, function)
    else:
        raise InputError("ax must have projection='3d' for a surface; got a flat one")
    # I(0, 0) is 1 for every implicator, and C(0, 0) is 0 for every conjunctor.
    is_implicator = answer(function, np.zeros(1), np.zeros(1), "function")[0] == 1
    ax.tick_params(labelsize=SMALL)
    ax.set(xlabel="body b", ylabel="head h" if is_implicator else "rule r")
    ax.set_title(for_plot(_display_name(function)), fontsize=10)
    return ax


def _draw_contours(ax: Axes, function: Connective) -> None:
    """Draw a connective as filled contours, with white lines at steps of 0.1."""
    axis = np.linspace(0, 1, N_POINTS)
    b, x = np.meshgrid(axis, axis)
    # `answer` calls the connective with arrays of one axis, which every connective accepts.
    truth = answer(function, b.ravel(), x.ravel(), "function").reshape(b.shape)
    filled = ax.contourf(b, x, truth, levels=LEVELS, **COLOURS)
    ax.contour(b, x, truth, levels=LEVELS[1:-1], colors="white", linewidths=0.5)
    ax.set(aspect="equal", xticks=TICKS, yticks=TICKS)
    colour_bar = ax.figure.colorbar(filled, ax=ax, shrink=0.8)
    colour_bar.ax.tick_params(labelsize=SMALL)


def surface_corners(function: Connective) -> npt.NDArray[np.float64]:
    """Return the corners of separate triangles that make the surface of a connective.

    Many connectives jump along a diagonal. No triangle crosses the diagonal of a cell, and
    triangles do not share corners, so a jump remains a gap.

    Returns
    -------
    ndarray, shape (corners, 3)
        Both arguments and the degree of truth at each corner; three corners in a row make a
        triangle, and four triangles a cell of the grid.
    """
    # The four triangles of the unit square, each with one side of the square and its middle:
    # shape (4 triangles, 3 corners, 2 coordinates).
    ring = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    middle = np.full((4, 2), 0.5)
    triangles = np.stack([ring[:4], ring[1:], middle], axis=1)
    # Move them to every cell. The integer coordinates of a cell are those of its lower left corner.
    cells = np.indices((N_CELLS, N_CELLS)).reshape(2, -1).T
    triangles_of_cells = cells[:, np.newaxis, np.newaxis] + triangles
    corners = (triangles_of_cells / N_CELLS).reshape(-1, 3, 2)  # all triangles, in [0, 1]
    # Shrink the triangles a little: a corner on the diagonal has the value of its own side.
    inner_corners = corners + 1e-6 * (corners.mean(axis=1, keepdims=True) - corners)
    b, x = inner_corners.reshape(-1, 2).T
    return np.column_stack([b, x, answer(function, b, x, "function")])


def _draw_surface(ax: Any, function: Connective) -> None:
    """Draw a connective as a surface; ``ax`` is an ``Axes3D``, a class without type hints."""
    b, x, truth = surface_corners(function).T
    # Three corners in a row make a triangle.
    corner_index = np.arange(b.size).reshape(-1, 3)
    ax.plot_trisurf(b, x, truth, triangles=corner_index, antialiased=False, **COLOURS)
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    ax.set(xticks=TICKS, yticks=TICKS, zticks=TICKS)
    ax.zaxis.set_rotate_label(False)
    ax.set_zlabel("truth", rotation=90)
    ax.set_box_aspect((1, 1, 0.8), zoom=0.85)
    ax.view_init(elev=28, azim=-130)


def scaling_steps(scaling: StepScaling, *, ax: Axes | None = None) -> Axes:
    """Draw a step scaling f over the linear score.

    A filled dot means that the step includes this end, an empty one that it does not.

    Parameters
    ----------
    scaling : StepScaling
        Result of `dcg_scaling`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        The score is on the horizontal axis, the weight on the vertical one.

    Raises
    ------
    InputError
        If ``scaling`` is not a step scaling.

    Examples
    --------
    >>> from receval.fuzzy import dcg_scaling
    >>> scaling_steps(dcg_scaling(6)).get_xlabel()
    'linear score s'
    """
    check_that(isinstance(scaling, StepScaling), "scaling", "be a StepScaling", scaling)
    if ax is None:
        ax = new_axes((WIDTH, 3.2))
    step_ends = np.arange(scaling.k + 1) / scaling.k
    weights = scaling(step_ends)
    ax.hlines(weights[1:], step_ends[:-1], step_ends[1:], color=BLUE)
    ax.plot(step_ends[:-1], weights[1:], "o", color=BLUE, mfc="white", markersize=5)
    ax.plot(step_ends, weights, "o", color=BLUE, markersize=5)
    ax.set(xlabel="linear score s", ylabel="weight f(s)", ylim=(-0.05, 1.05))
    return finish_axes(ax, title=f"Weight by place, k = {scaling.k}")


def reduction_map(
    reduction: HasImplications, implicator: Connective, *, ax: Axes | None = None
) -> Axes:
    """Draw the implications of a reduction: real challenges in rows, model responses in columns.

    Parameters
    ----------
    reduction : Reduction
        The reduction to draw.
    implicator : callable
        I(b, h).
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        A heatmap with a dash for the pairs that no relation contains. If each challenge and each
        response is in one pair only, the matrix would be a diagonal, so there are bars instead.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation, goedel
    >>> same = Situation(["a", "b"], ["yes"], [[0.5], [1.0]])
    >>> reduction_map(Reduction(same, same), goedel).get_ylabel()
    'challenge'
    """
    implications = reduction.implications(implicator)
    mean = reduction.degree(implicator)
    title = f"{_display_name(implicator)} implications, {mean:.2f} in the mean"
    # One row per pair of challenge and response that a relation contains.
    pairs = implications.stack().dropna()  # noqa: PD013 -- the labels become the index
    is_one_to_one = (
        pairs.index.get_level_values(0).is_unique and pairs.index.get_level_values(1).is_unique
    )
    if is_one_to_one and len(implications) > 1:
        if ax is None:
            ax = new_axes((WIDTH, 0.9 + 0.26 * len(pairs)))
        bars = ax.barh(np.arange(len(pairs)), pairs, color=BLUE)
        texts = [f"{truth:.2f}" for truth in pairs]
        ax.bar_label(bars, texts, padding=3, fontsize=SMALL)
        label_rows(ax, [_pair_name(challenge, response) for challenge, response in pairs.index])
        xlabel = "truth of the implication"
        return finish_axes(ax, title=title, xlabel=xlabel, ylabel="challenge", xlim=(0, 1.1))
    if ax is None:
        n_challenges, n_responses = implications.shape
        ax = new_axes((min(WIDTH, 1.5 + 0.6 * n_responses), 1 + 0.3 * n_challenges))
    draw_heatmap(ax, implications, vmin=0, vmax=1, fmt=".2f")
    return finish_axes(
        ax, hide_left=True, hide_bottom=True, title=title, xlabel="response", ylabel="challenge"
    )


def _pair_name(challenge: object, response: object) -> str:
    """Return the name of a challenge and its response; one name if both are the same."""
    if challenge == response:
        return str(challenge)
    return f"{challenge}: {response}"


def _display_name(function: Connective) -> str:
    """Return a connective's name as it is written in the literature."""
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
