"""What the record in a file of receval must look like, so that a wrong one is refused by its place.

A digest tells damage, and cannot tell a record that another program wrote or that was edited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from receval._checks import LARGEST, input_error, shorten

Check = Callable[[Any, str], None]


def check_record(record: Any, shape: Any, file_name: str) -> None:
    """Refuse a record that does not have the shape, naming the file and the first wrong place."""

    def refuse(rule: str, value: Any, place: str) -> None:
        raise input_error(f"{place} in {file_name}", rule, shorten(value), "It is not a whole file")

    _check(record, shape, "the record", refuse)


class Kind:
    """A rule for a single value, in words and as a function."""

    def __init__(self, rule: str, holds: Callable[[Any], bool]) -> None:
        self.rule = rule
        self.holds = holds


class Optional:
    """What may also be null."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


class ByName:
    """An object with any names, whose values all have one shape."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


def _check(value: Any, shape: Any, place: str, refuse: Callable[[str, Any, str], None]) -> None:
    """A value against a shape: a `Kind`, a list of one shape, or shapes by name, all needed."""
    if isinstance(shape, Optional):
        if value is not None:
            _check(value, shape.shape, place, refuse)
    elif isinstance(shape, Kind):
        if not shape.holds(value):
            refuse(f"be {shape.rule}", value, place)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            refuse("be a list", value, place)
        for number, entry in enumerate(value):
            _check(entry, shape[0], f"{place}[{number}]", refuse)
    elif not isinstance(value, dict):
        refuse("be an object with names", value, place)
    elif isinstance(shape, ByName):
        for name, entry in value.items():
            _check(entry, shape.shape, f"{place}[{name!r}]", refuse)
    else:
        _check_names(value, shape, place, refuse)


def _check_names(
    value: dict[str, Any],
    shape: Mapping[str, Any],
    place: str,
    refuse: Callable[[str, Any, str], None],
) -> None:
    for name, entry_shape in shape.items():
        if name not in value:
            refuse(f"have {name!r}", list(value), place)
        _check(value[name], entry_shape, f"{place}[{name!r}]", refuse)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    """NaN and infinity are numbers too; a whole number must fit into float64."""
    if isinstance(value, float):
        return True
    return _is_integer(value) and abs(value) < 10**308


def _is_text(value: Any) -> bool:
    """Text without half a surrogate pair, which no output can show."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


TEXT = Kind("text", _is_text)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
COUNT = Kind("a whole number from 0 to 2**53", lambda v: _is_integer(v) and 0 <= v <= LARGEST)
POSITIVE = Kind("a whole number from 1 to 2**53", lambda v: _is_integer(v) and 1 <= v <= LARGEST)
NUMBER = Kind("a number", _is_number)
FINITE = Kind("a finite number", lambda v: _is_number(v) and math.isfinite(v))
NAME = Kind("text or a whole number", lambda v: _is_text(v) or _is_integer(v))
CELL = Kind(
    "text, a number, true, false or null",
    lambda v: v is None or isinstance(v, bool) or _is_text(v) or _is_number(v),
)
ITEM_KIND = Kind("'integer', 'text' or 'none'", lambda v: v in ("integer", "text", "none"))
ANYTHING = Kind("anything", lambda _: True)

TIES = dict.fromkeys(("pessimistic", "expected", "value", "optimistic"), NUMBER) | {"users": COUNT}

SYSTEM = {
    "name": NAME,
    "counts": ByName(COUNT),
    "means": ByName(NUMBER),
    "n": ByName(COUNT),
    "ties": ByName(TIES),
    "foreign": COUNT,
    "like_ranks": FLAG,
    "item_kind": ITEM_KIND,
    "facts": ByName(ANYTHING),
    "states": ByName([ANYTHING]),
}

FRAME = {"index": [NAME], "columns": [TEXT], "data": [[CELL]]}

NUMBERS_OF_RULES = dict.fromkeys(("threshold", "relevant_from"), FINITE)
EVALUATION = {
    "receval": TEXT,
    "parameters": Optional(FRAME | {"dtypes": ByName(TEXT)}),
    "measures": [TEXT],
    "convention": {"name": TEXT, "source": TEXT, "verified": TEXT} | NUMBERS_OF_RULES,
    "columns": {
        **dict.fromkeys(("user", "item", "score", "duplicates"), CELL),
        **dict.fromkeys(("rank", "relevance_column", "system"), CELL),
    },
    "n_items": Optional(POSITIVE),
    "max_grade": Optional(NUMBER),
    "auc_catalogue": Optional(POSITIVE),
    "seen": TEXT,
    "users": TEXT,
    "own": [{"key": TEXT, "k": Optional(POSITIVE), "source": TEXT, "higher_is_better": FLAG,
             "needs": [TEXT], "tie_rule": Optional(TEXT), "terms": FLAG}],
    "systems": [SYSTEM],
    "groups": [COUNT],
}  # fmt: skip
"""The record of an `Evaluation`."""
