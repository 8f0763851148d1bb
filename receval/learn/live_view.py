"""The widgets behind `receval.learn.live` and `receval.learn.sliders`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from io import BytesIO

import ipywidgets as widgets
import matplotlib.pyplot as plt
import pandas as pd
import traitlets

from receval._checks import InputError, Record, check_that, input_error
from receval._escape import for_attribute, for_html

__all__ = ["LiveView", "Sliders"]

PIXELS_PER_INCH = 96  # of the page; pictures have twice as many, for sharp screens


class LiveView:
    """Controls above a picture and a sentence about it; see `receval.learn.live`.

    Attributes
    ----------
    draw : function
        Draws the picture, and returns the sentence.
    data : tuple
        The first arguments of ``draw``.
    controls : dict
        The widgets by name.
    sentence : str
        The sentence about the current picture.
    png : bytes
        The current picture, as a PNG file.
    """

    def __init__(
        self, draw: Callable[..., str], data: tuple[object, ...], controls: Mapping[str, object]
    ) -> None:
        """Build the controls and draw the first picture. See `receval.learn.live`."""
        self.draw = draw
        self.data = data
        arguments = signature(draw).parameters
        starts = {name: argument.default for name, argument in arguments.items()}
        self.controls: dict[str, widgets.Widget] = {
            name: _control(name, form, starts.get(name, Parameter.empty))
            for name, form in controls.items()
        }
        self.sentence: str = ""
        self.png: bytes = b""
        self._text = widgets.HTML()
        self._picture = widgets.HTML()
        self._width: int = 0  # of the picture on the page, in pixels
        self._draw_again()
        self._first_sentence: str = self.sentence
        for control in self.controls.values():
            control.observe(self._draw_again, names="value")
        row = widgets.HBox([*self.controls.values()], layout={"flex_flow": "row wrap"})
        self._box = widgets.VBox([row, self._text, self._picture])

    def __repr__(self) -> str:
        return self.sentence

    def _draw_again(self, change: object = None) -> None:
        """Draw the picture for the current values; if they are refused, the sentence says why.

        A control passes a record of its change. The page then also shows the first sentence, so
        that a reader sees what changed.
        """
        values = {name: control.value for name, control in self.controls.items()}
        try:
            self.sentence = self.draw(*self.data, **values)
        except InputError as error:
            self.sentence = str(error)
        else:
            self._show_picture()
        self._text.value = for_html(self.sentence)
        if change is not None:
            self._text.value += f"<br>At the start: {for_html(self._first_sentence)}"

    def _show_picture(self) -> None:
        """Put the current figure of pyplot on the page, and close it."""
        figure = plt.gcf()
        png = BytesIO()
        figure.savefig(png, format="png", dpi=2 * PIXELS_PER_INCH)
        self.png = png.getvalue()
        self._width = int(PIXELS_PER_INCH * figure.get_size_inches()[0])
        plt.close(figure)  # a notebook would show an open figure a second time
        source = f"data:image/png;base64,{b64encode(self.png).decode()}"
        text = for_attribute(self.sentence)
        self._picture.value = (
            f'<img class="receval-view" alt="{text}" src="{source}" style="width:{self._width}px">'
        )

    def _repr_mimebundle_(self, **options: object) -> tuple[Record, Record]:
        """Return the contents of the view by MIME type, and their metadata, for Jupyter.

        The contents are the live view and, for pages without a kernel, the current picture.
        """
        still = {"text/plain": self.sentence, "image/png": b64encode(self.png).decode()}
        metadata = {"image/png": {"width": self._width, "alt": self.sentence}}
        live_view: Record = self._box._repr_mimebundle_(**options)
        return live_view | still, metadata


class Sliders(widgets.Box):  # type: ignore[misc]
    """A slider for each of several numbers; see `receval.learn.sliders`.

    Attributes
    ----------
    value : tuple of float
        The current numbers.
    """

    value = traitlets.Tuple()

    def __init__(self, numbers: pd.Series, form: tuple[float, ...]) -> None:
        """Build a slider for each number. See `receval.learn.sliders`."""
        kind = numbers.index.name or ""
        children = [
            _control(f"{kind} {label}".strip(), form, number) for label, number in numbers.items()
        ]
        super().__init__(children, layout={"flex_flow": "row wrap"})
        for slider in children:
            slider.observe(self._collect, names="value")
        self._collect()
        # A slider silently starts elsewhere if it has no place for its number.
        check_that(
            list(self.value) == numbers.tolist(),
            "numbers",
            f"lie on sliders of the form {form}",
            numbers.tolist(),
        )

    def _collect(self, _change: object = None) -> None:
        """Make a tuple of the values of the sliders."""
        self.value = tuple(slider.value for slider in self.children)


def _control(name: str, form: object, start: object) -> widgets.Widget:
    """Return the control for a short form of ``ipywidgets.interact``, labelled with its name.

    ``interact`` itself would show the picture as an output, and a page without a kernel would have
    none. ``start`` is the first value, or ``Parameter.empty`` if the form decides.
    """
    if isinstance(form, widgets.Widget):
        return form
    control = widgets.interactive.widget_from_abbrev(form, start)
    if control is None:
        rule = "be a short form of ipywidgets.interact, such as (1, 20), or a widget"
        raise input_error(name, rule, repr(form))
    control.description = name.replace("_", " ")
    control.style = {"description_width": "initial"}
    return control
