"""Lines of a TOML file, for error messages: tomllib does not say where a key is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress

__all__: list[str] = []

KEY = re.compile(r"""^\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.]""")


def line_of(text: str, keys: Sequence[str]) -> int:
    """Return the line number of a key in a TOML file, from 1.

    Parameters
    ----------
    text : str
        The content of the file.
    keys : sequence of str
        The path of the key, such as ``["figures", "cg", "printed"]``.

    Returns
    -------
    int
        The line of the key. A key may have no line of its own, for example in an inline table. The
        result is then the line of the nearest table around it, or 1 if there is none.
    """
    best_line = 1
    best_depth = 0
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        path = header
        if line.lstrip().startswith("["):
            header_or_none = _header(line)
            if header_or_none is None:  # a line of a list that spans several lines
                continue
            header = header_or_none
            path = header
        else:
            match = KEY.match(line)
            if match is not None:
                path = [*header, next(name for name in match.groups() if name is not None)]
        depth = len(path)
        if best_depth < depth <= len(keys) and path == list(keys[:depth]):
            best_line = number
            best_depth = depth
    return best_line


def _header(line: str) -> list[str] | None:
    """Return the keys of a line such as ``[figures.cg]``; None if it is not a header of a table."""
    content: object = None
    with suppress(tomllib.TOMLDecodeError):
        content = tomllib.loads(line)
    keys = []
    while isinstance(content, dict) and content:
        [key] = content
        keys.append(key)
        content = content[key]
    return keys or None
