"""Notes on misleading lists, scores and histories: the cases with a note, and those without."""

import numpy as np
import pandas as pd
import pytest

from receval import evaluate, load, pooled

SHORT = "lists of different lengths"
HISTORY = "relevant items in the history of their user"
NOBODY = "nobody has a relevant item for"
INFINITE = "with a score of -inf"
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


def check_everywhere(result, notes, folder):
    """Check which notes of these kinds a result has: beside it, and in its texts and its file."""
    assert [note for note in result.notes() if any(kind in note for kind in ALL)] == notes
    result.save(folder / "result.receval")
    again = load(folder / "result.receval")
    assert again.notes() == result.notes()
    expected = {kind for kind in ALL for note in notes if kind in note}
    for shown in (repr(result), result.methods(), repr(again), again.methods()):
        assert {kind for kind in ALL if kind.casefold() in shown.casefold()} == expected


TOP_20_AND_50 = {"top 20": lists_of(20), "top 50": lists_of(50)}
BOTH_TOP_20 = {"top 20": lists_of(20), "other": lists_of(20)}
GRADES = pd.concat([truth_of(1, grade=3, users=(1,)), truth_of(2)])
UP_TO_3 = pd.concat([truth_of(1, grade=3), truth_of(2, grade=1)])
APART = pd.concat([truth_of(0, 77), truth_of(1, users=(9,))])[["user", "item"]]
IRRELEVANT = pd.concat([truth_of(1, 2), truth_of(0, grade=0)])
# The user 3 has only an irrelevant item, and one relevant item of user 2 is not in the history.
OF_TWO = pd.concat([truth_of(1, 2, users=(1, 2)), truth_of(1, grade=0, users=(3,))])
SEEN = OF_TWO.loc[(OF_TWO["user"] != 2) | (OF_TWO["item"] == 1), ["user", "item"]]
UNSEEN = pd.concat([lists_of(1), lists_of(3, users=(4,))])
MASKED = lists_of(4, [3, 2, -np.inf, -np.inf])
LAST_MASKED = lists_of(3, [2, 1, -np.inf])

TOO_SHORT = (
    "no list of 'top 20' is longer than 20, and another system lists up to 50 items, so lists "
    "of different lengths are compared in Recall@50: pass longer lists, or use a cut-off of at "
    "most 20"
)
TOO_SHORT_OF_SIX = (
    "no list of 's0', 's1', 's2' and 3 more is longer than 5, and another system lists up to 9 "
    "items, so lists of different lengths are compared in HR@9: pass longer lists, or use a "
    "cut-off of at most 5"
)
IN_HISTORY = f"{HISTORY}: 3 of 4"
ABOVE_3 = (
    "nobody has a relevant item for {}: the highest grade in relevance is 3, and only {} or more "
    "counts as relevant; choose a lower threshold"
)
NOTHING = (
    "nobody has a relevant item for HR@2, nDCG@2: the highest grade in relevance is 0, and "
    "only grades above 0 count as relevant; check the column of grades"
)
MARKED = (
    "recommended items{} with a score of -inf, which count like all others: {}; if -inf marks "
    "items that must not be recommended, leave their rows out"
)


