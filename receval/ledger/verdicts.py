"""The entry of a figure: its keys, the recorded verdict, and the verdict on computed values."""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
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
    RELATIVE_ERROR,
    agrees,
    is_number,
    printed_interval,
)
from receval.ledger.checking import Check

__all__: list[str] = []

Value: TypeAlias = Any
"""A number, a text, or a pair of numbers: the two ends of an interval."""

VERDICTS: dict[str, str] = read_toml("ledger/verdicts.toml")["verdicts"]
CLAIMS: dict[str, str] = read_toml("ledger/verdicts.toml")["claims"]
VERDICT_KEYS = {*VERDICTS, "claim"}  # an entry has at most one of them
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
# An entry has such a key if a value is an interval, given by its two ends.
INTERVAL_KEYS = {"consistent", "bound"}
FIGURE_KEYS = {"where", "what", "inputs", "claim"}.union(
    VALUE_KEYS, FORM_KEYS, REASON_KEYS, REASON_VALUES
)
# If an entry has a key, it must also have at least one of the keys listed for it.
NEEDED_KEYS = {
    "corrected": {"reason"},
    "stated": {"variant"},
    "expected_value": {"not_computable", "claim", "left_open"},
    "left_open": {"expected_value"},
    "bound": {"reason"},
    "cause": {"corrected"},
}


@dataclass(frozen=True)
class Figure:
    """A printed figure.

    Attributes
    ----------
    document : str
        The name of its file.
    entry : dict
        What the file of the ledger states.
    printed : tuple of str
        The figure as printed; of a claim, the sentence.
    compared : list of str
        The texts that computed values are compared with: the figure as printed, or the expected
        values on record for a claim and for a figure that cannot be computed.
    instead : list of str
        The texts that computed values agree with if the figure is an erratum or left open: the
        corrected or the expected values on record; [] for other figures.
    ends : list of str
        The two ends of the interval on record, low and high; [] if there is none.
    options : dict
        The way in which the source prints numbers: arguments of `agrees`.
    expected : str
        The recorded verdict.
    reason : str
        The recorded reason.
    """

    document: str
    entry: Record
    printed: tuple[str, ...]
    compared: list[str]
    instead: list[str]
    ends: list[str]
    options: Options
    expected: str
    reason: str


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
    value = getattr(value, "summary", value)
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
        value = value.to_numpy(dtype=object)
    if isinstance(value, np.ndarray):
        value = list(value.ravel())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in as_values(item, name)]
    if not isinstance(value, str) and not is_number(value):
        rule = (
            "be numbers, text, a sequence, array, Series or frame of them, or have a `summary` of "
            "them"
        )
        raise input_error(name, rule, f"{shorten(value)}, a {type(value).__name__}")
    return [value]


def check_keys(record: Record, keys: Collection[str]) -> None:
    """Raise if a table of a TOML file has a key that is not among ``keys``."""
    for key in record:
        if key not in keys:
            advice = did_you_mean(key, keys)
            raise input_error("keys", f"be among {', '.join(sorted(keys))}", repr(key), advice)


def read_figure(document: str, entry: Record) -> Figure:
    """Return the figure that an entry states; raise if it breaks the form of the file."""
    check_keys(entry, FIGURE_KEYS)
    for key in entry.keys() - {"consistent", *FORM_KEYS}:
        is_text = all(isinstance(text, str) for text in as_values(entry[key], key))
        check_that(is_text, key, "be in quotes, because 0.50 is not 0.5", entry[key])
    verdict_keys = [key for key in entry if key in VERDICT_KEYS]
    check_that(len(verdict_keys) <= 1, "a figure", "have one verdict", verdict_keys)
    for key, needed_keys in NEEDED_KEYS.items():
        if key in entry and not needed_keys & entry.keys():
            needed = " or ".join(map(repr, sorted(needed_keys)))
            raise input_error("a figure", f"have {needed} too", repr(key))
    printed = _texts(entry, "printed")
    check_that(printed, "a figure", "have 'printed', the figure as printed", entry)
    n_corrected = len(_texts(entry, "corrected"))
    rule = f"hold {len(printed)} values, as many as are printed"
    check_that(n_corrected in (0, len(printed)), "corrected", rule, n_corrected)
    has_names = isinstance(entry.get("inputs", []), list)
    check_that(has_names, "inputs", "be a list of names", entry.get("inputs"))
    options = {key: entry[key] for key in FORM_KEYS if key in entry}
    if "claim" not in entry and entry.get("kind") != "exact":
        # Texts other than claims and labels are numbers.
        for text in (text for key in VALUE_KEYS for text in _texts(entry, key)):
            printed_interval(text, **options)
    compared = printed
    if "claim" in entry or "not_computable" in entry:
        compared = _texts(entry, "expected_value")
    ends = _recorded_ends(entry)
    return Figure(
        document=document,
        entry=entry,
        printed=tuple(printed),
        compared=compared,
        instead=_texts(entry, "expected_value" if "left_open" in entry else "corrected"),
        ends=ends,
        options=options,
        expected=_expected_verdict(entry),
        reason=_recorded_reason(entry, ends),
    )


