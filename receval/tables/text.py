"""Find and read text files, and raise the same error for all problems in reading."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

from receval._checks import InputError, NoSuchFile, check_that, input_error, shorten
from receval._files import read_stream, read_up_to_limit

PARQUET = (".parquet", ".pq")
"""Endings of Parquet files."""

QRELS = (".qrels", ".qrel")
"""Endings of TREC judgements."""

DECOMPRESSORS: Mapping[str, Callable[..., io.BufferedIOBase]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
"""Functions that open a compressed file, by ending. They take a path or an open file."""

COMPRESSIONS = (*DECOMPRESSORS, ".zip")
"""Endings of compressed files."""

BINARY_FILES = {
    b"\x1f\x8b": ("a gzip file", "Let its name end in .gz, such as .csv.gz"),
    b"BZh": ("a bzip2 file", "Let its name end in .bz2, such as .csv.bz2"),
    b"\xfd7zXZ\0": ("an xz file", "Let its name end in .xz, such as .csv.xz"),
    b"PK\x03\x04": (
        "a zip file",
        "Let its name end in .zip, such as .csv.zip; for Excel, use pandas.read_excel(path)",
    ),
    b"\x28\xb5\x2f\xfd": ("a zstd file", "Decompress it first"),
    b"PAR1": ("a Parquet file", "Let its name end in .parquet"),
    b"\xd0\xcf\x11\xe0": ("a file of Excel", "Read it with pandas.read_excel(path)"),
    b"ARROW1": ("an Arrow file", "Read it with pandas.read_feather(path)"),
}
"""What files are that aren't text, and advice, by their first bytes."""

UTF8_MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which some programs write at the beginning of a file."""

ENCODING_BY_MARK = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Encodings by their byte order mark. UTF-32 is first: one of its marks begins like UTF-16's."""

WIDE_ENCODINGS = (
    ("utf-16-le", 2, 0),
    ("utf-16-be", 2, 1),
    ("utf-32-le", 4, 0),
    ("utf-32-be", 4, 3),
)
"""Encodings, their bytes per character, and the byte that an ASCII character fills."""


def check_path(path: str | Path) -> Path:
    """Return a path of an existing file or folder; raise `InputError` if it doesn't exist."""
    is_name = isinstance(path, (str, Path)) and bool(str(path))
    check_that(is_name, "path", "be the name of a file", path)
    try:
        os.fsencode(path)  # raises an error if the locale can't encode the name
        exists = Path(path).exists()
    except UnicodeEncodeError:
        rule = "be a name that the locale of this system can encode"
        raise input_error("path", rule, ascii(Path(path).name), "Set PYTHONUTF8=1") from None
    except (OSError, ValueError):  # a name that is too long, or has a null byte
        exists = False
    if not exists:
        raise NoSuchFile(f"path must be an existing file; got {shorten(Path(path).name)}")
    return Path(path)


def kind_of(path: str | Path) -> str:
    """Return the ending of a file's name in lower case, ignoring endings such as ".gz"."""
    return without_compression_suffix(path).suffix.lower()


def without_compression_suffix(path: str | Path) -> Path:
    """Return a path without the ending of its compression."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


def is_parquet(path: Path) -> bool:
    """Return whether a file's name has an ending of Parquet files."""
    return path.suffix.lower() in PARQUET


def is_compressed(path: str | Path) -> bool:
    """Return whether a file's name has an ending of compressed files."""
    return without_compression_suffix(path) != Path(path)


def check_no_stream(path: Path) -> None:
    """Raise if this is a pipe or a device: readers of Parquet need to jump within a file."""
    if not path.is_file() and not path.is_dir():
        raise input_error("path", "be a file", f"the device or pipe {shorten(str(path))}")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file, decompressed, without a byte order mark.

    The path may also be a pipe or a device. Raises `InputError` for folders, for broken archives,
    and for UTF-16 and UTF-32, which the first bytes reveal.
    """
    if path.is_dir():
        raise InputError(f"path must be an existing file; got the folder {path.name}")
    with check_readable(path, "a whole file"):
        if not path.is_file():
            return _read_from_stream(path).removeprefix(UTF8_MARK)
        ending = path.suffix.lower()
        if ending == ".zip":
            with ZipFile(path) as archive:
                content = archive.read(_only_member(archive, path))
        elif ending in DECOMPRESSORS:
            with DECOMPRESSORS[ending](path, "rb") as file:
                content = file.read()
        else:
            content = path.read_bytes()
    for start, (kind, advice) in BINARY_FILES.items():
        if content.startswith(start):
            raise input_error(path.name, "be text", kind, advice)
    encoding = _wide_encoding(content)
    if encoding:
        conversion = f"Path(path).write_text(Path(path).read_text('{encoding}'), 'utf-8')"
        advice = f"Convert it to UTF-8: {conversion}"
        raise input_error(path.name, "be UTF-8 text", f"a file of {encoding.upper()}", advice)
    return content.removeprefix(UTF8_MARK)


def _read_from_stream(path: Path) -> bytes:
    """Return the bytes from a pipe or a device; decompress them if its name says so.

    Raises `InputError` if there are too many bytes, because a device may never end.
    """
    content = read_stream(path)
    ending = path.suffix.lower()
    if ending == ".zip":
        with (
            ZipFile(io.BytesIO(content)) as archive,
            archive.open(_only_member(archive, path)) as member,
        ):
            return read_up_to_limit(member, path)
    if ending in DECOMPRESSORS:
        with DECOMPRESSORS[ending](io.BytesIO(content), "rb") as file:
            return read_up_to_limit(file, path)
    return content


def _only_member(archive: ZipFile, path: Path) -> str:
    """Return the name of the only file in an archive; raise `InputError` if there are others."""
    names = archive.namelist()
    check_that(len(names) == 1, path.name, "hold one file", names)
    return names[0]


def _wide_encoding(content: bytes) -> str:
    """Return the name of the encoding of a text in UTF-16 or UTF-32; "" for all other texts.

    The text must begin with a byte order mark or with ASCII characters. In these encodings, an
    ASCII character fills one of its two or four bytes, and the others are 0.
    """
    for mark, encoding in ENCODING_BY_MARK.items():
        if content.startswith(mark):
            return encoding
    start = content[:64]  # the characters that must be ASCII if there is no mark
    for encoding, width, position in WIDE_ENCODINGS:
        # A file of a single character is too short to tell.
        has_whole_characters = len(start) >= 2 * width and len(start) % width == 0
        if not has_whole_characters:
            continue
        filled_bytes = start[position::width]
        n_other_bytes = len(start) - len(filled_bytes)
        if all(filled_bytes) and start.count(0) == n_other_bytes:
            return encoding
    return ""


@contextmanager
def check_readable(path: Path, what: str) -> Iterator[None]:
    """Turn any exception of a reader into an `InputError` about the file.

    The message says that the file must be ``what``, such as "a table". Errors about permissions,
    memory and missing packages have nothing to do with the file's content, so the function doesn't
    change them, nor any `InputError`.
    """
    try:
        yield
    except (InputError, PermissionError, MemoryError, ImportError):
        raise
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        line = error.object.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{byte:02x} at position {error.start}, in line {line}"
        advice = "Of another encoding: pandas.read_csv(path, encoding='latin-1')"
        raise input_error(path.name, "be UTF-8 text", got, advice) from None
    except Exception as error:
        message = str(error) or type(error).__name__
        raise InputError(f"{path.name} must be {what}; {message}") from None
