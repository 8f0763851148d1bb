"""Live views: a picture, drawn by a function, that changes when you move a control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import (
    InputError,
    Options,
    Record,
    check_choice,
    check_that,
    import_extra,
    input_error,
)
from receval._escape import for_attribute, for_html

if TYPE_CHECKING:
    from ipywidgets import Box, Widget

PIXELS_PER_INCH = 96  # of the page; pictures have twice as many, for sharp screens


def live(draw: Callable[..., str], *data: object, **controls: object) -> LiveView:
    """Show a picture that changes when you move a control.

    The function calls ``draw`` with the data and the values of the controls, at the start and after
    each change. Without a kernel, the page shows the first picture.

    Parameters
    ----------
    draw : function
        Draws one figure with pyplot or seaborn, and returns a sentence about it. Its arguments are
        the data and the names of the controls. `receval.learn.pictures` has such functions.
    *data
        The first arguments of ``draw``, such as your own list or table.
    **controls
        The controls by name, in the short forms of ``ipywidgets.interact``: ``(1, 20)`` is a slider
        from 1 to 20, ``True`` or ``False`` a tick, and a list of texts a drop-down list. If the
        argument of ``draw`` has a default, the control starts there. A widget of ipywidgets is
        itself, and `sliders` makes one of several sliders.

    Returns
    -------
    LiveView
        Jupyter shows it. Its ``sentence`` is the sentence about the picture that it shows now.

    Raises
    ------
    InputError
        If a control has another form, or is not an argument of ``draw``.
    ImportError
        If ipywidgets is not installed: ``pip install "receval[notebooks]"``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from receval import learn
    >>> def draw(numerator, rank=2):
    ...     plt.bar(["reciprocal rank"], [numerator / rank])
    ...     return f"A first hit at rank {rank} is worth {numerator / rank:.2f}."
    >>> learn.live(draw, 1, rank=(1, 5))
    A first hit at rank 2 is worth 0.50.
    """
    return LiveView(draw, data, controls)


class LiveView:
    """Controls above a picture and a sentence about it; see `receval.learn.live`.

    Attributes
    ----------
    controls : dict
        The widgets by name.
    sentence : str
        The sentence about the current picture.
    png : str
        The current picture, as a PNG file in base64.
    """

    def __init__(
        self, draw: Callable[..., str], data: tuple[object, ...], controls: Mapping[str, object]
    ) -> None:
        """Build the controls and draw the first picture. See `receval.learn.live`."""
        widgets = import_extra("ipywidgets", "notebooks", "learn.live")
        starts = signature(draw).parameters
        for name in controls:
            check_choice(name, "controls", starts)
        self.controls: dict[str, Widget] = {
            name: _control(name, form, starts[name].default) for name, form in controls.items()
        }
        self._draw = partial(draw, *data)
        self._text, self._picture = widgets.HTML(), widgets.HTML()
        row = widgets.HBox([*self.controls.values()], layout={"flex_flow": "row wrap"})
        self._box = widgets.VBox([row, self._text, self._picture])
        self._draw_again()
        self._first_sentence = self.sentence
        self._text.value = for_html(self.sentence)
        for control in self.controls.values():
            control.observe(self._follow_control, names="value")

    def __repr__(self) -> str:
        return self.sentence

    def _follow_control(self, _change: Record) -> None:
        """Draw again; if the values are refused, keep the picture, and let the sentence say why.

        The page also shows the first sentence, so that a reader sees what changed.
        """
        try:
            self._draw_again()
        except InputError as error:
            self.sentence = str(error)
        self._text.value = (
            f"{for_html(self.sentence)}<br>At the start: {for_html(self._first_sentence)}"
        )

    def _draw_again(self) -> None:
        """Draw the picture for the values of the controls, and put it on the page."""
        import matplotlib.pyplot as plt
        from IPython.core.pylabtools import print_figure

        self.sentence = self._draw(**{name: c.value for name, c in self.controls.items()})
        figure = plt.gcf()
        look: Options = {"bbox_inches": None, "dpi": 2 * PIXELS_PER_INCH}
        self.png: str = print_figure(figure, base64=True, **look)  # type: ignore[no-untyped-call]
        plt.close(figure)  # a notebook would show an open figure a second time
        self._width = int(PIXELS_PER_INCH * figure.get_size_inches()[0])
        self._picture.value = (
            f'<img class="receval-view" alt="{for_attribute(self.sentence)}" '
            f'src="data:image/png;base64,{self.png}" style="width:{self._width}px">'
        )

    def _repr_mimebundle_(self, **options: object) -> tuple[Record, Record]:
        """Return the contents of the view by MIME type, and their metadata, for Jupyter.

        The contents are the live view and, for pages without a kernel, the current picture.
        """
        still = {"text/plain": self.sentence, "image/png": self.png}
        metadata = {"image/png": {"width": self._width, "alt": self.sentence}}
        return self._box._repr_mimebundle_(**options) | still, metadata


def sliders(numbers: Sequence[float] | pd.Series, form: tuple[float, ...]) -> Box:
    """Make a control of `live` with a slider for each number of a list.

    The drawing function gets all numbers together, as a tuple.

    Parameters
    ----------
    numbers : sequence of float, or Series
        Where the sliders start. The labels of a Series name the sliders; otherwise, their names are
        "rank 1", "rank 2" and so on.
    form : (least, most) or (least, most, step)
        The ends of all sliders, and their step. If these numbers are whole, so are the values.

    Returns
    -------
    ipywidgets.Box
        Its ``value`` is the tuple of the current numbers.

    Raises
    ------
    InputError
        If a slider has no place for its number.
    ImportError
        If ipywidgets is not installed: ``pip install "receval[notebooks]"``.

    Examples
    --------
    >>> from receval import learn
    >>> learn.sliders([3, 0, 2], (0, 3)).value
    (3, 0, 2)
    """
    widgets = import_extra("ipywidgets", "notebooks", "learn.sliders")
    traitlets = import_extra("traitlets", "notebooks", "learn.sliders")
    if not isinstance(numbers, pd.Series):
        numbers = pd.Series(numbers, pd.RangeIndex(1, len(numbers) + 1, name="rank"))
    kind = numbers.index.name or ""
    children = [
        _control(f"{kind} {label}".strip(), form, number) for label, number in numbers.items()
    ]
    values = [slider.value for slider in children]
    # A slider silently starts elsewhere if it has no place for its number.
    check_that(
        values == numbers.tolist(), "numbers", f"lie on sliders of the form {form}", list(numbers)
    )
    box: Box = widgets.Box(children, layout={"flex_flow": "row wrap"})
    box.add_traits(value=traitlets.Tuple(tuple(values)))

    def collect(_change: Record) -> None:
        """Make a tuple of the values of the sliders."""
        box.value = tuple(slider.value for slider in children)

    for slider in children:
        slider.observe(collect, names="value")
    return box


def _control(name: str, form: object, start: object) -> Widget:
    """Return the control for a short form of ``ipywidgets.interact``, labelled with its name.

    ``interact`` itself would show the picture as an output, and a page without a kernel would have
    none. ``start`` is the first value, or ``Parameter.empty`` if the form decides.
    """
    import ipywidgets as widgets

    if isinstance(form, widgets.Widget):
        return form
    control = widgets.interactive.widget_from_abbrev(form, start)
    if control is None:
        rule = "be a short form of ipywidgets.interact, such as (1, 20), or a widget"
        raise input_error(name, rule, repr(form))
    control.description = name.replace("_", " ")
    control.style = {"description_width": "initial"}
    return control