def _texts(entry: Record, key: str) -> list[str]:
    """Return the texts under a key of an entry as a flat list; [] if there is no such key."""
    return [str(text) for text in as_values(entry.get(key, []), key)]


def _recorded_ends(entry: Record) -> list[str]:
    """Return the two ends of the interval on record, low and high; [] if there is none."""
    record = entry.get("consistent")
    if not isinstance(record, dict):
        ends = _texts(entry, "bound")
    else:
        rule = 'be text, or a table such as {process = "…", interval = ["0.1", "0.3"]}'
        check_that(record.keys() == {"process", "interval"}, "consistent", rule, record)
        ends = _texts(record, "interval")
    rule = 'have a low and a high end, such as ["0.1", "0.3"]'
    check_that(len(ends) in (0, 2), "the interval", rule, ends)
    return ends


def _expected_verdict(entry: Record) -> str:
    """Return the recorded verdict: a key such as "corrected" or "claim" in the entry decides it.

    Without such a key it is "reproduced".
    """
    if "claim" in entry:
        return CLAIMS[check_choice(entry["claim"], "claim", CLAIMS)]
    for key, verdict in VERDICTS.items():
        if key in entry:
            return verdict
    return "reproduced"


def _recorded_reason(entry: Record, ends: list[str]) -> str:
    """Return the recorded reason of the verdict; "" if the entry states none.

    It consists of the texts under `REASON_KEYS` and the labelled values under `REASON_VALUES`.
    ``ends`` are those of the interval on record.
    """
    sentences = []
    for key in REASON_KEYS:
        sentence = entry.get(key)
        if isinstance(sentence, dict):  # a random process with its interval
            low, high = (float(printed_interval(end).value) for end in ends)
            sentence = f"{sentence['process']} (interval {low:.6g} to {high:.6g})"
        if sentence:
            sentences.append(sentence)
    for key, label in REASON_VALUES.items():
        if key in entry:
            sentences.append(f"{label}: {' '.join(_texts(entry, key))}.")
    return ". ".join(sentences).replace(".. ", ". ")  # some end in a full stop


def judge(
    id: str,
    figure: Figure,
    value: object,
    *,
    variant: str | None = None,
    holds: bool | str | None = None,
    cause: object = None,
    also: object = None,
    name: str = "value",
) -> Check:
    """Compare computed values with a printed figure; `Ledger.check` has the rules.

    Parameters
    ----------
    id : str
        The identifier of the figure, for the check and the errors.
    figure : Figure
        The figure.
    value, variant, holds, cause, also
        The arguments of `Ledger.check`.
    name : str
        What errors call the value.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If the figure needs other arguments.
    """
    for argument, argument_value, key in (
        ("holds", holds, "claim"),
        ("cause", cause, "cause"),
        ("also", also, "does_not_distinguish"),
    ):
        if (argument_value is not None) != (key in figure.entry):
            rule = f"be given for figures with {key!r} on record, and for no others"
            raise input_error(argument, rule, f"{shorten(argument_value)} for {id}")
    recorded_variant = figure.entry.get("variant")
    rule = f"be the one on record for {id}, {recorded_variant!r}"
    check_that(variant in (None, recorded_variant), "variant", rule, variant)

    values = _arrange(id, figure, value, name)
    verdict = _verdict(values, figure, variant=variant, holds=holds)
    # A slip must give the printed value, and so must another definition that prints the same.
    for other_value in (cause, also):
        if other_value is not None:
            other_values = as_values(other_value, "cause or also")
            if not _all_agree(other_values, figure.compared, figure.options):
                verdict = "unexplained"
    computed = tuple(map(partial(_format, figure), values, figure.compared))
    return Check(
        id=id,
        where=figure.entry.get("where", ""),
        what=figure.entry.get("what", ""),
        printed=figure.printed,
        computed=computed or ("–",),  # there may be nothing to compute
        verdict=verdict,
        expected=figure.expected,
        reason=figure.reason,
    )


