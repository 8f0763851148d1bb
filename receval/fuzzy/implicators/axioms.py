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

from receval._checks import BoolArray, FloatArray, InputError, check_choice, input_error
from receval.fuzzy.implicators.degrees import Connective, answer

TOLERANCE = 1e-12  # rounding error that is not a violation of monotonicity
MIN_JUMP = 1e-4  # smallest jump that is told from a steep slope
STEP = 2.0**-36  # to the side of a point; at 0, where powers are steep, the step is TINY
TINY = 1e-300


def fractions(*denominators: int) -> FloatArray:
    """Those in [0, 1], each once: as quotients that are rounded once, equal ones are equal bits."""
    return np.unique(np.concatenate([np.arange(n + 1) / n for n in denominators]))


POINTS = fractions(*range(1, 21), 32)
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
    unit = np.array([0.0, 1.0])
    corners = grid_values(connective, unit, unit)
    kind = _kind(corners) if kind is None else check_choice(kind, "kind", CLASSICAL)
    classical, values = CLASSICAL[kind], grid_values(connective, POINTS, POINTS)
    letter = kind[0].upper()
    corner = letter + "({0:.0f}, {1:.0f}) = {2:.6g}, classically {3:.0f}"
    found = [
        _first(corners != classical, unit, corner, corners, classical),
        _wrong_way(letter, values, axis=0) or _wrong_way(letter, values, axis=1),
        _jump(letter, connective),
    ]
    if letter == "I":
        too_true = (values >= 1) & np.outer(POINTS == 1, POINTS < 1)
        found.append(_first(too_true, POINTS, "I(1, {1:.6g}) = {2:.6g}", values))
    return {f"{letter.lower()}{1 + n}": one for n, one in enumerate(found) if one is not None}


def check_axioms(connective: Connective, kind: str, *, among: str = "1234") -> None:
    """Refuse a connective that breaks one of these axioms of its kind."""
    for axiom, witness in violations(connective, kind=kind).items():
        if axiom[1] in among:
            raise InputError(f"{kind} must satisfy {axiom}; got {witness}")


def scaling_violation(
    function: Callable[[FloatArray], Any], points: FloatArray, *, side: str
) -> str | None:
    """The first condition on f (``side="left"``) or g (``"right"``) that does not hold."""
    values = np.asarray(function(points), dtype=float)
    if values.shape != points.shape:
        return f"answer one number per value; got shape {values.shape} for {points.shape}"
    there = np.asarray(function(_beside(points, side)), dtype=float)
    value, where = "{1:.6g} at {0:.6g}", "below" if side == "left" else "above"
    fall = f"never fall; got {value}, {{4:.6g}} at {{3:.6g}}"
    jump = f"be {side}-continuous; got {value}, but {{2:.6g}} just {where} it"
    with np.errstate(invalid="ignore"):
        conditions = {
            f"stay in [0, 1]; got {value}": ~((values >= 0) & (values <= 1)),
            "be 0 at 0; got {1:.6g}": (points == 0) & (values > TOLERANCE),
            "be 1 at 1; got {1:.6g}": (points == 1) & (values < 1 - TOLERANCE),
            fall: np.diff(values, append=np.inf) < -TOLERANCE,
            jump: np.abs(there - values) > MIN_JUMP,
            f"be below 1 before 1; got {value}": (side == "right") & (values >= 1) & (points < 1),
        }
    told = points, values, there, np.roll(points, -1), np.roll(values, -1)
    for rule, wrong in conditions.items():
        for at in np.flatnonzero(wrong)[:1]:
            return rule.format(*(part[at] for part in told))
    return None


def _kind(corners: FloatArray) -> str:
    agree = {kind: int((corners == table).sum()) for kind, table in CLASSICAL.items()}
    if agree["implicator"] == agree["conjunctor"]:
        rule = "be given for this connective, 'implicator' or 'conjunctor'"
        got = f"corners {corners.tolist()}, as near to the one as to the other"
        raise input_error("kind", rule, got)
    return max(agree, key=lambda kind: agree[kind])


def grid_values(
    connective: Connective, body: FloatArray, other: FloatArray, name: str = "connective"
) -> FloatArray:
    """Truth at every pair of two rows of degrees."""
    b, x = (grid.ravel() for grid in np.meshgrid(body, other, indexing="ij"))
    return answer(connective, b, x, name).reshape(body.size, other.size)


def _beside(points: FloatArray, side: str) -> FloatArray:
    """Points a step to the left, or to the right."""
    beside = points - STEP if side == "left" else np.where(points == 0, TINY, points + STEP)
    return np.clip(beside, 0.0, 1.0)


def _first(wrong: BoolArray, points: FloatArray, text: str, *told: FloatArray) -> Witness | None:
    """The first wrong place of a grid; its two degrees and what is told there make the text."""
    for i, j in np.argwhere(wrong)[:1].tolist():
        at = float(points[i]), float(points[j])
        return Witness(at, text.format(*at, *(part[i, j] for part in told)))
    return None


def _wrong_way(letter: str, values: FloatArray, *, axis: int) -> Witness | None:
    """The first fall (or rise) between neighbouring points along an axis."""
    change = np.diff(values, axis=axis)
    how = {"I": ("rises in b", "falls in h"), "C": ("falls in b", "falls in r")}[letter][axis]
    text = f"{how}: {letter}({{0:.6g}}, {{1:.6g}}) = {{2:.6g}}, "
    text += f"{letter}({{3:.6g}}, {{4:.6g}}) = {{5:.6g}}"
    grids = (*np.meshgrid(POINTS, POINTS, indexing="ij"), values)
    beside = (np.roll(grid, -1, axis) for grid in grids)
    wrong = change > TOLERANCE if how == "rises in b" else change < -TOLERANCE
    return _first(wrong, POINTS, text, values, *beside)


def _jump(letter: str, connective: Connective) -> Witness | None:
    """The first jump: of C as b comes from the left, of I as h comes from the right."""
    beside, how = (DYADIC, _beside(DYADIC, "right")), "approaching h from above"
    if letter == "C":
        beside, how = (_beside(DYADIC, "left"), DYADIC), "approaching b from below"
    values, limits = (grid_values(connective, *axes) for axes in ((DYADIC, DYADIC), beside))
    text = f"{letter}({{0:.6g}}, {{1:.6g}}) = {{2:.6g}}, but {{3:.6g}} {how}"
    return _first(np.abs(values - limits) > MIN_JUMP, DYADIC, text, values, limits)
