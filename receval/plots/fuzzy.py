"""Figures of the fuzzy framework: connectives, scalings, reductions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from receval._arrays import as_finite
from receval._checks import (
    FloatArray,
    InputError,
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
    ORANGE,
    SMALL,
    WIDTH,
    PanelAxes,
    draw_heatmap,
    finish_axes,
    label_rows,
    new_axes,
    new_figure,
    panels,
)
from receval.plots.axes import COLOURS as COLOURS_OF_LINES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet

__all__ = [
    "connective_map",
    "connective_maps",
    "implicator_maps",
    "reduction_diagram",
    "reduction_map",
    "scaling_steps",
]

N_POINTS = 97  # points per axis of a map; multiples of 1/96 include halves and thirds
N_CELLS = 40  # cells per axis of a surface
TICKS = (0, 0.5, 1)
LEVELS = np.linspace(0, 1, 11)  # degrees of truth with a contour
N_SQUARES = 400  # coloured squares per axis of an implicator's map
ISOLINES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # degrees of truth with a line on such a map
LARGEST_STEP = 0.05  # a larger step between neighbouring points of a cut is a jump
COLOURS: Options = {"cmap": "cividis", "vmin": 0, "vmax": 1}


class HasImplications(Protocol):
    """A reduction between two situations, such as `receval.fuzzy.Reduction`."""

    def implications(self, implicator: Connective) -> pd.DataFrame:
        """Return the truth of each implication, challenges in rows, responses in columns."""
        ...

    def degree(self, implicator: Connective) -> float:
        """Return the degree to which the reduction holds, the mean of the implications."""
        ...


class HasSituations(Protocol):
    """A reduction whose situations and maps can be drawn, such as `receval.fuzzy.Reduction`."""

    @property
    def real(self) -> HasTable:
        """Return the real situation."""
        ...

    @property
    def model(self) -> HasTable:
        """Return the model's situation."""
        ...

    def maps(self) -> tuple[dict[Hashable, Hashable], dict[Hashable, Hashable]]:
        """Return the maps of real challenges to the model, and of model responses to reality."""
        ...


class HasTable(Protocol):
    """A situation with a table of acceptability."""

    @property
    def table(self) -> pd.DataFrame:
        """Return the acceptability, challenges in rows, responses in columns."""
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
    ax.tick_params(labelsize=SMALL)
    ax.set(xlabel="body b", ylabel={"h": "head h", "r": "rule r"}[_other_letter(function)])
    ax.set_title(for_plot(display_name(function)), fontsize=10)
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
    axes: list[Axes] = list(figure.subplots(1, n_maps + 1))
    cut_ax = axes[-1]
    body = np.linspace(0, 1, 4 * N_POINTS)
    letter = "h"
    for number, (function, ax) in enumerate(zip(functions, axes, strict=False)):
        colour = COLOURS_OF_LINES[number % len(COLOURS_OF_LINES)]
        filled = _fill_contours(ax, function)
        ax.axhline(y, color=colour, linestyle="--")
        ax.plot(x, y, "o", color=colour, markeredgecolor="white", markersize=8)
        letter = _other_letter(function)
        name = display_name(function)
        ax.set(xlabel="body b", title=for_plot(name))
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=SMALL)
        values = answer(function, body, np.full(len(body), y), "function")
        value = answer(function, np.array([x]), np.array([y]), "function")[0]
        # A gap in place of a steep line shows a jump of the connective.
        is_before_jump = np.abs(np.diff(values)) > LARGEST_STEP
        values[:-1][is_before_jump] = np.nan
        label = f"{for_legend(name)}: {value:.2f}"
        cut_ax.plot(body, values, color=colour, label=label)
        cut_ax.plot(x, value, "o", color=colour, markeredgecolor="white", markersize=7)
    axes[0].set_ylabel({"h": "head h", "r": "rule r"}[letter])
    colour_bar = figure.colorbar(
        filled, ax=axes[:n_maps], location="bottom", shrink=0.6, label="degree of truth"
    )
    colour_bar.ax.tick_params(labelsize=SMALL)
    cut_ax.set(xlim=(0, 1), ylim=(-0.03, 1.03), xticks=TICKS, yticks=TICKS, aspect="equal")
    legend = {"loc": "lower left", "title": f"at b = {x:g}", "title_fontsize": SMALL}
    title = f"the cut at {letter} = {y:g}"
    finish_axes(cut_ax, legend=legend, title=title, xlabel="body b")
    return axes


def _other_letter(function: Connective) -> str:
    """Return "h" for an implicator, whose second operand is the head, and "r" for a conjunctor."""
    # I(0, 0) is 1 for every implicator, and C(0, 0) is 0 for every conjunctor.
    if answer(function, np.zeros(1), np.zeros(1), "function")[0] == 1:
        return "h"
    return "r"


