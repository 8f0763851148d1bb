"""Let groups in a table choose by several strategies, and measure each member (document 001)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from receval._arrays import as_numbers
from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    Options,
    TableLike,
    as_ids,
    check_count,
    check_flag,
    check_not_empty,
    check_that,
    format_first,
    shorten,
    warn,
)
from receval._escape import lines_for_terminal
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.tables.columns import check_no_rows, read_column, read_ids, read_numbers
from receval.tables.ids import shared_codes
from receval.tables.reading import open_table

__all__ = ["GroupEvaluation", "evaluate_groups"]


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
    common : bool
        Whether `summary` compares the strategies over the same groups.
    """

    _per_member: pd.DataFrame
    _lists: pd.DataFrame
    common: bool = True

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
        number of groups that the means leave out. If ``common`` is True, all strategies leave out
        every group that has no value under some strategy. Otherwise each strategy leaves out only
        the groups that have no value under it. A mean over no group is NaN.
        """
        per_group = self.per_group  # indexed by strategy (level 0) and group (level 1)
        is_counted = per_group["mean"].notna()
        if self.common:
            # A group counts if it has a value under every strategy.
            is_counted = is_counted.groupby(level=1, sort=False).transform("all")
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
    by: str | None = None,
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
        warning names the strategies and the first few groups.

    Raises
    ------
    InputError
        If there is no strategy or no rating, a member rates an item twice, an id is missing, a
        rating is missing or negative, ``common`` is not True or False, or a strategy refuses an
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
    has_use = trust is None or "most_respected" in options_by_strategy
    check_that(has_use, "trust", "be left out without the strategy 'most_respected'", "a table")
    labels = {"group": group, "member": member, "item": item}
    table = _read_ratings(ratings, labels, rating, rating if by is None else by)

    # Number the groups, and the members and items of each group, as they first appear. The ratings
    # of a group are a matrix, whose rows are the members and whose columns are the items.
    table["group"], group_ids = pd.factorize(table["group"].to_numpy())
    roster = _number_within_groups(table[["group", "member"]].drop_duplicates(), "row")
    menu = _number_within_groups(table[["group", "item"]].drop_duplicates(), "column")
    table = table.merge(roster, on=["group", "member"]).merge(menu, on=["group", "item"])
    links = None
    if trust is not None:
        links = _read_trust(trust, roster, member)

    satisfactions, chosen = _choose(
        table, roster, links, options_by_strategy, k=k, discount=discount
    )

    names = np.array([*options_by_strategy], dtype=object)
    n_strategies = len(names)
    index = _index_in_order(
        ["strategy", group, member],
        np.repeat(names, len(roster)),
        np.tile(group_ids[roster["group"]], n_strategies),
        np.tile(roster["member"].to_numpy(), n_strategies),
    )
    per_member = pd.DataFrame({"satisfaction": satisfactions.ravel()}, index)
    strategy_numbers, groups, places = np.nonzero(chosen >= 0)
    index = _index_in_order(
        ["strategy", group, "rank"], names[strategy_numbers], group_ids[groups], places + 1
    )
    # The items of a group are one after the other.
    item_rows = np.searchsorted(menu["group"], groups) + chosen[chosen >= 0]
    lists = pd.DataFrame({item: menu["item"].iloc[item_rows].tolist()}, index)
    result = GroupEvaluation(per_member, lists, common)
    has_no_value = result.per_group["mean"].isna()
    if has_no_value.any():
        warn(_left_out_message(has_no_value.index[has_no_value], common=common), stacklevel=2)
    return result


# Reading the input --------------------------------------------------------------------------------


def _read_strategies(strategies: Iterable[str] | Mapping[str, Options]) -> dict[str, Options]:
    """Return the options of each strategy, an empty dict for a strategy without options.

    Raises an `InputError` if there is no strategy, one occurs twice, or an option has an unknown
    name. `aggregate` checks the names of strategies and the values of options later.
    """
    # A single name is accepted too. If it is a mapping, these are its keys, the names.
    things = [strategies] if isinstance(strategies, str) else strategies
    names = as_ids(things, "strategies", "be names, or options by name")
    check_not_empty(names, "strategies", "name at least one strategy")
    if not isinstance(strategies, Mapping):
        return {name: {} for name in names}
    for name, options in strategies.items():
        is_valid = isinstance(options, Mapping) and set(options) <= {"threshold", "ties"}
        check_that(is_valid, f"options of {name!r}", "be a dict of threshold or ties", options)
    return dict(strategies)


def _read_ids(table: object, labels: Mapping[str, str], name: str) -> pd.DataFrame:
    """Return the id columns of a table under new names, as a frame.

    ``labels`` maps each new name, such as "group", to the name of the column in the table.
    ``name`` is the name of the table in error messages. Raises an `InputError` if an id is missing
    or a column is neither all integers nor all text.
    """
    opened = open_table(table, name)
    ids = pd.DataFrame()
    for role, label in labels.items():
        column = read_column(opened, label, name)
        read_ids(column, f"{name}[{label!r}]")  # called only for its checks
        # As objects, integers of two widths are compared exactly.
        ids[role] = column.astype(object)
    return ids


def _read_ratings(
    ratings: object, labels: Mapping[str, str], rating_label: str, choice_label: str
) -> pd.DataFrame:
    """Return a table with ``group``, ``member``, ``item``, ``rating`` and ``choice``.

    ``labels`` maps "group", "member" and "item" to the names of their columns in ``ratings``. The
    satisfaction depends on the column ``rating_label``; the groups choose by the column
    ``choice_label``, which may be the same. Raises an `InputError` if a rating is missing or
    negative, or a member rates an item twice.
    """
    opened = open_table(ratings, "ratings")
    table = _read_ids(opened, labels, "ratings")
    check_not_empty(table, "ratings")
    for role, label in (("rating", rating_label), ("choice", choice_label)):
        name = f"ratings[{label!r}]"
        table[role] = as_numbers(read_numbers(read_column(opened, label, "ratings"), name), name)
    # Groups may choose by any numbers, such as predictions, but gains must not be negative.
    is_negative = (table["rating"] < 0).to_numpy()
    check_no_rows(table["rating"], is_negative, f"ratings[{rating_label!r}]", "be at least 0")
    is_repeat = table.duplicated(list(labels)).to_numpy()
    rule = "be rated by a member at most once"
    check_no_rows(table["item"], is_repeat, f"ratings[{labels['item']!r}]", rule)
    return table


def _read_trust(trust: object, roster: pd.DataFrame, member: str) -> pd.DataFrame:
    """Return the pairs of members of one group of whom one trusts the other.

    The result has the ``group``, and the numbers of both members: that of the one who trusts in
    ``row``, and that of the trusted one in ``column``. ``member`` is the user's name of the column
    of members. Raises an `InputError` if the ids in ``trust`` are of a different kind from those of
    the members who rate.
    """
    links = _read_ids(trust, {"member": member, "trusted": "trusted"}, "trust")
    id_columns = {
        "ratings": roster["member"],
        "trust (member)": links["member"],
        "trust (trusted)": links["trusted"],
    }
    shared_codes(id_columns, member)  # raises if the ids are of different kinds
    trusted = roster.rename(columns={"member": "trusted", "row": "column"})
    return links.merge(roster, on="member").merge(trusted, on=["group", "trusted"])


# Choosing -----------------------------------------------------------------------------------------


def _number_within_groups(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows in the order of groups, and number those of each group from 0.

    The numbers are in a new column with the given name, and the number of rows of each group is in
    another one, such as "n_rows".
    """
    table = table.sort_values("group", kind="stable", ignore_index=True)
    by_group = table.groupby("group")["group"]
    return table.assign(**{name: by_group.cumcount(), f"n_{name}s": by_group.transform("size")})


