"""Tests of the conditions that document 002 requires of implicators, conjunctors and scalings.

Monotonicity is tested at the fractions in [0, 1] with denominators up to 20 and the multiples of
1/32. Continuity is tested at the multiples of 1/64, with a tiny step to the left or right of each.
These points are exact in floating point, so a jump at b + r = 1 is found exactly there, without a
rounding error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, InputError, check_choice, check_that
from receval.metrics.connectives import formulas
from receval.metrics.connectives.formulas import (
    Connective,
    TruthFunction,
    apply_connective,
    read_pair,
)

TOLERANCE = 1e-12  # rounding error of a degree, which breaks no rule
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


def violations(connective: Connective, *, kind: str | None = None) -> dict[str, str]:
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
        The name of each broken axiom, in the order of the table, and the values at a place where
        it fails, as text; empty if no axiom is broken.

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
    witnesses = [
        _corner_witness(letter, corners, CLASSICAL[kind]),
        _monotonicity_witness(letter, values),
        _continuity_witness(letter, connective),
    ]
    if kind == "implicator":
        witnesses.append(_full_truth_witness(values))
    broken = {}
    for number, witness in enumerate(witnesses, start=1):
        if witness is not None:
            broken[f"{kind[0]}{number}"] = witness
    return broken


def check_axioms(connective: Connective, kind: str, *, numbers: str = "1234") -> None:
    """Raise if a connective breaks an axiom with one of these numbers; "12" means c1 and c2.

    ``kind`` is "implicator" or "conjunctor".
    """
    for axiom, witness in violations(connective, kind=kind).items():
        if axiom[1] in numbers:
            raise InputError(f"{kind} must satisfy {axiom}; got {witness}")


def grid_values(
    connective: Connective, body: FloatArray, other: FloatArray, name: str = "connective"
) -> FloatArray:
    """Return the values of a connective at all pairs of degrees, in the shape (body, other).

    ``name`` is the argument's name in error messages.
    """
    bodies, others = (grid.ravel() for grid in np.meshgrid(body, other, indexing="ij"))
    return apply_connective(connective, bodies, others, name).reshape(body.size, other.size)


def step_aside(points: FloatArray, side: str) -> FloatArray:
    """Move the points a small step to the left or to the right, within [0, 1]."""
    if side == "left":
        moved = points - STEP
    else:
        moved = np.where(points == 0, TINY, points + STEP)
    return np.clip(moved, 0.0, 1.0)


# Each of these functions searches for a counterexample to one axiom and describes the first one, or
# returns None. `letter` is "I" for an implicator I(b, h) or "C" for a conjunctor C(b, r).


def _first_cell(is_broken: BoolArray) -> tuple[int, int] | None:
    """Return the row and the column of the first true cell of a grid, or None if there is none."""
    if not is_broken.any():
        return None
    row, column = np.argwhere(is_broken)[0].tolist()
    return row, column


def _value_text(letter: str, points: FloatArray, values: FloatArray, cell: tuple[int, int]) -> str:
    """Return the value at a cell of a grid of points as text: "I(0.5, 1) = 0.25"."""
    row, column = cell
    return f"{letter}({points[row]:.6g}, {points[column]:.6g}) = {values[cell]:.6g}"


def _corner_witness(letter: str, corners: FloatArray, classical: FloatArray) -> str | None:
    """Find a pair of 0 and 1 at which a connective differs from classical logic.

    ``corners`` holds the connective's values at these pairs and ``classical`` those of classical
    logic, both of shape (2, 2).
    """
    cell = _first_cell(corners != classical)
    if cell is None:
        return None
    return f"{_value_text(letter, UNIT, corners, cell)}, classically {classical[cell]:.0f}"


def _monotonicity_witness(letter: str, values: FloatArray) -> str | None:
    """Find two neighbouring points between which a connective moves the wrong way.

    ``values`` holds the values of the connective at all pairs of `POINTS`, which are ascending: the
    rows are b, the columns h or r. An implicator may not rise in b nor fall in h, and a conjunctor
    may not fall in b or r.
    """
    falls_in_other = np.diff(values, axis=1) < -TOLERANCE  # from each column to the next one
    change_in_b = np.diff(values, axis=0)  # from each row to the next one
    if letter == "I":
        wrong_moves = {"rises in b": change_in_b > TOLERANCE, "falls in h": falls_in_other}
    else:
        wrong_moves = {"falls in b": change_in_b < -TOLERANCE, "falls in r": falls_in_other}
    for wrong_move, is_wrong in wrong_moves.items():
        cell = _first_cell(is_wrong)
        if cell is not None:
            row, column = cell
            next_cell = (row, column + 1)
            if wrong_move.endswith("in b"):
                next_cell = (row + 1, column)
            here = _value_text(letter, POINTS, values, cell)
            there = _value_text(letter, POINTS, values, next_cell)
            return f"{wrong_move}: {here}, {there}"
    return None


def _continuity_witness(letter: str, connective: Connective) -> str | None:
    """Find a point at which a connective jumps.

    A conjunctor must be left-continuous in b, its first argument. An implicator must be
    right-continuous in h, its second one. So this function compares its values on a grid with the
    values a tiny step to the left or to the right.
    """
    # The degrees of this grid are multiples of a power of two, which floating point holds exactly.
    values = grid_values(connective, DYADIC, DYADIC)
    if letter == "C":
        limits = grid_values(connective, step_aside(DYADIC, "left"), DYADIC)
        approach = "approaching b from below"
    else:
        limits = grid_values(connective, DYADIC, step_aside(DYADIC, "right"))
        approach = "approaching h from above"
    cell = _first_cell(np.abs(values - limits) > MIN_JUMP)
    if cell is None:
        return None
    return f"{_value_text(letter, DYADIC, values, cell)}, but {limits[cell]:.6g} {approach}"


def _full_truth_witness(values: FloatArray) -> str | None:
    """Find a head below 1 that a body of 1 implies fully; ``values`` are those of I at `POINTS`."""
    cell = _first_cell((POINTS[:, np.newaxis] == 1) & (POINTS < 1) & (values >= 1))
    if cell is None:
        return None
    return _value_text("I", POINTS, values, cell)


# Residuation from implicators to conjunctors and back, and modus ponens ---------------------------


PAIRS = [
    (formulas.lukasiewicz, formulas.lukasiewicz_conjunctor),
    (formulas.goedel, formulas.goedel_conjunctor),
    (formulas.product, formulas.product_conjunctor),
    (formulas.kleene_dienes, formulas.kleene_dienes_conjunctor),
    (formulas.reichenbach, formulas.reichenbach_conjunctor),
    (formulas.rescher, formulas.rescher_conjunctor),
    (formulas.fodor, formulas.fodor_conjunctor),
]
"""The implicators of receval, each with its conjunctor in closed form."""

GAP = 1e-9  # smallest excess that isn't a rounding error
N_HALVINGS = 53  # halvings of [0, 1] down to the spacing of floats just below 1


def conjunctor(implicator: Connective) -> TruthFunction:
    r"""Return the conjunctor that belongs to an implicator by residuation.

    .. math:: C_I(b, r) = \inf \{ h : I(b, h) \ge r \}

    Parameters
    ----------
    implicator : callable
        An implicator of this module, or any function I(b, h) of two arrays.

    Returns
    -------
    callable
        C(b, r), a function of two arrays: the closed form for the implicators of this module. For
        any other I, it finds the infimum by bisection, to within :math:`2^{-53}` from above. If
        the infimum is a multiple of :math:`2^{-53}` and I is computed exactly, the result is
        exact.

    Raises
    ------
    InputError
        If the function breaks i1 or i2, which bisection requires.

    Notes
    -----
    If I satisfies i3, the infimum is reached, and C and I form a residuated pair: :math:`C_I(b, r)
    \le h` if and only if :math:`r \le I(b, h)`. Otherwise they do not, and `residuation_gaps` shows
    where the pair fails.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import goedel, goedel_conjunctor
    >>> conjunctor(goedel) is goedel_conjunctor
    True
    >>> yager = lambda b, h: h**b
    >>> conjunctor(yager)(0.5, [0.25, 0.5])
    array([0.0625, 0.25  ])
    """
    for one_implicator, its_conjunctor in PAIRS:
        if implicator is one_implicator:
            return its_conjunctor
    check_axioms(implicator, "implicator", numbers="12")

    def residuum(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
        """Return the least h with I(b, h) >= r; the axioms say that larger ones fulfil it, too."""
        body, rule = read_pair(b=b, r=r)

        def is_large_enough(head: FloatArray) -> BoolArray:
            return apply_connective(implicator, body, head, "implicator") >= rule

        return _bisect(is_large_enough, body.shape, doubtful_end=0.0, sure_end=1.0)[()]

    return residuum


def implicator(conjunctor: Connective) -> TruthFunction:
    r"""Return the implicator that belongs to a conjunctor by residuation.

    .. math:: I_C(b, h) = \sup \{ r : C(b, r) \le h \}

    Parameters
    ----------
    conjunctor : callable
        A conjunctor of this module, or any function C(b, r) of two arrays.

    Returns
    -------
    callable
        I(b, h), a function of two arrays: the closed form for the conjunctors of this module. For
        any other C, it finds the supremum by bisection, to within :math:`2^{-53}` from below. If
        the supremum is a multiple of :math:`2^{-53}` and C is computed exactly, the result is
        exact.

    Raises
    ------
    InputError
        If the function breaks c1 or c2, which bisection requires.

    Notes
    -----
    The supremum is reached if C is left-continuous in r. Axiom c3, as the document prints it, asks
    for left-continuity in b instead. A conjunctor that satisfies c3 but is not left-continuous in r
    has an implicator, but the two are not a residuated pair; `residuation_gaps` shows where the
    pair fails.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import product, product_conjunctor
    >>> implicator(product_conjunctor) is product
    True
    >>> implicator(np.minimum)([0.25, 0.75], 0.5)
    array([1. , 0.5])
    """
    for its_implicator, one_conjunctor in PAIRS:
        if conjunctor is one_conjunctor:
            return its_implicator
    check_axioms(conjunctor, "conjunctor", numbers="12")

    def residuum(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
        """Return the largest r with C(b, r) <= h; the axioms say that lower ones fulfil it, too."""
        body, head = read_pair(b=b, h=h)

        def is_small_enough(rule: FloatArray) -> BoolArray:
            return apply_connective(conjunctor, body, rule, "conjunctor") <= head

        return _bisect(is_small_enough, body.shape, doubtful_end=1.0, sure_end=0.0)[()]

    return residuum


def modus_ponens(b: npt.ArrayLike, r: npt.ArrayLike, conjunctor: Connective) -> FloatArray:
    r"""Conclude how true the head must be, from the truth of the body and of the rule.

    .. math:: \frac{(B, b), \; (H \leftarrow B, r)}{(H, \; C(b, r))}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1].
    conjunctor : callable
        The conjunctor of the implicator that gave the truth of the rule; see `conjunctor`.

    Returns
    -------
    ndarray of float
        The least truth that the head must have. If conjunctor and implicator are a residuated pair,
        this bound is sound: the head is never less true. No larger bound is sound. For other pairs,
        see `residuation_gaps`.

    Raises
    ------
    InputError
        If a value is outside [0, 1], or the function isn't near 0 for a body of 0, as no implicator
        is.

    References
    ----------
    Document 002, eq. 2.

    Examples
    --------
    >>> from receval.fuzzy import lukasiewicz_conjunctor
    >>> modus_ponens(0.75, 0.5, lukasiewicz_conjunctor)
    np.float64(0.25)
    """
    body, rule = read_pair(b=b, r=r)
    conclusion = apply_connective(conjunctor, body, rule, "conjunctor")
    false_body, rules = np.zeros(2), np.array([0.0, 1.0])
    without_body = apply_connective(conjunctor, false_body, rules, "conjunctor")
    rule_of_body = "be near 0 if the body is 0; an implicator is 1 there"
    check_that((without_body < 0.5).all(), "conjunctor", rule_of_body, without_body.tolist())
    return conclusion[()]


def residuation_gaps(conjunctor: Connective, implicator: Connective) -> dict[str, str]:
    r"""Find where modus ponens with this pair is unsound, or does not give the best bound.

    The pair is sound if :math:`r \le I(b, h)` implies :math:`C(b, r) \le h`: the conclusion is
    never too large. It is complete if :math:`C(b, r) \le h` implies :math:`r \le I(b, h)`: no
    larger C is sound. If both hold, C and I are a residuated pair.

    Parameters
    ----------
    conjunctor, implicator : callable
        C(b, r) and I(b, h), functions of two arrays.

    Returns
    -------
    dict
        Empty for a residuated pair. Otherwise, for each of the properties ``"sound"`` and
        ``"complete"`` that fails, the values at the place where it fails most, as text. The
        inequalities are tested on all triples of the points that `violations` uses.

    Raises
    ------
    InputError
        If one of the functions does not return values in [0, 1].

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import goedel_conjunctor, lukasiewicz, lukasiewicz_conjunctor
    >>> residuation_gaps(lukasiewicz_conjunctor, lukasiewicz)
    {}
    >>> print(residuation_gaps(goedel_conjunctor, lukasiewicz)["sound"])
    r = 0.5 <= I(b, h) at b = 0.5, h = 0, but C(b, r) = 0.5 > h
    """
    conclusion_values = grid_values(conjunctor, POINTS, POINTS, "conjunctor")  # C(b, r)
    implication_values = grid_values(implicator, POINTS, POINTS, "implicator")  # I(b, h)
    # All triples, with the axes b, r and h.
    b, r, h = np.meshgrid(POINTS, POINTS, POINTS, indexing="ij")
    c = np.broadcast_to(conclusion_values[:, :, np.newaxis], b.shape)
    i = np.broadcast_to(implication_values[:, np.newaxis, :], b.shape)
    # By how much does each triple break the inequality that the property requires? If the number is
    # 0 or negative, the triple doesn't break it.
    excess_by_property = {
        "sound": np.where(r <= i, c - h, 0.0),
        "complete": np.where(c <= h, r - i, 0.0),
    }
    gaps = {}
    for name, excess in excess_by_property.items():
        if excess.max() <= GAP:
            continue
        worst = np.unravel_index(excess.argmax(), excess.shape)
        place = f"b = {b[worst]:.6g}, h = {h[worst]:.6g}"
        rule, conclusion = f"r = {r[worst]:.6g}", f"C(b, r) = {c[worst]:.6g}"
        if name == "sound":
            gaps[name] = f"{rule} <= I(b, h) at {place}, but {conclusion} > h"
        else:
            implication = f"I(b, h) = {i[worst]:.6g}"
            gaps[name] = f"{conclusion} <= h at {place}, but {rule} > {implication}"
    return gaps


def _bisect(
    holds: Callable[[FloatArray], BoolArray],
    shape: tuple[int, ...],
    doubtful_end: float,
    sure_end: float,
) -> FloatArray:
    """Return the degree nearest to ``doubtful_end`` at which a condition holds.

    There is one degree for each entry of an array of this shape, exact to ``2**-N_HALVINGS``.
    ``holds`` takes an array of degrees. The condition holds from the degree we look for to
    ``sure_end``, one of the ends of [0, 1]. At the other end it may hold or not.
    """
    # In every step the condition holds at `inside`, and the degree is between `outside` and
    # `inside`. If the condition holds at the other end of [0, 1] too, that end is the degree.
    outside = np.full(shape, doubtful_end)
    inside = np.where(holds(outside), outside, sure_end)
    for _ in range(N_HALVINGS):
        middle = (outside + inside) / 2
        holds_there = holds(middle)
        outside = np.where(holds_there, outside, middle)
        inside = np.where(holds_there, middle, inside)
    return inside
