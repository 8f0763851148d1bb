"""Lists and blocks equal those from dictionaries and ``sorted``, for any layout of the tables."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval.definitions import lists as module
from receval.definitions.lists import (
    EvaluationContext,
    JudgedRun,
    Judgments,
    ListRules,
    block_positions,
    build_lists,
)
from receval.definitions.names import CONVENTIONS
from receval.tables.ids import Ids, Rows, shared_codes

CONTEXT = EvaluationContext(CONVENTIONS["receval"])
TIES = ("item", "item_descending", "input", "text", "trec_eval", "optimistic", "pessimistic")


def lists_of(recs, truth, how, floor=None):
    tables = {"recommendations": recs, "relevance": truth}
    user, users = shared_codes({name: table["user"] for name, table in tables.items()}, "user")
    item, items = shared_codes({name: table["item"] for name, table in tables.items()}, "item")
    rows = {
        name: Rows.by_user(
            user[name],
            {"item": item[name], column: tables[name][column].to_numpy()},
            n_users=users.size,
        )
        for name, column in (("recommendations", "value"), ("relevance", "grade"))
    }
    truth = Judgments(rows["relevance"], users, items, floor)
    return JudgedRun(truth, rows["relevance"].users, rows["recommendations"], how, CONTEXT)


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
        for line, place in enumerate(places):
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
    blocks = {id(block): block for block, _ in found.values()}.values()
    dropped = sum(len(recs[recs["user"] == u]) for u in users) - sum(
        len(one_list(recs[recs["user"] == u], {}, how)) for u in users
    )
    assert (
        lists.rows.size[lists.judged].sum() - sum(block.length.sum() for block in blocks) == dropped
    )
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
        assert places.tolist() == [0]
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


def run_of(n_judged, n_recommended):
    """Return a run of users with these numbers of rows in both tables, which have no columns."""
    truth, recs = (Rows(np.cumsum([0, *sizes]), {}) for sizes in (n_judged, n_recommended))
    return JudgedRun(
        Judgments(truth, None, None), np.arange(len(n_judged)), recs, ListRules("item"), CONTEXT
    )


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
    positions = list(block_positions(run_of(judged, recommended)))
    assert [own.tolist() for own in positions] == cuts


# What is refused ----------------------------------------------------------------------------------

ITEM_3 = "user 1 with item 3 twice"
FIRST = (
    "duplicates='first' keeps the best place of each item. If a column names the system of each row"
)
REMOVE = "Drop rows that are the same twice, and decide which grade counts for the others"
TO_ORDER = "To order by ranks with ties or gaps, pass their negatives as scores and leave out rank"


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
        f"user 1 with item 9 twice (graded 1 and 2.5). {REMOVE}"
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
            f"got {shown}. {TO_ORDER}"
        )


# Matching -----------------------------------------------------------------------------------------

N, JUDGED, RECOMMENDED = 60, 5, 7
BITS = (JUDGED + RECOMMENDED - 1).bit_length()  # what the columns of a line take of an integer


def lists_of_codes(judged, recommended, grades, n_items):
    """Return the lists of a block with these item codes, -1 in the padding."""
    users = np.arange(len(judged))

    def rows(items, name, values):
        is_item = items >= 0
        first = np.append(0, np.cumsum(is_item.sum(axis=1)))
        return Rows(first, {"item": items[is_item], name: values[is_item]})

    items = Ids(np.broadcast_to(np.int64(0), n_items))  # takes no memory
    truth = Judgments(rows(judged, "grade", grades), Ids(users), items)
    scores = np.broadcast_to(-np.arange(recommended.shape[1]), recommended.shape)
    run = JudgedRun(truth, users, rows(recommended, "value", scores), ListRules("item"), CONTEXT)
    return build_lists(run, users)


@pytest.mark.parametrize("is_uneven", [False, True], ids=["even", "uneven"])
@pytest.mark.parametrize("beyond", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("bits", [31, 32, 33, 58])
def test_the_largest_codes_are_found(bits, beyond, is_uneven):
    n_items = (1 << bits >> BITS) + beyond
    rng = np.random.default_rng(0)
    codes = n_items - 1 - rng.permuted(np.tile(np.arange(2 * RECOMMENDED), (N, 1)), axis=1)
    recommended = codes[:, :RECOMMENDED]
    judged = rng.permuted(codes, axis=1)[:, :JUDGED]
    if is_uneven:
        judged[np.arange(JUDGED) >= rng.integers(1, JUDGED + 1, (N, 1))] = -1
        recommended[np.arange(RECOMMENDED) >= rng.integers(RECOMMENDED + 1, size=(N, 1))] = -1
    grades = np.where(judged < 0, 0, rng.integers(1, 5, judged.shape))
    lists = lists_of_codes(judged, recommended, grades, n_items)
    for line in range(N):
        grade = dict(zip(judged[line].tolist(), grades[line].tolist(), strict=True))
        listed = recommended[line][recommended[line] >= 0].tolist()
        assert lists.grades[line, : len(listed)].tolist() == [grade.get(i, 0) for i in listed]


def test_the_last_item_of_a_line_does_not_match_the_first_of_the_next():
    """The largest item of a user is the smallest of the next one."""
    n = 4
    codes = np.arange(n)[:, np.newaxis]
    lists = lists_of_codes(codes, codes + 1, np.ones((n, 1)), n + 1)
    assert_array_equal(lists.grades, np.zeros((n, 1)))
