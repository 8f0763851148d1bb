"""Figures of the fuzzy framework: connectives, scalings, reductions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from receval._checks import InputError, check_choice, check_that
from receval._escape import for_plot
from receval.fuzzy.challenge_response import Reduction
from receval.fuzzy.implicators.degrees import Connective, answer
from receval.fuzzy.scaling import StepScaling
from receval.plots.axes import BLUE, SMALL, WIDTH, Axes, finished, heatmap, new_axes, rows

__all__ = ["connective_map", "reduction_map", "scaling_steps"]

RESOLUTION = 97  # points per axis of a connective; the multiples of 1/96 meet halves and thirds
CELLS = 40  # per axis of a surface
ENDS = {"lim": (0, 1), "ticks": (0, 0.5, 1)}
LEVELS = np.linspace(0, 1, 11)


def connective_map(function: Connective, *, kind: str = "map", ax: Axes | None = None) -> Axes:
    """An implicator or a conjunctor over the unit square.

    Parameters
    ----------
    function : callable
        I(b, h) or C(b, r), of two arrays.
    kind : {"map", "surface"}, default "map"
        Contours at steps of 0.1 seen from above, or a surface in three dimensions.
    ax : Axes, optional
        Where to draw; for a surface an Axes with ``projection="3d"``. Default: a new figure.

    Returns
    -------
    Axes
        With b to the right.

    Raises
    ------
    InputError
        If ``kind`` is unknown, or the function does not answer values in [0, 1].

    Examples
    --------
    >>> from receval.fuzzy import goedel
    >>> connective_map(goedel).get_xlabel()
    'body b'
    """
    check_choice(kind, "kind", ("map", "surface"))
    solid: Any = ax or new_axes((4.4, 3.6), "3d" if kind == "surface" else None)
    if kind == "map":
        axis = np.linspace(0, 1, RESOLUTION)
        b, x = np.meshgrid(axis, axis)
        truth = answer(function, b.ravel(), x.ravel(), "function").reshape(b.shape)
        filled = solid.contourf(b, x, truth, levels=LEVELS, cmap="cividis", vmin=0, vmax=1)
        solid.contour(b, x, truth, levels=LEVELS[1:-1], colors="white", linewidths=0.5)
        solid.set(aspect="equal", xticks=ENDS["ticks"], yticks=ENDS["ticks"])
        solid.figure.colorbar(filled, ax=solid, shrink=0.8).ax.tick_params(labelsize=SMALL)
    elif not hasattr(solid, "plot_trisurf"):
        raise InputError("ax must have projection='3d' for a surface; got a flat one")
    else:
        _surface(solid, function)
    # I(0, 0) is 1 and C(0, 0) is 0: that tells which of the two it is.
    implies = answer(function, np.zeros(1), np.zeros(1), "function")[0] == 1
    solid.tick_params(labelsize=SMALL)
    solid.set(xlabel="body b", ylabel="head h" if implies else "rule r")
    solid.set_title(for_plot(_name(function)), fontsize=10)
    return cast("Axes", solid)


def _surface(solid: Any, function: Connective) -> None:
    """The surface in triangles that no cliff along a diagonal crosses: they stay apart there."""
    cells = np.indices((CELLS, CELLS)).reshape(2, -1).T[:, None, None]
    ring = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    sides = np.stack([ring[:4], ring[1:], np.full((4, 2), 0.5)], axis=1)
    corners = ((cells + sides) / CELLS).reshape(-1, 3, 2)
    inside = corners + 1e-6 * (corners.mean(axis=1, keepdims=True) - corners)
    b, x = inside.reshape(-1, 2).T
    truth = answer(function, b, x, "function")
    style: Any = {"cmap": "cividis", "vmin": 0, "vmax": 1, "antialiased": False}
    solid.plot_trisurf(b, x, truth, triangles=np.arange(b.size).reshape(-1, 3), **style)
    solid.set(**{f"{axis}{what}": at for axis in "xyz" for what, at in ENDS.items()})
    solid.zaxis.set_rotate_label(False)
    solid.set_zlabel("truth", rotation=90)
    solid.set_box_aspect((1, 1, 0.8), zoom=0.85)
    solid.view_init(elev=28, azim=-130)


def scaling_steps(scaling: StepScaling, *, ax: Axes | None = None) -> Axes:
    """A step scaling f over the linear score: a filled dot where a step includes its end.

    Parameters
    ----------
    scaling : StepScaling
        As `dcg_scaling` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        The score on the horizontal axis, the weight on the vertical one.

    Raises
    ------
    InputError
        If it is no step scaling.

    Examples
    --------
    >>> from receval.fuzzy import dcg_scaling
    >>> scaling_steps(dcg_scaling(6)).get_xlabel()
    'linear score s'
    """
    check_that(isinstance(scaling, StepScaling), "scaling", "be a StepScaling", scaling)
    ax = ax or new_axes((WIDTH, 3.2))
    ends = np.arange(scaling.k + 1) / scaling.k
    levels = scaling(ends)
    ax.hlines(levels[1:], ends[:-1], ends[1:], color=BLUE)
    ax.plot(ends[:-1], levels[1:], "o", color=BLUE, mfc="white", markersize=5)
    ax.plot(ends, levels, "o", color=BLUE, markersize=5)
    ax.set(xlabel="linear score s", ylabel="weight f(s)", ylim=(-0.05, 1.05))
    return finished(ax, title=f"Weight by place, k = {scaling.k}")


def reduction_map(reduction: Reduction, implicator: Connective, *, ax: Axes | None = None) -> Axes:
    """The implications of a reduction: real challenges in rows, model responses in columns.

    Parameters
    ----------
    reduction : Reduction
        What to draw.
    implicator : callable
        I(b, h).
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Pairs of which a relation says nothing have a dash. Where no challenge and no response is
        in more than one pair, bars in place of a matrix with a diagonal only.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation, goedel
    >>> same = Situation(["a", "b"], ["yes"], [[0.5], [1.0]])
    >>> reduction_map(Reduction(same, same), goedel).get_ylabel()
    'challenge'
    """
    truth = reduction.implications(implicator)
    title = f"{_name(implicator)} implications, {reduction.degree(implicator):.2f} in the mean"
    labels: dict[str, Any] = {"title": title, "xlabel": "response", "ylabel": "challenge"}
    alone = truth.stack().dropna()
    if len(truth) > 1 and all(alone.index.get_level_values(side).is_unique for side in (0, 1)):
        ax = ax or new_axes((WIDTH, 0.9 + 0.26 * len(alone)))
        bars = ax.barh(np.arange(len(alone)), alone, color=BLUE)
        ax.bar_label(bars, [f"{value:.2f}" for value in alone], padding=3, fontsize=SMALL)
        rows(ax, [a if a == b else f"{a}: {b}" for a, b in alone.index])
        return finished(ax, **labels | {"xlabel": "truth of the implication"}, xlim=(0, 1.1))
    ax = ax or new_axes((min(WIDTH, 1.5 + 0.6 * truth.shape[1]), 1 + 0.3 * truth.shape[0]))
    heatmap(ax, truth, vmin=0, vmax=1, fmt=".2f")
    return finished(ax, left=True, bottom=True, **labels)


def _name(function: Any) -> str:
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
