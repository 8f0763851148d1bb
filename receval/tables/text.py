"""Text files: read whole, or refused with the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    with whole(path, "text"):
        text = path.read_text(encoding="utf-8-sig")
    return text


def read_fields(path: str | Path, **how: Any) -> pd.DataFrame:
    """The fields of a CSV file as they are written, null bytes and all."""
    how["engine"] = "python" if CUTS_AT_NULL and _may_hold_null(Path(path)) else "c"
    how |= {"dtype": str, "keep_default_na": False, "encoding": "utf-8-sig"}
    fields: pd.DataFrame = pd.read_csv(path, **how)
    return fields


def _may_hold_null(path: Path) -> bool:
    """Whether a null byte is in a file; one that is compressed is not looked into."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return True
    with path.open("rb") as file:
        return any(b"\0" in part for part in iter(partial(file.read, 2**20), b""))


@contextmanager
def whole(path: Path, what: str) -> Iterator[None]:
    """Refuse a file that is not ``what`` it must be, whatever its reader stumbles over."""
    try:
        yield
    except (InputError, PermissionError, MemoryError, ImportError):
        raise
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path.name} must be UTF-8 text; got the byte 0x{error.object[error.start]:02x} "
            f"at position {error.start}"
        ) from None
    except Exception as error:
        raise InputError(f"{path.name} must be {what}; {error}") from None
