"""Small tables are cut into many parts, as large ones are."""

import os

import pytest

from receval.large import ranges, run, sources, spill


@pytest.fixture
def small_parts(monkeypatch):
    """Sizes at which a few hundred users make about ten parts and several files aside."""
    monkeypatch.setattr(run, "PART_ROWS", 500)
    monkeypatch.setattr(sources, "BATCH_ROWS", 128)
    monkeypatch.setattr(spill, "SPILL_ROWS", 900)
    monkeypatch.setattr(ranges, "EVERY", 7)
    monkeypatch.setattr(spill, "EVERY", 7)


@pytest.fixture
def no_power_cut(monkeypatch):
    """Nothing waits for the disk, which is most of the time: what is killed leaves what it wrote.

    That each file is on the disk before its record is tested by itself.
    """
    monkeypatch.setattr(os, "fsync", lambda file: None)
