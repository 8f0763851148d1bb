r"""The connectives: implicators, conjunctors and disjunctors, each by its formula.

An *implicator* says how true "body implies head" is, given how true body (b) and head (h) are. A
*conjunctor* C says how true the head must be, given the truth of the body (b) and of the rule (r).
Each conjunctor is the residuum of the implicator with the same name, in closed form. The
Łukasiewicz, Gödel and product conjunctors are t-norms, and Fodor's is the nilpotent minimum. The
others are neither commutative nor associative, which document 002 allows. A *disjunctor* says how
true "a or b" is; it is the dual of the conjunctor C with the same name:

.. math:: S(a, b) = 1 - C(1 - a,\; 1 - b)

Disjunctors are commutative and associative, so you can combine any number of degrees in any order.
All arguments are degrees in [0, 1]: numbers, or arrays that broadcast against each other. Where
NumPy returns an array without axes for two numbers, ``[()]`` makes it a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import broadcast_leading_axes, check_any_shape, check_same_labels
from receval._checks import (
    FloatArray,
    InputError,
    check_callable,
    check_none,
    check_shape,
    input_error,
)

# Degrees of truth, and the checks that all connectives share --------------------------------------


Connective: TypeAlias = Callable[[FloatArray, FloatArray], npt.ArrayLike]
"""A function of two arrays of degrees: (b, h) for an implicator, (b, r) for a conjunctor."""


TruthFunction: TypeAlias = Callable[..., FloatArray]
"""A function of two arguments, each a degree or an array of degrees."""


def as_truth(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return numbers as an array of degrees; raise if one is outside [0, 1] or NaN."""
    degrees = np.asarray(check_any_shape(values, name))
    check_none(degrees, ~((degrees >= 0) & (degrees <= 1)), name, "be in [0, 1]")
    return degrees


def read_pair(**operands: npt.ArrayLike) -> list[FloatArray]:
    """Return two operands, passed under their names, as degrees, broadcast to the same shape."""
    check_same_labels(**operands)
    degrees = [as_truth(values, name) for name, values in operands.items()]
    shape = broadcast_leading_axes(" ".join(operands), *(array.shape for array in degrees))
    return [np.broadcast_to(array, shape) for array in degrees]


def apply_connective(
    connective: Connective, body: FloatArray, other: FloatArray, name: str
) -> FloatArray:
    """Call a connective that the user may have written, and check what it returns.

    ``body`` and ``other`` hold the operands of each pair and have the same shape. Returns one
    degree of truth per pair. Raises if the connective fails, or if it returns a wrong shape or
    values outside [0, 1]; ``name`` is the connective's name in the message.
    """
    check_callable(connective, name, "lukasiewicz")
    try:
        value = np.asarray(connective(body, other), dtype=float)
    except InputError:
        raise  # a connective of receval explains its errors itself
    except (TypeError, ValueError) as error:
        raise input_error(
            name,
            "take two arrays and return one number per pair",
            error,
            "numpy.vectorize turns a function of numbers into a function of arrays",
        ) from error
    check_shape(value, body.shape, f"value of {name}")
    check_none(value, ~((value >= 0) & (value <= 1)), f"value of {name}", "be in [0, 1]")
    return value


# Implicators --------------------------------------------------------------------------------------


def lukasiewicz(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Łukasiewicz implicator.

    .. math:: I(b, h) = \min(1,\; 1 - b + h)

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1]; 1 wherever b is at most h.

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Document 002, eq. 3; Hájek (1998), Metamathematics of Fuzzy Logic, section 2.1.

    Examples
    --------
    The body is the weight of place 6, the head is 0 (no response); document 002 prints 0.644:

    >>> print(f"{lukasiewicz(1 / np.log2(7), 0):.3f}")
    0.644
    """
    b, h = read_pair(b=b, h=h)
    return np.minimum(1.0, 1.0 - b + h)


def goedel(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Gödel implicator: 1 if the head is at least as true as the body, else the head.

    .. math:: I(b, h) = \begin{cases} 1 & b \le h \\ h & b > h \end{cases}

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Document 002, section V-C; Hájek (1998), section 2.1.

    Examples
    --------
    >>> goedel([0.2, 0.5, 0.9], 0.5)
    array([1. , 1. , 0.5])
    """
    b, h = read_pair(b=b, h=h)
    return np.where(b <= h, 1.0, h)[()]


