"""Folds put together: one result of all their persons, and how far folds differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    check_choice,
    check_number,
    check_text,
    format_first,
    input_error,
    shorten,
)
from receval._exact import ExactSum, mean
from receval._snapshots import hands_out_copies
from receval.engine.file import (
    FORMAT_OF_FOLDS,
    FileResult,
    SourceFile,
    System,
    Writer,
    load_systems,
    to_json_value,
)
from receval.engine.measured import MemoryResult, ValuesOnlyResult
from receval.engine.shapes import COUNT, FINITE, NAME, NUMBER, TEXT, Kind, Optional, check_record
from receval.engine.signs import merge_signs
from receval.evaluation.comparing import pairs_of
from receval.evaluation.groups import user_mask
from receval.evaluation.result import Evaluation
from receval.evaluation.settings import WORDS
from receval.measure.definition import Measure
from receval.significance import adjust, resampled_t

__all__ = ["Pooled", "pooled"]

SET_LEVELS = ("mean", "union")
OF_LISTS = ("PC",)  # are of all lists of a fold, though they are counted user by user
POOLED = {
    "systems": [{"name": NAME}],
    "measures": [TEXT],
    "by_fold": {"index": [[NAME]], "columns": [TEXT], "data": [[NUMBER]]},
    "lists": [Optional(COUNT)],
    "tied_folds": COUNT,
    "set_level": Kind("'mean' or 'union'", lambda value: value in SET_LEVELS),
    "test_to_train": Optional(FINITE),
}
"""What the record of pooled folds has beside that of an evaluation."""
CHOICES = ("duplicates", "seen", "users")  # arguments of evaluate
SHOWN_FOLDS = 10  # whose numbers of lists a note names


@dataclass(frozen=True, eq=False)
class OfFolds(ValuesOnlyResult):
    """One system over folds: ``frame`` has a row for each person, ``rows`` one for each fold's."""

    rows: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    @cached_property
    def row_sums(self) -> dict[str, ExactSum]:
        """By measure, over the rows that have a value."""
        return {str(name): ExactSum.of(column) for name, column in self.rows.items()}

    def of_user(self, _: Any) -> MemoryResult:
        """Refused: a person may have a list in each fold."""
        rule, got = "be asked of one fold", "all folds together"
        raise input_error("explain", rule, got, "Explain in the evaluation of a fold")


