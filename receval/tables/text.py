"""Text files: read whole, or refused with the place."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, shorten

# Until 3.1, the parser of pandas that is written in C ended a field at a null byte.
CUTS_AT_NULL = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)


def existing(path: str | Path) -> Path:
    """A path that leads to something."""
    if not isinstance(path, (str, Path)) or not str(path):
        raise InputError(f"path must be the name of a file; got {shorten(path)}")
    try:
        there = Path(path).exists()
    except (OSError, ValueError):  # a name too long, or with a null byte
        there = False
    if not there:
        raise InputError(f"path must be an existing file; got {Path(path).name}")
    return Path(path)


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    path = existing(path)
    if not path.is_file():
        raise InputError(f"path must be an existing file; got {path.name}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None


def read_fields(path: str | Path, **how: Any) -> pd.DataFrame:
    """The fields of a CSV file as they are written, null bytes and all."""
    slowly = CUTS_AT_NULL and _may_hold_null(Path(path))
    fields: pd.DataFrame = pd.read_csv(
        path,
        dtype=str,
        keep_default_na=False,
        encoding="utf-8-sig",
        engine="python" if slowly else "c",
        **how,
    )
    return fields


def _may_hold_null(path: Path) -> bool:
    """Whether a null byte is in a file; one that is compressed is not looked into."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return True
    with path.open("rb") as file:
        return any(b"\0" in part for part in iter(partial(file.read, 2**20), b""))


def not_utf8(path: Path, error: UnicodeDecodeError) -> InputError:
    """What to raise for a file in another encoding."""
    return InputError(
        f"{path.name} must be UTF-8 text; got the byte 0x{error.object[error.start]:02x} "
        f"at position {error.start}"
    )
