"""Live views: a picture, drawn by a function, that changes when you move a control."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from receval._checks import import_extra

if TYPE_CHECKING:
    from receval.learn.live_view import LiveView

__all__ = ["live"]


def live(draw: Callable[..., str], **controls: object) -> LiveView:
    """Show a picture that changes when you move a control.

    The function calls ``draw`` with the values of the controls, at the start and after each
    change. Without a kernel, the page shows the first picture.

    Parameters
    ----------
    draw : function
        Draws one figure with pyplot or seaborn, and returns a sentence about it. Its arguments are
        the names of the controls.
    **controls
        The controls by name, in the short forms of ``ipywidgets.interact``: ``(1, 20)`` is a slider
        from 1 to 20, ``True`` or ``False`` a tick, and a list of texts a drop-down list. A widget
        of ipywidgets is itself.

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
    >>> def draw(rank):
    ...     plt.bar(["reciprocal rank"], [1 / rank])
    ...     return f"A first hit at rank {rank} is worth {1 / rank:.2f}."
    >>> learn.live(draw, rank=(1, 5))
    A first hit at rank 3 is worth 0.33.
    """
    import_extra("ipywidgets", "notebooks", "learn.live")
    from receval.learn.live_view import LiveView

    return LiveView(draw, controls)
