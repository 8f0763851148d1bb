"""Changes that the laws make to a case. Each function returns by how much each form breaks a law.

0 means equal to the last bit. The functions assert what a law says about users and counts.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
from laws.cases import ITEM_TABLE, ITEMS, USERS, Outcome, apart

from receval.evaluation import pooled


def columns(frame):
    return {name: frame[name].to_numpy() for name in frame}


def with_each_table(case, change, **more):
    """Return the outcome after a change of each of the three tables."""
    tables = {"recs": case.recs, "truth": case.truth, "history": case.history}
    return case.outcome(**{name: change(frame) for name, frame in tables.items()}, **more)


def with_columns(frame, **changed):
    return pd.DataFrame(columns(frame) | changed)


def with_rows(frame, **added):
    """Append rows to a table. Columns of these rows that the table lacks are left out."""
    return pd.DataFrame(
        {name: np.concatenate([own, added[name]]) for name, own in columns(frame).items()}
    )


# How the tables are written ------------------------------------------------------------------


def order_of_rows(case):
    """Shuffle all three tables."""
    return case.plain.gap(
        with_each_table(case, lambda frame: frame.take(case.permutation(len(frame))))
    )


def renaming(case):
    """Rename users and items, and keep the order of the rows."""
    users = case.permutation(USERS) + 3
    items = case.permutation(ITEMS, USERS) * 7 - 20

    def renamed(frame):
        return with_columns(frame, user=users[frame["user"]], item=items[frame["item"]])

    other = with_each_table(case, renamed, items=ITEM_TABLE.set_axis(items[ITEM_TABLE.index]))
    names = users[case.plain.users]
    places = np.argsort(names)
    values = case.plain.values[places]
    return replace(case.plain, users=names[places].tolist(), values=values).gap(other)


IDS = ("user", "item")
DIGITS = [str(digit) for digit in range(10)]
MIXED = list("z9876054321")
KINDS_OF_IDS = {
    "str": "str",
    "object": object,
    "Arrow string": pd.ArrowDtype(pa.string()),
    "Arrow large string": pd.ArrowDtype(pa.large_string()),
    "categories in another order, one unused": pd.CategoricalDtype(MIXED),
    "ordered categories": pd.CategoricalDtype(MIXED[::-1], ordered=True),
    "categories as they come": "category",
}
KINDS = [pd.Series(DIGITS, dtype=kind).array for kind in KINDS_OF_IDS.values()]


def text_and_categories(case):
    """Turn ids 0 to 9 into the texts "0" to "9", in every type for text, or into categories."""
    keys = iter(case.keys.tolist())

    def retyped(frame):
        new = {
            name: KINDS[next(keys) % len(KINDS)].take(frame[name].to_numpy())
            for name in IDS
            if name in frame
        }
        return with_columns(frame, **new)

    other = with_each_table(case, retyped, items=ITEM_TABLE.set_axis(DIGITS))
    return replace(case.plain, users=[str(user) for user in case.plain.users]).gap(other)


# What is recommended -------------------------------------------------------------------------


def irrelevant_item_at_the_end(case):
    """Add an irrelevant item to the end of every list, if there is one."""
    length = case.listed.sum(axis=1)
    new = ~case.listed & ~case.relevant
    user = np.flatnonzero(new.any(axis=1) & (length > 0))
    mixed = case.permutation(ITEMS)
    item = mixed[new[user][:, mixed].argmax(axis=1)]
    last = np.full(user.size, -5.0)
    return case.plain.gap(
        case.outcome(
            recs=with_rows(case.recs, user=user, item=item, score=last, rank=length[user] + 1)
        )
    )


def exchanged(case, lower_is_relevant):
    """In every list, swap an irrelevant item with an item below it that has a lower score."""
    user, item, order = (case.recs[name].to_numpy() for name in ("user", "item", case.order))
    relevant = case.relevant[user, item]
    below = order[:, np.newaxis] > order if case.order == "rank" else order[:, np.newaxis] < order
    possible = below.T & (user[:, np.newaxis] == user)
    possible &= ~relevant[:, np.newaxis] & (relevant == lower_is_relevant)
    item = item.copy()
    for one in range(USERS):
        high, low = np.nonzero(possible & (user == one))
        if high.size:
            pair = [chosen[case.keys[one] % high.size] for chosen in (high, low)]
            item[pair] = item[pair[::-1]]
    return with_columns(case.recs, item=item)


def hit_moves_up(case):
    """In every list, swap a relevant item with an irrelevant one above it."""
    after = case.outcome(recs=exchanged(case, lower_is_relevant=True))
    assert after.counts == case.plain.counts
    assert (np.isnan(after.values) == np.isnan(case.plain.values)).all()
    fall = np.vstack([case.plain.values - after.values, case.plain.means - after.means])
    return np.nan_to_num(fall, nan=0.0).max(axis=0).clip(0)


def misses_change_places(case):
    """In every list, swap two irrelevant items."""
    return case.plain.gap(case.outcome(recs=exchanged(case, lower_is_relevant=False)))


# Who is asked --------------------------------------------------------------------------------


def list_for(case, user):
    """Return the lists, and a list of two items for a new user."""
    two = {"item": [8, 9], "score": [2.0, 1.0], "rank": [1, 2]}
    return with_rows(case.recs, user=[user, user], **two)


def user_without_judgement(case):
    """Add a list for a user without judgments, who counts as ignored."""
    after = case.outcome(recs=list_for(case, user=-1))
    counts = case.plain.counts
    return replace(case.plain, counts=counts | {"ignored": counts["ignored"] + 1}).gap(after)


def user_without_relevant_item(case):
    """Add a user with a list and only irrelevant judgments; the other users' values stay."""
    after = case.outcome(
        recs=list_for(case, user=9),
        truth=with_rows(case.truth, user=[9, 9], item=[8, 1], relevance=[0.0, 0.0]),
    )
    more = {"judged": 1, "answered": 1, "without truth": 1, "ignored": 0}
    assert after.counts == {what: n + more[what] for what, n in case.plain.counts.items()}
    assert after.users == [*case.plain.users, 9]
    assert (apart(case.plain.values, after.values[:-1]) == 0).all()
    return apart(case.plain.means, after.means)


