"""Over whom means go: judged users, answered ones, or exactly those that are named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_choice, check_once, refusal, shorten
from receval.engine.measured import Measured
from receval.engine.task import Task
from receval.measure.lists import Lists
from receval.tables.ids import Ids

OVER = ("judged", "answered", "both")


def over(task: Task, users: Any, missing: str | None) -> Task:
    """The task whose means go over these users; ``missing`` is what was asked beside them."""
    named = None if isinstance(users, str) else _named(users, task.ids)
    choice = "named" if named is not None else check_choice(users, "users", OVER)
    told = "ids" if named is not None else repr(choice)
    if (missing == "skip" and choice not in ("judged", "both")) or (
        choice == "both" and missing not in (None, "skip")
    ):
        advice = "users says over whom the mean goes; missing='skip' is another word for 'both'"
        raise refusal("missing", f"be left out beside users={told}", repr(missing), advice)
    if choice == "judged":
        return task
    if of_all := [one.name for one in task.measures if one.of_all is not None]:
        rule = f"be 'judged' for {', '.join(of_all)}, which is of all users together"
        raise refusal("users", rule, told)
    rules = task.convention
    if choice == "named":  # exactly these: nobody is left out because the convention would
        rules = replace(rules, missing=missing or "zero", no_truth="zero")
    else:
        rules = replace(rules, missing="skip")
    return replace(task, convention=rules, users=choice, named=named)


def _named(users: Any, ids: str | None) -> pd.Index:
    if not isinstance(users, Iterable):
        raise refusal("users", f"be one of {', '.join(OVER)}, or ids", shorten(users))
    index = pd.Index([str(one) for one in users] if ids == "text" else list(users), name="user")
    if index.empty:
        raise refusal("users", "hold at least one id", "none")
    check_once(index.tolist(), "users", "id")
    return index


def chosen(task: Task, lists: Mapping[Any, Lists]) -> tuple[dict[Any, Lists], pd.Index | None]:
    """The lists of the judged users that means go over, and the users beside these."""
    one = next(iter(lists.values()))
    users, judged = one.truth.users, one.truth.judged
    if task.named is None:
        recommended = np.unique(np.concatenate([every.rows.users for every in lists.values()]))
        return dict(lists), users.index(np.setdiff1d(recommended, judged), "user")
    _check_kind(task.named, users)
    places = task.named.get_indexer(users.index(judged, "user"))
    codes = judged[places >= 0]
    return {name: among(every, codes) for name, every in lists.items()}, task.named.delete(
        places[places >= 0]
    )


def among(lists: Lists, codes: Any) -> Lists:
    """The same lists of some of the judged users."""
    truth = lists.truth._replace(rows=lists.truth.rows.for_users(codes))
    return lists._replace(truth=truth, answers=lists.rows.for_users(codes))


def with_others(one: Measured, others: pd.Index) -> Measured:
    """With a value of 0 for users who are not judged; if they must be answered, for these."""
    rows, judged = one.lists.rows.users, one.lists.truth.judged
    answered = others.isin(one.lists.truth.users.index(np.setdiff1d(rows, judged), "user"))
    zeros = np.zeros(len(others)) if one.task.named is not None else np.where(answered, 0.0, np.nan)
    columns = {name: np.append(values, zeros) for name, values in one.columns.items()}
    apart = int(np.isfinite(zeros).sum())
    ignored = one.counts["ignored"] - int(answered.sum())
    counts = {**one.counts, "not judged": apart, "ignored": ignored}
    return replace(one, columns=columns, counts=counts, others=others)


def _check_kind(named: pd.Index, users: Ids) -> None:
    kind = "integer" if pd.api.types.is_integer_dtype(named) else "text"
    if kind != users.kind or not (kind == "integer" or all(isinstance(one, str) for one in named)):
        raise refusal("users", f"be {users.kind} ids, as in the tables", shorten(named.tolist()))
