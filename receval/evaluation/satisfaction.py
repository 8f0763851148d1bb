"""Document 001 on tables: groups choose by several strategies, and each member is asked."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import (
    EvaluationWarning,
    FloatArray,
    check_count,
    check_flag,
    check_not_empty,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._escape import frame_for_terminal
from receval._rounding import as_float64
from receval._snapshots import hands_out_copies
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.metrics.group.strategies import OPTIONS
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import column, numbers, read_ids, refuse_rows
from receval.tables.formats import open_table

__all__ = ["GroupEvaluation", "evaluate_groups"]

BY_GROUP = ["mean", "worst off", "spread", "members", "without"]
UNRATED = "nobody rated all items of the list"
NOTHING_LIKED = "nobody has a rating above 0"
EITHER = "each member left an item of the list unrated or has no rating above 0"


@hands_out_copies("per_member", "lists", "left_out")
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
    left_out : Series
        Why a group has no value under a strategy, by strategy and group: none of its members has
        a satisfaction there. Empty if every group has a value under every strategy.
    common : bool
        Whether `summary` compares the strategies over the same groups.
    """

    per_member: pd.DataFrame
    lists: pd.DataFrame
    left_out: pd.Series[str]
    common: bool = True

    def __repr__(self) -> str:
        satisfied, listed = map(frame_for_terminal, (self.per_member, self.lists))
        return f"GroupEvaluation(per_member={satisfied!r}, lists={listed!r})"

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
        """Strategies in rows: means over groups, and of what the means are.

        ``groups`` is the number of groups that the means of the row are over, ``members`` and
        ``without`` count the members of these groups and those of them without a satisfaction,
        and ``left out`` is the number of groups that the means are not over. If ``common`` is
        True, these are all groups that have no value under at least one of the strategies;
        otherwise each strategy leaves out its own. A mean over no group is NaN.
        """
        per_group = self.per_group
        strategies = per_group.index.unique(0)
        has_value = per_group["mean"].notna()
        if self.common:
            is_counted = has_value.groupby(level=1, sort=False).transform("all")
        else:
            is_counted = has_value
        by_strategy = per_group[is_counted].groupby(level=0, sort=False)
        counts = by_strategy[BY_GROUP[3:]].sum()
        counts.insert(0, "groups", by_strategy.size())
        counts = counts.reindex(strategies, fill_value=0)
        n_groups = per_group.groupby(level=0, sort=False).size()
        counts["left out"] = n_groups - counts["groups"]
        return by_strategy[BY_GROUP[:3]].mean().reindex(strategies).join(counts)


