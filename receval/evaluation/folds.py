"""Pool folds into one result of all their persons, and load saved results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    BoolArray,
    Id,
    Record,
    check_choice,
    check_number,
    check_that,
    check_unique,
    counted,
    input_error,
    shorten,
)
from receval.definitions.definition import Measure
from receval.evaluation.comparing import select_pairs
from receval.evaluation.file import read_result, to_json_value
from receval.evaluation.join import kind_of
from receval.evaluation.notes import WORDS
from receval.evaluation.result import Evaluation
from receval.evaluation.signs import merge_facts
from receval.evaluation.values import SystemResult
from receval.significance import adjust, resampled_t
from receval.tables.reading import check_readable


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
    """

    folds: dict[Id, Evaluation] = field(default_factory=dict)
    _set_level: str = "mean"

    # Data -----------------------------------------------------------------------------------------

    @property
    def by_fold(self) -> pd.DataFrame:
        """Return the ``summary`` of each fold, indexed by (fold, system)."""
        return pd.concat({name: fold.summary for name, fold in self.folds.items()}, names=["fold"])

    @property
    def per_row(self) -> pd.DataFrame:
        """Return every value by (system, fold, user): a person has a row in each of their folds."""
        rows = {system: self._rows_of(system) for system in self.systems}
        return pd.concat(rows, names=["system"])

    def _rows_of(self, system: Id) -> pd.DataFrame:
        """Return every value of a system by (fold, user)."""
        frames = {name: fold._systems[system].frame for name, fold in self.folds.items()}
        return pd.concat(frames, names=["fold"])

    @property
    def summary(self) -> pd.DataFrame:
        """Return means over persons; see `pooled` for the values of all lists together."""
        table = super().summary  # its set-level values are of the lists of all folds together
        if self._set_level == "mean":
            means = self.by_fold.groupby(level="system", sort=False).agg(mean)
            table = table.assign(**means[self._list_measures])
        return table

    @property
    def _list_measures(self) -> list[str]:
        """Return the names of the measures of all lists of a fold together."""
        return [measure.name for measure in self.measures if not measure.per_user]

    # Comparisons ----------------------------------------------------------------------------------

    def _paired_values(self, baseline: Id, system: Id) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the values of a system and of the baseline that it is compared with.

        The value of a person is the mean over the folds in which both systems have a value.
        """
        of_system = self._rows_of(system)
        of_baseline = self._rows_of(baseline)
        has_both = of_baseline.notna() & of_system.notna()
        return by_person(of_system.where(has_both)), by_person(of_baseline.where(has_both))

    def resampled_t(
        self,
        baseline: Id | None = None,
        *,
        test_to_train: float,
        correction: str = "holm",
    ) -> pd.DataFrame:
        """Compare systems fold by fold with Nadeau and Bengio's corrected resampled t-test.

        Parameters
        ----------
        baseline : str, optional
            The system that all others are compared with. Default: all pairs.
        test_to_train : float
            The size of a test set divided by the size of its training set: 1/4 for five folds. If
            the folds divide rows instead of users, count rows.
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
            If the ratio is not above 0, the baseline is not a system, or there is only one system.
        """
        rule = "a number above 0"
        check_number(test_to_train, "test_to_train", rule, lambda ratio: ratio > 0)
        pairs = select_pairs(self.systems, baseline)
        by_fold = self.by_fold
        rows = {}
        for name, (base, system) in product(by_fold, pairs):
            values, values_of_base = (
                by_fold[name].xs(label, level="system") for label in (system, base)
            )
            differences = values - values_of_base  # NaN in folds without a value
            row = {"difference": differences.mean(), "spread": differences.std()}
            if differences.count() > 1:
                test = resampled_t(values, values_of_base, test_to_train=test_to_train)
                row.update(t=test.statistic, p=test.p)
            rows[name, system, base] = row
        index = pd.MultiIndex.from_tuples(rows, names=["measure", "system", "baseline"])
        table = pd.DataFrame(rows.values(), index, ["difference", "spread", "t", "p"])
        return table.assign(corrected=adjust(table["p"], correction=correction))

    # Users ----------------------------------------------------------------------------------------

    def _select_users(self, is_chosen: BoolArray) -> Pooled:
        """Return the pooled folds of the chosen persons; ``is_chosen`` is a mask of the persons."""
        persons = self._users[is_chosen]
        folds = {}
        for name, fold in self.folds.items():
            is_in_fold = np.asarray(fold._users.isin(persons))
            if is_in_fold.any():
                folds[name] = fold._select_users(is_in_fold)
        return pooled(folds, self._set_level)

    # Texts ----------------------------------------------------------------------------------------

    def _marked_notes(self) -> list[str]:
        """Return the notes on the input and on the folds, with marks of advice."""
        words = WORDS["folds"]  # templates of notes, by key
        folds = counted(len(self.folds), "fold")
        n_rows = sum(len(fold._users) for fold in self.folds.values())
        notes = [
            *super()._marked_notes(),
            words["persons"].format(
                counted(len(self._users), "person", "people"), counted(n_rows, "row"), folds
            ),
        ]
        if self._list_measures:
            notes.append(words[self._set_level].format(", ".join(self._list_measures), folds))
        n_tied = sum(bool(fold.ties()["users"].any()) for fold in self.folds.values())
        if n_tied and self._options.convention.ties != "average":
            notes.append(words["ties"].format(n_tied, folds))
        return notes

    def _comparison_notes(self) -> list[str]:
        """Return the notes that tables of comparisons show, with marks of advice."""
        folds = counted(len(self.folds), "fold")
        return [*super()._comparison_notes(), WORDS["folds"]["scope"].format(folds)]

    # Files ----------------------------------------------------------------------------------------

    def _to_record(self) -> Record:
        """Return everything except the values of the rows, as a dict for JSON."""
        return {
            "folds": [
                (to_json_value(name), fold._to_record()) for name, fold in self.folds.items()
            ],
            "set_level": self._set_level,
        }

    def _rows(self) -> pd.DataFrame:
        """Return the values of each person in each fold; a column names the fold."""
        frames = {str(name): fold._rows() for name, fold in self.folds.items()}
        return pd.concat(frames, names=["fold"]).reset_index("fold").reset_index(drop=True)

    @classmethod
    def _from_saved(cls, frame: pd.DataFrame, record: Record) -> Pooled:
        """Return the pooled folds whose values and records a file holds."""
        folds = {}
        for name, record_of_fold in record["folds"]:
            rows = frame[frame["fold"] == str(name)].drop(columns="fold")
            folds[name] = Evaluation._from_saved(rows.reset_index(drop=True), record_of_fold)
        return pooled(folds, record["set_level"])


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


def pooled(folds: Mapping[Id, Evaluation], set_level: str = "mean") -> Pooled:
    r"""Pool several folds into one evaluation of all the people in them.

    Parameters
    ----------
    folds : mapping
        The `Evaluation` of each fold, by name of the fold. All must have the same systems,
        measures, convention, size of the catalogue, and kinds of user and item ids.
    set_level : {"mean", "union"}, default "mean"
        How to combine set-level measures (CC, Gini, LTP): ``"mean"`` takes the mean of the
        folds' values, ``"union"`` computes the value for the lists of all folds together.
        These are different quantities: five folds show more of a catalogue than one.

    Returns
    -------
    Pooled
        An `Evaluation` of all persons. It also has the means ``by_fold``, and the values of
        each fold in ``per_row``.

    Raises
    ------
    InputError
        If there is no fold, a fold is not an `Evaluation`, folds differ in a property that must be
        equal, or ``set_level`` is unknown.

    Notes
    -----
    A user id stands for the same person in all folds. The value :math:`x_u` of a person is the mean
    over the :math:`n_u` folds in which the person has a value. The mean of a measure is taken over
    persons:

    .. math:: \bar{x} = \frac{1}{|U|} \sum_{u \in U} \frac{1}{n_u} \sum_{f} x_{u, f}

    Tests and intervals use the same persons, who are independent of one another. If a person does
    better with one system in one fold, this is likely in the other folds, too. Then the rows of one
    person are not independent, and a test on rows finds false differences more often than its level
    says: 27 % instead of 5 % in a simulation of 60 persons in five folds. The results of tests on
    persons generalise to other people, but not to other training sets. `Pooled.resampled_t` also
    takes into account that the training sets of the folds overlap.

    `Pooled.ties` is empty, because only the folds know their lists; see ``ties`` of each fold.

    Examples
    --------
    >>> from receval import evaluate
    >>> truth = {1: {"a"}, 2: {"b"}, 3: {"c"}}
    >>> recs = {1: {"a": 1.0}, 2: {"x": 1.0}, 3: {"c": 1.0}}
    >>> whole = evaluate(recs, truth, "HR")
    >>> folds = {"first": whole.where([1]), "second": whole.where([2, 3])}
    >>> pooled(folds).by_fold
                     HR
    fold   system
    first          1.0
    second         0.5

    A person in two folds counts once. The mean over rows, and the mean of the folds' means, are
    other numbers.

    >>> twice = pooled({"first": whole.where([1, 2]), "second": whole.where([2, 3])})
    >>> means = twice.summary, twice.per_row.mean(), twice.by_fold.mean()
    >>> [round(mean["HR"].item(), 3) for mean in means]
    [0.667, 0.5, 0.5]
    """
    _check_folds(folds)  # raises
    check_choice(set_level, "set_level", ("mean", "union"))
    first = next(iter(folds.values()))
    systems = {
        name: _pool_system({fold: folds[fold]._systems[name] for fold in folds}, first.measures)
        for name in first.systems
    }
    return Pooled(first._options, systems, dict(folds), set_level)


def _pool_system(results: Mapping[Id, SystemResult], measures: Iterable[Measure]) -> SystemResult:
    """Return the result of a system over all folds; ``results`` has those of the folds.

    A fold that has only values, such as a part of a loaded evaluation, lacks some counts, states
    and facts. The result has what every fold has.
    """
    parts = list(results.values())
    rows = pd.concat({fold: result.frame for fold, result in results.items()}, names=["fold"])
    persons = by_person(rows)
    states = {}
    for measure in measures:
        if measure.of_all is not None and all(measure.name in part.states for part in parts):
            states_of_folds = [part.states[measure.name] for part in parts]
            states[measure.name] = measure.of_all.combine(states_of_folds)
    facts: Record = {}
    if all(part.facts for part in parts):
        facts = merge_facts([part.facts for part in parts])
    return SystemResult(
        persons,
        _pool_counts(parts, len(persons), len(rows)),
        parts[0].item_kind,  # the same in all folds
        any(part.shares_items for part in parts),
        states,
        stored_facts=facts,
    )


def _pool_counts(parts: list[SystemResult], n_persons: int, n_rows: int) -> dict[str, int]:
    """Return the counts of users of all folds together; ``parts`` has the results of the folds.

    If a person is in several folds, "rows" is the number of values, and counts such as "rows
    answered" are of these.
    """
    counts_by_fold = pd.DataFrame([part.counts for part in parts])
    # Leave out what some folds don't count.
    sums = counts_by_fold.dropna(axis="columns").sum()
    counts = {str(kind): int(n) for kind, n in sums.items()}
    if n_persons == n_rows:
        return counts
    of_rows = {f"rows {kind}": n for kind, n in counts.items() if kind != "judged"}
    return {"judged": n_persons, "rows": n_rows, **of_rows}


# Checks -------------------------------------------------------------------------------------------


def _check_folds(folds: object) -> None:
    """Raise an `InputError` unless ``folds`` is a dict of evaluations that can be pooled.

    Evaluations can be pooled if the properties in `_common_properties` are equal, such as systems,
    measures and convention, and if the names of the folds differ as text.
    """
    rule = (
        "be a dict from the name of each fold to its evaluation, as evaluate returns, at least one"
    )
    if not isinstance(folds, Mapping):
        raise input_error("folds", rule, type(folds).__name__)
    wrong = [type(fold).__name__ for fold in folds.values() if type(fold) is not Evaluation]
    if wrong or not folds:
        raise input_error("folds", rule, ", ".join(wrong) or "none")
    check_unique(list(map(str, folds)), "names of folds", "name, as text,")  # a file stores texts
    has_tuples = any(isinstance(name, tuple) for name in folds)
    check_that(not has_tuples, "names of folds", "be text, numbers or dates", list(folds))
    # Compare each fold with the first one.
    first_name, first_fold = next(iter(folds.items()))
    expected = _common_properties(first_fold)
    for name, fold in folds.items():
        for key, value in _common_properties(fold).items():
            if value != expected[key]:
                got = f"{shorten(expected[key])} in {first_name!r} and {shorten(value)} in {name!r}"
                raise input_error("folds", f"have the same {key}", got)


def _common_properties(fold: Evaluation) -> dict[str, object]:
    """Return the properties of a fold that must equal those of all other folds.

    The keys are names for error messages. The values can be compared with ``==``.
    """
    options = fold._options
    first_system = next(iter(fold._systems.values()))
    return {
        "systems and measures": (fold.systems, [measure.name for measure in fold.measures]),
        "convention": options.convention,
        "size of the catalogue": options.n_items,
        "kind of item ids": first_system.item_kind,  # all systems have the same kind
        "kind of user ids": kind_of(fold._users),
        "duplicates": options.duplicates,
        "seen": options.seen,
        "users": options.users,
    }


# Loading ------------------------------------------------------------------------------------------


def load(path: str | Path) -> Evaluation:
    """Open a result that was written with its ``save``.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Evaluation
        It equals the saved result (``==``), but the file lacks the tables, which ``lists``,
        ``terms``, ``diff`` and ``explain`` need. Pooled folds are pooled folds again.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by receval, or has another format.

    Examples
    --------
    >>> import tempfile, pathlib, receval
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.receval"
    >>> recs = {1: {"a": 0.9}, 2: {"b": 0.8}}
    >>> truth = {1: {"a"}, 2: {"c"}}
    >>> receval.evaluate(recs, truth, "HR@1").save(path)
    >>> load(path)
            HR@1
    system
            0.5000
    users: 2 judged, 2 answered, 0 without truth, 0 ignored
    """
    # The record, which is JSON in the file's metadata, holds everything but the values.
    frame, record = read_result(path)
    # Another program may have written the record, or somebody may have edited it.
    with check_readable(Path(path), "a whole file of receval"):
        if "folds" in record:
            return Pooled._from_saved(frame, record)
        return Evaluation._from_saved(frame, record)
