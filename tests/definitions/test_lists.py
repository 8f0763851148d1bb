"""Lists and blocks equal those from dictionaries and ``sorted``, for any layout of the tables."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import InputError
from receval.definitions import lists as module
from receval.definitions.convention import CONVENTIONS
from receval.definitions.lists import (
    EvaluationContext,
    JudgedRun,
    Judgments,
    ListRules,
    block_positions,
    build_lists,
)
from receval.tables.columns import Ids, Rows, shared_codes

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
    truth = Judgments(rows["relevance"], users, items)
    context = CONTEXT
    if floor is not None:
        convention = replace(CONTEXT.convention, threshold=floor, negative="zero")
        context = EvaluationContext(convention)
    return JudgedRun(truth, rows["relevance"].users, rows["recommendations"], how, context)


def drawn(seed, *, id_of=int, ragged=False, repeats=False):
    """Draw tables of few users: some in one table only, with equal scores, in any order of rows."""
    rng = np.random.default_rng(seed)
    n_items = 8 if repeats else 40
    recs, truth = [], []
    for user in range(7):
        longest = 30 if ragged and user == 4 else 6
        if rng.random() < 0.8:
            n = rng.integers(1, longest + 1)
            items = rng.integers(0, n_items, n) if repeats else rng.permutation(n_items)[:n]
            recs += [(user, id_of(item), rng.integers(0, 3)) for item in items]
        if rng.random() < 0.8:
            items = rng.permutation(n_items)[: rng.integers(1, longest + 1)]
            truth += [(user, id_of(item), rng.integers(-1, 4)) for item in items]
    tables = (
        pd.DataFrame(rows, columns=["user", "item", last])
        for rows, last in ((recs, "value"), (truth, "grade"))
    )
    return [table.sample(frac=1, random_state=seed, ignore_index=True) for table in tables]


KINDS = {
    "near": {},
    "far": {"id_of": lambda item: int(item) * 2**33},
    "text": {"id_of": "i{}".format},
    "ragged": {"ragged": True},
}
"""Options of `drawn`."""


def one_list(rows, grade, how):
    """Return a user's rows in the order of the list, directly by the documented rules."""
    keys = {
        "item": lambda row: row.item,
        "item_descending": lambda row: row.item,
        "input": lambda row: row.Index,
        "text": lambda row: str(row.item),
        "trec_eval": lambda row: str(row.item),
        "optimistic": lambda row: -grade.get(row.item, 0),
        "pessimistic": lambda row: grade.get(row.item, 0),
    }
    is_backwards = how.tie in ("item_descending", "trec_eval")
    ordered = sorted(rows.itertuples(), key=keys[how.tie], reverse=is_backwards)
    ordered.sort(key=lambda row: row.value if how.by_rank else -row.value)
    if how.keep_first:
        first = {row.item: row for row in reversed(ordered)}
        ordered = [row for row in ordered if first[row.item] is row]
    return ordered


def leaves_open(rows, grade, depth):
    """Check whether equal scores have unequal grades, if the first of them is above the depth."""
    scores = sorted(rows["value"], reverse=True)
    return any(
        scores.index(score) < depth and len({grade.get(i, 0) for i in own}) > 1
        for score, own in rows.groupby("value")["item"]
    )


def padded(values, width, filler):
    return [*values, *[filler] * (width - len(values))]


def check(recs, truth, how, floor=None, only=None):
    """Compare every block of lists with the lists that follow from the documented rules."""
    lists = lists_of(recs, truth, how, floor)
    users = sorted(set(truth["user"]))
    if only is not None:
        lists, users = lists.with_full_lists(np.array(only)), [users[place] for place in only]
        how = how._replace(depth=math.inf)
    blocks, lines = [], {}
    for places, block in lists.blocks():
        blocks.append(block)
        lines |= {users[place]: (block, line) for line, place in enumerate(places)}
    assert sorted(lines) == users
    depth = min(how.depth, 10**6)
    for user, (block, line) in lines.items():
        judged, shown = truth[truth["user"] == user], recs[recs["user"] == user]
        grade = dict(zip(judged["item"], judged["grade"], strict=True))
        if floor is not None:
            grade = {item: g if g >= floor else 0 for item, g in grade.items()}
        ordered = one_list(shown, grade, how)
        looked_at = ordered[:depth]
        relevant = sorted((g for g in grade.values() if g > 0), reverse=True)
        width, ideal_width = block.grades.shape[1], block.relevance.shape[1]
        expected = {
            "user": user,
            "length": len(ordered),
            "grades": padded([grade.get(row.item, 0) for row in looked_at], width, np.nan),
            "items": padded([row.item for row in looked_at], width, -1),
            "n_relevant": len(relevant),
            "relevance": padded(relevant[:depth], ideal_width, 0),
            "scores": None,
        }
        if not how.by_rank:
            expected["scores"] = padded([row.value for row in looked_at], width, np.nan)
        items = lists.truth.items
        actual = {
            "user": lists.truth.users.take_one(block.users[line]),
            "length": block.length[line],
            "grades": block.grades[line].tolist(),
            "items": [items.take_one(code) if code >= 0 else code for code in block.items[line]],
            "n_relevant": block.n_relevant[line],
            "relevance": block.relevance[line].tolist(),
            "scores": None if block.scores is None else block.scores[line].tolist(),
        }
        np.testing.assert_equal(actual, expected)
        if not how.by_rank and not how.keep_first:
            assert block.tied[line] == leaves_open(shown, grade, depth)
    for block in blocks:
        assert block.grades.shape[1] == min(how.depth, block.length.max(initial=0))
        assert block.relevance.shape[1] == min(how.depth, block.n_relevant.max(initial=0))
        assert block.grades.flags.f_contiguous  # metrics go along the ranks
        assert block.tied.dtype == bool


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("depth", [math.inf, 1, 3])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_lists_are_those_of_sorted(tie, depth, kind, seed):
    check(*drawn(seed, **kind), ListRules(tie, depth=depth), floor=0)