def evaluate_groups(
    ratings: pd.DataFrame,
    strategies: Iterable[str] | Mapping[str, Mapping[str, Any]],
    *,
    k: int,
    by: str | None = None,
    members: pd.DataFrame | None = None,
    trust: pd.DataFrame | None = None,
    discount: Discount = clipped_log2,
    common: bool = True,
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
        ``{"approval": {"threshold": 7}, "borda": {"ties": "mean"}}``. Without options ``"borda"``
        gives items that a member rates alike the lowest of their places.
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
    common : bool, default True
        Whether the summary compares the strategies over the same groups: those that have a value
        under all of them. False takes each mean over the groups that have a value under the
        strategy; such means are over different groups and do not compare the strategies.
    group, member, item, rating : str
        The columns.

    Returns
    -------
    GroupEvaluation

    Warns
    -----
    EvaluationWarning
        If a group has no value under a strategy and the summary therefore leaves it out. The
        warning names the first such groups of each strategy and the reason.

    Raises
    ------
    InputError
        If there is no strategy or no rating, a member rates an item twice, an id is missing, a
        rating is missing or negative, a member of the ratings is not among ``members`` or is
        there twice, a group has no rating, ``common`` is not True or False, or an option of a
        strategy is refused.

    Notes
    -----
    A group's mean is over its members with a satisfaction. Even over the same groups these may be
    other members under another strategy; the column ``without`` of the summary counts the rest.

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
    check_flag(common, "common")
    options = _options(strategies)
    labels = {"group": group, "member": member, "item": item}
    table = _ratings(ratings, labels, {"own": rating, "by": rating if by is None else by})
    present = _members(table, members, labels)
    needing = [name for name, given in options.items() if OPTIONS.get(name) == "trust"]
    twice = [name for name in needing if trust is not None and "trust" in options[name]]
    check_that(not twice, "trust", "be given once, here or as an option of a strategy", twice)
    links = None if trust is None else _links(trust, table["member"], member)
    rule = "be left out without the strategy 'most_respected'"
    check_that(trust is None or bool(needing), "trust", rule, "a table")
    alike = _alike(table, present)
    satisfied, listed, reasons = {}, {}, {}
    for strategy, given in options.items():
        for groups in alike:
            names, people, items, ratings_of = zip(*groups, strict=True)
            own, chosen_by = np.stack(ratings_of, axis=1)
            if strategy == "most_respected" and links is not None:
                given = {**given, "trust": [_trusted(links, ids) for ids in people]}
            orders = rank_items(aggregate(chosen_by, strategy=strategy, **given))[:, :k]
            happy = satisfaction(orders, own, k=k, discount=discount)
            for nth, name in enumerate(names):
                satisfied[strategy, name] = zip(people[nth], happy[nth], strict=True)
                listed[strategy, name] = enumerate(items[nth][orders[nth][orders[nth] >= 0]], 1)
                if np.isnan(happy[nth]).all():
                    reasons[strategy, name] = _why_without(own[nth])
    keys, choice = list(product(options, present)), ["strategy", group]
    per_member = _by_group(satisfied, keys, [*choice, member, "satisfaction"])
    lists = _by_group(listed, keys, [*choice, "rank", item])
    left_out = _left_out(reasons, keys, choice)
    if len(left_out):
        message = _on_left_out(left_out, len(present), len(options), common)
        warnings.warn(message, EvaluationWarning, stacklevel=2)
    return GroupEvaluation(per_member, lists, left_out, common)


def _why_without(ratings: FloatArray) -> str:
    """Why no member of a group, whose ratings have the axes (members, items), has a satisfaction.

    A member who rates something above 0 lacks a satisfaction only if the list holds an item that
    she did not rate.
    """
    likes_something = (np.nan_to_num(ratings) > 0).any(axis=-1)
    if likes_something.all():
        return UNRATED
    if likes_something.any():
        return EITHER
    return NOTHING_LIKED


def _left_out(reasons: Mapping[Any, str], keys: list[Any], names: list[str]) -> pd.Series[str]:
    """The reasons by strategy and group, in the order of these."""
    left_out = [key for key in keys if key in reasons]
    columns = [[key[level] for key in left_out] for level in range(2)]
    index = pd.MultiIndex.from_arrays(columns, names=names)
    return pd.Series([reasons[key] for key in left_out], index, dtype=object, name="reason")


def _on_left_out(left_out: pd.Series[str], n_groups: int, n_strategies: int, common: bool) -> str:
    """The warning: how many groups the summary leaves out, which ones, and why."""
    groups_by_cause: dict[tuple[str, str], list[Any]] = {}
    groups_by_strategy: dict[str, set[Any]] = {}
    for (strategy, group), reason in zip(left_out.index, left_out, strict=True):
        groups_by_cause.setdefault((strategy, reason), []).append(group)
        groups_by_strategy.setdefault(strategy, set()).add(group)
    parts = [
        f"{strategy!r} in group {format_first(map(shorten, groups))} ({reason})"
        for (strategy, reason), groups in groups_by_cause.items()
    ]
    message = f"No member has a satisfaction under {'; '.join(parts)}."
    without_value = set[Any]().union(*groups_by_strategy.values())
    each_without = [len(groups) for groups in groups_by_strategy.values()]
    same_groups = each_without == [len(without_value)] * n_strategies
    if same_groups:
        return f"{message} The summary leaves out {len(without_value)} of {n_groups} groups"
    if common:
        return (
            f"{message} The summary leaves these groups out under all strategies, "
            f"{len(without_value)} of {n_groups}, so that it compares them over the same groups; "
            "common=False leaves out a group only where it has no value"
        )
    return (
        f"{message} The summary leaves these groups out there: its means are over different "
        "groups and do not compare the strategies"
    )


def _options(strategies: Any) -> Mapping[str, Mapping[str, Any]]:
    """Each strategy with its options."""
    several = isinstance(strategies, str) or pd.api.types.is_list_like(strategies)
    check_that(several, "strategies", "be names, or options by name", strategies)
    named = [strategies] if isinstance(strategies, str) else list(strategies)
    check_unique(named, "strategies", "strategy")
    if not named:
        raise input_error("strategies", "name at least one strategy", "none")
    found = strategies if isinstance(strategies, Mapping) else {name: {} for name in named}
    for name, given in found.items():
        fit = isinstance(given, Mapping) and {*given} <= {*OPTIONS.values()}
        check_that(fit, f"options of {name!r}", "be a dict of threshold, trust or ties", given)
    return found


def _ids(table: Any, labels: Mapping[Any, str], name: str) -> pd.DataFrame:
    """Columns of ids by what they are: none is missing, and all are integers or all text."""
    table = open_table(table, name)
    found = pd.DataFrame({what: column(table, label, name) for what, label in labels.items()})
    for what, label in labels.items():
        read_ids(found[what], f"{name}[{label!r}]")
    return found


def _ratings(given: Any, labels: Mapping[str, str], values: Mapping[str, str]) -> pd.DataFrame:
    """Who rates what, and how."""
    given = open_table(given, "ratings")
    table = _ids(given, labels, "ratings")
    check_not_empty(table, "ratings")
    for what, label in values.items():
        found = column(given, label, "ratings")
        table[what] = as_float64(numbers(found, f"ratings[{label!r}]"), f"ratings[{label!r}]")
    low, again = (table["own"] < 0).to_numpy(), table.duplicated([*labels]).to_numpy()
    refuse_rows(table["own"], low, f"ratings[{values['own']!r}]", "be at least 0")
    rule = "be rated by a member at most once"
    refuse_rows(table["item"], again, f"ratings[{labels['item']!r}]", rule)
    return table


def _members(table: pd.DataFrame, members: Any, labels: Mapping[str, str]) -> dict[Any, list[Any]]:
    """The members of each group, in their order."""
    pairs = table[["group", "member"]].drop_duplicates()
    if members is not None:
        group, member = labels["group"], labels["member"]
        given = _ids(members, {"group": group, "member": member}, "members")
        again = given.duplicated().to_numpy()
        refuse_rows(given["member"], again, f"members[{member!r}]", "be in a group at most once")
        unknown = ~pd.MultiIndex.from_frame(pairs).isin(pd.MultiIndex.from_frame(given))
        refuse_rows(pairs["member"], unknown, f"ratings[{member!r}]", "be of the group's members")
        empty = ~given["group"].isin(pairs["group"]).to_numpy()
        refuse_rows(given["group"], empty, f"members[{group!r}]", "be a group with a rating")
        pairs = given
    return {name: own.tolist() for name, own in pairs.groupby("group", sort=False)["member"]}


def _alike(table: pd.DataFrame, present: dict[Any, list[Any]]) -> Iterable[list[Any]]:
    """Groups of one shape, which are worked on at once: name, members, items, both ratings."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for name, rows in table.groupby("group", sort=False):
        people, items = present[name], rows["item"].unique()
        both = np.full((2, len(people), len(items)), np.nan)
        cells = pd.Index(people).get_indexer(rows["member"]), pd.Index(items).get_indexer(rows.item)
        both[:, *cells] = rows["own"], rows["by"]
        found.setdefault(both.shape, []).append((name, people, items, both))
    return found.values()


def _links(trust: Any, rating: pd.Series, member: str) -> set[Any]:
    """Who trusts whom, by ids of one kind with those of the members who rate."""
    sides = {"member": member, "trusted": "trusted"}
    pairs = _ids(trust, sides, "trust")
    shared_code_arrays(
        {"ratings": rating, **{f"trust ({one})": pairs[one] for one in sides}}, member
    )
    return {*pairs.itertuples(False, None)}


def _trusted(links: set[Any], members: list[Any]) -> FloatArray:
    """Trust of the row's member in the column's."""
    return np.array([[(one, other) in links for other in members] for one in members], float)


def _by_group(found: Mapping[Any, Any], keys: list[Any], names: list[str]) -> pd.DataFrame:
    """What was ``found`` of each strategy and group, in the order of these, and by a third key."""
    rows = [(*key, *one) for key in keys for one in found[key]]
    *three, values = (column for _, column in pd.DataFrame(rows, columns=range(4)).items())
    codes, levels = zip(*map(pd.factorize, three), strict=True)
    return pd.DataFrame({names[3]: values.array}, pd.MultiIndex(levels, codes, names=names[:3]))
