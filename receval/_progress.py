"""The one rule of when a progress bar is shown."""

from __future__ import annotations

from typing import Any

from receval._checks import check_flag


def progress_bar(
    progress: bool | None, of: Any = None, *, unasked: bool | None = None, **how: Any
) -> Any:
    """A bar of tqdm: shown as the user asked, else as ``unasked`` says, else on a terminal."""
    from tqdm import tqdm

    shown = check_flag(progress, "progress", optional=True)
    shown = unasked if shown is None else shown
    return tqdm(of, disable=None if shown is None else not shown, **how)
