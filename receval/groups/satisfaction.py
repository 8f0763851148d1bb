"""Let groups in a table choose by several strategies, and measure each member (document 001)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._arrays import as_numbers
from receval._checks import (
    FloatArray,
    IntArray,
    Options,
    TableLike,
    as_ids,
    check_count,
    check_not_empty,
    check_that,
    format_first,
    shorten,
    warn,
)
from receval._escape import lines_for_terminal
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.tables.columns import check_no_rows, read_column, read_ids, read_numbers, shared_codes
from receval.tables.reading import open_table


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
    """

    _per_member: pd.DataFrame
    _lists: pd.DataFrame

    @property
    def per_member(self) -> pd.DataFrame:
        """Return a copy of the satisfaction of each member."""
        return self._per_member.copy()

    @property
    def lists(self) -> pd.DataFrame:
        """Return a copy of the recommended items."""
        return self._lists.copy()

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
        by_group = self._per_member["satisfaction"].groupby(level=[0, 1], sort=False)
        n_members = by_group.size()
        # min, max and mean skip NaN, and count counts only members with a satisfaction.
        columns = {
            "mean": by_group.mean(),
            "worst off": by_group.min(),
            "spread": by_group.max() - by_group.min(),
            "members": n_members,
            "without": n_members - by_group.count(),
        }
        return pd.concat(columns, axis=1)

    @property
    def summary(self) -> pd.DataFrame:
        """Return means over groups, with a row per strategy.

        ``groups`` is the number of groups behind the means. ``members`` counts the members of these
        groups, and ``without`` counts those of them who have no satisfaction. ``left out`` is the
        number of groups that the means leave out: those that have no value under some strategy. So
        the strategies are compared over the same groups. A mean over no group is NaN.
        """
        per_group = self.per_group  # indexed by strategy (level 0) and group (level 1)
        # A group counts if it has a value under every strategy.
        is_counted = per_group["mean"].notna().groupby(level=1, sort=False).transform("all")
        # Means, sums and counts skip NaN, so groups that don't count become NaN.
        by_strategy = per_group.where(is_counted).groupby(level=0, sort=False)
        summary = by_strategy[["mean", "worst off", "spread"]].mean()
        summary["groups"] = by_strategy["mean"].count()
        summary["members"] = by_strategy["members"].sum().astype(int)
        summary["without"] = by_strategy["without"].sum().astype(int)
        summary["left out"] = by_strategy.size() - summary["groups"]
        return summary


