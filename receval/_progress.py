"""The one rule of when a progress bar is shown."""

from __future__ import annotations

import sys
from typing import Any

from receval._checks import check_flag


def progress_bar(
    progress: bool | None, of: Any = None, *, unasked: bool | None = None, **how: Any
) -> Any:
    """A bar of tqdm: shown as the user asked, else as ``unasked`` says, else on a terminal.

    Unasked there is none in a notebook, which calls itself a terminal but keeps what is shown.
    """
    from tqdm import tqdm

    shown = check_flag(progress, "progress", optional=True)
    if shown is None:
        shown = sys.stderr.isatty() if unasked is None else unasked
        shown = shown and "ipykernel" not in sys.modules
    return tqdm(of, disable=not shown, **how)
