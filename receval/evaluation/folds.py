"""Pool folds: make one result of all persons in the folds, and show how much the folds differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import cast

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    BoolArray,
    Id,
    Record,
    check_choice,
    check_number,
    input_error,
    shorten,
)
from receval.definitions.definition import Measure
from receval.evaluation.file import to_json_value
from receval.evaluation.groups import UserChoice, user_mask
from receval.evaluation.measured import SystemResult
from receval.evaluation.methods import as_sentence
from receval.evaluation.result import Evaluation
from receval.evaluation.selection import select_pairs
from receval.evaluation.settings import WORDS
from receval.evaluation.signs import merge_facts
from receval.significance import adjust, resampled_t

__all__ = ["Pooled", "pooled"]

SET_LEVELS = ("mean", "union")
"""The allowed values of the argument ``set_level``."""

LIST_MEASURES = ("PC",)
"""Measures of all lists of a fold that nevertheless have a value for each user."""

COMMON_OPTIONS = ("duplicates", "seen", "users")
"""Arguments of `evaluate` that must be the same in all folds."""


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Evaluation):
    """The evaluation of all persons of several folds; `pooled` makes it.

    A person's value is the mean over the folds in which the person has a value. ``per_user``,
    ``summary``, tests and intervals are over persons, so a person in one fold counts as much as a
    person in five. A comparison of two systems uses, for each person, the folds in which both
    systems have a value.

    Attributes
    ----------
    folds : dict
        The evaluation of each fold, by name of the fold. They have the lists, the explanations and
        the ties.
    test_to_train : float or None
        The size of a test set divided by the size of its training set, as the mean over folds; None
        if not known.
    """

    _folds: Mapping[Id, Evaluation] = field(default_factory=dict)
    test_to_train: float | None = None
    _set_level: str = "mean"

    # Data -----------------------------------------------------------------------------------------

    @property
    def folds(self) -> dict[Id, Evaluation]:
        """Return a copy of the dict of folds."""
        return dict(self._folds)

    @property
    def by_fold(self) -> pd.DataFrame:
        """Return the ``summary`` of each fold, indexed by (fold, system)."""
        return pd.concat({name: fold.summary for name, fold in self._folds.items()}, names=["fold"])

    @property
    def per_row(self) -> pd.DataFrame:
        """Return every value by (system, fold, user): a person has a row in each of their folds."""
        rows = {
            system: pd.concat(
                {name: fold.values(system) for name, fold in self._folds.items()}, names=["fold"]
            )
            for system in self.systems
        }
        return pd.concat(rows, names=["system"])

    @cached_property
    def _summary(self) -> pd.DataFrame:
        """Return means over persons; see `pooled` for the values of all lists together."""
        table = self._means_and_set_values()
        values = self.means.xs("macro" if self._set_level == "mean" else "micro", level="mean")
        return table.assign(**values[self._list_measures])

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
            judged ``users`` and, if a user is in several folds, the number of ``rows``.

        Notes
        -----
        Except for set-level measures, the two means agree if all folds have the same number of
        users. Document 000's programs take the micro mean, and document 001's text describes the
        macro mean. If nobody is in two folds, the micro mean equals the mean over persons.
        """
        of_rows = self.per_row.groupby(level="system", sort=False).agg(mean)
        set_level = [measure.name for measure in self.measures if measure.of_all is not None]
        micro = self._means_and_set_values()
        micro = micro.assign(**of_rows.drop(columns=set_level, errors="ignore"))
        macro = self.by_fold.groupby(level="system", sort=False).agg(mean)
        table = pd.concat({"micro": micro, "macro": macro}, names=["mean"]).swaplevel()
        table = table.loc[list(product(self.systems, ["micro", "macro"]))]
        sizes = self.counts.filter(["judged", "rows"]).rename(columns={"judged": "users"})
        return table.assign(folds=len(self._folds)).join(sizes, on="system")

    @property
    def _list_measures(self) -> list[str]:
        """Return the names of the measures of all lists of a fold together."""
        return [measure.name for measure in self.measures if not self._has_user_values(measure)]

    # Comparisons ----------------------------------------------------------------------------------

    def _has_user_values(self, measure: Measure) -> bool:
        return measure.per_user and measure.spec.name not in LIST_MEASURES

    @property
    def _set_level_measures(self) -> list[str]:
        return list(dict.fromkeys([*super()._set_level_measures, *self._list_measures]))

    def _paired_values(self, baseline: Id, system: Id) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the values of a system and of the baseline that it is compared with.

        The value of a person is the mean over the folds in which both systems have a value.
        """
        rows = self.per_row
        of_system = cast(pd.DataFrame, rows.xs(system, level="system"))
        of_baseline = cast(pd.DataFrame, rows.xs(baseline, level="system"))
        has_both = of_baseline.notna() & of_system.notna()
        return by_person(of_system.where(has_both)), by_person(of_baseline.where(has_both))

    def resampled_t(
        self,
        baseline: str | Iterable[str] | None = None,
        *,
        correction: str = "holm",
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
        if self.test_to_train is None:
            advice = "Pass the number of users in each training set: pooled(folds, train_sizes=…)"
            raise input_error("resampled_t", "have the sizes of training sets", "none", advice)
        if len(self._folds) < 2:
            raise input_error("resampled_t", "have at least two folds", len(self._folds))
        _, pairs = select_pairs(self.systems, baseline)
        rows = {}
        for name, (baseline_name, system) in product(self.by_fold, pairs):
            values = self.by_fold[name].xs(system, level="system")
            baseline_values = self.by_fold[name].xs(baseline_name, level="system")
            differences = values - baseline_values  # NaN in folds without a value
            row = {"difference": differences.mean(), "spread": differences.std()}
            if differences.count() > 1:
                test = resampled_t(values, baseline_values, test_to_train=self.test_to_train)
                row.update(t=test.statistic, p=test.p)
            rows[name, system, baseline_name] = row
        index = pd.MultiIndex.from_tuples(rows, names=["measure", "system", "baseline"])
        table = pd.DataFrame(rows.values(), index, ["difference", "spread", "t", "p"])
        return table.assign(corrected=adjust(table["p"], correction=correction))

    # Users ----------------------------------------------------------------------------------------

    def where(self, users: UserChoice) -> Pooled:
        """Return the pooled folds of only some persons; see `Evaluation.where`."""
        return self._select_users(user_mask(self._users, users))

    def _select_users(self, is_chosen: BoolArray) -> Pooled:
        """Return the pooled folds of the chosen persons; ``is_chosen`` is a mask of the persons."""
        persons = self._users[is_chosen]
        folds = {}
        for name, fold in self._folds.items():
            is_in_fold = np.asarray(fold._users.isin(persons))
            if is_in_fold.any():
                folds[name] = fold._select_users(is_in_fold)
        return pooled(folds, set_level=self._set_level)  # the known sizes are those of all persons

    # Texts ----------------------------------------------------------------------------------------

    def _methods_paragraph(self) -> str:
        """Return the text for a methods section, with sentences on the folds.

        It cites the literature by keys such as "@nadeau2003".
        """
        words = WORDS["folds"]  # templates of sentences, by key
        sentences = [super()._methods_paragraph()]
        sentences.append(words["pooled"].format(len(self._folds), self._sizes_in_words()))
        sentences += [as_sentence(note) for note in self._list_measure_notes()]
        sentences.append(words["generalises"])
        if self.test_to_train is not None:
            sentences.append(words["tested"].format(self.test_to_train))
        return " ".join(sentences)

    @property
    def _scope(self) -> str:
        return WORDS["folds"]["scope"].format(len(self._folds))

    def _sizes_in_words(self) -> str:
        """Return the numbers of people and rows in words."""
        n_rows = sum(len(fold._users) for fold in self._folds.values())
        return f"{len(self._users):,} people, {n_rows:,} rows"

    def _list_measure_notes(self) -> list[str]:
        """Return a note on the measures of all lists of a fold together, or no note."""
        if not self._list_measures:
            return []
        names = ", ".join(self._list_measures)
        return [WORDS["folds"][self._set_level].format(names, len(self._folds))]

    def _table_notes(self, digits: int) -> list[str]:
        """Return the notes under a table whose means have this number of decimals."""
        notes = super()._table_notes(digits)
        n_folds = len(self._folds)
        if "rows" in self.counts:  # a person has a row in each of their folds
            notes.append(f"means over persons: {self._sizes_in_words()} of {n_folds} folds")
        notes += self._list_measure_notes()
        n_tied = sum(bool(fold.ties()["users"].any()) for fold in self._folds.values())
        if n_tied and self._convention.ties != "average":
            notes.append(WORDS["folds"]["ties"].format(n_tied, n_folds))
        # The range of each measure's deviation, from the system with the lowest to the highest.
        ends = self.spread.agg(["min", "max"]).map(lambda deviation: f"{deviation:.{digits}f}")
        ranges = [f"{name} {' to '.join(dict.fromkeys(texts))}" for name, texts in ends.items()]
        return [*notes, f"standard deviation over {n_folds} folds: {', '.join(ranges)}"]

    # Files ----------------------------------------------------------------------------------------

    def _to_record(self) -> Record:
        """Return everything except the values of the rows, as a dict for JSON."""
        return {
            "kind": "Pooled",
            "folds": [
                (to_json_value(name), fold._to_record()) for name, fold in self._folds.items()
            ],
            "set_level": self._set_level,
            "test_to_train": self.test_to_train,
        }

    def _rows(self) -> pd.DataFrame:
        """Return the values of each person in each fold; a column names the fold."""
        if "fold" in self.summary:
            rule = "not be called 'fold' in a file of pooled folds"
            raise input_error("measures", rule, "a measure of this name", "Give it another name")
        frames = {str(name): fold._to_frame() for name, fold in self._folds.items()}
        return pd.concat(frames, names=["fold", None]).reset_index("fold").reset_index(drop=True)

    @classmethod
    def _from_saved(cls, frame: pd.DataFrame, record: Record) -> Pooled:
        folds = {}
        for name, record_of_fold in record["folds"]:
            rows = frame[frame["fold"] == str(name)].drop(columns="fold")
            folds[name] = Evaluation._from_saved(rows.reset_index(drop=True), record_of_fold)
        result = pooled(folds, set_level=record["set_level"])
        return replace(result, test_to_train=record["test_to_train"])


# Pooling ------------------------------------------------------------------------------------------


def by_person(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the values of every person: the mean over the folds in which there is a value.

    ``rows`` is indexed by (fold, user), and the result by user; both have a column for each
    measure. A person without any value gets NaN. The means don't depend on the order of the folds,
    not even in the last bit, and the mean of equal values is exactly this value.
    """
    columns = {}
    for name, column in rows.items():
        by_fold = column.unstack("fold")  # noqa: PD010 (a pivot table drops users without values)
        values = pd.DataFrame(np.sort(by_fold, axis=1), by_fold.index)
        # A mean can be outside the range of its values by a unit in the last digit.
        columns[name] = values.mean(axis=1).clip(values.min(axis=1), values.max(axis=1))
    return pd.DataFrame(columns)


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

    `Pooled.ties` is empty, because only the folds know their lists; see ``ties`` of each fold.

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
    first = next(iter(folds.values()))
    systems = {
        name: _pool_system({fold: folds[fold]._systems[name] for fold in folds}, first.measures)
        for name in first.systems
    }
    test_to_train = None if train_sizes is None else _test_to_train(folds, train_sizes)
    return Pooled(first._options, systems, dict(folds), test_to_train, set_level)


