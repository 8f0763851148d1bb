"""Text files: read whole or refused with the place, written whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from receval._checks import InputError


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"path must be an existing file; got {path.name}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None


def not_utf8(path: Path, error: UnicodeDecodeError) -> InputError:
    """What to raise for a file in another encoding."""
    return InputError(
        f"{path.name} must be UTF-8 text; got the byte 0x{error.object[error.start]:02x} "
        f"at position {error.start}"
    )


def write_atomically(path: str | Path, write: Callable[[Any], object]) -> None:
    """Let ``write`` fill a text file beside ``path``, then put it in its place at once."""
    target = Path(path)
    # Opened in the ordinary way, so that it has the permissions of any new file of the user.
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with aside.open("x", encoding="utf-8", newline="") as file:
            write(file)
        aside.replace(target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
