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

UserChoice: TypeAlias = "Iterable[Id] | pd.Series[bool] | Callable[[Id], bool]"
"""A choice of users: ids, a Series of True and False by user, or a function of an id."""

GroupLabels: TypeAlias = "pd.Series | Callable[[Id], Id]"
"""The groups of users: a Series by user, or a function of an id."""


def user_mask(users: pd.Index, choice: UserChoice) -> BoolArray:
    """Return a mask of the chosen users, in the order of ``users``.

    ``choice`` can hold ids, hold True or False for each user, or be a function that takes an id.
    Raises an `InputError` if no user is chosen, or if ``choice`` holds an id that no user has.
    """
    if callable(choice) or (isinstance(choice, pd.Series) and choice.dtype == bool):
        answers = labels_of_users(users, choice, "users")
        wrong = [shorten(answer) for answer in answers if not isinstance(answer, (bool, np.bool_))]
        if wrong:
            raise input_error("users", "return True or False for each user", format_first(wrong))
        is_chosen = answers.to_numpy(bool)
    else:
        rule = "be ids, a Series of True or False by user, or a function of an id"
        ids = as_ids([choice] if isinstance(choice, str) else choice, "users", rule)
        index = pd.Index(ids, tupleize_cols=False)  # a tuple is one id, not several levels
        _check_kind(index, users, "users")
        unknown = index.difference(users, sort=False)
        if len(unknown):
            rule = f"be judged users, such as {users[:MAX_EXAMPLES].tolist()}"
            raise input_error("users", rule, format_first(map(repr, unknown)))
        is_chosen = np.asarray(users.isin(index))
    if not is_chosen.any():
        raise input_error("users", "leave at least one judged user", "none")
    return is_chosen


def users_by_group(users: pd.Index, groups: GroupLabels) -> dict[Id, pd.Index]:
    """Return the users of each group, by the name of the group.

    Groups are in the order of their categories if the labels are categorical; otherwise, they are
    sorted. Categories without users are not groups. Raises an `InputError` if the name of a group
    is not hashable.
    """
    labels = labels_of_users(users, groups, "groups")
    wrong = [shorten(label) for label in labels if not pd.api.types.is_hashable(label)]
    if wrong:
        raise input_error("groups", "have hashable names such as text", format_first(wrong))
    by_group = labels.groupby(labels, observed=True)  # leaves out empty categories
    return {group: labels_of_group.index for group, labels_of_group in by_group}


def labels_of_users(users: pd.Index, labels: object, argument: str) -> pd.Series:
    """Return the label of each user, in the order of the users.

    ``labels`` is a Series indexed by user, or a function of an id that returns the label. Error
    messages call it ``argument``. Raises an `InputError` if it is neither, if a user has no label
    or two labels, or if its ids are of a different kind from the ids of the users.
    """
    if callable(labels):
        labels = pd.Series([labels(user) for user in users], users, dtype=object)
    if not isinstance(labels, pd.Series):
        rule = "be a Series indexed by user, or a function of an id"
        raise input_error(argument, rule, shorten(labels))
    labels = labels.dropna()  # a user whose label is NaN has none
    _check_kind(labels.index, users, f"index of {argument}")
    rule = "hold one value for each judged user"
    repeated = labels.index[labels.index.duplicated()]
    if len(repeated):
        raise input_error(argument, rule, f"two of {format_first(map(repr, repeated))}")
    unlabelled = users.difference(labels.index)
    if len(unlabelled):
        got = f"none of {format_first(map(repr, unlabelled))}"
        raise input_error(argument, rule, got, "Choose users with where(users=…) first")
    return labels.reindex(users)


def _check_kind(ids: pd.Index, users: pd.Index, name: str) -> None:
    """Raise an `InputError` if ids are of a different kind from the ids of the users.

    If the users are 1 and 2, Python finds 1.0 and True among them, because both equal 1. But 1.0
    and True are not ids of users. ``name`` is the name of the ids in error messages.
    """
    kind, kind_of_users = (
        pd.api.types.infer_dtype(index.astype(object), skipna=False).replace("string", "text")
        for index in (ids, users)
    )
    if len(ids) and kind != kind_of_users:
        got = f"{kind}, such as {format_first(map(repr, ids[:MAX_EXAMPLES]))}"
        raise input_error(name, f"hold ids of users, which are {kind_of_users}", got)
