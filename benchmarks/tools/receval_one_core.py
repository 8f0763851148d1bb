"""receval on one core, although there may be more."""

import os

from .receval import prepare as without_ranks
from .receval import run

__all__ = ["prepare", "run"]


def prepare(recs, truth):
    """Bind this process to one core, if the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return without_ranks(recs, truth)
