"""The entry of a figure: its keys, the recorded verdict, and the verdict on computed values."""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import suppress
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
    WIDTHS,
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
        raise input_error(
            name,
            "be numbers, text, a sequence, array, Series or frame of them, or have a `summary` of "
            "them",
            f"{shorten(value)}, a {type(value).__name__}",
        )
    return [value]


def check_keys(record: Record, keys: Collection[str]) -> None:
    """Raise if a table of a TOML file has a key that is not among ``keys``."""
    for key in record:
        if key not in keys:
            advice = did_you_mean(key, keys)
            raise input_error("keys", f"be among {', '.join(sorted(keys))}", repr(key), advice)


def check_entry(entry: Record) -> None:
    """Raise if the entry of a figure breaks the form of the file."""
    check_that(isinstance(entry, dict), "a figure", "be a TOML table", entry)
    check_keys(entry, FIGURE_KEYS)
    for key in entry.keys() - {"consistent", *FORM_KEYS}:
        is_text = all(isinstance(text, str) for text in as_values(entry[key], key))
        check_that(is_text, key, "be in quotes, because 0.50 is not 0.5", entry[key])
    verdict_keys = [key for key in entry if key in VERDICTS or key == "claim"]
    check_that(len(verdict_keys) <= 1, "a figure", "have one verdict", verdict_keys)
    for key, needed_keys in NEEDED_KEYS.items():
        if key in entry and not needed_keys & entry.keys():
            needed = " or ".join(map(repr, sorted(needed_keys)))
            raise input_error("a figure", f"have {needed} too", repr(key))
    check_choice(entry.get("claim", "holds"), "claim", CLAIMS)
    check_choice(entry.get("kind", "rounded"), "kind", WIDTHS)
    printed, corrected = texts_of(entry, "printed"), texts_of(entry, "corrected")
    check_that(printed, "a figure", "have 'printed', the figure as printed", entry)
    check_that(
        len(corrected) in (0, len(printed)),
        "corrected",
        f"hold {len(printed)} values, as many as are printed",
        len(corrected),
    )
    reason_of(entry)  # raises unless the interval on record has two numbers
    if "claim" not in entry and entry.get("kind") != "exact":
        # Texts other than claims and labels are numbers.
        for text in (text for key in VALUE_KEYS for text in texts_of(entry, key)):
            printed_interval(text, **form_of(entry))


def texts_of(entry: Record, key: str) -> list[str]:
    """Return the texts under a key of an entry as a flat list; [] if there is no such key."""
    return as_values(entry.get(key, []), key)


def compared_texts(entry: Record) -> list[str]:
    """Return the texts that computed values are compared with.

    They are the figure as printed, or the expected values on record for a claim and for a figure
    that cannot be computed.
    """
    has_substitute = "claim" in entry or "not_computable" in entry
    return texts_of(entry, "expected_value" if has_substitute else "printed")


def form_of(entry: Record) -> Options:
    """Return the way in which the source prints a figure, as keyword arguments of `agrees`."""
    return {key: entry[key] for key in FORM_KEYS if key in entry}


def recorded_ends(entry: Record) -> list[str]:
    """Return the two ends of the interval on record, low and high; [] if there is none."""
    process = entry.get("consistent")
    if isinstance(process, dict):
        check_that(
            process.keys() == {"process", "interval"},
            "consistent",
            'be text, or a table such as {process = "…", interval = ["0.1", "0.3"]}',
            process,
        )
        ends = texts_of(process, "interval")
    else:
        ends = texts_of(entry, "bound")
    check_that(
        len(ends) in (0, 2),
        "the interval",
        'have a low and a high end, such as ["0.1", "0.3"]',
        ends,
    )
    return ends


def expected_verdict(entry: Record) -> str:
    """Return the recorded verdict: a key such as "corrected" or "claim" in the entry decides it.

    Without such a key it is "reproduced".
    """
    if "claim" in entry:
        return CLAIMS[entry["claim"]]
    return next((verdict for key, verdict in VERDICTS.items() if key in entry), "reproduced")


def reason_of(entry: Record) -> str:
    """Return the recorded reason of the verdict; "" if the entry states none.

    It consists of the texts under `REASON_KEYS` and the labelled values under `REASON_VALUES`.
    """
    text_by_key = {key: entry[key] for key in REASON_KEYS if entry.get(key)}
    ends = [float(printed_interval(end).value) for end in recorded_ends(entry)]
    process = entry.get("consistent")
    if isinstance(process, dict):
        low, high = ends
        text_by_key["consistent"] = f"{process['process']} (interval {low:.6g} to {high:.6g})"
    sentences = list(text_by_key.values())
    for key, label in REASON_VALUES.items():
        if key in entry:
            sentences.append(f"{label}: {' '.join(texts_of(entry, key))}.")
    return ". ".join(sentences).replace(".. ", ". ")  # some end in a full stop


