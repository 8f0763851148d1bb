"""Lists and blocks equal those from dictionaries and ``sorted``, for any layout of the tables."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval.measure import matching as module
from receval.measure.block import ListRules
from receval.measure.matching import JudgedRun, Judgments
from receval.tables import ids
from receval.tables.codes import RowsByUser, rows_by_user, shared_codes
from receval.tables.keys import BATCH_SIZE

TIES = ("item", "item_descending", "input", "text", "trec_eval", "optimistic", "pessimistic")


def lists_of(recs, truth, how, floor=None):
    tables = {"recommendations": recs, "relevance": truth}
    by_user, users = rows_by_user({name: table["user"] for name, table in tables.items()}, "user")
    item, items = shared_codes({name: table["item"] for name, table in tables.items()}, "item")
    judged = Judgments(
        by_user["relevance"],
        item["relevance"],
        truth["grade"].to_numpy(),
        users,
        items,
        floor,
    )
    rows = by_user["recommendations"]
    answers = rows.for_users(judged.judged)
    value = recs["value"].to_numpy()
    return JudgedRun(judged, rows, answers, item["recommendations"], value, how)


def drawn(seed, *, far=False, text=False, category=False, ragged=False, repeats=False):
    """Draw tables of few users: some in one table only, with equal scores, in any order of rows."""
    rng = np.random.default_rng(seed)
    recs, truth = [], []
    for user in range(7):
        longest = 30 if ragged and user == 4 else 6
        if rng.random() < 0.8:
            n = rng.integers(1, longest + 1)
            items = rng.integers(0, 8, n) if repeats else rng.permutation(40)[:n]
            recs += [
                (user, item, score)
                for item, score in zip(items, rng.integers(0, 3, n), strict=True)
            ]
        if rng.random() < 0.8:
            items = rng.permutation(8 if repeats else 40)[: rng.integers(1, longest + 1)]
            truth += [(user, item, rng.integers(-1, 4)) for item in items]
    tables = []
    for rows, last in ((recs, "value"), (truth, "grade")):
        table = pd.DataFrame(rows, columns=["user", "item", last]).sample(frac=1, random_state=seed)
        table["item"] = table["item"] * 2**33 if far else table["item"]
        table["item"] = table["item"].map("i{}".format) if text else table["item"]
        table["item"] = table["item"].astype("category") if category else table["item"]
        tables.append(table.reset_index(drop=True))
    return tables


def one_list(rows, grade, how):
    """Return a user's rows in the order of the list, directly by the documented rules."""
    keys = {
        "item": lambda row: row.item,
        "input": lambda row: row.Index,
        "optimistic": lambda row: -grade.get(row.item, 0),
        "pessimistic": lambda row: grade.get(row.item, 0),
    }
    backwards = {"item_descending": lambda row: row.item, "trec_eval": lambda row: str(row.item)}
    keys["text"] = lambda row: str(row.item)
    ordered = list(rows.itertuples())
    if how.tie in backwards:
        ordered.sort(key=backwards[how.tie], reverse=True)
    else:
        ordered.sort(key=keys[how.tie])
    ordered.sort(key=lambda row: row.value if how.by_rank else -row.value)
    if how.keep_first:
        first = {row.item: row for row in reversed(ordered)}
        ordered = [row for row in ordered if first[row.item] is row]
    return ordered


def leaves_open(rows, grade, depth):
    """Check whether equal scores have unequal grades, if the first of them is above the depth."""
    if rows.empty:
        return False
    scores = sorted(rows["value"], reverse=True)
    return any(
        scores.index(score) < depth and len({grade.get(i, 0) for i in own}) > 1
        for score, own in rows.groupby("value")["item"]
    )


