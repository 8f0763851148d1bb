"""Small tables are cut into many parts, as large ones are."""

import pytest

from receval.evaluation.scale import ranges, run, sources, spill


@pytest.fixture
def small_parts(monkeypatch):
    """Sizes at which a few hundred users make about ten parts and several files aside."""
    monkeypatch.setattr(run, "PART_ROWS", 500)
    monkeypatch.setattr(sources, "BATCH_ROWS", 128)
    monkeypatch.setattr(spill, "SPILL_ROWS", 900)
    monkeypatch.setattr(ranges, "EVERY", 7)
    monkeypatch.setattr(spill, "EVERY", 7)
