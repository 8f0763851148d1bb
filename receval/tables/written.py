"""Columns of text that a file holds, as numbers where every text is written as one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import LARGEST
from receval._rounding import merged_numbers

DIGITS = b"0123456789-"
SIGNS = b"0123456789+-.eEinf"  # of decimal numbers, with inf
EXACT_DIGITS = 16  # a text of so many signs may be more than float64 can tell apart
PROBE = 1000  # texts tried before all of them: a cast takes a microsecond for each that fails


def table_as_written(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Arrow's texts by column as a table; see `as_written`."""
    with ThreadPoolExecutor() as pool:
        found = pool.map(as_written, columns.values())
        return pd.DataFrame(dict(zip(columns, found, strict=True)), copy=False)


def as_written(texts: Any) -> pd.Series:
    """Numbers where every text of an Arrow array is written as one; text otherwise.

    Beside a gap whole numbers become decimal, which have them up to 2^53 and not all beyond.
    """
    given = texts.drop_null()
    found: npt.NDArray[Any] | None = whole_numbers(given)
    if found is None:
        found = decimals(given)
    elif texts.null_count and max(-int(found.min(initial=0)), int(found.max(initial=0))) > LARGEST:
        found = None
    if found is None or not found.size:
        return pd.Series(texts.to_pandas())
    if texts.null_count:
        padded = np.full(len(texts), np.nan)
        padded[texts.is_valid().to_numpy(zero_copy_only=False)] = found
        found = padded
    return pd.Series(found, copy=False)


def whole_numbers(texts: Any) -> npt.NDArray[np.int64] | None:
    """As 64 bits, or None if any is written in another way, as "007" is, or is beyond."""
    import pyarrow as pa
    import pyarrow.compute as pc

    used = _used(texts)
    found = None if used.translate(None, DIGITS) else _cast(texts, pa.int64())
    if found is None or b"-0" in used:
        return None
    padded = pc.and_not(pc.starts_with(texts, "0"), pc.equal(texts, "0"))
    return None if pc.any(padded).as_py() else np.asarray(found)


def decimals(texts: Any) -> npt.NDArray[np.float64] | None:
    """As float64, or None if any is no number of it, or may be an id: "007", fifty digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    used, plain = _used(texts), texts
    digits = not used.translate(None, DIGITS)  # only -0 among them is no whole number
    if used.translate(None, SIGNS) or (digits and b"-0" not in used):
        return None
    if b"+" in used:  # which Arrow knows in exponents only
        plain = pc.replace_substring_regex(texts, r"^\+([0-9.i])", r"\1")
    found = _cast(plain, pa.float64())
    if found is None:
        return None
    whole = texts.filter(pc.invert(pc.match_substring(texts, ".")))
    numbers = np.asarray(found)
    infinite = texts.filter(pa.array(np.isinf(numbers)))  # 1e999 is no number of float64
    padded = pc.match_substring_regex(whole, "^-?0[0-9]+$")
    beyond = pc.invert(pc.match_substring(infinite, "inf"))
    if pc.any(padded).as_py() or pc.any(beyond).as_py() or _rounds(texts, whole, numbers):
        return None
    return None if digits and np.abs(numbers).max() >= LARGEST else numbers


def _rounds(texts: Any, whole: Any, numbers: npt.NDArray[np.float64]) -> bool:
    """Whether float64 would lose what the texts say: then they stay as they are written.

    That is so for whole numbers beyond 2^53 that float64 hasn't, for a small number that would be
    0, and for numbers of many digits that differ and would be equal. ``whole`` are the texts
    without a point.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    far = whole.filter(pc.greater_equal(pc.utf8_length(whole), EXACT_DIGITS))
    for text in far.filter(pc.match_substring_regex(far, "^[-+]?[0-9]+$")).to_pylist():
        if int(float(text)) != int(text):
            return True
    zeros = texts.filter(pa.array(numbers == 0))
    if pc.any(pc.match_substring_regex(zeros, "^[^eE]*[1-9]")).as_py():
        return True
    # As many digits as float64 writes tell two numbers apart; texts of more may not.
    has_many = pc.greater(pc.utf8_length(texts), EXACT_DIGITS)
    if not pc.any(has_many).as_py():
        return False
    is_long = has_many.to_numpy(zero_copy_only=False)
    again = pd.Series(numbers).duplicated(keep=False).to_numpy()
    if not (again & is_long).any():
        return False
    alike = texts.filter(pa.array(again)).unique()
    if len(alike) == pd.unique(numbers[again]).size:
        return False
    return merged_numbers(map(Decimal, alike.to_pylist())) is not None


def _used(texts: Any) -> bytes:
    """The bytes of all texts, one after the other."""
    ends, data = texts.buffers()[1:]
    first, last = np.frombuffer(ends, np.int64)[[texts.offset, texts.offset + len(texts)]]
    return bytes(data[first:last]) if last > first else b""


def _cast(texts: Any, kind: Any) -> Any:
    """As numbers, or None."""
    import pyarrow as pa

    try:
        texts[:PROBE].cast(kind)
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None
