"""The notebooks and scripts of a ledger, and the checks that scripts made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatch
from glob import glob
from pathlib import Path

from receval._checks import input_error, shorten
from receval._files import write_atomically
from receval._types import Record
from receval.ledger.collecting import ShownCheck
from receval.ledger.files import FigureFolder

__all__: list[str] = []

CHECKS_FILE = "ledger_checks.json"
VARIABLE = "RECEVAL_LEDGER_CHECKS"  # the file that `Ledger.check` adds its checks to
MENTION = "Ledger("  # a script with this text makes checks
ENDINGS = (".ipynb", ".py")


def listed_paths(folder: Path, figures: FigureFolder) -> list[Path]:
    """Return the notebooks and scripts that check the figures of a folder, in order.

    They are those that the key ``run`` of a TOML file lists, or else the notebooks directly in the
    folder and the scripts there that mention ``Ledger(``. Raises if the key lists a file that does
    not exist, or that is neither a notebook nor a script.
    """
    patterns_by_file = {
        file.path.name: file.content["run"] for file in figures.files if "run" in file.content
    }
    if not patterns_by_file:
        scripts = [path for path in folder.glob("*.py") if MENTION in _text(path)]
        return sorted([*folder.glob("*.ipynb"), *scripts])
    paths: list[Path] = []
    for name, patterns in patterns_by_file.items():
        for pattern in patterns:
            # Unlike Path.glob, glob takes patterns such as "../notebooks/*.ipynb".
            matches = [folder / match for match in sorted(glob(pattern, root_dir=folder))]  # noqa: PTH207
            if not matches:
                rule = "list notebooks and scripts that exist"
                raise input_error(f"run in {name}", rule, shorten(pattern))
            wrong = [path.name for path in matches if path.suffix not in ENDINGS]
            if wrong:
                raise input_error(f"run in {name}", "list notebooks and scripts only", wrong[0])
            paths += [path for path in matches if path not in paths]
    return paths


def _text(path: Path) -> str:
    """Return the text of a script; bytes that are not UTF-8 are replaced."""
    return path.read_text(encoding="utf-8", errors="replace")


def select_paths(paths: list[Path], patterns: list[str]) -> list[Path]:
    """Return the paths whose name, with or without ending, matches one of the patterns.

    Raises if a pattern matches none of them.
    """
    for pattern in patterns:
        if not any(_matches(path, pattern) for path in paths):
            names = ", ".join(path.name for path in paths)
            rule = "name notebooks or scripts of the ledger"
            raise input_error("only", rule, f"{shorten(pattern)}. It has {names or 'none'}")
    return [path for path in paths if any(_matches(path, pattern) for pattern in patterns)]


def _matches(path: Path, pattern: str) -> bool:
    """Return whether a pattern such as ``01_*`` matches the name of a file or its stem."""
    return fnmatch(path.name, pattern) or fnmatch(path.stem, pattern)


def append_check(file: Path, folder: Path, record: Record) -> None:
    """Add a check to the file that `read_appended` reads: a line of JSON with the folder."""
    line = json.dumps({"folder": str(folder.resolve()), "check": record})
    with file.open("a", encoding="utf-8") as lines:
        lines.write(line + "\n")


def read_appended(file: Path, folder: Path) -> list[Record]:
    """Return the last check of each figure of a folder in a file that `append_check` wrote."""
    record_by_id: dict[str, Record] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            content = json.loads(line)
            if content["folder"] == str(folder.resolve()):
                record_by_id[content["check"]["id"]] = content["check"]
    return list(record_by_id.values())


def write_script_checks(folder: Path, records_by_script: dict[str, list[Record]]) -> None:
    """Write the checks of scripts into the folder of their ledger, by name of the script."""
    text = json.dumps(records_by_script, indent=1, sort_keys=True) + "\n"
    write_atomically(folder / CHECKS_FILE, lambda file: file.write(text))


def read_script_checks(folder: Path) -> dict[str, list[Record]]:
    """Return the checks that scripts made when they last ran, by name of the script."""
    path = folder / CHECKS_FILE
    if not path.exists():
        return {}
    try:
        content: dict[str, list[Record]] = json.loads(path.read_text(encoding="utf-8"))
        for records in content.values():
            for record in records:
                ShownCheck.of(record, "")
    except (ValueError, KeyError, TypeError, AttributeError):
        rule = "hold the checks that `receval ledger run` wrote"
        advice = "Remove the file, and run the ledger again"
        raise input_error(CHECKS_FILE, rule, "something else", advice) from None
    return content


def name_of(path: Path, folder: Path) -> str:
    """Return the path of a notebook or script relative to the folder of its ledger, if possible."""
    resolved, base = path.resolve(), folder.resolve()
    if resolved.is_relative_to(base):
        return resolved.relative_to(base).as_posix()
    return path.name


def shown_by_scripts(folder: Path, paths: list[Path]) -> Iterator[ShownCheck]:
    """Yield the checks that the scripts among ``paths`` made when they last ran."""
    records_by_script = read_script_checks(folder)
    for path in paths:
        name = name_of(path, folder)
        for record in records_by_script.get(name, []):
            yield ShownCheck.of(record, name)
