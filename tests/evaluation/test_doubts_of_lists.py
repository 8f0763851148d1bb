"""Notes on misleading lists, scores and histories: the cases with a note, and those without."""

import numpy as np
import pandas as pd
import pytest

from receval import evaluate, load, pooled

SHORT = "lists of different lengths"
HISTORY = "relevant items are in the history of their user"
NOBODY = "nobody has a relevant item for"
INFINITE = "have a score of -inf"
ALL = (SHORT, HISTORY, NOBODY, INFINITE)


def lists_of(length, scores=None, users=(1, 2, 3)):
    """Return the items 0, 1, … up to a length for each user, in order of score."""
    scores = np.arange(length, 0, -1.0) if scores is None else np.asarray(scores, float)
    return pd.DataFrame(
        {
            "user": np.repeat(users, length),
            "item": np.tile(np.arange(length), len(users)),
            "score": np.tile(scores, len(users)),
        }
    )


def truth_of(*items, grade=1, users=(1, 2, 3)):
    rows = [(user, item, grade) for user in users for item in items]
    return pd.DataFrame(rows, columns=["user", "item", "relevance"])


def kinds_of(result, folder):
    """Return the kinds of notes of a result; they must be the same everywhere."""
    kinds = {kind for kind in ALL if any(kind in note for note in result.notes())}
    result.save(folder / "result.receval")
    again = load(folder / "result.receval")
    assert again.notes() == result.notes()
    for shown in (repr(result), result.methods(), repr(again), again.methods()):
        text = shown.casefold()
        assert {kind for kind in ALL if kind.casefold() in text} == kinds
    return kinds


def test_lists_shorter_than_the_cut_off_are_noted_beside_longer_ones(tmp_path):
    systems = {"top 20": lists_of(20), "top 50": lists_of(50)}
    truth = truth_of(1, 30)
    result = evaluate(systems, truth, ["Recall@50", "Recall@20", "MRR"])
    (note,) = result.notes()
    assert note == (
        "no list of 'top 20' is longer than 20, and another system lists up to 50 items, so lists "
        "of different lengths are compared in Recall@50: pass longer lists, or use a cut-off of at "
        "most 20"
    )
    assert kinds_of(result, tmp_path) == {SHORT}


def test_every_table_of_a_comparison_has_the_note_on_lengths():
    users = range(8)
    systems = {"top 20": lists_of(20, users=users), "top 50": lists_of(50, users=users)}
    result = evaluate(systems, truth_of(1, 30, users=users), "Recall@50")
    folds = pooled({"a": result.where([1, 2]), "b": result.where([3, 4])})
    for table in (result.compare(), folds, folds.compare()):
        assert repr(table).count(SHORT) == 1
        assert SHORT in table.methods()
    assert SHORT in repr(result.compare().table())
    equal = evaluate({"a": lists_of(20), "b": lists_of(20)}, truth_of(1, 30), "Recall@50")
    assert SHORT not in repr(equal.compare())


TOP_20_AND_50 = {"top 20": lists_of(20), "top 50": lists_of(50)}
BOTH_TOP_20 = {"top 20": lists_of(20), "other": lists_of(20)}
GRADES = pd.concat([truth_of(1, grade=3, users=(1,)), truth_of(2)])
APART = pd.concat([truth_of(0, 77), truth_of(1, users=(9,))])[["user", "item"]]
IRRELEVANT = pd.concat([truth_of(1, 2), truth_of(0, grade=0)])
MASKED = lists_of(4, [3, 2, -np.inf, -np.inf])
UP_TO_INFINITY = lists_of(4, [np.inf, 2, 1, 0])
VERY_LOW = lists_of(4, [3, 2, 1, -1e308])


