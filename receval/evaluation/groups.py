"""Choose some of the users of an evaluation, or divide the users into groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    BoolArray,
    Id,
    as_ids,
    format_first,
    input_error,
    shorten,
)
from receval.tables.columns import index_by_id

COMPARABLE_KINDS = (
    "integer",
    "text",
    "floating",
    "boolean",
    "decimal",
    "mixed-integer-float",
)
"""Kinds of ids; ids of one of these kinds can't equal users of another kind."""

UserChoice: TypeAlias = "Iterable[Id] | pd.Series[bool] | Callable[[Id], bool]"
"""A choice of users: ids, a Series of True and False by user, or a function of an id."""

GroupLabels: TypeAlias = "pd.Series | pd.DataFrame | Callable[[Id], Id]"
"""The groups of users: a Series or frame by user, or a function of an id."""


def user_mask(users: pd.Index, choice: UserChoice) -> BoolArray:
    """Return a mask of the chosen users, in the order of ``users``.

    ``choice`` can hold ids, hold True or False for each user, or be a function that takes an id.
    Raises an `InputError` if no user is chosen, or if ``choice`` holds an id that no user has.
    """
    is_by_user = isinstance(choice, pd.Series) and choice.dtype == bool
    if callable(choice) or is_by_user:
        is_chosen = _mask_from_answers(users, choice)
    else:
        is_chosen = _mask_from_ids(users, choice)
    if not is_chosen.any():
        raise input_error("users", "leave at least one judged user", "none")
    return is_chosen


def _mask_from_answers(users: pd.Index, choice: UserChoice) -> BoolArray:
    """Return a mask of the users for whom ``choice`` is True.

    ``choice`` is a function of an id that returns True or False, or a Series of True and False by
    user.
    """
    answers = labels_of_users(users, choice, "users")
    wrong = [shorten(answer) for answer in answers if not isinstance(answer, (bool, np.bool_))]
    if wrong:
        raise input_error("users", "return True or False for each user", format_first(wrong))
    return answers.to_numpy(bool)


def _mask_from_ids(users: pd.Index, choice: UserChoice) -> BoolArray:
    """Return a mask of the users whose ids are in ``choice``; refuse ids that no user has.

    ``choice`` is a single text or an iterable of ids without repeats.
    """
    rule = "be ids, a Series of True or False by user, or a function of an id"
    ids = as_ids([choice] if isinstance(choice, str) else choice, "users", rule)
    index = pd.Index(ids, tupleize_cols=False)  # a tuple is one id, not several levels
    _check_kind(index, users, "users")  # raises
    unknown = index.difference(users, sort=False)
    if len(unknown):
        rule = f"be judged users, such as {users[:MAX_EXAMPLES].tolist()}"
        raise input_error("users", rule, format_first(map(repr, unknown)))
    return np.asarray(users.isin(index))


def users_by_group(users: pd.Index, groups: GroupLabels) -> dict[Id, pd.Index]:
    """Return the users of each group, by the name of the group.

    Groups are in the order of their categories if the labels are categorical; otherwise, they are
    sorted. Categories without users are not groups. Raises an `InputError` if the name of a group
    is not hashable, or if two names are equal as text, such as 1 and "1".
    """
    labels = labels_of_users(users, groups, "groups")
    wrong = [shorten(label) for label in labels if not pd.api.types.is_hashable(label)]
    if wrong:
        raise input_error("groups", "have hashable names such as text", format_first(wrong))
    # The index of a group's labels holds the group's users. ``observed`` leaves out empty
    # categories.
    users_of_group = {
        group: labels_of_group.index
        for group, labels_of_group in labels.groupby(labels, observed=True)
    }
    # Columns and files name groups by their text.
    if len({*map(str, users_of_group)}) < len(users_of_group):
        raise input_error("groups", "have names that differ as text", list(users_of_group))
    return users_of_group


def labels_of_users(users: pd.Index, labels: object, argument: str) -> pd.Series:
    """Return the label of each user, in the order of the users.

    Parameters
    ----------
    users : Index
        The judged users.
    labels : callable, Series or DataFrame
        A function of an id that returns the label, a Series indexed by user, or a frame with one
        column of labels.
    argument : str
        The name of ``labels`` in error messages.

    Raises
    ------
    InputError
        If a user has no label or two labels, if the ids of ``labels`` are of a different kind from
        the ids of the users, or if ``labels`` has none of these forms.
    """
    # Convert every form to a Series indexed by user.
    label_by_user = labels
    if callable(labels):
        label_by_user = pd.Series([labels(user) for user in users], users, dtype=object)
    elif isinstance(labels, pd.DataFrame):
        label_by_user = _only_column(labels, users, argument)
    if not isinstance(label_by_user, pd.Series):
        rule = "be a Series or a frame of one column indexed by user, or a function of an id"
        raise input_error(argument, rule, shorten(label_by_user))
    # Check that each user has one label. A user whose label is NaN counts as a user without a
    # label.
    label_by_user = label_by_user.dropna()
    _check_kind(label_by_user.index, users, f"index of {argument}")  # raises
    rule = "hold one value for each judged user"
    repeated = label_by_user.index[label_by_user.index.duplicated()]
    if len(repeated):
        raise input_error(argument, rule, f"two of {format_first(map(repr, repeated))}")
    unlabelled = users.difference(label_by_user.index)
    if len(unlabelled):
        got = f"none of {format_first(map(repr, unlabelled))}"
        raise input_error(argument, rule, got, "Choose users with where(users=…) first")
    return label_by_user.reindex(users)


def _only_column(frame: pd.DataFrame, users: pd.Index, argument: str) -> pd.DataFrame | pd.Series:
    """Return the only column of a frame, by user, or the frame itself if it has several columns.

    The ids of the users are in its index, or in a column with the name "user" or the name of
    ``users``. ``argument`` is the name of the frame in error messages. The caller refuses frames of
    several columns.
    """
    names_of_ids = ["user"]
    if users.name is not None:
        names_of_ids.append(str(users.name))
    frame = index_by_id(frame, names_of_ids, argument)
    if frame.shape[1] == 1:
        return frame.iloc[:, 0]
    return frame


def _check_kind(ids: pd.Index, users: pd.Index, name: str) -> None:
    """Raise an `InputError` if ids are of a different kind from the ids of the users.

    If the users are 1 and 2, Python finds 1.0 and True among them, because both equal 1. But 1.0
    and True are not ids of users. ``name`` is the name of the ids in error messages. Ids of kinds
    outside `COMPARABLE_KINDS`, such as mixed objects, are accepted here, because the caller looks
    them up among the users later.
    """
    if ids.empty or users.empty:
        return
    kind = _kind_of(ids)
    kind_of_users = _kind_of(users)
    if kind in COMPARABLE_KINDS and kind != kind_of_users:
        got = f"{kind}, such as {format_first(map(repr, ids[:MAX_EXAMPLES]))}"
        raise input_error(name, f"hold ids of users, which are {kind_of_users}", got)


def _kind_of(ids: pd.Index) -> str:
    """Return the kind of ids that pandas infers, such as "integer"; strings are "text"."""
    values = ids.categories if isinstance(ids, pd.CategoricalIndex) else ids
    kind = pd.api.types.infer_dtype(values, skipna=False)
    # pandas calls the kind of an empty index "empty". Categories without values, for example, give
    # an empty index.
    return {"string": "text", "empty": "text"}.get(kind, kind)
