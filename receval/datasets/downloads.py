"""Fetch files of other authors from their public source at a fixed commit, and check them.

No raw file is part of receval. `fetch` looks for a file in the folder that the environment
variable ``RECEVAL_DATA`` names, then in the cache, and then downloads it with pooch. A notebook
calls `study_needs`, so that it ends early if its files are not available.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from receval._checks import check_choice, import_extra, input_error
from receval._files import read_toml

VARIABLE = "RECEVAL_DATA"
TIMEOUT = 15  # seconds to wait for an answer


class DataUnavailable(OSError):
    """A file by other authors is neither in ``RECEVAL_DATA`` nor available from its source.

    The message says where the file comes from and how to put it in place by hand.
    """

    __module__ = "receval.datasets"


@dataclass(frozen=True)
class Source:
    """The origin of one file, and the checksum that identifies it.

    Attributes
    ----------
    repository, commit, path : str
        The file on GitHub, or the archive that contains it.
    checksum : str
        The checksum of the uncompressed file: "sha256:" and the SHA-256.
    member, archive_checksum : str
        The path of the file in the archive, and the checksum of the archive. Both are "" if the
        file is not in an archive.
    """

    repository: str
    commit: str
    path: str
    checksum: str
    member: str = ""
    archive_checksum: str = ""

    @property
    def url(self) -> str:
        """Return the address of the raw file at the fixed commit."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


def sources() -> dict[str, Source]:
    """Return every file that `fetch` knows, with its repository, commit, path and checksum.

    Examples
    --------
    >>> sources()["cars/cars-1k.csv"].repository
    'wi2trier/cbrkit'
    """
    records = read_toml("datasets/sources.toml")
    return {name: Source(**record) for name, record in records.items()}


def fetch(name: str) -> Path:
    """Return the path of a copy of another author's file, after checking its checksum.

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
        If the file is in neither place and cannot be downloaded, or if it is in an archive, which
        you have to unpack; the message says where to put it. Downloads need pooch, which
        ``pip install "receval[data]"`` installs.
    """
    source_by_name = sources()
    source = source_by_name[check_choice(name, "name", source_by_name)]
    folder = os.environ.get(VARIABLE)
    if folder:
        for path in (Path(folder, name), Path(folder, f"{name}.gz")):
            if path.is_file():
                _check_local_file(path, name, source.checksum)
                return path
    advice = f"put it at {name} in a folder, and set {VARIABLE} to that folder"
    if source.archive_checksum:
        raise DataUnavailable(
            f"{name} is in the archive {source.url}, which has the checksum "
            f"{source.archive_checksum}. Take {source.member} out of it, {advice}"
        )
    try:
        return _download(name, source)
    except Exception as error:  # pooch and requests have errors of their own
        # The messages of network errors are long and technical.
        reason = type(error).__name__ if isinstance(error, OSError) else error
        raise DataUnavailable(
            f"{name} could not be fetched from {source.url} ({reason}). Get this file by hand, "
            f"{advice}"
        ) from error


def available(*names: str) -> bool:
    """Fetch files, and return whether all of them are available.

    Tests and studies on real data call this first. It downloads the files that aren't here yet.

    Parameters
    ----------
    *names : str
        Names in `sources`.

    Returns
    -------
    bool
        False if `fetch` raises `DataUnavailable` for one of the files.

    Raises
    ------
    InputError
        If a name is unknown, or a file in ``RECEVAL_DATA`` is not the expected one.
    """
    with suppress(DataUnavailable):
        return all(fetch(name) for name in names)
    return False


def study_needs(*names: str) -> None:
    """Skip the rest of a notebook, with a message, if its files are not available.

    Parameters
    ----------
    *names : str
        Names of files, as for `fetch`.

    Raises
    ------
    DataUnavailable
        If a file is not available and the code is not running in a notebook.

    Examples
    --------
    >>> study_needs()  # without names there is nothing to check
    """
    missing = [name for name in names if not available(name)]
    if not missing:
        return
    sentence = (
        f"{', '.join(missing)}: neither in the folder RECEVAL_DATA nor available for download. "
        "The rest of this notebook is left out; see `receval.datasets.fetch`."
    )
    from IPython import get_ipython

    shell = get_ipython()  # None outside of notebooks
    if shell is None:
        raise DataUnavailable(sentence)
    # IPython passes the lines of each later cell to this function, and runs the lines that it
    # returns: none.
    shell.input_transformers_cleanup.append(lambda _lines: [])
    print(sentence)


def read_content(path: Path) -> bytes:
    """Return the content of a file, uncompressed if its name ends in .gz."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return content


def _check_local_file(path: Path, name: str, checksum: str) -> None:
    """Raise if a file in ``RECEVAL_DATA`` is not the expected one; ``name`` is for the message."""
    subject = f"{name} in {VARIABLE}"
    advice = "Replace it, or unset the variable to download it"
    try:
        content = read_content(path)
    except (OSError, EOFError, zlib.error) as error:  # a cut or broken .gz, no permission
        raise input_error(subject, "be a file that can be read", str(error), advice) from error
    computed = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if computed != checksum:
        raise input_error(subject, f"have the checksum {checksum}", computed, advice)


def _download(name: str, source: Source) -> Path:
    """Return the path of a file in the cache; download and check it if it isn't there yet."""
    pooch = import_extra("pooch", "data", "a download")
    pooch.get_logger().setLevel("WARNING")  # otherwise each download writes into the notebook
    path = Path(pooch.os_cache("receval"), name.replace("/", "-"))
    # The address is that of the raw file itself, so a redirection would lead to another file.
    downloader = pooch.HTTPDownloader(timeout=TIMEOUT, allow_redirects=False)
    pooch.retrieve(source.url, source.checksum, path.name, path.parent, downloader=downloader)
    return path
