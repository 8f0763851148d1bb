"""The choices of an evaluation, checked once before anything is measured, and the catalogue."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from receval._arrays import as_numbers, power_of_two_scale
from receval._checks import (
    MAX_EXACT_INTEGER,
    AnyArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    Record,
    as_ids,
    check_choice,
    check_not_empty,
    check_that,
    input_error,
    shorten,
)
from receval._version import __version__
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext
from receval.metrics.beyond_accuracy import short_head
from receval.tables.columns import (
    SYNONYMS,
    check_frame,
    check_no_rows,
    index_by_id,
    read_column,
    read_numbers,
)
from receval.tables.inputs import RECOMMENDATIONS, ColumnNames

USERS = ("judged", "answered", "both")
"""The named choices of users that means go over; the caller can also pass ids."""

NOT_FEATURES = ("awards", "novelty_date")
"""Columns of the catalogue that aren't features of the items."""

HEAVY_SHARE = 0.99
"""If a feature makes up a larger share of the items' vectors, the others hardly count."""


@dataclass(frozen=True, repr=False)
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
    items : Index, optional
        The ids of the catalogue.
    n_items : int, optional
        The size of the catalogue, which a file of results has without the catalogue.
    max_grade : float, optional
        The largest grade of relevance, if a measure asks for it.
    features : dict, optional
        The columns that are features, and perhaps the one that outweighs the others, for notes.
    catalogue : dict, optional
        The columns of the catalogue that measures need, as arrays in the order of ``items``.
    version : str
        The version of receval.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    column_names: ColumnNames
    duplicates: str
    seen: str
    users: str
    named_users: pd.Index | None = None
    items: pd.Index | None = None
    n_items: int | None = None
    max_grade: float | None = None
    catalogue: dict[str, AnyArray] = field(default_factory=dict)
    features: Record | None = None
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
        check_that(seen == "note" or has_history, "history", f"be given for seen={seen!r}", None)
        tables = {"history": has_history, "catalogue": items is not None}
        if items is not None:
            items = _catalogue_by_item(items, column_names)
        for measure in measures:
            convention.check_has(measure.spec.name, measure.name)
            _check_needs(measure, column_names, tables)
        named_users = None
        if not isinstance(users, str):
            ids = as_ids(users, "users", f"be one of {', '.join(USERS)}, or ids")
            check_not_empty(ids, "users", "hold at least one id")
            named_users = pd.Index(ids, name="user")
            users = "named"
        else:
            check_choice(users, "users", USERS)
        if users != "judged":
            convention = _convention_for(users, convention, measures)
        options = cls(
            measures,
            convention,
            column_names,
            duplicates=duplicates,
            seen=seen,
            users=users,
            named_users=named_users,
        )
        if items is not None:
            options = _read_catalogue(options, items)
        return options

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


def _check_needs(measure: Measure, column_names: ColumnNames, tables: dict[str, bool]) -> None:
    """Raise an error if a measure needs a history, scores or a catalogue that is missing.

    ``tables`` says whether there is a "history" and a "catalogue".
    """
    for need in measure.spec.needs:
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


# The catalogue ------------------------------------------------------------------------------------


def _catalogue_by_item(items: object, column_names: ColumnNames) -> pd.DataFrame:
    """Return the catalogue indexed by item; its ids may be in the index or in a column.

    Raises an error if it is not a frame, or if it has no row.
    """
    items = check_frame(items, "items")
    # The column of ids may be "item", or have the name of the item column in another table.
    labels = [
        "item",
        column_names.label("item", RECOMMENDATIONS),
        column_names.label("item", "relevance"),
    ]
    catalogue = index_by_id(items, labels, "items", SYNONYMS["item"].split())
    check_not_empty(catalogue, "items", "hold at least one item")
    return catalogue


def _read_catalogue(options: Options, items: pd.DataFrame) -> Options:
    """Return the options with the columns of the catalogue that measures need.

    ``items`` is the catalogue, indexed by item. Raises an error if a column is missing or wrong.
    """
    # A need such as "awards" is the name of a column of the catalogue; "features" stands for all
    # other columns. Errors about a column say which measure needs it.
    reasons = {
        need: f" for {measure.name}" for measure in options.measures for need in measure.spec.needs
    }
    columns: dict[str, AnyArray] = {}
    features: Record | None = None
    if "awards" in reasons:
        awards = _read_awards(items, reasons["awards"])
        # The convention says whether the item that reaches the share belongs to the short head.
        columns["in_head"] = short_head(awards, crossing=options.convention.crossing)
    if "novelty_date" in reasons:
        columns["age"] = _read_ages(items, reasons["novelty_date"])
    if "features" in reasons:
        names = [label for label in items.columns if label not in NOT_FEATURES]
        vectors = _read_unit_vectors(items, names, reasons["features"])
        columns["features"] = vectors
        features = {"columns": [shorten(name) for name in names], "heavy": None}
        # The squares of a vector of length 1 add up to 1, so their means are shares.
        shares = np.mean(vectors**2, axis=0)
        if len(names) > 1 and shares.max() > HEAVY_SHARE * shares.sum():
            features["heavy"] = shorten(names[shares.argmax()])
    return replace(
        options, items=items.index, n_items=len(items), catalogue=columns, features=features
    )


# The argument `reason` ends a message with the measure that needs the column, as " for LTP".


def _read_awards(items: pd.DataFrame, reason: str) -> IntArray:
    """Return how often each item is chosen, from the column "awards"."""
    series = read_column(items, "awards", "items", reason)
    awards = read_numbers(series, "awards of items")
    is_wrong = (awards != np.floor(awards)) | (awards > MAX_EXACT_INTEGER)
    check_no_rows(series, is_wrong, "awards of items", "be whole numbers of at most 2**53")
    return awards.astype(np.int64)


def _read_ages(items: pd.DataFrame, reason: str) -> FloatArray:
    """Return the age of each item in whole days at the latest date of the column "novelty_date"."""
    dates = read_column(items, "novelty_date", "items", reason)
    if not pd.api.types.is_datetime64_any_dtype(dates):
        raise InputError(f"novelty_date of items must hold dates; got {dates.dtype}")
    check_no_rows(dates, dates.isna().to_numpy(), "novelty_date of items", "not be missing")
    days = (dates.max() - dates).dt.total_seconds().to_numpy() / 86400  # seconds of a day
    return np.floor(np.asarray(days, np.float64))


def _read_unit_vectors(items: pd.DataFrame, names: Sequence[Hashable], reason: str) -> FloatArray:
    """Return the features of each item as a vector of length 1, or 0 if all features are 0.

    The result has a row for each item. ``names`` are the columns that are features. Raises an error
    if there is no feature, or if one does not hold numbers.
    """
    check_not_empty(names, "items", f"have feature columns{reason}")
    columns = []
    for name in names:
        series = read_column(items, name, "items", reason)
        if not pd.api.types.is_numeric_dtype(series.dtype):
            rule = f"hold numbers, as a feature{reason}"
            advice = "Leave the column out, or turn words into features with str.get_dummies()"
            raise input_error(f"{name} of items", rule, f"{series.dtype}", advice)
        columns.append(as_numbers(read_numbers(series, f"{name} of items"), f"{name} of items"))
    matrix = np.column_stack(columns)
    # Bring each row near 1, or the squares in its norm could overflow or vanish. A power of two
    # changes no digit of the result.
    matrix = matrix / power_of_two_scale(np.abs(matrix))
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    # Where the norm is 0, the zeros of `out` stay.
    unit: FloatArray = np.divide(matrix, norm, out=np.zeros_like(matrix), where=norm > 0)
    return unit
