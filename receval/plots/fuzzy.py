"""Figures of the fuzzy framework: connectives, scalings, reductions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from receval._arrays import as_finite
from receval._checks import (
    FloatArray,
    Options,
    check_choice,
    check_none,
    check_not_empty,
    check_number,
    check_shape,
    check_that,
)
from receval._escape import for_legend, for_plot
from receval.metrics.connectives.degrees import Connective, answer
from receval.metrics.connectives.scaling import StepScaling
from receval.plots.axes import (
    BLUE,
    COLOURS,
    ORANGE,
    SMALL,
    WIDTH,
    finish_axes,
    label_points,
    label_rows,
    new_axes,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "connective_map",
    "connective_maps",
    "implicator_maps",
    "reduction_diagram",
    "reduction_map",
    "scaling_steps",
]

TICKS = (0, 0.5, 1)
N_SQUARES = 400  # coloured squares per axis of a map
ISOLINES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # degrees of truth with a line on a map
LARGEST_STEP = 0.05  # a larger step between neighbouring points of a cut is a jump
SCALE: Options = {"cmap": "cividis", "vmin": 0, "vmax": 1}
TRUTH = "degree of truth\n(yellow = 1)"


class HasTable(Protocol):
    """A situation, such as `receval.fuzzy.Situation`."""

    @property
    def table(self) -> pd.DataFrame:
        """Return the acceptability, challenges in rows, responses in columns."""


class DrawnReduction(Protocol):
    """A reduction between two situations, such as `receval.fuzzy.Reduction`."""

    @property
    def real(self) -> HasTable:
        """Return the real situation."""

    @property
    def model(self) -> HasTable:
        """Return the model's situation."""

    def maps(self) -> tuple[dict[Hashable, Hashable], dict[Hashable, Hashable]]:
        """Return the maps of real challenges to the model, and of model responses to reality."""

    def implications(self, implicator: Connective) -> pd.DataFrame:
        """Return the truth of each implication, challenges in rows, responses in columns."""

    def degree(self, implicator: Connective) -> float:
        """Return the degree to which the reduction holds, the mean of the implications."""


