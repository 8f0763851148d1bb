"""Checks of the recommenders' parameters, for their functions and for configurations."""

from __future__ import annotations

from receval._checks import check_choice, check_number
from receval.people.network import ORIENTATIONS


def check_above_0(value: object, name: str) -> float:
    """Return a number above 0; for anything else, raise an `InputError` that calls it ``name``."""
    return check_number(value, name, "a number above 0", lambda number: number > 0)


def check_not_negative(value: object, name: str) -> float:
    """Return a number of at least 0; raise `InputError` for anything else."""
    return check_number(value, name, "a number of at least 0", lambda number: number >= 0)


def check_share(value: object, name: str) -> float:
    """Return a number in [0, 1]; raise `InputError` for anything else."""
    return check_number(value, name, "a number in [0, 1]", lambda number: 0 <= number <= 1)


def check_teleport(value: object, name: str) -> float:
    """Return a number in (0, 1]; raise `InputError` for anything else."""
    return check_number(value, name, "a number in (0, 1]", lambda number: 0 < number <= 1)


def check_orientation(value: object, name: str) -> None:
    """Raise `InputError` unless a value is one of the four orientations."""
    check_choice(value, name, ORIENTATIONS)
