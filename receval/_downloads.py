"""Fetch files of other authors from their public source at a fixed commit, and check them.

No raw file is part of receval. `fetch` looks for a file in the folder that the environment
variable ``RECEVAL_DATA`` names, then in the cache, and then downloads it from its source.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from receval._checks import InputError, NotWritten, check_choice
from receval._extras import import_extra
from receval._files import MAX_DOWNLOAD_BYTES, Replacement, make_folder, read_toml

__all__ = ["DataUnavailable", "available", "fetch", "sources"]

VARIABLE = "RECEVAL_DATA"
TIMEOUT = 15  # seconds to wait for an answer
_unreachable: set[str] = set()  # hosts that did not answer; this process doesn't try them again


class DataUnavailable(OSError):
    """A file by other authors is neither in ``RECEVAL_DATA`` nor available from its source.

    The message says where the file comes from and how to put it in place by hand.
    """

    __module__ = "receval.datasets"


class CorruptDownload(OSError):
    """A file or an archive cannot be opened, or its content is not the expected one."""


@dataclass(frozen=True)
class Source:
    """The origin of one file, and the checksums that identify it.

    ``sha256`` is the checksum of the uncompressed file itself. ``blob`` is the git id of the file
    at ``path``. If the file is part of an archive, ``member`` is its path in the archive, or a
    pattern that only this file matches; ``path``, ``blob`` and ``archive_sha256`` then describe the
    archive.
    """

    repository: str
    commit: str
    path: str
    sha256: str | None = None
    member: str | None = None
    archive_sha256: str | None = None
    blob: str | None = None

    @property
    def url(self) -> str:
        """Return the address of the raw file at the fixed commit."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    @property
    def is_in_archive(self) -> bool:
        """Return whether the download is an archive that holds the file."""
        return self.member is not None

    def file_error(self, content: bytes) -> str:
        """Return the rule that the content of the file breaks, or "" if it is the right file."""
        if self.is_in_archive:  # the blob id belongs to the archive
            return _checksum_error(content, sha256=self.sha256, blob=None)
        return _checksum_error(content, sha256=self.sha256, blob=self.blob)

    def download_error(self, content: bytes) -> str:
        """Return the rule that the download breaks, or "" if it is the right file or archive."""
        if self.is_in_archive:
            return _checksum_error(content, sha256=self.archive_sha256, blob=self.blob)
        return self.file_error(content)


def _checksum_error(content: bytes, *, sha256: str | None, blob: str | None) -> str:
    """Return the rule that the content breaks, such as "have the SHA-256 …; got …", or "".

    ``sha256`` is the expected checksum and ``blob`` the id that git gives the file. The one that is
    None is not checked.
    """
    if sha256 is not None:
        computed = hashlib.sha256(content).hexdigest()
        if computed != sha256:
            return f"have the SHA-256 {sha256}; got {computed}"
    if blob is not None:
        # Git puts the type and the length before the content, and hashes all of it.
        git_object = b"blob %d\0" % len(content) + content
        computed = hashlib.sha1(git_object, usedforsecurity=False).hexdigest()
        if computed != blob:
            return f"have the git blob id {blob}; got {computed}"
    return ""


def sources() -> dict[str, Source]:
    """Return every file that `fetch` knows, with its repository, commit, path and checksum.

    Examples
    --------
    >>> sources()["cars/cars-1k.csv"].repository
    'wi2trier/cbrkit'
    """
    return {name: Source(**fields) for name, fields in read_toml("sources.toml").items()}


