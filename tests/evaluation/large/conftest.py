"""Small tables are divided into many parts, as large ones are."""

import pytest

from receval.evaluation.large import files, parts, sources


@pytest.fixture
def small_parts(monkeypatch):
    """Set sizes so that a few hundred users give about ten parts and several temporary files."""
    monkeypatch.setattr(files, "PART_ROWS", 500)
    monkeypatch.setattr(sources, "BATCH_ROWS", 128)
    monkeypatch.setattr(parts, "SPILL_ROWS", 900)
    monkeypatch.setattr(parts, "EVERY", 7)
