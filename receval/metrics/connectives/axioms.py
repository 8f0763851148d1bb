"""Tests of the conditions that document 002 requires of implicators, conjunctors and scalings.

Monotonicity is tested at the fractions in [0, 1] with denominators up to 20 and the multiples of
1/32. Continuity is tested at the multiples of 1/64, with a tiny step to the left or right of each.
These points are exact in floating point, so a jump at b + r = 1 is found exactly there, without a
rounding error.
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
    """Return the fractions in [0, 1] with these denominators, in ascending order, without repeats.

    Each fraction is the result of one division, so equal fractions are exactly equal as floats.
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
        The kind to test. Default: the kind with which the connective shares more values on
        {0, 1}.

    Returns
    -------
    dict
        The name of each broken axiom and its `Witness`, in the order of the table; empty if no
        axiom is broken.

    Raises
    ------
    InputError
        If the connective does not return one value in [0, 1] per pair, or if ``kind`` is left out
        and it shares equally many values on {0, 1} with both kinds.

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
        kind = _guess_kind(corners)
    else:
        check_choice(kind, "kind", CLASSICAL)
    values = grid_values(connective, POINTS, POINTS)
    letter = kind[0].upper()
    # The order is that of the axioms: c1, c2, c3, or i1, i2, i3, i4.
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
    """Raise if a connective breaks an axiom with one of these numbers; "12" means c1 and c2.

    ``kind`` is "implicator" or "conjunctor".
    """
    for axiom, witness in violations(connective, kind=kind).items():
        number = axiom[1]
        if number in numbers:
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
    where = "below" if side == "left" else "above"
    # The rules are templates of `str.format`, to be filled with the first point that breaks them.
    at_point = "{value:.6g} at {point:.6g}"
    with np.errstate(invalid="ignore"):  # a value of NaN breaks the first rule
        is_broken_by_rule = {
            f"stay in [0, 1]; got {at_point}": ~((values >= 0) & (values <= 1)),
            "be 0 at 0; got {value:.6g}": (points == 0) & (values > TOLERANCE),
            "be 1 at 1; got {value:.6g}": (points == 1) & (values < 1 - TOLERANCE),
            f"never fall; got {at_point}, {{next_value:.6g}} at {{next_point:.6g}}": (
                np.diff(values, append=np.inf) < -TOLERANCE  # no point follows the last one
            ),
            f"be {side}-continuous; got {at_point}, but {{limit:.6g}} just {where} it": (
                np.abs(limits - values) > MIN_JUMP
            ),
            f"be below 1 at degrees below 1; got {at_point}": (
                (side == "right") & (values >= 1) & (points < 1)
            ),
        }
    for rule, is_broken in is_broken_by_rule.items():
        if is_broken.any():
            first = int(np.argmax(is_broken))
            return rule.format(
                point=points[first],
                value=values[first],
                limit=limits[first],
                # np.roll makes the first point the successor of the last, but no rule uses that
                # successor.
                next_point=np.roll(points, -1)[first],
                next_value=np.roll(values, -1)[first],
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


def _guess_kind(corners: FloatArray) -> str:
    """Return "implicator" or "conjunctor", the kind that a connective is more likely to be.

    ``corners`` holds its values at the four pairs of 0 and 1, of shape (2, 2). Classical logic has
    such a table for each kind. The result is the kind whose table agrees with more of the values.
    Raises if both tables agree with equally many values.
    """
    # `CLASSICAL` maps each kind to its table.
    n_agreeing = {kind: int((corners == classical).sum()) for kind, classical in CLASSICAL.items()}
    if n_agreeing["implicator"] == n_agreeing["conjunctor"]:
        rule = "be given for this connective, 'implicator' or 'conjunctor'"
        got = f"corners {corners.tolist()}, which agree with both kinds equally well"
        raise input_error("kind", rule, got)
    return max(n_agreeing, key=lambda kind: n_agreeing[kind])


def _step_aside(points: FloatArray, side: str) -> FloatArray:
    """Move the points a small step to the left or to the right, within [0, 1]."""
    if side == "left":
        moved = points - STEP
    else:
        moved = np.where(points == 0, TINY, points + STEP)
    return np.clip(moved, 0.0, 1.0)


# Witnesses ----------------------------------------------------------------------------------------
# Each function searches for a counterexample to one axiom and returns None if it finds none.
# `letter` is "I" for an implicator I(b, h) or "C" for a conjunctor C(b, r).


def _first_true_cell(is_wrong: BoolArray) -> tuple[int, int] | None:
    """Return row and column of the first marked cell of a grid, or None if there is none."""
    cells = np.argwhere(is_wrong).tolist()
    if not cells:
        return None
    row, column = cells[0]
    return row, column


def _corner_witness(letter: str, corners: FloatArray, classical: FloatArray) -> Witness | None:
    """Return the first pair of 0 and 1 at which a connective differs from classical logic.

    ``corners`` holds the connective's values at these pairs and ``classical`` those of classical
    logic, both of shape (2, 2). ``letter`` is "I" for an implicator I(b, h) or "C" for a
    conjunctor C(b, r). Returns None if no value differs.
    """
    cell = _first_true_cell(corners != classical)
    if cell is None:
        return None
    b, h_or_r = _degrees(UNIT, cell)  # each is 0 or 1
    arguments = f"{b:.0f}, {h_or_r:.0f}"
    text = f"{letter}({arguments}) = {corners[cell]:.6g}, classically {classical[cell]:.0f}"
    return Witness((b, h_or_r), text)


def _truth_witness(values: FloatArray) -> Witness | None:
    """Return the first h below 1 at which I(1, h) is 1; ``values`` is I on the grid `POINTS`."""
    cell = _first_true_cell((values >= 1) & np.outer(POINTS == 1, POINTS < 1))
    if cell is None:
        return None
    b, h = _degrees(POINTS, cell)
    return Witness((b, h), f"I(1, {h:.6g}) = {values[cell]:.6g}")


def _monotonicity_witness(letter: str, values: FloatArray) -> Witness | None:
    """Return the first two neighbouring points between which a connective moves the wrong way.

    ``values`` holds the values of the connective at all pairs of `POINTS`, which are ascending: the
    rows are b, the columns h or r. ``letter`` is "I" for an implicator I(b, h), which may not rise
    in b nor fall in h, or "C" for a conjunctor C(b, r), which may not fall in b or r. Returns None
    if there are no such points.
    """
    change_in_b = np.diff(values, axis=0)  # from each row to the next one
    change_in_h_or_r = np.diff(values, axis=1)  # from each column to the next one
    # For each axis: what the values must not do, in words, and a mask of the cells where they do
    # it.
    if letter == "I":
        rises_in_b = change_in_b > TOLERANCE
        wrong_moves = [("rises in b", rises_in_b), ("falls in h", change_in_h_or_r < -TOLERANCE)]
    else:
        falls_in_b = change_in_b < -TOLERANCE
        wrong_moves = [("falls in b", falls_in_b), ("falls in r", change_in_h_or_r < -TOLERANCE)]
    for axis, (wrong_move, is_wrong) in enumerate(wrong_moves):
        cell = _first_true_cell(is_wrong)
        if cell is not None:
            row, column = cell
            if axis == 0:
                next_cell = (row + 1, column)
            else:
                next_cell = (row, column + 1)
            first = _value_text(letter, values, cell)
            second = _value_text(letter, values, next_cell)
            return Witness(_degrees(POINTS, cell), f"{wrong_move}: {first}, {second}")
    return None


def _continuity_witness(letter: str, connective: Connective) -> Witness | None:
    """Return the first point at which a connective jumps, or None if it does not.

    A conjunctor (``letter`` "C") must be left-continuous in b, its first argument. An implicator
    ("I") must be right-continuous in h, its second one. So this function compares its values on a
    grid with the values a tiny step to the left or to the right.
    """
    # The degrees of this grid are multiples of a power of two, which floating point holds exactly.
    values = grid_values(connective, DYADIC, DYADIC)
    if letter == "C":
        limits = grid_values(connective, _step_aside(DYADIC, "left"), DYADIC)
        approach = "approaching b from below"
    else:
        limits = grid_values(connective, DYADIC, _step_aside(DYADIC, "right"))
        approach = "approaching h from above"
    cell = _first_true_cell(np.abs(values - limits) > MIN_JUMP)
    if cell is None:
        return None
    b, h_or_r = _degrees(DYADIC, cell)
    arguments = f"{b:.6g}, {h_or_r:.6g}"
    text = f"{letter}({arguments}) = {values[cell]:.6g}, but {limits[cell]:.6g} {approach}"
    return Witness((b, h_or_r), text)


def _degrees(points: FloatArray, cell: tuple[int, int]) -> tuple[float, float]:
    """Return the two degrees of a cell in a grid whose rows and columns are both ``points``."""
    row, column = cell
    return float(points[row]), float(points[column])


def _value_text(letter: str, values: FloatArray, cell: tuple[int, int]) -> str:
    """Return the value of a cell as text: "I(0.5, 1) = 0.25"."""
    b, h_or_r = _degrees(POINTS, cell)
    return f"{letter}({b:.6g}, {h_or_r:.6g}) = {values[cell]:.6g}"
