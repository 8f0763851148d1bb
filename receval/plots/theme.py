"""The look of the pictures in the walks: one theme, and one colour for one thing."""

from __future__ import annotations

from receval.plots.axes import BLUE, GREEN, GREY, ORANGE, seaborn

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "set_theme"]


def set_theme() -> None:
    """Give the pictures of a notebook the look of the walks.

    The function calls ``seaborn.set_theme`` with a white background, titles at the left, and no
    frame at the top and at the right. Pictures that come afterwards have this look.

    Raises
    ------
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> from receval import plots
    >>> plots.set_theme()
    """
    seaborn().set_theme(
        style="white",
        palette="colorblind",
        rc={
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "figure.constrained_layout.use": True,
            "figure.figsize": (6.5, 3.5),
            "font.size": 10,
        },
    )
