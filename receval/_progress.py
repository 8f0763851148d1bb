"""The one rule of when a progress bar is shown."""

from __future__ import annotations

import sys
from typing import Any

from receval._checks import check_flag


def progress_bar(progress: bool | None, *of: Any, unasked: bool | None = None, **how: Any) -> Any:
    """A bar of tqdm: shown as the user asked, else as ``unasked`` says, else where one watches."""
    from tqdm import tqdm

    shown = check_flag(progress, "progress", optional=True)
    if shown is None:
        shown = watched() if unasked is None else unasked
    bar: Any = tqdm
    return bar(*of, disable=not shown, **how)


def watched() -> bool:
    """Whether somebody watches: a notebook calls itself a terminal, but keeps what is shown."""
    return sys.stderr.isatty() and "ipykernel" not in sys.modules
