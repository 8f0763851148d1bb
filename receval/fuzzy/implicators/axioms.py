"""Do the conditions hold that document 002 asks of implicators, conjunctors and scalings?

Monotonicity is tried on the fractions in [0, 1] with denominators up to 20 and the multiples of
1/32. Continuity is tried by a step to the side of the multiples of 1/64: these are exact in
floating point, so that a jump at b + r = 1 is where it should be and not a rounding error off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray, InputError, check_choice
from receval.fuzzy.implicators.degrees import Connective, answer

SLACK = 1e-12  # rounding error that is not a violation of monotonicity
JUMP = 1e-4  # smallest jump that is told from a steep slope
STEP = 2.0**-36  # to the side of a point; at 0, where powers are steep, the step is TINY
TINY = 1e-300

POINTS: FloatArray = np.unique(
    np.concatenate([np.arange(n + 1) / n for n in (*range(1, 21), 32)])
)  # all fractions are quotients, rounded once: equal ones are equal bits
DYADIC: FloatArray = np.arange(65) / 64


@dataclass(frozen=True)
class Witness:
    """Where a condition is broken.

    Attributes
    ----------
    at : tuple of float
        The arguments at which it is.
    text : str
        What happens there, in words.
    """

    at: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text


CLASSICAL = {  # rows b = 0, 1; columns h or r = 0, 1
    "implicator": np.array([[1.0, 1.0], [0.0, 1.0]]),
    "conjunctor": np.array([[0.0, 0.0], [0.0, 1.0]]),
}


def violations(connective: Connective, *, kind: str | None = None) -> dict[str, Witness]:
    r"""The axioms that a connective breaks, each with a witness.

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
        What it should be. Default: the one whose classical corners it has more of.

    Returns
    -------
    dict
        Axiom to `Witness`; empty where nothing is broken. The order is that of the table.

    Raises
    ------
    InputError
        If it does not answer one value in [0, 1] per pair, or has as many corners of the one
        kind as of the other and ``kind`` is not given.

    Notes
    -----
    This is a search for counterexamples, not a proof. Corners and monotonicity are tried at all
    pairs of fractions with denominators up to 20 and multiples of 1/32; continuity at the
    multiples of 1/64, where a change by more than 0.0001 within :math:`2^{-36}` is a jump.

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
    corners = _grid_values(connective, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    kind = _kind(corners) if kind is None else check_choice(kind, "kind", CLASSICAL)
    values = _grid_values(connective, POINTS, POINTS)
    if kind == "conjunctor":
        found = {
            "c1": _corner("C", corners, CLASSICAL[kind]),
            "c2": _falls("C", values, axis=0) or _falls("C", values, axis=1),
            "c3": _jump("C", connective),
        }
    else:
        found = {
            "i1": _corner("I", corners, CLASSICAL[kind]),
            "i2": _falls("I", values, axis=0, rises=True) or _falls("I", values, axis=1),
            "i3": _jump("I", connective),
            "i4": _too_true(values),
        }
    return {axiom: witness for axiom, witness in found.items() if witness is not None}


def scaling_violation(
    function: Callable[[FloatArray], Any], points: FloatArray, *, side: str
) -> str | None:
    """The first condition on f (``side="left"``) or g (``"right"``) that does not hold."""
    values = np.asarray(function(points), dtype=float)
    if values.shape != points.shape:
        return f"answer one number per value; got shape {values.shape} for {points.shape}"
    outside = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if outside.size:
        return f"stay in [0, 1]; got {_value(points, values, outside[0])}"
    for end, at in ((0.0, 0), (1.0, -1)):
        if abs(values[at] - end) > SLACK:
            return f"be {end:g} at {end:g}; got {values[at]:.6g}"
    falls = np.flatnonzero(np.diff(values) < -SLACK)
    if falls.size:
        both = (_value(points, values, at) for at in (falls[0], falls[0] + 1))
        return f"never fall; got {', '.join(both)}"
    inner = slice(1, None) if side == "left" else slice(None, -1)
    there = np.asarray(function(_beside(points[inner], side)), dtype=float)
    jumps = np.flatnonzero(np.abs(there - values[inner]) > JUMP)
    if jumps.size:
        at = jumps[0]
        value = _value(points[inner], values[inner], at)
        return f"be {side}-continuous; got {value}, but {there[at]:.6g} just {_NEXT[side]} it"
    whole = np.flatnonzero(values[:-1] >= 1)
    if side == "right" and whole.size:
        return f"be below 1 before 1; got {_value(points, values, whole[0])}"
    return None


_NEXT = {"left": "below", "right": "above"}


def _kind(corners: FloatArray) -> str:
    agree = {kind: int((corners == table).sum()) for kind, table in CLASSICAL.items()}
    if agree["implicator"] == agree["conjunctor"]:
        raise InputError(
            "kind must be given for this connective, 'implicator' or 'conjunctor'; got corners "
            f"{corners.tolist()}, as near to the one as to the other"
        )
    return max(agree, key=lambda kind: agree[kind])


def _grid_values(connective: Connective, body: FloatArray, other: FloatArray) -> FloatArray:
    b, x = (grid.ravel() for grid in np.meshgrid(body, other, indexing="ij"))
    return answer(connective, b, x, "connective").reshape(body.size, other.size)


def _beside(points: FloatArray, side: str) -> FloatArray:
    """Points a step to the left, or to the right."""
    return points - STEP if side == "left" else np.where(points == 0, TINY, points + STEP)


def _value(points: FloatArray, values: FloatArray, at: int) -> str:
    return f"{values[at]:.6g} at {points[at]:.6g}"


def _corner(letter: str, corners: FloatArray, classical: FloatArray) -> Witness | None:
    wrong = np.argwhere(corners != classical)
    if not len(wrong):
        return None
    b, x = wrong[0].tolist()
    text = f"{letter}({b}, {x}) = {corners[b, x]:.6g}, classically {classical[b, x]:.0f}"
    return Witness((float(b), float(x)), text)


def _falls(letter: str, values: FloatArray, *, axis: int, rises: bool = False) -> Witness | None:
    """The first fall (or rise) between neighbouring points along an axis."""
    change = np.diff(values, axis=axis)
    wrong = np.argwhere(change > SLACK if rises else change < -SLACK)
    if not len(wrong):
        return None
    here = tuple(wrong[0].tolist())
    there = (here[0] + 1, here[1]) if axis == 0 else (here[0], here[1] + 1)
    name = "b" if axis == 0 else ("h" if letter == "I" else "r")
    text = f"{'rises' if rises else 'falls'} in {name}: " + ", ".join(
        f"{letter}({POINTS[i]:.6g}, {POINTS[j]:.6g}) = {values[i, j]:.6g}" for i, j in (here, there)
    )
    return Witness((float(POINTS[here[0]]), float(POINTS[here[1]])), text)


def _jump(letter: str, connective: Connective) -> Witness | None:
    """The first jump: of C as b comes from the left, of I as h comes from the right."""
    body, other, how = DYADIC, DYADIC[:-1], "approaching h from above"
    beside = body, _beside(other, "right")
    if letter == "C":
        body, other, how = DYADIC[1:], DYADIC, "approaching b from below"
        beside = _beside(body, "left"), other
    values, limits = (_grid_values(connective, *points) for points in ((body, other), beside))
    wrong = np.argwhere(np.abs(values - limits) > JUMP)
    if not len(wrong):
        return None
    i, j = wrong[0].tolist()
    b, x = float(body[i]), float(other[j])
    text = f"{letter}({b:.6g}, {x:.6g}) = {values[i, j]:.6g}, but {limits[i, j]:.6g} {how}"
    return Witness((b, x), text)


def _too_true(values: FloatArray) -> Witness | None:
    wrong = np.flatnonzero(values[-1, :-1] >= 1)
    if not wrong.size:
        return None
    h = float(POINTS[wrong[0]])
    return Witness((1.0, h), f"I(1, {h:.6g}) = {values[-1, wrong[0]]:.6g}")
