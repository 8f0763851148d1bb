"""Pool folds: make one result of all persons in the folds, and show how much the folds differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TypeVar, cast

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    BoolArray,
    FloatArray,
    Id,
    IntArray,
    Record,
    check_choice,
    check_number,
    format_first,
    input_error,
    shorten,
)
from receval.definitions.definition import Measure
from receval.evaluation.file import load_systems, to_json_value
from receval.evaluation.groups import UserChoice, user_mask
from receval.evaluation.measured import MemoryResult, System, ValuesOnlyResult
from receval.evaluation.methods import as_sentence
from receval.evaluation.protocols import MeasureInfo, PairedValues, SystemPair
from receval.evaluation.result import Evaluation
from receval.evaluation.selection import select_pairs
from receval.evaluation.settings import WORDS
from receval.evaluation.signs import merge_facts
from receval.significance import adjust, resampled_t

__all__ = ["Pooled", "pooled"]

Entry = TypeVar("Entry")

SET_LEVELS = ("mean", "union")
"""The allowed values of the argument ``set_level``."""

LIST_MEASURES = ("PC",)
"""Measures of all lists of a fold that nevertheless have a value for each user."""

ROUNDING = 1e-12
"""The largest difference between two means that rounding can make."""

COMMON_TASK_FIELDS = ("duplicates", "seen", "users")
"""Arguments of `evaluate` that must be the same in all folds."""

MAX_SYSTEMS_IN_NOTE = 10
"""If systems have different numbers of lists, a note gives them for at most this many systems."""


@dataclass(frozen=True, eq=False)
class FoldsResult(ValuesOnlyResult):
    """The values of one system over folds.

    Attributes
    ----------
    frame : DataFrame
        A row for each person: the mean over their folds.
    rows : DataFrame
        A row for each person in each fold, indexed by (fold, user).
    """

    rows: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    def of_user(self, user: Id) -> MemoryResult:  # noqa: ARG002 (it refuses every user)
        """Refuse to explain a value, because a person may have a list in each fold."""
        advice = "Call explain of the evaluation of a fold"
        raise input_error(
            "explain", "be called on the evaluation of one fold", "all folds together", advice
        )


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Evaluation):
    """The evaluation of all persons of several folds; `pooled` makes it.

    A person's value is the mean over the folds in which the person has a value. ``per_user``,
    ``summary``, tests and intervals are over persons, so a person in one fold counts as much as a
    person in five. A comparison of two systems uses, for each person, the folds in which both
    systems have a value.

    Attributes
    ----------
    by_fold : DataFrame
        The ``summary`` of each fold, indexed by (fold, system), with measures in columns.
    test_to_train : float or None
        The size of a test set divided by the size of its training set, as the mean over folds; None
        if not known.
    set_level : {"mean", "union"}
        The value that `summary` shows for measures of all lists together: the mean of the folds'
        values, or the value for the lists of all folds together.
    n_lists : Series
        The number of lists that measures of all lists use, by (fold, system); NaN if not known.
    tied_folds : int
        The number of folds in which a mean depends on the order of equal scores. `ties` is empty if
        a person is in several folds.
    """

    _by_fold: pd.DataFrame = field(default_factory=pd.DataFrame)
    test_to_train: float | None = None
    set_level: str = "mean"
    _n_lists: pd.Series[float] = field(default_factory=lambda: pd.Series(dtype=float))
    tied_folds: int = 0

    # Data -----------------------------------------------------------------------------------------

    @property
    def by_fold(self) -> pd.DataFrame:
        """Return a copy of the means of each fold."""
        return self._by_fold.copy()

    @property
    def n_lists(self) -> pd.Series[float]:
        """Return a copy of the numbers of lists."""
        return self._n_lists.copy()

    @property
    def _fold_systems(self) -> Mapping[Id, FoldsResult]:
        """Return the systems by name, for the type checker as results with values by fold."""
        return cast("Mapping[Id, FoldsResult]", self._systems)

    @property
    def per_row(self) -> pd.DataFrame:
        """Return every value by (system, fold, user): a person has a row in each of their folds."""
        rows = {name: system.rows for name, system in self._fold_systems.items()}
        return pd.concat(rows, names=["system"])

    @property
    def summary(self) -> pd.DataFrame:
        """Return means over persons and set-level values: systems in rows, measures in columns.

        Measures of all lists together (CC, PC, Gini, LTP) are means over folds. Under
        ``set_level="union"``, they are computed from the lists of all folds. RMSE, MSE and MAE are
        computed from the ratings of all folds.
        """
        return super().summary

    @cached_property
    def _summary(self) -> pd.DataFrame:
        """Return the table of ``summary``: means over persons, and values of all lists together.

        The table is computed only once.
        """
        table = self._means_and_set_values()
        # For measures of all lists of a fold, take the mean of the folds' values (macro), or the
        # value for the lists of all folds together (micro).
        if self.set_level == "mean":
            set_level_table = self._macro_means
        else:
            set_level_table = self._micro_means
        return table.assign(**set_level_table[self._list_measures])

    @property
    def spread(self) -> pd.DataFrame:
        """Return standard deviations (n - 1) over folds: systems in rows, measures in columns."""
        return self.by_fold.groupby(level="system", sort=False).std()

    @property
    def means(self) -> pd.DataFrame:
        """Return micro and macro means over folds, which differ from the mean over persons.

        Returns
        -------
        DataFrame
            Indexed by (system, mean), where ``mean`` is ``"micro"`` or ``"macro"``. The micro mean
            goes over all rows of all folds, so a person in two folds counts twice; set-level
            measures use the lists of all folds. The macro mean is the mean of the folds' values.
            The measures are in columns. The last columns are the number of ``folds``, the number of
            judged ``users`` and, if a user is in several folds, the number of ``rows``. If a
            measure has no value for some users, columns such as ``AUC users`` and ``AUC rows``
            count the users and rows with a value.

        Notes
        -----
        Except for set-level measures, the two means agree if all folds have the same number of
        users. Document 000's programs take the micro mean, and document 001's text describes the
        macro mean. If nobody is in two folds, the micro mean equals the mean over persons.
        """
        tables = {"micro": self._micro_means, "macro": self._macro_means}
        # Index by (system, mean), and bring the two means of each system together.
        table = pd.concat(tables, names=["mean"]).swaplevel()
        table = table.loc[list(product(self.systems, tables))]
        # Add the numbers of folds, users and rows.
        return table.assign(folds=self._n_folds).join(self._numbers_of_means, on="system")

    @property
    def _numbers_of_means(self) -> pd.DataFrame:
        """Return the numbers of users and rows in `means`, with systems in rows.

        The columns are ``users`` and, if a person is in several folds, ``rows``. If a measure such
        as AUC lacks a value for some users or rows, the table also has the columns "AUC users" and
        "AUC rows".
        """
        # Count the users. If a measure lacks a value for some users, count the users with a value.
        n_users = self.counts["judged"]
        lacks_users = self.n.lt(n_users, axis=0).any()
        users_with_value = self.n.loc[:, lacks_users].add_suffix(" users")
        if "rows" not in self.counts:  # nobody is in several folds
            return pd.concat([n_users.to_frame("users"), users_with_value], axis=1)

        # Do the same for rows; a user has one in each of their folds.
        n_rows = self.counts["rows"]
        counts_of_rows = [
            {str(name): n for name, n in system.rows.count().items()}
            for system in self._fold_systems.values()
        ]
        n_rows_by_measure = self._by_system(counts_of_rows, list(self.n.columns))
        lacks_rows = n_rows_by_measure.lt(n_rows, axis=0).any()
        rows_with_value = n_rows_by_measure.loc[:, lacks_rows].add_suffix(" rows")
        sizes = [n_users.to_frame("users"), n_rows.to_frame("rows")]
        return pd.concat([*sizes, users_with_value, rows_with_value], axis=1)

    @property
    def _micro_means(self) -> pd.DataFrame:
        """Return means over the rows of all folds, and set-level values of the lists of all folds.

        A row has the values of one person in one fold. A set-level measure has one value for all
        users together. The table has systems in rows and measures in columns.
        """
        means_of_rows = [
            {str(name): mean(column) for name, column in system.rows.items()}
            for system in self._fold_systems.values()
        ]
        # This table has means over persons: replace them, but keep the values of set-level
        # measures. Ask the base class for the names of these measures. Its list doesn't have
        # measures such as PC, which have a value for each row.
        table = self._means_and_set_values()
        set_level_names = super()._set_level_measures
        for name, column in self._by_system(means_of_rows).items():
            if name not in set_level_names:
                table[name] = column
        return table

    @cached_property
    def _macro_means(self) -> pd.DataFrame:
        """Return the mean over folds of each value in `by_fold`."""
        return self.by_fold.groupby(level="system", sort=False).agg(mean).loc[self.systems]

    @property
    def _list_measures(self) -> list[str]:
        """Return the names of the measures of all lists of a fold together."""
        return [measure.name for measure in self.measures if not self._has_user_values(measure)]

    @property
    def _n_folds(self) -> int:
        return int(self.by_fold.index.unique("fold").size)

    @property
    def _n_rows(self) -> int:
        """Return the number of rows of each system; a person has a row in each of their folds."""
        return len(next(iter(self._fold_systems.values())).rows)

    # Comparisons ----------------------------------------------------------------------------------

    def _has_user_values(self, measure: MeasureInfo) -> bool:
        is_of_lists = isinstance(measure, Measure) and measure.spec.name in LIST_MEASURES
        return measure.per_user and not is_of_lists

    @property
    def _set_level_measures(self) -> list[str]:
        return list(dict.fromkeys([*super()._set_level_measures, *self._list_measures]))

    def _paired_values(
        self, names: list[str], pairs: list[SystemPair]
    ) -> Mapping[SystemPair, PairedValues]:
        """Return the values of both systems of each pair (baseline, system), by pair.

        The values are indexed by person and have a column for each measure in ``names``. The value
        of a person is the mean over the folds in which both systems have a value.
        """
        # Each of these values is a mean over the folds in which its system has a value. The values
        # are right for a pair if both systems have values in the same folds of each person.
        values_by_pair = dict(super()._paired_values(names, pairs))
        for baseline, system in pairs:
            baseline_rows = self._fold_systems[baseline].rows[names]
            system_rows = self._fold_systems[system].rows[names].reindex(baseline_rows.index)
            is_missing_in_system = system_rows.isna().to_numpy()
            is_missing_in_baseline = baseline_rows.isna().to_numpy()
            if (is_missing_in_system == is_missing_in_baseline).all():
                continue
            # Leave out the rows in which either system has no value, and take the means again.
            is_missing = is_missing_in_system | is_missing_in_baseline
            values_by_pair[baseline, system] = PairedValues(
                by_person(system_rows.mask(is_missing)), by_person(baseline_rows.mask(is_missing))
            )
        return values_by_pair

    def resampled_t(
        self,
        baseline: str | Iterable[str] | None = None,
        *,
        correction: str | None = "holm",
    ) -> pd.DataFrame:
        """Compare systems fold by fold with Nadeau and Bengio's corrected resampled t-test.

        Parameters
        ----------
        baseline : str or iterable of str, optional
            The system or systems that all others are compared with. Default: all pairs.
        correction : str, default "holm"
            The correction over all comparisons, as in ``adjust`` of `receval.significance`.

        Returns
        -------
        DataFrame
            Indexed by (measure, system, baseline): ``difference`` (the mean over folds), its
            ``spread`` (the standard deviation over folds), ``t``, ``p`` and ``corrected``. Measures
            of all users together have rows, too. Cells are NaN if fewer than two folds have a
            value.

        Raises
        ------
        InputError
            If the sizes of the training sets are not known, a baseline is not a system, or there
            are fewer than two systems or folds.
        """
        test_to_train = self.test_to_train
        if test_to_train is None:
            advice = "Pass the number of users in each training set: pooled(folds, train_sizes=…)"
            raise input_error("resampled_t", "have the sizes of training sets", "none", advice)
        if self._n_folds < 2:
            raise input_error("resampled_t", "have at least two folds", self._n_folds)
        _, pairs = select_pairs(self.systems, baseline)
        # Test each pair under each measure, by the values of the folds.
        row_by_key = {}
        for name, column in self.by_fold.items():
            for baseline_name, system in pairs:
                row_by_key[name, system, baseline_name] = _resampled_t_row(
                    column.xs(system, level="system"),
                    column.xs(baseline_name, level="system"),
                    test_to_train,
                )
        index = pd.MultiIndex.from_tuples(row_by_key, names=["measure", "system", "baseline"])
        table = pd.DataFrame(row_by_key.values(), index, ["difference", "spread", "t", "p"])
        return table.assign(corrected=adjust(table["p"], correction=correction))

    # Users ----------------------------------------------------------------------------------------

    def where(self, users: UserChoice) -> Pooled:
        """Return the pooled folds of only some persons; see `Evaluation.where`."""
        return self._select_users(user_mask(self._users, users))

    def _select_users(self, is_chosen: BoolArray) -> Pooled:
        """Return the pooled folds of the chosen persons; ``is_chosen`` is a mask of the persons."""
        # Select the rows of these persons, and take the means of each fold again.
        persons = self._users[is_chosen]
        systems: dict[Id, System] = {}
        summaries = {}
        for name, system in self._fold_systems.items():
            rows = system.rows[system.rows.index.get_level_values("user").isin(persons)]
            # The rows don't show who has recommendations, so count only the judged persons.
            systems[name] = _system_of_rows(rows, counts={}, item_kind=system.item_kind)
            summaries[name] = rows.groupby(level="fold", sort=False).agg(mean)
        names = [measure.name for measure in self.measures]
        by_fold = pd.concat(summaries, names=["system"]).swaplevel()  # to (fold, system)
        # Set-level measures cannot be computed from values of users. Drop their averages, and let
        # reindex fill the columns with NaN.
        by_fold = by_fold.drop(columns=super()._set_level_measures, errors="ignore")
        by_fold = by_fold.reindex(columns=names)
        # Sort by fold, then by system. A fold without any of the persons has no row.
        folds = by_fold.index.unique("fold")
        by_fold = by_fold.loc[list(product(folds, self.systems))]
        return Pooled(
            self._options,
            systems,
            _by_fold=by_fold,
            test_to_train=None,  # the known ratio is for all persons
            set_level=self.set_level,
            _n_lists=pd.Series(np.nan, by_fold.index),  # not known
        )

    # Texts ----------------------------------------------------------------------------------------

    def _methods_paragraph(self) -> str:
        """Return the text for a methods section, with sentences on the folds.

        It cites the literature by keys such as "@nadeau2003".
        """
        words = WORDS["folds"]  # templates of sentences, by key
        sentences = [super()._methods_paragraph()]
        sentences.append(words["pooled"].format(self._n_folds, self._sizes_in_words()))
        sentences += [as_sentence(note) for note in self._list_measure_notes()]
        sentences.append(words["generalises"])
        if self.test_to_train is not None:
            sentences.append(words["tested"].format(self.test_to_train))
        return " ".join(sentences)

    @property
    def _scope(self) -> str:
        return WORDS["folds"]["scope"].format(self._n_folds)

    def _sizes_in_words(self) -> str:
        """Return the numbers of people and rows in words."""
        return f"{len(self._users):,} people, {self._n_rows:,} rows"

    def _list_measure_notes(self) -> list[str]:
        """Return a note on the measures of all lists of a fold together, or no note.

        The note names them, their kind of mean (``set_level``) and the numbers of lists.
        """
        if not self._list_measures:
            return []
        text = WORDS["folds"][self.set_level]
        names = ", ".join(self._list_measures)
        return [text.format(names, self._n_folds, self._lists_in_words())]

    def _lists_in_words(self) -> str:
        """Return the number of lists of each fold in words.

        If all systems have the same numbers, such as "12 to 14 lists each", these appear once.
        Otherwise, the text has the numbers of each system.
        """
        text_by_system = {
            system: _numbers_of_lists(counts.droplevel("system"))
            for system, counts in self.n_lists.groupby(level="system", sort=False)
        }
        if len({*text_by_system.values()}) == 1:
            return next(iter(text_by_system.values()))
        texts = [f"{text} of {system!r}" for system, text in text_by_system.items()]
        return format_first(texts, MAX_SYSTEMS_IN_NOTE)

    def _table_notes(self, digits: int) -> list[str]:
        """Return the notes under a table whose means have this number of decimals."""
        notes = super()._table_notes(digits)
        # A person has a row in each of their folds. Add a note if there are more rows than persons.
        if self._n_rows > len(self._users):
            sizes = self._sizes_in_words()
            notes.append(f"means over persons: {sizes} of {self._n_folds} folds")
        notes += self._list_measure_notes()
        # If nobody is in several folds, the ties are known, and the base class has noted them.
        if self.tied_folds and "rows" in self.counts:
            notes.append(WORDS["folds"]["ties"].format(self.tied_folds, self._n_folds))
        return [*notes, self._spread_note(digits)]

    def _spread_note(self, digits: int) -> str:
        """Return the note with the range of each measure's standard deviation over folds.

        The range extends from the system with the lowest deviation to the system with the highest,
        as in "HR 0.01 to 0.04". If both ends are equal with this number of decimals, the note shows
        the number once.
        """
        ends = self.spread.agg(["min", "max"]).map(lambda deviation: f"{deviation:.{digits}f}")
        ranges = [f"{name} {' to '.join(dict.fromkeys(texts))}" for name, texts in ends.items()]
        return f"standard deviation over {self._n_folds} folds: {', '.join(ranges)}"

    # Equality and files ---------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Return whether all values, the values of each fold, and the records are equal."""
        if not isinstance(other, Pooled):
            return NotImplemented
        # A file stores names of folds as text, so compare them as text.
        rows = self.per_row.rename(str, level="fold")
        other_rows = other.per_row.rename(str, level="fold")
        return super().__eq__(other) is True and bool(rows.equals(other_rows))

    def __hash__(self) -> int:
        return super().__hash__()

    def _to_record(self) -> Record:
        """Return everything except the values of the rows, as a dict for JSON.

        It is the record that the base class returns, with another kind and more entries.
        """
        # A dict with index, columns and data. The keys of the index are (fold, system), converted
        # to types that JSON has.
        by_fold = self.by_fold.to_dict("split")
        by_fold["index"] = [tuple(map(to_json_value, key)) for key in self.by_fold.index]
        # Numbers of lists, in the order of by_fold; JSON has no NaN for unknown ones.
        n_lists = [None if np.isnan(count) else int(count) for count in self.n_lists]
        return {
            **super()._to_record(),
            "kind": "Pooled",
            "by_fold": by_fold,
            "lists": n_lists,
            "set_level": self.set_level,
            "tied_folds": self.tied_folds,
            "test_to_train": self.test_to_train,
        }

    def _rows(self) -> pd.DataFrame:
        """Return the values of each person in each fold; a column names the fold.

        Raises an error if a measure has the name of this column.
        """
        if "fold" in self.per_row:
            rule = "not be called 'fold' in a file of pooled folds"
            raise input_error("measures", rule, "a measure of this name", "Give it another name")
        return self.per_row.reset_index()

    @classmethod
    def _from_saved(cls, frame: pd.DataFrame, record: Record) -> Pooled:
        table = record["by_fold"]
        index = pd.MultiIndex.from_tuples(map(tuple, table["index"]), names=["fold", "system"])
        by_fold = pd.DataFrame(table["data"], index, table["columns"])
        # The frame has the names of folds as text, and the record has the names.
        fold_by_text = {str(fold): fold for fold in index.unique("fold")}
        options, systems_in_file = load_systems(frame, record)
        systems: dict[Id, System] = {}
        for name, system in systems_in_file.items():
            rows = system.frame.rename(fold_by_text, level="fold")
            fields = {**vars(system), "frame": by_person(rows)}
            systems[name] = FoldsResult(**fields, rows=rows)
        return cls(
            options,
            systems,
            _by_fold=by_fold,
            test_to_train=record["test_to_train"],
            set_level=record["set_level"],
            _n_lists=pd.Series(record["lists"], by_fold.index, dtype=float),
            tied_folds=record["tied_folds"],
        )