def users_in_two_parts(case):
    """Split the users in two, evaluate each part by itself, and combine the values."""
    first = np.append([True, False], case.keys[: USERS - 2] % 2 == 0)
    parts = [
        case.evaluate(
            recs=case.recs[half[case.recs["user"]]], truth=case.truth[half[case.truth["user"]]]
        )
        for half in (first, ~first)
    ]
    a, b = (Outcome.of(part) for part in parts)
    order, names = np.argsort(a.users + b.users), parts[0].summary.columns
    together = Outcome(
        users=sorted(a.users + b.users),
        values=np.vstack([a.values, b.values])[order],
        means=pooled(dict(enumerate(parts)), set_level="union").summary.loc["", names].to_numpy(),
        counts={what: a.counts[what] + b.counts[what] for what in a.counts},
    )
    return case.plain.gap(together)


# What comes out ------------------------------------------------------------------------------


def range_of_values(case):
    """Check that values are between 0 and 1, and NaN for exactly the documented users."""
    users, rules = case.plain.users, case.rules
    length, relevant = case.listed[users].sum(axis=1), case.relevant[users].sum(axis=1)
    hits = (case.listed & case.relevant)[users].sum(axis=1)
    without_truth = (relevant == 0) & (rules.no_truth == "skip")
    everybody, nobody = np.ones(len(users), bool), np.zeros(len(users), bool)
    undefined = {
        "AUC": (hits == 0) | (hits == length),
        "PC": nobody,
        "CC": everybody,  # has a value of all users together only
        "LTP": everybody,
        "ILD": np.minimum(length, case.k or ITEMS) < 2,
        "nov_t": length == 0,
        "nov_u": length == 0,
        "MIUF": length == 0,
        "ARP": length == 0,
        "Gini": everybody,
    }
    outside = []
    for form, values, mean in zip(case.forms, case.plain.values.T, case.plain.means, strict=True):
        key = form.removesuffix("@k")
        left_out = without_truth | ((length == 0) & (rules.missing_rule(key) == "skip"))
        nowhere = undefined.get(key, left_out)
        assert (np.isnan(values) == nowhere).all(), form
        assert np.isnan(mean) == (nowhere.all() and key not in ("CC", "LTP", "Gini")), form
        there = np.append(values[~nowhere], [] if np.isnan(mean) else mean)
        assert not (there < -1e-15).any(), form
        outside.append(max(0.0, -there.min(initial=0), there.max(initial=0) - 1))
    return np.array(outside)
