"""Document 001 on tables: groups choose by several strategies, and each member is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    check_count,
    check_once,
    check_some,
    refusal,
    require,
)
from receval._escape import frame_for_terminal
from receval._rounding import as_float64
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.group import aggregate, rank_items, satisfaction
from receval.metrics.group.strategies import NEEDS
from receval.tables.codes import encode
from receval.tables.columns import column, numbers, read_ids, refuse_rows
from receval.tables.formats import open_table

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
        If there is no strategy or no rating, a member rates an item twice, an id is missing, a
        rating is missing or negative, a member of the ratings is not among ``members`` or is
        there twice, a group has no rating, or an option of a strategy is refused.

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
    options = _options(strategies)
    labels = {"group": group, "member": member, "item": item}
    table = _ratings(ratings, labels, {"own": rating, "by": rating if by is None else by})
    present = _members(table, members, labels)
    needing = [name for name, given in options.items() if NEEDS.get(name) == "trust"]
    twice = [name for name in needing if trust is not None and "trust" in options[name]]
    require(not twice, "trust", "be given once, here or as an option of a strategy", twice)
    links = None if trust is None else _links(trust, table["member"], member)
    rule = "be left out without the strategy 'most_respected'"
    require(trust is None or bool(needing), "trust", rule, "a table")
    alike = _alike(table, present)
    satisfied, listed = {}, {}
    for strategy, given in options.items():
        for groups in alike:
            names, people, items, ratings_of = zip(*groups, strict=True)
            own, chosen_by = np.stack(ratings_of, axis=1)
            if strategy == "most_respected" and links is not None:
                given = {**given, "trust": [_trusted(links, some) for some in people]}
            orders = rank_items(aggregate(chosen_by, strategy=strategy, **given))[:, :k]
            happy = satisfaction(orders, own, k=k, discount=discount)
            for nth, name in enumerate(names):
                satisfied[strategy, name] = zip(people[nth], happy[nth], strict=True)
                listed[strategy, name] = enumerate(items[nth][orders[nth][orders[nth] >= 0]], 1)
    keys, choice = list(product(options, present)), ["strategy", group]
    per_member = _by_group(satisfied, keys, [*choice, member, "satisfaction"])
    return GroupEvaluation(per_member, _by_group(listed, keys, [*choice, "rank", item]))


def _options(strategies: Any) -> Mapping[str, Mapping[str, Any]]:
    """Each strategy with its options."""
    several = isinstance(strategies, str) or pd.api.types.is_list_like(strategies)
    require(several, "strategies", "be names, or options by name", strategies)
    named = [strategies] if isinstance(strategies, str) else list(strategies)
    check_once(named, "strategies", "strategy")
    if not named:
        raise refusal("strategies", "name at least one strategy", "none")
    found = strategies if isinstance(strategies, Mapping) else {name: {} for name in named}
    for name, given in found.items():
        fit = isinstance(given, Mapping) and {*given} <= {*NEEDS.values()}
        require(fit, f"options of {name!r}", "be a dict of threshold or trust", given)
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
    check_some(table, "ratings")
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
    encode({"ratings": rating, **{f"trust ({one})": pairs[one] for one in sides}}, member)
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