def _numbers_of_lists(counts: pd.Series[float]) -> str:
    """Return the numbers of lists of one system in words.

    ``counts`` has the number of lists of each fold, indexed by fold; NaN if it is not known. An
    example is "12 to 14 lists each".
    """
    if counts.isna().any():
        return "an unknown number of lists"
    if counts.min() == counts.max():
        return f"{counts.iloc[0]:,.0f} lists each"
    return f"{counts.min():,.0f} to {counts.max():,.0f} lists each"


def _resampled_t_row(
    values: pd.Series[float], baseline_values: pd.Series[float], test_to_train: float
) -> tuple[float, float, float, float]:
    """Return difference, spread, t and p of two systems under one measure.

    ``values`` and ``baseline_values`` have the mean of each fold. The difference is the mean of the
    folds' differences, and the spread is their standard deviation. t and p are the results of the
    corrected resampled t-test; they are NaN if fewer than two folds have a value.
    """
    # The difference is NaN in folds in which a system has no value.
    differences = values - baseline_values
    statistic = np.nan
    p = np.nan
    if differences.count() > 1:
        result = resampled_t(values, baseline_values, test_to_train=test_to_train)
        statistic = result.statistic
        p = result.p
    return differences.mean(), differences.std(), statistic, p


# Pooling ------------------------------------------------------------------------------------------


