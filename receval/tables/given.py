"""What users hand over: tables, dicts of users, names of columns; and what they should have."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from receval._checks import InputError, check_choice, check_text, refusal, shorten
from receval._files import stated_in
from receval.tables.columns import arrived, labels_of
from receval.tables.text import is_parquet

NAMES = stated_in("tables/names.toml")
TOOLS, ALIKE = NAMES["tools"], NAMES["alike"]
LISTS = (list, tuple, set, frozenset)
PLACE = "recommendations"


class Tables(NamedTuple):
    """The tables of an evaluation.

    Attributes
    ----------
    systems : the name of each system, with what messages call its recommendations.
    by_place : each table by what messages call it: those, "relevance", perhaps "history".
    """

    systems: Mapping[Hashable, str]
    by_place: Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """What columns are called: the arguments of `receval.evaluate`.

    Where tables differ, user and item are called so here, and ``own`` has what recommendations
    call them, and what the other tables do.
    """

    user: str = "user"
    item: str = "item"
    score: str = "score"
    rank: str | None = None
    relevance_column: str | None = "relevance"
    system: str | None = None
    own: tuple[dict[str, str], dict[str, str]] = ({}, {})

    @classmethod
    def named(cls, names: str | None, *columns: Any, system: str | None = None) -> Given:
        """The names that were given, and those of a tool for the others."""
        found: dict[str, Any] = dict(zip(ALIKE, columns, strict=True))
        if names is not None:
            its = TOOLS[check_choice(names, "names", TOOLS)]
            found |= {name: own for name, own in its.items() if found[name] == getattr(cls, name)}
        first: dict[str, str] = {}
        others: dict[str, str] = {}
        for name, own in found.items():
            of_id = name in ("user", "item")
            if isinstance(own, str) or (own is None and not of_id):
                continue
            parts: tuple[Any, ...] = own if of_id and isinstance(own, tuple) else (own,)
            fit = all(isinstance(one, Hashable) and one is not None for one in parts)
            if not fit or len(parts) != 1 + (parts is own):
                rule = "be the name of a column" + ", or two, recommendations first" * of_id
                raise refusal(name, rule, shorten(own))
            if parts is own:
                found[name], (first[name], others[name]) = name, parts
        return cls(**found, system=system, own=(first, others))

    def own_of(self, where: str) -> dict[str, str]:
        """What a table calls user and item, where tables differ."""
        return self.own[not where.startswith("recommendations")]

    def labels(self, where: str) -> tuple[str, str]:
        """What user and item are called in a table."""
        own = self.own_of(where)
        return own.get(self.user, self.user), own.get(self.item, self.item)

    def tables(
        self, recommendations: Any, relevance: Any, history: Any = None
    ) -> tuple[Tables, Given]:
        """The tables that were handed over, and their columns: of lists of items these are ranks.

        A dict of recommendations has systems or, as "", the columns or users of an only one.
        """
        systems: Mapping[Hashable, Any] = {"": recommendations}
        how = self
        if isinstance(recommendations, Mapping):
            systems, lists = self._systems(recommendations)
            how = replace(self, rank="rank") if lists and self.rank is None else self
        places, found = {}, {}
        for name, own in systems.items():
            places[name] = PLACE if name == "" else f"{PLACE} of {name!r}"
            found[places[name]] = own
        found["relevance"] = relevance
        if history is not None:
            found["history"] = history
        for where, table in found.items():
            found[where] = table if isinstance(table, pd.DataFrame) else how.table(table, where)
        return Tables(places, found), how

    def _systems(self, given: Mapping[Any, Any]) -> tuple[dict[Any, Any], bool]:
        """The systems in a dict by name, and whether any has lists, which have no scores."""
        if not given:
            raise InputError("recommendations must hold at least one system; got an empty dict")
        check_text(given, "the keys of recommendations")
        labels = self.labels(PLACE)
        one = _is_columns(given, labels) or _of_users(given, labels)
        systems = {"": given} if one or not any(map(_is_table, given.values())) else dict(given)
        of_users = (own.values() for own in systems.values() if _of_users(own, labels))
        each = chain.from_iterable(of_users)
        return systems, any(len(own) and not isinstance(own, Mapping) for own in each)

    def table(self, given: Any, where: str) -> Any:
        """A table as it can be opened; one row per user and item of a dict of users."""
        if not isinstance(given, Mapping):
            return arrived(given)
        user, item = self.labels(where)
        if not _of_users(given, (user, item)):
            return given
        filled = {user: own for user, own in given.items() if len(own)}
        lists = [user for user, own in filled.items() if not isinstance(own, Mapping)]
        self._check_users(where, given, filled, lists)
        sizes = [len(own) for own in filled.values()]
        items = pd.Series(list(chain.from_iterable(filled.values())))
        table = pd.DataFrame({user: pd.Series([*filled]).repeat(sizes).to_numpy(), item: items})
        label = self.relevance_column
        values: Any = np.uint8(1)
        if lists and where != "relevance":
            label, values = self.rank, table.groupby(user, sort=False).cumcount() + 1
        elif not lists:
            label = label if where == "relevance" else self.score
            values = list(chain.from_iterable(own.values() for own in filled.values()))
        return table if label is None or where == "history" else table.assign(**{label: values})

    @staticmethod
    def _check_users(where: str, given: Any, filled: Mapping[Any, Any], lists: list[Any]) -> None:
        """Refuse a dict of users that says different things of them, or nothing of one's truth."""
        if 0 < len(lists) < len(filled):
            rule = "have numbers by item for every user, or lists of items for every user"
            got = f"a {type(filled[lists[0]]).__name__} for {lists[0]!r} beside numbers"
            raise refusal(where, rule, got)
        empty = [user for user in given if user not in filled]
        if where == "relevance" and empty:
            advice = "Leave such users out, or judge an item of theirs 0"
            raise refusal(where, "have an item for every user", f"none for {empty[0]!r}", advice)
        unordered = [user for user in lists if isinstance(filled[user], (set, frozenset))]
        if where.startswith("recommendations") and unordered:
            advice = "The truth may be a set: recommendations come first, then relevance"
            got = f"a set for {unordered[0]!r}"
            raise refusal(where, "have the items of a user in order, best first", got, advice)

    def advice(self, lacks: tuple[str, str, list[Any]], tables: Tables) -> str:
        """Which argument would do for a table that lacks a column."""
        where, label, there = lacks
        ends = next(iter(tables.by_place.values())), tables.by_place["relevance"]
        first, truth = (labels_of(one) if hasattr(one, "columns") else [] for one in ends)
        swapped = "Were the two tables swapped? Recommendations come first"
        if label in self.labels(where):
            return self._advice_on_id(label, there, where, first, truth)
        if where == "relevance" and label == self.relevance_column:
            if label in first and self.score in there:
                return swapped
            found = _alike(there, "relevance_column") or (self.score in there and self.score)
            named = f"relevance_column={found!r}, or " if found else ""
            return f"Pass {named}relevance_column=None if every row is relevant"
        if label == self.system:
            return "Systems of tables of their own: evaluate({'A': one, 'B': other}, truth, …)"
        if label == self.rank and self.score in there:
            return "Leave rank away where there are scores"
        if label != self.score or not where.startswith("recommendations"):
            return ""
        if self.relevance_column in there:
            return swapped
        for argument in ("rank", "score"):
            if found := _alike(there, argument):
                return f"Pass {argument}={found!r}"
        lists = "lists of items, best first: {user: [item, …]}"
        return f"Pass rank= with the name of a column of ranks 1, 2, 3, …, or {lists}"

    def _advice_on_id(
        self, label: str, there: list[Any], where: str, first: list[Any], truth: list[Any]
    ) -> str:
        user, item = self.labels(where)
        argument = "user" if label == user else "item"

        def of(labels: list[Any]) -> Any:
            return label if label in labels else _alike(labels, argument)

        if found := of(there):
            pair = of(first) or label, found
            if where.startswith("recommendations"):
                pair = found, of(truth) or found
            if {*pair} == {argument}:  # its default, which the names of a tool would replace
                return f"Leave {argument} and names away: the column is called {found!r}"
            return f"Pass {argument}={found if len({*pair}) == 1 else pair!r}"
        if item in there:
            return f"If its index has the users: table.reset_index(names={user!r})"
        long = f"table.rename_axis({user!r}).reset_index()" if argument == "user" else "table"
        number = self.relevance_column if where == "relevance" else self.score
        bare = any(isinstance(one, str) and re.fullmatch(r"\d+(\.\d+)?", one) for one in there)
        return (
            bare
            * "If a file's first line is no header: pandas.read_csv(path, names=[…]). "
            + "There must be a row for each user and item. If its columns are items: "
            f"{long}.melt({user!r}, var_name={item!r}, value_name={number!r}).dropna()"
        )


