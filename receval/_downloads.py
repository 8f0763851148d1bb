"""Which files of others are here: fetched from their public source at a fixed commit, and checked.

No raw file is part of receval. A file is looked for in the folder that the environment
variable ``RECEVAL_DATA`` names, then in the cache, then at its source.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from receval._checks import check_choice, refusal
from receval._files import PACKAGE, write_atomically

__all__ = ["DataUnavailable", "available", "fetch", "sources"]

VARIABLE = "RECEVAL_DATA"
TIMEOUT = 15  # seconds to wait for an answer
_unreachable: set[str] = set()  # hosts that are not asked again in this process


class DataUnavailable(OSError):
    """A file of others is neither in ``RECEVAL_DATA`` nor to be had from its source.

    The message says where it comes from and how to put it in place by hand.
    """

    __module__ = "receval.datasets"


class ArchiveUnreadable(OSError):
    """The archive cannot be opened here, or does not hold what it should."""


@dataclass(frozen=True)
class Source:
    """Where one file comes from, and how to know it.

    A file in an archive has its path there as ``member``; ``path`` and ``archive_sha256`` are
    then those of the archive. ``sha256`` is always that of the file itself, uncompressed.
    """

    repository: str
    commit: str
    path: str
    sha256: str
    member: str | None = None
    archive_sha256: str | None = None

    @property
    def url(self) -> str:
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


def sources() -> dict[str, Source]:
    """Every file that `fetch` knows, with its repository, commit, path and SHA-256.

    Examples
    --------
    >>> sources()["cars/cars-1k.csv"].repository
    'wi2trier/cbrkit'
    """
    known = tomllib.loads((PACKAGE / "sources.toml").read_text(encoding="utf-8"))
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
    here = _local(name)
    if here is None:
        return _download(name, source)
    if (found := _sha256(here)) != source.sha256:
        advice = "Replace it, or unset the variable to download it"
        raise refusal(f"{name} in {VARIABLE}", f"have the SHA-256 {source.sha256}", found, advice)
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
    try:
        for name in names:
            fetch(name)
    except DataUnavailable:
        return False
    return True


def _local(name: str) -> Path | None:
    """The file in ``RECEVAL_DATA``, as it is or gzipped."""
    folder = os.environ.get(VARIABLE)
    paths = (Path(folder) / name, Path(folder) / f"{name}.gz") if folder else ()
    return next((path for path in paths if path.is_file()), None)


def _download(name: str, source: Source) -> Path:
    """The file from the cache or, once, from its source."""
    import pooch  # slow to import, and only needed here

    cached = Path(pooch.os_cache("receval")) / name.replace("/", "-")
    if source.member is not None and cached.is_file() and _sha256(cached) == source.sha256:
        return cached
    host = urlsplit(source.url).netloc
    try:
        if host in _unreachable:
            raise ConnectionError(host)
        pooch.get_logger().setLevel("WARNING")  # it announces every attempt
        path = pooch.retrieve(
            source.url,
            known_hash=f"sha256:{source.archive_sha256 or source.sha256}",
            fname=cached.name if source.member is None else f"{cached.name}.archive",
            path=cached.parent,
            downloader=pooch.HTTPDownloader(timeout=TIMEOUT),
        )
        if source.member is not None:
            extract(Path(path), source.member, cached, sha256=source.sha256)
    except Exception as error:  # requests' and pooch's own kinds: all mean "not to be had"
        if isinstance(error, OSError) and "Connect" in type(error).__name__:
            _unreachable.add(host)
        why = str(error) if isinstance(error, ArchiveUnreadable) else type(error).__name__
        inside = "" if source.member is None else f", take {source.member} out of it"
        raise DataUnavailable(
            f"{name} could not be fetched from {source.repository} ({why}). "
            f"Get {source.path} at commit {source.commit[:10]} by hand{inside}, put it at {name} "
            f"in a folder, and set {VARIABLE} to that folder"
        ) from error
    return Path(path) if source.member is None else cached


def extract(archive: Path, member: str, target: Path, *, sha256: str) -> None:
    """Write one member of an archive (RAR, ZIP, tar, ...) to ``target``, if it is the right one."""
    try:
        import libarchive
    except Exception as error:  # the package, or the library that it loads, is not there
        raise ArchiveUnreadable(
            'reading archives needs libarchive, which comes with pip install "receval[study]"'
        ) from error
    with libarchive.file_reader(str(archive)) as entries:
        content = next((b"".join(e.get_blocks()) for e in entries if e.pathname == member), None)
    if content is None:
        raise ArchiveUnreadable(f"{archive.name} does not hold {member}")
    if (found := hashlib.sha256(content).hexdigest()) != sha256:
        raise ArchiveUnreadable(f"{member} must have the SHA-256 {sha256}; got {found}")
    write_atomically(target, lambda file: file.buffer.write(content))


def _sha256(path: Path) -> str:
    """Of the uncompressed content."""
    content = path.read_bytes()
    plain = gzip.decompress(content) if path.suffix == ".gz" else content
    return hashlib.sha256(plain).hexdigest()
