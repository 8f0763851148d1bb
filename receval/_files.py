"""Where the notebooks and the published figures lie: in the wheel, or in the checkout."""

from __future__ import annotations

from pathlib import Path

from receval._checks import InputError

PACKAGE = Path(__file__).resolve().parent


def published_folder() -> Path:
    """The folder of the published figures, one TOML file per document."""
    return _shared("published", PACKAGE.parent / "data" / "published")


def notebooks_folder() -> Path:
    """The folder of the notebooks as shipped."""
    return _shared("notebooks", PACKAGE.parent / "notebooks")


def notebook_paths(folder: Path) -> list[Path]:
    """The notebooks of a folder in reading order, studies last but for the ledger."""
    found = [path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    if not found:
        raise InputError(f"folder must hold notebooks; got none in {folder.name}")

    def reading_order(path: Path) -> tuple[bool, bool, str]:
        return path.stem.startswith("99"), path.parent != folder, path.name

    return sorted(found, key=reading_order)


def _shared(name: str, in_checkout: Path) -> Path:
    in_wheel = PACKAGE / "share" / name
    return in_wheel if in_wheel.is_dir() else in_checkout
