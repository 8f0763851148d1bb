"""Paths of the files that come with receval, and functions that write files whole or not at all."""

from __future__ import annotations

import io
import os
import re
import secrets
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from stat import S_IMODE
from typing import Self, TextIO

from receval._checks import InputError, NotWritten, check_that, input_error, shorten
from receval._types import Record

PACKAGE = Path(__file__).resolve().parent
PARQUET = (".parquet", ".pq")  # endings of Parquet files
MAX_DOWNLOAD_BYTES = 2**28  # of a download; anything larger is corrupt or malicious
MAX_LINKS = 40  # symbolic links in a row that the system follows
OPEN_FILES = re.compile(r"/dev/fd|/proc/self/(task/\d+/)?fd")  # list a process's open files


def read_shared_text(name: str) -> str:
    """Return the content of a text file of the package."""
    return files("receval").joinpath(name).read_text(encoding="utf-8")


def read_toml(name: str) -> Record:
    """Return the content of a TOML file of the package."""
    return tomllib.loads(read_shared_text(name))


def published_folder() -> Path:
    """Return the folder of the published figures, one TOML file per document."""
    return _shared("published", PACKAGE.parent / "data" / "published")


def notebooks_folder() -> Path:
    """Return the folder of the notebooks that come with receval."""
    return _shared("notebooks", PACKAGE.parent / "notebooks")


