"""Tables that benchmarks write into pages of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def table(head, rows):
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def put(name, text, page=DOCS / "scale.md"):
    """Replace the text between ``<!-- name -->`` and ``<!-- /name -->``."""
    old = page.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    new, count = marked.subn(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", old)
    if count != 1:
        raise ValueError(f"{page.name} must have one place marked {name!r}; got {count}")
    page.write_text(new, encoding="utf-8")