@pytest.mark.parametrize("tie", ["item", "input", "item_descending"])
@pytest.mark.parametrize("depth", [math.inf, 2])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_an_item_stands_where_it_stands_first(tie, depth, kind, seed):
    recs, truth = drawn(seed, repeats=True, **kind)
    check(recs, truth, ListRules(tie, depth=depth, keep_first=True), floor=0)


@pytest.mark.parametrize(
    ("rules", "floor"),
    [
        *((ListRules("item"), floor) for floor in (0, 2, 2.5)),
        (ListRules("trec_eval", by_rank=True), 0),
        (ListRules("item", by_rank=True, depth=2), 0),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_lists_by_rank_and_grades_below_the_floor(rules, floor, seed):
    recs, truth = drawn(seed)
    if rules.by_rank:
        recs["value"] = recs.groupby("user").cumcount() + 1
    check(recs.iloc[::-1].reset_index(drop=True), truth, rules, floor)


@pytest.mark.parametrize("rows", [1, 7, 30])
@pytest.mark.parametrize("ragged", [1, 4])
@pytest.mark.parametrize("only", [None, [0, 2, 3]])
def test_lists_of_any_blocks(rows, ragged, only, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", rows)
    monkeypatch.setattr(module, "MAX_PADDING", ragged)
    for seed in range(2):
        check(*drawn(seed, ragged=True), ListRules("item", depth=2), floor=0, only=only)


@pytest.mark.parametrize("is_trec_eval", [True, False])
def test_trec_eval_sees_scores_as_float32(is_trec_eval):
    recs = pd.DataFrame({"user": 1, "item": ["a", "b"], "value": [1 + 1e-9, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": ["b"], "grade": [1]})
    tie = "trec_eval" if is_trec_eval else "item_descending"
    rules = ListRules(tie, compares_float32=is_trec_eval)
    ((_, block),) = lists_of(recs, truth, rules).blocks()
    assert block.grades.tolist() == [[1, 0] if is_trec_eval else [0, 1]]
    assert block.tied.tolist() == [is_trec_eval]


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
    sizes = (judged, recommended)  # the numbers of the users' rows in tables without columns
    truth, recs = (Rows(np.cumsum([0, *of_users]), {}) for of_users in sizes)
    judgments, users = Judgments(truth, None, None), np.arange(len(judged))
    run = JudgedRun(judgments, users, recs, ListRules("item"), CONTEXT)
    assert [own.tolist() for own in block_positions(run)] == cuts


# What is refused ----------------------------------------------------------------------------------


ITEM_3 = "user 1 with item 3 twice"
FIRST = (
    "duplicates='first' keeps the best place of each item. If a column names the system of each "
    "row, pass its name as system="
)
REPEATED = "must hold each item of a user at most once; got"
REMOVE = "Drop rows that are the same twice, and decide which grade counts for the others"
TO_ORDER = "To order by ranks with ties or gaps, pass their negatives as scores and leave out rank"
EACH_ONCE = "must be 1, 2, 3, … in every list, each once; got"
BELONGS = "for user 1 where {} belongs"
SYSTEMS = {"": "", "A": " of system 'A'"}


@pytest.mark.parametrize(
    ("recs", "grades", "rules", "message"),
    [
        *(
            (
                pd.DataFrame({"user": 1, "item": items, "value": 1.0}),
                [1],
                ListRules("item", system=system),
                f"recommendations{name} {REPEATED} {shown}. {FIRST}",
            )
            for items, shown in (
                ([3, 3], ITEM_3),
                ([3, 4, 3, 4, 3], f"{ITEM_3}, {ITEM_3}, user 1 with item 4 twice"),
                ([3] * 6, ", ".join([ITEM_3] * 5)),
                ([3] * 8, ", ".join([ITEM_3] * 5) + " and 2 more"),
            )
            for system, name in SYSTEMS.items()
        ),
        *(
            (
                pd.DataFrame({"user": 1, "item": range(len(ranks)), "value": ranks}),
                [1],
                ListRules("item", by_rank=True, system=system),
                f"the ranks of recommendations{name} {EACH_ONCE} {', '.join(shown)}. {TO_ORDER}",
            )
            for ranks, shown in (
                ([1, 3], [f"3 {BELONGS.format(2)}"]),
                ([2, 2], [f"2 {BELONGS.format(1)}"]),
                ([2, 4], [f"2 {BELONGS.format(1)}", f"4 {BELONGS.format(2)}"]),
                ([2] * 7, [f"2 {BELONGS.format(rank)}" for rank in (1, 3, 4, 5, 6)]),
            )
            for system, name in SYSTEMS.items()
        ),
        (
            pd.DataFrame({"user": [1], "item": [3], "value": 1.0}),
            [1, 2.5],
            ListRules("item", keep_first=True),
            f"relevance {REPEATED} user 1 with item 9 twice (graded 1 and 2.5). {REMOVE}",
        ),
    ],
)
def test_refuses_items_twice_and_ranks_that_are_none(recs, grades, rules, message):
    truth = pd.DataFrame({"user": 1, "item": 9, "grade": grades})
    with pytest.raises(InputError) as found:
        list(lists_of(recs, truth, rules).blocks())
    assert str(found.value) == message


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
    codes = np.arange(4)[:, np.newaxis]
    lists = lists_of_codes(codes, codes + 1, np.ones((4, 1)), 5)
    assert_array_equal(lists.grades, np.zeros((4, 1)))
