"""Columns of text that a file holds, as numbers where every text is written as one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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


def parse_table_numbers(columns: Mapping[str, Any], texts: Collection[str] = ()) -> pd.DataFrame:
    """Arrow's texts by column as a table; see `as_written`. Those named in ``texts`` stay text."""

    def converted(name: str) -> pd.Series:
        if name in texts:
            return pd.Series(columns[name].to_pandas())
        return parse_numbers(columns[name])

    with ThreadPoolExecutor() as pool:
        found = pool.map(converted, columns)
        return pd.DataFrame(dict(zip(columns, found, strict=True)), copy=False)


def parse_numbers(texts: Any) -> pd.Series:
    """Numbers where every text of an Arrow array is written as one; text otherwise.

    Beside a gap whole numbers become decimal, which have them up to 2^53 and not all beyond.
    """
    given = texts.drop_null()
    found: npt.NDArray[Any] | None = whole_numbers(given)
    if found is None:
        found = decimals(given)
    elif texts.null_count and beyond_float64(found):
        found = None
    if found is None or not found.size:
        return pd.Series(texts.to_pandas())
    if texts.null_count:
        padded = np.full(len(texts), np.nan)
        padded[texts.is_valid().to_numpy(zero_copy_only=False)] = found
        found = padded
    return pd.Series(found, copy=False)


def looks_like_numbers(texts: list[str]) -> bool:
    """Whether these texts, if they stand in a file without quotes, are read as numbers."""
    import pyarrow as pa

    filled = [text for text in texts if text]
    if not filled or not set(filled[0]) <= set(SIGNS.decode()):
        return False
    try:
        column = pa.array(filled, pa.large_string())
    except UnicodeEncodeError:  # no file can hold it
        return False
    return parse_numbers(column).dtype.kind in "iuf"


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


def unsigned_numbers(texts: Any) -> npt.NDArray[np.uint64] | None:
    """As 64 bits without a sign, for those beyond int64; None if any is written in another way."""
    import pyarrow as pa

    digits = not _used(texts).translate(None, b"0123456789")
    found = _cast(texts, pa.uint64()) if digits and not texts.null_count else None
    return None if found is None else np.asarray(found)


def beyond_float64(integers: npt.NDArray[Any]) -> bool:
    """Whether any is so large that float64 may round it."""
    most = max(-int(integers.min(initial=0)), int(integers.max(initial=0)))
    return most > LARGEST


def float64_unless_rounded(integers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers as decimal numbers, or as they are where float64 may round one of them."""
    return integers if beyond_float64(integers) else integers.astype(np.float64)


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
