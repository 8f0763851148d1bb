"""The verdict on a figure, from its entry and the values that were computed for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from receval._checks import (
    InputError,
    as_float,
    check_choice,
    check_flag,
    check_that,
    input_error,
)
from receval._types import Options, Record
from receval.ledger.agreement import (
    FORM_KEYS,
    RELATIVE_ERROR,
    agrees,
    is_excluded,
    prints_same,
)
from receval.ledger.checking import Check
from receval.ledger.counts import CountCheck, check_count
from receval.ledger.entries import CLAIMS, expected_verdict, flatten, recorded_fields
from receval.ledger.evidence import read_bound
from receval.ledger.form import READING_KEYS
from receval.ledger.printed import Printed, read_printed
from receval.ledger.values import as_values, from_json, to_json

__all__: list[str] = []

# If an entry has one of these keys, its printed value doesn't follow as stated.
DENIALS = {"corrected", "variant", "impossible"}


@dataclass(frozen=True)
class Evidence:
    """The arguments of a check, with their values as flat lists, or None where there are none.

    Attributes
    ----------
    values : list, optional
        The computed values.
    variant : str, optional
        The variant of the definition that they were computed under.
    holds : bool or str, optional
        Whether a claim holds.
    cause : list, optional
        The values that a slip gives.
    also : list, optional
        The values under another definition.
    """

    values: list[object] | None = None
    variant: str | None = None
    holds: bool | str | None = None
    cause: list[object] | None = None
    also: list[object] | None = None

    @classmethod
    def of(
        cls,
        value: object,
        *,
        variant: str | None,
        holds: bool | str | None,
        cause: object,
        also: object,
    ) -> Evidence:
        """Return the evidence in the arguments of a check; raise if a value is of a wrong kind."""
        if holds is not None and not isinstance(holds, str):
            holds = check_flag(holds, "holds")  # a NumPy truth value becomes Python's
        return cls(
            values=_values_or_none(value, "value"),
            variant=variant,
            holds=holds,
            cause=_values_or_none(cause, "cause"),
            also=_values_or_none(also, "also"),
        )

    def to_json(self) -> Record:
        """Return the arguments that were passed, in a form that JSON can hold."""
        fields = {
            "values": self.values,
            "variant": self.variant,
            "holds": self.holds,
            "cause": self.cause,
            "also": self.also,
        }
        return {key: to_json(value) for key, value in fields.items() if value is not None}

    @classmethod
    def from_json(cls, record: Record) -> Evidence:
        """Return the evidence that `to_json` turned into a record."""
        holds = record.get("holds")
        return cls(
            values=_list_or_none(record.get("values")),
            variant=record.get("variant"),
            holds=holds,
            cause=_list_or_none(record.get("cause")),
            also=_list_or_none(record.get("also")),
        )


def _values_or_none(value: object, name: str) -> list[object] | None:
    """Return an argument as a flat list of values, or None if it was not given."""
    if value is None:
        return None
    return as_values(value, name)


def _list_or_none(values: list[object] | None) -> list[object] | None:
    """Return the values that were written as JSON, or None if there are none."""
    if values is None:
        return None
    return [from_json(value) for value in values]


def forms_of(entry: Record) -> Options:
    """Return the keys of an entry that say how its figure is printed, for `agrees`."""
    return {key: entry[key] for key in FORM_KEYS if key in entry}


def is_statement(entry: Record) -> bool:
    """Return whether the printed text is a statement without a number, such as "n.s."."""
    if "claim" in entry or entry.get("kind") == "exact" or not isinstance(entry["printed"], str):
        return False
    return _read(entry["printed"], entry).is_statement


def _read(printed: str, entry: Record) -> Printed:
    """Return the parts of a printed number."""
    return read_printed(printed, **{key: entry[key] for key in READING_KEYS if key in entry})


def judge(
    id: str,
    entry: Record,
    evidence: Evidence,
    *,
    quiet: bool = False,
    needs_companions: bool = True,
) -> Check:
    """Compare computed values with a printed figure; `Ledger.check` has the rules.

    Parameters
    ----------
    id : str
        The identifier of the figure, for the check and the errors.
    entry : dict
        What the file states about the figure.
    evidence : Evidence
        The computed values.
    quiet : bool, default False
        Whether to leave out the reason.
    needs_companions : bool, default True
        Whether the values for the keys ``cause`` and ``does_not_distinguish`` of an entry must be
        there. A check of a whole table has no such values.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If the figure needs other arguments.
    """
    is_claim = "claim" in entry
    if is_claim != (evidence.holds is not None):
        got = f"{evidence.holds} of {id}"
        raise input_error("holds", "be given of a claim, and of nothing else", got)
    rule = f"be the one on record for {id}, {entry.get('variant')!r}"
    check_that(evidence.variant in (None, entry.get("variant")), "variant", rule, evidence.variant)
    check_that(not is_statement(entry), "id", "be that of a figure with a number", id)
    if needs_companions:
        _check_companion(id, entry, evidence.cause, name="cause", key="cause")
        _check_companion(id, entry, evidence.also, name="also", key="does_not_distinguish")

    impossible = impossible_reason(entry)
    values: list[object] = []
    figures: list[object] = []
    if impossible and evidence.values is None:
        verdict = "impossible with n"  # this needs no computation
    elif "bound" in entry:
        values, figures, verdict = _judge_bound(id, entry, evidence)
    else:
        figures = _figures_to_compare(entry)
        is_interval = "consistent" in entry
        values = _arrange(id, evidence.values, figures, entry, intervals=is_interval)
        verdict = _verdict(id, values, figures, entry, evidence)
    if impossible and verdict != "erratum":  # an erratum says more, because it has the right value
        verdict = "impossible with n"

    fields = recorded_fields(entry)
    if verdict == "impossible with n":
        fields["reason"] = f"{fields['reason']} {impossible}".strip()
    if quiet:
        fields["reason"] = ""
    computed = tuple(
        _format(value, str(printed), entry) for value, printed in zip(values, figures, strict=True)
    )
    if not computed:
        computed = ("–",)  # for a claim or figure without any value to compute
    return Check(id=id, computed=computed, verdict=verdict, evidence=evidence.to_json(), **fields)


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
    id: str, values: list[object], figures: list[object], entry: Record, evidence: Evidence
) -> str:
    """Return the verdict on an entry without a bound, from one value for each of its figures."""
    if "left_open" in entry:
        return _verdict_on_open_figure(values, figures, entry)
    if not _all_agree(values, figures, entry):
        return _verdict_on_difference(id, values, figures, entry, evidence)
    is_as_recorded = _ends_are_as_recorded(values, entry)
    if not is_as_recorded or not _is_indistinct(id, values, figures, entry, evidence):
        return "unexplained"
    if evidence.holds is not None:
        return _verdict_on_claim(evidence.holds)
    if evidence.variant is None and DENIALS & entry.keys():
        # The record says that the stated definition does not give the printed value, but it does.
        return "reproduced"
    # The values agree as the record says they do: by the stated definition, under its variant, with
    # the authors' values, with a random process, or with the expected value.
    return expected_verdict(entry)


def _verdict_on_difference(
    id: str, values: list[object], figures: list[object], entry: Record, evidence: Evidence
) -> str:
    """Return the verdict if the values do not agree with a figure: "erratum" or "unexplained".

    It is an erratum if the values are the recorded corrections. If the record names a slip, that
    slip must give the printed value.
    """
    corrected = flatten(entry.get("corrected", []))
    if not _all_agree(values, corrected, entry):
        return "unexplained"
    if evidence.cause is not None:
        slips = _arrange(id, evidence.cause, figures, entry, name="cause")
        if not _all_agree(slips, figures, entry):
            return "unexplained"
    return "erratum"


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


def _is_indistinct(
    id: str, values: list[object], figures: list[object], entry: Record, evidence: Evidence
) -> bool:
    """Return whether the values under the other definition, if any, print as the same figures."""
    if evidence.also is None:
        return True
    others = _arrange(id, evidence.also, figures, entry, name="also")
    return all(
        prints_same(value, other, str(printed), **forms_of(entry))
        for value, other, printed in zip(values, others, figures, strict=True)
    )


def _verdict_on_claim(holds: object) -> str:
    """Return the verdict on a claim; ``holds`` is the argument of `Ledger.check`."""
    if isinstance(holds, str):
        # Such as "not established"; True and False stand for "holds" and "fails".
        answers_in_words = [name for name in CLAIMS if " " in name]
        return CLAIMS[check_choice(holds, "holds", answers_in_words)]
    if holds:
        return CLAIMS["holds"]
    return CLAIMS["fails"]


def _judge_bound(
    id: str, entry: Record, evidence: Evidence
) -> tuple[list[object], list[object], str]:
    """Return the interval as the only value, the printed figure, and the verdict.

    The verdict is "erratum" if the interval is the recorded one, and no value in it prints as the
    figure.
    """
    printed = flatten(entry["printed"])
    if len(printed) != 1:
        raise InputError(f"bound must belong to a single figure; {id} has {len(printed)}")
    if evidence.values is None or len(evidence.values) != 2:
        got = len(evidence.values or [])
        raise input_error("value", f"hold the two ends of an interval for {id}", f"{got} values")
    low, high = evidence.values
    bound = _as_interval(low, high)
    forms = forms_of(entry)
    recorded = read_bound(entry["bound"], **_end_forms(entry))
    # The bound on record must be a proof by itself: it must contain the computed bound, and exclude
    # the printed value.
    is_on_record = _is_rounded_outwards(bound, entry["bound"], entry)
    if is_on_record and is_excluded(recorded, str(printed[0]), **forms):
        verdict = "erratum"
    else:
        verdict = "unexplained"
    return [(low, high)], printed, verdict


def _as_interval(low: object, high: object) -> tuple[float, float]:
    """Return the ends of an interval as numbers; raise unless the first is the low one."""
    ends = (_as_number(low), _as_number(high))
    if not ends[0] <= ends[1]:
        rule = "hold the low end of an interval, and then the high end"
        raise input_error("value", rule, f"{ends[0]} and {ends[1]}")
    return ends


def _as_number(value: object) -> float:
    """Return an end of an interval as a number."""
    number = as_float(value)
    if number is None:
        if isinstance(value, Decimal):
            return float(value)
        raise input_error("value", "hold the two ends of an interval as numbers", repr(value))
    return number


def _ends_are_as_recorded(values: list[object], entry: Record) -> bool:
    """Return whether a computed interval has the recorded ends, if there are any.

    The recorded ends are rounded, to the nearest number or outwards.
    """
    if "consistent" not in entry:
        return True
    record = entry["consistent"]
    if not isinstance(record, dict) or "interval" not in record:
        return True
    ends = flatten(values)
    if len(ends) != 2:
        return False
    low, high = ends
    recorded = record["interval"]
    if _is_rounded_outwards((_as_number(low), _as_number(high)), recorded, entry):
        return True
    return _is_rounded(low, recorded[0], entry) and _is_rounded(high, recorded[1], entry)


def _end_forms(entry: Record) -> Options:
    """Return the keys of an entry that say how the ends of its intervals are printed."""
    return {key: entry[key] for key in ("decimal_comma", "percent") if key in entry}


def _is_rounded(end: object, text: object, entry: Record) -> bool:
    """Return whether an end of an interval rounds to the recorded end; "" means none."""
    if text == "":
        return math.isinf(_as_number(end))
    return agrees(end, str(text), **_end_forms(entry))


def _is_rounded_outwards(
    interval: tuple[float, float], recorded: Sequence[object], entry: Record
) -> bool:
    """Return whether the recorded ends are the ends of a computed interval, rounded outwards.

    Each recorded end is the computed one, or lies outside of it by less than a unit of the last
    digit. So the recorded interval contains the computed one. "" means that there is no end.
    """
    for end, text, outwards in zip(interval, recorded, (-1, 1), strict=True):
        if text == "":
            is_end = math.isinf(end)
        else:
            is_end = _is_end_rounded_outwards(end, str(text), outwards, entry)
        if not is_end:
            return False
    return True


def _is_end_rounded_outwards(end: float, text: str, outwards: int, entry: Record) -> bool:
    """Return whether the text is an end of an interval rounded outwards.

    ``outwards`` is -1 for the low end and 1 for the high one. A float may be off by the usual error
    of a computation.
    """
    figure = read_printed(text, **_end_forms(entry))
    if figure.value is None or figure.unit is None or math.isinf(end):
        return False
    exact_end = Fraction(end)
    distance = outwards * (Fraction(figure.value) - exact_end)
    return -abs(exact_end) * RELATIVE_ERROR <= distance < Fraction(figure.unit)


def _arrange(
    id: str,
    values: list[object] | None,
    figures: list[object],
    entry: Record,
    *,
    intervals: bool = False,
    name: str = "value",
) -> list[object]:
    """Return a value for each figure; raise if there are more or fewer.

    A value is a number or a text. It is a pair of numbers if ``intervals`` is true, or if the
    figure is printed with a spread and ``values`` holds the spreads too. ``name`` is the name of
    the argument in error messages.
    """
    if values is None:
        if figures:
            raise InputError(f"{name} must be given for {id}, or for its expected_value on record")
        return []
    if not figures:
        raise InputError(f"{name} must be left out; no expected_value is on record for {id}")
    if intervals:
        if len(values) != 2 * len(figures):
            rule = (
                f"hold {len(figures)} intervals, each a low and a high end, as many as {id} prints"
            )
            raise input_error(name, rule, len(values))
        pairs = list(zip(values[::2], values[1::2], strict=True))
        for low, high in pairs:
            _as_interval(low, high)  # raises for a NaN, which no interval has
        return list(pairs)
    if len(values) == len(figures):
        return values
    has_spread = [_has_spread(str(figure), entry) for figure in figures]
    if any(has_spread) and len(values) == len(figures) + sum(has_spread):
        remaining = iter(values)
        return [
            (next(remaining), next(remaining)) if is_pair else next(remaining)
            for is_pair in has_spread
        ]
    rule = f"hold {len(figures)} values, as many as {id} prints"
    raise input_error(name, rule, len(values))


def _has_spread(printed: str, entry: Record) -> bool:
    """Return whether a figure is printed with its spread, as in "0.396 ± 0.002"."""
    if "claim" in entry or entry.get("kind") == "exact":
        return False
    return _read(printed, entry).spread is not None


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
        if "consistent" in entry:
            compared = _nearest(value, str(printed), entry)
        if not agrees(compared, str(printed), **options):
            return False
    return True


def _nearest(interval: object, printed: str, entry: Record) -> object:
    """Return the number in an interval, a pair of ends, that is nearest to the printed one."""
    assert isinstance(interval, tuple)
    low, high = map(_as_number, interval)
    value = _read(printed, entry).value
    assert value is not None
    return min(max(float(value), low), high)


def impossible_reason(entry: Record) -> str:
    """Return why no count gives the printed figure; "" if one does, or if it is not a count.

    The entry says with ``multiple_of`` that its figure is a count divided by n.
    """
    if "multiple_of" not in entry:
        return ""
    for printed in flatten(entry["printed"]):
        result = _count_check(str(printed), entry)
        if not result.is_possible:
            return repr(result)
    return ""


def strength_of_count(entry: Record) -> str:
    """Return the sentence on the check of a figure that is a count; "" for other figures."""
    if "multiple_of" not in entry:
        return ""
    printed = str(flatten(entry["printed"])[0])
    return repr(_count_check(printed, entry))


def _count_check(printed: str, entry: Record) -> CountCheck:
    """Return the result of `check_count` for a figure whose entry has the key ``multiple_of``."""
    options = forms_of(entry)
    options.pop("input_digits", None)  # a count has no rounded inputs
    return _kept_count_check(printed, entry["multiple_of"], tuple(options.items()))


@lru_cache(maxsize=20_000)
def _kept_count_check(printed: str, n: str, options: tuple[tuple[str, object], ...]) -> CountCheck:
    """Return the result of `check_count`; it is cached, because a ledger needs it several times.

    ``options`` are the names and values of its other arguments.
    """
    named_options: Options = dict(options)
    return check_count(printed, n, **named_options)


def _format(value: object, printed: str, entry: Record) -> str:
    """Return a computed value as text, with two more decimals than the printed figure."""
    separator = " to "
    if isinstance(value, tuple):
        if "consistent" not in entry and "bound" not in entry:
            separator = " ± "
        return separator.join(_format(end, printed, entry) for end in value)
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
        unit = _read(printed, entry).unit
    except InputError:
        return 0
    if unit is None:
        return 0
    return max(0, -int(unit.as_tuple().exponent))