def _fill_contours(ax: Axes, function: Connective) -> ContourSet:
    """Draw a connective as filled contours with white lines at steps of 0.1; return the colours."""
    axis = np.linspace(0, 1, N_POINTS)
    b, x = np.meshgrid(axis, axis)
    # `answer` calls the connective with arrays of one axis, which every connective accepts.
    truth = answer(function, b.ravel(), x.ravel(), "function").reshape(b.shape)
    filled = ax.contourf(b, x, truth, levels=LEVELS, **COLOURS)
    ax.contour(b, x, truth, levels=LEVELS[1:-1], colors="white", linewidths=0.5)
    ax.set(aspect="equal", xticks=TICKS, yticks=TICKS)
    return filled


def _draw_contours(ax: Axes, function: Connective) -> None:
    """Draw a connective as filled contours, with a colour bar of its own."""
    filled = _fill_contours(ax, function)
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
    # Shrink the triangles a little, so that each corner on a diagonal gets the value of its side.
    inner_corners = corners + 1e-6 * (corners.mean(axis=1, keepdims=True) - corners)
    b, x = inner_corners.reshape(-1, 2).T
    return np.column_stack([b, x, answer(function, b, x, "function")])


def _draw_surface(ax: Any, function: Connective) -> None:
    """Draw a connective as a surface; ``ax`` is an ``Axes3D``, a class without type hints."""
    b, x, truth = surface_corners(function).T
    # Each group of three successive corners makes a triangle.
    corner_index = np.arange(b.size).reshape(-1, 3)
    ax.plot_trisurf(b, x, truth, triangles=corner_index, antialiased=False, **COLOURS)
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    ax.set(xticks=TICKS, yticks=TICKS, zticks=TICKS)
    ax.zaxis.set_rotate_label(False)
    ax.set_zlabel("truth", rotation=90)
    ax.set_box_aspect((1, 1, 0.8), zoom=0.85)
    ax.view_init(elev=28, azim=-130)


