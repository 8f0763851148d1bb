"""Figures of the fuzzy framework: connectives, scalings, reductions and predictability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, check_choice, shorten
from receval.fuzzy.challenge_response import Reduction
from receval.fuzzy.implicators._parts import Connective, answer
from receval.fuzzy.predictability import implication_ranks
from receval.fuzzy.scaling import StepScaling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "advice_map",
    "connective_map",
    "rank_heatmaps",
    "rank_intervals",
    "reduction_map",
    "scaling_steps",
]

Box = tuple[float, float, float, float]

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
    import matplotlib.pyplot as plt

    check_choice(kind, "kind", ("map", "surface"))
    axis = np.linspace(0, 1, RESOLUTION)
    b, x = np.meshgrid(axis, axis)
    truth = answer(function, b.ravel(), x.ravel(), "function").reshape(b.shape)
    if ax is None:
        projection = "3d" if kind == "surface" else None
        ax = plt.figure(figsize=(4, 3.4)).add_subplot(projection=projection)
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
    import matplotlib.pyplot as plt

    if not isinstance(scaling, StepScaling):
        raise InputError(f"scaling must be a StepScaling; got {shorten(scaling)}")
    if ax is None:
        ax = plt.subplots(figsize=(6, 3.2))[1]
    ends = np.arange(scaling.k + 1) / scaling.k
    levels = scaling(ends)
    ax.hlines(levels[1:], ends[:-1], ends[1:], color="C0")
    ax.plot(ends[:-1], levels[1:], "o", color="C0", mfc="white", markersize=5)
    ax.plot(ends, levels, "o", color="C0", markersize=5)
    ax.set(xlabel="linear score s", ylabel="weight f(s)", ylim=(-0.05, 1.05))
    ax.set_title(f"k = {scaling.k}")
    return ax


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
    import matplotlib.pyplot as plt
    import seaborn as sns

    truth = reduction.implications(implicator)
    if ax is None:
        size = (1.5 + 0.6 * truth.shape[1], 1.2 + 0.4 * truth.shape[0])
        ax = plt.subplots(figsize=size)[1]
    sns.heatmap(truth, vmin=0, vmax=1, cmap="cividis", annot=True, fmt=".2f", ax=ax)
    ax.set(xlabel="response", ylabel="challenge", title=f"{_name(implicator)} implication")
    ax.tick_params(axis="y", rotation=0)
    return ax


def rank_heatmaps(
    matrices: Mapping[str, pd.DataFrame], *, cmap: str = "cividis_r", axes: Any = None
) -> list[Axes]:
    """Ranks of the off-line metrics for each on-line measure, one panel per implicator: Figure 2.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        Name of an implicator to its implication matrix.
    cmap : str, default "cividis_r"
        Colours from the best rank to the worst. The default reads the same with and without
        colour vision; ``"RdYlGn_r"`` is the document's.
    axes : sequence of Axes, optional
        Where to draw, one per matrix. Default: a new figure, panels below each other.

    Returns
    -------
    list of Axes
        On-line measures in rows, off-line metrics in columns, as in the document. Each cell
        carries its rank (1 is best), so that nothing rests on colour alone.

    Raises
    ------
    InputError
        If there is no matrix, or not one Axes for each.

    References
    ----------
    Document 002, Figure 2.

    Examples
    --------
    >>> matrix = pd.DataFrame({"CTR": [0.5, 0.9]}, index=["MAP", "AUC"])
    >>> [panel.get_title() for panel in rank_heatmaps({"Gödel": matrix})]
    ['Gödel']
    """
    import matplotlib.pyplot as plt
    import seaborn as sns

    if not matrices:
        raise InputError("matrices must hold at least one implication matrix; got none")
    if axes is None:
        rows, columns = next(iter(matrices.values())).T.shape
        size = (2 + 0.6 * columns, len(matrices) * (1.1 + 0.33 * rows))
        axes = plt.subplots(len(matrices), figsize=size, layout="constrained")[1]
    panels: list[Axes] = list(np.atleast_1d(axes).ravel())
    if len(panels) != len(matrices):
        raise InputError(f"axes must hold one Axes per matrix, {len(matrices)}; got {len(panels)}")
    for panel, (name, matrix) in zip(panels, matrices.items(), strict=True):
        ranks = implication_ranks(matrix).T
        sns.heatmap(
            ranks, vmin=1, vmax=ranks.shape[1], cmap=cmap, annot=True, fmt="g", ax=panel,
            annot_kws={"fontsize": 8}, linewidths=0.5, cbar_kws={"label": "rank"},
        )  # fmt: skip
        panel.set(xlabel="", ylabel="", title=name)
        panel.tick_params(axis="y", rotation=0)
        panel.tick_params(axis="x", rotation=45)
    return panels


def rank_intervals(stability: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean ranks of off-line metrics with their bootstrap intervals.

    Parameters
    ----------
    stability : DataFrame
        As `receval.fuzzy.rank_stability` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        One line per metric, the best on top.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"rank": [1.5], "low": [1.0], "high": [2.0]}, index=["AUC"])
    >>> rank_intervals(table).get_xlabel()
    'mean rank (1 is best)'
    """
    import matplotlib.pyplot as plt

    _needs(stability, "stability", ("rank", "low", "high"))
    table = stability.sort_values("rank", kind="stable").iloc[::-1]  # drawn from the bottom up
    if ax is None:
        ax = plt.subplots(figsize=(6, 1 + 0.28 * len(table)))[1]
    place = np.arange(len(table))
    ax.hlines(place, table["low"], table["high"], color="C0", alpha=0.5, linewidth=3)
    ax.plot(table["rank"], place, "o", color="C0")
    ax.set_yticks(place, [str(name) for name in table.index])
    ax.set(xlabel="mean rank (1 is best)", xlim=(0.5, len(table) + 0.5))
    ax.grid(axis="x", alpha=0.3)
    return ax