def connective_map(function: Connective, *, kind: str = "map", ax: Axes | None = None) -> Axes:
    """Draw an implicator or a conjunctor over the unit square.

    Parameters
    ----------
    function : callable
        I(b, h) or C(b, r), of two arrays.
    kind : {"map", "surface"}, default "map"
        Colours with lines of equal truth, or a surface in three dimensions.
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
    if kind == "map":
        ax = ax or new_axes((4.4, 3.6))
        _draw_maps([ax], [function], _operands(function), TRUTH)
    else:
        ax = ax or new_axes((4.4, 3.6), "3d")
        _draw_surface(ax, function)
    return ax


def connective_maps(
    functions: Sequence[Connective], *, b: float = 0.7, other: float = 0.4
) -> list[Axes]:
    """Draw several implicators or conjunctors in a row, and a cut through all of them.

    The maps share one colour bar. A dashed line marks the height of the cut, and a dot the point
    (b, other). To the right of the maps, the cut shows the values of all connectives along the
    line.

    Parameters
    ----------
    functions : sequence of callable
        I(b, h) or C(b, r), of two arrays; all of one kind.
    b, other : float, default 0.7 and 0.4
        The point, in [0, 1]; ``other`` is the head h of an implicator, or the rule r of a
        conjunctor.

    Returns
    -------
    list of Axes
        The Axes of each map, then the Axes of the cut.

    Raises
    ------
    InputError
        If there is no function, a coordinate is outside [0, 1], or a function does not return
        values in [0, 1].

    Examples
    --------
    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> [ax.get_title() for ax in connective_maps([goedel, lukasiewicz])]
    ['Gödel', 'Łukasiewicz', 'the cut at h = 0.4']
    """
    check_that(len(functions) > 0, "functions", "hold at least one connective", functions)
    x = check_number(b, "b", "in [0, 1]", lambda value: 0 <= value <= 1)
    y = check_number(other, "other", "in [0, 1]", lambda value: 0 <= value <= 1)
    n_maps = len(functions)
    figure = new_figure((2.3 * (n_maps + 1), 3.2))
    *maps, cut_ax = axes = list(figure.subplots(1, n_maps + 1))
    operands = _operands(functions[0])
    _draw_maps(maps, functions, operands, TRUTH)
    body = np.linspace(0, 1, N_SQUARES + 1)
    dot: Options = {"marker": "o", "markeredgecolor": "white", "markersize": 8}
    for function, ax, colour in zip(functions, maps, cycle(COLOURS)):
        ax.axhline(y, color=colour, linestyle="--")
        ax.plot(x, y, color=colour, **dot)
        values = answer(function, body, np.full(len(body), y), "function")
        [value] = answer(function, np.array([x]), np.array([y]), "function")
        # A gap in place of a steep line shows a jump of the connective.
        values[:-1][np.abs(np.diff(values)) > LARGEST_STEP] = np.nan
        label = f"{for_legend(display_name(function))}: {value:.2f}"
        cut_ax.plot(body, values, color=colour, label=label)
        cut_ax.plot(x, value, color=colour, **dot)
    cut_ax.set(xticks=TICKS, yticks=TICKS, aspect="equal")
    finish_axes(
        cut_ax,
        title=f"the cut at {operands[1][-1]} = {y:g}",
        xlabel=operands[0],
        legend={"title": f"at b = {x:g}", "loc": "upper center", "bbox_to_anchor": (0.5, -0.3)},
    )
    return axes


def _operands(function: Connective) -> tuple[str, str]:
    """Return the names of the operands: the second is the head of an implicator, or the rule."""
    # I(0, 0) is 1 for every implicator, and C(0, 0) is 0 for every conjunctor.
    is_implicator = answer(function, np.zeros(1), np.zeros(1), "function")[0] == 1
    return ("body b", "head h" if is_implicator else "rule r")


def _truth(function: Connective, b: FloatArray, other: FloatArray) -> FloatArray:
    """Return the truth at each point; connectives need accept arrays of one axis only."""
    return answer(function, b.ravel(), other.ravel(), "function").reshape(b.shape)


def _draw_maps(
    axes: Sequence[Axes],
    functions: Sequence[Connective],
    operands: tuple[str, str],
    label: str,
) -> None:
    """Draw the truth of connectives in colours, with lines of equal truth and one colour bar.

    No line crosses the diagonal, so a connective that jumps there keeps its cliff. ``operands``
    are the names of the axes, and ``label`` is that of the colour bar.
    """
    edges = np.linspace(0, 1, N_SQUARES + 1)
    squares = np.meshgrid((edges[1:] + edges[:-1]) / 2, (edges[1:] + edges[:-1]) / 2)
    look: Options = {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "nearest"}
    for ax, function in zip(axes, functions, strict=True):
        image = ax.imshow(_truth(function, *squares), **look, **SCALE)
        truth = _truth(function, *np.meshgrid(edges, edges))
        np.fill_diagonal(truth, np.nan)
        # Move the lines a little, because a line through points of the grid would have gaps.
        lines = ax.contour(
            edges, edges, truth, levels=ISOLINES - 1e-9, colors="white", linewidths=0.7
        )
        ax.set(aspect="equal", xticks=TICKS, yticks=TICKS, xlabel=operands[0])
        ax.set_title(for_plot(display_name(function)), fontsize=10, fontweight="normal")
        ax.spines[:].set_visible(False)
    axes[0].set_ylabel(operands[1])
    ticks = [0, *ISOLINES, 1]
    bar = axes[0].figure.colorbar(image, ax=axes, ticks=ticks, label=label)
    bar.add_lines(lines)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)


def _draw_surface(ax: Any, function: Connective) -> None:
    """Draw a connective as a surface; ``ax`` is an ``Axes3D``, a class without type hints."""
    share, side = np.meshgrid(np.linspace(0, 1, 41), np.linspace(1e-6, 1, 41))
    # Many connectives jump along the diagonal. The surface has a part on each side of it, and the
    # parts do not touch, so a jump remains a gap.
    above, below = (share * side, side), (side, share * side * (1 - 1e-6))
    for b, other in (above, below):
        truth = _truth(function, b, other)
        ax.plot_surface(b, other, truth, rcount=40, ccount=40, antialiased=False, **SCALE)
    xlabel, ylabel = _operands(function)
    ax.set(xlabel=xlabel, ylabel=ylabel, xticks=TICKS, yticks=TICKS, zticks=TICKS, zlim=(0, 1))
    ax.set_title(for_plot(display_name(function)), fontsize=10)
    ax.tick_params(labelsize=SMALL)
    ax.set_box_aspect((1, 1, 0.8), zoom=0.85)
    ax.view_init(elev=28, azim=-130)


def implicator_maps(
    implicators: Iterable[Connective],
    *,
    points: Iterable[tuple[float, float]] = (),
) -> list[Axes]:
    """Draw how true "if b, then h" is under several implicators, as maps with the same colours.

    Yellow is 1, and dark blue is 0. White lines connect points with the same truth, and the
    diagonal separates broken promises, b > h, from kept ones. No other line crosses the diagonal,
    so an implicator that jumps there, such as Gödel's, keeps its cliff.

    Parameters
    ----------
    implicators : iterable of callable
        I(b, h), of two arrays: a map for each.
    points : iterable of pairs, optional
        Promises b and outcomes h, both in [0, 1]. Each map marks them and shows their truth.

    Returns
    -------
    list of Axes
        A map for each implicator, with b on the horizontal axis and h on the vertical one.

    Raises
    ------
    InputError
        If there is no implicator, a point is outside the map, or an implicator does not return
        values in [0, 1].

    Examples
    --------
    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> maps = implicator_maps([lukasiewicz, goedel], points=[(0.9, 0.5)])
    >>> [ax.texts[0].get_text() for ax in maps]
    ['0.600', '0.500']
    """
    implicators = list(implicators)
    check_not_empty(implicators, "implicators", "hold at least one implicator")
    marks = as_finite([*points] or np.empty((0, 2)), "points")
    check_shape(marks, (len(marks), 2), "points")
    check_none(marks, (marks < 0) | (marks > 1), "points", "be in [0, 1]")
    n_maps = len(implicators)
    figure = new_figure((1.4 + 2.6 * n_maps, 3.2))
    maps: list[Axes] = list(figure.subplots(1, n_maps, sharey=True, squeeze=False)[0])
    _draw_maps(
        maps, implicators, ("promise b", "outcome h"), "truth of “if b, then h”\n(yellow = 1)"
    )
    for ax, implicator in zip(maps, implicators, strict=True):
        ax.plot([0, 1], [0, 1], color="white", linewidth=1.5)
        values = answer(implicator, marks[:, 0], marks[:, 1], "function")
        for mark in marks:
            ax.plot(*mark, "o", color=ORANGE, mec="black", markersize=9, clip_on=False, zorder=4)
        named_marks = pd.DataFrame(marks, [f"{value:.3f}" for value in values])
        label_points(ax, named_marks, first_place=(0, -13))
    return maps


def scaling_steps(scaling: StepScaling, *, ax: Axes | None = None) -> Axes:
    """Draw the weight that a step scaling gives to each linear score.

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
    ax = ax or new_axes((WIDTH, 3.2))
    step_ends = np.arange(scaling.k + 1) / scaling.k
    weights = scaling(step_ends)
    ax.hlines(weights[1:], step_ends[:-1], step_ends[1:], color=BLUE)
    ax.plot(step_ends[:-1], weights[1:], "o", color=BLUE, mfc="white", markersize=5)
    ax.plot(step_ends, weights, "o", color=BLUE, markersize=5)
    return finish_axes(
        ax,
        title=f"Weight by place, k = {scaling.k}",
        xlabel="linear score s",
        ylabel="weight f(s)",
        ylim=(-0.05, 1.05),
    )


