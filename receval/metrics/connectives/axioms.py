"""Tests of the conditions that document 002 requires of implicators, conjunctors and scalings.

Monotonicity is tested at the fractions in [0, 1] with denominators up to 20 and the multiples of
1/32. Continuity is tested at the multiples of 1/64, with a tiny step to the left or right of each.
These points are exact in floating point, so a jump at b + r = 1 is found exactly there, without a
rounding error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, InputError, check_choice
from receval.metrics.connectives.degrees import Connective, answer

TOLERANCE = 1e-12  # rounding error that is not a violation of monotonicity
MIN_JUMP = 1e-4  # smallest change within a step that counts as a jump, not as a steep slope
STEP = 2.0**-36  # step to the side of a point
TINY = 1e-300  # step to the right of 0, where powers are steep


def fractions(*denominators: int) -> FloatArray:
    """Return the fractions in [0, 1] with these denominators, in ascending order, without repeats.

    Each fraction is the result of one division, so equal fractions are exactly equal as floats.
    """
    return np.unique(np.concatenate([np.arange(n + 1) / n for n in denominators]))


POINTS = fractions(*range(1, 21), 32)
DYADIC: FloatArray = np.arange(65) / 64
UNIT = np.array([0.0, 1.0])
CLASSICAL = {  # rows b = 0, 1; columns h or r = 0, 1
    "implicator": np.array([[1.0, 1.0], [0.0, 1.0]]),
    "conjunctor": np.array([[0.0, 0.0], [0.0, 1.0]]),
}


class Witness(NamedTuple):
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


def violations(connective: Connective, *, kind: str | None = None) -> dict[str, Witness]:
    r"""Find the axioms that a connective breaks, each with a place where the axiom fails.

    b is the truth of the body of a rule, h that of its head, and r that of the rule "body implies
    head". An implicator I(b, h) gives the truth of the rule, a conjunctor C(b, r) that of the head.

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
        The kind to test. Default: an implicator if its value at (0, 0) is above 0.5,
        as 0 implies 0.

    Returns
    -------
    dict
        The name of each broken axiom and its `Witness`, in the order of the table; empty if no
        axiom is broken.

    Raises
    ------
    InputError
        If the connective does not return one value in [0, 1] per pair, or ``kind`` is unknown.

    Notes
    -----
    This is a search for counterexamples, not a proof. Monotonicity is tested at all pairs of
    fractions with denominators up to 20 and multiples of 1/32. Continuity is tested at the
    multiples of 1/64; a change of more than 0.0001 within :math:`2^{-36}` counts as a jump.

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
        kind = "implicator" if corners[0, 0] > 0.5 else "conjunctor"
    check_choice(kind, "kind", CLASSICAL)
    letter = kind[0].upper()
    values = grid_values(connective, POINTS, POINTS)
    witnesses = {
        "1": _corner_witness(letter, corners, CLASSICAL[kind]),
        "2": _monotonicity_witness(letter, values),
        "3": _continuity_witness(letter, connective),
    }
    if kind == "implicator":
        at_truth = values[-1]  # I(1, h)
        too_true = np.flatnonzero((at_truth >= 1) & (POINTS < 1))
        if len(too_true) > 0:
            h = float(POINTS[too_true[0]])
            witnesses["4"] = Witness((1.0, h), f"I(1, {h:.6g}) = {at_truth[too_true[0]]:.6g}")
    return {
        f"{kind[0]}{number}": witness
        for number, witness in witnesses.items()
        if witness is not None
    }


def check_axioms(connective: Connective, kind: str, *, numbers: str = "1234") -> None:
    """Raise if a connective breaks an axiom with one of these numbers; "12" means c1 and c2.

    ``kind`` is "implicator" or "conjunctor".
    """
    for axiom, witness in violations(connective, kind=kind).items():
        if axiom[1] in numbers:
            raise InputError(f"{kind} must satisfy {axiom}; got {witness}")


def scaling_violation(
    function: Callable[[FloatArray], npt.ArrayLike], points: FloatArray, *, side: str
) -> str | None:
    """Return the first condition that a scaling breaks at some point, or None if it breaks none.

    A scaling maps degrees of truth in [0, 1] to other degrees. An implicator has two scalings: f is
    applied to the body, and g to the head. ``side`` says which one ``function`` is: "left" for f,
    which must be left-continuous, or "right" for g, which must be right-continuous. ``points`` are
    the degrees to test, ascending. The result completes the sentence "f must …" and names the
    point.
    """
    values = np.asarray(function(points), dtype=float)
    if values.shape != points.shape:
        return f"return one number per value; got shape {values.shape} for {points.shape}"
    limits = np.asarray(function(_step_aside(points, side)), dtype=float)
    next_values = np.append(values[1:], np.inf)  # no point follows the last one
    at_point = "{value:.6g} at {point:.6g}"
    beside = {"left": "below", "right": "above"}[side]
    with np.errstate(invalid="ignore"):  # a value of NaN breaks the first rule
        is_broken_by_rule = {
            f"stay in [0, 1]; got {at_point}": ~((values >= 0) & (values <= 1)),
            "be 0 at 0; got {value:.6g}": (points == 0) & (values > TOLERANCE),
            "be 1 at 1; got {value:.6g}": (points == 1) & (values < 1 - TOLERANCE),
            f"never fall; got {at_point}, then {{next_value:.6g}}": (
                next_values - values < -TOLERANCE
            ),
            f"be {side}-continuous; got {at_point}, but {{limit:.6g}} just {beside} it": (
                np.abs(limits - values) > MIN_JUMP
            ),
            f"be below 1 at degrees below 1; got {at_point}": (
                (side == "right") & (values >= 1) & (points < 1)
            ),
        }
    for rule, is_broken in is_broken_by_rule.items():
        if is_broken.any():
            i = int(np.argmax(is_broken))
            return rule.format(
                point=points[i], value=values[i], limit=limits[i], next_value=next_values[i]
            )
    return None


