"""Tests of the conditions that document 002 requires of implicators, conjunctors and scalings.

Monotonicity is tested at the fractions in [0, 1] with denominators up to 20 and the multiples of
1/32. Continuity is tested by a step to the side of the multiples of 1/64. These are exact in
floating point, so a jump at b + r = 1 is found exactly there, without a rounding error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, InputError, check_choice, input_error
from receval.metrics.connectives.degrees import Connective, answer

TOLERANCE = 1e-12  # rounding error that is not a violation of monotonicity
MIN_JUMP = 1e-4  # smallest change within a step that counts as a jump, not as a steep slope
STEP = 2.0**-36  # step to the side of a point
TINY = 1e-300  # step to the right of 0, where powers are steep


def fractions(*denominators: int) -> FloatArray:
    """Return the fractions in [0, 1] with these denominators, each once and ascending.

    Each is one division, so equal fractions have equal bits.
    """
    return np.unique(np.concatenate([np.arange(n + 1) / n for n in denominators]))


POINTS = fractions(*range(1, 21), 32)
DYADIC: FloatArray = np.arange(65) / 64
UNIT = np.array([0.0, 1.0])


@dataclass(frozen=True)
class Witness:
    """A place where a condition is broken.

    Attributes
    ----------
    at : tuple of float
        The arguments of the function.
    text : str
        A description of the values there.
    """

    at: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        """Return the description."""
        return self.text


CLASSICAL = {  # rows b = 0, 1; columns h or r = 0, 1
    "implicator": np.array([[1.0, 1.0], [0.0, 1.0]]),
    "conjunctor": np.array([[0.0, 0.0], [0.0, 1.0]]),
}


def violations(connective: Connective, *, kind: str | None = None) -> dict[str, Witness]:
    r"""Find the axioms that a connective breaks, each with a witness.

    ===== ======================================================================
    c1    C agrees with classical conjunction on {0, 1}
    c2    C never falls as b or r rises
    c3    C is left-continuous in b
    i1    I agrees with classical implication on {0, 1}
    i2    I never rises as b rises, and never falls as h rises
    i3    I is right-continuous in h
    i4    I(1, h) is below 1 for every h below 1
    ===== ======================================================================

    Parameters
    ----------
    connective : callable
        A function of two arrays: I(b, h) or C(b, r).
    kind : {"implicator", "conjunctor"}, optional
        The kind to test. Default: the kind with which the connective shares more values on
        {0, 1}.

    Returns
    -------
    dict
        Axiom to `Witness`, in the order of the table; empty if no axiom is broken.

    Raises
    ------
    InputError
        If the connective does not return one value in [0, 1] per pair, or if it shares as many
        values on {0, 1} with both kinds and ``kind`` is left out.

    Notes
    -----
    This is a search for counterexamples, not a proof. Monotonicity is tested at all pairs of
    fractions with denominators up to 20 and multiples of 1/32, continuity at the multiples of
    1/64, where a change by more than 0.0001 within :math:`2^{-36}` is a jump.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import goedel_conjunctor, lukasiewicz
    >>> violations(lukasiewicz), violations(goedel_conjunctor)
    ({}, {})
    >>> zadeh = lambda b, h: np.maximum(1 - b, np.minimum(b, h))
    >>> for axiom, witness in violations(zadeh).items():
    ...     print(axiom, witness)
    i2 rises in b: I(0.5, 0.526316) = 0.5, I(0.526316, 0.526316) = 0.526316
    """
    corners = grid_values(connective, UNIT, UNIT)
    if kind is None:
        kind = _guess_kind(corners)
    else:
        check_choice(kind, "kind", CLASSICAL)
    values = grid_values(connective, POINTS, POINTS)
    letter = kind[0].upper()
    witnesses = [
        _corner_witness(letter, corners, CLASSICAL[kind]),
        _monotonicity_witness(letter, values),
        _continuity_witness(letter, connective),
    ]
    if letter == "I":
        witnesses.append(_truth_witness(values))
    broken = {}
    for number, witness in enumerate(witnesses, 1):
        if witness is not None:
            broken[f"{letter.lower()}{number}"] = witness
    return broken


def check_axioms(connective: Connective, kind: str, *, numbers: str = "1234") -> None:
    """Raise if a connective breaks an axiom of its kind, of those with these numbers."""
    for axiom, witness in violations(connective, kind=kind).items():
        if axiom[1] in numbers:
            raise InputError(f"{kind} must satisfy {axiom}; got {witness}")


def scaling_violation(
    function: Callable[[FloatArray], npt.ArrayLike], points: FloatArray, *, side: str
) -> str | None:
    """Return the first condition on a scaling that does not hold at some point, else None.

    ``side`` says which scaling it is: "left" for f, which must be left-continuous, and "right"
    for g. The text completes "f must …".
    """
    values = np.asarray(function(points), dtype=float)
    if values.shape != points.shape:
        return f"answer one number per value; got shape {values.shape} for {points.shape}"
    limits = np.asarray(function(_step_aside(points, side)), dtype=float)
    where = "below" if side == "left" else "above"
    at_point = "{value:.6g} at {point:.6g}"
    with np.errstate(invalid="ignore"):
        is_broken_by_rule = {
            f"stay in [0, 1]; got {at_point}": ~((values >= 0) & (values <= 1)),
            "be 0 at 0; got {value:.6g}": (points == 0) & (values > TOLERANCE),
            "be 1 at 1; got {value:.6g}": (points == 1) & (values < 1 - TOLERANCE),
            f"never fall; got {at_point}, {{next_value:.6g}} at {{next_point:.6g}}": (
                np.diff(values, append=np.inf) < -TOLERANCE
            ),
            f"be {side}-continuous; got {at_point}, but {{limit:.6g}} just {where} it": (
                np.abs(limits - values) > MIN_JUMP
            ),
            f"be below 1 before 1; got {at_point}": (
                (side == "right") & (values >= 1) & (points < 1)
            ),
        }
    for rule, is_broken in is_broken_by_rule.items():
        if is_broken.any():
            i = int(np.argmax(is_broken))
            return rule.format(
                point=points[i],
                value=values[i],
                limit=limits[i],
                next_point=np.roll(points, -1)[i],
                next_value=np.roll(values, -1)[i],
            )
    return None


def grid_values(
    connective: Connective, body: FloatArray, other: FloatArray, name: str = "connective"
) -> FloatArray:
    """Return the truth of every pair of two arrays of degrees, shape (body, other)."""
    b, x = (grid.ravel() for grid in np.meshgrid(body, other, indexing="ij"))
    return answer(connective, b, x, name).reshape(body.size, other.size)


def _guess_kind(corners: FloatArray) -> str:
    """Return the kind with more of these truth values on {0, 1}; raise if both have as many."""
    n_agreeing = {kind: int((corners == table).sum()) for kind, table in CLASSICAL.items()}
    if n_agreeing["implicator"] == n_agreeing["conjunctor"]:
        rule = "be given for this connective, 'implicator' or 'conjunctor'"
        got = f"corners {corners.tolist()}, as near to the one as to the other"
        raise input_error("kind", rule, got)
    return max(n_agreeing, key=lambda kind: n_agreeing[kind])


def _step_aside(points: FloatArray, side: str) -> FloatArray:
    """Return the points a small step to the left or to the right, within [0, 1]."""
    if side == "left":
        moved = points - STEP
    else:
        moved = np.where(points == 0, TINY, points + STEP)
    return np.clip(moved, 0.0, 1.0)


# Witnesses ----------------------------------------------------------------------------------------
# Each function searches one axiom's counterexample. `letter` is "I" or "C", as in the text.


def _first_cell(is_wrong: BoolArray) -> tuple[int, int] | None:
    """Return row and column of the first marked cell of a grid, None if there is none."""
    cells = np.argwhere(is_wrong).tolist()
    if not cells:
        return None
    row, column = cells[0]
    return row, column


def _corner_witness(letter: str, corners: FloatArray, classical: FloatArray) -> Witness | None:
    """Return the first corner that differs from classical logic."""
    cell = _first_cell(corners != classical)
    if cell is None:
        return None
    b, x = _degrees(UNIT, cell)
    value = f"{corners[cell]:.6g}"
    return Witness(
        (b, x), f"{letter}({b:.0f}, {x:.0f}) = {value}, classically {classical[cell]:.0f}"
    )


def _truth_witness(values: FloatArray) -> Witness | None:
    """Return the first head below 1 that an implicator with body 1 still finds wholly true."""
    cell = _first_cell((values >= 1) & np.outer(POINTS == 1, POINTS < 1))
    if cell is None:
        return None
    b, h = _degrees(POINTS, cell)
    return Witness((b, h), f"I(1, {h:.6g}) = {values[cell]:.6g}")


def _monotonicity_witness(letter: str, values: FloatArray) -> Witness | None:
    """Return the first two neighbouring points between which the truth moves the wrong way."""
    if letter == "I":
        directions = ["rises in b", "falls in h"]
    else:
        directions = ["falls in b", "falls in r"]
    for axis, direction in enumerate(directions):
        change = np.diff(values, axis=axis)
        if direction.startswith("rises"):
            is_wrong = change > TOLERANCE
        else:
            is_wrong = change < -TOLERANCE
        cell = _first_cell(is_wrong)
        if cell is not None:
            row, column = cell
            next_cell = (row + 1, column) if axis == 0 else (row, column + 1)
            first = _value_text(letter, values, cell)
            second = _value_text(letter, values, next_cell)
            return Witness(_degrees(POINTS, cell), f"{direction}: {first}, {second}")
    return None


def _continuity_witness(letter: str, connective: Connective) -> Witness | None:
    """Return the first jump: of C as b comes from the left, of I as h comes from the right."""
    values = grid_values(connective, DYADIC, DYADIC)
    if letter == "C":
        limits = grid_values(connective, _step_aside(DYADIC, "left"), DYADIC)
        approach = "approaching b from below"
    else:
        limits = grid_values(connective, DYADIC, _step_aside(DYADIC, "right"))
        approach = "approaching h from above"
    cell = _first_cell(np.abs(values - limits) > MIN_JUMP)
    if cell is None:
        return None
    b, x = _degrees(DYADIC, cell)
    text = f"{letter}({b:.6g}, {x:.6g}) = {values[cell]:.6g}, but {limits[cell]:.6g} {approach}"
    return Witness((b, x), text)


def _degrees(points: FloatArray, cell: tuple[int, int]) -> tuple[float, float]:
    """Return the two degrees of a cell in a grid over ``points``."""
    row, column = cell
    return float(points[row]), float(points[column])


def _value_text(letter: str, values: FloatArray, cell: tuple[int, int]) -> str:
    """Return the value of a cell as text: "I(0.5, 1) = 0.25"."""
    b, x = _degrees(POINTS, cell)
    return f"{letter}({b:.6g}, {x:.6g}) = {values[cell]:.6g}"