def reduction_map(
    reduction: DrawnReduction, implicator: Connective, *, ax: Axes | None = None
) -> Axes:
    """Draw the implications of a reduction: a bar per pair of a challenge and a response.

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
        A row for each pair that a relation contains.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation, goedel
    >>> same = Situation(["a", "b"], ["yes"], [[0.5], [1.0]])
    >>> reduction_map(Reduction(same, same), goedel).get_ylabel()
    'challenge: response'
    """
    pairs = reduction.implications(implicator).stack().dropna()  # noqa: PD013 -- an index of pairs
    ax = ax or new_axes((WIDTH, 0.9 + 0.26 * len(pairs)))
    bars = ax.barh(np.arange(len(pairs)), pairs, color=BLUE)
    ax.bar_label(bars, fmt="{:.2f}", padding=3, fontsize=SMALL)
    label_rows(ax, [f"{challenge}: {response}" for challenge, response in pairs.index])
    title = (
        f"{display_name(implicator)} implications, {reduction.degree(implicator):.2f} in the mean"
    )
    return finish_axes(
        ax,
        title=title,
        xlabel="truth of the implication",
        ylabel="challenge: response",
        xlim=(0, 1.1),
    )


def reduction_diagram(reduction: DrawnReduction, *, ax: Axes | None = None) -> Axes:
    """Draw the two situations of a reduction and the maps between them: Figure 1 of document 002.

    The real situation is above, the model below. In each, challenges are on the left, responses on
    the right, and a line joins a challenge with a response that is acceptable: the more acceptable,
    the darker. Arrows show the maps: a real challenge leads down to the model, and a response of
    the model leads up to a real one.

    Parameters
    ----------
    reduction : Reduction
        The reduction to draw; up to about eight challenges and responses remain readable.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes

    References
    ----------
    Document 002, Figure 1 (right) and eq. 1.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation
    >>> model = Situation(["o1", "o2"], ["shown"], [[1.0], [0.63]])
    >>> real = Situation(["o1", "o2"], ["shown"], [[0], [1]])
    >>> reduction_diagram(Reduction(real, model)).get_title()
    'Real situation above, model below'
    """
    ax = ax or new_axes((WIDTH, 4.2))
    real = _draw_situation(ax, reduction.real.table, 1.0, "real")
    model = _draw_situation(ax, reduction.model.table, 0.0, "model")
    challenge_map, response_map = reduction.maps()
    for challenge, model_challenge in challenge_map.items():
        _draw_arrow(ax, -0.07, real[0][challenge], model[0][model_challenge], BLUE)
    for response, real_response in response_map.items():
        _draw_arrow(ax, 1.07, model[1][response], real[1][real_response], ORANGE)
    ax.text(-0.4, 0.5, "$f^-$", color=BLUE, ha="center", va="center")
    ax.text(1.4, 0.5, "$f^+$", color=ORANGE, ha="center", va="center")
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.35, 1.35))
    ax.axis("off")
    ax.set_title("Real situation above, model below", fontsize=10)
    return ax


