"""Files: where the shipped ones lie, and how one is written whole or not at all."""

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
from select import select
from stat import S_IMODE
from typing import Any, Self

from receval._checks import InputError, NotWritten, check_that, input_error, shorten

PACKAGE = Path(__file__).resolve().parent
MAX_DOWNLOAD_BYTES = 2**28  # bytes of a download or a pipe; more is a mistake or a bomb
MAX_LINKS = 40  # that the system follows
OPEN_FILES = re.compile(r"/dev/fd|/proc/self/(task/\d+/)?fd")  # folders of a process's open files


def read_shared_text(name: str) -> str:
    """A text file of the package."""
    return files("receval").joinpath(name).read_text(encoding="utf-8")


def read_toml(name: str) -> dict[str, Any]:
    """What a TOML file of the package states."""
    return tomllib.loads(read_shared_text(name))


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
    check_that(isinstance(path, (str, Path)) and str(path) != "", name, "be a folder", path)
    folder = Path(path)
    for part in (folder, *folder.parents):
        if is_there(part) and not is_folder(part):
            raise input_error(name, "be a folder", f"the file {shorten(str(part))}")
    return folder


def make_folder(folder: Path, name: str = "folder") -> None:
    """Make a folder and those that it lies in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise
    except (OSError, ValueError) as error:  # a name that is too long, a null byte, a file
        got = f"{shorten(str(folder))} ({getattr(error, 'strerror', None) or error})"
        raise input_error(name, "be a folder that can be made", got) from None


def write_atomically(
    path: str | Path, write: Callable[[Any], object], *, stream: bool = False
) -> None:
    """Let ``write`` fill a text file, which then takes the place of ``path`` at once.

    `Replacement` says what holds whatever goes wrong. With ``stream`` the path may also be a
    device or a pipe (``/dev/stdout``, a named pipe), which ``write`` then writes to directly.
    """
    if stream and is_stream(path):
        with write_errors(str(path)), _stream_to_write(path) as file:
            write(file)
        return
    with Replacement(path) as replacement:
        with replacement.writing():
            write(replacement.file)
        replacement.finish()


class Replacement:
    """A new file beside ``path``, which takes its place at once when it is finished.

    Every file of receval is written through this class. What was at ``path`` stays as it was
    until `finish`, and after an exception nothing else is left. Only a killed process leaves its
    ``.<name>.receval-<random>``, which is never taken for a result. If several processes write
    one file, one of them wins with its whole file. A symbolic link stays a link, and the file
    that it leads to is replaced. The new file has the permissions of the old one from the start.

    Attributes
    ----------
    target : Path
        The file that is replaced, behind all links.
    file : text file
        What to write to; its ``buffer`` takes bytes.

    Raises
    ------
    InputError
        If the path is a folder, a device or a pipe, or may not be written; within `writing` and
        `finish` also if the system refuses to write, such as when the disk is full.
    """

    def __init__(self, path: str | Path, name: str = "path") -> None:
        self.target = check_writable(path, name)
        self.file: Any = None
        self._aside = temporary_path(self.target)

    def __enter__(self) -> Self:
        try:
            with self.writing():
                # Opened in the ordinary way, so that it has the permissions of any new file.
                self.file = self._aside.open("x", encoding="utf-8", newline="")
                self._keep_permissions()
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._discard()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Within it, errors of the system become an `InputError` that names the file."""
        with write_errors(self.target.name):
            yield

    def finish(self) -> os.stat_result:
        """Put the new file in its place, and return what the system knows of it."""
        with self.writing():
            self.file.flush()
            os.fsync(self.file.fileno())  # a full disk may show only here
            self._keep_permissions()
            status = os.fstat(self.file.fileno())
            self.file.close()
            self._aside.replace(self.target)
        return status

    def _keep_permissions(self) -> None:
        if self.target.exists():
            self._aside.chmod(S_IMODE(self.target.stat().st_mode))

    def _discard(self) -> None:
        """Remove what was written aside; after `finish` there is nothing left to remove."""
        try:
            if self.file is not None:
                with suppress(OSError):  # what its buffer still holds finds no room on a full disk
                    self.file.close()
        finally:
            self._aside.unlink(missing_ok=True)


@contextmanager
def write_errors(name: str) -> Iterator[None]:
    """Name the file that the system refuses to write, or text that it cannot hold."""
    try:
        yield
    except UnicodeEncodeError as error:
        got = shorten(error.object[error.start : error.end])
        raise input_error(name, "hold text that UTF-8 can write", got) from None
    except (InputError, BrokenPipeError):  # who reads a pipe may go away, as ``head`` does
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotWritten(
            f"{name} must be a file that can be written to its end; got {reason}"
        ) from (error)