def by_person(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the values of every person: the mean over the folds in which there is a value.

    ``rows`` is indexed by (fold, user), and the result by user; both have a column for each
    measure. A person without any value gets NaN. The means don't depend on the order of the folds,
    not even in the last bit, and the mean of equal values is exactly this value.
    """
    # Give the persons the codes 0, 1, 2, … in the order of their ids.
    codes, persons = pd.factorize(rows.index.get_level_values("user"), sort=True)
    n_persons = len(persons)
    columns = {name: _mean_by_code(column, codes, n_persons) for name, column in rows.items()}
    return pd.DataFrame(columns, index=pd.Index(persons, name="user"), columns=rows.columns)


def _mean_by_code(column: pd.Series[float], codes: IntArray, n_codes: int) -> FloatArray:
    """Return the mean of the values of each code from 0 to ``n_codes`` - 1.

    ``codes`` has the code of each value in the column. Values of NaN do not count. If a code has no
    other values, its mean is NaN.
    """
    values = column.to_numpy()
    # Sort by code, then by value, so that each sum adds its values in the same order.
    order = np.lexsort((values, codes))
    order = order[~np.isnan(values[order])]
    sorted_codes = codes[order]
    sorted_values = values[order]

    # The values of a code are adjacent now. For each code that has a value, ``first`` is the
    # position of the lowest value, and ``last`` the position of the highest.
    n_values = np.bincount(sorted_codes, minlength=n_codes)
    has_value = n_values > 0
    last = np.cumsum(n_values)[has_value] - 1
    first = last - n_values[has_value] + 1
    sums = np.bincount(sorted_codes, weights=sorted_values, minlength=n_codes)[has_value]
    means = np.full(n_codes, np.nan)
    # Sums are rounded. A mean can therefore lie outside the range of its values by a unit in the
    # last digit, so clip it to this range.
    means[has_value] = np.clip(
        sums / n_values[has_value], sorted_values[first], sorted_values[last]
    )
    return means


def pooled(
    folds: Mapping[Id, Evaluation],
    train_sizes: Mapping[Id, float | tuple[float, float]] | None = None,
    set_level: str = "mean",
) -> Pooled:
    r"""Pool several folds into one evaluation of all the people in them.

    Parameters
    ----------
    folds : mapping
        The `Evaluation` of each fold, by name of the fold. All must have the same systems,
        measures, convention, size of the catalogue, and kinds of user and item ids.
    train_sizes : mapping, optional
        The number of users that the systems were trained on, by name of the fold. If folds divide
        rows instead of users, pass two numbers for each fold, (training rows, test rows). The
        method ``resampled_t`` needs these sizes to test the systems over folds.
    set_level : {"mean", "union"}, default "mean"
        How to combine set-level measures (CC, PC, Gini, LTP): ``"mean"`` takes the mean of the
        folds' values, ``"union"`` computes the value for the lists of all folds together.
        These are different quantities: five folds show more of a catalogue than one.

    Returns
    -------
    Pooled
        An `Evaluation` of all persons. It also has ``by_fold``, the ``spread`` over folds, micro
        and macro ``means``, and the values of each fold in ``per_row``.

    Raises
    ------
    InputError
        If there is no fold, a fold is not an `Evaluation`, folds differ in a property that must be
        equal, the size of a training set is not above 0, or ``set_level`` is unknown.

    Notes
    -----
    A user id stands for the same person in all folds. The value :math:`x_u` of a person is the mean
    over the :math:`n_u` folds in which the person has a value. The mean of a measure is taken over
    persons:

    .. math:: \bar{x} = \frac{1}{|U|} \sum_{u \in U} \frac{1}{n_u} \sum_{f} x_{u, f}

    Tests and intervals use the same persons, who are independent of one another. The rows of one
    person in several folds are not independent, so a test on rows finds false differences far more
    often than its level says. The results of tests on persons generalise to other
    people, but not to other training sets. `Pooled.resampled_t` also takes into account that the
    training sets of the folds overlap.

    `Pooled.ties` has values only if nobody is in several folds. Otherwise, use ``ties`` of each
    fold's evaluation.

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

    A person in two folds counts once.

    >>> twice = pooled({"first": whole.where([1, 2]), "second": whole.where([2, 3])})
    >>> twice.summary["HR"].item(), twice.means["HR"].tolist()
    (0.6666666666666666, [0.5, 0.5])
    """
    _check_folds(folds)  # raises
    check_choice(set_level, "set_level", SET_LEVELS)
    evaluations = list(folds.values())
    first = evaluations[0]
    systems: dict[Id, System] = {name: _pool_system(folds, name) for name in first.systems}
    by_fold = pd.concat({name: fold.summary for name, fold in folds.items()}, names=["fold"])
    n_lists = pd.concat({name: _n_lists(fold) for name, fold in folds.items()}, names=["fold"])
    return Pooled(
        first._options,
        systems,
        _by_fold=by_fold,
        test_to_train=None if train_sizes is None else _test_to_train(folds, train_sizes),
        set_level=set_level,
        _n_lists=n_lists.reindex(by_fold.index),
        tied_folds=sum(_has_open_ties(fold) for fold in evaluations),
    )


def _has_open_ties(fold: Evaluation) -> bool:
    """Return whether another order of equal scores can change a mean of a fold."""
    if fold._convention.ties == "average":
        return False  # the values are means over all orders of equal scores
    for system in fold._systems.values():
        for row in system.ties.values():
            # ``users`` is the number of users whose value another order can change. It is 0 if the
            # range of the mean is not known, as for some user-defined measures.
            has_no_range = np.isnan(row["pessimistic"])
            if row["users"] or (has_no_range and abs(row["expected"] - row["value"]) > ROUNDING):
                return True
    return False


def _n_lists(fold: Evaluation) -> pd.Series[float]:
    """Return the number of lists of judged users of a fold, by system; NaN if it is not known."""
    counts = fold.counts
    if "answered" in counts:
        return counts["answered"].astype(float)
    return pd.Series(np.nan, counts.index)


def _pool_system(folds: Mapping[Id, Evaluation], name: Id) -> FoldsResult:
    """Return the system called ``name`` over all folds, with its values by fold and user.

    The result also has counts, ties and facts for notes, such as the length of the longest list. A
    fold that has only values, such as a part of a loaded evaluation, lacks some of these. The
    function pools only what every fold has.
    """
    system_by_fold = {fold: evaluation._systems[name] for fold, evaluation in folds.items()}
    systems = list(system_by_fold.values())
    rows = pd.concat(
        {fold: system.values() for fold, system in system_by_fold.items()}, names=["fold", "user"]
    )
    counts = _common_entries([system.counts for system in systems])
    n = _common_entries([system.n for system in systems])
    ties = _common_entries([system.ties for system in systems])
    states = _common_entries([system.states for system in systems])
    facts = [system.facts for system in systems]
    # A set-level measure has a state for each fold, such as the set of all listed items, and a
    # function that combines two states.
    measures = next(iter(folds.values())).measures
    set_level_by_name = {measure.name: measure.of_all for measure in measures if measure.of_all}
    return _system_of_rows(
        rows,
        counts={key: sum(numbers) for key, numbers in counts.items()},
        item_kind=systems[0].item_kind,  # the same in all folds
        ties={measure: _pool_ties(tables, n[measure]) for measure, tables in ties.items()},
        states={
            measure: set_level_by_name[measure].combine(states_of_folds)
            for measure, states_of_folds in states.items()
        },
        # A fold of a loaded evaluation may have no facts.
        facts=merge_facts(facts) if all(facts) else {},
    )


def _system_of_rows(
    rows: pd.DataFrame,
    *,
    counts: dict[str, int],
    item_kind: str,
    ties: dict[str, dict[str, float]] | None = None,
    states: Record | None = None,
    facts: Record | None = None,
) -> FoldsResult:
    """Return a system with these rows, which are indexed by (fold, user).

    If nobody is in several folds, rows are persons, so counts and ties remain as they are.
    Otherwise, counts get new names such as "rows answered". The ties are dropped, because they say
    how equal scores can change means over rows, which are not the means over persons.

    Parameters
    ----------
    rows : DataFrame
        The values of each person in each fold, with a column for each measure.
    counts : dict
        Numbers of rows by kind, such as "judged" and "answered"; may be empty.
    ties : dict, optional
        The row of `Evaluation.ties` for each measure, for means over rows.
    item_kind, states, facts
        The fields of the returned `FoldsResult`.
    """
    persons = by_person(rows)
    counts_by_name: dict[str, int]
    if len(persons) < len(rows):  # somebody is in several folds
        counts_of_rows = {
            f"rows {name}": number for name, number in counts.items() if name != "judged"
        }
        counts_by_name = {"judged": len(persons), "rows": len(rows), **counts_of_rows}
        ties = {}
    else:
        counts_by_name = {**counts, "judged": len(persons)}
    return FoldsResult(
        frame=persons,
        counts=counts_by_name,
        item_kind=item_kind,
        ties=ties or {},
        states=states or {},
        facts=facts or {},
        rows=rows,
    )


def _common_entries(dicts: list[dict[str, Entry]]) -> dict[str, list[Entry]]:
    """Return the values of each key that is in every dict."""
    keys = [key for key in dicts[0] if all(key in entries for entries in dicts)]
    return {key: [entries[key] for entries in dicts] for key in keys}


def _pool_ties(rows: list[dict[str, float]], n: list[int]) -> dict[str, float]:
    """Return how equal scores can change one measure's mean over the rows of all folds.

    ``rows`` has the row of `Evaluation.ties` for each fold: means, such as ``pessimistic``, and the
    number of ``users`` whose value can change. ``n`` has the number of users in the means of each
    fold. The function returns such a row for all folds together. Its means are NaN if no fold has
    any user.
    """
    weights = np.array(n)
    # The means of a fold without any user are NaN: leave them out.
    is_in_mean = weights > 0
    if not is_in_mean.any():
        return dict(rows[0])  # the rows of all folds are equal: NaN, and 0 users
    table = pd.DataFrame(rows)[is_in_mean]
    weights = weights[is_in_mean]
    # The mean over all rows is the mean of the folds, weighted by their numbers of users. For the
    # column ``users``, this mean has no meaning, so replace it by the sum.
    means = {str(name): float(column @ weights / weights.sum()) for name, column in table.items()}
    return {**means, "users": int(table["users"].sum())}


# Checks -------------------------------------------------------------------------------------------


def _test_to_train(
    folds: Mapping[Id, Evaluation], sizes: Mapping[Id, float | tuple[float, float]]
) -> float:
    """Return the mean over folds of the ratio (size of the test set / size of the training set).

    ``sizes`` has a pair (training size, test size) for each fold, or only the training size. A
    training size without a test size is a number of users, and the function takes the number of
    judged users as the test size.
    """
    if not isinstance(sizes, Mapping) or sizes.keys() != folds.keys():
        rule = f"be a dict from each fold to a size, of the folds {list(folds)}"
        raise input_error("train_sizes", rule, shorten(sizes))
    ratios = []
    for name, size in sizes.items():
        # Read the sizes of this fold; ``argument`` is their name in error messages.
        argument = f"train_sizes of {name!r}"
        if isinstance(size, (tuple, list)) and len(size) == 2:
            train_size, test_size = size
        else:
            train_size = size
            # All systems of a fold have the same judged users, so take the first one's number.
            test_size = folds[name].counts["judged"].iloc[0]
        train_size = check_number(train_size, argument, "a number above 0", lambda x: x > 0)
        test_size = check_number(test_size, argument, "a number above 0", lambda x: x > 0)
        ratios.append(test_size / train_size)
    return float(np.mean(ratios))


def _check_folds(folds: object) -> None:
    """Raise an `InputError` unless ``folds`` is a dict of evaluations that can be pooled.

    Evaluations can be pooled if the properties in `_common_properties` are equal, such as systems,
    measures and convention, and if the names of the folds differ as text.
    """
    rule = "be a dict from the name of each fold to its evaluation, as evaluate returns"
    if not isinstance(folds, Mapping):
        raise input_error("folds", f"{rule}, at least one", type(folds).__name__)
    wrong = [type(fold).__name__ for fold in folds.values() if not isinstance(fold, Evaluation)]
    if wrong or not folds:
        raise input_error("folds", f"{rule}, at least one", wrong[0] if wrong else "none")
    # A file stores names of folds as text.
    texts = [str(name) for name in folds]
    has_equal_texts = len(set(texts)) < len(texts)
    if has_equal_texts or any(isinstance(name, tuple) for name in folds):
        rule = "be text, numbers or dates that differ as text"
        raise input_error("names of folds", rule, shorten(list(folds)))

    # Compare each further fold with the first one.
    (first_name, first_fold), *other_folds = folds.items()
    expected_properties = _common_properties(first_fold)
    for name, fold in other_folds:
        properties = _common_properties(fold)
        for key, expected in expected_properties.items():
            if properties[key] != expected:
                first_text = shorten(expected)
                text = shorten(properties[key])
                got = f"{first_text} in {first_name!r} and {text} in {name!r}"
                raise input_error("folds", f"have the same {key}", got)


def _common_properties(fold: Evaluation) -> dict[str, object]:
    """Return the properties of a fold that must equal those of all other folds.

    The keys are names for error messages. The values can be compared with ``==``.
    """
    options = fold._options
    systems = fold._systems
    has_integer_users = fold._users.inferred_type == "integer"
    return {
        "systems and measures": (fold.systems, [measure.name for measure in fold.measures]),
        "convention": options.convention,
        "size of the catalogue": options.n_items,
        "kind of item ids": next(iter(systems.values())).item_kind,  # of every system
        "kind of user ids": "integer" if has_integer_users else "text",
        **{name: getattr(options, name) for name in COMMON_TASK_FIELDS},
    }