def fetch(name: str) -> Path:
    """Return the path of a checked copy of another author's file.

    Parameters
    ----------
    name : str
        One of the names in `sources`, such as ``"cars/cars-1k.csv"``.

    Returns
    -------
    Path
        The file in the folder ``RECEVAL_DATA``, where it may be gzipped (``name`` with
        ``.gz`` appended), or in the user's cache.

    Raises
    ------
    InputError
        If the name is unknown, the file in ``RECEVAL_DATA`` is not the expected one, or the
        disk is full.
    DataUnavailable
        If the file is in neither place and cannot be downloaded. Downloads need pooch, which
        ``pip install "receval[data]"`` installs.
    """
    source_by_name = sources()
    source = source_by_name[check_choice(name, "name", source_by_name)]
    folder = os.environ.get(VARIABLE)
    if folder:
        for path in (Path(folder, name), Path(folder, f"{name}.gz")):
            if path.is_file():
                _check_local_file(path, name, source)
                return path
    return _fetch_into_cache(name, source)


def available(*names: str) -> bool:
    """Return whether `fetch` would succeed; tests and studies on real data call this first.

    Parameters
    ----------
    *names : str
        Names in `sources`.

    Returns
    -------
    bool
        True if every file is here or could be downloaded.
    """
    with suppress(DataUnavailable, NotWritten):
        return all(fetch(name) for name in names)
    return False


def _check_local_file(path: Path, name: str, source: Source) -> None:
    """Raise if a file in ``RECEVAL_DATA`` is not the expected one; ``name`` is for the message."""
    try:
        broken_rule = source.file_error(read_content(path))  # "" if the file is right
    except (OSError, EOFError, zlib.error) as error:  # a cut or broken .gz, no permission
        broken_rule = f"be a file that can be read; got {error}"
    if broken_rule:
        advice = "Replace it, or unset the variable to download it"
        raise InputError(f"{name} in {VARIABLE} must {broken_rule}. {advice}")


def _fetch_into_cache(name: str, source: Source) -> Path:
    """Return the path of a file in the cache; download the file if it isn't there yet.

    Raises `DataUnavailable` if that fails, and `NotWritten` if the system refuses to write it.
    """
    try:
        pooch = import_extra("pooch", "data", "a download")
    except ImportError as error:
        raise _unavailable(name, source, error) from error
    path = Path(pooch.os_cache("receval"), name.replace("/", "-"))
    # `file_error` returns the rule that the file breaks, or "". For a file from an archive, it can
    # only compare the SHA-256. If no SHA-256 is known, the file in the cache can't be trusted, so
    # it is extracted again.
    can_be_checked = source.sha256 is not None or not source.is_in_archive
    if path.is_file() and can_be_checked and not source.file_error(read_content(path)):
        return path
    host = urlsplit(source.url).netloc
    try:
        if host in _unreachable:  # it didn't answer earlier, so don't wait for it again
            raise ConnectionError(host)  # becomes `DataUnavailable` below
        make_folder(path.parent)
        if source.is_in_archive:
            archive = path.with_name(f"{path.name}.archive")
            _download(source, archive)
            _save(path, extract(archive, source))
        else:
            _download(source, path)
    except NotWritten:  # such as a full disk; the message names the file
        raise
    except Exception as error:  # pooch, requests and libarchive have errors of their own
        # The connection errors of requests don't inherit from Python's `ConnectionError`, but
        # all have this in their names.
        if isinstance(error, OSError) and "Connect" in type(error).__name__:
            _unreachable.add(host)
        raise _unavailable(name, source, error) from error
    return path


def _download(source: Source, path: Path) -> None:
    """Download the file or archive of a source to ``path``, unless it is there already.

    Raises `CorruptDownload` if the download has unexpected content.
    """
    if path.is_file() and not source.download_error(read_content(path)):
        return
    pooch = import_extra("pooch", "data", "a download")
    buffer = _LimitedBuffer(source.path)
    # The address is that of the raw file itself, so a redirection would lead to another file.
    downloader = pooch.HTTPDownloader(timeout=TIMEOUT, allow_redirects=False)
    downloader(source.url, buffer, None)  # None: there is no `Pooch` object
    content = buffer.getvalue()
    broken_rule = source.download_error(content)
    if broken_rule:
        raise CorruptDownload(f"{path.name} must {broken_rule}")
    _save(path, content)