def check(recs, truth, how, floor=None, only=None):
    lists = lists_of(recs, truth, how, floor)
    users = sorted(set(truth["user"]))
    if only is not None:
        lists, users = lists.with_full_lists(np.array(only)), [users[place] for place in only]
        how = how._replace(depth=math.inf)
    found = {}
    for places, block in lists.blocks():
        for line, place in enumerate(np.arange(len(users))[places]):
            found[users[place]] = block, line
    assert sorted(found) == users
    for user, (block, line) in found.items():
        own, shown = truth[truth["user"] == user], recs[recs["user"] == user]
        grade = {
            i: g if floor is None or g >= floor else 0
            for i, g in zip(own["item"], own["grade"], strict=True)
        }
        ordered = one_list(shown, grade, how)
        depth = min(how.depth, 10**6)
        looked_at = ordered[:depth]
        names = lists.truth.items
        assert lists.truth.users.take_one(block.users[line]) == user
        assert block.length[line] == len(ordered)
        gains = block.grades[line]
        assert gains[: len(looked_at)].tolist() == [grade.get(row.item, 0) for row in looked_at]
        assert np.isnan(gains[len(looked_at) :]).all()
        items = block.items[line]
        assert [names.take_one(i) for i in items[: len(looked_at)]] == [
            row.item for row in looked_at
        ]
        assert (items[len(looked_at) :] == -1).all()
        if how.by_rank:
            assert block.scores is None
        else:
            assert block.scores[line, : len(looked_at)].tolist() == [row.value for row in looked_at]
            assert np.isnan(block.scores[line, len(looked_at) :]).all()
            if not how.keep_first:
                assert block.tied[line] == leaves_open(shown, grade, depth)
        relevant = sorted((g for g in grade.values() if g > 0), reverse=True)
        assert block.n_relevant[line] == len(relevant)
        kept = relevant[:depth]
        assert block.relevance[line, : len(kept)].tolist() == kept
        assert (block.relevance[line, len(kept) :] == 0).all()
        given = block.scores_in_table_order[line]
        if not how.by_rank:
            assert given[~np.isnan(given)].tolist() == shown["value"].tolist()
    blocks = {id(block): block for block, _ in found.values()}.values()
    dropped = sum(len(recs[recs["user"] == u]) for u in users) - sum(
        len(one_list(recs[recs["user"] == u], {}, how)) for u in users
    )
    assert lists.answers.size.sum() - sum(block.length.sum() for block in blocks) == dropped
    for block in blocks:
        assert block.grades.shape[1] == min(how.depth, block.length.max(initial=0))
        assert block.relevance.shape[1] == min(how.depth, block.n_relevant.max(initial=0))
        assert block.grades.flags.f_contiguous  # metrics go along the ranks
        assert block.tied.dtype == bool


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("depth", [math.inf, 1, 3])
@pytest.mark.parametrize("kind", [{}, {"far": True}, {"text": True}, {"ragged": True}], ids=str)
def test_lists_are_those_of_sorted(tie, depth, kind):
    for seed in range(2):
        check(*drawn(seed, **kind), ListRules(tie, depth=depth), floor=0)


@pytest.mark.parametrize("tie", ["item", "input", "item_descending"])
@pytest.mark.parametrize("depth", [math.inf, 2])
@pytest.mark.parametrize("kind", [{}, {"text": True}, {"ragged": True}], ids=str)
def test_an_item_stands_where_it_stands_first(tie, depth, kind):
    for seed in range(3):
        recs, truth = drawn(seed, repeats=True, **kind)
        check(recs, truth, ListRules(tie, depth=depth, keep_first=True), floor=0)


@pytest.mark.parametrize("rows", [1, 7, 30])
@pytest.mark.parametrize("ragged", [1, 4])
def test_lists_of_any_blocks(rows, ragged, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", rows)
    monkeypatch.setattr(module, "MAX_PADDING", ragged)
    for seed in range(2):
        recs, truth = drawn(seed, ragged=True)
        check(recs, truth, ListRules("item", depth=2), floor=0)
        check(recs, truth, ListRules("item", depth=2), floor=0, only=[0, 2, 3])


@pytest.mark.parametrize("floor", [0, 2, 2.5])
def test_grades_below_the_floor_count_0(floor):
    check(*drawn(1), ListRules("item"), floor=floor)


def test_lists_by_rank():
    for seed in range(3):
        recs, truth = drawn(seed)
        recs["value"] = recs.groupby("user").cumcount() + 1
        recs = recs.iloc[::-1].reset_index(drop=True)
        check(recs, truth, ListRules("trec_eval", by_rank=True), floor=0)
        check(recs, truth, ListRules("item", by_rank=True, depth=2), floor=0)


def test_some_users_in_another_order_of_ties():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "value": 1.0})
    truth = pd.DataFrame({"user": [1], "item": [2], "grade": [1]})
    lists = lists_of(recs, truth, ListRules("item", depth=1, system="A"))
    for tie, gains in {
        "item": [0, 1, 0],
        "optimistic": [1, 0, 0],
        "pessimistic": [0, 0, 1],
    }.items():
        ((places, block),) = lists.with_full_lists(np.array([0]), tie).blocks()
        assert block.grades.tolist() == [gains]
        assert np.arange(1)[places].tolist() == [0]
    assert lists.with_full_lists(np.array([0]), "input").rules == ListRules("input", system="A")


