"""The record of a source: where the printed figures of a file come from."""

from __future__ import annotations

from receval._checks import Record
from receval.ledger.files import FigureFile

__all__: list[str] = []


def source_lines(file: FigureFile) -> list[str]:
    """Return the lines that describe a file's source; no lines if the file states it as text.

    The first line names the paper, the second says where and when somebody saw the figures and
    whether the data may be copied.
    """
    source = file.content.get("source", "")
    if not isinstance(source, dict):
        return []
    lines = [f"{file.path.name}: {_citation(file.content, source)}", _circumstances(source)]
    return [line for line in lines if line]


def _citation(content: Record, source: Record) -> str:
    """Return the sentences that name the paper."""
    parts = []
    if source.get("authors"):
        parts.append(", ".join(source["authors"]))
    title = source.get("title") or content.get("title", "")
    if title:
        parts.append(title)
    for key in ("venue", "year"):
        if source.get(key):
            parts.append(str(source[key]))
    if source.get("doi"):
        parts.append(f"doi:{source['doi']}")
    if source.get("url"):
        parts.append(source["url"])
    if source.get("commit"):
        parts.append(f"commit {source['commit']}")
    if source.get("place"):
        parts.append(source["place"])
    return ". ".join(parts) or "the source is not stated"


def _circumstances(source: Record) -> str:
    """Return the sentences on where and when somebody saw the figures, and on the licence."""
    parts = []
    if source.get("seen"):
        seen = f"Seen {source['seen']}"
        if source.get("seen_on"):
            seen += f" on {source['seen_on']}"
        parts.append(seen)
    if source.get("licence"):
        parts.append(f"Licence: {source['licence']}")
    if "may_be_copied" in source:
        if source["may_be_copied"]:
            parts.append("The data may be copied")
        else:
            parts.append("The data may not be copied")
    if source.get("note"):
        parts.append(source["note"])
    return ". ".join(parts)
