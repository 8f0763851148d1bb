"""Taking one file out of an archive, checked."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from receval._files import write_atomically

__all__ = ["ArchiveUnreadable", "extract"]


class ArchiveUnreadable(OSError):
    """The archive cannot be opened here, or does not hold what it should."""


def extract(archive: Path, member: str, target: Path, *, sha256: str) -> Path:
    """Write one member of an archive (RAR, ZIP, tar, ...) to ``target``, if it is the right one.

    Parameters
    ----------
    archive, target : Path
        The archive, and where the member goes.
    member : str
        Path of the file inside the archive.
    sha256 : str
        What its uncompressed content must hash to.

    Returns
    -------
    Path
        ``target``, written whole or not at all.

    Raises
    ------
    ArchiveUnreadable
        Without libarchive, or if the member is not there or another one than expected.
    """
    content = _member(_libarchive(), archive, member)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ArchiveUnreadable(f"{member} must have the SHA-256 {sha256}; got {found}")
    write_atomically(target, lambda file: file.buffer.write(content))
    return target


def _member(libarchive: Any, archive: Path, member: str) -> bytes:
    with libarchive.file_reader(str(archive)) as entries:
        for entry in entries:
            if entry.pathname == member:
                return b"".join(entry.get_blocks())
    raise ArchiveUnreadable(f"{archive.name} does not hold {member}")


def _libarchive() -> Any:
    try:
        import libarchive
    except Exception as error:  # the package, or the library that it loads, is not there
        raise ArchiveUnreadable(
            'reading archives needs libarchive, which comes with pip install "receval[study]"'
        ) from error
    return libarchive
