"""What is asked of every part of the users, and the evaluation of one part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from receval._checks import InputError
from receval.engine.context import refuse_outside
from receval.evaluation.result import Evaluation
from receval.large.totals import Totals
from receval.measure.convention import Convention
from receval.measure.form import Context, Measure
from receval.tables.columns import column
from receval.tables.ids import code

__all__ = ["Part", "Task"]

LIKELY = 1000  # rows among which there is nearly always a judged user


@dataclass(frozen=True)
class Part:
    """What one part of the users gives.

    Attributes
    ----------
    values : dict
        For each system the values of its judged users, as `Evaluation.values`; None where the
        part has no judged user.
    totals : dict
        For each system what is added up over parts.
    users, history : int
        Judged users of the part, and those of them with a history.
    """

    values: dict[Hashable, pd.DataFrame] | None
    totals: dict[Hashable, Totals]
    users: int
    history: int = 0


@dataclass(frozen=True)
class Task:
    """The measures, the choices and the names of columns: the same for every part."""

    measures: tuple[Measure, ...]
    rules: Convention
    user: str = "user"
    item: str = "item"
    score: str = "score"
    rank: str | None = None
    relevance_column: str | None = "relevance"
    duplicates: str = "error"
    items: pd.DataFrame | None = field(default=None, repr=False)
    now: object = None

    @property
    def order(self) -> str:
        """The column that lists are ordered by."""
        return self.score if self.rank is None else self.rank

    @property
    def context(self) -> Context:
        """What the finished values of measures need to know."""
        return Context(self.rules, n_items=None if self.items is None else len(self.items))

    def evaluate(
        self,
        recommendations: Mapping[Hashable, Any],
        relevance: Any,
        history: Any = None,
        *,
        system: str | None = None,
        progress: bool | None = False,
    ) -> Evaluation:
        """Evaluate tables in memory."""
        from receval.evaluation.evaluate import evaluate

        several = list(recommendations) != [""]
        return evaluate(
            dict(recommendations) if several else recommendations[""],
            relevance,
            self.measures,
            user=self.user,
            item=self.item,
            score=self.score,
            rank=self.rank,
            relevance_column=self.relevance_column,
            system=system,
            convention=self.rules,
            duplicates=self.duplicates,
            items=self.items,
            history=history,
            now=self.now,
            progress=progress,
        )

    def part(
        self,
        recommendations: Mapping[Hashable, Any],
        relevance: Any,
        history: Any = None,
        known: Mapping[Hashable, Totals] | None = None,
    ) -> Part:
        """Evaluate some users with all their rows, whoever of them is judged or answered.

        ``known`` are the totals of other parts, of which some things need not be asked again.
        """
        judged = pd.Index(column(relevance, self.user, "relevance").unique())
        answers, strangers = {}, {}
        for name, table in recommendations.items():
            answers[name], strangers[name] = self._known(table, judged, name)
        if judged.empty:
            ignored = {name: Totals.of_nobody(strangers[name], self) for name in answers}
            return Part(None, ignored, 0)
        past, remembered = history, 0
        if history is not None:
            users = column(history, self.user, "history")
            mine = users.isin(judged).to_numpy()
            remembered = users[mine].nunique()
            past = history if mine.all() else _rows(history, mine)
        found = self.evaluate(answers, relevance, past)
        return Part(
            values={name: found.values(name) for name in found.systems},
            totals={
                name: Totals.of(found, name, strangers[name], known[name].signs if known else None)
                for name in found.systems
            },
            users=len(judged),
            history=remembered,
        )

    def _known(self, table: Any, judged: pd.Index[Any], name: Hashable) -> tuple[Any, int]:
        """A system's rows to evaluate, and the number of users left out beforehand.

        Only where no user at all is judged are rows left out: `evaluate` refuses such tables,
        which are a fault in the whole but not in a part.
        """
        users = column(table, self.user, "recommendations")
        if users.empty or users.head(LIKELY).isin(judged).any() or users.isin(judged).any():
            return table, 0
        if self.items is not None:
            where = f"recommendations of {name!r}" if name != "" else "recommendations"
            own = {where: column(table, self.item, where), "items": self.items.index.to_series()}
            codes, ids = code(own, self.item)
            refuse_outside(codes[where], codes["items"], ids)
        return table.iloc[:0] if isinstance(table, pd.DataFrame) else table.slice(0, 0), (
            users.nunique()
        )


def refuse_strangers(totals: Mapping[Hashable, Totals], some: Mapping[str, Iterable[Any]]) -> None:
    """A system none of whose users is judged was probably given other ids."""
    for name, one in totals.items():
        ignored = one.counts["ignored"]
        if ignored and not one.counts["answered"]:
            of = f" of {name!r}" if name != "" else ""
            raise InputError(
                f"recommendations{of} must have users that are judged; got 0 of {ignored} users in "
                f"relevance: {list(some['recommendations'])} against {list(some['relevance'])}"
            )


def _rows(table: Any, mask: Any) -> Any:
    """The rows of a pandas or Arrow table where a mask is true."""
    return table[mask] if isinstance(table, pd.DataFrame) else table.filter(mask)
