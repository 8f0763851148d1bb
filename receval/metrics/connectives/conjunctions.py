"""Conjunctors: how true the head must be, given the truth of the body and of the rule.

Each conjunctor is the residuum of the implicator with the same name, in closed form. The
Łukasiewicz, Gödel and product conjunctors are t-norms, and Fodor's is the nilpotent minimum. The
others are neither commutative nor associative, which document 002 allows. b is the truth of the
body and r that of the rule "body implies head"; arrays of both broadcast against each other.
"""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray
from receval.metrics.connectives.degrees import truth_function


@truth_function
def lukasiewicz_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    # Not b + r - 1: a sum above 1 would be rounded, because floats are coarser there.
    return np.maximum(0.0, b - (1.0 - r))


@truth_function
def goedel_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    return np.minimum(b, r)


@truth_function
def product_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    return b * r


@truth_function
def kleene_dienes_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    return np.where(r <= 1.0 - b, 0.0, r)


@truth_function
def reichenbach_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    numerator = b - (1.0 - r)  # b + r - 1, without a sum above 1, which would be rounded
    return np.divide(numerator, b, out=np.zeros(b.shape), where=numerator > 0)


@truth_function
def rescher_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    return np.where(r > 0, b, 0.0)


@truth_function
def fodor_conjunctor(b: FloatArray, r: FloatArray) -> FloatArray:
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
    return np.where(r <= 1.0 - b, 0.0, np.minimum(b, r))