def test_trec_eval_sees_scores_as_float32():
    recs = pd.DataFrame({"user": 1, "item": ["a", "b"], "value": [1 + 1e-9, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": ["b"], "grade": [1]})
    for tie, gains in {"trec_eval": [1, 0], "item_descending": [0, 1]}.items():
        ((_, block),) = lists_of(
            recs, truth, ListRules(tie, compares_float32=tie == "trec_eval")
        ).blocks()
        assert block.grades.tolist() == [gains]
        assert block.tied.tolist() == [tie == "trec_eval"]


def test_a_tie_at_the_depth_is_open_and_one_below_it_is_not():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "value": [2.0, 1.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": [2], "grade": [1]})
    for depth, tied in {math.inf: True, 1: False, 2: True, 3: True}.items():
        ((_, block),) = lists_of(recs, truth, ListRules("item", depth=depth)).blocks()
        assert block.tied.tolist() == [tied]


@pytest.mark.parametrize(
    ("judged", "recommended", "rows", "ragged", "cuts"),
    [
        ([], [], 4, 4, []),
        ([1, 1, 1], [1, 1, 1], 4, 4, [[0, 1], [2]]),
        ([1, 1, 1], [1, 1, 1], 6, 4, [[0, 1, 2]]),
        ([1, 1, 1], [1, 1, 1], 1, 4, [[0], [1], [2]]),
        ([9, 1, 1], [1, 1, 1], 4, 4, [[0], [1], [2]]),
        ([1] * 8, [1] * 8, 6, 4, [[0, 1, 2], [3, 4, 5], [6, 7]]),
        ([7, *[1] * 7], [0] * 8, 100, 4, [[*range(8)]]),  # 8 × 7 cells are just 4 × 14 rows
        ([1, 1, 9, 1], [1, 1, 0, 1], 100, 1, [[0, 1, 3], [2]]),
        ([1, 1, 9, 1], [1, 1, 0, 1], 100, 4, [[0, 1, 2, 3]]),
        ([1, 2, 3, 4, 7], [0, 0, 3, 9, 1], 100, 1, [[0], [1, 2], [4], [3]]),
        ([2, 2], [1, 1], 100, 1, [[0, 1]]),
    ],
)
def test_blocks_hold_users_of_like_size(judged, recommended, rows, ragged, cuts, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", rows)
    monkeypatch.setattr(module, "MAX_PADDING", ragged)
    places = np.arange(len(judged))
    own, mine = (
        RowsByUser(places, np.zeros(places.size, int), np.array(sizes, int))
        for sizes in (judged, recommended)
    )
    truth = Judgments(own, None, None, None, None)
    found = list(JudgedRun(truth, mine, mine, None, None, ListRules("item")).block_positions())
    assert [places[one].tolist() for one in found] == cuts
    if ragged == 4:
        assert all(isinstance(one, slice) for one in found)  # which copies nothing


def test_with_many_measures_blocks_have_twice_as_many_rows(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 3)
    sizes = np.ones(6, int)  # of rows in each table
    rows = RowsByUser(np.arange(6), np.arange(6), sizes)
    run = JudgedRun(
        Judgments(rows, None, None, None, None), rows, rows, None, None, ListRules("item")
    )
    in_twos = [slice(0, 2), slice(2, 3), slice(3, 5), slice(5, 6)]
    assert list(run.block_positions()) == in_twos
    assert list(run.block_positions(n_measures=module.MANY_MEASURES - 1)) == in_twos
    in_threes = [slice(0, 3), slice(3, 6)]
    assert list(run.block_positions(n_measures=module.MANY_MEASURES)) == in_threes


# What is refused ----------------------------------------------------------------------------------

ITEM_3 = "user 1 with item 3 twice"
FIRST = (
    "duplicates='first' keeps the best place of each item. If a column names the system of each row"
)
HIGHEST = (
    "Otherwise decide which grade counts; for the highest, "
    "table.groupby(['user', 'item'], as_index=False)['relevance'].max()"
)
REMOVE = "If the grades of an item are equal, table.drop_duplicates(['user', 'item'])"
TO_ORDER = (
    "To order by ranks with ties or gaps, make scores of them, of which the highest is the best"
)


def refusal(recs, truth, how):
    with pytest.raises(InputError) as found:
        list(lists_of(recs, truth, how).blocks())
    return str(found.value)


@pytest.mark.parametrize(
    ("items", "shown"),
    [
        ([3, 3], ITEM_3),
        ([3, 4, 3, 4, 3], f"{ITEM_3}, {ITEM_3}, user 1 with item 4 twice"),
        ([3] * 6, ", ".join([ITEM_3] * 5)),
        ([3] * 8, ", ".join([ITEM_3] * 5) + " and 2 more"),
    ],
)
def test_refuses_an_item_twice(items, shown):
    recs = pd.DataFrame({"user": 1, "item": items, "value": 1.0})
    truth = pd.DataFrame({"user": [1], "item": [9], "grade": [1]})
    for system, name in {"": "", "A": " of system 'A'"}.items():
        assert refusal(recs, truth, ListRules("item", system=system)) == (
            f"recommendations{name} must hold each item of a user at most once; got "
            f"{shown}. {FIRST}, pass its name as system="
        )
    twice = truth.iloc[[0, 0]].assign(grade=[1, 2.5])
    assert refusal(recs.iloc[:1], twice, ListRules("item", keep_first=True)) == (
        "relevance must hold each item of a user at most once; got "
        f"user 1 with item 9 twice (graded 1 and 2.5). {REMOVE}. {HIGHEST}"
    )


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        ([1, 3], "3 for user 'u' where 2 belongs"),
        ([2, 2], "2 for user 'u' where 1 belongs"),
        ([2, 4], "2 for user 'u' where 1 belongs, 4 for user 'u' where 2 belongs"),
        ([2] * 7, ", ".join(f"2 for user 'u' where {rank} belongs" for rank in (1, 3, 4, 5, 6))),
    ],
)
def test_refuses_ranks_that_are_none(ranks, shown):
    recs = pd.DataFrame({"user": "u", "item": np.arange(len(ranks)), "value": ranks})
    truth = pd.DataFrame({"user": ["u"], "item": [1], "grade": [1]})
    for system, name in {"": "", "A": " of system 'A'"}.items():
        assert refusal(recs, truth, ListRules("item", by_rank=True, system=system)) == (
            f"the ranks of recommendations{name} must be 1, 2, 3, … in every list, each once; "
            f"got {shown}. {TO_ORDER}, and leave out rank: table.assign(score=-table['rank'])"
        )


@pytest.mark.parametrize("kept", [0, 1, 7 << 61, 2**64 - 1])
@pytest.mark.parametrize("keep_first", [False, True])
@pytest.mark.parametrize("tie", ["item", "trec_eval", "input"])
def test_texts_whose_keys_do_not_tell_them_apart(kept, keep_first, tie, monkeypatch):
    """Keys cut to no, one, three and all bits."""
    keys = ids.text_keys
    monkeypatch.setattr(ids, "text_keys", lambda texts: keys(texts) & np.uint64(kept))
    monkeypatch.setattr(ids, "keys_suffice", lambda _: False)
    for seed in range(3):
        for kind in ({}, {"ragged": True}, {"category": True}):
            recs, truth = drawn(seed, text=True, repeats=keep_first, **kind)
            check(recs, truth, ListRules(tie, keep_first=keep_first), floor=0)


def test_texts_of_many_lengths_in_more_rows_than_keys_are_made_of_at_a_time():
    rng = np.random.default_rng(0)
    n = 2 * BATCH_SIZE + 5
    names = np.array([f"{i:x}" * (1 + i % 4) for i in range(500)], object)
    recs = pd.DataFrame({"user": np.arange(n) // 5, "value": np.tile([5.0, 4, 3, 2, 1], n)[:n]})
    recs["item"] = names[
        (rng.integers(100, size=n // 5 + 1)[recs["user"]] + 100 * recs.index) % 500
    ]
    truth = recs.drop(columns="value").sample(frac=0.3, random_state=0).assign(grade=1)
    truth.iloc[7, 1] = "one that is long " * 1000
    lists = lists_of(recs, truth.reset_index(drop=True), ListRules("item"))
    found = sum(np.nansum(block.grades) for _, block in lists.blocks())
    assert found == len(recs.merge(truth, on=["user", "item"])) > 0.9 * len(truth)


def test_texts_are_not_numbered_where_nobody_asks():
    recs = pd.DataFrame({"user": 1, "item": ["b", "é", "a"], "value": [3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": ["a", "q"], "grade": [1, 2]})
    for how in (ListRules("item"), ListRules("item", keep_first=True)):
        lists = lists_of(recs, truth, how)
        ((_, block),) = lists.blocks()
        assert_array_equal(block.grades, [[0.0, 0.0, 1.0]])
        assert "numbered" not in vars(lists.truth.items)
        assert [lists.truth.items.take_one(code) for code in block.items[0]] == ["b", "é", "a"]
