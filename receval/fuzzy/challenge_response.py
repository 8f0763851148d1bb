"""Situations with fuzzy acceptability, and reductions of a real one to a model.

A *situation* is a set of challenges, a set of responses, and how acceptable each response is to
each challenge. A *reduction* takes real challenges to the model's and the model's responses
back; it holds as far as "acceptable in the model" implies "acceptable in reality".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    InputError,
    check_choice,
    check_none,
    check_not_empty,
    check_number,
    check_shape,
    check_that,
    check_unique,
    format_first,
    shorten,
)
from receval._lists import as_numbers
from receval._snapshots import snapshot
from receval._table import WorkingTable
from receval.fuzzy.implicators.degrees import Connective, answer

__all__ = ["Reduction", "Situation"]

Map = Mapping[Any, Hashable] | Callable[[Any], Hashable] | None


@dataclass(frozen=True, eq=False)
class Situation:
    r"""Challenges, responses and a fuzzy acceptability relation, :math:`S = (C, R, A)`.

    Parameters
    ----------
    challenges, responses : iterable of hashable
        C and R, each without repetition.
    acceptability : callable, array_like or DataFrame
        A(c, r), in [0, 1]: a function of a challenge and a response, an array of shape
        (challenges, responses), or a frame with the challenges as index and the responses as
        columns, in any order. NaN: the relation says nothing of this pair.

    Attributes
    ----------
    table : DataFrame
        Acceptability, challenges in rows, responses in columns.

    Raises
    ------
    InputError
        If a challenge or response stands twice, there is none, or an acceptability is missing
        from the table or outside [0, 1].

    References
    ----------
    Document 002, section II-A.

    Examples
    --------
    >>> click = Situation(["o1", "o2"], ["click", "no click"], [[1, 0], [0, 1]])
    >>> click.table.loc["o2", "no click"]
    np.float64(1.0)
    """

    challenges: Iterable[Hashable]
    responses: Iterable[Hashable]
    acceptability: InitVar[npt.ArrayLike | pd.DataFrame | Callable[[Any, Any], float]]
    _table: pd.DataFrame = field(init=False, repr=False)

    def __post_init__(self, acceptability: Any) -> None:
        """Check the three and lay them out as a table."""
        rows = _distinct(self.challenges, "challenges")
        columns = _distinct(self.responses, "responses")
        if isinstance(acceptability, pd.DataFrame):
            there = _places(rows, acceptability.index, "challenges", "be rows of acceptability")
            across = _places(columns, [*acceptability], "responses", "be columns of acceptability")
            acceptability = acceptability.to_numpy()[np.ix_(there, across)]
        elif callable(acceptability):
            acceptability = [[acceptability(c, r) for r in columns] for c in rows]
        degrees = as_numbers(acceptability, "acceptability")
        check_shape(degrees, (len(rows), len(columns)), "acceptability")
        check_none(degrees, (degrees < 0) | (degrees > 1), "acceptability", "be in [0, 1], or NaN")
        index = pd.Index(rows, name="challenge", tupleize_cols=False)
        labels = pd.Index(columns, name="response", tupleize_cols=False)
        table = pd.DataFrame(degrees.copy(), index, labels)
        self.__dict__.update(challenges=rows, responses=columns, _table=table)

    @property
    def table(self) -> pd.DataFrame:
        """Acceptability, challenges in rows, responses in columns."""
        found: pd.DataFrame = snapshot(self._table)
        return found

    @classmethod
    def from_table(cls, table: pd.DataFrame) -> Situation:
        """A situation from a frame of acceptability: challenges as index, responses as columns.

        Examples
        --------
        >>> unit = pd.DataFrame({"AUC": [0.6, 0.8]}, index=["word2vec", "cosine"])
        >>> Situation.from_table(unit).challenges
        ('word2vec', 'cosine')
        """
        return cls(table.index, table.columns, table)


@dataclass(frozen=True, eq=False)
class Reduction:
    r"""A reduction of a real situation to a model, and the degree to which it holds.

    For every real challenge c and every response r of the model:

    .. math:: A_{mo}(f^-(c), r) \longrightarrow A_{re}(c, f^+(r))

    Parameters
    ----------
    real, model : Situation
        The situation one would like to solve, and the one in which responses are at hand.
    challenge_map : mapping or callable, optional
        :math:`f^-`, from real challenges to the model's. Default: the identity.
    response_map : mapping or callable, optional
        :math:`f^+`, from the model's responses to real ones. Default: the identity.

    Raises
    ------
    InputError
        If a map leaves its target, or does not know a challenge or response.

    References
    ----------
    Document 002, eq. 1.

    Examples
    --------
    Two objects on places 1 and 2; only the second was clicked:

    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> model = Situation(["o1", "o2"], ["shown"], [[1.0], [0.63]])
    >>> real = Situation(["o1", "o2"], ["shown"], [[0], [1]])
    >>> reduction = Reduction(real, model)
    >>> reduction.degree(goedel), reduction.degree(goedel, aggregate="minimum")
    (0.5, 0.0)
    """

    real: Situation
    model: Situation
    challenge_map: Map = None
    response_map: Map = None
    _sides: tuple[pd.DataFrame, pd.DataFrame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check that the maps go from one situation to the other."""
        for name, situation in (("real", self.real), ("model", self.model)):
            check_that(isinstance(situation, Situation), name, "be a Situation", situation)
        real, model = self.real, self.model
        there = _mapped(self.challenge_map, real.challenges, "challenge_map")
        back = _mapped(self.response_map, model.responses, "response_map")
        rows = _places(there, model.challenges, "challenge_map", "lead to the model's challenges")
        columns = _places(back, real.responses, "response_map", "lead to real responses")
        # Body and head of every implication: real challenges by model responses.
        self.__dict__["_sides"] = model.table.iloc[rows], real.table.iloc[:, columns]

    def implications(self, implicator: Connective) -> pd.DataFrame:
        """Truth of the implication for every real challenge (row) and model response (column).

        Parameters
        ----------
        implicator : callable
            I(b, h), such as `goedel`, or a `scaled` one.

        Returns
        -------
        DataFrame
            Values in [0, 1]; NaN where one of the relations says nothing.
        """
        body, head = (side.to_numpy() for side in self._sides)
        known = ~(np.isnan(body) | np.isnan(head))
        truth = np.full(body.shape, np.nan)
        truth[known] = answer(implicator, body[known], head[known], "implicator")
        return pd.DataFrame(truth, index=self.real.table.index, columns=self.model.table.columns)

    def table(self, implicator: Connective) -> pd.DataFrame:
        """The working, with an implicator I(b, h): one row per real challenge and model response.

        Returns
        -------
        DataFrame
            Columns ``challenge`` and ``model challenge`` (:math:`f^-` of it), ``response`` (of
            the model) and ``real response`` (:math:`f^+` of it), ``model`` and ``real`` (the
            two acceptabilities) and ``implication``. Pairs of which a relation says nothing
            are left out; ``table.attrs["undefined"]`` counts them.
        """
        body, head = self._sides
        challenges = zip(head.index, body.index, strict=True)
        responses = zip(body.columns, head.columns, strict=True)
        pairs = [(*one, *other) for one, other in product(challenges, responses)]
        labels = ["challenge", "model challenge", "response", "real response"]
        table = pd.DataFrame(pairs, columns=labels)
        truth = np.ravel(self.implications(implicator))
        table = table.assign(model=np.ravel(body), real=np.ravel(head), implication=truth)
        result = WorkingTable(table.dropna(subset="implication", ignore_index=True))
        result.attrs["undefined"] = len(table) - len(result)
        return result

    def degree(
        self, implicator: Connective, *, aggregate: str = "mean", q: float | None = None
    ) -> float:
        r"""The degree to which the reduction holds.

        Parameters
        ----------
        implicator : callable
            I(b, h).
        aggregate : {"mean", "minimum", "quantile"}, default "mean"
            What becomes of "for all" in eq. 1: the mean, as in the document's results; the
            minimum, the strict reading; or a quantile between the two.
        q : float, optional
            Which quantile, in [0, 1]; needed, and used, by ``"quantile"`` only.

        Returns
        -------
        float
            In [0, 1]; NaN where the relations say nothing of any pair.

        Raises
        ------
        InputError
            If ``aggregate`` is unknown, or ``q`` is missing or not wanted.
        """
        return _aggregate(pd.Series(np.ravel(self.implications(implicator))), aggregate, q)

    def by_response(
        self, implicator: Connective, *, aggregate: str = "mean", q: float | None = None
    ) -> pd.Series:
        """The degree of each of the model's responses, over the challenges.

        Parameters and errors are those of `degree`. In the off-line to on-line situation the
        responses are off-line metrics, and this is a column of the implication matrix.
        """
        return self.implications(implicator).apply(_aggregate, args=(aggregate, q))