def _alike(labels: Any, argument: str) -> Any:
    """A label that means what an argument names, as "userId" does user; None if there is none."""
    known = ALIKE[argument].split()
    return next((one for one in labels if re.sub("[^a-z]", "", str(one).lower()) in known), None)


def _is_columns(given: Mapping[Any, Any], labels: tuple[str, str]) -> bool:
    """Whether a dict holds columns; of lists, one name of a column among its keys is enough.

    Tables are no columns, whatever they are called; of dicts only those of numbers by row are.
    """
    named = [label in given for label in labels]
    by_row = [isinstance(own, Mapping) for own in given.values()]
    if any(by_row) or all(map(_is_table, given.values())):
        return all(named) and all(by_row) and all(map(_of_user, given.values()))
    return any(named) or bool(_alike(given, "user") or _alike(given, "item"))


def _of_users(given: Any, labels: tuple[str, str]) -> bool:
    """Whether it is a dict from users to numbers by item, or to lists of items."""
    if not isinstance(given, Mapping) or not given or _is_columns(given, labels):
        return False
    return all(map(_of_user, given.values()))


def _of_user(own: Any) -> bool:
    if isinstance(own, Mapping):
        return all(isinstance(one, str) or not hasattr(one, "__len__") for one in own.values())
    if isinstance(own, np.ndarray):
        return own.ndim == 1
    return isinstance(own, LISTS) and not (len(own) and all(map(_is_path, own)))


def _is_path(value: object) -> bool:
    return isinstance(value, Path) or (isinstance(value, str) and is_parquet(Path(value)))


def _is_table(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_path, value))
    kind, of_tables = type(value), ("columns", "column_names", "schema", "to_dict")
    of_one = not hasattr(value, "dtype") and any(hasattr(kind, own) for own in of_tables)
    return of_one or isinstance(value, (Mapping, Path, str))
