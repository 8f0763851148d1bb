"""Lists of pairs and of records, which users pass in place of tables.

A pair is a tuple of an item and its number. A record is a named tuple with a query and a document,
such as ``ScoredDoc`` and ``Qrel`` of ir_measures.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import TypeGuard, cast

from receval._checks import input_error, shorten

RECORD_FIELDS = ("query_id", "doc_id")
"""The fields that every record has."""

NUMBER_FIELDS = ("score", "relevance")
"""The fields that can hold a record's number; a record has one of them."""


def read_iterator(table: object) -> object:
    """Convert an iterator to a list, and return all other objects unchanged.

    The readers of ir_measures return iterators. A stream of Arrow is a table, which is read later.
    """
    if isinstance(table, Iterator) and not hasattr(table, "__arrow_c_stream__"):
        return list(table)
    return table


def has_pairs(answers: Mapping[Hashable, Collection[Hashable]]) -> bool:
    """Return whether a dict of users has lists that begin with a tuple, so that they hold pairs."""
    for answer in answers.values():
        if isinstance(answer, (list, tuple)) and len(answer) and isinstance(answer[0], tuple):
            return True
    return False


def check_pairs_of_users(
    answers: Mapping[Hashable, Collection[Hashable]], place: str
) -> Mapping[Hashable, Collection[tuple[Hashable, object]]]:
    """Return the dict if each user has a list of pairs: tuples of an item and a number.

    Raises `InputError` otherwise. ``place`` is the name of the table in messages.
    """
    for user, answer in answers.items():
        for pair in answer:
            is_pair = isinstance(pair, tuple) and len(pair) == 2
            if not is_pair:
                rule = "have pairs of an item and a number, in all lists or in none"
                raise input_error(place, rule, f"{shorten(pair)} for {user!r}")
    return cast("Mapping[Hashable, Collection[tuple[Hashable, object]]]", answers)


def is_record_list(values: object) -> TypeGuard[Sequence[object]]:
    """Return whether this is a list that begins with a record, such as ir_measures' ScoredDoc."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    fields = getattr(values[0], "_fields", ())
    return all(field in fields for field in RECORD_FIELDS)


def is_tuple_list(values: object) -> TypeGuard[Sequence[object]]:
    """Return whether this is a list that begins with a tuple."""
    return isinstance(values, (list, tuple)) and bool(values) and isinstance(values[0], tuple)


def record_columns(records: Sequence[object], place: str) -> dict[str, list[object]]:
    """Return the fields of records as columns; raise if the records differ in their type.

    ``place`` is the name of the table in messages.
    """
    record_type = type(records[0])
    for row, record in enumerate(records):
        if type(record) is not record_type:
            rule = f"hold records of one type, {record_type.__name__}"
            raise input_error(place, rule, f"{shorten(record)} in row {row}")
    fields: tuple[str, ...] = getattr(record_type, "_fields", ())
    return {
        field: [getattr(record, field) for record in records]
        for field in (*RECORD_FIELDS, *NUMBER_FIELDS)
        if field in fields
    }