@hands_out_copies("by_fold", "lists")
@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Evaluation):
    """The evaluation of all persons of several folds; `pooled` makes it.

    A person's value is the mean over the folds in which there is one. ``per_user``, ``summary``,
    tests and intervals are over persons, so that a person in one fold counts as much as a person
    in five. A comparison of two systems takes of each person the folds in which both have a value.

    Attributes
    ----------
    by_fold : DataFrame
        What each fold's ``summary`` is: indexed by (fold, system), measures in columns.
    test_to_train : float or None
        Size of a test set over that of its training set, mean over folds; None where not known.
    set_level : {"mean", "union"}
        What `summary` has of measures of all lists together: the mean over folds, or the value of
        the lists of all folds together.
    lists : Series
        Number of lists by (fold, system), which measures of all lists together are of; NaN where
        not known.
    tied_folds : int
        In how many folds equal scores leave a mean open. `ties` is empty where a person stands in
        several folds.
    """

    by_fold: pd.DataFrame = field(default_factory=pd.DataFrame)
    test_to_train: float | None = None
    set_level: str = "mean"
    lists: pd.Series[float] = field(default_factory=lambda: pd.Series(dtype=float))
    tied_folds: int = 0

    @property
    def per_row(self) -> pd.DataFrame:
        """Every value by (system, fold, user): a person stands once in each of their folds."""
        rows = {name: one.rows for name, one in self._of_folds.items()}
        return pd.concat(rows, names=["system"])

    @property
    def summary(self) -> pd.DataFrame:
        """Means over persons and set-level values: systems in rows, measures in columns.

        Measures of all lists together (CC, PC, Gini, LTP) are means over folds, or under
        ``set_level="union"`` of the lists of all folds. RMSE, MSE and MAE are of all ratings of all
        folds.
        """
        return super().summary

    @cached_property
    def _summary(self) -> pd.DataFrame:
        """The table behind ``summary``, computed once."""
        table = self._means_and_states()
        over = self._macro if self.set_level == "mean" else self._micro
        return table.assign(**over[self._set_level_names])

    @property
    def spread(self) -> pd.DataFrame:
        """Standard deviation (n - 1) over folds: systems in rows, measures in columns."""
        return self.by_fold.groupby(level="system", sort=False).std()

    @property
    def means(self) -> pd.DataFrame:
        """Micro and macro means over folds, neither of which is the mean over persons.

        Returns
        -------
        DataFrame
            Indexed by (system, mean), ``mean`` being ``"micro"`` (all rows of all folds together, a
            person in two folds counting twice; set-level measures over the lists of all folds) or
            ``"macro"`` (the mean of the folds' values); measures in columns, then the number of
            ``folds`` and of ``users`` judged in them, and where a user stands in several folds the
            number of ``rows``. A measure that has no value for some of these has a further column,
            such as ``AUC users``, of how many do, and ``AUC rows``.

        Notes
        -----
        The two agree when all folds have the same number of users, but for set-level measures.
        Document 000's programs take the micro mean, document 001's text the macro one. Where
        nobody stands in two folds the micro mean is that over persons.
        """
        both = {"micro": self._micro, "macro": self._macro}
        table = pd.concat(both, names=["mean"]).swaplevel().loc[list(product(self.systems, both))]
        users = self.counts["judged"]
        fewer = self.n.columns[self.n.lt(users, axis=0).any()]
        parts = [users.to_frame("users"), self.n[fewer].add_suffix(" users")]
        if "rows" in self.counts:
            rows = self.counts["rows"]
            with_value = [
                {name: one.count for name, one in system.row_sums.items()}
                for system in self._of_folds.values()
            ]
            n_rows = self._by_system(with_value, list(self.n.columns))
            fewer = n_rows.columns[n_rows.lt(rows, axis=0).any()]
            parts.insert(1, rows.to_frame("rows"))
            parts.append(n_rows[fewer].add_suffix(" rows"))
        return table.assign(folds=self._folds).join(pd.concat(parts, axis=1), on="system")

    @property
    def _micro(self) -> pd.DataFrame:
        """Means over rows; values of all users together over those of all folds."""
        of_rows = [
            {name: one.mean() for name, one in system.row_sums.items()}
            for system in self._of_folds.values()
        ]
        table = self._means_and_states()
        together = super()._of_all
        for name, column in self._by_system(of_rows).items():
            if name not in together:
                table[name] = column
        return table

    @cached_property
    def _macro(self) -> pd.DataFrame:
        """Means over folds."""
        return self.by_fold.groupby(level="system", sort=False).agg(mean).loc[self.systems]

    @property
    def _set_level_names(self) -> list[str]:
        """The measures of all lists of a fold together."""
        return [one.name for one in self.measures if not self._is_of_each(one)]

    def _is_of_each(self, measure: Measure) -> bool:
        return measure.per_user and measure.stated.name not in OF_LISTS

    @property
    def _of_all(self) -> list[str]:
        together = super()._of_all
        return [*together, *(name for name in self._set_level_names if name not in together)]

    @property
    def _of_folds(self) -> Mapping[Hashable, OfFolds]:
        """The systems, with their rows."""
        return cast("Mapping[Hashable, OfFolds]", self._systems)

    def where(self, users: Any) -> Pooled:
        """The same of some persons only, in each of their folds; as `Evaluation.where`."""
        return self._part(user_mask(self._users, users))

    def _part(self, is_chosen: BoolArray) -> Pooled:
        """The folds of some persons."""
        persons = self._users[is_chosen]
        systems: dict[Hashable, System] = {}
        summaries = {}
        for name, one in self._of_folds.items():
            rows = one.rows[one.rows.index.get_level_values("user").isin(persons)]
            systems[name] = _of_rows(rows, {}, one.item_kind)
            summaries[name] = rows.groupby(level="fold", sort=False).agg(mean)
        # Measures of all users together can't be told from values of users.
        together = super()._of_all
        each = [one.name for one in self.measures]
        by_fold = pd.concat(summaries, names=["system"]).swaplevel()
        by_fold = by_fold.drop(columns=together, errors="ignore").reindex(columns=each)
        folds = by_fold.index.unique("fold")
        by_fold = by_fold.loc[list(product(folds, self.systems))]
        lists = pd.Series(np.nan, by_fold.index)
        return Pooled(self._task, systems, by_fold, None, self.set_level, lists)

    def _of_pairs(self, names: list[str], pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        """The values of both systems, of each person over the folds in which both have one."""
        found = super()._of_pairs(names, pairs)
        for base, system in pairs:
            rows_of_base = self._of_folds[base].rows[names]
            rows_of_system = self._of_folds[system].rows[names].reindex(rows_of_base.index)
            lacking = rows_of_system.isna().to_numpy() | rows_of_base.isna().to_numpy()
            one_sided = rows_of_system.isna().to_numpy() != rows_of_base.isna().to_numpy()
            if one_sided.any():
                both = (rows_of_system.mask(lacking), rows_of_base.mask(lacking))
                found[base, system] = tuple(by_person(rows) for rows in both)
        return found

    def resampled_t(
        self,
        baseline: str | Iterable[str] | None = None,
        *,
        correction: str | None = "holm",
    ) -> pd.DataFrame:
        """Nadeau and Bengio's corrected resampled t-test of systems, fold by fold.

        Parameters
        ----------
        baseline : str or iterable of str, optional
            The system or systems that all others are compared with. Default: all pairs.
        correction : str, default "holm"
            As in `receval.significance`, ``adjust``; over all comparisons.

        Returns
        -------
        DataFrame
            Indexed by (measure, system, baseline): ``difference``, mean over folds, its ``spread``
            (standard deviation over folds), ``t``, ``p`` and ``corrected``. Measures of all users
            together are among them. NaN where fewer than two folds have a value.

        Raises
        ------
        InputError
            If the sizes of the training sets are not known, a baseline is no system, or there are
            fewer than two systems or folds.
        """
        if self.test_to_train is None:
            advice = "Say with pooled(folds, train_sizes=…) how many users each was trained on"
            raise input_error("resampled_t", "have the sizes of training sets", "none", advice)
        if self._folds < 2:
            raise input_error("resampled_t", "have at least two folds", self._folds)
        rows = {}
        for name, (base, system) in product(self.by_fold, pairs_of(self, baseline)[1]):
            a, b = (self.by_fold[name].xs(one, level="system") for one in (system, base))
            d = a - b
            known = d.count() > 1  # a measure may have no value in a fold
            found = resampled_t(a, b, test_to_train=self.test_to_train) if known else None
            tested = (found.statistic, found.p) if found else (np.nan, np.nan)
            rows[name, system, base] = d.mean(), d.std(), *tested
        index = pd.MultiIndex.from_tuples(rows, names=["measure", "system", "baseline"])
        table = pd.DataFrame(rows.values(), index, ["difference", "spread", "t", "p"])
        return table.assign(corrected=adjust(table["p"], correction=correction))

    @property
    def _methods(self) -> str:
        words = WORDS["folds"]
        told = [super()._methods, words["pooled"].format(self._folds, self._persons)]
        told += [f"{text[0].upper()}{text[1:]}." for text in self._on_sets()]
        told.append(words["generalises"])
        if self.test_to_train is not None:
            told.append(words["tested"].format(self.test_to_train))
        return " ".join(told)

    @property
    def _scope(self) -> str:
        return WORDS["folds"]["scope"].format(self._folds)

    @property
    def _persons(self) -> str:
        """How many people and rows there are, in words."""
        return f"{len(self._users):,} people, {self._n_rows:,} rows"

    @property
    def _n_rows(self) -> int:
        """How many rows each system has over all folds; a person has one in each of theirs."""
        return len(next(iter(self._of_folds.values())).rows)

    @property
    def _folds(self) -> int:
        return int(self.by_fold.index.unique("fold").size)

    def _on_sets(self) -> list[str]:
        """What measures of all lists together are of, if there are any."""
        if not self._set_level_names:
            return []
        text = WORDS["folds"][self.set_level]
        return [text.format(", ".join(self._set_level_names), self._folds, self._lists_in_words())]

    def _lists_in_words(self) -> str:
        """How many lists each fold has."""
        by_system = {}
        for system, lists in self.lists.groupby(level="system", sort=False):
            counts = lists.droplevel("system")
            if counts.isna().any():
                by_system[system] = "an unknown number of lists"
            elif counts.min() == counts.max():
                by_system[system] = f"{counts.iloc[0]:,.0f} lists each"
            elif len(counts) <= SHOWN_FOLDS:
                told = [f"{count:,.0f} ({fold})" for fold, count in counts.items()]
                by_system[system] = f"{', '.join(told)} lists"
            else:
                by_system[system] = f"{counts.min():,.0f} to {counts.max():,.0f} lists"
        if len({*by_system.values()}) == 1:
            return next(iter(by_system.values()))
        return format_first(
            [f"{told} of {system!r}" for system, told in by_system.items()], SHOWN_FOLDS
        )

    def _notes(self, digits: int) -> list[str]:
        ends = self.spread.agg(["min", "max"]).map(lambda x: f"{x:.{digits}f}")
        found = [f"{name} {' to '.join(dict.fromkeys(own))}" for name, own in ends.items()]
        over = f"standard deviation over {self._folds} folds: {', '.join(found)}"
        notes = super()._notes(digits)
        if self._n_rows > len(self._users):  # somebody stands in several folds
            notes.append(f"means over persons: {self._persons} of {self._folds} folds")
        notes += self._on_sets()
        if self.tied_folds and "rows" in self.counts:
            notes.append(WORDS["folds"]["ties"].format(self.tied_folds, self._folds))
        return [*notes, over]

    def __eq__(self, other: object) -> bool:
        """Whether all values, also of each fold, and all that is known of them are equal."""
        if not isinstance(other, Pooled):
            return NotImplemented
        # Of names of folds only their text is kept in a file.
        rows = [one.per_row.rename(str, level="fold") for one in (self, other)]
        return super().__eq__(other) is True and bool(rows[0].equals(rows[1]))

    __hash__ = Evaluation.__hash__

    @property
    def _record(self) -> dict[str, Any]:
        names = [tuple(map(to_json_value, key)) for key in self.by_fold.index]
        by_fold = {**self.by_fold.to_dict("split"), "index": names}
        lists = [None if np.isnan(count) else int(count) for count in self.lists]
        kept = {
            "format": FORMAT_OF_FOLDS,
            "kind": "Pooled",
            "by_fold": by_fold,
            "lists": lists,
            "set_level": self.set_level,
            "tied_folds": self.tied_folds,
            "test_to_train": self.test_to_train,
        }
        return super()._record | kept

    def _write(self, path: Path) -> None:
        with Writer(path) as writer:
            writer.add({name: one.rows for name, one in self._of_folds.items()})
            writer.finish(self._record, self._systems)

    @classmethod
    def _read(cls, source: SourceFile, record: dict[str, Any]) -> Pooled:
        if record["format"] < FORMAT_OF_FOLDS:
            rule = "say of which fold each row is, as files of pooled folds do from format 2 on"
            got = f"format {record['format']}, written by receval {shorten(record.get('receval'))}"
            raise input_error(source.name, rule, got, "Pool the folds again")
        check_record(record, POOLED, source.name)
        by_fold = record["by_fold"]
        folds = {fold: None for fold, _ in by_fold["index"]}
        systems = [system["name"] for system in record["systems"]]
        keys = [list(pair) for pair in product(folds, systems)]
        if not keys or keys != by_fold["index"] or by_fold["columns"] != record["measures"]:
            rule = "hold every fold and system, and every measure"
            raise input_error(f"by_fold in {source.name}", rule, shorten(by_fold))
        if len(record["lists"]) != len(keys):
            rule = f"be {len(keys)} numbers, of every fold and system"
            raise input_error(f"lists in {source.name}", rule, shorten(record["lists"]))
        by_fold["index"] = pd.MultiIndex.from_tuples(map(tuple, by_fold["index"]))
        frame = pd.DataFrame(**by_fold).rename_axis(["fold", "system"])
        lists = pd.Series(record["lists"], frame.index, dtype=float)
        task, stored = load_systems(source, record)
        of_folds = {name: _read_rows(cast(FileResult, one), folds) for name, one in stored.items()}
        return cls(
            task,
            of_folds,
            frame,
            record["test_to_train"],
            record["set_level"],
            lists,
            record["tied_folds"],
        )


def _read_rows(stored: FileResult, folds: Iterable[Any]) -> System:
    """A system as its file has it, row by row."""
    rows = stored.of_folds()
    by_text = {str(fold): fold for fold in folds}
    levels = rows.index.unique("fold")
    if {*levels} != {*by_text}:
        rule = f"name in its column 'fold' the folds {format_first(list(by_text))}"
        raise input_error(stored.file.name, rule, format_first(list(map(repr, levels))))
    return OfFolds(
        by_person(rows),
        stored.counts,
        stored.item_kind,
        stored.foreign,
        stored.like_ranks,
        stored.ties,
        stored.states,
        stored.facts,
        rows=rows.rename(by_text, level="fold"),
    )


def by_person(rows: pd.DataFrame) -> pd.DataFrame:
    """Of every person the mean over the folds in which there is a value, NaN where there is none.

    The order of the folds changes no bit, and the mean of equal values is that value.
    """
    codes, persons = pd.factorize(rows.index.get_level_values("user"), sort=True)
    columns = {}
    for name, column in rows.items():
        values = column.to_numpy()
        order = np.lexsort((values, codes))
        order = order[~np.isnan(values[order])]  # the rest is sorted by person, then by value
        person, value = codes[order], values[order]
        n = np.bincount(person, minlength=len(persons))
        means = np.full(len(persons), np.nan)
        has_value = n > 0
        last = np.cumsum(n)[has_value] - 1
        first = last - n[has_value] + 1
        sums = np.bincount(person, weights=value, minlength=len(persons))[has_value]
        # A rounded sum can leave the range of the values, which a mean can't.
        means[has_value] = np.clip(sums / n[has_value], value[first], value[last])
        columns[name] = means
    return pd.DataFrame(columns, index=pd.Index(persons, name="user"), columns=rows.columns)


def pooled(
    folds: Mapping[Any, Evaluation],
    train_sizes: Mapping[Any, Any] | None = None,
    set_level: str = "mean",
) -> Pooled:
    r"""One evaluation of all persons of several folds.

    Parameters
    ----------
    folds : mapping
        Name of each fold and its `Evaluation`, all with the same systems, measures, convention,
        size of the catalogue, and kinds of user and item ids.
    train_sizes : mapping, optional
        For each fold the number of users that the systems were trained on; or, where folds divide
        rows and not users, a pair of the numbers of rows trained and tested on. With it
        ``resampled_t`` tests the systems over folds.
    set_level : {"mean", "union"}, default "mean"
        What becomes of measures of all lists together (CC, PC, Gini, LTP): the mean of the folds'
        values; or the value of the lists of all folds together, which is another quantity: five
        folds show more of a catalogue than one.

    Returns
    -------
    Pooled
        An `Evaluation` of all persons, with ``by_fold`` and ``spread`` over folds; ``means`` has
        micro and macro means, ``per_row`` the values of each fold.

    Raises
    ------
    InputError
        If there is no fold, a fold is no `Evaluation`, folds differ in one of the above, a
        training set has no size above 0, or ``set_level`` is another.

    Notes
    -----
    A user id means one person in all folds. The value :math:`x_u` of a person is the mean over the
    :math:`n_u` folds in which there is one, and a mean is over persons:

    .. math:: \bar{x} = \frac{1}{|U|} \sum_{u \in U} \frac{1}{n_u} \sum_{f} x_{u, f}

    Tests and intervals are over the same persons, who are independent of one another, as the rows
    of one person in several folds are not: a test by rows finds a difference where there is none
    far more often than its level says. Tests over persons
    generalise to other people, the trained systems being as they are. They don't generalise to
    other training sets, which folds share in part: `Pooled.resampled_t` allows for it.

    Equal scores leave open what `Pooled.ties` says only if nobody stands in several folds;
    otherwise the evaluation of each fold says it.

    Examples
    --------
    >>> from receval import evaluate
    >>> truth = {"user": [1, 2, 3], "item": ["a", "b", "c"], "relevance": [1, 1, 1]}
    >>> recs = {"user": [1, 2, 3], "item": ["a", "x", "c"], "score": [1.0, 1.0, 1.0]}
    >>> whole = evaluate(recs, truth, "HR")
    >>> result = pooled({"first": whole.where([1]), "second": whole.where([2, 3])})
    >>> result.means[["HR", "users"]].round(3)
                    HR  users
    system mean
           micro 0.667      3
           macro 0.750      3

    Somebody in two folds counts once.

    >>> twice = pooled({"first": whole.where([1, 2]), "second": whole.where([2, 3])})
    >>> twice.summary["HR"].item(), twice.means["HR"].tolist()
    (0.6666666666666666, [0.5, 0.5])
    """
    _check_alike(folds)
    check_choice(set_level, "set_level", SET_LEVELS)
    each = list(folds.values())
    systems = {name: _pool_systems(folds, name) for name in each[0].systems}
    by_fold = pd.concat({name: fold.summary for name, fold in folds.items()}, names=["fold"])
    n_lists = {name: _n_lists(fold) for name, fold in folds.items()}
    lists = pd.concat(n_lists, names=["fold"]).reindex(by_fold.index)
    ratio = None if train_sizes is None else _test_to_train(folds, train_sizes)
    tied_folds = sum(map(_has_ties, each))
    return Pooled(each[0]._task, systems, by_fold, ratio, set_level, lists, tied_folds)


def _has_ties(fold: Evaluation) -> bool:
    """Whether equal scores leave a mean of a fold open."""
    if fold._task.context.convention.ties == "average":
        return False
    rows = [row for one in fold._systems.values() for row in one.ties.values()]
    return any(row["users"] for row in rows)


def _n_lists(fold: Evaluation) -> pd.Series[float]:
    """How many lists of judged users a fold has, by system; NaN where it is not known."""
    counts = fold.counts
    if "answered" in counts:
        return counts["answered"].astype(float)
    return pd.Series(np.nan, counts.index)


def _pool_systems(folds: Mapping[Any, Evaluation], name: Hashable) -> System:
    """A system in all folds."""
    for fold in folds.values():
        fold._settle()
    parts = [one._systems[name] for one in folds.values()]
    frames = {fold: part.values() for fold, part in zip(folds, parts, strict=True)}
    n, ties, states = (_shared_values(parts, what) for what in ("n", "ties", "states"))
    of_all = {one.name: one.of_all for one in next(iter(folds.values())).measures if one.of_all}
    counts = {what: sum(numbers) for what, numbers in _shared_values(parts, "counts").items()}
    return _of_rows(
        pd.concat(frames, names=["fold", "user"]),
        counts,
        parts[0].item_kind,
        max(part.foreign for part in parts),
        any(part.like_ranks for part in parts),
        {measure: _ties(rows, n[measure]) for measure, rows in ties.items()},
        {measure: reduce(of_all[measure].combine, each) for measure, each in states.items()},
        _facts([part.facts for part in parts]),
    )


def _of_rows(
    rows: pd.DataFrame,
    counts: dict[str, int],
    item_kind: str,
    foreign: int = 0,
    like_ranks: bool = False,
    ties: dict[str, dict[str, float]] | None = None,
    states: dict[str, Any] | None = None,
    facts: dict[str, Any] | None = None,
) -> OfFolds:
    """A system with these rows, where ``counts`` and ``ties`` are of rows.

    If a person has several rows, the means that ties leave open are not known: what is known of
    ties is the mean over each fold's rows.
    """
    persons = by_person(rows)
    ties, states, facts = ties or {}, states or {}, facts or {}
    judged = {"judged": len(persons)}
    if len(persons) < len(rows):
        of_rows = {f"rows {what}": number for what, number in counts.items() if what != "judged"}
        counts, ties = {**judged, "rows": len(rows), **of_rows}, {}
    else:
        counts = {**counts, **judged}
    return OfFolds(persons, counts, item_kind, foreign, like_ranks, ties, states, facts, rows=rows)


def _facts(facts_of_folds: list[dict[str, Any]]) -> dict[str, Any]:
    """The facts that notes are made from, of all folds; none if they are unknown of a fold."""
    if not all(facts_of_folds):
        return {}
    together: dict[str, Any] = reduce(merge_signs, facts_of_folds)
    # The same id can be misspelt in several folds, so that their counts can't be added.
    alike: dict[str, list[Any]] = {}
    for facts in facts_of_folds:
        for what, (count, *examples) in facts.get("alike", {}).items():
            if what not in alike or count > alike[what][0]:
                alike[what] = [count, *examples]
    return {**together, "alike": alike}


def _shared_values(parts: list[System], what: str) -> dict[str, list[Any]]:
    """Those of an attribute's values that every part has, by what they are called."""
    each = [getattr(part, what) for part in parts]
    names = [name for name in each[0] if all(name in one for one in each)]
    return {name: [one[name] for one in each] for name in names}


def _ties(rows: list[dict[str, float]], n: list[int]) -> dict[str, float]:
    """What ties leave open of the mean of all folds."""
    weights = np.array(n)
    table, weights = pd.DataFrame(rows)[weights > 0], weights[weights > 0]
    means = {str(name): float(one @ weights / weights.sum()) for name, one in table.items()}
    return {**means, "users": int(table["users"].sum())}


def _test_to_train(folds: Mapping[Any, Evaluation], sizes: Mapping[Any, Any]) -> float:
    """The mean over folds of the size of the test set over that of the training set."""
    if not isinstance(sizes, Mapping) or sizes.keys() != folds.keys():
        rule = f"be a dict from each fold to a size, of the folds {list(folds)}"
        raise input_error("train_sizes", rule, shorten(sizes))
    ratios = []
    for name, size in sizes.items():
        judged = folds[name].counts["judged"].iloc[0]
        pair = size if isinstance(size, (tuple, list)) and len(size) == 2 else (size, judged)
        what = f"train_sizes of {name!r}"
        train, test = (check_number(one, what, "a number above 0", lambda x: x > 0) for one in pair)
        ratios.append(test / train)
    return float(np.mean(ratios))


def _check_alike(folds: Mapping[Any, Evaluation]) -> None:
    """Refuse folds whose values mean different things."""
    given = list(folds.values()) if isinstance(folds, Mapping) else [folds]
    wrong = [type(one).__name__ for one in given if not isinstance(one, Evaluation)]
    if wrong or not given:
        rule = "be a dict from the name of each fold to its evaluation, as evaluate answers"
        raise input_error("folds", f"{rule}, at least one", wrong[0] if wrong else "none")
    if len({*map(str, folds)}) < len(folds) or any(isinstance(one, tuple) for one in folds):
        rule = "be text, numbers or dates that differ as text"
        raise input_error("names of folds", rule, shorten(list(folds)))
    check_text(map(str, folds), "names of folds")
    (name, first), *others = ((name, _kinds(one)) for name, one in folds.items())
    for (fold, other), what in product(others, first):
        if other[what] != first[what]:
            got = f"{shorten(first[what])} in {name!r} and {shorten(other[what])} in {fold!r}"
            raise input_error("folds", f"have the same {what}", got)


def _kinds(one: Evaluation) -> dict[str, Any]:
    """What folds must have in common, by what it is called."""
    return {
        "systems and measures": (one.systems, [measure.name for measure in one.measures]),
        "convention": one._task.context.convention,
        "size of the catalogue": one._task.context.n_items,
        "auc_catalogue": one._task.context.auc_catalogue,
        "kind of item ids": next(iter(one._systems.values())).item_kind,
        "kind of user ids": "integer" if one._users.inferred_type == "integer" else "text",
        "parameters of systems": str(one._record["parameters"]),
        **{name: getattr(one._task, name) for name in CHOICES},
    }
