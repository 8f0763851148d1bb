"""The form that the record in a file of receval must have.

The digest of a file reveals damage. It doesn't reveal that another program wrote the record or that
somebody edited it, so receval checks the form, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeAlias, TypeGuard, Union, cast

from receval._checks import MAX_EXACT_INTEGER, input_error, shorten


class ValueRule:
    """A rule for a single value.

    Attributes
    ----------
    rule : str
        The words that follow "must be" in a message.
    holds : callable
        A function that returns whether a value fulfils the rule.
    """

    def __init__(self, rule: str, holds: Callable[[object], bool]) -> None:
        self.rule = rule
        self.holds = holds


class Nullable:
    """A value that is null or has the form ``shape``."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class ByName:
    """An object with any names, whose values all have the form ``shape``."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class Optional(Nullable):
    """A value that may be null, or whose name may be missing in the object."""


Shape: TypeAlias = Union[ValueRule, Nullable, ByName, "list[Shape]", "Mapping[str, Shape]"]
"""The form of a JSON value. A list holds the form of all entries; a dict, a form for each name."""


def check_record(record: object, shape: Mapping[str, object], file_name: str) -> None:
    """Raise an error if a record does not have the form ``shape``, and name the first wrong place.

    ``shape`` has the names of the record and the `Shape` of their values. ``file_name`` is for the
    message.
    """
    # The type says `object` because type checkers infer that for a dict without an annotation.
    _Checker(file_name).check(record, cast("Shape", shape), "the record")


class _Checker:
    """Compares the values of a record with their form.

    In its methods, ``place`` is the value's name in messages, such as "the record['systems'][0]".
    """

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name

    def check(self, value: object, shape: Shape, place: str) -> None:
        """Raise an error if a value does not have the form ``shape``.

        If ``shape`` is a list, its only element is the form of all entries.
        """
        if isinstance(shape, Nullable):
            if value is not None:
                self.check(value, shape.shape, place)
        elif isinstance(shape, ValueRule):
            if not shape.holds(value):
                self.refuse(f"be {shape.rule}", value, place)
        elif isinstance(shape, list):
            self.check_list(value, shape[0], place)
        else:
            self.check_object(value, shape, place)

    def check_list(self, value: object, entry_shape: Shape, place: str) -> None:
        """Raise an error if a value is not a list, or an entry does not have the form."""
        if not isinstance(value, list):
            self.refuse("be a list", value, place)  # raises the error
        for position, entry in enumerate(value):
            self.check(entry, entry_shape, f"{place}[{position}]")

    def check_object(self, value: object, shape: ByName | Mapping[str, Shape], place: str) -> None:
        """Raise an error if a value is not a JSON object, lacks a name, or has a wrong entry.

        ``shape`` maps each name to the form of its value. An object may have more names than
        ``shape``. If ``shape`` is a `ByName`, the object may have any names, and all values have
        the same form.
        """
        if not isinstance(value, dict):
            self.refuse("be an object with names", value, place)  # raises the error
        if isinstance(shape, ByName):
            for name, entry in value.items():
                self.check(entry, shape.shape, f"{place}[{name!r}]")
        else:
            for name, entry_shape in shape.items():
                if name not in value and isinstance(entry_shape, Optional):
                    continue
                if name not in value:
                    self.refuse(f"have {name!r}", list(value), place)
                self.check(value[name], entry_shape, f"{place}[{name!r}]")

    def refuse(self, rule: str, value: object, place: str) -> NoReturn:
        """Raise the error for a value that breaks a rule."""
        name = f"{place} in {self.file_name}"
        raise input_error(name, rule, shorten(value), "It is not a whole file")


def _is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number, and not true or false."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that float64 can hold, including NaN and infinity."""
    if isinstance(value, float):
        return True
    return _is_integer(value) and abs(value) < 10**308


def _is_text(value: object) -> bool:
    """Return whether a value is text that can be shown, without half a surrogate pair."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


TEXT = ValueRule("text", _is_text)
FLAG = ValueRule("true or false", lambda value: isinstance(value, bool))
COUNT = ValueRule(
    "a whole number from 0 to 2**53",
    lambda value: _is_integer(value) and 0 <= value <= MAX_EXACT_INTEGER,
)
POSITIVE = ValueRule(
    "a whole number from 1 to 2**53",
    lambda value: _is_integer(value) and 1 <= value <= MAX_EXACT_INTEGER,
)
NUMBER = ValueRule("a number", _is_number)
FINITE = ValueRule("a finite number", lambda value: _is_number(value) and math.isfinite(value))
NAME = ValueRule("text or a whole number", lambda value: _is_text(value) or _is_integer(value))
CELL = ValueRule(
    "text, a number, true, false or null",
    lambda value: value is None or isinstance(value, bool) or _is_text(value) or _is_number(value),
)
ITEM_KIND = ValueRule(
    "'integer', 'text' or 'none'", lambda value: value in ("integer", "text", "none")
)
ANYTHING = ValueRule("anything", lambda _: True)

TIES: dict[str, Shape] = {
    "pessimistic": NUMBER,
    "expected": NUMBER,
    "value": NUMBER,
    "optimistic": NUMBER,
    "users": COUNT,
}

SYSTEM: dict[str, Shape] = {
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


CUSTOM_MEASURE: dict[str, Shape] = {
    "key": TEXT,
    "k": Nullable(POSITIVE),
    "source": TEXT,
    "higher_is_better": FLAG,
    "needs": [TEXT],
    "tie_rule": Nullable(TEXT),
    "terms": FLAG,
}

EVALUATION: dict[str, Shape] = {
    "receval": TEXT,
    "measures": [TEXT],
    "convention": {
        "name": TEXT,
        "source": TEXT,
        "verified": TEXT,
        "threshold": FINITE,
        "relevant_from": FINITE,
    },
    "columns": {
        "user": CELL,
        "item": CELL,
        "score": CELL,
        "duplicates": CELL,
        "rank": CELL,
        "relevance_column": CELL,
        "system": CELL,
        "notes": Optional([TEXT]),
    },
    "n_items": Nullable(POSITIVE),
    "max_grade": Nullable(NUMBER),
    "auc_catalogue": Nullable(POSITIVE),
    "seen": TEXT,
    "users": TEXT,
    "features": Optional({"columns": [TEXT], "featureless": COUNT, "heavy": Nullable(TEXT)}),
    "own": [CUSTOM_MEASURE],
    "systems": [SYSTEM],
    "groups": [COUNT],
}
"""The record of an `Evaluation`."""
