"""Implicators: how true "body implies head" is, given how true body and head are.

Body and head are degrees in [0, 1]: numbers, or arrays that broadcast against each other. The body
is the assumption, the head the conclusion.
"""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray
from receval.metrics.connectives.degrees import truth_function


@truth_function
def lukasiewicz(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.minimum(1.0, 1.0 - b + h)


@truth_function
def goedel(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.where(b <= h, 1.0, h)


@truth_function
def product(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.divide(h, b, out=np.ones(b.shape), where=b > h)


goguen = product


@truth_function
def kleene_dienes(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.maximum(1.0 - b, h)


@truth_function
def reichenbach(b: FloatArray, h: FloatArray) -> FloatArray:
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
    # The same as 1 - b + bh, but exactly 1 at h = 1 and monotone under rounding.
    return 1.0 - b * (1.0 - h)


@truth_function
def rescher(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.where(b <= h, 1.0, 0.0)


@truth_function
def fodor(b: FloatArray, h: FloatArray) -> FloatArray:
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
    return np.where(b <= h, 1.0, np.maximum(1.0 - b, h))