def product(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Product (Goguen) implicator: the share of the body that the head reaches.

    .. math:: I(b, h) = \begin{cases} 1 & b \le h \\ h / b & b > h \end{cases}

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1]; 1 at b = 0, where the rule claims nothing.

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Document 002, section V-C; Goguen (1969), Synthese 19.

    Examples
    --------
    >>> product([0.2, 0.5, 0.8, 0.0], [0.4, 0.5, 0.4, 0.0])
    array([1. , 1. , 0.5, 1. ])
    """
    b, h = read_pair(b=b, h=h)
    return np.divide(h, b, out=np.ones(b.shape), where=b > h)[()]


def kleene_dienes(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Kleene–Dienes implicator: "not body, or head".

    .. math:: I(b, h) = \max(1 - b,\; h)

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1]; I(b, b) is below 1 if 0 < b < 1.

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Baczyński and Jayaram (2008), Fuzzy Implications, table 1.3.

    Examples
    --------
    >>> kleene_dienes([0.25, 0.5], 0.5)
    array([0.75, 0.5 ])
    """
    b, h = read_pair(b=b, h=h)
    return np.maximum(1.0 - b, h)


def reichenbach(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Reichenbach implicator: "not body, or head" with the probabilistic sum.

    .. math:: I(b, h) = 1 - b + b h

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1]; I(b, b) is below 1 if 0 < b < 1.

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Baczyński and Jayaram (2008), Fuzzy Implications, table 1.3.

    Examples
    --------
    >>> reichenbach([0.5, 1.0], 0.5)
    array([0.75, 0.5 ])
    """
    b, h = read_pair(b=b, h=h)
    # The same as 1 - b + bh, but exactly 1 at h = 1 and monotone under rounding.
    return 1.0 - b * (1.0 - h)


def rescher(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Rescher implicator: all or nothing.

    .. math:: I(b, h) = \begin{cases} 1 & b \le h \\ 0 & b > h \end{cases}

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Baczyński and Jayaram (2008), Fuzzy Implications, table 1.3.

    Examples
    --------
    >>> rescher([0.5, 0.75], 0.5)
    array([1., 0.])
    """
    b, h = read_pair(b=b, h=h)
    return np.where(b <= h, 1.0, 0.0)[()]


def fodor(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
    r"""Fodor implicator: Kleene–Dienes, but 1 where the head is at least as true as the body.

    .. math:: I(b, h) = \begin{cases} 1 & b \le h \\ \max(1 - b,\; h) & b > h \end{cases}

    Parameters
    ----------
    b, h : array_like
        Truth of the body and of the head, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth of the implication, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Fodor (1995), Fuzzy Sets and Systems 69; Baczyński and Jayaram (2008), table 1.3.

    Examples
    --------
    >>> fodor([0.5, 0.75], [0.5, 0.0])
    array([1.  , 0.25])
    """
    b, h = read_pair(b=b, h=h)
    return np.where(b <= h, 1.0, np.maximum(1.0 - b, h))[()]


# Conjunctors --------------------------------------------------------------------------------------


def lukasiewicz_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Łukasiewicz conjunctor (bounded difference).

    .. math:: C(b, r) = \max(0,\; b + r - 1)

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1].

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    Document 002, section II-B, eq. 2.

    Examples
    --------
    >>> lukasiewicz_conjunctor(0.75, [0.25, 0.5, 1.0])
    array([0.  , 0.25, 0.75])
    """
    b, r = read_pair(b=b, r=r)
    # Not b + r - 1: a sum above 1 would be rounded, because floats are coarser there.
    return np.maximum(0.0, b - (1.0 - r))


def goedel_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Gödel conjunctor, the minimum.

    .. math:: C(b, r) = \min(b, r)

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> goedel_conjunctor(0.75, [0.25, 1.0])
    array([0.25, 0.75])
    """
    b, r = read_pair(b=b, r=r)
    return np.minimum(b, r)


