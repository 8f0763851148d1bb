"""Let groups in a table choose by several strategies, and measure each member (document 001)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_numbers
from receval._checks import (
    AnyArray,
    FloatArray,
    Id,
    Options,
    TableLike,
    check_count,
    check_flag,
    check_not_empty,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
    warn,
)
from receval._escape import lines_for_terminal
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.metrics.group.strategies import OPTION_BY_STRATEGY
from receval.tables.columns import check_no_rows, read_column, read_ids, read_numbers
from receval.tables.ids import shared_codes
from receval.tables.reading import open_table

__all__ = ["GroupEvaluation", "evaluate_groups"]

MEANS = ["mean", "worst off", "spread"]
"""Columns of `GroupEvaluation.per_group` that the summary averages over groups."""
COUNTS = ["members", "without"]
"""Columns of `GroupEvaluation.per_group` that the summary adds up over groups."""

UNRATED = "nobody rated all items of the list"
"""Reason why no member of a group has a satisfaction."""
NOTHING_LIKED = "nobody has a rating above 0"
EITHER = "each member left an item of the list unrated or has no rating above 0"

GroupKey: TypeAlias = tuple[str, Id]
"""A strategy and a group."""


class Group(NamedTuple):
    """A group with its members and the items that they rated.

    Attributes
    ----------
    name : hashable
    members : list
        In the order of turns.
    items : ndarray of object, shape (items,)
    ratings, choice_ratings : ndarray of float, shape (members, items)
        The ratings that decide satisfaction, and those by which the group chooses; NaN where a
        member did not rate an item.
    """

    name: Id
    members: list[Id]
    items: AnyArray
    ratings: FloatArray
    choice_ratings: FloatArray


@dataclass(frozen=True, eq=False)
class GroupEvaluation:
    """Recommendations of groups and the satisfaction of each member; see `evaluate_groups`.

    Attributes
    ----------
    per_member : DataFrame
        ``satisfaction``, by strategy, group and member: this is the result. It is NaN for a
        member who did not rate all items of the list, or rated none above 0.
    lists : DataFrame
        ``item``, by strategy, group and rank.
    left_out : Series
        By strategy and group, the reason why a group has no value under a strategy: none of its
        members has a satisfaction there. Empty if every group has a value under every strategy.
    common : bool
        Whether `summary` compares the strategies over the same groups.
    """

    _per_member: pd.DataFrame
    _lists: pd.DataFrame
    _left_out: pd.Series[str]
    common: bool = True

    @property
    def per_member(self) -> pd.DataFrame:
        """Return a copy of the satisfaction of each member."""
        return self._per_member.copy()

    @property
    def lists(self) -> pd.DataFrame:
        """Return a copy of the recommended items."""
        return self._lists.copy()

    @property
    def left_out(self) -> pd.Series[str]:
        """Return a copy of the reasons."""
        return self._left_out.copy()

    def __repr__(self) -> str:
        return lines_for_terminal(
            f"GroupEvaluation(per_member={self.per_member!r}, lists={self.lists!r})"
        )

    @property
    def per_group(self) -> pd.DataFrame:
        """Return the mean, minimum and spread of the satisfaction, by strategy and group.

        The spread is the maximum minus the minimum. All three are computed over the members who
        have a satisfaction, and NaN if nobody has one. ``members`` counts all members, and
        ``without`` counts those who have no satisfaction.
        """
        by_group = self.per_member["satisfaction"].groupby(level=[0, 1], sort=False)
        worst = by_group.min()
        n_members = by_group.size()
        # min, max and mean skip NaN, and count counts only members with a satisfaction.
        columns = {
            "mean": by_group.mean(),
            "worst off": worst,
            "spread": by_group.max() - worst,
            "members": n_members,
            "without": n_members - by_group.count(),
        }
        return pd.concat(columns, axis=1)

    @property
    def summary(self) -> pd.DataFrame:
        """Return means over groups, with a row per strategy.

        ``groups`` is the number of groups behind the means. ``members`` counts the members of these
        groups, and ``without`` counts those of them who have no satisfaction. ``left out`` is the
        number of groups that the means leave out. If ``common`` is True, all strategies leave out
        every group that has no value under some strategy. Otherwise each strategy leaves out only
        the groups that have no value under it. A mean over no group is NaN.
        """
        per_group = self.per_group  # indexed by strategy (level 0) and group (level 1)
        strategies = per_group.index.unique(0)
        has_value = per_group["mean"].notna()
        if self.common:
            # A group counts if it has a value under every strategy.
            is_counted = has_value.groupby(level=1, sort=False).transform("all")
        else:
            is_counted = has_value
        by_strategy = per_group[is_counted].groupby(level=0, sort=False)
        counts = by_strategy[COUNTS].sum()
        counts.insert(0, "groups", by_strategy.size())
        # A strategy without any counted group gets a row too: counts of 0, means of NaN.
        counts = counts.reindex(strategies, fill_value=0)
        n_groups = per_group.groupby(level=0, sort=False).size()
        counts["left out"] = n_groups - counts["groups"]
        return by_strategy[MEANS].mean().reindex(strategies).join(counts)


class Choice(NamedTuple):
    """The list that a group chose, and the satisfaction of each member (NaN if undefined)."""

    group: Group
    items: AnyArray
    satisfactions: FloatArray


def evaluate_groups(
    ratings: TableLike,
    strategies: Iterable[str] | Mapping[str, Options],
    *,
    k: int,
    by: str | None = None,
    members: TableLike | None = None,
    trust: TableLike | None = None,
    discount: Discount = clipped_log2,
    common: bool = True,
    group: str = "group",
    member: str = "member",
    item: str = "item",
    rating: str = "rating",
) -> GroupEvaluation:
    """Let groups choose from the items that they rated, and measure every member's satisfaction.

    Parameters
    ----------
    ratings : DataFrame
        A row per group, member and item with the member's rating. A missing rating has no row.
        The order in which items and members of a group first appear decides ties and whose turn
        it is.
    strategies : iterable of str, or mapping
        Strategies of `receval.metrics.aggregate`, or a mapping of them to their options, such as
        ``{"approval": {"threshold": 7}, "borda": {"ties": "mean"}}``. Without options, ``"borda"``
        gives items that a member rates equally the lowest of their places.
    k : int
        How many items are recommended.
    by : str, optional
        A column by which the groups choose, such as predicted ratings; satisfaction always
        depends on the ratings. Default: the groups choose by the ratings too.
    members : DataFrame, optional
        The members of each group, in the order of turns; members without a rating are allowed.
        Default: the members who have a rating.
    trust : DataFrame, optional
        Who trusts (column ``member``) whom (column ``trusted``); ``"most_respected"`` needs it.
        Only trust within a group counts.
    discount : callable, default `receval.metrics.clipped_log2`
        Discount of `receval.metrics.satisfaction`; the default is the document's.
    common : bool, default True
        Whether the summary compares the strategies over the same groups: those that have a value
        under all of them. If False, each mean is over the groups that have a value under the
        strategy; such means are over different groups, so you cannot compare the strategies by
        them.
    group, member, item, rating : str
        Names of the columns.

    Returns
    -------
    GroupEvaluation

    Warns
    -----
    EvaluationWarning
        If a group has no value under a strategy and the summary therefore leaves it out. The
        warning names the first few groups for each strategy, and the reason.

    Raises
    ------
    InputError
        If there is no strategy or no rating, a member rates an item twice, an id is missing, a
        rating is missing or negative, a member who rates is not in ``members`` or occurs there
        twice, a group has no rating, ``common`` is not True or False, or a strategy refuses an
        option.

    Notes
    -----
    A group's mean is over its members who have a satisfaction. Under different strategies, these
    may be different members of the same group. The column ``without`` of the summary counts the
    other members.

    References
    ----------
    Document 001, section on nDCG: the satisfaction of a user in a group.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "group": [1] * 6, "member": ["Ada"] * 3 + ["Ben"] * 3, "item": list("abc") * 2,
    ...     "rating": [5, 3, 1, 1, 3, 4],
    ... })
    >>> result = evaluate_groups(ratings, ["average", "most_pleasure"], k=2)
    >>> result.per_member["satisfaction"].unstack("member").round(2)
    member                Ada   Ben
    strategy      group
    average       1      1.00  0.57
    most_pleasure 1      0.75  0.71
    """
    check_count(k, "k")
    check_flag(common, "common")
    options_by_strategy = _read_strategies(strategies)
    labels = {"group": group, "member": member, "item": item}
    choice_label = rating if by is None else by
    table = _read_ratings(ratings, labels, rating, choice_label)
    members_by_group = _read_members(table, members, labels)
    _check_trust(options_by_strategy, trust)
    trusting_pairs = None if trust is None else _read_trust(trust, table["member"], member)

    # Groups of one shape, with equally many members and items, choose together.
    choices: dict[GroupKey, Choice] = {}
    for strategy, groups in product(options_by_strategy, _groups_by_shape(table, members_by_group)):
        options = options_by_strategy[strategy]
        if strategy == "most_respected" and trusting_pairs is not None:
            # This strategy needs a matrix of trust for each group.
            matrices = [_trust_matrix(trusting_pairs, chooser.members) for chooser in groups]
            options = {**options, "trust": matrices}
        for choice in _choose(groups, strategy, options, k=k, discount=discount):
            choices[strategy, choice.group.name] = choice

    # The choices were made shape by shape; the tables are in the order of strategies and groups.
    keys = list(product(options_by_strategy, members_by_group))
    key_names = ["strategy", group]
    left_out = _left_out_series(choices, keys, key_names)
    if len(left_out) > 0:
        message = _left_out_message(
            left_out,
            n_groups=len(members_by_group),
            n_strategies=len(options_by_strategy),
            common=common,
        )
        warn(message, stacklevel=2)
    satisfactions = {
        key: list(zip(choice.group.members, choice.satisfactions, strict=True))
        for key, choice in choices.items()
    }
    lists = {key: list(enumerate(choice.items, start=1)) for key, choice in choices.items()}
    return GroupEvaluation(
        _per_member=_stack_by_group(satisfactions, keys, [*key_names, member, "satisfaction"]),
        _lists=_stack_by_group(lists, keys, [*key_names, "rank", item]),
        _left_out=left_out,
        common=common,
    )


# Reading the input --------------------------------------------------------------------------------


def _read_strategies(
    strategies: Iterable[str] | Mapping[str, Options],
) -> Mapping[str, Options]:
    """Return the options of each strategy, an empty dict for a strategy without options.

    Raises an `InputError` if there is no strategy, one occurs twice, or an option has an unknown
    name. `aggregate` checks the names of strategies and the values of options later.
    """
    # A single name is accepted too. If it is a mapping, ``list`` returns its keys, the names.
    are_names = isinstance(strategies, str) or pd.api.types.is_list_like(strategies)
    check_that(are_names, "strategies", "be names, or options by name", strategies)
    names = [strategies] if isinstance(strategies, str) else list(strategies)
    check_unique(names, "strategies", "strategy")
    if not names:
        raise input_error("strategies", "name at least one strategy", "none")
    options_by_strategy: Mapping[str, Options]
    if isinstance(strategies, Mapping):
        options_by_strategy = strategies
    else:
        options_by_strategy = {name: {} for name in names}
    known_options = set(OPTION_BY_STRATEGY.values())
    for name, options in options_by_strategy.items():
        is_valid = isinstance(options, Mapping) and set(options) <= known_options
        rule = "be a dict of threshold, trust or ties"
        check_that(is_valid, f"options of {name!r}", rule, options)
    return options_by_strategy


def _read_id_columns(table: object, labels: Mapping[str, str], name: str) -> pd.DataFrame:
    """Return the id columns of a table under new names, as a frame.

    ``labels`` maps each new name, such as "group", to the name of the column in the table.
    ``name`` is the name of the table in error messages. Raises an `InputError` if an id is missing
    or a column is neither all integers nor all text.
    """
    opened = open_table(table, name)
    ids = pd.DataFrame({role: read_column(opened, label, name) for role, label in labels.items()})
    for role, label in labels.items():
        read_ids(ids[role], f"{name}[{label!r}]")  # called only for its checks
    return ids


def _read_ratings(
    ratings: object, labels: Mapping[str, str], rating_label: str, choice_label: str
) -> pd.DataFrame:
    """Return a table with ``group``, ``member``, ``item``, ``rating`` and ``choice_rating``.

    ``labels`` maps "group", "member" and "item" to the names of their columns in ``ratings``. The
    satisfaction depends on the column ``rating_label``; the groups choose by the column
    ``choice_label``, which may be the same. Raises an `InputError` if a rating is missing or
    negative, or a member rates an item twice.
    """
    ratings = open_table(ratings, "ratings")
    table = _read_id_columns(ratings, labels, "ratings")
    check_not_empty(table, "ratings")
    for role, label in (("rating", rating_label), ("choice_rating", choice_label)):
        name = f"ratings[{label!r}]"
        values = read_column(ratings, label, "ratings")
        table[role] = as_numbers(read_numbers(values, name), name)
    # Groups may choose by any numbers, such as predictions, but gains must not be negative.
    is_negative = (table["rating"] < 0).to_numpy()
    check_no_rows(table["rating"], is_negative, f"ratings[{rating_label!r}]", "be at least 0")
    is_repeat = table.duplicated(list(labels)).to_numpy()
    rule = "be rated by a member at most once"
    check_no_rows(table["item"], is_repeat, f"ratings[{labels['item']!r}]", rule)
    return table


def _read_members(
    table: pd.DataFrame, members: object | None, labels: Mapping[str, str]
) -> dict[Id, list[Id]]:
    """Return the list of members of each group; groups and members in order of first appearance.

    ``table`` holds the ratings as `_read_ratings` returns them. If the argument ``members`` is
    None, the members of a group are those with a rating. Otherwise they are those in ``members``.
    Raises an `InputError` if ``members`` lacks somebody who rates, lists somebody twice in a group,
    or has a group without a rating. ``labels`` is as in `_read_ratings`.
    """
    rating_members = table[["group", "member"]].drop_duplicates()
    if members is None:
        all_members = rating_members
    else:
        group, member = labels["group"], labels["member"]
        all_members = _read_id_columns(members, {"group": group, "member": member}, "members")
        is_repeat = all_members.duplicated().to_numpy()
        rule = "be in a group at most once"
        check_no_rows(all_members["member"], is_repeat, f"members[{member!r}]", rule)
        is_unknown = ~pd.MultiIndex.from_frame(rating_members).isin(
            pd.MultiIndex.from_frame(all_members)
        )
        rule = "be of the group's members"
        check_no_rows(rating_members["member"], is_unknown, f"ratings[{member!r}]", rule)
        # A group without any rating has no items to choose from.
        is_unrated = ~all_members["group"].isin(rating_members["group"]).to_numpy()
        rule = "be a group with a rating"
        check_no_rows(all_members["group"], is_unrated, f"members[{group!r}]", rule)
    by_group = all_members.groupby("group", sort=False)["member"]
    return {name: group_members.tolist() for name, group_members in by_group}


def _check_trust(options_by_strategy: Mapping[str, Options], trust: object | None) -> None:
    """Refuse a table of trust if no strategy needs it, or if the strategy's options have one too.

    None is accepted; if a strategy needs trust, `aggregate` raises later.
    """
    if trust is None:
        return
    needing = [name for name in options_by_strategy if OPTION_BY_STRATEGY.get(name) == "trust"]
    repeating = [name for name in needing if "trust" in options_by_strategy[name]]
    rule = "be given once, here or as an option of a strategy"
    check_that(not repeating, "trust", rule, repeating)
    rule = "be left out without the strategy 'most_respected'"
    check_that(bool(needing), "trust", rule, "a table")


def _read_trust(trust: object, rating_members: pd.Series, member: str) -> set[tuple[Id, Id]]:
    """Return the pairs (member, trusted member) of a table of trust.

    ``rating_members`` is the column of members in the ratings, and ``member`` the name that the
    user gave this column. Raises an `InputError` if the ids in ``trust`` are of a different kind
    from those of the members who rate.
    """
    # The members who trust are in the column that the user named, the others in "trusted".
    pairs = _read_id_columns(trust, {"member": member, "trusted": "trusted"}, "trust")
    id_columns = {
        "ratings": rating_members,
        "trust (member)": pairs["member"],
        "trust (trusted)": pairs["trusted"],
    }
    shared_codes(id_columns, member)  # raises if the ids are of different kinds
    return set(pairs.itertuples(index=False, name=None))


def _trust_matrix(trusting_pairs: set[tuple[Id, Id]], members: Sequence[Id]) -> FloatArray:
    """Return a matrix that is 1 if the row's member trusts the column's member, and 0 otherwise."""
    return np.array(
        [[(member, other) in trusting_pairs for other in members] for member in members], float
    )


def _groups_by_shape(
    table: pd.DataFrame, members_by_group: Mapping[Id, list[Id]]
) -> list[list[Group]]:
    """Return lists of groups; the groups of one list have equally many members and items.

    Their ratings can be stacked into one array, so that all groups of a list choose at once.
    ``table`` holds the ratings as `_read_ratings` returns them.
    """
    groups_by_shape: dict[tuple[int, ...], list[Group]] = {}
    # There may be thousands of small groups, so take their rows from arrays, not from frames.
    group_codes, names = pd.factorize(table["group"])
    rows_by_group = np.argsort(group_codes, kind="stable")
    last_rows = np.cumsum(np.bincount(group_codes, minlength=len(names)))
    all_item_codes, _ = pd.factorize(table["item"])
    all_items = table["item"].unique()  # in the order of their codes
    all_members = table["member"].to_numpy(dtype=object)
    all_ratings = table["rating"].to_numpy()
    all_choice_ratings = table["choice_rating"].to_numpy()
    for name, rows in zip(names, np.split(rows_by_group, last_rows[:-1]), strict=True):
        # Members are the rows of the group's matrix of ratings, and items its columns.
        members = members_by_group[name]
        position = {member: number for number, member in enumerate(members)}
        member_index = [position[member] for member in all_members[rows]]
        item_index, item_codes = pd.factorize(all_item_codes[rows])
        ratings = np.full((len(members), len(item_codes)), np.nan)
        choice_ratings = ratings.copy()
        ratings[member_index, item_index] = all_ratings[rows]
        choice_ratings[member_index, item_index] = all_choice_ratings[rows]
        group = Group(name, members, all_items[item_codes], ratings, choice_ratings)
        groups_by_shape.setdefault(ratings.shape, []).append(group)
    return list(groups_by_shape.values())


# Choosing -----------------------------------------------------------------------------------------


def _choose(
    groups: Sequence[Group],
    strategy: str,
    options: Options,
    *,
    k: int,
    discount: Discount,
) -> list[Choice]:
    """Let groups of one shape (equally many members and items) choose ``k`` items by a strategy.

    ``options`` are further arguments of `aggregate`. A list may hold fewer than ``k`` items.
    """
    choice_ratings = np.stack([group.choice_ratings for group in groups])
    scores = aggregate(choice_ratings, strategy=strategy, **options)
    orders = rank_items(scores)[:, :k]  # positions of items, best first; a row for each group
    ratings = np.stack([group.ratings for group in groups])
    satisfactions = satisfaction(orders, ratings, k=k, discount=discount)
    # If the strategy leaves items out, rank_items fills the row up with -1.
    return [
        Choice(group, group.items[order[order >= 0]], values)
        for group, order, values in zip(groups, orders, satisfactions, strict=True)
    ]


# Writing the result -------------------------------------------------------------------------------


def _stack_by_group(
    rows_by_key: Mapping[GroupKey, Sequence[tuple[object, object]]],
    keys: Sequence[GroupKey],
    names: list[str],
) -> pd.DataFrame:
    """Return a table with a row for each (label, value) pair of each strategy and group.

    Its index is (strategy, group, label), and its only column holds the values. The labels are
    members or ranks. ``rows_by_key`` holds the pairs by (strategy, group), and ``keys`` gives the
    order of the strategies and groups. ``names`` are the three names of the index levels and the
    column's name.
    """
    rows = [(*key, label, value) for key in keys for label, value in rows_by_key[key]]
    # Number the columns for now, because two of the names may be equal.
    table = pd.DataFrame(rows, columns=range(4))
    # factorize keeps the order of first appearance; MultiIndex.from_frame would sort the levels.
    codes: list[Any] = []
    levels: list[Any] = []
    for level in range(3):
        level_codes, level_values = pd.factorize(table[level])
        codes.append(level_codes)
        levels.append(level_values)
    index = pd.MultiIndex(levels, codes, names=names[:3])
    return pd.DataFrame({names[3]: table[3].array}, index)


def _reason_without_value(ratings: FloatArray) -> str:
    """Return the reason why no member of a group has a satisfaction.

    ``ratings`` has the shape (members, items), with NaN where a member did not rate an item. A
    member without a rating above 0 never has a satisfaction. Any other member has none only if the
    list holds an item that this member did not rate.
    """
    # NaN counts as 0 here.
    likes_something = (np.nan_to_num(ratings) > 0).any(axis=-1)
    if likes_something.all():
        return UNRATED
    if likes_something.any():
        return EITHER
    return NOTHING_LIKED


def _left_out_series(
    choices: Mapping[GroupKey, Choice], keys: Sequence[GroupKey], names: list[str]
) -> pd.Series[str]:
    """Return the reason for each strategy and group without a value, in the order of ``keys``.

    A group has no value if none of its members has a satisfaction. The index has the levels
    (strategy, group), which are called ``names``.
    """
    left_out = [key for key in keys if np.isnan(choices[key].satisfactions).all()]
    reasons = [_reason_without_value(choices[key].group.ratings) for key in left_out]
    strategies = [strategy for strategy, _ in left_out]
    groups = [group for _, group in left_out]
    index = pd.MultiIndex.from_arrays([strategies, groups], names=names)
    return pd.Series(reasons, index, dtype=object, name="reason")


def _left_out_message(
    left_out: pd.Series[str],
    *,
    n_groups: int,
    n_strategies: int,
    common: bool,
) -> str:
    """Return a warning: which groups have no value, why, and whether the summary leaves them out.

    ``left_out`` holds the reasons, indexed by (strategy, group), and is not empty. ``common`` says
    whether the summary is over the groups that have a value under every strategy.
    """
    groups_by_cause: dict[tuple[str, str], list[Id]] = {}
    groups_by_strategy: dict[str, set[Id]] = {}
    for (strategy, group), reason in zip(left_out.index, left_out, strict=True):
        groups_by_cause.setdefault((strategy, reason), []).append(group)
        groups_by_strategy.setdefault(strategy, set()).add(group)
    parts = [
        f"{strategy!r} in group {format_first(map(shorten, groups))} ({reason})"
        for (strategy, reason), groups in groups_by_cause.items()
    ]
    message = f"No member has a satisfaction under {'; '.join(parts)}."
    all_left_out = set[Id]().union(*groups_by_strategy.values())
    n_left_out = len(all_left_out)
    n_by_strategy = [len(groups) for groups in groups_by_strategy.values()]
    # If every strategy leaves out all of these groups, each leaves out the same ones, and the
    # summary compares the strategies over the same groups whatever ``common`` says.
    are_same_groups = n_by_strategy == [n_left_out] * n_strategies
    if are_same_groups:
        return f"{message} The summary leaves out {n_left_out} of {n_groups} groups"
    if common:
        return (
            f"{message} The summary leaves these groups out under all strategies, "
            f"{n_left_out} of {n_groups}, so that it compares them over the same groups; "
            "common=False leaves out a group only where it has no value"
        )
    return (
        f"{message} The summary leaves these groups out for that strategy, so its means are "
        "over different groups and do not compare the strategies"
    )
