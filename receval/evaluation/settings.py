"""The sentences of notes, tables and methods sections."""

from __future__ import annotations

from receval._files import read_toml

WORDS: dict[str, dict[str, str]] = read_toml("evaluation/words.toml")
"""Texts by section and key."""
