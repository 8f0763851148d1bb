"""Protocols of results: the members that the functions of this package use.

Functions for tests, tables and figures take one of these protocols instead of a result class. The
protocol states which members the functions use, so that their modules don't have to import the
class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from receval._types import Id

if TYPE_CHECKING:
    import pandas as pd


class MeasureInfo(Protocol):
    """A measure of recommenders or of retrievers."""

    @property
    def name(self) -> str:
        """Return the name with the cut-off, such as "nDCG@10"."""

    @property
    def higher_is_better(self) -> bool:
        """Return whether higher values are better."""

    @property
    def per_user(self) -> bool:
        """Return whether each user or query has a value."""


class ValuesByMeasure(Protocol):
    """Values of one system by user, in a column for each measure: a frame or a dict of Series."""

    def __getitem__(self, measure: str, /) -> pd.Series[float]:
        """Return the values of a measure, indexed by user."""


class PairedValues(NamedTuple):
    """Values of the two systems of a comparison."""

    system: ValuesByMeasure
    baseline: ValuesByMeasure


SystemPair = tuple[Id, Id]
"""The names of two systems that are compared: (baseline, system)."""


class HasValues(Protocol):
    """A result with values by user (or query) of several systems."""

    @property
    def systems(self) -> list[Id]:
        """Return the names of the systems."""

    @property
    def measures(self) -> tuple[MeasureInfo, ...]:
        """Return the measures of the result."""

    def values(
        self, system: Id = None, measures: Iterable[str] | None = None, /
    ) -> ValuesByMeasure:
        """Return the values of one system."""


class HasSummary(HasValues, Protocol):
    """A result with means, and the number of users in each mean."""

    @property
    def summary(self) -> pd.DataFrame:
        """Return the means: systems in rows, measures in columns."""

    @property
    def n(self) -> pd.DataFrame:
        """Return the number of users of each mean, in the shape of `summary`."""

    @property
    def counts(self) -> pd.DataFrame:
        """Return how many users of each system are ``judged``, ``answered``, …."""


class ComparableResult(HasSummary, Protocol):
    """A result whose systems can be compared and described.

    `Result` implements it. The names with an underscore are for the modules of this package, not
    for users.
    """

    _row_name: ClassVar[str]

    @property
    def _lower_measures(self) -> list[str]:
        """Return the names of the measures whose lower values are better."""

    @property
    def _set_level_measures(self) -> list[str]:
        """Return the names of the measures whose value in `summary` is not a mean over users."""

    @property
    def _scope(self) -> str:
        """Return a note on the users to whom comparisons generalise, or ""."""

    def _has_user_values(self, measure: MeasureInfo) -> bool:
        """Return whether users have values of a measure that can be resampled and compared."""

    def _measure_names(self, measures: Iterable[str]) -> list[str]:
        """Return the names of the result's columns for these measures."""

    def _paired_values(
        self, names: list[str], pairs: list[SystemPair]
    ) -> Mapping[SystemPair, PairedValues]:
        """Return the values of both systems of each pair."""

    def _comparison_notes(self) -> list[str]:
        """Return notes with reasons to doubt a comparison of the systems."""
