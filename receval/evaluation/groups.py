"""Results by groups of users, each measure in each group beside the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    BoolArray,
    as_ids,
    check_text,
    format_first,
    input_error,
    shorten,
)
from receval._snapshots import hands_out_copies, snapshot
from receval.evaluation.base import Result
from receval.evaluation.methods import methods
from receval.evaluation.report import ComparisonTable
from receval.measure.definition import Measure
from receval.tables.indexed import indexed_by_id

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from receval.evaluation.result import Evaluation

__all__ = ["Groups"]


KINDS = "integer", "text", "floating", "boolean", "decimal", "mixed-integer-float"


class GroupMeasure(Measure):
    """A measure of one group of users; ``whole`` is its name as one of all users."""

    whole: str
    group: Hashable

    def __init__(self, measure: Measure, group: Hashable) -> None:
        name = f"{measure.name}, {group}"
        vars(self).update(vars(measure), name=name, whole=measure.name, group=group)


@hands_out_copies("parts")
@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """An evaluation by groups of users; `Evaluation.by` makes it.

    Its measures are those of the evaluation in every group, named as "nDCG@10, cold": they are
    compared, corrected and tabulated beside each other as measures are.

    Attributes
    ----------
    evaluation : Evaluation
        Of all users.
    parts : dict
        The evaluation of each group's users, by the name of the group.
    """

    methods = methods

    evaluation: Evaluation
    parts: Mapping[Any, Evaluation]

    @cached_property
    def measures(self) -> tuple[GroupMeasure, ...]:
        """Each measure in each group."""
        return tuple(starmap(GroupMeasure, product(self.evaluation.measures, self.parts)))

    @property
    def systems(self) -> list[Any]:
        """Names of the systems."""
        return self.evaluation.systems

    @property
    def counts(self) -> pd.DataFrame:
        """Numbers of all users, as in the evaluation."""
        return self.evaluation.counts

    @property
    def summary(self) -> pd.DataFrame:
        """Means: systems in rows, each measure in each group in columns."""
        return pd.DataFrame(self._columns(lambda part: part.summary))

    @property
    def n(self) -> pd.DataFrame:
        """How many users each mean is over."""
        return pd.DataFrame(self._columns(lambda part: part.n))

    @property
    def results(self) -> pd.DataFrame:
        """Means with 95% bootstrap intervals, indexed by (group, measure, system)."""
        found: pd.DataFrame = snapshot(self._results)
        return found

    @cached_property
    def _results(self) -> pd.DataFrame:
        """The table behind ``results``, drawn once."""
        by_name = {one.name: (one.group, one.whole) for one in self.measures}
        table = self.interval().drop(columns=self.counts.columns)
        keys = [(*by_name[name], system) for name, system in table.index]
        table.index = pd.MultiIndex.from_tuples(keys, names=["group", "measure", "system"])
        return table

    def values(self, system: Any = None, measures: Iterable[str] | None = None) -> dict[str, Any]:
        """The values of one system, a Series of the group's users for each measure in a group."""
        found = self._columns(lambda part: part.values(system))
        wanted = found if measures is None else self._names(measures)
        return {name: found[name] for name in wanted if name in found}

    @property
    def _scope(self) -> str:
        return self.evaluation._scope

    def _is_of_each(self, measure: Any) -> bool:
        return self.evaluation._is_of_each(measure)

    def _of_pairs(self, names: list[str], pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        by_group: dict[Any, list[GroupMeasure]] = {}
        for one in self.measures:
            if one.name in names:
                by_group.setdefault(one.group, []).append(one)
        found: dict[Any, Any] = {pair: ({}, {}) for pair in pairs}
        for group, members in by_group.items():
            of_part = self.parts[group]._of_pairs([one.whole for one in members], pairs)
            for (pair, sides), one in product(of_part.items(), members):
                for columns, frame in zip(found[pair], sides, strict=True):
                    columns[one.name] = frame[one.whole]
        return found

    def table(self, digits: int = 2, bold: str | None = "best") -> ComparisonTable:
        """Systems by measures in groups; of one system groups by measures.

        Parameters
        ----------
        digits, bold
            As in `Evaluation.table`.

        Returns
        -------
        Table
        """
        wide = super().table(digits, bold)
        if len(self.systems) > 1:
            return wide
        means = {str(group): part.summary.iloc[0] for group, part in self.parts.items()}
        return ComparisonTable(pd.DataFrame(means).T, digits, False, wide.notes)

    def plot(self, measure: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Means of one measure by group and system, as a heat map.

        Parameters
        ----------
        measure : str, optional
            Needed where there are several.
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If there are several measures and none is named, or there is no such measure.
        """
        from receval.plots import group_heatmap

        given = [one.name for one in self.evaluation.measures]
        if measure is None and len(given) > 1:
            raise input_error("measure", f"be one of {given}", "none of several")
        one = self.evaluation._measure(given[0] if measure is None else measure)
        means = pd.DataFrame({group: part.summary[one.name] for group, part in self.parts.items()})
        return group_heatmap(means, measure=one.name, lower=not one.higher_is_better, ax=ax)

    @property
    def _rows(self) -> pd.DataFrame:
        frames = {group: part._rows for group, part in self.parts.items()}
        rows: pd.DataFrame = pd.concat(frames, names=["group", None])
        return rows.reset_index("group").reset_index(drop=True)

    def _write(self, path: Path) -> None:
        advice = "Save the evaluation, and group it again"
        raise input_error("path", "end in .csv, .tsv, .parquet or .json", path.name, advice)

    @property
    def _record(self) -> dict[str, Any]:
        return {**self.evaluation._record, "parts": list(map(str, self.parts))}

    def _names(self, measures: str | Iterable[str]) -> list[str]:
        """A measure of the evaluation is that measure in every group."""
        known, found = [one.name for one in self.measures], list[str]()
        for name in [measures] if isinstance(measures, str) else measures:
            of_all = [name] if name in known else self.evaluation._names([name])
            found += [one.name for one in self.measures if one.whole in of_all] or of_all
        return found

    def _columns(self, frame: Callable[[Evaluation], pd.DataFrame]) -> dict[str, pd.Series]:
        """The columns of the frames of all groups, by what they are called here."""
        frames = {group: frame(part) for group, part in self.parts.items()}
        there = [one for one in self.measures if one.whole in frames[one.group]]
        return {one.name: frames[one.group][one.whole] for one in there}

    @property
    def _methods(self) -> str:
        return f"{self.evaluation._methods} {self._notes(0)[0].capitalize()}."

    def _notes(self, _: int) -> list[str]:
        sizes = (f"{group} {len(part._users)}" for group, part in self.parts.items())
        return [f"{self._each} by group: {', '.join(sizes)}", *self.evaluation.notes()]

    def _notes_on_comparing(self) -> list[str]:
        return self.evaluation._notes_on_comparing()


def user_mask(users: pd.Index, given: Any) -> BoolArray:
    """Whether each user is among those ``given`` as ids, by a Series of bool, or by a function."""
    if callable(given) or (isinstance(given, pd.Series) and given.dtype == bool):
        found = labels(users, given, "users")
        wrong = [shorten(one) for one in found if not isinstance(one, (bool, np.bool_))]
        if wrong:
            raise input_error("users", "answer True or False for each user", format_first(wrong))
        wanted: BoolArray = found.to_numpy(bool)
    else:
        rule = "be ids, a Series of True or False by user, or a function of an id"
        given = as_ids([given] if isinstance(given, str) else given, "users", rule)
        ids = pd.Index(given, tupleize_cols=False)
        _check_kind(ids, users, "users")
        unknown = ids.difference(users, sort=False)
        if len(unknown):
            rule = f"be judged users, such as {users[:MAX_EXAMPLES].tolist()}"
            raise input_error("users", rule, format_first(map(repr, unknown)))
        wanted = np.asarray(users.isin(ids))
    if not wanted.any():
        raise input_error("users", "leave at least one judged user", "none")
    return wanted


def labels(users: pd.Index, given: Any, name: str) -> pd.Series[Any]:
    """What a function answers of each user, or what a Series or a frame of one column holds."""
    if callable(given):
        given = pd.Series([given(user) for user in users], users, dtype=object)
    if isinstance(given, pd.DataFrame):
        names_of_ids = ["user"] if users.name is None else ["user", str(users.name)]
        given = indexed_by_id(given, names_of_ids, name)
        if given.shape[1] == 1:
            given = given.iloc[:, 0]
    if not isinstance(given, pd.Series):
        rule = "be a Series or a frame of one column indexed by user, or a function of an id"
        raise input_error(name, rule, shorten(given))
    known: pd.Series[Any] = given.dropna()
    _check_kind(known.index, users, f"index of {name}")
    twice, lacking = known.index[known.index.duplicated()], users.difference(known.index)
    for wrong, what in ((twice, "two of"), (lacking, "none of")):
        if len(wrong):
            advice = "Choose users with where(users=…) first" if wrong is lacking else ""
            rule = "hold one value for each judged user"
            raise input_error(name, rule, f"{what} {format_first(map(repr, wrong))}", advice)
    return known.reindex(users)


def _check_kind(ids: pd.Index, users: pd.Index, name: str) -> None:
    """Refuse ids of another kind than the users': 1.0 and True equal 1, and are no ids."""
    kind, wanted = _kind_of(ids), _kind_of(users)
    if len(ids) and len(users) and kind in KINDS and kind != wanted:
        got = f"{kind}, such as {format_first(map(repr, ids[:MAX_EXAMPLES]))}"
        raise input_error(name, f"hold ids of users, which are {wanted}", got)


def _kind_of(ids: pd.Index) -> str:
    values = ids.categories if isinstance(ids, pd.CategoricalIndex) else ids
    kind = pd.api.types.infer_dtype(values, skipna=False)
    return {"string": "text", "empty": "text"}.get(kind, kind)


def users_by_group(users: pd.Index, given: Any) -> dict[Any, pd.Index]:
    """The users of each group; groups in the order of their categories, or sorted."""
    label = labels(users, given, "groups")
    if wrong := [shorten(one) for one in label if not pd.api.types.is_hashable(one)]:
        raise input_error("groups", "have hashable names such as text", format_first(wrong))
    check_text(label, "names of groups")
    parts = {one: part.index for one, part in label.groupby(label, observed=True)}
    if len({*map(str, parts)}) < len(parts):
        raise input_error("groups", "have names that differ as text", list(parts))
    return parts