def _arrange(id: str, figure: Figure, value: object, name: str) -> list[Value]:
    """Return a value for each text that is compared; raise if there are more or fewer.

    If the record says "consistent" or "bound", a value is a pair of numbers, the ends of an
    interval. ``name`` is what errors call the argument ``value``.
    """
    values = [] if value is None else as_values(value, name)
    n_values = len(figure.compared)
    if not INTERVAL_KEYS & figure.entry.keys():
        rule = f"hold {n_values} values, as many as are on record for {id}"
        check_that(len(values) == n_values, name, rule, len(values))
        return values
    rule = f"hold {n_values} intervals, each a low and a high end, as many as {id} prints"
    check_that(len(values) == 2 * n_values, name, rule, len(values))
    intervals = list(zip(values[::2], values[1::2], strict=True))
    for low, high in intervals:
        if isinstance(low, str) or isinstance(high, str) or not low <= high:  # NaN isn't in order
            rule = "hold the low end of an interval, and then the high end"
            raise input_error(name, rule, f"{low} and {high}")
    return intervals


def _verdict(
    values: list[Value], figure: Figure, *, variant: str | None, holds: bool | str | None
) -> str:
    """Return the verdict on a figure, from one value for each text that is compared."""
    if figure.ends:
        # The recorded ends of a bound must contain the computed ones.
        is_nearest = "bound" not in figure.entry and all(map(agrees, values[0], figure.ends))
        if not (is_nearest or _are_rounded_outwards(values[0], figure.ends)):
            return "unexplained"
    if not _all_agree(values, figure.compared, figure.options):
        # A bound holds all possible values, so it disproves any figure outside.
        is_as_recorded = "bound" in figure.entry or _all_agree(
            values, figure.instead, figure.options
        )
        return figure.expected if is_as_recorded else "unexplained"
    if holds is not None:
        if not isinstance(holds, str):
            holds = "holds" if check_flag(holds, "holds") else "fails"
        return CLAIMS[check_choice(holds, "holds", CLAIMS)]
    if variant is None and DENIALS & figure.entry.keys():
        # The record says that the stated definition does not give the printed value, but it does.
        return "reproduced"
    # The values agree as the record says they do: by the stated definition, under its variant, with
    # the authors' values, with a random process, or with the expected value.
    return figure.expected


def _all_agree(values: list[Value], texts: list[str], options: Options) -> bool:
    """Return whether there are as many values as texts, and each agrees with its text."""
    if len(values) != len(texts):
        return False
    for value, printed in zip(values, texts, strict=True):
        if isinstance(value, tuple):  # an interval agrees if it holds a number that prints so
            low, high = value
            interval = printed_interval(printed, **options)
            is_in_agreement = low <= interval.high and high >= interval.low
        else:
            is_in_agreement = agrees(value, printed, **options)
        if not is_in_agreement:
            return False
    return True


def _are_rounded_outwards(ends: Value, recorded_ends: list[str]) -> bool:
    """Return whether the recorded ends are those of a computed interval, rounded outwards.

    Then each end is off by less than a unit of its last digit, and the recorded interval contains
    the computed one. A float may be off by the usual error of a computation.
    """
    low, high = map(float, ends)
    first, last = map(printed_interval, recorded_ends)
    error = float(RELATIVE_ERROR) * max(abs(low), abs(high))
    below, above = low - float(first.value), float(last.value) - high
    has_ends = math.isfinite(low) and math.isfinite(high)
    return has_ends and -error <= below < 10.0**first.power and -error <= above < 10.0**last.power


def _format(figure: Figure, value: Value, printed: str) -> str:
    """Return a computed value as text, with two more decimals than the printed figure."""
    if isinstance(value, tuple):
        return " to ".join(_format(figure, end, printed) for end in value)
    if isinstance(value, str):
        return value
    number = float(value)
    if number.is_integer():
        return str(int(number))
    decimals = figure.options.get("decimals", 0)
    with suppress(InputError):  # a label has no decimals
        decimals = max(decimals, -printed_interval(printed, **figure.options).power)
    return f"{number:.{decimals + 2}f}"
