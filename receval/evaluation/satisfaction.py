"""Document 001 on tables: groups choose by several strategies, and each member is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import FloatArray, InputError, check_count
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.tables.columns import column, numbers, read_ids, refuse_rows

__all__ = ["GroupEvaluation", "evaluate_groups"]

BY_GROUP = ["mean", "worst off", "spread", "members", "without"]


@dataclass(frozen=True, eq=False)
class GroupEvaluation:
    """What groups were recommended, and how satisfied each member is; `evaluate_groups` makes it.

    Attributes
    ----------
    per_member : DataFrame
        ``satisfaction``, by strategy, group and member: this is the result. NaN for a member who
        did not rate all items of the list, or none above 0.
    lists : DataFrame
        ``item``, by strategy, group and rank.
    """

    per_member: pd.DataFrame
    lists: pd.DataFrame

    @property
    def per_group(self) -> pd.DataFrame:
        """By strategy and group the mean, the worst-off member and the spread (best less worst).

        They are over the members with a satisfaction, of whom there may be none (NaN);
        ``members`` and ``without`` count all of them and those without one.
        """
        by_group = self.per_member["satisfaction"].groupby(level=[0, 1], sort=False)
        least, known, size = by_group.min(), by_group.count(), by_group.size()
        columns = [by_group.mean(), least, by_group.max() - least, size, size - known]
        return pd.concat(columns, axis=1, keys=BY_GROUP)

    @property
    def summary(self) -> pd.DataFrame:
        """Strategies in rows: means over groups, numbers of groups, members, and those without."""
        by_strategy = self.per_group.groupby(level=0, sort=False)
        counts = by_strategy[BY_GROUP[3:]].sum()
        counts.insert(0, "groups", by_strategy.size())
        return by_strategy[BY_GROUP[:3]].mean().join(counts)


def evaluate_groups(
    ratings: pd.DataFrame,
    strategies: Iterable[str] | Mapping[str, Mapping[str, Any]],
    *,
    k: int,
    by: str | None = None,
    members: pd.DataFrame | None = None,
    trust: pd.DataFrame | None = None,
    discount: Discount = clipped_log2,
    group: str = "group",
    member: str = "member",
    item: str = "item",
    rating: str = "rating",
) -> GroupEvaluation:
    """Let groups of any size choose from the items that they rated, and ask every member.

    Parameters
    ----------
    ratings : DataFrame
        Long: a row per group, member and item with the member's rating. Ratings may be missing,
        that is, have no row. Items and members of a group stand in the order in which they first
        appear: it decides ties and whose turn it is.
    strategies : iterable of str, or mapping
        Strategies of `receval.metrics.aggregate`, or a mapping of them to their options, such as
        ``{"approval": {"threshold": 7}}``.
    k : int
        How many items are recommended.
    by : str, optional
        A column by which the groups choose, such as predicted ratings; satisfaction goes by the
        ratings. Left out, they choose by the ratings too.
    members : DataFrame, optional
        Who is in which group, in the order of turns; some may have no rating. Left out, those
        with one are.
    trust : DataFrame, optional
        Needed by ``"most_respected"``: who trusts (column ``member``) whom (column ``trusted``).
        Only trust within a group counts.
    discount : callable, default `receval.metrics.clipped_log2`
        Of `receval.metrics.satisfaction`; the default is the document's.
    group, member, item, rating : str
        The columns.

    Returns
    -------
    GroupEvaluation

    Raises
    ------
    InputError
        If there is no rating, a member rates an item twice, an id is missing, a rating is missing
        or negative, a member of the ratings is not among ``members`` or is there twice, a group
        has no rating, or an option of a strategy is refused.

    References
    ----------
    Document 001, section on nDCG: the satisfaction of a user in a group.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "group": [1] * 6, "member": ["Ada"] * 3 + ["Ben"] * 3, "item": list("abc") * 2,
    ...     "rating": [5, 3, 1, 1, 3, 4],
    ... })
    >>> found = evaluate_groups(ratings, ["average", "most_pleasure"], k=2)
    >>> found.per_member["satisfaction"].unstack("member").round(2)
    member                Ada   Ben
    strategy      group
    average       1      1.00  0.57
    most_pleasure 1      0.75  0.71
    """
    check_count(k, "k")
    if isinstance(strategies, str):
        strategies = [strategies]
    options = strategies if isinstance(strategies, Mapping) else {name: {} for name in strategies}
    table = pd.DataFrame({name: _ids(ratings, name, "ratings") for name in (group, member, item)})
    if table.empty:
        raise InputError("ratings must have at least one row; got none")
    for name in dict.fromkeys((rating, by or rating)):
        values = column(ratings, name, "ratings")
        table[name] = numbers(values, f"ratings[{name!r}]").astype(float)
    low = (table[rating] < 0).to_numpy()
    refuse_rows(table[rating], low, f"ratings[{rating!r}]", "be at least 0")
    again = table.duplicated([group, member, item]).to_numpy()
    refuse_rows(table[item], again, f"ratings[{item!r}]", "be rated by a member at most once")
    present = _members(table, members, group, member)
    links = None if trust is None else _links(trust, member)
    alike: dict[tuple[int, ...], list[Any]] = {}  # groups of one shape are worked on at once
    for of, rows in table.groupby(group, sort=False):
        people, items = present[of], rows[item].unique()
        both = np.full((2, len(people), len(items)), np.nan)
        cells = pd.Index(people).get_indexer(rows[member]), pd.Index(items).get_indexer(rows[item])
        both[:, *cells] = rows[rating], rows[by or rating]
        alike.setdefault(both.shape, []).append((of, people, items, both))
    satisfied: list[Any] = []
    listed: list[Any] = []
    for strategy, given in options.items():
        for groups in alike.values():
            own, chosen_by = np.stack([both for *_, both in groups], axis=1)
            if strategy == "most_respected" and links is not None:
                given = {**given, "trust": [_trusted(links, people) for _, people, *_ in groups]}
            orders = rank_items(aggregate(chosen_by, strategy=strategy, **given))[:, :k]
            happy = satisfaction(orders, own, k=k, discount=discount)
            for (of, people, items, _), order, each in zip(groups, orders, happy, strict=True):
                satisfied += [(strategy, of, *one) for one in zip(people, each, strict=True)]
                listed += [(strategy, of, *one) for one in enumerate(items[order[order >= 0]], 1)]
    per_member, lists = (
        _indexed(rows, list(options), list(present), ["strategy", group, *last])
        for rows, last in ((satisfied, (member, "satisfaction")), (listed, ("rank", item)))
    )
    return GroupEvaluation(per_member, lists)


def _ids(table: Any, label: str, name: str) -> pd.Series:
    """A column of ids: none is missing, and all are integers or all text."""
    values = column(table, label, name)
    read_ids(values, f"{name}[{label!r}]")
    return values


def _members(table: pd.DataFrame, members: Any, group: str, member: str) -> dict[Any, list[Any]]:
    """The members of each group, in their order."""
    pairs = table[[group, member]].drop_duplicates()
    if members is not None:
        given = pd.DataFrame({name: _ids(members, name, "members") for name in (group, member)})
        again = given.duplicated().to_numpy()
        refuse_rows(given[member], again, f"members[{member!r}]", "be in a group at most once")
        unknown = ~pd.MultiIndex.from_frame(pairs).isin(pd.MultiIndex.from_frame(given))
        refuse_rows(pairs[member], unknown, f"ratings[{member!r}]", "be of the group's members")
        empty = ~given[group].isin(pairs[group]).to_numpy()
        refuse_rows(given[group], empty, f"members[{group!r}]", "be a group with a rating")
        pairs = given
    return {name: own.tolist() for name, own in pairs.groupby(group, sort=False)[member]}


def _links(trust: Any, member: str) -> set[tuple[Any, Any]]:
    """Who trusts whom."""
    return set(
        zip(*(_ids(trust, name, "trust").tolist() for name in (member, "trusted")), strict=True)
    )


def _trusted(links: set[tuple[Any, Any]], members: list[Any]) -> FloatArray:
    """Trust of the row's member in the column's."""
    return np.array([[(one, other) in links for other in members] for one in members], float)


def _indexed(rows: list[Any], strategies: list[str], groups: list[Any], names: Any) -> pd.DataFrame:
    """Rows by strategy and group, in the order of these, and by a third key."""
    table = pd.DataFrame(rows, columns=range(4))  # of no row too
    place = np.lexsort((pd.Index(groups).get_indexer(table[1]), table[0].map(strategies.index)))
    table = table.iloc[place]
    codes, levels = zip(*(pd.factorize(table[key]) for key in range(3)), strict=True)
    return pd.DataFrame(
        {names[3]: table[3].to_numpy()}, pd.MultiIndex(levels, codes, names=names[:3])
    )
