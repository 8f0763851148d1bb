"""Files: where the shipped ones lie, and how one is written whole or not at all."""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from receval._checks import InputError, refusal, require, shorten

PACKAGE = Path(__file__).resolve().parent


def text_of(name: str) -> str:
    """A text file of the package."""
    return files("receval").joinpath(name).read_text(encoding="utf-8")


def stated_in(name: str) -> dict[str, Any]:
    """What a TOML file of the package states."""
    return tomllib.loads(text_of(name))


def published_folder() -> Path:
    """The folder of the published figures, one TOML file per document."""
    return _shared("published", PACKAGE.parent / "data" / "published")


def notebooks_folder() -> Path:
    """The folder of the notebooks as shipped."""
    return _shared("notebooks", PACKAGE.parent / "notebooks")


def notebook_paths(folder: Path) -> list[Path]:
    """The notebooks of a folder in reading order: the door first, the ledger last."""
    folder = check_folder(folder)
    inside = folder.rglob("*.ipynb") if is_folder(folder) else ()
    found = [path for path in inside if ".ipynb_checkpoints" not in path.parts]
    if not found:
        raise InputError(f"folder must hold notebooks; got none in {shorten(folder.name)}")
    # documents, learn and studies are in the order of the alphabet
    return sorted(found, key=lambda path: (path.stem[:2] == "99", path.stem[:2] != "00", path))


def is_there(path: str | Path) -> bool:
    """Whether a path leads to something; unlike Path, False for a name that is too long."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Whether a path leads to a folder."""
    return is_there(path) and Path(path).is_dir()


def is_file(path: str | Path) -> bool:
    """Whether a path leads to a file."""
    return is_there(path) and Path(path).is_file()


def check_folder(path: Any, name: str = "folder") -> Path:
    """The path of a folder that is there or could be made: no file stands in its place."""
    require(isinstance(path, (str, Path)) and str(path) != "", name, "be a folder", path)
    folder = Path(path)
    for part in (folder, *folder.parents):
        if is_there(part) and not is_folder(part):
            raise refusal(name, "be a folder", f"the file {shorten(str(part))}")
    return folder


def make_folder(folder: Path, name: str = "folder") -> None:
    """Make a folder and those that it lies in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise
    except (OSError, ValueError) as error:  # a name that is too long, a null byte, a file
        got = f"{shorten(str(folder))} ({getattr(error, 'strerror', None) or error})"
        raise refusal(name, "be a folder that can be made", got) from None


def write_atomically(path: str | Path, write: Callable[[Any], object]) -> None:
    """Let ``write`` fill a text file beside ``path``, then bring it into its place at once.

    Whatever goes wrong, what was there before stays as it was and nothing else is left, but for
    a process that is killed: its ``.<name>.receval-<random>`` stays, and is never taken for a
    result. Of several writers one wins whole. A symbolic link stays one, and the file that it
    leads to is replaced; the permissions of a file that is replaced are kept; devices and pipes
    are written to directly.
    """
    target = check_writable(path)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="") as file:
            write(file)
        return
    aside = beside(target)
    try:
        # Opened in the ordinary way, so that it has the permissions of any new file of the user.
        with aside.open("x", encoding="utf-8", newline="") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())  # a full disk may show only here
        if target.exists():
            aside.chmod(target.stat().st_mode)
        aside.replace(target)
    except UnicodeEncodeError as error:
        got = shorten(error.object[error.start : error.end])
        raise refusal(target.name, "hold text that UTF-8 can write", got) from None
    finally:
        aside.unlink(missing_ok=True)


def beside(target: Path) -> Path:
    """A new name beside a file, to be written to and then renamed: ``.<name>.receval-<random>``."""
    # Cut, so that it is not too long where the name is as long as the system allows.
    return target.with_name(f".{target.name[:50]}.receval-{secrets.token_hex(8)}")


def check_writable(path: Any, name: str = "path") -> Path:
    """The file that a path leads to, refused if it cannot be written: ask before long work."""
    require(isinstance(path, (str, Path)), name, "be the name of a file", path)
    given = Path(path)
    try:
        folder, there, plain = given.is_dir(), given.exists(), given.is_file()
        target = Path(os.path.realpath(given))
    except (OSError, ValueError) as error:  # a name that is too long, a null byte
        raise refusal(name, "be the name of a file", error) from None
    if folder:
        raise refusal(name, "be a file to write", f"the folder {shorten(str(path))}")
    if there and not plain:  # a device or a pipe
        return given
    if target.is_symlink():
        raise refusal(name, "be the name of a file", f"{path}, a loop of links")
    require(target.parent.is_dir(), name, "lie in an existing folder", str(path))
    free = os.access(target.parent, os.W_OK | os.X_OK)
    free = free and (not there or os.access(target, os.W_OK))
    require(free, name, "be one that may be written", str(path))
    return target


def _shared(name: str, in_checkout: Path) -> Path:
    in_wheel = PACKAGE / "share" / name
    return in_wheel if in_wheel.is_dir() else in_checkout
