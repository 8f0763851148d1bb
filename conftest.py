"""What all tests share: figures are closed, and studies need files of others."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from receval import datasets

STUDIES = Path(__file__).parent / "notebooks" / "studies"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what a test drew; matplotlib warns when many figures stay open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the studies whose data cannot be had: what they show is of the real data."""
    for item in items:
        if STUDIES in item.path.parents and (names := missing(item.path)):
            reason = (
                f"{', '.join(names)} can be neither found nor fetched; "
                "set RECEVAL_DATA to the folder that holds it"
            )
            item.add_marker(pytest.mark.skip(reason=reason))


@cache
def missing(study: Path) -> list[str]:
    """The files of others that a study names and that are not to be had."""
    text = study.read_text(encoding="utf-8")
    return [name for name in datasets.sources() if name in text and not datasets.available(name)]
