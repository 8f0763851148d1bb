"""A progress bar, and the rule that decides whether it is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from receval._checks import check_flag

if TYPE_CHECKING:
    from tqdm import tqdm  # slow to import, and rarely needed


def progress_bar(
    progress: object,
    iterable: Iterable[Any] | None = None,
    *,
    shown_by_default: bool | None = None,
    **options: Any,
) -> tqdm[Any]:
    """Return a tqdm bar over an iterable, shown or hidden; ``options`` are passed to tqdm.

    If the user sets ``progress`` to True or False, that decides whether the bar is shown. If it is
    None, ``shown_by_default`` decides; if that is None too, the bar is shown on a terminal. A
    notebook shows no bar unless the user asks for one, because the bar would be saved with the
    outputs. A program without a standard error stream, such as one that ``pythonw`` runs, never
    shows one. If there is no iterable, the caller moves the bar with the bar's method ``update``.
    """
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]  # tqdm is generic for type checkers only
        """A bar without tqdm's monitor, because the monitor is a thread and a browser has none."""

        monitor_interval = 0

    is_shown = check_flag(progress, "progress", optional=True)
    if sys.stderr is None:
        is_shown = False
    if is_shown is None:
        if shown_by_default is None:
            shown_by_default = sys.stderr.isatty()
        # In a notebook, `sys.stderr` claims to be a terminal.
        is_shown = shown_by_default and "ipykernel" not in sys.modules
    return Bar(iterable, disable=not is_shown, **options)
