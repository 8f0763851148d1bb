"""Where the notebooks and the published figures lie: in the wheel, or in the checkout."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def published_folder() -> Path:
    """The folder of the published figures, one TOML file per document."""
    return _shared("published", PACKAGE.parent / "data" / "published")


def notebooks_folder() -> Path:
    """The folder of the notebooks as shipped."""
    return _shared("notebooks", PACKAGE.parent / "notebooks")


def _shared(name: str, in_checkout: Path) -> Path:
    in_wheel = PACKAGE / "share" / name
    return in_wheel if in_wheel.is_dir() else in_checkout
