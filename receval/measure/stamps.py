"""Stamps: one number for each user, by which rows are known that changed since they were measured.

Rows aren't copied: lists are read from the user's tables again when somebody asks for a working,
for some of the users, or for what ties leave open.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray
from receval.measure.block import Lines

Stamps = npt.NDArray[np.uint64]


def stamps_of(lines: Lines) -> Stamps:
    """A number for each line, from its items, grades and scores or ranks, each in its place."""
    n = lines.users.size
    total = lines.length.astype(np.uint64)
    for number, (rows, values) in enumerate(
        [
            (lines.judged, lines.judged.items.raw),
            (lines.recommended, lines.recommended.items.raw),
        ]
    ):
        if values is not None:  # text is our own copy
            total += _sums(rows.read(values), rows.padding, n, number)
    total += _sums(lines.ratings, lines.judged.padding, n, 2)
    total += _sums(lines.order, lines.recommended.padding, n, 3)
    return total


def _sums(values: npt.NDArray[Any], padding: BoolArray | None, n: int, number: int) -> Stamps:
    """A sum for each line modulo 2^64, of the bits of each value times the weight of its place."""
    if values.shape[1] == 0:
        return np.zeros(n, np.uint64)
    bits = _bits(values)
    # Small whole numbers have all their bits at one end as float64: spread them over both.
    bits = bits ^ (bits >> np.uint64(31))
    if padding is not None:
        bits[padding] = 0
    sums: Stamps = np.einsum("ij,j->i", bits, _weights(number, values.shape[1]))
    return sums


def _bits(values: npt.NDArray[Any]) -> Stamps:
    """Each value as 64 bits."""
    is_odd_float = values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8)
    if values.dtype.kind == "O" or is_odd_float:
        values = values.astype(np.float64)
    size = values.dtype.itemsize
    return np.ascontiguousarray(values).view(f"u{size}").astype(np.uint64, copy=False)


def _weights(number: int, width: int) -> Stamps:
    """Random odd weights of so many places."""
    return _drawn(number, 1 << max(width - 1, 0).bit_length())[:width]


@cache
def _drawn(number: int, width: int) -> Stamps:
    drawn = np.random.default_rng([number, 20261123]).integers(0, 2**64, width, np.uint64)
    return drawn | np.uint64(1)