def _draw_arrow(ax: Axes, x: float, start: float, end: float, colour: str) -> None:
    """Draw a bent arrow from one height to another."""
    arrow: Options = {"arrowstyle": "->", "linestyle": "--", "connectionstyle": "arc3,rad=0.25"}
    ax.annotate("", xy=(x, end), xytext=(x, start), arrowprops={"color": colour, **arrow})


def _draw_situation(
    ax: Axes, table: pd.DataFrame, middle: float, name: str
) -> list[dict[Hashable, float]]:
    """Draw the challenges, the responses and the acceptability of a situation.

    ``table`` has challenges in rows and responses in columns; ``middle`` is the height of the
    drawing. Returns the heights of the challenges and those of the responses.
    """
    sides = []
    for x, labels in enumerate((table.index, table.columns)):
        heights = middle + np.linspace(0.35, -0.35, len(labels) + 2)[1:-1]
        sides.append(dict(zip(labels, heights.tolist(), strict=True)))
        for label, y in sides[x].items():
            ax.text(x, y, for_plot(label), ha="center", va="center", fontsize=9)
    for challenge, degrees in table.iterrows():
        for response, degree in degrees[degrees > 0].items():  # NaN: the relation lacks the pair
            # Leave room for the labels at both ends.
            ends = [sides[0][challenge], sides[1][response]]
            ax.plot([0.1, 0.9], ends, color="black", alpha=degree, linewidth=1.5)
    ax.text(0.5, middle + 0.3, f"acceptability in the {name} situation", ha="center", fontsize=8)
    return sides


def display_name(function: Connective) -> str:
    """Return a connective's name as it is written in the literature."""
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