def grid_values(
    connective: Connective, body: FloatArray, other: FloatArray, name: str = "connective"
) -> FloatArray:
    """Return the values of a connective at all pairs of degrees, in the shape (body, other).

    ``name`` is the argument's name in error messages.
    """
    bodies, others = (grid.ravel() for grid in np.meshgrid(body, other, indexing="ij"))
    return answer(connective, bodies, others, name).reshape(body.size, other.size)


def _step_aside(points: FloatArray, side: str) -> FloatArray:
    """Move the points a small step to the left or to the right, within [0, 1]."""
    if side == "left":
        moved = points - STEP
    else:
        moved = np.where(points == 0, TINY, points + STEP)
    return np.clip(moved, 0.0, 1.0)


def _first_cell(is_wrong: BoolArray) -> tuple[int, int] | None:
    """Return row and column of the first marked cell of a grid, or None if there is none."""
    if not is_wrong.any():
        return None
    row, column = np.argwhere(is_wrong)[0].tolist()
    return row, column


# Each of these functions searches for a counterexample to one axiom and returns None if it finds
# none. `letter` is "I" for an implicator I(b, h) or "C" for a conjunctor C(b, r).


def _corner_witness(letter: str, corners: FloatArray, classical: FloatArray) -> Witness | None:
    """Return the first pair of 0 and 1 at which a connective differs from classical logic.

    ``corners`` holds the connective's values at these pairs and ``classical`` those of classical
    logic, both of shape (2, 2).
    """
    cell = _first_cell(corners != classical)
    if cell is None:
        return None
    b, other = cell  # each is 0 or 1
    text = f"{letter}({b}, {other}) = {corners[cell]:.6g}, classically {classical[cell]:.0f}"
    return Witness((float(b), float(other)), text)


def _monotonicity_witness(letter: str, values: FloatArray) -> Witness | None:
    """Return the first two neighbouring points between which a connective moves the wrong way.

    ``values`` holds the values of the connective at all pairs of `POINTS`, which are ascending: the
    rows are b, the columns h or r. An implicator may not rise in b nor fall in h, and a conjunctor
    may not fall in b or r.
    """
    change_in_b = np.diff(values, axis=0)  # from each row to the next one
    change_in_other = np.diff(values, axis=1)  # from each column to the next one
    if letter == "I":
        wrong_moves = {"rises in b": change_in_b > TOLERANCE}
        wrong_moves["falls in h"] = change_in_other < -TOLERANCE
    else:
        wrong_moves = {"falls in b": change_in_b < -TOLERANCE}
        wrong_moves["falls in r"] = change_in_other < -TOLERANCE
    for wrong_move, is_wrong in wrong_moves.items():
        cell = _first_cell(is_wrong)
        if cell is not None:
            row, column = cell
            next_cell = (row, column + 1)
            if wrong_move.endswith("b"):
                next_cell = (row + 1, column)
            first = _value_text(letter, values, cell)
            second = _value_text(letter, values, next_cell)
            at = (float(POINTS[row]), float(POINTS[column]))
            return Witness(at, f"{wrong_move}: {first}, {second}")
    return None


def _value_text(letter: str, values: FloatArray, cell: tuple[int, int]) -> str:
    """Return the value of a cell of the grid `POINTS` as text: "I(0.5, 1) = 0.25"."""
    row, column = cell
    return f"{letter}({POINTS[row]:.6g}, {POINTS[column]:.6g}) = {values[cell]:.6g}"


def _continuity_witness(letter: str, connective: Connective) -> Witness | None:
    """Return the first point at which a connective jumps, or None if it does not.

    A conjunctor must be left-continuous in b, its first argument. An implicator must be
    right-continuous in h, its second one. So this function compares its values on a grid with the
    values a tiny step to the left or to the right.
    """
    # The degrees of this grid are multiples of a power of two, which floating point holds exactly.
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
    b, other = float(DYADIC[cell[0]]), float(DYADIC[cell[1]])
    value = f"{letter}({b:.6g}, {other:.6g}) = {values[cell]:.6g}"
    return Witness((b, other), f"{value}, but {limits[cell]:.6g} {approach}")
