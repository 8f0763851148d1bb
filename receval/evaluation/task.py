"""The arguments of an evaluation, checked: measures, convention and names of columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    InputError,
    as_ids,
    check_choice,
    check_count,
    check_that,
    input_error,
)
from receval._types import Id, Record
from receval._version import __version__
from receval.definitions.context import EvaluationContext
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.tables.indexed import index_by_id
from receval.tables.inputs import RECOMMENDATIONS, SYNONYMS, ColumnNames

USERS = ("judged", "answered", "both")
"""The named choices of users that means go over; the caller can also pass ids."""


@dataclass(frozen=True)
class EvaluationTask:
    """The arguments of `receval.evaluate` that are the same for every system.

    Attributes
    ----------
    measures : tuple of Measure
    context : EvaluationContext
        The convention, ``auc_catalogue``, and data about the items and all grades.
    column_names : ColumnNames
        The names of the columns.
    duplicates : {"error", "first"}
        What to do with an item that occurs twice in a list.
    items : DataFrame, optional
        The catalogue.
    now : date, optional
        The day from which ages of items are counted.
    seen : {"note", "drop", "error"}
        What to do with recommended items of the history.
    version : str
        The version of receval.
    users : {"judged", "answered", "both", "named"}
        The users over whom means are taken.
    named_users : Index, optional
        The ids of the users, if ``users`` is "named".
    features : dict, optional
        What `receval.evaluation.context.describe_features` says about the catalogue, for notes.
    """

    measures: tuple[Measure, ...]
    context: EvaluationContext
    column_names: ColumnNames = field(default=ColumnNames(), repr=False)
    duplicates: str = "error"
    items: pd.DataFrame | None = field(default=None, repr=False)
    now: object = None
    seen: str = "note"
    version: str = __version__
    users: str = "judged"
    named_users: pd.Index | None = field(default=None, repr=False)
    features: Record | None = field(default=None, repr=False)

    @property
    def used_convention(self) -> Convention:
        """Return the convention without its exceptions for measures that are not evaluated."""
        names = [measure.spec.name for measure in self.measures if "missing" in measure.choices]
        return self.context.convention.for_measures(names)

    @property
    def mean_over(self) -> str:
        """Return in words the users over whom means are taken."""
        if self.users == "answered":
            users = "users with recommendations"
        elif self.users == "named":
            users = "the users named"
        else:
            return self.used_convention.mean_over()
        return f"{users}, of whom those not judged count as 0"

    def with_users(
        self, users: str | Iterable[Id], missing: str | None, *, history: bool
    ) -> EvaluationTask:
        """Check the options against each other and set the users over whom means are taken.

        Parameters
        ----------
        users : {"judged", "answered", "both"} or iterable of ids
            The users over whom means are taken.
        missing : str or None
            The argument ``missing`` of `receval.evaluate`; None if the caller didn't pass it.
        history : bool
            Whether the user passed a history.

        Returns
        -------
        EvaluationTask
            The task with these users, and with the catalogue indexed by item.

        Raises
        ------
        InputError
            If an option has an unknown value or no measure uses it, if a measure needs a table that
            is missing, or if the catalogue is empty or has an item twice.
        """
        # Check the options first, then the catalogue and then the needs of the measures, because an
        # error names the first mistake only.
        self._check_options(has_history=history)
        catalogue = None
        n_items = None
        if self.items is not None:
            catalogue = self._indexed_catalogue(self.items)
            n_items = len(catalogue)
        for measure in self.measures:
            self.context.convention.check_has(measure.spec.name, measure.name)
            for need in measure.needs:
                self._check_need(measure, need, has_history=history)
        context = replace(self.context, n_items=n_items)
        task = replace(self, context=context, items=catalogue)
        if isinstance(users, str) and users == "judged":
            return task
        return task._with_users(users, missing)

    def _check_options(self, *, has_history: bool) -> None:
        """Raise an error for an option with an unknown value, or an option that nothing uses.

        ``has_history`` says whether the user passed a history.
        """
        check_choice(self.duplicates, "duplicates", ("error", "first"))
        check_choice(self.seen, "seen", ("note", "drop", "error"))
        if self.seen != "note" and not has_history:
            raise InputError(f"history must be given for seen={self.seen!r}; got none")
        if self.context.auc_catalogue is not None:
            check_count(self.context.auc_catalogue, "auc_catalogue")
            self._check_used("auc_catalogue", self.context.auc_catalogue, "AUC")
        if self.now is not None:
            self._check_used("now", self.now, "nov_t")

    def _check_used(self, argument: str, value: object, measure_name: str) -> None:
        """Raise an error for an argument if the only measure that uses it isn't evaluated.

        Custom measures may use any argument. So if there is a custom measure, no argument is
        refused.
        """
        names = {measure.spec.name for measure in self.measures}  # without cut-offs
        has_custom_measure = any(measure.is_custom for measure in self.measures)
        is_used = has_custom_measure or measure_name in names
        check_that(is_used, argument, f"be left out without the measure {measure_name}", value)

    def _check_need(self, measure: Measure, need: str, *, has_history: bool) -> None:
        """Raise an error if a measure needs data that is missing.

        These are a history, scores or a catalogue.

        ``need`` is an entry of ``measure.needs``.
        """
        if need == "history":
            if not has_history:
                rule = "a table of users and the items they have seen"
                raise InputError(f"history must be given for {measure.name}: {rule}")
        elif need == "scores":
            if self.column_names.ranked_places:
                rank = self.column_names.rank_name
                reason = f"which compares it with the grade; got rank={rank!r}"
                raise InputError(f"score must be given for {measure.name}, {reason}")
        elif self.items is None:  # all other needs are columns of the catalogue
            rule = "a frame of the whole catalogue, indexed by item id"
            raise InputError(f"items must be given for {measure.name}: {rule}")

    def _indexed_catalogue(self, items: object) -> pd.DataFrame:
        """Return the catalogue indexed by item; its ids may be in the index or in a column.

        Raises an error if it is not a DataFrame, is empty, or has an item twice.
        """
        if not isinstance(items, pd.DataFrame):
            raise input_error("items", "be a DataFrame indexed by item", type(items).__name__)
        # The column of ids may be "item", or have the name of the item column in another table.
        possible_labels = ["item"]
        for place in (RECOMMENDATIONS, "relevance"):
            _, item_label = self.column_names.labels(place)  # the first is the user column
            possible_labels.append(item_label)
        # If the index only numbers the rows, and a column has another usual name of ids, the frame
        # is refused.
        synonyms = SYNONYMS["item"].split()
        indexed = index_by_id(items, possible_labels, "items", synonyms)
        _check_catalogue(indexed)
        return indexed

    def _with_users(self, users: str | Iterable[Id], missing: str | None) -> EvaluationTask:
        """Return the task with means over the users that the caller chose.

        ``users`` is "answered", "both", or the ids of the users.
        """
        if isinstance(users, str):
            check_choice(users, "users", USERS)
            return self._with_choice(users, missing)
        return self._with_named(_index_of_users(users), missing)

    def _with_choice(self, users: str, missing: str | None) -> EvaluationTask:
        """Return the task with means over the answered users, or the judged and answered ones.

        An answered user has recommendations. ``users`` is "answered" or "both". Raises an error if
        ``missing``, the rule for judged users without recommendations, contradicts it.
        """
        # missing="skip" is the older spelling of users="both", so these two agree. "skip"
        # contradicts "answered", whose means also go over users who are not judged. All other rules
        # count users without recommendations, but both "answered" and "both" leave them out.
        allowed: tuple[str | None, ...] = (None,)
        if users == "both":
            allowed = (None, "skip")
        self._check_users(repr(users), missing, allowed)  # raises
        # Whether ``users`` is "answered" or "both", leave out judged users without recommendations.
        convention = replace(self.context.convention, missing="skip", missing_exceptions=())
        return replace(self, context=replace(self.context, convention=convention), users=users)

    def _with_named(self, named: pd.Index, missing: str | None) -> EvaluationTask:
        """Return the task with means over exactly the users with the ids ``named``."""
        self._check_users("ids", missing, (None, "zero", "error"))
        # The convention must not leave out any of these users.
        convention = replace(
            self.context.convention,
            missing=missing or "zero",
            missing_exceptions=(),
            no_truth="zero",
        )
        context = replace(self.context, convention=convention)
        return replace(self, context=context, users="named", named_users=named)

    def _check_users(
        self, users: str, missing: str | None, allowed: tuple[str | None, ...]
    ) -> None:
        """Raise an error if ``missing`` contradicts ``users``, or if there is a set-level measure.

        A set-level measure has a value for all judged users together, but not for a selection of
        users. ``missing`` is the rule that the caller passed for judged users without
        recommendations, or None. ``users`` is the argument as messages show it, and ``allowed`` has
        the values of ``missing`` that don't contradict ``users``.
        """
        if missing not in allowed:
            advice = (
                "users chooses the users of the mean; missing='skip' is another word for 'both'"
            )
            rule = f"be left out with users={users}"
            raise input_error("missing", rule, repr(missing), advice)
        set_level = [measure.name for measure in self.measures if measure.of_all is not None]
        if set_level:
            rule = f"be 'judged' for {', '.join(set_level)}, which is of all users together"
            raise input_error("users", rule, users)


def _index_of_users(users: Iterable[Id]) -> pd.Index:
    """Return the ids of users that the caller passed; raise an error if there are none."""
    rule = f"be one of {', '.join(USERS)}, or ids"
    index: pd.Index = pd.Index(as_ids(users, "users", rule), name="user")
    if index.empty:
        raise input_error("users", "hold at least one id", "none")
    return index


def _check_catalogue(items: pd.DataFrame) -> None:
    """Raise an error if the index of the catalogue is empty or has an id twice.

    It also raises an error if the ids are numbers in the byte order of another machine.
    """
    if not len(items.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    if not getattr(items.index.dtype, "isnative", True):
        got = f"the type {items.index.dtype}"
        raise input_error("index of items", "be in the byte order of this machine", got)
    try:
        is_repeated = items.index.duplicated()
    except TypeError:  # raised by pandas 2 for ids such as lists, which can't be hashed
        raise InputError("index of items must hold ids: text or numbers") from None
    if is_repeated.any():
        repeated = items.index[is_repeated][:MAX_EXAMPLES].tolist()
        raise InputError(f"items must hold each item once in its index; got {repeated} twice")
