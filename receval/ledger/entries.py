"""The entry of a figure in its file, and the expected verdict that follows from it."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from receval._checks import Record
from receval._files import read_toml
from receval.ledger.printed import read_printed

__all__: list[str] = []

VERDICTS: dict[str, str] = read_toml("ledger/verdicts.toml")["verdicts"]
CLAIMS: dict[str, str] = read_toml("ledger/verdicts.toml")["claims"]
VERDICT_KEYS = {*VERDICTS, "claim"}  # an entry has at most one of them
# Keys whose texts are sentences of the reason.
REASON_KEYS = (
    "not_computable",
    "variant",
    "transcribed",
    "consistent",
    "left_open",
    "reason",
)
# Keys whose values explain a difference, and the words that introduce each value.
REASON_VALUES = {
    "stated": "The value as stated",
    "bound": "Lower and upper bound",
    "cause": "Cause",
    "does_not_distinguish": "The same figure also follows from",
}


class RecordedFigure(TypedDict):
    """The fields of a `Check` that come from the record of a figure."""

    where: str
    what: str
    expected: str
    printed: tuple[str, ...]
    reason: str


def recorded_fields(entry: Record) -> RecordedFigure:
    """Return the fields of a `Check` that a figure's entry in its file states."""
    return {
        "where": entry.get("where", ""),
        "what": entry.get("what", ""),
        "expected": expected_verdict(entry),
        "printed": tuple(map(str, flatten(entry["printed"]))),
        "reason": recorded_reason(entry),
    }


def expected_verdict(entry: Record) -> str:
    """Return the recorded verdict: a key such as "corrected" or "claim" in the entry decides it.

    Without such a key it is "reproduced".
    """
    if "claim" in entry:
        return CLAIMS[entry["claim"]]
    for key, verdict in VERDICTS.items():
        if key in entry:
            return verdict
    return "reproduced"


def recorded_reason(entry: Record) -> str:
    """Return the recorded reason of the verdict; "" if the entry states none.

    It consists of the texts under `REASON_KEYS` and the labelled values under `REASON_VALUES`.
    """
    sentences = []
    for key in REASON_KEYS:
        if key in entry:
            sentence = entry[key]
            if isinstance(sentence, dict):  # a random process with its interval
                low, high = (float(read_printed(end).value) for end in sentence["interval"])
                sentence = f"{sentence['process']} (interval {low:.6g} to {high:.6g})"
            sentences.append(sentence)
    for key, label in REASON_VALUES.items():
        if key in entry:
            values = " ".join(map(str, flatten(entry[key])))
            sentences.append(f"{label}: {values}.")
    return ". ".join(sentences).replace(".. ", ". ")  # some end in a full stop


def flatten(value: object) -> list[object]:
    """Return a single value, or the values of nested sequences, as a flat list."""
    if isinstance(value, (str, int, float)):  # most figures; an array would take longer
        return [value]
    array = np.asarray(value, dtype=object)
    if array.ndim == 0:
        return [array.item()]
    # NumPy leaves rows of different lengths as lists inside the array, so flatten each item.
    return [leaf for item in array.flat for leaf in flatten(item)]
