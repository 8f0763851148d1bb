"""What both halves read: a table of members by items."""

from __future__ import annotations

import numpy.typing as npt

from receval._checks import FloatArray, InputError, as_finite


def members_by_items(values: npt.ArrayLike, name: str) -> FloatArray:
    """Finite ``values`` with at least one member and one item."""
    array = as_finite(values, name)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise InputError(
            f"{name} must have the axes (members, items), neither empty; got shape {array.shape}"
        )
    return array
