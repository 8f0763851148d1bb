"""What a part of the users adds to the whole of one system."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from receval._exact import ExactSum
from receval.evaluation.measure import Measure
from receval.evaluation.notes import Signs
from receval.evaluation.tie_sums import TieSums

if TYPE_CHECKING:
    from receval.evaluation.result import Evaluation
    from receval.evaluation.scale.task import Task

__all__ = ["Totals"]


@dataclass(frozen=True)
class Totals:
    """Counts, sums and states of one system over some users.

    Attributes
    ----------
    counts : dict of int
        As in `Evaluation.counts`.
    sums : dict of ExactSum
        By measure, over the users that have a value.
    ties : dict of TieSums
        By measure that depends on the order of equal scores.
    states : dict
        By set-level measure, what its ``partial`` answered: an array.
    signs : Signs
        What may come from a slip in the tables.
    """

    counts: dict[str, int]
    sums: dict[str, ExactSum] = field(default_factory=dict)
    ties: dict[str, TieSums] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    signs: Signs = field(default_factory=Signs)

    @classmethod
    def of(
        cls, evaluation: Evaluation, system: Any, strangers: int = 0, known: Signs | None = None
    ) -> Totals:
        """What one system of an evaluation adds, with users that were left out beforehand.

        Signs that are ``known`` of other parts are not looked for if nothing can change them.
        """
        settled = known if known and known.shares and not known.ranked else None
        values = evaluation.values(system)
        row = evaluation.counts.loc[system]
        counts = {str(key): int(count) for key, count in zip(row.index, row, strict=True)}
        counts["ignored"] += strangers
        return cls(
            counts,
            {str(name): ExactSum.of(values[name].to_numpy()) for name in values},
            evaluation.tie_sums(system),
            dict(evaluation.states[system]),
            settled or Signs.of(evaluation.lists[system]),
        )

    @classmethod
    def of_nobody(cls, strangers: int, task: Task) -> Totals:
        """What users add of whom none is judged."""
        counts = dict.fromkeys(("judged", "answered", "without truth"), 0)
        counts["ignored"] = strangers
        if task.duplicates == "first":
            counts["repeated"] = 0
        return cls(counts)

    def merged(self, other: Totals, measures: Mapping[str, Measure]) -> Totals:
        """Both together; ``measures`` are those of the evaluation by name."""

        def combined(name: str, mine: Any, theirs: Any) -> Any:
            combine = measures[name].combine
            assert combine is not None
            return combine(mine, theirs)

        states = {**self.states, **other.states}
        both = self.states.keys() & other.states.keys()
        states |= {name: combined(name, self.states[name], other.states[name]) for name in both}
        return Totals(
            {key: count + other.counts[key] for key, count in self.counts.items()},
            _added(self.sums, other.sums),
            _added(self.ties, other.ties),
            states,
            self.signs + other.signs,
        )

    def to_dict(self, measures: Mapping[str, Measure]) -> dict[str, Any]:
        """Everything but the sets of items as JSON can hold it."""
        return {
            "counts": self.counts,
            "sums": {name: one.to_dict() for name, one in self.sums.items()},
            "ties": {name: one.to_dict() for name, one in self.ties.items()},
            "states": {
                name: np.asarray(state).tolist()
                for name, state in self.states.items()
                if not measures[name].state_of_items
            },
            "signs": vars(self.signs),
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], sets: Mapping[str, Any]) -> Totals:
        """The totals that `to_dict` wrote, and the sets of items by measure."""
        return cls(
            dict(state["counts"]),
            {name: ExactSum.from_dict(one) for name, one in state["sums"].items()},
            {name: TieSums.from_dict(one) for name, one in state["ties"].items()},
            {name: np.array(one) for name, one in state["states"].items()} | dict(sets),
            Signs(**state["signs"]),
        )


def merge(
    mine: Mapping[Hashable, Totals],
    theirs: Mapping[Hashable, Totals],
    measures: Mapping[str, Measure],
) -> dict[Hashable, Totals]:
    """The totals of all systems over two parts."""
    return {name: one.merged(theirs[name], measures) for name, one in mine.items()}


def _added(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Sums by measure; a part without judged users has none."""
    if not mine or not theirs:
        return dict(mine or theirs)
    return {name: one + theirs[name] for name, one in mine.items()}
