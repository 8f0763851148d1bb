"""Live views: a picture, drawn by a function, that changes when you move a control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import import_extra

if TYPE_CHECKING:
    from receval.learn.live_view import LiveView, Sliders

__all__ = ["live", "sliders"]


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
        If a control has another form.
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
    import_extra("ipywidgets", "notebooks", "learn.live")
    from receval.learn.live_view import LiveView

    return LiveView(draw, data, controls)


def sliders(numbers: Sequence[float] | pd.Series, form: tuple[float, ...]) -> Sliders:
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
    Sliders
        A widget of ipywidgets.

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
    import_extra("ipywidgets", "notebooks", "learn.sliders")
    from receval.learn.live_view import Sliders

    if isinstance(numbers, pd.Series):
        return Sliders(numbers, form)
    ranks = pd.RangeIndex(1, len(numbers) + 1, name="rank")
    return Sliders(pd.Series(numbers, ranks), form)
