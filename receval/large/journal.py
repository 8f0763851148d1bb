"""A folder of finished steps, which a run that was stopped at any moment continues.

A step's files are written aside, brought to the disk and renamed; then its record is, with the
digest of each file. A step is done when its record is there, so that there is no half step.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from receval._checks import SHOWN, InputError, shorten
from receval.large.sources import digest

__all__ = ["Journal"]

MANIFEST, LOCK, RECORDS, ASIDE = "manifest.json", "lock", "records", ".aside"
STEP_FILE = re.compile(r"[a-z]+(-[a-z0-9]+)*-\d{5}\.(parquet|arrow)")
START_AGAIN = "Delete the folder to start again, or give another one"


class Journal:
    """The steps of one run in a folder of its own.

    Parameters
    ----------
    folder : Path
        New, empty, or of an earlier run of the same ``run``.
    run : dict
        What tells this run from others: inputs, measures, choices. Values that JSON can hold.
    guard : callable
        Called before a step is recorded; raises if its inputs changed meanwhile.
    durable : bool
        Whether the folder is kept for other runs; if not, nothing waits for the disk.
    """

    def __init__(
        self, folder: Path, run: Mapping[str, Any], guard: Callable[[], None], *, durable: bool
    ) -> None:
        self.folder = folder
        self.guard = guard
        self.durable = durable
        self.run = hashlib.sha256(_canonical(run)).hexdigest()
        self.done: dict[str, dict[str, Any]] = {}
        (folder / RECORDS).mkdir(exist_ok=True)
        self._remove_aside()
        manifest = folder / MANIFEST
        if not manifest.exists():
            self._refuse_foreign({LOCK, RECORDS})
            write(manifest, lambda file: file.write(_canonical(run)), durable=durable)
            return
        self._compare(_read(manifest), run)
        for path in sorted((folder / RECORDS).glob("*.json")):
            self.done[path.stem] = self._checked(path)
        self._remove_unrecorded()

    def record(
        self, step: str, files: Mapping[str, Callable[[Any], object]], found: Mapping[str, Any]
    ) -> None:
        """Write the files of a step, by name, and then its record with what was ``found``."""
        digests = {}
        for name, fill in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            digests[name] = write(path, fill, durable=self.durable)
        self.guard()
        state = {"run": self.run, "step": step, "files": digests, "found": dict(found)}
        state["check"] = hashlib.sha256(_canonical(state)).hexdigest()
        path = self.folder / RECORDS / f"{step}.json"
        write(path, lambda file: file.write(_canonical(state)), durable=self.durable)
        self.done[step] = {**found, "files": list(digests)}

    def forget(self, steps: list[str]) -> None:
        """Remove steps that are no longer needed, each record before its files."""
        for step in steps:
            (self.folder / RECORDS / f"{step}.json").unlink()
            for name in self.done.pop(step)["files"]:
                (self.folder / name).unlink()
                if not any((self.folder / name).parent.iterdir()):
                    (self.folder / name).parent.rmdir()

    def _checked(self, path: Path) -> dict[str, Any]:
        state = _read(path)
        check = state.pop("check", None)
        if check != hashlib.sha256(_canonical(state)).hexdigest() or state["step"] != path.stem:
            raise _damaged(self.folder, path.name)
        if state["run"] != self.run:
            raise InputError(
                f"output must hold one evaluation; {path.name} in {self.folder.name} is of "
                f"another. {START_AGAIN}"
            )
        for name, known in state["files"].items():
            file = self.folder / name
            if not file.is_file() or digest(file) != known:
                raise _damaged(self.folder, name)
        return {**state["found"], "files": list(state["files"])}

    def _compare(self, known: Mapping[str, Any], run: Mapping[str, Any]) -> None:
        """Refuse a folder of another run, naming what differs."""
        ours, given = _flat(known), _flat(json.loads(_canonical(run)))
        differ = [key for key in {**ours, **given} if ours.get(key) != given.get(key)]
        if differ:
            shown = [
                f"{key} was {shorten(ours.get(key))} and is {shorten(given.get(key))}"
                for key in differ[:SHOWN]
            ]
            raise InputError(
                f"output must be a new folder, or one of the same evaluation; {self.folder.name} "
                f"is of another: {'; '.join(shown)}. {START_AGAIN}"
            )

    def _refuse_foreign(self, own: set[str]) -> None:
        others = sorted(path.name for path in self.folder.iterdir() if path.name not in own)
        if others or any((self.folder / RECORDS).iterdir()):
            raise InputError(
                "output must be a new or empty folder, or one of the same evaluation; "
                f"{self.folder.name} holds {others[:SHOWN] or 'records of unknown origin'}. "
                "Give another folder"
            )

    def _remove_unrecorded(self) -> None:
        """Files of a step that was stopped before its record; other files are not ours."""
        recorded = {name for step in self.done.values() for name in step["files"]}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_dir() or path.parent.name == RECORDS or name in {MANIFEST, LOCK, *recorded}:
                continue
            if not STEP_FILE.fullmatch(path.name):
                raise InputError(
                    f"output must hold nothing but what evaluate wrote; got {name} in "
                    f"{self.folder.name}. Move it elsewhere"
                )
            path.unlink()

    def _remove_aside(self) -> None:
        """What a run that was killed had not finished writing."""
        for path in self.folder.rglob(f".*{ASIDE}"):
            path.unlink()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder, made if need be, for this run alone; the system frees it when a process ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"output must be a folder; {folder.name} is a file") from None
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _lock(file):
            raise InputError(
                "output must be used by one run at a time; process "
                f"{os.read(file, 20).decode() or 'unknown'} is writing to {folder.name}"
            )
        os.ftruncate(file, 0)
        os.write(file, str(os.getpid()).encode())
        yield
    finally:
        os.close(file)


def write(path: Path, fill: Callable[[Any], object], *, durable: bool = True) -> str:
    """Let ``fill`` write a file aside, bring it to the disk, put it in place; answer its digest."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{ASIDE}")
    try:
        with aside.open("xb") as file:
            fill(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        found = digest(aside) if durable else ""
        aside.replace(path)
        if durable:
            _sync_folder(path.parent)
    except BaseException as error:
        aside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OSError(
                error.errno,
                f"{path.name} could not be written: {os.strerror(error.errno)}. What is finished "
                "is kept; make room and run the same evaluation again",
            ) from None
        raise
    return found


def _lock(file: int) -> bool:
    """Whether an open file is now this process's; it is freed when the file is closed."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Bring a renaming to the disk, where the system lets folders be opened."""
    if hasattr(os, "O_DIRECTORY"):
        opened = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _canonical(state: Mapping[str, Any]) -> bytes:
    return json.dumps(state, indent=1, default=str).encode()


def _flat(state: Mapping[str, Any]) -> dict[str, Any]:
    """A dict in which what is inside dicts has keys of its own."""
    found: dict[str, Any] = {}
    for key, value in state.items():
        inner = value if isinstance(value, dict) else {"": value}
        found |= {f"{key} {name}".strip(): one for name, one in inner.items()}
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        state = json.loads(path.read_bytes())
    except ValueError:
        state = None
    if not isinstance(state, dict):
        raise _damaged(path.parent, path.name)
    return state


def _damaged(folder: Path, name: str) -> InputError:
    return InputError(
        f"output must be as an earlier run left it; {name} in {folder.name} is damaged or "
        f"missing. {START_AGAIN}"
    )
