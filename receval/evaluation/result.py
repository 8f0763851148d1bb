"""The result of an evaluation: per-user values first, means as a view of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError
from receval.engine import file
from receval.engine.file import System
from receval.engine.measured import Kept, Measured
from receval.engine.measuring import measure_again
from receval.engine.task import Task
from receval.evaluation import notes, report
from receval.evaluation.figures import plot, sweep
from receval.evaluation.groups import Groups, chosen, parted
from receval.evaluation.methods import methods, paragraph
from receval.evaluation.overlap import overlap
from receval.evaluation.shape import Result
from receval.measure.form import Measure
from receval.measure.names import Names, parse
from receval.measure.names import measure as measure_named
from receval.measure.ties import DRAWS

__all__ = ["Evaluation"]

TIES = ["pessimistic", "expected", "value", "optimistic", "users"]


@dataclass(eq=False, repr=False)
class Evaluation(Result):
    """Values of every user under every measure, for one or several systems.

    `receval.evaluate` makes it, and `receval.load` opens one that was saved.

    Attributes
    ----------
    per_user : DataFrame
        Indexed by user, or by (system, user) where there are several systems; one column per
        measure that has a value for each user. This is the result; all else is a view. Where the
        values lie in a file, it is read when it is asked for.
    measures : tuple of Measure
        What was measured.
    """

    explain = report.explain
    methods = methods
    overlap = overlap
    plot = plot
    sweep = sweep

    _methods = property(paragraph)

    _task: Task
    _systems: Mapping[Hashable, System]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return self._task.measures

    @property
    def version(self) -> str:
        """The version of receval that computed the values."""
        return self._task.version

    @property
    def parameters(self) -> pd.DataFrame | None:
        """Parameters of the systems, in their order, where ``systems=`` gave them."""
        given = self._task.parameters
        return None if given is None else given.reindex(self.systems)

    @property
    def systems(self) -> list[Any]:
        """Names of the systems; ``[""]`` where there is only one without a name."""
        return list(self._systems)

    @cached_property
    def per_user(self) -> pd.DataFrame:
        """Every value by user, or by (system, user) where there are several systems."""
        return _stacked({name: one.values() for name, one in self._systems.items()})

    @cached_property
    def counts(self) -> pd.DataFrame:
        """For each system the number of users, by what they are.

        ``judged`` users have relevance rows; of these, ``answered`` have recommendations, and
        those ``without truth`` no relevant item; ``ignored`` users are recommended to, but not
        judged. Under ``duplicates="first"`` also the rows ``repeated``.
        """
        return self._by_system([one.counts for one in self._systems.values()])

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means over users and set-level values: systems in rows, measures in columns.

        A mean is rounded once from the exact sum, so that no order or grouping of users changes
        it. Users without a value (NaN) are left out of it.
        """
        context = self._task.context
        of_all = {one.name: one.of_all for one in self.measures if one.of_all}

        rows = []
        for one in self._systems.values():
            states = one.states.items()  # none without lists
            rows.append(one.means | {name: of_all[name].finish(x, context) for name, x in states})
        return self._by_system(rows, [one.name for one in self.measures])

    @cached_property
    def n(self) -> pd.DataFrame:
        """How many users each mean of `summary` is over: systems in rows, measures in columns.

        Below ``counts["judged"]`` where users have no value (NaN): AUC without both relevant and
        irrelevant items, diversity of lists shorter than two, users left out by the convention.
        Measures of all users together are not means, and not here.
        """
        names = [one.name for one in self.measures if one.per_user]
        return self._by_system([one.n for one in self._systems.values()], names)

    def values(
        self, system: Hashable = None, measures: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Per-user values of one system, indexed by user.

        Parameters
        ----------
        system : str, optional
            Needed where there are several systems.
        measures : iterable of str, optional
            Names of the columns wanted. Default: all. Where the values lie in a file, only these
            are read.

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            If the system is unknown, or there are several and none is named.
        """
        names = None if measures is None else self._names(measures)
        return self._systems[self._system(system)].values(names)

    def ties(self) -> pd.DataFrame:
        """What equal scores leave open: each mean's interval and expected value.

        Returns
        -------
        DataFrame
            Indexed by measure, or by (system, measure) where there are several systems:
            ``pessimistic`` and ``optimistic`` are the lowest and highest mean that any order of
            equal scores gives, ``expected`` is the mean over all these orders, ``value`` the one
            in `summary`, and ``users`` the number of users whose own value can change.

        Notes
        -----
        The expected values are exact, from the chance of each rank of a run of equal scores to be
        relevant, as scikit-learn averages nDCG; see `receval.metrics.form`. Measures that are not
        about relevance and order (coverage, diversity, novelty) and AUC, which counts ties one
        half, are not listed. Where ranks were given there are no ties.

        Of a measure of one's own whose terms have no such rule the expected value is the mean over
        drawn orders, which the column ``orders`` then says, and no interval is known.
        """
        rows = {
            name: pd.DataFrame(one.ties.values(), pd.Index(one.ties, name="measure"), TIES)
            for name, one in self._systems.items()
        }
        table = _stacked(rows)
        drawn = {one.name for one in self.measures if one.tie_rule == "drawn"}
        if drawn:
            names = table.index.get_level_values("measure")
            table["orders"] = [f"{DRAWS} drawn" if name in drawn else "all" for name in names]
        return table

    def where(self, users: Any) -> Evaluation:
        """The same of some users only.

        Parameters
        ----------
        users : iterable of ids, Series of bool, or callable
            The judged users wanted; or of each judged user, by index, whether; or a function of
            an id that answers whether.

        Returns
        -------
        Evaluation
            Of these users, nobody being ignored. Of a file, or of pooled folds, only values of
            users are known: measures of all users together are NaN, there are no ties, and of the
            counts only ``judged``.

        Raises
        ------
        InputError
            If an id is not that of a judged user, or stands twice, the Series lacks a judged
            user, the function answers neither True nor False, or nobody is left.

        Examples
        --------
        >>> import receval
        >>> recs = {"user": [1, 2, 3], "item": ["a", "b", "a"], "score": [0.9, 0.8, 0.7]}
        >>> truth = {"user": [1, 2, 3], "item": ["a", "c", "a"], "relevance": [1, 1, 1]}
        >>> result = receval.evaluate(recs, truth, "HR@1")
        >>> result.where([2, 3]).summary["HR@1"].item()
        0.5
        >>> result.where(lambda user: user != 2).summary["HR@1"].item()
        1.0
        """
        places = np.flatnonzero(chosen(self._users, users))
        found: dict[Hashable, System] = {
            name: measure_again(one, places)
            if isinstance(one, Measured)
            else Kept(one.values().iloc[places], {"judged": places.size}, one.item_kind)
            for name, one in self._systems.items()
        }
        return Evaluation(self._task, found)

    def by(self, groups: Any) -> Groups:
        """The same by groups of users: cold and heavy ones, topics, periods.

        Parameters
        ----------
        groups : Series, DataFrame of one column, or callable
            The group of each judged user, by index; or a function of an id that answers it.

        Returns
        -------
        Groups
            Its ``results`` have means with intervals; ``compare()`` tests the systems in every
            group, corrected over all groups; ``table()`` and ``plot()``.

        Raises
        ------
        InputError
            If a judged user has no group, or two, or two groups have one name as text.
        """
        parts = parted(self._users, groups)
        return Groups(self, {name: self.where(users) for name, users in parts.items()})

    def _aside(self) -> Any:
        return None if self.parameters is None else self.parameters.map(str)

    def notes(self) -> list[str]:
        """What is legal but doubtful in the tables given, a line each, as under every table."""
        return notes.on_input(self._task, self._systems)

    @property
    def _users(self) -> pd.Index:
        return self._systems[self.systems[0]].values([]).index

    @property
    def _rows(self) -> pd.DataFrame:
        return self.per_user.reset_index()

    @property
    def _record(self) -> dict[str, Any]:
        return file.record(self._task, self._systems)

    def _write(self, path: Path) -> None:
        with file.Writer(path) as writer:
            writer.add({name: one.values() for name, one in self._systems.items()})
            writer.finish(self._record, self._systems)

    @classmethod
    def _read(cls, path: Path, record: dict[str, Any]) -> Evaluation:
        return cls(*file.known(path, record))

    def _notes(self, digits: int) -> list[str]:
        on_ties = notes.on_ties(self.ties(), digits, self._task.convention)
        return [*self.notes(), *notes.on_users(self.n, self.counts), *on_ties]

    def _by_system(self, rows: list[Any], columns: list[str] | None = None) -> pd.DataFrame:
        return pd.DataFrame(rows, pd.Index(self.systems, name="system"), columns)

    def _names(self, measures: Names) -> list[str]:
        return [one.name for one in parse(measures, self.measures)]

    def _measure(self, name: str) -> Measure:
        known = {one.name: one for one in self.measures}
        wanted = measure_named(name, self.measures).name
        if wanted not in known:
            raise InputError(f"measure must be one of {list(known)}; got {name!r}")
        return known[wanted]


def _stacked(frames: dict[Any, pd.DataFrame]) -> pd.DataFrame:
    """The frames of the systems one below the other; of an only one that itself."""
    first, *others = frames.values()
    return pd.concat(frames, names=["system"]) if others else first
