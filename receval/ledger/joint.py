"""Check whether several printed figures can hold together, if their inputs were rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from inspect import Parameter, signature
from typing import TypeAlias

import pandas as pd

from receval._checks import (
    InputError,
    check_callable,
    check_count,
    check_that,
    input_error,
    shorten,
)
from receval._escape import for_html, frame_for_terminal, without_mathematics
from receval.ledger.agreement import ROUNDINGS, printed_interval
from receval.ledger.intervals import Interval, Undefined, as_interval

__all__ = ["Joint", "hold_together", "propagate"]

Box: TypeAlias = "dict[str, Interval]"
"""An interval for each input, by name."""

MAX_BOXES = 500
N_HALVINGS = 40  # how often to halve an interval, to find its impossible part
MAX_PASSES = 20  # largest number of passes over all inputs to narrow them
MUCH_SMALLER = Decimal("0.999")  # a pass that leaves a larger share of every side is the last
CONFLICT_BOXES = 50  # boxes to examine without a figure, to see whether the conflict needs it
MAX_DIGITS = 30  # digits of a number in a witness


@dataclass(frozen=True)
class _Condition:
    """A figure that a computation must give: its name, its interval, and the inputs it uses."""

    name: str
    interval: Interval
    function: Callable[..., object]
    inputs: tuple[str, ...]

    def bound(self, box: Box) -> Interval | None:
        """Return an outer bound of the values in a box; None if there is none."""
        try:
            return apply(self.function, {name: box[name] for name in self.inputs})
        except Undefined:  # in a part of the box, perhaps
            return None

    def is_impossible(self, box: Box) -> bool:
        """Return whether no input in a box gives the figure."""
        bound = self.bound(box)
        return bound is not None and not bound.overlaps(self.interval)

    def holds(self, point: Box) -> bool:
        """Return whether a point surely gives the figure, computed with 50 digits."""
        bound = self.bound(point)
        return bound is not None and self.interval.includes(bound)


@dataclass(frozen=True, repr=False)
class Joint:
    """The result of `hold_together`: a witness, a proof that there is none, or neither.

    Attributes
    ----------
    verdict : {"consistent", "erratum", "unexplained"}
        Consistent: the witness gives all figures. Erratum: interval arithmetic proves that no input
        gives all figures. So at least one number in ``conflict`` or among the inputs is wrong, or
        was computed in another way. Unexplained: the search found neither a witness nor a proof in
        ``n_boxes`` boxes.
    inputs, figures : dict of str to Interval
        The numbers that print as the inputs and as the figures.
    narrowed : dict of str to Interval
        For each input, an interval outside which the figures cannot hold together. If they cannot
        hold together at all, it is the interval of the input.
    witness : dict of str to Decimal, or None
        A number for each input, inside its interval, with which all figures hold.
    values : dict of str to Interval
        The values of the figures at the witness, exact to 50 digits; empty without a witness.
    conflict : tuple of str
        Names of figures that cannot hold together. If you leave one of them out, either the others
        can hold together, or a short search cannot decide whether they can. Empty unless the
        verdict is erratum. Other sets of figures may be in conflict too.
    n_boxes : int
        Number of boxes that were examined; a box has an interval for each input.
    """

    verdict: str
    inputs: dict[str, Interval]
    figures: dict[str, Interval]
    narrowed: dict[str, Interval]
    witness: dict[str, Decimal] | None
    values: dict[str, Interval]
    conflict: tuple[str, ...]
    n_boxes: int

    @property
    def is_possible(self) -> bool | None:
        """Return whether the figures can hold together; None if this is not decided."""
        return {"consistent": True, "erratum": False, "unexplained": None}[self.verdict]

    def table(self) -> pd.DataFrame:
        """Return a row for each input and figure.

        Returns
        -------
        DataFrame
            Indexed by name. Columns: ``role`` ("input" or "figure"), ``low`` and ``high`` (the ends
            of the printed interval), ``narrowed_low`` and ``narrowed_high`` (of an input) and
            ``witness`` (the number found for an input, or the value of a figure). NaN where there
            is none.

        Examples
        --------
        >>> joint = hold_together({"rate": "0.51", "base": "0.35"},
        ...                       {"relative": ("1.48", lambda rate, base: rate / base)})
        >>> joint.table()["witness"].round(4).to_dict()
        {'rate': 0.51, 'base': 0.345, 'relative': 1.4783}
        """
        rows = []
        for name, interval in self.inputs.items():
            narrowed = self.narrowed[name]
            witness = float("nan")
            if self.witness is not None:
                witness = float(self.witness[name])
            rows.append(
                ("input", interval.low, interval.high, narrowed.low, narrowed.high, witness)
            )
        nothing = Decimal("NaN")
        for name, interval in self.figures.items():
            value = float("nan")
            if name in self.values:
                value = float(self.values[name].midpoint)
            rows.append(("figure", interval.low, interval.high, nothing, nothing, value))
        columns = ["role", "low", "high", "narrowed_low", "narrowed_high", "witness"]
        index = pd.Index([*self.inputs, *self.figures], name="name")
        frame = pd.DataFrame(rows, columns=columns, index=index)
        return frame.astype(dict.fromkeys(columns[1:], float))

    def __repr__(self) -> str:
        """Return the verdict as a sentence, and the table below it."""
        frame = frame_for_terminal(self.table())
        return f"{self.sentence}\n{frame.to_string(na_rep='', float_format='{:.7g}'.format)}"

    def _repr_html_(self) -> str:
        """Return the verdict and the table as HTML for a notebook."""
        frame = frame_for_terminal(self.table())
        table = without_mathematics(str(frame._repr_html_()))  # type: ignore[operator]
        return f"<p>{for_html(self.sentence)}</p>{table}"

    @property
    def sentence(self) -> str:
        """Return the verdict and its reason in words."""
        if self.witness is not None:
            example = ", ".join(f"{name} = {number}" for name, number in self.witness.items())
            return f"consistent: all figures hold, for example with {example}"
        if self.verdict == "erratum":
            names = ", ".join(self.conflict)
            if len(self.conflict) == 1:
                return f"erratum: no input gives {names}"
            return f"erratum: no inputs give all of these figures: {names}"
        return f"unexplained: neither a witness nor a proof within {self.n_boxes:,} boxes"


def hold_together(
    inputs: Mapping[str, object],
    figures: Mapping[str, tuple[object, Callable[..., object]]],
    *,
    rounding: str | None = None,
    max_boxes: int = MAX_BOXES,
) -> Joint:
    r"""Find out whether printed figures can follow from rounded inputs, all at the same time.

    Parameters
    ----------
    inputs : dict of str to str, Interval or number
        Each input: its printed text, an interval with two finite ends, or an exact number. A plain
        whole number counts as exact.
    figures : dict of str to (str or Interval, callable)
        Each figure: its printed text, or the interval of the numbers that print like it, and its
        computation. The function's arguments have the names of the inputs that it uses. `propagate`
        says which operations it may use.
    rounding : str, optional
        The rule for all printed texts, as for `agrees`. Use `printed_interval` for other forms,
        such as ``percent=True``.
    max_boxes : int, default 500
        Number of boxes after which the search ends without a verdict.

    Returns
    -------
    Joint
        A witness if there is one, or else the proof that there is none.

    Raises
    ------
    InputError
        If an input has no finite interval, a computation uses an input that isn't there, or
        refuses intervals, or there are no figures.

    Notes
    -----
    A box has an interval for each input. If interval arithmetic shows that some figure is
    impossible in a box, the box is discarded. Otherwise the impossible ends of its sides are cut
    off, a point is tried as a witness, and the box is halved. Discarding uses outer bounds only and
    the witness is computed with 50 digits, so that rounding errors can't change the verdict.

    References
    ----------
    F. Goualard, C. Jermann, "A Reinforcement Learning Approach to Interval Constraint
    Propagation", Constraints 13, 2008, doi:10.1007/s10601-007-9027-8, section 2.

    Examples
    --------
    Three click rates in percent, and two quotients of them. The quotients of the printed rates
    are 1.43 and 1.37, but there are rates with which all five printed numbers are right:

    >>> rates = {"base": "0.35", "first": "0.50", "second": "0.48"}
    >>> quotients = {
    ...     "first / base": ("1.43", lambda first, base: first / base),
    ...     "second / base": ("1.39", lambda second, base: second / base),
    ... }
    >>> joint = hold_together(rates, quotients)
    >>> joint.verdict, joint.narrowed["base"].short
    ('consistent', '0.345 to 0.350181')
    >>> quotients["second / base"] = ("1.42", quotients["second / base"][1])
    >>> hold_together(rates, quotients).conflict
    ('second / base',)
    """
    if rounding is not None:
        check_that(rounding in ROUNDINGS, "rounding", f"be one of {ROUNDINGS}", rounding)
    check_count(max_boxes, "max_boxes")
    box = {
        str(name): _interval_of(value, f"input {name}", rounding) for name, value in inputs.items()
    }
    for name, interval in box.items():
        if not interval.is_bounded:
            raise input_error(f"input {name}", "have two finite ends", interval)
    conditions = [_condition(str(name), figure, box, rounding) for name, figure in figures.items()]
    if not conditions:
        raise InputError("figures must have at least one figure; got none")
    search = _search(box, conditions, max_boxes)
    conflict: tuple[str, ...] = ()
    values: dict[str, Interval] = {}
    if search.verdict == "erratum":
        conflict = _smallest_conflict(box, conditions)
    if search.witness is not None:
        point = {name: Interval(number, number) for name, number in search.witness.items()}
        for condition in conditions:
            value = condition.bound(point)
            if value is not None:
                values[condition.name] = value
    return Joint(
        verdict=search.verdict,
        inputs=box,
        figures={condition.name: condition.interval for condition in conditions},
        narrowed=search.narrowed,
        witness=search.witness,
        values=values,
        conflict=conflict,
        n_boxes=search.n_boxes,
    )


def propagate(
    function: Callable[..., object], *, rounding: str | None = None, **inputs: object
) -> Interval:
    """Return an outer bound of a computation on rounded inputs.

    Parameters
    ----------
    function : callable
        The computation, with a keyword argument for each input. It may use the four operations,
        integer powers, ``abs`` and NumPy's ``sqrt``, ``exp``, ``log``, ``log2`` and ``log10``.
    rounding : str, optional
        The rule for inputs that are printed texts, as for `agrees`.
    **inputs : str, Interval or number
        Each input: its printed text, an interval, or an exact number. A plain whole number counts
        as exact.

    Returns
    -------
    Interval
        Whatever the inputs were before rounding, the result is inside. The bound is the smallest
        one if each input occurs once in the computation.

    Raises
    ------
    InputError
        If the function refuses intervals, for example because it compares or sorts them, or doesn't
        return an interval; or if it divides by an interval that contains 0.

    Examples
    --------
    >>> propagate(lambda rate, base: rate / base, rate="0.51", base="0.35").short
    '1.42254 to 1.49275'
    """
    intervals = {name: _interval_of(value, name, rounding) for name, value in inputs.items()}
    check_callable(function, "function", "lambda rate, base: rate / base")
    return apply(function, intervals)


def apply(function: Callable[..., object], inputs: Box) -> Interval:
    """Return the result of a computation with intervals; raise an error if it refuses them."""
    try:
        result = function(**inputs)
    except (TypeError, AttributeError) as error:
        rule = "be a function that computes with intervals, by + - * / ** and NumPy's sqrt and log"
        got = f"{type(error).__name__}: {error}"
        raise input_error("function", rule, got) from error
    interval = as_interval(result)
    if interval is None:
        raise input_error("function", "return a number or an interval", shorten(result))
    return interval


def _interval_of(value: object, name: str, rounding: str | None) -> Interval:
    """Return a printed text, an interval or a number as an interval."""
    if isinstance(value, str):
        return printed_interval(value, rounding=rounding, where=name)
    interval = as_interval(value)
    if interval is None:
        raise input_error(name, "be a printed text, an Interval or a number", shorten(value))
    return interval


def _condition(name: str, figure: object, box: Box, rounding: str | None) -> _Condition:
    """Return a figure of `hold_together` with the names of the inputs that it uses."""
    is_pair = isinstance(figure, Sequence) and not isinstance(figure, str) and len(figure) == 2
    example = '("1.43", lambda rate, base: rate / base)'
    check_that(is_pair, f"figure {name}", f"be a pair such as {example}", figure)
    assert isinstance(figure, Sequence)
    printed, function = figure
    check_callable(function, f"the computation of figure {name}", "lambda rate, base: rate / base")
    interval = _interval_of(printed, f"figure {name}", rounding)
    names: list[str] = []
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.VAR_KEYWORD:
            names = list(box)  # **inputs takes all of them
            break
        # A parameter with a default is an input only if some input has its name.
        if parameter.name in box or parameter.default is Parameter.empty:
            names.append(parameter.name)
    missing = [input_name for input_name in names if input_name not in box]
    rule = f"use inputs among {list(box)}"
    check_that(not missing, f"the computation of figure {name}", rule, missing)
    return _Condition(name, interval, function, tuple(names))


@dataclass
class _Search:
    """The state and the result of a search."""

    verdict: str
    narrowed: Box
    witness: dict[str, Decimal] | None
    n_boxes: int


def _search(box: Box, conditions: Sequence[_Condition], max_boxes: int) -> _Search:
    """Return a witness, a proof that there is none, or neither after ``max_boxes`` boxes."""
    narrowed = _narrow(box, conditions)
    if narrowed is None:
        return _Search("erratum", box, None, 1)
    boxes = [narrowed]
    n_boxes = 0
    while boxes and n_boxes < max_boxes:
        n_boxes += 1
        # Take the oldest box first, so that the search doesn't get lost in a corner.
        smaller = _contract(boxes.pop(0), conditions, N_HALVINGS // 4)
        if smaller is None:
            continue
        witness = _witness(smaller, box, conditions)
        if witness is not None:
            return _Search("consistent", narrowed, witness, n_boxes)
        boxes += _halves(smaller, box)
    if boxes:
        return _Search("unexplained", narrowed, None, n_boxes)
    return _Search("erratum", box, None, n_boxes)


def _narrow(box: Box, conditions: Sequence[_Condition]) -> Box | None:
    """Cut the impossible ends off a box until no more can be cut; None if nothing is left.

    A smaller box has better bounds, so more parts of it may turn out to be impossible.
    """
    smaller = box
    for _ in range(MAX_PASSES):
        contracted = _contract(smaller, conditions, N_HALVINGS)
        if contracted is None:
            return None
        has_shrunk = any(
            contracted[name].width < smaller[name].width * MUCH_SMALLER for name in box
        )
        smaller = contracted
        if not has_shrunk:
            break
    return smaller


def _contract(box: Box, conditions: Sequence[_Condition], n_halvings: int) -> Box | None:
    """Return a box without the impossible ends of its sides; None if all of it is impossible.

    ``n_halvings`` sets how exactly the impossible part of a side is cut off.
    """
    if any(condition.is_impossible(box) for condition in conditions):
        return None
    contracted = dict(box)
    for name, interval in box.items():
        relevant = [condition for condition in conditions if name in condition.inputs]
        if relevant and interval.width > 0:
            contracted[name] = _cut_ends(contracted, name, relevant, n_halvings)
    return contracted


def _cut_ends(box: Box, name: str, conditions: Sequence[_Condition], n_halvings: int) -> Interval:
    """Return the side ``name`` of a box without its impossible ends."""
    side = box[name]

    def is_impossible(part: Interval) -> bool:
        """Return whether a condition fails in the whole part of the box."""
        part_of_box = {**box, name: part}
        return any(condition.is_impossible(part_of_box) for condition in conditions)

    # If an interval is impossible, so is every interval inside it. So halving finds the longest
    # impossible interval at each end.
    low, high = side.low, side.high
    possible, impossible = high, low
    for _ in range(n_halvings):
        middle = Interval(impossible, possible).midpoint
        if is_impossible(Interval(low, middle)):
            impossible = middle
        else:
            possible = middle
    low_closed = side.low_closed
    if impossible > low:
        low, low_closed = impossible, True
    possible, impossible = low, high
    for _ in range(n_halvings):
        middle = Interval(possible, impossible).midpoint
        if is_impossible(Interval(middle, high)):
            impossible = middle
        else:
            possible = middle
    high_closed = side.high_closed
    if impossible < high:
        high, high_closed = impossible, True
    return Interval(low, high, low_closed=low_closed, high_closed=high_closed)


def _witness(
    box: Box, whole_box: Box, conditions: Sequence[_Condition]
) -> dict[str, Decimal] | None:
    """Return a point in a box or near to it that gives all figures, or None.

    The point is inside ``whole_box``, which has the intervals of the inputs.
    """
    # The middle of a box gives simple figures, such as a sum, before anything is narrowed.
    middle = {name: interval.midpoint for name, interval in box.items()}
    if not _is_witness(middle, whole_box, conditions):
        point = _fix_inputs(box, conditions)
        if point is None or not _is_witness(point, whole_box, conditions):
            return None
        middle = point
    # People check a witness by hand, so round it to as few digits as will do.
    for n_digits in range(1, MAX_DIGITS):
        rounded = {name: Decimal(f"{number:.{n_digits}g}") for name, number in middle.items()}
        for name, interval in whole_box.items():
            if interval.width == 0:
                rounded[name] = middle[name]
        if _is_witness(rounded, whole_box, conditions):
            return rounded
    return middle


def _fix_inputs(box: Box, conditions: Sequence[_Condition]) -> dict[str, Decimal] | None:
    """Fix a possible number for each input, one after the other; None if an input has none.

    Inputs that occur in many conditions come first, because they narrow the others down.
    """
    names = sorted(
        box,
        key=lambda name: sum(name in condition.inputs for condition in conditions),
        reverse=True,
    )
    point = box
    for name in names:
        number = _short_number(point[name])
        fixed = {**point, name: Interval(number, number)}
        contracted = _contract(fixed, conditions, N_HALVINGS)
        if contracted is None:
            return None
        point = contracted
    return {name: interval.low for name, interval in point.items()}


def _short_number(interval: Interval) -> Decimal:
    """Return a number in an interval with as few digits as possible, near its middle.

    If only one number is possible, it is often a short one, such as 0.5. Rounding the middle of the
    interval, such as 0.5000001, mostly finds it.
    """
    middle = interval.midpoint
    for n_digits in range(1, MAX_DIGITS):
        number = Decimal(f"{middle:.{n_digits}g}")
        if interval.contains(number):
            return number
    return middle


def _is_witness(
    numbers: Mapping[str, Decimal], whole_box: Box, conditions: Sequence[_Condition]
) -> bool:
    """Return whether numbers are inside the intervals of the inputs and give all figures."""
    if not all(whole_box[name].contains(number) for name, number in numbers.items()):
        return False
    point = {name: Interval(number, number) for name, number in numbers.items()}
    return all(condition.holds(point) for condition in conditions)


def _halves(box: Box, whole_box: Box) -> list[Box]:
    """Return the two halves of a box, cut across its widest side; none for a single point.

    The width of a side is measured as a share of its input's interval in ``whole_box``.
    """

    def relative_width(name: str) -> Decimal:
        """Return the width of a side as a share of the input's interval."""
        full_width = whole_box[name].width
        if full_width == 0:
            return Decimal(0)
        return box[name].width / full_width

    widest = max(box, key=relative_width, default=None)
    if widest is None or box[widest].width == 0:
        return []
    lower, upper = box[widest].split()
    return [{**box, widest: lower}, {**box, widest: upper}]


def _smallest_conflict(box: Box, conditions: Sequence[_Condition]) -> tuple[str, ...]:
    """Return the names of conflicting figures, without those that the conflict doesn't need."""
    needed = list(conditions)
    for condition in conditions:
        fewer = [other for other in needed if other is not condition]
        if fewer and _search(box, fewer, CONFLICT_BOXES).verdict == "erratum":
            needed = fewer
    return tuple(condition.name for condition in needed)
