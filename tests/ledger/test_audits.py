"""The audits of other people's papers: their page, their notebooks and their counts."""

import re
from collections import Counter
from pathlib import Path

import pytest

from receval import ledger as published
from receval._files import notebooks_folder, published_folder

PAGE = Path(__file__).parents[2] / "docs" / "audits.md"
DOCUMENTS = [path.stem for path in sorted(published_folder().glob("[a-z]*.toml"))]
LEDGER = published.ledger()
ROW = r"^\| \[.+?\]\(\.\./notebooks/([\w/]+\.ipynb)\)[^|]*\| ([^|]+) \|.+?\| (\d+: .+?) \|"


ROWS = [
    (notebook, re.findall(r"`(\w+)`", names), counts)
    for notebook, names, counts in re.findall(ROW, PAGE.read_text(encoding="utf-8"), re.M)
]
"""The notebook of each row of the page, its documents in the ledger, and the text of the counts."""


def test_every_source_has_a_row_on_the_page():
    assert sorted(name for _, names, _ in ROWS for name in names) == DOCUMENTS


@pytest.mark.parametrize(("notebook", "documents", "text"), ROWS)
def test_the_counts_of_the_page_are_those_of_the_ledger(notebook, documents, text):
    source = (notebooks_folder() / notebook).read_text(encoding="utf-8")
    assert all(f"{document}/" in source for document in documents)
    document_of_figure = LEDGER.index.str.partition("/").get_level_values(0)
    verdicts = Counter(LEDGER["verdict"][document_of_figure.isin(documents)])
    n_figures, _, counts = text.partition(": ")
    assert int(n_figures) == verdicts.total()
    words = {f"{n} {verdict}" for verdict, n in verdicts.items()}
    assert set(re.sub(r"(\d+) errata", r"\1 erratum", counts).split(", ")) == words


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_source_says_how_we_saw_it(document):
    content = published.load(document)
    assert content["title"]
    assert {"seen", "place", "licence", "may_be_copied"} <= content["source"].keys()
