"""Situations with fuzzy acceptability, and reductions of a real one to a model.

A *situation* is a set of challenges, a set of responses, and how acceptable each response is for
each challenge. A *reduction* maps real challenges to challenges of the model, and the model's
responses back to real ones. It holds to the degree to which "acceptable in the model" implies
"acceptable in reality".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_numbers
from receval._checks import (
    Id,
    InputError,
    UserFunction,
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
from receval._table import WorkingTable
from receval.fuzzy.quantifiers import FourfoldTable, fourfold_table
from receval.metrics.connectives.degrees import Connective, answer

__all__ = ["Reduction", "Situation"]

IdMap: TypeAlias = Mapping[Id, Hashable] | Callable[[Id], Hashable] | None
"""A map between challenges or responses: a dict, a function, or None for the identity."""


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
        columns, in any order. NaN means that the relation doesn't contain the pair.

    Attributes
    ----------
    table : DataFrame
        Acceptability, challenges in rows, responses in columns.

    Raises
    ------
    InputError
        If there is no challenge or no response, one occurs twice, or an acceptability is
        missing from the table or outside [0, 1].

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
    acceptability: InitVar[npt.ArrayLike | pd.DataFrame | UserFunction]
    _table: pd.DataFrame = field(init=False, repr=False)

    def __post_init__(self, acceptability: npt.ArrayLike | pd.DataFrame | UserFunction) -> None:
        """Check challenges, responses and acceptability, and build the table."""
        challenges = _check_distinct(self.challenges, "challenges")
        responses = _check_distinct(self.responses, "responses")
        if isinstance(acceptability, pd.DataFrame):
            # Put rows and columns into the order of the challenges and responses.
            rows = _find_positions(
                challenges, acceptability.index, "challenges", "be rows of acceptability"
            )
            columns = _find_positions(
                responses, [*acceptability], "responses", "be columns of acceptability"
            )
            acceptability = acceptability.to_numpy()[np.ix_(rows, columns)]
        elif callable(acceptability):
            acceptability = [[acceptability(c, r) for r in responses] for c in challenges]
        degrees = as_numbers(acceptability, "acceptability")
        check_shape(degrees, (len(challenges), len(responses)), "acceptability")
        check_none(degrees, (degrees < 0) | (degrees > 1), "acceptability", "be in [0, 1], or NaN")
        table = pd.DataFrame(
            degrees.copy(),
            index=pd.Index(challenges, name="challenge", tupleize_cols=False),
            columns=pd.Index(responses, name="response", tupleize_cols=False),
        )
        # A frozen dataclass refuses ``self.name = value``.
        self.__dict__.update(challenges=challenges, responses=responses, _table=table)

    @property
    def table(self) -> pd.DataFrame:
        """Return a copy of the acceptability, challenges in rows, responses in columns."""
        return self._table.copy()

    @classmethod
    def from_table(cls, table: pd.DataFrame) -> Situation:
        """Build a situation from a frame with challenges as index and responses as columns.

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
        The situation to solve, and the one in which responses are available.
    challenge_map : mapping or callable, optional
        :math:`f^-`, from real challenges to the model's. Default: the identity.
    response_map : mapping or callable, optional
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

    >>> from receval.fuzzy import goedel, lukasiewicz
    >>> model = Situation(["o1", "o2"], ["shown"], [[1.0], [0.63]])
    >>> real = Situation(["o1", "o2"], ["shown"], [[0], [1]])
    >>> reduction = Reduction(real, model)
    >>> reduction.degree(goedel), reduction.degree(goedel, aggregate="minimum")
    (0.5, 0.0)
    """

    real: Situation
    model: Situation
    challenge_map: IdMap = None
    response_map: IdMap = None
    _sides: tuple[pd.DataFrame, pd.DataFrame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the maps, and look up both sides of the implications of this reduction.

        There is an implication for each real challenge and each response of the model: if the
        model accepts the response, then the real response that belongs to it is acceptable too.
        """
        for name, situation in (("real", self.real), ("model", self.model)):
            check_that(isinstance(situation, Situation), name, "be a Situation", situation)
        model_challenges = _apply_map(self.challenge_map, self.real.challenges, "challenge_map")
        real_responses = _apply_map(self.response_map, self.model.responses, "response_map")
        rows = _find_positions(
            model_challenges,
            self.model.challenges,
            "challenge_map",
            "lead to the model's challenges",
        )
        columns = _find_positions(
            real_responses, self.real.responses, "response_map", "lead to real responses"
        )
        # Body ("the model accepts it") and head ("it is acceptable in reality") of the
        # implications. Both have a row per real challenge and a column per response of the model.
        body = self.model.table.iloc[rows]
        head = self.real.table.iloc[:, columns]
        # A frozen dataclass refuses ``self.name = value``.
        self.__dict__["_sides"] = body, head

    def maps(self) -> tuple[dict[Hashable, Hashable], dict[Hashable, Hashable]]:
        """Return the two maps as dicts.

        Returns
        -------
        challenge_map, response_map : dict
            :math:`f^-`, from each real challenge to the model's, and :math:`f^+`, from each
            response of the model to a real one.
        """
        body, head = self._sides
        real_challenges = self.real.table.index.tolist()
        model_responses = self.model.table.columns.tolist()
        challenge_map: dict[Hashable, Hashable] = dict(
            zip(real_challenges, body.index.tolist(), strict=True)
        )
        response_map: dict[Hashable, Hashable] = dict(
            zip(model_responses, head.columns.tolist(), strict=True)
        )
        return challenge_map, response_map

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
            the relations doesn't contain the pair.
        """
        body, head = (side.to_numpy() for side in self._sides)
        is_defined = ~(np.isnan(body) | np.isnan(head))
        truth = np.full(body.shape, np.nan)
        truth[is_defined] = answer(implicator, body[is_defined], head[is_defined], "implicator")
        return pd.DataFrame(truth, index=self.real.table.index, columns=self.model.table.columns)

    def table(self, implicator: Connective) -> pd.DataFrame:
        """List the working with an implicator I(b, h): one row per real challenge and response.

        Returns
        -------
        DataFrame
            Columns ``challenge`` and ``model challenge`` (:math:`f^-` of it), ``response`` (of
            the model) and ``real response`` (:math:`f^+` of it), ``model`` and ``real`` (the
            two acceptabilities) and ``implication``. Pairs that a relation doesn't contain are
            left out; ``table.attrs["undefined"]`` counts them.
        """
        body, head = self._sides
        challenge_pairs = zip(head.index, body.index, strict=True)  # real, model
        response_pairs = zip(body.columns, head.columns, strict=True)  # model, real
        pairs = [
            (*challenge_pair, *response_pair)
            for challenge_pair, response_pair in product(challenge_pairs, response_pairs)
        ]
        labels = ["challenge", "model challenge", "response", "real response"]
        table = pd.DataFrame(pairs, columns=labels)
        # ravel puts the rows one after the other, so the degrees are in the order of the pairs.
        truth = np.ravel(self.implications(implicator))
        table = table.assign(model=np.ravel(body), real=np.ravel(head), implication=truth)
        result = WorkingTable(table.dropna(subset="implication", ignore_index=True))
        result.attrs["undefined"] = len(table) - len(result)
        return result

    def degree(
        self, implicator: Connective, *, aggregate: str = "mean", q: float | None = None
    ) -> float:
        r"""Compute the degree to which the reduction holds.

        Parameters
        ----------
        implicator : callable
            I(b, h).
        aggregate : {"mean", "minimum", "quantile"}, default "mean"
            How to read "for all" in eq. 1: as the mean, like the document's results; as the
            minimum, which is strict; or as a quantile.
        q : float, optional
            The quantile, in [0, 1]; required for ``"quantile"``, refused otherwise.

        Returns
        -------
        float
            In [0, 1]; NaN if no pair is in both relations.

        Raises
        ------
        InputError
            If ``aggregate`` is unknown, or ``q`` is missing or not allowed.
        """
        return _aggregate(pd.Series(np.ravel(self.implications(implicator))), aggregate, q)

    def fourfold_table(self, *, body_at: float = 0.5, head_at: float = 0.5) -> FourfoldTable:
        """Count the pairs that both situations accept, only one of them, or neither.

        The body is the acceptability in the model, and the head is the acceptability in reality.
        `founded_implication` and `critical_implication` judge the reduction by these counts: they
        read "for all" in eq. 1 as "with a probability of p".

        Parameters
        ----------
        body_at, head_at : float, default 0.5
            The acceptability from which a pair counts as accepted, in the model and in reality.

        Returns
        -------
        FourfoldTable
            Pairs that a relation doesn't contain are left out.

        Examples
        --------
        >>> model = Situation(["o1", "o2"], ["shown"], [[1.0], [0.63]])
        >>> real = Situation(["o1", "o2"], ["shown"], [[0], [1]])
        >>> Reduction(real, model).fourfold_table()
        FourfoldTable(a=1, b=1, c=0, d=0)
        """
        body, head = (side.to_numpy() for side in self._sides)
        is_defined = ~(np.isnan(body) | np.isnan(head))
        return fourfold_table(body[is_defined], head[is_defined], body_at=body_at, head_at=head_at)

    def by_response(
        self, implicator: Connective, *, aggregate: str = "mean", q: float | None = None
    ) -> pd.Series:
        """Compute the degree for each of the model's responses, over all challenges.

        See `degree` for parameters and errors. If the model is off-line evaluation and reality is
        on-line, the responses are off-line metrics, and the result is a column of the implication
        matrix.
        """
        return self.implications(implicator).apply(_aggregate, args=(aggregate, q))


def _aggregate(truth: pd.Series, aggregate: str, q: float | None) -> float:
    """Return the mean, minimum or quantile ``q`` of truth values.

    NaN values are ignored; if all are NaN, the result is NaN.
    """
    check_choice(aggregate, "aggregate", ("mean", "minimum", "quantile"))
    if aggregate == "quantile":
        q = check_number(q, "q", "in [0, 1] when aggregate is 'quantile'", lambda x: 0 <= x <= 1)
        return float(truth.quantile(q))
    if q is not None:
        raise InputError(f"q must be left out when aggregate is {aggregate!r}; got {shorten(q)}")
    if aggregate == "minimum":
        return float(truth.min())
    return float(truth.mean())


def _check_distinct(values: Iterable[Hashable], name: str) -> tuple[Hashable, ...]:
    """Return ids as a tuple; raise if there is none, or one occurs twice."""
    is_collection = isinstance(values, Iterable) and not isinstance(values, str)
    check_that(is_collection, name, "be a collection", values)
    distinct = tuple(values)
    check_unique(distinct, name, "value")
    check_not_empty(distinct, name, "not be empty")
    return distinct


def _apply_map(mapping: IdMap, values: Iterable[Hashable], name: str) -> list[Hashable]:
    """Return what a map assigns to each value; None maps each value to itself.

    Raises if a dict has no entry for a value; ``name`` is the argument that the error is about.
    """
    if mapping is None:
        return list(values)
    if callable(mapping):
        return [mapping(value) for value in values]
    check_that(isinstance(mapping, Mapping), name, "be a mapping or a function", mapping)
    unmapped = [repr(value) for value in values if value not in mapping]
    if unmapped:
        rule = "be defined everywhere"
        raise InputError(f"{name} must {rule}; got no entry for {format_first(unmapped)}")
    return [mapping[value] for value in values]


def _find_positions(
    values: Sequence[Hashable], target: Iterable[Hashable], name: str, rule: str
) -> list[int]:
    """Return the position of each value in the target.

    If a value is not there, raises an error that begins with "<name> must <rule>"; ``name`` is the
    name of an argument.
    """
    position_by_value = {value: position for position, value in enumerate(target)}
    outside = [repr(value) for value in values if value not in position_by_value]
    if outside:
        raise InputError(f"{name} must {rule}; got {format_first(outside)}")
    return [position_by_value[value] for value in values]
