"""The audits of other people's papers: their page, their notebooks and their counts."""

import re
from collections import Counter
from pathlib import Path

import pytest

from receval import ledger as published
from receval._files import notebooks_folder

PAGE = Path(__file__).parents[2] / "docs" / "audits.md"
DOCUMENTS = [name for name in published.documents() if not name[0].isdigit()]
ROW = r"^\| \[.+?\]\(\.\./notebooks/([\w/]+\.ipynb)\)[^|]*\| ([^|]+) \|.+?\| (\d+: .+?) \|"


def rows_of_the_page():
    """Return the notebook, the documents in the ledger and the text of the counts of each row."""
    rows = re.findall(ROW, PAGE.read_text(encoding="utf-8"), re.M)
    return [(notebook, re.findall(r"`(\w+)`", names), text) for notebook, names, text in rows]


def words_for(verdicts):
    """Return counts of verdicts as the page writes them: the number of figures, then each count."""
    counts = Counter(verdicts)
    parts = []
    for verdict, count in counts.items():
        plural = verdict.replace("erratum", "errata") if count > 1 else verdict
        parts.append(f"{count} {plural}")
    return f"{sum(counts.values())}", set(parts)


def test_every_source_has_a_row_on_the_page():
    assert sorted(name for _, names, _ in rows_of_the_page() for name in names) == DOCUMENTS


@pytest.mark.parametrize(("notebook", "documents", "text"), rows_of_the_page())
def test_the_counts_of_the_page_are_those_of_the_ledger(notebook, documents, text):
    source = (notebooks_folder() / notebook).read_text(encoding="utf-8")
    assert all(f"{document}/" in source for document in documents)
    verdicts = [
        verdict
        for document in documents
        for verdict in published.ledger(document=document)["verdict"]
    ]
    n_figures, parts = words_for(verdicts)
    number, _, rest = text.partition(": ")
    assert (number, set(rest.split(", "))) == (n_figures, parts)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_source_says_how_we_saw_it(document):
    source = published.load(document)["source"]
    assert {"seen", "place", "licence", "may_be_copied"} <= source.keys()