def is_stream(path: Any) -> bool:
    """Whether a path leads to a device, a pipe or an open file of this process (/dev/stdout)."""
    if not isinstance(path, (str, Path)):
        return False
    try:
        if _descriptor(path) is not None:
            return True
        return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()
    except (OSError, ValueError):  # a name that is too long, a null byte
        return False


def read_stream(path: Path) -> bytes:
    """All bytes that come through a pipe or from a device; Ctrl-C ends the waiting for them."""
    descriptor = _descriptor(path)
    if descriptor is None:
        file = path.open("rb", buffering=0)
    else:  # a duplicate, as a socket cannot be opened by its path
        file = os.fdopen(os.dup(descriptor), "rb", buffering=0)
    with file:
        return read_up_to_limit(file, path)


def read_up_to_limit(file: Any, path: Path) -> bytes:
    """What an open file holds, refused beyond the limit of pipes and devices."""
    content = bytearray()
    while (block := file.read(2**20)) != b"":
        if block is None:  # a pipe that does not block has nothing yet
            select([file], [], [])
            continue
        content += block
        if len(content) > MAX_DOWNLOAD_BYTES:
            rule = (
                f"have at most {MAX_DOWNLOAD_BYTES:,} bytes when it is read from a pipe or a device"
            )
            raise input_error(str(path), rule, "more", "Write them to a file first")
    return bytes(content)


@contextmanager
def _stream_to_write(path: str | Path) -> Iterator[io.TextIOWrapper]:
    """A device, a pipe or an open file of this process, to write text to."""
    descriptor = _descriptor(path)
    if descriptor is None:
        raw = Path(path).open("wb", buffering=0)  # noqa: SIM115 (closed below)
    else:
        # What was printed before comes first. The duplicate continues where the open file is;
        # opened by its path, a file behind /dev/stdout would be written from its beginning.
        for printed in (sys.stdout, sys.stderr):
            if printed is not None and not printed.closed:
                printed.flush()
        raw = os.fdopen(os.dup(descriptor), "wb", buffering=0)
    with raw:  # closed first after an exception: closing the text would wait for a reader again
        text = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", newline="")
        yield text
        text.close()


def _descriptor(path: str | Path) -> int | None:
    """The number of the open file of this process that a path stands for, behind all links."""
    step = Path(path).absolute()
    for _ in range(MAX_LINKS):
        folder = os.path.realpath(step.parent)
        if OPEN_FILES.fullmatch(folder.replace(f"/proc/{os.getpid()}/", "/proc/self/")):
            return int(step.name) if step.name.isdecimal() else None
        if not step.is_symlink():
            return None
        step = Path(folder, step.readlink())
    return None


def temporary_path(target: Path) -> Path:
    """A new name beside a file, to be written to and then renamed: ``.<name>.receval-<random>``."""
    # Cut, so that it is not too long where the name is as long as the system allows.
    return target.with_name(f".{target.name[:50]}.receval-{secrets.token_hex(8)}")


def check_writable(path: Any, name: str = "path", *, stream: bool = False) -> Path:
    """The file that a path leads to, refused if it cannot be written: ask before long work.

    Devices and pipes are refused too, unless ``stream`` says that text may go through them.
    """
    check_that(isinstance(path, (str, Path)), name, "be the name of a file", path)
    given = Path(path)
    try:
        folder, there = given.is_dir(), given.exists()
        target = Path(os.path.realpath(given))
    except (OSError, ValueError) as error:  # a name that is too long, a null byte
        raise input_error(name, "be the name of a file", error) from None
    if folder:
        raise input_error(name, "be a file to write", f"the folder {shorten(str(path))}")
    if is_stream(given):
        if stream:
            return given
        raise input_error(name, "be a file to write", f"the device or pipe {shorten(str(path))}")
    if target.is_symlink():
        raise input_error(name, "be the name of a file", f"{path}, a loop of links")
    check_that(target.parent.is_dir(), name, "lie in an existing folder", str(path))
    free = os.access(target.parent, os.W_OK | os.X_OK)
    free = free and (not there or os.access(target, os.W_OK))
    check_that(free, name, "be one that may be written", str(path))
    return target


def _shared(name: str, in_checkout: Path) -> Path:
    in_wheel = PACKAGE / "share" / name
    return in_wheel if in_wheel.is_dir() else in_checkout