@pytest.mark.parametrize(
    ("recs", "truth", "measures", "options", "notes"),
    [
        pytest.param(
            TOP_20_AND_50,
            truth_of(1, 30),
            ["Recall@50", "Recall@20", "MRR"],
            {},
            [TOO_SHORT],
            id="shorter lists than another system's",
        ),
        pytest.param(
            {f"s{place}": lists_of(5) for place in range(6)} | {"long": lists_of(9)},
            truth_of(0, 7),
            "HR@9",
            {},
            [TOO_SHORT_OF_SIX],
            id="six such systems",
        ),
        pytest.param(BOTH_TOP_20, truth_of(1, 30), "Recall@50", {}, [], id="all equally short"),
        pytest.param(
            {"first": MASKED, "second": MASKED},
            truth_of(1),
            "HR@4",
            {},
            [MARKED.format(" of each system", 6)],
            id="two systems with the same note",
        ),
        pytest.param(
            {"first": MASKED, "second": LAST_MASKED},
            truth_of(1),
            "HR@4",
            {},
            [
                MARKED.format(" of 'first'", 6),
                MARKED.format(" of 'second'", 3),
            ],
            id="two systems with other counts",
        ),
        pytest.param(TOP_20_AND_50, truth_of(1, 30), "Recall@20", {}, [], id="a cut-off all reach"),
        pytest.param(TOP_20_AND_50, truth_of(1, 19), "Recall@50", {}, [], id="all relevant listed"),
        pytest.param(BOTH_TOP_20, truth_of(1, 19), "Recall@500", {}, [], id="beyond the catalogue"),
        pytest.param(TOP_20_AND_50, truth_of(1, 30), "MRR", {}, [], id="no cut-off"),
        pytest.param(lists_of(50), truth_of(1, 60), "Recall@100", {}, [], id="one system"),
        pytest.param(lists_of(3), IRRELEVANT, "nDCG@3", {"history": APART}, [], id="history apart"),
        pytest.param(
            lists_of(3),
            IRRELEVANT,
            "nDCG@3",
            {"history": APART, "seen": "drop"},
            [],
            id="history apart and dropped",
        ),
        pytest.param(
            lists_of(3), GRADES, "HR@2", {"relevant_from": 3}, [], id="a grade just reached"
        ),
        pytest.param(lists_of(3), GRADES, "nDCG@2", {"relevant_from": 4}, [], id="graded gains"),
        pytest.param(
            lists_of(3),
            GRADES,
            "HR(rel=2)@2",
            {"relevant_from": 4},
            [],
            id="a threshold in the name",
        ),
        pytest.param(
            lists_of(3),
            UP_TO_3,
            ["HR@2", "RMSE"],
            {"relevant_from": 4},
            [ABOVE_3.format("HR@2", 4)],
            id="a threshold above every grade",
        ),
        pytest.param(
            lists_of(3),
            UP_TO_3,
            ["HR(rel=5)@2", "HR@2"],
            {},
            [ABOVE_3.format("HR(rel=5)@2", 5)],
            id="the threshold of one measure",
        ),
        pytest.param(
            lists_of(3), truth_of(1, grade=0), ["HR@2", "nDCG@2"], {}, [NOTHING], id="all grades 0"
        ),
        pytest.param(
            {"masked": MASKED, "plain": lists_of(4)},
            truth_of(1),
            "HR@3",
            {},
            [MARKED.format(" of 'masked'", 3)],
            id="-inf",
        ),
        *(
            pytest.param(
                LAST_MASKED.astype({"score": kind}),
                truth_of(1),
                "MRR",
                {},
                [MARKED.format("", 3)],
                id=f"-inf as {kind}",
            )
            for kind in ("float64", "float32", "float16", "Float64")
        ),
        pytest.param(
            LAST_MASKED,
            truth_of(1),
            "MRR",
            {"history": truth_of(2)[["user", "item"]], "seen": "drop"},
            [],
            id="-inf on dropped items",
        ),
        pytest.param(
            LAST_MASKED,
            truth_of(1),
            "MRR",
            {"history": truth_of(2)[["user", "item"]]},
            [MARKED.format("", 3)],
            id="-inf on seen items",
        ),
        pytest.param(
            lists_of(2, [-np.inf, -np.inf]),
            truth_of(1),
            "MRR",
            {},
            [MARKED.format("", 6)],
            id="only -inf",
        ),
        pytest.param(MASKED, truth_of(1), "HR@2", {}, [], id="-inf below the cut-off"),
        pytest.param(
            lists_of(4, [np.inf, 2, 1, 0]), truth_of(1), "MRR", {}, [], id="plus infinity"
        ),
        pytest.param(
            lists_of(4, [3, 2, 1, -1e308]), truth_of(1), "MRR", {}, [], id="a very low number"
        ),
    ],
)
def test_notes_on_lists(recs, truth, measures, options, notes, tmp_path):
    check_everywhere(evaluate(recs, truth, measures, **options), notes, tmp_path)


