"""The references of `references.bib`: a text cites one as "@key"."""

from __future__ import annotations

import re

from receval._files import read_shared_text

ENTRIES = {
    key: entry
    for entry, key in re.findall(
        r"(@\w+\{(\w+),\n.*?\n\})", read_shared_text("references.bib"), re.S
    )
}
"""The entries as BibTeX has them, by key."""

KEY = re.compile(rf"@({'|'.join(ENTRIES)})\b")


def cited(text: str) -> str:
    """As a paper's text cites: "@jarvelin2002" becomes "Järvelin and Kekäläinen, 2002"."""
    return KEY.sub(lambda found: f"{_authors(found[1])}, {_field(found[1], 'year')}", text)


def described(text: str) -> str:
    """As a table tells: authors and year, with the DOI, or the title where there is none."""

    def one(found: re.Match[str]) -> str:
        doi = _field(found[1], "doi")
        where = f"doi:{doi}" if doi else _field(found[1], "title")
        return f"{_authors(found[1])} ({_field(found[1], 'year')}), {where}"

    return KEY.sub(one, text)


def plain(text: str) -> str:
    """Without the references, which stand in parentheses, alone or last."""
    return re.sub(rf" \({KEY.pattern}\)|; {KEY.pattern}", "", text)


def entries(text: str) -> str:
    """The entries that a text cites, in its order, each once."""
    return "\n\n".join(ENTRIES[key] for key in dict.fromkeys(KEY.findall(text)))


def _field(key: str, name: str) -> str:
    found = re.search(rf"^  {name} = \{{(.*)\}}", ENTRIES[key], re.M)
    return re.sub(r"[{}\\]", "", found[1]) if found else ""


def _authors(key: str) -> str:
    """Family names: of one author or two, else of the first "et al."."""
    names = [name.partition(",")[0] for name in _field(key, "author").split(" and ")]
    return f"{names[0]} et al." if len(names) > 2 or "others" in names else " and ".join(names)