def _aggregate(truth: pd.Series, aggregate: str, q: float | None) -> float:
    check_choice(aggregate, "aggregate", ("mean", "minimum", "quantile"))
    if aggregate == "quantile":
        q = check_number(q, "q", "in [0, 1] when aggregate is 'quantile'", lambda x: 0 <= x <= 1)
    elif q is not None:
        raise InputError(f"q must be left out when aggregate is {aggregate!r}; got {shorten(q)}")
    return float(truth.mean() if aggregate == "mean" else truth.quantile(q or 0.0))


def _distinct(values: Iterable[Hashable], name: str) -> tuple[Hashable, ...]:
    several = isinstance(values, Iterable) and not isinstance(values, str)
    check_that(several, name, "be a collection", values)
    given = tuple(values)
    check_unique(given, name, "value")
    check_not_empty(given, name, "not be empty")
    return given


def _mapped(mapping: Map, values: Iterable[Hashable], name: str) -> list[Hashable]:
    if mapping is None:
        return list(values)
    if callable(mapping):
        return list(map(mapping, values))
    check_that(isinstance(mapping, Mapping), name, "be a mapping or a function", mapping)
    if unknown := [repr(value) for value in values if value not in mapping]:
        raise InputError(
            f"{name} must be defined everywhere; got no entry for {format_first(unknown)}"
        )
    return [mapping[value] for value in values]


def _places(
    wanted: Sequence[Hashable], target: Iterable[Hashable], name: str, rule: str
) -> list[int]:
    """Where each wanted value stands in the target."""
    place = {value: at for at, value in enumerate(target)}
    if outside := [repr(value) for value in wanted if value not in place]:
        raise InputError(f"{name} must {rule}; got {format_first(outside)}")
    return [place[value] for value in wanted]