def judge(
    id: str,
    entry: Record,
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
    id : str
        The identifier of the figure, for the check and the errors.
    entry : dict
        What the file of the ledger states.
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
    for argument, argument_value, key in (
        ("holds", holds, "claim"),
        ("cause", cause, "cause"),
        ("also", also, "does_not_distinguish"),
    ):
        if (argument_value is not None) != (key in entry):
            raise input_error(
                argument,
                f"be given for figures with {key!r} on record, and for no others",
                f"{shorten(argument_value)} for {id}",
            )
    recorded_variant = entry.get("variant")
    check_that(
        variant in (None, recorded_variant),
        "variant",
        f"be the one on record for {id}, {recorded_variant!r}",
        variant,
    )
    compared = compared_texts(entry)
    values = _arrange(id, entry, value, len(compared))
    verdict = _verdict(values, entry, compared, variant=variant, holds=holds)
    # A slip must give the printed value, and so must another definition that prints the same.
    for other_value in (cause, also):
        if other_value is not None:
            other_values = as_values(other_value, "cause or also")
            if not _all_agree(other_values, compared, entry):
                verdict = "unexplained"
    computed = [
        _format(number, printed, entry) for number, printed in zip(values, compared, strict=True)
    ]
    return Check(
        id=id,
        where=entry.get("where", ""),
        what=entry.get("what", ""),
        printed=tuple(texts_of(entry, "printed")),
        computed=tuple(computed) or ("–",),  # there may be nothing to compute
        verdict=verdict,
        expected=expected_verdict(entry),
        reason=reason_of(entry),
    )


def _arrange(id: str, entry: Record, value: object, n_values: int) -> list[Value]:
    """Return a value for each text that is compared; raise if there are more or fewer.

    If the record says "consistent" or "bound", a value is a pair of numbers, the ends of an
    interval.
    """
    values = [] if value is None else as_values(value, f"value for {id}")
    if "consistent" not in entry and "bound" not in entry:
        check_that(
            len(values) == n_values,
            "value",
            f"hold {n_values} values, as many as are on record for {id}",
            len(values),
        )
        return values
    check_that(
        len(values) == 2 * n_values,
        "value",
        f"hold {n_values} intervals, each a low and a high end, as many as {id} prints",
        len(values),
    )
    intervals = list(zip(values[::2], values[1::2], strict=True))
    for low, high in intervals:
        if isinstance(low, str) or isinstance(high, str) or not low <= high:  # NaN isn't in order
            raise input_error(
                "value",
                "hold the low end of an interval, and then the high end",
                f"{low} and {high}",
            )
    return intervals


def _verdict(
    values: list[Value],
    entry: Record,
    compared: list[str],
    *,
    variant: str | None,
    holds: bool | str | None,
) -> str:
    """Return the verdict on a figure, from one value for each text that is compared."""
    ends = recorded_ends(entry)
    if ends:
        # The recorded ends of a bound must contain the computed ones.
        is_nearest = "bound" not in entry and all(map(agrees, values[0], ends))
        if not (is_nearest or _are_rounded_outwards(values[0], ends)):
            return "unexplained"
    if not _all_agree(values, compared, entry):
        # A bound holds all possible values, so it disproves any figure outside.
        instead = texts_of(entry, "expected_value" if "left_open" in entry else "corrected")
        is_as_recorded = "bound" in entry or _all_agree(values, instead, entry)
        return expected_verdict(entry) if is_as_recorded else "unexplained"
    if holds is not None:
        if not isinstance(holds, str):
            holds = "holds" if check_flag(holds, "holds") else "fails"
        return CLAIMS[check_choice(holds, "holds", CLAIMS)]
    if variant is None and DENIALS & entry.keys():
        # The record says that the stated definition does not give the printed value, but it does.
        return "reproduced"
    # The values agree as the record says they do: by the stated definition, under its variant, with
    # the authors' values, with a random process, or with the expected value.
    return expected_verdict(entry)


def _all_agree(values: list[Value], texts: list[str], entry: Record) -> bool:
    """Return whether there are as many values as texts, and each agrees with its text."""
    form = form_of(entry)
    return len(values) == len(texts) and all(
        _prints_as(value, text, form) for value, text in zip(values, texts, strict=True)
    )


def _prints_as(value: Value, printed: str, form: Options) -> bool:
    """Return whether a value prints as a text, or an interval holds a number that does."""
    if not isinstance(value, tuple):
        return agrees(value, printed, **form)
    low, high = value
    interval = printed_interval(printed, **form)
    return bool(low <= interval.high and high >= interval.low)


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


def _format(value: Value, printed: str, entry: Record) -> str:
    """Return a computed value as text, with two more decimals than the printed figure."""
    if isinstance(value, tuple):
        return " to ".join(_format(end, printed, entry) for end in value)
    if isinstance(value, str):
        return value
    number = float(value)
    if number.is_integer():
        return str(int(number))
    decimals = 0
    with suppress(InputError):  # a label has no decimals
        decimals = max(0, -printed_interval(printed, **form_of(entry)).power)
    return f"{number:.{decimals + 2}f}"