@pytest.mark.parametrize(
    ("seen", "recs"), [("note", lists_of(3)), ("drop", lists_of(3)), ("error", UNSEEN)]
)
def test_relevant_items_of_the_history_are_noted(seen, recs, tmp_path):
    result = evaluate(recs, OF_TWO, "nDCG@3", history=SEEN, seen=seen)
    [note] = [note for note in result.notes() if HISTORY in note]
    assert note.startswith(IN_HISTORY)
    assert ("seen='drop' leaves them out of every list" in note) is (seen == "drop")
    check_everywhere(result, [note], tmp_path)


USERS = range(8)
TWO_LENGTHS = {"top 20": lists_of(20, users=USERS), "top 50": lists_of(50, users=USERS)}
SHORTER = evaluate(TWO_LENGTHS, truth_of(1, 30, users=USERS), "Recall@50")
FOLDS = pooled({"a": SHORTER.where([1, 2]), "b": SHORTER.where([3, 4])})
LAST_ONLY = evaluate(
    lists_of(3), truth_of(1, 2), "MRR", history=truth_of(1, users=(3,))[["user", "item"]]
)
FOR_FIRST = evaluate(
    lists_of(3), pd.concat([GRADES[:1], truth_of(2, users=(2, 3))]), "HR@2", relevant_from=3
)
FRACTIONS = evaluate(  # as many as there are scores from 1 to n
    lists_of(2, users=range(10)), truth_of(0, 1, grade=0.3, users=range(10)), "nDCG@2"
)
MASKED_OF_TWO = evaluate({"masked": MASKED, "plain": lists_of(4)}, truth_of(1), "HR@3")
NAMED = evaluate({"<b>$x_1$\x1b": lists_of(2), "long": lists_of(4)}, truth_of(3), "HR@3").table()


@pytest.mark.parametrize(
    ("shown", "part", "times"),
    [
        pytest.param(SHORTER.compare(), SHORT, 1, id="a comparison"),
        pytest.param(SHORTER.compare().methods(), SHORT, 1, id="methods of a comparison"),
        pytest.param(SHORTER.compare().table(), SHORT, 1, id="the table of a comparison"),
        pytest.param(FOLDS, SHORT, 1, id="folds"),
        pytest.param(FOLDS.methods(), SHORT, 1, id="methods of folds"),
        pytest.param(FOLDS.compare(), SHORT, 1, id="a comparison of folds"),
        pytest.param(FOLDS.compare().methods(), SHORT, 1, id="its methods"),
        pytest.param(
            evaluate(BOTH_TOP_20, truth_of(1, 30), "Recall@50").compare(),
            SHORT,
            0,
            id="equal lengths",
        ),
        pytest.param(LAST_ONLY.notes(), f"{HISTORY}: 1 of 6", 1, id="the history of all users"),
        pytest.param(LAST_ONLY.where([3]).notes(), f"{HISTORY}: 1 of 2", 1, id="of the last user"),
        pytest.param(LAST_ONLY.where([1, 2]).notes(), HISTORY, 0, id="of users left out"),
        pytest.param(FOR_FIRST.notes(), NOBODY, 0, id="a threshold that one user reaches"),
        pytest.param(FOR_FIRST.where([1, 2]), NOBODY, 0, id="that one of a group reaches"),
        pytest.param(FOR_FIRST.where([2, 3]), NOBODY, 1, id="that no user of a group reaches"),
        pytest.param(FRACTIONS.notes(), "swapped", 0, id="fractions as grades"),
        pytest.param(FRACTIONS.where([1, 2, 3]).notes(), "swapped", 0, id="of some users"),
        pytest.param(
            pooled({1: MASKED_OF_TWO.where([1]), 2: MASKED_OF_TWO.where([2, 3])}).notes(),
            MARKED.format(" of 'masked'", 3),
            1,
            id="-inf in folds",
        ),
        pytest.param(NAMED._repr_html_(), "<b>$x", 0, id="a name in HTML"),
        pytest.param(NAMED, "\x1b", 0, id="a name on a terminal"),
    ],
)
def test_notes_of_comparisons_folds_and_some_users(shown, part, times):
    assert str(shown).replace('"', "'").count(part) == times


def test_a_system_without_any_list_is_not_called_short():
    systems = {"none": lists_of(3)[:0], "some": lists_of(5)}
    with pytest.warns(UserWarning, match="answer nobody"):
        result = evaluate(systems, truth_of(4), "HR@5")
    assert not any(SHORT in note for note in result.notes())
