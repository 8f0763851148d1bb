"""Situations with fuzzy acceptability, reductions of a real one to a model, and quantifiers.

A *situation* is a set of challenges, a set of responses, and how acceptable each response is for
each challenge. A *reduction* maps real challenges to challenges of the model, and the model's
responses back to real ones. It holds to the degree to which "acceptable in the model" implies
"acceptable in reality".

*Implicational quantifiers* judge "body, therefore head" by four counts of objects:

============== ========= ==============
..             head true head false
============== ========= ==============
**body true**  a         b
**body false** c         d
============== ========= ==============

Such a quantifier depends on a and b only: more objects that confirm the implication (a) or fewer
that contradict it (b) never make it false (Hájek and Havránek). The document interprets these
quantifiers as aggregations of the implication over all objects (section IV-B).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_counts, as_numbers, divide_or_nan
from receval._checks import (
    Id,
    as_ids,
    check_none,
    check_not_empty,
    check_number,
    check_shape,
    check_that,
    format_first,
    input_error,
)
from receval._table import WorkingTable
from receval.metrics.connectives.formulas import Connective, apply_connective, read_pair

IdMap: TypeAlias = Mapping[Id, Hashable] | None
"""A map between challenges or responses, or None for the identity."""


class Situation:
    r"""Challenges, responses and a fuzzy acceptability relation, :math:`S = (C, R, A)`.

    Parameters
    ----------
    challenges, responses : iterable of hashable
        C and R, each without repetition.
    acceptability : callable or array_like
        A(c, r), in [0, 1], of shape (challenges, responses). NaN means that the relation doesn't
        contain the pair. Pass a frame to `from_table`.

    Attributes
    ----------
    table : DataFrame
        Acceptability, challenges in rows, responses in columns.

    Raises
    ------
    InputError
        If there is no challenge or no response, one occurs twice, or an acceptability is outside
        [0, 1].

    References
    ----------
    Document 002, section II-A.

    Examples
    --------
    >>> click = Situation(["o1", "o2"], ["click", "no click"], [[1, 0], [0, 1]])
    >>> click.table.loc["o2", "no click"]
    np.float64(1.0)
    """

    def __init__(
        self,
        challenges: Iterable[Hashable],
        responses: Iterable[Hashable],
        acceptability: npt.ArrayLike,
    ) -> None:
        rows = _distinct(challenges, "challenge")
        columns = _distinct(responses, "response")
        is_frame = isinstance(acceptability, pd.DataFrame)
        check_that(not is_frame, "acceptability", "be passed to Situation.from_table", "a frame")
        degrees = as_numbers(acceptability, "acceptability")
        check_shape(degrees, (len(rows), len(columns)), "acceptability")
        check_none(degrees, (degrees < 0) | (degrees > 1), "acceptability", "be in [0, 1], or NaN")
        self.table = pd.DataFrame(degrees.copy(), rows, columns)

    @classmethod
    def from_table(cls, table: pd.DataFrame) -> Situation:
        """Build a situation from a frame with challenges as index and responses as columns.

        Examples
        --------
        >>> unit = pd.DataFrame({"AUC": [0.6, 0.8]}, index=["word2vec", "cosine"])
        >>> Situation.from_table(unit).table.index.tolist()
        ['word2vec', 'cosine']
        """
        return cls(table.index, table.columns, table.to_numpy())

    def __repr__(self) -> str:
        """Return the table of acceptability."""
        return repr(self.table)


class Reduction:
    r"""A reduction of a real situation to a model, and the degree to which it holds.

    For every real challenge c and every response r of the model:

    .. math:: A_{mo}(f^-(c), r) \longrightarrow A_{re}(c, f^+(r))

    Parameters
    ----------
    real, model : Situation
        The situation to solve, and the one in which responses are available.
    challenge_map : mapping, optional
        :math:`f^-`, from real challenges to the model's. Default: the identity.
    response_map : mapping, optional
        :math:`f^+`, from the model's responses to real ones. Default: the identity.

    Raises
    ------
    InputError
        If a map returns a challenge or response that its target doesn't have, or if a map has no
        entry for a challenge or response.

    References
    ----------
    Document 002, eq. 1.

    Examples
    --------
    Two objects at places 1 and 2; only the second was clicked:

    >>> from receval.fuzzy import goedel
    >>> model = Situation(["o1", "o2"], ["shown"], [[1.0], [0.63]])
    >>> real = Situation(["o1", "o2"], ["shown"], [[0], [1]])
    >>> reduction = Reduction(real, model)
    >>> reduction.degree(goedel)
    0.5
    """

    def __init__(
        self,
        real: Situation,
        model: Situation,
        challenge_map: IdMap = None,
        response_map: IdMap = None,
    ) -> None:
        for name, situation in {"real": real, "model": model}.items():
            check_that(isinstance(situation, Situation), name, "be a Situation", situation)
        self.real = real
        self.model = model
        challenges, responses = real.table.index, model.table.columns
        self._challenge_map, rows = _follow(
            challenge_map, challenges, model.table.index, "challenge_map"
        )
        self._response_map, columns = _follow(
            response_map, responses, real.table.columns, "response_map"
        )
        # Body ("the model accepts it") and head ("it is acceptable in reality") of the
        # implications. Both have a row per real challenge and a column per response of the model.
        self._body = model.table.to_numpy()[rows]
        self._head = real.table.to_numpy()[:, columns]
        self._is_defined = ~(np.isnan(self._body) | np.isnan(self._head))

    def maps(self) -> tuple[dict[Hashable, Hashable], dict[Hashable, Hashable]]:
        """Return the two maps as dicts.

        Returns
        -------
        challenge_map, response_map : dict
            :math:`f^-`, from each real challenge to the model's, and :math:`f^+`, from each
            response of the model to a real one.
        """
        return dict(self._challenge_map), dict(self._response_map)

    def implications(self, implicator: Connective) -> pd.DataFrame:
        """Compute the truth of the implication for each real challenge and model response.

        Parameters
        ----------
        implicator : callable
            I(b, h), such as `goedel`, or a `scaled` one.

        Returns
        -------
        DataFrame
            Real challenges in rows, model responses in columns, values in [0, 1]; NaN if one of
            the relations doesn't contain the pair. If the model is off-line evaluation and reality
            is on-line, the responses are off-line metrics, and the means of the columns are a
            column of the implication matrix.
        """
        truth = np.full(self._body.shape, np.nan)
        body, head = self._body[self._is_defined], self._head[self._is_defined]
        truth[self._is_defined] = apply_connective(implicator, body, head, "implicator")
        return pd.DataFrame(truth, self.real.table.index, self.model.table.columns)

    def table(self, implicator: Connective) -> pd.DataFrame:
        """List the working with an implicator I(b, h): one row per real challenge and response.

        Returns
        -------
        DataFrame
            Columns ``challenge`` and ``model challenge`` (:math:`f^-` of it), ``response`` (of
            the model) and ``real response`` (:math:`f^+` of it), ``model`` and ``real`` (the
            two acceptabilities) and ``implication``. Pairs that a relation doesn't contain are
            left out; they are NaN in `implications`.
        """
        labels = ["challenge", "model challenge", "response", "real response"]
        pairs = product(self._challenge_map.items(), self._response_map.items())
        rows = [(*challenges, *responses) for challenges, responses in pairs]
        table = pd.DataFrame(rows, columns=labels)
        # ravel puts the rows one after the other, so the degrees are in the order of the pairs.
        truth = np.ravel(self.implications(implicator))
        table = table.assign(model=self._body.ravel(), real=self._head.ravel(), implication=truth)
        return WorkingTable(table.dropna(subset="implication", ignore_index=True))

    def degree(self, implicator: Connective) -> float:
        """Compute the degree to which the reduction holds.

        Equation 1 says "for all". Like the document's results, the degree is the mean over all
        pairs. For another reading, such as the strict minimum, take `implications`.

        Parameters
        ----------
        implicator : callable
            I(b, h).

        Returns
        -------
        float
            In [0, 1]; NaN if no pair is in both relations.
        """
        truth = pd.Series(np.ravel(self.implications(implicator)))
        return float(truth.mean())


def _distinct(values: Iterable[Hashable], name: str) -> pd.Index:
    """Return ids as an index with this name; raise if there is none, or one occurs twice."""
    ids: list[Hashable] = as_ids(values, f"{name}s", "be a collection")
    check_not_empty(ids, f"{name}s", "not be empty")
    return pd.Index(ids, name=name, tupleize_cols=False)


def _follow(
    mapping: IdMap, ids: pd.Index, target: pd.Index, name: str
) -> tuple[dict[Hashable, Hashable], list[int]]:
    """Return what a map assigns to each id, and the position of that in the target.

    None maps each id to itself. Raises unless the map has an entry for each id that leads into the
    target; ``name`` is the argument that the error is about.
    """
    labels = ids.tolist()
    if mapping is None:
        mapping = dict(zip(labels, labels, strict=True))
    check_that(isinstance(mapping, Mapping), name, "be a mapping", mapping)
    unmapped = [repr(label) for label in labels if label not in mapping]
    if unmapped:
        raise input_error(name, "be defined everywhere", f"no entry for {format_first(unmapped)}")
    assigned = {label: mapping[label] for label in labels}
    position_by_label = {label: position for position, label in enumerate(target.tolist())}
    outside = [
        repr(label)
        for label in assigned.values()
        if not isinstance(label, Hashable) or label not in position_by_label
    ]
    if outside:
        rule = f"lead to a {target.name} of the other situation"
        raise input_error(name, rule, format_first(outside))
    return assigned, [position_by_label[label] for label in assigned.values()]


class FourfoldTable(NamedTuple):
    """Counts of objects, by whether their body and their head are true.

    Attributes
    ----------
    a : body and head are true.
    b : only the body is true.
    c : only the head is true.
    d : neither is true.
    """

    a: int
    b: int
    c: int
    d: int


class Quantifier(NamedTuple):
    """The result of an implicational quantifier.

    Attributes
    ----------
    holds : whether the implication holds with the probability ``p``.
    degree : the largest ``p`` with which it holds, in [0, 1]; NaN if no body is true.
    """

    holds: bool
    degree: float


def fourfold_table(body: npt.ArrayLike, head: npt.ArrayLike) -> FourfoldTable:
    """Count objects by whether the degrees of their body and head are at least 0.5.

    Parameters
    ----------
    body, head : array_like
        Degrees of truth in [0, 1], of the same shape. For a reduction, pass the columns ``model``
        and ``real`` of `Reduction.table`.

    Returns
    -------
    FourfoldTable

    Raises
    ------
    InputError
        If a degree is missing or outside [0, 1], or the shapes don't fit.

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation. Document 002, section IV-B.

    Examples
    --------
    >>> fourfold_table([1.0, 0.6, 0.4, 0.9], [1, 0, 1, 1])
    FourfoldTable(a=2, b=1, c=1, d=0)
    """
    body_degrees, head_degrees = read_pair(body=body, head=head)
    is_body_true = body_degrees >= 0.5
    is_head_true = head_degrees >= 0.5
    return FourfoldTable(
        a=int((is_body_true & is_head_true).sum()),
        b=int((is_body_true & ~is_head_true).sum()),
        c=int((~is_body_true & is_head_true).sum()),
        d=int((~is_body_true & ~is_head_true).sum()),
    )


def founded_implication(table: FourfoldTable, *, p: float = 0.9) -> Quantifier:
    r"""Judge whether enough of the objects with a true body have a true head.

    .. math:: \frac{a}{a + b} \ge p

    Parameters
    ----------
    table : FourfoldTable
        The counts.
    p : float, default 0.9
        Smallest share of objects with a true head, among those with a true body; in (0, 1].

    Returns
    -------
    Quantifier
        ``degree`` is a / (a + b).

    Raises
    ------
    InputError
        If ``table`` is not a `FourfoldTable` of counts, or ``p`` is outside (0, 1].

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation.

    Examples
    --------
    >>> founded_implication(FourfoldTable(a=18, b=2, c=0, d=0), p=0.85).holds
    True
    """
    table, share = _check_quantifier(table, p)
    degree = float(divide_or_nan(table.a, table.a + table.b))
    return Quantifier(degree >= share, degree)


def critical_implication(
    table: FourfoldTable, *, p: float = 0.9, alpha: float = 0.05
) -> Quantifier:
    r"""Judge whether the head is true with probability p or more, by a test at level alpha.

    The lower critical implication rejects the hypothesis that the probability of the head, given
    the body, is below p, if

    .. math:: \sum_{i=a}^{a+b} \binom{a+b}{i} p^i (1-p)^{a+b-i} \le \alpha

    Parameters
    ----------
    table : FourfoldTable
        The counts.
    p : float, default 0.9
        Probability, in (0, 1].
    alpha : float, default 0.05
        Level of the test, in (0, 1).

    Returns
    -------
    Quantifier
        ``degree`` is the largest p for which the sum is at most alpha. It is the lower limit of
        Clopper and Pearson's one-sided interval, and at most a / (a + b) unless alpha is above 0.5.

    Raises
    ------
    InputError
        As in `founded_implication`; also if ``alpha`` is outside (0, 1).

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation.

    Examples
    --------
    Eighteen of twenty are a share of 0.9, but the true probability may be as low as 0.72:

    >>> result = critical_implication(FourfoldTable(a=18, b=2, c=0, d=0))
    >>> result.holds, round(result.degree, 2)
    (False, 0.72)
    """
    from scipy.stats import beta  # slow to import

    table, probability = _check_quantifier(table, p)
    level = check_number(alpha, "alpha", "a number between 0 and 1", lambda x: 0 < x < 1)
    if table.a + table.b == 0:
        degree = np.nan
    elif table.a == 0:
        degree = 0.0  # the sum is 1 for every p
    else:
        degree = float(beta.ppf(level, table.a, table.b + 1))
    return Quantifier(degree >= probability, degree)


def _check_quantifier(table: FourfoldTable, p: object) -> tuple[FourfoldTable, float]:
    """Return a table of Python's integers, whose sums can't overflow, and p; raise if invalid."""
    rule = "be a FourfoldTable, such as fourfold_table returns"
    check_that(isinstance(table, FourfoldTable), "table", rule, table)
    counts = FourfoldTable(*as_counts([*table], "table").tolist())
    return counts, check_number(p, "p", "in (0, 1]", lambda x: 0 < x <= 1)