def implicator_maps(
    implicators: Iterable[Connective],
    *,
    points: Iterable[tuple[float, float]] = (),
    axes: PanelAxes | None = None,
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
    axes : sequence of Axes, optional
        The Axes to draw on, one per map. Default: a new figure.

    Returns
    -------
    list of Axes
        A map for each implicator, with b on the horizontal axis and h on the vertical one.

    Raises
    ------
    InputError
        If there is no implicator, there is not one Axes per map, a point is outside the map, or an
        implicator does not return values in [0, 1].

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
    if axes is None:
        axes = new_figure((1.4 + 2.6 * n_maps, 3.2)).subplots(1, n_maps, sharey=True)
    map_axes = panels(n_maps, (), axes)
    edges = np.linspace(0, 1, N_SQUARES + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    for ax, implicator in zip(map_axes, implicators, strict=True):
        truth = _truth(implicator, middles)
        look: Options = {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "nearest"}
        colours = ax.imshow(truth, **look, **COLOURS)
        truth = _truth(implicator, edges)
        np.fill_diagonal(truth, np.nan)  # so that no isoline crosses the diagonal
        # Move the lines a little, because a line through points of the grid would have gaps.
        ax.contour(edges, edges, truth, levels=ISOLINES - 1e-9, colors="white", linewidths=0.7)
        ax.plot([0, 1], [0, 1], color="white", linewidth=1.5)
        values = answer(implicator, marks[:, 0], marks[:, 1], "implicators")
        for (b, h), value in zip(marks, values, strict=True):
            _mark(ax, b, h, f"{value:.3f}")
        ax.set(aspect="equal", xticks=TICKS, yticks=TICKS, xlabel="promise b")
        ax.set_title(for_plot(display_name(implicator)), fontsize=10, fontweight="normal")
        ax.spines[:].set_visible(False)
    map_axes[0].set_ylabel("outcome h")
    bar = map_axes[0].figure.colorbar(colours, ax=map_axes, ticks=[0, *ISOLINES, 1])
    bar.set_label("truth of “if b, then h”\n(yellow = 1)")
    bar.ax.tick_params(labelsize=SMALL)
    bar.ax.hlines(ISOLINES, 0, 1, color="white", linewidth=0.7)
    bar.outline.set_visible(False)
    return map_axes


def _truth(implicator: Connective, axis: FloatArray) -> FloatArray:
    """Return the truth for each outcome on the axis (in rows) and each promise (in columns)."""
    b, h = np.meshgrid(axis, axis)
    # `answer` calls the implicator with arrays of one axis, which every implicator accepts.
    return answer(implicator, b.ravel(), h.ravel(), "implicators").reshape(b.shape)


def _mark(ax: Axes, b: float, h: float, text: str) -> None:
    """Mark a point of a map, and write a text next to it that stays inside the map."""
    ax.plot(b, h, "o", color=ORANGE, markeredgecolor="black", markersize=9, clip_on=False, zorder=4)
    side, height = "center", "top"
    x, y = 0, -8  # the text's distance from the point
    if not 0.1 < h < 0.9:
        # Next to the point, so that a vertical arrow from edge to edge doesn't hide the text.
        side, x = ("left", 8) if b < 0.75 else ("right", -8)
    if h < 0.25:
        height, y = "bottom", 6
    ax.annotate(
        text,
        (b, h),
        (x, y),
        textcoords="offset points",
        ha=side,
        va=height,
        fontsize=SMALL,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.85, "linewidth": 0},
    )


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
        response is in one pair only, the matrix would be a diagonal, so the function draws bars
        instead.

    Examples
    --------
    >>> from receval.fuzzy import Reduction, Situation, goedel
    >>> same = Situation(["a", "b"], ["yes"], [[0.5], [1.0]])
    >>> reduction_map(Reduction(same, same), goedel).get_ylabel()
    'challenge'
    """
    implications = reduction.implications(implicator)
    mean = reduction.degree(implicator)
    title = f"{display_name(implicator)} implications, {mean:.2f} in the mean"
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


def reduction_diagram(reduction: HasSituations, *, ax: Axes | None = None) -> Axes:
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
    if ax is None:
        ax = new_axes((WIDTH, 4.2))
    # The corners of the diagram: challenges at the left, responses at the right.
    real = _draw_situation(ax, reduction.real.table, height=1.0, name="real")
    model = _draw_situation(ax, reduction.model.table, height=0.0, name="model")
    challenge_map, response_map = reduction.maps()
    for challenge, model_challenge in challenge_map.items():
        _draw_arrow(
            ax, real["challenge", challenge], model["challenge", model_challenge], -0.07, BLUE
        )
    for response, real_response in response_map.items():
        _draw_arrow(ax, model["response", response], real["response", real_response], 0.07, ORANGE)
    ax.text(-0.4, 0.5, "$f^-$", color=BLUE, ha="center", va="center")
    ax.text(1.4, 0.5, "$f^+$", color=ORANGE, ha="center", va="center")
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.35, 1.35), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_title("Real situation above, model below", fontsize=10)
    return ax


def _draw_arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], shift: float, colour: str
) -> None:
    """Draw a bent arrow between two labels, both moved by ``shift`` so that it misses them."""
    arrow: Options = {
        "arrowstyle": "->",
        "linestyle": "--",
        "color": colour,
        "connectionstyle": "arc3,rad=0.25",
    }
    moved_start = (start[0] + shift, start[1])
    moved_end = (end[0] + shift, end[1])
    ax.annotate("", xy=moved_end, xytext=moved_start, arrowprops=arrow)


def _draw_situation(
    ax: Axes, table: pd.DataFrame, *, height: float, name: str
) -> dict[tuple[str, object], tuple[float, float]]:
    """Draw the challenges, the responses and the acceptability of a situation.

    ``table`` has challenges in rows and responses in columns; ``height`` is the middle of the
    drawing. Returns the place of each challenge and response, by kind and label.
    """
    places: dict[tuple[str, object], tuple[float, float]] = {}
    for kind, labels, x in (("challenge", table.index, 0.0), ("response", table.columns, 1.0)):
        heights = height + np.linspace(0.2, -0.2, len(labels)) * (len(labels) > 1)
        for label, y in zip(labels, heights, strict=True):
            places[kind, label] = (x, float(y))
            ax.text(x, y, for_plot(label), ha="center", va="center", fontsize=9, zorder=3)
    for challenge in table.index:
        for response in table.columns:
            degree = table.loc[challenge, response]
            if degree > 0:  # False for NaN too: the relation lacks the pair
                (x0, y0), (x1, y1) = places["challenge", challenge], places["response", response]
                # Leave room for the labels at both ends.
                ends = [x0 + 0.1, x1 - 0.1], [y0, y1]
                ax.plot(*ends, color="black", alpha=float(degree), linewidth=1.5)
    ax.text(0.5, height + 0.3, f"acceptability in the {name} situation", ha="center", fontsize=8)
    return places


def _pair_name(challenge: object, response: object) -> str:
    """Return the name of a challenge and its response; one name if both are the same."""
    if challenge == response:
        return str(challenge)
    return f"{challenge}: {response}"


def display_name(function: Connective) -> str:
    """Return a connective's name as it is written in the literature."""
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
