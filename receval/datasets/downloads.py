"""Real data of others: fetched from its public source at a fixed commit, and checked.

No raw file is part of receval. A file is looked for in the folder that the environment
variable ``RECEVAL_DATA`` names, then in the cache, then at its source.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from receval._checks import InputError, check_choice

__all__ = ["DataUnavailable", "available", "fetch", "sources"]

VARIABLE = "RECEVAL_DATA"


class DataUnavailable(OSError):
    """A file of others is neither in ``RECEVAL_DATA`` nor to be had from its source.

    The message says where it comes from and how to put it in place by hand.
    """

    __module__ = "receval.datasets"


@dataclass(frozen=True)
class Source:
    """Where one file comes from, and how to know it."""

    repository: str
    commit: str
    path: str
    sha256: str

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
    with resources.files("receval.datasets").joinpath("sources.toml").open("rb") as file:
        return {name: Source(**fields) for name, fields in tomllib.load(file).items()}


def fetch(name: str) -> Path:
    """Path of a checked copy of a file of others.

    Parameters
    ----------
    name : str
        One of the names in `sources`, such as ``"cars/cars-1k.csv"``.

    Returns
    -------
    Path
        The file in the folder ``RECEVAL_DATA``, or in the user's cache.

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
    if here is not None:
        found = hashlib.sha256(here.read_bytes()).hexdigest()
        if found != source.sha256:
            raise InputError(
                f"{name} in {VARIABLE} must have the SHA-256 {source.sha256}; got {found}. "
                "Replace it, or unset the variable to download it"
            )
        return here
    import pooch  # slow to import, and only needed here

    try:
        path = pooch.retrieve(
            source.url,
            known_hash=f"sha256:{source.sha256}",
            fname=name.replace("/", "-"),
            path=pooch.os_cache("receval"),
        )
    except Exception as error:  # requests' and pooch's own kinds: all mean "not to be had"
        raise DataUnavailable(
            f"{name} could not be fetched from {source.repository} ({type(error).__name__}). "
            f"Get {source.path} at commit {source.commit[:10]} by hand, put it at {name} in a "
            f"folder, and set {VARIABLE} to that folder"
        ) from error
    return Path(path)


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
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    path = Path(folder) / name
    return path if path.is_file() else None
