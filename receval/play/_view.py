"""The base of the live views: controls above a sentence and a picture, redrawn when one moves."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from html import unescape
from io import BytesIO
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure

from receval._types import Record

__all__ = ["View", "choice", "slider"]

WIDTH_FOR_TWO = 8  # inches; wider views have two pairs of axes
PIXELS_PER_INCH = 96  # of the page; pictures have twice as many, for sharp screens

Draw = Callable[..., str]
"""Draws on one or two axes, takes the values of the controls by name, and returns the sentence."""


class View(widgets.VBox):  # type: ignore[misc]
    """Controls, a sentence and a picture; without a kernel, the first picture is shown.

    Attributes
    ----------
    draw : function
        Draws on the axes and returns the sentence, which is HTML. It takes one pair of axes, or
        two if the view is wider than eight inches, and then the values of the controls by name.
    size : tuple of float
        Width and height of the picture in inches.
    controls : dict
        The sliders and lists by name.
    says, picture : widget
        The sentence, and the picture with all axes.
    """

    def __init__(
        self, draw: Draw, size: tuple[float, float], /, **controls: widgets.ValueWidget
    ) -> None:
        """Arrange the controls, the sentence and the picture, and draw the first picture.

        ``draw`` takes the axes and the values of the controls by name, and returns the sentence as
        HTML. ``size`` is the width and height of the picture in inches.
        """
        self.draw = draw
        self.size = size
        self.controls = controls
        page_width = widgets.Layout(width=f"{PIXELS_PER_INCH * size[0]:g}px", max_width="100%")
        self.says = widgets.HTML()
        self.picture = widgets.Image(format="png", layout=page_width)
        # The controls fill rows of two.
        two_columns = widgets.Layout(grid_template_columns="repeat(2, max-content)")
        grid = widgets.GridBox([*controls.values()], layout=two_columns)
        super().__init__([grid, self.says, self.picture])
        for control in controls.values():
            control.observe(self.redraw, names="value")
        self.redraw()

    def redraw(self, _change: object = None) -> None:
        """Update the picture and the sentence to the present values of the controls.

        A control passes a record of its change, which is not needed.
        """
        figure = Figure(figsize=self.size, layout="constrained", dpi=2 * PIXELS_PER_INCH)
        n_axes = 1
        width, _ = self.size
        if width > WIDTH_FOR_TWO:
            n_axes = 2
        axes = figure.subplots(1, n_axes, squeeze=False).ravel()
        values = {name: control.value for name, control in self.controls.items()}
        sentence = self.draw(*axes, **values)
        self.says.value = sentence
        png = BytesIO()
        figure.savefig(png, format="png")
        self.picture.value = png.getvalue()

    def _repr_mimebundle_(self, **options: Any) -> tuple[Record, Record]:
        """Return the contents of the view by MIME type, and their metadata, for Jupyter.

        The contents are the live view, and for pages without a kernel the present sentence and
        picture.
        """
        sentence_without_tags = unescape(re.sub(r"<[^>]+>", " ", self.says.value))
        static = {
            "text/plain": sentence_without_tags,
            "image/png": b64encode(self.picture.value).decode(),
        }
        metadata = {"image/png": {"width": int(PIXELS_PER_INCH * self.size[0])}}
        live_view = super()._repr_mimebundle_(**options)
        return live_view | static, metadata


def slider(
    name: str, value: float, least: float, most: float, step: float = 1
) -> widgets.IntSlider | widgets.FloatSlider:
    """Build a slider from ``least`` to ``most`` that starts at ``value`` and moves by ``step``.

    If all four are integers, its values are integers too. ``name`` is its label.
    """
    if all(isinstance(number, int) for number in (value, least, most, step)):
        slider_class = widgets.IntSlider
    else:
        slider_class = widgets.FloatSlider
    return slider_class(
        value, min=least, max=most, step=step, description=name, continuous_update=False
    )


def choice(name: str, value: str, options: Iterable[str]) -> widgets.Dropdown:
    """Build a list with the label ``name`` to choose an option from; ``value`` is the first one."""
    return widgets.Dropdown(options=list(options), value=value, description=name)
