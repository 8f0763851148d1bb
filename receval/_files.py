"""The files that come with receval, its references, and functions that write files as a whole.

The references are the entries of `references.bib`; a text cites a reference as "@key". receval uses
no BibTeX parser, because `methods_text` returns entries exactly as they are in the file, and a
parser would not keep their layout. All entries have the same form, which a test checks.
"""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO

from receval._checks import Record, check_not_empty, check_that, input_error, shorten
from receval._escape import for_latex

PACKAGE = Path(__file__).resolve().parent
PARQUET = (".parquet", ".pq")  # endings of Parquet files


def read_shared_text(name: str) -> str:
    """Return the content of a text file of the package."""
    return files("receval").joinpath(name).read_text(encoding="utf-8")


def read_toml(name: str) -> Record:
    """Return the content of a TOML file of the package."""
    return tomllib.loads(read_shared_text(name))


def published_folder() -> Path:
    """Return the folder of the published figures, one TOML file per document."""
    return _shared("published", PACKAGE.parent / "data" / "published")


def read_published(document: str) -> Record:
    """Return the content of the file of a document's figures; ``document`` is such as "001"."""
    (path,) = published_folder().glob(f"{document}_*.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def notebooks_folder() -> Path:
    """Return the folder of the notebooks that come with receval."""
    return _shared("notebooks", PACKAGE.parent / "notebooks")


READING_ORDER = {"walks": 0, "lessons": 1, "audits": 2, "studies": 3}
"""The folders of receval's notebooks, each with its place."""


def notebook_paths(folder: Path) -> list[Path]:
    """Return the notebooks in a folder and its subfolders, in reading order.

    00_start_here is first, then come walks, lessons, audits and studies, and the ledger is last.
    Notebooks in other folders are sorted by path.
    Raises if there are no notebooks.
    """
    folder = check_folder(folder)
    paths: list[Path] = []
    if is_folder(folder):
        # Jupyter keeps copies of edited notebooks in folders named ".ipynb_checkpoints".
        paths = [path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    check_not_empty(paths, "folder", f"hold notebooks, unlike {shorten(folder.name)}")

    def reading_order(path: Path) -> tuple[bool, bool, int, Path, str]:
        """Return the sort key of a notebook; False sorts before True."""
        place = READING_ORDER.get(path.parent.name, len(READING_ORDER))
        return (path.stem == "ledger", path.stem != "00_start_here", place, path.parent, path.stem)

    return sorted(paths, key=reading_order)


def path_exists(path: str | Path) -> bool:
    """Return whether a path exists; return False, without an error, if its name is too long."""
    return os.path.exists(path)  # noqa: PTH110  # the method of Path raises for such names


def is_folder(path: str | Path) -> bool:
    """Return whether a path leads to a folder."""
    return os.path.isdir(path)  # noqa: PTH112  # see `path_exists`


def is_parquet(path: Path) -> bool:
    """Return whether a file's name has an ending of Parquet files."""
    return path.suffix.lower() in PARQUET


def check_folder(path: Any, name: str = "folder") -> Path:
    """Return the path of a folder; raise if it or one of its parents is a file.

    The folder need not exist.
    """
    check_that(isinstance(path, (str, Path)) and str(path), name, "be a folder", path)
    folder = Path(path)
    for part in (folder, *folder.parents):
        if path_exists(part) and not part.is_dir():
            raise input_error(name, "be a folder", f"the file {shorten(str(part))}")
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder and its parents unless they exist; the error quotes the system."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a name that is too long, a null byte, no permission
        got = f"{shorten(str(folder))} ({error})"
        raise input_error("folder", "be a folder that can be made", got) from None


def check_writable(path: Any) -> Path:
    """Return the file that a path and its links lead to; raise if it cannot be written.

    Call this function before a long computation.
    """
    check_that(isinstance(path, (str, Path)), "path", "be the name of a file", path)
    try:
        target = Path(os.path.realpath(path))
        with suppress(FileNotFoundError, NotADirectoryError):  # a new file, or no folder (below)
            target.stat()
    except (OSError, ValueError) as error:  # too long a name, a null byte, links in a circle
        raise input_error("path", "be the name of a file", error) from None
    is_new = not target.exists()
    rule = "be a file to write, not a folder, a device or a pipe"
    check_that(is_new or target.is_file(), "path", rule, str(path))
    check_that(target.parent.is_dir(), "path", "lie in an existing folder", str(path))
    # A new file is made in the folder, and then takes the place of the old one.
    may_write = os.access(target.parent, os.W_OK | os.X_OK)
    may_write &= is_new or os.access(target, os.W_OK)
    check_that(may_write, "path", "be one that may be written", str(path))
    return target


def write_atomically(path: str | Path, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill a new text file, which then replaces the file at ``path`` in one step.

    Every file of receval is written by this function. The file at ``path`` does not change until
    the new one is complete, and after an exception the new file is removed. Only a process that is
    killed leaves its new file behind. This file is called ``.<name>.receval-<random>``, so nobody
    mistakes it for a result. If several processes write the same file, it ends up as the complete
    file of one of them. A symbolic link stays a link, and the file that it leads to is replaced.
    Raises an `InputError` if the file cannot be written, for example because the disk is full.
    """
    target = check_writable(path)
    # The name is cut, because the name of the file may be as long as the system allows.
    new_path = target.with_name(f".{target.name[:50]}.receval-{secrets.token_hex(8)}")
    try:
        with name_file_in_errors(target.name):
            with new_path.open("x", encoding="utf-8", newline="") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())  # some systems report a full disk only here
            new_path.replace(target)
    finally:
        new_path.unlink(missing_ok=True)


@contextmanager
def name_file_in_errors(name: str) -> Iterator[None]:
    """Turn errors of writing within the ``with`` block into an `InputError` about the file."""
    try:
        yield
    except UnicodeEncodeError as error:
        got = shorten(error.object[error.start : error.end])
        raise input_error(name, "hold text that UTF-8 can write", got) from None
    except OSError as error:
        rule = "be a file that can be written to its end"
        raise input_error(name, rule, error.strerror or error) from error


def _shared(name: str, in_checkout: Path) -> Path:
    """Return a folder that comes with receval: in the installed package or the checkout."""
    in_wheel = PACKAGE / "share" / name
    return in_wheel if in_wheel.is_dir() else in_checkout


# References ---------------------------------------------------------------------------------------

BIBTEX_ENTRY = re.compile(r"(@\w+\{(\w+),\n.*?\n\})", re.DOTALL)

ENTRIES = {key: entry for entry, key in BIBTEX_ENTRY.findall(read_shared_text("references.bib"))}
"""The text of each BibTeX entry, by key."""

KEY = re.compile(rf"@({'|'.join(ENTRIES)})\b")
"""Pattern of a key in a text."""


def methods_text(text: str, *, bibtex: bool, latex: bool) -> str:
    r"""Return the text of a method ``methods``, whose options are ``bibtex`` and ``latex``.

    ``text`` has citation keys such as "@mcsherry2008". The function replaces them with authors and
    year; or returns the text for LaTeX, with citations such as "~\cite{burges2005}"; or returns the
    BibTeX entries that the text cites, once each, in the order of first mention, without the text.
    """
    if bibtex and latex:
        raise input_error("latex", "be left out with bibtex=True, which is for LaTeX", latex)
    if bibtex:
        keys = dict.fromkeys(KEY.findall(text))
        return "\n\n".join(ENTRIES[key] for key in keys)
    if latex:
        # Escaping leaves keys as they are. A key that is alone in parentheses loses them, because
        # LaTeX puts its own around a citation.
        escaped = re.sub(rf" \({KEY.pattern}\)", r"~\\cite{\1}", for_latex(text))
        return KEY.sub(r"\\cite{\1}", escaped)
    return KEY.sub(lambda match: f"{_authors(match[1])}, {_field(match[1], 'year')}", text)


def describe_references(text: str) -> str:
    """Replace each key with the authors, the year and the DOI, or the title if there is no DOI."""

    def describe(match: re.Match[str]) -> str:
        """Return the description of the reference that a key names."""
        key = match[1]
        doi = _field(key, "doi")
        source = f"doi:{doi}" if doi else _field(key, "title")
        return f"{_authors(key)} ({_field(key, 'year')}), {source}"

    return KEY.sub(describe, text)


def remove_references(text: str) -> str:
    """Remove keys that are alone in parentheses, or that end a parenthesis after a semicolon."""
    return re.sub(rf" \({KEY.pattern}\)|; {KEY.pattern}", "", text)


def _field(key: str, name: str) -> str:
    """Return a field of an entry without braces and backslashes, or "" if the entry lacks it."""
    match = re.search(rf"^  {name} = \{{(.*)\}}", ENTRIES[key], re.MULTILINE)
    if match is None:
        return ""
    return re.sub(r"[{}\\]", "", match[1])


def _authors(key: str) -> str:
    """Return the family names of one or two authors, or the first with "et al."."""
    authors = _field(key, "author").split(" and ")
    family_names = [author.partition(",")[0] for author in authors]
    if len(family_names) > 2 or "others" in family_names:
        return f"{family_names[0]} et al."
    return " and ".join(family_names)