class _LimitedBuffer(BytesIO):
    """A buffer for a download, which raises if the download exceeds `MAX_DOWNLOAD_BYTES`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def write(self, block: Any) -> int:
        if self.tell() + len(block) > MAX_DOWNLOAD_BYTES:
            raise CorruptDownload(f"{self._name} has more than {MAX_DOWNLOAD_BYTES:,} bytes")
        return super().write(block)


def _save(path: Path, content: bytes) -> None:
    """Write a download the way receval writes every file: whole or not at all."""
    with Replacement(path) as replacement:
        with replacement.writing():
            replacement.file.buffer.write(content)
        replacement.finish()


def _unavailable(name: str, source: Source, error: Exception) -> DataUnavailable:
    """Build the error that says why a file is missing and how to get it by hand."""
    if isinstance(error, (CorruptDownload, InputError, ImportError)):
        reason = str(error)
    else:  # the messages of network errors are long and technical
        reason = type(error).__name__
    take_out = ""
    if source.is_in_archive:
        take_out = f", take {source.member} out of it"
    return DataUnavailable(
        f"{name} could not be fetched from {source.repository} ({reason}). "
        f"Get {source.path} at commit {source.commit[:10]} by hand{take_out}, put it at {name} "
        f"in a folder, and set {VARIABLE} to that folder"
    )


def extract(archive: Path, source: Source) -> bytes:
    """Return the content of the source's file in an archive (RAR, ZIP, tar, ...).

    Nothing is written, whatever paths and links the archive holds. Raises `CorruptDownload` if
    the archive cannot be read, if not exactly one file matches the source's ``member``, or if
    this file has unexpected content.
    """
    try:
        import libarchive
    except ImportError as error:
        advice = 'pip install "receval[study]"'
        raise CorruptDownload(f"reading archives needs libarchive-c: {advice}") from error
    except Exception as error:  # the C library that the package loads is missing
        advice = "install it with the package manager of your system"
        raise CorruptDownload(f"reading archives needs the library libarchive: {advice}") from error
    pattern = source.member or ""  # only sources in archives, which have a member, come here
    try:
        with libarchive.file_reader(str(archive)) as entries:
            contents = [
                _join_limited(entry.get_blocks(), entry.pathname)
                for entry in entries
                if entry.isfile and fnmatch(entry.pathname, pattern)
            ]
    except libarchive.ArchiveError as error:
        raise CorruptDownload(f"{archive.name} cannot be read: {error}") from None
    if len(contents) != 1:
        got = f"{len(contents)} of them" if contents else "none"
        raise CorruptDownload(f"{archive.name} does not hold one {pattern}: got {got}")
    (content,) = contents
    broken_rule = source.file_error(content)
    if broken_rule:
        raise CorruptDownload(f"{pattern} must {broken_rule}")
    return content


def _join_limited(blocks: Iterable[bytes], name: str) -> bytes:
    """Join the blocks of a file; raise `CorruptDownload` if the file is too long.

    A ZIP bomb, a small archive of a huge file, would otherwise fill the memory. The error message
    calls the file ``name``.
    """
    content = bytearray()
    for block in blocks:
        content += block
        if len(content) > MAX_DOWNLOAD_BYTES:
            raise CorruptDownload(f"{name} has more than {MAX_DOWNLOAD_BYTES:,} bytes")
    return bytes(content)


def read_content(path: Path) -> bytes:
    """Return the content of a file, uncompressed if its name ends in .gz."""
    if path.suffix == ".gz":
        with gzip.open(path) as compressed:
            return _join_limited(_blocks(compressed), path.name)
    with path.open("rb") as file:
        return _join_limited(_blocks(file), path.name)


def _blocks(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """Yield the content of an open file in blocks."""
    while block := file.read(2**20):
        yield block