def _pool_system(results: Mapping[Id, SystemResult], measures: Iterable[Measure]) -> SystemResult:
    """Return the result of a system over all folds; ``results`` has those of the folds.

    A fold that has only values, such as a part of a loaded evaluation, lacks some counts, states
    and facts. The result has what every fold has. If a person is in several folds, "rows" in the
    counts is the number of values, and "rows answered" of those with recommendations.
    """
    parts = list(results.values())
    rows = pd.concat({fold: result.frame for fold, result in results.items()}, names=["fold"])
    persons = by_person(rows)
    counts = {
        kind: sum(part.counts[kind] for part in parts)
        for kind in parts[0].counts
        if all(kind in part.counts for part in parts)
    }
    if len(persons) < len(rows):
        counts_of_rows = {f"rows {kind}": n for kind, n in counts.items() if kind != "judged"}
        counts = {"judged": len(persons), "rows": len(rows), **counts_of_rows}
    states = {
        measure.name: measure.of_all.combine([part.states[measure.name] for part in parts])
        for measure in measures
        if measure.of_all is not None and all(measure.name in part.states for part in parts)
    }
    facts = [part.facts for part in parts]
    return SystemResult(
        persons,
        counts,
        parts[0].item_kind,  # the same in all folds
        states,
        stored_facts=merge_facts(facts) if all(facts) else {},
    )


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
        **{name: getattr(options, name) for name in COMMON_OPTIONS},
    }