def _choose(
    table: pd.DataFrame,
    roster: pd.DataFrame,
    links: pd.DataFrame | None,
    options_by_strategy: Mapping[str, Options],
    *,
    k: int,
    discount: Discount,
) -> tuple[FloatArray, IntArray]:
    """Let all groups choose ``k`` items by each strategy, and measure their members.

    Groups, members (``row``) and items (``column``) are numbers in the three tables: ``table`` has
    the ratings, ``roster`` the members of all groups, one group after the other, and ``links`` who
    trusts whom.

    Returns
    -------
    satisfactions : ndarray of float, shape (strategies, rows of roster)
        NaN if undefined.
    chosen : ndarray of int, shape (strategies, groups, places)
        The columns of the chosen items, best first; -1 at empty places.
    """
    n_strategies = len(options_by_strategy)
    satisfactions = np.full((n_strategies, len(roster)), np.nan)
    n_groups = table["group"].max() + 1
    chosen = np.full((n_strategies, n_groups, min(k, table["n_columns"].max())), -1)
    # Groups with equally many members and items choose together.
    for _, rows in table.groupby(["n_rows", "n_columns"]):
        groups, position = np.unique(rows["group"], return_inverse=True)
        cells = (position, rows["row"], rows["column"])
        shape = (len(groups), rows["n_rows"].iloc[0], rows["n_columns"].iloc[0])
        true_ratings = np.full(shape, np.nan)
        true_ratings[cells] = rows["rating"]
        choice_ratings = np.full(shape, np.nan)
        choice_ratings[cells] = rows["choice"]
        is_member = roster["group"].isin(groups)
        for number, (strategy, options) in enumerate(options_by_strategy.items()):
            arguments = dict(options)
            if strategy == "most_respected" and links is not None:
                arguments["trust"] = _trust_matrices(links, groups, shape[1])
            orders = rank_items(aggregate(choice_ratings, strategy=strategy, **arguments))[:, :k]
            values = satisfaction(orders, true_ratings, k=k, discount=discount)
            satisfactions[number, is_member] = values.ravel()
            chosen[number, groups, : orders.shape[1]] = orders
    return satisfactions, chosen


