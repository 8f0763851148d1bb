"""Which files of others are here: fetched from their public source at a fixed commit, and checked.

No raw file is part of receval. A file is looked for in the folder that the environment
variable ``RECEVAL_DATA`` names, then in the cache, then at its source.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urlsplit

from receval._checks import InputError, check_choice
from receval._files import MOST, stated_in, write_atomically

__all__ = ["DataUnavailable", "available", "fetch", "sources"]

VARIABLE = "RECEVAL_DATA"
TIMEOUT = 15  # seconds to wait for an answer
_unreachable: set[str] = set()  # hosts that are not asked again in this process


class DataUnavailable(OSError):
    """A file of others is neither in ``RECEVAL_DATA`` nor to be had from its source.

    The message says where it comes from and how to put it in place by hand.
    """

    __module__ = "receval.datasets"


class NotAsExpected(OSError):
    """A file or an archive cannot be opened here, or does not hold what it should."""


@dataclass(frozen=True)
class Source:
    """Where one file comes from, and how to know it.

    ``sha256`` is that of the file itself, uncompressed; ``blob`` is the git id of the file at
    ``path``. A file in an archive has its path there, or a pattern that it alone meets, as
    ``member``; ``path``, ``blob`` and ``archive_sha256`` are then of the archive.
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
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    def differs(self, content: bytes, *, archive: bool = False) -> str:
        """What is wrong with the file, or with the archive that it is in; nothing: ""."""
        sha256 = self.archive_sha256 if archive else self.sha256
        blob = self.blob if archive or self.member is None else None
        of_git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
        found = {"SHA-256": hashlib.sha256(content), "git blob id": of_git}
        for name, wanted in (("SHA-256", sha256), ("git blob id", blob)):
            if wanted is not None and (got := found[name].hexdigest()) != wanted:
                return f"have the {name} {wanted}; got {got}"
        return ""


def sources() -> dict[str, Source]:
    """Every file that `fetch` knows, with its repository, commit, path and checksum.

    Examples
    --------
    >>> sources()["cars/cars-1k.csv"].repository
    'wi2trier/cbrkit'
    """
    known = stated_in("sources.toml")
    return {name: Source(**fields) for name, fields in known.items()}


def fetch(name: str) -> Path:
    """Path of a checked copy of a file of others.

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
        If the name is unknown, or the file in ``RECEVAL_DATA`` is not the expected one.
    DataUnavailable
        If the file is in neither place and cannot be downloaded.
    """
    known = sources()
    source = known[check_choice(name, "name", known)]
    folder = os.environ.get(VARIABLE)
    paths = [Path(folder, name), Path(folder, f"{name}.gz")] if folder else []
    here = next((path for path in paths if path.is_file()), None)
    if here is None:
        return _download(name, source)
    try:
        wrong = source.differs(content_of(here))
    except (OSError, EOFError, zlib.error) as error:  # a cut or broken .gz, no permission
        wrong = f"be a file that can be read; got {error}"
    if wrong:
        advice = "Replace it, or unset the variable to download it"
        raise InputError(f"{name} in {VARIABLE} must {wrong}. {advice}")
    return here


def available(*names: str) -> bool:
    """Whether `fetch` would succeed; tests and studies on real data ask this first.

    Parameters
    ----------
    *names : str
        Names in `sources`.

    Returns
    -------
    bool
        True if every file is here or could be downloaded.
    """
    with suppress(DataUnavailable):
        return all(fetch(name) for name in names)
    return False


def _download(name: str, source: Source) -> Path:
    """The file from the cache or, once, from its source."""
    import pooch  # slow to import, and only needed here

    folder = Path(pooch.os_cache("receval"))
    cached = folder / name.replace("/", "-")
    inside = source.member is not None
    if inside and source.sha256 and cached.is_file() and not source.differs(content_of(cached)):
        return cached
    host = urlsplit(source.url).netloc
    sha256 = source.archive_sha256 if inside else source.sha256
    known = f"sha256:{sha256}" if sha256 else None
    kept = f"{cached.name}.archive" if inside else cached.name
    # A raw file lies where its address says: what leads elsewhere is not followed.
    web = pooch.HTTPDownloader(timeout=TIMEOUT, allow_redirects=False)
    try:
        if host in _unreachable:
            raise ConnectionError(host)
        pooch.get_logger().setLevel("WARNING")  # it announces every attempt
        got = pooch.retrieve(source.url, known_hash=known, fname=kept, path=folder, downloader=web)
        path = Path(got)
        if wrong := source.differs(content_of(path), archive=inside):
            path.unlink()
            raise NotAsExpected(f"{path.name} must {wrong}")
        if inside:
            extract(path, source, cached)
    except Exception as error:  # requests' and pooch's own kinds: all mean "not to be had"
        if isinstance(error, OSError) and "Connect" in type(error).__name__:
            _unreachable.add(host)
        why = str(error) if isinstance(error, NotAsExpected) else type(error).__name__
        take = f", take {source.member} out of it" if inside else ""
        raise DataUnavailable(
            f"{name} could not be fetched from {source.repository} ({why}). "
            f"Get {source.path} at commit {source.commit[:10]} by hand{take}, put it at {name} "
            f"in a folder, and set {VARIABLE} to that folder"
        ) from error
    return cached if inside else path


def extract(archive: Path, source: Source, target: Path) -> None:
    """Write the member of an archive (RAR, ZIP, tar, ...) to ``target``, if it is the right one.

    Nothing else is written, whatever paths and links the archive holds.
    """
    try:
        import libarchive
    except Exception as error:  # the package, or the library that it loads, is not there
        how = 'which comes with pip install "receval[study]"'
        raise NotAsExpected(f"reading archives needs libarchive, {how}") from error
    try:
        with libarchive.file_reader(str(archive)) as entries:
            found = [
                _joined(entry.get_blocks(), entry.pathname)
                for entry in entries
                if entry.isfile and fnmatch(entry.pathname, source.member or "")
            ]
    except libarchive.ArchiveError as error:
        raise NotAsExpected(f"{archive.name} cannot be read: {error}") from None
    if len(found) != 1:
        got = f"{len(found)} of them" if found else "none"
        raise NotAsExpected(f"{archive.name} does not hold one {source.member}: got {got}")
    if wrong := source.differs(found[0]):
        raise NotAsExpected(f"{source.member} must {wrong}")
    write_atomically(target, lambda file: file.buffer.write(found[0]))


def _joined(blocks: Iterable[bytes], name: str) -> bytes:
    """The whole of a file, unless it is a bomb."""
    content = bytearray()
    for block in blocks:
        content += block
        if len(content) > MOST:
            raise NotAsExpected(f"{name} has more than {MOST:,} bytes")
    return bytes(content)


def content_of(path: Path) -> bytes:
    """The uncompressed content."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return _joined(iter(lambda: file.read(2**20), b""), path.name)
