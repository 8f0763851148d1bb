"""The page that says where everything of the five documents is: its names and commands exist."""

import pkgutil
import re
from contextlib import suppress
from pathlib import Path

import pytest

from receval.cli import build_parser

PAGE = Path(__file__).parents[1] / "docs" / "documents.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| ---")
]
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
    assert re.findall(r"^## Document (\d+)", TEXT, re.MULTILINE) == [
        "000", "001", "002", "003", "004",
    ]  # fmt: skip
    assert "not implemented" not in TEXT.lower()
    full_rows = [row for row in ROWS if len(row) == 5]
    assert len(full_rows) > 45
    assert all(all(row) for row in full_rows)


def test_the_names_of_rows_exist():
    names = [name for row in ROWS if len(row) == 5 for name in names_of(row[1])]
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize(
    "options", sorted(set(re.findall(r"`(receval [^`]+)`", TEXT))), ids=lambda text: text[:60]
)
def test_the_options_of_a_command_exist(options):
    (command, *words) = options.removeprefix("receval ").split()
    parser = build_parser()._subparsers._group_actions[0].choices[command]
    known = parser._option_string_actions
    assert [word for word in words if word.startswith("-") and word not in known] == []


CITING_ROWS = [row for row in ROWS if len(row) == 5 and "`tests/" in row[3]]


@pytest.mark.parametrize("row", CITING_ROWS, ids=lambda row: row[0][:40])
def test_the_cited_tests_call_what_the_row_is_about(row):
    for cited in re.findall(r"`(tests/[^`]+)`", row[3]):
        source = (PAGE.parents[1] / cited).read_text(encoding="utf-8")
        names = [name.split(".")[-1] for name in names_of(row[1])]
        called = [name for name in names if re.search(rf"\b{name}\b", source, re.IGNORECASE)]
        assert called, f"{cited} uses none of {names}"


def test_every_row_of_documents_001_and_002_cites_a_test():
    part = TEXT[TEXT.index("## Document 001") : TEXT.index("## Document 003")]
    rows = [line for line in part.splitlines() if line.startswith("| ") and "---" not in line]
    without = [line.split(" | ")[0] for line in rows if "`tests/" not in line]
    # The headers of the tables remain.
    assert without == [*["| the document describes"] * 2, "| receval adds"]
