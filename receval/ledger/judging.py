"""The verdict on a figure, from its entry and the values that were computed for it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from receval._checks import InputError, Record, as_float, check_choice, check_that, input_error
from receval.ledger.agreement import RELATIVE_ERROR, agrees
from receval.ledger.checking import Check
from receval.ledger.entries import CLAIMS, expected_verdict, flatten, recorded_fields
from receval.ledger.form import forms_of
from receval.ledger.printed import read_printed

__all__: list[str] = []

# If an entry has one of these keys, its printed value doesn't follow as stated.
DENIALS = {"corrected", "variant"}


def judge(
    id: str,
    entry: Record,
    values: list[object] | None,
    *,
    variant: str | None = None,
    holds: bool | str | None = None,
    cause: list[object] | None = None,
    also: list[object] | None = None,
    quiet: bool = False,
) -> Check:
    """Compare computed values with a printed figure; `Ledger.check` has the rules.

    Parameters
    ----------
    id : str
        The identifier of the figure, for the check and the errors.
    entry : dict
        What the file states about the figure.
    values, cause, also : list, optional
        The computed values, those that a slip gives, and those under another definition.
    variant : str, optional
        The variant of the definition that the values were computed under.
    holds : bool or str, optional
        Whether a claim holds.
    quiet : bool, default False
        Whether to leave out the reason.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If the figure needs other arguments.
    """
    if ("claim" in entry) != (holds is not None):
        raise input_error("holds", "be given of a claim, and of nothing else", f"{holds} of {id}")
    rule = f"be the one on record for {id}, {entry.get('variant')!r}"
    check_that(variant in (None, entry.get("variant")), "variant", rule, variant)
    _check_companion(id, entry, cause, name="cause", key="cause")
    _check_companion(id, entry, also, name="also", key="does_not_distinguish")

    if "bound" in entry:
        figures = flatten(entry["printed"])
        computed_values = _arrange_intervals(id, values, figures)
        # The recorded bound excludes the printed value, and must contain the computed bound.
        is_proof = _is_rounded_outwards(computed_values[0], entry["bound"])
        verdict = "erratum" if is_proof else "unexplained"
    else:
        figures = _figures_to_compare(entry)
        computed_values = _arrange(id, values, figures, entry)
        verdict = _verdict(computed_values, figures, entry, variant=variant, holds=holds)
    # A slip must give the printed value, and so must another definition that prints the same.
    for name, companions in (("cause", cause), ("also", also)):
        if companions is not None:
            arranged = _arrange(id, companions, figures, entry, name=name)
            if not _all_agree(arranged, figures, entry):
                verdict = "unexplained"
    fields = recorded_fields(entry)
    if quiet:
        fields["reason"] = ""
    computed = tuple(
        _format(value, str(printed), entry)
        for value, printed in zip(computed_values, figures, strict=True)
    )
    if not computed:
        computed = ("–",)  # for a claim or figure without any value to compute
    return Check(id=id, computed=computed, verdict=verdict, **fields)


def _check_companion(
    id: str, entry: Record, values: list[object] | None, *, name: str, key: str
) -> None:
    """Raise if the entry has the key but the argument is missing, or the other way round.

    ``name`` is the argument and ``values`` are its values; ``key`` is the key of the entry.
    """
    if key in entry and values is None:
        raise InputError(f"{name} must be given; {id} has {key!r} on record")
    if key not in entry and values is not None:
        raise InputError(f"{name} must be left out; {id} has no {key!r} on record")


def _figures_to_compare(entry: Record) -> list[object]:
    """Return the texts that the computed values are compared with.

    A claim is printed as a sentence, so its entry may have an ``expected_value``. So may the entry
    of a figure that cannot be computed.
    """
    if "claim" in entry or "not_computable" in entry:
        return flatten(entry.get("expected_value", []))
    return flatten(entry["printed"])


def _verdict(
    values: list[object],
    figures: list[object],
    entry: Record,
    *,
    variant: str | None,
    holds: bool | str | None,
) -> str:
    """Return the verdict on an entry without a bound, from one value for each of its figures."""
    if "left_open" in entry:
        return _verdict_on_open_figure(values, figures, entry)
    if not _all_agree(values, figures, entry):
        is_correction = _all_agree(values, flatten(entry.get("corrected", [])), entry)
        return "erratum" if is_correction else "unexplained"
    if not _ends_are_as_recorded(values, entry):
        return "unexplained"
    if holds is not None:
        return _verdict_on_claim(holds)
    if variant is None and DENIALS & entry.keys():
        # The record says that the stated definition does not give the printed value, but it does.
        return "reproduced"
    # The values agree as the record says they do: by the stated definition, under its variant, with
    # the authors' values, with a random process, or with the expected value.
    return expected_verdict(entry)


def _verdict_on_open_figure(values: list[object], figures: list[object], entry: Record) -> str:
    """Return the verdict on a figure that is recorded as left open.

    It is left open if the values are the recorded ``expected_value``, and differ from the figure.
    Any other values are "unexplained", unless they are the printed ones.
    """
    if _all_agree(values, figures, entry):
        return "reproduced"
    if _all_agree(values, flatten(entry["expected_value"]), entry):
        return "left open"
    return "unexplained"


def _verdict_on_claim(holds: object) -> str:
    """Return the verdict on a claim; ``holds`` is the argument of `Ledger.check`."""
    if isinstance(holds, str):
        # Such as "not established"; True and False stand for "holds" and "fails".
        answers_in_words = [name for name in CLAIMS if " " in name]
        return CLAIMS[check_choice(holds, "holds", answers_in_words)]
    if holds:
        return CLAIMS["holds"]
    return CLAIMS["fails"]


def _ends_are_as_recorded(values: list[object], entry: Record) -> bool:
    """Return whether a computed interval has the recorded ends, if there are any.

    The recorded ends are rounded, to the nearest number or outwards.
    """
    record = entry.get("consistent")
    if not isinstance(record, dict):
        return True
    [interval] = values
    recorded = record["interval"]
    is_rounded = all(map(agrees, _ends(interval), recorded))
    return is_rounded or _is_rounded_outwards(interval, recorded)


def _is_rounded_outwards(interval: object, recorded: list[str]) -> bool:
    """Return whether the recorded ends are the ends of a computed interval, rounded outwards.

    Each recorded end is the computed one, or lies outside of it by less than a unit of the last
    digit. So the recorded interval contains the computed one. A float may be off by the usual error
    of a computation.
    """
    for end, text, outwards in zip(_ends(interval), recorded, (-1, 1), strict=True):
        if math.isinf(end):
            return False
        figure = read_printed(text)
        exact_end = Fraction(end)
        distance = outwards * (figure.value - exact_end)
        if not -abs(exact_end) * RELATIVE_ERROR <= distance < Fraction(10) ** figure.power:
            return False
    return True


def _ends(interval: object) -> tuple[float, float]:
    """Return the two ends of a computed interval as numbers; raise unless the low one is first.

    An end is infinite if the interval has none on this side.
    """
    assert isinstance(interval, tuple)
    low, high = map(as_float, interval)
    if low is None or high is None or not low <= high:  # NaN is not in order, either
        rule = "hold the low end of an interval, and then the high end"
        raise input_error("value", rule, f"{interval[0]} and {interval[1]}")
    return low, high


def _arrange(
    id: str,
    values: list[object] | None,
    figures: list[object],
    entry: Record,
    *,
    name: str = "value",
) -> list[object]:
    """Return a value for each figure; raise if there are more or fewer.

    If the record says "consistent", a value is a pair of numbers, the ends of an interval. ``name``
    is the name of the argument in error messages.
    """
    if values is None:
        if figures:
            raise InputError(f"{name} must be given for {id}, or for its expected_value on record")
        return []
    if not figures:
        raise InputError(f"{name} must be left out; no expected_value is on record for {id}")
    if "consistent" in entry:
        return _arrange_intervals(id, values, figures)
    if len(values) != len(figures):
        rule = f"hold {len(figures)} values, as many as {id} prints"
        raise input_error(name, rule, len(values))
    return values


def _arrange_intervals(id: str, values: list[object] | None, figures: list[object]) -> list[object]:
    """Return the two ends of an interval for each figure; raise if there are more or fewer."""
    ends = values or []
    if len(ends) != 2 * len(figures):
        rule = f"hold {len(figures)} intervals, each a low and a high end, as many as {id} prints"
        raise input_error("value", rule, len(ends))
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    for pair in pairs:
        _ends(pair)  # raises for a NaN, which no interval has
    return list(pairs)


def _all_agree(values: list[object], figures: list[object], entry: Record) -> bool:
    """Return whether there are as many values as figures, and each agrees with its figure.

    If the record says "consistent", a value is an interval, given by its two ends. It agrees with a
    figure that lies inside.
    """
    if len(figures) != len(values):
        return False
    options = forms_of(entry)
    for value, printed in zip(values, figures, strict=True):
        compared = value
        if isinstance(value, tuple):
            # The number in the interval that is nearest to the printed one.
            low, high = _ends(value)
            number = float(read_printed(str(printed), entry.get("decimals")).value)
            compared = min(max(number, low), high)
        if not agrees(compared, str(printed), **options):
            return False
    return True


def _format(value: object, printed: str, entry: Record) -> str:
    """Return a computed value as text, with two more decimals than the printed figure."""
    if isinstance(value, tuple):
        return " to ".join(_format(end, printed, entry) for end in value)
    number = as_float(value)
    if isinstance(value, Decimal):
        number = float(value)
    if number is None:  # text, for example
        return str(value)
    if number.is_integer():
        return str(int(number))
    decimals = max(entry.get("decimals", 0), _decimals_of(printed, entry))
    return f"{number:.{decimals + 2}f}"


def _decimals_of(printed: str, entry: Record) -> int:
    """Return the number of decimals of a printed number; 0 for a label and for a claim."""
    try:
        return max(0, -read_printed(printed, entry.get("decimals")).power)
    except InputError:
        return 0
