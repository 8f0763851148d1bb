"""The base class of the live views: controls and a table above a sentence and a picture."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import ipywidgets as widgets
import pandas as pd
import traitlets
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from receval._checks import InputError, Record
from receval._escape import for_html

__all__: list[str] = []

WIDTH_FOR_TWO = 8  # inches; wider views have two Axes
PIXELS_PER_INCH = 96  # of the page; pictures have twice as many, for sharp screens

Drawing: TypeAlias = tuple[str, pd.DataFrame]
"""The result of a drawing function: a sentence in HTML, and the numbers as a table."""

Draw = Callable[..., Drawing]
"""A function that takes one or two Axes and the values of the controls by name.

It draws on the Axes and returns a `Drawing`.
"""

Controls: TypeAlias = Mapping[str, widgets.DOMWidget]
"""The controls of a view by name. Each has a ``value``."""


if TYPE_CHECKING:
    # ipywidgets has no types, and a class with an unknown base has an unknown type itself.
    class _VBox(traitlets.HasTraits):
        """A column of widgets, `ipywidgets.VBox`, as type checkers see it."""

        children: tuple[widgets.DOMWidget, ...]
        layout: widgets.Layout

        def __init__(self, children: Sequence[widgets.DOMWidget] = ()) -> None: ...

        def _repr_mimebundle_(self, **options: object) -> Record: ...

        def __getattr__(self, name: str) -> Any: ...  # the other attributes of a widget

else:
    _VBox = widgets.VBox


class View(_VBox):
    """Controls with a table, a sentence and a picture, which change when you move a control.

    All controls work with the keyboard. The table has the numbers of the picture, and the picture
    has an alternative text. Without a kernel, a page shows the first picture.

    Attributes
    ----------
    draw : function
        Draws the picture, and returns the sentence and the table. It takes one Axes, or two if the
        view is wider than eight inches, and then the values of the controls by name.
    size : tuple of float
        Width and height of the picture in inches.
    controls : dict
        The sliders and lists by name.
    table : DataFrame
        The numbers that the picture shows now.
    png : bytes
        The picture with all its Axes, as a PNG file.
    alternative_text : str
        The titles of the picture and the sentence, for readers who don't see the picture.
    says, numbers, picture : widget
        The sentence, the table and the picture, each as HTML.
    """

    def __init__(
        self,
        draw: Draw,
        size: tuple[float, float],
        controls: Controls,
    ) -> None:
        """Arrange the controls, the table, the sentence and the picture; draw the first picture.

        ``draw`` takes the Axes and the values of the controls by name, and returns a `Drawing`.
        ``size`` is the width and height of the picture in inches.
        """
        self.draw = draw
        self.size = size
        self.controls: dict[str, widgets.DOMWidget] = dict(controls)
        self.table: pd.DataFrame = pd.DataFrame()
        self.png: bytes = b""
        self.alternative_text: str = ""
        self.says: widgets.DOMWidget = widgets.HTML()
        self.numbers: widgets.DOMWidget = widgets.HTML()
        self.picture: widgets.DOMWidget = widgets.HTML()
        # The controls fill rows of two. The table is to their right if the page is wide enough.
        two_columns = widgets.Layout(grid_template_columns="repeat(2, max-content)")
        grid = widgets.GridBox([*self.controls.values()], layout=two_columns)
        wrapping = widgets.Layout(display="flex", flex_flow="row wrap", align_items="flex-start")
        super().__init__(
            [widgets.Box([grid, self.numbers], layout=wrapping), self.says, self.picture]
        )
        self._draw_again()
        for control in self.controls.values():
            control.observe(self.redraw, names="value")

    def redraw(self, _change: object = None) -> None:
        """Update picture, sentence and table; if that is not possible, the sentence says why.

        A control passes a record of its change, which this method ignores.
        """
        try:
            self._draw_again()
        except InputError as error:
            self.says.value = for_html(error)

    def _draw_again(self) -> None:
        """Draw the current values of the controls; raise if they make no sense together."""
        figure = Figure(figsize=self.size, layout="constrained", dpi=2 * PIXELS_PER_INCH)
        n_axes = 1
        width, _ = self.size
        if width > WIDTH_FOR_TWO:
            n_axes = 2
        axes = figure.subplots(1, n_axes, squeeze=False).ravel()
        values = {name: control.value for name, control in self.controls.items()}
        sentence, self.table = self.draw(*axes, **values)
        self.png = to_png(figure)
        self.says.value = sentence
        self.numbers.value = _html_table(self.table)
        self.alternative_text = _alternative_text(axes, sentence)
        self.picture.value = self._html_picture()

    def _html_picture(self) -> str:
        """Return the picture as an HTML element with its alternative text."""
        width, height = (PIXELS_PER_INCH * inches for inches in self.size)
        # The page reserves the room before the picture is there, so nothing jumps during a drag.
        style = f"width:{width:g}px; max-width:100%; aspect-ratio:{width:g}/{height:g}"
        source = f"data:image/png;base64,{b64encode(self.png).decode()}"
        text = for_html(self.alternative_text)
        return f'<img class="receval-view" alt="{text}" src="{source}" style="{style}">'

    def _repr_mimebundle_(  # type: ignore[override]
        self, **options: object
    ) -> tuple[Record, Record]:
        """Return the contents of the view by MIME type, and their metadata, for Jupyter.

        The contents are the live view and, for pages without a kernel, the current sentence and
        picture.
        """
        static = {
            "text/plain": _without_tags(self.says.value),
            "image/png": b64encode(self.png).decode(),
        }
        width = int(PIXELS_PER_INCH * self.size[0])
        # nbconvert writes "alt" as the alternative text of the picture.
        metadata = {"image/png": {"width": width, "alt": self.alternative_text}}
        live_view = super()._repr_mimebundle_(**options)
        return live_view | static, metadata


def to_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    png = BytesIO()
    # The canvas draws once; `figure.savefig` would draw twice. Little compression saves time.
    canvas = FigureCanvasAgg(figure)
    canvas.print_png(png, pil_kwargs={"compress_level": 1})  # type: ignore[no-untyped-call]
    return png.getvalue()


def _without_tags(sentence: str) -> str:
    """Return the plain text of a sentence in HTML."""
    return unescape(re.sub(r"<[^>]+>", " ", sentence))


def _alternative_text(axes: Iterable[Axes], sentence: str) -> str:
    """Return the titles of the axes and the sentence as plain text on one line."""
    titles = [ax.get_title() for ax in axes if ax.get_title()]
    parts = [*titles, _without_tags(sentence)]
    return " ".join(". ".join(parts).split())


def _html_table(table: pd.DataFrame) -> str:
    """Return a small table as HTML, with three decimals for numbers that are not whole."""
    header = "".join(f'<th scope="col">{for_html(label)}</th>' for label in table.columns)
    corner = for_html(table.index.name or "")
    rows = [f'<tr><th scope="col">{corner}</th>{header}</tr>']
    for label, values in zip(table.index, table.astype(object).to_numpy(), strict=True):
        cells = "".join(f"<td>{for_html(_format_cell(value))}</td>" for value in values)
        rows.append(f'<tr><th scope="row">{for_html(label)}</th>{cells}</tr>')
    style = "line-height:1.35; margin-left:1.5em"
    return f'<table class="receval-numbers" style="{style}">{"".join(rows)}</table>'


def _format_cell(value: object) -> str:
    """Return a value of a table as text; a dash marks a missing value."""
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - only NaN differs from itself
            return "–"
        if value.is_integer():
            return f"{value:.0f}"
        return f"{value:.3f}"
    return str(value)


def slider(
    name: str, value: float, least: float, most: float, step: float = 1
) -> widgets.IntSlider | widgets.FloatSlider:
    """Build a slider from ``least`` to ``most`` that starts at ``value`` and moves by ``step``.

    If all four are integers, so are the values of the slider. ``name`` is its label. The value
    changes during a drag, and with the arrow keys.
    """
    if all(isinstance(number, int) for number in (value, least, most, step)):
        slider_class = widgets.IntSlider
    else:
        slider_class = widgets.FloatSlider
    return slider_class(
        value,
        min=least,
        max=most,
        step=step,
        description=name,
        tooltip=name,  # a long label is cut off
        continuous_update=True,
    )


def choice(name: str, value: str, options: Iterable[str]) -> widgets.Dropdown:
    """Build a drop-down list of options with the label ``name``; ``value`` is chosen at first."""
    return widgets.Dropdown(options=list(options), value=value, description=name)


class Ordering(widgets.HBox):  # type: ignore[misc]
    """A list to reorder: choose an entry, and move it up or down with two buttons.

    Attributes
    ----------
    value : tuple of str
        The entries in their current order.
    entries : widget
        The list; the arrow keys choose an entry.
    up, down : widget
        The buttons. They move the chosen entry, which stays chosen.
    """

    value = traitlets.Tuple()

    def __init__(self, name: str, entries: Sequence[str]) -> None:
        """Show the entries in the given order, and choose the first; ``name`` is the label."""
        self.entries = widgets.Select(
            description=name, rows=min(len(entries), 10), layout=widgets.Layout(width="250px")
        )
        narrow = widgets.Layout(width="4em")
        self.up = widgets.Button(description="↑ up", tooltip="Move up", layout=narrow)
        self.down = widgets.Button(description="↓ down", tooltip="Move down", layout=narrow)
        self.up.on_click(lambda _button: self.move(-1))
        self.down.on_click(lambda _button: self.move(+1))
        super().__init__([self.entries, widgets.VBox([self.up, self.down])])
        self._show(entries, 0)

    def move(self, n_places: int) -> None:
        """Move the chosen entry by this number of places, at most to an end of the list."""
        order = list(self.value)
        place = self.entries.index
        new_place = min(max(place + n_places, 0), len(order) - 1)
        order.insert(new_place, order.pop(place))
        self._show(order, new_place)

    def _show(self, order: Sequence[str], place: int) -> None:
        """Show the entries in a new order, and choose the entry at a place."""
        self.entries.options = [f"{rank}. {entry}" for rank, entry in enumerate(order, 1)]
        self.entries.index = place
        self.value = tuple(order)
