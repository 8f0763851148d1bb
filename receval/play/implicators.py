"""A view of several implicators with a point to drag, which has its values on the page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from receval import plots
from receval._checks import BoolArray, FloatArray, Record, check_number, check_that, import_extra
from receval._escape import for_attribute, for_html
from receval.metrics.connectives import goedel, lukasiewicz, product
from receval.metrics.connectives.degrees import Connective, answer
from receval.plots.axes import COLOURS
from receval.plots.fuzzy import display_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ImplicatorMaps", "implicator_maps"]

STEPS = 40  # steps of the point from 0 to 1
N_COLOURS = 9  # colours of the scale that the page has; it mixes the colours between them
# To distinguish a jump from a steep line, each step is divided into parts. If the truth changes by
# more than this in one part, it jumps.
N_PARTS = 64
LARGEST_PART = 0.05
WITHOUT_SCRIPT = "Run the cell to see the maps, and to drag the point."
IN_HTML = """\
<div class="receval-implicators" data-view="{view}">
{sentence}. {advice}</div>
<script>
{script}</script>
"""


class ImplicatorMaps:
    """Maps of implicators with a point to drag; see `implicator_maps`.

    Attributes
    ----------
    names : list of str
        Names of the implicators.
    truths : ndarray, shape (n, 41, 41)
        The truth that each implicator gives to a head (second axis) and a body (third axis), in
        steps of 0.025 from 0 to 1.
    is_jump : ndarray of bool, shape (n, 41, 41)
        Whether the truth jumps between a body and the previous one, at the same head.
    column, row : int
        Steps of the body and of the head at which the point starts.
    """

    def __init__(self, functions: Sequence[Connective], b: float, h: float) -> None:
        """Compute the tables of values. See `implicator_maps` for the arguments."""
        check_that(len(functions) > 0, "functions", "hold at least one implicator", functions)
        self.functions: list[Connective] = list(functions)
        self.names: list[str] = [display_name(function) for function in functions]
        self.column: int
        self.row: int
        self.column, self.row = [
            round(STEPS * check_number(value, name, "in [0, 1]", lambda x: 0 <= x <= 1))
            for value, name in ((b, "b"), (h, "h"))
        ]
        heads = np.arange(STEPS + 1) / STEPS
        # The bodies are close enough together to tell a jump from a steep line.
        bodies = np.arange(N_PARTS * STEPS + 1) / (N_PARTS * STEPS)
        head_by_place, body_by_place = np.meshgrid(heads, bodies, indexing="ij")
        fine_tables = []
        for function in functions:
            values = answer(function, body_by_place.ravel(), head_by_place.ravel(), "function")
            fine_tables.append(values.reshape(head_by_place.shape))
        fine_truths = np.array(fine_tables)
        self.truths: FloatArray = fine_truths[..., ::N_PARTS]
        # The last axis becomes two: the steps, and the parts of each step.
        parts = np.abs(np.diff(fine_truths)).reshape(len(functions), len(heads), STEPS, N_PARTS)
        self.is_jump: BoolArray = np.zeros(self.truths.shape, dtype=bool)
        self.is_jump[..., 1:] = parts.max(axis=-1) > LARGEST_PART

    def __repr__(self) -> str:
        """Return the values at the first point in words."""
        values = self.truths[:, self.row, self.column]
        texts = [f"{name} {value:.3f}" for name, value in zip(self.names, values, strict=True)]
        return f"b = {self.column / STEPS:.3f}, h = {self.row / STEPS:.3f}: {', '.join(texts)}"

    def figure(self) -> Figure:
        """Draw the first picture, with `receval.plots.connective_maps`."""
        b, h = self.column / STEPS, self.row / STEPS
        axes = plots.connective_maps(self.functions, points=[(b, h)], cut=h)
        figure = axes[0].get_figure(root=True)
        assert figure is not None  # it has just been drawn
        return figure

    def _data(self) -> Record:
        """Return what the script on the page needs, as values that JSON can hold."""
        colour_map = import_extra("matplotlib", "plots", "receval.play").colormaps["cividis"]
        scale = 255 * colour_map(np.linspace(0, 1, N_COLOURS))[:, :3]
        # The sentence shows three decimals, so whole thousandths are enough; they are much shorter
        # than floats.
        thousandths = np.rint(1000 * self.truths).astype(int)
        return {
            "names": self.names,
            "tables": [table.ravel().tolist() for table in thousandths],
            "steps": STEPS,
            "column": self.column,
            "row": self.row,
            "colours": [COLOURS[number % len(COLOURS)] for number in range(len(self.names))],
            "scale": np.rint(scale).astype(int).tolist(),
            "jumps": [np.flatnonzero(table).tolist() for table in self.is_jump],
        }

    def _repr_mimebundle_(self, **_options: object) -> tuple[Record, Record]:
        """Return the contents of the view by MIME type, and their metadata, for Jupyter.

        The contents are the live view, and for programs without scripts the first picture.
        """
        data = json.dumps(self._data(), ensure_ascii=False, separators=(",", ":"))
        script = files("receval.play").joinpath("implicator_maps.js").read_text(encoding="utf-8")
        sentence = for_html(repr(self))
        live_view = IN_HTML.format(
            view=for_attribute(data), sentence=sentence, advice=WITHOUT_SCRIPT, script=script
        )
        figure = self.figure()
        png = BytesIO()
        figure.savefig(png, format="png")
        # A notebook would show an open figure a second time.
        import_extra("matplotlib.pyplot", "plots", "receval.play").close(figure)
        first_picture = b64encode(png.getvalue()).decode()
        return {"text/html": live_view, "image/png": first_picture, "text/plain": repr(self)}, {}


def implicator_maps(
    functions: Sequence[Connective] = (lukasiewicz, product, goedel),
    *,
    b: float = 0.7,
    h: float = 0.4,
) -> ImplicatorMaps:
    """Show maps of several implicators with a point that you drag, and the cut at its height.

    The maps share one colour bar and one point. Drag it with the mouse or a finger on any map, or
    move the two sliders, also with the arrow keys. A plot next to the maps shows the implicators
    along the dashed line, where the head is that of the point. Programs
    that run no scripts show the first values in words only. So does Jupyter if you open a notebook:
    run the cell to see the maps. From then on, the view asks the kernel for nothing.

    Parameters
    ----------
    functions : sequence of callable, default the ones of Łukasiewicz, the product and Gödel
        Implicators I(b, h) of two arrays, such as those of `receval.fuzzy`.
    b, h : float, default 0.7 and 0.4
        Body and head of the point at the start, in [0, 1]. The point moves in steps of 0.025, so it
        starts at the nearest step.

    Returns
    -------
    ImplicatorMaps
        Jupyter shows it. Values are rounded to three decimals.

    Raises
    ------
    InputError
        If there is no function, a coordinate is outside [0, 1], or a function does not return
        values in [0, 1].

    Examples
    --------
    >>> from receval import play
    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> play.implicator_maps([goedel, lukasiewicz], b=0.9, h=0.5)
    b = 0.900, h = 0.500: Gödel 0.500, Łukasiewicz 0.600
    """
    return ImplicatorMaps(functions, b, h)