def product_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Product conjunctor.

    .. math:: C(b, r) = b \, r

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> product_conjunctor(0.5, [0.5, 1.0])
    array([0.25, 0.5 ])
    """
    b, r = read_pair(b=b, r=r)
    return b * r


def kleene_dienes_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Conjunctor of the Kleene–Dienes implicator, by residuation.

    .. math:: C(b, r) = \begin{cases} 0 & r \le 1 - b \\ r & r > 1 - b \end{cases}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> kleene_dienes_conjunctor(0.5, [0.5, 0.75])
    array([0.  , 0.75])
    """
    b, r = read_pair(b=b, r=r)
    return np.where(r <= 1.0 - b, 0.0, r)[()]


def reichenbach_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Conjunctor of the Reichenbach implicator, by residuation.

    .. math:: C(b, r) = \begin{cases} 0 & r \le 1 - b \\ (r - 1 + b) / b & r > 1 - b \end{cases}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1]; 0 at b = 0.

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> reichenbach_conjunctor([0.5, 0.0], [0.75, 1.0])
    array([0.5, 0. ])
    """
    b, r = read_pair(b=b, r=r)
    numerator = b - (1.0 - r)  # b + r - 1, without a sum above 1, which would be rounded
    return np.divide(numerator, b, out=np.zeros(b.shape), where=numerator > 0)[()]


def rescher_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Conjunctor of the Rescher implicator: the body, if the rule is true to any degree.

    .. math:: C(b, r) = \begin{cases} 0 & r = 0 \\ b & r > 0 \end{cases}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> rescher_conjunctor(0.75, [0.0, 0.25])
    array([0.  , 0.75])
    """
    b, r = read_pair(b=b, r=r)
    return np.where(r > 0, b, 0.0)[()]


def fodor_conjunctor(b: npt.ArrayLike, r: npt.ArrayLike) -> FloatArray:
    r"""Conjunctor of the Fodor implicator, by residuation: the nilpotent minimum.

    .. math:: C(b, r) = \begin{cases} 0 & b + r \le 1 \\ \min(b, r) & b + r > 1 \end{cases}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        Truth that is guaranteed for the head, in [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    Examples
    --------
    >>> fodor_conjunctor(0.75, [0.25, 0.5])
    array([0. , 0.5])
    """
    b, r = read_pair(b=b, r=r)
    return np.where(r <= 1.0 - b, 0.0, np.minimum(b, r))[()]


# Disjunctors --------------------------------------------------------------------------------------


def goedel_disjunctor(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    r"""Gödel disjunctor, the maximum.

    .. math:: S(a, b) = \max(a, b)

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> goedel_disjunctor(0.75, [0.25, 1.0])
    array([0.75, 1.  ])
    """
    a, b = read_pair(a=a, b=b)
    return np.maximum(a, b)


def product_disjunctor(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    r"""Product disjunctor, the probabilistic sum.

    .. math:: S(a, b) = a + b - a \, b

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> product_disjunctor(0.5, [0.0, 0.5, 1.0])
    array([0.5 , 0.75, 1.  ])
    """
    a, b = read_pair(a=a, b=b)
    # This form never rounds to a value above 1.
    return a + b * (1.0 - a)


def lukasiewicz_disjunctor(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    r"""Łukasiewicz disjunctor, the bounded sum.

    .. math:: S(a, b) = \min(1,\; a + b)

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> lukasiewicz_disjunctor(0.75, [0.0, 0.25, 0.5])
    array([0.75, 1.  , 1.  ])
    """
    a, b = read_pair(a=a, b=b)
    return np.minimum(1.0, a + b)