def _trust_matrices(links: pd.DataFrame, groups: IntArray, n_members: int) -> FloatArray:
    """Return a matrix for each group, with 1 where the row's member trusts the column's member.

    ``links`` has the ``group`` and the numbers of both members, ``row`` and ``column``. ``groups``
    are the numbers of the groups, ascending, each of which has ``n_members`` members.
    """
    matrices = np.zeros((len(groups), n_members, n_members))
    inside = links[links["group"].isin(groups)]
    matrices[np.searchsorted(groups, inside["group"]), inside["row"], inside["column"]] = 1
    return matrices


# Writing the result -------------------------------------------------------------------------------


def _index_in_order(names: list[str], *columns: AnyArray) -> pd.MultiIndex:
    """Return an index whose levels hold their values in the order of first appearance.

    pandas would sort them, and then `unstack` would sort the strategies.
    """
    factorized = [pd.factorize(pd.Index(column.tolist())) for column in columns]
    levels = [values for _, values in factorized]
    codes = [codes for codes, _ in factorized]
    return pd.MultiIndex(levels, codes, names=names)


def _left_out_message(without_value: pd.Index, *, common: bool) -> str:
    """Return a warning: which groups have no value, and whether the summary leaves them out.

    ``without_value`` has the strategy and the group of each group without a value. ``common`` says
    whether the summary is over the groups that have a value under every strategy.
    """
    strategies = " or ".join(map(repr, without_value.unique(0)))
    groups = format_first(without_value.unique(1), to_text=shorten)
    message = (
        f"Under {strategies}, no member of group {groups} has a satisfaction: each left an item of "
        "the list unrated, or has no rating above 0. The summary leaves "
    )
    if common:
        return (
            f"{message}these groups out under all strategies, so that it compares them over the "
            "same groups; common=False leaves out a group only where it has no value"
        )
    return (
        f"{message}a group out only where it has no value, so means may be over different groups "
        "and then do not compare the strategies"
    )
