"""What is asked of tables: measures under a convention, and what the columns are called."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from receval._checks import (
    SHOWN,
    InputError,
    as_ids,
    check_choice,
    check_count,
    refusal,
)
from receval._version import __version__
from receval.measure.form import Context, Measure
from receval.tables.given import Given

USERS = ("judged", "answered", "both")


@dataclass(frozen=True)
class Task:
    """Measures, the choices behind them, and the names of columns: the same for every table.

    Attributes are the arguments of `receval.evaluate`; those of names are in ``given``.
    """

    measures: tuple[Measure, ...]
    context: Context
    given: Given = field(default=Given(), repr=False)
    duplicates: str = "error"
    items: pd.DataFrame | None = field(default=None, repr=False)
    now: object = None
    ids: str | None = None  # "text": whole numbers are compared as text
    seen: str = "note"  # what becomes of recommended items of the history
    parameters: pd.DataFrame | None = field(default=None, repr=False)  # of systems, in rows
    version: str = __version__
    users: str = "judged"  # over whom means go: "judged", "answered", "both" or "named"
    named: pd.Index | None = field(default=None, repr=False)

    @property
    def mean_over(self) -> str:
        """The users whose values the mean is taken of, in words."""
        whose = {"answered": "users with recommendations", "named": "the users named"}
        if self.users not in whose:
            return self.context.convention.mean_over()
        return f"{whose[self.users]}, of whom those not judged count 0"

    def checked(self, users: Any, missing: str | None, *, history: bool) -> Task:
        """With means over these users; refused where measures need what was not given."""
        check_choice(self.duplicates, "duplicates", ("error", "first"))
        if self.ids is not None:
            check_choice(self.ids, "ids", ("text",))
        if check_choice(self.seen, "seen", ("note", "drop", "error")) != "note" and not history:
            raise InputError(f"history must be given for seen={self.seen!r}; got none")
        if self.context.auc_catalogue is not None:
            check_count(self.context.auc_catalogue, "auc_catalogue")
        if self.items is not None:
            _check_catalogue(self.items)
        rank = self.given.rank
        past = "history", ": a table of users and the items they have seen"
        score = "score", f", which compares it with the grade; got rank={rank!r}"
        whole = "items", ": a frame of the whole catalogue, indexed by item id"
        lacking = {"history": not history and past, "scores": rank is not None and score}
        for one in self.measures:
            for need in one.needs:
                if lacks := lacking.get(need, self.items is None and whole):
                    raise InputError(f"{lacks[0]} must be given for {one.name}{lacks[1]}")
        n_items = None if self.items is None else len(self.items)
        task = replace(self, context=replace(self.context, n_items=n_items))
        judged = isinstance(users, str) and users == "judged"
        return task if judged else task._over(users, missing)

    def _over(self, users: Any, missing: str | None) -> Task:
        """The task whose means go over other users; ``missing`` is what was asked beside them."""
        named = None if isinstance(users, str) else _named(users, self.ids)
        choice = "named" if named is not None else check_choice(users, "users", USERS)
        told = "ids" if named is not None else repr(choice)
        if missing == "skip" if choice != "both" else missing not in (None, "skip"):
            advice = "users says over whom the mean goes; missing='skip' is another word for 'both'"
            raise refusal("missing", f"be left out beside users={told}", repr(missing), advice)
        if of_all := [one.name for one in self.measures if one.of_all is not None]:
            rule = f"be 'judged' for {', '.join(of_all)}, which is of all users together"
            raise refusal("users", rule, told)
        if named is None:
            rules = replace(self.context.convention, missing="skip")
        else:  # exactly these: nobody is left out because the convention would
            rules = replace(self.context.convention, missing=missing or "zero", no_truth="zero")
        context = replace(self.context, convention=rules)
        return replace(self, context=context, users=choice, named=named)


def _named(users: Any, ids: str | None) -> pd.Index:
    rule = f"be one of {', '.join(USERS)}, or ids"
    index: pd.Index = pd.Index(as_ids(users, "users", rule, text=ids == "text"), name="user")
    if index.empty:
        raise refusal("users", "hold at least one id", "none")
    return index


def _check_catalogue(items: pd.DataFrame) -> None:
    if not isinstance(items, pd.DataFrame):
        raise InputError(f"items must be a DataFrame indexed by item; got {type(items).__name__}")
    if not len(items.index):
        raise InputError("items must hold at least one item; got an empty catalogue")
    if not getattr(items.index.dtype, "isnative", True):
        got = f"the type {items.index.dtype}"
        raise refusal("index of items", "be in the byte order of this machine", got)
    if items.index.has_duplicates:
        again = items.index[items.index.duplicated()][:SHOWN].tolist()
        raise InputError(f"items must hold each item once in its index; got twice {again}")
