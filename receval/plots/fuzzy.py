"""Figures of the fuzzy framework: connectives, scalings, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from receval._checks import InputError, check_choice, shorten
from receval.fuzzy.challenge_response import Reduction
from receval.fuzzy.implicators.degrees import Connective, answer
from receval.fuzzy.scaling import StepScaling
from receval.plots.axes import BLUE, finished, heatmap, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["connective_map", "reduction_map", "scaling_steps"]

RESOLUTION = 97  # points per axis of a connective; the multiples of 1/96 meet halves and thirds
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
    axis = np.linspace(0, 1, RESOLUTION)
    b, x = np.meshgrid(axis, axis)
    truth = answer(function, b.ravel(), x.ravel(), "function").reshape(b.shape)
    ax = ax or new_axes((4, 3.4), "3d" if kind == "surface" else None)
    if kind == "map":
        filled = ax.contourf(b, x, truth, levels=LEVELS, cmap="cividis", vmin=0, vmax=1)
        lines = ax.contour(b, x, truth, levels=LEVELS[1:-1], colors="white", linewidths=0.5)
        ax.clabel(lines, fontsize=7, fmt="%.1f")
        ax.set_aspect("equal")
        ax.figure.colorbar(filled, ax=ax, ticks=[0, 0.5, 1], shrink=0.8)
    else:
        solid: Any = ax  # the three-dimensional kind has no type of its own here
        if not hasattr(solid, "plot_surface"):
            raise InputError("ax must have projection='3d' for a surface; got a flat one")
        solid.plot_surface(
            b, x, truth, cmap="cividis", vmin=0, vmax=1, rcount=49, ccount=49, antialiased=False
        )
        solid.set_zlim(0, 1)
        solid.view_init(elev=28, azim=-130)
    # I(0, 0) is 1 and C(0, 0) is 0: that tells which of the two it is.
    ax.set(xlabel="body b", ylabel="head h" if truth[0, 0] else "rule r", title=_name(function))
    return ax


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
    if not isinstance(scaling, StepScaling):
        raise InputError(f"scaling must be a StepScaling; got {shorten(scaling)}")
    ax = ax or new_axes((6, 3.2))
    ends = np.arange(scaling.k + 1) / scaling.k
    levels = scaling(ends)
    ax.hlines(levels[1:], ends[:-1], ends[1:], color=BLUE)
    ax.plot(ends[:-1], levels[1:], "o", color=BLUE, mfc="white", markersize=5)
    ax.plot(ends, levels, "o", color=BLUE, markersize=5)
    ax.set(title=f"k = {scaling.k}", ylim=(-0.05, 1.05))
    return finished(ax, xlabel="linear score s", ylabel="weight f(s)")


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
        Pairs of which a relation says nothing stay white.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation, goedel
    >>> same = Situation(["a", "b"], ["yes"], [[0.5], [1.0]])
    >>> reduction_map(Reduction(same, same), goedel).get_ylabel()
    'challenge'
    """
    truth = reduction.implications(implicator)
    ax = ax or new_axes((1.5 + 0.6 * truth.shape[1], 1.2 + 0.4 * truth.shape[0]))
    heatmap(ax, truth, vmin=0, vmax=1, fmt=".2f")
    ax.set(xlabel="response", ylabel="challenge", title=f"{_name(implicator)} implication")
    return ax


def _name(function: Any) -> str:
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