def advice_map(advice: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Overview of predictability: off-line metrics by their use for selection and for exclusion.

    Parameters
    ----------
    advice : DataFrame
        As `receval.fuzzy.metric_advice` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Metrics at the left are good for selection, at the bottom for exclusion; the fuller the
        colour, the more a metric orders the systems as users do (mean Kendall correlation).

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> columns = {"selection": [1.0, 2.0], "exclusion": [2.0, 1.0], "kendall": [0.5, 0.1]}
    >>> advice_map(pd.DataFrame(columns, index=["AUC", "MRR"])).get_ylabel()
    'mean rank for exclusion'
    """
    import matplotlib.pyplot as plt

    _needs(advice, "advice", ("selection", "exclusion", "kendall"))
    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4.6))[1]
    spread = max(0.1, float(np.nanmax(np.abs(advice["kendall"].fillna(0)))))
    points = ax.scatter(
        advice["selection"], advice["exclusion"], c=advice["kendall"], cmap="PuOr",
        vmin=-spread, vmax=spread, s=60, edgecolor="0.4",
    )  # fmt: skip
    ax.margins(0.12)
    ax.figure.colorbar(points, ax=ax, label="mean Kendall correlation")
    ax.set(xlabel="mean rank for selection", ylabel="mean rank for exclusion")
    ax.grid(alpha=0.3)
    _label(ax, advice.index.astype(str).tolist(), advice[["selection", "exclusion"]].to_numpy())
    return ax


# Where a label may stand beside its point, in typographic points, the best place first.
BESIDE = [(7, -3, "left"), (-7, -3, "right"), (7, 8, "left"), (7, -14, "left"),
          (-7, 8, "right"), (-7, -14, "right")]  # fmt: skip


def _label(ax: Axes, names: list[str], points: npt.NDArray[np.float64]) -> None:
    """Name the points, each name where it covers no other name and no point."""
    ax.autoscale_view()  # so that the points are where they will be drawn
    spots = ax.transData.transform(points) * 72 / ax.figure.dpi
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in spots]
    for name, point, (x, y) in zip(names, points, spots, strict=True):
        width, height = 4.6 * len(name), 8
        boxes = []
        for dx, dy, side in BESIDE:
            left = x + dx - (width if side == "right" else 0)
            boxes.append((left, y + dy, left + width, y + dy + height))
        best = int(np.argmin([sum(_overlap(box, other) for other in taken) for box in boxes]))
        taken.append(boxes[best])
        dx, dy, side = BESIDE[best]
        ax.annotate(
            name, tuple(point), xytext=(dx, dy), textcoords="offset points", ha=side, fontsize=8
        )


def _overlap(one: Box, other: Box) -> float:
    """Area that two boxes (left, bottom, right, top) share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _needs(table: pd.DataFrame, name: str, columns: tuple[str, ...]) -> None:
    missing = [column for column in columns if column not in table]
    if missing:
        raise InputError(f"{name} must have the columns {', '.join(columns)}; got no {missing}")


def _name(function: Any) -> str:
    name = str(getattr(function, "__name__", None) or repr(function)).replace("_", " ")
    return name.replace("goedel", "Gödel").replace("lukasiewicz", "Łukasiewicz")
