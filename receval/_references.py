"""The references of `references.bib`: a text cites a reference as "@key".

This module uses no BibTeX parser, because `methods_text` returns entries exactly as they are in the
file, and a parser would not keep their layout. All entries have the same form, which a test checks.
"""

from __future__ import annotations

import re

from receval._checks import input_error
from receval._escape import for_latex
from receval._files import read_shared_text

BIBTEX_ENTRY = re.compile(r"(@\w+\{(\w+),\n.*?\n\})", re.DOTALL)

ENTRIES = {key: entry for entry, key in BIBTEX_ENTRY.findall(read_shared_text("references.bib"))}
"""The text of each BibTeX entry, by key."""

KEY = re.compile(rf"@({'|'.join(ENTRIES)})\b")


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
