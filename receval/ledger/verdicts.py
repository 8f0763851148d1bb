"""The entry of a figure: its keys, the recorded verdict, and the verdict on computed values."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    InputError,
    Options,
    Record,
    check_choice,
    check_flag,
    check_that,
    did_you_mean,
    input_error,
    shorten,
)
from receval._files import read_toml
from receval.ledger.agreement import (
    FORM_KEYS,
    WIDTHS,
    agrees,
    is_number,
    printed_interval,
)
from receval.ledger.checking import Check

Value: TypeAlias = Any
"""A number, a text, or a pair of numbers: the two ends of an interval."""

VERDICTS: dict[str, str] = read_toml("ledger/verdicts.toml")["verdicts"]
CLAIMS: dict[str, str] = read_toml("ledger/verdicts.toml")["claims"]
# If an entry has one of these keys, its printed value doesn't follow as stated.
DENIALS = {"corrected", "variant", "left_open", "bound"}
VALUE_KEYS = ("printed", "corrected", "stated", "expected_value")
# Keys whose texts are sentences of the reason.
REASON_KEYS = ("not_computable", "variant", "transcribed", "consistent", "left_open", "reason")
# Keys whose values explain a difference, and the words that introduce each value.
REASON_VALUES = {
    "stated": "The value as stated",
    "bound": "Lower and upper bound",
    "cause": "Cause",
    "does_not_distinguish": "The same figure also follows from",
}
FIGURE_KEYS = {"where", "what", "inputs", "claim", "interval"}.union(
    VALUE_KEYS, FORM_KEYS, REASON_KEYS, REASON_VALUES
)
# If an entry has a key, it must also have at least one of the keys listed for it.
NEEDED_KEYS = {
    "corrected": {"reason"},
    "stated": {"variant"},
    "expected_value": {"not_computable", "claim", "left_open"},
    "left_open": {"expected_value"},
    "bound": {"reason"},
    "interval": {"consistent"},
    "cause": {"corrected"},
}


def as_values(value: object, name: str) -> list[Value]:
    """Return the numbers and texts that a user passes to a check, as a flat list.

    Parameters
    ----------
    value : object
        A number or text; a list, tuple, array, Series or frame of them, also nested; or an object
        whose ``summary`` is a frame, such as an `Evaluation`.
    name : str
        The argument, for the error.

    Returns
    -------
    list
        The values of a frame are in the order of its rows.

    Raises
    ------
    InputError
        For anything else, such as a truth value, a date or a dict.
    """
    if not isinstance(value, (pd.DataFrame, pd.Series)):  # these may have a label "summary"
        value = getattr(value, "summary", value)
    is_masked = isinstance(value, np.ma.MaskedArray)
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index, np.ndarray)) and not is_masked:
        value = list(np.ravel(value))
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in as_values(item, name)]
    if not isinstance(value, str) and not is_number(value):
        raise input_error(
            name,
            "be numbers, text, a sequence, array, Series or frame of them, or have a `summary` of "
            "them",
            f"{shorten(value)}, a {type(value).__name__}",
        )
    return [value]


@dataclass(frozen=True)
class Entry:
    """The entry of a figure in a file of the ledger, read and checked.

    Attributes
    ----------
    unchecked : Check
        The figure, with the recorded verdict and its reason, but without a value. Its ``entry`` is
        what the file states.
    inputs : list of str
        What the figure is computed from.
    compared : list of str
        The texts that computed values are compared with: the figure as printed, or the expected
        values on record for a claim and for a figure that cannot be computed.
    instead : list of str
        The texts on record that values have if they don't agree with the figure.
    ends : list of str
        The two ends of the interval on record, low and high; [] if there is none.
    form : dict
        The way in which the source prints the figure, as keyword arguments of `agrees`.
    """

    unchecked: Check
    inputs: list[str]
    compared: list[str]
    instead: list[str]
    ends: list[str]
    form: Options


def check_keys(record: Record, keys: Collection[str]) -> None:
    """Raise if a table of a TOML file has a key that is not among ``keys``."""
    for key in record:
        if key not in keys:
            advice = did_you_mean(key, keys)
            raise input_error("keys", f"be among {', '.join(sorted(keys))}", repr(key), advice)


def read_entry(id: str, record: Record) -> Entry:
    """Return the entry of a figure; raise if it breaks the form of the file."""
    check_that(isinstance(record, dict), "a figure", "be a TOML table", record)
    check_keys(record, FIGURE_KEYS)
    texts_by_key = _read_texts(record)
    form = {key: record[key] for key in FORM_KEYS if key in record}
    expected = _recorded_verdict(record)
    _check_values(record, texts_by_key, form)
    printed = texts_by_key["printed"]
    expected_values = texts_by_key.get("expected_value", [])
    ends = texts_by_key.get("interval", texts_by_key.get("bound", []))
    compared, instead = printed, texts_by_key.get("corrected", [])
    if "claim" in record or "not_computable" in record:
        compared = expected_values
    if "left_open" in record:
        instead = expected_values
    unchecked = Check(
        id=id,
        where=record.get("where", ""),
        what=record.get("what", ""),
        printed=tuple(printed),
        computed=(),
        verdict="not checked",
        expected=expected,
        reason=_reason(record, texts_by_key, ends),
        entry=record,
    )
    return Entry(unchecked, texts_by_key.get("inputs", []), compared, instead, ends, form)


def _read_texts(record: Record) -> dict[str, list[str]]:
    """Return the texts of an entry by key, as flat lists; raise if a value is not a text."""
    texts_by_key = {
        key: as_values(value, key) for key, value in record.items() if key not in FORM_KEYS
    }
    for key, texts in texts_by_key.items():
        is_text = all(isinstance(text, str) for text in texts)
        check_that(is_text, key, "be in quotes, because 0.50 is not 0.5", record[key])
    return texts_by_key


def _recorded_verdict(record: Record) -> str:
    """Return the verdict on record, "reproduced" if there is none; raise if there are several."""
    verdicts = [VERDICTS[key] for key in record if key in VERDICTS]
    if "claim" in record:
        verdicts.append(CLAIMS[check_choice(record["claim"], "claim", CLAIMS)])
    check_that(len(verdicts) <= 1, "a figure", "have one verdict", verdicts)
    if verdicts:
        return verdicts[0]
    return "reproduced"


def _check_values(record: Record, texts_by_key: dict[str, list[str]], form: Options) -> None:
    """Raise if an entry lacks a key, or if its values are too many, too few, or not numbers."""
    for key, needed_keys in NEEDED_KEYS.items():
        if key in record and not needed_keys & record.keys():
            needed = " or ".join(map(repr, sorted(needed_keys)))
            raise input_error("a figure", f"have {needed} too", repr(key))
    printed = texts_by_key.get("printed", [])
    check_that(printed, "a figure", "have 'printed', the figure as printed", record)
    n_corrected = len(texts_by_key.get("corrected", printed))
    rule = f"hold {len(printed)} values, as many as are printed"
    check_that(n_corrected == len(printed), "corrected", rule, n_corrected)
    ends = texts_by_key.get("interval", texts_by_key.get("bound"))
    rule = 'have a low and a high end, such as ["0.1", "0.3"]'
    check_that(ends is None or len(ends) == 2, "the interval", rule, ends)
    check_choice(form.get("kind", "rounded"), "kind", WIDTHS)
    stated: list[Value] = texts_by_key.get("stated", [])
    if "claim" not in record and form.get("kind") != "exact":
        # Texts other than claims and labels are numbers.
        for key in VALUE_KEYS:
            for text in texts_by_key.get(key, []):
                printed_interval(text, **form)
        stated = [printed_interval(text, **form).value for text in stated]
    rule = "differ from the figure as printed, because a variant has to explain a difference"
    is_as_printed = _all_agree(stated, printed, form)
    check_that(not is_as_printed, "stated", rule, texts_by_key.get("stated"))


def _reason(record: Record, texts_by_key: dict[str, list[str]], ends: list[str]) -> str:
    """Return the recorded reason of the verdict; "" if the record states none.

    It consists of the texts under `REASON_KEYS` and the labelled values under `REASON_VALUES`.
    ``ends`` are the ends of the interval on record.
    """
    sentences = {key: " ".join(texts_by_key[key]) for key in REASON_KEYS if record.get(key)}
    if "interval" in texts_by_key:
        low, high = (float(printed_interval(end).value) for end in ends)
        sentences["consistent"] += f" (interval {low:.6g} to {high:.6g})"
    for key, label in REASON_VALUES.items():
        if key in record:
            sentences[key] = f"{label}: {' '.join(texts_by_key[key])}."
    return ". ".join(sentences.values()).replace(".. ", ". ")  # some end in a full stop


def judge(
    entry: Entry,
    value: object,
    *,
    variant: str | None = None,
    holds: bool | str | None = None,
    cause: object = None,
    also: object = None,
) -> Check:
    """Compare computed values with a printed figure; `Ledger.check` has the rules.

    Parameters
    ----------
    entry : Entry
        What the file of the ledger states about the figure.
    value, variant, holds, cause, also
        The arguments of `Ledger.check`.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If the figure needs other arguments.
    """
    record, figure_id = entry.unchecked.entry, entry.unchecked.id
    for argument, argument_value, key in (
        ("holds", holds, "claim"),
        ("cause", cause, "cause"),
        ("also", also, "does_not_distinguish"),
    ):
        if (argument_value is not None) != (key in record):
            rule = f"be given for figures with {key!r} on record, and for no others"
            raise input_error(argument, rule, f"{shorten(argument_value)} for {figure_id}")
    recorded_variant = record.get("variant")
    if variant not in (None, recorded_variant):
        rule = f"be the one on record for {figure_id}, {recorded_variant!r}"
        raise input_error("variant", rule, repr(variant))
    values = _arrange(entry, value)
    verdict = _verdict(entry, values, variant=variant, holds=holds)
    # A slip must give the printed value, and so must another definition that prints the same.
    for other_value in (cause, also):
        if other_value is not None:
            other_values = as_values(other_value, "cause or also")
            if not _all_agree(other_values, entry.compared, entry.form):
                verdict = "unexplained"
    pairs = zip(values, entry.compared, strict=True)
    computed = tuple(_format(value, text, entry.form) for value, text in pairs)
    return replace(entry.unchecked, computed=computed or ("–",), verdict=verdict)


def _arrange(entry: Entry, value: object) -> list[Value]:
    """Return a value for each text that is compared; raise if there are more or fewer.

    If the record says "consistent" or "bound", a value is a pair of numbers, the ends of an
    interval.
    """
    figure_id, record = entry.unchecked.id, entry.unchecked.entry
    n_values = len(entry.compared)
    values: list[Value] = []
    if value is not None:
        values = as_values(value, f"value for {figure_id}")
    if "consistent" not in record and "bound" not in record:
        rule = f"hold {n_values} values, as many as are on record for {figure_id}"
        check_that(len(values) == n_values, "value", rule, len(values))
        return values
    rule = f"hold {n_values} intervals, each a low and a high end, as many as {figure_id} prints"
    check_that(len(values) == 2 * n_values, "value", rule, len(values))
    intervals = list(zip(values[::2], values[1::2], strict=True))
    for low, high in intervals:
        if isinstance(low, str) or isinstance(high, str) or not low <= high:  # NaN isn't in order
            rule = "hold the low end of an interval, and then the high end"
            raise input_error("value", rule, f"{low} and {high}")
    return intervals


def _rounds_to(value: object, end: str) -> bool:
    """Return whether the computed end of an interval rounds to the end on record."""
    if end.lstrip("+-").isdigit():  # an end isn't a count, which would have to be exact
        return agrees(value, end, decimals=0)
    return agrees(value, end)


def _verdict(
    entry: Entry, values: list[Value], *, variant: str | None, holds: bool | str | None
) -> str:
    """Return the verdict on a figure, from one value for each text that is compared."""
    record, expected = entry.unchecked.entry, entry.unchecked.expected
    if entry.ends and not all(map(_rounds_to, values[0], entry.ends)):
        return "unexplained"  # the interval on record is not the computed one
    if _all_agree(values, entry.compared, entry.form):
        if holds is not None:
            return _verdict_on_claim(holds)
        if variant is None and DENIALS & record.keys():
            # The record says that the stated definition does not give the printed value, but it
            # does.
            return "reproduced"
        # The values agree as the record says they do: by the stated definition, under its variant,
        # with the authors' values, with a random process, or with the expected value.
        return expected
    # A bound holds all possible values, so it disproves any figure outside.
    if "bound" in record or _all_agree(values, entry.instead, entry.form):
        return expected
    return "unexplained"


def _verdict_on_claim(holds: object) -> str:
    """Return the verdict on a claim; ``holds`` is the argument of `Ledger.check`."""
    if isinstance(holds, str):
        return CLAIMS[check_choice(holds, "holds", CLAIMS)]
    if check_flag(holds, "holds"):
        return CLAIMS["holds"]
    return CLAIMS["fails"]


def _all_agree(values: list[Value], texts: list[str], form: Options) -> bool:
    """Return whether there are as many values as texts, and each agrees with its text."""
    if len(values) != len(texts):
        return False
    pairs = zip(values, texts, strict=True)
    return all(_is_printed_as(value, text, form) for value, text in pairs)


def _is_printed_as(value: Value, text: str, form: Options) -> bool:
    """Return whether a value agrees with a text, or an interval with a number that prints so."""
    if not isinstance(value, tuple):
        return agrees(value, text, **form)
    low, high = value
    interval = printed_interval(text, **form)
    return bool(low <= interval.high and high >= interval.low)


def _format(value: Value, printed: str, form: Options) -> str:
    """Return a computed value as text, with two more decimals than the printed figure."""
    if isinstance(value, tuple):
        return " to ".join(_format(end, printed, form) for end in value)
    if isinstance(value, str):
        return value
    number = float(value)
    if number.is_integer():
        return str(round(value))  # exact for large whole numbers
    decimals = 0
    with suppress(InputError):  # a label has no decimals
        decimals = max(0, -printed_interval(printed, **form).power)
    return f"{number:.{decimals + 2}f}"
