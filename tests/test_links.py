"""Links between files in README, documentation and notebooks."""

import re
from functools import cache
from pathlib import Path

import pytest
from exercises import NOTEBOOKS, prose_of

ROOT = Path(__file__).parents[1]
TEXTS = ("*.md", "docs/*.md", "tests/*.md", "notebooks/*/*.md")
PAGES = [
    *(path for pattern in TEXTS for path in ROOT.glob(pattern)),
    *NOTEBOOKS,
]


def text_of(page):
    """Return the text of a page without its code blocks."""
    if page.suffix == ".ipynb":
        return "\n\n".join(prose_of(page))
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@cache
def anchors(page):
    headings = re.findall(r"^#+ (.+)$", text_of(page), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page):
    """Return the links of a page whose file or heading does not exist."""
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        path, _, anchor = target.partition("#")
        to = page.parent / path if path else page
        # Pictures in a notebook are attachments of its cells.
        if not target.startswith(("https://", "http://", "attachment:")) and (
            not to.exists() or (anchor and anchor not in anchors(to))
        ):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page):
    assert dead_links(page) == []
    if page in NOTEBOOKS:
        # Copies of the notebooks, and the site, don't have the other folders of the repository.
        assert not re.search(r"\]\((\.\./)+docs/", text_of(page))


def test_dead_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One, two\n[a](page.md) [b](#one-two) [c](lost.md) ![d](x/y.svg) [e](#three)",
        encoding="utf-8",
    )
    assert dead_links(page) == ["lost.md", "x/y.svg", "#three"]