@pytest.mark.parametrize(
    ("recs", "truth", "measures", "options"),
    [
        pytest.param(BOTH_TOP_20, truth_of(1, 30), "Recall@50", {}, id="all lists equally short"),
        pytest.param(TOP_20_AND_50, truth_of(1, 30), "Recall@20", {}, id="a cut-off all reach"),
        pytest.param(TOP_20_AND_50, truth_of(1, 19), "Recall@50", {}, id="all relevant listed"),
        pytest.param(BOTH_TOP_20, truth_of(1, 19), "Recall@500", {}, id="beyond the catalogue"),
        pytest.param(TOP_20_AND_50, truth_of(1, 30), "MRR", {}, id="no cut-off"),
        pytest.param(lists_of(50), truth_of(1, 60), "Recall@100", {}, id="one system"),
        pytest.param(lists_of(3), IRRELEVANT, "nDCG@3", {"history": APART}, id="history apart"),
        pytest.param(
            lists_of(3), IRRELEVANT, "nDCG@3", {"history": APART, "seen": "drop"}, id="and dropped"
        ),
        pytest.param(lists_of(3), GRADES, "HR@2", {"relevant_from": 3}, id="a grade just reached"),
        pytest.param(lists_of(3), GRADES, "nDCG@2", {"relevant_from": 4}, id="graded gains"),
        pytest.param(
            lists_of(3), GRADES, "HR(rel=2)@2", {"relevant_from": 4}, id="a threshold in the name"
        ),
        pytest.param(MASKED, truth_of(1), "HR@2", {}, id="-inf below the cut-off"),
        pytest.param(UP_TO_INFINITY, truth_of(1), "MRR", {}, id="plus infinity"),
        pytest.param(VERY_LOW, truth_of(1), "MRR", {}, id="a very low number"),
    ],
)
def test_tables_that_mislead_nobody_are_not_noted(recs, truth, measures, options, tmp_path):
    assert kinds_of(evaluate(recs, truth, measures, **options), tmp_path) == set()


def test_systems_of_one_length_share_a_note():
    systems = {f"s{place}": lists_of(5) for place in range(6)} | {"long": lists_of(9)}
    notes = evaluate(systems, truth_of(0, 7), "HR@9").notes()
    assert len(notes) == 1
    assert notes[0].startswith("no list of 's0', 's1', 's2' and 3 more is longer than 5,")


def test_a_system_without_any_list_is_not_called_short():
    systems = {"none": lists_of(3)[:0], "some": lists_of(5)}
    with pytest.warns(UserWarning, match="answer nobody"):
        result = evaluate(systems, truth_of(4), "HR@5")
    assert not any(SHORT in note for note in result.notes())


@pytest.mark.parametrize("seen", ["note", "drop", "error"])
def test_relevant_items_of_the_history_are_noted(seen, tmp_path):
    # The user 3 has only an irrelevant item; "error" accepts no recommended item of the history.
    truth = pd.concat([truth_of(1, 2, users=(1, 2)), truth_of(1, grade=0, users=(3,))])
    recs = lists_of(3)
    if seen == "error":
        recs = pd.concat([lists_of(1), lists_of(3, users=(4,))])
    history = truth.loc[(truth["user"] != 2) | (truth["item"] == 1), ["user", "item"]]
    result = evaluate(recs, truth, "nDCG@3", history=history, seen=seen)
    assert sum(note.startswith(f"3 of 4 {HISTORY}") for note in result.notes()) == 1
    assert any("seen='drop' leaves them out of every list" in note for note in result.notes()) is (
        seen == "drop"
    )
    assert kinds_of(result, tmp_path) == {HISTORY}


def test_the_history_of_users_who_are_left_out_is_not_counted():
    history = truth_of(1, users=(3,))[["user", "item"]]
    result = evaluate(lists_of(3), truth_of(1, 2), "MRR", history=history)
    assert any(f"1 of 6 {HISTORY}" in note for note in result.notes())
    assert result.where([1, 2]).notes() == []
    assert any(f"1 of 2 {HISTORY}" in note for note in result.where([3]).notes())


