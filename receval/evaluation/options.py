"""The choices of an evaluation, checked once before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pandas as pd

from receval._checks import AnyArray, Id, InputError, Record, as_ids, check_choice, input_error
from receval._version import __version__
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext
from receval.tables.columns import SYNONYMS, index_by_id
from receval.tables.inputs import RECOMMENDATIONS, ColumnNames

USERS = ("judged", "answered", "both")
"""The named choices of users that means go over; the caller can also pass ids."""


@dataclass(frozen=True)
class Options:
    """The choices of `receval.evaluate` that are the same for every system.

    Attributes
    ----------
    measures : tuple of Measure
    convention : Convention
        With the rules that ``users`` asks for.
    column_names : ColumnNames
        The names of the columns.
    duplicates : {"error", "first"}
        What to do with an item that occurs twice in a list.
    seen : {"note", "drop", "error"}
        What to do with recommended items of the history.
    users : {"judged", "answered", "both", "named"}
        The users over whom means are taken.
    named_users : Index, optional
        The ids of the users, if ``users`` is "named".
    items : DataFrame, optional
        The catalogue, indexed by item.
    n_items : int, optional
        The size of the catalogue, which a file of results has without the catalogue.
    max_grade : float, optional
        The largest grade of relevance, if a measure asks for it.
    features : dict, optional
        The columns that are features, and perhaps the one that outweighs the others, for notes.
    catalogue : dict, optional
        The columns of the catalogue that measures need, as `receval.evaluation.catalogue` reads
        them.
    version : str
        The version of receval.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    column_names: ColumnNames = field(default=ColumnNames(), repr=False)
    duplicates: str = "error"
    seen: str = "note"
    users: str = "judged"
    named_users: pd.Index | None = field(default=None, repr=False)
    items: pd.DataFrame | None = field(default=None, repr=False)
    n_items: int | None = None
    max_grade: float | None = None
    catalogue: dict[str, AnyArray] = field(default_factory=dict, repr=False)
    features: Record | None = field(default=None, repr=False)
    version: str = __version__

    @classmethod
    def of(
        cls,
        measures: tuple[Measure, ...],
        convention: Convention,
        column_names: ColumnNames,
        *,
        duplicates: str,
        seen: str,
        users: str | Iterable[Id],
        items: object,
        has_history: bool,
    ) -> Options:
        """Check the arguments of `receval.evaluate` against each other.

        Raises
        ------
        InputError
            If an option has an unknown value, if a measure needs a table that is missing or is not
            part of the convention, or if the catalogue is not indexed by item.
        """
        # Check the choices first, then the catalogue and then the needs of the measures, because an
        # error names the first mistake only.
        check_choice(duplicates, "duplicates", ("error", "first"))
        check_choice(seen, "seen", ("note", "drop", "error"))
        if seen != "note" and not has_history:
            raise InputError(f"history must be given for seen={seen!r}; got none")
        catalogue, n_items = None, None
        if items is not None:
            catalogue = _catalogue_by_item(items, column_names)
            n_items = len(catalogue)
        tables = {"history": has_history, "catalogue": catalogue is not None}
        for measure in measures:
            convention.check_has(measure.spec.name, measure.name)
            _check_needs(measure, column_names, tables)
        named_users = None
        if not isinstance(users, str):
            named_users = _index_of_users(users)
            users = "named"
        elif users != "judged":
            check_choice(users, "users", USERS)
        if users != "judged":
            convention = _convention_for(users, convention, measures)
        return cls(
            measures,
            convention,
            column_names,
            duplicates=duplicates,
            seen=seen,
            users=users,
            named_users=named_users,
            items=catalogue,
            n_items=n_items,
        )

    @property
    def context(self) -> EvaluationContext:
        """Return the context of measures without the data by item that they may need."""
        return EvaluationContext(self.convention, self.n_items, self.max_grade)

    @property
    def used_convention(self) -> Convention:
        """Return the convention without its exceptions for measures that are not evaluated."""
        names = [measure.spec.name for measure in self.measures if "missing" in measure.choices]
        return self.convention.for_measures(names)

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


def _catalogue_by_item(items: object, column_names: ColumnNames) -> pd.DataFrame:
    """Return the catalogue indexed by item; its ids may be in the index or in a column.

    Raises an error if it is not a frame, or if it has no row.
    """
    if not isinstance(items, pd.DataFrame):
        raise input_error("items", "be a DataFrame indexed by item", type(items).__name__)
    # The column of ids may be "item", or have the name of the item column in another table.
    labels = [
        "item",
        column_names.label("item", RECOMMENDATIONS),
        column_names.label("item", "relevance"),
    ]
    catalogue = index_by_id(items, labels, "items", SYNONYMS["item"].split())
    if not len(catalogue.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    return catalogue


def _check_needs(measure: Measure, column_names: ColumnNames, tables: dict[str, bool]) -> None:
    """Raise an error if a measure needs a history, scores or a catalogue that is missing.

    ``tables`` says whether there is a "history" and a "catalogue".
    """
    for need in measure.needs:
        if need == "scores":
            ranked = [place for place in column_names.by_place if column_names.is_ranked(place)]
            if ranked:
                rank = column_names.label("rank", ranked[0])
                reason = f"which compares it with the grade; got rank={rank!r}"
                raise InputError(f"score must be given for {measure.name}, {reason}")
        elif need == "history" and not tables["history"]:
            rule = "a table of users and the items they have seen"
            raise InputError(f"history must be given for {measure.name}: {rule}")
        # All other needs are columns of the catalogue.
        elif need != "history" and not tables["catalogue"]:
            rule = "a frame of the whole catalogue, indexed by item id"
            raise InputError(f"items must be given for {measure.name}: {rule}")


def _index_of_users(users: Iterable[Id]) -> pd.Index:
    """Return the ids of users that the caller passed; raise an error if there are none."""
    index: pd.Index = pd.Index(
        as_ids(users, "users", f"be one of {', '.join(USERS)}, or ids"), name="user"
    )
    if index.empty:
        raise input_error("users", "hold at least one id", "none")
    return index


def _convention_for(
    users: str, convention: Convention, measures: tuple[Measure, ...]
) -> Convention:
    """Return the convention with the rule for missing answers that ``users`` asks for.

    "answered" and "both" leave out judged users without recommendations, and "named" leaves out no
    user. Raises an error if a measure has one value for all judged users together.
    """
    set_level = [measure.name for measure in measures if measure.of_all is not None]
    if set_level:
        rule = f"be 'judged' for {', '.join(set_level)}, which is of all users together"
        raise input_error("users", rule, users.replace("named", "ids"))
    if users == "named":
        return replace(convention, missing="zero", missing_exceptions=(), no_truth="zero")
    return replace(convention, missing="skip", missing_exceptions=())
