"""The audits of other people's papers: their page, their notebooks and their counts."""

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from receval import ledger as published
from receval._files import notebooks_folder

PAGE = Path(__file__).parents[2] / "docs" / "audits.md"
NOTEBOOKS = sorted((notebooks_folder() / "audits").glob("[a-z]*.ipynb"))
DOCUMENTS = [name for name in published.documents() if not name[0].isdigit()]


def rows_of_the_page():
    """Return the name of the notebook and the text of the counts of each row."""
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(
        r"^\| \[.+?\]\(\.\./notebooks/audits/(\w+)\.ipynb\)[^|]*\|.+?\| (\d+: .+?) \|", text, re.M
    )


def words_for(verdicts):
    """Return counts of verdicts as the page writes them: the number of figures, then each count."""
    counts = Counter(verdicts)
    parts = []
    for verdict, count in counts.items():
        plural = verdict.replace("erratum", "errata") if count > 1 else verdict
        parts.append(f"{count} {plural}")
    return f"{sum(counts.values())}", set(parts)


def test_every_audit_has_a_row_on_the_page():
    assert [name for name, _ in rows_of_the_page()] == [path.stem for path in in_page_order()]


def in_page_order():
    """Return the notebooks in the order of the page; those without a row come last."""
    order = [name for name, _ in rows_of_the_page()]
    ranks = {name: rank for rank, name in enumerate(order)}
    return sorted(NOTEBOOKS, key=lambda path: ranks.get(path.stem, len(order)))


@pytest.mark.parametrize(("name", "text"), rows_of_the_page())
def test_the_counts_of_the_page_are_those_of_the_ledger(name, text):
    source = (notebooks_folder() / "audits" / f"{name}.ipynb").read_text(encoding="utf-8")
    documents = [document for document in DOCUMENTS if f"{document}/" in source]
    assert documents, name
    verdicts = [
        verdict
        for document in documents
        for verdict in published.ledger(document=document)["verdict"]
    ]
    n_figures, parts = words_for(verdicts)
    number, _, rest = text.partition(": ")
    assert (number, set(rest.split(", "))) == (n_figures, parts)


def test_every_paper_has_a_source_and_a_notebook_that_checks_it():
    sources = [published.load(document)["source"] for document in DOCUMENTS]
    assert all({"seen", "place", "licence", "may_be_copied"} <= source.keys() for source in sources)
    texts = [path.read_text(encoding="utf-8") for path in NOTEBOOKS]
    assert [name for name in DOCUMENTS if not any(f"{name}/" in text for text in texts)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_an_audit_is_short(path):
    cells = nbformat.read(path, 4).cells
    shown = [cell for cell in cells if "claim" not in cell.metadata.get("tags", [])]
    assert 10 <= len(shown) <= 20
    assert "What to take away" in shown[-1].source
