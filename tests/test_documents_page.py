"""The page that says where everything of the five documents is: its names exist."""

import pkgutil
import re
from contextlib import suppress
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "documents.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| ---")
]
FULL_ROWS = [row for row in ROWS if len(row) == 5]
PREFIXES = (
    "", "metrics.", "metrics.classification.", "matchmaking.", "groups.",
    "splitting.", "recommend.", "fuzzy.", "fuzzy.online.", "tables.", "retrieval.", "people.",
)  # fmt: skip


def names_of(cell):
    return [name for name in re.findall(r"`([^`]+)`", cell) if re.fullmatch(r"[\w.]+", name)]


def exists(name):
    for prefix in PREFIXES:
        with suppress(ImportError, AttributeError):
            pkgutil.resolve_name(f"receval.{prefix}{name}")
            return True
    return False


def test_every_document_has_a_table():
    headings = re.findall(r"^## Document (\d+)", TEXT, re.MULTILINE)
    assert headings == ["000", "001", "002", "003", "004"]
    assert len(FULL_ROWS) > 45
    assert all(all(row) for row in FULL_ROWS)


def test_the_names_of_rows_exist():
    names = [name for row in FULL_ROWS for name in names_of(row[1])]
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize("row", FULL_ROWS, ids=lambda row: row[0][:40])
def test_the_cited_tests_call_what_the_row_is_about(row):
    for cited in re.findall(r"`(tests/[^`]+)`", row[3]):
        source = (PAGE.parents[1] / cited).read_text(encoding="utf-8")
        names = [name.split(".")[-1] for name in names_of(row[1])]
        is_called = [re.search(rf"\b{name}\b", source, re.IGNORECASE) for name in names]
        assert any(is_called), f"{cited} uses none of {names}"


def test_every_row_of_documents_001_and_002_cites_a_test():
    _, part, _ = re.split(r"^## Document (?:001|003)", TEXT, flags=re.MULTILINE)
    rows = re.findall(r"^\| (?!---).*", part, re.MULTILINE)
    without = [line.split(" | ")[0] for line in rows if "`tests/" not in line]
    # The headers of the tables remain.
    assert without == [*["| the document describes"] * 2, "| receval adds"]