def notebook_paths(folder: Path) -> list[Path]:
    """Return the notebooks in a folder and its subfolders, in reading order.

    00_start_here is first, then come the walks, and the ledger, number 99, is last.
    Raises if there are no notebooks.
    """
    folder = check_folder(folder)
    paths: list[Path] = []
    if is_folder(folder):
        # Jupyter keeps copies of edited notebooks in folders named ".ipynb_checkpoints".
        paths = [path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    if not paths:
        raise InputError(f"folder must hold notebooks; got none in {shorten(folder.name)}")

    def reading_order(path: Path) -> tuple[bool, bool, bool, Path, str]:
        """Return the sort key of a notebook; False sorts before True.

        The notebook that starts is first, the walks follow, and number 99 is last. The others are
        sorted by path, which puts the folders documents, learn, papers and studies into the right
        order. The only exception is lesson 09, which comes after lesson 10.
        """
        number = path.stem[:2]
        place = path.stem
        if path.stem == "09_your_own_data":
            place = "10_z"
        is_walk = path.parent.name == "walks"
        is_start = path.stem.startswith("00_start")
        return (number == "99", not is_start, not is_walk, path.parent, place)

    return sorted(paths, key=reading_order)


def path_exists(path: str | Path) -> bool:
    """Return whether a path exists; return False, without an error, if its name is too long."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Return whether a path leads to a folder."""
    return path_exists(path) and Path(path).is_dir()


def is_file(path: str | Path) -> bool:
    """Return whether a path leads to a file."""
    return path_exists(path) and Path(path).is_file()


def is_parquet(path: Path) -> bool:
    """Return whether a file's name has an ending of Parquet files."""
    return path.suffix.lower() in PARQUET


def check_folder(path: object, name: str = "folder") -> Path:
    """Return the path of a folder; raise if it or one of its parents is a file.

    The folder need not exist.
    """
    if not isinstance(path, (str, Path)) or str(path) == "":
        raise input_error(name, "be a folder", shorten(path))
    folder = Path(path)
    for part in (folder, *folder.parents):
        if path_exists(part) and not is_folder(part):
            raise input_error(name, "be a folder", f"the file {shorten(str(part))}")
    return folder


def make_folder(folder: Path, name: str = "folder") -> None:
    """Make a folder and its parents unless they exist.

    If that fails, this raises an `InputError` that calls the folder ``name`` and quotes the system.
    A `PermissionError` passes through.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise
    except (OSError, ValueError) as error:  # a name that is too long, a null byte, a file
        reason = getattr(error, "strerror", None) or error  # the system's words, if it has any
        got = f"{shorten(str(folder))} ({reason})"
        raise input_error(name, "be a folder that can be made", got) from None


def write_atomically(
    path: str | Path, write: Callable[[TextIO], object], *, stream: bool = False
) -> None:
    """Let ``write`` fill a new text file, then replace the file at ``path`` in one step.

    After an exception, the file at ``path`` is as it was; `Replacement` has the details. With
    ``stream`` the path may also be a device or a pipe (``/dev/stdout``, a named pipe), which
    ``write`` then writes to directly. Raises an `InputError` if the file cannot be written.
    """
    if stream and is_stream(path):
        with name_file_in_errors(str(path)), _stream_to_write(path) as file:
            write(file)
        return
    with Replacement(path) as replacement:
        with replacement.writing():  # errors of the system name the file
            write(replacement.file)
        replacement.finish()


class Replacement:
    """A new file next to ``path``, which replaces the file at ``path`` when it is finished.

    Every file of receval is written through this class. The file at ``path`` does not change until
    `finish`, and after an exception the new file is removed. Only a process that is killed leaves
    its new file behind. This file is called ``.<name>.receval-<random>``, so nobody mistakes it for
    a result. If several processes write the same file, it ends up as the complete file of one of
    them. A symbolic link stays a link, and the file that it leads to is replaced. The new file has
    the permissions of the old one from the start.

    Attributes
    ----------
    target : Path
        The file that is replaced, after following all links.
    file : text file
        The open new file; its ``buffer`` takes bytes.

    Raises
    ------
    InputError
        If the path is a folder, a device or a pipe, or may not be written. `writing` and `finish`
        also raise it if the system refuses to write, for example because the disk is full.
    """

    def __init__(self, path: str | Path, name: str = "path") -> None:
        self.target: Path = check_writable(path, name)
        self._new_path = temporary_path(self.target)
        self._open_file: io.TextIOWrapper | None = None

    @property
    def file(self) -> io.TextIOWrapper:
        """Return the open new file, within ``with``."""
        assert self._open_file is not None
        return self._open_file

    def __enter__(self) -> Self:
        """Open the new file; remove it again if that fails."""
        try:
            with self.writing():
                # Open it in the ordinary way, so that it has the permissions of any new file.
                self._open_file = self._new_path.open("x", encoding="utf-8", newline="")
                self._keep_permissions()
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._discard()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn errors of the system into an `InputError` that names the file."""
        with name_file_in_errors(self.target.name):
            yield

    def finish(self) -> None:
        """Replace the old file with the new one.

        Raises an `InputError` if the system refuses one of the steps; the old file then stays as it
        was.
        """
        with self.writing():
            self.file.flush()
            os.fsync(self.file.fileno())  # some systems report a full disk only here
            self._keep_permissions()  # the old file may have got other permissions meanwhile
            self.file.close()
            self._new_path.replace(self.target)

    def _keep_permissions(self) -> None:
        """Give the new file the permissions of the old one."""
        if self.target.exists():
            self._new_path.chmod(S_IMODE(self.target.stat().st_mode))

    def _discard(self) -> None:
        """Close the new file and remove it, unless it has replaced the old file.

        After `finish` this does nothing: the file is closed, and it was renamed, so that there is
        no file at ``_new_path``.
        """
        try:
            if self._open_file is not None:  # None: it could not be opened
                # Closing writes what is buffered, which fails on a full disk. The file goes anyway.
                with suppress(OSError):
                    self._open_file.close()
        finally:
            self._new_path.unlink(missing_ok=True)


@contextmanager
def name_file_in_errors(name: str) -> Iterator[None]:
    """Turn errors of writing within the ``with`` block into an `InputError` with the file's name.

    The error is a `NotWritten` if the system refuses to write. `BrokenPipeError` passes through.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        got = shorten(error.object[error.start : error.end])
        raise input_error(name, "hold text that UTF-8 can write", got) from None
    except InputError:  # one of its subclasses is an OSError too
        raise
    except BrokenPipeError:  # the reader of a pipe may end before the writer, as ``head`` does
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"{name} must be a file that can be written to its end; got {reason}"
        raise NotWritten(message) from error


def is_stream(path: object) -> bool:
    """Return whether a path leads to a device, a pipe or an open file (such as /dev/stdout).

    Return False for ordinary files and folders, for paths that do not exist, and for values that
    are not paths.
    """
    if not isinstance(path, (str, Path)):
        return False
    try:
        # /dev/stdout counts even if the shell has redirected it to an ordinary file.
        if _open_descriptor(path) is not None:
            return True
        target = Path(path)
        return target.exists() and not target.is_file() and not target.is_dir()
    except (OSError, ValueError):  # a name that is too long, a null byte
        return False


@contextmanager
def _stream_to_write(path: str | Path) -> Iterator[io.TextIOWrapper]:
    """Open a device, a pipe or an open file of this process, and yield a text file to write to."""
    descriptor = _open_descriptor(path)
    if descriptor is None:
        raw = Path(path).open("wb", buffering=0)  # noqa: SIM115 (closed below)
    else:
        # Flush what was printed before, so that it comes first. A duplicate of the descriptor
        # continues at the position of the open file. If /dev/stdout were opened by its path,
        # writing would start at the beginning.
        for standard_stream in (sys.stdout, sys.stderr):
            if standard_stream is not None and not standard_stream.closed:
                standard_stream.flush()
        raw = os.fdopen(os.dup(descriptor), "wb", buffering=0)
    # After an exception only the raw file is closed. Closing the text file would write what is
    # left in its buffer, and wait for a reader again.
    with raw:
        text = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", newline="")
        yield text
        text.close()  # writes what is left in the buffers


def _open_descriptor(path: str | Path) -> int | None:
    """Return the descriptor of this process's open file that a path leads to, or None.

    A path such as /dev/stdout is a link to /proc/self/fd/1, whose name is the descriptor. Links are
    followed one by one, because `os.path.realpath` would not stop there, but go on to the file that
    is open.
    """
    link = Path(path).absolute()
    for _ in range(MAX_LINKS):
        folder = os.path.realpath(link.parent)
        # Linux has the folder under the number of the process, too.
        folder_of_self = folder.replace(f"/proc/{os.getpid()}/", "/proc/self/")
        if OPEN_FILES.fullmatch(folder_of_self):
            if link.name.isdecimal():
                return int(link.name)
            return None
        if not link.is_symlink():
            return None
        link = Path(folder, link.readlink())
    return None


def temporary_path(target: Path) -> Path:
    """Return the path of a temporary file next to a file: ``.<name>.receval-<random>``."""
    # The name is cut, because the name of the file may be as long as the system allows.
    return target.with_name(f".{target.name[:50]}.receval-{secrets.token_hex(8)}")


def check_writable(path: object, name: str = "path", *, stream: bool = False) -> Path:
    """Return the file that a path and its links lead to; raise if it cannot be written.

    Call this function before a long computation. Devices and pipes raise too, unless ``stream``
    allows them; their path is returned as it is. Error messages call the argument ``name``.
    """
    if not isinstance(path, (str, Path)):
        raise input_error(name, "be the name of a file", shorten(path))
    unresolved = Path(path)
    try:
        is_directory, exists = unresolved.is_dir(), unresolved.exists()
        target = Path(os.path.realpath(unresolved))
        # From Python 3.14 on, exists() is False if a name is too long; lstat() always raises.
        with suppress(FileNotFoundError, NotADirectoryError):
            unresolved.lstat()
    except (OSError, ValueError) as error:  # a name that is too long, a null byte
        raise input_error(name, "be the name of a file", error) from None
    if is_directory:
        raise input_error(name, "be a file to write", f"the folder {shorten(str(path))}")
    if is_stream(unresolved):
        if stream:
            return unresolved
        raise input_error(name, "be a file to write", f"the device or pipe {shorten(str(path))}")
    if target.is_symlink():  # realpath leaves a link only if links lead back to it
        raise input_error(name, "be the name of a file", f"{path}, a loop of links")
    check_that(target.parent.is_dir(), name, "lie in an existing folder", str(path))
    # A new file is made in the folder, and then takes the place of the old one.
    may_write = os.access(target.parent, os.W_OK | os.X_OK)
    if exists:
        may_write = may_write and os.access(target, os.W_OK)
    check_that(may_write, name, "be one that may be written", str(path))
    return target


def _shared(name: str, in_checkout: Path) -> Path:
    """Return a folder that comes with receval: in the installed package or the checkout."""
    in_wheel = PACKAGE / "share" / name
    if in_wheel.is_dir():
        return in_wheel
    return in_checkout