@pytest.mark.parametrize(
    ("measures", "options", "note"),
    [
        pytest.param(
            ["HR@2", "RMSE"],
            {"relevant_from": 4},
            "nobody has a relevant item for HR@2: the highest grade in relevance is 3, and only 4 "
            "or more counts as relevant; choose a lower threshold",
            id="relevant_from",
        ),
        pytest.param(
            ["HR(rel=5)@2", "HR@2"],
            {},
            "nobody has a relevant item for HR(rel=5)@2: the highest grade in relevance is 3, and "
            "only 5 or more counts as relevant; choose a lower threshold",
            id="the threshold of one measure",
        ),
        pytest.param(
            ["HR@2", "nDCG@2"],
            {},
            "nobody has a relevant item for HR@2, nDCG@2: the highest grade in relevance is 0, and "
            "only grades above 0 count as relevant; check the column of grades",
            id="all grades 0",
        ),
    ],
)
def test_a_threshold_above_every_grade_is_noted(measures, options, note, tmp_path):
    truth = truth_of(1, grade=0)
    if "is 3" in note:
        truth = pd.concat([truth_of(1, grade=3), truth_of(2, grade=1)])
    result = evaluate(lists_of(3), truth, measures, **options)
    assert result.notes() == [note]
    assert kinds_of(result, tmp_path) == {NOBODY}


def test_a_threshold_that_no_user_of_a_group_reaches_is_noted_there():
    truth = pd.concat([truth_of(1, grade=3, users=(1,)), truth_of(2, users=(2, 3))])
    result = evaluate(lists_of(3), truth, "HR@2", relevant_from=3)
    assert result.notes() == []
    assert NOBODY in repr(result.where([2, 3]))
    assert NOBODY not in repr(result.where([1, 2]))


def test_scores_of_minus_infinity_are_noted(tmp_path):
    recs = {"masked": lists_of(4, [3, 2, -np.inf, -np.inf]), "plain": lists_of(4)}
    truth = truth_of(1)
    result = evaluate(recs, truth, "HR@3")
    assert result.notes() == [
        (
            "3 recommended items of 'masked' have a score of -inf and count as recommended: if "
            "-inf marks items that must not be recommended, leave their rows out"
        )
    ]
    assert kinds_of(result, tmp_path) == {INFINITE}
    folds = pooled({1: result.where([1]), 2: result.where([2, 3])})
    assert result.notes()[0] in folds.notes()


@pytest.mark.parametrize("kind", ["float32", "float16", "Float64"])
def test_minus_infinity_is_found_in_other_types_of_scores(kind):
    recs = lists_of(3, [2, 1, -np.inf]).astype({"score": kind})
    assert INFINITE in repr(evaluate(recs, truth_of(1), "MRR"))


def test_masked_items_that_seen_drops_are_not_noted():
    recs = lists_of(3, [2, 1, -np.inf])
    history = truth_of(2)[["user", "item"]]
    dropped = evaluate(recs, truth_of(1), "MRR", history=history, seen="drop")
    assert dropped.notes() == []
    assert INFINITE in repr(evaluate(recs, truth_of(1), "MRR", history=history))


def test_only_scores_of_minus_infinity_are_noted(tmp_path):
    result = evaluate(lists_of(2, [-np.inf, -np.inf]), truth_of(1), "MRR")
    assert "6 recommended items have a score of -inf" in repr(result)
    assert kinds_of(result, tmp_path) == {INFINITE}


def test_names_in_notes_are_escaped():
    systems = {"<b>$x_1$": lists_of(2), "long": lists_of(4)}
    table = evaluate(systems, truth_of(3), "HR@3").table()
    assert "<b>$x" not in table._repr_html_()
    assert "\x1b" not in repr(
        evaluate({"a\x1b": lists_of(2), "b": lists_of(4)}, truth_of(3), "HR@3")
    )
