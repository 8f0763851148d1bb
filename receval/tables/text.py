"""Files that are there, their bytes, and one gate for whatever their readers raise."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from receval._checks import InputError, NoSuchFile, check_that, input_error, shorten
from receval._files import read_stream, read_up_to_limit

PARQUET = (".parquet", ".pq")
# The marks of UTF-32 come first, as that of UTF-16 is the beginning of one of them.
MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# Encodings without a mark: the bytes of a letter, and which of them an ASCII letter fills.
WIDE = (("utf-16-le", 2, 0), ("utf-16-be", 2, 1), ("utf-32-le", 4, 0), ("utf-32-be", 4, 3))
COMPRESSED: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def require_path(path: str | Path) -> Path:
    """A path that leads to something."""
    named = isinstance(path, (str, Path)) and bool(str(path))
    check_that(named, "path", "be the name of a file", path)
    try:
        os.fsencode(path)
        there = Path(path).exists()
    except UnicodeEncodeError:
        rule = "be a name that the locale of this system can encode"
        raise input_error("path", rule, ascii(Path(path).name), "Set PYTHONUTF8=1") from None
    except (OSError, ValueError):  # a name too long, or with a null byte
        there = False
    if not there:
        raise NoSuchFile(f"path must be an existing file; got {shorten(Path(path).name)}")
    return Path(path)


def kind_of(path: str | Path) -> str:
    """The ending of a file's name in small letters, before that of its compression."""
    return without_compression_suffix(path).suffix.lower()


def without_compression_suffix(path: str | Path) -> Path:
    """A file's name without the ending of its compression."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in (*COMPRESSED, ".zip") else path


def is_parquet(path: Path) -> bool:
    """Whether a file is of Parquet, by its name."""
    return path.suffix.lower() in PARQUET


def is_compressed(path: str | Path) -> bool:
    """Whether a file is compressed, by its name."""
    return without_compression_suffix(path) != Path(path)


def check_no_stream(path: Path) -> None:
    """Refuse a pipe or a device where a file is read in more than one place."""
    if not path.is_file() and not path.is_dir():
        raise input_error("path", "be a file", f"the device or pipe {shorten(str(path))}")


def read_bytes(path: Path) -> bytes:
    """What is in a file of text, decompressed by its ending, without a byte order mark."""
    if path.is_dir():
        raise InputError(f"path must be an existing file; got the folder {path.name}")
    with read_text(path, "a whole file"):
        if not path.is_file():
            return _from_stream(path).removeprefix(b"\xef\xbb\xbf")
        if path.suffix.lower() == ".zip":
            with ZipFile(path) as archive:
                names = archive.namelist()
                check_that(len(names) == 1, path.name, "hold one file", names)
                content = archive.read(names[0])
        else:
            with COMPRESSED.get(path.suffix.lower(), open)(path, "rb") as file:
                content = file.read()
    if wide := _wide_encoding(content):
        advice = "Convert it to UTF-8"
        advice += f": Path(path).write_text(Path(path).read_text('{wide}'), 'utf-8')"
        raise input_error(path.name, "be UTF-8 text", f"a file of {wide.upper()}", advice)
    return content.removeprefix(b"\xef\xbb\xbf")


def _from_stream(path: Path) -> bytes:
    """What comes through a pipe or from a device, decompressed by its ending, up to a limit."""
    content, ending = read_stream(path), path.suffix.lower()
    if ending == ".zip":
        with ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            check_that(len(names) == 1, path.name, "hold one file", names)
            with archive.open(names[0]) as file:
                return read_up_to_limit(file, path)
    if ending in COMPRESSED:
        with COMPRESSED[ending](io.BytesIO(content), "rb") as file:
            return read_up_to_limit(file, path)
    return content


def _wide_encoding(content: bytes) -> str:
    """The encoding of a text whose letters have two or four bytes each; empty for all others.

    Without a byte order mark, every second byte of the first letters is null.
    """
    for mark, encoding in MARKS.items():
        if content.startswith(mark):
            return encoding
    start = content[:64]
    for encoding, width, letter in WIDE:
        filled = start[letter::width]
        if len(start) < 2 * width or not all(filled) or len(start) % width:
            continue
        if start.count(0) == len(start) - len(filled):
            return encoding
    return ""


@contextmanager
def read_text(path: Path, what: str) -> Iterator[None]:
    """Refuse a file that is not ``what`` it must be, whatever its reader stumbles over."""
    try:
        yield
    except (InputError, PermissionError, MemoryError, ImportError):
        raise
    except UnicodeDecodeError as error:
        byte, line = error.object[error.start], error.object.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{byte:02x} at position {error.start}, in line {line}"
        advice = "Of another encoding: pandas.read_csv(path, encoding='latin-1')"
        raise input_error(path.name, "be UTF-8 text", got, advice) from None
    except Exception as error:
        told = str(error) or type(error).__name__
        raise InputError(f"{path.name} must be {what}; {told}") from None
