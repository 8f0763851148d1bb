"""Text files: read whole, or refused with the place."""

from __future__ import annotations

from pathlib import Path

from receval._checks import InputError, shorten


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


def not_utf8(path: Path, error: UnicodeDecodeError) -> InputError:
    """What to raise for a file in another encoding."""
    return InputError(
        f"{path.name} must be UTF-8 text; got the byte 0x{error.object[error.start]:02x} "
        f"at position {error.start}"
    )
