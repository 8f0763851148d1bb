"""The base class of results that can be compared, and protocols of their measures and values.

Functions that compare, tabulate and draw take a `ComparableResult`, so that their modules don't
have to import `Result`, which imports them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from receval._checks import Id

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


class ComparableResult(ABC):
    """A result whose systems can be compared and described; the base class of `Result`.

    The names with an underscore are for the modules of this package, not for users.
    """

    _row_name: ClassVar[str] = "users"

    @property
    @abstractmethod
    def systems(self) -> list[Id]:
        """Return the names of the systems."""

    @property
    @abstractmethod
    def measures(self) -> tuple[MeasureInfo, ...]:
        """Return the measures of the result."""

    @abstractmethod
    def values(
        self, system: Id = None, measures: Iterable[str] | None = None, /
    ) -> ValuesByMeasure:
        """Return the values of one system by user or query."""

    @property
    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Return the means: systems in rows, measures in columns."""

    @property
    @abstractmethod
    def n(self) -> pd.DataFrame:
        """Return the number of users or queries of each mean, in the shape of `summary`."""

    @property
    @abstractmethod
    def counts(self) -> pd.DataFrame:
        """Return how many users or queries of each system are ``judged``, ``answered``, …."""

    @abstractmethod
    def _measure_names(self, measures: str | Iterable[str]) -> list[str]:
        """Return the names of the result's columns for these measures."""

    @property
    def _lower_measures(self) -> list[str]:
        """Return the names of the measures whose lower values are better."""
        return [measure.name for measure in self.measures if not measure.higher_is_better]

    @property
    def _set_level_measures(self) -> list[str]:
        """Return the names of the measures whose value in `summary` is not a mean over users."""
        return []

    @property
    def _scope(self) -> str:
        """Return a note, with citation keys, on the users to whom comparisons generalise, or ""."""
        return ""

    def _has_user_values(self, measure: MeasureInfo) -> bool:
        """Return whether users have values of a measure that can be resampled and compared."""
        return bool(measure.per_user)

    def _paired_values(
        self,
        names: list[str],  # noqa: ARG002 (subclasses use it)
        pairs: list[SystemPair],
    ) -> Mapping[SystemPair, PairedValues]:
        """Return, for each pair (baseline, system), the values of both systems.

        ``names`` are the names of the measures; there may be values of other measures, too.
        """
        values_by_pair = {}
        for baseline, system in pairs:
            values_by_pair[baseline, system] = PairedValues(
                self.values(system), self.values(baseline)
            )
        return values_by_pair

    def _comparison_notes(self) -> list[str]:
        """Return notes with reasons to doubt a comparison of the systems."""
        return []
