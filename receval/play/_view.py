"""What the live views share: controls above a sentence and a picture, drawn anew when one moves."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from html import unescape
from io import BytesIO
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure

__all__ = ["View", "choice", "slider"]

WIDE = 8  # inches, from which on there are two pictures
INCH = 96  # pixels of the page; pictures have twice as many
Draw = Callable[..., str]  # (*axes, **values of the controls) -> what is said above the picture


class View(widgets.VBox):  # type: ignore[misc]
    """Controls, a sentence and a picture; where there is no kernel, the first of the pictures."""

    def __init__(self, draw: Draw, size: tuple[float, float], /, **controls: Any) -> None:
        self.draw, self.size, self.controls = draw, size, controls
        width = widgets.Layout(width=f"{INCH * size[0]:g}px", max_width="100%")
        self.says, self.picture = widgets.HTML(), widgets.Image(format="png", layout=width)
        two = widgets.Layout(grid_template_columns="repeat(2, max-content)")
        grid = widgets.GridBox([*controls.values()], layout=two)
        super().__init__([grid, self.says, self.picture])
        for control in controls.values():
            control.observe(self.redraw, names="value")
        self.redraw()

    def redraw(self, _: object = None) -> None:
        """Draw the picture for the controls as they stand."""
        figure, held = Figure(figsize=self.size, layout="constrained", dpi=2 * INCH), BytesIO()
        axes = figure.subplots(1, 2 if self.size[0] > WIDE else 1, squeeze=False).ravel()
        self.says.value = self.draw(*axes, **{k: one.value for k, one in self.controls.items()})
        figure.savefig(held, format="png")
        self.picture.value = held.getvalue()

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        text = unescape(re.sub(r"<[^>]+>", " ", self.says.value))
        static = {"text/plain": text, "image/png": b64encode(self.picture.value).decode()}
        about = {"image/png": {"width": int(INCH * self.size[0])}}
        return super()._repr_mimebundle_(**options) | static, about


def slider(name: str, value: float, least: float, most: float, step: float = 1) -> Any:
    """A slider; over whole numbers if all of it is whole."""
    whole = all(isinstance(one, int) for one in (value, least, most, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value, min=least, max=most, step=step, description=name, continuous_update=False)


def choice(name: str, value: str, options: Any) -> Any:
    """A list to choose from."""
    return widgets.Dropdown(options=list(options), value=value, description=name)
