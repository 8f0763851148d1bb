"""Choose some of the users of an evaluation, or divide the users into groups."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    BoolArray,
    Id,
    as_ids,
    check_not_empty,
    check_that,
    check_unique,
    format_first,
    input_error,
)


def user_mask(users: pd.Index, chosen_ids: Iterable[Id]) -> BoolArray:
    """Return a mask of the users whose ids are chosen, in the order of ``users``.

    Raises an `InputError` if no id is chosen, or if no user has one of the ids.
    """
    if pd.api.types.is_bool_dtype(getattr(chosen_ids, "dtype", object)):
        advice = "Pass the ids of the wanted users, such as flags.index[flags]"
        raise input_error("users", "hold ids of users", "flags", advice)
    ids = as_ids(chosen_ids, "users", "be a list of ids of judged users")
    check_not_empty(ids, "users", "leave at least one judged user")
    index = pd.Index(ids, tupleize_cols=False)  # a tuple is one id, not several levels
    _check_kind(index, users, "users")
    unknown = index.difference(users, sort=False)
    if len(unknown):
        rule = f"be judged users, such as {users[:MAX_EXAMPLES].tolist()}"
        raise input_error("users", rule, format_first(map(repr, unknown)))
    return np.asarray(users.isin(index))


def users_by_group(users: pd.Index, groups: pd.Series) -> dict[Id, pd.Index]:
    """Return the users of each group, by the name of the group.

    ``groups`` has the group of each user, indexed by user. Groups are in the order of their
    categories if the labels are categorical; otherwise, they are sorted. Categories without users
    are not groups. Raises an `InputError` if a user has no group or two groups.
    """
    rule = "be a Series with the group of each user, indexed by user"
    check_that(isinstance(groups, pd.Series), "groups", rule, groups)
    labels = groups.dropna()  # a user whose label is NaN has no group
    _check_kind(labels.index, users, "index of groups")
    check_unique(labels.index.tolist(), "index of groups", "user")
    unlabelled = users.difference(labels.index)
    if len(unlabelled):
        got = f"none of {format_first(map(repr, unlabelled))}"
        advice = "Choose users with where(users=…) first"
        raise input_error("groups", "hold one value for each judged user", got, advice)
    labels = labels.reindex(users)
    by_group = labels.groupby(labels, observed=True)  # leaves out empty categories
    return {group: labels_of_group.index for group, labels_of_group in by_group}


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