def evaluate_groups(
    ratings: TableLike,
    strategies: Iterable[str] | Mapping[str, Options],
    *,
    k: int,
    by: str = "rating",
    trust: TableLike | None = None,
) -> GroupEvaluation:
    """Let groups choose from the items that they rated, and measure every member's satisfaction.

    Parameters
    ----------
    ratings : DataFrame
        A row per group, member and item with the member's rating, in the columns ``group``,
        ``member``, ``item`` and ``rating``. A missing rating has no row.
        The order in which items and members of a group first appear decides ties and whose turn
        it is.
    strategies : iterable of str, or mapping
        Strategies of `receval.metrics.aggregate`, or a mapping of them to their options, such as
        ``{"approval": {"threshold": 7}, "borda": {"ties": "mean"}}``. Without options, ``"borda"``
        gives items that a member rates equally the lowest of their places.
    k : int
        How many items are recommended.
    by : str, default "rating"
        The column by which the groups choose, such as predicted ratings; satisfaction always
        depends on the ratings.
    trust : DataFrame, optional
        Who trusts (column ``member``) whom (column ``trusted``); ``"most_respected"`` needs it.
        Only trust within a group counts, and at least one group needs a pair.

    Returns
    -------
    GroupEvaluation

    Warns
    -----
    EvaluationWarning
        If a group has no value under a strategy and the summary therefore leaves it out. The
        warning names the strategies and the first few groups.

    Raises
    ------
    InputError
        If there is no strategy or no rating, a member rates an item twice, an id is missing, a
        rating is missing or negative, or a strategy refuses an option.

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
    options_by_strategy = _read_strategies(strategies)
    is_needed = "most_respected" in options_by_strategy
    rule = "be given for the strategy 'most_respected', and left out without it"
    check_that(is_needed == (trust is not None), "trust", rule, type(trust).__name__)
    table = _read_ratings(ratings, by)

    links_by_group: dict[Hashable, pd.DataFrame] = {}
    if trust is not None:
        links_by_group = _read_trust(trust, table)
    groups = [
        _read_group(group_id, rows, links_by_group)
        for group_id, rows in table.groupby("group", sort=False)
    ]
    satisfactions, lists = [], []
    for strategy, options in options_by_strategy.items():
        results = _choose(groups, strategy, options, k)
        for ratings_of_group, (order, values) in zip(groups, results, strict=True):
            key = (strategy, ratings_of_group.group_id)
            chosen = enumerate(ratings_of_group.items[order[order >= 0]], start=1)
            lists += [(*key, *rank_and_item) for rank_and_item in chosen]
            pairs = zip(ratings_of_group.members, values, strict=True)
            satisfactions += [(*key, *member_and_value) for member_and_value in pairs]
    result = GroupEvaluation(
        _frame_in_order(satisfactions, ["strategy", "group", "member"], "satisfaction"),
        _frame_in_order(lists, ["strategy", "group", "rank"], "item"),
    )
    has_no_value = result.per_group["mean"].isna()
    if has_no_value.any():
        without_value = has_no_value.index[has_no_value]
        strategy_names = " or ".join(map(repr, without_value.unique(0)))
        group_ids = format_first(without_value.unique(1), to_text=shorten)
        warn(
            f"Under {strategy_names}, no member of group {group_ids} has a satisfaction: each left "
            "an item of the list unrated, or has no rating above 0. The summary leaves these "
            "groups out under all strategies, so that it compares them over the same groups",
            stacklevel=2,
        )
    return result


# Reading the input --------------------------------------------------------------------------------


def _read_strategies(strategies: Iterable[str] | Mapping[str, Options]) -> dict[str, Options]:
    """Return the options of each strategy, an empty dict for a strategy without options.

    Raises an `InputError` if there is no strategy, one occurs twice, or an option has an unknown
    name. `aggregate` checks the names of strategies and the values of options later.
    """
    # If it is a mapping, these are its keys, the names.
    names = as_ids(strategies, "strategies", "be names, or options by name")
    check_not_empty(names, "strategies", "name at least one strategy")
    if not isinstance(strategies, Mapping):
        return {name: {} for name in names}
    for name, options in strategies.items():
        is_valid = isinstance(options, Mapping) and set(options) <= {"threshold", "ties"}
        check_that(is_valid, f"options of {name!r}", "be a dict of threshold or ties", options)
    return dict(strategies)


def _read_ids(table: object, labels: Sequence[str], name: str) -> pd.DataFrame:
    """Return the id columns of a table, as a frame.

    ``name`` is the name of the table in error messages. Raises an `InputError` if an id is missing
    or a column is neither all integers nor all text.
    """
    opened = open_table(table, name)
    ids = pd.DataFrame()
    for label in labels:
        column = read_column(opened, label, name)
        read_ids(column, f"{name}[{label!r}]")  # called only for its checks
        # As objects, integers of two widths are compared exactly.
        ids[label] = column.astype(object)
    return ids


def _read_ratings(ratings: object, by: str) -> pd.DataFrame:
    """Return a table with ``group``, ``member``, ``item``, ``rating`` and ``choice``.

    The groups choose by the column ``by``, which may be the ratings. Raises an `InputError` if a
    rating is missing or negative, or a member rates an item twice.
    """
    opened = open_table(ratings, "ratings")
    table = _read_ids(opened, ["group", "member", "item"], "ratings")
    check_not_empty(table, "ratings")
    for role, label in (("rating", "rating"), ("choice", by)):
        name = f"ratings[{label!r}]"
        table[role] = as_numbers(read_numbers(read_column(opened, label, "ratings"), name), name)
    # Groups may choose by any numbers, such as predictions, but gains must not be negative.
    is_negative = (table["rating"] < 0).to_numpy()
    check_no_rows(table["rating"], is_negative, "ratings['rating']", "be at least 0")
    is_repeat = table.duplicated(["group", "member", "item"]).to_numpy()
    rule = "be rated by a member at most once"
    check_no_rows(table["item"], is_repeat, "ratings['item']", rule)
    return table


def _read_trust(trust: object, table: pd.DataFrame) -> dict[Hashable, pd.DataFrame]:
    """Return for each group its pairs of whom one, the ``member``, trusts the other, ``trusted``.

    A group without such a pair is left out. ``table`` holds the ratings. Raises an `InputError` if
    the ids in ``trust`` are of a different kind.
    """
    links = _read_ids(trust, ["member", "trusted"], "trust")
    id_columns = {
        "ratings": table["member"],
        "trust (member)": links["member"],
        "trust (trusted)": links["trusted"],
    }
    shared_codes(id_columns, "member")  # raises if the ids are of different kinds
    roster = table[["group", "member"]].drop_duplicates()
    others = roster.rename(columns={"member": "trusted"})
    pairs = links.merge(roster, on="member").merge(others, on=["group", "trusted"])
    check_not_empty(pairs, "trust", "have a pair of members of one group")
    return dict(list(pairs.groupby("group")))


# Choosing and writing the result ------------------------------------------------------------------


class Group(NamedTuple):
    """The ratings of a group as matrices, with a row per member and a column per item.

    Members and items are in the order in which they first appear. ``trust`` has 1 where the row's
    member trusts the column's member.
    """

    group_id: Hashable
    members: pd.Index
    items: pd.Index
    true_ratings: FloatArray
    choice_ratings: FloatArray
    trust: FloatArray


def _read_group(
    group_id: Hashable, rows: pd.DataFrame, links_by_group: Mapping[Hashable, pd.DataFrame]
) -> Group:
    """Return a group from its rows of ratings, and from its pairs of members who trust."""
    row, members = pd.factorize(rows["member"])
    column, items = pd.factorize(rows["item"])
    true_ratings = np.full((len(members), len(items)), np.nan)
    true_ratings[row, column] = rows["rating"]
    choice_ratings = np.full_like(true_ratings, np.nan)
    choice_ratings[row, column] = rows["choice"]
    trust = np.zeros((len(members), len(members)))
    if group_id in links_by_group:
        links = links_by_group[group_id]
        trusting = members.get_indexer(pd.Index(links["member"]))
        trusted = members.get_indexer(pd.Index(links["trusted"]))
        trust[trusting, trusted] = 1
    return Group(group_id, members, items, true_ratings, choice_ratings, trust)


def _choose(
    groups: list[Group], strategy: str, options: Options, k: int
) -> list[tuple[IntArray, FloatArray]]:
    """Return the columns of the k items that each group chooses, and its members' satisfaction.

    A group that chooses fewer items has -1 at the end. Groups with equally many members and items
    choose together, which is much faster than one after the other.
    """
    shapes = pd.Series([group.true_ratings.shape for group in groups])
    result_by_number: dict[int, tuple[IntArray, FloatArray]] = {}
    for numbers in shapes.groupby(shapes).indices.values():
        together = [groups[number] for number in numbers]
        choice_ratings = np.stack([group.choice_ratings for group in together])
        arguments = dict(options)
        if strategy == "most_respected":
            arguments["trust"] = np.stack([group.trust for group in together])
        orders = rank_items(aggregate(choice_ratings, strategy=strategy, **arguments))[:, :k]
        true_ratings = np.stack([group.true_ratings for group in together])
        values = satisfaction(orders, true_ratings, k=k)
        result_by_number.update(zip(numbers, zip(orders, values, strict=True), strict=True))
    return [result_by_number[number] for number in range(len(groups))]


def _frame_in_order(
    rows: Sequence[tuple[object, ...]], keys: list[str], value: str
) -> pd.DataFrame:
    """Return a frame with one column, from rows that hold three keys and a value.

    The levels of its index hold the keys in the order of first appearance. pandas would sort them,
    and then `unstack` would sort the strategies.
    """
    table = pd.DataFrame(rows, columns=range(4))
    codes, levels = zip(*(pd.factorize(table[place]) for place in range(3)), strict=True)
    index = pd.MultiIndex(levels, codes, names=keys)
    return pd.DataFrame({value: table[3].to_numpy()}, index)
