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
    new, count = _marked(name).subn(lambda found: f"{found[1]}\n{text}\n\n{found[3]}", old)
    if count != 1:
        raise ValueError(f"{page.name} must have one place marked {name!r}; got {count}")
    page.write_text(new, encoding="utf-8")


def text_between_marks(name, page):
    """Return the text that `put` wrote into the text of a page; "" if there is none."""
    found = _marked(name).search(page)
    return found[2].strip() if found else ""


def _marked(name):
    """Return the pattern of a marked place: its first mark, its text and its last mark."""
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)
